"""The pages people look at. Today there is one: the table."""

from __future__ import annotations

from importlib.metadata import version

from flask import Blueprint, Response, make_response, render_template, request

from webapp.present import LANGUAGES
from webapp.words import chosen_language, page_words

LANGUAGE_COOKIE = "language"
A_YEAR_S = 365 * 24 * 3600


def language_of_request() -> str:
    """What was asked for, else what was chosen before, else what the browser prefers."""
    return chosen_language(
        request.args.get("language"),
        request.cookies.get(LANGUAGE_COOKIE),
        request.accept_languages.best_match(LANGUAGES),
    )


def pages() -> Blueprint:
    """The blueprint with the pages."""
    blueprint = Blueprint("pages", __name__)

    @blueprint.get("/")
    def table() -> Response:
        language = language_of_request()
        page = render_template(
            "table.html",
            language=language,
            languages=LANGUAGES,
            words=page_words(language),
            version=version("kozyr"),
        )
        response = make_response(page)
        response.headers["Cache-Control"] = "no-cache"
        response.headers["Vary"] = "Accept-Language, Cookie"
        if request.args.get("language") == language:
            response.set_cookie(LANGUAGE_COOKIE, language, max_age=A_YEAR_S, samesite="Lax", httponly=True)
        return response

    return blueprint

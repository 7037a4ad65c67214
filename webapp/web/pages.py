"""The pages people look at: the table, where things are on it, and how a game is set up."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from flask import Blueprint, Response, abort, make_response, redirect, render_template, request, url_for

from webapp.live.setup_desk import SetupDesk
from webapp.text.catalogue import LANGUAGES
from webapp.text.page_labels import chosen_language, words_of
from webapp.web.admission import role_of_request
from webapp.web.kept_devices import Role

LANGUAGE_COOKIE = "language"
A_YEAR_S = 365 * 24 * 3600


def language_of_request() -> str:
    """What was asked for, else what was chosen before, else what the browser prefers."""
    return chosen_language(
        request.args.get("language"),
        request.cookies.get(LANGUAGE_COOKIE),
        request.accept_languages.best_match(LANGUAGES),
    )


def pages(desk: SetupDesk | None, authority: Path | None = None, *, of_hall: bool = False) -> Blueprint:
    """
    The blueprint with the pages. ``desk``: where a game is chosen, if one can be. ``authority``: the certificate that
    devices may be told to trust. ``of_hall``: of many tables, none of which is refereed here.
    """
    blueprint = Blueprint("pages", __name__)

    def page(template: str, **values: str) -> Response:
        language = language_of_request()
        text = render_template(
            template,
            language=language,
            **words_of(language),
            version=version("kozyr"),
            **values,
        )
        response = make_response(text)
        response.headers["Cache-Control"] = "no-cache"
        response.headers["Vary"] = "Accept-Language, Cookie"
        if request.args.get("language") == language:
            response.set_cookie(
                LANGUAGE_COOKIE,
                language,
                max_age=A_YEAR_S,
                samesite="Lax",
                httponly=True,
                secure=request.is_secure,
            )
        return response

    @blueprint.get("/")
    def table() -> Response:
        if desk is not None and desk.is_choosing and role_of_request() is Role.REFEREE:
            return make_response(redirect(url_for("pages.setup"), 303))
        return page("hall.html" if of_hall else "table.html")

    @blueprint.get("/matches")
    def library() -> Response:
        return page("matches.html")

    @blueprint.get("/evenings")
    def evenings() -> Response:
        return page("evenings.html")

    @blueprint.get("/matches/<match>")
    def review(match: str) -> Response:
        return page("review.html", match=match)

    @blueprint.get("/matches/<match>/again")
    def again(match: str) -> Response:
        return page("again.html", match=match)

    @blueprint.get("/notation")
    def notation() -> Response:
        return page("notation.html")

    if not of_hall:

        @blueprint.get("/places")
        def places() -> Response:
            return page("places.html")

        @blueprint.get("/setup")
        def setup() -> Response:
            return page("setup.html")

    @blueprint.app_context_processor
    def kind_of_page() -> dict[str, bool]:
        return {"of_hall": of_hall}

    @blueprint.get("/certificate")
    def certificate() -> Response:
        if authority is None:
            abort(404, "expected a page served with a certificate, got one without; start kozyr with --tls")
        answer = Response(authority.read_bytes(), mimetype="application/x-x509-ca-cert")
        answer.headers["Content-Disposition"] = 'attachment; filename="kozyr.crt"'
        return answer

    @blueprint.get("/favicon.ico")
    def no_other_icon() -> Response:
        return Response(status=204)  # browsers ask for it where a page names no icon, as that of the code does

    return blueprint

"""Serve the pages for people: the table, its places, and the setup of a game."""

from __future__ import annotations

import socket
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from typing import Any

from flask import Blueprint, Response, abort, make_response, redirect, render_template, request, url_for

from webapp.errors import StoreError, UnusableInputError, one_line
from webapp.features import Page, features
from webapp.store.matches import Matches
from webapp.text.catalogue import words_of
from webapp.web.admission import role_of_request
from webapp.web.app_services import AppConfig
from webapp.web.request_guard import OWN_SITES
from webapp.web.responses import LANGUAGE_COOKIE, language_of_request
from webapp.web.route_docs import HTML, LANGUAGE, VIEWER, described
from webapp.web.stored_devices import Role

VERSION = version("kozyr")
A_YEAR_S = 365 * 24 * 3600
PAGES = (
    Page("matches", "The kept matches", "matches_title", of_matches=True),
    Page("evenings", "Scores by evening", "evenings_link", of_matches=True),
)
"""Pages of the core that every program has."""
OF_TABLE = (
    Page("setup", "Choose camera, players, rules and deck"),
    Page("places", "Drag seats, talon and discard pile to where they are"),
    Page("overlay", "Table and newest call on a transparent ground, for streams"),
    Page("show", "The table for a television: board, headline, counts and the last fault's film, nothing to press"),
)
"""Pages that only a table has."""


def page(template: str, status: int = 200, **values: object) -> Response:
    """
    Return a page in the language of the request.

    A language that the address names is kept in a cookie, unless another site's link names it.
    """
    language = language_of_request()
    text = render_template(template, language=language, **words_of(language), version=VERSION, **values)
    response = make_response(text, status)
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Vary"] = "Accept-Language, Cookie"
    if request.args.get("language") == language and request.headers.get("Sec-Fetch-Site", "none") in OWN_SITES:
        response.set_cookie(
            LANGUAGE_COOKIE, language, max_age=A_YEAR_S, samesite="Lax", httponly=True, secure=request.is_secure
        )
    return response


def page_of_match(template: str, matches: Matches | None, match: str) -> Response:
    if matches is None:
        return nothing_stored_page()
    with suppress(StoreError):  # the page itself reports that the store fails
        try:
            matches.about(match)
        except UnusableInputError as error:
            abort(404, one_line(error))
    return page(template, match=match)


def nothing_stored_page() -> Response:
    return page("missing.html", title="matches_title", why="refused_unkept")


def pages(site: AppConfig) -> Blueprint:
    shared_setup, matches = site.shared_setup, site.matches
    everywhere = (*PAGES, *(page for feature in features() for page in feature.pages))
    blueprint = Blueprint("pages", __name__)

    @blueprint.get("/")
    @described(VIEWER, "The table; of a hall: all tables", LANGUAGE, media=HTML)
    def table() -> Response:
        if shared_setup is not None and shared_setup.is_choosing and role_of_request() is Role.REFEREE:
            return make_response(redirect(url_for("pages.setup"), 303))
        return page(site.front_page or "table.html")

    @blueprint.get("/players/<name>")
    @described(VIEWER, "Figures and plots of a player", media=HTML)
    def player(name: str) -> Response:
        if matches is None:
            return nothing_stored_page()
        with suppress(StoreError):
            if not any(name in game.seats for game in matches.games()):
                abort(404, f"expected a player of a finished game, got {name!r:.60}")
        return page("player.html", player=name)

    @blueprint.get("/matches/<match>")
    @described(VIEWER, "Review a kept match; `#line=N` opens it at a line", media=HTML)
    def review(match: str) -> Response:
        return page_of_match("review.html", matches, match)

    for offered in (*everywhere, *(() if site.front_page else OF_TABLE)):
        template, query = f"{offered.name}.html", LANGUAGE
        address, shown = f"/{offered.name}", partial(page, template)
        if offered.of_match:
            address, shown, query = f"/matches/<match>/{offered.name}", partial(page_of_match, template, matches), {}
        elif offered.of_matches and matches is None:
            shown = partial(nothing_stored_page)
        view = described(VIEWER, offered.summary, query, media=HTML)(shown)
        blueprint.add_url_rule(address, offered.name, view, methods=("GET",))

    parts = [part for feature in features() for part in feature.page_parts.items()]

    @blueprint.app_context_processor
    def kind_of_page() -> dict[str, Any]:
        return {
            "has_table": site.front_page is None,
            "ways": [offered for offered in everywhere if offered.word],
            "about_matches": [f"pages.{offered.name}" for offered in everywhere],
            "parts_of": lambda place: [template for at, template in parts if at == place],
            "keeps": matches is not None,
            "machine": socket.gethostname(),
            "reach": next(iter(site.addresses.elsewhere), ""),
        }

    @blueprint.get("/certificate")
    @described(VIEWER, "The certificate of this table's authority", media="application/x-x509-ca-cert")
    def certificate() -> Response:
        if site.authority is None:
            abort(404, "expected a page served with a certificate, got one without; start kozyr with --tls")
        answer = Response(site.authority.read_bytes(), mimetype="application/x-x509-ca-cert")
        answer.headers["Content-Disposition"] = 'attachment; filename="kozyr.crt"'
        return answer

    @blueprint.get("/favicon.ico")
    @described(VIEWER, "No icon at this address", status=204)
    def no_other_icon() -> Response:
        return Response(status=204)  # browsers request it for a page without an icon, such as that of the code

    return blueprint

"""Serve what decks learn from corrected cards: how many pictures there are, the learning, and that it is forgotten."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint, Response, jsonify, request
from msgspec import Meta, Struct

from features.enrolment.corrected_cards import forget, pictures_of
from features.enrolment.deck_file import DeckFileError, load_deck
from features.enrolment.deck_names import known_decks
from webapp.errors import one_line
from webapp.web.app_services import AppConfig
from webapp.web.bodies import read_body
from webapp.web.matches_api import available
from webapp.web.responses import fresh, refusal
from webapp.web.route_docs import REFEREE, VIEWER, described

LEARN = "learn-corrections"
EXAMPLE = 'JSON such as {"deck": "blue"}'


class DeckBody(Struct, frozen=True):
    """Which deck is meant."""

    deck: Annotated[str, Meta(description="the name of a deck that was shown", max_length=60)]


def deck_corrections(site: AppConfig) -> Blueprint:
    """Return the routes; where no pictures can be kept, no deck has any, and what would change one answers 503."""
    blueprint, pictures, work = Blueprint("deck_corrections", __name__), site.labelled, site.long_work

    def listed() -> Response:
        kept, decks = pictures, []
        for name in known_decks() if kept is not None else ():
            try:
                deck = load_deck(name)
            except DeckFileError:
                continue
            learnt = len(deck.views) - len(deck.shown)
            found = 0 if kept is None else len(pictures_of(name, kept))
            if found or learnt:
                decks.append({"deck": name, "pictures": found, "learnt": learnt})
        others = 0 if kept is None else kept.count - sum(int(str(each["pictures"])) for each in decks)
        return fresh(jsonify({"decks": decks, "others": others}))

    @blueprint.get("/api/labelled/decks")
    @described(
        VIEWER,
        "By deck the kept pictures of corrected cards, and how many of them it has learned; `others` are of no deck",
        answer='{"decks": [{"deck": "blue", "pictures": 5, "learnt": 3}], "others": 0}',
    )
    def shown() -> Response:
        return listed()

    @blueprint.post("/api/labelled/decks")
    @described(
        REFEREE,
        "Let a deck learn from them in the background, if that helps",
        body='{"deck": "blue"}',
        sends=DeckBody,
        answer='{"job": "...", "state": "waiting"}',
        status=202,
    )
    def learn() -> tuple[Response, int] | Response:
        kept, jobs = available(pictures), available(work)
        deck = read_body(request.get_data(cache=False), DeckBody, EXAMPLE).deck
        if deck not in known_decks():
            return no_deck(deck)
        return fresh(jsonify(jobs.start(LEARN, deck, str(kept.folder)).as_json())), 202

    @blueprint.delete("/api/labelled/decks")
    @described(REFEREE, "Let a deck forget what it has learned from them", {"deck": "the name of the deck"})
    def forgotten() -> Response:
        available(pictures)
        deck = request.args.get("deck", "")
        if deck not in known_decks():
            return no_deck(deck)
        try:
            forget(deck)
        except DeckFileError as error:
            return refusal(507, one_line(error))
        return listed()

    return blueprint


def no_deck(deck: str) -> Response:
    return refusal(404, f"expected a deck that was shown, got {deck!r:.60}; show its cards first")

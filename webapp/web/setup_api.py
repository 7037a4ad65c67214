"""Serve the setup of a game for the page and for programs: `GET` and `POST /api/setup`."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, request
from msgspec import UNSET
from msgspec.structs import replace

from referee.errors import RulebookError
from referee.fields import read
from referee.header import TONES
from referee.record import Header
from referee.rulebook import FREE, OPTIONS, PRESETS, rulebook
from vision.capture.stream_address import is_camera_number, without_secrets
from webapp.errors import one_line
from webapp.live.deck_choice import decks
from webapp.live.game_setup import GameSetup, read_choices
from webapp.live.remembered import known_names, last_games, with_secret
from webapp.live.series import Series
from webapp.live.shared_setup import ContradictedError, SharedSetup, UnderWayError, has_begun, is_over
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import explain, say_contradiction, say_option
from webapp.web.app_services import AppConfig
from webapp.web.bodies import STREAMS, SetupBody, read_object
from webapp.web.pairing import is_owner
from webapp.web.responses import fresh, language_of_request, refusal
from webapp.web.route_docs import REFEREE, VIEWER, described

SETUP = 'JSON such as {"seats": ["Anna", "Boris"], "rules": "podkidnoy-36"}'


def setup_interface(site: AppConfig) -> Blueprint:
    """Return the blueprint; it answers 503 if no game can be set up."""
    blueprint = Blueprint("setup", __name__)

    @blueprint.get("/api/setup")
    @described(VIEWER, "What is chosen, and under `choices` what can be")
    def chosen() -> Response:
        if site.shared_setup is None:
            return nothing_to_choose()
        return fresh(jsonify(setup_as_json(site.shared_setup, site, language_of_request())))

    @blueprint.get("/api/setup/view")
    @described(VIEWER, "What the camera sees, what is wrong with the view, a `proposal`, and what is `missing`")
    def view() -> Response:
        if site.shared_setup is None:
            return nothing_to_choose()
        missing = list(site.shared_setup.missing(site.board.newest))
        return fresh(jsonify({**view_as_json(site.shared_setup), "missing": missing}))

    @blueprint.post("/api/setup")
    @described(
        REFEREE,
        "Change it; `begin`, `next` (with other `seats`, too), `again`, `end` and `resume` (the match under `left`) "
        "are orders; `series`: to how many losses a series is played from now on, null for none. 409 with "
        "`under_way` while a game goes on, which ends with `end`; with `contradiction` if the camera sees another "
        "position or, at `next`, the cards of the last game; `insist` states it all the same. `propose` adapts rules "
        "and position to the seats",
        body='{"seats": ["Anya", "Boris"], "begin": true}',
        sends=SetupBody,
    )
    def change() -> Response:
        shared_setup = site.shared_setup
        if shared_setup is None:
            return nothing_to_choose()
        wrong = "refused_choice"
        try:
            asked = read(read_object(request.get_data(cache=False), SETUP), SetupBody, "the setup")
            choices = asked.choices()
            if isinstance(choices.get("source"), str):  # a page shows an address without its password
                choices["source"] = with_secret(choices["source"].strip(), (shared_setup.setup.source,))
            wrong = "refused_position" if choices.get("start") else wrong
            is_here = is_owner(site.pairing, request.remote_addr)
            check_source(choices.get("source"), site, is_here=is_here)
            check_deck(choices.get("deck"), shared_setup.setup.deck, is_here=is_here)
            take_orders(site, shared_setup, asked, choices)
        except UnderWayError as error:
            return refusal(409, one_line(error), under_way=under_way_as_json(site))
        except ContradictedError as error:
            against = error.contradiction
            facts = (against.kind, against.stated, against.seen)
            message = f'{say_contradiction(*facts, "en")} Send {{"insist": true}} with it if it is so.'
            sentence = say_contradiction(*facts, language_of_request())
            shown = dict(zip(("kind", "stated", "seen", "text"), (*facts, sentence), strict=True))
            return refusal(409, message, text=sentence, contradiction=shown)
        except PermissionError as error:
            return refusal(403, one_line(error), "refused_file")
        except ValueError as error:
            conflict = error.conflict if isinstance(error, RulebookError) else ""
            return refusal(400, one_line(error), f"conflict_{conflict}" if conflict else wrong)
        return fresh(jsonify(chosen_as_json(site, shared_setup)))

    return blueprint


def nothing_to_choose() -> Response:
    return refusal(
        503, "expected a table whose game can be chosen, got none; start kozyr, or kozyr watch", "refused_no_setup"
    )


def view_as_json(shared_setup: SharedSetup) -> dict[str, Any]:
    proposal = shared_setup.proposal()
    shown = {**shared_setup.view.as_json(), "mirrored": shared_setup.setup.mirrored}
    return {**shown, "proposal": None if proposal is None else dict(proposal)}


def check_source(source: object, site: AppConfig, *, is_here: bool) -> None:
    """
    Raise ``PermissionError`` if a request from another device chooses a file of this machine, ``ValueError`` for digits
    that are no camera's number.

    From elsewhere only cameras, streams and offered sources may be chosen.
    """
    if not isinstance(source, str):
        return
    if source.isdigit() and not is_camera_number(source):
        raise ValueError(f"expected a camera number such as 0, got {source:.40}")
    if is_here or is_camera_number(source) or source.startswith(STREAMS):
        return
    chosen = None if site.shared_setup is None else site.shared_setup.setup.source
    if source != chosen and source not in [offered_source["source"] for offered_source in site.table.offered_sources()]:
        raise PermissionError("expected a camera or a stream, got a file; files are chosen on the machine they lie on")


def check_deck(deck: object, chosen: str | None, *, is_here: bool) -> None:
    """
    Raise ``ValueError`` for a deck that is not there. A learnt deck may be chosen, and on this machine a deck's file.
    """
    if isinstance(deck, str) and deck != chosen:
        decks().check(deck, takes_file=is_here)


def take_orders(site: AppConfig, shared_setup: SharedSetup, asked: SetupBody, choices: Mapping[str, Any]) -> None:
    newest = site.board.newest
    if asked.enrol is not UNSET:
        wanted = asked.enrol
        if wanted is None:
            shared_setup.enrol(None)
        else:
            shared_setup.enrol(decks().lesson(wanted.name, wanted.pack, wanted.order, finishes=wanted.finish is True))
    if asked.resume is not UNSET:
        setup, match = shared_setup.setup.changed(choices), asked.resume
        if site.matches is None or match != site.table.resumable:
            raise ValueError(
                f"expected the match that was left at this table, got {match!r:.60}; GET /api/setup names it"
            )
        stored = GameSetup.of(Header.parse(site.matches.record(match)[0]), source=setup.source, deck=setup.deck)
        shared_setup.resume(replace(stored, language=setup.language, recording=setup.recording), match, newest)
        return
    if asked.end and not (choices or asked.begin):
        shared_setup.end()
    if asked.series is not UNSET:
        series = None if asked.series is None else Series(asked.series, newest.evening["games"])
        newest = site.board.publish(moves=newest.moves + 1, series=series)
    if asked.next:
        choices = dict(choices)
        seats = read_choices({"seats": choices.pop("seats")})["seats"] if "seats" in choices else None
        view = None if site.board.picture is None else site.board.picture.view
        lying = (
            () if view is None else (card.card for card in view.cards if card.zone == "turnup" and card.is_confirmed)
        )
        turnup = next((str(card) for card in lying if card is not None), None)
        shared_setup.next_game(newest, seats, turnup=turnup, insists=asked.insist)
    if asked.again:
        shared_setup.play_again(newest)
    if choices or asked.begin:
        begin = None if asked.begin is UNSET else asked.begin
        shared_setup.change(choices, newest, begin=begin, ends=asked.end, insists=asked.insist, proposes=asked.propose)


def under_way_as_json(site: AppConfig) -> dict[str, Any]:
    """Return who plays now, and the ID under which the game is kept (null: it is not)."""
    return {"seats": list(site.board.newest.view.seats), "match": site.table.live_match}


def chosen_as_json(site: AppConfig, shared_setup: SharedSetup) -> dict[str, Any]:
    newest = site.board.newest
    missing = shared_setup.missing(newest)
    return {
        **shared_setup.setup.as_json(),
        "source": None if shared_setup.setup.source is None else without_secrets(shared_setup.setup.source),
        "phase": shared_setup.phase.value,
        "missing": list(missing),
        "ready": not missing,
        "begun": has_begun(newest),
        "over": is_over(newest),
        "series": None if newest.series is None else newest.series.to,
        "under_way": under_way_as_json(site) if shared_setup.is_under_way(newest) else None,
    }


def setup_as_json(shared_setup: SharedSetup, site: AppConfig, language: str) -> dict[str, Any]:
    """Return the answer of ``GET /api/setup``: the setup, and under ``choices`` the possible values."""
    setup = shared_setup.setup
    games, left, match = last_games(), None, site.table.resumable
    if site.matches is not None and match is not None:
        about, _ = site.matches.about(match)
        left = {key: about[key] for key in ("match", "seats", "started", "seconds")}
    return {
        **chosen_as_json(site, shared_setup),
        "left": left,
        "choices": {
            "sources": list(site.table.offered_sources()),
            "rules": [rules_as_json(name, language) for name in (*PRESETS, FREE)],
            "options": options_as_json(setup.rules, setup.options, language),
            "decks": list(decks().known()),
            "groups": [dict(game) for game in games],
            "names": list(known_names(games)),
            "tones": list(TONES),
            "languages": list(LANGUAGES),
            "recording": importlib.util.find_spec("av") is not None,
        },
        "view": view_as_json(shared_setup),
    }


def rules_as_json(name: str, language: str) -> dict[str, Any]:
    """Return the description of a rule set: number of players, and in sentences how it differs."""
    rules = rulebook(name)
    sentences = explain(rules, language)
    usual = set(explain(rulebook(next(iter(PRESETS))), language))
    return {
        "rules": name,
        "players": list(rules.players()),
        "differs": [sentence for sentence in sentences if sentence not in usual],
        "text": sentences,
    }


def options_as_json(name: str, options: Mapping[str, Any], language: str) -> list[dict[str, Any]]:
    """Return each option of a rule set with its value and its possible values, a sentence each."""
    if name == FREE:
        return []
    rules = rulebook(name, options)
    described = []
    for option in OPTIONS.values():
        value = getattr(rules, option.name)
        values = list(option.values)
        if option.counts:
            values = [limit for limit in (None, 4, 5, 6, 8) if limit is not None or None in option.values]
        if value not in values:
            values.append(value)
        if len(values) < 2:
            continue
        described.append(
            {
                "option": option.name,
                "value": value,
                "common": option.is_common,
                "values": [{"value": value, "text": say_option(option.name, value, language)} for value in values],
            }
        )
    return described

"""Serve the setup of a game for the page and for programs: `GET` and `POST /api/setup`."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, request

from referee.header import TONES
from referee.rulebook import FREE, OPTIONS, PRESETS, rulebook
from vision.capture.stream_address import without_secrets
from vision.enrolment.deck_file import deck_path, known_decks
from vision.enrolment.deck_names import SUFFIX, card_list, deck_name
from webapp.errors import one_line
from webapp.live.board import Board
from webapp.live.position_proposal import Contradiction
from webapp.live.remembered import known_names, last_games
from webapp.live.setup_desk import ContradictedError, SetupDesk, UnderWayError, has_begun, is_over
from webapp.live.stream_secrets import with_secret
from webapp.text.catalogue import LANGUAGES
from webapp.text.contradiction import say_contradiction
from webapp.text.present import explain, say_option
from webapp.web.admission import refused
from webapp.web.api import STREAMS, fresh, refusal
from webapp.web.app_services import AppConfig
from webapp.web.pages import language_of_request
from webapp.web.pairing import is_this_machine

SWITCHES = ("again", "begin", "end", "next", "insist", "propose")
ORDERS = frozenset({*SWITCHES, "enrol"})
COMMON_OPTIONS = ("transfer", "attack_limit", "low_limit", "low_limit_until", "throwers", "trump_swap", "give_on")
"""The options that tables differ in most; the page shows the others on demand."""


def setup_interface(services: AppConfig, board: Board) -> Blueprint:
    """Return the blueprint; it answers 503 if no game can be set up."""
    blueprint = Blueprint("setup", __name__)

    @blueprint.get("/api/setup")
    def chosen() -> Response:
        if services.desk is None:
            return nothing_to_choose()
        return fresh(jsonify(setup_as_json(services.desk, board, services, language_of_request())))

    @blueprint.get("/api/setup/view")
    def view() -> Response:
        if services.desk is None:
            return nothing_to_choose()
        return fresh(jsonify(view_as_json(services.desk)))

    @blueprint.post("/api/setup")
    def change() -> Response:
        desk = services.desk
        if desk is None:
            return nothing_to_choose()
        try:
            values = with_whole_source(read_object(request.get_data(cache=False)), desk)
            is_here = is_this_machine(request.remote_addr)
            check_source(values.get("source"), services, is_here=is_here)
            check_deck(values.get("deck"), desk.setup.deck, is_here=is_here)
            take_orders(desk, values, board)
        except UnderWayError as error:
            return refusal(409, one_line(error))
        except ContradictedError as error:
            return contradicted(error.contradiction, language_of_request())
        except PermissionError as error:
            return refused(403, one_line(error))
        except ValueError as error:
            return refusal(400, one_line(error))
        return fresh(jsonify(chosen_as_json(desk, board)))

    return blueprint


def nothing_to_choose() -> Response:
    """Return the answer if no game can be set up."""
    return refusal(503, "expected a table whose game can be chosen, got none; start kozyr, or kozyr watch")


def contradicted(contradiction: Contradiction, language: str) -> Response:
    """Return the refusal of a setup that the camera's view contradicts; ``text``: the reason in ``language``."""
    kind, stated, seen = contradiction.kind, contradiction.stated, contradiction.seen
    answer = jsonify(
        error=f'{say_contradiction(kind, stated, seen, "en")} Send {{"insist": true}} with it if it is so.',
        contradiction={
            "kind": kind,
            "stated": stated,
            "seen": seen,
            "text": say_contradiction(kind, stated, seen, language),
        },
    )
    answer.status_code = 409
    return fresh(answer)


def view_as_json(desk: SetupDesk) -> dict[str, Any]:
    """Return what the camera sees, and as ``proposal`` the position that it suggests."""
    proposal = desk.proposal()
    return {**desk.view.as_json(), "proposal": None if proposal is None else dict(proposal)}


def read_object(body: bytes) -> dict[str, Any]:
    """Read a JSON object; ``ValueError`` if it is none."""
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise ValueError(
            'expected JSON such as {"seats": ["Anna", "Boris"], "rules": "podkidnoy-36"}, got something else'
        )
    return values


def with_whole_source(values: dict[str, Any], desk: SetupDesk) -> dict[str, Any]:
    """Put the password back into an address as the page shows it; ``ValueError`` if it is not known."""
    source = values.get("source")
    return {**values, "source": with_secret(source, (desk.setup.source,))} if isinstance(source, str) else values


def check_source(source: object, services: AppConfig, *, is_here: bool) -> None:
    """
    Raise ``PermissionError`` if a request from another device chooses a file of this machine.

    From elsewhere only cameras, streams and offered sources may be chosen.
    """
    if not isinstance(source, str) or is_here or source.isdigit() or source.startswith(STREAMS):
        return
    chosen = None if services.desk is None else services.desk.setup.source
    if source != chosen and source not in [each["source"] for each in services.table.offered_sources()]:
        raise PermissionError("expected a camera or a stream, got a file; files are chosen on the machine they lie on")


def check_deck(deck: object, chosen: str | None, *, is_here: bool) -> None:
    """
    Raise ``ValueError`` for a deck that is not there. A learnt deck may be chosen, and on this machine a deck's file.
    """
    if not isinstance(deck, str) or deck == chosen or deck in known_decks():
        return
    if is_here and deck.endswith(SUFFIX) and deck_path(deck).is_file():
        return
    raise ValueError(f"expected a deck that was learnt, got {deck!r:.60}; 'kozyr enrol NAME' learns one")


def take_orders(desk: SetupDesk, values: Mapping[str, Any], board: Board) -> None:
    """
    Carry out a posted object: choices, and beside them ``SWITCHES`` (true or false) or ``enrol``.
    """
    orders = {key: values[key] for key in ORDERS & values.keys()}
    for key in SWITCHES:
        if not isinstance(orders.get(key, False), bool):
            raise ValueError(f"expected {key} to be true or false, got {orders[key]!r:.60}")
    if "enrol" in orders:
        desk.enrol(read_enrolment(orders["enrol"]))
    if orders.get("end"):
        desk.end()
    if orders.get("next"):
        desk.next_game(board.newest)
    if orders.get("again"):
        desk.play_again(board.newest)
    choices = {key: value for key, value in values.items() if key not in ORDERS}
    if choices or orders.get("begin"):
        desk.change(
            choices,
            board.newest,
            begin=orders.get("begin"),
            insists=orders.get("insist", False),
            proposes=orders.get("propose", False),
        )


def read_enrolment(value: object) -> Mapping[str, Any] | None:
    """
    Parse a deck to learn from what lies there; None: stop.

    ``name``, ``pack`` (36), ``order`` (as `kozyr enrol --order`), ``finish`` (keep what was learnt).
    """
    if value is None:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise ValueError(f'expected a deck to learn such as {{"name": "blue", "pack": 36}}, got {value!r:.60}')
    name = deck_name(value["name"])
    if name.endswith(SUFFIX):
        raise ValueError(f"expected a deck's name, got a file's: {name!r:.60}")
    pack = value.get("pack", 36)
    if pack not in (24, 36, 52) or isinstance(pack, bool):
        raise ValueError(f"expected a pack of 24, 36 or 52 cards, got {pack!r:.20}")
    order = value.get("order", "")
    if not isinstance(order, str):
        raise ValueError(f"expected the order of the cards such as '6s-As,6h-Ah', got {order!r:.60}")
    return {
        "name": name,
        "pack": pack,
        "order": card_list(order) if order else (),
        "finish": value.get("finish") is True,
    }


def chosen_as_json(desk: SetupDesk, board: Board) -> dict[str, Any]:
    """Return the current setup and the possible actions."""
    newest = board.newest
    return {
        **desk.setup.as_json(),
        "source": None if desk.setup.source is None else without_secrets(desk.setup.source),
        "phase": desk.phase.value,
        "ready": desk.setup.is_ready,
        "begun": has_begun(newest),
        "over": is_over(newest),
    }


def setup_as_json(desk: SetupDesk, board: Board, services: AppConfig, language: str) -> dict[str, Any]:
    """Return the answer of ``GET /api/setup``: the setup, and under ``choices`` the possible values."""
    setup = desk.setup
    games = last_games()
    return {
        **chosen_as_json(desk, board),
        "choices": {
            "sources": list(services.table.offered_sources()),
            "rules": [rules_as_json(name, language) for name in (*PRESETS, FREE)],
            "options": options_as_json(setup.rules, setup.options, language),
            "decks": list(known_decks()),
            "groups": [dict(game) for game in games],
            "names": list(known_names(games)),
            "tones": list(TONES),
            "languages": list(LANGUAGES),
            "recording": importlib.util.find_spec("av") is not None,
        },
        "view": view_as_json(desk),
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
            values = [each for each in (None, 4, 5, 6, 8) if each is not None or None in option.values]
        if value not in values:
            values.append(value)
        if len(values) < 2:
            continue
        described.append(
            {
                "option": option.name,
                "value": value,
                "common": option.name in COMMON_OPTIONS,
                "values": [{"value": each, "text": say_option(option.name, each, language)} for each in values],
            }
        )
    return described

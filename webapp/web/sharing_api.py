"""
Serve what people do with a stored match: comment on it, share a position, end or delete it.

A position is drawn as one SVG picture: players round the felt, the bout between them, trump and deck below. The faces
of a four-colour deck, diamonds in blue and clubs in green, are served too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path

from flask import Blueprint, Response, abort, jsonify, request

from webapp.errors import MatchGoesOnError, UnusableInputError
from webapp.match.played_game import played_game
from webapp.match.view import Pair, TablePosition
from webapp.text.catalogue import direction, page_words
from webapp.web.app_services import AppConfig
from webapp.web.bodies import BodyError, CommentBody, read_body, whole
from webapp.web.match_films import end_broken_off
from webapp.web.matches_api import available
from webapp.web.responses import fresh, language_of_request
from webapp.web.route_docs import ACCEPTED, REFEREE, SVG, TEXT, VIEWER, described

CARDS = Path(__file__).parent / "static" / "cards"
INKS = {"d": ("#c8102e", "#0b57b0"), "c": ("#15151d", "#11733c")}
"""Suit -> its colour, and that in a four-colour deck. Spades and hearts keep theirs."""
A_DAY_S = 24 * 3600


@cache
def _names() -> frozenset[str]:
    return frozenset(path.relative_to(CARDS).with_suffix("").as_posix() for path in CARDS.rglob("*.svg"))


def four_colour_face(name: str) -> str | None:
    """
    Return the drawing of a card in its suit's four-colour ink; None if there is no such card.

    >>> [name for name in ("7d", "en/Qc", "back", "../icon", "xx") if four_colour_face(name)]
    ['7d', 'en/Qc', 'back']
    >>> "#0b57b0" in four_colour_face("7d"), "#c8102e" in four_colour_face("7d"), "#c8102e" in four_colour_face("7h")
    (True, False, True)
    """
    if name not in _names():
        return None
    drawing = (CARDS / f"{name}.svg").read_text(encoding="utf-8")
    was, becomes = INKS.get(name[-1], ("", "")) if name != "back" else ("", "")
    return drawing.replace(was, becomes) if was else drawing


WIDTH, HEIGHT = 960, 640
FELT_HEIGHT = 560
CARD_WIDTH = 84
CARD_HEIGHT = CARD_WIDTH * 88 / 63
PLATE = (190, 64)
SUITS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
LETTERED = {"en": "en/", "es": "en/", "he": "en/", "fr": "fr/"}
"""Language -> the folder of the faces on which J, Q, K and A bear its letters; Russian ones are the deck's own."""
FONT = "'Segoe UI', Roboto, 'Noto Sans', sans-serif"


def position_svg(seats: Sequence[str], position: TablePosition, language: str = "en", title: str = "") -> str:
    """Return the picture of a position. ``title``: what has just happened, in a sentence."""
    words, begins_px = page_words(language), 24 if direction(language) == "ltr" else WIDTH - 24
    facts = [f"{words['trump']} {SUITS[position.trump]}"] if position.trump else []
    facts += [f"{words['talon']} {position.talon}"] if position.talon is not None else []
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#0c1a15"/>',
        f'<rect x="10" y="10" width="{WIDTH - 20}" height="{FELT_HEIGHT - 20}" rx="28" fill="#1b5a42"/>',
        *(_plate(index, seats, position) for index in range(len(seats))),
        *_bout([] if position.result else position.lying, language),
        f'<g direction="{direction(language)}">',
        _text((begins_px, FELT_HEIGHT + 34), " · ".join(facts), 24, "#f7f1e3"),
        _text((begins_px, FELT_HEIGHT + 66), title, 22, "#c9d3c6"),
        "</g>",
    ]
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}">'
    return f"{head}<title>{escape(title)}</title>{''.join(parts)}</svg>"


def _plate(index: int, seats: Sequence[str], position: TablePosition) -> str:
    """Draw a player's plate where the player sits: the first at the bottom edge, the others clockwise."""
    angle = math.pi / 2 + index * 2 * math.pi / len(seats)
    width, height = PLATE
    x = WIDTH / 2 + math.cos(angle) * (WIDTH / 2 - width / 2 - 34) - width / 2
    y = FELT_HEIGHT / 2 + math.sin(angle) * (FELT_HEIGHT / 2 - height / 2 - 30) - height / 2
    seat = seats[index]
    fill, ink = {position.attacker: ("#e3b95b", "#1b1a17"), position.defender: ("#16395c", "#f7f1e3")}.get(
        seat, ("#0a1f17", "#f7f1e3")
    )
    count = position.hands.get(seat)
    name = seat if len(seat) <= 12 else f"{seat[:11]}…"
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width}" height="{height}" rx="14" fill="{fill}"/>'
        + _text((x + 14, y + 41), name, 24, ink, weight=700)
        + _text((x + width - 14, y + 42), "?" if count is None else str(count), 28, ink, weight=700, anchor="end")
    )


def _bout(table: Sequence[Pair], language: str) -> list[str]:
    """Return the pairs of the bout in rows in the middle of the felt, disputed cards with a red frame."""
    bare = {pair.attack for pair in table if pair.defence is None and pair.ruling is None}
    wrong = {
        pair.on: pair for pair in table if pair.ruling is not None and pair.on in bare
    }  # on the card they beat not
    table = [pair for pair in table if pair.on is None or wrong.get(pair.on) is not pair]
    across = min(max(len(table), 1), 6)
    rows = math.ceil(len(table) / across)
    step_x, step_y = CARD_WIDTH * 1.32, CARD_HEIGHT * 1.2
    left, top = WIDTH / 2 - step_x * across / 2, FELT_HEIGHT / 2 - step_y * rows / 2
    drawn = []
    for place, pair in enumerate(table):
        x, y = left + place % across * step_x, top + place // across * step_y
        laid_on = None if pair.ruling else wrong.get(pair.attack)
        over = pair.defence or (None if laid_on is None else laid_on.attack)
        drawn.append(_card(pair.attack, x, y, language) + (_frame(x, y) if pair.ruling else ""))
        if over:
            face = _card(over, x + 22, y + 14, language) + (_frame(x + 22, y + 14) if laid_on else "")
            drawn.append(f'<g transform="rotate(11 {x:.1f} {y:.1f})">{face}</g>')
    return drawn


def _frame(x: float, y: float) -> str:
    size = f'width="{CARD_WIDTH}" height="{CARD_HEIGHT:.1f}" rx="6" fill="none" stroke="#ff5a47" stroke-width="6"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size}/>'


def _card(card: str, x: float, y: float, language: str) -> str:
    size = f'x="{x:.1f}" y="{y:.1f}" width="{CARD_WIDTH}" height="{CARD_HEIGHT:.1f}"'
    return _face(card, language).replace('width="63mm" height="88mm"', size, 1)


@cache
def _face(card: str, language: str) -> str:
    folder = LETTERED.get(language, "") if card[0] in "JQKA" else ""
    return (CARDS / f"{folder}{card}.svg").read_text(encoding="utf-8").strip()


def _text(at: tuple[float, float], text: str, size: int, ink: str, weight: int = 400, anchor: str = "start") -> str:
    x, y = at
    style = f'font-size="{size}" font-weight="{weight}" fill="{ink}" text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>' if text else ""


LONGEST_COMMENT = 500
"""Characters: a few sentences, which a list still shows."""


def sharing(site: AppConfig) -> Blueprint:
    blueprint, matches, replays = Blueprint("sharing", __name__), site.matches, site.replays

    @blueprint.get("/cards/four/<path:name>.svg")
    @described(VIEWER, "A card face in four colours", media=SVG)
    def face(name: str) -> Response:
        drawn = four_colour_face(name)
        if drawn is None:
            abort(404, f"expected a card such as 7d or en/Qc, got {name!r:.40}")
        answer = Response(drawn, mimetype="image/svg+xml")
        answer.headers["Cache-Control"] = f"private, max-age={A_DAY_S}"
        return answer

    @blueprint.post("/api/matches/<match>/comment")
    @described(REFEREE, "Comment a line", body='{"line": 12, "comment": "well spotted"}', sends=CommentBody)
    def comment(match: str) -> Response:
        store = available(matches)
        example = 'a comment as JSON such as {"line": 7, "comment": "well held"}'
        said = read_body(request.get_data(cache=False), CommentBody, example)
        if len(said.comment) > LONGEST_COMMENT:
            raise BodyError(
                f"expected a comment of at most {LONGEST_COMMENT} characters, got {len(said.comment)}; shorten it"
            )
        text = " ".join(said.comment.split())
        store.comment(match, said.line, text)
        return fresh(jsonify({"accepted": True, "line": said.line, "comment": text}))

    @blueprint.post("/api/matches/<match>/end")
    @described(REFEREE, "End a match that was broken off; 409 if a table plays it", answer=ACCEPTED)
    def ended(match: str) -> Response:
        end_broken_off(available(matches), site.table, match)
        return fresh(jsonify({"accepted": True}))

    @blueprint.delete("/api/matches/<match>")
    @described(REFEREE, "Delete a match and its film", answer=ACCEPTED)
    def deleted(match: str) -> Response:
        store = available(matches)
        about, _ = store.about(match)
        if not about["ended"]:
            raise MatchGoesOnError(f"expected a match that has ended, got {match}, which goes on; end it first")
        store.delete(match)
        return fresh(jsonify({"accepted": True}))

    @blueprint.get("/api/matches/<match>/position.svg")
    @described(VIEWER, "The position after a line as a picture", {"line": "record line"}, media=SVG)
    def position(match: str) -> Response:
        language = language_of_request()
        stored, line = available(replays), request.args.get("line", 0, type=whole)
        position = next((step.position for step in stored.steps(match) if step.line == line), None)
        if position is None:
            raise UnusableInputError(f"expected a line of match {match:.40} with a position, got {line}")
        calls = stored.calls(match, language)
        title = next((str(call["text"]) for call in calls if call["line"] == line and "ruling" in call), "")
        seats = available(matches).about(match)[0]["seats"]
        picture = position_svg(seats, position, language, title)
        return fresh(Response(picture, mimetype="image/svg+xml"))

    @blueprint.get("/api/matches/<match>/game.txt")
    @described(VIEWER, "The notation as people write it", media=TEXT)
    def noted(match: str) -> Response:
        language = language_of_request()
        steps, comments = available(replays).steps(match), available(matches).comments(match)
        return fresh(Response(played_game(steps, comments, language), mimetype="text/plain"))

    return blueprint

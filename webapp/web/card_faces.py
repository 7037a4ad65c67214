"""Serve the faces of a four-colour deck: the page's own cards, diamonds in blue and clubs in green."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from flask import Blueprint, Response, abort

CARDS = Path(__file__).parent / "static" / "cards"
INKS = {"d": ("#c8102e", "#0b57b0"), "c": ("#15151d", "#11733c")}
"""Suit -> its colour, and that in a four-colour deck. Spades and hearts keep theirs."""
A_DAY_S = 24 * 3600


def card_faces() -> Blueprint:
    """Return the blueprint."""
    blueprint = Blueprint("faces", __name__)

    @blueprint.get("/cards/four/<path:name>.svg")
    def face(name: str) -> Response:
        drawn = four_colour_face(name)
        if drawn is None:
            abort(404, f"expected a card such as 7d or en/Qc, got {name!r:.40}")
        answer = Response(drawn, mimetype="image/svg+xml")
        answer.headers["Cache-Control"] = f"private, max-age={A_DAY_S}"
        return answer

    return blueprint


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

"""
Show still pictures on the page and as lines: the cards on each, without rulings.

Nothing is known of the plays between two pictures, so there is nothing to rule on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.cards import Card
from referee.record import Header
from vision.still.pipeline import PictureRead
from webapp.live.board import CALLS_KEPT, Call
from webapp.live.live_match import RULING_KINDS, MatchKeeper
from webapp.text.catalogue import LANGUAGES
from webapp.text.page_labels import page_words
from webapp.text.present import card_name

STATE: Mapping[str, Any] = {
    "phase": "still",
    "trump": None,
    "turnup": None,
    "talon": 0,
    "heap": 0,
    "attacker": None,
    "defender": None,
    "entitled": [],
    "hands": {},
    "known": {},
    "table": [],
    "limit": None,
    "room": None,
    "ranks": [],
    "due": [],
    "out": [],
    "result": None,
    "open": [],
}
"""The ``state`` (docs/record.md) of a table without a game; ``table`` holds the pairs of the newest picture."""


class Stills:
    """Replaces a match: makes a line for each picture from the cards that were read."""

    def __init__(self, header: Header, ledger: MatchKeeper | None = None, language: str = LANGUAGES[0]) -> None:
        self._header, self._ledger, self._language = header, ledger, language
        self._pairs: list[list[str | None]] = []
        self._calls: tuple[Call, ...] = ()
        self._count = 0

    def open(self) -> tuple[Mapping[str, Any], ...]:
        """Return the header's line, which every record has."""
        header = self._header.as_json()
        if self._ledger is not None:
            self._ledger.write(header)
        return (header,)

    def judge(self, *events: Any) -> tuple[Mapping[str, Any], ...]:
        """Return a line for each picture; presses are ignored."""
        lines: list[Mapping[str, Any]] = []
        for read in events:
            if not isinstance(read, PictureRead):
                continue
            self._count += 1
            self._pairs = [[pair["attack"], pair["defence"]] for pair in read.line["pairs"]]
            texts = {language: sentence(read.line, language) for language in LANGUAGES}
            call = Call(self._count, read.at, {"announce": "picture"}, texts)
            self._calls = (*self._calls, call)[-CALLS_KEPT:]
            lines.append({**read.line, "at": round(read.at, 3), "text": texts[self._language]})
        return tuple(lines)

    def pass_time(self, at_s: float) -> tuple[Mapping[str, Any], ...]:
        """Return no lines, since no ruling waits."""
        return ()

    def finish(self) -> tuple[Mapping[str, Any], ...]:
        """Return no lines, since no ruling waited."""
        return ()

    def on_board(self) -> Mapping[str, Any]:
        """Return what the page shows: the cards, without players."""
        return {"rules": "", "seats": (), "state": {**STATE, "table": self._pairs}, "calls": self._calls}

    def summary(self, *, frames: int, seconds_of_clip: float, seconds_taken: float) -> Mapping[str, Any]:
        """Return the last line, with the keys of a game's summary."""
        return {
            "summary": {
                "frames": frames,
                "seconds_of_clip": round(seconds_of_clip, 3),
                "seconds_taken": round(seconds_taken, 3),
                "rulings": dict.fromkeys(RULING_KINDS, 0),
                "result": None,
                "doubts": 0,
                "pictures": self._count,
            }
        }


def sentence(line: Mapping[str, Any], language: str) -> str:
    """
    Describe the cards on a picture for people.

    >>> sentence({"cards": [{"card": "7s"}, {"card": "Ts"}, {"card": "back"}],
    ...           "pairs": [{"attack": "7s", "defence": "Ts"}]}, "en")
    'On this picture: 7♠ under 10♠, face down: 1.'
    """
    words = page_words(language)

    def named(card: str) -> str:
        return card_name(Card.parse(card), language)

    parts = [
        named(pair["attack"])
        if pair["defence"] is None
        else words["still_pair"].format(attack=named(pair["attack"]), defence=named(pair["defence"]))
        for pair in line["pairs"]
    ]
    paired = {name for pair in line["pairs"] for name in (pair["attack"], pair["defence"])}
    parts += [named(seen["card"]) for seen in line["cards"] if seen["card"] not in paired | {"back"}]
    backs = sum(seen["card"] == "back" for seen in line["cards"])
    if backs:
        parts.append(words["still_backs"].format(n=backs))
    return words["still_cards"].format(cards=", ".join(parts)) if parts else words["still_none"]

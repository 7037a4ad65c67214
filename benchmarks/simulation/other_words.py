"""
Rewrite a reported record in the form that other programs use for the same facts.

Some programs give a confidence without alternatives, or with some of them only; some give every line a confidence; some
are uncertain about the seat as well as the card; some report cards that may be none, draws one by one or all in one,
rereadings, ticks. The confidences stay calibrated.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.simulation.erring_camera import ReportedLine, shares
from benchmarks.simulation.truth import TrueLine

SURE = (0.97, 1.0)
"""Range of the confidence of a certain line, where every line has one."""


@dataclass(frozen=True, slots=True)
class Words:
    """
    The form of one program's records, drawn at random for each game.

    ``bare``: confidences without alternatives. ``partial``: each alternative is left out with probability one half.
    ``always``: every line has a confidence. ``inside``: a card's other names are given in ``otherwise``. The rest are
    shares of the lines concerned: ``seats``, the seat is uncertain; ``none``, a card may be none, and some are;
    ``reread``, a misread card is reread while it lies there; ``over``, a card laid exactly on another is reported as a
    rereading of that one; ``one_by_one`` and ``in_one``, draws reported card by card, or a seat's draws in one line;
    ``ticks``, ticks between the lines.
    """

    bare: bool = False
    partial: bool = False
    always: bool = False
    inside: bool = False
    seats: float = 0.0
    none: float = 0.0
    reread: float = 0.0
    over: float = 0.0
    one_by_one: bool = False
    in_one: bool = False
    ticks: float = 0.0

    @classmethod
    def by_lot(cls, rng: random.Random) -> Words:
        """Return a random form."""
        how = rng.random()
        draws = rng.random()
        return cls(
            bare=how < 0.25,
            partial=0.25 <= how < 0.5,
            inside=0.5 <= how < 0.7,
            always=rng.random() < 0.5,
            seats=rng.choice((0.0, 0.06)),
            none=rng.choice((0.0, 0.015)),
            reread=rng.choice((0.0, 0.7)),
            over=rng.choice((0.0, 0.0, 0.01)),
            one_by_one=draws < 0.3,
            in_one=draws > 0.7,
            ticks=rng.choice((0.0, 0.3)),
        )


def in_other_words(
    lines: Sequence[ReportedLine],
    truth: Sequence[TrueLine],
    seats: Sequence[str],
    pack: Sequence[str],
    words: Words,
    rng: random.Random,
) -> list[ReportedLine]:
    """Return the record in this form. ``truth``: the true events; ``pack``: the names of all cards."""
    reported: list[ReportedLine] = []
    speaker = _Speaker(truth, seats, pack, words, rng)
    for line in _drawn_apart(lines, words):
        reported += speaker.rewritten(line)
    return reported


def _drawn_apart(lines: Sequence[ReportedLine], words: Words) -> Iterator[ReportedLine]:
    """Yield the lines with each seat's certain draws card by card, or as one line."""
    waiting: ReportedLine | None = None
    for line in lines:
        event = line.event
        is_plain = event["event"] == "drawn" and "confidence" not in event and "by" in event
        if waiting is not None and is_plain and event["by"] == waiting.event["by"]:
            count = waiting.event["count"] + event["count"]
            waiting = replace(line, event={**event, "count": count})
            continue
        if waiting is not None:
            yield waiting
            waiting = None
        if is_plain and words.in_one:
            waiting = line
        elif is_plain and words.one_by_one:
            for _ in range(event["count"]):
                yield replace(line, event={**event, "count": 1})
        else:
            yield line
    if waiting is not None:
        yield waiting


class _Speaker:
    """
    ``lying``: the reported names of the cards in the bout; ``wrong``: the true names of the misread ones. ``at``: time
    of the line before.
    """

    def __init__(
        self, truth: Sequence[TrueLine], seats: Sequence[str], pack: Sequence[str], words: Words, rng: random.Random
    ) -> None:
        self.truth, self.seats, self.pack, self.words, self.rng = truth, seats, pack, words, rng
        self.lying: list[str] = []
        self.wrong: dict[str, str] = {}
        self.at = 0.0

    def rewritten(self, line: ReportedLine) -> Iterator[ReportedLine]:
        """Yield one line in this form, and the lines that this adds before or after it."""
        words, event = self.words, dict(line.event)
        at = event["at"]
        if at > self.at and self.wrong and self.rng.random() < words.reread:
            was, card = self.wrong.popitem()
            if was in self.lying and card not in self.lying:
                yield ReportedLine(
                    {"at": self.at, "event": "reread", "was": was, "card": card, "confidence": 0.97}, None
                )
        self._doubts_seat(event)
        phantom = self._doubts_whether(event) if at > self.at else None
        if phantom is not None:
            yield ReportedLine(phantom, None)
        if self.rng.random() < words.ticks and at > self.at:
            yield ReportedLine({"at": at, "event": "tick"}, None)
        self._thin_alternatives(event)
        if words.always and "confidence" not in event and event["event"] not in ("blocked", "tick", "reread"):
            event["confidence"] = round(self.rng.uniform(*SURE), 3)
        if self._is_laid_over(event):
            under = event.get("on") or self.rng.choice(self.lying)
            read = {"at": at, "event": "reread", "was": under, "card": event["card"], "confidence": 0.9}
            yield replace(line, event=read)
        else:
            yield replace(line, event=event)
        self._lies(line, event)
        self.at = at

    def _is_laid_over(self, event: dict[str, Any]) -> bool:
        is_sure = event["event"] == "placed" and "otherwise" not in event and "alternatives" not in event
        return is_sure and bool(self.lying) and self.rng.random() < self.words.over

    def _lies(self, line: ReportedLine, event: dict[str, Any]) -> None:
        """Update the cards of the bout and the misread ones among them."""
        if event["event"] == "swept":
            self.lying.clear()
            self.wrong.clear()
        elif event["event"] == "placed":
            self.lying.append(event["card"])
            real = None if line.true is None else self.truth[line.true].event.get("card")
            if real not in (None, event["card"]):
                self.wrong[event["card"]] = real

    def _doubts_seat(self, event: dict[str, Any]) -> None:
        """Make the seat uncertain, in addition to what is uncertain already."""
        if event["event"] not in ("placed", "drawn") or "by" not in event or self.rng.random() >= self.words.seats:
            return
        sure, other = shares(self.rng, 0.55, 1)
        seat = self.rng.choice([seat for seat in self.seats if seat != event["by"]])
        named, instead = (event["by"], seat) if self.rng.random() < sure else (seat, event["by"])
        was_sure = event.get("confidence", 1.0)
        others = [[keys, round(share * sure, 4)] for keys, share in event.get("otherwise", [])]
        event |= {"by": named, "confidence": round(was_sure * sure, 4)}
        event["otherwise"] = [*others, [{"by": instead}, round(was_sure * other, 4)]]
        if "alternatives" in event:
            event["alternatives"] = [[card, round(share * sure, 4)] for card, share in event["alternatives"]]

    def _doubts_whether(self, event: dict[str, Any]) -> dict[str, Any] | None:
        """Make a card uncertain to exist; return one that does not exist, as often as calibration requires."""
        if event["event"] != "placed" or "confidence" in event or self.rng.random() >= self.words.none:
            return None
        sure, not_so = shares(self.rng, 0.55, 1)
        event |= {"confidence": sure, "otherwise": [[None, not_so]]}
        names = [card for card in self.pack if card not in self.lying and card != event["card"]]
        if self.rng.random() >= not_so / sure:
            return None
        facts = {"card": self.rng.choice(names), "by": self.rng.choice(self.seats)}
        return {"at": self.at, "event": "placed", **facts, "confidence": sure, "otherwise": [[None, not_so]]}

    def _thin_alternatives(self, event: dict[str, Any]) -> None:
        """Move, thin out or drop the alternatives."""
        words = self.words
        if words.bare:
            event.pop("alternatives", None)
            if event["event"] != "swept":
                event.pop("otherwise", None)
        elif words.partial:
            for key in ("alternatives", "otherwise"):
                if key in event:
                    event[key] = [card for card in event[key] if self.rng.random() < 0.5]
        elif words.inside and "alternatives" in event:
            named = [[{"card": card}, share] for card, share in event.pop("alternatives")]
            event["otherwise"] = [*event.get("otherwise", []), *named]

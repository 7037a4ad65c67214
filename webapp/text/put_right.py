"""
Say what a person's correction states, what follows from it and why, and what speaks against it.

Each consequence is a sentence of its own: a call that is gone or new, a hand or a pile that changes with the reason for
it, the result. The reason is the line that is believed otherwise now, else the new call that concerns the hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from referee.contradictions import Objection
from referee.corrections import RecordLine
from referee.events import Corrected, Drawn, Placed, Swept, TableEvent
from referee.rulings import Announcement, Message, Ruling, Verdict
from webapp.text.catalogue import counted, nested
from webapp.text.present import clock, say

ACCUSING = (Verdict.ILLEGAL, Verdict.IMPOSSIBLE)
SHOWN_CALLS = 12
"""Number of new calls that are named one by one; more are counted."""
Phrase = Callable[[str, bool], str]
"""A sentence in any language; its second argument: with cards as a voice reads them."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """How a match is understood before or after a correction: the lines as believed, what holds, and the position."""

    lines: Sequence[RecordLine]
    holding: Sequence[Message]
    position: Mapping[str, Any]

    @property
    def rulings(self) -> dict[int, Ruling]:
        """Return by line the rulings that accuse or ask; notes are left out."""
        rulings = ((message.line, message.what) for message in self.holding if isinstance(message.what, Ruling))
        return {line: ruling for line, ruling in rulings if ruling.verdict in ACCUSING or ruling.question is not None}

    @property
    def result(self) -> Announcement | None:
        announced = (message.what for message in reversed(self.holding))
        return next((what for what in announced if isinstance(what, Announcement) and what.kind == "result"), None)


def statement(correction: TableEvent, was: TableEvent | None, language: str, is_spelled: bool = False) -> str:
    """
    Return in one sentence what a correction states. ``was``: the corrected line as it was taken until then.

    >>> from referee.events import Pressed
    >>> statement(Pressed(at=1.0, button="undo"), None, "en"), statement(Corrected(at=1.0, line=7), None, "en")
    ('The correction is undone.', 'That did not happen.')
    """
    if not isinstance(correction, Corrected):
        return say("put_right.undone", language)
    if correction.table is not None:
        return say("put_right.table", language)
    if correction.insert is not None:
        return say("put_right.missed", language)
    to = correction.to
    if to is None:
        return say("put_right.nothing", language)
    if isinstance(to, Placed) and isinstance(was, Placed):
        if to.card != was.card:
            return say("put_right.card", language, is_spelled, was=was.card, card=to.card)
        if to.by != was.by:
            return say("put_right.by", language, is_spelled, card=to.card, by=to.by)
    if isinstance(to, Swept):
        return say("put_right.taken" if to.to != "heap" else "put_right.beaten", language, by=to.to)
    keys = ("card", "by", "on", "to", "count")
    is_same = type(was) is type(to) and all(getattr(was, key, None) == getattr(to, key, None) for key in keys)
    return say("put_right.confirmed" if is_same else "put_right.other", language)


def consequences(
    correction: TableEvent, before: Understanding, after: Understanding, misfit_s: float | None
) -> tuple[Phrase, ...]:
    """
    Return what follows from a correction, a sentence each; none where nothing else changes.

    ``misfit_s``: the second from which what was seen no longer fits what was stated.
    """
    found = [*_rulings(before, after), *_counts(correction, before, after)]
    if before.result != after.result:
        found.append(partial(say, "put_right.result"))
        found += [] if after.result is None else [partial(say, after.result)]
    if misfit_s is not None:
        found.append(partial(say, "put_right.misfit", clock=clock(misfit_s)))
    return tuple(found)


def _rulings(before: Understanding, after: Understanding) -> Iterator[Phrase]:
    gone, new = before.rulings, after.rulings
    if count := len(gone.keys() - new.keys()):
        yield lambda language, is_spelled: counted("put_right.gone", count, language)
    changed = [ruling for line, ruling in new.items() if _content(gone.get(line)) != _content(ruling)]
    if len(changed) > SHOWN_CALLS:
        yield lambda language, is_spelled: counted("put_right.new", len(changed), language)
    else:
        for ruling in changed:
            yield partial(say, ruling)


def _counts(correction: TableEvent, before: Understanding, after: Understanding) -> Iterator[Phrase]:
    """Yield the hands and piles that changed, each with the reason."""
    is_stated = isinstance(correction, Corrected) and correction.table is not None
    reasons = list(_reasons(before, after))

    def sentence(key: str, seat: str | None, held: int, had: int) -> Phrase:
        of_it = (phrase for about, phrase in reasons if about == (seat or key))
        anew = partial(say, "put_right.why_counted" if is_stated else "put_right.why_since")
        reason = next(of_it, anew)

        def said(language: str, is_spelled: bool) -> str:
            why = reason(language, is_spelled)
            return say(f"put_right.{key}", language, is_spelled, seat=seat, held=held, had=had, why=why)

        return said

    hands, had = after.position["hands"], before.position["hands"]
    for seat, held in hands.items():
        if held != had.get(seat, held):
            yield sentence("hand", seat, held, had[seat])
    for pile in ("talon", "heap"):
        if after.position[pile] != before.position[pile]:
            yield sentence(pile, None, after.position[pile], before.position[pile])


def _reasons(before: Understanding, after: Understanding) -> Iterator[tuple[str, Phrase]]:
    """Yield (a seat, ``talon`` or ``heap``, why its cards are others), the most direct reason of each first."""
    were, are = ({line.line: line.event for line in lines} for lines in (before.lines, after.lines))
    for line in sorted(were.keys() | are.keys()):
        was, now = were.get(line), are.get(line)
        if was != now:
            yield from _of_line(was, now)
    known = before.rulings
    for line, ruling in after.rulings.items():
        if _content(known.get(line)) != _content(ruling):
            event = are.get(line)
            if ruling.by:
                yield ruling.by, partial(say, ruling)
            if isinstance(event, Drawn):
                yield "talon", partial(say, ruling)
            elif isinstance(event, Swept):
                yield "heap", partial(say, ruling)


def _of_line(was: TableEvent | None, now: TableEvent | None) -> Iterator[tuple[str, Phrase]]:
    """Yield whose cards become others since a line is understood otherwise, and why."""
    if isinstance(now, Placed) and now.by and _laid(was) != _laid(now):
        yield now.by, partial(say, "put_right.why_laid", seat=now.by, card=now.card)
    if isinstance(was, Placed) and was.by and _laid(was) != _laid(now):
        yield was.by, partial(say, "put_right.why_not_laid", seat=was.by, card=was.card)
    for swept, key in ((now, "took"), (was, "not_took")):
        other = was if swept is now else now
        if isinstance(swept, Swept) and getattr(other, "to", None) != swept.to:
            if swept.to == "heap":
                yield (
                    "heap",
                    partial(say, f"put_right.why_{'beaten' if swept is now else 'not_beaten'}", clock=clock(swept.at)),
                )
            else:
                yield swept.to, partial(say, f"put_right.why_{key}", seat=swept.to, clock=clock(swept.at))
    if isinstance(now, Drawn) and now != was:
        drawn = partial(say, "put_right.why_drew", seat=now.by, held=now.count, clock=clock(now.at))
        yield now.by or "", drawn
        yield "talon", drawn
    elif isinstance(was, Drawn) and not isinstance(now, Drawn):
        undrawn = partial(say, "put_right.why_not_drew", seat=was.by, clock=clock(was.at))
        yield was.by or "", undrawn
        yield "talon", undrawn


def _laid(event: TableEvent | None) -> tuple[object, object]:
    return (event.card, event.by) if isinstance(event, Placed) else (None, None)


def _content(ruling: Ruling | None) -> tuple[object, ...]:
    return () if ruling is None else (ruling.verdict, ruling.fault, ruling.play, ruling.cards, ruling.by)


def contradiction_sentence(against: Objection, language: str) -> str:
    """
    Return the sentence that says what speaks against a correction.

    >>> from referee.cards import Card
    >>> contradiction_sentence(Objection("later", (Card.parse("9c"),), at=53.0), "en")
    'That can hardly be: 9♣ is seen again at 0:53.'
    """
    found = "" if against.ruling is None else say(against.ruling, language)
    return say(
        f"contradicts.{against.kind}",
        language,
        of=found.removesuffix(nested(language)["question"]["again"]),
        clock=clock(against.at),
        cards=against.cards,
        short=len(against.cards),
        seat=against.seat,
        held=against.held,
    )

"""
What is said of a person's line that may have been several things.

All that may have been is in order: legal. All of it breaks a rule: a fault. Else it is ``unclear``, with the one
question whose answer settles it: which card it was, or who laid it. It is asked once: where the players were asked and
go on, what they did not speak for raises no more questions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from referee.belief.hypotheses import Beam, Hypothesis
from referee.belief.trail import Trail, on_place
from referee.events import Drawn, Placed, TableEvent
from referee.rulings import MANNERS, Ruling, Verdict

GRAVITY = {Verdict.LEGAL: 0, Verdict.UNCLEAR: 1, Verdict.ILLEGAL: 2, Verdict.IMPOSSIBLE: 3}
"""How grave a ruling is; from 2 on it accuses."""

AMISS = ("nothing", "to")
"""Cues of what happened otherwise than told: nothing at all, or a sweep that went elsewhere."""

Told = Mapping[int, TableEvent]
"""The newest lines as they were told, by their numbers."""


def key_of(ruling: Ruling) -> Hashable:
    """What must be equal for a ruling to be no news."""
    return ruling.verdict, ruling.fault, ruling.cards, ruling.play


def ruled(beam: Beam, place: int, told: Told) -> tuple[Ruling, ...]:
    """The rulings on the line of this number, by all that may have been."""
    best, *others = beam
    trail = on_place(best.trail, place)
    if trail is None:
        return ()
    rulings = trail.rulings
    if not others:
        return rulings
    taken = [held.event for each in beam if (held := on_place(each.trail, place)) is not None]
    seats = {event.by for event in taken if isinstance(event, Placed)}
    if len(seats) > 1:
        rulings = tuple(replace(each, by=None) for each in rulings)
    doubts = [doubt for other in others if (doubt := _doubt(best, other, place)) is not None]
    if not doubts:
        return rulings
    guilty, is_about_line, other = max(doubts, key=lambda each: GRAVITY[each[0].verdict])
    question = _question(beam, place, told[place]) if is_about_line else _which_before(best, other, told)
    named = rulings[-1] if rulings else guilty
    cards = named.cards
    line = told[place]
    if is_about_line and isinstance(line, Placed):
        cards = (*guilty.cards[:-1], line.card)
    unclear = replace(
        guilty,
        verdict=Verdict.UNCLEAR,
        play=named.play,
        cards=cards,
        by=named.by,
        question=question if question is not None else guilty.question,
    )
    return (*rulings[:-1], unclear)


def is_contradicted(best: Hypothesis, other: Hypothesis, place: int) -> bool:
    """Does this line speak against the other, which only the seat of a card before sets apart, or that of a draw?"""
    mine, its = on_place(best.trail, place), on_place(other.trail, place)
    if mine is None or its is None or mine.before is its.before or _fault(mine) is not None:
        return False
    another = _fault(its)
    return another is not None and GRAVITY[another.verdict] > 1 and not _is_open(mine, its, another)


def _doubt(best: Hypothesis, other: Hypothesis, place: int) -> tuple[Ruling, bool, Hypothesis] | None:
    """
    The fault that was committed if one of the two is true and not if the other is; whether they differ in what the line
    itself was; and the other. None where nobody need be asked.
    """
    mine, its = on_place(best.trail, place), on_place(other.trail, place)
    if mine is None or its is None or mine is its:
        return None
    own, another = _faults(mine, its)
    if (own is None) == (another is None) or _was_asked(mine.before, its.before):
        return None
    is_about_line = mine.before is its.before
    if own is not None:
        return (own, is_about_line, other) if own.verdict is not Verdict.UNCLEAR else None
    assert another is not None
    if is_about_line:
        return None if its.cue in AMISS else (another, True, other)
    return (another, False, other) if _is_open(mine, its, another) else None


def _is_open(mine: Trail, its: Trail, fault: Ruling) -> bool:
    """
    May that be so, by which mine is in order and this a fault?

    People break rules now and then, but cards never are in two places, and nobody draws what is not owed for nothing.
    """
    if fault.verdict is Verdict.IMPOSSIBLE or isinstance(its.event, Drawn):
        return False
    apart = tuple(_apart(mine, its))
    if any(two.cue in AMISS and one.cue not in AMISS for one, two in apart):
        return False  # that something was not as told explains nothing
    return any(_names_differ(one, two) or one.cue in AMISS for one, two in apart)


def _faults(mine: Trail, its: Trail) -> tuple[Ruling | None, Ruling | None]:
    """What each says is wrong with a line; manners are nothing beside a rule that the other has broken."""
    own, another = _fault(mine), _fault(its)
    if own is not None and own.fault in MANNERS and another is not None and another.fault not in MANNERS:
        own = None
    return own, another


def _fault(trail: Trail) -> Ruling | None:
    faults = [each for each in trail.rulings if each.fault is not None]
    return max(faults, key=lambda each: GRAVITY[each.verdict], default=None)


def _apart(mine: Trail | None, its: Trail | None) -> Iterator[tuple[Trail, Trail]]:
    """The lines before on which the two are not one, the newest first."""
    while mine is not None and its is not None and mine is not its:
        yield mine, its
        mine, its = mine.before, its.before


def _was_asked(mine: Trail | None, its: Trail | None) -> bool:
    faults = (_faults(one, two) for one, two in _apart(mine, its))
    return any(own is None and another is not None for own, another in faults)


def _names_differ(one: Trail, other: Trail) -> bool:
    return isinstance(one.event, Placed) and isinstance(other.event, Placed) and one.event.card != other.event.card


def _question(beam: Beam, place: int, told: TableEvent) -> Mapping[str, Any] | None:
    """What would settle it: who laid the card, where that alone makes the difference, or else which card it was."""
    if not isinstance(told, Placed):
        return None
    trails = [trail for each in beam if (trail := on_place(each.trail, place)) is not None]
    taken = [(each, each.event) for each in trails if isinstance(each.event, Placed)]
    seats = tuple(dict.fromkeys(event.by for _, event in taken))
    if len(seats) > 1 and any(_fault(trail) is None and event.card == told.card for trail, event in taken):
        return {"ask": "who", "card": told.card, "seats": seats}
    shares = {told.card: 1.0 if told.confidence is None else told.confidence} | dict(told.alternatives)
    cards = dict.fromkeys(event.card for _, event in taken)
    return {"ask": "card", "card": told.card, "cards": tuple(sorted(cards, key=lambda card: -shares.get(card, 0.0)))}


def _which_before(best: Hypothesis, other: Hypothesis, told: Told) -> Mapping[str, Any] | None:
    """The question which of two cards it was; None where the two differ in no name."""
    for one, two in _apart(best.trail, other.trail):
        line = told.get(one.place)
        if isinstance(line, Placed) and _names_differ(one, two):
            cards = tuple(each.event.card for each in (one, two) if isinstance(each.event, Placed))
            return {"ask": "card", "card": line.card, "cards": cards}
    return None

"""
Rule on a line of a person's record that has several interpretations.

If all of them are legal the line is legal; if all break a rule it is a fault. Otherwise it is ``unclear``, with the one
question that resolves it: which card it was, or who laid it. It is asked once: if people play on without answering, the
same uncertainty raises no further question.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from referee.belief.hypotheses import Beam, Hypothesis
from referee.belief.interpretation import Interpretation, interpretation_of
from referee.events import Drawn, Placed, TableEvent
from referee.rulings import MANNERS, Ruling, Verdict

SEVERITY = {Verdict.LEGAL: 0, Verdict.UNCLEAR: 1, Verdict.ILLEGAL: 2, Verdict.IMPOSSIBLE: 3}
"""Severity of a ruling; from 2 on it accuses."""

NOT_AS_REPORTED = ("nothing", "to")
"""Cues of interpretations in which the event was none, or a sweep went elsewhere."""

RecordedEvents = Mapping[int, TableEvent]
"""The newest lines as recorded, by their ordinals."""


def ruling_key(ruling: Ruling) -> Hashable:
    """Return what must be equal for a ruling not to be news."""
    return ruling.verdict, ruling.fault, ruling.cards, ruling.play


def rulings_of_line(beam: Beam, place: int, recorded: RecordedEvents) -> tuple[Ruling, ...]:
    """Return the rulings on the line with this ordinal, by all interpretations."""
    best, *others = beam
    last = interpretation_of(best.last, place)
    if last is None:
        return ()
    rulings = last.rulings
    if not others:
        return rulings
    readings = [held.event for each in beam if (held := interpretation_of(each.last, place)) is not None]
    seats = {event.by for event in readings if isinstance(event, Placed)}
    if len(seats) > 1:
        rulings = tuple(replace(each, by=None) for each in rulings)
    doubts = [doubt for other in others if (doubt := _ambiguity(best, other, place)) is not None]
    if not doubts:
        return rulings
    guilty, is_about_line, other = max(doubts, key=lambda each: SEVERITY[each[0].verdict])
    question = _question(beam, place, recorded[place]) if is_about_line else _which_before(best, other, recorded)
    named = rulings[-1] if rulings else guilty
    cards = named.cards
    line = recorded[place]
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
    """
    Check whether this line speaks against ``other``, which differs from ``best`` only in the seat of an earlier card,
    or is a draw.
    """
    mine, its = interpretation_of(best.last, place), interpretation_of(other.last, place)
    if mine is None or its is None or mine.before is its.before or _fault(mine) is not None:
        return False
    another = _fault(its)
    return another is not None and SEVERITY[another.verdict] > 1 and not _is_plausible(mine, its, another)


def _ambiguity(best: Hypothesis, other: Hypothesis, place: int) -> tuple[Ruling, bool, Hypothesis] | None:
    """
    Return the fault that exists in only one of the two hypotheses, whether they differ in the line itself, and the
    other hypothesis; None if nobody need be asked.
    """
    mine, its = interpretation_of(best.last, place), interpretation_of(other.last, place)
    if mine is None or its is None or mine is its:
        return None
    own, another = _faults(mine, its)
    if (own is None) == (another is None) or _was_asked_before(mine.before, its.before):
        return None
    is_about_line = mine.before is its.before
    if own is not None:
        return (own, is_about_line, other) if own.verdict is not Verdict.UNCLEAR else None
    assert another is not None
    if is_about_line:
        return None if its.cue in NOT_AS_REPORTED else (another, True, other)
    return (another, False, other) if _is_plausible(mine, its, another) else None


def _is_plausible(mine: Interpretation, its: Interpretation, fault: Ruling) -> bool:
    """
    Check whether ``its`` may be true, in which the line is a fault, while in ``mine`` it is legal.

    People break rules now and then, but no card is in two places, and nobody draws cards that are not owed without
    reason.
    """
    if fault.verdict is Verdict.IMPOSSIBLE or isinstance(its.event, Drawn):
        return False
    apart = tuple(_differing_lines(mine, its))
    if any(two.cue in NOT_AS_REPORTED and one.cue not in NOT_AS_REPORTED for one, two in apart):
        return False  # an error in the record explains nothing
    return any(_names_differ(one, two) or one.cue in NOT_AS_REPORTED for one, two in apart)


def _faults(mine: Interpretation, its: Interpretation) -> tuple[Ruling | None, Ruling | None]:
    """Return the fault of each on a line. A fault of manners counts as none beside a broken rule."""
    own, another = _fault(mine), _fault(its)
    if own is not None and own.fault in MANNERS and another is not None and another.fault not in MANNERS:
        own = None
    return own, another


def _fault(last: Interpretation) -> Ruling | None:
    """Return the most severe fault of the line."""
    faults = [each for each in last.rulings if each.fault is not None]
    return max(faults, key=lambda each: SEVERITY[each.verdict], default=None)


def _differing_lines(
    mine: Interpretation | None, its: Interpretation | None
) -> Iterator[tuple[Interpretation, Interpretation]]:
    """Yield the earlier lines on which the two differ, the newest first."""
    while mine is not None and its is not None and mine is not its:
        yield mine, its
        mine, its = mine.before, its.before


def _was_asked_before(mine: Interpretation | None, its: Interpretation | None) -> bool:
    """Check whether people were already asked about an earlier line on which the two differ."""
    faults = (_faults(one, two) for one, two in _differing_lines(mine, its))
    return any(own is None and another is not None for own, another in faults)


def _names_differ(one: Interpretation, other: Interpretation) -> bool:
    """Check whether the two give the line's card different names."""
    return isinstance(one.event, Placed) and isinstance(other.event, Placed) and one.event.card != other.event.card


def _question(beam: Beam, place: int, recorded: TableEvent) -> Mapping[str, Any] | None:
    """
    Return the question about this line: who laid the card if only that makes the difference, else which card it was.
    """
    if not isinstance(recorded, Placed):
        return None
    trails = [last for each in beam if (last := interpretation_of(each.last, place)) is not None]
    readings = [(each, each.event) for each in trails if isinstance(each.event, Placed)]
    seats = tuple(dict.fromkeys(event.by for _, event in readings))
    if len(seats) > 1 and any(_fault(last) is None and event.card == recorded.card for last, event in readings):
        return {"ask": "who", "card": recorded.card, "seats": seats}
    shares = {recorded.card: 1.0 if recorded.confidence is None else recorded.confidence} | dict(recorded.alternatives)
    cards = dict.fromkeys(event.card for _, event in readings)
    return {
        "ask": "card",
        "card": recorded.card,
        "cards": tuple(sorted(cards, key=lambda card: -shares.get(card, 0.0))),
    }


def _which_before(best: Hypothesis, other: Hypothesis, recorded: RecordedEvents) -> Mapping[str, Any] | None:
    """Return the question about an earlier card in which the two differ; None if they differ in no name."""
    for one, two in _differing_lines(best.last, other.last):
        line = recorded.get(one.place)
        if isinstance(line, Placed) and _names_differ(one, two):
            cards = tuple(each.event.card for each in (one, two) if isinstance(each.event, Placed))
            return {"ask": "card", "card": line.card, "cards": cards}
    return None

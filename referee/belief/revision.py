"""
Choose which alternative of a line the record states first, and which unreported events it inserts.

A card that looks a little more like the 5 is recorded as the 8 if only that explains the game; a draw that nobody saw
is inserted once later lines prove it. The alternatives and their likelihoods stay the same, so judging the record again
gives the same belief.
"""

from __future__ import annotations

from collections import defaultdict
from math import exp
from typing import Any

from msgspec.structs import replace

from referee.belief.hypotheses import Beam
from referee.belief.interpretation import interpretation_of
from referee.belief.rates import Rates
from referee.belief.reported_event import Option, ReportedEvent, difference
from referee.cards import Card
from referee.events import Drawn, Placed, Swapped, Swept, TableEvent
from referee.record import event_from_json, event_to_json

LEAST_POSTERIOR = 0.9
"""Probability from which a line is recorded as another of its options. Chosen by hand; figures do not depend on it."""

LEAST_LIKELIHOOD = 0.004
"""
Likelihood that the camera itself must have given that option: the rules alone do not put a name into the record. Chosen
by hand.
"""

LEAST_UNSEEN = 0.95
"""Probability from which an unreported event is inserted. Chosen by hand."""

LINES_BEFORE_INSERTION = 3
"""Number of lines that must follow before an event is inserted. Chosen by hand."""


def most_likely_option(reported: ReportedEvent, beam: Beam, place: int) -> Option | None:
    """Return the alternative that is nearly certain to have happened on this line; None if it is the recorded one."""
    shares: defaultdict[int, float] = defaultdict(float)
    for hypothesis in beam:
        last = interpretation_of(hypothesis.last, place)
        if last is not None and not last.unseen:
            for number, option in enumerate(reported.options):
                if option.event == last.event:
                    shares[number] += exp(hypothesis.log_weight)
                    break
    if not shares:
        return None
    best = max(shares, key=lambda number: shares[number])
    option = reported.options[best]
    if (
        shares[best] < LEAST_POSTERIOR
        or exp(option.log_likelihood) < LEAST_LIKELIHOOD
        or _is_as_reported(reported, option)
    ):
        return None
    return option


def certain_unseen(beam: Beam, place: int, recorded: TableEvent) -> tuple[TableEvent, ...]:
    """
    Return the events that nearly certainly happened unreported directly before this line.

    ``recorded``: the line as recorded. Of cards only those are returned whose names are certain.
    """
    shares: defaultdict[tuple[TableEvent, ...], float] = defaultdict(float)
    for hypothesis in beam:
        last = interpretation_of(hypothesis.last, place)
        if last is not None and not hypothesis.is_fallback:
            shares[tuple(each for each in last.unseen if _has_sure_name(each, recorded))] += exp(hypothesis.log_weight)
    best = max(shares, key=lambda events: shares[events], default=())
    return best if shares[best] >= LEAST_UNSEEN else ()


def _has_sure_name(event: TableEvent, recorded: TableEvent) -> bool:
    """Check whether the event has no card, or a card that the next line names."""
    if isinstance(event, Placed):
        return isinstance(recorded, Placed) and recorded.on == event.card
    return isinstance(event, Drawn | Swept | Swapped)


def as_inserted(event: TableEvent, at: float, rates: Rates) -> TableEvent:
    """
    Return the event as evidence with the probability at which such an event goes unseen.

    Judged again, it then has the same weight as the unseen event had.
    """
    unseen = {Drawn: rates.unseen_draw, Swept: rates.unseen_sweep, Swapped: rates.unseen_swap}
    share = round(unseen.get(type(event), rates.unseen_card), 4)
    return replace(event, at=at, confidence=share, otherwise=((None, round(1 - share, 4)),))


def _is_as_reported(reported: ReportedEvent, option: Option) -> bool:
    """Check whether the alternative is the recorded event; an unknown seat may become known."""
    recorded = reported.event
    same_seat = option.event is not None and getattr(recorded, "by", None) is None and hasattr(recorded, "by")
    first = reported.options[0]
    if same_seat and option.event is not None and first.event is not None:
        return replace(option.event, by=None) == replace(first.event, by=None)
    return option is first


def with_option_first(reported: ReportedEvent, first: Option) -> TableEvent:
    """Return the line with this alternative as the recorded event and all others as its alternatives."""
    assert first.event is not None
    recorded = event_to_json(first.event)
    alternatives: list[tuple[Card, float]] = []
    otherwise: list[tuple[dict[str, Any] | None, float]] = []
    same = exp(first.log_likelihood)
    for option in reported.options:
        share = round(exp(option.log_likelihood), 4)
        if option is first:
            continue
        if option.event is None:
            otherwise.append((None, share))
            continue
        keys = difference(recorded, event_to_json(option.event))
        if not keys:
            same += exp(option.log_likelihood)  # the same event as two options: one seat named, and any seat
        elif keys.keys() == {"card"}:
            alternatives.append((option.event.card, share))  # type: ignore[attr-defined]
        else:
            otherwise.append((keys, share))
    return replace(
        event_from_json(recorded),
        confidence=round(same, 4),
        alternatives=tuple(alternatives),
        otherwise=tuple(otherwise),
        missed=reported.event.missed,
    )

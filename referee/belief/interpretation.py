"""
How a hypothesis interprets a line of the record, and how probable people make it.

The prior says how rarely people break each rule, and how they react to a fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING, NamedTuple

from referee.belief.rates import Rates
from referee.cards import Card
from referee.events import Lifted, Placed, Swept, TableEvent
from referee.game import GameState, Phase
from referee.plays import Laid
from referee.rulebook import FaultId
from referee.rulings import Announcement, Ruling, Step, Verdict

if TYPE_CHECKING:
    from referee.belief.hypotheses import Hypothesis

WINDOW = 4
"""Number of newest lines. Hypotheses that differ in the faults on them are not merged."""

REMEMBERED = 64
"""
Number of newest lines for which the probability of a fault is kept, also after hypotheses were merged: unbeaten cards
that were swept leave nothing to see but a hand that is empty too late.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Interpretation:
    """
    How a hypothesis interprets one reported line, linked to the line before.

    ``place``: the line's ordinal among the observed lines. ``event``: what happened; None: nothing. ``cue``: which
    alternative of the line this is. ``unseen``: the events assumed before it. ``rulings`` and ``announced``: what the
    rules give for it. ``log_factor``: natural logarithm of the factor by which the line changed the hypothesis's
    weight; ``log_prior``: the part of it that is the prior of the play. ``before``: the interpretation of the previous
    line.
    """

    before: Interpretation | None
    place: int
    event: TableEvent | None
    cue: str
    unseen: tuple[TableEvent, ...]
    rulings: tuple[Ruling, ...]
    announced: tuple[Announcement, ...]
    log_factor: float
    log_prior: float = 0.0


class FaultShare(NamedTuple):
    """The share of a hypothesis in which a rule was broken on a line: 1, unless hypotheses were merged into it."""

    place: int
    fault: FaultId | None
    share: float
    rulings: tuple[Ruling, ...]


def interpretation_of(last: Interpretation | None, place: int) -> Interpretation | None:
    """Return the interpretation of the line with this ordinal; None if the hypothesis has none."""
    while last is not None and last.place > place:
        last = last.before
    return last if last is not None and last.place == place else None


def in_reported_order(last: Interpretation | None) -> Interpretation | None:
    """Exchange the two newest interpretations and their ordinals: the lines were judged in the reverse order."""
    if last is None or last.before is None:
        return last
    later, earlier = last, last.before
    return replace(earlier, place=later.place, before=replace(later, place=earlier.place, before=earlier.before))


def accuses(ruling: Ruling) -> bool:
    """Check whether the ruling says that a rule was broken, or that a card cannot be where it is."""
    return ruling.verdict in (Verdict.ILLEGAL, Verdict.IMPOSSIBLE)


MISFIT = 0.001
"""Probability. An event changes nothing on the table. Chosen by hand."""

ON_NOTHING = 1e-6
"""Probability. A card was reported on one that is not on the table. Chosen by hand."""

GIVEN_ACROSS = 0.1
"""Probability. A card given after a take is laid across another. Chosen by hand."""

LIFTED_BY_OTHER = 0.05
"""
Probability. A card is taken back by another seat than the one that laid it: hands are confused, people help. Chosen by
hand.
"""

UNCLEAR = 0.7
"""Probability. A play rests on spoken words at the table. Chosen by hand."""

FAULT_CONTINUES = 0.25
"""Probability. A play that breaks a rule is continued with one more card. Chosen by hand."""

SWEPT_WRONGLY = 0.0005
"""Probability. A bout goes where it must not: a beaten bout is taken, or a taken one is discarded. Chosen by hand."""


def log_prior(
    before: Hypothesis, event: TableEvent, step: Step, rates: Rates, *, is_more: bool, is_stated: bool = False
) -> float:
    """
    Return the logarithm of the prior probability of an event with these rulings.

    ``is_more``: the event continues a play, so no reaction of the players to its beginning is counted. ``is_stated``: a
    person states the event, so it gets its ruling in the most likely position before it: how rarely people break that
    rule says nothing. Only a card laid on one that is not there speaks against a position.
    """
    total = 0.0
    for ruling in step.rulings:
        if ruling.fault is None or (is_stated and not _lies_on_nothing(before, event)):
            continue
        if ruling.verdict is Verdict.IMPOSSIBLE:
            total += log(rates.impossible)
        elif ruling.verdict is Verdict.ILLEGAL:
            total += log(_fault_rate(before, event, ruling.fault, rates, is_more=is_more))
        else:
            total += log(UNCLEAR)
    total += sum(log(MISFIT) for each in step.announcements if each.kind == "doubt")
    state, bout = before.state, before.state.bout
    is_between_deals = state.phase is Phase.OVER or (state.phase is Phase.LEAD and not state.dealt)
    if is_between_deals and not step.rulings and not step.announcements:
        total += log(MISFIT)  # the rules say nothing about events after the end
    if isinstance(event, Placed) and event.on is not None and bout is not None and bout.taking is not None:
        total += log(GIVEN_ACROSS) if event.by != bout.defender else 0.0
    return total if is_more else total + _log_reaction(before, event, rates)


def _fault_rate(before: Hypothesis, event: TableEvent, fault: FaultId, rates: Rates, *, is_more: bool) -> float:
    """Return the probability of this fault in this situation."""
    if _lies_on_nothing(before, event):
        return ON_NOTHING
    if isinstance(event, Swept):
        return rates.faults.get(fault, SWEPT_WRONGLY)
    # Too few draws are ruled on again at each later draw and at the lead: they are one fault. The rulings on the
    # beginning of a play no longer count with its next card.
    last = before.last.before if is_more and before.last is not None else before.last
    is_one = fault is FaultId.DRAW_TOO_FEW and fault in _faults_since_sweep(last)
    return FAULT_CONTINUES if is_one else rates.of(fault)


def _faults_since_sweep(last: Interpretation | None) -> Iterator[FaultId | None]:
    """Yield the faults of the lines back to the last sweep."""
    while last is not None and not isinstance(last.event, Swept):
        yield from (each.fault for each in last.rulings)
        last = last.before


def _lies_on_nothing(before: Hypothesis, event: TableEvent) -> bool:
    """Check whether the card was laid on one that is not on the table: that one was not seen, or has another name."""
    if not isinstance(event, Placed) or event.on is None:
        return False
    state = before.state
    lying = state.bout.cards if state.bout is not None else ()
    return event.on not in lying and not any(event.on in matter.cards for matter in state.matters)


def _owner(state: GameState, card: Card) -> str | None:
    """Return the seat that laid the card on the table; None if it is not there."""
    open_plays = (matter.play for matter in state.matters if card in matter.cards)
    by_fault = next((play.by for play in open_plays if isinstance(play, Laid)), None)
    return by_fault if by_fault is not None or state.bout is None else state.bout.owner(card)


def _log_reaction(before: Hypothesis, event: TableEvent, rates: Rates) -> float:
    """
    Return the logarithm of the probability of people's reaction: a card that breaks a rule is often taken back, another
    one hardly ever.
    """
    if isinstance(event, Lifted):
        is_open = any(event.card in matter.cards for matter in before.state.matters)
        is_by_other = event.by is not None and _owner(before.state, event.card) not in (None, event.by)
        return log(rates.mended if is_open else rates.taken_back) + (log(LIFTED_BY_OTHER) if is_by_other else 0.0)
    return log(1 - rates.mended) if before.new_fault else 0.0

"""
Reinterpret the newest lines when a later one shows that they were misunderstood.

A line that fits badly may have its cause several lines earlier. After an unseen end of a bout the next lead looks like
a throw-in and is beaten; only the next sweep does not fit. Of two cards thrown in together only the second may show
that a beat before them was unseen; a misread attack card may show only when it is beaten. So the lines since then are
judged again from the beam before them, in another order, after an unseen event, or with another name for a card.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import log
from typing import NamedTuple

from msgspec import structs

from referee.belief.hypotheses import Beam, Budget, Hypothesis, advance, fault_shares_in_reported_order
from referee.belief.interpretation import accuses, in_reported_order
from referee.belief.rates import Rates
from referee.belief.record_source import LINES_AGO, ObservedLine
from referee.belief.reported_event import UNLISTED, Option, ReportedEvent, misreadings
from referee.belief.unseen_events import UnexplainedLine, cards_held, missed_before, search_unseen
from referee.belief.update import Limits, Update, fits_by_rank
from referee.cards import Card
from referee.corrections import Review
from referee.events import Drawn, Placed, Swept, TableEvent, is_same_play
from referee.game import GameState
from referee.rulings import Announcement

SAME_INFERENCE_S = 1.2
"""Seconds. Two cards reported no further apart may have been found in one inference. Chosen by hand."""

SAME_TIME_S = 0.6
"""Seconds. Two cards reported no further apart are reported at about the same time. Chosen by hand."""

ORDER_REVERSED = 0.05
"""Probability. Two cards reported at about the same time were laid in the reverse order. Chosen by hand."""

SECOND_ORDER = 4
"""The reverse order of two lines gets this fraction (1/n) of a line's budget for each of them."""


LIKELIEST = 3
"""Number of earlier hypotheses from which the lines are judged again."""


def smooth_order(last: ObservedLine, now: ObservedLine, seats: tuple[str, ...], rates: Rates, limits: Limits) -> Beam:
    """Return the hypotheses in which the two newest lines happened in the reverse order; empty if they cannot have."""
    order = _other_order(last, now, rates)
    if order is None or last.review is not Review.NONE:
        return ()
    shared = limits.shared(SECOND_ORDER)
    first = Update(order.first, last.place, seats, rates, shared, last.review)
    second = Update(order.second, now.place, seats, rates, shared, now.review)
    others = second.of(first.of(last.before))
    log_share = log(order.share) + first.log_evidence + second.log_evidence - last.log_evidence - now.log_evidence
    return tuple(
        replace(
            each,
            log_weight=each.log_weight + log_share,
            last=in_reported_order(each.last),
            fault_shares=fault_shares_in_reported_order(each),
        )
        for each in others
    )


class Order(NamedTuple):
    """Two lines in the order in which they happened, the one reported later first, and the prior of that order."""

    first: ReportedEvent
    second: ReportedEvent
    share: float


def _other_order(last: ObservedLine, now: ObservedLine, rates: Rates) -> Order | None:
    """Return the reverse order of two placed cards that were reported at about the same time, or one on the other."""
    before, after = last.reported.event, now.reported.event
    if not isinstance(before, Placed) or not isinstance(after, Placed) or is_same_play(before, after):
        return None
    if after.on == before.card:
        is_one_inference = before.on is None and after.at - before.at <= SAME_INFERENCE_S
        return (
            Order(_placed_on(now.reported, None), _placed_on(last.reported, after.card), rates.upside_down)
            if is_one_inference
            else None
        )
    return Order(now.reported, last.reported, ORDER_REVERSED) if after.at - before.at <= SAME_TIME_S else None


def _placed_on(reported: ReportedEvent, on: Card | None) -> ReportedEvent:
    """Return the line with its card laid on ``on``, or beside all others."""
    options = tuple(
        replace(each, event=structs.replace(each.event, on=on)) if isinstance(each.event, Placed) else each
        for each in reported.options
    )
    return replace(reported, event=structs.replace(reported.event, on=on), options=options)


def smooth_unseen(
    earlier: Sequence[ObservedLine], now: ObservedLine, seats: tuple[str, ...], rates: Rates, limits: Limits
) -> Beam:
    """
    Return the hypotheses in which an event went unseen before one of the earlier lines and explains all lines since.

    A sweep may be assumed before any of them. Before the first card of the play that this line continues, and right
    after an opening that may hold one more card of any rank, any event is assumed that explains this line.
    """
    found: list[Hypothesis] = []
    replay = EarlierLines(seats, rates, limits, Budget(limits.lookback))
    log_recorded = now.log_evidence
    same_play = len(
        list(takewhile(lambda line: is_same_play(line.reported.event, now.reported.event), reversed(earlier)))
    )
    for number in range(1, min(LINES_AGO, len(earlier)) + 1):
        log_recorded += earlier[-number].log_evidence
        if isinstance(earlier[-number].reported.event, Swept):
            found += _with_sweep_explained(earlier[-number:], now, replay, log_recorded)
            break
        is_cause = number == same_play or _is_after_opening(earlier[-number].before)
        options = now.reported.options if is_cause else ()
        for believed in [each for each in earlier[-number].before if not each.is_fallback][:LIKELIEST]:
            for gap, start in _with_gaps(believed, options, rates, replay.budget, earlier[-number].review):
                found += replay.of(start, gap, (*earlier[-number:], now), log_recorded)
    return tuple(found)


def _with_sweep_explained(
    lines: Sequence[ObservedLine], now: ObservedLine, replay: EarlierLines, log_recorded: float
) -> Iterator[Hypothesis]:
    """
    Yield the hypotheses in which several events went unseen before the sweep, the first of these lines, and explain the
    draws since: a throw-in and its beat leave nothing else to see.
    """
    sweep, since = lines[0], (*lines[1:], now)
    if not isinstance(now.reported.event, Drawn):
        return
    line = UnexplainedLine(sweep.reported.event, sweep.place, sweep.reported.options, sweep.review)
    budget = Budget(replay.limits.lookback)
    for believed in [each for each in sweep.before if not each.is_fallback][:LIKELIEST]:
        floor = believed.log_weight - replay.limits.floor
        for start in search_unseen(believed, line, replay.rates, budget, floor):
            if start.last is not None and not any(map(accuses, start.last.rulings)):
                yield from replay.of(start, None, since, log_recorded)


def smooth_misreading(
    earlier: Sequence[ObservedLine], now: ObservedLine, seats: tuple[str, ...], rates: Rates, limits: Limits
) -> Beam:
    """Return the hypotheses in which the card under this line's card was misread."""
    over = now.reported.event
    lines = list(takewhile(lambda line: not isinstance(line.reported.event, Swept), reversed(earlier[-LINES_AGO:])))
    numbers = (number for number, line in enumerate(lines, start=1) if _is_card_under(line.reported.event, over))
    number = next(numbers, 0)
    if not number or earlier[-number].reported.is_certain:
        return ()
    first, since = earlier[-number], (*earlier[-number + 1 :], now) if number > 1 else (now,)
    log_recorded = now.log_evidence + sum(line.log_evidence for line in lines[:number])
    found: list[Hypothesis] = []
    replay = EarlierLines(seats, rates, limits, Budget(limits.lookback))
    for believed in [each for each in first.before if not each.is_fallback][:LIKELIEST]:
        for option in _misread_options(first.reported, over, believed.state, rates):
            renamed = replace(first, reported=replace(first.reported, options=(option,)))
            found += replay.of(believed, None, (renamed, *since), log_recorded)
    return tuple(found)


def _is_card_under(recorded: TableEvent, over: TableEvent) -> bool:
    """Check whether this line reported the card on which the newest card was laid."""
    return isinstance(recorded, Placed) and isinstance(over, Placed) and recorded.card == over.on


def _misread_options(reported: ReportedEvent, over: TableEvent, state: GameState, rates: Rates) -> Iterator[Option]:
    """Yield the line with each other name of its card that the card on it beats."""
    event, trump = reported.options[0].event, state.trump
    if not isinstance(event, Placed) or event.by is None or not isinstance(over, Placed) or trump is None:
        return
    named = {option.event.card for option in reported.options if isinstance(option.event, Placed)}
    others = (card for card in cards_held(state, event.by) if card not in named)
    in_all = max(rates.misread, UNLISTED.any_card * reported.unlisted)
    for card, share in misreadings(event.card, others, in_all):
        if over.card.beats(card, trump) and fits_by_rank(card, event, state):
            yield Option(structs.replace(event, card=card), log(share), "misread")


def _is_after_opening(beam: Beam) -> bool:
    """Check whether only an opening is on the table, in a house whose openings may mix ranks."""
    state = beam[0].state
    if state.rules.opening != "pairs_plus_one" or state.bout is None or state.laying is None:
        return False
    return state.laying.by == state.bout.attacker and len(state.bout.attacks) == len(state.laying.cards)


class Gap(NamedTuple):
    """An unseen event, the announcements that it causes, and the logarithm of its probability."""

    event: TableEvent
    announced: tuple[Announcement, ...]
    log_factor: float


def _with_gaps(
    hypothesis: Hypothesis, options: tuple[Option, ...], rates: Rates, budget: Budget, review: Review
) -> Iterator[tuple[Gap, Hypothesis]]:
    """Yield the hypothesis after each event that may have gone unseen: one that explains an option, or a sweep."""
    for event, log_rate, assumed in missed_before(hypothesis.state, options, rates):
        if not (options or isinstance(event, Swept)) or budget.left <= 0 or not review.allows_unseen(event):
            continue
        found = advance(hypothesis, event, rates, budget)
        if found is not None and not any(map(accuses, found[1].rulings)):
            state, step, log_prior = found
            gap = Gap(event, step.announcements, log_rate + log_prior)
            weight, assumed = hypothesis.log_weight + gap.log_factor, hypothesis.assumed | assumed
            yield gap, replace(hypothesis, state=state, log_weight=weight, assumed=assumed, new_fault=())


@dataclass(frozen=True, slots=True)
class EarlierLines:
    """Judges earlier lines again, until its budget is spent."""

    seats: tuple[str, ...]
    rates: Rates
    limits: Limits
    budget: Budget

    def of(self, start: Hypothesis, gap: Gap | None, lines: Sequence[ObservedLine], log_recorded: float) -> Beam:
        """Judge the lines from ``start``, after ``gap``; return nothing if one of them fits badly."""
        log_weight = start.log_weight - log_recorded
        beam: Beam = (replace(start, log_weight=0.0),)
        quick = replace(self.limits, most=4, calls=8, retries=0, retried=0)
        for number, each in enumerate(lines):
            update = Update(each.reported, each.place, self.seats, self.rates, quick, each.review)
            beam = update.of(beam)
            self.budget.left -= quick.calls - max(0, update.budget.left)
            log_weight += update.log_evidence
            is_badly = update.log_evidence < log(self.limits.wants) and (gap is not None or number > 0)
            if not beam or self.budget.left <= 0 or is_badly:
                return ()
            if number == 0 and gap is not None:
                beam = tuple(_with_gap(other, gap) for other in beam)
        return tuple(replace(each, log_weight=each.log_weight + log_weight) for each in beam)


def _with_gap(hypothesis: Hypothesis, gap: Gap) -> Hypothesis:
    """Return the hypothesis with the unseen event in the interpretation of its newest line."""
    last = hypothesis.last
    assert last is not None
    missed = replace(
        last,
        unseen=(gap.event, *last.unseen),
        announced=(*gap.announced, *last.announced),
        log_factor=last.log_factor + gap.log_factor,
    )
    return replace(hypothesis, last=missed)

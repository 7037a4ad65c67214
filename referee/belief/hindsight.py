"""
The newest lines taken otherwise than they were told: in another order, after something that nobody saw, or by the name
of another card.

A line that fits badly may have its cause lines ago. After a bout whose end went unseen the next lead is thrown in, as
far as anybody knows, and beaten; only the next sweep is amiss. Of two cards thrown in together only the second may show
that a beat before them went unseen; that an attack was misread may show by its beat alone. So the lines since then are
taken again, from what was believed before them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import log
from typing import NamedTuple

from referee.announcements import Announcement
from referee.belief.hypotheses import Beam, Budget, Hypothesis, blames_in_told_order, taken
from referee.belief.misreading import misreadings
from referee.belief.missed import may_be_played, unseen_before
from referee.belief.options import UNLISTED, Change, Option
from referee.belief.rates import Rates
from referee.belief.sensor_model import SensorModel
from referee.belief.trail import accuses, in_told_order
from referee.belief.update import Limits, Update, would_fit
from referee.cards import Card
from referee.events import Placed, Swept, TableEvent, is_same_play
from referee.game import GameState
from referee.review import Review

SECOND_ORDER = 4
"""Each of two lines taken in the other order may cost one of so many parts of what a line may cost."""

LINES_AGO = 6
"""So many lines ago at most a sweep went unseen that is missed only now: a lead, a throw-in and their beats."""


LIKELIEST = 3
"""So many of the hypotheses of then are followed. More take longer; fewer miss what one of the others explains."""


@dataclass(frozen=True, slots=True)
class Fed:
    """
    A line that was fed as number ``place``. ``before``: what was believed before it, ``spoken``: what of the newest
    lines had been announced, each with the number of its line; ``sensor``: what was known of the eye.
    ``log_evidence``: how likely the line was, by all that was believed; ``review``: how far people vouch for its bout.
    """

    place: int
    line: int
    change: Change
    before: Beam
    spoken: tuple[tuple[int, Announcement], ...]
    sensor: SensorModel
    log_evidence: float = 0.0
    review: Review = Review.NONE


def in_other_order(last: Fed, now: Fed, seats: tuple[str, ...], rates: Rates, limits: Limits) -> Beam:
    """What is believed where the two newest lines happened the other way round; nothing where they can't have."""
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
            trail=in_told_order(each.trail),
            blames=blames_in_told_order(each),
        )
        for each in others
    )


class Order(NamedTuple):
    """Two changes as they really came, the one told later first, and how likely that is."""

    first: Change
    second: Change
    share: float


def _other_order(last: Fed, now: Fed, rates: Rates) -> Order | None:
    """The card told before was laid after this one; or it lies across this one, which seemed to lie on it."""
    before, after = last.change.told, now.change.told
    if not isinstance(before, Placed) or not isinstance(after, Placed) or is_same_play(before, after):
        return None
    if after.on == before.card:
        is_one_look = before.on is None and after.at - before.at <= rates.one_look_s
        return (
            Order(_lying(now.change, None), _lying(last.change, after.card), rates.upside_down) if is_one_look else None
        )
    return Order(now.change, last.change, rates.swapped) if after.at - before.at <= rates.together_s else None


def _lying(change: Change, on: Card | None) -> Change:
    """The change with its card across that one, or beside all others."""
    options = tuple(
        replace(each, event=replace(each.event, on=on)) if isinstance(each.event, Placed) else each
        for each in change.options
    )
    return replace(change, told=replace(change.told, on=on), options=options)  # type: ignore[call-arg]


def after_unseen(fed: Sequence[Fed], now: Fed, seats: tuple[str, ...], rates: Rates, limits: Limits) -> Beam:
    """
    What is believed where something went unseen before one of the lines of ``fed``, and explains them all.

    A sweep, before any of them; before the first card of the play that this line goes on with, or right after an
    opening that may hold one more card of any rank, whatever explains this.
    """
    found: list[Hypothesis] = []
    budget = Budget(limits.looking_back)
    log_told = now.log_evidence
    same_play = len(list(takewhile(lambda line: is_same_play(line.change.told, now.change.told), reversed(fed))))
    for number in range(1, min(LINES_AGO, len(fed)) + 1):
        log_told += fed[-number].log_evidence
        if isinstance(fed[-number].change.told, Swept):
            break
        may_hold_more = _is_after_opening(fed[-number].before)
        options = now.change.options if number == same_play or may_hold_more else ()
        for believed in [each for each in fed[-number].before if not each.is_lost][:LIKELIEST]:
            for gap, start in _with_gaps(believed, options, rates, budget, fed[-number].review):
                lines = (*fed[-number:], _across(now, gap) if may_hold_more else now)
                found += _taken_again(start, gap, lines, log_told, seats, rates, limits, budget)
    return tuple(found)


def after_misreading(fed: Sequence[Fed], now: Fed, seats: tuple[str, ...], rates: Rates, limits: Limits) -> Beam:
    """What is believed where the card was misread on which this line's lies: only now its name is amiss."""
    over = now.change.told
    lines = list(takewhile(lambda line: not isinstance(line.change.told, Swept), reversed(fed[-LINES_AGO:])))
    numbers = (number for number, line in enumerate(lines, start=1) if _is_of(line.change.told, over))
    number = next(numbers, 0)
    if not number or fed[-number].change.is_said:
        return ()
    first, since = fed[-number], (*fed[-number + 1 :], now) if number > 1 else (now,)
    log_told = now.log_evidence + sum(line.log_evidence for line in lines[:number])
    found: list[Hypothesis] = []
    budget = Budget(limits.looking_back)
    for believed in [each for each in first.before if not each.is_lost][:LIKELIEST]:
        for option in _by_other_names(first.change, over, believed.state, rates):
            renamed = replace(first, change=replace(first.change, options=(option,)))
            found += _taken_again(believed, None, (renamed, *since), log_told, seats, rates, limits, budget)
    return tuple(found)


def _is_of(told: TableEvent, over: TableEvent) -> bool:
    return isinstance(told, Placed) and isinstance(over, Placed) and told.card == over.on


def _by_other_names(change: Change, over: TableEvent, state: GameState, rates: Rates) -> Iterator[Option]:
    """The line with each other name of its card that the card across it beats."""
    event, trump = change.options[0].event, state.trump
    if not isinstance(event, Placed) or event.by is None or not isinstance(over, Placed) or trump is None:
        return
    named = {option.event.card for option in change.options if isinstance(option.event, Placed)}
    others = (card for card in may_be_played(state, event.by) if card not in named)
    in_all = max(rates.misread, UNLISTED.any_card * change.unlisted)
    for card, share in misreadings(event.card, others, rates, in_all):
        if over.card.beats(card, trump) and would_fit(card, event, state):
            yield Option(replace(event, card=card), log(share), "misread")


def _is_after_opening(beam: Beam) -> bool:
    """Does only an opening lie there, in a house in which its cards need not be of one rank?"""
    state = beam[0].state
    if state.rules.opening != "pairs_plus_one" or state.bout is None or state.laying is None:
        return False
    return state.laying.by == state.bout.attacker and len(state.bout.attacks) == len(state.laying.cards)


def _across(now: Fed, gap: Gap) -> Fed:
    """The line; where a card went unseen it may lie across that one, beside which it seemed to lie."""
    told = now.change.told
    if not isinstance(gap.event, Placed) or not isinstance(told, Placed) or told.on is not None:
        return now
    return replace(now, change=_lying(now.change, gap.event.card))


class Gap(NamedTuple):
    """What went unseen, what it had announced, and how likely it was: natural logarithm."""

    event: TableEvent
    said: tuple[Announcement, ...]
    log_factor: float


def _with_gaps(
    hypothesis: Hypothesis, options: tuple[Option, ...], rates: Rates, budget: Budget, review: Review
) -> Iterator[tuple[Gap, Hypothesis]]:
    """The hypothesis after each thing that may have gone unseen: what explains one of the options, or a sweep."""
    for event, log_rate, guessed in unseen_before(hypothesis.state, options, rates):
        if not (options or isinstance(event, Swept)) or budget.left <= 0 or not review.allows_unseen(event):
            continue
        found = taken(hypothesis, event, rates, budget)
        if found is not None and not any(map(accuses, found[1].rulings)):
            state, step, log_prior = found
            gap = Gap(event, step.announcements, log_rate + log_prior)
            weight, guessed = hypothesis.log_weight + gap.log_factor, hypothesis.guessed | guessed
            yield gap, replace(hypothesis, state=state, log_weight=weight, guessed=guessed, fresh=())


def _taken_again(
    start: Hypothesis,
    gap: Gap | None,
    lines: Sequence[Fed],
    log_told: float,
    seats: tuple[str, ...],
    rates: Rates,
    limits: Limits,
    budget: Budget,
) -> Beam:
    """These lines once more, after something unseen or the first by another name; nothing where one fits badly."""
    log_weight = start.log_weight - log_told
    beam: Beam = (replace(start, log_weight=0.0),)
    quick = replace(limits, most=4, calls=8, retries=0, retried=0)
    for number, each in enumerate(lines):
        update = Update(each.change, each.place, seats, rates, quick, each.review)
        beam = update.of(beam)
        budget.left -= quick.calls - max(0, update.budget.left)
        log_weight += update.log_evidence
        is_badly = update.log_evidence < log(limits.wants) and (gap is not None or number > 0)
        if not beam or budget.left <= 0 or is_badly:
            return ()
        if number == 0 and gap is not None:
            beam = tuple(_having_missed(other, gap) for other in beam)
    return tuple(replace(each, log_weight=each.log_weight + log_weight) for each in beam)


def _having_missed(hypothesis: Hypothesis, gap: Gap) -> Hypothesis:
    """The hypothesis, its newest line telling what went unseen before it."""
    trail = hypothesis.trail
    assert trail is not None
    missed = replace(
        trail,
        unseen=(gap.event, *trail.unseen),
        announced=(*gap.said, *trail.announced),
        log_factor=trail.log_factor + gap.log_factor,
    )
    return replace(hypothesis, trail=missed)

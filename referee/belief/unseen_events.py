"""
Search for unseen events that explain a line.

The search starts from the position of one hypothesis: which few unseen events (a draw, a sweep, a card, a take that
nobody heard, a fault that everybody let stand) make the line fit? It is a best-first search by probability, within a
budget of judgements.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

from referee.belief.hypotheses import Assumption, Budget, Hypothesis, advance, continues_play, extend, laid_on_assumed
from referee.belief.rates import Rates
from referee.belief.reported_event import Option
from referee.belief.unseen_cases import candidates_before
from referee.cards import Card
from referee.corrections import Review
from referee.events import Dealt, Drawn, Placed, Pressed, Swept, TableEvent
from referee.game import GameState
from referee.ledger import NOTHING
from referee.rulings import Announcement

DEPTH = 4
"""Greatest number of unseen events in a row."""

ONE_MORE = 1.5
"""Nats by which the search for a further unseen event is delayed: explanations with fewer events are tried first."""


@dataclass(frozen=True, slots=True)
class UnexplainedLine:
    """A line that fits no hypothesis. ``place``: its place in the record. ``review``: how far people vouch for it."""

    recorded: TableEvent
    place: int
    options: tuple[Option, ...]
    review: Review = Review.NONE


def search_unseen(
    hypothesis: Hypothesis, line: UnexplainedLine, rates: Rates, budget: Budget, floor: float
) -> Iterator[Hypothesis]:
    """
    Yield the hypothesis after the line with events that went unseen before it.

    ``floor``: children with a smaller logarithm of weight are dropped.
    """
    recorded, place, options = line.recorded, line.place, line.options
    ticket = count()
    frontier: list[tuple[float, int, float, Hypothesis, tuple[TableEvent, ...], tuple[Announcement, ...]]] = []
    heapq.heappush(frontier, (0.0, next(ticket), 0.0, hypothesis, (), ()))
    while frontier and budget.left > 0:
        turn, _, cost, node, unseen, announced = heapq.heappop(frontier)
        if unseen and turn == cost:
            for option in options:
                for event in () if option.event is None else laid_on_assumed(option.event, node):
                    assumption = Assumption(
                        place, recorded, event, option.cue, option.log_likelihood, unseen, -cost, announced
                    )
                    child = extend(node, assumption, rates, budget)
                    if child is not None and child.log_weight >= floor:
                        yield child
            if len(unseen) < DEPTH:
                heapq.heappush(frontier, (cost + ONE_MORE, next(ticket), cost, node, unseen, announced))
            continue
        likeliest: dict[TableEvent, tuple[float, frozenset[Card]]] = {}
        is_hidden = any(not isinstance(each, Pressed) for each in unseen)  # a missed press hides no card
        for event, log_rate, assumed in candidates_before(
            node.state, options, rates.after_a_miss() if is_hidden else rates
        ):
            if (
                line.review.allows_unseen(event)
                and log_rate > likeliest.get(event, (floor - node.log_weight, NOTHING))[0]
            ):
                likeliest[event] = log_rate, assumed
        for event, (log_rate, assumed) in likeliest.items():
            if budget.left <= 0:
                return
            found = advance(node, event, rates, budget)
            is_part = found is not None and isinstance(event, Placed) and continues_play(found[0])
            factor = floor if found is None else log_rate + (0.0 if is_part else found[2])
            if found is None or node.log_weight + factor < floor:
                continue
            state, step, _ = found
            if isinstance(event, Dealt) or (assumed and isinstance(recorded, Swept | Drawn)):
                state = _forget_name(state, event)
            weight = node.log_weight + factor
            after = replace(node, state=state, log_weight=weight, assumed=node.assumed | assumed, new_fault=())
            announcements = (*announced, *step.announcements)
            heapq.heappush(
                frontier, (cost - factor, next(ticket), cost - factor, after, (*unseen, event), announcements)
            )


def _forget_name(state: GameState, event: TableEvent) -> GameState:
    """Forget which card it was: one card stands for all of a hand's known cards, one turn-up for all of its suit."""
    ledger = state.ledger
    if isinstance(event, Dealt):
        return state.but(ledger=ledger.but(turnup=None, known=dict.fromkeys(ledger.known, NOTHING)))
    if not isinstance(event, Placed) or event.by is None:
        return state
    return state.but(ledger=ledger.but(known={**ledger.known, event.by: NOTHING}))

"""
Solve endgames exactly: all hands known, no talon, any number of players.

Two that are left are solved by :class:`~referee.analysis.two_hands.TwoHands`; nothing has to be assumed of them. With
more the rules alone do not say what the best play of all is, and this search assumes (max^n):

- everybody goes for his own result (or that of his side): not to lose, a draw counting half;
- where several decisions are equally good for him, he makes each of them equally often;
- after :data:`MOST_TAKES` takes in a row, while more than two hold cards, the deal is a draw: without such a limit the
  same cards could go round for ever.
"""

from __future__ import annotations

from collections.abc import Iterable

from referee.analysis.position import GOES_ON, SHOW, Decision, House, Position, choices
from referee.analysis.two_hands import BudgetSpentError, TwoHands

MOST_TAKES = 4
"""With six, three hands of three cards take minutes instead of seconds. A trump shown to pass the attack on counts as a
take: nothing is laid by it either."""
SAME = 1e-9
"""Chances that differ by less are equal; they are sums of a few fractions."""

Outcome = tuple[float, ...]
"""By seat, how likely it loses; after them, how likely the deal is a draw."""


def outcome_of_end(losers: int, seats: int) -> Outcome:
    """Return the outcome of a decided deal. ``losers``: a bit mask of seats, 0 for a draw."""
    return (*(float(losers >> seat & 1) for seat in range(seats)), float(not losers))


def goal_of(outcome: Outcome, seat: int) -> float:
    """Return what a seat goes for: how likely it does not lose, a draw counting half."""
    return 1 - outcome[seat] - outcome[-1] / 2


def best_for(seat: int, outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome where the seat makes each of its best decisions equally often."""
    known = list(outcomes)
    most = max(goal_of(each, seat) for each in known)
    best = [each for each in known if goal_of(each, seat) > most - SAME]
    return tuple(sum(values) / len(best) for values in zip(*best, strict=True))


def is_of_two(position: Position) -> bool:
    """Check whether but two are left, so that what one wins the other loses."""
    seats = position.house.seats
    return seats == 2 or (len(position.out) == seats - 2 and position.rules.result != "first_out_wins")


def takes_left_after(decision: Decision, before: Position, after: Position, left: int) -> int:
    """Return how many takes in a row may follow before the deal is a draw."""
    if after.beaten_off != before.beaten_off:
        return MOST_TAKES
    return left - (after.number != before.number or decision[0] == SHOW)


class ManyHands:
    """
    Solves endings of one house under one trump suit; what it has found it keeps.

    ``budget``: how many positions of more than two players it may look at before :class:`BudgetSpentError`;
    ``budget_of_two``: the same for those of two. ``visited`` counts the first.
    """

    def __init__(self, house: House, trump: int, budget: int = 1 << 60, budget_of_two: int = 1 << 60) -> None:
        self.budget = budget
        self.visited = 0
        self._seats = house.seats
        self._house = house
        self._last_two = TwoHands(house, trump, budget_of_two)
        self._memory: dict[tuple[object, ...], Outcome] = {}

    def outcome(self, position: Position, left: int = MOST_TAKES) -> Outcome:
        """Return how likely each seat loses by the assumptions of this module. ``left``: takes in a row left."""
        if position.losers != GOES_ON:
            return outcome_of_end(position.losers, self._seats)
        if is_of_two(position):
            value = self._last_two.value(position)
            loser = position.defender if value > 0 else position.attacker
            return outcome_of_end(self._house.sides[loser] if value else 0, self._seats)
        if left <= 0:
            return outcome_of_end(0, self._seats)
        key = (*state_of(position), left)
        found = self._memory.get(key)
        if found is None:
            self.visited += 1
            if self.visited > self.budget:
                raise BudgetSpentError
            outcomes = []
            for decision in choices(position):
                after = position.copy()
                after.play(decision)
                outcomes.append(self.outcome(after, takes_left_after(decision, position, after, left)))
            found = self._memory[key] = best_for(position.asked, outcomes)
        return found


def state_of(position: Position) -> tuple[object, ...]:
    """Return everything that decides how an ending goes on."""
    return (
        *position.hands,
        position.table,
        position.unbeaten,
        position.attack_count,
        position.limit,
        position.attacker,
        position.defender,
        position.last_to_attack,
        position.is_taking,
        position.has_thrown,
        position.passed,
        position.shown,
        position.out,
        position.emptied,
        position.number == 1,
        position.beaten_off == 0,
    )

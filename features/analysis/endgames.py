"""
Solve endgames exactly: all hands known, no talon, any number of players.

Two: alpha-beta search over the decisions of :mod:`features.analysis.position`, with memory. Where the attack may be
passed on, and where cards are taken again and again, the same position can come again; a repeated position counts as a
draw, since nobody loses a game that never ends.

With more the rules alone do not say what the best play of all is, and this search assumes (max^n):

- everybody goes for his own result (or that of his side): not to lose, a draw counting half;
- where several decisions are equally good for him, he makes each of them equally often;
- after :data:`MOST_TAKES` takes in a row, while more than two hold cards, the deal is a draw: without such a limit the
  same cards could go round for ever.
"""

from __future__ import annotations

from collections.abc import Iterable

from features.analysis.position import ATTACK, BEAT, GOES_ON, PASS, SHOW, TAKE, Decision, Position, SearchRules, choices
from referee.cards import ONE_SUIT, RANK_COUNT

NO_LOOP = 1 << 30
MOST_IN_A_ROW = 300
"""Positions on one line of play: more is given up, before Python's stack ends."""
MOST_FORCED = 50
"""Decisions in a row without a choice that are made at once: where there are more, they may go round for ever."""
MOST_KEPT = 400_000
"""Positions kept in memory between two searches: about 150 MB."""
MOST_TAKES = 4
"""With six, three hands of three cards take minutes instead of seconds. A trump shown to pass the attack on counts as a
take: nothing is laid by it either."""
SAME = 1e-9
"""Chances that differ by less are equal; they are sums of a few fractions."""


class BudgetSpentError(Exception):
    """The search has visited as many positions as it was allowed."""


class TwoHands:
    """
    Solves endings of one house under one trump suit; what it has found it keeps.

    ``budget``: how many positions it may look at before :class:`BudgetSpentError`; ``visited`` counts them.
    """

    def __init__(self, house: SearchRules, trump: int, budget: int = 1 << 60) -> None:
        self.house = house
        self.budget = budget
        self.visited = 0
        self._trump_at = RANK_COUNT * trump
        self._suits_at = sorted((RANK_COUNT * suit for suit in range(4)), key=lambda at: at != self._trump_at)
        self._memory: dict[tuple[int, ...], tuple[int, int]] = {}
        self._path: dict[tuple[int, ...], int] = {}
        self._loop = NO_LOOP

    def forget(self) -> None:
        if len(self._memory) > MOST_KEPT:
            self._memory.clear()

    def value(self, position: Position) -> int:
        """
        Return the attacker's value of a position in which nobody has anything to draw.

        1: the defender becomes the fool, 0: a draw, -1: the attacker does. Exact where both play as well as can be.
        """
        attacker, other = position.attacker, position.defender
        self._path.clear()
        self._loop = NO_LOOP
        # Two narrow questions cut off more than one wide one.
        if self._value(position.copy(), attacker, other, 0, 1) == 1:
            return 1
        return 0 if self._value(position.copy(), attacker, other, -1, 0) == 0 else -1

    def _value(self, position: Position, seat: int, other: int, alpha: int, beta: int) -> int:
        """Return the value for ``seat``: exact between the two bounds, else on the right side; changes ``position``."""
        for _ in range(MOST_FORCED):
            losers = position.losers
            if losers != GOES_ON:
                return (losers >> other & 1) - (losers >> seat & 1)
            options = choices(position)
            if len(options) > 1:
                break
            position.play(options[0])
        if position.asked != seat:
            return -self._value_if_asked(position, options, other, seat, -beta, -alpha)
        return self._value_if_asked(position, options, seat, other, alpha, beta)

    def _value_if_asked(
        self, position: Position, options: list[Decision], seat: int, other: int, alpha: int, beta: int
    ) -> int:
        key = self._key(position, seat, other)
        low, high = self._memory.get(key, (-1, 1))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        depth = self._path.get(key)
        if depth is not None:
            self._loop = min(self._loop, depth)
            return 0
        self.visited += 1
        depth = self._path[key] = len(self._path)
        if self.visited > self.budget or depth > MOST_IN_A_ROW:
            raise BudgetSpentError
        outer, self._loop = self._loop, NO_LOOP
        alpha, beta, best = max(alpha, low), min(beta, high), -1
        options.sort(key=self._order)
        for decision in options:
            after = position.copy()
            after.play(decision)
            found = self._value(after, seat, other, max(alpha, best), beta)
            if found > best:
                best = found
                if best >= beta:
                    break
        del self._path[key]
        if self._loop >= depth or abs(best) == 1:
            # What rests on a repetition of an earlier position holds on this path alone; what is won or lost, always.
            self._memory[key] = (low if best <= alpha else max(low, best), high if best >= beta else min(high, best))
        self._loop = min(outer, self._loop if self._loop < depth else NO_LOOP)
        return best

    def _key(self, position: Position, seat: int, other: int) -> tuple[int, ...]:
        """
        Return everything that decides how an ending goes on, seen by the player who is asked.

        Two endings play alike if only their plain suits have changed places: no rule distinguishes those.
        """
        hands = position.hands
        own, theirs, table, unbeaten = hands[seat], hands[other], position.table, position.unbeaten
        trumps, *plain = [
            (own >> at & ONE_SUIT) << 39
            | (theirs >> at & ONE_SUIT) << 26
            | (table >> at & ONE_SUIT) << 13
            | unbeaten >> at & ONE_SUIT
            for at in self._suits_at
        ]
        flags = (
            (position.attacker == seat)
            | position.is_taking << 1
            | position.has_thrown << 2
            | (position.number == 1) << 3
            | (position.beaten_off == 0) << 4
            | (position.passed >> seat & 1) << 5
            | (position.passed >> other & 1) << 6
            | (position.emptied[-1:] == (seat,)) << 7
        )
        return (trumps, *sorted(plain), position.shown, position.attack_count, position.limit, flags)

    def _order(self, decision: Decision) -> tuple[int, int]:
        """Return the place of a decision: cheap cards first, to stop before trumps, to take last."""
        kind, cards, _ = decision
        if kind == TAKE:
            return (4, 0)
        if kind == PASS:
            return (1, 0)
        is_trump = cards >> self._trump_at & ONE_SUIT
        rank = (cards.bit_length() - 1) % RANK_COUNT
        if kind in (ATTACK, BEAT):
            return (2 if is_trump else 0, rank)
        return (-1, rank)


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
    most = max(goal_of(value, seat) for value in known)
    best = [value for value in known if goal_of(value, seat) > most - SAME]
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

    def __init__(self, house: SearchRules, trump: int, budget: int = 1 << 60, budget_of_two: int = 1 << 60) -> None:
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

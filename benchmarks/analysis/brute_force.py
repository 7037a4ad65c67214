"""
Compute the value of an endgame by plain recursion over all decisions: no pruning, no merging of positions.

Where the attack may be passed on and a position can come again nothing is remembered either.
"""

from __future__ import annotations

from features.analysis.endgames import MOST_TAKES, Outcome, best_for, outcome_of_end, takes_left_after
from features.analysis.position import GOES_ON, Decision, Position, choices, legal

State = tuple[object, ...]


def state_of(position: Position) -> State:
    """Return everything that decides how an endgame continues, for finding repetitions."""
    return (
        tuple(position.hands),
        position.table,
        position.unbeaten,
        position.attacker,
        position.defender,
        position.is_taking,
        position.passed,
        position.shown,
        position.attack_count,
        position.out,
    )


def all_decisions(position: Position) -> list[Decision]:
    """Return every decision of the seat that is asked, in every order."""
    if position.asked == position.defender:
        return legal(position, position.asked)
    return choices(position)


def value_of(position: Position) -> int:
    """
    Return 1 if the second seat (or side) loses, 0 for a draw, -1 if the first does; a repeated position is a draw.
    """
    memory: dict[State, int] | None = None if position.rules.transfer else {}
    return _value(position, frozenset(), memory)


def _value(position: Position, path: frozenset[State], memory: dict[State, int] | None) -> int:
    """
    Return the value of a position.

    ``memory``: values by state, where no position can come again; else None, and everything is computed each time.
    """
    if position.losers != GOES_ON:
        return (position.losers >> 1 & 1) - (position.losers & 1)
    state = (*state_of(position), position.number == 1, position.beaten_off == 0, position.has_thrown)
    if memory is not None and state in memory:
        return memory[state]
    if state in path:
        return 0
    path = path | {state}
    found = []
    for decision in all_decisions(position):
        after = position.copy()
        after.play(decision)
        found.append(_value(after, path, memory))
    best = max(found) if position.house.sides[position.asked] & 1 else min(found)
    if memory is not None:
        memory[state] = best
    return best


def outcome_of(position: Position, left: int = MOST_TAKES, path: frozenset[State] = frozenset()) -> Outcome:
    """
    Return how likely each seat loses, by the assumptions of :mod:`features.analysis.endgames`.

    Nothing is remembered, and the last two are not treated apart but for what a repetition counts.
    """
    seats = position.house.seats
    if position.losers != GOES_ON:
        return outcome_of_end(position.losers, seats)
    if len(position.out) == seats - 2:
        state = state_of(position)
        if state in path:
            return outcome_of_end(0, seats)
        path, left = path | {state}, MOST_TAKES
    elif left <= 0:
        return outcome_of_end(0, seats)
    found = []
    for decision in choices(position):
        after = position.copy()
        after.play(decision)
        found.append(outcome_of(after, takes_left_after(decision, position, after, left), path))
    return best_for(position.asked, found)

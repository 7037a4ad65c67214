"""Puzzles: endings of real games in which exactly one decision does not lose."""

from __future__ import annotations

from typing import Any

from referee.analysis.decisions import in_words
from referee.analysis.many_hands import is_of_two
from referee.analysis.rating import DecisionCase, Rating
from referee.card_sets import SUITS, cards_of


def puzzle_of(case: DecisionCase, rating: Rating) -> dict[str, Any] | None:
    """
    Return the position as a puzzle; None if it makes no puzzle: not solved, more than two are
    left, or more or fewer than one decision does not lose.

    ``unbeaten`` and ``beaten``: the cards on the table. ``choices``: all decisions, of which ``solution`` is the one.
    """
    position = case.truth
    if not rating.exact or not is_of_two(position):
        return None
    if rating.best_chance or len(rating.safe) != 1 or len(case.options) < 2:
        return None
    return {
        "line": case.line,
        "by": case.name,
        "trump": str(SUITS[position.trump]),
        "hands": {
            name: [str(card) for card in cards_of(position.hands[seat])]
            for seat, name in enumerate(case.seats)
            if seat not in position.out
        },
        "unbeaten": [str(card) for card in cards_of(position.unbeaten)],
        "beaten": [str(card) for card in cards_of(position.table & ~position.unbeaten)],
        "taking": position.is_taking,
        "attacker": case.seats[position.attacker],
        "choices": [in_words(option) for option in case.options],
        "solution": rating.safe[0],
    }

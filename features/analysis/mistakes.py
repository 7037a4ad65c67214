"""
Make an exercise of each decision that cost much: the position before it, every legal play with its rating and the
reason, and how the game might have gone on after it.

The ratings of the play that was made and of the best one are those of the analysis. What follows a play is sought with
the hands as the record shows them, each player choosing what loses least often.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from features.analysis.decision_case import DecisionCase
from features.analysis.endgames import TwoHands
from features.analysis.judgements import MUCH
from features.analysis.playouts import Chance
from features.analysis.position import GOES_ON, Decision, Position, choices, in_words
from features.analysis.rating import Rating, solved
from features.analysis.reasons import reason_of
from features.analysis.tree_search import TreeSearch, chances_of
from referee.cards import SUITS, cards_of

PLAYOUTS = 400
"""Playouts by which the plays are rated that were neither made nor best. Chosen by hand: half a second a mistake."""
PLIES = 3
"""Plays that follow the one that is tried. Chosen by hand: as far as people follow a line."""
PLY_PLAYOUTS = 60
"""Playouts by which each of them is chosen. Chosen by hand."""


def mistake_of(case: DecisionCase, rating: Rating, chance: Chance, solver: TwoHands | None) -> dict[str, Any] | None:
    """Return the exercise that a rated decision makes; None where it cost less than a tenth."""
    best = next((option for option in case.options if in_words(option) == rating.best), None)
    if rating.loss < MUCH or best is None:
        return None
    found = _chances(case, rating, chance, solver)
    tries = []
    for option in sorted(case.options, key=lambda option: found[option]):
        why = None if option == best else reason_of(replace(case, decision=option), best)
        tries.append(
            {
                "play": in_words(option),
                "chance": round(found[option], 3),
                **({} if why is None else {"why": dict(why)}),
                "goes_on": list(_following(case, option, chance, solver)),
            }
        )
    return {
        "line": case.line,
        "by": case.name,
        "played": rating.played,
        "best": rating.best,
        "chance": rating.chance,
        "hand": [str(card) for card in cards_of(case.truth.hands[case.seat])],
        "supposed": not case.is_sure,
        "position": _shown(case.truth, case.seats),
        "tries": tries,
    }


def _chances(case: DecisionCase, rating: Rating, chance: Chance, solver: TwoHands | None) -> Mapping[Decision, float]:
    """Return for each legal play the probability that the player loses; none is below that of the best one."""
    exact = solved(case.truth, case.seat, case.options) if rating.exact else None
    if exact is not None:
        found = {option: float(outcome[case.seat]) for option, outcome in exact.items()}
    else:
        search = TreeSearch(case.deals.deal, case.seat, chance, solver)
        estimates = search.estimates(case.options, PLAYOUTS, case.decision)
        is_hidden = not case.deals.is_one
        found = {
            estimate.decision: (chances_of(estimate, case.seat) if is_hidden else estimate.chances)[case.seat]
            for estimate in estimates
        }
    rated = {rating.played: rating.chance, rating.best: rating.best_chance}
    return {option: rated.get(in_words(option), max(value, rating.best_chance)) for option, value in found.items()}


def _following(case: DecisionCase, option: Decision, chance: Chance, solver: TwoHands | None) -> Iterator[Any]:
    """Yield the plays that might follow: who made it, the play, and the position after it."""
    position = case.truth.copy()
    position.play(option, case.seat)
    yield {"by": case.name, "play": in_words(option), "after": _shown(position, case.seats)}
    for _ in range(PLIES):
        if position.losers != GOES_ON:
            return
        seat, options = position.asked, choices(position)
        chosen = options[0]
        if len(options) > 1:
            estimates = TreeSearch(lambda _: position.copy(), seat, chance, solver).estimates(
                options, PLY_PLAYOUTS * len(options), chosen
            )
            chosen = min(estimates, key=lambda estimate: estimate.chances[seat]).decision
        position.play(chosen)
        yield {"by": case.seats[seat], "play": in_words(chosen), "after": _shown(position, case.seats)}


def _shown(position: Position, seats: tuple[str, ...]) -> dict[str, Any]:
    """Return what a board shows of a position of the search."""
    return {
        "trump": str(SUITS[position.trump]),
        "talon": len(position.talon),
        "attacker": seats[position.attacker],
        "defender": seats[position.defender],
        "taking": position.is_taking,
        "hands": {name: position.hands[seat].bit_count() for seat, name in enumerate(seats)},
        "out": [seats[seat] for seat in position.out],
        "unbeaten": [str(card) for card in cards_of(position.unbeaten)],
        "beaten": [str(card) for card in cards_of(position.table & ~position.unbeaten)],
    }

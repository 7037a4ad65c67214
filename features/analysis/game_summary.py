"""Sum up a game that is over: since when its end was likely, where it turned, and how well each player decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import exp
from typing import Any

LIKELY = 0.5
"""Probability to lose from which on a player was likely to. Half: more likely than not."""
WORTH_NAMING = 0.05
"""Smallest loss or lead of a decision that is named, as for its reason (``features.analysis.rating``)."""
STEEPNESS = 8.0
"""How fast accuracy falls with the mean loss: 0.01 gives 92, 0.03 gives 79, 0.1 gives 45. Chosen by hand."""
GRADES = ((90, "excellent"), (75, "good"), (55, "fair"), (0, "weak"))
"""Accuracy from which on a word holds. Chosen by hand."""
Decision = Mapping[str, Any]


def accuracy_of(mean_loss: float) -> int:
    """
    Return how well somebody decided, from 0 to 100.

    >>> [accuracy_of(mean_loss) for mean_loss in (0.0, 0.01, 0.03, 0.1)]
    [100, 92, 79, 45]
    """
    return round(100 * exp(-STEEPNESS * mean_loss))


def grade_of(accuracy: int) -> str:
    """
    Return the word for an accuracy.

    >>> grade_of(92), grade_of(40)
    ('excellent', 'weak')
    """
    return next(word for least, word in GRADES if accuracy >= least)


def likely_since(decisions: Sequence[Decision], losers: Iterable[str]) -> int | None:
    """Return the line from which on the losers were likely to lose until the end; None if it was open to the end."""
    named = tuple(losers)
    since = None
    for decision in reversed(decisions):
        if not all(decision["chances"].get(name, 0.0) >= LIKELY for name in named):
            break
        since = decision["line"]
    return since


def turning_point(decisions: Sequence[Decision], losers: Iterable[str]) -> Decision | None:
    """
    Return the decision at which the game turned: what cost a loser most, else where his chance to lose rose most; None
    where nothing did.
    """
    named = tuple(losers)
    own = [decision for decision in decisions if decision["by"] in named and decision["loss"] >= WORTH_NAMING]
    if own:
        return max(own, key=lambda decision: decision["loss"])
    rises = [
        (max(now["chances"].get(name, 0.0) - before["chances"].get(name, 0.0) for name in named), place)
        for place, (before, now) in enumerate(pairwise(decisions), start=1)
        if named
    ]
    rise, place = max(rises, default=(0.0, 0))
    return decisions[place] if rise >= WORTH_NAMING else None


def player_summary(decisions: Iterable[Decision], seat: str) -> dict[str, Any]:
    """Return the accuracy of a player with its word, and the best and the costliest decision, null where none is."""
    own = [decision for decision in decisions if decision["by"] == seat]
    if not own:
        return {"accuracy": None, "grade": None, "best": None, "worst": None}
    accuracy = accuracy_of(sum(decision["loss"] for decision in own) / len(own))
    best = max(own, key=lambda decision: decision.get("ahead") or 0.0)
    worst = max(own, key=lambda decision: decision["loss"])
    return {
        "accuracy": accuracy,
        "grade": grade_of(accuracy),
        "best": dict(best) if (best.get("ahead") or 0.0) >= WORTH_NAMING else None,
        "worst": dict(worst) if worst["loss"] >= WORTH_NAMING else None,
    }

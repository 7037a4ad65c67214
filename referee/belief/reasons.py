"""
Explain a called or asked fault: which lines speak for it and which against it.

The most likely hypothesis with the fault is compared with the most likely one without it, line by line. Where they
explain a line unequally well, the difference is the line's weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from referee.belief.hypotheses import Beam, Hypothesis
from referee.belief.interpretation import Interpretation, accuses, interpretation_of

LEAST = 0.5
"""Nats. Smaller differences are not reported. Chosen by hand."""

BEFORE = 8
"""Number of lines before the play that are compared."""

CUES = {
    "told": "told so",
    "card": "read as another card",
    "misread": "misread without a doubt",
    "by": "another seat",
    "seat": "another seat",
    "to": "swept elsewhere",
    "count": "another number drawn",
    "place": "laid across or beside",
    "on": "laid across or beside",
    "nothing": "nothing happened",
    "strokes": "the bout was still being gathered",
}
"""What another alternative of a line is called, by the key of the record that differs or by what is assumed."""

OTHERWISE = "told otherwise"
"""What an alternative with any other key is called."""


def why(beam: Beam, place: int) -> tuple[dict[str, Any], ...]:
    """
    Return the reasons, the weightiest first: ``cue``, ``for`` (True: for the fault) and ``weight`` (nats).

    A cue that appears on several lines is reported once, with the sum of its weights.
    """
    guilty = next((each for each in beam if _accuses(each, place)), None)
    innocent = next((each for each in beam if not _accuses(each, place)), None)
    if guilty is None:
        return ()
    if innocent is None:
        return ({"cue": "nothing else explains it", "for": True, "weight": round(-guilty.log_weight, 2)},)
    weights: dict[tuple[str, bool], float] = {}
    for cue, weight, for_it in _reasons(guilty.last, innocent.last, place - BEFORE):
        weights[cue, for_it] = weights.get((cue, for_it), 0.0) + weight
    ordered = sorted(weights.items(), key=lambda each: -each[1])
    return tuple({"cue": cue, "for": for_it, "weight": round(weight, 2)} for (cue, for_it), weight in ordered)


def _accuses(hypothesis: Hypothesis, place: int) -> bool:
    """Check whether the hypothesis holds that a rule was broken on this line."""
    last = interpretation_of(hypothesis.last, place)
    return last is not None and any(map(accuses, last.rulings))


def _reasons(
    guilty: Interpretation | None, innocent: Interpretation | None, oldest: int
) -> Iterator[tuple[str, float, bool]]:
    """Yield cue, weight and direction of each line on which the two differ, the newest first."""
    while guilty is not None and innocent is not None and guilty is not innocent and guilty.place >= oldest:
        weight = guilty.log_factor - innocent.log_factor
        if abs(weight) >= LEAST:
            yield _cue(guilty, innocent), abs(weight), weight > 0
        guilty, innocent = guilty.before, innocent.before


def _cue(guilty: Interpretation, innocent: Interpretation) -> str:
    """Return what distinguishes the two on a line: an assumption of one of them, or a difference in the prior."""
    for one, other in ((innocent, guilty), (guilty, innocent)):
        if len(one.unseen) > len(other.unseen):
            return "unseen " + ", ".join(type(each).__name__.lower() for each in one.unseen)
        if one.cue != other.cue and one.cue != "told":
            return CUES.get(one.cue, OTHERWISE)
    if [each.fault for each in guilty.rulings] != [each.fault for each in innocent.rulings]:
        return "the rule is rarely broken"
    return "what people did next"

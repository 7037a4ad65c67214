"""
Why a play is called a fault, or asked about: line by line, what spoke for the fault and what against it.

The likeliest hypothesis in which the rule was broken is held against the likeliest in which it was not. Where the two
explain a line unequally well, the difference is what that line weighs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from referee.belief.hypotheses import Beam, Hypothesis
from referee.belief.trail import Trail, accuses, on_place

LEAST = 0.5
"""Nats; less speaks neither for nor against."""

BEFORE = 8
"""So many lines before the play may bear on it."""

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
"""What another option of a line is called, by the key of the record that differs or by what the belief assumes."""

OTHERWISE = "told otherwise"
"""The same by any other key."""


def why(beam: Beam, place: int) -> tuple[dict[str, Any], ...]:
    """
    Each reason with ``cue``, ``for`` (True: for the fault), ``weight`` (nats), the weightiest first. What speaks on
    several lines is told once, with its whole weight.
    """
    guilty = next((each for each in beam if _accuses(each, place)), None)
    innocent = next((each for each in beam if not _accuses(each, place)), None)
    if guilty is None:
        return ()
    if innocent is None:
        return ({"cue": "nothing else explains it", "for": True, "weight": round(-guilty.log_weight, 2)},)
    weights: dict[tuple[str, bool], float] = {}
    for cue, weight, for_it in _reasons(guilty.trail, innocent.trail, place - BEFORE):
        weights[cue, for_it] = weights.get((cue, for_it), 0.0) + weight
    told = sorted(weights.items(), key=lambda each: -each[1])
    return tuple({"cue": cue, "for": for_it, "weight": round(weight, 2)} for (cue, for_it), weight in told)


def _accuses(hypothesis: Hypothesis, place: int) -> bool:
    trail = on_place(hypothesis.trail, place)
    return trail is not None and any(map(accuses, trail.rulings))


def _reasons(guilty: Trail | None, innocent: Trail | None, oldest: int) -> Iterator[tuple[str, float, bool]]:
    while guilty is not None and innocent is not None and guilty is not innocent and guilty.place >= oldest:
        weight = guilty.log_factor - innocent.log_factor
        if abs(weight) >= LEAST:
            yield _cue(guilty, innocent), abs(weight), weight > 0
        guilty, innocent = guilty.before, innocent.before


def _cue(guilty: Trail, innocent: Trail) -> str:
    """What sets the two apart on a line: what one of them must assume, or how the law and people answer."""
    for one, other in ((innocent, guilty), (guilty, innocent)):
        if len(one.unseen) > len(other.unseen):
            return "unseen " + ", ".join(type(each).__name__.lower() for each in one.unseen)
        if one.cue != other.cue and one.cue != "told":
            return CUES.get(one.cue, OTHERWISE)
    if [each.fault for each in guilty.rulings] != [each.fault for each in innocent.rulings]:
        return "the rule is rarely broken"
    return "what people did next"

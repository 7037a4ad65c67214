"""
How often evidence is right, by situation: counted on clips, kept as data.

``likelihoods.json`` holds for each cue how often the event was right and how often each other outcome was true, with
the clips and the date; ``python -m benchmarks.fit_likelihoods CLIP ...`` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

AS_TOLD = "as told"
"""The outcome that the evidence was right."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Probabilities that add up to 1: ``as_told``, and of each outcome ``instead``."""

    as_told: float
    instead: Mapping[str, float]


class Likelihoods:
    """
    ``counts``: cue -> outcome -> how often it was true. Prior counts: ``as_told`` for evidence that is right,
    ``instead`` for all other outcomes together.

    >>> Likelihoods({"seen": {"as told": 8, "nothing": 1}}, as_told=0.5, instead=0.5).of("seen", ("nothing",))
    Shares(as_told=0.85, instead={'nothing': 0.15})
    """

    def __init__(self, counts: Mapping[str, Mapping[str, float]], as_told: float, instead: float) -> None:
        self._counts, self._as_told, self._instead = counts, as_told, instead

    def of(self, cue: str, outcomes: tuple[str, ...]) -> Shares:
        """Return the probability that evidence is right in this situation, and of each of ``outcomes`` instead."""
        counted = self._counts.get(cue, {})
        each = self._instead / len(outcomes)
        instead = {outcome: counted.get(outcome, 0) + each for outcome in outcomes}
        as_told = counted.get(AS_TOLD, 0) + self._as_told
        total = as_told + sum(instead.values())
        return Shares(as_told / total, {outcome: count / total for outcome, count in instead.items()})

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Likelihoods:
        """Parse the content of the data file."""
        return cls(data["counts"], data["prior"]["as_told"], data["prior"]["instead"])

    @classmethod
    @cache
    def shipped(cls) -> Likelihoods:
        """Return the likelihoods that ship with the program."""
        return cls.parse(json.loads(files("vision.events").joinpath("likelihoods.json").read_text("utf-8")))

"""
Evidence of a change: the event as it looks, and each doubt about it.

A doubt names the situation (its *cue*: "a hand passed the heap on its way home") and what may be true instead. How
often that is so, by situation, was counted on clips: ``likelihoods.json`` holds for each cue how often the event was
right and how often each other outcome was true; ``python -m benchmarks.fit_likelihoods CLIP ...`` writes it.

Evidence waits for a further inference where one may say more, and no longer than that helps; it leaves in the order in
which it came. Whether a rule was broken plays no part here.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from math import prod
from typing import Any

from msgspec import structs

from referee.events import Placed, Reread, TableEvent

AS_REPORTED = "as reported"
"""The outcome that the evidence was right."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Probabilities that add up to 1: ``as_reported``, and of each outcome ``instead``."""

    as_reported: float
    instead: Mapping[str, float]


class Likelihoods:
    """
    ``counts``: cue -> outcome -> how often it was true. Prior counts: ``as_reported`` for evidence that is right,
    ``instead`` for all other outcomes together.

    >>> Likelihoods({"seen": {"as reported": 8, "nothing": 1}}, as_reported=0.5, instead=0.5).of("seen", ("nothing",))
    Shares(as_reported=0.85, instead={'nothing': 0.15})
    """

    def __init__(self, counts: Mapping[str, Mapping[str, float]], as_reported: float, instead: float) -> None:
        self._counts, self._as_reported, self._instead = counts, as_reported, instead

    def of(self, cue: str, outcomes: tuple[str, ...]) -> Shares:
        """Return the probability that evidence is right in this situation, and of each of ``outcomes`` instead."""
        counted = self._counts.get(cue, {})
        each = self._instead / len(outcomes)
        instead = {outcome: counted.get(outcome, 0) + each for outcome in outcomes}
        as_reported = counted.get(AS_REPORTED, 0) + self._as_reported
        total = as_reported + sum(instead.values())
        return Shares(as_reported / total, {outcome: count / total for outcome, count in instead.items()})

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Likelihoods:
        """Parse the content of the data file."""
        return cls(data["counts"], data["prior"]["as_reported"], data["prior"]["instead"])

    @classmethod
    @cache
    def shipped(cls) -> Likelihoods:
        """Return the likelihoods that ship with the program."""
        return cls.parse(json.loads(files("vision.events").joinpath("likelihoods.json").read_text("utf-8")))


Keys = Mapping[str, Any] | None
"""The keys of a record's event that differ (docs/record.md, ``otherwise``); None: nothing happened at all."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """
    What may be otherwise. ``cue``: the situation in words, key of the likelihoods. ``instead``: outcome -> the keys of
    the record's event that would differ.
    """

    cue: str
    instead: Mapping[str, Keys] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Evidence:
    """
    Evidence of one change.

    ``event``: as it looks, with the uncertainty of its card's name (``confidence``, ``alternatives``). ``stable_at``:
    until then (seconds) a further inference may say more; None: it would not. ``key``: of the card, while it lies
    there; None if the evidence is about none that lies.
    """

    event: TableEvent
    doubts: tuple[Doubt, ...] = ()
    stable_at: float | None = None
    key: int | None = None

    def timed(self, at: float) -> Evidence:
        """Return the evidence with another time, in seconds."""
        return replace(self, event=structs.replace(self.event, at=at))

    def as_event(self, likelihoods: Likelihoods, signs: Iterable[str] = ()) -> TableEvent:
        """
        Return the event for the record, with the probability of each doubt, the others being as they look.

        ``signs``: signs that an event before it was missed, in words; the strongest counts.
        """
        shares = [likelihoods.of(doubt.cue, tuple(doubt.instead)) for doubt in self.doubts]
        as_reported = prod(share.as_reported for share in shares)
        read = 1.0 if self.event.confidence is None else self.event.confidence
        otherwise = tuple(
            (keys, round(read * share.instead[outcome] * as_reported / share.as_reported, 4))
            for doubt, share in zip(self.doubts, shares, strict=True)
            for outcome, keys in doubt.instead.items()
        )
        is_plain = self.event.confidence is None and not otherwise
        return structs.replace(
            self.event,
            confidence=None if is_plain else round(read * as_reported, 3),
            alternatives=tuple((card, round(share * as_reported, 4)) for card, share in self.event.alternatives),
            otherwise=tuple((keys, share) for keys, share in otherwise if share >= LEAST),
            missed=max((round(_missed(likelihoods, sign), 3) for sign in signs), default=None),
        )


MISSED = "missed"
"""The outcome of a sign that an event was missed."""


def _missed(likelihoods: Likelihoods, sign: str) -> float:
    return likelihoods.of(unseen(sign), (MISSED,)).instead[MISSED]


def unseen(sign: str) -> str:
    """Return the cue of a sign that an event was missed."""
    return f"unseen: {sign}"


LEAST = 1e-3
"""Outcomes of lower probability are left out."""


SeenNow = Callable[[Evidence], Evidence | None]
"""Returns evidence as the newest inference shows it, None if it has turned out to be nothing."""


class Confirmation:
    """A queue of evidence that waits to be confirmed."""

    def __init__(self) -> None:
        self._waiting: deque[Evidence] = deque()

    @property
    def wants_inference(self) -> bool:
        """Check whether a further inference would confirm something."""
        return bool(self._waiting)

    @property
    def waiting(self) -> tuple[Evidence, ...]:
        """Return the evidence that is not confirmed yet."""
        return tuple(self._waiting)

    def confirm(self, evidence: Iterable[Evidence], seen_now: SeenNow, at: float) -> tuple[Evidence, ...]:
        """Add evidence, and return what is confirmed by the time ``at`` (seconds)."""
        # A card that is reread while it waits is reported under its new name, without a reread event.
        laid = {each.key for each in self._waiting if isinstance(each.event, Placed)}
        self._waiting += [each for each in evidence if not isinstance(each.event, Reread) or each.key not in laid]
        now = (seen_now(each) for each in self._waiting)
        self._waiting = deque(each for each in now if each is not None)
        confirmed = []
        while self._waiting and (self._waiting[0].stable_at is None or at >= self._waiting[0].stable_at):
            confirmed.append(self._waiting.popleft())
        return tuple(confirmed)

    def flush(self, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """Return everything that waits and the new evidence: no further frame comes."""
        rest = (*self._waiting, *evidence)
        self._waiting.clear()
        return rest

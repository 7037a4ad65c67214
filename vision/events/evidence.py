"""
What the eye says of a change: the event as it looks, and each doubt there is about it.

A doubt names the situation (its *cue*: "a hand passed the heap on its way home") and what may be true instead. How
often it is, by situation, is data (:mod:`vision.events.likelihoods`); nothing here weighs anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from referee.events import TableEvent
from vision.events.likelihoods import Likelihoods

Keys = Mapping[str, Any] | None
"""The keys of a record's event that differ (docs/record.md, ``otherwise``); None: nothing happened at all."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """
    One thing that may be otherwise. ``cue``: the situation in words, the likelihoods' key. ``instead``: outcome ->
    what the record's event would be then.
    """

    cue: str
    instead: Mapping[str, Keys] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Evidence:
    """
    One change. ``event``: as it looks, with the reader's own doubts about its card (``confidence``, ``alternatives``).
    ``settles_at``: until then (seconds) another look may say more; None: it would not. ``key``: of the card that it is
    about, while that lies there; None if it is about none that lies.
    """

    event: TableEvent
    doubts: tuple[Doubt, ...] = ()
    settles_at: float | None = None
    key: int | None = None

    def timed(self, at: float) -> Evidence:
        """The same at another time."""
        return replace(self, event=replace(self.event, at=at))

    def told(self, likelihoods: Likelihoods, signs: Iterable[str] = ()) -> TableEvent:
        """
        The event as a record has it: each doubt weighed, the others being as they look meanwhile.

        ``signs``: what speaks for something having gone unseen before it, in words; the strongest counts.
        """
        shares = [likelihoods.of(doubt.cue, tuple(doubt.instead)) for doubt in self.doubts]
        as_told = prod(share.as_told for share in shares)
        read = 1.0 if self.event.confidence is None else self.event.confidence
        otherwise = tuple(
            (keys, round(read * share.instead[outcome] * as_told / share.as_told, 4))
            for doubt, share in zip(self.doubts, shares, strict=True)
            for outcome, keys in doubt.instead.items()
        )
        is_plain = self.event.confidence is None and not otherwise
        return replace(
            self.event,
            confidence=None if is_plain else round(read * as_told, 3),
            alternatives=tuple((card, round(share * as_told, 4)) for card, share in self.event.alternatives),
            otherwise=tuple((keys, share) for keys, share in otherwise if share >= LEAST),
            missed=max((round(_missed(likelihoods, sign), 3) for sign in signs), default=None),
        )


MISSED = "missed"
"""The outcome of a sign that something went unseen."""


def _missed(likelihoods: Likelihoods, sign: str) -> float:
    return likelihoods.of(unseen(sign), (MISSED,)).instead[MISSED]


def unseen(sign: str) -> str:
    """The cue of a sign that something went unseen."""
    return f"unseen: {sign}"


LEAST = 1e-3
"""What is less likely than this is not told."""

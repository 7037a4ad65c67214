"""
Evidence of a change: the event as it looks, each doubt about it, and whose hand it was.

A doubt names the situation (its *cue*: "a hand passed the heap on its way home") and what may be true instead. How
often that is so, by situation, was counted on clips: ``likelihoods.json`` holds for each cue how often the event was
right and how often each other outcome was true; ``python -m benchmarks.fit_likelihoods CLIP ...`` writes it.

Evidence waits for a further inference where one may say more, and no longer than that helps; it leaves in the order in
which it came. Whether a rule was broken plays no part here.

A hand that takes cards home goes straight: on 32 development clips 54 of 55 bouts that went home went at most 74 mm
aside (the other was pushed across), those to a discard pile off the way 96 mm and more. A pile on the way home is known
by its own change alone.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from math import prod
from typing import Any

import numpy as np
from msgspec import structs

from referee.events import Placed, Reread, TableEvent
from vision.observation import HandVisit, LyingCard, Pose, Touch

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


# When a hand was at a card. Chosen by hand, 2026-11.
NEAR_MM = 115.0
"""Finger tips came this near to the card's middle."""
CLEARLY_NEARER_MM = 45.0
"""Of two hands the one nearer by this much did it."""
ATTRIBUTION_LEAST_SHARE = 0.2
"""Least share of its place, 0 to 1, that the hand hid."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """
    The hand that did it. ``visit``: its track, None if no hand was there. ``seat``: None if not known. ``cue``: the
    situation. ``others``: other possible seats, the likeliest first, None for any.
    """

    visit: HandVisit | None = None
    seat: str | None = None
    cue: str = ""
    others: tuple[str | None, ...] = ()

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Return the doubt that it was another's hand."""
        if self.seat is None or not self.others:
            return ()
        names = ("another seat", "a third seat")
        return (Doubt(self.cue, {name: {"by": seat} for name, seat in zip(names, self.others, strict=False)}),)


def attributed(visit: HandVisit | None, touched: Sequence[Touch], hands: Sequence[HandVisit]) -> Attribution:
    """
    Return ``visit`` as the hand that did it; without one, uncertainly, the nearest of those that touched the place.
    """
    visits = {each.number: each for each in hands}
    there = [visits[touch.visit] for touch in sorted(touched, key=lambda touch: touch.tip_mm) if touch.visit in visits]
    if visit is None and not there:
        return Attribution()
    main = visit or there[0]
    seat = main.seat or main.likely
    others = dict.fromkeys(each.seat or each.likely for each in there if (each.seat or each.likely) not in (None, seat))
    if main.seat is None:
        return Attribution(main, seat, "seat: the hand came in between two seats", (*others, None)[:2])
    if visit is None:
        return Attribution(main, seat, "seat: two hands were as near", tuple(others)[:2])
    if others:
        return Attribution(main, seat, "seat: the nearest of several hands", tuple(others)[:2])
    return Attribution(main, seat, "seat: one hand was there", (None,))


def fitting_touches(touched: Sequence[Touch]) -> list[Touch]:
    """Return the touches that may have laid or taken a card, the nearest finger tips first."""
    near = [t for t in touched if t.share >= ATTRIBUTION_LEAST_SHARE and t.tip_mm <= NEAR_MM]
    return sorted(near, key=lambda touch: touch.tip_mm)


def visit_that_laid(card: LyingCard, arrived: Sequence[LyingCard], hands: Sequence[HandVisit]) -> HandVisit | None:
    """
    Return the hand track that brought a card; None if none was there or two fit.

    ``arrived``: all cards that have come with it.
    """
    visits = {visit.number: visit for visit in hands}
    fitting = [touch for touch in fitting_touches(card.touched) if touch.visit in visits]
    candidates = sorted((visits[touch.visit] for touch in fitting), key=lambda visit: visit.came_at)
    if len(candidates) == 2 and candidates[0].seat != candidates[1].seat:
        # Two hands, two cards one on the other: the first hand laid the lower one, however near the second came.
        if any(other.on == card.key for other in arrived):
            return candidates[0]
        if any(other.key == card.on for other in arrived):
            return candidates[1]
    if _is_one_clear(fitting):
        return visits[fitting[0].visit]
    return candidates[-1] if len({visit.seat for visit in candidates}) == 1 else None


def visit_that_took(touched: Sequence[Touch], hands: Sequence[HandVisit]) -> HandVisit | None:
    """Return the hand track that took or exchanged a card; None if none was there or hands of two seats fit."""
    visits = {visit.number: visit for visit in hands}
    fitting = [touch for touch in fitting_touches(touched) if touch.visit in visits]
    is_one_seat = len({visits[touch.visit].seat for touch in fitting}) == 1
    return visits[fitting[0].visit] if _is_one_clear(fitting) or is_one_seat else None


def _is_one_clear(fitting: Sequence[Touch]) -> bool:
    """Check whether one hand was there alone, or clearly nearer than the next."""
    if len(fitting) < 2:
        return bool(fitting)
    return fitting[1].tip_mm - fitting[0].tip_mm > CLEARLY_NEARER_MM


def detour_mm(visit: HandVisit, since: float, cards: Sequence[Pose]) -> float:
    """
    Return the largest distance, in mm, of a hand's finger tips from the ``cards`` that it took and from the straight
    ways home from there, from the time ``since`` (seconds) on.

    Home is where its arm leaves the picture, or where its seat holds its cards. 0 if nothing is known.
    """
    tips = np.array([point[1:] for point in visit.trail if point[0] >= since], np.float64).reshape(-1, 2)
    if not len(tips) or not cards or not visit.homes:
        return 0.0
    starts, homes = [*cards, *visit.homes[:-1]], visit.homes
    aside = np.full(len(tips), np.inf)
    for start, home in ((start, home) for start in starts for home in homes if start is not home):
        begin, end = np.array([start.x_mm, start.y_mm]), np.array([home.x_mm, home.y_mm])
        length = max(float(np.linalg.norm(end - begin)), 1.0)
        along = (end - begin) / length
        steps = np.clip((tips - begin) @ along, 0.0, length)
        aside = np.minimum(aside, np.linalg.norm(tips - begin - steps[:, None] * along, axis=1))
    return float(aside.max())


def last_near(visit: HandVisit, cards: Sequence[Pose], reach_mm: float) -> float:
    """
    Return when the hand's finger tips were last within ``reach_mm`` of the middle of all ``cards``, in seconds;
    ``NEVER`` if they never were.
    """
    if not cards:
        return NEVER
    x_mm, y_mm = np.mean([[card.x_mm, card.y_mm] for card in cards], axis=0)
    near = (at for at, x, y in reversed(visit.trail) if np.hypot(x - x_mm, y - y_mm) <= reach_mm)
    return next(near, NEVER)


NEVER = -1e9
"""A time in seconds that is long before any other."""

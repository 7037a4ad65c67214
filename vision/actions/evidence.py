"""
Evidence of a change: the event as it looks, and what it may have been instead, each alternative with its log-odds.

The log-odds are those of :mod:`vision.actions.action_model`. Evidence waits for a further inference where one may say
more, and no longer than that helps; it leaves in the order in which it came. Whether a rule was broken plays no part
here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import exp, prod
from typing import Any

from msgspec import structs

from referee.cards import Card
from referee.events import Placed, Reread, TableEvent
from vision.geometry.pose import Pose

Keys = Mapping[str, Any] | None
"""The keys of a record's event that differ (docs/record.md, ``otherwise``); None: nothing happened at all."""
LEAST = 1e-3
"""Alternatives of lower probability are left out."""
OTHER_NAME_SURE = 0.9
"""Probability from which another name replaces a reported one. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class ReportedCard:
    """
    A card of the bout as it was reported.

    ``by``: seat that laid it. ``at``: seconds. ``key``: of its track; ``on``: of the track of the card that it is
    reported across. ``visit``: hand track that laid it. ``is_doubtful``: its name was uncertain. ``beside``: key of the
    card that it overlaps though the same hand laid both: one person's two attacks.
    """

    card: Card
    by: str | None
    at: float
    key: int = -1
    on: int | None = None
    pose: Pose | None = None
    visit: int | None = None
    is_doubtful: bool = False
    beside: int | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    """
    What may be otherwise about an event. ``cue``: the situation in words. ``instead``: outcome -> the keys of the
    record's event that would differ, and the log-odds of that outcome against what is reported.
    """

    cue: str
    instead: Mapping[str, tuple[Keys, float]] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Evidence:
    """
    Evidence of one change.

    ``event``: as it looks, with the uncertainty of its card's name (``confidence``, ``alternatives``). ``stable_at``:
    until then (seconds) a further inference may say more; None: it would not. ``key``: of the card, while it lies
    there; None if the evidence is about none that lies.
    """

    event: TableEvent
    doubts: tuple[Alternative, ...] = ()
    stable_at: float | None = None
    key: int | None = None

    def timed(self, at: float) -> Evidence:
        """Return the evidence with another time, in seconds."""
        return replace(self, event=structs.replace(self.event, at=at))

    def as_event(self, missed: float | None = None) -> TableEvent:
        """
        Return the event for the record, with the probability of each alternative, the rest being as it looks.

        ``missed``: probability that an event before it was missed, None without a sign of one.

        >>> doubt = Alternative("laid", {"nothing": (None, -2.0)})
        >>> Evidence(Reread(at=1, was="7s", card="7c"), (doubt,)).as_event().otherwise
        ((None, 0.1192),)
        """
        odds = [[(keys, exp(log_odds)) for keys, log_odds in doubt.instead.values()] for doubt in self.doubts]
        as_reported = prod(1 / (1 + sum(odd for _, odd in alternatives)) for alternatives in odds)
        read = 1.0 if self.event.confidence is None else self.event.confidence
        otherwise = tuple((keys, round(read * as_reported * log_odds, 4)) for some in odds for keys, log_odds in some)
        is_plain = self.event.confidence is None and not otherwise
        return structs.replace(
            self.event,
            confidence=None if is_plain else round(read * as_reported, 3),
            alternatives=tuple((card, round(share * as_reported, 4)) for card, share in self.event.alternatives),
            otherwise=tuple((keys, share) for keys, share in otherwise if share >= LEAST),
            missed=None if missed is None else round(missed, 3),
        )


class Confirmation:
    """A queue of evidence that waits to be confirmed."""

    def __init__(self) -> None:
        self._waiting: deque[Evidence] = deque()

    @property
    def waiting(self) -> tuple[Evidence, ...]:
        """Return the evidence that is not confirmed yet: a further inference would confirm something."""
        return tuple(self._waiting)

    def confirm(
        self, evidence: Iterable[Evidence], seen_now: Callable[[Evidence], Evidence | None], at: float
    ) -> tuple[Evidence, ...]:
        """
        Add evidence, and return what is confirmed by the time ``at`` (seconds).

        ``seen_now``: returns evidence as the newest inference shows it, None if it has turned out to be nothing.
        """
        # A card that is reread while it waits is reported under its new name, without a reread event.
        laid = {queued.key for queued in self._waiting if isinstance(queued.event, Placed)}
        self._waiting += [
            queued for queued in evidence if not isinstance(queued.event, Reread) or queued.key not in laid
        ]
        now = (seen_now(queued) for queued in self._waiting)
        self._waiting = deque(queued for queued in now if queued is not None)
        confirmed = []
        while self._waiting and (self._waiting[0].stable_at is None or at >= self._waiting[0].stable_at):
            confirmed.append(self._waiting.popleft())
        return tuple(confirmed)

    def flush(self, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """Return everything that waits and the new evidence: no further frame comes."""
        rest = (*self._waiting, *evidence)
        self._waiting.clear()
        return rest

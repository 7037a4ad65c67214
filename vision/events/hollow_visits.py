"""
Hands that came and went and of which nothing was told: people point and rest their hands, but not again and again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from referee.events import TableEvent
from vision.observation import HandVisit


@dataclass(frozen=True, slots=True)
class HollowVisitSettings:
    """Which visits count. Times in seconds. Set by hand, 2026-11."""

    visits: int = 8
    """So many visits back it is remembered whether anything was told of them. More: an old gap counts for longer;
    fewer: it is forgotten before it shows."""
    hollow: int = 3
    """So many of these without a word are a sign. More: gaps go unnoticed; fewer: who points twice is one."""
    briefest_s: float = 0.3
    """A hand that was there for less did nothing. Longer: quick plays are no visits; shorter: passing sleeves are."""
    telling_s: float = 1.0
    """So long after a hand has left something may still be told of it. Longer: the sign comes late; shorter: slow words
    are missed."""
    before_s: float = 0.3
    """What is told may bear a time so long before the hand came. Longer: another's deed counts; shorter: its own does
    not."""


class HollowVisits:
    """Tell it the hands and what is told; ask whether too little was."""

    def __init__(self, settings: HollowVisitSettings = HollowVisitSettings()) -> None:
        self.settings = settings
        self._told: deque[tuple[str | None, float]] = deque(maxlen=4 * settings.visits)
        self._hollow: deque[bool] = deque(maxlen=settings.visits)
        self._judged: set[int] = set()

    def note(self, hands: Sequence[HandVisit], told: Iterable[TableEvent], at: float) -> None:
        """The hands of the last seconds, and what is told at the time ``at`` (seconds)."""
        s = self.settings
        self._told += [(getattr(event, "by", None), event.at) for event in told]
        self._judged &= {visit.number for visit in hands}
        for visit in hands:
            if visit.number in self._judged or visit.left_at is None or at - visit.left_at < s.telling_s:
                continue
            self._judged.add(visit.number)
            if visit.left_at - visit.came_at >= s.briefest_s:
                first, last = visit.came_at - s.before_s, visit.left_at + s.telling_s
                self._hollow.append(
                    not any(by in (None, visit.seat) and first <= when <= last for by, when in self._told)
                )

    @property
    def are_many(self) -> bool:
        """Did hands come and go, again and again, without a word?"""
        return sum(self._hollow) >= self.settings.hollow

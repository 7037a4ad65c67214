"""
What has been noticed waits to be looked at once more, where a look may say more, and no longer than that helps.

Nothing overtakes what was noticed before it. What is decided of it is not decided here: whether a rule was broken plays
no part.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from referee.events import Placed, Reread
from vision.events.evidence import Evidence

SeenNow = Callable[[Evidence], Evidence | None]
"""Gives what was noticed as it looks by the newest look, None if it has turned out to be nothing."""


class Settling:
    """Take in what is noticed, frame by frame; it comes out settled."""

    def __init__(self) -> None:
        self._waiting: deque[Evidence] = deque()

    @property
    def wants_look(self) -> bool:
        """Would another look settle something?"""
        return bool(self._waiting)

    @property
    def waiting(self) -> tuple[Evidence, ...]:
        """What has been noticed and not come out yet."""
        return tuple(self._waiting)

    def take(self, noticed: Iterable[Evidence], seen_now: SeenNow, at: float) -> tuple[Evidence, ...]:
        """What comes out by the time ``at``, in seconds."""
        # A card that is read as another before it came out comes out as that one.
        laid = {each.key for each in self._waiting if isinstance(each.event, Placed)}
        self._waiting += [each for each in noticed if not isinstance(each.event, Reread) or each.key not in laid]
        now = (seen_now(each) for each in self._waiting)
        self._waiting = deque(each for each in now if each is not None)
        settled = []
        while self._waiting and (self._waiting[0].settles_at is None or at >= self._waiting[0].settles_at):
            settled.append(self._waiting.popleft())
        return tuple(settled)

    def finish(self, noticed: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """Nothing more is seen: all comes out."""
        rest = (*self._waiting, *noticed)
        self._waiting.clear()
        return rest

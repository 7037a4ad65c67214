"""
Evidence waits for a further inference where one may say more, and no longer than that helps.

Evidence leaves in the order in which it came. Whether a rule was broken plays no part here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from referee.events import Placed, Reread
from vision.events.evidence import Evidence

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
        while self._waiting and (self._waiting[0].settles_at is None or at >= self._waiting[0].settles_at):
            confirmed.append(self._waiting.popleft())
        return tuple(confirmed)

    def flush(self, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """Return everything that waits and the new evidence: no further frame comes."""
        rest = (*self._waiting, *evidence)
        self._waiting.clear()
        return rest

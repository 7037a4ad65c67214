"""
State how far a person has checked a line, and so which unseen events may be assumed before it.

A person's correction is complete for its moment. A person who denies a line, or moves a card elsewhere, has checked the
bout: no unseen card is assumed in it, and events that the camera was sure of are certain. Directly after a line on
which nothing happened no unseen event of any kind is assumed.
"""

from __future__ import annotations

from enum import Enum

from referee.events import Dealt, Drawn, Swapped, Swept, TableEvent


class Review(Enum):
    """How far a person's corrections vouch for a line."""

    NONE = "none"
    """No person has denied a line of its bout."""
    BOUT = "bout"
    """A person has denied a line of its bout."""
    MOMENT = "moment"
    """A person has denied the line directly before it."""

    def allows_unseen(self, event: TableEvent) -> bool:
        """Return whether this event may be assumed to have gone unseen before the line."""
        if self is Review.NONE:
            return True
        return self is Review.BOUT and isinstance(event, Swept | Drawn | Dealt | Swapped)

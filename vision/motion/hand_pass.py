"""
What is known of a hand that came over the table, without pixels: the types between motion, tracking and events.

Places are millimetres on the table (``vision.geometry.pose``).
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.geometry.pose import Pose


@dataclass(frozen=True, slots=True)
class Touch:
    """
    A hand over a place.

    ``visit``: number of the hand track. ``share``: most of the place that it hid, 0..1. ``tip_mm``: least distance of
    its finger tips from the middle of the place. ``last_at``: when it was last over it, in seconds.
    """

    visit: int
    share: float
    tip_mm: float
    last_at: float


@dataclass(frozen=True, slots=True)
class TalonCall:
    """
    A hand reached for the talon and is clear of it again.

    ``at``: when it was clear. ``carried``: how much more of a card's area looked like the talon in that hand
    afterwards than before, in cards; None if not known.
    """

    at: float
    deepest_mm: float
    carried: float | None = None


@dataclass(frozen=True, slots=True)
class ReachedSeat:
    """Another seat at whose edge of the picture a hand's finger tips were, and when last, in seconds."""

    seat: str
    at: float


@dataclass(frozen=True, slots=True)
class HandPass:
    """
    A hand track: one hand from coming into the picture until leaving it.

    ``seat``: None where the direction fits two seats about equally; ``likely``: the seat it fits best all the same.
    ``share``: how sure the seat is, 0..1. ``left_at``:
    None while the hand is still in. ``tip``: where the finger tips are now (or were last). ``heap_at``: when the hand
    was last at the heap, None if never. ``talon_calls``: each time it reached for the talon and came away.
    ``trail``: (at, x_mm, y_mm) of its finger tips, frame by frame; ``homes``: where it brings cards:
    to the place where its seat holds cards in the picture, if it does, and at last to where its arm leaves it.
    ``reached``: None if its finger tips were at no other seat's edge.
    """

    number: int
    seat: str | None
    share: float
    came_at: float
    left_at: float | None = None
    likely: str | None = None
    tip: Pose = Pose(0.0, 0.0)
    heap_at: float | None = None
    talon_calls: tuple[TalonCall, ...] = ()
    reached: ReachedSeat | None = None
    trail: tuple[tuple[float, float, float], ...] = ()
    homes: tuple[Pose, ...] = ()

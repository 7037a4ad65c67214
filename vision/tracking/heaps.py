"""
The discard pile ("heap" in records): which group of backs it is.

Every back belongs to the group of those that lie near it. The discard pile is the group that last changed, or, before
any did, the largest; where a person has marked its place, the backs there. A back keeps since when it has lain there
and when it last changed:

    state  what comes                                                     next state
    SEEN   its track ends, others of its group are left                   forgotten
    SEEN   its track ends, it was the last and has lain for long          LOST: the pile still lies there
    SEEN   its track ends, it was the last and came only lately           forgotten: it was no pile
    LOST   a back is found there                                          forgotten; that one is as old as it was
    LOST   another pile is lost                                           forgotten: the other place is kept
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Array, fill, gap, overlap, size, warp
from vision.motion.arm_regions import Flags

# Distances in card diagonals; chosen by hand, 2026-11.
GATHER = 0.9
"""Backs this near to each other are one pile."""
CHANGE, RIM_PX = 0.02, 2
"""Share of a pile's place that must change: a card's edge shifted by a millimetre or two; and pixels of the reduced
picture round a pile that belong to its place."""
LASTING_S = 2.0
"""A discard pile that has lain for so many seconds still lies there when it is not found: it is never taken up."""
MARK_REACH = 1.0
"""A pile this near to a mark of a person is meant: fingers are thick."""
LOST = -1
"""Stands for the key of a back whose track has ended."""
NEVER_SEEN = -1.0
"""Stands for the time (seconds) of what lay there from the start, or never changed."""


@dataclass(frozen=True, slots=True, eq=False)
class Back:
    """A back outside the talon. Times in seconds."""

    quad: Array
    came_at: float = NEVER_SEEN
    changed_at: float = NEVER_SEEN


class Heaps:
    """The backs outside the talon, by the keys of their tracks, and the mark of the discard pile."""

    def __init__(self) -> None:
        self.mark_px: Array | None = None
        """A card's corners (4, 2) at the mark of the discard pile; None without one."""
        self.talon_mark_px: Array | None = None
        """The same of the talon: backs nearer to it do not belong to the discard pile."""
        self._mark_changed_at = NEVER_SEEN
        self._backs: dict[int, Back] = {}

    def __contains__(self, key: int) -> bool:
        return key in self._backs

    @property
    def outlines_px(self) -> tuple[Array, ...]:
        """
        Return the outlines of all groups that may be the discard pile, the likeliest first; one where it is marked.
        """
        if self.mark_px is not None:
            keys = self._heap_keys()
            return (self._outline(keys) if keys else self.mark_px,)
        return tuple(self._outline(keys) for keys in sorted(self._groups(), key=self._likeliness, reverse=True))

    @property
    def changed_at(self) -> float | None:
        """Return when the likeliest group last changed, in seconds, None if never."""
        times = [self._backs[key].changed_at for key in self._heap_keys()]
        at = max([*times, NEVER_SEEN if self.mark_px is None else self._mark_changed_at], default=NEVER_SEEN)
        return at if at >= 0 else None

    @property
    def began_at(self) -> float | None:
        """Return when the likeliest group came to lie there, in seconds, None if it lay there from the start."""
        at = min((self._backs[key].came_at for key in self._heap_keys()), default=NEVER_SEEN)
        return at if at >= 0 else None

    def set_mark(self, place_px: Array) -> None:
        """Mark the place of the discard pile: corners (4, 2) of a card there."""
        self.mark_px, self._mark_changed_at = place_px, NEVER_SEEN

    def is_at_mark(self, quad: Array) -> bool:
        """Check whether a card lies at the mark, and nearer to it than to the talon's mark."""
        marked, other = self.mark_px, self.talon_mark_px
        if marked is None or gap(quad, marked) > MARK_REACH * size(quad):
            return False
        return other is None or gap(quad, marked) < gap(quad, other)

    def follow(self, move: npt.NDArray[np.float64]) -> None:
        """Move all places with the camera. ``move``: (3, 3), from pixels before to pixels now."""
        self.mark_px, self.talon_mark_px = (
            None if place is None else warp(move, place) for place in (self.mark_px, self.talon_mark_px)
        )
        self._backs = {key: replace(back, quad=warp(move, back.quad)) for key, back in self._backs.items()}

    def add_change(self, changed: Flags, scale: float, at: float) -> None:
        """Note where the picture changed: a pile looks different after a card has come to it."""

        def has_changed(outline: Array) -> bool:
            heap = fill((changed.shape[0], changed.shape[1]), outline, 1 / scale)
            place = cv2.dilate(heap, np.ones((2 * RIM_PX + 1, 2 * RIM_PX + 1), np.uint8)) > 0
            return bool(place.any()) and float(changed[place].mean()) >= CHANGE

        for keys in self._groups():
            if has_changed(self._outline(keys)):
                self._backs.update({key: replace(self._backs[key], changed_at=at) for key in keys})
        if self.mark_px is not None and has_changed(self.mark_px):
            self._mark_changed_at = at

    def add(self, key: int, quad: Array, came_at: float | None) -> None:
        """Add a back. ``came_at``: when it came (seconds) if it is new, None: it has lain there from the start."""
        at = NEVER_SEEN if came_at is None else came_at
        self._backs[key] = replace(self._backs[key], quad=quad) if key in self._backs else Back(quad, at, at)
        lost = self._backs.get(LOST)
        if lost is not None and gap(quad, lost.quad) < GATHER * size(quad):  # that pile: it is as old
            del self._backs[LOST]
            self._backs[key] = replace(self._backs[key], came_at=lost.came_at)

    def add_all(self, keys: Iterable[int], quad: Array) -> None:
        """Add the backs of another pile at this place."""
        self._backs.update({key: Back(quad) for key in keys})

    def remove(self, keys: Iterable[int]) -> None:
        """Remove backs: they belong to another pile, or to a hand."""
        for key in keys:
            self._backs.pop(key, None)

    def forget(self, gone: set[int], at: float) -> None:
        """Remove backs whose tracks have ended; of a pile that has lain for long the place is kept."""
        for key in gone & self._backs.keys():
            back = self._backs.pop(key)
            is_last = all(gap(back.quad, other.quad) >= GATHER * size(back.quad) for other in self._backs.values())
            if is_last and at - back.came_at >= LASTING_S:
                self._backs[LOST] = back

    def covers(self, quad: Array, since: float, share: float) -> bool:
        """Check whether a card found at ``since`` (seconds) overlaps by ``share`` with a back that lay there before."""
        return any(back.came_at < since and overlap(quad, back.quad) > share for back in self._backs.values())

    def _heap_keys(self) -> list[int]:
        """Return the backs of the likeliest group: the marked one, or the one that last changed, or the largest."""
        if self.mark_px is not None:
            return [key for keys in self._groups() for key in keys if self.is_at_mark(self._backs[key].quad)]
        return max(self._groups(), key=self._likeliness, default=[])

    def _groups(self) -> list[list[int]]:
        """Return the keys of backs that lie together."""
        groups: list[list[int]] = []
        for key, back in self._backs.items():
            reach = GATHER * size(back.quad)
            near = [each for each in groups if any(gap(back.quad, self._backs[other].quad) < reach for other in each)]
            groups = [group for group in groups if group not in near]
            groups.append([key, *(other for group in near for other in group)])
        return groups

    def _likeliness(self, keys: list[int]) -> tuple[float, int]:
        return max(self._backs[key].changed_at for key in keys), len(keys)

    def _outline(self, keys: list[int]) -> Array:
        hull = cv2.convexHull(np.concatenate([self._backs[key].quad for key in keys]).astype(np.float32))
        return np.asarray(hull[:, 0], np.float32)

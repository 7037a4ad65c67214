"""
The heaps: groups of backs that are no talon.

Theory of operation. Every back is a member of the group of those that lie near it. Which group is the heap shows when a
hand brings cards there: the one that last changed, or, before any did, the largest; where somebody has said where the
heap lies, the backs there. A back keeps since when it has lain there and when it was last seen to change:

    state  what comes                                                     next state
    SEEN   its track ends, others of its group are left                   forgotten
    SEEN   its track ends, it was the last and has lain for long          LOST: its place is the heap's still
    SEEN   its track ends, it was the last and came only lately           forgotten: it was no heap
    LOST   a back is found there                                          forgotten; that one is as old as it was
    LOST   another heap is lost                                           forgotten: the other one's place is kept
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Array, fill, gap, overlap, size, warp
from vision.motion.patches import Flags
from vision.tracking.pile_settings import PileSettings


class Lost(Enum):
    """Stands for the key of a back that is no longer made out: its track has ended."""

    BACK = "the last back of a heap"


Key = int | Lost
LOST = Lost.BACK
NEVER_SEEN = -1.0
"""Stands for the time (seconds) of what lay there from the start, or never changed."""


class Heaps:
    """The backs that are no talon, by the keys of their tracks, and where the heap is said to lie."""

    def __init__(self, settings: PileSettings) -> None:
        self.settings = settings
        self.said_px: Array | None = None
        """A card's corners (4, 2) where the heap is said to lie; None where it is to be found."""
        self.said_talon_px: Array | None = None
        """The same of the talon: what lies nearer to it is none of the heap."""
        self._said_changed_at = NEVER_SEEN
        self._backs: dict[Key, Array] = {}
        self._changed_at: dict[Key, float] = {}
        self._came_at: dict[Key, float] = {}

    def __contains__(self, key: int) -> bool:
        return key in self._backs

    @property
    def outlines_px(self) -> tuple[Array, ...]:
        """Outlines of all groups that may be the heap, the likeliest first; one where it was said."""
        if self.said_px is not None:
            keys = self._heap_keys()
            return (self._outline(keys) if keys else self.said_px,)
        groups = sorted(self._groups(), key=self._likeliness, reverse=True)
        return tuple(self._outline(keys) for keys in groups)

    @property
    def changed_at(self) -> float | None:
        """When the likeliest heap was last seen to change, None if never."""
        groups = self._groups() if self.said_px is None else [self._heap_keys()]
        at = max((self._changed(keys) for keys in groups), default=NEVER_SEEN)
        at = at if self.said_px is None else max(at, self._said_changed_at)
        return at if at >= 0 else None

    @property
    def began_at(self) -> float | None:
        """When the likeliest heap came to lie there, None if it did from the start."""
        came = [self._came_at.get(key, NEVER_SEEN) for key in self._heap_keys()]
        return min(came) if came and min(came) >= 0 else None

    def say(self, place_px: Array) -> None:
        """Somebody says that the heap lies there."""
        self.said_px, self._said_changed_at = place_px, NEVER_SEEN

    def unsay(self) -> None:
        """Nobody says any more where it lies."""
        self.said_px = None

    def is_said(self, quad: Array) -> bool:
        """Does a card lie where the heap is said to lie, and nearer to it than to where the talon is said to?"""
        said, other = self.said_px, self.said_talon_px
        if said is None or gap(quad, said) > self.settings.said_reach * size(quad):
            return False
        return other is None or gap(quad, said) < gap(quad, other)

    def follow(self, move: npt.NDArray[np.float64]) -> None:
        """The camera was moved: ``move`` (3, 3) leads from pixels before to pixels now."""
        self.said_px, self.said_talon_px = (
            None if place is None else warp(move, place) for place in (self.said_px, self.said_talon_px)
        )
        self._backs = {key: warp(move, quad) for key, quad in self._backs.items()}

    def stir(self, changed: Flags, scale: float, at: float) -> None:
        """Note where the picture changed: a heap looks different after a card has come to it."""
        for keys in self._groups():
            if self._looks_changed(self._outline(keys), changed, scale):
                self._changed_at.update(dict.fromkeys(keys, at))
        if self.said_px is not None and self._looks_changed(self.said_px, changed, scale):
            self._said_changed_at = at

    def add(self, key: int, quad: Array, came_at: float | None) -> None:
        """A back lies there. ``came_at``: it came then if it is new, None: it has lain there from the start."""
        if key not in self._backs and came_at is not None:
            self._changed_at[key] = self._came_at[key] = came_at
        self._backs[key] = quad
        if LOST in self._backs and self._together(quad, self._backs[LOST]):
            self._find_again(key)

    def add_all(self, keys: Iterable[int], quad: Array) -> None:
        """What was taken for another pile at this place is a heap."""
        self._backs.update(dict.fromkeys(keys, quad))

    def remove(self, key: int) -> None:
        """A back belongs to another pile."""
        self._backs.pop(key, None)

    def forget(self, gone: set[int], at: float) -> None:
        """Backs that are no longer found; what is left of a heap that has lain long is its place."""
        for key in gone & {key for key in self._backs if key is not LOST}:
            quad, came_at = self._backs.pop(key), self._came_at.pop(key, None)
            changed_at = self._changed_at.pop(key, None)
            is_last = not any(self._together(quad, other) for other in self._backs.values())
            if is_last and (came_at is None or at - came_at >= self.settings.lasting_s):
                self._lose(quad, came_at, changed_at)

    def has_stray(self, bout_px: Sequence[Array], since: float) -> bool:
        """
        Has a back come to lie among the cards of a bout after ``since``, when the bout had begun? Nobody lays backs
        there: it is a card that is not made out.
        """
        return any(
            self._came_at.get(key, NEVER_SEEN) > since
            and any(gap(quad, card) < self.settings.stray * size(card) for card in bout_px)
            for key, quad in self._backs.items()
        )

    def covers(self, quad: Array, since: float, share: float) -> bool:
        """Does what was found there at ``since`` share so much with a back that lay there before?"""
        return any(
            self._came_at.get(key, NEVER_SEEN) < since and overlap(quad, back) > share
            for key, back in self._backs.items()
        )

    def _lose(self, quad: Array, came_at: float | None, changed_at: float | None) -> None:
        self._backs[LOST] = quad
        for times, when in ((self._came_at, came_at), (self._changed_at, changed_at)):
            times.pop(LOST, None)
            if when is not None:
                times[LOST] = when

    def _find_again(self, key: int) -> None:
        """A back where a heap lay is that heap: as old as it was."""
        del self._backs[LOST]
        self._changed_at.pop(LOST, None)
        came_at = self._came_at.pop(LOST, None)
        if came_at is None:
            self._came_at.pop(key, None)
        else:
            self._came_at[key] = came_at

    def _heap_keys(self) -> list[Key]:
        """The backs of the likeliest heap: the one that was said, or that last changed, or the largest."""
        if self.said_px is not None:
            return [key for keys in self._groups() for key in keys if self.is_said(self._backs[key])]
        return max(self._groups(), key=self._likeliness, default=[])

    def _groups(self) -> list[list[Key]]:
        """Backs lying together."""
        groups: list[list[Key]] = []
        for key, quad in self._backs.items():
            near = [group for group in groups if any(self._together(quad, self._backs[other]) for other in group)]
            groups = [group for group in groups if group not in near]
            groups.append([key, *(other for group in near for other in group)])
        return groups

    def _together(self, one: Array, other: Array) -> bool:
        return gap(one, other) < self.settings.gather * size(one)

    def _likeliness(self, keys: list[Key]) -> tuple[float, int]:
        return self._changed(keys), len(keys)

    def _changed(self, keys: list[Key]) -> float:
        return max((self._changed_at.get(key, NEVER_SEEN) for key in keys), default=NEVER_SEEN)

    def _outline(self, keys: list[Key]) -> Array:
        hull = cv2.convexHull(np.concatenate([self._backs[key] for key in keys]).astype(np.float32))
        return np.asarray(hull[:, 0], np.float32)

    def _looks_changed(self, outline: Array, changed: Flags, scale: float) -> bool:
        heap = fill((changed.shape[0], changed.shape[1]), outline, 1 / scale)
        rim = np.ones((2 * self.settings.rim_px + 1, 2 * self.settings.rim_px + 1), np.uint8)
        place = cv2.dilate(heap, rim) > 0
        return bool(place.any()) and float(changed[place].mean()) >= self.settings.change

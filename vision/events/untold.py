"""
Faces in plain view that are told of nobody: under what passes for an arm, or where nothing seems to have changed.

Two looks find the same face, read beyond doubt, at one place, and no track accounts for it. Whether it lies on the
table or is held out in a hand, not all of the table is understood then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.detection.detections import FACE_COUNT, Detections
from vision.geometry.quads import Array, gap, size
from vision.tracking.track import Track


@dataclass(frozen=True, slots=True)
class UntoldSettings:
    """
    What is beyond doubt, and how long it matters. Shares are 0 to 1, times seconds, lengths diagonals of a card. Set by
    hand, 2026-11.
    """

    found: float = 0.7
    """As surely it must be found ..."""
    read: float = 0.95
    """... and read. Higher, either: such faces are overlooked; lower: patterns pass for them."""
    apart_s: float = 0.1
    """Two looks so far apart are two. Longer: faces shown briefly are none; shorter: one blurred picture is enough."""
    steady: float = 0.06
    """It has not moved if its corners are off by no more than this. Higher: a card on its way is one that lies there;
    lower: trembling corners hide one that does."""
    near: float = 0.3
    """A track of that name so near accounts for it. Higher: its double beside it is overlooked; lower: a card that
    slipped is its own double."""
    exchange: float = 1.8
    """So near the talon cards are put down to be exchanged. Higher: cards of the bout beside it are overlooked; lower:
    every exchange is a sign."""
    lasting_s: float = 6.0
    """So long after it was seen the bout may still suffer from it. Longer: what has nothing to do with it is doubted;
    shorter: what it brought about is not."""


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    corners_px: Array
    since: float


class Untold:
    """Feed it every look; ask whether such a face was there lately."""

    def __init__(self, settings: UntoldSettings) -> None:
        self.settings = settings
        self._last: dict[int, _Seen] = {}
        self._noted_at = -1e9

    def note(self, found: Detections, tracks: Sequence[Track], talon_px: Sequence[Array], at: float) -> None:
        """``tracks``: the cards that are known, this look taken in. ``talon_px``: where talon or turn-up lies."""
        s = self.settings
        now: dict[int, _Seen] = {}
        for quad, sure, names in zip(found.corners_px, found.confidence, found.probabilities, strict=True):
            name = int(names.argmax())
            if name >= FACE_COUNT or sure < s.found or names[name] < s.read or self._is_known(name, quad, tracks):
                continue
            if any(gap(quad, pile) < s.exchange * size(quad) for pile in talon_px):
                continue
            before = self._last.get(name)
            if before is None or float(np.abs(quad - before.corners_px).max()) > s.steady * size(quad):
                now[name] = _Seen(quad, at)
                continue
            now[name] = before
            if at - before.since >= s.apart_s:
                self._noted_at = at
        self._last = now

    def lately(self, at: float) -> bool:
        """Was there one, not long before ``at``?"""
        return at - self._noted_at <= self.settings.lasting_s

    def _is_known(self, name: int, quad: Array, tracks: Sequence[Track]) -> bool:
        reach = self.settings.near * size(quad)
        return any(int(np.argmax(track.evidence)) == name and gap(track.corners_px, quad) < reach for track in tracks)

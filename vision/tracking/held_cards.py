"""
Cards read beyond doubt while fingers are on them. They may be held still, so that nothing is told yet; but what lies
there once the fingers have gone, and reads the same, has lain there since: one look is enough then.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from vision.detection.detections import FACE_COUNT, Detections
from vision.geometry.quads import Array, gap, size
from vision.tracking.track_settings import TrackSettings


@dataclass(slots=True)
class HeldCard:
    """Read ``looks`` times with fingers on it, last at ``seen_at``; at ``empty_at`` it was not there yet (seconds)."""

    corners_px: Array
    name: int
    empty_at: float
    seen_at: float
    looks: int = 1


class HeldCards:
    """Tell it of each look what was found and not used."""

    def __init__(self, settings: TrackSettings) -> None:
        self._settings = settings
        self._held: list[HeldCard] = []

    def note(self, found: Detections, unused: Collection[int], times: tuple[float, float]) -> None:
        """``unused``: what was found under arms. ``times``: of this look and of the one before, in seconds."""
        s, (at, last_look_at) = self._settings, times
        self._held = [held for held in self._held if at - held.seen_at <= s.held_gap_s]
        for k in unused:
            name = int(found.best[k])
            is_sure = found.confidence[k] >= s.pale_confidence and found.probabilities[k].max() >= s.pale_read
            if name >= FACE_COUNT or not is_sure:
                continue
            held = self.at_place(found.corners_px[k], name)
            if held is None:
                self._held.append(HeldCard(found.corners_px[k], name, last_look_at, at))
            else:
                held.seen_at, held.looks = at, held.looks + 1

    def at_place(self, corners_px: Array, name: int) -> HeldCard | None:
        """The card of this name (an index into ``CLASS_NAMES``) that was held still at a place (4, 2) px."""
        near = self._settings.held_rest * size(corners_px)
        return next(
            (held for held in self._held if held.name == name and gap(held.corners_px, corners_px) < near), None
        )

    def let_go(self, held: HeldCard) -> None:
        """It lies there now, and is followed."""
        self._held = [other for other in self._held if other is not held]

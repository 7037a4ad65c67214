"""
Cards that came without a change that the gate has told: as the light jumped, or while all of the picture was an arm.

Where nothing changed no card can be new, says the gate. It may save looks; what exists it doesn't decide. What lies
still for a second, and is found and read beyond doubt look after look, is a card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.detection.detections import FACE_COUNT, Detections
from vision.geometry.quads import Array, gap, size
from vision.tracking.track import Track
from vision.tracking.track_settings import TrackSettings


@dataclass(slots=True)
class _Claim:
    corners_px: Array
    name: int
    empty_at: float
    first_at: float
    seen_at: float
    looks: int = 1


class OverlookedChange:
    """Tell it of each claim beyond doubt that nothing explains."""

    def __init__(self, settings: TrackSettings) -> None:
        self._settings = settings
        self._claims: list[_Claim] = []

    def lain_since(
        self, found: Detections, k: int, tracks: Sequence[Track], times: tuple[float, float]
    ) -> float | None:
        """
        When the claim ``k`` of a look was not there yet, for all that is known, in seconds; None as long as it has not
        lain there for long, and of what is no face or one of the ``tracks``. ``times``: of this look and of the one
        before.
        """
        s, corners_px, name, (at, last_look_at) = self._settings, found.corners_px[k], int(found.best[k]), times
        if name >= FACE_COUNT or any(int(np.argmax(track.evidence)) == name for track in tracks):
            return None
        self._claims = [claim for claim in self._claims if at - claim.seen_at <= s.overlooked_gap_s]
        near = s.at_rest * size(corners_px)
        for claim in self._claims:
            if claim.name == name and gap(claim.corners_px, corners_px) < near:
                claim.seen_at, claim.looks = at, claim.looks + 1
                has_lain = claim.looks >= s.overlooked_looks and at - claim.first_at >= s.overlooked_s
                return claim.empty_at if has_lain else None
        self._claims.append(_Claim(corners_px, name, last_look_at, at, at))
        return None

    def is_open(self, at: float) -> bool:
        """Has one been found at that very look that has not lain there for long?"""
        return any(claim.seen_at == at and at - claim.first_at < self._settings.overlooked_s for claim in self._claims)

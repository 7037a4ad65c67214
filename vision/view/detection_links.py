"""What belongs to what in a look: detections to tracks, arms to the visits of hands."""

from __future__ import annotations

import math

import cv2
import numpy as np

from vision.detection.detections import Detections
from vision.geometry.quads import Array, gap, size
from vision.tracking.track_settings import TrackSettings
from vision.view.observer import InferenceRecord

SAME_TIP_MM = 1.0
"""A visit's tip is its arm's, but for rounding."""


def all_detections(look: InferenceRecord) -> Detections:
    """All that the detector found, then what was found by asking it about places."""
    if look.used is None:
        return look.detected
    found = {quad.tobytes() for quad in look.detected.corners_px}
    asked = look.used.only([quad.tobytes() not in found for quad in look.used.corners_px])
    return look.detected.beside(asked)


def detection_tracks(quads_px: Array, look: InferenceRecord) -> list[int | None]:
    """
    Key of the track that each of n detections (n, 4, 2) went to: of those found with this look the nearest, each once.
    """
    found = [track for track in look.tracks if track.seen_at == look.frame.at]
    pairs = sorted(
        (gap(quad, track.corners_px) / max(size(track.corners_px), 1.0), k, track.key)
        for k, quad in enumerate(quads_px)
        for track in found
    )
    told: list[int | None] = [None] * len(quads_px)
    for apart, k, key in pairs:
        if apart <= TrackSettings().same_place and told[k] is None and key not in told:
            told[k] = key
    return told


def hand_outlines(look: InferenceRecord) -> dict[int, Array]:
    """Label of each arm -> its outline (n, 2) in full-size pixels, the largest piece where it is in several."""
    found = {}
    for arm in look.report.arms:
        mask = (look.report.arm_labels == arm.label).astype(np.uint8)
        pieces, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        if pieces:
            largest = cv2.approxPolyDP(max(pieces, key=cv2.contourArea), 1.0, True)
            found[arm.label] = (largest[:, 0].astype(np.float32) + 0.5) * np.float32(look.report.scale)
    return found


def hand_visits(look: InferenceRecord) -> dict[int, int]:
    """Label of each arm -> number of the visit that it belongs to, where one ends at the same tip."""
    here = [visit for visit in look.hands if visit.left_at is None]
    visits = {}
    for arm in look.report.arms:
        tip_mm = look.layout.mm(arm.tip)
        gaps = {visit.number: math.hypot(visit.tip.x_mm - tip_mm[0], visit.tip.y_mm - tip_mm[1]) for visit in here}
        nearest = min(gaps, key=lambda number: gaps[number], default=None)
        if nearest is not None and gaps[nearest] <= SAME_TIP_MM:
            visits[arm.label] = nearest
    return visits

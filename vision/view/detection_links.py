"""Assign detections to tracks, and arms to hand tracks, in one inference."""

from __future__ import annotations

import math

import cv2
import numpy as np

from vision.detection.detections import Detections
from vision.geometry.quads import Array, gap, size
from vision.tracking.track_settings import SAME_PLACE
from vision.view.observer import InferenceRecord

SAME_TIP_MM = 1.0
"""Most distance of a hand track's tip from its arm's: rounding."""


def all_detections(record: InferenceRecord) -> Detections:
    """Return all detections, then the cards found by asking about places."""
    if record.used is None:
        return record.detected
    found = {quad.tobytes() for quad in record.detected.corners_px}
    asked = record.used.only([quad.tobytes() not in found for quad in record.used.corners_px])
    return record.detected.beside(asked)


def detection_tracks(quads_px: Array, record: InferenceRecord) -> list[int | None]:
    """
    Return the key of the track that each of n detections (n, 4, 2) went to.

    It is the nearest track found in this inference; each track is used once.
    """
    found = [track for track in record.tracked.tracks if track.seen_at == record.frame.at]
    pairs = sorted(
        (gap(quad, track.corners_px) / max(size(track.corners_px), 1.0), k, track.key)
        for k, quad in enumerate(quads_px)
        for track in found
    )
    keys: list[int | None] = [None] * len(quads_px)
    for apart, k, key in pairs:
        if apart <= SAME_PLACE and keys[k] is None and key not in keys:
            keys[k] = key
    return keys


def hand_outlines(record: InferenceRecord) -> dict[int, Array]:
    """Return label of each arm -> its outline (n, 2) in full-size pixels, of the largest piece."""
    found = {}
    for arm in record.report.arms:
        mask = (record.report.arm_labels == arm.label).astype(np.uint8)
        pieces, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        if pieces:
            largest = cv2.approxPolyDP(max(pieces, key=cv2.contourArea), 1.0, True)
            found[arm.label] = (largest[:, 0].astype(np.float32) + 0.5) * np.float32(record.report.scale)
    return found


def hand_visits(record: InferenceRecord) -> dict[int, int]:
    """Return label of each arm -> number of the hand track with the same tip."""
    here = [visit for visit in record.hands if visit.left_at is None]
    visits = {}
    for arm in record.report.arms:
        tip_mm = record.layout.mm(arm.tip)
        gaps = {visit.number: math.hypot(visit.tip.x_mm - tip_mm[0], visit.tip.y_mm - tip_mm[1]) for visit in here}
        nearest = min(gaps, key=lambda number: gaps[number], default=None)
        if nearest is not None and gaps[nearest] <= SAME_TIP_MM:
            visits[arm.label] = nearest
    return visits

"""Of what the detector claims: what is worth following."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vision.detection.detections import NOTHING_INDEX, Detections
from vision.geometry.quads import Array, gap, iou, overlap, size
from vision.tracking.frame_facts import FrameFacts
from vision.tracking.track import Track
from vision.tracking.track_settings import NO_CARD, TrackSettings

Names = npt.NDArray[np.float32]


def usable_detections(
    found: Detections, facts: FrameFacts, tracks: Sequence[Track], settings: TrackSettings
) -> list[int]:
    """
    Which detections are used, the surest first: cards at all, not under an arm, not doubles of a better one, and found
    surely, or else where a card that is followed lay.
    """
    kept: list[int] = []
    for k in np.argsort(-found.confidence):
        quad, names, confidence = found.corners_px[k], found.probabilities[k], float(found.confidence[k])
        if names[NOTHING_INDEX] > NO_CARD:
            continue
        if confidence < settings.least_confidence and not goes_on(
            quad, names, confidence, tracks, settings, settings.same_place
        ):
            continue
        place = facts.place(quad)
        if not place.any():
            continue
        is_under_arm = float(facts.arms[place].mean()) > settings.arm_cover
        if is_under_arm and not goes_on(quad, names, confidence, tracks, settings, settings.at_rest):
            continue
        if any(is_double(quad, names, found.corners_px[j], found.probabilities[j], settings) for j in kept):
            continue
        kept.append(int(k))
    return kept


def goes_on(
    quad: Array, names: Names, confidence: float, tracks: Sequence[Track], settings: TrackSettings, near: float
) -> bool:
    """
    Is a weak detection, or one by a hand, a card that is followed, found ``near`` where it lay (in card diagonals) and
    surely read by its name?
    """
    s = settings
    return (
        confidence >= s.weakest_confidence
        and float(names[:NOTHING_INDEX].max()) >= s.unmistakable
        and any(
            int(np.argmax(track.evidence)) == int(names.argmax())
            and gap(quad, track.corners_px) < near * size(track.corners_px)
            for track in tracks
        )
    )


def is_double(quad: Array, names: Names, better: Array, its_names: Names, settings: TrackSettings) -> bool:
    """Is a detection only a better one outlined once more?"""
    return iou(quad, better) > settings.duplicate_iou and float(names @ its_names) > settings.duplicate_names


def is_echo(found: Detections, k: int, tracks: Sequence[Track], at: float, settings: TrackSettings) -> bool:
    """Is the claim ``k`` only one of the ``tracks`` found again in this facts, of the time ``at``, seen double?"""
    if float(found.probabilities[k].max()) >= settings.readable:
        return False
    return any(
        track.confirmed
        and track.seen_at == at
        and track.confidence > found.confidence[k]
        and overlap(track.corners_px, found.corners_px[k]) > settings.echo_overlap
        for track in tracks
    )

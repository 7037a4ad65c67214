"""
Where the classifier is asked about a card that the finder has not found, and which answers are cards.

A finder misses cards of an unusual deck, cards half under another, and cards that the picture's edge cuts. The filter
asks where a known face should show and was not found, and where the picture has changed in a card's shape and no
detection accounts for it. A place that the classifier calls "none" holds no card, and an unreadable card keeps its
place without a name. Backs are never taken from such a place: on a development clip bare cloth read as a back with
0.97.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.detections import FACE_COUNT, NOTHING_INDEX, Detections
from vision.detection.z_order import hidden_share
from vision.geometry.pose import Pose
from vision.geometry.quads import CARD_HEIGHT_MM, CARD_WIDTH_MM, Array, fill, iou, turn_deg
from vision.layout import TableLayout
from vision.motion.arm_regions import Flags
from vision.table.cards_in_view import CardsInView
from vision.table.track import CERTAIN_NAME, NO_CARD, STIRRED_SHARE, UNMISTAKABLE, VISIBLE_SHARE, Track

# Shares from 0 to 1, of an area or of all probability. Chosen by hand, 2026-11.
CONFIDENCE, SURE_CONFIDENCE = 0.5, 0.7
"""Confidence of such a card beside those of the finder: as a rule, and if it is read with ``UNMISTAKABLE``."""
SAME = 0.5
"""Two outlines with this intersection over union are of one card; a card read with this probability is that one."""
LONGEST, SHORTEST = 1.3, 0.72
"""A change between these lengths and breadths, in cards, may be one card."""
FILLED = 0.65
"""Least share of its bounding box that a change fills, for a card has straight edges, and of itself that no detection
has taken up."""
SQUARE = 1.22
"""A change less oblong than this may lie either way."""
MOST_CHANGES = 4
"""Changes asked about in one inference, the largest first."""
RIM_PX = 2
"""Pixels of the reduced picture by which changes spill over the rim of a detection."""
_OPEN = np.ones((3, 3), np.uint8)
_RIM = np.ones((2 * RIM_PX + 1, 2 * RIM_PX + 1), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class TargetedRead:
    """
    A place to ask about.

    ``corners_px``: (4, 2). ``occluders_px``: cards over it. ``track``: the card that lay there, None at a change.
    ``is_touched``: the place has changed since that card was found.
    """

    corners_px: Array
    occluders_px: tuple[Array, ...] = ()
    track: Track | None = None
    is_touched: bool = False


def known_places(view: CardsInView, found: Detections) -> list[TargetedRead]:
    """Return the places of known faces that should show, lower ones first, and that no detection stands for."""
    claims, named, out = _claims(found), _named(found), []
    for height, track in enumerate(view.tracks):
        # Cloth and wood may read as a back.
        if track.is_drawn or (not track.is_nameless and (track.best >= FACE_COUNT or track.best in named)):
            continue
        whole, shown = view.of(track)
        if not shown.any() or shown.sum() < VISIBLE_SHARE * whole:
            continue
        shares = [iou(track.corners_px, claim) for claim in claims]
        if max(shares, default=0.0) >= SAME:
            continue
        below = view.tracks[:height]
        occluders = tuple(
            claim
            for claim, share in zip(claims, shares, strict=True)
            if share > 0 and not any(iou(claim, lower.corners_px) >= SAME for lower in below)
        )
        if hidden_share(track.corners_px, list(occluders)) <= 1 - VISIBLE_SHARE:
            is_touched = (
                track.changed_since_found is not None
                and float(track.changed_since_found[shown].mean()) >= STIRRED_SHARE
            )
            out.append(TargetedRead(track.corners_px, occluders, track, is_touched))
    return out


def changed_places(
    changed: Flags, tracks: Sequence[Track], found: Detections, layout: TableLayout, scale: float
) -> list[TargetedRead]:
    """
    Return the places of changes with a card's shape that no detection accounts for.

    ``changed``: (rows, columns) of the picture reduced by ``scale``, what has changed and come to rest since a card
    last accounted for it, without arms.
    """
    if not layout.cards_measured or not changed.any():
        return []
    shape = (changed.shape[0], changed.shape[1])
    left, taken = changed.astype(np.uint8), np.zeros(shape, np.uint8)
    for claim in _claims(found):
        place = fill(shape, claim, 1 / scale)
        taken |= place
        if all(iou(claim, track.corners_px) < SAME for track in tracks):
            left[cv2.dilate(place, _RIM) > 0] = 0
    left = np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, _OPEN), np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(left, connectivity=8)
    patches = [labels == k for k in sorted(range(1, count), key=lambda k: -int(stats[k, cv2.CC_STAT_AREA]))]
    free = [patch for patch in patches if float((taken[patch] > 0).mean()) < FILLED]
    cards = [quads for patch in free if (quads := _cards_in(patch, layout, scale))]
    return [TargetedRead(quad) for quads in cards[:MOST_CHANGES] for quad in quads]


def accepted_cards(
    places: Sequence[TargetedRead],
    corners_px: np.ndarray,
    probabilities: np.ndarray,
    found: Detections,
    tracks: Sequence[Track],
) -> Detections:
    """
    Return the cards at n places, without those found elsewhere.

    ``corners_px``: (n, 4, 2), refined. ``probabilities``: (n, 54). ``tracks``: all known cards.
    """
    named, known = _named(found), {track.best for track in tracks if not track.is_nameless}
    kept: list[tuple[Array, float, int]] = []
    # Known cards first, then changes as they read: of two ways that a card may lie the surer one.
    surest = probabilities[:, :FACE_COUNT].max(axis=1)
    for k in sorted(range(len(places)), key=lambda k: (places[k].track is None, -float(surest[k]))):
        place, names, track = places[k], probabilities[k], places[k].track
        quad = np.asarray(corners_px[k] if track is None else place.corners_px, np.float32)
        best = int(names.argmax())
        is_sure = best < FACE_COUNT and bool(names[best] >= UNMISTAKABLE)
        if track is None or track.is_nameless:
            is_there = best not in named and float(names[:FACE_COUNT].sum()) >= CERTAIN_NAME
        else:  # another may lie exactly on it
            is_other = place.is_touched and is_sure and best not in named | known
            is_there = bool(names[track.best] >= SAME) or is_other
        if is_there and iou(quad, place.corners_px) >= SAME and all(iou(quad, other) < SAME for other, _, _ in kept):
            kept.append((quad, SURE_CONFIDENCE if is_sure else CONFIDENCE, k))
    if not kept:
        return Detections.none()
    quads, sure, order = zip(*kept, strict=True)
    return Detections(np.stack(quads), np.array(sure, np.float32), probabilities[list(order)].astype(np.float32))


def _claims(found: Detections) -> list[Array]:
    """Return the corners of the detections that are not "none"."""
    return list(found.corners_px[found.probabilities[:, NOTHING_INDEX] < NO_CARD])


def _named(found: Detections) -> set[int]:
    """Return the names, indices into ``CLASS_NAMES``, of the detections read with ``SAME``."""
    return {int(names.argmax()) for names in found.probabilities if names.max() >= SAME}


def _cards_in(patch: Flags, layout: TableLayout, scale: float) -> list[Array]:
    """Return the corners of a card that fills a patch: none, one, or two that lie across each other."""
    contours, _ = cv2.findContours(patch.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = np.concatenate(contours)[:, 0].astype(np.float32)
    box_mm = np.asarray(cv2.boxPoints(cv2.minAreaRect(layout.mm((outline + 0.5) * scale))), np.float32)
    edges = np.linalg.norm(np.roll(box_mm, -1, axis=0) - box_mm, axis=1)
    short, long = sorted((float(edges[0]), float(edges[1])))
    if not (
        SHORTEST * CARD_HEIGHT_MM <= long <= LONGEST * CARD_HEIGHT_MM
        and SHORTEST * CARD_WIDTH_MM <= short <= LONGEST * CARD_WIDTH_MM
    ):
        return []
    if float(patch.sum()) * scale**2 < FILLED * abs(float(cv2.contourArea(layout.px(box_mm)))):
        return []
    middle = box_mm.mean(axis=0)
    # Of a box by OpenCV any edge may come first.
    along = turn_deg(box_mm if edges[1] >= edges[0] else np.roll(box_mm, 1, axis=0))
    turns = [along] if long >= SQUARE * short else [along, along + 90]
    quads = [layout.card_px(Pose(float(middle[0]), float(middle[1]), turn)) for turn in turns]
    # Clockwise in the picture, 0-1 still a short edge.
    signed = [float(cv2.contourArea(quad.astype(np.float32), oriented=True)) for quad in quads]
    return [quad if sign > 0 else quad[[1, 0, 3, 2]] for quad, sign in zip(quads, signed, strict=True)]

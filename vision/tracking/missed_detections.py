"""
Cards that the finder has missed: known cards whose place was touched, and changes of a card's shape that no detection
accounts for.

A finder misses cards of an unusual deck, cards half under another, and cards that the picture's edge cuts. But where a
card lay it may still lie, or another exactly on it, and a change with a card's outline may be a card. The classifier is
asked there; a place that it calls "none" holds no card, and an unreadable card keeps its place without a name. Backs
are never taken from such a place: on a development clip bare cloth read as a back with 0.97.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.detection.detections import FACE_COUNT, NOTHING_INDEX, Detections
from vision.detection.z_order import hidden_share
from vision.geometry.quads import CARD_HEIGHT_MM, CARD_WIDTH_MM, Array, fill, iou, turn_deg
from vision.geometry.table_layout import TableLayout
from vision.motion.arm_regions import Flags
from vision.observation import Pose
from vision.tracking.track import FULL_VIEW, NO_CARD, VISIBLE_SHARE, FrameFacts, Track

LEAST_LEFT, LEAST_KEPT = 0.12, 0.8
"""
A detection that would leave less than this share of a card in view, and less than this share of what was in view, is no
card if the same inference has found that card. Chosen by hand.
"""


@dataclass(frozen=True, slots=True, eq=False)
class CardsInView:
    """``tracks``: oldest first; of two that overlap the later one lies on top. ``facts``: of the newest frame."""

    tracks: Sequence[Track]
    facts: FrameFacts

    def of(self, track: Track) -> tuple[int, Flags]:
        """Return how many pixels a card covers, and which of them are in view."""
        place = self.facts.filled(track.corners_px)
        whole = int((place > 0).sum())
        place[self.facts.arms] = 0
        for later in self.tracks[self.tracks.index(track) + 1 :]:
            cv2.fillConvexPoly(place, np.round(later.corners_px / self.facts.scale).astype(np.int32), 0)
        return whole, place > 0

    def share(self, track: Track) -> float:
        """Return the share of a card that is in view, 0..1."""
        whole, view = self.of(track)
        return float(view.sum()) / whole if whole else 0.0

    def is_covered(self, track: Track) -> bool:
        """Do later cards hide so much of it that not finding it says nothing?"""
        whole, view = CardsInView(self.tracks, replace(self.facts, arms=np.zeros_like(self.facts.arms))).of(track)
        return float(view.sum()) < VISIBLE_SHARE * whole

    def is_under_arm(self, track: Track) -> bool:
        """Check whether an arm hides most of it."""
        place = self.facts.place(track.corners_px)
        return bool(place.any()) and float(self.facts.arms[place].mean()) > 1 - FULL_VIEW

    def found_again(self) -> Flags:
        """Return where confirmed cards lie that this inference has found."""
        mask = np.zeros(self.facts.shape, np.uint8)
        for track in self._found_tracks():
            cv2.fillConvexPoly(mask, np.round(track.corners_px / self.facts.scale).astype(np.int32), 1)
        return mask > 0

    def is_hidden_by(self, place: Flags) -> bool:
        """Check whether a card at this place would hide one that this inference has found."""
        for track in self._found_tracks():
            whole, view = self.of(track)
            left = int((view & ~place).sum())
            if left < LEAST_LEFT * whole and left < LEAST_KEPT * int(view.sum()):
                return True
        return False

    def _found_tracks(self) -> list[Track]:
        return [track for track in self.tracks if track.confirmed and track.seen_at == self.facts.at]


# Shares from 0 to 1, of an area or of all probability. Chosen by hand, 2026-11.
CONFIDENCE, SURE_CONFIDENCE = 0.5, 0.7
"""Confidence of such a card beside those of the finder: as a rule, and if it is read with ``REPLACED``."""
CLAIMED = 0.5
"""A detection with this intersection over union with a place stands for it: nothing is missed there."""
HIDDEN = 0.8
"""A known card of which more is hidden is not asked about."""
SAME = 0.5
"""Probability with which a known card must be read as itself, there or elsewhere."""
REPLACED = 0.9
"""Probability with which another card must be read in the place of a touched card, to lie exactly on it."""
LONGEST, SHORTEST = 1.3, 0.72
"""A change between these lengths and breadths, in cards, may be one card."""
FILLED = 0.65
"""Least share of its bounding box that a change fills: a card has straight edges."""
SQUARE = 1.22
"""A change less oblong than this may lie either way."""
ACCOUNTED = 0.6
"""A change of which detections take up more needs no other card."""
AGREE = 0.5
"""Least intersection over union of a card, its outline refined, with the change."""
SOME_FACE = 0.7
"""Least probability of all faces together."""
MOST_CHANGES, MOST_MEASURED = 4, 16
"""Changes asked about in one inference, and measured for that, the largest first."""
CLAIM_RIM_PX = 2
"""Pixels of the reduced picture by which changes spill over the rim of a detection."""


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """
    A place to ask about.

    ``corners_px``: (4, 2). ``lids_px``: cards over it. ``name``: index into ``CLASS_NAMES`` of the card that lay there,
    None for any. ``change``: number of the change, None for a known card. ``is_touched``: the place has changed since
    that card was found.
    """

    corners_px: Array
    lids_px: tuple[Array, ...] = ()
    name: int | None = None
    change: int | None = None
    is_touched: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class TrackedCard:
    """
    A known card.

    ``corners_px``: (4, 2). ``name``: index into ``CLASS_NAMES``, None if it was never readable. ``is_open``: its place
    was touched (``is_touched``), or it was found too few times.
    """

    corners_px: Array
    name: int | None
    is_open: bool
    is_touched: bool = False


def known_places(lying: Sequence[TrackedCard], found: Detections) -> list[Sought]:
    """Return the open places of known faces, lower ones first, that no detection stands for."""
    claims = _claims(found)
    named = _named(found)
    out = []
    for height, card in enumerate(lying):
        # Cloth and wood may read as a back.
        if not card.is_open or (card.name is not None and (card.name >= FACE_COUNT or card.name in named)):
            continue
        shares = [iou(card.corners_px, claim) for claim in claims]
        if max(shares, default=0.0) >= CLAIMED:
            continue
        below = [other.corners_px for other in lying[:height]]
        lids = tuple(
            claim
            for claim, share in zip(claims, shares, strict=True)
            if share > 0 and not any(iou(claim, lower) >= CLAIMED for lower in below)
        )
        if hidden_share(card.corners_px, list(lids)) <= HIDDEN:
            out.append(Sought(card.corners_px, lids, card.name, is_touched=card.is_touched))
    return out


def _claims(found: Detections) -> list[Array]:
    """Return the corners of the detections that are not "none"."""
    return [
        quad for quad, sure in zip(found.corners_px, found.probabilities, strict=True) if sure[NOTHING_INDEX] < NO_CARD
    ]


def _named(found: Detections) -> set[int]:
    """Return the names, indices into ``CLASS_NAMES``, of the detections read with ``SAME``."""
    return {int(names.argmax()) for names in found.probabilities if names.max() >= SAME}


def changed_places(
    changed: Flags,
    lying: Sequence[TrackedCard],
    found: Detections,
    layout: TableLayout,
    scale: float,
) -> list[Sought]:
    """
    Return the places of changes with a card's shape that no detection accounts for.

    ``changed``: (rows, columns) of the picture reduced by ``scale``, what has changed and come to rest since a card
    last accounted for it, without arms.
    """
    if not layout.cards_measured or not changed.any():
        return []
    shape = (changed.shape[0], changed.shape[1])
    left, taken = changed.astype(np.uint8), np.zeros(shape, np.uint8)
    rim = np.ones((2 * CLAIM_RIM_PX + 1, 2 * CLAIM_RIM_PX + 1), np.uint8)
    for claim in _claims(found):
        place = fill(shape, claim, 1 / scale)
        taken |= place
        if all(iou(claim, card.corners_px) < CLAIMED for card in lying):
            left[cv2.dilate(place, rim) > 0] = 0
    left = np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, _OPEN), np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(left, connectivity=8)
    out: list[Sought] = []
    order = sorted(range(1, count), key=lambda k: -int(stats[k, cv2.CC_STAT_AREA]))
    for k in order[:MOST_MEASURED]:
        patch = labels == k
        if float((taken[patch] > 0).mean()) >= ACCOUNTED:
            continue
        out += [Sought(quad, change=k) for quad in _cards_in(patch, layout, scale)]
        if len({place.change for place in out}) >= MOST_CHANGES:
            break
    return out


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
    box_px = layout.px(box_mm)
    if float(patch.sum()) * scale**2 < FILLED * abs(float(cv2.contourArea(box_px))):
        return []
    middle = box_mm.mean(axis=0)
    # Of a box by OpenCV any edge may come first.
    along = turn_deg(box_mm if edges[1] >= edges[0] else np.roll(box_mm, 1, axis=0))
    turns = [along] if long >= SQUARE * short else [along, along + 90]
    quads = [layout.card_px(Pose(float(middle[0]), float(middle[1]), turn)) for turn in turns]
    # Clockwise in the picture, 0-1 still a short edge.
    signed = [float(cv2.contourArea(quad.astype(np.float32), oriented=True)) for quad in quads]
    return [quad if sign > 0 else quad[[1, 0, 3, 2]] for quad, sign in zip(quads, signed, strict=True)]


def accepted_cards(
    sought: Sequence[Sought],
    corners_px: np.ndarray,
    probabilities: np.ndarray,
    found: Detections,
    lying: Sequence[TrackedCard],
) -> Detections:
    """
    Return the cards at n places, without those found elsewhere.

    ``corners_px``: (n, 4, 2), refined. ``probabilities``: (n, 54). ``lying``: all known cards.
    """
    named = _named(found)
    known = {card.name for card in lying}
    kept: list[int] = []
    places: list[np.ndarray] = []
    sure: list[float] = []
    # Known cards first, then changes as they read: of two ways that a card may lie the surer one.
    surest = probabilities[:, :FACE_COUNT].max(axis=1) if len(sought) else np.zeros(0)
    for k in sorted(range(len(sought)), key=lambda k: (sought[k].change is not None, -float(surest[k]))):
        place, names = sought[k], probabilities[k]
        quad = corners_px[k] if place.change is not None else place.corners_px
        best = int(names.argmax())
        is_sure = best < FACE_COUNT and bool(names[best] >= REPLACED)
        if place.name is not None and names[place.name] < SAME:
            is_there = place.is_touched and is_sure and best not in named and best not in known
        elif place.name is not None:
            is_there = True
        else:
            is_there = best not in named and float(names[:FACE_COUNT].sum()) >= SOME_FACE
        if not is_there or iou(quad, place.corners_px) < AGREE:
            continue
        if all(iou(quad, other) < CLAIMED for other in places):
            kept.append(k)
            sure.append(SURE_CONFIDENCE if is_sure else CONFIDENCE)
            places.append(np.asarray(quad, np.float32))
    if not kept:
        return Detections.none()
    return Detections(np.stack(places), np.array(sure, np.float32), probabilities[kept].astype(np.float32))


_OPEN = np.ones((3, 3), np.uint8)

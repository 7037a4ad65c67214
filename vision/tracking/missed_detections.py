"""
Places where a card must lie though the finder claims none: a known card whose place was touched, and a change of a
card's shape that nothing accounts for.

A finder passes over what it hardly knows: a deck of another kind, a card half under another, one that the picture's
edge cuts. But the table is watched: where a card lay it may lie still, or another exactly on it, and what came to rest
with a card's outline may be one. The classifier is asked there, and what it calls no card stays overlooked. What nobody
can read keeps its place without a name. Backs are never taken from such a place: on a clip for developing bare cloth
read as a back with 0.97.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.detections import FACE_COUNT, NOTHING_INDEX, Detections
from vision.detection.z_order import hidden_share
from vision.geometry.plane_homography import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.geometry.quads import Array, fill, iou, turn_deg
from vision.geometry.table_layout import TableLayout
from vision.motion.patches import Flags
from vision.observation import Pose
from vision.tracking.track_settings import NO_CARD


@dataclass(frozen=True, slots=True)
class MissedDetectionSettings:
    """
    Where to ask, and what to believe. Shares are from 0 to 1, of an area or of all probability.

    Set by hand, 2026-11.
    """

    confidence: float = 0.5
    """What such a card is worth beside those the finder claims. Higher: it displaces claims; lower: it is not used."""
    claimed: float = 0.5
    """A claim that shares so much of its union with a place speaks for it: nothing is overlooked there. Higher: dearer,
    and cards are seen double; lower: cards under a claim stay overlooked."""
    hidden: float = 0.8
    """A known card of which more than this is hidden is not asked for. Higher: strips are misread; lower: covered cards
    go."""
    same: float = 0.5
    """So surely a known card must be read as itself again, or elsewhere. Higher: covered cards go; lower: cloth keeps
    cards that are gone."""
    replaced: float = 0.9
    """So surely a card that lies nowhere else must be read in the place of a known one that was touched, to lie exactly
    on it. Higher: cards dealt on a pile that the finder passes over are missed; lower: a known card that a hand has
    pushed lies under another."""
    sure_confidence: float = 0.7
    """What a card read as surely as that is worth. Higher: it displaces claims; lower: it begins no track."""
    longest: float = 1.3
    """A change this many times as long or broad as a card is more than one ..."""
    shortest: float = 0.72
    """... and one of less than this is a part of one, or something else. Higher ``longest`` or lower ``shortest``:
    shadows are asked about too; the other way: half-seen cards are not asked about."""
    filled: float = 0.65
    """So much of the box round it a change must fill: a card has straight edges. Higher: cards on cards are lost;
    lower: arms' shadows are asked about."""
    square: float = 1.22
    """A change less longish than this may lie either way. Higher: dearer; lower: a bent card is asked about the wrong
    way."""
    accounted: float = 0.6
    """A change of which cards that were found take up so much needs no other. Higher: dearer; lower: cards beside found
    ones are lost."""
    agree: float = 0.5
    """Put right, a card shares at least so much of its union with the change. Higher: fewer cards; lower: a neighbour
    is found once more."""
    some_face: float = 0.7
    """As surely some face must be read there. Higher: unknown decks are lost; lower: patterned cloth is cards."""
    most: int = 4
    """Changes looked at in one look. More: dearer; fewer: of many cards laid at once some are told later."""
    most_tried: int = 16
    """Changes measured for that, the largest first. More: a look with much unrest takes longer; fewer: a small change
    is left out."""
    claim_rim_px: int = 2
    """Changes spill over a claim's rim by so many pixels of the reduced picture. More: a narrow card beside another is
    passed over; fewer: rims of known cards are asked about."""


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """
    A place to ask about. corners_px: (4, 2). lids_px: cards that lie over it. name: index into ``CLASS_NAMES`` of the
    card that lay there, None where it may be any. change: which of the changes, None for a known card. is_touched: the
    place has changed since that card was found there.
    """

    corners_px: Array
    lids_px: tuple[Array, ...] = ()
    name: int | None = None
    change: int | None = None
    is_touched: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class TrackedCard:
    """
    A known card. corners_px: (4, 2). name: index into ``CLASS_NAMES``, None where nobody could read it yet. is_open:
    has its place been touched (``is_touched``), or has it been seen too few times to tell?
    """

    corners_px: Array
    name: int | None
    is_open: bool
    is_touched: bool = False


def known_places(lying: Sequence[TrackedCard], found: Detections, settings: MissedDetectionSettings) -> list[Sought]:
    """Known faces, lower ones first, whose places are open and that no claim speaks for."""
    claims = _claims(found)
    named = _named(found, settings)
    out = []
    for height, card in enumerate(lying):
        # Cloth and wood may read as a back.
        if not card.is_open or (card.name is not None and (card.name >= FACE_COUNT or card.name in named)):
            continue
        shares = [iou(card.corners_px, claim) for claim in claims]
        if max(shares, default=0.0) >= settings.claimed:
            continue
        below = [other.corners_px for other in lying[:height]]
        lids = tuple(
            claim
            for claim, share in zip(claims, shares, strict=True)
            if share > 0 and not any(iou(claim, lower) >= settings.claimed for lower in below)
        )
        if hidden_share(card.corners_px, list(lids)) <= settings.hidden:
            out.append(Sought(card.corners_px, lids, card.name, is_touched=card.is_touched))
    return out


def _claims(found: Detections) -> list[Array]:
    """What was found and not read as no card."""
    return [
        quad for quad, sure in zip(found.corners_px, found.probabilities, strict=True) if sure[NOTHING_INDEX] < NO_CARD
    ]


def _named(found: Detections, settings: MissedDetectionSettings) -> set[int]:
    """Which cards were found, read about surely."""
    return {int(names.argmax()) for names in found.probabilities if names.max() >= settings.same}


def changed_places(
    changed: Flags,
    lying: Sequence[TrackedCard],
    found: Detections,
    layout: TableLayout,
    scale: float,
    settings: MissedDetectionSettings,
) -> list[Sought]:
    """
    Changes of a card's shape that no claim accounts for.

    ``changed``: what of the picture, reduced by ``scale``, has changed and come to rest since a card last accounted for
    it, arms left out.
    """
    if not layout.cards_measured or not changed.any():
        return []
    claims = _claims(found)
    shape = (changed.shape[0], changed.shape[1])
    left = changed.astype(np.uint8)
    rim = np.ones((2 * settings.claim_rim_px + 1, 2 * settings.claim_rim_px + 1), np.uint8)
    for claim in claims:
        if all(iou(claim, card.corners_px) < settings.claimed for card in lying):
            left[cv2.dilate(fill(shape, claim, 1 / scale), rim) > 0] = 0
    taken = np.zeros(shape, np.uint8)
    for claim in claims:
        taken |= fill(shape, claim, 1 / scale)
    left = np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, _OPEN), np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(left, connectivity=8)
    out: list[Sought] = []
    order = sorted(range(1, count), key=lambda k: -int(stats[k, cv2.CC_STAT_AREA]))
    for k in order[: settings.most_tried]:
        patch = labels == k
        if float((taken[patch] > 0).mean()) >= settings.accounted:
            continue
        out += [Sought(quad, change=k) for quad in _cards_in(patch, layout, scale, settings)]
        if len({place.change for place in out}) >= settings.most:
            break
    return out


def _cards_in(patch: Flags, layout: TableLayout, scale: float, settings: MissedDetectionSettings) -> list[Array]:
    """How a card may lie that fills a patch: not at all, one way, or one of two."""
    contours, _ = cv2.findContours(patch.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = np.concatenate(contours)[:, 0].astype(np.float32)
    box_mm = np.asarray(cv2.boxPoints(cv2.minAreaRect(layout.mm((outline + 0.5) * scale))), np.float32)
    edges = np.linalg.norm(np.roll(box_mm, -1, axis=0) - box_mm, axis=1)
    short, long = sorted((float(edges[0]), float(edges[1])))
    if not (
        settings.shortest * CARD_HEIGHT_MM <= long <= settings.longest * CARD_HEIGHT_MM
        and settings.shortest * CARD_WIDTH_MM <= short <= settings.longest * CARD_WIDTH_MM
    ):
        return []
    box_px = layout.px(box_mm)
    if float(patch.sum()) * scale**2 < settings.filled * abs(float(cv2.contourArea(box_px))):
        return []
    middle = box_mm.mean(axis=0)
    # Of a box by OpenCV any edge may come first.
    along = turn_deg(box_mm if edges[1] >= edges[0] else np.roll(box_mm, 1, axis=0))
    turns = [along] if long >= settings.square * short else [along, along + 90]
    return [_clockwise(layout.card_px(Pose(float(middle[0]), float(middle[1]), turn))) for turn in turns]


def _clockwise(quad: Array) -> Array:
    """The same card, its corners clockwise in the picture, 0-1 a short edge still."""
    signed = float(cv2.contourArea(quad.astype(np.float32), oriented=True))
    return quad if signed > 0 else quad[[1, 0, 3, 2]]


def accepted_cards(
    sought: Sequence[Sought],
    corners_px: np.ndarray,
    probabilities: np.ndarray,
    found: Detections,
    lying: Sequence[TrackedCard],
    settings: MissedDetectionSettings,
) -> Detections:
    """
    The cards among n places, by how they look; none that was found elsewhere. ``lying``: all known cards.

    corners_px: (n, 4, 2), put right; probabilities: (n, 54).
    """
    named = _named(found, settings)
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
        is_sure = best < FACE_COUNT and bool(names[best] >= settings.replaced)
        if place.name is not None and names[place.name] < settings.same:
            is_there = place.is_touched and is_sure and best not in named and best not in known
        elif place.name is not None:
            is_there = True
        else:
            is_there = best not in named and float(names[:FACE_COUNT].sum()) >= settings.some_face
        if not is_there or iou(quad, place.corners_px) < settings.agree:
            continue
        if all(iou(quad, other) < settings.claimed for other in places):
            kept.append(k)
            sure.append(settings.sure_confidence if is_sure else settings.confidence)
            places.append(np.asarray(quad, np.float32))
    if not kept:
        return Detections.none()
    return Detections(np.stack(places), np.array(sure, np.float32), probabilities[kept].astype(np.float32))


_OPEN = np.ones((3, 3), np.uint8)

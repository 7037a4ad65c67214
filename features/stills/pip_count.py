"""
Count the pips of a card in plain view, as evidence of its rank where the corner shows no legible letter or number.

Pips are spots of one size on even paper. They count only if they lie as on every deck of French suits: in two columns
and the middle between them, at fixed heights. Court figures, partly covered cards and glare show no such layout.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from referee.cards import RANKS
from vision.detection.detections import EVEN_ODDS, FACE_COUNT, FACES, Detections
from vision.detection.occluded_reading import Read
from vision.detection.rectification import Picture, crops_at
from vision.detection.z_order import hidden_share
from vision.geometry.quads import Array, Mask, area

CARD_PX = (180, 252)
"""Width and height in pixels of the crop on which pips are counted."""
BORDER_PX = 5
"""Pixels left out along the card's edge: the table shows there where corners are inexact."""
LEAST_CONTRAST = 25.0
"""Smallest distance between paper and pips in the Lab colour space."""
PIP_SHARE = (0.006, 0.06)
"""Smallest and largest area of a pip as a share of the card's."""
ALIKE = 0.6
"""Smallest pip over the largest one, by area."""
SMALL_PRINT = 0.45
"""Largest area of other print (indices, their suit signs) over the smallest pip's."""
OFF_PLACE = 0.1
"""Distance of a pip from its place, in widths and heights of the whole layout."""
ONE_COLUMN = 0.15
"""Width of the layout, in card widths, below which all pips lie in one column."""

UNSURE = 0.9
"""Class share below which the pips of a card are counted. Chosen by hand, as the two below."""
PLAIN_VIEW = 0.02
"""Largest hidden share of a card whose pips are counted."""
MISCOUNTED = 0.05
"""Weight of the other ranks once the pips are counted."""
LEAST_AGREEMENT = 0.05
"""Share that the classifier must give to the counted rank; below it the count is not used."""
CUT_WITHIN = 0.95
"""Share of a cut outline that lies inside the whole card's. Chosen by hand, as the next one."""
CUT_AREA = 0.85
"""Largest area of a cut outline over the whole card's."""


def _layout(columns: int, middle: tuple[float, ...]) -> Array:
    """Return the places of pips, (n, 2): two columns of ``columns`` pips, and the heights of those between them."""
    sides = [(x, row / (columns - 1)) for row in range(columns) for x in (0.0, 1.0)] if columns else []
    return np.array([*sides, *((0.5, y) for y in middle)], np.float32)


LAYOUTS: dict[str, tuple[Array, ...]] = {
    "2": (_layout(0, (0.0, 1.0)),),
    "3": (_layout(0, (0.0, 0.5, 1.0)),),
    "4": (_layout(2, ()),),
    "5": (_layout(2, (0.5,)),),
    "6": (_layout(3, ()),),
    "7": (_layout(3, (0.25,)), _layout(3, (0.75,))),
    "8": (_layout(3, (0.25, 0.75)),),
    "9": (_layout(4, (0.5,)),),
    "T": (_layout(4, (1 / 6, 5 / 6)),),
}
"""Places of the pips of each rank, as shares of the whole layout's width and height. A seven may lie either way up."""


def count_pips(image_bgr: Picture, corners_px: Array) -> str | None:
    """Return the rank whose pips the card at (4, 2) px shows; None if it shows none of these layouts."""
    width, height = CARD_PX
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    places = _pips(crops_at(image_bgr, corners_px[None], frame, CARD_PX)[0])
    if places is None:
        return None
    low, high = places.min(axis=0), places.max(axis=0)
    wide, tall = np.maximum(high - low, 1.0)
    across = np.full(len(places), 0.5) if wide < ONE_COLUMN * width else (places[:, 0] - low[0]) / wide
    found = np.stack([across, (places[:, 1] - low[1]) / tall], axis=1)
    for rank, layouts in LAYOUTS.items():
        for layout in layouts:
            if len(layout) == len(found) and _is_layout(found, layout):
                return rank
    return None


def _is_layout(found: npt.NDArray[np.float64], layout: Array) -> bool:
    """Check whether each place of the layout has a pip of its own, both (n, 2)."""
    apart = np.abs(found[:, None] - layout[None]).max(axis=2)
    nearest = apart.argmin(axis=0)
    return bool((apart.min(axis=0) <= OFF_PLACE).all() and len(set(nearest.tolist())) == len(layout))


def _pips(card_bgr: Mask) -> npt.NDArray[np.float64] | None:
    """Return the centres (n, 2) of the pips on an upright card; None if its print is anything but pips."""
    lab = cv2.cvtColor(card_bgr[BORDER_PX:-BORDER_PX, BORDER_PX:-BORDER_PX], cv2.COLOR_BGR2LAB).astype(np.float32)
    far = np.linalg.norm(lab - np.median(lab, axis=(0, 1)), axis=2)
    levels = np.clip(far, 0, 255).astype(np.uint8)
    threshold, _ = cv2.threshold(levels, 0, 255, cv2.THRESH_OTSU)
    print_mask = (levels > max(threshold, LEAST_CONTRAST)).astype(np.uint8)
    _, _, stats, centres = cv2.connectedComponentsWithStats(print_mask)
    areas = stats[1:, cv2.CC_STAT_AREA] / (CARD_PX[0] * CARD_PX[1])
    inner = (stats[1:, cv2.CC_STAT_LEFT] > 0) & (stats[1:, cv2.CC_STAT_TOP] > 0)
    inner &= stats[1:, cv2.CC_STAT_LEFT] + stats[1:, cv2.CC_STAT_WIDTH] < print_mask.shape[1]
    inner &= stats[1:, cv2.CC_STAT_TOP] + stats[1:, cv2.CC_STAT_HEIGHT] < print_mask.shape[0]
    largest = float(areas[inner].max(initial=0.0))
    if not PIP_SHARE[0] <= largest <= PIP_SHARE[1]:
        return None
    is_pip = inner & (areas >= ALIKE * largest)
    if (areas[inner & ~is_pip] > SMALL_PRINT * areas[is_pip].min()).any():
        return None
    found: npt.NDArray[np.float64] = centres[1:][is_pip]
    return found


def with_counted_pips(image_bgr: Picture, seen: Detections, covered: Array) -> Detections:
    """
    Return the detections with the pips of unsurely read cards as evidence of their rank.

    covered: (n,), the hidden share of each card.
    """
    surest = seen.probabilities.max(axis=1, initial=0.0)
    asked = np.flatnonzero((seen.best < FACE_COUNT) & (surest < UNSURE) & (covered <= PLAIN_VIEW))
    if not len(asked):
        return seen
    ranks = np.array([RANKS.index(face.rank) for face in FACES])
    probabilities = seen.probabilities.copy()
    for card in asked:
        rank = count_pips(image_bgr, seen.corners_px[card])
        if rank is None:
            continue
        counted = np.flatnonzero(ranks == RANKS.index(rank))
        if probabilities[card, counted].sum() < LEAST_AGREEMENT:
            continue
        weighted = probabilities[card] * MISCOUNTED
        weighted[counted] = probabilities[card, counted]
        probabilities[card] = weighted / weighted.sum()
    return Detections(seen.corners_px, seen.confidence, probabilities)


def with_uncut_outlines(image_bgr: Picture, seen: Detections, doubles: Array, read: Read) -> Detections:
    """
    Return the detections with outlines that end before a card's last pips replaced by the dropped one that holds all.

    The upper five pips of a seven look like a five. doubles: (n, 4, 2) px, the proposals that were dropped. One of them
    replaces a face if it lies in plain view around it and shows the pips of the rank as which it is classified.
    """
    corners, probabilities = seen.corners_px.copy(), seen.probabilities.copy()
    for card in np.flatnonzero(seen.best < FACE_COUNT):
        quad = seen.corners_px[card]
        others = [other for k, other in enumerate(seen.corners_px) if k != card]
        for whole in doubles:
            if area(quad) > CUT_AREA * area(whole) or hidden_share(quad, [whole]) < CUT_WITHIN:
                continue
            if hidden_share(whole, others) > PLAIN_VIEW or (rank := count_pips(image_bgr, whole)) is None:
                continue
            reading = read(whole[None], [[]])[0]
            face = int(reading.argmax())
            if face < FACE_COUNT and FACES[face].rank == rank and reading[face] >= EVEN_ODDS:
                corners[card], probabilities[card] = whole, reading
                break
    return Detections(corners, seen.confidence, probabilities)

"""
Count the pips of a card in plain view, as evidence of its rank where the corner shows no legible letter or number.

Pips are spots of one size on even paper. They count only if they lie as on every deck of French suits: in two columns
and the middle between them, at fixed heights. Court figures, partly covered cards and glare show no such layout. Some
decks print them in a panel, tinted or framed, which the classifier takes for a court's: then they count inside it.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from referee.cards import RANKS, Card, Suit
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
"""Smallest distance between paper and pips, or paper and a panel, in the Lab colour space."""
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
LEAST_SPAN = 0.55
"""Least height of the whole layout, as a share of the card's or panel's: from two pips on it spans most of either."""
PANEL = (0.06, 0.7)
"""Smallest and largest area of a panel as a share of the card's."""
PANEL_CENTRED = 0.08
"""Largest distance of a panel's middle from the card's, in card widths and heights."""
PANEL_FILLED = 0.8
"""Share of a tinted panel's bounding box, or of the box's sides of a framed one, that is print."""
PANEL_BORDER_PX = 3
"""Pixels left out along a panel's edge: its frame."""

UNSURE = 0.9
"""
Class share below which the pips of a card are counted, and those of each court. Chosen by hand, as the two below.
"""
PLAIN_VIEW = 0.02
"""Largest hidden share of a card whose pips are counted."""
MISCOUNTED = 0.05
"""Weight of the other ranks once the pips are counted."""
LEAST_AGREEMENT = 0.05
"""
Share that the classifier must give to the counted rank; below it the count is used against a court alone, and as much
as the classifier. Of 68 courts in plain view on `dev` photographs of nine sets none shows a layout, of 247 other cards
that are read surely 132 show their own and one another's, 2026-11.
"""
TWO_COLUMNS = "456789T"
"""Ranks with two columns of pips, which no court shows: the two heads or suit signs of one lie like a two's pips."""
CUT_WITHIN = 0.95
"""Share of a cut outline that lies inside the whole card's. Chosen by hand, as the next one."""
CUT_AREA = 0.85
"""Largest area of a cut outline over the whole card's."""


OF_RANK = np.array([[FACES.index(Card(rank, suit)) for suit in Suit] for rank in RANKS])
"""Classes of faces by rank and suit, (13, 4)."""
COURTS = OF_RANK[[RANKS.index(rank) for rank in "JQK"]]
"""Classes of jacks, queens and kings, by rank and suit, (3, 4)."""


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
    card = crops_at(image_bgr, corners_px[None], frame, CARD_PX)[0][BORDER_PX:-BORDER_PX, BORDER_PX:-BORDER_PX]
    panel = _panel((_contrast(card) > LEAST_CONTRAST).astype(np.uint8))
    paper = card if panel is None else cv2.resize(card[panel], CARD_PX, interpolation=cv2.INTER_CUBIC)
    places = _pips(paper.astype(np.uint8))
    if places is None:
        return None
    low, high = places.min(axis=0), places.max(axis=0)
    if high[1] - low[1] < LEAST_SPAN * height:
        return None
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


def _contrast(paper_bgr: Mask) -> Mask:
    """Return the distance of each pixel of (h, w, 3) from the median colour in the Lab colour space, (h, w) uint8."""
    lab = cv2.cvtColor(paper_bgr, cv2.COLOR_BGR2LAB).astype(np.float32)
    levels: Mask = np.clip(np.linalg.norm(lab - np.median(lab, axis=(0, 1)), axis=2), 0, 255).astype(np.uint8)
    return levels


def _panel(print_mask: Mask) -> tuple[slice, slice] | None:
    """Return the rows and columns inside the panel in the middle of a card's print (h, w); None if there is none."""
    height, width = print_mask.shape
    _, labels, stats, _ = cv2.connectedComponentsWithStats(print_mask)
    for label, (left, top, wide, tall, filled) in enumerate(stats[1:].tolist(), start=1):
        is_centred = abs(left + wide / 2 - width / 2) <= PANEL_CENTRED * width
        is_centred &= abs(top + tall / 2 - height / 2) <= PANEL_CENTRED * height
        if not is_centred or not PANEL[0] <= wide * tall / (width * height) <= PANEL[1]:
            continue
        part = labels[top : top + tall, left : left + wide] == label
        near = PANEL_BORDER_PX
        sides = (part[:near].any(0), part[-near:].any(0), part[:, :near].any(1), part[:, -near:].any(1))
        if filled >= PANEL_FILLED * wide * tall or min(side.mean() for side in sides) >= PANEL_FILLED:
            return slice(top + near, top + tall - near), slice(left + near, left + wide - near)
    return None


def _pips(paper_bgr: Mask) -> npt.NDArray[np.float64] | None:
    """Return the centres (n, 2) of the pips on (h, w, 3) paper; None if its print is anything but pips."""
    levels = _contrast(paper_bgr)
    threshold, _ = cv2.threshold(levels, 0, 255, cv2.THRESH_OTSU)
    print_mask = (levels > max(threshold, LEAST_CONTRAST)).astype(np.uint8)
    _, _, stats, centres = cv2.connectedComponentsWithStats(print_mask)
    areas = stats[1:, cv2.CC_STAT_AREA] / print_mask.size
    inner = (stats[1:, cv2.CC_STAT_LEFT] > 0) & (stats[1:, cv2.CC_STAT_TOP] > 0)
    inner &= stats[1:, cv2.CC_STAT_LEFT] + stats[1:, cv2.CC_STAT_WIDTH] < print_mask.shape[1]
    inner &= stats[1:, cv2.CC_STAT_TOP] + stats[1:, cv2.CC_STAT_HEIGHT] < print_mask.shape[0]
    largest = float(areas[inner].max(initial=0.0))
    if not PIP_SHARE[0] <= largest <= PIP_SHARE[1]:
        return None
    is_pip = inner & (areas >= ALIKE * largest)
    if (areas[inner & ~is_pip] > SMALL_PRINT * areas[is_pip].min()).any():
        return None
    return centres[1:][is_pip].astype(np.float64)


def with_counted_pips(image_bgr: Picture, seen: Detections, covered: Array) -> Detections:
    """
    Return the detections with the pips of unsurely read cards, and of courts, as evidence of their rank.

    covered: (n,), the hidden share of each card.
    """
    surest = seen.probabilities.max(axis=1, initial=0.0)
    is_asked = (surest < UNSURE) | np.isin(seen.best, COURTS)
    asked = np.flatnonzero((seen.best < FACE_COUNT) & is_asked & (covered <= PLAIN_VIEW))
    if not len(asked):
        return seen
    probabilities = seen.probabilities.copy()
    for card in asked:
        rank = count_pips(image_bgr, seen.corners_px[card])
        if rank is None:
            continue
        counted, shares = OF_RANK[RANKS.index(rank)], probabilities[card]
        if shares[counted].sum() >= LEAST_AGREEMENT:
            weighted = shares * MISCOUNTED
            weighted[counted] = shares[counted]
            probabilities[card] = weighted / weighted.sum()
        elif seen.best[card] in COURTS and rank in TWO_COLUMNS:
            by_pips = np.zeros_like(shares)
            by_pips[counted] = shares[OF_RANK].sum(axis=0)
            probabilities[card] = (shares + by_pips / by_pips.sum()) / 2
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

"""Break down reading scores by condition: covered share, card height, camera angle, light, deck."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise

import numpy as np

from datasets.photos.labels import LabelledPicture
from models.evaluation.scoring import CardReading, CardScore, PictureScore

HEIGHTS_PX = (0, 70, 110, 160, 220, 10_000)
COVERED = (0.0, 0.2, 0.4, 0.65, 0.85, 1.01)
ELEVATIONS_DEG = (0, 30, 45, 60, 75, 91)
"""Degrees; 90: seen from straight above."""
LARGE_PX, LITTLE_COVERED = 70, 0.65
CARD_SHAPE = np.array([[-0.5, -0.7], [0.5, -0.7], [0.5, 0.7], [-0.5, 0.7]])
"""A card's corners in card widths."""


def elevation_deg(quad: np.ndarray) -> float:
    """
    Return the camera's angle above the table from the foreshortening of a card's outline.

    >>> round(elevation_deg(np.array([[0, 0], [100, 0], [100, 140], [0, 140]])))
    90
    >>> round(elevation_deg(np.array([[0, 0], [100, 0], [100, 70], [0, 70]])))
    30
    """
    centred = quad - quad.mean(axis=0)
    onto, *_ = np.linalg.lstsq(CARD_SHAPE, centred, rcond=None)
    longest, shortest = np.linalg.svd(onto, compute_uv=False)
    return float(np.degrees(np.arcsin(np.clip(shortest / max(longest, 1e-6), 0, 1))))


def picture_elevation(picture: LabelledPicture, readings: Sequence[CardReading]) -> float | None:
    """Return the median over the cards, labelled or else found; None without any."""
    quads = [np.array(card.corners_px) for card in picture.cards if card.corners_px is not None]
    quads = quads or [reading.corners_px for reading in readings if reading.reported]
    return float(np.median([elevation_deg(quad) for quad in quads])) if quads else None


def card_height_px(card: CardScore) -> float:
    """
    Return the length of a labelled card's long edges, or the longer side of its box, which is about that; 0: not
    labelled.
    """
    if card.label.corners_px is not None:
        quad = np.array(card.label.corners_px)
        return float(np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])) / 2
    if not card.label.boxes:
        return 0.0
    x0, y0, x1, y1 = card.label.boxes[0]
    return max(x1 - x0, y1 - y0)


def covered_share(card: CardScore) -> float | None:
    """Return the hidden share of a labelled card, if known."""
    return None if card.label.visible is None else 1 - min(1.0, card.label.visible)


def is_plain_to_see(card: CardScore) -> bool:
    """Check whether a card is tall enough and visible enough to be asked for."""
    return card_height_px(card) >= LARGE_PX and (covered_share(card) or 0.0) <= LITTLE_COVERED


def percent(value: float | None, digits: int = 1) -> str:
    """
    Format a share for people.

    >>> percent(0.98765), percent(None)
    ('98.8 %', '-')
    """
    return "-" if value is None else f"{100 * value:.{digits}f} %"


def share_reported(cards: Sequence[CardScore]) -> float | None:
    """Return the share of labelled cards that were reported."""
    return sum(card.named for card in cards) / len(cards) if cards else None


def _row(cards: Sequence[CardScore], digits: int = 1) -> str:
    return f"{percent(share_reported(cards), digits)} of {len(cards)}"


def _binned(cards: Sequence[CardScore], values: Sequence[float | None], edges: Sequence[float], unit: str) -> list[str]:
    parts = []
    for low, high in pairwise(edges):
        inside = [c for c, value in zip(cards, values, strict=True) if value is not None and low <= value < high]
        if inside:
            bounds = f"{low:g} to {high:g}" if high < 10_000 else f"over {low:g}"
            parts.append(f"{bounds}{unit}: {_row(inside)}")
    return parts


def _grouped(
    pictures: Sequence[LabelledPicture], scores: Sequence[PictureScore], key: Callable[[int], Hashable | None]
) -> list[str]:
    groups: dict[Hashable, list[CardScore]] = {}
    for i, score in enumerate(scores):
        group = key(i)
        if group is not None:
            groups.setdefault(group, []).extend(score.cards)
    return [f"{name}: {_row(cards)}" for name, cards in sorted(groups.items(), key=str) if cards]


def conditions(
    pictures: Sequence[LabelledPicture],
    scores: Sequence[PictureScore],
    elevations: Sequence[float | None],
    lights: Sequence[str],
) -> dict[str, list[str]]:
    """
    Return the share of labelled cards that were read, by what is known of each: a title -> parts of a line.

    ``elevations``, ``lights``: of each picture, in the pictures' order.
    """
    cards = [card for score in scores for card in score.cards]
    if not cards:
        kinds: dict[str, list[int]] = {}
        for picture, score in zip(pictures, scores, strict=True):
            kinds.setdefault(picture.deck or "all", []).append(score.invented)
        return {
            "cards invented": [
                f"{kind}: {sum(counts)} on {sum(n > 0 for n in counts)} of {len(counts)}"
                for kind, counts in sorted(kinds.items())
            ]
        }
    found: dict[str, list[str]] = {}
    if pictures[0].kind != "index-boxes":
        found["card height"] = _binned(cards, [card_height_px(card) for card in cards], HEIGHTS_PX, " px")
    found["covered"] = _binned(cards, [covered_share(card) for card in cards], COVERED, " covered")
    tilted = [elevation for score, elevation in zip(scores, elevations, strict=True) for _ in score.cards]
    found["seen from"] = _binned(cards, tilted, ELEVATIONS_DEG, " degrees")
    found["light"] = _grouped(pictures, scores, lambda i: lights[i])
    if found["covered"]:
        large = [card for card in cards if is_plain_to_see(card)]
        found["70 px or more, covered 0.65 or less"] = [_row(large, 2)] if large else []
    found["deck"] = _grouped(pictures, scores, lambda i: pictures[i].deck)
    if any(picture.grey for picture in pictures):
        found["colour"] = _grouped(pictures, scores, lambda i: "grey" if pictures[i].grey else "coloured")
    return {title: parts for title, parts in found.items() if parts}

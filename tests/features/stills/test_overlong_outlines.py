"""Outlines that span several cards of a stepped column are replaced by the card at one end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from features.stills.overlong_outlines import ends_of, split_overlong
from vision.detection.detections import CLASS_NAMES, NOTHING_INDEX, Detections
from vision.geometry.quads import Array, iou

CARD = np.array([[100, 100], [163, 100], [163, 188], [100, 188]], np.float32)
COLUMN = np.array([[100, 56], [163, 56], [163, 188], [100, 188]], np.float32)
"""Two more cards, each 22 px above the one before: 2.1 times as long as wide."""


def reading(name: str, share: float) -> Array:
    row = np.zeros(len(CLASS_NAMES), np.float32)
    row[NOTHING_INDEX] = 1 - share
    row[CLASS_NAMES.index(name)] += share
    return row


def seen(quad: Array, name: str = "9s") -> Detections:
    return Detections(quad[None], np.full(1, 0.9, np.float32), reading(name, 0.98)[None])


def read_card(quads: Array, occluders: Sequence[list[Array]]) -> Array:
    """Read a nine where the card lies, and nothing elsewhere."""
    return np.stack([reading("9s", 0.99) if iou(quad, CARD) > 0.9 else reading("none", 1.0) for quad in quads])


def test_ends_of_an_outline_are_cards_that_share_its_short_edges() -> None:
    first, last = ends_of(COLUMN)
    np.testing.assert_allclose(first[:2], COLUMN[:2])
    np.testing.assert_allclose(last[2:], COLUMN[2:])
    assert last[0, 1] > first[0, 1]


def test_outline_of_a_column_becomes_the_card_on_top() -> None:
    split = split_overlong(seen(COLUMN), lambda quads: quads, read_card)
    assert iou(split.corners_px[0], CARD) > 0.9
    assert CLASS_NAMES[split.best[0]] == "9s"


def test_one_card_seen_obliquely_keeps_its_outline() -> None:
    split = split_overlong(seen(COLUMN), lambda quads: np.stack([COLUMN] * len(quads)), read_card)
    np.testing.assert_allclose(split.corners_px[0], COLUMN)


def test_card_of_ordinary_shape_is_not_refined() -> None:
    def fail(*arguments: object) -> Array:
        raise AssertionError("refined or read")

    assert split_overlong(seen(CARD), fail, fail).corners_px.tolist() == CARD[None].tolist()

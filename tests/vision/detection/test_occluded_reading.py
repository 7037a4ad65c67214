"""Reading of covered cards: z-order, painting out occluders, acceptance of the reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from vision.detection.classifier import crop_frame, rectify
from vision.detection.detections import CLASS_NAMES, NOTHING_INDEX, Detections
from vision.detection.occluded_reading import (
    believed_beneath,
    meeting,
    occluders_of,
    order_by_evidence,
    surer,
    with_beneath,
    with_unread_completed,
    with_whole_outlines,
)
from vision.detection.rectification import OUTSIDE, paint_occluders
from vision.geometry.amodal_completion import CompletionSettings
from vision.geometry.quads import iou


def card_at(x: float, y: float) -> np.ndarray:
    return np.array([[x, y], [x + 60, y], [x + 60, y + 84], [x, y + 84]], np.float32)


def reading(index: int, share: float) -> np.ndarray:
    row = np.zeros(len(CLASS_NAMES), np.float32)
    row[NOTHING_INDEX] = 1 - share
    row[index] += share
    return row


ATTACK, DEFENCE = card_at(100, 100), card_at(120, 130)


def read(cards: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
    """
    Classify as if the truth were known: the attack (7) reads well without the defence (20) on it, not the reverse.
    """
    answers = []
    for card, above in zip(cards, occluders, strict=True):
        is_attack = np.allclose(card, ATTACK)
        answers.append(reading(7 if is_attack else 20, (0.9 if is_attack else 0.3) if above else 0.5))
    return np.array(answers)


UNKNOWN_ORDER = np.full((2, 2), np.nan, np.float32)
"""Overlap outputs of two cards without an order."""


def no_edges(one: np.ndarray, other: np.ndarray) -> float:
    return 0.5


def no_symmetry(one: np.ndarray, other: np.ndarray, beside: Sequence[np.ndarray]) -> float:
    return 0.0


def edges_for(upper: np.ndarray) -> Callable[[np.ndarray, np.ndarray], float]:
    """Return a function that finds the outline of ``upper`` where it overlaps another card."""
    return lambda one, other: 0.9 if np.allclose(one, upper) else 0.1


def test_z_order_with_the_surer_readings_is_chosen() -> None:
    corners = np.stack([ATTACK, DEFENCE])
    whole = np.stack([reading(20, 0.5), reading(20, 0.98)])
    order = order_by_evidence(corners, whole, UNKNOWN_ORDER, read, no_edges, no_symmetry)
    assert order.upper[1, 0] > 0.9
    assert order.upper[0, 1] < 0.1
    assert order.covered[1] == 0
    assert abs(order.covered[0] - 40 * 54 / (60 * 84)) < 0.05
    occluders = occluders_of(order, corners)
    assert [len(above) for above in occluders] == [1, 0]
    assert np.allclose(occluders[0][0], DEFENCE)


def alike(cards: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
    """Classify every card equally well, whatever is painted out."""
    return np.array([reading(7, 0.9) for _ in cards])


def around(share: float) -> np.ndarray:
    """Return overlaps by which the defence lies on the attack with this probability."""
    return np.array([[np.nan, 1 - share], [share, np.nan]], np.float32)


def upper_by(around: np.ndarray, edges: Callable[[np.ndarray, np.ndarray], float]) -> float:
    whole = np.stack([reading(7, 0.9), reading(20, 0.9)])
    return float(order_by_evidence(np.stack([ATTACK, DEFENCE]), whole, around, alike, edges, no_symmetry).upper[1, 0])


def test_edges_decide_the_order_if_the_overlap_network_is_unsure() -> None:
    assert upper_by(around(0.5), edges_for(DEFENCE)) > 0.65
    assert upper_by(around(0.5), edges_for(ATTACK)) < 0.35
    assert 0.5 < upper_by(around(0.75), no_edges) < 0.8


def test_print_symmetry_decides_the_order_without_classification() -> None:
    corners, whole = np.stack([ATTACK, DEFENCE]), np.stack([reading(7, 0.9), reading(20, 0.9)])

    def by_print(one: np.ndarray, other: np.ndarray, beside: Sequence[np.ndarray]) -> float:
        assert not len(beside)
        return 4.0 if np.allclose(one, DEFENCE) else -4.0

    def unread(cards: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
        raise AssertionError("the order was plain")

    order = order_by_evidence(corners, whole, around(0.4), unread, no_edges, by_print)
    assert order.upper[1, 0] > 0.95


def test_sure_overlap_outputs_decide_the_order_alone() -> None:
    assert upper_by(around(0.95), edges_for(ATTACK)) == np.float32(0.95)


CUT = np.array([[100, 100], [163, 100], [163, 147.5], [100, 147.5]], np.float32)
"""Visible part of an attack beneath a defence straight across."""
ACROSS = np.array([[87.5, 210.5], [87.5, 147.5], [175.5, 147.5], [175.5, 210.5]], np.float32)


def seen(*names: tuple[int, float]) -> Detections:
    readings = np.stack([reading(index, share) for index, share in names])
    return Detections(np.stack([CUT, ACROSS]), np.full(2, 0.9, np.float32), readings)


def test_outline_cut_at_its_cover_is_completed_and_read_again() -> None:
    asked: list[list[np.ndarray]] = []

    def read_whole(cards: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
        asked.extend(occluders)
        return np.array([reading(7, 0.95) for _ in cards])

    whole, moved = with_whole_outlines(seen((9, 0.8), (20, 1.0)), (640, 480), read_whole, CompletionSettings())
    assert moved == [0]
    assert np.allclose(asked[0][0], ACROSS), "its cover is painted out"
    assert iou(whole.corners_px[0], np.array([[100, 100], [163, 100], [163, 188], [100, 188]], np.float32)) > 0.95
    assert whole.best.tolist() == [7, 20]


def test_completed_outline_that_reads_worse_is_discarded() -> None:
    def read_badly(cards: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
        return np.array([reading(7, 0.5) for _ in cards])

    before = seen((9, 0.8), (20, 1.0))
    whole, moved = with_whole_outlines(before, (640, 480), read_badly, CompletionSettings())
    assert moved == []
    assert np.array_equal(whole.corners_px, before.corners_px)


def test_barely_touching_cards_have_no_order() -> None:
    corners = np.stack([card_at(100, 100), card_at(158, 100)])
    whole = np.stack([reading(7, 0.9), reading(20, 0.9)])
    order = order_by_evidence(corners, whole, UNKNOWN_ORDER, read, no_edges, no_symmetry)
    assert np.isnan(order.upper).all()
    assert not order.covered.any()


def test_largely_overlapping_proposal_may_lie_beneath() -> None:
    cards = np.stack([card_at(100, 100), card_at(300, 100)])
    assert meeting(card_at(110, 108), cards) == [0]


def test_near_copy_or_barely_overlapping_proposal_does_not_lie_beneath() -> None:
    cards = card_at(100, 100)[None]
    assert meeting(card_at(101, 101), cards) == []
    assert meeting(card_at(140, 140), cards) == []


def test_sure_face_beneath_is_accepted_once() -> None:
    proposals = np.stack([card_at(100, 100), card_at(104, 100), card_at(300, 100), card_at(500, 100)])
    readings = np.stack([reading(7, 0.9), reading(8, 0.95), reading(9, 0.5), reading(3, 0.99)])
    assert believed_beneath(proposals, readings, {3}) == [1]


def test_surer_of_two_readings_of_a_covered_card_is_kept() -> None:
    assert surer(reading(7, 0.6), reading(9, 0.9)).argmax() == 9
    assert surer(reading(7, 0.9), reading(9, 0.6)).argmax() == 7
    whole = reading(7, 0.3)
    assert surer(whole, reading(9, 0.4)) is whole


def test_card_found_beneath_is_ordered_under_its_occluders() -> None:
    order = order_by_evidence(
        DEFENCE[None], reading(20, 0.98)[None], UNKNOWN_ORDER[:1, :1], read, no_edges, no_symmetry
    )
    order = with_beneath(order, np.stack([DEFENCE, ATTACK]), [[0]])
    assert order.upper[0, 1] == 1.0
    assert order.covered[0] == 0
    assert order.covered[1] > 0.3


def test_only_the_occluder_is_painted_out_of_the_crop() -> None:
    picture = np.full((300, 300, 3), 255, np.uint8)
    card, occluder = card_at(100, 100), card_at(100, 142)
    crop = rectify(picture, card[None])[0]
    paint_occluders(crop, card, crop_frame(), [occluder])
    middle = crop.shape[1] // 2
    assert (crop[crop.shape[0] // 4, middle] == 255).all()
    assert tuple(crop[3 * crop.shape[0] // 4, middle]) == OUTSIDE


@pytest.mark.parametrize(("sure", "whole"), [(0.95, True), (0.8, False)])
def test_unreadable_outline_is_completed_under_its_neighbour_if_that_reads_surely(sure: float, whole: bool) -> None:
    over = np.array([[60, 150], [144, 150], [144, 210], [60, 210]], np.float32)[[1, 2, 3, 0]]
    strip = np.array([[102, 100], [158, 100], [160, 175], [100, 175]], np.float32)
    cards = np.stack([over, strip])

    def read_at_place(quads: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
        assert all(np.array_equal(above[0], over) for above in occluders)
        return np.array([reading(7, sure if iou(quad, ATTACK) > 0.87 else 0.1) for quad in quads])

    seen = Detections(cards, np.full(2, 0.8, np.float32), np.array([reading(20, 0.99), reading(30, 0.4)]))
    completed = with_unread_completed(seen, (640, 480), read_at_place)
    assert (int(completed.best[1]) == 7) == whole
    assert np.array_equal(completed.corners_px[1], strip) != whole
    assert np.array_equal(completed.corners_px[0], over)


def test_readable_outline_stays_unchanged() -> None:
    def never(quads: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
        raise AssertionError("nothing to ask")

    seen = Detections(
        np.stack([DEFENCE, ATTACK]), np.full(2, 0.8, np.float32), np.array([reading(20, 0.99), reading(7, 0.8)])
    )
    assert with_unread_completed(seen, (640, 480), never) is seen

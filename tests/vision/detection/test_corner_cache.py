"""Cache of refined corners: a proposal is refined again only if it or its surroundings changed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.detection.finder import REFINE_PX, REFINER_REACH, CornerRefiner, Proposals
from vision.detection.result_cache import CornerCache

CLAIM = np.array([[100, 100], [190, 110], [180, 240], [90, 228]], np.float32)
FAR = CLAIM + np.float32([200, 40])


class Counted:
    """Network that returns the same move for all corners, in crop pixels, and records the size of each batch."""

    def __init__(self, move_px: tuple[float, float] = (0.0, 0.0)) -> None:
        self.row = np.tile(np.array(move_px) / (REFINER_REACH * np.array(REFINE_PX)), 4).astype(np.float32)
        self.batch_sizes: list[int] = []

    def run(self, batch: np.ndarray) -> np.ndarray:
        self.batch_sizes.append(len(batch))
        return np.tile(self.row, (len(batch), 1))


def table(*cards: np.ndarray, light: float = 1.0) -> np.ndarray:
    """Return white cards on a green cloth."""
    image = np.full((500, 500, 3), (60, 110, 50), np.uint8)
    for quad in cards:
        cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), (245, 245, 245))
    dimmed: np.ndarray = (image * light).astype(np.uint8)
    return dimmed


def crops_of_second_inference(first: np.ndarray, second: np.ndarray, moved: float = 0.0) -> int:
    """Return for how many crops the second inference on two cards called the network."""
    network = Counted((1.0, -1.0))
    retrace = CornerCache(CornerRefiner(network))
    quads = np.stack([CLAIM, FAR])
    before = retrace.refine(first, quads)
    asked = sum(network.batch_sizes)
    after = retrace.refine(second, quads + np.float32(moved))
    if sum(network.batch_sizes) == asked:
        np.testing.assert_array_equal(after, before)
    return sum(network.batch_sizes) - asked


def test_unchanged_table_is_refined_once() -> None:
    assert crops_of_second_inference(table(CLAIM, FAR), table(CLAIM, FAR)) == 0


def test_noise_and_small_proposal_shifts_keep_the_cached_corners() -> None:
    rng = np.random.default_rng(5)
    grainy = np.clip(table(CLAIM, FAR) + rng.normal(0, 6, (500, 500, 3)), 0, 255).astype(np.uint8)
    assert crops_of_second_inference(table(CLAIM, FAR), grainy, moved=1.5) == 0


def test_card_that_moved_within_its_proposal_is_refined_again() -> None:
    assert crops_of_second_inference(table(CLAIM, FAR), table(CLAIM + np.float32([4, 0]), FAR)) == 2


def test_new_card_beside_a_card_causes_refinement() -> None:
    assert crops_of_second_inference(table(CLAIM, FAR), table(CLAIM, FAR, CLAIM + np.float32([-80, 60]))) == 2


@pytest.mark.parametrize("moved", [6.0, 40.0])
def test_moved_proposal_is_refined_again(moved: float) -> None:
    assert crops_of_second_inference(table(CLAIM, FAR), table(CLAIM, FAR), moved) == 4


def test_dark_picture_is_always_refined_again() -> None:
    assert crops_of_second_inference(table(CLAIM, FAR, light=0.06), table(CLAIM, FAR, light=0.06)) == 4


def test_picture_of_another_size_is_refined_again() -> None:
    grown = cv2.copyMakeBorder(table(CLAIM, FAR), 0, 20, 0, 0, cv2.BORDER_REPLICATE)
    assert crops_of_second_inference(table(CLAIM, FAR), grown) == 4


def test_cache_is_limited_to_its_capacity() -> None:
    network = Counted()
    retrace = CornerCache(CornerRefiner(network), kept=1)
    image = table(CLAIM, FAR)
    for quad in (CLAIM, FAR, FAR, CLAIM):
        retrace.refine(image, quad[None])
    assert sum(network.batch_sizes) == 6


def test_proposals_that_converge_are_merged_before_the_second_pass() -> None:
    network = Counted()
    proposals = Proposals(np.stack([CLAIM, CLAIM + 2, CLAIM + 200]), np.array([0.5, 0.9, 0.7], np.float32))
    found = CornerCache(CornerRefiner(network)).refine_distinct(table(), proposals, 0.9)
    assert network.batch_sizes == [3, 2]
    assert found.confidence.tolist() == pytest.approx([0.9, 0.7])
    np.testing.assert_allclose(found.corners_px, [CLAIM + 2, CLAIM + 200], atol=0.01)


def test_rejected_proposal_is_rejected_from_the_cache() -> None:
    network = Counted()
    retrace = CornerCache(CornerRefiner(network))
    proposals = Proposals(np.stack([CLAIM, CLAIM + 5, FAR]), np.array([0.5, 0.9, 0.7], np.float32))
    image = table(CLAIM, FAR)
    first = retrace.refine_distinct(image, proposals, 0.8)
    asked = sum(network.batch_sizes)
    again = retrace.refine_distinct(image, proposals, 0.8)
    assert sum(network.batch_sizes) == asked
    np.testing.assert_array_equal(again.corners_px, first.corners_px)
    alone = retrace.refine_distinct(image, Proposals(CLAIM[None], np.array([0.5], np.float32)), 0.8)
    np.testing.assert_allclose(alone.corners_px[0], CLAIM + 5, atol=0.01)


def test_forgotten_corners_are_refined_again() -> None:
    network = Counted((1.0, 0.0))
    retrace = CornerCache(CornerRefiner(network))
    image = table(CLAIM, FAR)
    corners = retrace.refine(image, np.stack([CLAIM, FAR]))
    retrace.forget(corners[:1])
    network.batch_sizes.clear()
    retrace.refine(image, np.stack([CLAIM, FAR]))
    assert network.batch_sizes == [1, 1]


def test_no_proposals_need_no_network() -> None:
    network = Counted()
    none = np.zeros((0, 4, 2), np.float32)
    assert CornerCache(CornerRefiner(network)).refine(table(), none).shape == (0, 4, 2)
    found = CornerCache(CornerRefiner(network)).refine_distinct(table(), Proposals(none, np.zeros(0, np.float32)), 0.9)
    assert found.corners_px.shape == (0, 4, 2)
    assert network.batch_sizes == []

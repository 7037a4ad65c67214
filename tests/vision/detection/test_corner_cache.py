"""Corners are put right once: again only where the proposal, or anything round it, is not what it was."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.detection.finder import REFINE_PX, REFINER_REACH, CornerRefiner, Proposals
from vision.detection.result_cache import CornerCache

CLAIM = np.array([[100, 100], [190, 110], [180, 240], [90, 228]], np.float32)
FAR = CLAIM + np.float32([200, 40])


class Counted:
    """A network that asks for the same move of all corners, in crop pixels, and counts the crops it saw."""

    def __init__(self, move_px: tuple[float, float] = (0.0, 0.0)) -> None:
        self.row = np.tile(np.array(move_px) / (REFINER_REACH * np.array(REFINE_PX)), 4).astype(np.float32)
        self.looked_at: list[int] = []

    def run(self, batch: np.ndarray) -> np.ndarray:
        self.looked_at.append(len(batch))
        return np.tile(self.row, (len(batch), 1))


def table(*cards: np.ndarray, light: float = 1.0) -> np.ndarray:
    """Return white cards on a green cloth."""
    image = np.full((500, 500, 3), (60, 110, 50), np.uint8)
    for quad in cards:
        cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), (245, 245, 245))
    dimmed: np.ndarray = (image * light).astype(np.uint8)
    return dimmed


def second_look(first: np.ndarray, second: np.ndarray, moved: float = 0.0) -> int:
    """Return for how many crops the second inference on two cards called the network."""
    network = Counted((1.0, -1.0))
    retrace = CornerCache(CornerRefiner(network))
    quads = np.stack([CLAIM, FAR])
    before = retrace.refine(first, quads)
    asked = sum(network.looked_at)
    after = retrace.refine(second, quads + np.float32(moved))
    if sum(network.looked_at) == asked:
        np.testing.assert_array_equal(after, before)
    return sum(network.looked_at) - asked


def test_a_table_that_lies_still_is_put_right_once() -> None:
    assert second_look(table(CLAIM, FAR), table(CLAIM, FAR)) == 0


def test_neither_grain_nor_a_proposal_a_pixel_off_are_news() -> None:
    rng = np.random.default_rng(5)
    grainy = np.clip(table(CLAIM, FAR) + rng.normal(0, 6, (500, 500, 3)), 0, 255).astype(np.uint8)
    assert second_look(table(CLAIM, FAR), grainy, moved=1.5) == 0


def test_a_card_that_slid_under_its_proposal_is_refined_again() -> None:
    assert second_look(table(CLAIM, FAR), table(CLAIM + np.float32([4, 0]), FAR)) == 2


def test_what_comes_to_lie_beside_a_card_is_news_for_its_corners() -> None:
    assert second_look(table(CLAIM, FAR), table(CLAIM, FAR, CLAIM + np.float32([-80, 60]))) == 2


@pytest.mark.parametrize("moved", [6.0, 40.0])
def test_a_proposal_elsewhere_is_another_proposal(moved: float) -> None:
    assert second_look(table(CLAIM, FAR), table(CLAIM, FAR), moved) == 4


def test_in_the_dark_nothing_is_taken_to_be_the_same() -> None:
    assert second_look(table(CLAIM, FAR, light=0.06), table(CLAIM, FAR, light=0.06)) == 4


def test_another_camera_is_another_table() -> None:
    grown = cv2.copyMakeBorder(table(CLAIM, FAR), 0, 20, 0, 0, cv2.BORDER_REPLICATE)
    assert second_look(table(CLAIM, FAR), grown) == 4


def test_only_so_many_proposals_are_kept() -> None:
    network = Counted()
    retrace = CornerCache(CornerRefiner(network), kept=1)
    image = table(CLAIM, FAR)
    for quad in (CLAIM, FAR, FAR, CLAIM):
        retrace.refine(image, quad[None])
    assert sum(network.looked_at) == 6


def test_proposals_that_come_to_lie_together_are_one_and_are_looked_at_once_more_only_once() -> None:
    network = Counted()
    proposals = Proposals(np.stack([CLAIM, CLAIM + 2, CLAIM + 200]), np.array([0.5, 0.9, 0.7], np.float32))
    found = CornerCache(CornerRefiner(network)).refine_distinct(table(), proposals, 0.9)
    assert network.looked_at == [3, 2]
    assert found.confidence.tolist() == pytest.approx([0.9, 0.7])
    np.testing.assert_allclose(found.corners_px, [CLAIM + 2, CLAIM + 200], atol=0.01)


def test_a_rejected_proposal_is_rejected_again_without_a_network() -> None:
    network = Counted()
    retrace = CornerCache(CornerRefiner(network))
    proposals = Proposals(np.stack([CLAIM, CLAIM + 5, FAR]), np.array([0.5, 0.9, 0.7], np.float32))
    image = table(CLAIM, FAR)
    first = retrace.refine_distinct(image, proposals, 0.8)
    asked = sum(network.looked_at)
    again = retrace.refine_distinct(image, proposals, 0.8)
    assert sum(network.looked_at) == asked
    np.testing.assert_array_equal(again.corners_px, first.corners_px)
    alone = retrace.refine_distinct(image, Proposals(CLAIM[None], np.array([0.5], np.float32)), 0.8)
    np.testing.assert_allclose(alone.corners_px[0], CLAIM + 5, atol=0.01)


def test_an_unsurely_read_card_is_refined_again() -> None:
    network = Counted((1.0, 0.0))
    retrace = CornerCache(CornerRefiner(network))
    image = table(CLAIM, FAR)
    corners = retrace.refine(image, np.stack([CLAIM, FAR]))
    retrace.forget(corners[:1])
    network.looked_at.clear()
    retrace.refine(image, np.stack([CLAIM, FAR]))
    assert network.looked_at == [1, 1]


def test_no_proposals_need_no_network() -> None:
    network = Counted()
    none = np.zeros((0, 4, 2), np.float32)
    assert CornerCache(CornerRefiner(network)).refine(table(), none).shape == (0, 4, 2)
    found = CornerCache(CornerRefiner(network)).refine_distinct(table(), Proposals(none, np.zeros(0, np.float32)), 0.9)
    assert found.corners_px.shape == (0, 4, 2)
    assert network.looked_at == []

"""Corner refinement: moves are mapped to picture pixels, and implausible moves are ignored."""

from __future__ import annotations

import cv2
import numpy as np

from vision.detection.finder import REFINE_PX, REFINER_REACH, CornerRefiner, RefineSettings, wide_frame

CLAIM = np.array([[[100, 100], [190, 110], [180, 240], [90, 228]]], np.float32)


class Moves:
    """Network that always returns the same corner moves, in crop pixels."""

    def __init__(self, moves_px: np.ndarray) -> None:
        self.row = (moves_px / (REFINER_REACH * np.array(REFINE_PX))).astype(np.float32).ravel()

    def run(self, batch: np.ndarray) -> np.ndarray:
        return np.tile(self.row, (len(batch), 1))


def test_moves_are_mapped_through_the_crops_homography() -> None:
    moves = np.array([[3, -2], [1, 4], [-2, 2], [0, -3]], np.float32)
    refiner = CornerRefiner(Moves(moves), RefineSettings(passes=1))
    better = refiner.refine(np.zeros((400, 400, 3), np.uint8), CLAIM)[0]
    into = cv2.getPerspectiveTransform(CLAIM[0], wide_frame())
    np.testing.assert_allclose(cv2.perspectiveTransform(better[None], into)[0], wide_frame() + moves, atol=0.05)


def test_implausible_move_is_ignored() -> None:
    wild = np.array([[40, 60], [0, 0], [0, 0], [0, 0]], np.float32)
    refiner = CornerRefiner(Moves(wild))
    np.testing.assert_array_equal(refiner.refine(np.zeros((400, 400, 3), np.uint8), CLAIM), CLAIM)


def test_no_proposals_need_no_network() -> None:
    none = np.zeros((0, 4, 2), np.float32)
    assert CornerRefiner(Moves(np.zeros((4, 2)))).refine(np.zeros((9, 9, 3), np.uint8), none).shape == (0, 4, 2)

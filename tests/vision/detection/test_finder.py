"""Card finder with a fake network: input scaling, card shapes, duplicates."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detection.finder import (
    FEW_PROPOSALS,
    CardFinder,
    FinderSettings,
    distinct_proposals,
    fit_input,
    is_card_shaped,
    non_maximum_suppression,
    proposed_quads,
)

CARD = np.array([[100, 100], [160, 100], [160, 190], [100, 190]], np.float32)


class Proposals:
    """Network that returns given proposals and records the shape of each input."""

    def __init__(self, quads: list[np.ndarray], confidence: list[float]) -> None:
        self.output = np.zeros((1, 13, len(quads)), np.float32)
        self.output[0, 4] = confidence
        self.output[0, 5:13] = np.array(quads, np.float32).reshape(-1, 8).T
        self.shapes: list[tuple[int, ...]] = []

    def run(self, batch: np.ndarray) -> np.ndarray:
        self.shapes.append(batch.shape)
        return self.output


@pytest.mark.parametrize(("height", "width"), [(720, 1280), (1280, 720), (240, 320), (33, 4000), (3456, 4608)])
def test_input_is_scaled_to_multiples_of_the_stride(height: int, width: int) -> None:
    batch, scale = fit_input(np.zeros((height, width, 3), np.uint8), 640)
    assert batch.shape[0:2] == (1, 3)
    assert batch.shape[2] % 32 == 0
    assert batch.shape[3] % 32 == 0
    assert max(batch.shape[2:]) == 640
    assert scale == pytest.approx(640 / max(height, width))


def test_input_is_rgb_between_0_and_1() -> None:
    blue = np.zeros((64, 64, 3), np.uint8)
    blue[..., 0] = 255
    batch, _ = fit_input(blue, 64)
    assert batch[0, :, 5, 5].tolist() == [0.0, 0.0, 1.0]


def test_duplicate_is_suppressed_and_crossing_card_stays() -> None:
    centre = CARD.mean(axis=0)
    turn = np.array([[0, 1], [-1, 0]], np.float32)
    crossing = (CARD - centre) @ turn + centre
    quads = np.stack([CARD, CARD + 3, crossing]).astype(np.float32)
    kept = non_maximum_suppression(quads, np.array([0.8, 0.9, 0.7]), 0.6)
    assert sorted(kept.tolist()) == [1, 2]


def test_folded_thin_or_mirrored_proposals_are_no_cards() -> None:
    folded = CARD[[0, 2, 1, 3]]
    splinter = CARD * np.array([0.05, 1], np.float32)
    mirrored = CARD[::-1]
    assert is_card_shaped(np.stack([CARD, folded, splinter, mirrored])).tolist() == [True, False, False, False]


def test_corners_are_in_picture_pixels() -> None:
    finder = CardFinder(Proposals([CARD, CARD + 200], [0.9, 0.1]), FinderSettings(input_px=640, confidence=0.3))
    found = finder.find(np.zeros((720, 1280, 3), np.uint8))
    assert found.corners_px.shape == (1, 4, 2)
    np.testing.assert_allclose(found.corners_px[0], CARD * 2)


def test_large_cards_are_searched_at_a_coarser_scale() -> None:
    network = Proposals([CARD], [0.9])
    finder, picture = CardFinder(network, FinderSettings(input_px=640, far_px=256)), np.zeros((720, 1280, 3), np.uint8)
    small = finder.find(picture)
    both = finder.find_large(picture, small)
    assert [shape[3] for shape in network.shapes] == [640, 256]
    np.testing.assert_allclose(both.corners_px, np.concatenate([small.corners_px, 2.5 * small.corners_px]))


def test_empty_table_gives_empty_arrays() -> None:
    finder = CardFinder(Proposals([CARD], [0.0]))
    found = finder.find(np.zeros((100, 100, 3), np.uint8))
    assert found.corners_px.shape == (0, 4, 2)
    assert found.confidence.shape == (0,)


@pytest.mark.parametrize("degrees", [-40, 0, 30, 90, 130])
def test_oriented_box_begins_with_its_width_edge(degrees: float) -> None:
    proposal = np.array([[200, 120, 60, 40, 0.9, np.radians(degrees)]], np.float32).T
    quad = proposed_quads(proposal)[0]
    along = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    # Its first edge runs along the turn and is as long as the reported width, though it looks the longer of the two.
    assert quad[1] - quad[0] == pytest.approx(60 * along, abs=1e-3)
    assert quad.mean(axis=0) == pytest.approx([200, 120], abs=1e-3)
    assert is_card_shaped(quad[None]).all()


def test_box_output_and_corner_output_give_the_same_outline() -> None:
    finder = CardFinder(Proposals([CARD], [0.9]), FinderSettings(input_px=640))
    boxes = CardFinder(Boxes([(130, 145, 60, 90, 0.9, 0.0)]), FinderSettings(input_px=640))
    picture = np.zeros((640, 640, 3), np.uint8)
    assert boxes.find(picture).corners_px == pytest.approx(finder.find(picture).corners_px, abs=1e-3)


class Boxes:
    """A network of oriented boxes that returns given proposals."""

    def __init__(self, boxes: list[tuple[float, ...]]) -> None:
        self.output = np.array(boxes, np.float32).T[None]

    def run(self, batch: np.ndarray) -> np.ndarray:
        return self.output


def test_inference_on_a_region_returns_picture_coordinates() -> None:
    network = Proposals([CARD * 1.25], [0.9])
    found = CardFinder(network, FinderSettings()).find_within(
        np.zeros((720, 1280, 3), np.uint8), (300, 200, 812, 520), 1.25, 0.3
    )
    assert network.shapes == [(1, 3, 416, 640)]
    np.testing.assert_allclose(found.corners_px[0], CARD + np.float32([300, 200]), atol=0.5)


def test_near_copies_are_dropped_before_the_proposal_limit() -> None:
    apart = [CARD + np.array([70 * (k % 10), 100 * (k // 10)], np.float32) for k in range(60)]
    copies = [card + np.float32(0.1 * copy) for copy in range(5) for card in apart]
    confidence = [0.9 - 0.001 * k for k in range(len(copies))]
    assert len(copies) > FEW_PROPOSALS
    network = Proposals(copies[::-1], confidence)
    found = CardFinder(network, FinderSettings()).find(np.zeros((640, 640, 3), np.uint8))
    assert len(found.confidence) == 60


def test_half_turned_card_is_a_near_copy_and_crossed_card_is_not() -> None:
    centre = CARD.mean(axis=0)
    crossed = (CARD - centre)[:, ::-1] * np.float32([-1, 1]) + centre
    corners = np.stack([CARD, np.roll(CARD, 2, axis=0), crossed, CARD + np.float32(30)])
    assert distinct_proposals(corners, 0.04).tolist() == [0, 2, 3]

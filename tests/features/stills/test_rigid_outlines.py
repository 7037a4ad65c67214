"""Refitting of bad outlines as rigid cards of the deck's size to their visible parts."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from features.stills.beneath_search import search_beneath
from features.stills.rigid_outlines import CardPlane, badly_outlined, fitted_outlines, plane_of
from vision.detection.detections import CLASS_NAMES, NOTHING_INDEX, Detections
from vision.geometry.amodal_completion import CompletionSettings, rigid_card
from vision.geometry.quads import iou, warp

SCALE = np.diag([0.5, 0.5, 1.0])
"""Two pixels a millimetre, seen from straight above."""
SIZE = (60.0, 88.0)
PLANE = CardPlane(SCALE, SIZE)
PICTURE = (1280, 720)
SEVEN, TWENTY = 7, 20


def card(x: float, y: float, turn: float = 0.0) -> np.ndarray:
    """Return a card centred at (x, y) mm, in px."""
    return warp(np.linalg.inv(SCALE), rigid_card(x, y, turn, SIZE))


LID = card(200, 150)
ACROSS = card(236, 160, 1.3)
"""Lies under the lid with two of its corners."""


def refiner(truth: np.ndarray, lid: np.ndarray, reach: float = 0.4) -> Callable[[np.ndarray], np.ndarray]:
    """
    Return a refiner that moves an outline to the card if they overlap by ``reach``: visible corners exactly, hidden
    ones with an error. Other outlines stay.
    """

    def refine(quads: np.ndarray) -> np.ndarray:
        corners = truth.copy()
        for k, corner in enumerate(truth.tolist()):
            if cv2.pointPolygonTest(lid, corner, False) >= 0:
                corners[k] += np.float32([25, -18])
        return np.stack([corners if iou(quad, truth) >= reach else quad for quad in quads])

    return refine


def test_outline_cut_at_its_cover_is_completed() -> None:
    cut = ACROSS.copy()
    cut[[0, 3]] += 0.45 * (ACROSS[[1, 2]] - ACROSS[[0, 3]])
    laid, moved = fitted_outlines(cut[None], [[LID]], refiner(ACROSS, LID), PLANE)
    assert iou(cut, ACROSS) < 0.7
    assert iou(laid[0], ACROSS) > 0.9
    assert moved[0] < 0.05


def test_outlines_that_the_refiner_rejects_count_as_moved() -> None:
    far = card(420, 150)
    _, moved = fitted_outlines(far[None], [[LID]], refiner(ACROSS, LID), PLANE)
    assert moved[0] == 1


def test_plane_and_size_are_those_of_the_cards_on_top() -> None:
    cut = card(150, 300)
    cut[[2, 3]] -= np.float32([0, 60])
    quads = np.stack([LID, card(330, 150, 0.7), cut])
    plane = plane_of(quads, np.array([0.0, 0.1, 0.9]), PICTURE, CompletionSettings())
    assert plane.cards(LID) == pytest.approx(1, abs=0.05)
    assert plane.cards(cut) < 0.8


def test_only_outlines_of_wrong_size_are_refitted() -> None:
    spanning, cut = LID.copy(), ACROSS.copy()
    spanning[[2, 3]] += np.float32([0, 80])
    cut[[0, 3]] += 0.3 * (ACROSS[[1, 2]] - ACROSS[[0, 3]])
    together = ~np.eye(2, dtype=bool)

    def bad_outlines(*quads: np.ndarray, on_it: tuple[float, float]) -> list[int]:
        return badly_outlined(np.stack(quads), np.array(on_it), together, PLANE)

    assert bad_outlines(LID, ACROSS, on_it=(0.0, 0.9)) == []
    assert bad_outlines(LID, cut, on_it=(0.0, 0.9)) == [1]
    assert bad_outlines(spanning, ACROSS, on_it=(0.0, 0.9)) == [0]
    assert badly_outlined(np.stack([LID, cut]), np.array([0.0, 0.9]), np.zeros((2, 2), bool), PLANE) == []


def reading(index: int, share: float) -> np.ndarray:
    row = np.zeros(len(CLASS_NAMES), np.float32)
    row[NOTHING_INDEX] = 1 - share
    row[index] += share
    return row


def found(
    start: np.ndarray, share: float = 0.99, taken: set[int] | None = None, refined: list[int] | None = None
) -> np.ndarray | None:
    """Return the corners that a search from ``start`` finds, or None; ``refined``: gets the outlines of each pass."""

    def read(cards: np.ndarray, occluders: object) -> np.ndarray:
        return np.stack([reading(SEVEN, share if iou(quad, ACROSS) > 0.85 else 0.3) for quad in cards])

    refine = refiner(ACROSS, LID, reach=0.55)

    def counted(quads: np.ndarray) -> np.ndarray:
        if refined is not None:
            refined.append(len(quads))
        return refine(quads)

    names = sorted(taken or {0})
    readings = np.eye(len(CLASS_NAMES), dtype=np.float32)[names]
    known = Detections(np.stack([LID] * len(names)), np.ones(len(names), np.float32), readings)
    came = search_beneath(start, [LID], known, counted, read, PLANE)
    return None if came is None else came.corners_px


def test_card_beneath_is_found_from_a_wrong_starting_place() -> None:
    start = card(218, 153, 0.7)
    assert iou(start, ACROSS) < 0.55
    refined: list[int] = []
    place = found(start, refined=refined)
    assert place is not None
    assert iou(place, ACROSS) > 0.9
    assert refined[0] > refined[1] == refined[2] == 1, "starts that lead to one place are followed once"


def test_unsure_or_already_detected_card_beneath_is_not_found() -> None:
    start = card(218, 153, 0.7)
    assert found(start, share=0.8) is None
    assert found(start, taken={SEVEN}) is None
    assert found(card(150, 120)) is None

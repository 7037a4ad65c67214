"""Mirror images in a glossy table are distinguished from cards that lie edge to edge."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from features.stills.reflections import without_reflections
from vision.detection.detections import BACK_INDEX, CLASS_NAMES, Detections

WIDE, TALL = 200, 280
CARD = np.array([[220, 40], [420, 60], [400, 260], [180, 250]], np.float32)
BELOW = np.array([[180, 250], [400, 260], [430, 455], [150, 440]], np.float32)
FLAT = np.array([[0, 0], [WIDE, 0], [WIDE, TALL], [0, TALL]], np.float32)


def face(text: str, spots: list[tuple[int, int]]) -> np.ndarray:
    """Return a printed card, upright."""
    card = np.full((TALL, WIDE, 3), 240, np.uint8)
    for x, y in spots:
        cv2.circle(card, (x, y), 20, (40, 40, 200), -1)
    for turned in (card, card[::-1, ::-1]):
        corner = np.ascontiguousarray(turned[:50, :50])
        cv2.putText(corner, text, (8, 38), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (40, 40, 200), 3)
        turned[:50, :50] = corner
    return card


SIX = face("6", [(60, 60), (140, 60), (60, 140), (140, 140), (60, 220), (140, 220)])
FOUR = face("4", [(90, 90), (160, 60), (40, 190), (110, 200)])


def picture(lower: np.ndarray, light: float, below: np.ndarray = BELOW) -> np.ndarray:
    """Return a dark table with a six and, at its edge, ``lower`` with ``light`` of its brightness."""
    table = np.full((480, 640, 3), 30, np.uint8)
    for card, quad, gain in ((SIX, CARD, 1.0), (lower, below, light)):
        onto = cv2.getPerspectiveTransform(FLAT, quad)
        shown = (card * gain).astype(np.uint8)
        cv2.warpPerspective(shown, onto, (640, 480), table, cv2.INTER_AREA, cv2.BORDER_TRANSPARENT)
    return table


def kept(table: np.ndarray, below: np.ndarray = BELOW) -> list[int]:
    shares = np.eye(len(CLASS_NAMES), dtype=np.float32)[[5, 8]]
    seen = Detections(np.stack([CARD, np.roll(below, 1, axis=0)]), np.array([0.9, 0.5], np.float32), shares)
    return [[5, 8].index(int(name)) for name in without_reflections(table, seen).best]


def test_a_dim_mirror_image_at_the_cards_edge_is_no_card() -> None:
    assert kept(picture(SIX[::-1], 0.5)) == [0]


@pytest.mark.parametrize(
    ("lower", "light"), [(SIX[::-1], 1.0), (FOUR, 0.5), (FOUR, 1.0)], ids=["as bright", "other print", "another card"]
)
def test_a_card_at_the_edge_of_another_stays(lower: np.ndarray, light: float) -> None:
    assert kept(picture(lower, light)) == [0, 1]


def test_a_dim_card_that_lies_apart_stays() -> None:
    apart = BELOW + np.float32([0, 40])
    assert kept(picture(SIX[::-1], 0.5, apart), apart) == [0, 1]


def test_a_mirror_image_that_the_picture_cuts_off_is_recognised() -> None:
    table = picture(SIX[::-1], 0.5)
    assert kept(np.ascontiguousarray(table[:330])) == [0]
    assert kept(np.ascontiguousarray(table[:262])) == [0, 1], "too little shows"


def test_a_back_in_the_shadow_beside_another_back_stays() -> None:
    shares = np.eye(len(CLASS_NAMES), dtype=np.float32)[[BACK_INDEX, BACK_INDEX]]
    seen = Detections(np.stack([CARD, np.roll(BELOW, 1, axis=0)]), np.array([0.9, 0.5], np.float32), shares)
    assert len(without_reflections(picture(SIX[::-1], 0.5), seen)) == 2

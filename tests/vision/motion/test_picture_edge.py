"""Edge at which arms enter: the picture's border, or the border of a black surrounding."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.motion.arm_regions import PictureEdge

WIDE, TALL = 320, 180


def edge_of(picture: np.ndarray) -> PictureEdge:
    edge = PictureEdge()
    edge.update(picture)
    return edge


def patch(corners: list[tuple[int, int]]) -> np.ndarray:
    drawn = np.zeros((TALL, WIDE), np.uint8)
    cv2.fillPoly(drawn, [np.array(corners, np.int32)], 1)
    return drawn > 0


@pytest.fixture
def table() -> np.ndarray:
    return np.full((TALL, WIDE, 3), 90, np.uint8)


def test_edge_is_the_picture_border(table: np.ndarray) -> None:
    arm = patch([(100, 0), (120, 0), (130, 80), (110, 80)])
    (contact,) = edge_of(table).contacts(arm)
    assert contact == pytest.approx((110, 0), abs=1)
    assert edge_of(table).contacts(patch([(100, 40), (120, 40), (120, 80), (100, 80)])) == []


def test_edge_is_where_a_black_surrounding_begins(table: np.ndarray) -> None:
    black = patch([(0, 0), (160, 0), (0, 90)])
    noise = np.random.default_rng(3).integers(0, 5, table.shape, np.uint8)
    table[black] = noise[black]  # as films keep black
    arm = patch([(70, 35), (100, 20), (150, 90), (140, 100)]) & ~black
    (contact,) = edge_of(table).contacts(arm)
    x, y = contact
    assert x / 160 + y / 90 == pytest.approx(1, abs=0.1), "on the slanting line"


def test_black_object_on_the_table_is_no_edge(table: np.ndarray) -> None:
    phone = patch([(100, 60), (160, 60), (160, 100), (100, 100)])
    table[phone] = 3
    assert edge_of(table).contacts(patch([(150, 70), (200, 70), (200, 90), (150, 90)])) == []


def test_later_black_surrounding_moves_the_edge(table: np.ndarray) -> None:
    edge = edge_of(table)
    arm = patch([(60, 80), (120, 80), (120, 100), (60, 100)])
    assert edge.contacts(arm) == []
    table[:, :61] = 0
    edge.update(table)
    ((x, _),) = edge.contacts(arm)
    assert x == pytest.approx(62, abs=2)

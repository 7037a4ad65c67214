"""Crops of cards: cut from the frame in which the event was reported, and found by its line."""

from __future__ import annotations

from base64 import b64decode

import cv2
import numpy as np
import pytest

from referee.cards import Card
from referee.events import Drawn, Placed
from vision.layout import TableLayout
from vision.view.pipeline_view import PipelineView, SeenCard
from webapp.live.film_recorder import CardCrops

IMAGE = np.full((360, 640, 3), 40, np.uint8)
IMAGE[100:180, 200:260] = (30, 200, 30)


def seen(card: str, corners: tuple[tuple[float, float], ...]) -> SeenCard:
    return SeenCard(1, corners, Card.parse(card), 0.9, "bout", None, is_confirmed=True)


LYING = seen("9s", ((200, 100), (260, 100), (260, 180), (200, 180)))
AWAY = seen("Kd", ((700, 100), (760, 100), (760, 180), (700, 180)))
VIEW = PipelineView(0, 1.0, (LYING, AWAY), (), TableLayout.guessed((640, 360), ("A", "B")))


def laid(card: str, at: float = 1.0) -> Placed:
    return Placed(at=at, card=Card.parse(card), by="A")


@pytest.fixture
def crops() -> CardCrops:
    found = CardCrops()
    found.look(IMAGE, VIEW, (laid("9s"), laid("Kd"), laid("6h"), Drawn(at=1.0, by="A", count=1)))
    return found


def test_crop_shows_the_card_with_a_margin(crops: CardCrops) -> None:
    crop = crops.of({"event": "placed", "card": "9s", "at": 1.0})
    assert crop is not None
    picture = cv2.imdecode(np.frombuffer(b64decode(crop.jpeg), np.uint8), cv2.IMREAD_COLOR)
    height, width = picture.shape[:2]
    assert (width, height) == (108, 128)  # a margin of 24 px all round
    assert picture[64, 54, 1] > 150
    assert picture[4, 4].max() < 80


def test_line_with_another_card_name_finds_its_crop_by_time(crops: CardCrops) -> None:
    matching = crops.of({"event": "placed", "card": "9c", "at": 1.0})
    assert matching is not None
    assert matching.card == "9s"
    later = crops.of({"event": "placed", "card": "9s", "at": 1.4})
    assert later is not None
    assert crops.of({"event": "placed", "card": "9s", "at": 9.0}) is None
    assert crops.of({"event": "swept", "to": "heap", "at": 1.0}) is None


def test_unseen_or_outside_card_has_no_crop(crops: CardCrops) -> None:
    found = CardCrops()
    found.look(IMAGE, VIEW, (laid("Kd"), laid("6h")))
    found.look(IMAGE, None, (laid("9s"),))
    assert found.of({"event": "placed", "card": "Kd", "at": 1.0}) is None

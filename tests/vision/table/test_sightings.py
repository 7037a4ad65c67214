"""What inferences in a row read at one place: names and confidence added up, and where another card begins."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.table.tracked_table import CARD, noise
from vision.detection.detections import CLASS_NAMES, Detections
from vision.table.filter_model import FilterSettings
from vision.table.sightings import Sighting, Sightings

Names = dict[str, float]


def claim(names: Names, confidence: float = 0.6, quad: np.ndarray = CARD) -> Detections:
    row = np.full(len(CLASS_NAMES), (1 - sum(names.values())) / len(CLASS_NAMES), np.float32)
    for name, share in names.items():
        row[CLASS_NAMES.index(name)] += share
    return Detections(np.array([quad], np.float32), np.array([confidence], np.float32), row[None])


def read(*claims: Detections, known: tuple[str, ...] = (), hand: float = 0.0) -> Sighting:
    """Return the sighting after inferences at 1.0, 1.2, ... s, each with a picture of its own."""
    sightings, names = Sightings(FilterSettings()), {CLASS_NAMES.index(name) for name in known}
    for k, found in enumerate(claims):
        at = 1.0 + 0.2 * k
        (sighting,) = sightings.add(found, names, noise(at), at, at - 0.2, np.array([hand]))
    return sighting


def test_weak_readings_of_one_name_add_up() -> None:
    sighting = read(*[claim({"8h": 0.92}, 0.35)] * 3)
    assert CLASS_NAMES[sighting.best] == "8h"
    assert sighting.names.max() > 0.99
    assert sighting.confidence == pytest.approx(1 - 0.65**3, abs=0.02)
    assert sighting.is_let_go == (sighting.confidence >= 0.75)


def test_second_outline_of_a_known_card_does_not_add_up() -> None:
    assert read(*[claim({"8h": 0.99}, 0.4)] * 5, known=("8h",)).confidence == pytest.approx(0.4)


def test_repeated_picture_says_nothing_new() -> None:
    sightings = Sightings(FilterSettings())
    for at in (1.0, 1.2, 1.4):
        (sighting,) = sightings.add(claim({"8h": 0.6}, 0.35), (), noise(1.0), at, at - 0.2, None)
    assert sighting.names.max() < 0.65
    assert sighting.confidence == pytest.approx(0.35)


def test_second_card_on_the_same_place_begins_a_sighting() -> None:
    five, four = claim({"5h": 0.99}), claim({"4h": 0.83, "5h": 0.1})
    assert CLASS_NAMES[read(five, five, four).best] == "5h"
    sighting = read(five, five, four, four, four)
    assert (CLASS_NAMES[sighting.best], sighting.count, sighting.empty_at) == ("4h", 3, pytest.approx(1.2))


def test_card_on_which_a_hand_lies_is_not_let_go() -> None:
    clear = claim({"8h": 0.99}, 0.9)
    assert read(clear, clear).is_let_go
    assert not read(clear).is_let_go
    assert not read(clear, clear, hand=0.5).is_let_go


def test_place_is_forgotten_after_a_while_and_elsewhere_is_another() -> None:
    sightings = Sightings(FilterSettings())
    (first,) = sightings.add(claim({"8h": 0.9}), (), noise(1.0), 1.0, 0.8, None)
    (elsewhere,) = sightings.add(claim({"8h": 0.9}, quad=CARD + 30), (), noise(1.2), 1.2, 1.0, None)
    (later,) = sightings.add(claim({"8h": 0.9}), (), noise(9.5), 9.5, 9.4, None)
    assert first is not elsewhere
    assert later is not first

"""A card read beyond doubt under fingers has lain there since, once it lies there without them."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detection.detections import CLASS_NAMES, Detections
from vision.geometry.quads import is_part_of
from vision.tracking.new_cards import HeldCards, InferenceTimes
from vision.tracking.track import FrameFacts
from vision.tracking.tracker import Tracker

CARD = np.array([[100, 100], [160, 100], [160, 190], [100, 190]], np.float32)
SEVEN, EIGHT = CLASS_NAMES.index("7s"), CLASS_NAMES.index("8h")


def read(name: int, share: float = 0.99, confidence: float = 0.9, quad: np.ndarray = CARD) -> Detections:
    probabilities = np.full((1, len(CLASS_NAMES)), (1 - share) / (len(CLASS_NAMES) - 1), np.float32)
    probabilities[0, name] = share
    return Detections(quad[None].astype(np.float32), np.array([confidence], np.float32), probabilities)


def look(at: float, hand: bool) -> FrameFacts:
    arms = np.zeros((120, 160), bool)
    arms[80:, 45:70] = hand
    return FrameFacts(at, arms, 2.0)


def grey() -> np.ndarray:
    return np.random.default_rng(5).integers(0, 255, (240, 320)).astype(np.uint8)


def tracker() -> Tracker:
    """Return a tracker that has seen the empty table, without a reported change."""
    made = Tracker()
    made.update(Detections.none(), look(0.0, False), grey, 0.0)
    made.add_change(np.zeros((120, 160), bool), 2.0)
    return made


def test_a_card_that_was_held_still_is_there_with_the_first_inference_that_shows_it_free() -> None:
    seen = tracker()
    seen.update(read(SEVEN), look(1.0, True), grey, 0.5)
    assert seen.tracks == []
    seen.update(read(SEVEN), look(1.5, False), grey, 1.0)
    (track,) = seen.tracks
    assert (track.confirmed, track.inferences, track.still, track.empty_at) == (True, 2, 2, 0.5)


@pytest.mark.parametrize("free", [read(EIGHT), read(SEVEN, quad=CARD + 30)], ids=["another", "elsewhere"])
def test_another_card_or_another_place_was_not_held(free: Detections) -> None:
    seen = tracker()
    seen.update(read(SEVEN), look(1.0, True), grey, 0.5)
    seen.update(free, look(1.5, False), grey, 1.0)
    assert not any(track.confirmed for track in seen.tracks)


@pytest.mark.parametrize(("share", "confidence"), [(0.8, 0.9), (0.99, 0.6)])
def test_what_was_read_with_doubt_under_fingers_is_nothing_to_go_by(share: float, confidence: float) -> None:
    held = HeldCards()
    held.add(read(SEVEN, share, confidence), [0], InferenceTimes(1.0, 0.5, 0.5))
    assert held.at_place(CARD, SEVEN) is None


def test_what_was_held_long_ago_is_forgotten() -> None:
    held = HeldCards()
    held.add(read(SEVEN), [0], InferenceTimes(1.0, 0.5, 0.5))
    held.add(Detections.none(), [], InferenceTimes(5.0, 4.0, 4.0))
    assert held.at_place(CARD, SEVEN) is not None
    held.add(Detections.none(), [], InferenceTimes(20.0, 19.0, 19.0))
    assert held.at_place(CARD, SEVEN) is None


def test_the_outline_of_a_half_hidden_card_does_not_wander() -> None:
    assert is_part_of(CARD * [1, 0.9] + [0, 10], CARD, 0.93, 0.96)
    seen = Tracker()
    for k in range(3):
        seen.update(read(SEVEN), look(0.2 * k, False), grey, 0.2 * (k - 1))
    part = CARD.copy()
    part[2:, 1] -= 22
    for k in range(3, 6):
        seen.update(read(SEVEN, quad=part), look(0.2 * k, False), grey, 0.2 * (k - 1))
    (track,) = seen.tracks
    assert track.still == 6
    assert np.abs(track.corners_px - CARD).max() < 1

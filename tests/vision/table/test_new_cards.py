"""New cards: a card surely read under fingers has lain at its place since then."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detection.detections import CLASS_NAMES, Detections
from vision.geometry.quads import is_part_of
from vision.table.card_filter import CardFilter
from vision.table.track import FrameFacts

CARD = np.array([[100, 100], [160, 100], [160, 190], [100, 190]], np.float32)
SEVEN, EIGHT = CLASS_NAMES.index("7s"), CLASS_NAMES.index("8h")


def read(name: int, share: float = 0.99, confidence: float = 0.9, quad: np.ndarray = CARD) -> Detections:
    probabilities = np.full((1, len(CLASS_NAMES)), (1 - share) / (len(CLASS_NAMES) - 1), np.float32)
    probabilities[0, name] = share
    return Detections(quad[None].astype(np.float32), np.array([confidence], np.float32), probabilities)


def facts(at: float, hand: bool) -> FrameFacts:
    arms = np.zeros((120, 160), bool)
    arms[80:, 45:70] = hand
    return FrameFacts(at, arms, 2.0, np.zeros_like(arms))


def grey() -> np.ndarray:
    return np.random.default_rng(5).integers(0, 255, (240, 320)).astype(np.uint8)


def tracker() -> CardFilter:
    """Return a tracker that has seen the empty table, without a reported change."""
    made = CardFilter()
    made.update(Detections.none(), facts(0.0, False), grey(), 0.0)
    made.add_change(np.zeros((120, 160), bool), 2.0)
    return made


def test_held_card_is_confirmed_by_the_first_inference_without_fingers() -> None:
    seen = tracker()
    seen.update(read(SEVEN), facts(1.0, True), grey(), 0.5)
    assert seen.tracks == []
    seen.update(read(SEVEN), facts(1.5, False), grey(), 1.0)
    (track,) = seen.tracks
    assert (track.is_confirmed, track.inferences, track.still, track.empty_at) == (True, 2, 2, 0.5)


@pytest.mark.parametrize("free", [read(EIGHT), read(SEVEN, quad=CARD + 30)], ids=["another", "elsewhere"])
def test_other_card_or_place_was_not_held(free: Detections) -> None:
    seen = tracker()
    seen.update(read(SEVEN), facts(1.0, True), grey(), 0.5)
    seen.update(free, facts(1.5, False), grey(), 1.0)
    assert not any(track.is_confirmed for track in seen.tracks)


@pytest.mark.parametrize(("share", "confidence"), [(0.8, 0.9), (0.99, 0.6)])
def test_card_read_unsurely_under_fingers_was_not_held(share: float, confidence: float) -> None:
    seen = tracker()
    seen.update(read(SEVEN, share, confidence), facts(1.0, True), grey(), 0.5)
    seen.update(read(SEVEN), facts(1.5, False), grey(), 1.0)
    assert not any(track.is_confirmed for track in seen.tracks)


@pytest.mark.parametrize(("free_at", "was_held"), [(5.0, True), (20.0, False)])
def test_held_card_is_forgotten_after_some_seconds(free_at: float, was_held: bool) -> None:
    seen = tracker()
    seen.update(read(SEVEN), facts(1.0, True), grey(), 0.5)
    seen.update(read(SEVEN), facts(free_at, False), grey(), 1.0)
    assert any(track.is_confirmed for track in seen.tracks) == was_held


def test_outline_of_a_half_hidden_card_is_stable() -> None:
    assert is_part_of(CARD * [1, 0.9] + [0, 10], CARD, 0.93, 0.96)
    seen = CardFilter()
    for k in range(3):
        seen.update(read(SEVEN), facts(0.2 * k, False), grey(), 0.2 * (k - 1))
    part = CARD.copy()
    part[2:, 1] -= 22
    for k in range(3, 6):
        seen.update(read(SEVEN, quad=part), facts(0.2 * k, False), grey(), 0.2 * (k - 1))
    (track,) = seen.tracks
    assert track.still == 6
    assert np.abs(track.corners_px - CARD).max() < 1

"""Faces in plain view of which nothing is told."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detection.detections import BACK_INDEX, CLASS_NAMES, Detections
from vision.events.untold import Untold, UntoldSettings
from vision.tracking.track import Track

EIGHT, NINE = CLASS_NAMES.index("8d"), CLASS_NAMES.index("9d")
CARD = np.array([[0, 0], [60, 0], [60, 90], [0, 90]], np.float32)


def seen(name: int, x: float, confidence: float = 0.9, read: float = 0.99) -> Detections:
    names = np.full((1, len(CLASS_NAMES)), (1 - read) / (len(CLASS_NAMES) - 1), np.float32)
    names[0, name] = read
    return Detections(CARD[None] + np.float32([x, 0]), np.array([confidence], np.float32), names)


def track(name: int, x: float) -> Track:
    known = Track(1, CARD + np.float32([x, 0]), 0.0, 0.0)
    known.evidence[name] = 5.0
    return known


def lately(first: Detections, second: Detections, *tracks: Track, talon_px: tuple = (), after_s: float = 0.2) -> bool:
    untold = Untold(UntoldSettings())
    untold.note(first, tracks, talon_px, 1.0)
    untold.note(second, tracks, talon_px, 1.0 + after_s)
    return untold.lately(2.0)


def test_the_same_face_twice_at_one_place_and_no_track_of_it() -> None:
    assert lately(seen(EIGHT, 0), seen(EIGHT, 2))
    assert lately(seen(EIGHT, 0), seen(EIGHT, 0), track(EIGHT, 300)), "that one lies elsewhere"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (seen(EIGHT, 0), seen(EIGHT, 30)),
        (seen(EIGHT, 0), seen(NINE, 0)),
        (seen(EIGHT, 0), seen(EIGHT, 0, confidence=0.5)),
        (seen(EIGHT, 0), seen(EIGHT, 0, read=0.8)),
        (seen(BACK_INDEX, 0), seen(BACK_INDEX, 0)),
        (seen(EIGHT, 0), Detections.none()),
    ],
)
def test_what_moves_or_is_not_beyond_doubt_is_none(first: Detections, second: Detections) -> None:
    assert not lately(first, second)


def test_a_card_that_is_known_or_put_beside_the_talon_is_none() -> None:
    assert not lately(seen(EIGHT, 0), seen(EIGHT, 0), track(EIGHT, 5))
    assert not lately(seen(EIGHT, 0), seen(EIGHT, 0), talon_px=(CARD + np.float32([120, 0]),))
    assert not lately(seen(EIGHT, 0), seen(EIGHT, 0), after_s=0.03)


def test_it_is_forgotten_after_a_while() -> None:
    untold = Untold(UntoldSettings())
    for at in (1.0, 1.2):
        untold.note(seen(EIGHT, 0), (), (), at)
    assert untold.lately(7.0)
    assert not untold.lately(8.0)

"""How surely a card that has settled is told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from vision.detections import CLASS_NAMES
from vision.settling import Settler
from vision.track import Track

CARD = np.array([[20, 20], [40, 20], [40, 48], [20, 48]], np.float32)


def track(key: int, name: str, shift: float) -> Track:
    """A claim of a card ``shift`` px beside the first."""
    made = Track(key, CARD + np.float32([shift, 0]), 1.0, 0.5)
    made.evidence[:] = -5.0
    made.evidence[CLASS_NAMES.index(name)] = 0.0
    return made


@pytest.mark.parametrize(
    ("others", "crowded"),
    [
        ([("Kc", 6), ("back", 9)], True),
        ([("Kc", 6)], False),
        ([("Kc", 6), ("none", 9)], False),
        ([("Kc", 6), ("back", 60)], False),
    ],
)
def test_a_card_among_claims_that_came_to_nothing_is_told_with_doubt(
    others: list[tuple[str, float]], crowded: bool
) -> None:
    card = track(1, "9c", 0)
    tracks = [card, *(track(2 + k, name, shift) for k, (name, shift) in enumerate(others))]
    tracker = cast(Any, SimpleNamespace(tracks=tracks))
    assert Settler(None)._is_crowded(card, tracker) is crowded

"""Filter for false detections: backs on open faces."""

from __future__ import annotations

import numpy as np
import pytest

from referee.cards import Card
from vision.detection.detections import BACK_INDEX, CLASS_NAMES, NOTHING_INDEX, Detections
from vision.table.matching import without_backs_on_faces

SIX, KING = CLASS_NAMES.index("6s"), CLASS_NAMES.index("Kd")
CARD = np.array([[0, 0], [60, 0], [60, 90], [0, 90]], np.float32)


def at(x: float, y: float) -> np.ndarray:
    return CARD + np.float32([x, y])


def reading(name: int, share: float) -> np.ndarray:
    names = np.full(len(CLASS_NAMES), (1 - share) / (len(CLASS_NAMES) - 1), np.float32)
    names[name] = share
    return names


def kept(
    *claims: tuple[np.ndarray, int, float], faces: tuple = (), piles: tuple = (), turnup: Card | None = None
) -> list[tuple[float, str]]:
    """Return what is left of the detections (place, name, confidence): where each lies, and its name."""
    quads, names = np.stack([c[0] for c in claims]), np.stack([reading(c[1], c[2]) for c in claims])
    found = Detections(quads, np.full(len(claims), 0.6, np.float32), names)
    left = without_backs_on_faces(found, faces, piles, turnup)
    return [
        (float(quad[0, 0]), CLASS_NAMES[best]) for quad, best in zip(left.corners_px, left.best.tolist(), strict=True)
    ]


@pytest.mark.parametrize(("x", "is_left"), [(20, False), (35, False), (55, True), (200, True)])
def test_back_mostly_on_an_open_face_is_dropped(x: float, is_left: bool) -> None:
    remaining = kept((at(0, 0), KING, 0.99), (at(x, 0), BACK_INDEX, 0.97))
    assert remaining == [(0, "Kd"), *([(x, "back")] if is_left else [])]


def test_unsure_back_on_a_face_stays_with_another_name() -> None:
    remaining = kept((at(0, 0), KING, 0.99), (at(20, 0), BACK_INDEX, 0.4))
    assert [place for place, _ in remaining] == [0, 20]
    assert remaining[1][1] != "back"


@pytest.mark.parametrize(("x", "is_left"), [(10, False), (30, True)])
def test_part_of_open_faces_that_reads_as_a_back_is_dropped(x: float, is_left: bool) -> None:
    remaining = kept((at(0, 0), KING, 0.99), (at(x, 0), BACK_INDEX, 0.4))
    assert [place for place, _ in remaining] == [0, *([x] if is_left else [])]


def test_known_face_excludes_backs_on_it() -> None:
    assert kept((at(20, 0), BACK_INDEX, 0.97), faces=(at(0, 0),)) == []


def test_talon_on_its_turn_up_is_kept() -> None:
    remaining = kept((at(0, 0), KING, 0.99), (at(20, 0), BACK_INDEX, 0.97), piles=(at(22, 0),))
    assert remaining == [(0, "Kd"), (20, "back")]


def test_no_detections_stay_none() -> None:
    assert len(without_backs_on_faces(Detections.none(), (), ())) == 0
    assert kept((at(0, 0), NOTHING_INDEX, 0.9)) == [(0, "none")]


@pytest.mark.parametrize(
    ("turnup", "remaining"), [("Kd", [(0, "Kd"), (20, "back")]), ("Qd", [(0, "Kd")]), (None, [(0, "Kd")])]
)
def test_talon_on_an_undetected_turn_up_is_kept(turnup: str | None, remaining: list[tuple[float, str]]) -> None:
    card = None if turnup is None else Card.parse(turnup)
    assert kept((at(0, 0), KING, 0.99), (at(20, 0), BACK_INDEX, 0.97), turnup=card) == remaining

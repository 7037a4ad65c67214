"""Measuring scripts: the deliberately degraded detector, decks of clips, and suspicions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmarks import enrolled_deck
from benchmarks.degraded_detector import Poor
from benchmarks.score_clip import suspicions, true_messages
from referee.cards import Card
from referee.events import Placed
from referee.header import Header
from referee.rulings import Ruling
from vision.detection.detections import CLASS_NAMES, FACE_COUNT, Detections


class AllFaces:
    """Fake detector that finds every face once, each with certainty."""

    def detect(self, image_bgr: np.ndarray) -> Detections:
        corners = np.zeros((FACE_COUNT, 4, 2), np.float32)
        return Detections(
            corners, np.ones(FACE_COUNT, np.float32), np.eye(FACE_COUNT, len(CLASS_NAMES), dtype=np.float32)
        )


@pytest.mark.parametrize(("unseen", "misread"), [(0.25, 0.0), (0.0, 0.25), (0.25, 0.25)])
def test_poor_detector_never_finds_some_faces_and_misreads_others(unseen: float, misread: float) -> None:
    picture = np.zeros((4, 4, 3), np.uint8)
    detector = Poor(unseen, misread, 3).over(AllFaces(), Path("clip.mp4"))
    seen = detector.detect(picture)
    assert len(seen) == FACE_COUNT * (1 - unseen)
    assert sorted(seen.best.tolist()) == sorted(set(seen.best.tolist()))
    again = Poor(unseen, misread, 3).over(AllFaces(), Path("clip.mp4")).detect(picture)
    assert again.best.tolist() == seen.best.tolist()
    assert (
        Poor(unseen, misread, 4).over(AllFaces(), Path("clip.mp4")).detect(picture).best.tolist() != seen.best.tolist()
    )


def test_poor_detector_names_half_of_the_undetected_faces_in_a_targeted_search() -> None:
    class Askable(AllFaces):
        def detect_at(
            self, image_bgr: np.ndarray, corners_px: np.ndarray, occluders_px: Sequence[Sequence[np.ndarray]]
        ) -> tuple[np.ndarray, np.ndarray]:
            return corners_px, self.detect(image_bgr).probabilities

    picture = np.zeros((4, 4, 3), np.uint8)
    detector = Poor(0.25, 0.25, 3).over(Askable(), Path("clip.mp4"))
    seen = set(detector.detect(picture).best.tolist())
    _, named = detector.detect_at(picture, np.zeros((FACE_COUNT, 4, 2), np.float32), [()] * FACE_COUNT)
    clear = named.max(axis=1) > 0.5
    assert clear.sum() == FACE_COUNT - 6
    np.testing.assert_allclose(named.sum(axis=1), 1, rtol=1e-5)
    # 13 are never found; 6 of them can't be named either.
    assert len(set(named.argmax(axis=1)[clear].tolist()) - seen) == 13 - 6


def test_deck_of_a_clip_is_taken_from_its_list() -> None:
    assert enrolled_deck.recipe_of(Path("anywhere/dev-depot.mp4")).deck == "invented-200641"
    assert enrolled_deck.cards_of(enrolled_deck.recipe_of(Path("dev-depot.mp4"))) == 52
    assert enrolled_deck.cards_of(enrolled_deck.recipe_of(Path("dev-kitchen.mp4"))) == 36
    with pytest.raises(ValueError, match="got party"):
        enrolled_deck.recipe_of(Path("party.mp4"))


def test_suspicion_is_right_if_the_truth_has_such_a_fault_at_that_time() -> None:
    header = Header.parse(
        {
            "kozyr": 1,
            "rules": "podkidnoy-36",
            "seats": ["A", "B"],
            "dealer": "B",
            "start": {"trump": "h", "turnup": "9h", "talon": 18, "hands": {"A": 6, "B": 6}, "attacker": "A"},
        }
    )
    true = [
        Placed(at=1.0, card=Card.parse("7s"), by="A"),
        Placed(at=2.0, card=Card.parse("8d"), by="B", on=Card.parse("7s")),
    ]
    messages = true_messages(header, true)
    assert [message.line for message in messages if isinstance(message.what, Ruling) and message.what.fault] == [3]
    late = Placed(at=9.0, card=Card.parse("8d"), by="B", on=Card.parse("7s"))
    found = suspicions(messages, true, [(true[0], 0.2), (true[1], 0.7), (true[1], 0.9), (late, 0.95)])
    assert found == [(0.95, False), (0.9, True), (0.7, False), (0.2, False)]

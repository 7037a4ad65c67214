"""Evidence that a picture is mirrored is added up over cards and pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.detection.classifier import CROP_PX
from vision.detection.detections import CLASS_NAMES, NOTHING_INDEX, Detections
from vision.detection.mirroring import MirrorEvidence, mirror_evidence, reads_unsurely


@dataclass
class TwoWays:
    """
    A classifier that gives one share to faces as they are, and another one to faces turned back.

    ``first``: index of the name of the first card; each further one has the next name.
    """

    as_it_is: float
    turned_back: float
    first: int = 3
    asked: int = 0

    def crops(self, image_bgr: np.ndarray, corners_px: np.ndarray) -> np.ndarray:
        crops = np.zeros((len(corners_px), CROP_PX[1], CROP_PX[0], 3), np.uint8)
        crops[:, :, : CROP_PX[0] // 2] = 255
        return crops

    def name_crops(self, crops: np.ndarray) -> np.ndarray:
        self.asked += len(crops)
        shares = np.full((len(crops), len(CLASS_NAMES)), 0.0, np.float32)
        share = [self.as_it_is if crop[0, 0, 0] else self.turned_back for crop in crops]
        shares[np.arange(len(crops)), self.first + np.arange(len(crops))] = share
        shares[:, NOTHING_INDEX] = 1 - np.array(share)
        return shares


def cards(count: int, share: float = 0.9) -> Detections:
    corners = np.array([[[0, 0], [60, 0], [60, 90], [0, 90]]] * count, np.float32)
    shares = np.zeros((count, len(CLASS_NAMES)), np.float32)
    shares[:, 3], shares[:, NOTHING_INDEX] = share, 1 - share
    return Detections(corners, np.full(count, 0.9, np.float32), shares)


def evidence(as_it_is: float, turned_back: float, count: int, first: int = 3) -> MirrorEvidence:
    return mirror_evidence(TwoWays(as_it_is, turned_back, first), np.zeros((9, 9, 3), np.uint8), cards(count))  # type: ignore[arg-type]


def test_two_cards_that_read_surely_turned_back_tell_a_mirrored_picture() -> None:
    found = evidence(0.9, 1.0, 2)
    assert (len(found.cards), found.is_mirrored) == (2, True)
    assert not evidence(0.6, 1.0, 1).is_mirrored


def test_cards_that_read_alike_both_ways_tell_nothing() -> None:
    found = evidence(0.9999, 1.0, 8)
    assert not found.is_mirrored
    assert not found.against


def test_unsure_readings_both_ways_are_no_evidence_for_it() -> None:
    assert evidence(0.5, 0.97, 8) == MirrorEvidence()


def test_pictures_of_a_film_add_up() -> None:
    one, other = evidence(0.95, 1.0, 1, first=3), evidence(0.95, 1.0, 1, first=20)
    assert not one.is_mirrored
    assert (one + other).is_mirrored
    against = evidence(1.0, 0.9, 1, first=3) + evidence(1.0, 0.9, 1, first=20)
    assert len(against.against) == 2


def test_card_that_shows_in_several_pictures_counts_once() -> None:
    one = evidence(0.95, 1.0, 1)
    assert not (one + one + one).is_mirrored
    upright = evidence(1.0, 0.9, 1)
    assert len((upright + upright + upright).against) == 1


def test_picture_with_a_card_that_speaks_for_upright_is_not_mirrored() -> None:
    found = evidence(0.5, 1.0, 4, first=3) + evidence(1.0, 0.98, 1, first=20)
    assert not found.is_mirrored


def test_cards_beyond_the_surest_are_not_read() -> None:
    reader = TwoWays(1.0, 1.0)
    mirror_evidence(reader, np.zeros((9, 9, 3), np.uint8), cards(30))  # type: ignore[arg-type]
    assert reader.asked == 16


def test_surely_read_cards_need_not_be_read_both_ways() -> None:
    assert reads_unsurely(cards(2))
    assert not reads_unsurely(cards(9, share=1.0))

"""A mirrored picture is read as if turned back."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from features.stills.reading import read_file, read_still
from vision.capture.film_reader import FilmReader
from vision.capture.image_files import Image
from vision.detection.card_detector import NetworkCardDetector, load_card_detector

RECORDING = Path(__file__).parents[3] / "webapp" / "recordings" / "demo.mp4"
FILM_S = 93.92


@pytest.fixture(scope="module")
def detector() -> NetworkCardDetector:
    return load_card_detector()


@pytest.fixture(scope="module")
def table() -> Image:
    """Return the table of the shipped recording with six cards of a bout."""
    film = FilmReader(RECORDING)
    picture = film.frame_at(26.2 / FILM_S)
    film.close()
    assert picture is not None
    return picture


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("enlarged", [1.0, 3.5])
def test_mirrored_picture_is_read_as_if_turned_back(
    detector: NetworkCardDetector, table: Image, enlarged: float
) -> None:
    shown = np.asarray(cv2.resize(table, None, fx=enlarged, fy=enlarged), np.uint8)
    plain, turned = read_still(detector, shown), read_still(detector, np.ascontiguousarray(shown[:, ::-1]))
    assert (plain.mirrored, turned.mirrored) == (False, True)
    assert len(plain.cards) >= 6
    assert sorted(turned.named_pairs()) == sorted(plain.named_pairs())
    assert "mirrored" not in plain.as_json()
    assert turned.as_json()["mirrored"] is True
    for card, same in zip(plain.cards, turned.cards, strict=True):
        own = same.corners_px * (-1, 1) + (shown.shape[1] - 1, 0)
        assert card.card == same.card
        assert own[[1, 0, 3, 2]] == pytest.approx(card.corners_px, abs=0.2)  # huge ones are reduced
        assert cv2.contourArea(same.corners_px, oriented=True) > 0  # clockwise, as any other


def test_single_card_is_no_proof_of_a_mirrored_picture(
    detector: NetworkCardDetector, table: Image, tmp_path: Path
) -> None:
    alone = read_still(detector, table).cards[0].corners_px
    (left, top), (right, bottom) = (alone.min(axis=0) - 60).astype(int), (alone.max(axis=0) + 60).astype(int)
    cv2.imwrite(str(tmp_path / "a.png"), table[max(top, 0) : bottom, max(left, 0) : right][:, ::-1])
    assert "mirrored" not in read_file(detector, tmp_path / "a.png")

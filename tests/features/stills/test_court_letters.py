"""Courts without letters."""

from __future__ import annotations

import numpy as np
import pytest

from features.stills.court_letters import without_unlettered_courts
from vision.detection.classifier import INDEX_ZONE
from vision.detection.detections import CLASS_NAMES, Detections
from vision.detection.rectification import Picture

PAPER, INK = 230, 20
PICTURE = np.full((200, 200, 3), PAPER, np.uint8)


def shares(**of: float) -> np.ndarray:
    reading = np.zeros(len(CLASS_NAMES), np.float32)
    for name, share in of.items():
        reading[CLASS_NAMES.index(name)] = share
    return reading


class LetterReader:
    """Reads a jack where a letter is printed in a corner, else the given face."""

    def __init__(self, figure: np.ndarray, letter: bool) -> None:
        self.figure = figure
        self.crop = np.full((132, 96, 3), PAPER, np.uint8)
        if letter:
            x, y, *_ = INDEX_ZONE
            for side in (self.crop, self.crop[::-1, ::-1]):
                side[y + 5 : y + 20, x + 5 : x + 12] = INK

    def crops(self, image_bgr: Picture, corners_px: np.ndarray) -> np.ndarray:
        crops: np.ndarray = np.stack([self.crop for _ in corners_px])
        return crops

    def name_crops(self, crops: np.ndarray) -> np.ndarray:
        named = shares(Jc=0.9, Kc=0.1)
        readings: np.ndarray = np.stack([named if (crop == INK).any() else self.figure for crop in crops])
        return readings


def named(reading: np.ndarray, reader: LetterReader, covered: float = 0.0) -> np.ndarray:
    corners = np.array([[[20, 20], [120, 20], [120, 160], [20, 160]]], np.float32)
    seen = Detections(corners, np.ones(1, np.float32), reading[None])
    reported: np.ndarray = without_unlettered_courts(reader, PICTURE, seen, np.array([covered])).probabilities[0]
    return reported


def test_a_letter_keeps_the_name() -> None:
    reading = shares(Jc=0.9, Kc=0.1)
    assert (named(reading, LetterReader(shares(Jc=0.3, Qc=0.3, Kc=0.4), letter=True)) == reading).all()


def test_a_figure_alone_is_no_name() -> None:
    reading = shares(Jc=0.9, Kc=0.08, Ks=0.02)
    even = named(reading, LetterReader(shares(Jc=0.6, Qc=0.2, Kc=0.2), letter=False))
    assert [even[CLASS_NAMES.index(name)] for name in ("Jc", "Qc", "Kc")] == pytest.approx([0.98 / 3] * 3, abs=1e-6)
    assert even.sum() == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("reading", "covered"),
    [(shares(Jc=0.6, Js=0.39), 0.0), (shares(Tc=0.9, Jc=0.1), 0.0), (shares(Jc=0.9, Kc=0.1), 0.3)],
    ids=["the rank is sure", "no court", "partly covered"],
)
def test_other_cards_keep_their_names(reading: np.ndarray, covered: float) -> None:
    reader = LetterReader(shares(Jc=0.6, Qc=0.2, Kc=0.2), letter=False)
    assert (named(reading, reader, covered) == reading).all()

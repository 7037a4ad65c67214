"""Cards cut by the picture's edge are also read as completed cards, and the surer reading is used."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detection.detections import CLASS_NAMES, Detections
from vision.table.matching import with_whole_readings

CUT = np.array([[100, 100], [140, 100], [140, 130], [100, 130]], np.float32)


def names(**shares: float) -> np.ndarray:
    """Return (54,) with these shares (``c9``: the 9 of clubs), the rest no card."""
    row = np.zeros(len(CLASS_NAMES), np.float32)
    for name, share in shares.items():
        row[CLASS_NAMES.index(name[::-1])] = share
    row[-1] = 1 - row.sum()
    return row


def found(*cards: tuple[np.ndarray, np.ndarray]) -> Detections:
    """Return detections with these corners and names."""
    quads, rows = zip(*cards, strict=True)
    return Detections(np.stack(quads), np.full(len(cards), 0.8, np.float32), np.stack(rows))


@pytest.mark.parametrize(
    ("whole", "name"),
    [(names(cT=1.0), "Tc"), (names(cT=0.4), "9c"), (names(), "9c")],
)
def test_surer_reading_is_used(whole: np.ndarray, name: str) -> None:
    read = with_whole_readings(found((CUT, names(c9=0.65, cT=0.15))), {0: whole})
    assert [CLASS_NAMES[k] for k in read.best] == [name]


def test_covered_card_is_not_read_as_its_cover() -> None:
    upper, lower = (CUT + np.float32([10, 12]), names(s9=0.3)), (CUT, names(h7=0.6))
    read = with_whole_readings(found(upper, lower), {0: names(s9=0.98), 1: names(s9=0.9)})
    assert [CLASS_NAMES[k] for k in read.best] == ["9s", "7h"]
    far = (CUT + np.float32([200, 0]), names(s9=0.95))
    assert CLASS_NAMES[with_whole_readings(found(far, lower), {1: names(s9=0.9)}).best[1]] == "9s"

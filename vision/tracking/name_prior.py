"""How likely each name is before any look: cards of the pack, and strangers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from referee.cards import pack
from vision.detection.detections import CLASS_NAMES, FACE_COUNT, FACES


def expectation(pack_size: int | None, stranger: float) -> npt.NDArray[np.float64]:
    """
    (54,) log-probabilities of names before any look; ``pack_size`` None: every card alike.

    >>> expected = expectation(36, 0.02)
    >>> round(float(np.exp(expected[CLASS_NAMES.index("3d")])), 3), float(expected[CLASS_NAMES.index("6d")])
    (0.02, 0.0)
    """
    expected = np.zeros(len(CLASS_NAMES))
    if pack_size is not None:
        inside = set(pack(pack_size))
        expected[:FACE_COUNT] = [0.0 if card in inside else np.log(stranger) for card in FACES]
    return expected

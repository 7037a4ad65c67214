"""Tracks of cards at rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from referee.cards import Card
from vision.detection.detections import BACK_INDEX, FACES
from vision.table.piles import Piles
from vision.table.track import Track


def lying(key: int, x: float, y: float, name: str | None, share: float = 0.9, across: bool = False) -> Track:
    """Return the track of a card of 40 x 60 px. ``name``: None for a back. ``across``: turned by a quarter."""
    wide, tall = (60, 40) if across else (40, 60)
    quad = np.array([[x, y], [x + wide, y], [x + wide, y + tall], [x, y + tall]], np.float32)
    track = Track(key, quad, 0.0, 0.0, inferences=3, still=3, seen_at=1.0)
    track.evidence[:] = np.log((1 - share) / 53)
    track.evidence[BACK_INDEX if name is None else FACES.index(Card.parse(name))] = np.log(share)
    return track


def place(piles: Piles, at_rest: Sequence[Track], gone: set[int], at: float, *, begun: bool) -> Track | None:
    """Let the piles take in an inference at which all tracks are at rest; return the turn-up that was exchanged."""
    return piles.update(at_rest, at_rest, gone, at, begun)

"""
Read from one picture what a game under way shows: the turn-up, the talon, the discard pile and the bout.

What cards people hold is not visible.
"""

from __future__ import annotations

import cv2
import numpy as np
from msgspec import field

from referee.fields import PlainValue
from vision.detection.detections import BACK_INDEX, CLASS_NAMES, EVEN_ODDS, FACE_COUNT, Detections
from vision.detection.z_order import attack_defence_pairs, z_order
from vision.geometry.quads import gap, overlap, size
from vision.tracking.piles import TALON_REACH
from vision.tracking.track import UNDER_TALON

LEAST_SHARE = 0.9
"""Probability from which a card is used. A wrong refusal is worse than a missing one. Chosen by hand."""
Pair = tuple[str, str | None]


class SeenTable(PlainValue, frozen=True):
    """
    ``turnup``: the card under the talon, None if none was read. ``has_talon``, ``has_heap``: does a talon, does a
    discard pile lie there. ``bout``: (attack, defence or None) from left to right.
    """

    turnup: str | None = None
    has_talon: bool = field(default=False, name="talon")
    has_heap: bool = field(default=False, name="heap")
    bout: tuple[Pair, ...] = ()

    @property
    def cards(self) -> tuple[str, ...]:
        """Return the names of all open cards."""
        named = [card for pair in self.bout for card in pair if card is not None]
        return (*(() if self.turnup is None else (self.turnup,)), *named)

    def confirmed(self, before: SeenTable) -> SeenTable:
        """
        Return what this picture and the one before agree on.

        >>> SeenTable("Ad", True, bout=(("7s", None),)).confirmed(SeenTable("Ad", True, bout=(("7c", None),)))
        SeenTable(turnup='Ad', has_talon=True, has_heap=False, bout=())
        """
        return SeenTable(
            self.turnup if self.turnup == before.turnup else None,
            self.has_talon and before.has_talon,
            self.has_heap and before.has_heap,
            self.bout if self.bout == before.bout else (),
        )


def read_table(image_bgr: np.ndarray, seen: Detections) -> SeenTable:
    """Return what the cards of a (h, w, 3) uint8 picture show of a game."""
    best = seen.best
    shares = seen.probabilities[np.arange(len(seen)), best] if len(seen) else np.zeros(0)
    kept = [i for i in range(len(seen)) if best[i] <= BACK_INDEX and shares[i] >= LEAST_SHARE]
    quads = seen.corners_px[kept]
    names = [CLASS_NAMES[best[i]] for i in kept]
    backs = [k for k, i in enumerate(kept) if best[i] == BACK_INDEX]
    faces = [k for k, i in enumerate(kept) if best[i] < FACE_COUNT]
    order = z_order(image_bgr, quads)
    covered = [
        (overlap(quads[face], quads[back]), face, back)
        for face in faces
        for back in backs
        if order.upper[back, face] > EVEN_ODDS
    ]
    share, turnup, talon = max(covered, default=(0.0, -1, -1))
    if share < UNDER_TALON:
        turnup = talon = -1
    open_faces = np.array([k in faces and k != turnup for k in range(len(kept))], bool)
    areas = np.array([cv2.contourArea(quad) for quad in quads])
    chosen = dict(attack_defence_pairs(order, areas, open_faces)) if len(kept) else {}
    bout = [
        (names[k], names[chosen[k]] if k in chosen else None)
        for k in np.argsort(quads[:, :, 0].mean(axis=1), kind="stable")
        if open_faces[k] and k not in chosen.values()
    ]
    return SeenTable(
        turnup=names[turnup] if turnup >= 0 else None,
        has_talon=talon >= 0,
        has_heap=talon >= 0
        and any(gap(quads[back], quads[talon]) >= TALON_REACH * size(quads[talon]) for back in backs),
        bout=tuple(bout),
    )


NOTHING_SEEN = SeenTable()

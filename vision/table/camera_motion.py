"""
Estimate how the camera has moved, from known cards that are found elsewhere.

Each known face that is found under its name proposes a move. The proposal that puts most known cards, backs too, on
detections is fitted to all of these, and accepted if few are left over. Two cards are enough if the whole picture has
changed, three otherwise: a plain table shows a bump by its cards alone. Tracks, piles, zones and the plane move along,
so that in millimetres nothing moves.

Every inference tries to re-identify the table. As long as the picture has not changed all over, failing says nothing:
cards come and go. After it has, a few inferences in a row may fail before the table is lost.

    state      what comes                                       next state
    STEADY     the picture changes all over                     SEARCHING, with ``INFERENCES`` left
    SEARCHING  an inference re-identifies the table             STEADY
    SEARCHING  an inference does not, and others are left       SEARCHING, with one less
    SEARCHING  the last inference does not                      LOST
    LOST       the picture shows the table again                STEADY
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
import numpy.typing as npt

from vision.detection.detections import FACE_COUNT, Detections
from vision.geometry.quads import Array, Matrix, align, iou, size, warp

# Shares are from 0 to 1. Chosen by hand, 2026-11.
SAME = 0.45
"""Least intersection over union of a known card, moved, with a detection of it."""
NAMED = 0.5
"""Least probability of the name of a detection that proposes a move."""
CLEAR = 0.9
"""Least probability of the name of a detection that is certainly a card."""
CARDS, CARDS_RELEARNED = 3, 2
"""Cards that must be found again by a move: as a rule, and after the whole picture has changed."""
SHARE = 0.6
"""Share of the cards in view that must be found again by a move."""
MOVED = 0.12
"""A smaller median shift, in card diagonals, is no camera motion: people push cards by more."""
LOST = 0.25
"""If fewer of the known cards lie as before, and no move is found, the table is not re-identified."""
INFERENCES = 3
"""Inferences that may fail to re-identify the table after the whole picture has changed."""


@dataclass(frozen=True, slots=True, eq=False)
class CameraMotion:
    """
    ``move``: (3, 3), from pixels before to pixels now, None if the camera did not move. ``is_lost``: the table is not
    re-identified.
    """

    move: Matrix | None = None
    is_lost: bool = False


class CameraState(Enum):
    """Whether it is known where the camera points."""

    STEADY = "the table is where it was in the picture, or is followed"
    SEARCHING = "the picture has changed all over, and the table is not re-identified yet"
    LOST = "the table was not re-identified"


class CameraRecovery:
    """Re-identifies the table after the camera was moved, or reports that it is lost."""

    def __init__(self) -> None:
        self.state = CameraState.STEADY
        self._inferences_left = 0

    def disturbed(self) -> None:
        """Begin to search: the picture has changed all over."""
        self.state, self._inferences_left = CameraState.SEARCHING, INFERENCES

    def reidentified(self) -> None:
        """End the search: the picture is what it was before it changed all over."""
        self.state = CameraState.STEADY

    def judge(self, known: Sequence[tuple[Array, int]], found: Detections) -> Matrix | None:
        """
        Return how the picture has moved, (3, 3) from pixels before to pixels now, None if it has not.

        ``known``: as for :func:`estimate_camera_motion`. Detections are of use only if the state is ``STEADY`` then.
        """
        motion = estimate_camera_motion(known, found, self.state is CameraState.SEARCHING)
        if self.state is not CameraState.SEARCHING or not motion.is_lost:
            self.state = CameraState.STEADY
        else:
            self._inferences_left -= 1
            self.state = CameraState.SEARCHING if self._inferences_left else CameraState.LOST
        return motion.move


def estimate_camera_motion(
    known: Sequence[tuple[Array, int]],
    found: Detections,
    has_changed: bool,
) -> CameraMotion:
    """
    Estimate how the picture has moved.

    ``known``: corners (4, 2) and index into ``CLASS_NAMES`` of the cards that should be in view. ``has_changed``: the
    picture has changed all over, not only where cards lie.
    """
    least = CARDS_RELEARNED if has_changed else CARDS
    still = _matches(known, found, np.eye(3))
    if len(known) < least:
        # Cards don't come all at once: where several lie after the whole picture has changed it shows another table.
        clear = (found.best < FACE_COUNT) & (found.probabilities.max(axis=1, initial=0.0) >= CLEAR)
        return CameraMotion(is_lost=has_changed and not still and int(clear.sum()) >= CARDS)
    best = still
    for move in _proposed(known, found):
        matches = _matches(known, found, move)
        if len(matches) > len(best):
            best = matches
    if len(best) <= len(still):
        return CameraMotion(is_lost=len(still) < LOST * len(known))
    fitted = _fitted(known, found, best)
    enough = max(least, SHARE * len(known))
    if fitted is None or len(_matches(known, found, fitted)) < enough:
        return CameraMotion(is_lost=len(still) < LOST * len(known))
    gaps = [float(np.abs(warp(fitted, quad) - quad).mean()) / size(quad) for quad, _ in known]
    return CameraMotion(fitted if float(np.median(gaps)) >= MOVED else None)


def _proposed(known: Sequence[tuple[Array, int]], found: Detections) -> Iterator[Matrix]:
    names, shares = found.best, found.probabilities.max(axis=1) if len(found) else np.zeros(0)
    for quad, name in known:
        if name >= FACE_COUNT:
            continue
        for k in np.flatnonzero((names == name) & (shares >= NAMED)):
            for there in (found.corners_px[k], np.roll(found.corners_px[k], 2, axis=0)):
                move, _ = cv2.estimateAffinePartial2D(quad.astype(np.float64), there.astype(np.float64))
                if move is not None:
                    yield np.vstack([move, [[0.0, 0.0, 1.0]]])


def _matches(known: Sequence[tuple[Array, int]], found: Detections, move: Matrix) -> list[tuple[int, int]]:
    """Return pairs (known, found) of cards of one name that lie on each other after the move, each used once."""
    names = found.best
    pairs = []
    for i, (quad, name) in enumerate(known):
        there = warp(move, quad)
        for k in map(int, np.flatnonzero(names == name)):
            shared = iou(there, found.corners_px[k])
            if shared >= SAME:
                pairs.append((shared, i, k))
    taken: list[tuple[int, int]] = []
    for _, i, k in sorted(pairs, reverse=True):
        if all(i != one and k != other for one, other in taken):
            taken.append((i, k))
    return taken


def _fitted(known: Sequence[tuple[Array, int]], found: Detections, matches: list[tuple[int, int]]) -> Matrix | None:
    """Return the affine move that fits all matched cards best: a few cards can't show a change of perspective."""
    first, _ = matches[0]
    rough, _ = cv2.estimateAffinePartial2D(
        known[first][0].astype(np.float64), _like(found.corners_px[matches[0][1]], known[first][0])
    )
    if rough is None:
        return None
    whole = np.vstack([rough, [[0.0, 0.0, 1.0]]])
    before = np.concatenate([known[i][0] for i, _ in matches]).astype(np.float64)
    after = np.concatenate([align(found.corners_px[k], warp(whole, known[i][0])) for i, k in matches])
    move, _ = cv2.estimateAffine2D(before, after.astype(np.float64))
    return None if move is None else np.vstack([move, [[0.0, 0.0, 1.0]]])


def _like(quad: Array, like: Array) -> npt.NDArray[np.float64]:
    """Return the quad, turned by half a turn if its sides run the other way: cameras are not turned upside down."""
    sides, others = quad - quad.mean(axis=0), like - like.mean(axis=0)
    return np.asarray(align(sides, others) + quad.mean(axis=0), np.float64)

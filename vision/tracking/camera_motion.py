"""
Where the camera has moved to: the cards that were known, found again elsewhere, tell.

Every known face that is found under its own name proposes how the picture has moved; the proposal that puts most of
all known cards, backs too, on cards that are found now is taken, fitted to all of these, and believed if few are left
over. Two cards are enough where the whole picture has changed, three where it has not: a plain table shows a bump by
its cards alone. Tracks, piles, zones and the plane go along, so that in millimetres nothing has moved.

Theory of operation of the recovery. Every look tries to know the table again. As long as the picture has not changed
all over, a look that fails says nothing: cards come and go. After it has, a few looks may fail in a row; then the table
is lost, and whoever asks has to begin anew.

    state      what comes                                     next state
    STEADY     the picture changes all over                   SEARCHING, with ``looks`` looks left
    SEARCHING  a look knows the table again                   STEADY
    SEARCHING  a look does not, and others are left           SEARCHING, with one look less
    SEARCHING  a look does not, and it was the last           LOST
    LOST       a new recovery is made for the table that is begun anew
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
import numpy.typing as npt

from vision.detection.detections import FACE_COUNT, Detections
from vision.geometry.plane_homography import Matrix
from vision.geometry.quads import Array, align, iou, size, warp


@dataclass(frozen=True, slots=True)
class CameraMotionSettings:
    """What makes a move believed. Shares are from 0 to 1. Set by hand, 2026-11."""

    same: float = 0.45
    """A known card put on one that is found shares so much of both with it. Higher: moves with a zoom are missed;
    lower: wrong moves are believed."""
    named: float = 0.5
    """So surely must a card be read to propose a move. Higher: dim tables are lost; lower: dearer."""
    cards: int = 3
    """At least so many cards must be found again, ... More: on a bare table a push is missed; fewer: a pair pushed
    aside is the camera."""
    cards_relearned: int = 2
    """... or so many where the whole picture has changed, ..."""
    share: float = 0.6
    """... and this share of those in view. Higher: a push while a bout is swept is missed; lower: cards pushed aside
    are the camera."""
    moved: float = 0.12
    """Cards that lie off by less (in their diagonals) are followed as they are: people push cards by more. Higher:
    small moves shift the zones; lower: noise moves the camera."""
    lost: float = 0.25
    """Where fewer of the cards lie as before or elsewhere together, the table is not known again. Higher: a swept table
    is lost; lower: a strange table is taken for this one."""
    looks: int = 3
    """After the picture has changed all over, so many looks are taken to know the table again. More: a lost table is
    told later; fewer: one passing hand loses it."""


@dataclass(frozen=True, slots=True, eq=False)
class CameraMotion:
    """``move``: (3, 3), from pixels before to pixels now, None where nothing moved together. ``is_lost``: the table is
    not known again."""

    move: Matrix | None = None
    is_lost: bool = False


class CameraState(Enum):
    """How well it is known where the camera looks."""

    STEADY = "the table lies where it lay in the picture, or is followed"
    SEARCHING = "the picture has changed all over, and the table was not known again yet"
    LOST = "the table was not known again"


class CameraRecovery:
    """Knows the table again after the camera was moved, or says that it is lost."""

    def __init__(self, settings: CameraMotionSettings = CameraMotionSettings()) -> None:
        self.settings = settings
        self.state = CameraState.STEADY
        self._looks_left = 0

    def disturbed(self) -> None:
        """The picture has changed all over."""
        self.state, self._looks_left = CameraState.SEARCHING, self.settings.looks

    def known_again(self) -> None:
        """The picture is what it was before it changed all over."""
        self.state = CameraState.STEADY

    def judge(self, known: Sequence[tuple[Array, int]], found: Detections) -> Matrix | None:
        """
        Take in a look: how the picture has moved, (3, 3) from pixels before to pixels now, None if it has not.

        ``known``: as for :func:`estimate_camera_motion`. What was found is of use only if the state is ``STEADY`` then.
        """
        motion = estimate_camera_motion(known, found, self.state is CameraState.SEARCHING, self.settings)
        if self.state is not CameraState.SEARCHING or not motion.is_lost:
            self.state = CameraState.STEADY
        else:
            self._looks_left -= 1
            self.state = CameraState.SEARCHING if self._looks_left else CameraState.LOST
        return motion.move


def estimate_camera_motion(
    known: Sequence[tuple[Array, int]],
    found: Detections,
    has_changed: bool,
    settings: CameraMotionSettings = CameraMotionSettings(),
) -> CameraMotion:
    """
    How the picture has moved. ``known``: (corners (4, 2), index into ``CLASS_NAMES``) of cards that should be in view;
    ``has_changed``: the picture has changed all over, not only where cards lie.
    """
    least = settings.cards_relearned if has_changed else settings.cards
    if len(known) < least:
        return CameraMotion()
    still = _matches(known, found, np.eye(3), settings)
    best = still
    for move in _proposed(known, found, settings):
        matches = _matches(known, found, move, settings)
        if len(matches) > len(best):
            best = matches
    if len(best) <= len(still):
        return CameraMotion(is_lost=len(still) < settings.lost * len(known))
    fitted = _fitted(known, found, best)
    enough = max(least, settings.share * len(known))
    if fitted is None or len(_matches(known, found, fitted, settings)) < enough:
        return CameraMotion(is_lost=len(still) < settings.lost * len(known))
    gaps = [float(np.abs(warp(fitted, quad) - quad).mean()) / size(quad) for quad, _ in known]
    return CameraMotion(fitted if float(np.median(gaps)) >= settings.moved else None)


def _proposed(
    known: Sequence[tuple[Array, int]], found: Detections, settings: CameraMotionSettings
) -> Iterator[Matrix]:
    names, shares = found.best, found.probabilities.max(axis=1) if len(found) else np.zeros(0)
    for quad, name in known:
        if name >= FACE_COUNT:
            continue
        for k in np.flatnonzero((names == name) & (shares >= settings.named)):
            for there in (found.corners_px[k], np.roll(found.corners_px[k], 2, axis=0)):
                move, _ = cv2.estimateAffinePartial2D(quad.astype(np.float64), there.astype(np.float64))
                if move is not None:
                    yield np.vstack([move, [[0.0, 0.0, 1.0]]])


def _matches(
    known: Sequence[tuple[Array, int]], found: Detections, move: Matrix, settings: CameraMotionSettings
) -> list[tuple[int, int]]:
    """(known, found) cards of one name that lie on each other after the move, each found one once."""
    names = found.best
    pairs = []
    for i, (quad, name) in enumerate(known):
        there = warp(move, quad)
        for k in map(int, np.flatnonzero(names == name)):
            shared = iou(there, found.corners_px[k])
            if shared >= settings.same:
                pairs.append((shared, i, k))
    taken: list[tuple[int, int]] = []
    for _, i, k in sorted(pairs, reverse=True):
        if all(i != one and k != other for one, other in taken):
            taken.append((i, k))
    return taken


def _fitted(known: Sequence[tuple[Array, int]], found: Detections, matches: list[tuple[int, int]]) -> Matrix | None:
    """The affine move that fits all matched cards best: one or two cards say nothing of a change of perspective."""
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
    """The same quad, turned by half a turn if its sides run the other way: cameras are not turned upside down."""
    sides, others = quad - quad.mean(axis=0), like - like.mean(axis=0)
    return np.asarray(align(sides, others) + quad.mean(axis=0), np.float64)

"""
Follow a camera that sways, as one on a phone arm on a table at which people lean.

The corners of the background, as many in each quarter (Shi and Tomasi, ``goodFeaturesToTrack``), are found again in
each reduced picture (Lucas and Kanade, ``calcOpticalFlowPyrLK``), and RANSAC fits the shift, turn and scale on which
most of them agree; corners on arms and on cards that are laid or moved disagree and are left out. The picture is moved
back by this fit before anything is compared, so that the table of a swaying camera is at rest. The picture of a camera
at rest is not moved: what is estimated for it is noise.

    state      what the corners show                                    next state
    RESTING    a shift of ``BEGIN_PX`` or more in ``FRAMES`` frames     FOLLOWING
    FOLLOWING  less than ``END_PX`` for ``END_S``                       RESTING
    FOLLOWING  no shift on which enough agree for ``LOST_S``            RESTING
    FOLLOWING  a shift of more than ``MOST_PX``                         RESTING: the camera was moved, it does not sway
    FOLLOWING  the same move, within ``END_PX``, for ``END_S``          RESTING, once the background was moved there
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.image_files import Image
from vision.geometry.quads import Mask, Matrix
from vision.motion.arm_regions import Flags
from vision.motion.background import Background

# Pixels are those of the reduced picture, times in seconds. Chosen by hand on the variants of the shipped recording
# (``python -m benchmarks.film_variants``), 2026-11.
CORNERS, CORNER_QUALITY, CORNER_GAP_PX = 20, 0.002, 7
"""
Most corners of each quarter of the picture, their least strength relative to the quarter's strongest, and the least
distance between two. The grain of a plain table is enough: 66 of 66 corners agree, but 6 in all where only corners a
tenth as strong as a card's are taken.
"""
REFRESH_S = 1.0
"""Seconds after which corners are chosen again: cards come and go."""
WINDOW_PX = 11
"""Side of the window around a corner that is found again: it may have moved by half of that between two frames."""
AGREE_PX = 0.25
"""A corner agrees with a shift if it lies this close to where the shift puts it."""
LEAST_CORNERS = 16
"""With fewer corners in agreement nothing is known."""
AGREEING, AGREEING_STILL = 0.5, 0.35
"""Least share of the corners outside arms that must agree: to begin following, and to go on."""
QUARTERS, LEAST_IN_QUARTER = 3, 2
"""
Number of quarters of the picture that must hold agreeing corners, and their least number in each: one pushed pile is no
camera.
"""
BEGIN_PX, FRAMES = 0.3, 3
"""
Mean shift, of 1.2 px of a picture of 1280, from which the camera sways, and number of frames in a row that show it. A
camera at rest shows 0.02, and 0.2 where people shuffle on its table: too little to disturb motion detection.
"""
END_PX, END_S = 0.2, 3.0
"""
Mean shift below which there is only noise, and seconds after which a camera that stays within it, where the background
was learned or elsewhere, stands still: the slowest sway that is tested (0.15 Hz) takes 3.3 s from one end to the other.
"""
LOST_S = 0.4
MOST_PX = 8.0

_FEW_STEPS = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 15, 0.02)


class CameraFollower:
    """Estimates how the camera stands against the background. Takes every frame, in order of time."""

    def __init__(self) -> None:
        self._corners: npt.NDArray[np.float32] = np.zeros((0, 1, 2), np.float32)
        self._chosen_at = -REFRESH_S
        self._move: Matrix | None = None
        self._newest: Matrix | None = None
        self._frames = 0
        self._seen_at = 0.0
        self._shifted_at = 0.0
        self._place: Matrix | None = None
        self._placed_at = 0.0

    def restart(self) -> None:
        """Choose the corners again with the next frame: the background was learned again."""
        self._chosen_at = -REFRESH_S

    def stands_still(self, at: float) -> bool:
        """Check whether a followed camera has stood still for ``END_S``, away from where the background has it."""
        return self._move is not None and at - self._placed_at >= END_S

    def rest(self) -> None:
        """End following: the background was moved to where the camera stands."""
        self._move, self._newest, self._place, self._frames = None, None, None, 0
        self.restart()

    def follow(self, small: Image, table: Background, arms: Flags, at: float) -> Matrix | None:
        """
        Return the move (2, 3) from the background's pixels to those of a frame; None while the camera rests.

        ``small``: (rows, columns, 3). ``arms``: where arms were in the frame before.
        """
        pictures = (table.as_picture, small)
        known, seen = (np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8) for picture in pictures)
        if not 0 <= at - self._chosen_at < REFRESH_S:
            free = (cv2.dilate(arms.astype(np.uint8), np.ones((WINDOW_PX, WINDOW_PX), np.uint8)) == 0).astype(np.uint8)
            self._corners, self._chosen_at = _corners(known, free), at
        estimated = self._estimated(known, seen, arms)
        if estimated is None:
            if self._move is not None and at - self._seen_at > LOST_S:
                self._move = None
            if self._move is None:
                self._place = None
            self._frames, self._newest = 0, self._move
            return self._move
        move, shift_px = estimated
        self._newest = move
        self._seen_at = at
        self._frames = self._frames + 1 if shift_px >= BEGIN_PX else 0
        if shift_px >= END_PX:
            self._shifted_at = at
        is_followed = self._frames >= FRAMES if self._move is None else at - self._shifted_at < END_S
        self._move = move if is_followed and shift_px <= MOST_PX else None
        if self._move is None:
            self._place = None
            return None
        if self._place is not None:  # how far, on average, the corners have gone from there
            gaps = cv2.transform(self._corners, move) - cv2.transform(self._corners, self._place)
        if self._place is None or float(np.linalg.norm(gaps[:, 0], axis=1).mean()) > END_PX:
            self._place, self._placed_at = move, at
        return self._move

    def _estimated(self, known: Mask, seen: Mask, arms: Flags) -> tuple[Matrix, float] | None:
        """Return the move on which enough corners agree, and its mean shift in pixels; None without one."""
        columns, rows = np.clip(self._corners[:, 0].round().astype(int).T, 0, np.array([arms.shape[::-1]]).T - 1)
        corners = self._corners[~arms[rows, columns]]
        if len(corners) < LEAST_CORNERS:
            return None
        expected = corners if self._newest is None else np.asarray(cv2.transform(corners, self._newest), np.float32)
        found, is_found, _ = cv2.calcOpticalFlowPyrLK(
            known,
            seen,
            corners,
            expected.copy(),
            winSize=(WINDOW_PX, WINDOW_PX),
            maxLevel=0,
            criteria=_FEW_STEPS,
            flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
        )
        kept = is_found[:, 0] > 0
        before, after = corners[kept, 0], found[kept, 0]
        if len(before) < LEAST_CORNERS:
            return None
        move, agrees = cv2.estimateAffinePartial2D(before, after, ransacReprojThreshold=AGREE_PX)
        if move is None:
            return None
        before = before[agrees[:, 0] > 0]
        share = AGREEING if self._move is None else AGREEING_STILL
        middle = np.array(known.shape[::-1]) / 2
        quarters = np.bincount((before > middle) @ (1, 2), minlength=4)
        if len(before) < max(LEAST_CORNERS, share * len(corners)) or (
            np.count_nonzero(quarters >= LEAST_IN_QUARTER) < QUARTERS
        ):
            return None
        shifts = cv2.transform(before[:, None], move)[:, 0] - before
        return np.asarray(move, np.float64), float(np.linalg.norm(shifts, axis=1).mean())


def _corners(known: Mask, free: Mask) -> npt.NDArray[np.float32]:
    """Return the strongest corners (n, 1, 2) of each quarter of a picture. ``free``: 1 where they may lie."""
    rows, columns = (side // 2 for side in known.shape)
    found = [np.zeros((0, 1, 2), np.float32)]
    for top, left in ((0, 0), (0, columns), (rows, 0), (rows, columns)):
        part = np.s_[top : top + rows, left : left + columns]
        strongest = cv2.goodFeaturesToTrack(known[part], CORNERS, CORNER_QUALITY, CORNER_GAP_PX, mask=free[part])
        if strongest is not None:
            found.append(np.asarray(strongest + np.array([left, top], np.float32), np.float32))
    return np.concatenate(found)

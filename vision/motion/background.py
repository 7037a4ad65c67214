"""
The background: the reduced picture of the table at rest, without arms, as the camera and the light change.

* **Exposure and white balance.** A camera bends bright levels: where the cloth loses a quarter of its blue, a white
  card beside it loses a tenth. So each colour has one gain for the picture, the median ratio of now to before, which
  arms and cards can't outvote; dark, middle and bright levels have their own, which lies between that gain and 1.
* **Bands.** A shutter that rolls down the picture sees the light of a flickering lamp rise and fall from row to row.
  Each row's gain is the median ratio along the row. Rows of an arm or of cards, along which the ratio differs much,
  take the gain of their neighbours.
* **A moving camera**, as one held in a hand: every edge in the picture moves, and plain areas do not. An arm moves its
  own edges and leaves those of cards, cups and prints elsewhere as they are; a flickering lamp changes plain areas as
  much as edges. So the camera moves if the edges of all quarters of the picture that have any change from frame to
  frame, and plain areas don't.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.image_files import Image
from vision.geometry.quads import Mask, Matrix
from vision.motion.arm_regions import Flags, is_spread, share_of
from vision.motion.motion_report import FOREIGN_LEVELS, NEVER, PALE_LEVELS

# Shares are from 0 to 1, levels of 0..255, pixels those of the reduced picture. Chosen by hand, 2026-11.
PALE_FROM = 140.0
"""A cloth is pale if the median of its darkest colour is this bright."""
SPREAD_SHARE = 0.15
"""Share of the picture's parts that something foreign must touch for the camera to have been bumped."""
BUMP_MOVING = 0.3
"""A bump is searched for if no more of what is foreign moves: the camera is at rest again."""
BUMP_EVERY_S = 0.3
"""Seconds between two searches, which take 7 ms."""
BUMP_GAIN = 0.5
"""A bump must leave at most this share of what was foreign."""
BUMP_PX = 20.0
"""A bump moves the picture's corners by at most this."""
KNOWN_SHARE = 0.2
"""If less is foreign, a picture shows the table that was remembered."""
LEVEL_STEP_PX = 4
"""Step in pixels, across and down, between two that are sampled for brightness."""
ECC_STEPS, ECC_PRECISION, ECC_BLUR_PX = 40, 1e-4, 5
"""Most steps, least gain and blur of the search for a bump (``findTransformECC``)."""
LEARNING_RATE = 0.03
"""Share by which the background follows each frame where nothing differs."""

_SMALL = np.ones((3, 3), np.uint8)
_LARGE = np.ones((5, 5), np.uint8)


class Background:
    """``picture``: (rows, columns, 3), empty before the first frame."""

    def __init__(self) -> None:
        self.picture = np.zeros((0, 0, 3), np.float32)
        self._levels = FOREIGN_LEVELS
        self._bands = LampBands()
        self._calm: tuple[npt.NDArray[np.float32], Flags] | None = None
        self._before: npt.NDArray[np.float32] | None = None
        self._bump_tried_at = NEVER

    @property
    def as_picture(self) -> Image:
        """Return the background as a picture (rows, columns, 3) uint8."""
        return np.asarray(cv2.convertScaleAbs(self.picture), np.uint8)

    def begin(self, small: Image) -> None:
        """Learn the background from a picture."""
        self.picture = small.astype(np.float32)
        is_pale = float(np.median(sampled(small).reshape(-1, 3), axis=0).min()) >= PALE_FROM
        self._levels = PALE_LEVELS if is_pale else FOREIGN_LEVELS

    def set_aside(self) -> None:
        """Remember the table as it was while little was foreign, before the background is learned again."""
        self._before = None if self._calm is None else self._calm[0]

    def was(self, small: Image) -> bool:
        """Check whether a picture shows the table that was set aside."""
        now, before = self.picture, self._before
        if before is None or small.shape != before.shape:
            return False
        self.picture = before
        is_known = share_of(self.foreign(small)[1]) <= KNOWN_SHARE
        self.picture = now
        return is_known

    def take_back(self) -> None:
        """Take back the table that was set aside."""
        assert self._before is not None
        self.picture, self._before = self._before, None

    def without_bands(self, small: Image) -> Image:
        """Return a frame without the bands of a flickering lamp."""
        return self._bands.without(small, self.picture)

    def follow_light(self, small: Image) -> None:
        """Follow light that changes everywhere."""
        follow_light(self.picture, small)

    def learn(self, small: Image, calm: Flags) -> None:
        """Follow a frame slowly where nothing differs."""
        cv2.accumulateWeighted(small, self.picture, LEARNING_RATE, calm.astype(np.uint8))

    def move(self, move: Matrix) -> None:
        """Move the background as the camera was moved. ``move``: (2, 3), from its pixels to those of a frame."""
        size = (self.picture.shape[1], self.picture.shape[0])
        moved = cv2.warpAffine(self.picture, move, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        self.picture = np.asarray(moved, np.float32)

    def foreign(self, small: Image) -> tuple[Image, Mask]:
        """Return the background as a picture, and (rows, columns) 1 where the frame differs from it."""
        background = self.as_picture
        difference = most_of(cv2.absdiff(small, background))
        foreign = (difference > self._levels).astype(np.uint8)
        foreign = np.asarray(cv2.morphologyEx(foreign, cv2.MORPH_OPEN, _SMALL), np.uint8)
        return background, np.asarray(cv2.morphologyEx(foreign, cv2.MORPH_CLOSE, _LARGE), np.uint8)

    def absorb(self, small: Image, where: Flags, changed: Flags) -> None:
        """Make a region part of the background, and mark it as changed."""
        grown = cv2.dilate(where.astype(np.uint8), _SMALL) > 0
        self.picture[grown] = small[grown]
        changed |= grown

    def is_bumped(self, small: Image, foreign: Mask, moved: Flags, arms: Flags, at: float) -> bool:
        """
        Search for a bump if much is foreign all over the picture; remember the background while little is.

        ``arms``: where arms were in the frame before.
        """
        if not is_spread(foreign, SPREAD_SHARE):
            self._calm = (self.picture.copy(), arms)
            return False
        is_at_rest = share_of(moved) < BUMP_MOVING * share_of(foreign)
        if at - self._bump_tried_at < BUMP_EVERY_S or not is_at_rest:
            return False
        self._bump_tried_at = at
        return self._follow_bump(small, foreign, moved, arms)

    def _follow_bump(self, small: Image, foreign: Mask, moved: Flags, arms: Flags) -> bool:
        """Move the background as the camera was bumped, if that explains what is foreign."""
        now = self.picture
        # Regions at rest since then may have been learned where they are now; arms say nothing of the table.
        kept, arms = (now, arms) if self._calm is None else self._calm
        seen, known = (cv2.cvtColor(np.asarray(picture, np.uint8), cv2.COLOR_BGR2GRAY) for picture in (small, kept))
        reach = np.ones((2 * round(BUMP_PX / 2) + 1,) * 2, np.uint8)
        table = cv2.dilate(arms.astype(np.uint8), reach) == 0
        if not table.any():
            return False
        trusted = (table & (cv2.dilate(moved.astype(np.uint8), _LARGE) == 0)).astype(np.uint8)
        enough = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, ECC_STEPS, ECC_PRECISION)
        still = np.eye(2, 3, dtype=np.float32)
        try:
            _, turn = cv2.findTransformECC(seen, known, still, cv2.MOTION_AFFINE, enough, trusted, ECC_BLUR_PX)
        except cv2.error:  # it found no way to lay one over the other
            return False
        height, width = seen.shape
        corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]], np.float32)
        if float(np.linalg.norm(corners @ turn.T - corners[:, :2], axis=1).max()) > BUMP_PX:
            return False
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        self.picture = np.asarray(
            cv2.warpAffine(kept, turn, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32
        )
        if float(self.foreign(small)[1][table].mean()) <= BUMP_GAIN * float(foreign[table].mean()):
            return True
        self.picture = now
        return False


def sampled(small: Image) -> Image:
    """Return a sample of the pixels."""
    return small[::LEVEL_STEP_PX, ::LEVEL_STEP_PX]


def most_of(difference: np.ndarray) -> Mask:
    """Return the largest of the three colour differences of each pixel."""
    blue, green, red = cv2.split(difference)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


# Levels are of 0..255; pixels those of the reduced picture. Chosen by hand, 2026-11.
STEP_PX = 8
"""Step in pixels, across and down, between two that are sampled."""
DARKEST, BRIGHTEST, CLIPPED = 20.0, 235.0, 250.0
"""Background levels outside the first two, and levels above the third, say nothing: noise, or clipped."""
LEAST_PIXELS = 60
"""With fewer samples nothing is measured."""
LEAST_CHANGE = 0.015
"""A smaller change of the ratio is noise."""
LEAST_RATIO, MOST_RATIO = 0.2, 5.0
"""A ratio outside these is no change of light but a hand before the lens."""
DARK_BELOW, BRIGHT_FROM = 85.0, 170.0
"""Bounds of dark, middle and bright levels."""
LEAST_TONE = 6
"""With fewer samples dark, middle or bright levels take the picture's gain."""
ROW_KNOWN = 0.4
"""Least share of a row that is known, and of rows, for bands to be measured."""
ROW_SPREAD = 0.15
"""Most spread of the middle half of a row's ratios, relative to their median."""
ROW_BLUR_PX, ROWS_PX = 3.0, 19
"""Sigma of the smoothing over rows, and rows that it takes in: three times sigma to either side."""
LEAST_BAND, MOST_BAND = 0.02, 0.35
"""Bands weaker than the first are noise, stronger than the second a shadow."""
PROBE_FRAMES, FLICKER_FRAMES = 5, 50
"""
Number of frames of which one is searched for bands, and number of frames that are all searched once bands were found.
"""


def follow_light(background: npt.NDArray[np.float32], small: Image) -> None:
    """Bring a background (rows, columns, 3), in place, into the light of a picture (rows, columns, 3) uint8."""
    now, before = (picture[::STEP_PX, ::STEP_PX].reshape(-1, 3).astype(np.float32) for picture in (small, background))
    for colour in range(3):
        is_known = (before[:, colour] > DARKEST) & (before[:, colour] < BRIGHTEST)
        is_known &= now[:, colour] < CLIPPED
        if np.count_nonzero(is_known) < LEAST_PIXELS:
            continue
        gain = float(np.median(now[is_known, colour] / before[is_known, colour]))
        if abs(gain - 1) > LEAST_CHANGE and LEAST_RATIO < gain < MOST_RATIO:
            plane = background[:, :, colour]
            plane *= _gains(now[:, colour], before[:, colour], gain)[plane.astype(np.uint8)]


def _gains(now: npt.NDArray[np.float32], before: npt.NDArray[np.float32], gain: float) -> npt.NDArray[np.float32]:
    """Return the gain (256,) of one colour for each level that it had before."""
    gains = np.full(256, gain, np.float32)
    bounds = (1, round(DARK_BELOW), round(BRIGHT_FROM), 256)
    for low, high in pairwise(bounds):
        tone = (before >= low) & (before < high)
        if np.count_nonzero(tone) >= LEAST_TONE:
            own = float(np.median(now[tone] / before[tone]))
            gains[low:high] = min(max(own, min(gain, 1.0)), max(gain, 1.0))
    return gains


class LampBands:
    """Takes bands out of picture after picture; while none are found it searches for them only now and then."""

    def __init__(self) -> None:
        self._number = 0
        self._found_at = -PROBE_FRAMES

    def without(self, small: Image, background: npt.NDArray[np.float32]) -> Image:
        """Return the reduced picture (rows, columns, 3) without bands; itself if there are none."""
        self._number += 1
        if self._number % PROBE_FRAMES and self._number - self._found_at > FLICKER_FRAMES:
            return small
        gain = row_gains(small, background)
        if gain is None:
            return small
        self._found_at = self._number
        return np.asarray(np.clip(small / gain[:, None, None], 0, 255), np.uint8)


def row_gains(small: Image, background: npt.NDArray[np.float32]) -> npt.NDArray[np.float32] | None:
    """Return how much brighter each row (rows,) is than all rows together, None if there are no bands."""
    now, before = small[:, ::STEP_PX].astype(np.float32), background[:, ::STEP_PX]
    is_known = (before > DARKEST) & (before < BRIGHTEST) & (now < CLIPPED)
    ratio = np.where(is_known, now / np.maximum(before, 1.0), np.inf).reshape(len(small), -1)
    count = np.count_nonzero(is_known.reshape(len(small), -1), axis=1)
    known = count >= ratio.shape[1] * ROW_KNOWN
    if known.sum() < ROW_KNOWN * len(known):
        return None
    # Unknown ratios sort to the end of their row.
    ordered, columns = np.sort(ratio[known], axis=1), np.arange(int(known.sum()))
    low, middle, high = (ordered[columns, (count[known] * share).astype(int)] for share in (0.25, 0.5, 0.75))
    calm = high - low < ROW_SPREAD * middle
    rows = np.flatnonzero(known)[calm]
    if len(rows) < ROW_KNOWN * len(known):
        return None
    gain = np.interp(np.arange(len(known)), rows, middle[calm]).astype(np.float32)
    gain = np.asarray(cv2.GaussianBlur(gain[:, None], (1, ROWS_PX), 0, sigmaY=ROW_BLUR_PX)[:, 0], np.float32)
    gain /= float(np.median(gain))
    swing = float(np.abs(gain - 1).max())
    return gain if LEAST_BAND < swing < MOST_BAND else None


# Shares are from 0 to 1, pixels those of the reduced picture. Chosen by hand, 2026-11.
EDGE_LEVELS = 120.0
"""Change of grey levels over three pixels (Sobel) from which there is an edge."""
LEAST_MOVED = 0.004
"""If less of the picture has changed, no camera moved."""
LEAST_EDGE_PX = 40
"""A quarter of the picture with fewer pixels of edges says nothing."""
QUARTERS = 3
"""Number of quarters of the picture that must have enough edges."""
EDGES_MOVED, PLAIN_MOVED = 0.45, 0.25
"""Least share of a quarter's edges, and most share of plain areas, that have changed since the frame before."""
WINDOW_S, MOVED_SHARE = 2.0, 0.6
"""Span in seconds, and share of its frames that must have moved for the camera to move."""
REST_S = 0.6
"""Seconds without movement after which the camera is at rest."""


class CameraSway:
    """Judges from what moved in each frame whether the camera moves."""

    def __init__(self) -> None:
        self.moves = False
        """Has the camera been moving for a while?"""
        self._lately: deque[tuple[float, bool]] = deque()
        self._moved_at = 0.0

    def feed(self, small: Image, moved: npt.NDArray[np.bool_], at: float) -> bool:
        """
        Take in a frame, and return ``moves``.

        ``small``: the reduced picture (rows, columns, 3). ``moved``: pixels that differ from the frame before.
        """
        is_moved = self._is_moved(small, moved)
        if is_moved:
            self._moved_at = at
        self._lately.append((at, is_moved))
        while at - self._lately[0][0] > WINDOW_S:
            self._lately.popleft()
        if self.moves:
            self.moves = at - self._moved_at < REST_S
        elif at - self._lately[0][0] >= WINDOW_S * MOVED_SHARE:
            self.moves = sum(moved for _, moved in self._lately) >= MOVED_SHARE * len(self._lately)
        return self.moves

    def _is_moved(self, small: Image, moved: npt.NDArray[np.bool_]) -> bool:
        """Check whether every edge has moved in this frame, and nothing else."""
        if share_of(moved) < LEAST_MOVED:
            return False
        grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
        slope = np.abs(cv2.Sobel(grey, cv2.CV_32F, 1, 0)) + np.abs(cv2.Sobel(grey, cv2.CV_32F, 0, 1))
        edges = slope > EDGE_LEVELS
        plain = cv2.dilate(edges.astype(np.uint8), np.ones((7, 7), np.uint8)) == 0
        if plain.any() and float(moved[plain].mean()) > PLAIN_MOVED:
            return False
        rows, columns = (side // 2 for side in moved.shape)
        parts = [np.s_[r : r + rows, c : c + columns] for r in (0, rows) for c in (0, columns)]
        textured = [part for part in parts if int(edges[part].sum()) >= LEAST_EDGE_PX]
        return len(textured) >= QUARTERS and all(
            float(moved[part][edges[part]].mean()) >= EDGES_MOVED for part in textured
        )

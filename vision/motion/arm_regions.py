"""
Regions that differ from the background and may be arms: where they meet the edge, whose they are, whether they rest.

The picture's edge is its border, or where the black begins round what a film shows. An arm reaches in over it. Where a
known arm touches the edge elsewhere with its far end, it has only reached across; that is no second arm. Two arms that
touch are one region, split as they were a frame before. All masks and points are of the reduced picture.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.sources import Image
from vision.geometry.quads import Mask

Flags = npt.NDArray[np.bool_]
PixelPoint = tuple[float, float]

# Pixels are those of the reduced picture; chosen by hand, 2026-11.
TIP_PART = 50
"""
Number of pixels of an arm of which one counts to the finger tips, which are the mean of the pixels farthest from where
the arm comes in.
"""
GHOST_RIM_PX = 12
"""An outline of fewer pixels says nothing."""
GHOST_DRAWN = 1.3
"""Strength of a region's outline in the background, relative to the picture, from which the region is a ghost."""
OUTLINE_PX = 6
"""An outline is unchanged if no more pixels than this came or went beyond its rim."""
OUTLINE_S = 0.4
"""Seconds for which an outline must be unchanged."""
SAME_CONTACT = 0.2
"""An arm's contact moves by less from frame to frame, in long sides of the picture, across and down together."""
REACHES_PX = 30.0
"""An arm whose tips were this near to a new contact has reached there: a hand's width and its way in a frame."""
BLACK_LEVELS = 12
"""Levels, 0..255, up to which the surround of a film is black."""
BLACK_SHARE = 0.01
"""Least share of the picture that is black surround."""
CONTACT_PX, CONTACT_GAP_PX = 4, 12
"""Least length of a contact along the edge, and gaps that are bridged within one."""
PARTS = (12, 8)
"""Parts of the picture, across and down, by which the spread of something foreign is measured."""
PART_TOUCHED = 1 / 12
"""Share of a part that must be foreign for it to be touched."""

_SMALL = np.ones((3, 3), np.uint8)
_RIM = np.ones((3, 3), np.uint8)
_NEAR = np.ones((13, 13), np.uint8)


def nearest_edge(part: Flags) -> PixelPoint:
    """Return the point of the picture's border nearest to a region that touches none."""
    rows, columns = np.nonzero(part)
    x, y = float(columns.mean()), float(rows.mean())
    height, width = part.shape
    edges = ((x, (0.0, y)), (width - x, (width - 1.0, y)), (y, (x, 0.0)), (height - y, (x, height - 1.0)))
    return min(edges)[1]


def tip_of(part: Flags, contact: PixelPoint) -> PixelPoint:
    """Return the mean of the pixels of a region that are farthest from where it comes in."""
    rows, columns = np.nonzero(part)
    far = (columns - contact[0]) ** 2 + (rows - contact[1]) ** 2
    keep = max(1, len(far) // TIP_PART)
    farthest = np.argpartition(far, len(far) - keep)[-keep:]
    return float(columns[farthest].mean()), float(rows[farthest].mean())


def is_ghost(small: Image, background: Image, where: Flags) -> bool:
    """Check whether a region's outline is in the background rather than in the picture: a learned object has left."""
    mask = where.astype(np.uint8)
    rim = (cv2.dilate(mask, _SMALL) - cv2.erode(mask, _SMALL)) > 0
    rim[[0, -1], :] = False
    rim[:, [0, -1]] = False
    if np.count_nonzero(rim) < GHOST_RIM_PX:
        return False

    def strength(picture: Image) -> float:
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)
        return float((np.abs(across) + np.abs(down))[rim].mean())

    return strength(background) > GHOST_DRAWN * strength(small)


def numbered_regions(mask: Mask) -> tuple[npt.NDArray[np.int32], list[int]]:
    """
    Number the connected regions of a mask (rows, columns) from 1; return the numbers and the pixels of each, 0 first.

    OpenCV's own statistics take eight times as long as the numbers.
    """
    _, numbered = cv2.connectedComponents(mask, connectivity=8)
    return np.asarray(numbered, np.int32), np.bincount(numbered.ravel()).tolist()


def share_of(mask: Mask | Flags) -> float:
    """Return the share of a mask's pixels that are set."""
    return int(np.count_nonzero(mask)) / mask.size


def still_parts(where: Flags, quiet_s: npt.NDArray[np.float32], least_s: float, least_px: int) -> list[Flags]:
    """Return the connected parts, of ``least_px`` or more, of a region that have not moved for ``least_s``."""
    still = cv2.morphologyEx((where & (quiet_s >= least_s)).astype(np.uint8), cv2.MORPH_OPEN, _SMALL)
    numbered, sizes = numbered_regions(np.asarray(still, np.uint8))
    return [np.asarray(numbered == k) for k in range(1, len(sizes)) if sizes[k] >= least_px]


def is_spread(foreign: Mask | Flags, least: float) -> bool:
    """Check whether something foreign touches a share ``least`` of the picture's parts."""
    if share_of(foreign) < least * PART_TOUCHED:
        return False
    parts = cv2.resize(foreign.astype(np.float32), PARTS, interpolation=cv2.INTER_AREA)
    return share_of(parts > PART_TOUCHED) >= least


class ArmOutlines:
    """
    Remembers the arms of the last moments, to measure how long an outline is unchanged.

    A region may flicker under a lamp, so that none of its pixels is ever quiet, and yet not move.
    """

    def __init__(self) -> None:
        self._seen: deque[tuple[float, Flags]] = deque()
        self._kept_since: npt.NDArray[np.float64] | None = None

    def add(self, arms: Flags, at: float) -> None:
        """Add where arms are, (rows, columns), at the time ``at`` (seconds)."""
        self._seen.append((at, arms))
        while len(self._seen) > 1 and at - self._seen[1][0] >= OUTLINE_S:
            self._seen.popleft()
        if self._kept_since is not None:
            self._kept_since[~arms] = np.inf

    def kept_for(self, region: Flags, at: float) -> npt.NDArray[np.float64]:
        """Return for how many seconds the outline of a region is unchanged, for each of its pixels; 0 if it moves."""
        if self._kept_since is None:
            self._kept_since = np.full(region.shape, np.inf)
        if not self._is_unchanged(region, at):
            self._kept_since[region] = np.inf
            return np.zeros(np.count_nonzero(region))
        self._kept_since[region] = np.minimum(self._kept_since[region], self._seen[0][0])
        return np.asarray(at - self._kept_since[region])

    def _is_unchanged(self, region: Flags, at: float) -> bool:
        """Check whether it was the same ``OUTLINE_S`` ago, and half-way since."""
        if not self._seen or at - self._seen[0][0] < OUTLINE_S:
            return False
        now = region.astype(np.uint8)
        grown, near = cv2.dilate(now, _RIM) > 0, cv2.dilate(now, _NEAR) > 0
        for _, before in (self._seen[0], self._seen[len(self._seen) // 2]):
            came = region & (cv2.dilate(before.astype(np.uint8), _RIM) == 0)
            went = before & near & ~grown
            if np.count_nonzero(came) + np.count_nonzero(went) > OUTLINE_PX:
                return False
        return True


class ArmContacts:
    """Remembers the arms of the frame before: where each came in, its tip and its pixels."""

    def __init__(self) -> None:
        self._known: dict[int, PixelPoint] = {}
        self._tips: dict[int, PixelPoint] = {}
        self._labels: Mask | None = None

    def remember(self, arms: Mapping[int, tuple[PixelPoint, PixelPoint]], labels: Mask) -> None:
        """Remember a frame. ``arms``: label -> contact and tip. ``labels``: (rows, columns), 0 where no arm is."""
        self._known = {label: contact for label, (contact, _) in arms.items()}
        self._tips = {label: tip for label, (_, tip) in arms.items()}
        self._labels = labels

    def entries(self, contacts: list[PixelPoint]) -> list[PixelPoint]:
        """Return those contacts of a region at which an arm comes in, without those reached from within by an arm."""
        before = [self._before(contact) for contact in contacts]
        tips = [self._tips[label] for label in before if label is not None]
        return [
            (x, y)
            for (x, y), label in zip(contacts, before, strict=True)
            if label is not None or all(np.hypot(tip[0] - x, tip[1] - y) >= REACHES_PX for tip in tips)
        ]

    def split(self, where: Flags, contacts: list[PixelPoint]) -> list[Flags]:
        """Split a region: a pixel goes to the arm that was nearest a frame before, or else to the nearest contact."""
        if len(contacts) < 2:
            return [where]
        rows, columns = np.nonzero(where)
        distances = []
        for contact in contacts:
            label = self._before(contact)
            if label is not None and self._labels is not None:
                apart = cv2.distanceTransform((self._labels != label).astype(np.uint8), cv2.DIST_L2, 3)
                distances.append(np.asarray(apart)[rows, columns])
            else:
                distances.append(np.hypot(columns - contact[0], rows - contact[1]).astype(np.float32))
        nearest = np.argmin(np.stack(distances), axis=0)
        parts = []
        for k in range(len(contacts)):
            part = np.zeros(where.shape, bool)
            part[rows[nearest == k], columns[nearest == k]] = True
            parts.append(part)
        return parts

    def _before(self, contact: PixelPoint) -> int | None:
        """Return the label of the arm that came in at a contact a frame before."""
        if self._labels is None:
            return None
        most = SAME_CONTACT * max(self._labels.shape)
        gaps = {
            label: abs(old[0] - contact[0]) + abs(old[1] - contact[1])
            for label, old in self._known.items()
            if (self._labels == label).any()
        }
        nearest = min(gaps, key=lambda label: gaps[label], default=None)
        return nearest if nearest is not None and gaps[nearest] < most else None


class PictureEdge:
    """
    The edge over which arms come in: the picture's border, or the outline of what a film shows within black.

    A kept film shows the table alone (``vision/capture/video_writer.py``); others are round or tilted. A camera's own
    picture is never quite black up to its border, and even from frame to frame.
    """

    def __init__(self) -> None:
        self._share = 0.0
        self._rim: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]] | None = None

    def update(self, background: Image) -> None:
        """Find the edge in a background (rows, columns, 3) uint8."""
        black = cv2.inRange(background, (0, 0, 0), (BLACK_LEVELS,) * 3)
        share = cv2.countNonZero(black) / black.size
        if self._rim is not None and abs(share - self._share) < BLACK_SHARE:
            return
        self._share = share
        rim = _outline(black > 0) if share >= BLACK_SHARE else None
        if rim is None:  # the picture's border, all the way round
            rows, columns = black.shape
            across, down = np.arange(columns), np.arange(rows)
            rim_x = np.concatenate([across, np.full(rows, columns - 1), across[::-1], np.zeros(rows, int)])
            rim = rim_x, np.concatenate([np.zeros(columns, int), down, np.full(columns, rows - 1), down[::-1]])
        self._rim = rim

    def contacts(self, where: Flags) -> list[PixelPoint]:
        """Return the middles (x, y) of the runs along the edge that a region covers; small gaps are bridged."""
        assert self._rim is not None
        rim_x, rim_y = self._rim
        on = np.flatnonzero(where[rim_y, rim_x])
        if len(on) == 0:
            return []
        runs = np.split(on, np.flatnonzero(np.diff(on) > CONTACT_GAP_PX) + 1)
        if len(runs) > 1 and runs[0][0] + len(rim_x) - runs[-1][-1] <= CONTACT_GAP_PX:
            runs[0] = np.concatenate([runs[-1] - len(rim_x), runs[0]])
            runs.pop()
        return [(float(rim_x[run].mean()), float(rim_y[run].mean())) for run in runs if len(run) >= CONTACT_PX]


def _outline(black: Flags) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]] | None:
    """Return columns and rows of the outline of what a film shows; None if no black reaches the border."""
    count, patches, stats, _ = cv2.connectedComponentsWithStats(black.astype(np.uint8), connectivity=4)
    rows, columns = black.shape
    hidden = np.zeros(black.shape, np.uint8)
    for k in range(1, count):
        left, top, wide, tall, size = (int(v) for v in stats[k])
        at_border = left == 0 or top == 0 or left + wide == columns or top + tall == rows
        if at_border and size >= BLACK_SHARE * black.size:
            hidden[patches == k] = 1
    if not hidden.any():
        return None
    # Where black meets the picture a film's compression has mixed both.
    shown = (cv2.dilate(hidden, _SMALL) == 0).astype(np.uint8)
    outlines, _ = cv2.findContours(shown, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not outlines:
        return None
    outline = max(outlines, key=cv2.contourArea)[:, 0]
    return outline[:, 0].astype(np.intp), outline[:, 1].astype(np.intp)

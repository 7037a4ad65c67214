"""
Make the pictures of a fragment one after the other: what changed is rendered, all else stays as it was.

The raw pictures are kept in a folder, so that a film can be rendered in several goes.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from datasets.clips.ground_truth import Moment, SceneAt
from datasets.clips.stage import PinholeCamera
from datasets.rendered.arm_pose import from_table
from datasets.rendered.blender import MOVING_SAMPLES, RESTING_SAMPLES, Box, Lamp, Sight, Studio, joined
from datasets.rendered.fragments import RenderedFragment
from datasets.rendered.seated_director import FAN

SHUTTER = 0.35
"""Share of the time between two pictures in which the shutter is open."""
MARGIN_PX = 14
SEAM_PX = 8
BANDS, OVERLAP_MM = 6, 15.0
"""Number of boxes that cover an arm, and millimetres by which their parts overlap."""
STILL_MM = 0.25
"""An arm whose skin moves less than this rests."""
NOISE = 1.5
"""Grey levels of the sensor's noise."""
SOFT_PX = 0.55


class TimeUpError(Exception):
    """The time for this go is used up; the next goes on where it ended."""


def sight_of(fragment: RenderedFragment, moment: Moment) -> Sight:
    """Return where everything is at a moment."""
    cards = {str(item.card): item.pose for item in (*moment.lying, *moment.carried)}
    return Sight(cards, {surface.key: surface for surface in fragment.people.surfaces(moment)})


def box_of(points: np.ndarray, camera: PinholeCamera, lamp: Lamp) -> Box | None:
    """Return the box round points (n, 3) of the table frame and round their shadow; None: out of the picture."""
    light = np.array(lamp.place)
    points = points[points[:, 2] < 0.8 * light[2]]
    if not len(points):
        return None
    height = np.maximum(points[:, 2:], 0.0)
    shadow = light + (points - light) * light[2] / (light[2] - height)
    shadow[:, 2] = 0.0
    seen = np.vstack([camera.project(points), camera.project(shadow)])
    width, high = camera.size
    left, top = np.maximum(np.floor(seen.min(axis=0)).astype(int) - MARGIN_PX, 0)
    right, bottom = np.minimum(np.ceil(seen.max(axis=0)).astype(int) + MARGIN_PX, (width, high))
    return (int(left), int(top), int(right), int(bottom)) if right - left > 4 and bottom - top > 4 else None


def moved_boxes(before: Sight, opens: Sight, closes: Sight, camera: PinholeCamera, lamp: Lamp) -> list[Box]:
    """Return the boxes round all that moves while the shutter is open, or has since the picture before."""
    boxes: list[Box | None] = []
    for name in before.cards.keys() | opens.cards.keys():
        poses = [sight.cards.get(name) for sight in (before, opens, closes)]
        if any(pose != poses[1] for pose in poses):
            there = [pose.corners() for pose in poses if pose is not None]
            boxes.append(box_of(np.vstack(there), camera, lamp))
    for key in before.arms.keys() | opens.arms.keys():
        found = [sight.arms.get(key) for sight in (before, opens, closes)]
        here = [arm.skin for arm in found if arm is not None]
        if any(arm is None for arm in found) or max(np.abs(skin - here[0]).max() for skin in here) > STILL_MM:
            points = np.vstack([part for arm in found if arm is not None for part in (arm.skin, arm.sleeve)])
            boxes += [box_of(from_table(band), camera, lamp) for band in _bands(points, BANDS)]
    return [box for box in boxes if box is not None]


def _bands(points: np.ndarray, count: int) -> list[np.ndarray]:
    """Split points (n, 3) into ``count`` bands along their longest direction: boxes round them are smaller than one."""
    off = points - points.mean(axis=0)
    along = off @ np.linalg.svd(off[::8], full_matrices=False)[2][0]
    edges = np.linspace(along.min(), along.max(), count + 1)
    # Bands overlap, so that no face lies between two of them.
    found = [points[(along >= low - OVERLAP_MM) & (along <= high + OVERLAP_MM)] for low, high in pairwise(edges)]
    return [band for band in found if len(band)]


def paste(picture: np.ndarray, part: np.ndarray, box: Box) -> None:
    """Lay a part into a picture in place, with soft seams except at the picture's edges."""
    left, top, right, bottom = box
    height, width = part.shape[:2]
    ys, xs = np.arange(height) + 1.0, np.arange(width) + 1.0
    big = 1e6
    near_x = np.minimum(xs + (big if left == 0 else 0), xs[::-1] + (big if right == picture.shape[1] else 0))
    near_y = np.minimum(ys + (big if top == 0 else 0), ys[::-1] + (big if bottom == picture.shape[0] else 0))
    share = np.clip(np.minimum(near_x[None, :], near_y[:, None]) / SEAM_PX, 0, 1)[..., None]
    here = picture[top:bottom, left:right]
    here[:] = np.round(here * (1 - share) + part * share).astype(np.uint8)


@dataclass(eq=False)
class RenderedPainter:
    """
    Makes the pictures of a fragment for :func:`datasets.clips.video.shoot`.

    ``folder``: where raw pictures are kept. ``until``: ``time.monotonic()`` at which this go ends.
    """

    fragment: RenderedFragment
    folder: Path
    until: float = float("inf")
    studio: Studio | None = None
    _later: SceneAt = field(init=False)
    _before: Sight = field(default_factory=lambda: Sight({}, {}))
    _boxes: list[Box] = field(default_factory=list)
    _rough: list[Box] = field(default_factory=list)
    _picture: np.ndarray | None = None

    def __post_init__(self) -> None:
        self._later = SceneAt(self.fragment.performance)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._noise = np.random.default_rng((self.fragment.recipe.seed, 62))

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height (px)."""
        return self.fragment.camera.size

    def _open(self) -> Studio:
        if self.studio is None:
            fragment = self.fragment
            self.studio = Studio(
                fragment.camera, fragment.faces(), fragment.top(), fragment.people.appearances, fragment.people.arms,
                fragment.lamp,
            )  # fmt: skip
        return self.studio

    def sights(self, moment: Moment) -> tuple[Sight, Sight]:
        """Return where everything is when the shutter opens and when it closes."""
        closes = self._later.at(moment.at + SHUTTER / self.fragment.performance.fps)
        return sight_of(self.fragment, moment), sight_of(self.fragment, closes)

    def _file(self, number: int) -> Path:
        return self.folder / f"{number:05d}.png"

    def render_missing(self) -> None:
        """Render all pictures that the folder lacks; ``TimeUpError`` where the time doesn't suffice."""
        performance = self.fragment.performance
        total, world = int(performance.seconds * performance.fps), SceneAt(performance)
        first = next((number for number in range(total) if not self._file(number).is_file()), total)
        if 0 < first < total:
            opens, closes = self.sights(world.at((first - 1) / performance.fps))
            self._picture = cv2.imread(str(self._file(first - 1)), cv2.IMREAD_COLOR)
            moving = moved_boxes(opens, opens, closes, self.fragment.camera, self.fragment.lamp)
            self._before, self._boxes, self._rough = opens, joined(moving), joined(moving)
        for number in range(first, total):
            self.paint(world.at(number / performance.fps))

    def paint(self, moment: Moment) -> np.ndarray:
        """Return the raw picture of a moment: rendered, or kept from an earlier go."""
        number = round(moment.at * self.fragment.performance.fps)
        file = self._file(number)
        if file.is_file():
            stored = cv2.imread(str(file), cv2.IMREAD_COLOR)
            assert stored is not None
            return stored
        if time.monotonic() > self.until:
            raise TimeUpError
        opens, closes = self.sights(moment)
        busy = any(arm.hand != FAN for arm in moment.arms)
        changed = self._render(opens, closes, busy)
        self._before = opens
        assert self._picture is not None
        last = self._file(number - 1)
        if not changed and last.is_file():
            os.link(last, file)
        else:
            part = file.with_suffix(f".{os.getpid()}.part.png")
            cv2.imwrite(str(part), self._picture, [cv2.IMWRITE_PNG_COMPRESSION, 1])
            part.replace(file)
        return self._picture

    def _render(self, opens: Sight, closes: Sight, busy: bool) -> bool:
        """Render what changed; return whether anything did."""
        fragment, (width, height) = self.fragment, self.size
        whole = (0, 0, width, height)
        if self._picture is None or (not self._before.arms and not self._before.cards):
            boxes, samples = [whole], RESTING_SAMPLES
            moving = moved_boxes(opens, opens, closes, fragment.camera, fragment.lamp)
        else:
            moving = moved_boxes(self._before, opens, closes, fragment.camera, fragment.lamp)
            boxes, samples = joined([*moving, *self._boxes]), MOVING_SAMPLES
            if not boxes and self._rough and not busy:
                boxes, samples = joined(self._rough), RESTING_SAMPLES
        self._rough = [] if samples == RESTING_SAMPLES and not moving else joined([*self._rough, *boxes])
        self._boxes = joined(moving)
        if not boxes:
            return False
        studio = self._open()
        studio.put(opens, closes)
        for box in boxes:
            part = studio.render(box, samples)
            if self._picture is None:
                self._picture = part
            else:
                self._picture = self._picture.copy()
                paste(self._picture, part, box)
        return True

    def develop(self, picture: np.ndarray, gain: np.ndarray | None) -> np.ndarray:
        """Return the picture as a cheap camera shows it: a little soft, with noise."""
        seen = cv2.GaussianBlur(picture, (0, 0), SOFT_PX).astype(np.float32)
        seen += self._noise.standard_normal(picture.shape, np.float32) * NOISE
        return np.clip(np.round(seen), 0, 255).astype(np.uint8)

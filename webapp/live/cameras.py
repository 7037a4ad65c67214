"""
List the cameras of this machine, by name if the system knows one, without opening them; open a table's source.

Problems of a camera's view are found on one picture; seats are estimated from where hands come in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.capture.phone import PHONE
from vision.capture.sources import Source, open_source
from vision.geometry.quads import CARD_HEIGHT_MM, CARD_WIDTH_MM
from webapp.live.board import SnapshotHub
from webapp.live.phone_camera import PhoneCamera, wait_for_phone

DEVICES = Path("/dev")
NAMES = Path("/sys/class/video4linux")
TRIED = 3
"""Camera numbers that are offered if the system lists none; opening one shows whether it exists."""


def found_cameras(
    devices: Path = DEVICES, names: Path = NAMES, platform: str = sys.platform
) -> Sequence[Mapping[str, str]]:
    """Return each camera's ``source`` (for `watch`) and ``name``: on Linux those plugged in, else likely numbers."""
    if not platform.startswith("linux"):
        return [{"source": str(number), "name": ""} for number in range(TRIED)]
    found = []
    for device in sorted(devices.glob("video[0-9]*"), key=lambda path: int(path.name.removeprefix("video"))):
        about = names / device.name
        if _text(about / "index") not in ("", "0"):
            continue  # a camera's second device delivers metadata, no pictures
        found.append({"source": device.name.removeprefix("video"), "name": _text(about / "name")})
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def open_table_source(spec: str, phone: PhoneCamera, board: SnapshotHub, is_asked: Callable[[], bool]) -> Source | None:
    """
    Open a source for a table; ``SourceError`` if that fails.

    If the source is a phone, wait for it and report that on the page. None: another order came (``is_asked``).
    """
    return wait_for_phone(phone, board, is_asked) if spec == PHONE else open_source(spec)


# Limits of a good view.
DARK = 55.0
"""Median brightness (0..255) under which a picture is too dark. Higher rejects usable pictures, lower accepts
pictures that are mostly noise. Set by hand, 2026-11."""
GLARING = 250
"""Brightness (0..255) from which a pixel is blown out. Higher misses soft reflections, lower finds white cloth. Set
by hand, 2026-11."""
GLARE_SHARE = 0.004
"""Share of the picture that one blown-out spot may take: a third of a card at the usual height. Lower finds glints
on glasses, higher overlooks a lamp's mirror image that hides an index. Set by hand, 2026-11."""
PAPER_SHARE = 0.5
"""Share of a spot that lies on cards from which it is their white paper. Higher calls bright cards a glare, lower
misses a glare that reaches over a card. Set by hand, 2026-11."""
SMALL_PX = 70.0
"""Height of a card in pixels under which cards are too small to be read (docs/decks.md). Higher sends good cameras
nearer, lower accepts views in which names go wrong."""
TILT_DEG = 50.0
"""Largest angle in degrees between the camera's axis and straight down. Higher accepts views along the table, lower
refuses views that are read well. Set by hand, 2026-11."""
LEAST_FOR_TILT = 3
"""Fewest cards from which the tilt is measured. Fewer let one that leans on another decide, more report the tilt
later. Set by hand, 2026-11."""
BLURRED_BELOW = 12.0
"""Variance of the Laplacian on a picture 640 pixels wide under which it is blurred; checked only if no card was
found. Higher calls plain tables blurred, lower misses a wet lens. Set by hand, 2026-11."""


@dataclass(frozen=True, slots=True)
class ViewProblem:
    """
    One problem of a view. ``kind``: ``dark``, ``glare``, ``small``, ``tilted``, ``blurred`` or ``no-cards``.
    ``box``: (left, top, width, height) as shares of the picture; None: everywhere. ``measured``: in the unit of
    its limit above.
    """

    kind: str
    measured: float
    box: tuple[float, float, float, float] | None = None

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "measured": round(self.measured, 3), "box": self.box}


def view_problems(image_bgr: np.ndarray, quads_px: np.ndarray) -> tuple[ViewProblem, ...]:
    """
    Return the problems of this view, the worst first. ``image_bgr``: (h, w, 3) uint8. ``quads_px``: (n, 4, 2), the
    cards that were found on it, corners 0-1 a short edge.
    """
    scale = min(1.0, 640 / image_bgr.shape[1])
    small = cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image_bgr
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    problems = []
    brightness = float(np.median(grey))
    if brightness < DARK:
        problems.append(ViewProblem("dark", brightness))
    if len(quads_px) == 0:
        sharpness = float(cv2.Laplacian(grey, cv2.CV_64F).var())
        kind = "blurred" if sharpness < BLURRED_BELOW and brightness >= DARK else "no-cards"
        problems.append(ViewProblem(kind, sharpness if kind == "blurred" else 0.0))
    else:
        sizes = np.array([size_px(quad) for quad in quads_px])
        height = float(np.median(sizes[:, 0]))
        if height < SMALL_PX:
            problems.append(ViewProblem("small", height))
        tilt = tilt_deg(quads_px) if len(quads_px) >= LEAST_FOR_TILT else 0.0
        if tilt > TILT_DEG:
            problems.append(ViewProblem("tilted", tilt))
    problems += glares(small, quads_px * scale)
    return tuple(problems)


def size_px(quad_px: np.ndarray) -> tuple[float, float]:
    """Return a card's (height, width) in pixels: the means of its long and of its short edges; quad (4, 2)."""
    edges = np.linalg.norm(quad_px - np.roll(quad_px, -1, axis=0), axis=1)
    return float(edges[[1, 3]].mean()), float(edges[[0, 2]].mean())


def tilt_deg(quads_px: np.ndarray) -> float:
    """
    Estimate the camera's tilt from these cards (n, 4, 2): 0 is from straight above, 90 along the table.

    A tilted plane is foreshortened by the cosine of the tilt along one direction. Each card, as a parallelogram with
    known edges, gives an estimate, whatever its rotation. The result is their median.
    """
    cosines = []
    for quad in np.asarray(quads_px, np.float64):
        across = (quad[1] - quad[0] + quad[2] - quad[3]) / (2 * CARD_WIDTH_MM)
        along = (quad[3] - quad[0] + quad[2] - quad[1]) / (2 * CARD_HEIGHT_MM)
        wide, narrow = np.linalg.svd(np.column_stack([across, along]), compute_uv=False)
        cosines.append(narrow / max(wide, 1e-9))
    return float(np.degrees(np.arccos(np.clip(np.median(cosines), 0.0, 1.0))))


def glares(image_bgr: np.ndarray, quads_px: np.ndarray) -> list[ViewProblem]:
    """Return blown-out spots, the largest first, without the white paper of cards."""
    height, width = image_bgr.shape[:2]
    blown = (image_bgr.min(axis=2) >= GLARING).astype(np.uint8)
    paper = np.zeros_like(blown)
    for quad in quads_px:
        cv2.fillConvexPoly(paper, quad.round().astype(np.int32), 1)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(blown, connectivity=8)
    found = []
    for label in range(1, count):
        left, top, wide, tall, area = (int(value) for value in stats[label])
        share = area / (width * height)
        if share < GLARE_SHARE or paper[labels == label].mean() > PAPER_SHARE:
            continue
        box = (left / width, top / height, wide / width, tall / height)
        found.append(ViewProblem("glare", share, tuple(round(value, 4) for value in box)))
    return sorted(found, key=lambda problem: -problem.measured)[:3]


# Settings for estimating from which sides hands come. Set by hand, 2026-11.
HAND_CHANGE = 28
"""Difference in grey levels (0..255) from which a pixel counts as changed. Lower reacts to shadows, higher misses
sleeves of the table's colour. Set by hand, 2026-11."""
HAND_SHARE = 0.012
"""Share of the picture that an arm covers at least. Higher misses finger tips, lower takes a fly for a hand. Set by
hand, 2026-11."""
HANDS_APART_DEG = 40.0
"""Degrees seen from the picture's middle: hands closer to each other come from one seat. Higher merges neighbours,
lower splits one seat in two. Set by hand, 2026-11."""
HAND_PICTURES = 2
"""Pictures on which a hand must come in from a direction to suggest a seat. More wait longer, fewer suggest a seat
for whoever puts a cup down. Set by hand, 2026-11."""


class SeatHints:
    """Estimate seats from where hands come in: ``feed`` pictures of a table, then read ``turns_deg``."""

    def __init__(self) -> None:
        self._before: np.ndarray | None = None
        self._seen: list[list[float]] = []

    def feed(self, image_bgr: np.ndarray) -> None:
        """Process one more picture, (h, w, 3) uint8, about a second after the last."""
        grey = cv2.resize(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), (160, 90), interpolation=cv2.INTER_AREA)
        grey = cv2.GaussianBlur(grey, (5, 5), 0).astype(np.float32)
        if self._before is None or self._before.shape != grey.shape:
            self._before = grey
            return
        changed = (np.abs(grey - self._before) > HAND_CHANGE).astype(np.uint8)
        if changed.mean() > 0.6:  # the lamp or the camera, no hand
            self._before = grey
            return
        self._before += 0.1 * (grey - self._before)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(changed, connectivity=8)
        for label in range(1, count):
            if stats[label][cv2.CC_STAT_AREA] >= HAND_SHARE * grey.size:
                turn = edge_turn_deg(labels == label)
                if turn is None:
                    continue
                for group in self._seen:
                    if abs((turn - float(np.mean(group)) + 180) % 360 - 180) < HANDS_APART_DEG:
                        group.append(turn)
                        break
                else:
                    self._seen.append([turn])

    @property
    def turns_deg(self) -> tuple[float, ...]:
        """Return directions from the middle, clockwise from the bottom edge, in degrees (90: the bottom edge)."""
        turns = [float(np.mean(group)) % 360 for group in self._seen if len(group) >= HAND_PICTURES]
        return tuple(sorted((round(turn, 1) for turn in turns), key=lambda turn: (turn - 90) % 360))


def edge_turn_deg(mask: np.ndarray) -> float | None:
    """Return the direction from the middle to where a spot (h, w) touches the edge (y down); None: nowhere."""
    height, width = mask.shape
    rim = np.zeros_like(mask)
    rim[0], rim[-1], rim[:, 0], rim[:, -1] = True, True, True, True
    rows, columns = np.nonzero(mask & rim)
    if len(rows) < 2:
        return None
    x, y = columns.mean() / width - 0.5, rows.mean() / height - 0.5
    return float(np.degrees(np.arctan2(y, x)) % 360)

"""
Draw other things on a card table: a cup of tea on its saucer, a bowl of sunflower seeds, a score pad with a pencil.

Round things are turned on a lathe: a profile of (radius, height) becomes small faces, each lit by its own slope.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from datasets.clips.stage import PinholeCamera, Stage

SEGMENTS = 96
FIXED = 4
"""Fraction bits of the drawing functions' coordinates."""


@dataclass(frozen=True, slots=True)
class Easel:
    """A picture drawn at ``scale`` times its size, with its camera and the direction to the lamp."""

    canvas: np.ndarray
    camera: PinholeCamera
    scale: float
    lamp: tuple[float, float, float]

    def face(self, points_mm: np.ndarray, colour: Sequence[float]) -> None:
        """Fill a convex face, (n, 3) mm, BGR."""
        px = self.camera.project(points_mm) * self.scale
        fixed = np.round(px * (1 << FIXED)).astype(np.int32)
        shade = [float(np.clip(c, 0, 255)) for c in colour]
        cv2.fillConvexPoly(self.canvas, fixed, shade, cv2.LINE_AA, FIXED)

    def shadow(self, points_mm: np.ndarray, softness_mm: float, strength: float) -> None:
        """Darken the table where a shape throws its shadow."""
        ground = points_mm.copy()
        ground[:, 0] -= self.lamp[0] / self.lamp[2] * points_mm[:, 2]
        ground[:, 1] -= self.lamp[1] / self.lamp[2] * points_mm[:, 2]
        ground[:, 2] = 0
        px = cv2.convexHull((self.camera.project(ground) * self.scale).astype(np.float32))
        hull = np.zeros(self.canvas.shape[:2], np.float32)
        cv2.fillConvexPoly(hull, np.round(px).astype(np.int32), 1.0)
        mask = cv2.GaussianBlur(hull, (0, 0), softness_mm * self.camera.px_per_mm * self.scale)
        self.canvas[:] = (self.canvas * (1 - strength * mask[..., None])).astype(np.uint8)

    def lit(self, colour: Sequence[float], normal: np.ndarray, shine: float = 0.0) -> list[float]:
        """Return the colour of a surface with this slope; ``shine``: how glossy, 0..1."""
        lamp = np.array(self.lamp) / np.linalg.norm(self.lamp)
        e = np.radians(self.camera.elevation_deg)
        eye = np.array([0, np.cos(e), np.sin(e)])
        half = (lamp + eye) / np.linalg.norm(lamp + eye)
        glow = 255 * shine * max(float(normal @ half), 0.0) ** 60
        return [c * (0.60 + 0.46 * max(float(normal @ lamp), 0.0)) + glow for c in colour]

    def turned(
        self,
        middle: tuple[float, float],
        profile: Sequence[tuple[float, float]],
        colour: Sequence[float],
        shine: float = 0.0,
    ) -> None:
        """
        Draw a body of revolution; faces that point away from the camera are left out.

        A profile that climbs is an outside, one that descends an inside.
        """
        angles = np.linspace(0, 2 * np.pi, SEGMENTS, endpoint=False)
        e = np.radians(self.camera.elevation_deg)
        eye = np.array([0, np.cos(e), np.sin(e)])
        for (r0, z0), (r1, z1) in itertools.pairwise(profile):
            slope = np.array([z1 - z0, r0 - r1]) / max(np.hypot(z1 - z0, r0 - r1), 1e-9)
            for a in angles[np.argsort(np.sin(angles))]:
                b = a + 2 * np.pi / SEGMENTS
                mid = (a + b) / 2
                normal = np.array([slope[0] * np.cos(mid), slope[0] * np.sin(mid), slope[1]])
                if normal @ eye <= 0.02:
                    continue
                ring = [(r0, z0, a), (r0, z0, b), (r1, z1, b), (r1, z1, a)]
                points = np.array([[middle[0] + r * np.cos(t), middle[1] + r * np.sin(t), z] for r, z, t in ring])
                self.face(points, self.lit(colour, normal, shine))

    def disc(self, middle: tuple[float, float], radius: float, height: float, colour: Sequence[float]) -> None:
        """Draw a flat round face."""
        t = np.linspace(0, 2 * np.pi, SEGMENTS, endpoint=False)
        rim = np.column_stack(
            [middle[0] + radius * np.cos(t), middle[1] + radius * np.sin(t), np.full(SEGMENTS, height)]
        )
        self.face(rim, self.lit(colour, np.array([0, 0, 1.0])))


def _rim(middle: tuple[float, float], radius: float, height: float) -> np.ndarray:
    t = np.linspace(0, 2 * np.pi, SEGMENTS, endpoint=False)
    return np.column_stack([middle[0] + radius * np.cos(t), middle[1] + radius * np.sin(t), np.full(SEGMENTS, height)])


def tea(easel: Easel, middle: tuple[float, float], rng: np.random.Generator) -> None:
    """Draw a cup of black tea on a saucer, a spoon beside it."""
    porcelain = (226, 232, 234)
    band = ((150, 84, 48), (70, 60, 170), (90, 120, 60))[int(rng.integers(3))]
    easel.shadow(_rim(middle, 70, 9), 4, 0.50)
    easel.turned(middle, [(74, 9), (70, 7.5)], porcelain, 0.3)
    easel.turned(middle, [(70, 7.5), (64, 6), (60, 5.2)], band, 0.2)
    easel.turned(middle, [(60, 5.2), (46, 3.5), (34, 3)], porcelain, 0.4)
    easel.disc(middle, 34, 3, porcelain)
    bow = np.linspace(0.1, np.pi - 0.25, 24)
    handle = np.column_stack([35 + 24 * np.sin(bow), 8 * np.sin(bow), 33 + 17 * np.cos(bow)])
    x, y = middle
    path = easel.camera.project(handle + np.array([x, y, 0])) * easel.scale
    for width, colour in ((11, (150, 156, 160)), (8, porcelain)):
        cv2.polylines(
            easel.canvas, [np.round(path * 16).astype(np.int32)], False, colour,
            round(width * easel.camera.px_per_mm * easel.scale * 0.7), cv2.LINE_AA, FIXED,
        )  # fmt: skip
    shade = np.vstack([_rim(middle, 30, 6), _rim(middle, 38, 58)])
    easel.shadow(shade, 5, 0.30)
    easel.turned(middle, [(38, 60), (36.5, 56)], porcelain, 0.2)
    easel.turned(middle, [(37, 58), (35, 52)], porcelain, 0.2)
    easel.disc(middle, 35.2, 52, (26, 52, 120))
    glint = (middle[0] - 11, middle[1] - 9)
    easel.disc(glint, 6, 52, (64, 104, 178))
    easel.turned(middle, [(27, 4), (33, 18), (37, 40), (39.5, 60)], porcelain, 0.5)
    easel.turned(middle, [(39.5, 60), (38, 60.4)], (250, 252, 252), 0.2)


def seeds(easel: Easel, middle: tuple[float, float], rng: np.random.Generator) -> None:
    """Draw a bowl of sunflower seeds, some of them spilt."""
    clay = ((78, 108, 150), (120, 126, 116), (60, 84, 140))[int(rng.integers(3))]
    easel.shadow(_rim(middle, 60, 24), 5, 0.52)
    easel.turned(middle, [(40, 0), (58, 14), (66, 30)], clay, 0.15)
    easel.turned(middle, [(66, 30), (63, 30.5)], tuple(1.15 * c for c in clay), 0.1)
    easel.turned(middle, [(63, 30), (56, 18), (40, 10)], tuple(0.8 * c for c in clay), 0.05)
    easel.disc(middle, 56, 19, (34, 40, 46))
    for _ in range(420):
        radius, angle = 54 * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
        at = np.array([middle[0] + radius * np.cos(angle), middle[1] + radius * np.sin(angle)])
        _seed(easel, at, 20 + 8 * (1 - (radius / 56) ** 2), rng)
    for _ in range(9):
        angle, radius = rng.uniform(0, 2 * np.pi), rng.uniform(74, 105)
        _seed(easel, np.array([middle[0] + radius * np.cos(angle), middle[1] + radius * np.sin(angle)]), 1.5, rng)


def _seed(easel: Easel, at: np.ndarray, height: float, rng: np.random.Generator) -> None:
    turn = rng.uniform(0, np.pi)
    t = np.linspace(0, 2 * np.pi, 10, endpoint=False)
    flat = np.column_stack([5.2 * np.cos(t), 2.4 * np.sin(t) * (1 + 0.35 * np.cos(t))])
    cos, sin = np.cos(turn), np.sin(turn)
    points = np.column_stack([flat @ np.array([[cos, sin], [-sin, cos]]) + at, np.full(len(t), height)])
    level = float(rng.uniform(0.7, 1.25))
    easel.face(points + np.array([0.5, 0.5, -1.2]), (14, 16, 20))
    easel.face(points, [level * c for c in (44, 46, 50)])
    stripe = at[None] + (points[:, :2] - at) * 0.55
    easel.face(np.column_stack([stripe, np.full(len(t), height + 0.3)]), [level * c for c in (96, 104, 112)])


def pad(easel: Easel, middle: tuple[float, float], rng: np.random.Generator) -> None:
    """Draw a squared score pad with strokes of losses, a pencil across it."""
    turn = float(rng.uniform(-0.5, 0.5))
    cos, sin = np.cos(turn), np.sin(turn)

    def place(points: Sequence[tuple[float, float]], height: float) -> np.ndarray:
        flat = np.array(points, float) @ np.array([[cos, sin], [-sin, cos]]) + np.array(middle)
        return np.column_stack([flat, np.full(len(flat), height)])

    sheet = [(-52, -74), (52, -74), (52, 74), (-52, 74)]
    easel.shadow(place(sheet, 5), 2.5, 0.45)
    easel.face(place(sheet, 2) + np.array([0, 2.5, 0]), (150, 156, 160))
    easel.face(place(sheet, 4), easel.lit((222, 228, 228), np.array([0, 0, 1.0])))
    for offset in np.arange(-70, 74, 6.0):
        easel.face(place([(-52, offset), (52, offset), (52, offset + 0.5), (-52, offset + 0.5)], 4), (206, 190, 176))
    for offset in np.arange(-48, 52, 6.0):
        easel.face(place([(offset, -74), (offset + 0.5, -74), (offset + 0.5, 74), (offset, 74)], 4), (206, 190, 176))
    for column in (-34, 0, 34):
        for stroke in range(int(rng.integers(1, 5))):
            x, lean = column - 8 + 5 * stroke + float(rng.normal(0, 0.7)), float(rng.normal(1.5, 1))
            easel.face(place([(x, -48), (x + 1.1, -48), (x + 1.1 + lean, -30), (x + lean, -30)], 4.1), (70, 60, 60))
    for x in (-17, 17):
        easel.face(place([(x, -66), (x + 0.8, -66), (x + 0.8, 20), (x, 20)], 4.1), (90, 80, 80))
    tilt = float(rng.uniform(0.5, 1.1))
    along, across = np.array([np.cos(tilt), np.sin(tilt)]), np.array([-np.sin(tilt), np.cos(tilt)])

    def bar(a: float, b: float, wide_a: float, wide_b: float) -> list[tuple[float, float]]:
        ends = [along * a + across * wide_a, along * b + across * wide_b, along * b - across * wide_b,
                along * a - across * wide_a]  # fmt: skip
        return [(float(p[0]) - 4, float(p[1]) + 18) for p in ends]

    easel.shadow(place(bar(-70, 75, 3.6, 3.6), 9), 1.2, 0.40)
    easel.face(place(bar(-70, 62, 3.6, 3.6), 8), (40, 60, 190))
    easel.face(place(bar(-70, 62, 1.2, 1.2), 8.4), (70, 96, 226))
    easel.face(place(bar(62, 78, 3.6, 0.6), 8), (150, 190, 222))
    easel.face(place(bar(74, 79, 0.9, 0.3), 8.1), (40, 40, 44))


THINGS = (tea, pad, seeds)


def free_places(stage: Stage) -> list[tuple[float, float]]:
    """Return places near the picture's edge where nobody reaches across, the best first."""
    width, height = stage.camera.size
    found = []
    for fx, fy in ((0.5, 0.115), (0.25, 0.99), (0.74, 1.0), (0.05, 0.33), (0.95, 0.30), (0.21, 0.10), (0.80, 0.09)):
        px = np.array([fx * width, fy * height])
        off = px - np.array([width, height]) / 2
        angle = np.arctan2(off[1], off[0])
        gap = min(abs((angle - stage.seat_angle(seat) + np.pi) % (2 * np.pi) - np.pi) for seat in stage.seats)
        if gap > np.radians(28):
            x, y = stage.camera.on_table(px)
            found.append((float(x), float(y)))
    return found


def set_table(canvas: np.ndarray, stage: Stage, scale: float, lamp: tuple[float, float, float], seed: int) -> None:
    """Put up to three things on the table top, (h, w, 3) uint8 BGR drawn at ``scale``, in place."""
    rng = np.random.default_rng((seed, 9))
    easel = Easel(canvas, stage.camera, scale, lamp)
    for thing, place in zip(THINGS, free_places(stage), strict=False):
        thing(easel, place, rng)


def glass(easel: Easel, middle: tuple[float, float], lift: float = 0.0) -> None:
    """Draw a glass of tea in a metal holder."""
    metal, tea_colour = (150, 160, 168), (28, 60, 140)
    easel.shadow(np.vstack([_rim(middle, 34, lift), _rim(middle, 34, 74 + lift)]), 5, 0.34)
    easel.turned(middle, [(33, 78 + lift), (31.5, 70 + lift)], (196, 204, 208), 0.3)
    easel.disc(middle, 31.5, 64 + lift, tea_colour)
    easel.disc((middle[0] - 9, middle[1] - 8), 5, 64 + lift, (70, 110, 186))
    easel.turned(middle, [(29, lift), (33, 8 + lift), (34, 52 + lift)], metal, 0.8)
    easel.turned(middle, [(34, 52 + lift), (33, 78 + lift)], (96, 128, 176), 0.9)
    easel.turned(middle, [(34, 78 + lift), (33, 78.6 + lift)], (232, 238, 240), 0.6)


def phone(easel: Easel, middle: tuple[float, float], lift: float = 0.0) -> None:
    """Draw a phone lying on its back."""
    turn = 0.4 + 0.01 * (middle[0] % 40)
    cos, sin = np.cos(turn), np.sin(turn)

    def slab(half_w: float, half_h: float, height: float) -> np.ndarray:
        flat = np.array([(-half_w, -half_h), (half_w, -half_h), (half_w, half_h), (-half_w, half_h)], float)
        flat = flat @ np.array([[cos, sin], [-sin, cos]]) + np.array(middle)
        return np.column_stack([flat, np.full(4, height + lift)])

    easel.shadow(slab(37, 76, 9), 3, 0.42)
    easel.face(slab(37, 76, 2), (60, 60, 64))
    easel.face(slab(37, 76, 8), (34, 32, 32))
    easel.face(slab(34.5, 72, 8.2), (24, 20, 18))
    shine = slab(34.5, 72, 8.3)
    easel.face(np.array([shine[0], shine[1], (shine[1] + shine[2]) / 2, shine[0] * 0.7 + shine[3] * 0.3]), (46, 42, 40))


PORTRAITS = {"glass": glass, "phone": phone}


def portrait(
    kind: str,
    place: tuple[float, float, float],
    camera: PinholeCamera,
    box: tuple[int, int, int, int],
    lamp: tuple[float, float, float],
) -> np.ndarray:
    """Return a thing as a premultiplied BGRA patch for that box of the picture, from drawings on black and on white."""
    left, top, right, bottom = box
    corner = np.array([[1.0, 0, -left], [0, 1, -top], [0, 0, 1]])
    scale = 2
    pictures = []
    for ground in (0, 255):
        canvas = np.full(((bottom - top) * scale, (right - left) * scale, 3), ground, np.uint8)
        PORTRAITS[kind](Easel(canvas, camera.moved(corner), scale, lamp), place[:2], place[2])
        pictures.append(cv2.resize(canvas, (right - left, bottom - top), interpolation=cv2.INTER_AREA))
    black, white = pictures
    alpha = 255 - cv2.subtract(white, black).max(axis=2)
    return np.dstack([black, alpha])


def crown(hair: tuple[float, float, float], side: int = 240) -> np.ndarray:
    """Draw a head of hair from above, premultiplied BGRA, (side, side, 4) uint8."""
    rng = np.random.default_rng(int(sum(hair)))
    ys, xs = (np.mgrid[0:side, 0:side].astype(np.float32) - side / 2) / (side / 2)
    radius, angle = np.hypot(xs * 1.12, ys), np.arctan2(ys, xs)
    strands = cv2.resize(rng.normal(0, 1, (6, 90)).astype(np.float32), (720, 120), interpolation=cv2.INTER_CUBIC)
    column = ((angle + np.pi) / (2 * np.pi) * 719).astype(int)
    row = np.clip(radius * 119, 0, 119).astype(int)
    lustre = 1 + 0.28 * strands[row, column] + 0.35 * np.exp(-(((xs + 0.25) ** 2 + (ys + 0.3) ** 2) / 0.12))
    ragged = 0.90 + 0.05 * strands[0, column]
    alpha = np.clip((ragged - radius) * side * 0.12, 0, 1)
    shade = np.clip(1.1 - 0.5 * radius**2, 0.3, 1.2)
    colour = np.array(hair, np.float32) * (lustre * shade)[..., None]
    return np.dstack([np.clip(colour, 0, 255) * alpha[..., None], alpha * 255]).round().astype(np.uint8)


CLOTH_WORDS = ("DEALER", "PLAYER", "BANKER", "6", "Q", "7", "INSURANCE", "TIE 8:1", "BAR", "No 9")
"""What may be printed on a card table's cloth."""


def print_on_cloth(canvas: np.ndarray, camera: PinholeCamera, scale: float, rng: np.random.Generator) -> None:
    """
    Print words, lines and empty boxes on a casino cloth, in one light colour; in place, ``scale`` times as large as the
    picture.
    """
    ink = np.array((190, 215, 220) if rng.random() < 0.7 else (60, 190, 230), np.float32)
    mask = np.zeros((1000, 1400), np.uint8)  # a pixel a millimetre, the middle of the table in its middle
    for _ in range(int(rng.integers(3, 7))):
        at = (int(rng.integers(250, 950)), int(rng.integers(300, 700)))
        word, size = str(rng.choice(CLOTH_WORDS)), float(rng.uniform(1.0, 3.2))
        cv2.putText(mask, word, at, cv2.FONT_HERSHEY_DUPLEX, size, 255, max(2, round(3 * size)), cv2.LINE_AA)
    for _ in range(int(rng.integers(1, 5))):
        x, y = int(rng.integers(250, 1000)), int(rng.integers(280, 620))
        cv2.rectangle(
            mask, (x, y), (x + int(rng.integers(66, 80)), y + int(rng.integers(92, 110))), 255, 3, cv2.LINE_AA
        )
    cv2.ellipse(mask, (700, 380), (520, 260), 0, 15, 165, 255, 4, cv2.LINE_AA)
    to_mm = np.array([[1.0, 0, -700.0], [0, 1.0, -500.0], [0, 0, 1.0]])
    seen = np.diag([scale, scale, 1.0]) @ camera.table @ to_mm
    there = cv2.warpPerspective(mask, seen, (canvas.shape[1], canvas.shape[0]), flags=cv2.INTER_AREA)
    share = 0.8 * there.astype(np.float32)[..., None] / 255
    canvas[:] = (canvas * (1 - share) + ink * share).astype(np.uint8)

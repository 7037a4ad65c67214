"""
Draw hands and sleeves: a relief built from rounded bones, lit by a lamp.

A bone is a line with a radius and a height at either end; its relief is the upper half of the rounded body, and a soft
maximum over all bones gives knuckles, tendons and webs between fingers. The relief's slope gives the light, its
hollows the shade. No photograph is used.

Local frame of an arm, in mm: u points along the arm to the fingertips, which touch the table at the origin; v points to
the right of it as the camera sees it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

PX_PER_MM = 1.9
LENGTH_MM = 1180.0
AHEAD_MM = 16.0
HALF_WIDTH_MM = 92.0
CUFF_MM = -196.0
"""Where the sleeve begins, along u."""

Bone = tuple[float, float, float, float, float, float, float, float]
"""u0, v0, radius0, height0, u1, v1, radius1, height1 (mm)."""


Colour = tuple[float, float, float]
"""BGR, 0 to 255."""


def as_colour(bgr: np.ndarray) -> Colour:
    """Convert an array (3,) to a colour."""
    blue, green, red = (float(value) for value in bgr)
    return blue, green, red


@dataclass(frozen=True, slots=True)
class ArmStyle:
    """
    One person's arm: colours in BGR 0..255; ``left``: it is the left hand; ``bulk`` scales the sleeve's width.

    ``cuff_mm``: where the sleeve begins, along u: the further back, the more forearm is bare. ``watch``: on the wrist,
    seen where the sleeve leaves it bare. ``stretch``: length of the fingers against the usual. ``spread``: how far
    the fingers are fanned out, 0 to 1. ``size``: of hand and forearm against the usual. ``pattern``: of the sleeve,
    ``checks``, ``stripes`` or none.
    """

    skin: Colour = (138, 170, 222)
    sleeve: Colour = (96, 62, 40)
    left: bool = False
    bulk: float = 1.0
    watch: bool = False
    seed: int = 0
    cuff_mm: float = CUFF_MM
    stretch: float = 1.0
    spread: float = 0.0
    size: float = 1.0
    pattern: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnArm:
    """
    A drawn arm. texture: (h, w, 4) uint8 BGRA, premultiplied; ``to_mm``: (3, 3) from texture px to local mm.

    outline_mm: (n, 2) its border in local mm.
    """

    texture: np.ndarray
    to_mm: np.ndarray
    outline_mm: np.ndarray


PINCH: tuple[Bone, ...] = (
    # index and middle finger stretched, side by side; ring and little finger bent; the thumb tucked beside them
    (-4, -9, 7.2, 6, -26, -11, 8.0, 13), (-26, -11, 8.0, 13, -50, -15, 8.8, 23),
    (-50, -15, 8.8, 23, -84, -22, 10.5, 29),
    (-2, 8, 7.4, 6, -27, 8, 8.2, 14), (-27, 8, 8.2, 14, -54, 5, 9.0, 25), (-54, 5, 9.0, 25, -88, 0, 11.0, 31),
    (-17, 24, 7.0, 4, -36, 26, 7.8, 12), (-36, 26, 7.8, 12, -60, 24, 8.6, 24), (-60, 24, 8.6, 24, -90, 20, 10.6, 29),
    (-38, 37, 6.2, 3, -52, 40, 6.8, 9), (-52, 40, 6.8, 9, -70, 40, 7.6, 19), (-70, 40, 7.6, 19, -95, 37, 9.8, 25),
    (-20, -31, 8.0, 1, -43, -41, 9.4, 6), (-43, -41, 9.4, 6, -78, -46, 11.5, 12),
    (-78, -46, 12.5, 12, -142, -17, 17, 16),
    # the back of the hand: a bone to each knuckle, and the wrist
    (-84, -22, 11, 28, -150, -12, 17, 22), (-88, 0, 11.5, 30, -152, 0, 18, 23), (-90, 20, 11, 28, -152, 8, 17, 22),
    (-95, 37, 10, 24, -150, 16, 16, 20), (-104, 8, 25, 8, -142, 2, 26, 8),
    (-148, -6, 21, 14, -230, -8, 23, 20), (-148, 10, 21, 14, -230, 10, 23, 20),
)  # fmt: skip
FLAT: tuple[Bone, ...] = (
    # the hand spread on the cards it gathers
    (2, -22, 7.0, 4, -24, -23, 7.9, 8), (-24, -23, 7.9, 8, -50, -24, 8.7, 14),
    (-50, -24, 8.7, 14, -86, -25, 10.5, 20),
    (10, 1, 7.2, 4, -20, 1, 8.0, 8), (-20, 1, 8.0, 8, -50, 1, 8.9, 15), (-50, 1, 8.9, 15, -90, 0, 11.0, 22),
    (1, 24, 7.0, 4, -26, 23, 7.8, 8), (-26, 23, 7.8, 8, -54, 22, 8.6, 14), (-54, 22, 8.6, 14, -92, 20, 10.6, 20),
    (-20, 47, 6.2, 3, -42, 45, 6.9, 7), (-42, 45, 6.9, 7, -62, 42, 7.6, 12), (-62, 42, 7.6, 12, -98, 37, 9.8, 17),
    (-40, -58, 7.6, 3, -62, -55, 9.0, 7), (-62, -55, 9.0, 7, -88, -48, 11.5, 11),
    (-88, -48, 12.5, 11, -146, -16, 17, 14),
    (-86, -25, 11, 19, -150, -12, 17, 18), (-90, 0, 11.5, 21, -152, 0, 18, 19), (-92, 20, 11, 19, -152, 8, 17, 18),
    (-98, 37, 10, 16, -150, 16, 16, 16), (-106, 8, 25, 5, -142, 2, 26, 6),
    (-148, -6, 21, 12, -230, -8, 23, 18), (-148, 10, 21, 12, -230, 10, 23, 18),
)  # fmt: skip
POINT: tuple[Bone, ...] = (
    # the index finger stretched out, the others curled under the palm, the thumb along them
    (2, -13, 7.2, 4, -22, -14, 8.0, 10), (-22, -14, 8.0, 10, -48, -16, 8.8, 19),
    (-48, -16, 8.8, 19, -84, -22, 10.5, 28),
    (-52, 2, 8.2, 2, -46, 4, 9.2, 12), (-46, 4, 9.2, 12, -56, 5, 9.6, 24), (-56, 5, 9.6, 24, -88, 0, 11.0, 30),
    (-56, 21, 8.0, 2, -51, 22, 8.8, 11), (-51, 22, 8.8, 11, -62, 22, 9.2, 22), (-62, 22, 9.2, 22, -90, 20, 10.6, 28),
    (-66, 36, 7.2, 1, -61, 38, 7.8, 9), (-61, 38, 7.8, 9, -70, 38, 8.2, 18), (-70, 38, 8.2, 18, -95, 37, 9.8, 25),
    (-40, -24, 8.2, 2, -58, -36, 9.4, 7), (-58, -36, 9.4, 7, -82, -44, 11.5, 12),
    (-82, -44, 12.5, 12, -142, -17, 17, 16),
    *PINCH[15:],
)  # fmt: skip
REST: tuple[Bone, ...] = (
    # the hand at ease: fingers together and a little bent
    (-2, -18, 7.0, 3, -22, -20, 7.9, 10), (-22, -20, 7.9, 10, -46, -22, 8.7, 18),
    (-46, -22, 8.7, 18, -84, -24, 10.5, 24),
    (5, -1, 7.2, 3, -18, -1, 8.0, 10), (-18, -1, 8.0, 10, -46, 0, 8.9, 19), (-46, 0, 8.9, 19, -88, 0, 11.0, 26),
    (0, 16, 7.0, 3, -22, 17, 7.8, 10), (-22, 17, 7.8, 10, -50, 18, 8.6, 18), (-50, 18, 8.6, 18, -90, 20, 10.6, 24),
    (-18, 33, 6.2, 2, -38, 35, 6.9, 8), (-38, 35, 6.9, 8, -60, 37, 7.6, 14), (-60, 37, 7.6, 14, -96, 37, 9.8, 20),
    (-30, -42, 7.6, 2, -54, -46, 9.0, 6), (-54, -46, 9.0, 6, -84, -46, 11.5, 11),
    (-84, -46, 12.5, 11, -144, -16, 17, 15),
    *FLAT[15:],
)  # fmt: skip
HANDS = {"pinch": PINCH, "flat": FLAT, "point": POINT, "rest": REST}
NAILS = {
    "pinch": ((-2.5, -9, 4.6, 5.2), (-0.5, 8, 4.8, 5.4), (-19, -32, 5.0, 5.6)),
    "point": ((3.5, -13, 4.6, 5.2), (-38, -24, 5.0, 5.6)),
    "rest": (
        (-0.5, -18, 4.6, 5.0),
        (6.5, -1, 4.8, 5.2),
        (1.5, 16, 4.6, 5.0),
        (-16, 33, 4.0, 4.4),
        (-28, -42, 5.0, 5.6),
    ),
    "flat": ((4, -22, 4.6, 5.0), (12, 1, 4.8, 5.2), (3, 24, 4.6, 5.0), (-17.5, 47, 4.0, 4.4), (-38, -58.5, 5.0, 5.6)),
}
"""Middle (u, v) and half axes of the nails, mm."""


def _smooth(rng: np.random.Generator, shape: tuple[int, int], cell: tuple[float, float]) -> np.ndarray:
    """Smooth noise, about -1..1, (h, w) float32; ``cell``: its grain in px down and across."""
    height, width = shape
    small = rng.normal(0, 0.5, (max(2, round(height / cell[0])), max(2, round(width / cell[1])))).astype(np.float32)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)


def _relief(bones: tuple[Bone, ...], u: np.ndarray, v: np.ndarray, softness_mm: float) -> tuple[np.ndarray, np.ndarray]:
    """Return height (mm) of the rounded bones together, and how far inside their outline each point is (mm)."""
    total = np.zeros(u.shape, np.float32)
    inside = np.full(u.shape, -50.0, np.float32)
    for u0, v0, r0, z0, u1, v1, r1, z1 in bones:
        du, dv = u1 - u0, v1 - v0
        t = np.clip(((u - u0) * du + (v - v0) * dv) / (du * du + dv * dv), 0, 1)
        distance = np.hypot(u - u0 - t * du, v - v0 - t * dv)
        radius = r0 + (r1 - r0) * t
        depth = radius - distance
        inside = np.maximum(inside, depth)
        height = z0 + (z1 - z0) * t + np.sqrt(np.maximum(radius * radius - distance * distance, 0.0))
        total += np.where(depth > 0, np.exp(np.minimum(height / softness_mm, 60)), 0).astype(np.float32)
    return softness_mm * np.log(total + 1.0), inside


def _light(relief: np.ndarray, lamp: np.ndarray, wrap: float) -> np.ndarray:
    """Return how much of the lamp's light each point gets, about 0..1.1; ``wrap`` softens the edge of the shade."""
    gy, gx = np.gradient(relief * PX_PER_MM)
    length = np.sqrt(gx * gx + gy * gy + 1)
    towards = (-gx * lamp[0] - gy * lamp[1] + lamp[2]) / length
    shade = np.clip((towards + wrap) / (1 + wrap), 0, 1)
    hollow = cv2.GaussianBlur(relief, (0, 0), 5 * PX_PER_MM) - relief
    return np.asarray(shade * np.clip(1.0 - 0.035 * np.maximum(hollow, 0), 0.55, 1))


def _paint_skin(
    relief: np.ndarray, inside: np.ndarray, u: np.ndarray, v: np.ndarray, pose: str, style: ArmStyle, lamp: np.ndarray
) -> np.ndarray:
    """Paint the hand: colour (h, w, 3) float32."""
    rng = np.random.default_rng((style.seed, 7))
    soft = cv2.GaussianBlur(relief, (0, 0), 0.55 * PX_PER_MM)
    soft = soft + 0.16 * _smooth(rng, relief.shape, (2.6, 2.6)) + 0.5 * _smooth(rng, relief.shape, (14, 22))
    light = _light(soft, lamp, 0.45)[..., None]
    skin = np.array(style.skin, np.float32)
    # Where skin turns away, light comes out of it redder than it went in.
    deep = skin * np.array([0.50, 0.56, 0.74], np.float32)
    colour = deep + (skin * 1.10 - deep) * np.clip(light * 1.12, 0, 1.15)
    redness = np.zeros(relief.shape, np.float32)
    for u0, v0, r0, _, u1, v1, _, _ in HANDS[pose][:15]:
        for pu, pv, size in ((u0, fanned(u0, v0, style), r0), (u1, fanned(u1, v1, style), r0 * 0.9)):
            redness += np.exp(-((u - pu) ** 2 + (v - pv) ** 2) / (2 * (size * 0.75) ** 2)).astype(np.float32)
    mottle = np.clip(redness, 0, 1) * 0.5 + 0.35 * _smooth(rng, relief.shape, (16, 16))
    colour *= 1 + mottle[..., None] * np.array([-0.10, -0.085, 0.015], np.float32)
    creases = np.zeros(relief.shape, np.float32)
    for index in range(12):
        u0, v0, r0, _, u1, v1, _, _ = HANDS[pose][index]
        if index % 3 == 2:
            continue
        v0, v1 = fanned(u0, v0, style), fanned(u1, v1, style)
        along = np.array([u1 - u0, v1 - v0]) / np.hypot(u1 - u0, v1 - v0)
        for gap in (-1.7, 0.2, 2.0):
            du, dv = u - u1 - along[0] * gap, v - v1 - along[1] * gap
            across = -du * along[1] + dv * along[0]
            bend = du * along[0] + dv * along[1] - 0.03 * across**2 * np.sign(gap + 0.01)
            creases += np.exp(-((bend / 0.55) ** 2) - (across / (r0 * 0.72)) ** 2).astype(np.float32)
    colour *= 1 - 0.20 * np.clip(creases, 0, 1)[..., None]
    for nu, nv, a, b in NAILS[pose]:
        nv = fanned(nu, nv, style)
        r = ((u - nu) / a) ** 2 + ((v - nv) / b) ** 2
        nail = np.clip((1.0 - r) * 3.5, 0, 1).astype(np.float32)[..., None]
        tint = colour * np.array([1.03, 1.0, 1.03], np.float32) + np.array([20, 16, 18], np.float32)
        shine = np.exp(-(((u - nu - 0.4) / 1.6) ** 2) - ((v - nv + 1.4) / 1.1) ** 2).astype(np.float32)[..., None] * 34
        rim = np.exp(-(((r - 1.0) / 0.22) ** 2)).astype(np.float32)[..., None]
        colour = colour * (1 - 0.85 * nail) + (tint + shine) * 0.85 * nail
        colour *= 1 - 0.16 * rim
    return np.asarray(colour * (1 - 0.30 * np.exp(-np.maximum(inside, 0) / 0.9))[..., None])


def _sleeve_bones(style: ArmStyle) -> tuple[Bone, ...]:
    w, cuff = style.bulk, style.cuff_mm
    elbow = min(-420.0, cuff - 60)
    wide = 31 + 8 * np.clip((CUFF_MM - cuff) / 220, 0, 1)
    return (
        (cuff, -7, wide * w, 14, elbow, -10, 38 * w, 20),
        (cuff, 7, wide * w, 14, elbow, 10, 38 * w, 20),
        (elbow, -10, 38 * w, 20, -LENGTH_MM - 60, -16, 52 * w, 26),
        (elbow, 10, 38 * w, 20, -LENGTH_MM - 60, 16, 52 * w, 26),
    )


def fanned(u: float, v: float, style: ArmStyle) -> float:
    """Return how far aside (mm) a point of a finger lies when the fingers are fanned out about the knuckles."""
    return v * (1 + style.spread * max(0.0, u + 95.0) / 95.0)


def _hand_bones(pose: str, style: ArmStyle) -> tuple[Bone, ...]:
    """Return the bones of the hand, and of the forearm as far as it is bare."""
    bones = tuple(
        (u0, fanned(u0, v0, style), r0, z0, u1, fanned(u1, v1, style), r1, z1)
        for u0, v0, r0, z0, u1, v1, r1, z1 in HANDS[pose]
    )
    bones = tuple(
        (u0 + 84 * (style.stretch - 1) if u0 > -84 else u0, v0, r0, z0,
         u1 + 84 * (style.stretch - 1) if u1 > -84 else u1, v1, r1, z1)
        for u0, v0, r0, z0, u1, v1, r1, z1 in bones
    )  # fmt: skip
    if style.cuff_mm >= CUFF_MM:
        return bones
    end = style.cuff_mm - 40
    return (*bones, (-225, -8, 23, 20, end, -10, 33, 24), (-225, 10, 23, 20, end, 10, 33, 24))


def _paint_watch(colour: np.ndarray, u: np.ndarray, v: np.ndarray, style: ArmStyle, light: np.ndarray) -> None:
    """Paint a strap and a dial on the wrist, onto the skin (h, w, 3) float32 in place."""
    rng = np.random.default_rng((style.seed, 13))
    strap = np.array([(30, 32, 36), (36, 58, 92), (150, 150, 152)][int(rng.integers(3))], np.float32)
    level = (0.35 + 0.8 * light)[..., None]
    band = (np.clip(9.5 - np.abs(u + 186), 0, 1) * 0.97)[..., None]
    colour[:] = colour * (1 - band) + strap * level * band
    radius = np.hypot(u + 186, v)
    for reach, shade in ((18.5, (160, 164, 168)), (15.5, (34, 30, 28)), (2.0, (190, 190, 190))):
        disc = np.clip(reach - radius, 0, 1)[..., None]
        colour[:] = colour * (1 - disc) + np.array(shade, np.float32) * level * disc
    glint = np.exp(-(((u + 181) / 5) ** 2) - ((v + 6) / 3) ** 2)[..., None]
    colour += 90 * glint


def _paint_sleeve(relief: np.ndarray, u: np.ndarray, v: np.ndarray, style: ArmStyle, lamp: np.ndarray) -> np.ndarray:
    """Paint the sleeve: colour (h, w, 3) float32 with folds across the arm, weave, a hem at the cuff."""
    rng = np.random.default_rng((style.seed, 11))
    shape = relief.shape
    warp = 26 * _smooth(rng, shape, (60, 150)) + 0.35 * np.abs(v)
    folds = np.zeros(shape, np.float32)
    for length, weight in ((58, 2.6), (33, 1.5), (19, 0.7)):
        phase = float(rng.uniform(0, 6.28))
        wave = np.sin((u + warp * (1 + 4 / length) + 0.4 * v * float(rng.normal(0, 1))) * (2 * np.pi / length) + phase)
        folds += weight * (wave.astype(np.float32) * 0.5 + 0.5) ** 2
    folds *= 0.55 + 0.5 * _smooth(rng, shape, (50, 120))
    folds += 1.6 * _smooth(rng, shape, (16, 40))
    cuff = style.cuff_mm
    hem = 2.2 / (1 + np.exp(-(cuff - 2 - u) / 0.8)) - 1.2 * np.exp(-(((u - (cuff - 15)) / 1.1) ** 2))
    weave = 0.10 * rng.normal(0, 1, shape)
    surface = cv2.GaussianBlur((relief + folds + hem).astype(np.float32), (0, 0), 0.8 * PX_PER_MM) + weave
    light = _light(surface.astype(np.float32), lamp, 0.25)[..., None]
    base = np.array(style.sleeve, np.float32)
    if style.pattern:
        other = np.array([255, 255, 255], np.float32) - base * 0.9
        lines = (np.sin((v + warp * 0.2) * 0.42) > 0.45).astype(np.float32)
        if style.pattern == "checks":
            lines = np.maximum(lines, (np.sin((u + warp * 0.3) * 0.3) > 0.5).astype(np.float32)) * 0.8
        base = base + cv2.GaussianBlur(lines, (0, 0), 0.8)[..., None] * (other - base)
    return np.asarray(base * (0.30 + 0.85 * light) + 7 * light, np.float32)


def model_arm(pose: str, style: ArmStyle, lamp: tuple[float, float, float]) -> DrawnArm:
    """
    Draw one arm in one pose of the hand (``pinch``, ``flat``, ``point``, ``rest``).

    ``lamp``: direction to the light in the arm's own frame (along u, along v, up); needn't be of length 1.
    """
    side = -1.0 if style.left else 1.0
    width, height = round((LENGTH_MM + AHEAD_MM) * PX_PER_MM), round(2 * HALF_WIDTH_MM * PX_PER_MM)
    us = (np.arange(width, dtype=np.float32) + 0.5) / PX_PER_MM - LENGTH_MM
    vs = (np.arange(height, dtype=np.float32) + 0.5) / PX_PER_MM - HALF_WIDTH_MM
    u, v = np.meshgrid(us, vs * side)
    # Texture columns run along u, rows along v: the lamp turns with a mirrored hand.
    light = np.array([lamp[0], lamp[1], lamp[2]], np.float32)
    light /= np.linalg.norm(light)
    hand_from = int((LENGTH_MM - 262 + min(0.0, style.cuff_mm - CUFF_MM)) * PX_PER_MM)
    colour = np.zeros((height, width, 3), np.float32)
    alpha = np.zeros((height, width), np.float32)
    hand = np.s_[:, hand_from:]
    relief, inside = _relief(_hand_bones(pose, style), u[hand], v[hand], 1.6)
    colour[hand] = _paint_skin(relief, inside, u[hand], v[hand], pose, style, light)
    if style.watch and style.cuff_mm < -200:
        _paint_watch(colour[hand], u[hand], v[hand], style, _light(relief, light, 0.3))
    alpha[hand] = np.clip(inside * PX_PER_MM + 0.5, 0, 1)
    sleeve_to = int((LENGTH_MM + style.cuff_mm + 45) * PX_PER_MM)
    cloth = np.s_[:, :sleeve_to]
    relief, inside = _relief(_sleeve_bones(style), u[cloth], v[cloth], 3.0)
    inside = np.minimum(inside, style.cuff_mm + 3 * np.cos(v[cloth] / 14) - u[cloth])
    cover = np.clip(inside * PX_PER_MM + 0.5, 0, 1)[..., None]
    # The cuff throws its shade on the wrist.
    past = u[hand] - style.cuff_mm
    colour[hand] *= (1 - 0.45 * np.exp(-np.maximum(past, 0) / 5.0) * (past > -4))[..., None]
    painted = _paint_sleeve(relief, u[cloth], v[cloth], style, light)
    colour[cloth] = colour[cloth] * (1 - cover) + painted * cover
    alpha[cloth] = np.maximum(alpha[cloth], cover[..., 0])
    rgba = np.dstack([np.clip(colour, 0, 255) * alpha[..., None], alpha * 255])
    to_mm = np.array([[1 / PX_PER_MM, 0, -LENGTH_MM], [0, 1 / PX_PER_MM, -HALF_WIDTH_MM], [0, 0, 1.0]])
    to_mm = np.diag([style.size, style.size, 1.0]) @ to_mm
    return DrawnArm(np.round(rgba).astype(np.uint8), to_mm, _outline(alpha, to_mm))


def _outline(alpha: np.ndarray, to_mm: np.ndarray) -> np.ndarray:
    contours, _ = cv2.findContours((alpha > 0.5).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    border = max(contours, key=len)[:, 0, :].astype(np.float64)
    border = border[:: max(1, len(border) // 400)]
    return np.asarray(border @ to_mm[:2, :2].T + to_mm[:2, 2])

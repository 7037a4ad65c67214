"""One moment, one picture: table, shadows, cards, arms, lens and sensor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np

from datasets.camera import CARD_MM
from datasets.clips.arms import Arm, Look, model_arm
from datasets.clips.motion import ArmPose
from datasets.clips.rig import arm_to_px, card_px, shadow_to_px, through
from datasets.clips.stage import Camera, Lying, Pose, Stage
from datasets.clips.truth import Moment
from referee.cards import Card

Box = tuple[int, int, int, int]
"""Left, top, right, bottom, px."""


@dataclass(frozen=True, slots=True)
class Light:
    """
    ``lamp``: direction to the lamp (table frame). ``tint``: BGR factors. ``falloff``: darker corners, 0..1.
    ``noise``: sensor noise, grey levels. ``shutter``: share of a frame's time that the shutter is open.
    """

    lamp: tuple[float, float, float] = (-0.55, -0.50, 1.15)
    tint: tuple[float, float, float] = (0.95, 1.0, 1.03)
    falloff: float = 0.22
    noise: float = 1.7
    shutter: float = 0.4
    hot_spot: tuple[float, float] = (0.42, 0.36)
    shade: float = 0.42

    @property
    def shift(self) -> tuple[float, float]:
        """Millimetres that a shadow lies aside for each millimetre of height."""
        return -self.lamp[0] / self.lamp[2], -self.lamp[1] / self.lamp[2]


def model_arms(stage: Stage, looks: dict[str, Look], light: Light) -> dict[tuple[str, str], Arm]:
    """Both hand shapes of every seat, lit as that seat's arm usually lies."""
    arms = {}
    for seat, look in looks.items():
        inwards = -stage.shoulder(seat)[:2]
        d = inwards / np.linalg.norm(inwards)
        lamp = (
            light.lamp[0] * d[0] + light.lamp[1] * d[1],
            -light.lamp[0] * d[1] + light.lamp[1] * d[0],
            light.lamp[2],
        )
        for hand in ("pinch", "flat"):
            arms[seat, hand] = model_arm(hand, look, lamp)
    return arms


def _box(points: np.ndarray, size: tuple[int, int], margin: int = 2) -> Box | None:
    low = np.floor(points.min(axis=0)).astype(int) - margin
    high = np.ceil(points.max(axis=0)).astype(int) + margin + 1
    left, top = max(int(low[0]), 0), max(int(low[1]), 0)
    right, bottom = min(int(high[0]), size[0]), min(int(high[1]), size[1])
    return (left, top, right, bottom) if left < right and top < bottom else None


def _join(boxes: Iterable[Box | None]) -> Box | None:
    real = [box for box in boxes if box]
    if not real:
        return None
    lefts, tops, rights, bottoms = zip(*real, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _over(canvas: np.ndarray, patch: np.ndarray) -> None:
    """Lay a premultiplied BGRA patch over a BGR or BGRA canvas of the same size, in place (all uint8)."""
    keep = 255 - patch[..., 3].astype(np.uint16)
    channels = canvas.shape[2]
    kept = (canvas.astype(np.uint16) * keep[..., None] + 127) // 255
    np.minimum(kept + patch[..., :channels], 255, out=kept)
    canvas[:] = kept


class Painter:
    """Paints the moments of one clip. ``faces``: card text or ``back`` -> (h, w, 4) uint8 RGBA, straight alpha."""

    def __init__(
        self,
        camera: Camera,
        faces: dict[str, np.ndarray],
        arms: dict[tuple[str, str], Arm],
        surface: np.ndarray,
        light: Light,
        rng: np.random.Generator,
    ) -> None:
        self.camera, self.arms, self.light = camera, arms, light
        self.size = camera.size
        self.surface = surface
        self.faces = {}
        for name, face in faces.items():
            alpha = face[..., 3:].astype(np.float32) / 255
            colour = face[..., 2::-1].astype(np.float32) * alpha
            self.faces[name] = np.dstack([colour, face[..., 3]]).round().astype(np.uint8)
        self._lying: tuple[Lying, ...] | None = None
        self._base = surface
        self._before: dict[str, np.ndarray] = {}
        self._light_map = self._fall_of_light()
        grain = [
            cv2.GaussianBlur(rng.normal(0, 1, (*surface.shape,)).astype(np.float32), (0, 0), 0.7) for _ in range(6)
        ]
        self._grain = [np.round(g / g.std() * light.noise).astype(np.int16) for g in grain]
        self._rng = rng

    def _fall_of_light(self) -> np.ndarray:
        width, height = self.size
        ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
        hx, hy = self.light.hot_spot[0] * width, self.light.hot_spot[1] * height
        lamp = 1.06 - 0.20 * ((xs - hx) ** 2 + (ys - hy) ** 2) / (0.7 * width) ** 2
        corner = ((xs - width / 2) ** 2 + (ys - height / 2) ** 2) / ((width**2 + height**2) / 4)
        fall = lamp * (1 - self.light.falloff * corner**1.3)
        return np.dstack([fall * t for t in self.light.tint]).astype(np.float32)

    def _shade(self, canvas: np.ndarray, mask: np.ndarray, strength: float) -> None:
        """Darken a BGR canvas where the mask (h, w) uint8 is set, in place; shade is a little blue."""
        depth = mask.astype(np.float32)[..., None] * (np.array([0.90, 1.0, 1.05], np.float32) * (strength / 255))
        np.multiply(canvas, 1 - depth, out=canvas, casting="unsafe")

    def _card_shade(self, canvas: np.ndarray, pose: Pose, base_mm: float = 0.0) -> None:
        corners = pose.corners()
        height = np.maximum(corners[:, 2] - base_mm, 0) + 0.9
        sx, sy = self.light.shift
        corners[:, 0] += sx * height
        corners[:, 1] += sy * height
        corners[:, 2] = base_mm
        quad = self.camera.project(corners)
        sigma = 1.4 + 0.10 * float(height.mean())
        box = _box(quad, self.size, int(3 * sigma) + 2)
        if box is None:
            return
        left, top, right, bottom = box
        hull = np.zeros((bottom - top, right - left), np.uint8)
        cv2.fillConvexPoly(hull, np.round((quad - [left, top]) * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
        mask = cv2.GaussianBlur(hull, (0, 0), sigma)
        self._shade(canvas[top:bottom, left:right], mask, self.light.shade * (1.0 if height.mean() < 3 else 0.85))

    def _card_patch(self, card: Card, pose: Pose) -> tuple[Box, np.ndarray] | None:
        """The card as a premultiplied patch, drawn at twice the size and reduced."""
        quad = card_px(self.camera, pose)
        box = _box(quad, self.size)
        if box is None:
            return None
        left, top, right, bottom = box
        face = self.faces[str(card) if pose.is_face_up else "back"]
        h, w = face.shape[:2]
        corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
        target = ((quad - [left, top]) * 2).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(corners, target)
        shape = ((right - left) * 2, (bottom - top) * 2)
        large = cv2.warpPerspective(face, matrix, shape, flags=cv2.INTER_LINEAR)
        patch = cv2.resize(large, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
        tilt = self._facing(pose)
        if tilt < 0.995:
            patch[..., :3] = (patch[..., :3] * tilt).astype(np.uint8)
        return box, patch

    def _facing(self, pose: Pose) -> float:
        """How much of the light a tilted card gets, 0.55..1."""
        return float(0.55 + 0.45 * abs(np.cos(pose.roll) * np.cos(pose.pitch)))

    def _rest(self, lying: tuple[Lying, ...]) -> np.ndarray:
        """The table with all resting cards; drawn anew only when they change."""
        if lying != self._lying:
            base = self.surface.copy()
            for card in lying:
                self._card_shade(base, card.pose, card.pose.z)
                drawn = self._card_patch(card.card, card.pose)
                if drawn:
                    (left, top, right, bottom), patch = drawn
                    _over(base[top:bottom, left:right], patch)
            self._lying, self._base = lying, base
        return self._base

    def _arm_shade(self, canvas: np.ndarray, arm: ArmPose) -> None:
        drawn = self.arms[arm.seat, arm.hand]
        matrix = shadow_to_px(self.camera, arm, self.light.shift)
        box = _box(through(matrix, drawn.outline_mm), self.size, 20)
        if box is None:
            return
        left, top, right, bottom = box
        small = np.array([[0.5, 0, -left / 2], [0, 0.5, -top / 2], [0, 0, 1.0]]) @ matrix @ drawn.to_mm
        shape = ((right - left + 1) // 2, (bottom - top + 1) // 2)
        mask = cv2.warpPerspective(drawn.texture[..., 3], small, shape, flags=cv2.INTER_LINEAR)
        mask = cv2.GaussianBlur(mask, (0, 0), 1.6 + arm.tip[2] * 0.05)
        mask = cv2.resize(mask, (right - left, bottom - top), interpolation=cv2.INTER_LINEAR)
        self._shade(canvas[top:bottom, left:right], mask, self.light.shade)

    def _arm_patch(self, arm: ArmPose) -> tuple[Box, np.ndarray] | None:
        drawn = self.arms[arm.seat, arm.hand]
        matrix = arm_to_px(self.camera, arm)
        box = _box(through(matrix, drawn.outline_mm), self.size)
        if box is None:
            return None
        left, top, right, bottom = box
        shift = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1.0]])
        patch = cv2.warpPerspective(
            drawn.texture, shift @ matrix @ drawn.to_mm, (right - left, bottom - top), flags=cv2.INTER_LINEAR
        )
        return box, patch

    def _speed(self, arm: ArmPose) -> np.ndarray:
        """(2,) px that the fingertip has moved since the last frame."""
        tip = self.camera.project(np.array(arm.tip))
        before = self._before.get(arm.seat, tip)
        self._before[arm.seat] = tip
        return np.asarray(tip - before)

    def _smear(self, layer: np.ndarray, way: np.ndarray) -> np.ndarray:
        """Motion blur: the layer averaged over the way it went while the shutter was open."""
        length = float(np.hypot(*way))
        taps = int(min(14, np.ceil(length / 1.6)))
        if taps < 2:
            return layer
        total = np.zeros(layer.shape, np.uint16)
        for share in np.linspace(-0.5, 0.5, taps):
            dx, dy = (float(v) for v in way * share)
            moved = cv2.warpAffine(layer, np.array([[1, 0, dx], [0, 1, dy]]), (layer.shape[1], layer.shape[0]),
                                   borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
            total += np.asarray(moved, np.uint16)
        return (total // taps).astype(np.uint8)

    def paint(self, moment: Moment) -> np.ndarray:
        """The picture, (h, w, 3) uint8 BGR."""
        canvas = self._rest(moment.lying).copy()
        present = {arm.seat for arm in moment.arms}
        self._before = {seat: tip for seat, tip in self._before.items() if seat in present}
        for card in moment.carried:
            self._card_shade(canvas, card.pose)
        for arm in moment.arms:
            self._arm_shade(canvas, arm)
        patches = [self._card_patch(card.card, card.pose) for card in moment.carried]
        patches += [self._arm_patch(arm) for arm in moment.arms]
        box = _join(drawn[0] for drawn in patches if drawn)
        if box:
            way = sum((self._speed(arm) for arm in moment.arms), np.zeros(2)) / max(len(moment.arms), 1)
            left, top, right, bottom = box
            layer = np.zeros((bottom - top, right - left, 4), np.uint8)
            for drawn in patches:
                if drawn:
                    (x0, y0, x1, y1), patch = drawn
                    _over(layer[y0 - top : y1 - top, x0 - left : x1 - left], patch)
            _over(canvas[top:bottom, left:right], self._smear(layer, way * self.light.shutter))
        lit = cv2.multiply(canvas, self._light_map, dtype=cv2.CV_8U)
        grain = self._grain[int(self._rng.integers(len(self._grain)))]
        shift = int(self._rng.integers(self.size[1]))
        rolled = np.vstack([grain[shift:], grain[:shift]])
        return np.asarray(cv2.add(lit, rolled, dtype=cv2.CV_8U))


def table_to_px(camera: Camera, px_per_mm: float, half_mm: tuple[float, float]) -> np.ndarray:
    """(3, 3) homography from a table-top texture, its middle at the table's origin, to pixels."""
    to_mm = np.array([[1 / px_per_mm, 0, -half_mm[0]], [0, 1 / px_per_mm, -half_mm[1]], [0, 0, 1.0]])
    return np.asarray(camera.table @ to_mm)


def face_height_px(camera: Camera) -> int:
    """Height in px at which card faces should be drawn for this camera."""
    return round(CARD_MM[1] * camera.px_per_mm * 2.2)

"""Paint one frame: table, shadows, cards, arms, lens and sensor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from datasets.clips import table_things
from datasets.clips.arms import ArmStyle, DrawnArm, model_arm
from datasets.clips.ground_truth import Moment
from datasets.clips.motion import ArmPose
from datasets.clips.projection import arm_to_px, card_px, shadow_to_px, through
from datasets.clips.stage import CardPose3D, PinholeCamera, PosedCard, Stage
from datasets.scenes.camera import CARD_MM
from referee.cards import Card

Box = tuple[int, int, int, int]
"""Left, top, right, bottom, px."""

HEAD_MM = 330.0
"""Height of a head over the table."""
SHADE_BGR = (0.90, 1.0, 1.05)
"""Factors by colour by which shade is darker; it is slightly blue."""


@dataclass(frozen=True, slots=True)
class Light:
    """
    ``lamp``: direction to the lamp (table frame). ``tint``: BGR factors. ``falloff``: darker corners, 0..1.
    ``noise``: sensor noise, grey levels. ``shutter``: share of a frame's time that the shutter is open; ``rolling``:
    share by which the last row is read later than the first. ``soft``: blur of the lens, px at 720p. ``contrast``: of
    the sensor's curve about middle grey. ``level``: of its exposure.
    """

    lamp: tuple[float, float, float] = (-0.55, -0.50, 1.15)
    tint: tuple[float, float, float] = (0.95, 1.0, 1.03)
    falloff: float = 0.22
    noise: float = 1.7
    shutter: float = 0.4
    hot_spot: tuple[float, float] = (0.42, 0.36)
    shade: float = 0.42
    soft: float = 0.0
    contrast: float = 1.0
    level: float = 1.0
    rolling: float = 0.0

    @property
    def shift(self) -> tuple[float, float]:
        """Return how many millimetres aside a shadow lies for each millimetre of height."""
        return -self.lamp[0] / self.lamp[2], -self.lamp[1] / self.lamp[2]


def model_arms(
    stage: Stage, styles: dict[str, ArmStyle], light: Light, wanted: Iterable[tuple[str, str]] | None = None
) -> dict[tuple[str, str], DrawnArm]:
    """Draw the wanted hand shapes (seat, shape), lit as that seat's arm usually lies."""
    arms = {}
    pairs = [(seat, hand) for seat in styles for hand in ("pinch", "flat")] if wanted is None else sorted(set(wanted))
    for seat, hand in pairs:
        inwards = -stage.shoulder(seat)[:2]
        d = inwards / np.linalg.norm(inwards)
        lamp = (
            light.lamp[0] * d[0] + light.lamp[1] * d[1],
            -light.lamp[0] * d[1] + light.lamp[1] * d[0],
            light.lamp[2],
        )
        style = styles[seat]
        if hand.startswith("other "):
            style = replace(style, left=not style.left, watch=not style.watch)
        arms[seat, hand] = model_arm(hand.removeprefix("other "), style, lamp)
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


def _common(a: Box, b: Box) -> Box | None:
    left, top, right, bottom = max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])
    return (left, top, right, bottom) if left < right and top < bottom else None


def _cut(box: Box, within: Box) -> tuple[slice, slice]:
    """Return index of ``within`` in an array that covers ``box``."""
    return slice(within[1] - box[1], within[3] - box[1]), slice(within[0] - box[0], within[2] - box[0])


def _over(canvas: np.ndarray, patch: np.ndarray) -> None:
    """Lay a premultiplied BGRA patch over a BGR or BGRA canvas of the same size, in place (all uint8)."""
    keep = cv2.bitwise_not(patch[..., 3])
    channels = canvas.shape[2]
    kept = cv2.multiply(canvas, cv2.merge([keep] * channels), scale=1 / 255)
    canvas[:] = cv2.add(kept, patch if channels == 4 else np.ascontiguousarray(patch[..., :3]))


@dataclass(slots=True)
class Sprite:
    """Something drawn: a premultiplied BGRA patch, its shade (BGR factors of 255), and where both belong."""

    box: Box | None
    patch: np.ndarray | None
    shade_box: Box | None
    shade: np.ndarray | None

    @property
    def reach(self) -> Box | None:
        """Return the box of the whole sprite."""
        return _join((self.box, self.shade_box))


class Painter:
    """Paints the moments of one clip. ``faces``: card text or ``back`` -> (h, w, 4) uint8 RGBA, straight alpha."""

    def __init__(
        self,
        camera: PinholeCamera,
        faces: dict[str, np.ndarray],
        arms: dict[tuple[str, str], DrawnArm],
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
        self._still, self._here = camera, surface
        self._where: object = (None, None)
        self._lying: tuple[PosedCard, ...] = ()
        self._base = surface.copy()
        self._sprites: dict[tuple[Card, CardPose3D], Sprite] = {}
        self._things: dict[tuple[str, tuple[float, float, float]], tuple[Box, np.ndarray] | None] = {}
        self._heads: dict[tuple[float, float, float], np.ndarray] = {}
        self._before: dict[object, np.ndarray] = {}
        self._light_map = self._fall_of_light()
        self._grain = self._make_grain(rng)
        self._curve = self._make_curve()
        self._rng = rng

    def _make_grain(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Make brighter and darker grain, each (2 h, w, 3) uint8: a picture's grain is any stretch of it."""
        height, width = self.size[1], self.size[0]
        rough = rng.normal(0, 1, (2 * height, width, 3)).astype(np.float32)
        grain = cv2.GaussianBlur(rough, (0, 0), 0.7 * height / 720)
        grain = grain / grain.std() * self.light.noise
        steps = np.round(grain)
        return np.maximum(steps, 0).astype(np.uint8), np.maximum(-steps, 0).astype(np.uint8)

    def _make_curve(self) -> np.ndarray:
        grey = np.arange(256, dtype=np.float64) / 255
        bent = 0.5 + (grey - 0.5) * self.light.contrast
        return np.clip(bent * self.light.level * 255, 0, 255)

    def _fall_of_light(self) -> np.ndarray:
        width, height = self.size
        ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
        hx, hy = self.light.hot_spot[0] * width, self.light.hot_spot[1] * height
        lamp = 1.06 - 0.20 * ((xs - hx) ** 2 + (ys - hy) ** 2) / (0.7 * width) ** 2
        corner = ((xs - width / 2) ** 2 + (ys - height / 2) ** 2) / ((width**2 + height**2) / 4)
        fall = lamp * (1 - self.light.falloff * corner**1.3)
        factors = np.dstack([fall * t for t in self.light.tint]) * 128
        return np.clip(np.round(factors), 0, 255).astype(np.uint8)

    def _lit(self, canvas: np.ndarray, box: Box) -> np.ndarray:
        """Return the canvas of that box under the lamp."""
        left, top, right, bottom = box
        return np.asarray(cv2.multiply(canvas, self._light_map[top:bottom, left:right], scale=1 / 128))

    def _factors(self, mask: np.ndarray, strength: float) -> np.ndarray:
        """Return (h, w, 3) uint8 factors of 255 that shade leaves, for a mask (h, w) uint8."""
        steps = np.arange(256, dtype=np.float32)[:, None] * (np.array(SHADE_BGR, np.float32) * strength / 255)
        table = np.round(255 * (1 - steps)).astype(np.uint8).reshape(256, 1, 3)
        return np.asarray(cv2.LUT(cv2.merge([mask, mask, mask]), table))

    # Cards

    def _card_shade(self, pose: CardPose3D, base_mm: float) -> tuple[Box, np.ndarray] | None:
        corners = pose.corners()
        height = np.maximum(corners[:, 2] - base_mm, 0) + 0.9
        sx, sy = self.light.shift
        corners[:, 0] += sx * height
        corners[:, 1] += sy * height
        corners[:, 2] = base_mm
        quad = self._still.project(corners)
        sigma = 1.4 + 0.10 * float(height.mean())
        box = _box(quad, self.size, int(3 * sigma) + 2)
        if box is None:
            return None
        left, top, right, bottom = box
        hull = np.zeros((bottom - top, right - left), np.uint8)
        cv2.fillConvexPoly(hull, np.round((quad - [left, top]) * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
        mask = cv2.GaussianBlur(hull, (0, 0), sigma)
        return box, self._factors(mask, self.light.shade * (1.0 if height.mean() < 3 else 0.85))

    def _card_patch(self, card: Card, pose: CardPose3D) -> tuple[Box, np.ndarray] | None:
        """Draw the card as a premultiplied patch, at twice the size and then reduced."""
        quad = card_px(self._still, pose)
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

    def _facing(self, pose: CardPose3D) -> float:
        """Return how much of the light a tilted card gets, 0.55..1."""
        return float(0.55 + 0.45 * abs(np.cos(pose.roll) * np.cos(pose.pitch)))

    def _sprite(self, item: PosedCard) -> Sprite:
        """Draw a resting card once and cache it."""
        key = (item.card, item.pose)
        if key not in self._sprites:
            if len(self._sprites) > 400:
                self._sprites.clear()
            shade, patch = self._card_shade(item.pose, item.pose.z), self._card_patch(item.card, item.pose)
            self._sprites[key] = Sprite(*(patch or (None, None)), *(shade or (None, None)))
        return self._sprites[key]

    def _rest(self, lying: tuple[PosedCard, ...]) -> np.ndarray:
        """Return the table with all resting cards; only what has changed is redrawn."""
        if lying == self._lying:
            return self._base
        old, new = set(self._lying), set(lying)
        box = _join(self._sprite(item).reach for item in old ^ new)
        self._lying = lying
        if box is None:
            return self._base
        left, top, right, bottom = box
        part = self._here[top:bottom, left:right].copy()
        for item in lying:
            sprite = self._sprite(item)
            if sprite.shade_box and (common := _common(box, sprite.shade_box)):
                spot = part[_cut(box, common)]
                assert sprite.shade is not None
                spot[:] = cv2.multiply(spot, sprite.shade[_cut(sprite.shade_box, common)], scale=1 / 255)
            if sprite.box and (common := _common(box, sprite.box)):
                assert sprite.patch is not None
                _over(part[_cut(box, common)], sprite.patch[_cut(sprite.box, common)])
        self._base[top:bottom, left:right] = part
        return self._base

    # Arms

    def _arm_shade(self, arm: ArmPose) -> tuple[Box, np.ndarray] | None:
        drawn = self.arms[arm.seat, arm.hand]
        matrix = shadow_to_px(self._still, arm, self.light.shift)
        box = _box(through(matrix, drawn.outline_mm), self.size, 20)
        if box is None:
            return None
        left, top, right, bottom = box
        small = np.array([[0.5, 0, -left / 2], [0, 0.5, -top / 2], [0, 0, 1.0]]) @ matrix @ drawn.to_mm
        shape = ((right - left + 1) // 2, (bottom - top + 1) // 2)
        mask = cv2.warpPerspective(drawn.texture[..., 3], small, shape, flags=cv2.INTER_LINEAR)
        mask = cv2.GaussianBlur(mask, (0, 0), 1.6 + arm.tip[2] * 0.05)
        mask = cv2.resize(mask, (right - left, bottom - top), interpolation=cv2.INTER_LINEAR)
        return box, self._factors(mask, self.light.shade)

    @property
    def camera_now(self) -> PinholeCamera:
        """Return the camera in its current position."""
        return self._still

    def arm_patch(self, arm: ArmPose) -> tuple[Box, np.ndarray] | None:
        """Return an arm as a premultiplied patch, and its box."""
        drawn = self.arms[arm.seat, arm.hand]
        matrix = arm_to_px(self._still, arm)
        box = _box(through(matrix, drawn.outline_mm), self.size)
        if box is None:
            return None
        left, top, right, bottom = box
        shift = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1.0]])
        patch = cv2.warpPerspective(
            drawn.texture, shift @ matrix @ drawn.to_mm, (right - left, bottom - top), flags=cv2.INTER_LINEAR
        )
        return box, patch

    # Motion

    def _speed(self, key: object, place: np.ndarray) -> np.ndarray:
        """Return how far (2,) px something has moved since the last frame; ``place``: (3,) mm."""
        now = self._still.project(place)
        before = self._before.get(key, now)
        self._before[key] = now
        return np.asarray(now - before)

    def _smear(self, layer: np.ndarray, way: np.ndarray) -> np.ndarray:
        """Average the layer over the way it went while the shutter was open (motion blur)."""
        length = float(np.hypot(*way))
        if length < 1.6:
            return layer
        # Long smears hide detail: they are made at half the size.
        half = length > 9
        shape = (layer.shape[1], layer.shape[0])
        if half:
            layer = cv2.resize(layer, (max(1, shape[0] // 2), max(1, shape[1] // 2)), interpolation=cv2.INTER_AREA)
            way = way / 2
        reach = int(np.ceil(np.abs(way).max() / 2)) + 1
        kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
        ends = [(reach + s * way) * 16 for s in (-0.5, 0.5)]
        start, end = (tuple(int(v) for v in np.round(e)) for e in ends)
        cv2.line(kernel, start, end, 1.0, 1, cv2.LINE_AA, 4)
        if not kernel.sum():
            return layer
        smeared = cv2.filter2D(layer, -1, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE)
        return cv2.resize(smeared, shape, interpolation=cv2.INTER_LINEAR) if half else smeared

    def _rolled(self, layer: np.ndarray, went: np.ndarray, top: int) -> np.ndarray:
        """
        Shift the rows of a layer as a rolling shutter does: lower rows show a later moment. ``top``: the layer's first
        row.
        """
        lean = went * self.light.rolling / self.size[1]
        if float(np.abs(lean).max()) * layer.shape[0] < 1.0:
            return layer
        # The middle row of the picture is read at the frame's time.
        begin = top - self.size[1] / 2
        matrix = np.array([[1, lean[0], lean[0] * begin], [0, 1 + lean[1], lean[1] * begin]])
        return cv2.warpAffine(layer, matrix, (layer.shape[1], layer.shape[0]), flags=cv2.INTER_LINEAR)

    def groups(self, moment: Moment) -> list[tuple[ArmPose | None, list[PosedCard]]]:
        """
        Return moving things in drawing order: loose cards first, then every arm with the cards that it carries.
        """
        cards: dict[int, list[PosedCard]] = {}
        loose: list[tuple[ArmPose | None, list[PosedCard]]] = []
        for item in moment.carried:
            off = [np.hypot(arm.tip[0] - item.pose.x, arm.tip[1] - item.pose.y) for arm in moment.arms]
            if off and min(off) < 130:
                cards.setdefault(int(np.argmin(off)), []).append(item)
            else:
                loose.append((None, [item]))
        return loose + [(arm, cards.get(number, [])) for number, arm in enumerate(moment.arms)]

    def _move(self, moment: Moment) -> None:
        """Follow the camera and the cloth to where they have gone."""
        where = (moment.view, moment.cloth)
        if where == self._where:
            return
        self._where = where
        view = None if moment.view is None else np.array(moment.view).reshape(3, 3)
        self._still = self.camera.moved(view)
        total = np.eye(3) if view is None else view
        if moment.cloth is not None:
            table = self.camera.table
            total = total @ table @ np.array(moment.cloth).reshape(3, 3) @ np.linalg.inv(table)
        self._here = cv2.warpPerspective(self.surface, total, self.size, borderMode=cv2.BORDER_REFLECT_101)
        self._sprites.clear()
        self._things.clear()
        self._lying, self._base = (), self._here.copy()

    def paint(self, moment: Moment) -> np.ndarray:
        """Paint the picture, (h, w, 3) uint8 BGR, before the camera's exposure (:meth:`develop`)."""
        self._move(moment)
        canvas = self._rest(moment.lying).copy()
        seen = {(arm.seat, arm.hand) for arm in moment.arms} | {item.card for item in moment.carried}
        self._before = {key: place for key, place in self._before.items() if key in seen}
        for thing in moment.things:
            drawn = self.thing_patch(thing)
            if drawn:
                (left, top, right, bottom), patch = drawn
                _over(canvas[top:bottom, left:right], patch)
        groups = self.groups(moment)
        shades = [self._card_shade(item.pose, 0.0) for item in moment.carried]
        for shade in (*shades, *(self._arm_shade(arm) for arm in moment.arms)):
            if shade:
                left, top, right, bottom = shade[0]
                spot = canvas[top:bottom, left:right]
                spot[:] = cv2.multiply(spot, shade[1], scale=1 / 255)
        for arm, cards in groups:
            patches = [self._card_patch(item.card, item.pose) for item in cards]
            patches += [self.arm_patch(arm)] if arm else []
            box = _join(drawn[0] for drawn in patches if drawn)
            place = np.array(arm.tip) if arm else cards[0].pose.middle
            went = self._speed((arm.seat, arm.hand) if arm else cards[0].card, place)
            way = went * self.light.shutter
            if box is None:
                continue
            margin = int(np.ceil(np.abs(went).max() * max(self.light.shutter, self.light.rolling))) + 1
            box = _box(np.array([box[:2], box[2:]], float), self.size, margin) or box
            left, top, right, bottom = box
            layer = np.zeros((bottom - top, right - left, 4), np.uint8)
            for drawn in patches:
                if drawn:
                    (x0, y0, x1, y1), patch = drawn
                    _over(layer[y0 - top : y1 - top, x0 - left : x1 - left], patch)
            _over(canvas[top:bottom, left:right], self._smear(self._rolled(layer, went, top), way))
        for head, middle in moment.heads:
            self._head(canvas, head.hair, head.radius, middle)
        return self._lit(canvas, (0, 0, *self.size))

    def develop(self, picture: np.ndarray, gain: np.ndarray | None = None) -> np.ndarray:
        """Apply the sensor: exposure (BGR factors), softness, grain."""
        if self.light.soft > 0.15:
            picture = cv2.GaussianBlur(picture, (0, 0), self.light.soft * self.size[1] / 720)
        factors = np.ones(3) if gain is None else gain
        if gain is not None or self.light.contrast != 1.0 or self.light.level != 1.0:
            table = np.clip(np.round(self._curve[:, None] * factors), 0, 255).astype(np.uint8).reshape(256, 1, 3)
            picture = cv2.LUT(picture, table)
        shift = int(self._rng.integers(self.size[1]))
        more, less = (part[shift : shift + self.size[1]] for part in self._grain)
        if self._rng.random() < 0.5:
            more, less = less, more
        return np.asarray(cv2.subtract(cv2.add(picture, more), less))

    # What else moves

    def thing_patch(self, thing: tuple[str, tuple[float, float, float]]) -> tuple[Box, np.ndarray] | None:
        """Return a glass, a cup or the like as a premultiplied patch, and its box."""
        if thing not in self._things:
            kind, (x, y, z) = thing
            around = np.array([[x + dx, y + dy, z + h] for dx in (-110, 110) for dy in (-110, 110) for h in (0, 110)])
            box = _box(self._still.project(around), self.size)
            self._things[thing] = (
                (box, table_things.portrait(kind, (x, y, z), self._still, box, self.light.lamp)) if box else None
            )
        return self._things[thing]

    def _head(
        self, canvas: np.ndarray, hair: tuple[float, float, float], radius: float, middle: tuple[float, float]
    ) -> None:
        """Draw a head over the table, and its shade below it."""
        sx, sy = self.light.shift
        shade = self._crown(hair, radius * 1.25, (middle[0] + sx * 200, middle[1] + sy * 200, 0.0))
        if shade:
            (left, top, right, bottom), patch = shade
            spot = canvas[top:bottom, left:right]
            mask = cv2.GaussianBlur(patch[..., 3], (0, 0), 14)
            spot[:] = cv2.multiply(spot, self._factors(mask, self.light.shade * 0.7), scale=1 / 255)
        head = self.head_patch(hair, radius, middle)
        if head:
            (left, top, right, bottom), patch = head
            _over(canvas[top:bottom, left:right], patch)

    def head_patch(
        self, hair: tuple[float, float, float], radius: float, middle: tuple[float, float]
    ) -> tuple[Box, np.ndarray] | None:
        """Return a head as a premultiplied patch, and its box."""
        return self._crown(hair, radius, (*middle, HEAD_MM))

    def _crown(
        self, hair: tuple[float, float, float], radius: float, at: tuple[float, float, float]
    ) -> tuple[Box, np.ndarray] | None:
        if hair not in self._heads:
            self._heads[hair] = table_things.crown(hair)
        texture = self._heads[hair]
        side = texture.shape[0]
        around = np.array([[-radius, -radius, 0], [radius, -radius, 0], [radius, radius, 0], [-radius, radius, 0.0]])
        quad = self._still.project(around + np.array(at)).astype(np.float32)
        box = _box(quad, self.size)
        if box is None:
            return None
        left, top, right, bottom = box
        corners = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32)
        matrix = cv2.getPerspectiveTransform(corners, quad - np.array([left, top], np.float32))
        return box, cv2.warpPerspective(texture, matrix, (right - left, bottom - top))


def face_height_px(camera: PinholeCamera) -> int:
    """Return the height in px at which card faces should be drawn for this camera."""
    return round(CARD_MM[1] * camera.px_per_mm * 2.2)

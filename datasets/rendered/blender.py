"""
The scene in Blender: the only module that imports ``bpy`` (the extra ``render``).

Cycles renders on the processor, only the boxes in which something changed: two samples while things move, six for what
has come to rest, no bounces, denoised with the albedo as guide. Two frames exist, the opening and the closing of the
shutter; for each picture all that moves is put to its places at both, and Cycles blurs what lies between.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets.clips.motion import SHEET_MM
from datasets.clips.stage import CardPose3D, PinholeCamera
from datasets.clips.table_tops import HALF_MM
from datasets.rendered.arm_pose import PosableArm, from_table
from datasets.rendered.people import Appearance, ArmSurface
from datasets.scenes.camera import CARD_MM

MM = 0.01
"""Blender's units in a millimetre."""
CORNER_MM = 3.2
"""Radius of a card's corners."""
CORNER_STEPS = 4
MOVING_SAMPLES, RESTING_SAMPLES = 2, 6
NAIL = (0.80, 0.52, 0.46)
"""Colour of nails, linear RGB."""

JOIN = 1.02
"""Factor of the two areas below which the box around two boxes replaces them."""

Box = tuple[int, int, int, int]
"""left, top, right, bottom (px), the last two outside."""


@dataclass(frozen=True, slots=True)
class Lamp:
    """
    The light: where the lamp hangs (mm, table frame), its size (mm), strength and colour; ``ambient``: of the room.
    """

    place: tuple[float, float, float] = (-500.0, -400.0, 1300.0)
    size: float = 350.0
    power: float = 900.0
    colour: tuple[float, float, float] = (1.0, 0.94, 0.86)
    ambient: float = 0.55
    room: tuple[float, float, float] = (0.86, 0.93, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """All that can move at one time: cards with their poses, and arms."""

    cards: Mapping[str, CardPose3D]
    arms: Mapping[tuple[str, bool], ArmSurface]


def load_bpy() -> Any:
    """Import Blender, or say how to install it."""
    try:
        import bpy
    except ImportError:
        raise SystemExit(
            "datasets.rendered: expected Blender as a module, found none; pip install -e '.[render]'"
        ) from None
    return bpy


def card_matrix(pose: CardPose3D) -> np.ndarray:
    """Return the (4, 4) matrix of a card whose face looks along its z and whose upper edge is along y, in units."""
    corners = from_table(pose.corners())
    right = corners[1] - corners[0]
    up = corners[0] - corners[3]
    right, up = right / np.linalg.norm(right), up / np.linalg.norm(up)
    matrix = np.eye(4)
    matrix[:3, :3] = np.column_stack([right, up, np.cross(right, up)])
    matrix[:3, 3] = from_table(pose.middle) * MM
    return matrix


def card_outline(size_mm: tuple[float, float] = CARD_MM) -> np.ndarray:
    """Return the (n, 2) mm outline of a card with round corners, counter-clockwise, y upwards."""
    half = np.array(size_mm) / 2 - CORNER_MM
    turns = np.concatenate([np.linspace(start, start + np.pi / 2, CORNER_STEPS) for start in np.arange(4) * np.pi / 2])
    signs = np.repeat([[1, 1], [-1, 1], [-1, -1], [1, -1]], CORNER_STEPS, axis=0)
    return np.asarray(signs * half + CORNER_MM * np.column_stack([np.cos(turns), np.sin(turns)]))


@dataclass(eq=False)
class Studio:
    """A table with cards and arms in Blender."""

    camera: PinholeCamera
    faces: Mapping[str, np.ndarray]
    top: np.ndarray
    appearances: Mapping[str, Appearance]
    arms: Mapping[tuple[str, bool], PosableArm]
    lamp: Lamp = field(default_factory=Lamp)

    def __post_init__(self) -> None:
        self.bpy = load_bpy()
        self.folder = Path(tempfile.mkdtemp(prefix="kozyr-render-"))
        bpy = self.bpy
        bpy.ops.wm.read_factory_settings(use_empty=True)
        self.scene = bpy.context.scene
        self._materials: dict[str, Any] = {}
        self._cards: dict[str, Any] = {}
        self._arms: dict[tuple[str, bool], tuple[Any, Any]] = {}
        self._set_up()
        self._table()
        self._light()
        self._camera()
        self._samples = 0

    # What stays

    def _set_up(self) -> None:
        scene = self.scene
        scene.frame_start, scene.frame_end = 0, 1
        scene.render.engine = "CYCLES"
        scene.render.resolution_x, scene.render.resolution_y = self.camera.size
        scene.render.use_border = scene.render.use_crop_to_border = True
        scene.render.use_persistent_data = True
        scene.render.use_motion_blur = True
        scene.render.motion_blur_shutter = 1.0
        scene.render.motion_blur_position = "START"
        scene.render.threads_mode, scene.render.threads = "FIXED", max(1, len(os.sched_getaffinity(0)))
        scene.render.image_settings.file_format = "BMP"
        scene.view_settings.view_transform = "Standard"
        cycles = scene.cycles
        cycles.device = "CPU"
        cycles.max_bounces = cycles.diffuse_bounces = cycles.glossy_bounces = 0
        cycles.transmission_bounces = cycles.transparent_max_bounces = 0
        cycles.caustics_reflective = cycles.caustics_refractive = False
        cycles.use_fast_gi = True
        cycles.use_adaptive_sampling = False
        cycles.use_light_tree = False
        cycles.use_denoising = True
        cycles.denoiser = "OPENIMAGEDENOISE"
        cycles.denoising_input_passes = "RGB_ALBEDO"
        cycles.denoising_prefilter = "FAST"
        cycles.denoising_quality = "FAST"
        cycles.pixel_filter_type = "GAUSSIAN"
        cycles.filter_width = 1.3

    def _image(self, name: str, picture: np.ndarray) -> Any:
        """Store a BGR picture and load it as an image."""
        path = self.folder / f"{name}.png"
        cv2.imwrite(str(path), picture, [cv2.IMWRITE_PNG_COMPRESSION, 1])
        return self.bpy.data.images.load(str(path))

    def _material(self, name: str, roughness: float, image: Any = None, colour: Sequence[float] = (1, 1, 1)) -> Any:
        material = self.bpy.data.materials.new(name)
        material.use_nodes = True
        nodes, links = material.node_tree.nodes, material.node_tree.links
        shader = nodes["Principled BSDF"]
        shader.inputs["Roughness"].default_value = roughness
        shader.inputs["Specular IOR Level"].default_value = 0.35
        shader.inputs["Base Color"].default_value = (*colour, 1.0)
        if image is not None:
            texture = nodes.new("ShaderNodeTexImage")
            texture.image = image
            texture.extension = "EXTEND"
            links.new(texture.outputs["Color"], shader.inputs["Base Color"])
        return material

    def _table(self) -> None:
        wide, high = HALF_MM
        corners = np.array([[-wide, -high, 0], [wide, -high, 0], [wide, high, 0], [-wide, high, 0.0]])
        mesh = self.bpy.data.meshes.new("table")
        mesh.from_pydata((from_table(corners) * MM).tolist(), [], [(3, 2, 1, 0)])
        layer = mesh.uv_layers.new()
        for loop, corner in zip(layer.data, ((0, 0), (1, 0), (1, 1), (0, 1)), strict=True):
            loop.uv = corner
        mesh.materials.append(self._material("table", 0.6, self._image("table", self.top)))
        self._add(mesh)

    def _add(self, mesh: Any) -> Any:
        thing = self.bpy.data.objects.new(mesh.name, mesh)
        self.scene.collection.objects.link(thing)
        return thing

    def _light(self) -> None:
        bpy, lamp = self.bpy, self.lamp
        light = bpy.data.lights.new("lamp", "AREA")
        light.shape, light.size, light.energy, light.color = "DISK", lamp.size * MM, lamp.power, lamp.colour
        hung = bpy.data.objects.new("lamp", light)
        place = from_table(np.array(lamp.place)) * MM
        hung.location = place.tolist()
        # A lamp shines along its own -z: towards the middle of the table.
        back = place / np.linalg.norm(place)
        side = np.cross([0.0, 1.0, 0.0], back)
        side = side / np.linalg.norm(side)
        hung.rotation_mode = "QUATERNION"
        hung.rotation_quaternion = _quaternion(np.column_stack([side, np.cross(back, side), back]))
        self.scene.collection.objects.link(hung)
        world = bpy.data.worlds.new("room")
        world.use_nodes = True
        world.node_tree.nodes["Background"].inputs["Color"].default_value = (*lamp.room, 1.0)
        world.node_tree.nodes["Background"].inputs["Strength"].default_value = lamp.ambient
        self.scene.world = world

    def _camera(self) -> None:
        camera, bpy = self.camera, self.bpy
        width = camera.size[0]
        focal = width / 2 / np.tan(np.radians(camera.view_deg / 2))
        e, r = np.radians(camera.elevation_deg), np.radians(camera.roll_deg)
        right, down = np.array([1.0, 0, 0]), np.array([0, np.sin(e), -np.cos(e)])
        ahead = np.array([0, -np.cos(e), -np.sin(e)])
        right, down = np.cos(r) * right - np.sin(r) * down, np.sin(r) * right + np.cos(r) * down
        eye = -ahead * focal / camera.px_per_mm
        lens = bpy.data.cameras.new("camera")
        lens.sensor_fit, lens.sensor_width, lens.lens = "HORIZONTAL", 36.0, focal * 36.0 / width
        # Integer pixels are middles of pixels for OpenCV, and corners for Blender.
        lens.shift_x, lens.shift_y = -0.5 / width, 0.5 / width
        lens.clip_end = 1000.0
        held = bpy.data.objects.new("camera", lens)
        held.location = (from_table(eye) * MM).tolist()
        held.rotation_mode = "QUATERNION"
        held.rotation_quaternion = _quaternion(
            np.column_stack([from_table(right), from_table(-down), from_table(-ahead)])
        )
        self.scene.collection.objects.link(held)
        self.scene.camera = held

    # What moves

    def _card(self, name: str) -> Any:
        """Return the object of a card, made when it is first seen."""
        if name in self._cards:
            return self._cards[name]
        outline = card_outline()
        count = len(outline)
        high = SHEET_MM * 0.42
        rim = [(*xy, z) for z in (high, -high) for xy in outline]
        # Face, back and rim have vertices of their own, so that the shading has an edge there.
        vertices = np.array(rim + rim) * MM
        front, back = list(range(count)), list(range(2 * count - 1, count - 1, -1))
        sides = [(2 * count + k, 3 * count + k, 3 * count + (k + 1) % count, 2 * count + (k + 1) % count)
                 for k in range(count)]  # fmt: skip
        mesh = self.bpy.data.meshes.new(name)
        mesh.from_pydata(vertices.tolist(), [], [front, back, *sides])
        layer = mesh.uv_layers.new()
        for polygon in mesh.polygons:
            for loop in polygon.loop_indices:
                x, y, _ = mesh.vertices[mesh.loops[loop].vertex_index].co
                u, v = x / (CARD_MM[0] * MM) + 0.5, y / (CARD_MM[1] * MM) + 0.5
                layer.data[loop].uv = (u, v) if polygon.index == 0 else (1 - u, v)
            polygon.material_index = min(polygon.index, 2)
        for material in (self._print(name), self._print("back"), self._paper()):
            mesh.materials.append(material)
        thing = self._add(mesh)
        thing.rotation_mode = "QUATERNION"
        for path in ("location", "rotation_quaternion"):
            for frame in (0, 1):
                thing.keyframe_insert(path, frame=frame)
        _straight(thing.animation_data.action)
        self._cards[name] = thing
        return thing

    def _print(self, name: str) -> Any:
        if name not in self._materials:
            rgba = self.faces[name].astype(np.float32)
            alpha = rgba[..., 3:] / 255
            flat = rgba[..., :3] * alpha + 250.0 * (1 - alpha)
            picture = np.round(flat[..., ::-1] * 0.94).astype(np.uint8)
            self._materials[name] = self._material(name, 0.38, self._image(name, picture))
        return self._materials[name]

    def _paper(self) -> Any:
        if "paper" not in self._materials:
            self._materials["paper"] = self._material("paper", 0.8, colour=(0.80, 0.79, 0.76))
        return self._materials["paper"]

    def _arm(self, key: tuple[str, bool]) -> tuple[Any, Any]:
        """Return the objects of an arm's skin and sleeve."""
        if key in self._arms:
            return self._arms[key]
        appearance, model = self.appearances[key[0]], self.arms[key].model
        made = []
        for part, surface in (("skin", model.skin), ("sleeve", model.sleeve)):
            mesh = self.bpy.data.meshes.new(f"{part} {key[0]} {'left' if key[1] else 'right'}")
            mesh.from_pydata((surface.vertices * MM).tolist(), [], surface.faces.tolist())
            mesh.shade_smooth()
            if part == "skin":
                material = self._material("skin", 0.52, colour=appearance.skin)
                tone = mesh.attributes.new("nail", "FLOAT", "POINT")
                tone.data.foreach_set("value", model.nails.astype(np.float32))
                self._nails(material, appearance.skin)
            else:
                material = self._material("sleeve", 0.92, colour=appearance.sleeve)
            mesh.materials.append(material)
            thing = self._add(mesh)
            thing.shape_key_add(name="opens")
            key_block = thing.shape_key_add(name="closes")
            for frame in (0, 1):
                key_block.value = float(frame)
                key_block.keyframe_insert("value", frame=frame)
            _straight(mesh.shape_keys.animation_data.action)
            made.append(thing)
        self._arms[key] = (made[0], made[1])
        return self._arms[key]

    def _nails(self, material: Any, skin: Sequence[float]) -> None:
        """Paint nails, and blotches as skin has them."""
        nodes, links = material.node_tree.nodes, material.node_tree.links
        shader = nodes["Principled BSDF"]
        tone = nodes.new("ShaderNodeAttribute")
        tone.attribute_name = "nail"
        blotches = nodes.new("ShaderNodeTexNoise")
        blotches.inputs["Scale"].default_value = 3.5
        redder = nodes.new("ShaderNodeMixRGB")
        redder.inputs[1].default_value = (*skin, 1.0)
        redder.inputs[2].default_value = (skin[0] * 0.92, skin[1] * 0.68, skin[2] * 0.64, 1.0)
        mix = nodes.new("ShaderNodeMixRGB")
        lighter = [0.45 * n + 0.55 * c for n, c in zip(NAIL, skin, strict=True)]
        mix.inputs[2].default_value = (*lighter, 1.0)
        links.new(blotches.outputs[0], redder.inputs[0])
        links.new(redder.outputs[0], mix.inputs[1])
        links.new(tone.outputs["Fac"], mix.inputs[0])
        links.new(mix.outputs[0], shader.inputs["Base Color"])

    def put(self, opens: Sight, closes: Sight) -> None:
        """Put all that moves to its places when the shutter opens and when it closes."""
        for name, pose in opens.cards.items():
            self._put_card(self._card(name), pose, closes.cards.get(name, pose))
        for name, thing in self._cards.items():
            thing.hide_render = name not in opens.cards
        for key, surface in opens.arms.items():
            later = closes.arms.get(key, surface)
            for thing, first, last in zip(
                self._arm(key), (surface.skin, surface.sleeve), (later.skin, later.sleeve), strict=True
            ):
                blocks = thing.data.shape_keys.key_blocks
                blocks[0].data.foreach_set("co", (first * MM).astype(np.float32).ravel())
                blocks[1].data.foreach_set("co", (last * MM).astype(np.float32).ravel())
                thing.data.vertices.foreach_set("co", (first * MM).astype(np.float32).ravel())
                thing.data.update()
        for key, things in self._arms.items():
            for thing in things:
                thing.hide_render = key not in opens.arms
        self.scene.frame_set(0)

    def _put_card(self, thing: Any, opens: CardPose3D, closes: CardPose3D) -> None:
        first, last = card_matrix(opens), card_matrix(closes)
        turns = [np.array(_quaternion(matrix[:3, :3])) for matrix in (first, last)]
        if turns[0] @ turns[1] < 0:
            turns[1] = -turns[1]
        places = [matrix[:3, 3] for matrix in (first, last)]
        for curve in thing.animation_data.action.fcurves:
            values = places if curve.data_path == "location" else turns
            for frame in (0, 1):
                curve.keyframe_points[frame].co[1] = values[frame][curve.array_index]
            curve.update()

    # Pictures

    def render(self, box: Box, samples: int) -> np.ndarray:
        """Return the picture inside a box, (h, w, 3) uint8 BGR."""
        width, height = self.camera.size
        left, top, right, bottom = box
        render = self.scene.render
        # Blender cuts these to whole pixels: a quarter more keeps rounding from taking one away.
        render.border_min_x, render.border_max_x = (min((x + 0.25) / width, 1.0) for x in (left, right))
        render.border_min_y, render.border_max_y = (min((height - y + 0.25) / height, 1.0) for y in (bottom, top))
        self.scene.cycles.samples = samples
        path = self.folder / "part.bmp"
        render.filepath = str(path)
        self.bpy.ops.render.render(write_still=True)
        part = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if part is None or part.shape[:2] != (bottom - top, right - left):
            raise OSError(
                f"expected a part of {right - left} x {bottom - top}, got {None if part is None else part.shape}"
            )
        return part


def _straight(action: Any) -> None:
    """Let values change evenly between the two frames."""
    for curve in action.fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def _quaternion(turn: np.ndarray) -> tuple[float, float, float, float]:
    """Return the quaternion w, x, y, z of a (3, 3) rotation."""
    w = np.sqrt(max(0.0, 1 + turn[0, 0] + turn[1, 1] + turn[2, 2])) / 2
    x = np.copysign(np.sqrt(max(0.0, 1 + turn[0, 0] - turn[1, 1] - turn[2, 2])) / 2, turn[2, 1] - turn[1, 2])
    y = np.copysign(np.sqrt(max(0.0, 1 - turn[0, 0] + turn[1, 1] - turn[2, 2])) / 2, turn[0, 2] - turn[2, 0])
    z = np.copysign(np.sqrt(max(0.0, 1 - turn[0, 0] - turn[1, 1] + turn[2, 2])) / 2, turn[1, 0] - turn[0, 1])
    return float(w), float(x), float(y), float(z)


def _area(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _around(a: Box, b: Box) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def joined(boxes: Iterable[Box]) -> list[Box]:
    """Join boxes of which one around both is not much larger than both."""
    found: list[Box] = []
    for box in boxes:
        now = box
        while True:
            near = next(
                (other for other in found if _area(_around(now, other)) < JOIN * (_area(now) + _area(other))), None
            )
            if near is None:
                break
            found.remove(near)
            now = _around(now, near)
        found.append(now)
    return found

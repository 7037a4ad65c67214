"""
Photographed cards laid on a table at true scale: one plane, one size of card, the light of an ordinary room.

A scene for training (``make_scene``) hides, blurs and darkens; these pictures are what a person would photograph, so
that what goes wrong on them goes wrong for how the cards lie.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from datasets.scenes.bending import WHOLE_FACE, Strip
from datasets.scenes.camera import CARD_MM, look_at_table
from datasets.scenes.layouts import Layout
from datasets.scenes.light import through_jpeg
from datasets.scenes.scene import Art, Print, Scene, draw_card, quads_px
from datasets.scenes.surfaces import lay_surface


@dataclass(frozen=True, slots=True)
class TableShot:
    """The camera's view. elevation_deg: 90 is from straight above. largest_px: a card's height at most."""

    size: tuple[int, int] = (1280, 720)
    elevation_deg: tuple[float, float] = (38.0, 90.0)
    largest_px: tuple[float, float] = (95.0, 230.0)
    margin_px: float = 6.0


SMALLER = 0.94
"""Factor of the cards' size with each step of the camera back, until all cards are in the picture."""


def laid_out(art: Art, rng: np.random.Generator, layout: Layout, view: TableShot) -> Scene | None:
    """
    Draw the picture and return it with its labels, the first card of the layout lowest; None where it can't be shown
    whole.

    ``Scene.visible`` is left at 1: what lies on what is the asker's to reckon.
    """
    layout = list(layout)
    elevation, tall = float(rng.uniform(*view.elevation_deg)), float(rng.uniform(*view.largest_px))
    camera_seed = int(rng.integers(2**31))
    card_mm = (CARD_MM[0] * float(rng.uniform(0.9, 1.02)), CARD_MM[1])
    middle = np.mean([(pose.x, pose.y) for pose in layout], axis=0)
    centred = [type(pose)(pose.x - middle[0], pose.y - middle[1], pose.turn, pose.face_down) for pose in layout]
    for _ in range(40):
        camera = look_at_table(np.random.default_rng(camera_seed), view.size, tall, elevation)
        quads = quads_px(camera, centred, card_mm)
        low, high = quads.min(axis=(0, 1)), quads.max(axis=(0, 1))
        if (low >= view.margin_px).all() and (high <= np.array(view.size) - view.margin_px).all():
            break
        tall *= SMALLER
    else:
        return None
    chosen = int(rng.choice(len(art.decks), p=art.weights))
    faces = art.decks[chosen]
    names = [str(name) for name in rng.permutation(sorted(name for name in faces if len(name) == 2))][: len(layout)]
    if len(names) < len(layout):
        return None
    image = lay_surface(rng, camera.matrix, view.size, art.tiles).astype(np.float32)
    shadow = rng.normal(0, 0.015, 2) * tall
    dark = float(rng.uniform(0.1, 0.5))
    for quad, name in zip(quads, names, strict=True):
        ink = Print(np.full(3, 1 + rng.normal(0, 0.03), np.float32), 0.0, np.ones(3, np.float32))
        draw_card(image, [Strip(WHOLE_FACE, quad, 1.0)], faces[name], ink, shadow, dark)
    image = _room_light(rng, camera.bend_picture(image))
    quads = camera.distort(quads.reshape(-1, 2)).reshape(quads.shape).astype(np.float32)
    picture = through_jpeg(image, int(rng.integers(72, 96)))
    return Scene(picture, quads, tuple(names), np.ones(len(names), np.float32), art.names[chosen])


def _room_light(rng: np.random.Generator, image: np.ndarray) -> np.ndarray:
    """
    Light a picture: uneven lamps, a colour cast, exposure, a slightly soft lens and a sensor's grain: (h, w, 3) uint8.
    """
    height, width = image.shape[:2]
    corners = rng.uniform(0.7, 1.1, (2, 2)).astype(np.float32)
    image = image * cv2.resize(corners, (width, height), interpolation=cv2.INTER_LINEAR)[..., None]
    warm = rng.normal(0, 0.06)
    image = image * np.array([1 - warm, 1.0, 1 + warm], np.float32) * 2.0 ** rng.normal(0, 0.2)
    image = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.3, 0.8)))
    image = image + rng.standard_normal(image.shape, dtype=np.float32) * float(rng.uniform(0.5, 3.5))
    return np.clip(image, 0, 255).astype(np.uint8)

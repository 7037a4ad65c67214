"""Endless streams of training batches, drawn on the fly: no picture is used twice or stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from datasets.clips.webcam import Webcam, WebcamStyle
from datasets.faces.lot_art import LotFaces
from datasets.photos.corners import Photo, varied
from datasets.scenes.camera import CARD_MM
from datasets.scenes.crowded_layouts import fanned_hands, heap_of_faces, solitaire, stepped_column, whole_deck
from datasets.scenes.layouts import spun
from datasets.scenes.no_cards import no_card_picture
from datasets.scenes.scene import Art, Scene, make_scene

CANVAS_PX = 416
SMALLEST_CARD, LARGEST_CARD = 0.055, 0.8
"""Heights of cards in a scene, as shares of the canvas."""
STRETCHED, STRETCH = 0.2, 0.35
"""Share of the scenes squeezed one way, and the natural logarithm of by how much at most: published sets of photographs
are often made square by force, which makes a card up to twice as wide."""
BARE = 0.03
"""Share of the pictures with dominoes, print, chips, people and the like, and no card."""
FILMED = 0.2
"""Share of the pictures that imitate a cheap webcam."""
CROWDED = (fanned_hands, fanned_hands, solitaire, heap_of_faces, stepped_column, whole_deck)
"""Arrangements of the crowded scenes; each is drawn equally often."""
MOST_BY_LOT = 9
"""Faces drawn for a scene with a random deck; a scene with more cards repeats them."""


@dataclass(frozen=True, slots=True, eq=False)
class PhotoShare:
    """Real photographs among the scenes: which, and how many of a hundred pictures."""

    photos: tuple[Photo, ...]
    share: float


class SceneFeed(IterableDataset):
    """
    Yields one scene's tensors after another; seeds count on from ``first_seed``, interleaved among the workers.

    ``faces``: the share of scenes with decks of random layout, and their art. ``crowded``: the share of scenes with
    many cards that cover one another.
    """

    def __init__(
        self,
        art: Art,
        first_seed: int,
        photos: PhotoShare | None = None,
        canvas_px: int = CANVAS_PX,
        labels: Callable[[Scene], Scene] | None = None,
        faces: LotFaces | None = None,
        crowded: float = 0.0,
    ) -> None:
        self.art = art
        self.faces = faces
        self.labels = labels or _unchanged
        self.crowded = crowded
        # A card without a label would train the finder to miss cards.
        self.photos = tuple(photo for photo in photos.photos if photo.complete) if photos else ()
        self.share = photos.share if photos else 0.0
        self.first_seed = first_seed
        self.canvas = (canvas_px, canvas_px)
        self.card_px = (SMALLEST_CARD * canvas_px, LARGEST_CARD * canvas_px)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        cv2.setNumThreads(1)
        worker = get_worker_info()
        step, offset = (worker.num_workers, worker.id) if worker else (1, 0)
        seed = self.first_seed + offset
        while True:
            yield tensors(self.labels(self._scene(seed)))
            seed += step

    def _scene(self, seed: int) -> Scene:
        rng = np.random.default_rng((seed, 1))
        if self.photos and rng.random() < self.share:
            return photo_scene(rng, self.photos, self.canvas, (0.1 * self.canvas[0], self.card_px[1]))
        if rng.random() < BARE:
            return bare_scene(rng, self.art, seed, self.canvas)
        art = self.art
        if self.faces and rng.random() < self.faces.share:
            art = self.faces.art(rng, art, count=int(rng.integers(3, MOST_BY_LOT + 1)))
        if self.crowded and rng.random() < self.crowded:
            return crowded_scene(rng, art, seed, self.canvas)
        if rng.random() < STRETCHED:
            return squeezed_scene(rng, art, seed, self.canvas, self.card_px)
        scene = make_scene(art, seed, self.canvas, self.card_px)
        return filmed(rng, scene, self.canvas[0]) if rng.random() < FILMED else scene


def _unchanged(scene: Scene) -> Scene:
    return scene


def crowded_scene(rng: np.random.Generator, art: Art, seed: int, size: tuple[int, int]) -> Scene:
    """Return fanned hands, columns, a heap or a whole deck, most of it within the picture."""
    layout = spun(rng, list(CROWDED[int(rng.integers(len(CROWDED)))](rng)))
    places = np.array([(pose.x, pose.y) for pose in layout])
    reach_mm = float(np.linalg.norm(places - places.mean(axis=0), axis=1).max()) + CARD_MM[1] / 2
    whole = min(size) / 2 / reach_mm * CARD_MM[1]
    return make_scene(art, seed, size, (0.8 * whole, 1.7 * whole), poses=layout)


def photo_scene(
    rng: np.random.Generator, photos: tuple[Photo, ...], size: tuple[int, int], card_px: tuple[float, float]
) -> Scene:
    """Return a real photograph, augmented, as a scene."""
    photo = photos[int(rng.integers(len(photos)))]
    image, quads, names, visible = varied(rng, photo, size, card_px)
    keep = visible >= 0.12
    kept = tuple(name for name, stays in zip(names, keep, strict=True) if stays)
    return Scene(image, quads[keep], kept, visible[keep], "photo")


def bare_scene(rng: np.random.Generator, art: Art, seed: int, size: tuple[int, int]) -> Scene:
    """Return a part of a picture without cards as a scene; ``size`` is (width, height)."""
    picture = art.bare[int(rng.integers(len(art.bare)))] if art.bare else no_card_picture(art, 2 * seed)[1]
    scale = max(size[0] / picture.shape[1], size[1] / picture.shape[0]) * float(rng.uniform(1.0, 1.8))
    picture = cv2.resize(picture, None, fx=scale + 0.01, fy=scale + 0.01, interpolation=cv2.INTER_AREA)
    y, x = (int(rng.integers(0, a - b + 1)) for a, b in zip(picture.shape[:2], (size[1], size[0]), strict=True))
    image = np.ascontiguousarray(picture[y : y + size[1], x : x + size[0]])
    return Scene(image, np.zeros((0, 4, 2), np.float32), (), np.zeros(0, np.float32), "bare")


def filmed(rng: np.random.Generator, scene: Scene, width: int) -> Scene:
    """Return a scene as a cheap webcam films it, ``width`` pixels wide: fewer pixels a card, sharpened, compressed."""
    still = WebcamStyle.drawn(rng)
    style = WebcamStyle(flicker=still.flicker, jpeg=still.jpeg, sharpen=still.sharpen, size=width)
    image = Webcam(style, rng).see(scene.image, 0.0)
    scale = np.array(image.shape[1::-1], np.float32) / np.array(scene.image.shape[1::-1], np.float32)
    return replace(scene, image=image, corners_px=(scene.corners_px * scale).astype(np.float32))


def squeezed_scene(
    rng: np.random.Generator, art: Art, seed: int, size: tuple[int, int], card_px: tuple[float, float]
) -> Scene:
    """Return a scene squeezed into ``size`` (width, height)."""
    by = float(np.exp(rng.uniform(-STRETCH, STRETCH)))
    scene = make_scene(art, seed, (round(size[0] * by), round(size[1] / by)), card_px)
    image = cv2.resize(scene.image, size, interpolation=cv2.INTER_LINEAR)
    scale = np.array(size, np.float32) / (scene.image.shape[1], scene.image.shape[0])
    return replace(scene, image=image, corners_px=(scene.corners_px * scale).astype(np.float32))


def turned_box(quad: np.ndarray) -> np.ndarray:
    """
    Return (5,) float32 of the tightest box around a card: x, y, width, height in px and turn in radians, from -pi/4 to
    3 pi/4.

    The width runs along the card's short edge, though a card seen from far aside may look longer along it: which way a
    card lies can't be derived from the shape of its box.
    """
    (x, y), (along, across), degrees = cv2.minAreaRect(quad.astype(np.float32))
    edge = quad[1] - quad[0] + quad[2] - quad[3]
    heading, turn = np.arctan2(edge[1], edge[0]), np.radians(degrees)
    if abs(np.sin(heading - turn)) > abs(np.cos(heading - turn)):
        along, across, turn = across, along, turn + np.pi / 2
    return np.array([x, y, along, across, (turn + np.pi / 4) % np.pi - np.pi / 4], np.float32)


def tensors(scene: Scene) -> dict[str, Any]:
    """Convert a scene for Ultralytics' batches: RGB picture, boxes and corners as shares of the picture."""
    height, width = scene.image.shape[:2]
    scale = np.array([width, height], np.float32)
    corners = scene.corners_px / scale
    low, high = np.clip(corners.min(axis=1), 0, 1), np.clip(corners.max(axis=1), 0, 1)
    boxes = np.concatenate([(low + high) / 2, high - low], axis=1).astype(np.float32).reshape(-1, 4)
    turned = np.array([turned_box(quad) for quad in scene.corners_px], np.float32).reshape(-1, 5)
    turned /= np.array([width, height, width, height, 1], np.float32)
    return {
        "img": torch.from_numpy(np.ascontiguousarray(scene.image[..., ::-1].transpose(2, 0, 1))),
        "bboxes": torch.from_numpy(boxes),
        "turned": torch.from_numpy(turned.astype(np.float32)),
        "keypoints": torch.from_numpy(corners.astype(np.float32).reshape(-1, 4, 2)),
        "visible": torch.from_numpy(scene.visible.astype(np.float32)),
    }


def collate(items: list[dict[str, Any]]) -> dict[str, Any]:
    """Stack pictures and join labels, with the picture's index for each label."""
    counts = [len(item["bboxes"]) for item in items]
    return {
        "img": torch.stack([item["img"] for item in items]),
        "batch_idx": torch.cat([torch.full((n,), float(i)) for i, n in enumerate(counts)]),
        "cls": torch.zeros(sum(counts), 1),
        **{key: torch.cat([item[key] for item in items]) for key in ("bboxes", "turned", "keypoints", "visible")},
    }


def scene_batches(
    art: Art,
    first_seed: int,
    batch: int,
    workers: int,
    photos: PhotoShare | None = None,
    canvas_px: int = CANVAS_PX,
    labels: Callable[[Scene], Scene] | None = None,
    faces: LotFaces | None = None,
    crowded: float = 0.0,
) -> Iterator[dict[str, Any]]:
    """
    Yield batches without end.

    ``labels``: other labels than the cards (``models/training/index_finder.py``); ``faces``: decks of random layout;
    ``crowded``: see ``SceneFeed``.
    """
    feed = SceneFeed(art, first_seed, photos, canvas_px, labels, faces, crowded)
    return iter(
        DataLoader(
            feed, batch_size=batch, num_workers=workers, collate_fn=collate, prefetch_factor=4 if workers else None
        )
    )

"""The classifier and its training crops: cards cut out of synthesized scenes as a finder would cut them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from ultralytics.nn.tasks import ClassificationModel

from datasets.faces.lot_art import LotFaces
from datasets.photos.corners import UNNAMED
from datasets.scenes.scene import Art, Scene, make_scene
from models.training.feeds import BARE, PhotoShare, bare_scene, filmed, photo_scene
from vision.detection.classifier import CROP_PX, crop_frame, with_indices
from vision.detection.detections import BACK, CLASS_NAMES, NOTHING_INDEX
from vision.detection.rectification import crops_at, paint_occluders
from vision.geometry.quads import iou


@dataclass(frozen=True, slots=True)
class ClassifierDesign:
    """Widths of the classifier's four steps, and numbers of bottlenecks of its three blocks."""

    channels: tuple[int, int, int, int]
    bottlenecks: tuple[int, int, int]

    def layers(self) -> dict[str, Any]:
        """Return the design for Ultralytics; a global mean at the end, so that the index may be anywhere."""
        widths = self.channels
        backbone: list[list[Any]] = [[-1, 1, "Conv", [widths[0], 3, 2]]]
        for wide, deep in zip(widths[1:], self.bottlenecks, strict=True):
            backbone += [[-1, 1, "Conv", [wide, 3, 2]], [-1, deep, "C2f", [wide, True]]]
        head = [[-1, 1, "Classify", ["nc"]]]
        return {
            "nc": len(CLASS_NAMES),
            "depth_multiple": 1.0,
            "width_multiple": 1.0,
            "backbone": backbone,
            "head": head,
        }


SHIPPED = ClassifierDesign((24, 48, 96, 160), (2, 2, 1))
"""0.8 million weights, some 180 million multiplications a card with its indices."""
WIDE = ClassifierDesign((24, 48, 144, 256), (2, 2, 2))
"""1.9 million weights, 320 million multiplications: what ``models.training.grow`` makes of it."""


OPEN_CARE, COVERED_CARE = (0.4, 0.4, 0.2), (0.2, 0.4, 0.4)
"""How often a card is outlined well, fairly and badly."""
OUTLINED = 2
"""How often each card of a scene is cut out, outlined otherwise each time: drawing the scene costs the most."""
PAINTED = 0.6
"""Share of the crops on which covering cards are painted out, as the program does for a second reading."""
ECHOED = 0.25
"""Share of the cards that touch no other which are outlined a second time, off themselves, and painted out."""
PILED, OF_BACKS = 0.5, 0.8
"""Share of the backs by which a heap is outlined badly, and how much of such an outline backs must fill to be one."""
ASTRIDE, APART = 0.3, 0.4
"""How often beside a card a quad is shown that lies half off it, and how little of its union it shares with any card.
The finder claims such quads where cards meet, and an index of each neighbour made them pass for a third card."""

SHOWN = 2
"""How often each crop is shown, far apart and each time in another light and either way up: drawing it costs a third of
learning from it."""
POOL = 8192
"""Crops that are mixed."""

FILMED, FILMED_TALL_PX = 0.3, (36.0, 90.0)
"""Share of the scenes that are shown as a cheap webcam films them, and how tall most of their cards are then."""


def new_classifier(design: ClassifierDesign = SHIPPED) -> ClassificationModel:
    """Build a new classification network over ``CLASS_NAMES``."""
    model = ClassificationModel(design.layers(), ch=3, nc=len(CLASS_NAMES), verbose=False)
    model.names = dict(enumerate(CLASS_NAMES))
    return model


def jitter(rng: np.random.Generator, quad: np.ndarray, visible: float = 1.0) -> np.ndarray:
    """
    Move the corners as a finder misses them: shifted, scaled, each a little off; upside down half of the time.

    visible: share of the card in view; the less there is to see, the farther off.
    """
    size = np.sqrt(cv2.contourArea(quad)) + 1e-3
    careless = rng.choice([0.01, 0.025, 0.05], p=OPEN_CARE if visible > 0.7 else COVERED_CARE)
    centre = quad.mean(axis=0)
    out = centre + (quad - centre) * (1 + rng.normal(0, careless, 2)) + rng.normal(0, careless, 2) * size
    out += rng.normal(0, careless, (4, 2)) * size
    turns = 2 * int(rng.random() < 0.5) + int(rng.random() < 0.03)
    return np.roll(out, turns, axis=0).astype(np.float32)


def stray_quad(rng: np.random.Generator, scene: Scene) -> np.ndarray | None:
    """Return a card-shaped place where no card lies, or far off from one, as a finder might propose it."""
    height, width = scene.image.shape[:2]
    tall = rng.uniform(30, 220)
    box = (tuple(rng.uniform(0, 1, 2) * (width, height)), (tall * 0.7, tall), float(rng.uniform(0, 360)))
    quad = cv2.boxPoints(box).astype(np.float32)
    for other in scene.corners_px:
        if cv2.intersectConvexConvex(quad, other)[0] > 0.2 * min(cv2.contourArea(quad), cv2.contourArea(other)):
            return None
    return quad


def crops_of(rng: np.random.Generator, scene: Scene, scale: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """
    Return ((n, h, w, 3) uint8 crops, (n,) class indices) of a scene: its cards, few of its backs, now and then nothing.

    ``scale``: how many times as large as the program's crops.
    """
    frame, size = crop_frame() * np.float32(scale), (CROP_PX[0] * scale, CROP_PX[1] * scale)
    quads, classes, occluders = [], [], []
    # The order in which the cards of a photograph lie on each other isn't known.
    is_ordered = scene.deck != "photo"
    for index, (quad, name) in enumerate(zip(scene.corners_px, scene.names, strict=True)):
        if name == UNNAMED or (name == BACK and rng.random() < 0.75):
            continue
        for _ in range(OUTLINED):
            quads.append(jitter(rng, quad, float(scene.visible[index])))
            classes.append(CLASS_NAMES.index(name))
            occluders.append(occluders_of(rng, scene, index) if is_ordered and rng.random() < PAINTED else [])
        if rng.random() < ECHOED and is_alone(scene, index):
            # The same card outlined a second time and painted out: what is left of it is no card beneath.
            quads.append(beside(rng, quad))
            classes.append(NOTHING_INDEX)
            occluders.append([quad])
        if name == BACK and rng.random() < PILED:
            # Backs without a rim melt into one another: any outline on a heap of them shows a back.
            off = beside(rng, quad)
            if share_of_backs(scene, off) > OF_BACKS:
                quads.append(off)
                classes.append(CLASS_NAMES.index(BACK))
                occluders.append([])
        if rng.random() < ASTRIDE:
            off = astride(rng, quad)
            if all(iou(off, other) < APART for other in scene.corners_px) and share_of_backs(scene, off) < 0.5:
                quads.append(off)
                classes.append(NOTHING_INDEX)
                occluders.append([])
    for _ in range(4 if scene.deck == "bare" else int(rng.random() < 0.5)):
        stray = stray_quad(rng, scene)
        if stray is not None:
            quads.append(stray)
            classes.append(NOTHING_INDEX)
            occluders.append([])
    if not quads:
        return np.zeros((0, 1, 1, 3), np.uint8), np.zeros(0, np.int64)
    crops = crops_at(scene.image, np.stack(quads), frame, size)
    for crop, quad, above in zip(crops, quads, occluders, strict=True):
        paint_occluders(crop, quad, frame, above)
    return crops, np.array(classes, np.int64)


def filmed_small(rng: np.random.Generator, scene: Scene) -> Scene:
    """Return a scene as a cheap webcam films it from some way off: few pixels a card, sharpened, compressed."""
    if not len(scene.corners_px):
        return scene
    tall = float(np.median(np.linalg.norm(scene.corners_px[:, 3] - scene.corners_px[:, 0], axis=1)))
    wanted = float(np.exp(rng.uniform(*np.log(FILMED_TALL_PX))))
    return filmed(rng, scene, round(scene.image.shape[1] * min(1.0, wanted / max(tall, 1.0))))


def in_other_light(rng: np.random.Generator, crop: np.ndarray) -> np.ndarray:
    """Return the same crop, either way up, a little brighter or darker and tinted."""
    turned = crop[::-1, ::-1] if rng.random() < 0.5 else crop
    gains = rng.uniform(0.75, 1.2) * rng.uniform(0.92, 1.08, 3)
    table = np.clip(np.arange(256)[:, None] * gains + rng.uniform(-12, 12), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(cv2.LUT(np.ascontiguousarray(turned), table[:, None, :].transpose(1, 0, 2)))


def share_of_backs(scene: Scene, quad: np.ndarray) -> float:
    """Return how much of a quad shows the backs of cards, 0..1; nothing outside the picture does."""
    shown = np.zeros(scene.image.shape[:2], np.uint8)
    for name, other in zip(scene.names, scene.corners_px, strict=True):
        cv2.fillConvexPoly(shown, np.round(other).astype(np.int32), int(name == BACK))
    inside = np.zeros_like(shown)
    cv2.fillConvexPoly(inside, np.round(quad).astype(np.int32), 1)
    return float(shown[inside > 0].sum()) / max(float(cv2.contourArea(quad)), 1.0)


def is_alone(scene: Scene, index: int) -> bool:
    """Check whether this card touches no other."""
    own = scene.corners_px[index].astype(np.float32)
    others = np.delete(scene.corners_px, index, axis=0).astype(np.float32)
    return all(cv2.intersectConvexConvex(own, other)[0] < 1 for other in others)


def beside(rng: np.random.Generator, quad: np.ndarray) -> np.ndarray:
    """Return a quad that shares much of a card's, shifted and turned off it."""
    size = float(np.sqrt(cv2.contourArea(quad.astype(np.float32))))
    centre, turn = quad.mean(axis=0), rng.normal(0, 0.15)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    away = rng.uniform(0, 2 * np.pi)
    shift = size * rng.uniform(0.08, 0.35) * np.array([np.cos(away), np.sin(away)])
    moved: np.ndarray = ((quad - centre) @ spin.T * rng.uniform(0.9, 1.1) + centre + shift).astype(np.float32)
    return np.roll(moved, 2 * int(rng.random() < 0.5), axis=0)


def astride(rng: np.random.Generator, quad: np.ndarray) -> np.ndarray:
    """
    Return a quad as large as a card that lies half off it, and maybe half on the next: indices of both, and no card.
    """
    size = float(np.sqrt(cv2.contourArea(quad.astype(np.float32))))
    centre, turn = quad.mean(axis=0), rng.normal(0, 0.3) + np.pi / 2 * int(rng.random() < 0.3)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    away = rng.uniform(0, 2 * np.pi)
    shift = size * rng.uniform(0.3, 0.8) * np.array([np.cos(away), np.sin(away)])
    moved: np.ndarray = ((quad - centre) @ spin.T * rng.uniform(0.8, 1.15) + centre + shift).astype(np.float32)
    return np.roll(moved, 2 * int(rng.random() < 0.5), axis=0)


def occluders_of(rng: np.random.Generator, scene: Scene, index: int) -> list[np.ndarray]:
    """Return the cards that lie on card ``index``, each outlined as a finder would miss it by a little."""
    own = scene.corners_px[index].astype(np.float32)
    occluders = []
    for other in scene.corners_px[index + 1 :]:
        if cv2.intersectConvexConvex(own, other.astype(np.float32))[0] > 1:
            size = np.sqrt(cv2.contourArea(other.astype(np.float32)))
            occluders.append((other + rng.normal(0, 0.012, (4, 2)) * size).astype(np.float32))
    return occluders


class CropFeed(IterableDataset):
    """
    Crops one by one, from small scenes; a pool mixes them, so that a batch holds many tables.

    ``scale``: ``None``: as the program shows them to the network; else bare, larger than its crops by this factor.
    ``shown``: how often each crop is yielded.
    ``faces``: what share of the scenes is dealt from decks whose layout is drawn by lot, and what these bear.
    """

    def __init__(
        self,
        art: Art,
        first_seed: int,
        photos: PhotoShare | None = None,
        pool: int = POOL,
        scale: int | None = None,
        faces: LotFaces | None = None,
        shown: int = SHOWN,
    ) -> None:
        self.art = art
        self.shown = shown
        self.scale = scale
        self.faces = faces
        self.photos = photos.photos if photos else ()
        self.share = photos.share if photos else 0.0
        self.first_seed = first_seed
        self.pool = pool

    def __iter__(self) -> Iterator[tuple[torch.Tensor, int]]:
        cv2.setNumThreads(1)
        worker = get_worker_info()
        step, seed = (worker.num_workers, self.first_seed + worker.id) if worker else (1, self.first_seed)
        rng = np.random.default_rng(seed)
        pool: list[tuple[np.ndarray, int, int]] = []
        while True:
            side = int(rng.choice([256, 320, 384]))
            if self.photos and rng.random() < self.share:
                scene = photo_scene(rng, self.photos, (side, side), (60, 260))
            elif rng.random() < BARE:
                scene = bare_scene(rng, self.art, seed, (side, side))
            elif self.faces and rng.random() < self.faces.share:
                scene = self.faces.scene(rng, self.art, seed, (side, side))
            else:
                scene = make_scene(self.art, seed, (side, side), (45, 260))
            seed += step
            if rng.random() < FILMED:
                scene = filmed_small(rng, scene)
            crops = [(*crop, self.shown) for crop in zip(*crops_of(rng, scene, self.scale or 1), strict=True)]
            pool.extend(crops)
            while len(pool) > self.pool:
                index = int(rng.integers(len(pool)))
                pool[index], pool[-1] = pool[-1], pool[index]
                crop, name, left = pool.pop()
                if left > 1:
                    pool.append((crop, name, left - 1))
                crop = in_other_light(rng, crop)
                if self.scale is None:
                    crop = with_indices(crop[None])[0]
                yield torch.from_numpy(np.ascontiguousarray(crop[..., ::-1].transpose(2, 0, 1))), int(name)


def crop_batches(
    art: Art,
    first_seed: int,
    batch: int,
    workers: int,
    photos: PhotoShare | None = None,
    scale: int | None = None,
    faces: LotFaces | None = None,
) -> Iterator[list[torch.Tensor]]:
    """Yield batches without end: pictures (n, 3, h, w) uint8 RGB, classes (n,)."""
    feed = CropFeed(art, first_seed, photos, scale=scale, faces=faces)
    return iter(DataLoader(feed, batch_size=batch, num_workers=workers, prefetch_factor=4 if workers else None))


def bare_crop_batches(
    art: Art, first_seed: int, batch: int, workers: int, photos: PhotoShare | None, faces: LotFaces | None
) -> Iterator[list[torch.Tensor]]:
    """Yield batches for a ``CropPool``, which mixes and repeats them: each crop once, without enlarged indices."""
    feed = CropFeed(art, first_seed, photos, pool=0, scale=1, faces=faces, shown=1)
    return iter(DataLoader(feed, batch_size=batch, num_workers=workers, prefetch_factor=4 if workers else None))

"""The network that finds the card under and the card on a given card, and its training data."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from ultralytics.nn.modules import C2f, Conv

from datasets.scenes.scene import Art, make_scene
from models.training.classifier import jitter
from models.training.corner_refiner import badly_claimed
from models.training.feeds import PhotoShare, photo_scene
from vision.detection.overlap_network import OVERLAP_PX, OVERLAP_REACH, round_frame
from vision.detection.rectification import crops_at
from vision.geometry.quads import intersection_area

SOFTNESS = 0.02
"""Miss, as a share of the crop, below which the loss turns from logarithmic to linear."""
BADLY = 0.4
"""Share of the crops whose own card is outlined as badly as a finder does; a refiner misses less."""
MEETS = 0.08
"""Two cards that share less of the smaller one are neighbours, not one on the other."""
FARTHEST = 1.2
"""A corner further off than this, in outputs of the network, is not learnt: long cards run out of the crop."""


def new_overlap_network() -> nn.Sequential:
    """Build a new network: crops (n, 3, 176, 144) in, (n, 18) out: two logits, then 8 moves for each."""
    width, height = OVERLAP_PX
    return nn.Sequential(
        Conv(3, 24, 3, 2),
        Conv(24, 48, 3, 2),
        C2f(48, 48, 1, True),
        Conv(48, 96, 3, 2),
        C2f(96, 96, 2, True),
        Conv(96, 144, 3, 2),
        C2f(144, 144, 2, True),
        Conv(144, 32, 1),
        # Where something lies matters here: no mean over the places.
        nn.Flatten(),
        nn.Linear(32 * (width // 16) * (height // 16), 160),
        nn.SiLU(),
        nn.Linear(160, 18),
    )


def companions(quads: np.ndarray, index: int) -> tuple[int | None, int | None]:
    """Return which of the cards (n, 4, 2), the lowest first, most lies under card ``index``, and which most on it."""
    own = quads[index].astype(np.float32)
    own_area = abs(cv2.contourArea(own))
    best: list[tuple[float, int | None]] = [(0.0, None), (0.0, None)]
    for other, quad in enumerate(quads):
        if other == index:
            continue
        shared = intersection_area(own, quad.astype(np.float32))
        side = int(other > index)
        if shared >= MEETS * min(own_area, abs(cv2.contourArea(quad.astype(np.float32)))) and shared > best[side][0]:
            best[side] = (shared, other)
    return best[0][1], best[1][1]


def lesson(
    image: np.ndarray, claim: np.ndarray, others: tuple[np.ndarray | None, np.ndarray | None]
) -> tuple[np.ndarray, np.ndarray]:
    """
    Return a crop (h, w, 3) around the claimed card (4, 2), and (18,): whether there is one, two times, and the moves to
    each.
    """
    frame = round_frame()
    crop = crops_at(image, claim[None], frame, OVERLAP_PX)[0]
    into = cv2.getPerspectiveTransform(claim.astype(np.float32), frame)
    truth = np.zeros(18, np.float32)
    for side, quad in enumerate(others):
        if quad is None:
            continue
        placed = cv2.perspectiveTransform(quad[None].astype(np.float32), into)[0]
        orders = [np.roll(placed, shift, axis=0) for shift in (0, 2)]
        best = min(orders, key=lambda order: float(np.square(order - frame).sum()))
        truth[side] = 1
        truth[2 + 8 * side : 10 + 8 * side] = ((best - frame) / (OVERLAP_REACH * np.array(OVERLAP_PX))).ravel()
    return crop, truth


class OverlapFeed(IterableDataset):
    """Crops with what lies under and on their card, one by one, mixed in a pool."""

    def __init__(self, art: Art, first_seed: int, photos: PhotoShare | None = None, pool: int = 512) -> None:
        self.art = art
        self.first_seed = first_seed
        # A card without a label would train the network to see nothing there.
        self.photos = tuple(photo for photo in photos.photos if photo.complete) if photos else ()
        self.share = photos.share if photos else 0.0
        self.pool = pool

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        cv2.setNumThreads(1)
        worker = get_worker_info()
        step, seed = (worker.num_workers, self.first_seed + worker.id) if worker else (1, self.first_seed)
        rng = np.random.default_rng(seed)
        pool: list[tuple[np.ndarray, np.ndarray]] = []
        while True:
            side = int(rng.choice([288, 352, 416]))
            is_photo = bool(self.photos) and rng.random() < self.share
            if is_photo:
                scene = photo_scene(rng, self.photos, (side, side), (60, 220))
            else:
                scene = make_scene(self.art, seed, (side, side), (45, 240))
            seed += step
            quads = scene.corners_px
            for index, quad in enumerate(quads):
                under, over = companions(quads, index)
                lies_alone = under is None and over is None
                # Photographs have no labels of order: they only show cards that lie alone.
                if (is_photo and not lies_alone) or (lies_alone and rng.random() < 0.6):
                    continue
                found = tuple(None if other is None else quads[other] for other in (under, over))
                for _ in range(1 if lies_alone else 2):
                    claim = badly_claimed(rng, quad) if rng.random() < BADLY else jitter(rng, quad)
                    pool.append(lesson(scene.image, claim, (found[0], found[1])))
            while len(pool) > self.pool:
                index = int(rng.integers(len(pool)))
                pool[index], pool[-1] = pool[-1], pool[index]
                crop, truth = pool.pop()
                picture = np.ascontiguousarray(crop[..., ::-1].transpose(2, 0, 1))
                yield torch.from_numpy(picture), torch.from_numpy(truth)


def overlap_batches(
    art: Art, first_seed: int, batch: int, workers: int, photos: PhotoShare | None = None
) -> Iterator[list[torch.Tensor]]:
    """Yield batches without end: pictures (n, 3, h, w) uint8 RGB, labels (n, 18)."""
    return iter(
        DataLoader(
            OverlapFeed(art, first_seed, photos),
            batch_size=batch,
            num_workers=workers,
            prefetch_factor=4 if workers else None,
        )
    )


def overlap_loss(guess: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """Return the loss: cross entropy for whether there is a card, mean of log(1 + miss / softness) over its corners."""
    there = nn.functional.binary_cross_entropy_with_logits(guess[:, :2], truth[:, :2])
    miss = ((guess[:, 2:] - truth[:, 2:]).view(-1, 2, 4, 2) * OVERLAP_REACH).square().sum(3).add(1e-9).sqrt()
    counts = truth[:, :2, None] * (truth[:, 2:].view(-1, 2, 4, 2).abs().amax(3) < FARTHEST)
    where = (torch.log1p(miss / SOFTNESS) * counts).sum() / counts.sum().clamp(min=1)
    return there + 0.5 * where

"""Train the network that refines corners, on wrongly outlined cards."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from ultralytics.nn.modules import C2f, Conv

from datasets.scenes.scene import Art, make_scene
from models.training.feeds import PhotoShare, photo_scene, turned_box
from vision.detection.finder import REFINE_PX, REFINER_REACH, proposed_quads, wide_frame
from vision.detection.rectification import crops_at

BOXED = 0.7
"""Share of the claims that are boxes: under perspective a card is no box."""
LEAST_VISIBLE = 0.08
"""A card of which less is in view teaches nothing: where it ends can't be seen."""
SOFTNESS = 0.02
"""Miss, as a share of the crop, below which the loss turns from logarithmic to linear."""


def new_corner_refiner() -> nn.Sequential:
    """Build a new network: crops (n, 3, 128, 96) in, (n, 8) moves of the corners out, in units of ``REFINER_REACH``."""
    width, height = REFINE_PX
    return nn.Sequential(
        Conv(3, 24, 3, 2),
        Conv(24, 48, 3, 2),
        C2f(48, 48, 1, True),
        Conv(48, 96, 3, 2),
        C2f(96, 96, 1, True),
        Conv(96, 128, 3, 2),
        C2f(128, 128, 1, True),
        Conv(128, 32, 1),
        # Where something lies matters here: no mean over the places.
        nn.Flatten(),
        nn.Linear(32 * (width // 16) * (height // 16), 128),
        nn.SiLU(),
        nn.Linear(128, 8),
    )


def box_round(quad: np.ndarray) -> np.ndarray:
    """Return the tightest box (4, 2) around a card, as a finder of oriented boxes would report it."""
    x, y, wide, tall, turn = turned_box(quad)
    return proposed_quads(np.array([[x, y, wide, tall, 1.0, turn]], np.float32).T)[0]


def badly_claimed(rng: np.random.Generator, quad: np.ndarray) -> np.ndarray:
    """
    Return the card as the finder proposes it, as a box or its corners: turned, shifted, stretched, upside down or not.
    """
    if rng.random() < BOXED:
        quad = box_round(quad)
    careless = rng.choice([0.3, 1.0, 1.6], p=[0.35, 0.45, 0.2])
    size = np.sqrt(cv2.contourArea(quad)) + 1e-3
    centre = quad.mean(axis=0)
    angle = np.radians(rng.normal(0, 6) * careless)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    out = (quad - centre) @ turn * (1 + rng.normal(0, 0.06, 2) * careless)
    out = out + centre + rng.normal(0, 0.05, 2) * careless * size + rng.normal(0, 0.025, (4, 2)) * careless * size
    return np.roll(out, 2 * int(rng.random() < 0.5), axis=0).astype(np.float32)


def lesson(image: np.ndarray, truth: np.ndarray, claim: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a crop (h, w, 3) by the claim, and the (8,) moves that would correct it."""
    frame = wide_frame()
    crop = crops_at(image, claim[None], frame, REFINE_PX)[0]
    into = cv2.getPerspectiveTransform(claim, frame)
    placed = cv2.perspectiveTransform(truth[None], into)[0]
    orders = [np.roll(placed, shift, axis=0) for shift in (0, 2)]
    best = min(orders, key=lambda order: float(np.abs(order - frame).sum()))
    return crop, ((best - frame) / (REFINER_REACH * np.array(REFINE_PX))).astype(np.float32).ravel()


class ClaimFeed(IterableDataset):
    """Crops with their corrections, one by one, mixed in a pool."""

    def __init__(self, art: Art, first_seed: int, photos: PhotoShare | None = None, pool: int = 256) -> None:
        self.art = art
        self.first_seed = first_seed
        self.photos = photos.photos if photos else ()
        self.share = photos.share if photos else 0.0
        self.pool = pool

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        cv2.setNumThreads(1)
        worker = get_worker_info()
        step, seed = (worker.num_workers, self.first_seed + worker.id) if worker else (1, self.first_seed)
        rng = np.random.default_rng(seed)
        pool: list[tuple[np.ndarray, np.ndarray]] = []
        while True:
            side = int(rng.choice([256, 320, 384]))
            if self.photos and rng.random() < self.share:
                scene = photo_scene(rng, self.photos, (side, side), (60, 220))
            else:
                scene = make_scene(self.art, seed, (side, side), (40, 260))
            seed += step
            for quad in scene.corners_px[scene.visible >= LEAST_VISIBLE]:
                for _ in range(2):
                    pool.append(lesson(scene.image, quad, badly_claimed(rng, quad)))
            while len(pool) > self.pool:
                index = int(rng.integers(len(pool)))
                pool[index], pool[-1] = pool[-1], pool[index]
                crop, moves = pool.pop()
                picture = np.ascontiguousarray(crop[..., ::-1].transpose(2, 0, 1))
                yield torch.from_numpy(picture), torch.from_numpy(moves)


def claim_batches(
    art: Art, first_seed: int, batch: int, workers: int, photos: PhotoShare | None = None
) -> Iterator[list[torch.Tensor]]:
    """Yield endless batches: pictures (n, 3, h, w) uint8 RGB, moves (n, 8)."""
    return iter(
        DataLoader(
            ClaimFeed(art, first_seed, photos),
            batch_size=batch,
            num_workers=workers,
            prefetch_factor=4 if workers else None,
        )
    )


def refine_loss(guess: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """Mean of log(1 + miss / softness) over corners; misses as shares of the crop."""
    miss = ((guess - truth).view(-1, 4, 2) * REFINER_REACH).square().sum(2).add(1e-9).sqrt()
    return torch.log1p(miss / SOFTNESS).mean()

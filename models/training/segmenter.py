"""The network that classifies pixels of a reduced picture as arm, card or other, and its training data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from datasets.scenes.light import through_jpeg
from vision.detection.segmentation import LABELS, SEEN_PX

CLASS_WEIGHTS = (0.6, 1.2, 1.2)
"""Most of a table is neither card nor arm: what a pixel of each label counts."""
WIDTHS = (12, 24, 40, 64)
"""Channels at a half, a quarter, an eighth and a sixteenth of the picture's size."""


def _layer(inside: int, outside: int, stride: int = 1, kernel: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outside),
        nn.ReLU(inplace=True),
    )


class _Block(nn.Module):
    """A residual block: two layers and a shortcut."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(_layer(width, width), _layer(width, width))

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Return values of the same shape."""
        return values + self.layers(values)


class SegmentationNetwork(nn.Module):
    """
    (n, 3, h, w) RGB 0..1 -> (n, labels, h / 2, w / 2) scores; h and w are multiples of 16.

    Down to a sixteenth of the picture, where an arm is a few pixels wide, and up again; what each size saw on the way
    down is added on the way up. About 95 million multiplications at 256 x 144.
    """

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d = WIDTHS
        self.first = _layer(3, a, 2)
        self.second = nn.Sequential(_layer(a, b, 2), _layer(b, b))
        self.third = nn.Sequential(_layer(b, c, 2), _Block(c))
        self.fourth = nn.Sequential(_layer(c, d, 2), _Block(d), _Block(d))
        self.from_d, self.from_c, self.from_b = _layer(d, c, kernel=1), _layer(c, b, kernel=1), _layer(b, a, kernel=1)
        self.at_c, self.at_b, self.at_a = _layer(c, c), _layer(b, b), _layer(a, a)
        self.last = nn.Conv2d(a, len(LABELS), 1)
        self.larger = nn.Upsample(scale_factor=2, mode="nearest")

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Return the scores of each label."""
        a = self.first(pictures)
        b = self.second(a)
        c = self.third(b)
        d = self.fourth(c)
        c = self.at_c(c + self.larger(self.from_d(d)))
        b = self.at_b(b + self.larger(self.from_c(c)))
        a = self.at_a(a + self.larger(self.from_b(b)))
        scores: torch.Tensor = self.last(a)
        return scores


def segment_loss(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the cross entropy over the pixels; ``labels`` (n, h, w) at the size of the scores."""
    weights = torch.tensor(CLASS_WEIGHTS, device=scores.device)
    return nn.functional.cross_entropy(scores, labels.long(), weights)


class FrameFeed(IterableDataset):
    """Yield labelled frames without end, augmented by crop, mirror, light and colour."""

    def __init__(self, files: Sequence[Path], first_seed: int) -> None:
        self.first_seed = first_seed
        loaded = [np.load(file) for file in files]
        self.pictures = np.concatenate([part["pictures"] for part in loaded])
        self.labels = np.concatenate([part["labels"] for part in loaded])

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        cv2.setNumThreads(1)
        worker = get_worker_info()
        rng = np.random.default_rng([self.first_seed, worker.id if worker else 0])
        while True:
            index = int(rng.integers(len(self.pictures)))
            picture, labels = varied(rng, self.pictures[index], self.labels[index])
            yield (
                torch.from_numpy(np.ascontiguousarray(picture[..., ::-1].transpose(2, 0, 1))),
                torch.from_numpy(labels),
            )


def varied(rng: np.random.Generator, picture: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a crop of the picture at the network's size, and its labels at half of that."""
    height, width = labels.shape
    share = float(rng.choice([1.0, rng.uniform(0.45, 1)], p=[0.3, 0.7]))
    wide, tall = share * width * float(rng.uniform(0.85, 1)), share * height * float(rng.uniform(0.85, 1))
    left, top = float(rng.uniform(0, width - wide)), float(rng.uniform(0, height - tall))
    if rng.random() < 0.3:  # turned a little, the rim filled with what lies beside it
        angle = float(rng.normal(0, 12))
        matrix = cv2.getRotationMatrix2D((left + wide / 2, top + tall / 2), angle, SEEN_PX[0] / wide)
        matrix[:, 2] += np.array(SEEN_PX) / 2 - (left + wide / 2, top + tall / 2)
    else:
        x, y = SEEN_PX[0] / wide, SEEN_PX[1] / tall
        matrix = np.array([[x, 0, -left * x], [0, y, -top * y]])
    seen = cv2.warpAffine(picture, matrix, SEEN_PX, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
    half = matrix * np.array([[0.5], [0.5]])
    size = (SEEN_PX[0] // 2, SEEN_PX[1] // 2)
    truth = cv2.warpAffine(labels, half, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REFLECT_101)
    for axis in (0, 1):
        if rng.random() < 0.5:
            seen, truth = np.flip(seen, axis), np.flip(truth, axis)
    lit = seen.astype(np.float32) * rng.uniform(0.45, 1.5) * (1 + rng.normal(0, 0.1, 3).astype(np.float32))
    if rng.random() < 0.5:
        lit = 255 * np.power(np.clip(lit, 0, 255) / 255, float(rng.uniform(0.6, 1.6)))
    if rng.random() < 0.3:
        lit = np.asarray(cv2.GaussianBlur(lit, (0, 0), float(rng.uniform(0.4, 1.5))), np.float32)
    lit = lit + rng.standard_normal(lit.shape, dtype=np.float32) * abs(float(rng.normal(0, 5)))
    out = np.clip(lit, 0, 255).astype(np.uint8)
    if rng.random() < 0.15:  # another tone of everything: no colour means an arm
        hsv = cv2.cvtColor(out, cv2.COLOR_BGR2HSV)
        hsv[..., 0] = (hsv[..., 0].astype(int) + int(rng.integers(0, 180))) % 180
        out = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)
    elif rng.random() < 0.08:
        out = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    if rng.random() < 0.4:
        quality = int(rng.integers(30, 90))
        out = through_jpeg(out, quality)
    return out, np.ascontiguousarray(truth)


def frame_batches(folder: Path, first_seed: int, batch: int, workers: int) -> Iterator[list[torch.Tensor]]:
    """Yield batches without end: pictures (n, 3, h, w) uint8 RGB, labels (n, h / 2, w / 2) uint8. Raises ``OSError``
    without frames."""
    files = sorted(folder.glob("*.npz"))
    if not files:
        raise OSError(
            f"expected labelled frames in {folder}, found none; draw them with datasets.clips.labelled_frames"
        )
    feed = FrameFeed(files, first_seed)
    return iter(DataLoader(feed, batch_size=batch, num_workers=workers, prefetch_factor=4 if workers else None))

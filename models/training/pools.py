"""
Pools of training pictures in a device's memory, varied on the device each time they are drawn.

A GPU learns from pictures many times faster than processors draw scenes. So a thread fills a pool with fresh pictures
while training draws from it: each picture is shown several times, turned, scaled, tilted and lit differently. What is
drawn depends on how fast the pool fills, so two runs of one command differ.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.nn.functional import conv2d, grid_sample, interpolate, pad

from vision.detection.classifier import CROP_PX, ENLARGED_INDEX_PX, INDEX_ZONE

MOST_CARDS = 64
"""Labels kept of a picture."""
LEAST_IN_VIEW = 0.12
"""Smallest share of a card in view that is labelled, as in ``datasets.scenes.scene.make_scene``."""
MOSAIC = 0.25
"""Share of the batches whose pictures are made of four pictures of half the size."""
POINTS = 5
"""Points across and along a card of which the share inside the picture is counted."""
FIRST_FILL = 0.02
"""Share of a pool that is filled before training begins."""


class Pool(ABC):
    """A fixed number of places for pictures, of which ``count`` are filled; new pictures replace the oldest."""

    def __init__(self, capacity: int, device: torch.device) -> None:
        self.capacity = capacity
        self.device = device
        self.added = 0
        self.lock = threading.Lock()

    @property
    def count(self) -> int:
        """Return how many places are filled."""
        return min(self.added, self.capacity)

    @abstractmethod
    def add(self, batch: Any) -> None:
        """Keep a batch of fresh pictures."""

    @abstractmethod
    def draw(self, size: int) -> Any:
        """Return a batch of varied pictures."""


class ScenePool(Pool):
    """
    Pictures of tables with outlines of their cards, for the finder.

    ``capacity`` pictures of ``canvas_px`` squared.
    """

    def __init__(self, capacity: int, canvas_px: int, device: torch.device) -> None:
        super().__init__(capacity, device)
        self.pictures = torch.zeros((capacity, 3, canvas_px, canvas_px), dtype=torch.uint8, device=device)
        self.quads = torch.zeros((capacity, MOST_CARDS, 4, 2), device=device)
        self.visible = torch.zeros((capacity, MOST_CARDS), device=device)

    def add(self, batch: dict[str, Any]) -> None:
        """Keep a batch of ``models.training.feeds.collate``."""
        count = len(batch["img"])
        quads, visible = torch.zeros(count, MOST_CARDS, 4, 2), torch.zeros(count, MOST_CARDS)
        for index in range(count):
            mine = batch["batch_idx"] == index
            kept = min(int(mine.sum()), MOST_CARDS)
            quads[index, :kept], visible[index, :kept] = batch["keypoints"][mine][:kept], batch["visible"][mine][:kept]
        places = ((torch.arange(count) + self.added) % self.capacity).to(self.device)
        with self.lock:
            self.pictures[places] = batch["img"].to(self.device)
            self.quads[places], self.visible[places] = quads.to(self.device), visible.to(self.device)
            self.added += count

    def draw(self, size: int) -> dict[str, Any]:
        """Return a batch of ``size`` pictures and their labels as the finder's loss takes them."""
        canvas, device = self.pictures.shape[-1], self.device
        tiles = 2 if float(torch.rand(())) < MOSAIC else 1
        with self.lock:
            chosen = torch.randint(self.count, (size * tiles**2,), device=device)
            pictures, quads, visible = self.pictures[chosen], self.quads[chosen], self.visible[chosen]
        moved = homographies(len(chosen), device)
        pictures = warped(pictures.float(), moved, canvas // tiles)
        quads = transformed(moved, quads * 2 - 1) / 2 + 0.5
        visible = visible * share_inside(quads)
        if tiles == 2:
            pictures = tiled(pictures)
            places = torch.tensor([[0.0, 0.0], [0.5, 0.0], [0.0, 0.5], [0.5, 0.5]], device=device).repeat(size, 1)
            quads = quads / 2 + places[:, None, None]
        keep = visible >= LEAST_IN_VIEW
        picture_of = torch.arange(len(chosen), device=device)[:, None].expand_as(keep) // tiles**2
        boxes = turned_boxes(quads[keep])
        return {
            "img": in_other_light(pictures),
            "batch_idx": picture_of[keep].float(),
            "cls": torch.zeros(len(boxes), 1, device=device),
            "bboxes": boxes,
            "turned": boxes,
            "keypoints": quads[keep],
        }


class CropPool(Pool):
    """Bare crops of cards and their classes, for the classifier."""

    def __init__(self, capacity: int, device: torch.device) -> None:
        super().__init__(capacity, device)
        self.crops = torch.zeros((capacity, 3, CROP_PX[1], CROP_PX[0]), dtype=torch.uint8, device=device)
        self.classes = torch.zeros(capacity, dtype=torch.int64, device=device)

    def add(self, batch: list[torch.Tensor]) -> None:
        """Keep a batch: crops (n, 3, h, w) uint8 RGB, classes (n,)."""
        crops, classes = batch
        places = (torch.arange(self.added, self.added + len(crops)) % self.capacity).to(self.device)
        with self.lock:
            self.crops[places] = crops.to(self.device)
            self.classes[places] = classes.to(self.device)
            self.added += len(crops)

    def draw(self, size: int) -> list[torch.Tensor]:
        """Return [crops with their enlarged indices (size, 3, h, 2 w) float32 0..255, classes (size,)]."""
        device = self.device
        with self.lock:
            chosen = torch.randint(self.count, (size,), device=device)
            crops, classes = self.crops[chosen].float(), self.classes[chosen]
        upside_down = torch.rand(size, device=device) < 0.5
        crops = torch.where(upside_down[:, None, None, None], crops.flip(2, 3), crops)
        off = torch.eye(3, device=device).repeat(size, 1, 1)
        off[:, :2] += 0.012 * torch.randn(size, 2, 3, device=device)
        off[:, 2, :2] += 0.008 * torch.randn(size, 2, device=device)
        grid = grid_of(off, crops.shape[2], crops.shape[3])
        crops = grid_sample(crops, grid, padding_mode="border", align_corners=False)
        return [with_indices(in_other_light(crops, 0.5)), classes]


def with_indices(crops: torch.Tensor) -> torch.Tensor:
    """Append the enlarged indices as ``vision.detection.classifier.with_indices`` does: (n, 3, h, 2 w)."""
    x, y, wide, tall = INDEX_ZONE
    rows = []
    for side in (crops, crops.flip(2, 3)):
        corners = [side[..., y : y + tall, left : left + wide] for left in (x, CROP_PX[0] - x - wide)]
        large = [interpolate(part, ENLARGED_INDEX_PX[::-1], mode="bilinear", align_corners=False) for part in corners]
        rows.append(torch.cat(large, 3))
    return torch.cat([crops, torch.cat(rows, 2)], 3)


def homographies(count: int, device: torch.device) -> torch.Tensor:
    """Return (count, 3, 3): random turns, mirrors, scales, shifts and tilts of pictures from -1 to 1 onto such."""

    def uniform(low: float, high: float) -> torch.Tensor:
        return low + (high - low) * torch.rand(count, device=device)

    quarters = torch.randint(4, (count,), device=device) * (torch.pi / 2)
    any_turn = torch.rand(count, device=device) < 0.25
    turn = quarters + torch.where(any_turn, uniform(-torch.pi / 4, torch.pi / 4), 0.1 * torch.randn(count).to(device))
    scale = torch.exp(uniform(-0.2, 0.5))
    mirror = torch.where(torch.rand(count, device=device) < 0.5, -1.0, 1.0)
    moved = torch.zeros(count, 3, 3, device=device)
    moved[:, 0, 0], moved[:, 0, 1] = scale * turn.cos() * mirror, -scale * turn.sin()
    moved[:, 1, 0], moved[:, 1, 1] = scale * turn.sin() * mirror, scale * turn.cos()
    moved[:, 0, 2], moved[:, 1, 2] = uniform(-0.2, 0.2) * scale, uniform(-0.2, 0.2) * scale
    moved[:, 2, 0], moved[:, 2, 1] = uniform(-0.12, 0.12), uniform(-0.12, 0.12)
    moved[:, 2, 2] = 1.0
    return moved


def transformed(matrices: torch.Tensor, points: torch.Tensor) -> torch.Tensor:
    """Map points (n, ..., 2) by matrices (n, 3, 3)."""
    flat = points.reshape(len(points), -1, 2)
    mapped = torch.cat([flat, torch.ones_like(flat[..., :1])], 2) @ matrices.transpose(1, 2)
    return (mapped[..., :2] / mapped[..., 2:].clamp(min=0.1)).reshape(points.shape)


def grid_of(matrices: torch.Tensor, height: int, width: int) -> torch.Tensor:
    """Return (n, height, width, 2): where each pixel of the mapped pictures comes from."""
    ys = (torch.arange(height, device=matrices.device) * 2 + 1) / height - 1
    xs = (torch.arange(width, device=matrices.device) * 2 + 1) / width - 1
    places = torch.stack(torch.meshgrid(xs, ys, indexing="xy"), 2)
    return transformed(torch.linalg.inv(matrices), places.expand(len(matrices), -1, -1, -1))


def warped(pictures: torch.Tensor, matrices: torch.Tensor, side_px: int) -> torch.Tensor:
    """Warp pictures (n, 3, h, w) to ``side_px`` squared; pixels outside the source get one random colour a picture."""
    if side_px < pictures.shape[-1]:
        pictures = interpolate(pictures, (side_px, side_px), mode="area")
    ground = 255 * torch.rand(len(pictures), 3, 1, 1, device=pictures.device)
    grid = grid_of(matrices, side_px, side_px)
    return grid_sample(pictures - ground, grid, align_corners=False) + ground


def tiled(pictures: torch.Tensor) -> torch.Tensor:
    """Join each four pictures (4 n, 3, h, w) into one: (n, 3, 2 h, 2 w)."""
    groups = pictures.reshape(-1, 2, 2, *pictures.shape[1:])
    rows = torch.cat([groups[:, :, 0], groups[:, :, 1]], 4)
    return torch.cat([rows[:, 0], rows[:, 1]], 2)


def share_inside(quads: torch.Tensor) -> torch.Tensor:
    """Return (n, m) of the share of each quad (n, m, 4, 2) that lies between 0 and 1 both ways."""
    along = (torch.arange(POINTS, device=quads.device) + 0.5) / POINTS
    u, v = (part[..., None] for part in torch.meshgrid(along, along, indexing="ij"))
    a, b, c, d = (quads[..., i, :][..., None, None, :] for i in range(4))
    points = (1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * d + u * c)
    return ((points >= 0) & (points <= 1)).all(-1).float().mean((-1, -2))


def turned_boxes(quads: torch.Tensor) -> torch.Tensor:
    """
    Return (n, 5) of the tightest boxes around quads (n, 4, 2): x, y, width, height and turn, as
    ``models.training.feeds.turned_box``, of which one edge is parallel to one of the quad's.
    """
    edges = quads.roll(-1, 1) - quads
    angles = torch.atan2(edges[..., 1], edges[..., 0])
    directions = torch.stack([angles.cos(), angles.sin()], 2)
    across = torch.stack([-angles.sin(), angles.cos()], 2)
    axes = torch.stack([directions, across], 2)
    projected = torch.einsum("nkad,ncd->nkac", axes, quads)
    low, high = projected.amin(3), projected.amax(3)
    best = (high - low).prod(2).argmin(1)
    row = torch.arange(len(quads), device=quads.device)
    sizes, middle, axes = (high - low)[row, best], ((high + low) / 2)[row, best], axes[row, best]
    centre = torch.einsum("na,nad->nd", middle, axes)
    heading = quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]
    turn, facing = angles[row, best], torch.atan2(heading[:, 1], heading[:, 0])
    swap = (facing - turn).sin().abs() > (facing - turn).cos().abs()
    sizes = torch.where(swap[:, None], sizes.flip(1), sizes)
    turn = torch.where(swap, turn + torch.pi / 2, turn)
    turn = torch.remainder(turn + torch.pi / 4, torch.pi) - torch.pi / 4
    return torch.cat([centre, sizes, turn[:, None]], 1)


def in_other_light(pictures: torch.Tensor, strength: float = 1.0) -> torch.Tensor:
    """Vary brightness, contrast, colours, sharpness and grain of pictures (n, 3, h, w) 0..255."""
    count, device = len(pictures), pictures.device

    def drawn(spread: float, channels: int = 1) -> torch.Tensor:
        return strength * spread * torch.randn(count, channels, 1, 1, device=device)

    mean = pictures.mean((1, 2, 3), keepdim=True)
    lit = mean + (pictures - mean) * torch.exp(drawn(0.12))
    lit = lit * torch.exp(drawn(0.15)) * torch.exp(drawn(0.06, 3)) + drawn(8.0)
    soft = torch.rand(count, device=device) < 0.3 * strength
    if bool(soft.any()):
        lit[soft] = blurred(lit[soft])
    grey = torch.rand(count, 1, 1, 1, device=device) < 0.03
    lit = torch.where(grey, lit.mean(1, keepdim=True), lit)
    return (lit + drawn(4.0).abs() * torch.randn_like(lit)).clamp(0, 255)


def blurred(pictures: torch.Tensor) -> torch.Tensor:
    """Blur pictures (n, 3, h, w), each with another Gaussian of up to 1.4 px."""
    sigma = 0.3 + 1.1 * torch.rand(len(pictures), 1, device=pictures.device)
    kernel = torch.exp(-(torch.arange(-3, 4, device=pictures.device) ** 2) / (2 * sigma**2))
    kernel = (kernel / kernel.sum(1, keepdim=True)).repeat_interleave(3, 0)[:, None, :, None]
    planes = pictures.reshape(1, -1, *pictures.shape[2:])
    planes = conv2d(pad(planes, (0, 0, 3, 3), mode="replicate"), kernel, groups=len(kernel))
    planes = conv2d(pad(planes, (3, 3, 0, 0), mode="replicate"), kernel.transpose(2, 3), groups=len(kernel))
    return planes.reshape(pictures.shape)


def drawn_batches(pool: Pool, fresh: Iterator[Any], size: int, progress: Callable[[str], None]) -> Iterator[Any]:
    """Yield batches of ``size`` from ``pool`` without end, while a thread fills it from ``fresh``."""
    failure: list[BaseException] = []

    def fill() -> None:
        try:
            for batch in fresh:
                pool.add(batch)
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=fill, name="fill-pool", daemon=True)
    thread.start()
    needed, drawn = max(1, int(FIRST_FILL * pool.capacity)), 0
    waiting = threading.Event()
    while True:
        if failure:
            raise failure[0]
        if pool.count < needed and thread.is_alive():
            waiting.wait(0.2)
            continue
        if drawn % (200 * size) == 0:
            progress(f"{pool.added} pictures drawn afresh, {drawn} shown")
        drawn += size
        yield pool.draw(size)

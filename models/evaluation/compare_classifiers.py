"""
Compare designs of the classifier (whole card, indices, both) on equal budgets: the same crops and steps, and two by two
the same multiplications.

    python -m models.evaluation.compare_classifiers --steps 500 --photos runs/photos.jsonl

All start from random weights on synthesized scenes. ``whole`` sees the card alone; ``indices`` sees its four corners
twice as large, each turned upright, through a network of the same layers, and adds the results. For twice the
multiplications ``larger`` sees the card on twice the pixels, and ``both`` sees card and corners side by side in one
picture, as ``vision.detection.classifier`` shows them. Prints how many crops of unseen invented decks, and of
photographs that none was trained on, each names rightly.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, interpolate

from datasets.decks.invented import invent_deck
from datasets.decks.library import default_art
from datasets.photos.corners import read_photos
from datasets.scenes.scene import load_art, standard_art
from models.evaluation.check_sets import DECK_PX, DEV_DECKS
from models.training.classifier import crop_batches, new_classifier
from models.training.feeds import PhotoShare
from models.training.loop import Schedule, halves_are_quick, train
from vision.detection.classifier import CROP_PX, with_indices
from vision.detection.detections import FACE_COUNT

SCALE = 2
"""Factor by which crops are larger than the program's, so that indices can gain."""
CORNER_PX = (48, 80)
"""Width and height of the part of such a crop that holds a corner's index and what margin there is."""
SEEN_PX = (48, 66)
"""... and of what the network sees of it: four of these are as many pixels as a whole card."""
LARGER_PX = (136, 187)
"""Width and height of a whole card on twice the pixels."""
HELD_OUT_SEED = 870_000_000


class Design(nn.Module):
    """The classifier's layers over pictures made of (n, 3, 264, 192) crops of cards; (n, 54) logarithms out."""

    def __init__(self) -> None:
        super().__init__()
        self.classifier = new_classifier()

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        """Name them."""
        return _logits(self.classifier, self.shown(crops))

    def shown(self, crops: torch.Tensor) -> torch.Tensor:
        """Return what the layers see: the whole card, as small as the program's crops."""
        width, height = CROP_PX
        return interpolate(crops, (height, width), mode="area")


class Larger(Design):
    """The whole card on twice the pixels."""

    def shown(self, crops: torch.Tensor) -> torch.Tensor:
        """Return the whole card on twice the pixels: (n, 3, 187, 136)."""
        return interpolate(crops, LARGER_PX[::-1], mode="bilinear", align_corners=False, antialias=True)


class Indices(Design):
    """A network with the same layers for each of the four corners; their logarithms are added."""

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        """Name them."""
        answers: torch.Tensor = _logits(self.classifier, self.shown(crops)).view(4, len(crops), -1).sum(0)
        return answers

    def shown(self, crops: torch.Tensor) -> torch.Tensor:
        """Return the four corners, each turned upright: (4 n, 3, 66, 48)."""
        wide, tall = CORNER_PX
        turned = torch.rot90(crops, 2, (2, 3))
        sides = (slice(None, wide), slice(-wide, None))
        parts = [side[:, :, :tall, start] for side in (crops, turned) for start in sides]
        return interpolate(torch.cat(parts), SEEN_PX[::-1], mode="bilinear", align_corners=False)


class Both(Design):
    """Card and corners in one picture, the corners cut from the small crop: they add no detail, only size."""

    def shown(self, crops: torch.Tensor) -> torch.Tensor:
        """Return card and corners side by side: (n, 3, 132, 192)."""
        small = super().shown(crops).mul(255).round().byte().permute(0, 2, 3, 1).numpy()
        return torch.from_numpy(with_indices(small)).permute(0, 3, 1, 2).float().div_(255)


DESIGNS: dict[str, type[Design]] = {"whole": Design, "indices": Indices, "larger": Larger, "both": Both}


def _logits(network: nn.Module, pictures: torch.Tensor) -> torch.Tensor:
    answer = network(pictures)
    return answer[1] if isinstance(answer, tuple) else answer


def _loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
    pictures, truths = batch
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=halves_are_quick(torch.device("cpu"))):
        answers = model(pictures.float().div_(255).to(memory_format=torch.channels_last))
    return cross_entropy(answers.float(), truths)


def right_and_sure(model: nn.Module, batches: Iterator[list[torch.Tensor]]) -> str:
    """Return in one line how many of the faces are named rightly, and how many of the surest half."""
    model.eval()
    right, share = [], []
    with torch.inference_mode():
        for pictures, truths in batches:
            answers = model(pictures.float().div_(255)).float().softmax(1)
            faces = truths < FACE_COUNT
            best, index = answers[faces].max(1)
            right.append((index == truths[faces]).numpy())
            share.append(best.numpy())
    hits, sure = np.concatenate(right), np.concatenate(share)
    half = np.argsort(-sure)[: len(sure) // 2]
    return f"{hits.mean():.1%} of {len(hits)}, of the surest half {hits[half].mean():.1%}"


def main() -> None:
    """Train and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--designs", choices=tuple(DESIGNS), nargs="+", default=tuple(DESIGNS))
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=112)
    parser.add_argument("--crops", type=int, default=4000, help="how many to score on, of each kind")
    parser.add_argument("--invented", type=int, default=60)
    parser.add_argument("--photos", type=Path, nargs="+", help="corners by datasets.photos.corners, to score on")
    parser.add_argument("--out", type=Path, default=Path("runs/compare-classifiers"))
    parser.add_argument("--art", type=Path, default=Path("../shared/art"))
    parser.add_argument("--cache", type=Path, default=Path("runs/decks"))
    args = parser.parse_args()
    art = standard_art(args.cache, args.art if args.art.is_dir() else None, invented=args.invented)
    folder = default_art()
    unseen = load_art(
        [invent_deck(seed, DECK_PX) for seed in DEV_DECKS],
        folder / "textures" if folder else None,
        folder / "hands" if folder else None,
    )
    sets: dict[str, PhotoShare | None] = {"unseen decks": None}
    if args.photos:
        sets["photographs"] = PhotoShare(tuple(p for path in args.photos for p in read_photos(path)), 1.0)
    for name in args.designs:
        torch.manual_seed(1)
        batches = crop_batches(art, 10_000_000, args.batch, 2, scale=SCALE)
        schedule = Schedule(args.steps, args.batch, 2e-3, 60)
        averaged = train(
            DESIGNS[name]().to(memory_format=torch.channels_last), batches, _loss, schedule, args.out / name
        )
        for kind, photos in sets.items():
            held_out = islice(crop_batches(unseen, HELD_OUT_SEED, 100, 1, photos, scale=SCALE), args.crops // 100)
            print(f"{name}, {kind}: {right_and_sure(averaged, held_out)}", flush=True)


if __name__ == "__main__":
    main()

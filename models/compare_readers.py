"""
The whole card or its indices? Two designs of reader on equal budgets: the same crops, steps and multiplications.

    python -m models.compare_readers --steps 600 --photos runs/photos.jsonl

Both learn from chance on synthesized scenes alone. ``whole`` sees the card as the program cuts it; ``indices`` sees its
four corners twice as large, each turned as if it were the upper left one, through a network of the same layers, and
adds up what each corner says. Prints how many crops of unseen invented decks, and of photographs that neither was
trained on, each names rightly.
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

from datasets.decks import default_art
from datasets.invented import invent_deck
from datasets.photo_corners import read_photos
from datasets.scenes import load_art, standard_art
from models.check_sets import DECK_PX, DEV_DECKS
from models.feeds import PhotoShare
from models.reader import crop_batches, new_reader
from models.training import Schedule, train
from vision.detections import FACE_COUNT
from vision.reader import CROP_PX

SCALE = 2
"""Crops are cut so many times as large as the program's: room for the indices to gain by it."""
CORNER_PX = (48, 80)
"""Width and height of the part of such a crop that holds a corner's index and what margin there is."""
SEEN_PX = (48, 66)
"""... and of what the network sees of it: four of these are as many pixels as a whole card."""
HELD_OUT_SEED = 870_000_000


class WholeCard(nn.Module):
    """The reader as it is: (n, 3, 264, 192) crops in, (n, 54) logarithms out."""

    def __init__(self) -> None:
        super().__init__()
        self.reader = new_reader()

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        """Name them."""
        width, height = CROP_PX
        return _logits(self.reader, interpolate(crops, (height, width), mode="area"))


class Indices(nn.Module):
    """The same layers on each of the four corners; their logarithms added: (n, 3, 264, 192) in, (n, 54) out."""

    def __init__(self) -> None:
        super().__init__()
        self.reader = new_reader()

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        """Name them."""
        wide, tall = CORNER_PX
        turned = torch.rot90(crops, 2, (2, 3))
        parts = [
            side[:, :, :tall, start] for side in (crops, turned) for start in (slice(None, wide), slice(-wide, None))
        ]
        seen = interpolate(torch.cat(parts), SEEN_PX[::-1], mode="bilinear", align_corners=False)
        answers: torch.Tensor = _logits(self.reader, seen).view(len(parts), len(crops), -1).sum(0)
        return answers


DESIGNS: dict[str, type[nn.Module]] = {"whole": WholeCard, "indices": Indices}


def _logits(network: nn.Module, pictures: torch.Tensor) -> torch.Tensor:
    answer = network(pictures)
    return answer[1] if isinstance(answer, tuple) else answer


def _loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
    pictures, truths = batch
    with torch.autocast("cpu", dtype=torch.bfloat16):
        answers = model(pictures.float().div_(255).to(memory_format=torch.channels_last))
    return cross_entropy(answers.float(), truths)


def right_and_sure(model: nn.Module, batches: Iterator[list[torch.Tensor]]) -> str:
    """Of the faces among the crops: how many are named rightly, and how many of the surest half."""
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
    """Train both and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--batch", type=int, default=112)
    parser.add_argument("--crops", type=int, default=4000, help="how many to score on, of each kind")
    parser.add_argument("--invented", type=int, default=60)
    parser.add_argument("--photos", type=Path, nargs="+", help="corners by datasets.photo_corners, to score on")
    parser.add_argument("--out", type=Path, default=Path("runs/compare-readers"))
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
    sets = {"unseen decks": None}
    if args.photos:
        sets["photographs"] = PhotoShare(tuple(p for path in args.photos for p in read_photos(path)), 1.0)
    for name, design in DESIGNS.items():
        torch.manual_seed(1)
        batches = crop_batches(art, 10_000_000, args.batch, 2, scale=SCALE)
        schedule = Schedule(args.steps, args.batch, 2e-3, 60)
        averaged = train(design().to(memory_format=torch.channels_last), batches, _loss, schedule, args.out / name)
        for kind, photos in sets.items():
            held_out = islice(crop_batches(unseen, HELD_OUT_SEED, 100, 1, photos, scale=SCALE), args.crops // 100)
            print(f"{name}, {kind}: {right_and_sure(averaged, held_out)}", flush=True)


if __name__ == "__main__":
    main()

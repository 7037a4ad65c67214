"""
Train kozyr's networks from scratch on synthesized scenes.

    python -m models.training.train finder --steps 12000 --out runs/finder
    python -m models.training.train corner_refiner --steps 2000 --batch 128 --out runs/corner_refiner
    python -m models.training.train overlap_network --steps 2000 --batch 128 --out runs/overlap_network
    python -m models.training.train classifier --steps 20000 --out runs/classifier
    python -m models.training.train segmenter --steps 3000 --batch 32 --frames runs/frames --out runs/segmenter

Needs the extra ``train`` (PyTorch, Ultralytics) and the Debian packages of decks; runs on two CPU cores, and on a GPU
where one is found. The scenes are made of seeds, so the same command sees the same pictures.

On a GPU, which learns faster than processors draw, ``--pool`` shows each scene several times (``pools.py``). A machine
without decks and fonts takes them from ``--pack`` (``art_pack.py``):

    python -m models.training.art_pack --out runs/art.npz --invented 60 --first-deck 400000
    python -m models.training.train finder --shape obb --batch 128 --canvas 416 --pack runs/art.npz --pool 90000 \
        --workers 8 --minutes 9 --steps 1000000 --start runs/finder.pt --out runs/finder-next
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import torch

from datasets.decks.library import load_decks
from datasets.faces.lot_art import LotFaces, lot_faces
from datasets.photos.corners import read_photos
from datasets.scenes.scene import Art, standard_art
from models.training.art_pack import read_pack
from models.training.checkpoints import save_pt, start_from
from models.training.classifier import SHIPPED, WIDE, bare_crop_batches, crop_batches, new_classifier
from models.training.corner_refiner import claim_batches, new_corner_refiner, refine_loss
from models.training.feeds import CANVAS_PX, PhotoShare, scene_batches
from models.training.finder import new_box_model, new_corner_model
from models.training.index_finder import index_scene
from models.training.loop import Schedule, halves_are_quick, train
from models.training.overlap_network import new_overlap_network, overlap_batches, overlap_loss
from models.training.pools import CropPool, ScenePool, drawn_batches
from models.training.segmenter import SegmentationNetwork, frame_batches, segment_loss

FRESH = 32
"""Scenes that join a pool at once."""
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _photos(args: argparse.Namespace) -> PhotoShare | None:
    return (
        PhotoShare(tuple(p for path in args.photos for p in read_photos(path)), args.photo_share)
        if args.photos
        else None
    )


def _schedule(args: argparse.Namespace) -> Schedule:
    every = 800 if args.pool else 250
    return Schedule(args.steps, args.batch, args.lr, args.warmup, checkpoint_every=every, minutes=args.minutes)


def _faces(args: argparse.Namespace) -> LotFaces | None:
    if not args.lot_share:
        return None
    if args.pack:
        return read_pack(args.pack, args.lot_share)[1]
    decks = load_decks(height_px=320, cache=args.cache, art=args.art if args.art.is_dir() else None)
    return lot_faces(args.lot_share, decks, args.cache)


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _scene_loss(shape: str) -> Callable[[torch.nn.Module, dict[str, torch.Tensor]], torch.Tensor]:
    def loss_of(model: torch.nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        batch = {key: value.to(DEVICE) for key, value in batch.items()}
        picture = batch["img"].float().div_(255).to(memory_format=torch.channels_last)
        if shape != "corners":
            batch["bboxes"] = batch["turned"]
        with torch.autocast(DEVICE.type, dtype=torch.bfloat16, enabled=halves_are_quick(DEVICE)):
            claims = model(picture)
        claims = {key: [f.float() for f in value] if key == "feats" else value.float() for key, value in claims.items()}
        if not hasattr(model, "criterion") or model.criterion is None:
            model.criterion = model.init_criterion()
        total, _ = model.criterion(claims, batch)
        return total.sum() / len(picture)

    return loss_of


def train_finder(args: argparse.Namespace, art: Art) -> None:
    """Train the card finder: oriented boxes, or, for comparison, four corners or oriented boxes of indices."""
    model = (new_corner_model() if args.shape == "corners" else new_box_model()).to(DEVICE)
    model = start_from(model.to(memory_format=torch.channels_last), args.start, args.new_head)
    labels = index_scene if args.shape == "indices" else None

    def save(averaged: torch.nn.Module, step: int) -> None:
        save_pt(averaged, args.out / f"step-{step}.pt")

    first, photos = args.seed * 10_000_000, _photos(args)
    size = FRESH if args.pool else args.batch
    batches = scene_batches(
        art, first, size, args.workers, photos, args.canvas, labels, _faces(args), crowded=args.crowded
    )
    if args.pool:
        batches = drawn_batches(ScenePool(args.pool, args.canvas, DEVICE), batches, args.batch, _report)
    frozen = list(model.model)[: args.freeze]
    train(model, batches, _scene_loss(args.shape), _schedule(args), args.out, on_checkpoint=save, frozen=frozen)


def _crops_loss(
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], is_compiled: bool = False
) -> Callable[[torch.nn.Module, list[torch.Tensor]], torch.Tensor]:
    """Return the loss function of a network on crops of cards: ``loss`` of its output and the labels."""
    compiled: list[torch.nn.Module] = []

    def loss_of(model: torch.nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
        pictures, truths = batch
        if is_compiled:
            compiled[:] = compiled or [torch.compile(model)]
            model = compiled[0]
        pictures = pictures.to(DEVICE).float().div_(255).to(memory_format=torch.channels_last)
        with torch.autocast(DEVICE.type, dtype=torch.bfloat16, enabled=halves_are_quick(DEVICE)):
            answers = model(pictures)
        return loss(answers.float(), truths.to(DEVICE))

    return loss_of


def _train_on_crops(
    args: argparse.Namespace,
    art: Art,
    fresh: torch.nn.Module,
    batches_of: Callable[..., Iterator[list[torch.Tensor]]],
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> None:
    model = start_from(fresh.to(DEVICE).to(memory_format=torch.channels_last), args.start)

    def save(averaged: torch.nn.Module, step: int) -> None:
        save_pt(averaged, args.out / f"step-{step}.pt")

    batches = batches_of(art, args.seed * 10_000_000, args.batch, args.workers, _photos(args))
    if args.pool:
        fresh_crops = bare_crop_batches(
            art, args.seed * 10_000_000, 8 * FRESH, args.workers, _photos(args), _faces(args)
        )
        batches = drawn_batches(CropPool(args.pool, DEVICE), fresh_crops, args.batch, _report)
    # A network of Ultralytics holds its layers in ``model``.
    frozen = list(getattr(model, "model", ()))[: args.freeze]
    loss_of = _crops_loss(loss, args.compile)
    train(model, batches, loss_of, _schedule(args), args.out, on_checkpoint=save, frozen=frozen)


def train_classifier(args: argparse.Namespace, art: Art) -> None:
    """Train the network that names a rectified card."""
    batches = partial(crop_batches, faces=_faces(args))
    fresh = new_classifier(WIDE if args.wide else SHIPPED)
    _train_on_crops(args, art, fresh, batches, torch.nn.functional.cross_entropy)


def train_corner_refiner(args: argparse.Namespace, art: Art) -> None:
    """Train the network that refines proposed corners."""
    _train_on_crops(args, art, new_corner_refiner(), claim_batches, refine_loss)


def train_overlap_network(args: argparse.Namespace, art: Art) -> None:
    """Train the network that finds the card under a card and the one on it."""
    _train_on_crops(args, art, new_overlap_network(), overlap_batches, overlap_loss)


def train_segmenter(args: argparse.Namespace) -> None:
    """Train the network that tells arms from cards, on frames by ``datasets.clips.labelled_frames``."""
    model = start_from(SegmentationNetwork().to(DEVICE).to(memory_format=torch.channels_last), args.start)

    def save(averaged: torch.nn.Module, step: int) -> None:
        save_pt(averaged, args.out / f"step-{step}.pt")

    batches = frame_batches(args.frames, args.seed, args.batch, args.workers)
    train(model, batches, _crops_loss(segment_loss), _schedule(args), args.out, on_checkpoint=save)


TRAINERS = {
    "finder": train_finder,
    "corner_refiner": train_corner_refiner,
    "overlap_network": train_overlap_network,
    "classifier": train_classifier,
}


def main() -> None:
    """Parse the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=(*TRAINERS, "segmenter"))
    parser.add_argument("--shape", choices=("corners", "obb", "indices"), default="corners")
    parser.add_argument("--steps", type=int, default=12000)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--warmup", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--art", type=Path, default=Path("../shared/art"))
    parser.add_argument("--invented", type=int, default=60, help="invented decks beside the real ones")
    parser.add_argument(
        "--first-deck", type=int, default=1, help="seed of the first invented deck; other seeds, other decks"
    )
    parser.add_argument("--canvas", type=int, default=CANVAS_PX, help="side of the finder's scenes in px")
    parser.add_argument(
        "--photos",
        type=Path,
        nargs="+",
        help="corners by datasets.photos.corners or clip_frames, to train on these too",
    )
    parser.add_argument("--frames", type=Path, default=Path("runs/frames"), help="labelled frames for the segmenter")
    parser.add_argument("--photo-share", type=float, default=0.25)
    parser.add_argument(
        "--lot-share",
        type=float,
        default=0.0,
        help="share of scenes of finder and classifier with decks of random layout (datasets/faces)",
    )
    parser.add_argument(
        "--crowded", type=float, default=0.0, help="share of the finder's scenes with many cards that cover one another"
    )
    parser.add_argument(
        "--pool",
        type=int,
        default=0,
        metavar="N",
        help="for a GPU, finder and classifier: keep N pictures in its memory and vary them there; 0: none",
    )
    parser.add_argument("--minutes", type=float, default=math.inf, help="end after so many minutes, whatever --steps")
    parser.add_argument("--pack", type=Path, help="art by models.training.art_pack instead of decks on this machine")
    parser.add_argument("--start", type=Path, help="weights (.pt) to start from instead of random ones")
    parser.add_argument(
        "--freeze",
        type=int,
        default=0,
        metavar="N",
        help="leave the first N layers of finder or classifier as they are",
    )
    parser.add_argument("--wide", action="store_true", help="a classifier of more channels (models.training.grow)")
    parser.add_argument(
        "--compile",
        action="store_true",
        help="compile a network of crops first: two thirds of the time on a processor; needs a C++ compiler",
    )
    parser.add_argument("--new-head", action="store_true", help="of a finder to start from, leave the last layer out")
    parser.add_argument("--cache", type=Path, default=Path("runs/decks"))
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    if args.network == "segmenter":
        train_segmenter(args)
        return
    folder = args.art if args.art.is_dir() else None
    art = (
        read_pack(args.pack, 0.0)[0]
        if args.pack
        else standard_art(args.cache, folder, invented=args.invented, first=args.first_deck)
    )
    TRAINERS[args.network](args, art)


if __name__ == "__main__":
    main()

"""
Compare background subtraction and segmenter: which finds arms better, pixel by pixel.

    python -m models.evaluation.compare_segmentation  # the development clips, 20 seconds of each
    python -m models.evaluation.compare_segmentation --weights runs/next --seconds 40 --out FILE.json

The clips of a list are drawn again, small, with the true class of every pixel. Background subtraction runs on every
frame, the segmenter on every fifth; there both are compared with the labels: recall and precision of arms, and the
share of card pixels classified as arm. PyTorch is not needed.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from datasets.clips.ground_truth import SceneAt
from datasets.clips.label_maps import ARM, CARD, label_map
from datasets.clips.lists import read_list
from datasets.clips.recipes import Recipe, rehearse, set_up
from datasets.decks.invented import invent_deck
from datasets.decks.library import load_decks
from scripts.results import checksums, write_result
from vision.detection import segmentation
from vision.detection.networks import find_manifest, open_network, read_manifest
from vision.detection.segmentation import MAP_PX, Segmenter
from vision.motion.background_subtraction import MotionDetector

LIST = Path("benchmarks/development.toml")
HEIGHT = 360
"""Height of the drawn clips in px; background subtraction uses a width of 320 px, the segmenter 256."""
EVERY = 5
DECK_PX = 320


@dataclass(slots=True)
class ArmPixels:
    """Pixel counts of the small maps: true arms, found and called arms, cards; milliseconds of computing per frame."""

    arm: int = 0
    found: int = 0
    called: int = 0
    card: int = 0
    card_called: int = 0
    took_ms: float = 0.0
    frames: int = 0

    def add(self, truth: np.ndarray, called: np.ndarray) -> None:
        """Add one frame: true labels and the pixels called arm."""
        arm, card = truth == ARM, truth == CARD
        self.arm += int(arm.sum())
        self.found += int((arm & called).sum())
        self.called += int(called.sum())
        self.card += int(card.sum())
        self.card_called += int((card & called).sum())

    def plus(self, other: ArmPixels) -> ArmPixels:
        """Return the sum of both."""
        return ArmPixels(**{key: value + getattr(other, key) for key, value in asdict(self).items()})

    def text(self) -> str:
        """Return the shares as text for people."""
        found = 100 * self.found / max(self.arm, 1)
        right = 100 * self.found / max(self.called, 1)
        cards = 100 * self.card_called / max(self.card, 1)
        took = self.took_ms / max(self.frames, 1)
        arms_text = f"{found:5.1f} % of arms found, {right:5.1f} % of what is called arm is one"
        return f"{arms_text}, {cards:5.2f} % of cards called arm, {took:.1f} ms"


def small(recipe: Recipe) -> Recipe:
    """Return the clip's recipe for a camera of fewer pixels."""
    scale = HEIGHT / recipe.camera.size[1]
    size = (round(recipe.camera.size[0] * scale), HEIGHT)
    return replace(recipe, camera=replace(recipe.camera, size=size, px_per_mm=recipe.camera.px_per_mm * scale))


def faces_for(deck: str) -> dict[str, np.ndarray]:
    """Return faces and back of a deck that a list names."""
    if deck.startswith("invented-"):
        made = invent_deck(int(deck.removeprefix("invented-")), DECK_PX)
    else:
        (made,) = load_decks([deck], height_px=DECK_PX)
    assert made.back is not None
    return {**made.faces, "back": made.back}


def compare(recipe: Recipe, segmenter: Segmenter, seconds: float) -> tuple[ArmPixels, ArmPixels]:
    """Run background subtraction and segmenter on one clip."""
    performance, arms = rehearse(recipe)
    painter = set_up(recipe, performance.stage, arms, faces_for(recipe.deck))
    world, gate = SceneAt(performance), MotionDetector()
    by_motion, by_network = ArmPixels(), ArmPixels()
    for number in range(int(min(seconds, performance.seconds) * performance.fps)):
        at = number / performance.fps
        moment = world.at(at)
        frame = painter.develop(painter.paint(moment), performance.room.gain(at))
        began = time.process_time()
        report = gate.feed(frame, at)
        by_motion.took_ms += (time.process_time() - began) * 1e3
        by_motion.frames += 1
        if number % EVERY:
            continue
        truth = cv2.resize(label_map(painter, moment), MAP_PX, interpolation=cv2.INTER_NEAREST)
        called = cv2.resize((report.arm_labels > 0).astype(np.uint8), MAP_PX, interpolation=cv2.INTER_NEAREST) > 0
        by_motion.add(truth, called)
        began = time.process_time()
        labels = segmenter(frame)
        by_network.took_ms += (time.process_time() - began) * 1e3
        by_network.frames += 1
        by_network.add(truth, labels == segmentation.ARM)
    return by_motion, by_network


def main(argv: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m models.evaluation.compare_segmentation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--list", type=Path, default=LIST)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="just these clips")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each clip")
    parser.add_argument("--weights", type=Path, help="other weights than the shipped ones")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write the figures to a file")
    args = parser.parse_args(argv)
    manifest = read_manifest(args.weights or find_manifest())
    if manifest.segmenter is None:
        print("expected weights with a segmenter, got some without; name others with --weights", file=sys.stderr)
        return 1
    segmenter = Segmenter(open_network(manifest.file(manifest.segmenter)))
    totals = (ArmPixels(), ArmPixels())
    found = {}
    for clip in read_list(args.list):
        if args.only and clip.name not in args.only:
            continue
        both = compare(small(clip.recipe), segmenter, args.seconds)
        totals = (totals[0].plus(both[0]), totals[1].plus(both[1]))
        found[clip.name] = {"gate": asdict(both[0]), "segmenter": asdict(both[1])}
        print(f"{clip.name}\n  gate      {both[0].text()}\n  segmenter {both[1].text()}", flush=True)
    print(f"all\n  gate      {totals[0].text()}\n  segmenter {totals[1].text()}")
    if args.out is not None:
        found["all"] = {"gate": asdict(totals[0]), "segmenter": asdict(totals[1])}
        on = {"list": str(args.list), "seconds": args.seconds, "clips": sorted(found)}
        write_result(args.out, "models.evaluation.compare_segmentation", on, found, checksums(args.weights))
    return 0


if __name__ == "__main__":
    sys.exit(main())

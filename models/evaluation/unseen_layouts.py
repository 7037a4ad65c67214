"""
Count how many faces of layouts outside training are named rightly, uncovered, 70 px tall and more.

    python -m models.evaluation.unseen_layouts                         # what ships
    python -m models.evaluation.unseen_layouts --weights runs/next --tables 200 --out FILE.json

The decks are drawn by lot (``datasets.faces``) from seeds and signs that training does not use. A third of the tables
is dealt from decks whose rank and suit stand to each other as on no deck of training
(``datasets.faces.arrangement.KEPT_OUT``), the others from decks of the relations that training knows. Each table is
looked at twice: the classifier reads every card at its true corners, a hundredth of the card off; and the whole eye
reads the picture as the program does. PyTorch is not needed.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from datasets.decks.library import default_art, load_decks
from datasets.faces.arrangement import KEPT_OUT, RELATIONS
from datasets.faces.face import RESERVED_SIGNS, LotStyle, court_pictures
from datasets.faces.lot_art import LotFaces, side_by_side
from datasets.faces.signs import load_signs
from datasets.scenes.scene import Art, Scene, load_art, make_scene
from models.evaluation.check_sets import card_height_px
from models.evaluation.hard_light import light_of
from scripts.results import checksums, write_result
from vision.detection.card_detector import NetworkCardDetector, load_card_detector
from vision.detection.detections import CLASS_NAMES, FACE_COUNT
from vision.geometry.quads import iou

SIZE = (960, 640)
TALL_PX = (90.0, 210.0)
"""Heights of the cards near the middle; farther ones are smaller."""
LEAST_PX, LEAST_SEEN = 70.0, 0.97
"""Height and share in view from which a card is asked for."""
LEAST_SIGN_PX = 9.0
"""Height in px from which its largest rank and its largest suit are legible; a card with smaller ones is not asked
for."""
MISSED_BY = 0.01
"""Share of a card's size by which the true corners are shifted before the classifier reads there."""
SAME = 0.5
"""Share of their union from which a detection is a card's."""
FIRST_SEED = {"check": 910_000_000, "dev": 810_000_000}


@dataclass(slots=True)
class Count:
    """Of ``asked`` faces: named rightly at their corners, by the whole detector, and wrongly though sure (0.97)."""

    asked: int = 0
    read: int = 0
    reported: int = 0
    wrong_sure: int = 0

    def text(self) -> str:
        """Return the counts as text for people."""
        asked = max(self.asked, 1)
        return (
            f"{100 * self.read / asked:.1f} % at their corners, {100 * self.reported / asked:.1f} % by the whole eye, "
            f"{100 * self.wrong_sure / asked:.2f} % wrong and sure, of {self.asked} faces"
        )


def tables(art: Art, faces: LotFaces, split: str, count: int) -> Iterator[tuple[str, float, Scene]]:
    """
    Yield (relation, height of the smaller of the largest rank and the largest suit as a share of the card, scene).
    """
    known, kept_out = tuple(RELATIONS), KEPT_OUT
    for number in range(count):
        seed = FIRST_SEED[split] + number
        rng = np.random.default_rng([seed, 0x1A7])
        group = kept_out if number % 3 == 0 else known
        relation = group[number // 3 % len(group)]
        poses = side_by_side(rng, int(rng.integers(4, 7)))
        style = LotStyle(rng, faces.signs, relation)
        marks = style.arrangement.marks
        signs = min(max(mark.tall for mark in marks if mark.sign == sign) for sign in ("rank", "suit"))
        yield relation, signs, make_scene(faces.art(rng, art, style, len(poses)), seed, SIZE, TALL_PX, poses=poses)


def count_scene(
    detector: NetworkCardDetector, rng: np.random.Generator, scene: Scene, signs: float, counts: list[Count]
) -> None:
    """Read one table and add to each of the counts. ``signs``: as ``tables`` has it."""
    least_px = max(LEAST_PX, LEAST_SIGN_PX / signs)
    asked = [
        i
        for i, quad in enumerate(scene.corners_px)
        if card_height_px(quad) >= least_px and scene.visible[i] >= LEAST_SEEN
    ]
    if not asked:
        return
    quads = scene.corners_px[asked]
    sizes = np.sqrt(np.prod(quads.max(axis=1) - quads.min(axis=1), axis=1))[:, None, None]
    shifted = (quads + rng.normal(0, MISSED_BY, quads.shape) * sizes).astype(np.float32)
    shares = detector.classifier.read(scene.image, shifted)
    seen = detector.detect(scene.image)
    for row, index in enumerate(asked):
        truth = CLASS_NAMES.index(scene.names[index])
        overlaps = [iou(quad, scene.corners_px[index]) for quad in seen.corners_px]
        best = int(np.argmax(overlaps)) if overlaps else -1
        reported = int(seen.best[best]) if best >= 0 and overlaps[best] > SAME else -1
        sure = reported >= 0 and reported < FACE_COUNT and float(seen.probabilities[best, reported]) >= 0.97
        for count in counts:
            count.asked += 1
            count.read += int(shares[row].argmax() == truth)
            count.reported += int(reported == truth)
            count.wrong_sure += int(sure and reported != truth)


def main(argv: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m models.evaluation.unseen_layouts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--split", choices=tuple(FIRST_SEED), default="check")
    parser.add_argument("--tables", type=int, default=240)
    parser.add_argument("--weights", type=Path, help="other weights than those that travel with the program")
    parser.add_argument("--art", type=Path, default=default_art(), help="folder of further art: textures and hands")
    parser.add_argument("--cache", type=Path, default=Path("runs/decks"))
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write the figures to a file")
    args = parser.parse_args(argv)
    folder = args.art
    decks = load_decks(["own"], 320)
    art = load_art(decks, folder / "textures" if folder else None, folder / "hands" if folder else None)
    signs = load_signs(RESERVED_SIGNS + (1000 if args.split == "dev" else 0), 60, 60, args.cache)
    faces = LotFaces(signs, court_pictures(decks), 1.0)
    detector = load_card_detector(args.weights)
    counts: dict[str, Count] = defaultdict(Count)
    rng = np.random.default_rng(1)
    for relation, signs_share, scene in tables(art, faces, args.split, args.tables):
        group = "relations kept out" if relation in KEPT_OUT else "relations known"
        light = "even or dim light" if light_of(scene.image) in ("even", "dim") else "dark or over-exposed"
        count_scene(detector, rng, scene, signs_share, [counts["all"], counts[group], counts[light], counts[relation]])
    for name in ("all", "relations known", "relations kept out", "even or dim light", "dark or over-exposed"):
        print(f"{name}: {counts[name].text()}")
    for name in (*RELATIONS, *KEPT_OUT):
        print(f"  {name}: {counts[name].text()}")
    if args.out is not None:
        found = {
            name: {"asked": c.asked, "read": c.read, "reported": c.reported, "wrong_sure": c.wrong_sure}
            for name, c in counts.items()
        }
        on = {"split": args.split, "tables": args.tables, "first seed": FIRST_SEED[args.split]}
        write_result(args.out, "models.evaluation.unseen_layouts", on, found, checksums(args.weights))
    return 0


if __name__ == "__main__":
    sys.exit(main())

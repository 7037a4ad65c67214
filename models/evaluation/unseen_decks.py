"""
Measure whether a name's probability means what it says on decks that nobody has seen: printed against custom.

    python -m models.evaluation.unseen_decks                                  # what ships, decks kept for checking
    python -m models.evaluation.unseen_decks --split dev --weights runs/next --decks 40 --out FILE.json

Each deck (``datasets.decks.invented_prints``) is dealt on ``TABLES`` tables side by side, near and far, which are
analysed as ``kozyr read`` does it, without a pack as a prior. Counted are uncovered cards of 60 px and more that it
found: named rightly, wrong although surer than 0.95, and the calibration error (the mean distance of probability and
share of right names over ten bins, weighted by their cards). A card of which nothing legible is printed can only be
missed, so rates, not counts, are compared.
PyTorch is not needed.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from datasets.decks.invented import REPRINTED_CHECK, invent_deck, prints_of
from datasets.decks.library import Deck, default_art, load_decks
from datasets.faces.lot_art import side_by_side
from datasets.scenes.scene import Art, Scene, face_levels, load_art, make_scene
from features.stills.detector import StillDetector
from models.evaluation.check_sets import DECK_PX, card_height_px
from scripts.results import checksums, write_result
from vision.detection.card_detector import load_card_detector
from vision.detection.detections import CLASS_NAMES, FACE_COUNT
from vision.geometry.quads import iou

FIRST_DECK = {"check": REPRINTED_CHECK.start, "dev": 580_000}
TABLES, SIZE = 3, (960, 640)
TALL_PX = (60.0, 210.0)
LEAST_PX, LEAST_SEEN, SAME = 60.0, 0.97, 0.5
"""Height and share in view from which a card is asked for; share of their union from which a detection is a card's."""
SURE = 0.95
BINS = 10


@dataclass(slots=True)
class NameCount:
    """``asked``: cards to read. ``names``: of each found one its probability and whether it is right."""

    asked: int = 0
    names: list[tuple[float, bool]] = field(default_factory=list)

    @property
    def right(self) -> int:
        """Return the number of cards named rightly."""
        return sum(is_right for _, is_right in self.names)

    @property
    def sure(self) -> list[bool]:
        """Return of each card named with more than ``SURE`` whether it is right."""
        return [is_right for share, is_right in self.names if share > SURE]

    def calibration_error(self) -> float:
        """
        Return the expected calibration error, 0..1.

        >>> NameCount(2, [(0.85, True), (0.85, False)]).calibration_error()
        0.35
        """
        bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
        for share, is_right in self.names:
            bins[min(int(share * BINS), BINS - 1)].append((share, is_right))
        off = (abs(sum(share - is_right for share, is_right in part)) for part in bins.values())
        return round(sum(off) / max(len(self.names), 1), 6)

    def text(self) -> str:
        """Return the counts as text for people."""
        sure = self.sure
        return (
            f"{self.right} of {self.asked} right, {len(self.names)} found; surer than {SURE}: {len(sure)}, of these "
            f"wrong {sure.count(False)}; calibration error {100 * self.calibration_error():.1f} %"
        )


def tables(art: Art, deck: Deck, seed: int) -> Iterator[Scene]:
    """Yield the tables on which one deck is read."""
    faces = {name: face_levels(face) for name, face in deck.faces.items()}
    dealt = replace(art, decks=(faces,), names=(deck.name,), weights=np.ones(1))
    for number in range(TABLES):
        rng = np.random.default_rng([seed, number, 0xDEA1])
        poses = side_by_side(rng, int(rng.integers(4, 7)))
        yield make_scene(dealt, seed * TABLES + number, SIZE, TALL_PX, poses=poses)


def count_table(detector: StillDetector, scene: Scene, counts: list[NameCount]) -> None:
    """Read one table and add to each of the counts."""
    seen = detector.study(scene.image).seen
    for name, quad, visible in zip(scene.names, scene.corners_px, scene.visible, strict=True):
        if card_height_px(quad) < LEAST_PX or visible < LEAST_SEEN:
            continue
        overlaps = [iou(other, quad) for other in seen.corners_px]
        best = int(np.argmax(overlaps)) if overlaps else -1
        is_found = best >= 0 and overlaps[best] > SAME and int(seen.best[best]) < FACE_COUNT
        for count in counts:
            count.asked += 1
            if is_found:
                share = float(seen.probabilities[best].max())
                count.names.append((share, CLASS_NAMES[int(seen.best[best])] == name))


def main(argv: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m models.evaluation.unseen_decks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--split", choices=tuple(FIRST_DECK), default="check")
    parser.add_argument("--decks", type=int, default=60)
    parser.add_argument("--weights", type=Path, help="other weights than those that travel with the program")
    parser.add_argument("--art", type=Path, default=default_art(), help="folder of further art: textures and hands")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write the figures to a file")
    args = parser.parse_args(argv)
    folder = args.art
    art = load_art(load_decks(["own"], DECK_PX), *((folder / "textures", folder / "hands") if folder else (None, None)))
    detector = StillDetector(load_card_detector(args.weights))
    counts: dict[str, NameCount] = defaultdict(NameCount)
    for seed in range(FIRST_DECK[args.split], FIRST_DECK[args.split] + args.decks):
        kinds = sorted(prints_of(seed))
        for scene in tables(art, invent_deck(seed, DECK_PX), seed):
            count_table(detector, scene, [counts["all"], *(counts[kind] for kind in kinds)])
    for name, count in counts.items():
        print(f"{name}: {count.text()}")
    if args.out is not None:
        found = {
            name: {
                "asked": count.asked,
                "right": count.right,
                "sure": len(count.sure),
                "sure and wrong": count.sure.count(False),
                "calibration error": count.calibration_error(),
            }
            for name, count in counts.items()
        }
        on = {"split": args.split, "decks": args.decks, "first deck": FIRST_DECK[args.split]}
        write_result(args.out, "models.evaluation.unseen_decks", on, found, checksums(args.weights))
    return 0


if __name__ == "__main__":
    sys.exit(main())

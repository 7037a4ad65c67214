"""
Corners or oriented boxes? Both designs on the same held-out scenes, by how well they outline cards.

    python -m models.compare --corners runs/detector/step-1000.pt --obb runs/obb/step-1000.pt --scenes 300

Prints the share of cards found with at least half and three quarters of the outline in common, precision at the same
marks, and the median miss of a corner in hundredths of the card's size: for each design, and for the best oriented
boxes there could be, drawn round the true corners. The scenes' seeds are not trained on. With ``--refiner`` each line
is told a second time with the corners put right by that network, as the program does it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from datasets.scenes import Art, make_scene, standard_art
from models.feeds import CANVAS_PX, LARGEST_CARD, SMALLEST_CARD
from vision.claims import ClaimSettings
from vision.detector import CardFinder, FinderSettings, strike_doubles
from vision.geometry import iou
from vision.refiner import CornerRefiner
from vision.weights import open_network

HELD_OUT_SEED = 900_000_000
Outlines = Callable[[np.ndarray], np.ndarray]


def outlines_of(weights: Path, confidence: float, canvas_px: int) -> Outlines:
    """Quads of a finding network of either design, as the program finds them."""
    finder = CardFinder(open_network(weights), FinderSettings(input_px=canvas_px, far_px=0, confidence=confidence))

    def outlines(image: np.ndarray) -> np.ndarray:
        found = finder.find(image)
        return found.corners_px[strike_doubles(found.corners_px, found.confidence, ClaimSettings().overlap)]

    return outlines


def refined(outlines: Outlines, refiner: CornerRefiner) -> Outlines:
    """The same outlines with their corners put right."""

    def better(image: np.ndarray) -> np.ndarray:
        return refiner.refine(image, outlines(image))

    return better


def corner_miss(truth: np.ndarray, found: np.ndarray) -> float:
    """Mean distance of corners, in card sizes, for the best order."""
    size = np.sqrt(cv2.contourArea(truth))
    return min(float(np.linalg.norm(np.roll(found, k, axis=0) - truth, axis=1).mean()) for k in range(4)) / size


def best_boxes(corners_px: np.ndarray) -> np.ndarray:
    """The tightest rectangles round the true corners: what a box network would tell if it never erred."""
    return np.array([cv2.boxPoints(cv2.minAreaRect(quad)) for quad in corners_px], np.float32).reshape(-1, 4, 2)


def score(outlines: Outlines | None, count: int, decks: Art, canvas_px: int) -> str:
    """One line of figures over ``count`` scenes; without ``outlines`` those of the best boxes."""
    labelled = claimed = 0
    hits = {0.5: 0, 0.75: 0}
    misses = []
    for index in range(count):
        scene = make_scene(
            decks, HELD_OUT_SEED + index, (canvas_px, canvas_px), (SMALLEST_CARD * canvas_px, LARGEST_CARD * canvas_px)
        )
        found = list(outlines(scene.image) if outlines else best_boxes(scene.corners_px))
        labelled, claimed = labelled + len(scene.corners_px), claimed + len(found)
        for truth in scene.corners_px:
            shares = [iou(truth, quad) for quad in found]
            if not shares or max(shares) < 0.5:
                continue
            best = int(np.argmax(shares))
            for mark in hits:
                hits[mark] += shares[best] >= mark
            misses.append(corner_miss(truth, found.pop(best)))
    told = [f"{name} {value:.1%}" for name, value in _rates(hits, labelled, claimed).items()]
    return f"{labelled} cards: " + ", ".join(told) + f", corner miss {100 * float(np.median(misses)):.1f} % of the card"


def _rates(hits: dict[float, int], labelled: int, claimed: int) -> dict[str, float]:
    rates = {}
    for mark, count in hits.items():
        rates[f"recall@{mark:g}"] = count / max(labelled, 1)
        rates[f"precision@{mark:g}"] = count / max(claimed, 1)
    return rates


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corners", type=Path)
    parser.add_argument("--obb", type=Path)
    parser.add_argument("--refiner", type=Path, help="put corners right with this network, too")
    parser.add_argument("--scenes", type=int, default=300)
    parser.add_argument("--confidence", type=float, default=0.3)
    parser.add_argument("--art", type=Path, default=Path("../shared/art"))
    parser.add_argument("--cache", type=Path, default=Path("runs/decks"))
    parser.add_argument("--canvas", type=int, default=CANVAS_PX, help="side of the scenes in px")
    args = parser.parse_args()
    decks = standard_art(args.cache, args.art if args.art.is_dir() else None)
    designs: dict[str, Outlines | None] = {}
    for name, weights in (("corners", args.corners), ("boxes", args.obb)):
        if weights:
            designs[name] = outlines_of(weights, args.confidence, args.canvas)
    if args.refiner:
        refiner = CornerRefiner(open_network(args.refiner))
        designs |= {f"{name} refined": refined(found, refiner) for name, found in designs.items() if found}
    designs["best boxes"] = None
    for name, found in designs.items():
        print(f"{name + ':':<20}", score(found, args.scenes, decks, args.canvas), flush=True)


if __name__ == "__main__":
    main()

"""
Compare designs of the finder (corners, oriented boxes, indices) by how well they outline cards of held-out scenes.

    python -m models.evaluation.compare_finders --corners runs/detector/step-1000.pt --obb runs/obb/step-1000.pt \\
        --indices runs/indices/step-1000.pt --scenes 300

Prints the share of cards found with at least half and three quarters of the outline in common, precision at the same
marks, and the median miss of a corner in hundredths of the card's size: for each design, and for the best oriented
boxes there could be, drawn round the true corners. The scenes' seeds are not trained on. With ``--corner-refiner`` each
line
is scored a second time with its corners refined by that network, as the program does it. A card of which one index
was found may lie either way from it; the better of the two outlines counts, which a program would have to guess.
``--faces`` leaves cards that lie face down out of the count: they have no index.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

import cv2
import numpy as np

from datasets.scenes.scene import BACK, Scene, make_scene, standard_art
from models.training.feeds import CANVAS_PX, LARGEST_CARD, SMALLEST_CARD, turned_box
from models.training.index_finder import cards_from, index_scene
from vision.detection.finder import (
    SAME_CARD_IOU,
    CardFinder,
    CornerRefiner,
    FinderSettings,
    non_maximum_suppression,
    proposed_quads,
)
from vision.detection.networks import open_network
from vision.geometry.quads import iou

HELD_OUT_SEED = 900_000_000
Outlines = Callable[[np.ndarray], list[np.ndarray]]
"""Of a picture: for each claimed card the outlines (k, 4, 2) it may have, of which one is meant."""


def outlines_of(weights: Path, confidence: float, canvas_px: int, *, indices: bool = False) -> Outlines:
    """Return a function that finds cards with a network of any design, as the program finds them."""
    finder = CardFinder(open_network(weights), FinderSettings(input_px=canvas_px, confidence=confidence))

    def outlines(image: np.ndarray) -> list[np.ndarray]:
        found = finder.find(image)
        quads = found.corners_px[non_maximum_suppression(found.corners_px, found.confidence, SAME_CARD_IOU)]
        return cards_from(quads) if indices else [quad[None] for quad in quads]

    return outlines


def refined(outlines: Outlines, refiner: CornerRefiner) -> Outlines:
    """Return a function that refines the corners of these outlines."""

    def better(image: np.ndarray) -> list[np.ndarray]:
        return [refiner.refine(image, quads) for quads in outlines(image)]

    return better


def on_scene(outlines: Outlines) -> Callable[[Scene], list[np.ndarray]]:
    """Return the outlines that a network finds in the picture of a scene."""
    return lambda scene: outlines(scene.image)


def corner_miss(truth: np.ndarray, found: np.ndarray) -> float:
    """Mean distance of corners, in card sizes, for the best order."""
    size = np.sqrt(cv2.contourArea(truth))
    return min(float(np.linalg.norm(np.roll(found, k, axis=0) - truth, axis=1).mean()) for k in range(4)) / size


def best_boxes(scene: Scene) -> list[np.ndarray]:
    """Return the tightest rectangles around the true corners: what a box network without errors would report."""
    return [cv2.boxPoints(cv2.minAreaRect(quad))[None].astype(np.float32) for quad in scene.corners_px]


def best_indices(scene: Scene) -> list[np.ndarray]:
    """
    Return the cards of the boxes around the true indices in view: what a network of indices without errors would
    report.
    """
    boxes = []
    for zone in index_scene(scene).corners_px:
        x, y, wide, tall, turn = turned_box(zone)
        boxes.append(proposed_quads(np.array([[x, y, wide, tall, 1.0, turn]], np.float32).T)[0])
    return cards_from(np.array(boxes, np.float32).reshape(-1, 4, 2))


def score(outlines: Callable[[Scene], list[np.ndarray]], scenes: Iterable[Scene], faces: bool) -> str:
    """Return one line of figures; ``faces``: of cards that lie face up alone."""
    labelled = claimed = 0
    hits = {0.5: 0, 0.75: 0}
    misses = []
    for scene in scenes:
        found = list(outlines(scene))
        claimed += len(found)
        for truth, name in zip(scene.corners_px, scene.names, strict=True):
            counts = name != BACK or not faces
            labelled += counts
            shares = [max(iou(truth, quad) for quad in quads) for quads in found]
            if not shares or max(shares) < 0.5:
                continue
            best = int(np.argmax(shares))
            quads = found.pop(best)
            if not counts:
                claimed -= 1
                continue
            for mark in hits:
                hits[mark] += shares[best] >= mark
            misses.append(min(corner_miss(truth, quad) for quad in quads))
    reported = [f"{name} {value:.1%}" for name, value in _rates(hits, labelled, claimed).items()]
    return (
        f"{labelled} cards: "
        + ", ".join(reported)
        + f", corner miss {100 * float(np.median(misses)):.1f} % of the card"
    )


def _rates(hits: dict[float, int], labelled: int, claimed: int) -> dict[str, float]:
    rates = {}
    for mark, count in hits.items():
        rates[f"recall@{mark:g}"] = count / max(labelled, 1)
        rates[f"precision@{mark:g}"] = count / max(claimed, 1)
    return rates


def main() -> None:
    """Compare finders on labelled pictures and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corners", type=Path)
    parser.add_argument("--obb", type=Path)
    parser.add_argument("--indices", type=Path)
    parser.add_argument("--faces", action="store_true", help="leave cards that lie face down out of the count")
    parser.add_argument("--corner-refiner", type=Path, help="put corners right with this network, too")
    parser.add_argument("--scenes", type=int, default=300)
    parser.add_argument("--confidence", type=float, default=0.3)
    parser.add_argument("--art", type=Path, default=Path("../shared/art"))
    parser.add_argument("--cache", type=Path, default=Path("runs/decks"))
    parser.add_argument("--canvas", type=int, default=CANVAS_PX, help="side of the scenes in px")
    args = parser.parse_args()
    decks = standard_art(args.cache, args.art if args.art.is_dir() else None)
    networks: dict[str, Outlines] = {}
    for name, weights in (("corners", args.corners), ("boxes", args.obb), ("indices", args.indices)):
        if weights:
            networks[name] = outlines_of(weights, args.confidence, args.canvas, indices=name == "indices")
    if args.corner_refiner:
        refiner = CornerRefiner(open_network(args.corner_refiner))
        networks |= {f"{name} refined": refined(found, refiner) for name, found in networks.items()}
    designs = {name: on_scene(found) for name, found in networks.items()}
    designs |= {"best boxes": best_boxes, "best indices": best_indices}
    size, card_px = (args.canvas, args.canvas), (SMALLEST_CARD * args.canvas, LARGEST_CARD * args.canvas)
    for name, found in designs.items():
        scenes = (make_scene(decks, HELD_OUT_SEED + index, size, card_px) for index in range(args.scenes))
        print(f"{name + ':':<20}", score(found, scenes, args.faces), flush=True)


if __name__ == "__main__":
    main()

"""
Collect the finder's false claims on pictures without cards, as training data for the classifier.

    python -m models.training.false_claims --count 400 --out runs/false-claims

Draws pictures without cards (``datasets.scenes.no_cards``) from seeds that no evaluation uses, runs the shipped finder
on them with a low threshold, and writes its claims as photographs without cards: ``OUT.jsonl``, to be named with
``--photos`` of ``models.training.train classifier``, and the pictures in the folder ``OUT``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cv2

from datasets.decks.library import load_decks
from datasets.photos.corners import Photo, write_photos
from datasets.scenes.no_cards import no_card_picture
from datasets.scenes.scene import load_art
from vision.detection.card_detector import load_card_detector
from vision.detection.detections import CLASS_NAMES, NOTHING_INDEX

LEAST = 0.03
"""The finder's confidence from which a claim counts. The program asks the classifier about surer ones only."""
MOST = 12
"""Most claims kept per picture; a keyboard has hundreds."""
FIRST_SEED = 400_000_000


def main() -> None:
    """Draw pictures, run the finder, keep its claims."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=400, help="number of pictures")
    parser.add_argument("--out", type=Path, default=Path("runs/false-claims"))
    parser.add_argument("--art", type=Path, default=Path("../shared/art"))
    parser.add_argument("--weights", type=Path)
    args = parser.parse_args()
    folder = args.art if args.art.is_dir() else None
    art = load_art(
        load_decks(["own"], 320), folder / "textures" if folder else None, folder / "hands" if folder else None
    )
    detector = load_card_detector(args.weights)
    args.out.mkdir(parents=True, exist_ok=True)
    photos = []
    for number in range(args.count):
        _, image = no_card_picture(art, FIRST_SEED + 2 * number)
        claims = detector.finder.find_large(image, detector.finder.find(image, LEAST), LEAST)
        quads = detector.corner_refiner.refine(image, claims.corners_px)[:MOST]
        if len(quads):
            path = args.out / f"{number}.jpg"
            cv2.imwrite(str(path), image, [cv2.IMWRITE_JPEG_QUALITY, 92])
            photos.append(Photo(path, quads, (CLASS_NAMES[NOTHING_INDEX],) * len(quads), complete=False))
    write_photos(args.out.with_suffix(".jsonl"), photos)
    claimed = sum(len(photo.names) for photo in photos)
    print(f"{claimed} claims on {len(photos)} of {args.count} pictures", file=sys.stderr)


if __name__ == "__main__":
    main()

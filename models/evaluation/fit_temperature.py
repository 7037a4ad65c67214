"""
Fit the temperature that makes the classifier's confidence a probability, by likelihood on `dev` pictures.

    python -m models.evaluation.fit_temperature --photos PHOTOS --count 36 --tables 18

Each card that is reported counts once: as likely as its confidence where it is right, as the rest of it where it is
wrong. A temperature takes the whole distribution to a power, so the pictures are read once, with the one that ships.
The classifier was trained on `dev` photographs, which flatters it there; that is why invented tables stand beside them,
of decks that no training met. `check` is never asked.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from datasets.photos.labels import load_photos
from features.stills.detector import StillDetector
from features.stills.reading import StillSettings
from models.evaluation.check_sets import CHECK_SETS, pictures_of
from models.evaluation.evaluate import PHOTOS, SURE, Made, photo_pictures
from models.evaluation.scoring import CardReading, calibration_error, score_picture
from vision.detection.card_detector import NetworkCardDetector, load_card_detector
from vision.detection.detections import BACK_INDEX, CLASS_NAMES
from vision.detection.networks import find_manifest, read_manifest

TEMPERATURES = np.round(np.arange(0.5, 1.31, 0.05), 2)
TABLES = "pair tables"


@dataclass(frozen=True, slots=True, eq=False)
class ScoredReading:
    """A card as it was read: its distribution (54,), and whether its likeliest name is right."""

    shares: np.ndarray
    is_right: bool


def cards_read(detector: NetworkCardDetector, pictures: Iterable[Made], least: float) -> list[ScoredReading]:
    """Return all faces read on these pictures from a confidence of ``least`` on."""
    cards: list[ScoredReading] = []
    still = StillDetector(detector)
    for picture, image in pictures:
        seen = still.study(image).seen
        read = [k for k in range(len(seen)) if seen.best[k] < BACK_INDEX and seen.probabilities[k].max() >= least]
        read = [k for k in read if CLASS_NAMES[seen.best[k]] not in picture.unasked]
        readings = [
            CardReading(CLASS_NAMES[seen.best[k]], float(seen.probabilities[k].max()), seen.corners_px[k]) for k in read
        ]
        claims = score_picture(picture, readings).claims
        cards += [ScoredReading(seen.probabilities[k], claim[1]) for k, claim in zip(read, claims, strict=True)]
    return cards


def claims_at(cards: Sequence[ScoredReading], change: float) -> list[tuple[float, bool]]:
    """Return (confidence, right) of each card with a temperature ``change`` times the one it was read with."""
    out = []
    for card in cards:
        powered = np.maximum(card.shares.astype(np.float64), 1e-12) ** (1 / change)
        out.append((float(powered.max() / powered.sum()), card.is_right))
    return out


def surprise(claims: Sequence[tuple[float, bool]]) -> float:
    """
    Mean negative log-likelihood of what turned out.

    >>> round(surprise([(0.5, True), (0.5, False)]), 4)
    0.6931
    """
    reported = [share if is_right else 1 - share for share, is_right in claims]
    return float(-np.mean(np.log(np.maximum(reported, 1e-6))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=Path, default=PHOTOS, help="folder of labelled sets")
    parser.add_argument("--count", type=int, default=36, help="`dev` photographs of each set")
    parser.add_argument("--tables", type=int, default=18, help="invented pair tables")
    parser.add_argument("--weights", type=Path, help="the manifest of other weights than those that ship")
    arguments = parser.parse_args()
    manifest = arguments.weights or find_manifest()
    detector, ships = load_card_detector(manifest), float(read_manifest(manifest).classifier["temperature"])
    sets: dict[str, list[ScoredReading]] = {}
    least = StillSettings().least_share
    for folder in sorted(path.parent for path in arguments.photos.glob("*/labels.jsonl")):
        labelled = load_photos(folder, "dev")
        some = labelled[:: max(1, len(labelled) // arguments.count)][: arguments.count]
        sets[folder.name] = cards_read(detector, photo_pictures(some), least)
    tables = next(check_set for check_set in CHECK_SETS if check_set.name == TABLES)
    sets[TABLES] = cards_read(detector, pictures_of(tables, arguments.tables, "dev"), least)
    print(f"shipped: {ships}; mean surprise by temperature, each card counting alike; then set by set")
    for temperature in TEMPERATURES:
        claims = {name: claims_at(cards, float(temperature) / ships) for name, cards in sets.items()}
        mean = surprise([claim for found in claims.values() for claim in found])
        parts = []
        for name, found in claims.items():
            sure = np.mean([share >= SURE for share, _ in found])
            parts.append(f"{name} {surprise(found):.4f} ({calibration_error(found):.3f}, sure {sure:.3f})")
        print(f"{temperature:.2f}  {mean:.4f}  {'  '.join(parts)}", flush=True)
    print(
        {name: f"{len(cards)} cards, {sum(not card.is_right for card in cards)} wrong" for name, cards in sets.items()}
    )


if __name__ == "__main__":
    main()

"""
Measure what a deck gains from corrected cards: invented decks are shown, misread at tables, corrected, and read again.

    python -m models.evaluation.correction_gain                       # the invented decks for tuning, minutes each
    python -m models.evaluation.correction_gain --deck 9104 --tables 60 --later 60

Each deck is enrolled as in ``enrol_gain``. Then tables under other lamps are read with it; every card that is named
wrongly is cut out as a game does and kept under its true name, as if somebody had corrected it. ``learn`` gets these
pictures. What counts are tables that come later, read before and after. PyTorch is not needed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from datasets.decks.invented import invent_deck
from datasets.decks.library import Deck, default_art
from datasets.scenes.layouts import any_layout
from datasets.scenes.scene import Art, Scene, load_art, make_scene
from features.enrolment.corrected_cards import CorrectionSettings, Counted, learn
from features.enrolment.deck_file import DeckFileError, load_deck
from features.enrolment.deck_names import deck_path
from features.enrolment.known_deck import KnownDeckClassifier
from models.evaluation.check_sets import DECK_PX, DEV_DECKS, SIZE
from models.evaluation.enrol_gain import FIRST_SEED, PACK, enrolled
from referee.cards import Card, pack
from vision.detection.card_detector import NetworkCardDetector, load_card_detector
from vision.detection.classifier import CardClassifier
from vision.detection.detections import CLASS_NAMES, FACES
from vision.geometry.quads import iou
from vision.view.pipeline_view import SeenCard
from webapp.live.film_recorder import cut
from webapp.store.labelled_pictures import LabelledPictures

SAME = 0.5
"""Overlap from which a detected card is the drawn one."""


def drawn_tables(art: Art, seed: int, count: int) -> Iterator[Scene]:
    """Draw tables as players lay them, each under a lamp of its own."""
    for k in range(count):
        layout = any_layout(np.random.default_rng([seed + k, 1]))
        tallest = min(320.0, 1.6 * SIZE[1] / np.sqrt(max(len(layout), 1)))
        yield make_scene(art, seed + k, SIZE, (70, max(90.0, tallest)), poses=layout, min_visible=0.3)


def read_cards(
    detector: NetworkCardDetector, classifier: CardClassifier, tables: Iterator[Scene]
) -> Iterator[tuple[Scene, np.ndarray, str, np.ndarray]]:
    """Yield each drawn card that was found: its table, corners (4, 2) px, true name, and (54,) shares."""
    for scene in tables:
        found = detector.detect(scene.image).corners_px
        shares = classifier.read(scene.image, found)
        for corners, name in zip(scene.corners_px, scene.names, strict=True):
            overlaps = [iou(corners, each) for each in found]
            if name in CLASS_NAMES[: len(FACES)] and overlaps and max(overlaps) >= SAME:
                best = int(np.argmax(overlaps))
                yield scene, found[best], name, shares[best]


def gain(deck: Deck, seed: int, tables: int, later: int) -> str:
    """Return what one deck gained, as a line. ``DeckFileError`` where it can't be enrolled."""
    faces = {name: deck.faces[name] for name in map(str, pack(PACK)) if name in deck.faces}
    folder = default_art()
    small = Deck(deck.name, deck.source, deck.indices, faces, deck.back)
    art = load_art([small], folder / "textures" if folder else None, folder / "hands" if folder else None)
    detector = load_card_detector()
    shown, _, _ = enrolled(detector, art, seed)
    with TemporaryDirectory() as home:
        os.environ["KOZYR_HOME"] = home
        shown.save(deck_path("shown"))
        pictures = LabelledPictures(Path(home) / "labelled")
        pictures.wish(True)
        known = KnownDeckClassifier(detector.classifier, shown)
        for line, (scene, corners, name, shares) in enumerate(
            read_cards(detector, known, drawn_tables(art, seed + 1000, tables))
        ):
            read = CLASS_NAMES[int(shares.argmax())]
            if read != name:
                quad = tuple((float(x), float(y)) for x, y in corners)
                jpeg = cut(scene.image, SeenCard(0, quad, Card.parse(name), 1.0, "bout", None, True))
                assert jpeg is not None, "a card of a table is in its picture"
                pictures.add("drawn", line, name, read, jpeg, deck="shown")
        found = learn("shown", pictures, detector)
        counted = []
        for reader in (known, KnownDeckClassifier(detector.classifier, load_deck("shown"))):
            read_later = list(read_cards(detector, reader, drawn_tables(art, seed + 5000, later)))
            shares = np.stack([each for *_, each in read_later])
            classes = np.array([CLASS_NAMES.index(name) for _, _, name, _ in read_later])
            counted.append(Counted.of(shares, classes, CorrectionSettings().sure))
    before, after = counted
    kept = f"{found['used']} of {found['pictures']} pictures used"
    if found["used"]:
        kept += (
            f", right {found['before']} -> {found['after']}, own {found['own']['before']} -> {found['own']['after']}"
        )
    did = "learned" if found["learnt"] else f"refused ({found['reason']})"
    return (
        f"{deck.name}: {kept}; {did}; of {len(classes)} cards later right {before.right} -> {after.right}, "
        f"sure and wrong {before.surely_wrong} -> {after.surely_wrong}"
    )


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deck", type=int, nargs="*", default=list(DEV_DECKS), help="seeds of invented decks")
    parser.add_argument("--tables", type=int, default=60, help="tables whose misread cards are corrected")
    parser.add_argument("--later", type=int, default=60, help="tables that are read before and after")
    args = parser.parse_args()
    for seed in args.deck:
        try:
            print(gain(invent_deck(seed, DECK_PX), FIRST_SEED["dev"] + seed, args.tables, args.later), flush=True)
        except DeckFileError as error:
            print(f"{seed}: {error}", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

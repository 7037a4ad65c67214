"""
Measure what a deck gains from corrected cards: invented decks are shown, misread at tables, corrected, and read again.

    python -m models.evaluation.correction_gain                       # the invented decks for tuning, minutes each
    python -m models.evaluation.correction_gain --deck 9104 --tables 60 --later 60

Each deck is enrolled as in ``enrol_gain``. Then tables under other lamps are read with it; every card that is named
wrongly is cut out as a game does and kept under its true name, as if somebody had corrected it. The deck tries to learn
from these pictures (``features.enrolment.corrected_cards``). What counts are tables that come later: they are read by
the deck as it was shown and by the one that has learned, also where learning is refused, so that wrong refusals show.
PyTorch is not needed.
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
from features.enrolment.confusable_cards import read_in_batches
from features.enrolment.corrected_cards import CorrectionSettings, Counted, corrected_cards, pictures_of, tried
from features.enrolment.deck_file import DeckFileError, load_deck
from features.enrolment.deck_names import deck_path
from features.enrolment.known_deck import KnownDeckClassifier
from models.evaluation.check_sets import DECK_PX, DEV_DECKS, SIZE
from models.evaluation.enrol_gain import FIRST_SEED, PACK, enrolled
from referee.cards import Card, pack
from vision.detection.card_detector import NetworkCardDetector, load_card_detector
from vision.detection.detections import CLASS_NAMES, FACES
from vision.geometry.quads import iou
from vision.view.pipeline_view import SeenCard
from webapp.live.film_recorder import cut
from webapp.store.labelled_pictures import LabelledPictures

SAME = 0.5
"""Overlap from which a detected card is the drawn one."""


def drawn_tables(art: Art, seed: int, count: int, lamp: int | None = None) -> Iterator[Scene]:
    """Draw tables as players lay them, each under a lamp of its own, or all as the seed ``lamp`` has them."""
    for k in range(count):
        layout = any_layout(np.random.default_rng([seed + k, 1]))
        tallest = min(320.0, 1.6 * SIZE[1] / np.sqrt(max(len(layout), 1)))
        yield make_scene(
            art, seed + k if lamp is None else lamp, SIZE, (70, max(90.0, tallest)), poses=layout, min_visible=0.3
        )


def found_cards(detector: NetworkCardDetector, tables: Iterator[Scene]) -> Iterator[tuple[Scene, np.ndarray, str]]:
    """Yield each drawn card that was found: its table, the corners found (4, 2) px, and its true name."""
    for scene in tables:
        found = detector.detect(scene.image).corners_px
        for corners, name in zip(scene.corners_px, scene.names, strict=True):
            overlaps = [iou(corners, each) for each in found]
            if name in CLASS_NAMES[: len(FACES)] and overlaps and max(overlaps) >= SAME:
                yield scene, found[int(np.argmax(overlaps))], name


def gain(deck: Deck, seed: int, tables: int, later: int, lamp: int | None) -> str:
    """Return what one deck gained, as a line. ``DeckFileError`` where it can't be enrolled."""
    faces = {name: deck.faces[name] for name in map(str, pack(PACK)) if name in deck.faces}
    folder = default_art()
    small = Deck(deck.name, deck.source, deck.indices, faces, deck.back)
    art = load_art([small], folder / "textures" if folder else None, folder / "hands" if folder else None)
    detector = load_card_detector()
    with TemporaryDirectory() as home:
        os.environ["KOZYR_HOME"] = home
        enrolled(detector, art, seed)[0].save(deck_path("shown"))
        shown, pictures = load_deck("shown"), LabelledPictures(Path(home) / "labelled")
        pictures.wish(True)
        known = KnownDeckClassifier(detector.classifier, shown)
        for line, (scene, corners, name) in enumerate(
            found_cards(detector, drawn_tables(art, seed + 1000, tables, lamp))
        ):
            read = CLASS_NAMES[int(known.read(scene.image, corners[None])[0].argmax())]
            if read != name:
                quad = tuple((float(x), float(y)) for x, y in corners)
                jpeg = cut(scene.image, SeenCard(0, quad, Card.parse(name), 1.0, "bout", None, True))
                assert jpeg is not None, "a card of a table is in its picture"
                pictures.add("drawn", line, name, read, jpeg, deck="shown")
        cards = corrected_cards(pictures_of("shown", pictures), shown, detector)
        if not cards:
            return f"{deck.name}: none of {pictures.count} pictures shows a card"
        trial, count = tried(shown, cards, detector.classifier), pictures.count
    crops, classes = [], []
    for scene, corners, name in found_cards(detector, drawn_tables(art, seed + 5000, later, lamp)):
        crops.append(known.crops(scene.image, corners[None])[0])
        classes.append(CLASS_NAMES.index(name))
    sure = CorrectionSettings().sure
    before, after = (
        Counted.of(read_in_batches(reader, np.stack(crops)), np.array(classes), sure)
        for reader in (known, KnownDeckClassifier(detector.classifier, trial.deck))
    )
    kept, own = trial.kept, trial.own
    return (
        f"{deck.name}: {len(cards)} of {count} pictures used, right {kept[0].right} -> {kept[1].right}, own "
        f"{own[0].right} -> {own[1].right}; {trial.reason or 'learned'}; of {len(classes)} cards later right "
        f"{before.right} -> {after.right}, sure and wrong {before.surely_wrong} -> {after.surely_wrong}"
    )


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deck", type=int, nargs="*", default=list(DEV_DECKS), help="seeds of invented decks")
    parser.add_argument("--tables", type=int, default=60, help="tables whose misread cards are corrected")
    parser.add_argument("--later", type=int, default=60, help="tables that are read before and after")
    parser.add_argument("--lamp", type=int, help="seed of the one lamp and camera of all tables (default: all differ)")
    args = parser.parse_args()
    for seed in args.deck:
        try:
            print(
                gain(invent_deck(seed, DECK_PX), FIRST_SEED["dev"] + seed, args.tables, args.later, args.lamp),
                flush=True,
            )
        except DeckFileError as error:
            print(f"{seed}: {error}", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

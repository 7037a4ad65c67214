"""
Measure the gain of enrolment: decks outside training are enrolled, and their tables read with and without.

    python -m models.evaluation.enrol_gain                              # the invented decks for tuning, some minutes
    python -m models.evaluation.enrol_gain --deck 9101 9102 --pictures 30
    python -m models.evaluation.enrol_gain --split check                # the reserved decks, once, to report

Each deck of 36 is laid out in four rows of nine under one lamp and enrolled as by ``kozyr enrol --order``; names that
``kozyr enrol`` would assign by itself are counted too. Then tables under *other* lamps are read as by ``kozyr read``,
before and after. PyTorch is not needed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from datasets.decks.deck_art import DeckError
from datasets.decks.invented import invent_deck
from datasets.decks.library import UNSEEN, Deck, default_art, load_decks
from datasets.scenes.layouts import ScenePose
from datasets.scenes.scene import Art, load_art, make_scene
from features.enrolment.confusable_cards import in_words, look_alikes
from features.enrolment.deck_file import DeckFileError, EnrolledDeck
from features.enrolment.enrolment import Enrolment, WantedDeck
from features.enrolment.known_deck import KnownDeckClassifier, must_have_features
from features.stills.reading import StillSettings
from models.evaluation.check_sets import DECK_PX, DEV_DECKS, SIZE, any_table
from models.evaluation.conditions import percent
from models.evaluation.evaluate import Job, Watched, read_set
from models.evaluation.targets import TargetResult
from referee.cards import Card, pack
from vision.capture.sources import Frame
from vision.detection.card_detector import NetworkCardDetector, load_card_detector
from vision.detection.networks import WeightsError

PACK = 36
ROW_STEP_MM = 74.0
"""Distance between cards of a row: about a finger."""
ROW_CARD_PX = (112, 135)
"""Height of a card in the rows: nine in a row fill a picture of 1280 px."""
TRIES = 8
"""Number of lamps and cameras tried until a deck can be enrolled, as people would lay it out again."""
WHOLE = 0.97
"""Smallest visible share of all cards of a row."""
FIRST_SEED = {"dev": 700_000_000, "check": 750_000_000}


@dataclass(frozen=True, slots=True)
class Gain:
    """Result of one deck. ``named``: right names by itself of ``PACK``; ``tries``: layouts until it was enrolled."""

    deck: str
    tries: int
    named: int
    doubtful: int
    before: TargetResult
    after: TargetResult
    alike: str


def rows(art: Art, seed: int, order: tuple[Card, ...]) -> list[np.ndarray] | None:
    """
    Make pictures of rows of nine, in the given order, all under the lamp and the camera that the seed gives.

    ``None`` where that camera does not show the whole row.
    """
    pictures = []
    for start in range(0, len(order), 9):
        names = [str(card) for card in order[start : start + 9]]
        poses = [ScenePose((k - 4) * ROW_STEP_MM, 0.0, 0.0) for k in range(len(names))]
        faces = {name: art.decks[0][name] for name in names}
        drawn = make_scene(_only(art, faces), seed, SIZE, ROW_CARD_PX, poses=poses, min_visible=WHOLE).names
        if len(drawn) < len(names):
            return None
        # The scene shuffles its cards: give each place's name the face that is to lie there.
        moved = {drawn[k]: faces[name] for k, name in enumerate(names)}
        ordered = {name: moved[name] for name in faces}
        pictures.append(make_scene(_only(art, ordered), seed, SIZE, ROW_CARD_PX, poses=poses).image)
    return pictures


def _only(art: Art, faces: dict[str, tuple[np.ndarray, ...]]) -> Art:
    return Art((faces,), art.names[:1], np.ones(1), art.tiles, art.hands)


def show(detector: NetworkCardDetector, deck: str, pictures: list[np.ndarray], order: tuple[Card, ...]) -> EnrolledDeck:
    """Enrol from pictures. Raises ``DeckFileError`` if that fails."""
    enrolment = Enrolment(detector, detector.classifier, WantedDeck(deck, len(order) or PACK, order=order))
    for number, picture in enumerate(pictures):
        for k in range(2):
            enrolment.feed(Frame(picture, 2 * number + k, 2.0 * number + k, cut=k == 0 and number > 0))
    return enrolment.learnt().deck


def enrolled(
    detector: NetworkCardDetector, art: Art, seed: int, cards: int = PACK
) -> tuple[EnrolledDeck, list[np.ndarray], int]:
    """
    Enrol ``count`` cards by their order; return the deck, the pictures it was learnt from, and the number of layouts
    tried.
    """
    order = pack(cards)
    problem = DeckFileError(f"expected a camera that shows nine cards in a row, got none from seed {seed}; try another")
    tried = 0
    for number in range(40 * TRIES):
        pictures = rows(art, seed + number, order)
        if pictures is None:
            continue
        tried += 1
        try:
            return show(detector, art.names[0], pictures, order), pictures, tried
        except DeckFileError as error:
            problem = error
        if tried == TRIES:
            break
    raise problem


def gain(weights: Path | None, deck: Deck, seed: int, count: int) -> Gain:
    """Enrol one deck and read ``count`` tables of it, before and after. ``DeckFileError``."""
    folder = default_art()
    faces = {name: deck.faces[name] for name in map(str, pack(PACK)) if name in deck.faces}
    small = Deck(deck.name, deck.source, deck.indices, faces, deck.back)
    art = load_art([small], folder / "textures" if folder else None, folder / "hands" if folder else None)
    detector = load_card_detector(weights)
    must_have_features(detector.classifier)
    learnt, pictures, tries = enrolled(detector, art, seed)
    alone = show(detector, deck.name, pictures, ())
    truth = {view.crop.tobytes(): view.card for view in learnt.views}
    named = {view.card for view in alone.views if truth.get(view.crop.tobytes()) == view.card}
    settings = StillSettings(pack_size=52)

    def tables() -> Job:
        made = (any_table(art, seed + 1000 + k, "dev") for k in range(count))
        return Job(deck.name, "dev", made)

    before, _ = read_set(tables(), Watched(detector), settings, 0)
    classifier = KnownDeckClassifier(detector.classifier, learnt)
    detector.classifier = classifier
    after, _ = read_set(tables(), Watched(detector), settings, 0)
    alike = in_words(look_alikes(classifier)[:3])
    return Gain(deck.name, tries, len(named), len(alone.doubtful), before, after, alike)


def decks_for(args: argparse.Namespace) -> Iterator[Deck]:
    """Return the requested decks; numbers are seeds of invented ones."""
    names = args.deck or ([str(seed) for seed in DEV_DECKS] if args.split == "dev" else list(UNSEEN))
    for name in names:
        if name.isdigit():
            yield invent_deck(int(name), DECK_PX)
        else:
            yield from load_decks([name], height_px=DECK_PX, reserved=args.split == "check")


ROWS: tuple[tuple[str, Callable[[TargetResult], str]], ...] = (
    ("right", lambda r: f"{r.score.right} of {r.score.labelled}"),
    ("plain ones right", lambda r: percent(r.plain)),
    ("wrong", lambda r: str(r.score.invented)),
    ("F1", lambda r: percent(r.score.f1)),
    ("found", lambda r: percent(r.score.found)),
    ("rank of these", lambda r: percent(r.score.rank)),
    ("suit of these", lambda r: percent(r.score.suit)),
    ("sure", lambda r: percent(r.score.sure)),
    ("wrong of the sure", lambda r: percent(r.score.wrong_sure, 2)),
    ("calibration error", lambda r: f"{r.score.calibration:.3f}"),
)
"""Plain ones: 70 px tall and more, covered 65 % at most."""


def table(result: Gain) -> str:
    """Format one deck's figures for people."""
    head = f"{result.deck}: {result.before.score.pictures} tables; enrolled at layout {result.tries}"
    lines = [f"{head}; of 36 names given without --order {result.named} right, {result.doubtful} in doubt"]
    lines += [f"  {title:<18} {figure(result.before):>14} -> {figure(result.after):>14}" for title, figure in ROWS]
    lines.append(f"  alike: {result.alike or 'none'}")
    return "\n".join(lines)


def as_json(result: Gain) -> dict[str, object]:
    """Return one deck's figures for programs."""

    def figures(came: TargetResult) -> dict[str, object]:
        score = came.score
        return {
            "plain": came.plain,
            "found": score.found,
            "labelled": score.labelled,
            "right": score.right,
            "wrong": score.invented,
            "f1": score.f1,
            "rank": score.rank,
            "suit": score.suit,
            "sure": score.sure,
            "wrong_sure": score.wrong_sure,
            "calibration": score.calibration,
        }

    return {
        "deck": result.deck,
        "layouts": result.tries,
        "named": result.named,
        "doubtful": result.doubtful,
        "before": figures(result.before),
        "after": figures(result.after),
    }


def main(argv: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m models.evaluation.enrol_gain",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--split", choices=["dev", "check"], default="dev")
    parser.add_argument("--deck", nargs="+", metavar="NAME", help="decks by name, or seeds of invented ones")
    parser.add_argument("--pictures", type=int, default=20, metavar="N", help="tables read of each deck")
    parser.add_argument("--weights", type=Path, help="other weights than the shipped ones")
    parser.add_argument("--json", action="store_true", help="one JSON object a deck")
    args = parser.parse_args(argv)
    status = 0
    try:
        for number, deck in enumerate(decks_for(args)):
            try:
                result = gain(args.weights, deck, FIRST_SEED[args.split] + 10_000 * number, args.pictures)
            except DeckFileError as error:
                print(f"{deck.name} is left out: {error}", file=sys.stderr)
                status = 1
                continue
            print(json.dumps(as_json(result)) if args.json else table(result) + "\n", flush=True)
    except (DeckError, WeightsError) as error:
        print(error, file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())

"""
How well pictures are read: one table per set, never pooled.

    python -m models.evaluate --photos ../shared/photos --split check
    python -m models.evaluate --photos ../shared/photos --split dev --set rf100-open --worst 50 --out runs/eval
    python -m models.evaluate --scenes 200

``--photos`` names a folder of labelled sets (see ``datasets/photos.py``), ``--scenes`` makes that many tables from the
reserved decks, which no training sees. Pictures are read exactly as ``kozyr read --pack 52`` reads them. Tune on
``dev``, report ``check``. ``--worst`` writes a page of the worst pictures with the cause of every miss.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import numpy as np

from datasets.decks import UNSEEN, DeckError, default_art, load_decks
from datasets.photos import LabelledCard, LabelledPicture, LabelsError, load_photos
from datasets.scenes import load_art, make_scene
from models.scoring import CardScore, PictureScore, Reading, SetScore, score_picture, score_set
from models.worst import write_page
from vision.changes import ChangeSettings
from vision.detections import BACK_INDEX, CLASS_NAMES, Detections
from vision.sight import Sight, load_sight
from vision.still import PictureError, StillSettings, open_picture, read_still
from vision.weights import WeightsError

SURE = ChangeSettings().sure
"""Confidence from which the program takes a card as certain."""
HEIGHTS_PX = (0, 70, 110, 160, 220, 10_000)
COVERED = (0.0, 0.2, 0.4, 0.65, 0.85, 1.01)


class Watched:
    """A sight that remembers what it last saw, so that what was found and not told can be named."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self.last = Detections.none()

    def look(self, image_bgr: np.ndarray) -> Detections:
        """As the sight within."""
        self.last = self._sight.look(image_bgr)
        return self.last


def readings_of(watched: Watched, image_bgr: np.ndarray, settings: StillSettings) -> tuple[list[Reading], float]:
    """Faces told by ``kozyr read``, faces it held back, and the milliseconds it took."""
    began = time.perf_counter()
    still = read_still(watched, image_bgr, settings)
    took_ms = (time.perf_counter() - began) * 1e3
    told = [Reading(card.card, card.confidence, card.corners_px) for card in still.cards if card.card != "back"]
    seen = watched.last
    for i, best in enumerate(seen.best):
        name, corners = CLASS_NAMES[best], seen.corners_px[i]
        middle = corners.mean(axis=0)
        if best >= BACK_INDEX or any(r.card == name and np.allclose(r.corners_px.mean(axis=0), middle) for r in told):
            continue
        told.append(Reading(name, float(seen.probabilities[i, best]), corners, told=False))
    return told, took_ms


def scene_pictures(count: int, first_seed: int, size: tuple[int, int]) -> Iterator[tuple[LabelledPicture, np.ndarray]]:
    """Tables laid with the reserved decks, in one order for ever."""
    folder = default_art()
    decks = load_decks(UNSEEN, height_px=320, reserved=True)
    art = load_art(decks, folder / "textures" if folder else None, folder / "hands" if folder else None)
    for seed in range(first_seed, first_seed + count):
        scene = make_scene(art, seed, size, (50, 320))
        cards = tuple(
            LabelledCard(name, (_upright(quad),), float(visible))
            for name, quad, visible in zip(scene.names, scene.corners_px, scene.visible, strict=True)
        )
        yield LabelledPicture(Path(f"{scene.deck}-{seed}.png"), "card-boxes", cards, "check"), scene.image


def _upright(quad: np.ndarray) -> tuple[float, float, float, float]:
    (x0, y0), (x1, y1) = quad.min(axis=0), quad.max(axis=0)
    return float(x0), float(y0), float(x1), float(y1)


def photo_pictures(pictures: Sequence[LabelledPicture]) -> Iterator[tuple[LabelledPicture, np.ndarray]]:
    """Open labelled photographs one by one; one that can't be read is named and left out."""
    for picture in pictures:
        try:
            yield picture, open_picture(picture.path)
        except PictureError as error:
            print(error, file=sys.stderr)


def read_all(
    pictures: Iterable[tuple[LabelledPicture, np.ndarray]], watched: Watched, settings: StillSettings, keep_worst: int
) -> tuple[list[PictureScore], list[tuple[LabelledPicture, np.ndarray, list[Reading], PictureScore]]]:
    """Read and score a set; the ``keep_worst`` worst pictures come back whole."""
    scores: list[PictureScore] = []
    worst: list[tuple[LabelledPicture, np.ndarray, list[Reading], PictureScore]] = []
    for number, (picture, image) in enumerate(pictures, 1):
        readings, took_ms = readings_of(watched, image, settings)
        score = score_picture(picture, readings, took_ms)
        scores.append(score)
        if keep_worst and not score.exact:
            worst.append((picture, image, readings, score))
            worst.sort(key=lambda entry: -(entry[3].missed + entry[3].invented))
            del worst[keep_worst:]
        if number % 25 == 0:
            print(f"{number} pictures read", file=sys.stderr)
    return scores, worst


def _percent(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{100 * value:.{digits}f} %"


def _binned(
    cards: Sequence[CardScore], measure: Callable[[CardScore], float | None], edges: Sequence[float], unit: str
) -> list[str]:
    parts = []
    for low, high in pairwise(edges):
        inside = [card for card in cards if (value := measure(card)) is not None and low <= value < high]
        if inside:
            share = sum(card.named for card in inside) / len(inside)
            bounds = f"{low:g} to {high:g}" if high < 10_000 else f"over {low:g}"
            parts.append(f"{bounds}{unit}: {_percent(share)} of {len(inside)}")
    return parts


def card_height_px(card: CardScore) -> float:
    """The longer side of a labelled whole card's box: about its height."""
    x0, y0, x1, y1 = card.label.boxes[0]
    return max(x1 - x0, y1 - y0)


def _covered(card: CardScore) -> float | None:
    return None if card.label.visible is None else 1 - min(1.0, card.label.visible)


def conditions(pictures: Sequence[LabelledPicture], scores: Sequence[PictureScore]) -> dict[str, list[str]]:
    """Share of labelled cards told, by card height, by covered share and by colour, where these are known."""
    cards = [card for score in scores for card in score.cards]
    found = {}
    if pictures and pictures[0].kind != "index-boxes":
        found["card height"] = _binned(cards, card_height_px, HEIGHTS_PX, " px")
    covered = _binned(cards, _covered, COVERED, " covered")
    if covered:
        found["covered"] = covered
        large = [card for card in cards if card_height_px(card) >= 70 and (_covered(card) or 0) <= 0.65]
        if large:
            share = sum(card.named for card in large) / len(large)
            found["70 px or more, covered 0.65 or less"] = [f"{_percent(share, 2)} of {len(large)}"]
        by_deck: dict[str, list[CardScore]] = {}
        for picture, score in zip(pictures, scores, strict=True):
            by_deck.setdefault(picture.path.name.rpartition("-")[0], []).extend(score.cards)
        found["deck"] = [
            f"{deck}: {_percent(sum(card.named for card in these) / len(these))} of {len(these)}"
            for deck, these in sorted(by_deck.items())
            if these
        ]
    if any(picture.grey for picture in pictures):
        for kind, is_grey in (("grey", True), ("coloured", False)):
            these = [c for p, s in zip(pictures, scores, strict=True) if p.grey is is_grey for c in s.cards]
            if these:
                found[f"{kind} pictures"] = [f"{_percent(sum(c.named for c in these) / len(these))} of {len(these)}"]
    return found


def table(name: str, result: SetScore, by: dict[str, list[str]], sure_from: float) -> str:
    """The figures of one set as text for people."""
    f1, precision, recall = _percent(result.f1), _percent(result.precision), _percent(result.recall)
    places = f"of these rank {_percent(result.rank)}, suit {_percent(result.suit)}"
    surely = f"{_percent(result.sure)}, wrong among them {_percent(result.wrong_sure, 2)}"
    counts = f"{result.right} right, {result.invented} wrong, {result.missed} missed"
    rows = {
        "distinct cards": f"F1 {f1}, precision {precision}, recall {recall} ({counts})",
        "pictures exact": _percent(result.exact),
        "at their place": f"found {_percent(result.found)}; {places}; rank of all {_percent(result.rank_of_all)}",
        "confidence": f"calibration error {result.calibration:.3f}; sure (from {sure_from:g}) {surely}",
        "time": f"median {result.median_ms:.0f} ms, p95 {result.p95_ms:.0f} ms a picture",
        **{title: ", ".join(parts) for title, parts in by.items()},
    }
    if result.causes:
        rows["causes"] = ", ".join(f"{cause} {count}" for cause, count in result.causes)
    heading = f"{name}: {result.pictures} pictures, {result.labelled} cards"
    return "\n".join([heading, *(f"  {title:<17} {text}" for title, text in rows.items())])


def _as_json(name: str, split: str, result: SetScore, by: dict[str, list[str]]) -> dict[str, object]:
    return {
        "set": name,
        "split": split,
        **asdict(result),
        "precision": result.precision,
        "recall": result.recall,
        "f1": result.f1,
        "causes": dict(result.causes),
        "conditions": by,
    }


def _sets(photos: Path, names: Sequence[str] | None) -> list[Path]:
    if not photos.is_dir():
        raise LabelsError(f"expected a folder of labelled sets at {photos}, found none; name it with --photos")
    here = sorted(folder for folder in photos.iterdir() if (folder / "labels.jsonl").is_file())
    if names:
        for name in names:
            if photos / name not in here:
                raise LabelsError(f"expected one of {', '.join(folder.name for folder in here)}, got {name!r}")
        here = [photos / name for name in names]
    return here


def evaluate(args: argparse.Namespace) -> None:
    """Read, score and print every set that was asked for."""
    watched = Watched(load_sight(args.weights))
    settings = StillSettings(pack_size=52) if args.least is None else StillSettings(args.least, pack_size=52)
    jobs: list[tuple[str, str, Iterable[tuple[LabelledPicture, np.ndarray]], list[LabelledPicture]]] = []
    if args.scenes:
        made: list[LabelledPicture] = []

        def scenes() -> Iterator[tuple[LabelledPicture, np.ndarray]]:
            for picture, image in scene_pictures(args.scenes, args.seed, (1280, 720)):
                made.append(picture)
                yield picture, image

        jobs.append(("reserved decks", "synthetic", scenes(), made))
    else:
        for folder in _sets(args.photos, args.set):
            pictures = load_photos(folder, args.split)[:: args.every]
            jobs.append((folder.name, args.split, photo_pictures(pictures), pictures))
    for name, split, pictures, labels in jobs:
        scores, worst = read_all(pictures, watched, settings, args.worst)
        result = score_set(scores, SURE)
        by = conditions(labels, scores) if len(labels) == len(scores) else {}
        if args.json:
            print(json.dumps(_as_json(name, split, result, by)))
        else:
            print(table(f"{name}, {split}", result, by, SURE), end="\n\n")
        if args.worst:
            page = write_page(args.out / f"{name.replace(' ', '-')}-{split}", f"{name}, {split}", worst)
            print(f"the worst {len(worst)} pictures: {page}", file=sys.stderr)


def main(argv: list[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="python -m models.evaluate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--photos", type=Path, default=Path("../shared/photos"), help="folder of labelled sets")
    parser.add_argument("--split", choices=["dev", "check"], default="check")
    parser.add_argument("--set", nargs="+", metavar="NAME", help="just these sets")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth picture only, for a quick look")
    parser.add_argument("--scenes", type=int, default=0, metavar="N", help="N tables of the reserved decks instead")
    parser.add_argument("--seed", type=int, default=900_000_000, help="first seed of the tables")
    parser.add_argument("--weights", type=Path, help="other weights than those that travel with the program")
    parser.add_argument("--least", type=float, help="confidence below which a card is not told")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="write a page of the N worst pictures")
    parser.add_argument("--out", type=Path, default=Path("runs/eval"), help="where the page goes")
    parser.add_argument("--json", action="store_true", help="one JSON object per set")
    args = parser.parse_args(argv)
    try:
        evaluate(args)
    except (LabelsError, WeightsError, DeckError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""
Evaluate the reading of pictures: one table per set, never pooled, and the targets with the measured figures.

    python -m models.evaluation.evaluate                          # every set, `check`; ten minutes on two cores
    python -m models.evaluation.evaluate --quick 20               # 20 pictures of each
    python -m models.evaluation.evaluate --out FILE.json          # the same figures for programs, too
    python -m models.evaluation.evaluate --split dev --set rf100-open "pair tables" --worst 50 --out runs/eval

Sets: the folders of labelled photographs under ``--photos`` (see ``datasets/photos/labels.py``), the synthetic sets of
``models/evaluation/check_sets.py`` and the tables of photographed cards of ``models/evaluation/composed_sets.py``.
Pictures are read exactly as ``kozyr read --pack 52`` reads them. Tune on ``dev``, report ``check``. ``--worst`` writes
pages of the worst pictures with the cause of every miss. PyTorch is not
needed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from datasets.decks.deck_art import DeckError
from datasets.photos.labels import LabelledPicture, LabelsError, load_photos
from features.stills.detector import StillDetector
from features.stills.reading import StillSettings, read_still
from features.stills.study import Studied
from models.evaluation.check_sets import CHECK_SETS, NAMES, pictures_of
from models.evaluation.composed_sets import COMPOSED_NAMES, COMPOSED_SETS, composed_pictures
from models.evaluation.conditions import conditions, is_plain_to_see, percent, picture_elevation, share_reported
from models.evaluation.hard_light import light_of
from models.evaluation.scoring import CardReading, Pair, PictureScore, SetScore, score_picture, score_set
from models.evaluation.targets import TARGETS, Target, TargetResult, against_targets
from models.evaluation.worst_pictures import Entry, write_overview, write_page
from scripts.results import checksums, write_result
from vision.actions.actions import ARRIVAL_PLAIN
from vision.capture.image_files import PictureError, open_picture
from vision.detection.card_detector import CardDetector, NetworkCardDetector, load_card_detector
from vision.detection.detections import BACK, BACK_INDEX, CLASS_NAMES, Detections
from vision.detection.networks import WeightsError
from vision.detection.z_order import z_order

SURE = ARRIVAL_PLAIN
"""Confidence from which the program takes a card as certain."""
PHOTOS = Path("../shared/photos")
PAGES = Path("runs/eval")
"""Where pages of the worst pictures go unless ``--out`` names another folder."""
Made = tuple[LabelledPicture, np.ndarray]


class Watched:
    """A detector that remembers what it last saw, so that cards found and not reported can be named."""

    def __init__(self, detector: CardDetector) -> None:
        self._detector = detector
        self.last = Detections.none()

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Detect as the wrapped detector does, and count."""
        self.last = self._detector.detect(image_bgr)
        return self.last

    def study(self, image_bgr: np.ndarray) -> Studied:
        """Study as the wrapped detector does; one that can't study detects instead."""
        if isinstance(self._detector, NetworkCardDetector):
            studied = StillDetector(self._detector).study(image_bgr)
        else:
            seen = self._detector.detect(image_bgr)
            studied = Studied(seen, z_order(image_bgr, seen.corners_px))
        self.last = studied.seen
        return studied


def readings_of(
    watched: Watched, image_bgr: np.ndarray, settings: StillSettings
) -> tuple[list[CardReading], tuple[Pair, ...], float]:
    """
    Return the faces that ``kozyr read`` reports and those it holds back, the pairs it reports, and the milliseconds it
    took.
    """
    began = time.perf_counter()
    still = read_still(watched, image_bgr, settings)
    took_ms = (time.perf_counter() - began) * 1e3
    reported = [CardReading(card.card, card.confidence, card.corners_px) for card in still.cards if card.card != BACK]
    seen = watched.last
    for i, best in enumerate(seen.best):
        name, corners = CLASS_NAMES[best], seen.corners_px[i]
        middle = corners.mean(axis=0)
        if best >= BACK_INDEX or any(
            r.card == name and np.allclose(r.corners_px.mean(axis=0), middle) for r in reported
        ):
            continue
        reported.append(CardReading(name, float(seen.probabilities[i, best]), corners, reported=False))
    return reported, still.named_pairs(), took_ms


def photo_pictures(pictures: Sequence[LabelledPicture]) -> Iterator[Made]:
    """Open labelled photographs one by one; one that can't be read is named and left out."""
    for picture in pictures:
        try:
            yield picture, open_picture(picture.path)
        except PictureError as error:
            print(error, file=sys.stderr)


@dataclass(frozen=True, slots=True)
class Job:
    """A set to be read. ``pictures`` come one by one; a set is large."""

    name: str
    split: str
    pictures: Iterable[Made]


def read_set(job: Job, watched: Watched, settings: StillSettings, keep_worst: int) -> tuple[TargetResult, list[Entry]]:
    """Read and score a set; its ``keep_worst`` worst pictures come back whole."""
    pictures: list[LabelledPicture] = []
    scores: list[PictureScore] = []
    elevations: list[float | None] = []
    lights: list[str] = []
    worst: list[Entry] = []
    for picture, image in job.pictures:
        readings, pairs, took_ms = readings_of(watched, image, settings)
        score = score_picture(picture, readings, took_ms, pairs)
        pictures.append(picture)
        scores.append(score)
        elevations.append(picture_elevation(picture, readings))
        lights.append(picture.light or light_of(image))
        if keep_worst and (score.missed or score.invented or (score.pairs and not score.pairs.exact)):
            worst.append((picture, image, readings, score))
            worst.sort(key=lambda entry: -(entry[3].missed + entry[3].invented))
            del worst[keep_worst:]
        if len(scores) % 25 == 0:
            print(f"{job.name}: {len(scores)} pictures read", file=sys.stderr)
    plain = share_reported([card for score in scores for card in score.cards if is_plain_to_see(card)])
    by = conditions(pictures, scores, elevations, lights) if scores else {}
    return TargetResult(job.name, job.split, score_set(scores, SURE), plain, by), worst


def table(result: TargetResult, sure_from: float) -> str:
    """Format the figures of one set for people."""
    score = result.score
    rows: dict[str, str] = {}
    if score.labelled:
        counts = f"{score.right} right, {score.invented} wrong, {score.missed} missed"
        f1, precision, recall = percent(score.f1), percent(score.precision), percent(score.recall)
        rows["distinct cards"] = f"F1 {f1}, precision {precision}, recall {recall} ({counts})"
        rows["pictures exact"] = percent(score.exact)
        of_these = f"of these rank {percent(score.rank)}, suit {percent(score.suit)}"
        rows["at their place"] = f"found {percent(score.found)}; {of_these}; rank of all {percent(score.rank_of_all)}"
        if score.pairs is not None:
            rows["pairs"] = f"{percent(score.pairs)} right; whole tables exact {percent(score.tables)}"
        surely = f"{percent(score.sure)}, wrong among them {percent(score.wrong_sure, 2)}"
        rows["confidence"] = f"calibration error {score.calibration:.3f}; sure (from {sure_from:g}) {surely}"
    else:
        rows["invented"] = f"{score.invented} cards, on {percent(score.with_invented)} of the pictures"
        rows["of these sure"] = f"{percent(score.sure)} (from {sure_from:g})"
    rows["time"] = f"median {score.median_ms:.0f} ms, p95 {score.p95_ms:.0f} ms a picture"
    rows |= {title: ", ".join(parts) for title, parts in result.conditions.items()}
    if score.causes:
        rows["causes"] = ", ".join(f"{cause} {count}" for cause, count in score.causes)
    heading = f"{result.name}, {result.split}: {score.pictures} pictures, {score.labelled} cards asked for"
    return "\n".join([heading, *(f"  {title:<17} {text}" for title, text in rows.items())])


def as_json(result: TargetResult) -> dict[str, object]:
    """Return the figures of one set for programs."""
    score: SetScore = result.score
    return {
        "set": result.name,
        "split": result.split,
        **asdict(score),
        "precision": score.precision,
        "recall": score.recall,
        "f1": score.f1,
        "plain": result.plain,
        "causes": dict(score.causes),
        "conditions": dict(result.conditions),
    }


def _photo_sets(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        return {}
    return {path.name: path for path in sorted(folder.iterdir()) if (path / "labels.jsonl").is_file()}


def jobs_for(args: argparse.Namespace) -> Iterator[Job]:
    """
    Yield the sets asked for, photographs first; ``LabelsError`` for an unknown name.

    Without a split the default are the photographs alone, of each set its `dev` pictures, or all if it has none.
    """
    photos = _photo_sets(args.photos or PHOTOS)
    if args.photos is not None and not photos:
        raise LabelsError(f"expected a folder of labelled sets at {args.photos}, found none; name it with --photos")
    if not photos and not args.set:
        print(f"no labelled photographs at {PHOTOS}: those sets are left out; name them with --photos", file=sys.stderr)
    known = (*photos, *NAMES, *COMPOSED_NAMES)
    made_split = args.split or "dev"
    wanted = args.set or (known if args.split else tuple(photos))
    for name in wanted:
        if name not in known:
            raise LabelsError(f"expected one of {', '.join(known)}, got {name!r}")
    for name in wanted:
        if name in photos:
            pictures = load_photos(photos[name], args.split or "dev")
            if not pictures and args.split is None:
                pictures = load_photos(photos[name])
            pictures = pictures[:: args.every]
            if args.quick and len(pictures) > args.quick:
                pictures = [pictures[i * len(pictures) // args.quick] for i in range(args.quick)]
            yield Job(name, made_split, photo_pictures(pictures))
        elif name in COMPOSED_NAMES:
            composed = COMPOSED_SETS[COMPOSED_NAMES.index(name)]
            count = max(1, min(composed.count, args.quick or composed.count) // args.every)
            yield Job(name, made_split, composed_pictures(composed, count, made_split, args.photos or PHOTOS))
        else:
            chosen = next(check_set for check_set in CHECK_SETS if check_set.name == name)
            count = min(chosen.count, args.quick or chosen.count) // args.every
            yield Job(name, made_split, pictures_of(chosen, max(1, count), made_split))


def _reached(target: Target, results: Sequence[TargetResult]) -> dict[str, object]:
    came = next((target.of(result) for result in results if result.name == target.set_name), None)
    bounds = {"least": target.least, "most": target.most}
    met = None if came is None else target.is_met(came)
    return {"target": target.set_name, "measure": target.measure, **bounds, "is": came, "met": met}


def evaluate(args: argparse.Namespace) -> int:
    """Read, score and print every set that was asked for; 1 where one of them had to be left out."""
    watched = Watched(load_card_detector(args.weights))
    settings = StillSettings(pack_size=52) if args.least is None else StillSettings(args.least, pack_size=52)
    results: list[TargetResult] = []
    pages: list[tuple[TargetResult, Path, str]] = []
    status = 0
    into_file = args.out is not None and args.out.suffix == ".json"
    folder = PAGES if into_file or args.out is None else args.out
    for job in jobs_for(args):
        try:
            result, worst = read_set(job, watched, settings, args.worst)
        except DeckError as error:
            print(f"{job.name} is left out: {error}", file=sys.stderr)
            status = 1
            continue
        results.append(result)
        figures_text = table(result, SURE)
        print(json.dumps(as_json(result)) if args.json else figures_text + "\n", flush=True)
        if args.worst:
            title = f"{job.name}, {job.split}"
            page = write_page(folder / title.replace(", ", "-").replace(" ", "-"), title, worst)
            pages.append((result, page, figures_text))
    if pages:
        print(f"the worst pictures: {write_overview(folder, pages)}", file=sys.stderr)
    reached = [_reached(target, results) for target in TARGETS]
    if into_file:
        found = {"sets": [as_json(result) for result in results], "targets": reached}
        on = {"split": args.split, "sets": [result.name for result in results]}
        write_result(args.out, "models.evaluation.evaluate", on, found, checksums(args.weights))
    if args.json:
        for reached_point in reached:
            print(json.dumps(reached_point))
    elif not args.set:
        print(against_targets(results))
    return status


def main(argv: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m models.evaluation.evaluate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--photos", type=Path, help=f"folder of labelled sets (default: {PHOTOS})")
    parser.add_argument("--split", choices=["dev", "check"], default="check")
    parser.add_argument("--set", nargs="+", metavar="NAME", help="just these sets")
    parser.add_argument("--quick", type=int, default=0, metavar="N", help="at most N pictures of each set")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth picture only")
    parser.add_argument("--weights", type=Path, help="other weights than those that travel with the program")
    parser.add_argument("--least", type=float, help="confidence below which a card is not reported")
    parser.add_argument(
        "--worst", type=int, default=0, metavar="N", help="write pages of the N worst pictures of a set"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE.json|FOLDER",
        help=f"write the figures to a file; or where the pages go ({PAGES})",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per set, then one per target")
    args = parser.parse_args(argv)
    try:
        return evaluate(args)
    except (LabelsError, WeightsError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

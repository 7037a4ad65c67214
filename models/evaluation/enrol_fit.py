"""
Fit the weights of similarity to an enrolled deck (``features.enrolment.known_deck.LikenessSettings``), on development
decks.

    python -m models.evaluation.enrol_fit --decks 9101 9102 9103 9104 --cache runs/enrol

Cards of invented decks are cut out of scenes with slightly wrong corners: two large uncovered crops of each are
enrolled, crops of other tables are read. A seeded hill climb minimises the mean log loss of the true names over all
decks; leaving one deck out each time checks generalisation. Run it after training the classifier and copy the printed
values. PyTorch is not needed; two processor cores take about ten minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from datasets.decks.invented import invent_deck
from datasets.decks.library import Deck, default_art
from datasets.scenes.layouts import ScenePose, any_layout, bout, spun
from datasets.scenes.scene import Art, Scene, load_art, make_scene
from features.enrolment.deck_file import CardView
from features.enrolment.known_deck import (
    KnownDeck,
    Likenesses,
    LikenessSettings,
    fused,
    half_turned,
    must_have_features,
)
from features.enrolment.name_assignment import SURE_NAME, name_showings
from models.evaluation.check_sets import DECK_PX
from models.evaluation.scoring import calibration_error
from referee.cards import Card, pack
from vision.detection.card_detector import load_card_detector
from vision.detection.classifier import CardClassifier, rectify
from vision.detection.detections import CLASS_NAMES, FACE_COUNT

PACK = 36
DECKS = (9101, 9102, 9103, 9104, 9105, 9106, 9107, 9108)
SHOWN, READ = 0.95, 0.15
"""Visible share of a card from which it is enrolled, and from which it is read."""
SCENES = 40
BOUTS = 0.7
"""Share of the tables on which a bout lies, most of its attacks covered."""
MOST = 400
"""Number of tables searched for two uncovered crops of each card."""
CAUTION = 0.9
BOUNDS = {
    "whole": (0.5, 8.0),
    "index": (0.1, 8.0),
    "whole_blur": (1e-4, 0.1),
    "index_blur": (1e-3, 0.5),
    "reading": (0.01, 1.0),
    "trusted": (0.01, 1.5),
    "kind": (0.2, 1.5),
    "floor": (1e-6, 0.05),
    "unlike": (0.3, 0.99),
    "unlike_index": (0.05, 0.95),
    "slip": (1e-3, 0.1),
}


@dataclass(frozen=True, slots=True, eq=False)
class Crops:
    """Crops of one deck: enrolled ones, and those to be read. names: (n,) card texts."""

    shown: np.ndarray
    shown_names: np.ndarray
    read: np.ndarray
    read_names: np.ndarray
    visible: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One deck's readings: the classifier's probabilities, the similarities, the true class indices."""

    shares: np.ndarray
    like: Likenesses
    truth: np.ndarray
    trust: float


def missed(rng: np.random.Generator, quad: np.ndarray) -> np.ndarray:
    """Move corners as finder and refiner miss them, upside down half of the time."""
    size = np.sqrt(cv2.contourArea(quad)) + 1e-3
    careless = rng.choice([0.008, 0.018, 0.03], p=[0.5, 0.35, 0.15])
    off: np.ndarray = quad + rng.normal(0, careless, 2) * size + rng.normal(0, careless, (4, 2)) * size
    return np.roll(off, 2 * int(rng.random() < 0.5), axis=0).astype(np.float32)


def _cut(rng: np.random.Generator, scene: Scene) -> np.ndarray:
    quads = [missed(rng, quad) for quad in scene.corners_px]
    return rectify(scene.image, np.array(quads, np.float32).reshape(-1, 4, 2))


def crops_for(seed: int, scenes: int) -> Crops:
    """Make crops from scenes of the invented deck ``seed``."""
    deck, folder = invent_deck(seed, DECK_PX), default_art()
    members = {str(card) for card in pack(PACK)}
    faces = {name: face for name, face in deck.faces.items() if name in members}
    small = Deck(deck.name, deck.source, deck.indices, faces, deck.back)
    art = load_art([small], folder / "textures" if folder else None, folder / "hands" if folder else None)
    shown, shown_names = _shown(art, seed * 1000)
    read: list[np.ndarray] = []
    names: list[str] = []
    visible: list[np.ndarray] = []
    for k in range(scenes):
        number = seed * 1000 + 500 + k
        rng = np.random.default_rng(number)
        poses = spun(rng, bout(rng)) if rng.random() < BOUTS else any_layout(rng)
        scene = make_scene(art, number, (640, 480), (75, 200), poses=poses)
        if scene.names:
            read.append(_cut(rng, scene))
            names += scene.names
            visible.append(scene.visible)
    return Crops(shown, shown_names, np.concatenate(read), np.array(names), np.concatenate(visible))


def _shown(art: Art, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two uncovered crops of each card."""
    poses = [ScenePose((column - 1.5) * 78, (row - 0.5) * 108, 0.0) for row in range(2) for column in range(4)]
    count: dict[str, int] = {}
    crops, names = [], []
    for k in range(MOST):
        rng = np.random.default_rng(seed + k)
        scene = make_scene(art, seed + k, (800, 500), (130, 170), poses=poses)
        for name, visible, crop in zip(scene.names, scene.visible, _cut(rng, scene), strict=True):
            if visible > SHOWN and count.get(name, 0) < 2:
                count[name] = count.get(name, 0) + 1
                crops.append(crop)
                names.append(name)
        if len(count) == PACK:
            break
    return np.stack(crops), np.array(names)


def sample(crops: Crops, classifier: CardClassifier, batch: int = 32) -> Sample:
    """Return the classifier's and the similarities' results for the crops to be read."""
    views = [CardView(Card.parse(str(name)), crop) for name, crop in zip(crops.shown_names, crops.shown, strict=True)]
    known = KnownDeck(views, classifier)
    use = crops.visible >= READ
    shares, whole, index = [], [], []
    for start in range(0, int(use.sum()), batch):
        part = crops.read[use][start : start + batch]
        named, features = classifier.read_crops(part)
        like = known.likenesses(part, features)
        shares.append(named)
        whole.append(like.whole)
        index.append(like.index)
    truth = np.array([CLASS_NAMES.index(str(name)) for name in crops.read_names[use]])
    return Sample(np.concatenate(shares), Likenesses(np.concatenate(whole), np.concatenate(index)), truth, known.trust)


def named_freely(crops: Crops, classifier: CardClassifier) -> str:
    """
    Return the names that enrolment in any order assigns: by the classifier, no name twice.
    """
    both = np.concatenate([crops.shown, half_turned(crops.shown)])
    logs = np.log(np.maximum(classifier.read_crops(both)[0].astype(np.float64), 1e-4))
    logs = (logs[: len(crops.shown)] + logs[len(crops.shown) :]) / 2
    cards = sorted(set(crops.shown_names.tolist()))
    namings = name_showings(np.stack([logs[crops.shown_names == card].mean(axis=0) for card in cards]), PACK)
    wrong = [naming for naming in namings if str(naming.card) != cards[naming.showing]]
    unsaid = sum(naming.sure >= SURE_NAME for naming in wrong)
    return f"names in any order {len(namings) - len(wrong)} of {PACK} right, {unsaid} wrong and not in doubt"


def surprise(settings: LikenessSettings, samples: Sequence[Sample]) -> float:
    """Return the mean log loss of the true names, with equal weight for each deck."""
    lost = []
    for sample in samples:
        read = fused(sample.shares, sample.like, sample.trust, PACK, settings)
        lost.append(-np.log(np.maximum(read[np.arange(len(sample.truth)), sample.truth], 1e-9)).mean())
    return float(np.mean(lost))


def climb(samples: Sequence[Sample], steps: int, seed: int = 0) -> LikenessSettings:
    """Return the settings with the smallest log loss, by a hill climb of small random changes."""
    rng = np.random.default_rng(seed)
    best = LikenessSettings()
    least = surprise(best, samples)
    for step in range(steps):
        width = 0.5 * 0.6 ** (step * 5 // steps)
        values = asdict(best)
        for name, (low, high) in BOUNDS.items():
            if rng.random() < 0.35:
                values[name] = float(np.clip(values[name] * np.exp(rng.normal(0, width)), low, high))
        tried = replace(best, **values)
        came = surprise(tried, samples)
        if came < least:
            best, least = tried, came
    return best


def cautious(settings: LikenessSettings) -> LikenessSettings:
    """Reduce all weights a little, because a wrong certain reading costs most."""
    s = settings
    return replace(
        s, whole=s.whole * CAUTION, index=s.index * CAUTION, reading=s.reading * CAUTION, trusted=s.trusted * CAUTION
    )


def reported(name: str, fits: Sequence[tuple[Sample, LikenessSettings]]) -> str:
    """Return scores of some decks before and after, each with its own settings."""
    rows = []
    samples = [sample for sample, _ in fits]
    truth = np.concatenate([sample.truth for sample in samples])
    backs = truth >= FACE_COUNT
    before = np.concatenate([sample.shares for sample in samples])
    after = np.concatenate(
        [fused(sample.shares, sample.like, sample.trust, PACK, settings) for sample, settings in fits]
    )
    for read in (before, after):
        right = read.argmax(axis=1) == truth
        sure = read.max(axis=1) >= 0.97
        error = calibration_error([(float(share), bool(ok)) for share, ok in zip(read.max(axis=1), right, strict=True)])
        rows.append(
            f"right {right.mean():.3f}, calibration error {error:.3f}, sure {sure.mean():.3f}, "
            f"wrong of these {int((~right[sure]).sum())} of {int(sure.sum())}, backs {int(right[backs].sum())} of "
            f"{int(backs.sum())}"
        )
    return f"{name}: {len(truth)} crops\n  before  {rows[0]}\n  after   {rows[1]}"


def load_or_make(seed: int, cache: Path | None, scenes: int) -> Crops:
    """Return the crops of a deck, cached between runs, because drawing scenes is slow."""
    path = cache / f"{seed}-{scenes}.npz" if cache else None
    if path is not None and path.is_file():
        with np.load(path) as stored:
            return Crops(**{name: stored[name] for name in stored.files})
    crops = crops_for(seed, scenes)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, **{name: getattr(crops, name) for name in Crops.__slots__})
    return crops


def main(argv: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m models.evaluation.enrol_fit",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--decks", nargs="+", type=int, default=list(DECKS), metavar="SEED", help="invented decks")
    parser.add_argument("--steps", type=int, default=400, metavar="N", help="steps of each climb")
    parser.add_argument("--scenes", type=int, default=SCENES, metavar="N", help="tables of each deck")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="cache the crops there between runs")
    parser.add_argument("--weights", type=Path, help="other weights than the shipped ones")
    args = parser.parse_args(argv)
    classifier = load_card_detector(args.weights).classifier
    must_have_features(classifier)
    samples = {}
    for seed in args.decks:
        crops = load_or_make(seed, args.cache, args.scenes)
        samples[seed] = sample(crops, classifier)
        print(f"invented-{seed}: {named_freely(crops, classifier)}", flush=True)
    held_out = []
    for seed, own in samples.items():
        others = [other for name, other in samples.items() if name != seed]
        fitted = cautious(climb(others, args.steps)) if others else LikenessSettings()
        held_out.append((own, fitted))
        print(reported(f"invented-{seed}, left out of the fit", held_out[-1:]), flush=True)
    print(reported("all, each left out of its fit", held_out))
    every = list(samples.values())
    best = climb(every, args.steps)
    came = [f"{surprise(settings, every):.3f}" for settings in (LikenessSettings(), best, cautious(best))]
    print(f"surprise {came[0]} with the present settings, {came[1]} with the best, {came[2]} with these, less sure:")
    for name in BOUNDS:
        print(f"    {name} = {getattr(cautious(best), name):.4g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

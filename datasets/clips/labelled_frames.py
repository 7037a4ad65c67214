"""
Make frames of games with a label for each pixel, for networks that distinguish hands from cards.

    python -m datasets.clips.labelled_frames --clips 40 --frames 50 --out runs/frames

Each clip is a game drawn by lot (``datasets.clips.recipes``), dealt from a deck whose layout is drawn by lot
(``datasets.faces``), of which moments at random are painted small. Over a third of them come further hands:
photographed ones where there are any, else drawn. One file a clip: ``pictures`` (n, h, w, 3) uint8 BGR and ``labels``
(n, h, w) uint8 as ``datasets.clips.label_maps`` has them. What is there already stays.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cv2
import numpy as np

from datasets.clips.ground_truth import SceneAt
from datasets.clips.label_maps import ARM, label_map
from datasets.clips.plain_players import NoSuchDealError
from datasets.clips.recipes import drawn, rehearse, set_up
from datasets.decks.library import load_decks
from datasets.faces.face import TRAINING_SIGNS, court_pictures, lot_deck
from datasets.faces.lot_art import SUIT_SETS, WRITINGS
from datasets.faces.signs import Signs, load_signs
from datasets.scenes.clutter import hand_over, load_hands

PAINTED_HEIGHT = 288
"""Pixels: height of the painted pictures, 16 to 9."""
KEPT_PX = (320, 180)
"""
Size, width and height in px, in which painted pictures are stored: more than the network sees, so that parts of them
can be shown.
"""
FURTHER_HANDS = 0.35
"""Share of the frames over which further hands are laid."""
FIRST_SEED = 5_000_000
"""Clips of lists have low seeds; these are never met there."""


def with_hands(
    rng: np.random.Generator, picture: np.ndarray, labels: np.ndarray, hands: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Lay one to three further hands over a picture and its labels."""
    image, cover = picture.astype(np.float32), np.zeros(labels.shape, bool)
    height, width = labels.shape
    for _ in range(int(rng.integers(1, 4))):
        goal = rng.uniform(0.02, 0.98, 2) * (width, height)
        hand_over(rng, image, cover, hands, goal, float(rng.uniform(0.12, 0.4)) * height)
    shown = labels.copy()
    shown[cover] = ARM
    return np.clip(image, 0, 255).astype(np.uint8), shown


def frames_of(
    seed: int, count: int, signs: Signs, pictures: dict[str, list[np.ndarray]], hands: list[np.ndarray]
) -> dict[str, np.ndarray]:
    """Return ``count`` frames of the clip of this seed, and their labels."""
    rng = np.random.default_rng([seed, 0x5E6])
    recipe = drawn(seed, height=PAINTED_HEIGHT, seconds=45.0, rules="podkidnoy-36")
    performance, arms = rehearse(recipe)
    deck = lot_deck(seed, signs, pictures)
    assert deck.back is not None
    painter = set_up(recipe, performance.stage, arms, {**deck.faces, "back": deck.back})
    world = SceneAt(performance)
    seen, truth = [], []
    for at in np.sort(rng.uniform(0.5, max(1.0, performance.seconds - 0.5), count)):
        painter.paint(world.at(float(at) - 1 / performance.fps))
        moment = world.at(float(at))
        picture = painter.develop(painter.paint(moment), performance.room.gain(float(at)))
        labels = label_map(painter, moment)
        if rng.random() < FURTHER_HANDS:
            picture, labels = with_hands(rng, picture, labels, hands)
        seen.append(cv2.resize(picture, KEPT_PX, interpolation=cv2.INTER_AREA))
        truth.append(cv2.resize(labels, KEPT_PX, interpolation=cv2.INTER_NEAREST))
    return {"pictures": np.stack(seen), "labels": np.stack(truth)}


def main() -> None:
    """Draw the clips one by one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=int, default=40)
    parser.add_argument("--frames", type=int, default=50, help="of each clip")
    parser.add_argument("--first", type=int, default=FIRST_SEED, help="seed of the first clip")
    parser.add_argument("--out", type=Path, default=Path("runs/frames"))
    parser.add_argument("--art", type=Path, default=Path("../shared/art"))
    parser.add_argument("--cache", type=Path, default=Path("runs/decks"))
    args = parser.parse_args()
    hands = load_hands(args.art / "hands")
    pictures = court_pictures(load_decks(["own"], 320, cache=args.cache))
    signs = load_signs(TRAINING_SIGNS, WRITINGS, SUIT_SETS, args.cache)
    args.out.mkdir(parents=True, exist_ok=True)
    for seed in range(args.first, args.first + args.clips):
        file = args.out / f"{seed}.npz"
        if file.is_file():
            continue
        try:
            frames = frames_of(seed, args.frames, signs, pictures, hands)
        except NoSuchDealError as error:
            print(f"no clip of seed {seed}: {error}", file=sys.stderr)
            continue
        part = file.with_suffix(".part")
        with part.open("wb") as out:
            np.savez(out, allow_pickle=False, **frames)
        part.replace(file)
        print(file, file=sys.stderr)


if __name__ == "__main__":
    main()

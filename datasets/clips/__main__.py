"""
``python -m datasets.clips demo``: films the recording that ships with the program.

``python -m datasets.clips film OUT.mp4 --seed 3 --seats 4 --surface felt``: any other deal, for checking the eyes.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np

from datasets.clips import surfaces
from datasets.clips.arms import Arm, Look
from datasets.clips.choreography import Choreographer
from datasets.clips.film import shoot
from datasets.clips.motion import FPS, Performance
from datasets.clips.painter import Light, Painter, face_height_px, model_arms
from datasets.clips.players import NoSuchDealError, Wish, find_story
from datasets.clips.stage import Camera, Stage
from datasets.clips.things import set_table
from datasets.clips.truth import World, record, set_times
from datasets.deck_art import DeckError
from datasets.decks import load_decks

RECORDINGS = Path(__file__).resolve().parent.parent.parent / "webapp" / "recordings"
NAMES = ("Anya", "Boris", "Vera", "Gleb", "Dina", "Egor")
SKINS = ((138, 170, 222), (120, 152, 208), (150, 182, 230), (84, 112, 160), (128, 160, 216), (58, 80, 122))
SLEEVES = ((60, 58, 150), (98, 70, 42), (82, 96, 70), (150, 150, 152), (44, 44, 48), (120, 150, 190))


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides a clip."""

    wish: Wish
    seed: int
    camera: Camera = field(default_factory=Camera)
    surface: str = "wood"
    light: Light = field(default_factory=Light)
    deck: str = "own"
    crf: int = 24


DEMO = Recipe(Wish(seats=NAMES[:3], widest=4, given_on=2), seed=7)


def looks(recipe: Recipe) -> dict[str, Look]:
    """A hand and a sleeve for every seat."""
    rng = np.random.default_rng((recipe.seed, 5))
    colours = [SLEEVES[i] for i in rng.permutation(len(SLEEVES))]
    skins = [SKINS[i] for i in rng.permutation(len(SKINS))]
    return {
        seat: Look(skins[i], colours[i], left=bool(rng.random() < 0.15), bulk=float(rng.uniform(0.9, 1.08)), seed=i)
        for i, seat in enumerate(recipe.wish.seats)
    }


def rehearse(recipe: Recipe) -> tuple[Performance, dict[tuple[str, str], Arm]]:
    """Deal, play, choreograph, build the hands, and find out when a camera could be certain of each step."""
    stage = Stage(recipe.wish.seats, recipe.camera)
    story = find_story(recipe.wish, recipe.seed)
    performance = Choreographer(stage, np.random.default_rng((recipe.seed, 2))).perform(story)
    arms = model_arms(stage, looks(recipe), recipe.light)
    set_times(performance, arms)
    return performance, arms


def set_up(recipe: Recipe, stage: Stage, arms: dict[tuple[str, str], Arm]) -> Painter:
    """Lay the table and hand the painter everything that he paints."""
    (deck,) = load_decks([recipe.deck], height_px=face_height_px(recipe.camera))
    if deck.back is None:
        raise SystemExit(f"expected a deck with a back, got {recipe.deck}; choose another with --deck")

    def dress(canvas: np.ndarray, scale: float) -> None:
        set_table(canvas, stage, scale, recipe.light.lamp, recipe.seed)

    surface = surfaces.lay(recipe.surface, recipe.camera, np.random.default_rng((recipe.seed, 3)), dress)
    faces = {**deck.faces, "back": deck.back}
    return Painter(recipe.camera, faces, arms, surface, recipe.light, np.random.default_rng((recipe.seed, 4)))


def main() -> None:
    """Film; what can't be done is said in one sentence."""
    try:
        film(arguments())
    except (DeckError, NoSuchDealError, OSError) as error:
        raise SystemExit(f"datasets.clips: {error}") from None
    except ModuleNotFoundError as error:
        raise SystemExit(
            f"datasets.clips: expected the package {error.name}, found none; pip install -e '.[clips]'"
        ) from None


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m datasets.clips", description="Films games of Durak.")
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser("demo", help="the recording that ships with the program")
    demo.add_argument("--out", type=Path, default=RECORDINGS / "demo.mp4")
    other = commands.add_parser("film", help="any deal")
    other.add_argument("out", type=Path)
    other.add_argument("--seed", type=int, default=2)
    other.add_argument("--seats", type=int, choices=range(2, 7), default=3)
    other.add_argument("--surface", choices=sorted(surfaces.SURFACES), default="felt")
    other.add_argument("--elevation", type=float, default=64.0, help="degrees; 90 looks straight down")
    other.add_argument("--faults", type=int, choices=(0, 1), default=1)
    other.add_argument("--free", action="store_true", help="every attacker throws in when he likes")
    other.add_argument("--deck", default="own", help="any deck that datasets.decks knows")
    for command in (demo, other):
        command.add_argument("--tracks", action="store_true", help="also write every card's corners in every frame")
        command.add_argument("--stills", type=float, nargs="*", help="only pictures of these seconds, as PNG")
        command.add_argument("--story", action="store_true", help="only print the record")
    return parser.parse_args()


def film(args: argparse.Namespace) -> None:
    """One clip, or what was asked of it."""
    recipe = DEMO
    if args.command == "film":
        wish = Wish(seats=NAMES[: args.seats], faults=args.faults, free=args.free)
        if args.seats > 3:
            wish = replace(wish, talon=(2, 6), steps=(24, 60))
        camera = Camera(elevation_deg=args.elevation)
        recipe = Recipe(wish, args.seed, camera, args.surface, deck=args.deck)
    performance, arms = rehearse(recipe)
    if args.story:
        for line in record(performance):
            print(json.dumps(line))
        return
    painter = set_up(recipe, performance.stage, arms)
    if args.stills is not None:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        world = World(performance)
        for second in sorted(args.stills):
            painter.paint(world.at(second - 1 / FPS))
            name = args.out.with_name(f"{args.out.stem}-{second:06.2f}.png")
            if not cv2.imwrite(str(name), painter.paint(world.at(second))):
                raise OSError(f"expected a place for a picture, could not write {name}; choose another folder")
            print(name)
        return
    shoot(performance, painter, arms, args.out, crf=recipe.crf, tracks=args.tracks)


if __name__ == "__main__":
    main()

"""
``python -m datasets.clips demo`` films the recording that ships with the program, ``film OUT.mp4`` any other clip,
``list LIST.toml DIR`` a whole list of them.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import cv2

from datasets.clips import table_tops
from datasets.clips.faults import MENU
from datasets.clips.ground_truth import SceneAt, record
from datasets.clips.habits import with_habits
from datasets.clips.lists import ListError, film_list
from datasets.clips.plain_players import NoSuchDealError
from datasets.clips.recipes import DEMO, Recipe, drawn, rehearse, set_up
from datasets.clips.video import shoot
from datasets.decks.deck_art import DeckError
from referee.errors import RulebookError
from referee.rulebook import PRESETS

RECORDINGS = Path(__file__).resolve().parent.parent.parent / "webapp" / "recordings"


def main() -> None:
    """Film clips; report an error in one sentence."""
    try:
        run(arguments())
    except (DeckError, NoSuchDealError, RulebookError, ListError, OSError) as error:
        raise SystemExit(f"datasets.clips: {error}") from None
    except ModuleNotFoundError as error:
        raise SystemExit(f"datasets.clips: expected the package {error.name}, found none; pip install -e .") from None


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m datasets.clips", description="Films games of Durak.")
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser("demo", help="the recording that ships with the program")
    demo.add_argument("--out", type=Path, default=RECORDINGS / "demo.mp4")
    other = commands.add_parser("film", help="any deal; missing options are drawn at random from the seed")
    other.add_argument("out", type=Path)
    other.add_argument("--seed", type=int, default=2)
    other.add_argument("--rules", choices=sorted(PRESETS), metavar="NAME", default="podkidnoy-36", help="a rule set")
    other.add_argument("--seats", type=int, choices=range(2, 7), default=3)
    other.add_argument("--seconds", type=float, default=90.0, help="about how long")
    other.add_argument("--talon", default="8", help="cards left when it begins; deal: it begins before the deal")
    other.add_argument("--surface", choices=sorted(table_tops.SURFACES))
    other.add_argument("--elevation", type=float, help="degrees from 40; 90 looks straight down")
    other.add_argument("--height", type=int, choices=(720, 1080), default=720)
    other.add_argument("--fps", type=int, choices=(25, 30), default=25)
    other.add_argument("--faults", type=int, default=1, help="how many faults are made and mended")
    other.add_argument("--menu", nargs="+", choices=MENU, metavar="FAULT", help="which ones may be made")
    other.add_argument("--free", action="store_true", help="every attacker throws in when he likes")
    other.add_argument("--quiet", action="store_true", help="nobody does anything but play, nothing goes wrong")
    other.add_argument("--habit", nargs="+", default=[], metavar="NAME=CHANCE", help="such as rests=0.5 pieces=1")
    other.add_argument("--mishap", nargs="+", default=[], metavar="NAME=TIMES", help="bumps, lamps, drops, drift")
    other.add_argument("--deck", default="own", help="any deck that datasets.decks.library knows, or invented-SEED")
    other.add_argument("--reserved", action="store_true", help="allow a deck that is kept for checks")
    for command in (demo, other):
        command.add_argument("--stills", type=float, nargs="*", help="only pictures of these seconds, as PNG")
        command.add_argument("--story", action="store_true", help="only print the record")
    several = commands.add_parser("list", help="every clip of a list that isn't there yet")
    several.add_argument("list", type=Path, metavar="LIST.toml")
    several.add_argument("out", type=Path, metavar="DIR")
    several.add_argument("--only", nargs="+", metavar="NAME", help="just these clips")
    several.add_argument("--records", action="store_true", help="only the records, no pictures")
    for command in (demo, other, several):
        command.add_argument("--tracks", action="store_true", help="also write every card's corners in every frame")
    return parser.parse_args()


def chosen(args: argparse.Namespace) -> Recipe:
    """Return the recipe that the command line asks for."""
    if args.command == "demo":
        return DEMO
    mishaps: dict[str, float] = {}
    for text in args.mishap:
        name, _, times = text.partition("=")
        if name not in ("bumps", "lamps", "drops", "drift") or not times.replace(".", "", 1).isdigit():
            raise ListError(f"expected a mishap such as bumps=1 (or lamps, drops, drift), got {text!r}")
        mishaps[name] = float(times)
    recipe = drawn(
        args.seed, rules=args.rules, seats=args.seats, seconds=args.seconds, talon=args.talon, surface=args.surface,
        elevation=args.elevation, height=args.height, fps=args.fps, faults=args.faults, menu=args.menu, free=args.free,
        deck=args.deck, reserved=args.reserved,
        habits="quiet" if args.quiet else {},
        mishaps=mishaps or ("none" if args.quiet else {}),
    )  # fmt: skip
    try:
        return replace(recipe, habits=with_habits(recipe.habits, args.habit))
    except ValueError as error:
        raise ListError(str(error)) from None


def run(args: argparse.Namespace) -> None:
    """Make one clip or a list of them, or print what was asked for."""
    if args.command == "list":
        film_list(args.list, args.out, args.only, tracks=args.tracks, records=args.records)
        return
    recipe = chosen(args)
    performance, arms = rehearse(recipe)
    if args.story:
        for line in record(performance):
            print(json.dumps(line))
        return
    painter = set_up(recipe, performance.stage, arms)
    if args.stills is not None:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        world = SceneAt(performance)
        for second in sorted(args.stills):
            painter.paint(world.at(second - 1 / performance.fps))
            picture = painter.develop(painter.paint(world.at(second)), performance.room.gain(second))
            name = args.out.with_name(f"{args.out.stem}-{second:06.2f}.png")
            if not cv2.imwrite(str(name), picture):
                raise OSError(f"expected a place for a picture, could not write {name}; choose another folder")
            print(name)
        return
    shoot(performance, painter, arms, args.out, crf=recipe.crf, preset=recipe.preset, tracks=args.tracks)


if __name__ == "__main__":
    main()

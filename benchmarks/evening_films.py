"""
Draw the films of an evening: games of two players on one table before one camera, each from the deal.

    python -m benchmarks.evening_films FOLDER

Writes ``1.mp4`` to ``5.mp4``, each with its record beside it; films that are there already are kept. Five minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from datasets.clips.director import Director
from datasets.clips.ground_truth import set_times
from datasets.clips.habits import Habits
from datasets.clips.painter import model_arms
from datasets.clips.plain_players import NoSuchDealError
from datasets.clips.played_games import Manners, PlayedGame, play_until
from datasets.clips.projection import drawn_outlines
from datasets.clips.recipes import DEMO, NAMES, arm_styles, set_up
from datasets.clips.stage import Stage
from datasets.clips.story import Story, SweepStep
from datasets.clips.video import shoot

SEATS = NAMES[:2]
RULES = "podkidnoy-24"
MANNERS = Manners(pairs=0.1, few=0.0, second_thoughts=0.0, gives=0.1, proves=0.0)
FPS = 12
"""Pictures a second; a game takes half the time to draw that it takes with those of a webcam."""
LONGEST_STEPS = 400
TRIES = 300
"""Deals of which the shortest that fits is filmed."""


@dataclass(frozen=True, slots=True)
class PlannedGame:
    """``dealer``: None is the usual one. ``fool``: who loses. ``bouts``: after how many it is given up; None: none."""

    fool: str
    dealer: str | None = None
    bouts: int | None = None


EVENING = (
    PlannedGame(SEATS[1]),
    PlannedGame(SEATS[0], dealer=SEATS[1]),
    PlannedGame(SEATS[1], dealer=SEATS[0], bouts=0),
    PlannedGame(SEATS[0], dealer=SEATS[1], bouts=1),
    PlannedGame(SEATS[1], dealer=SEATS[0]),
)
"""Five games: two are given up, one of them before a card is laid. The last makes ``SEATS[1]`` lose a third time."""


def games(plan: PlannedGame, number: int) -> Iterator[Story]:
    """Yield games that fit the plan."""
    options: dict[str, object] = {} if plan.dealer is None else {"first_lead": "left_of_dealer"}
    dealer = plan.dealer or SEATS[-1]
    for attempt in range(TRIES):
        rng = np.random.default_rng((number, attempt))
        game = PlayedGame.dealt(RULES, options, SEATS, rng, MANNERS, filmed=True)
        if game.header["dealer"] != dealer:
            continue
        try:
            play_until(game, LONGEST_STEPS)
        except NoSuchDealError:
            continue
        if game.fool() == plan.fool or plan.bouts is not None:
            yield game.story()


def story_of(plan: PlannedGame, number: int) -> Story:
    """Return the shortest game that fits the plan, as far as it is played."""
    story = min(games(plan, number), key=lambda found: len(found.steps))
    if plan.bouts is None:
        return story
    ends = [at for at, step in enumerate(story.steps, 1) if isinstance(step, SweepStep)]
    return replace(story, steps=story.steps[: ends[plan.bouts - 1] if plan.bouts else 1])


def film_evening(folder: Path, plans: Sequence[PlannedGame] = EVENING) -> list[Path]:
    """Draw the films that are not in ``folder`` yet; return all of them."""
    films = [folder / f"{number}.mp4" for number in range(1, len(plans) + 1)]
    stage = Stage(SEATS, DEMO.camera)
    for number, (plan, film) in enumerate(zip(plans, films, strict=True), 1):
        if film.exists():
            continue
        director = Director(stage, np.random.default_rng((number, 2)), habits=Habits.quiet())
        performance = director.stage_play(story_of(plan, number), float("inf"))
        performance.fps = FPS
        wanted = [(action.seat, action.hand) for action in performance.actions]
        arms = model_arms(stage, arm_styles(DEMO, SEATS), DEMO.light, wanted)
        set_times(performance, drawn_outlines(stage.camera, arms))
        painter = set_up(DEMO, stage, arms)
        shoot(performance, painter, arms, film, preset="veryfast")
    return films


def main() -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description="Draw the films of an evening.", allow_abbrev=False)
    parser.add_argument("folder", type=Path)
    print(json.dumps([str(film) for film in film_evening(parser.parse_args().folder)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Clips with people: legal play, faults as the referee rules them, and hands that do not collide."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from datasets.clips.director import Director
from datasets.clips.faults import MENU
from datasets.clips.ground_truth import SceneAt
from datasets.clips.habits import Habits
from datasets.clips.motion import Performance, Push
from datasets.clips.plain_players import NoSuchDealError
from datasets.clips.recipes import Recipe, arm_styles, drawn, set_stage, story_of
from datasets.clips.stage import CardPose3D
from datasets.clips.story import DealStep, DrawStep, LayStep, PutBackStep, Story, SweepStep, events_of
from referee.record import Header, event_from_json
from tests.referee.certain_referee import Referee

BUSY = Habits(
    slides=0.3, tosses=0.3, crooked=0.5, turns=0.5, knocks=0.3, pieces=0.5, pushes=1.0, rests=0.5, points=0.2,
    hides=0.2, hesitates=0.2, glass=0.2, phone=0.2, cloth=0.1, head=0.05, together=0.5, crowds=0.0, sleeve=0.5,
    moves=0.2, strokes=0.5, shares=0.0, untidy=0.7, squares=0.2, leans=0.2,
)  # fmt: skip
CROWDED = replace(BUSY, crowds=1.0, shares=1.0, pieces=0.0)
"""Two people have their hands over the table at once."""


def faults_of(story: Story) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Return the faults that the record names and those that the referee finds, each by the number of its step."""
    referee = Referee(Header.parse(story.header()))
    recorded, ruled = [], []
    for number, step in enumerate(story.steps):
        for line in events_of(step, float(number)):
            if "fault" in line:
                recorded.append((number, str(line["fault"])))
            for ruling in referee.apply(event_from_json(line)).rulings:
                if str(ruling.verdict) in ("illegal", "impossible"):
                    ruled.append((number, str(ruling.fault)))
    return recorded, ruled


def recipe(seed: int, **words: object) -> Recipe:
    """Return the recipe of a plain clip, with its labels."""
    return drawn(seed, **({"seats": 3, "seconds": 70, "talon": 6, "faults": 2, "elevation": 60} | words))


@cache
def performed(seed: int, talon: object = 6, rules: str = "podkidnoy-36", habits: Habits = BUSY) -> Performance:
    """Choreograph a busy table; no hands are drawn."""
    wanted = recipe(seed, rules=rules, talon=talon)
    story = story_of(wanted)
    stage = set_stage(wanted, story.start.seats)
    return Director(stage, np.random.default_rng(seed), habits=habits).stage_play(story, 60.0)


@pytest.mark.parametrize(
    ("rules", "seats"),
    [("perevodnoy", 4), ("severnyi", 3), ("french-2", 2), ("spanish-pairs", 4), ("hebrew-transfer", 3),
     ("podkidnoy-32", 4), ("podkidnoy-52", 5), ("podkidnoy-teams-4", 4)],
)  # fmt: skip
def test_referee_finds_exactly_the_recorded_faults_in_every_rule_set(rules: str, seats: int) -> None:
    for seed in (11, 12):
        story = story_of(recipe(seed, rules=rules, seats=seats, free=False))
        recorded, ruled = faults_of(story)
        assert ruled == recorded
        assert any(isinstance(step, LayStep) for step in story.steps)


def test_stories_contain_many_different_faults() -> None:
    seen = set()
    for seed in range(20, 32):
        try:
            seen |= {fault for _, fault in faults_of(story_of(recipe(seed, rules="podkidnoy-36", faults=5)))[0]}
        except NoSuchDealError:
            continue
    assert seen <= set(MENU)
    assert len(seen) >= 10


def test_deal_puts_every_card_in_exactly_one_place() -> None:
    story = story_of(recipe(5, rules="podkidnoy-36", talon="deal"))
    deal = story.steps[0]
    assert isinstance(deal, DealStep)
    assert len({*deal.cards, *deal.talon}) == 36
    assert story.header().get("start") is None
    assert faults_of(story)[0] == faults_of(story)[1]


@pytest.mark.parametrize(("seed", "talon"), [(3, 6), (4, 6), (5, "deal")])
def test_hands_do_not_overlap_in_time(seed: int, talon: object) -> None:
    visits = [action for action in performed(seed, talon).actions if not action.hand.startswith("other ")]
    for before, after in pairwise(visits):
        assert after.touch >= before.clear
    for seat in performed(seed, talon).stage.seats:
        mine = sorted((action for action in visits if action.seat == seat), key=lambda action: action.begins)
        for before, after in pairwise(mine):
            assert after.begins >= before.ends


@pytest.mark.parametrize("habits", [BUSY, CROWDED], ids=["busy", "crowded"])
@pytest.mark.parametrize(("seed", "talon"), [(3, 6), (4, 6), (5, "deal")])
def test_cards_never_jump_or_lie_in_two_places(seed: int, talon: object, habits: Habits) -> None:
    performance = performed(seed, talon, habits=habits)
    world = SceneAt(performance)
    last: dict[object, CardPose3D] = {}
    for number in range(int(performance.seconds * 25)):
        moment = world.at(number / 25)
        items = [*moment.lying, *moment.carried]
        now = {item.card: item.pose for item in items}
        assert len(now) == len(items)
        for card in now.keys() & last.keys():
            way = np.hypot(now[card].x - last[card].x, now[card].y - last[card].y)
            assert way < 170, f"{card} jumps {way:.0f} mm at {number / 25:.2f} s"
        last = now


def test_two_hands_are_over_the_table_at_once_where_people_crowd() -> None:
    played = [action for action in performed(3, habits=CROWDED).actions if action.step is not None]
    together = [(a, b) for a, b in pairwise(performed(3, habits=CROWDED).actions) if a.touch < b.touch < a.clear]
    assert {type(b.step) for _, b in together} & {LayStep, SweepStep}
    assert all(a.at <= b.at for a, b in pairwise(played))


def test_sweeps_are_made_in_strokes_and_by_two_people() -> None:
    sweeps = [
        action
        for habits in (replace(BUSY, strokes=1.0, pieces=0.0), CROWDED)
        for seed in (3, 4)
        for action in performed(seed, habits=habits).actions
        if isinstance(action.step, SweepStep)
    ]
    assert any(sum(isinstance(carry, Push) for carry in action.carries) > 1 for action in sweeps)
    assert any(action.abreast for action in sweeps)


def test_untidy_discard_pile_spreads_further() -> None:
    def spread(untidy: float) -> float:
        performance = performed(4, 0, habits=replace(BUSY, untidy=untidy, squares=0.0, cloth=0.0))
        heap = performance.stage.heap_mm
        lying = SceneAt(performance).at(performance.seconds).lying
        away = [np.hypot(item.pose.x - heap[0], item.pose.y - heap[1]) for item in lying if not item.pose.is_face_up]
        return float(np.median(away))

    assert spread(1.0) > 2.5 * spread(0.0)


def test_grips_hold_any_number_of_cards_that_are_due() -> None:
    grips = {
        len(step.cards)
        for seed in range(6)
        for step in story_of(recipe(seed, rules="podkidnoy-36", talon=18, seats=3)).steps
        if isinstance(step, DrawStep)
    }
    assert {1, 2, 3, 4} <= grips


@pytest.mark.parametrize("seed", [3, 4])
def test_table_at_rest_shows_the_recorded_position(seed: int) -> None:
    performance = performed(seed)
    world = SceneAt(performance)
    bout: set[object] = set()
    talon = set(performance.story.start.talon)
    for action in performance.actions:
        step = action.step
        if step is None:
            continue
        lying = {item.card for item in world.at(max(action.clear, action.touch) + 0.4).lying}
        if isinstance(step, LayStep):
            bout |= {card for card, _ in step.cards}
        elif isinstance(step, SweepStep):
            bout = set(step.left)
        elif isinstance(step, DrawStep):
            talon -= set(step.cards)
        elif isinstance(step, PutBackStep):
            talon |= set(step.cards)
        elif hasattr(step, "gets"):
            talon = talon - {step.gets} | {step.card}
        else:
            bout -= {step.card}
        if isinstance(step, LayStep | DrawStep | PutBackStep):
            assert bout <= lying
            assert talon <= lying


@pytest.mark.parametrize(("rules", "faces"), [("podkidnoy-36", 1), ("spanish", 0)])
def test_only_a_turn_up_lies_open_with_the_talon(rules: str, faces: int) -> None:
    performance = performed(3, rules=rules)
    talon = performance.story.start.talon
    assert sum(performance.opening[card].roll == 0.0 for card in talon) == faces
    assert (performance.story.turnup is None) == (faces == 0)


def test_people_at_one_table_look_different() -> None:
    wanted = recipe(8, rules="podkidnoy-36", seats=6, talon=0)
    faces = arm_styles(wanted, tuple("ABCDEF"))
    assert len({appearance.sleeve for appearance in faces.values()}) == 6
    assert len({appearance.cuff_mm for appearance in faces.values()}) > 1

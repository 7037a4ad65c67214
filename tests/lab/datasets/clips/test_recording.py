"""The shipped recording: a deal with one fault, a small playable video, and reproducible from its script."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise

import cv2
import pytest

from datasets.clips.__main__ import RECORDINGS
from datasets.clips.ground_truth import SceneAt, record
from datasets.clips.motion import Performance
from datasets.clips.plain_players import Wish, find_story
from datasets.clips.recipes import DEMO, rehearse
from datasets.clips.story import DrawStep, LayStep, LiftStep, Step, Story, SweepStep
from referee.cards import pack
from referee.record import Header, event_from_json
from tests.referee.certain_referee import Referee

VIDEO = RECORDINGS / "demo.mp4"
MAX_BYTES = 8_000_000


def judged(lines: list[dict[str, object]]) -> tuple[list[tuple[str, str | None]], list[dict[str, object]]]:
    """Return all rulings (ruling, fault) but the legal ones, and all announcements."""
    referee = Referee(Header.parse(lines[0]))
    rulings, announced = [], [item.as_json() for item in referee.opening.announcements]
    for line in lines[1:]:
        step = referee.apply(event_from_json({key: value for key, value in line.items() if key != "fault"}))
        rulings += [(str(r["ruling"]), r.get("fault")) for r in (x.as_json() for x in step.rulings)]
        announced += [item.as_json() for item in step.announcements]
    return [pair for pair in rulings if pair[0] != "legal"], announced


def shipped() -> list[dict[str, object]]:
    return [json.loads(line) for line in VIDEO.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()]


@cache
def performance() -> Performance:
    return rehearse(DEMO)[0]


def plain(step: Step) -> dict[str, object]:
    """Return a step as its event without a time."""
    if isinstance(step, LayStep):
        on = {"on": str(step.on)} if step.on else {}
        fault = {"fault": step.fault} if step.fault else {}
        return {"event": "placed", "card": str(step.card), "by": step.seat, **on, **fault}
    if isinstance(step, LiftStep):
        return {"event": "lifted", "card": str(step.card), "by": step.seat}
    if isinstance(step, SweepStep):
        return {"event": "swept", "to": step.to}
    seen = {"card": str(step.card)} if step.seen else {}
    return {"event": "drawn", "by": step.seat, "count": 1, **seen}


def test_shipped_deal_has_one_fault_and_a_fool() -> None:
    rulings, announced = judged(shipped())
    assert [pair for pair in rulings if pair[0] != "unclear"] == [("illegal", "rank-not-on-table")]
    assert {fault for ruling, fault in rulings if ruling == "unclear"} == {"attack-not-closed"}
    assert [item["kind"] for item in announced if item["announce"] == "result"] == ["fool"]


def test_fault_is_recorded_on_its_line_and_corrected_on_the_next() -> None:
    lines = shipped()
    faulty = [i for i, line in enumerate(lines) if "fault" in line]
    assert len(faulty) == 1
    assert lines[faulty[0]]["fault"] == "rank-not-on-table"
    assert lines[faulty[0] + 1]["event"] == "lifted"
    assert lines[faulty[0] + 1]["card"] == lines[faulty[0]]["card"]


def test_recording_contains_a_take_and_an_exhausted_talon() -> None:
    lines = shipped()
    kinds = [line.get("event") for line in lines]
    first_take = next(i for i, line in enumerate(lines) if line.get("event") == "swept" and line["to"] != "heap")
    assert [line.get("on") for line in lines[first_take - 2 : first_take]] == [None, None]
    assert kinds[first_take - 2 : first_take] == ["placed", "placed"]
    start = lines[0]["start"]
    assert isinstance(start, dict)
    draws = [line for line in lines if line.get("event") == "drawn"]
    assert len(draws) == start["talon"]
    assert draws[-1]["card"] == start["turnup"]


def test_record_equals_the_output_of_its_script() -> None:
    made, lying_there = list(record(performance())), shipped()
    assert made[0] == lying_there[0]
    assert [{k: v for k, v in line.items() if k != "at"} for line in made] == [
        {k: v for k, v in line.items() if k != "at"} for line in lying_there
    ]
    for ours, theirs in zip(made[1:], lying_there[1:], strict=True):
        assert ours["at"] == pytest.approx(theirs["at"], abs=0.09)


def test_video_is_small_and_completely_decodable() -> None:
    assert VIDEO.stat().st_size <= MAX_BYTES
    video = cv2.VideoCapture(str(VIDEO))
    count = int(video.get(cv2.CAP_PROP_FRAME_COUNT))
    assert video.get(cv2.CAP_PROP_FPS) == 25
    assert 60 <= count / 25 <= 100
    assert count == int(performance().seconds * 25)
    for number in (0, count - 1):
        video.set(cv2.CAP_PROP_POS_FRAMES, number)
        found, frame = video.read()
        assert found
        assert frame.shape == (720, 1280, 3)
    video.release()


def test_table_is_free_of_hands_for_half_a_second_between_steps() -> None:
    actions = performance().actions
    for before, after in pairwise(actions):
        assert after.begins - before.ends >= 0.5
        assert before.begins < before.at <= before.ends


def test_cards_never_jump() -> None:
    world = SceneAt(performance())
    last: dict[object, tuple[float, float]] = {}
    for number in range(int(performance().seconds * 25)):
        moment = world.at(number / 25)
        now = {item.card: (item.pose.x, item.pose.y) for item in (*moment.lying, *moment.carried)}
        for card in now.keys() & last.keys():
            dx, dy = now[card][0] - last[card][0], now[card][1] - last[card][1]
            assert dx * dx + dy * dy < 140**2, f"{card} jumps at {number / 25:.2f} s"
        last = now


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize(("seats", "seed"), [(2, 7), (3, 1), (3, 4), (4, 5), (5, 2)])
def test_simulated_players_play_legally(seats: int, seed: int, free: bool) -> None:
    names = ("A", "B", "C", "D", "E")[:seats]
    wish = Wish(names, talon=(1, 6), steps=(10, 90), takes=0, given_on=0, widest=1, free=free)
    story: Story = find_story(wish, seed)
    held = (*story.start.talon, *story.start.heap, *(card for hand in story.start.hands for card in hand))
    assert sorted(map(str, held)) == sorted(map(str, pack(36)))
    lines = [story.header(), *({"at": float(i), **plain(step)} for i, step in enumerate(story.steps))]
    rulings, announced = judged(lines)
    assert {pair for pair in rulings if pair[0] != "unclear"} == {("illegal", "rank-not-on-table")}
    assert {fault for ruling, fault in rulings if ruling == "unclear"} <= {"attack-not-closed"}
    assert [item["seats"] for item in announced if item["announce"] == "result"] == [[story.fool]]
    assert sum(isinstance(step, DrawStep) for step in story.steps) == len(story.start.talon)

"""Simulated games with camera errors: limits for the belief's scores."""

from __future__ import annotations

import pytest

from benchmarks.simulate import judge_games
from benchmarks.simulation.score import SimulationScore, events_of
from benchmarks.simulation.simulated_games import Setting, game_of
from referee.events import Corrected, Placed
from referee.header import Header
from referee.match_judge import MatchJudge
from tests.sample_size import sample_size


def score_of(games: range, setting: Setting) -> SimulationScore:
    found = judge_games(games, setting, "belief", False)
    assert isinstance(found, SimulationScore)
    return found


@pytest.mark.thorough
def test_games_with_faults() -> None:
    count = sample_size(15, nightly=30)
    score = score_of(range(300, 300 + count), Setting(level=1.0, breakers=0.03))
    assert score.false_accusations == 0
    assert score.called >= 0.8 * score.faults
    assert score.questions <= count / 3, "those about faults found bouts later among them"
    assert score.results >= count - 1
    assert score.wrong_seat == score.misnamed == 0


@pytest.mark.thorough
def test_legal_games_with_many_errors_have_no_accusation() -> None:
    count = sample_size(5, nightly=20)
    score = score_of(range(330, 330 + count), Setting(level=2.0))
    assert score.false_accusations == 0
    assert score.results >= count - 1


def test_completely_reported_games() -> None:
    count = sample_size(5, nightly=20)
    score = score_of(range(300, 300 + count), Setting(level=0.0, breakers=0.03))
    assert score.false_accusations == 0
    assert score.results == count
    assert score.called >= 0.85 * score.faults


@pytest.mark.thorough
def test_certain_but_wrong_reports_cause_few_false_accusations() -> None:
    score = score_of(range(300, 300 + sample_size(5, nightly=20)), Setting(level=1.0, silent_wrong=0.005))
    assert score.false_accusations <= sample_size(1, nightly=2)


@pytest.mark.parametrize("number", [2, 7])
def test_lines_put_right_name_the_seats_that_played(number: int) -> None:
    game = game_of(number, Setting(seed=21, level=1.0, silent_wrong=0.01))
    seats = {
        (line.event["at"], line.event.get("card")): game.truth.lines[line.true].event.get("by")
        for line in game.reported
        if line.true is not None
    }
    judge = MatchJudge(Header.parse(game.truth.header))
    put_right: set[int] = set()
    line = 2
    for event in events_of(game):
        for recorded in judge.observe(line, event):
            change = recorded.event
            if isinstance(change, Corrected) and change.line is not None and isinstance(change.to, Placed):
                put_right.add(change.line)
            line += 1
    lines = [(line.event, state) for line, state in judge.positions if line.line in put_right]
    shown = [(event, state) for event, state in lines if (event.at, str(getattr(event, "card", None))) in seats]
    assert shown
    for event, state in shown:
        assert isinstance(event, Placed)
        assert event.by == seats[event.at, str(event.card)]
        assert state.bout is not None
        assert state.bout.owner(event.card) == event.by, "line and position agree"


@pytest.mark.ordinary(3)
@pytest.mark.parametrize(
    ("number", "level", "breakers", "seed"),
    [
        pytest.param(1075, 0.0, 0.03, 21, id="a-draw-not-due-stands-and-the-turn-up-goes-to-another"),
        pytest.param(1022, 0.0, 0.03, 21, id="a-wrong-exchange-stands"),
        pytest.param(2088, 1.0, 0.0, 21, id="an-opening-of-five-cards-is-legal-with-the-last"),
        pytest.param(2048, 2.0, 0.0, 21, id="an-unseen-draw-before-a-lead-of-an-unknown-seat"),
        pytest.param(2034, 2.0, 0.0, 21, id="an-unseen-lead-may-be-any-card-known-in-that-hand"),
        pytest.param(47, 1.0, 0.03, 22, id="many-explanations-of-an-unseen-card-before-a-take"),
        pytest.param(300, 1.0, 0.03, 21, id="the-end-of-a-bout-unseen-before-a-lead-of-two"),
    ],
)
def test_game_has_no_false_accusation(number: int, level: float, breakers: float, seed: int) -> None:
    score = score_of(range(number, number + 1), Setting(seed, level, breakers))
    assert score.false_accusations == 0
    assert score.results == 1


@pytest.mark.parametrize(
    ("number", "fault"),
    [
        pytest.param(1051, "unbeaten-cards", id="the-next-bout-proves-that-nothing-was-beaten"),
        pytest.param(1071, "draw-not-due", id="the-hand-is-one-too-many-at-the-next-draw"),
    ],
)
def test_fault_is_announced_when_later_lines_prove_it(number: int, fault: str) -> None:
    score = score_of(range(number, number + 1), Setting(level=0.0, breakers=0.03))
    assert fault not in score.missed_by

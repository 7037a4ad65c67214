"""Games without pictures, told by an honestly erring camera: the belief keeps what it has reached."""

from __future__ import annotations

from benchmarks.simulate import judge_games
from benchmarks.simulation.score import SimulationScore
from benchmarks.simulation.simulated_games import Setting


def score_of(games: range, setting: Setting) -> SimulationScore:
    found = judge_games(games, setting, "belief", False)
    assert isinstance(found, SimulationScore)
    return found


def test_thirty_games_with_rules_broken_now_and_then() -> None:
    score = score_of(range(300, 330), Setting(level=1.0, breakers=0.03))
    assert score.false_said == 0
    assert score.called >= 0.8 * score.faults
    assert score.questions <= 6
    assert score.results >= 29
    assert score.wrong_seat == score.misnamed == 0


def test_twenty_honest_games_seen_badly_accuse_nobody() -> None:
    score = score_of(range(330, 350), Setting(level=2.0))
    assert score.false_said == 0
    assert score.results >= 19


def test_twenty_games_all_seen() -> None:
    score = score_of(range(300, 320), Setting(level=0.0, breakers=0.03))
    assert score.false_said == 0
    assert score.results == 20
    assert score.called >= 0.85 * score.faults


def test_cards_and_seats_told_wrongly_without_a_word_accuse_hardly_anybody() -> None:
    score = score_of(range(300, 320), Setting(level=1.0, silent_wrong=0.005))
    assert score.false_said <= 2

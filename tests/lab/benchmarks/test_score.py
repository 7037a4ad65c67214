"""Scores of simulated games: ruled and missed faults, false accusations, and results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from benchmarks.simulation.judges import RefereeJudge
from benchmarks.simulation.missing import without_one
from benchmarks.simulation.roc import at_threshold
from benchmarks.simulation.score import SimulationScore, Weighed, calibration, score_of
from benchmarks.simulation.simulated_games import Setting, SimulatedGame, game_of
from referee.events import TableEvent
from referee.header import Header
from referee.rulebook import FaultId
from referee.rulings import Announcement, Message, Ruling, Verdict, Withdrawal
from tests.lab.benchmarks.simulated import games

# counts


class Scripted:
    """Fake judge that returns given messages at the end of the game."""

    def __init__(self, messages: Callable[[], Sequence[Message]]) -> None:
        self.messages = messages

    def open(self, header: Header) -> None:
        pass

    def apply(self, line: int, event: TableEvent) -> Sequence[Message]:
        return ()

    def finish(self) -> Sequence[Message]:
        return self.messages()

    def position(self) -> dict[str, Any]:
        return {"hands": {}, "talon": 0, "heap": 0, "attacker": None, "defender": None, "table": []}

    def probabilities(self) -> Mapping[int, float]:
        messages = [message for message in self.messages() if message.probability is not None]
        return {
            message.line: max(other.probability or 0 for other in messages if other.line == message.line)
            for message in messages
        }


def ruling(verdict: Verdict, fault: FaultId | None, by: str | None = None, asks: bool = False) -> Ruling:
    return Ruling(verdict, "throw-in", (), by, fault, question={"ask": "card"} if asks else None)


@cache
def broken_game() -> tuple[SimulatedGame, int, int]:
    """Return a game reported without uncertainty, a line with the fault does-not-beat only, and one of a legal play."""
    for game in games(200, level=0, breakers=0.1, mended=1.0, rules="podkidnoy-36"):
        lines = [n for n, line in enumerate(game.truth.lines, start=2) if line.faults == {"does-not-beat"}]
        if lines:
            return game, lines[0], next(n for n, line in enumerate(game.truth.lines, start=2) if not line.faults)
    raise AssertionError("expected a wrong beat in 200 games, got none")


def counted(*messages: Message) -> SimulationScore:
    return score_of(broken_game()[0], Scripted(lambda: messages))


def test_fault_counts_as_ruled_misnamed_or_asked_about() -> None:
    _, fault, _ = broken_game()
    right = counted(Message(fault, ruling(Verdict.ILLEGAL, FaultId.DOES_NOT_BEAT)))
    other = counted(Message(fault, ruling(Verdict.ILLEGAL, FaultId.HAND_LEDGER)))
    asked = counted(Message(fault, ruling(Verdict.UNCLEAR, FaultId.DOES_NOT_BEAT, asks=True)))
    noted = counted(Message(fault, ruling(Verdict.UNCLEAR, FaultId.DOES_NOT_BEAT)))
    assert [(score.called, score.misnamed, score.asked) for score in (right, other, asked, noted)] == [
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
        (0, 0, 0),
    ]
    assert [(score.questions, score.notes) for score in (right, asked, noted)] == [(0, 0), (1, 0), (0, 1)]
    assert {score.false_accusations for score in (right, other, asked, noted)} == {0}


def test_ruling_against_another_seat_is_counted() -> None:
    game, fault, _ = broken_game()
    guilty = game.truth.lines[fault - 2].event["by"]
    other = next(seat for seat in game.truth.header["seats"] if seat != guilty)
    accused = [counted(Message(fault, ruling(Verdict.ILLEGAL, FaultId.DOES_NOT_BEAT, by))) for by in (guilty, other)]
    assert [score.wrong_seat for score in accused] == [0, 1]


def test_false_accusation_counts_once_and_stands_until_withdrawn() -> None:
    game, _, innocent = broken_game()
    accused = Message(innocent, ruling(Verdict.IMPOSSIBLE, FaultId.DEAD_CARD))
    cleared = Message(innocent, ruling(Verdict.LEGAL, None))
    withdrawn = Message(innocent, Withdrawal(FaultId.DEAD_CARD), revised_by=innocent + 2)
    scores = [counted(accused, accused), counted(accused, cleared), counted(accused, withdrawn)]
    assert [(score.false_accusations, score.false_standing) for score in scores] == [(1, 1), (1, 0), (1, 0)]
    assert scores[0].accused == [game.number]
    assert scores[0].false_by["dead-card"] == 1


def test_the_last_result_counts() -> None:
    game = broken_game()[0]
    assert game.truth.result is not None
    kind, seats = game.truth.result
    wrong = Message(2, Announcement.of("result", kind="draw" if seats else "fool", seats=()))
    right = Message(2, Announcement.of("result", kind=kind, seats=seats))
    assert [counted(*messages).results for messages in ((wrong, right), (right, wrong), ())] == [1, 0, 0]


def test_consequence_of_a_standing_fault_is_no_false_accusation() -> None:
    total = SimulationScore()
    for game in games(60, level=0, breakers=0.05, mended=0.5, rules="podkidnoy-36"):
        total.add(score_of(game, RefereeJudge()))
    assert total.of_standing > 20
    assert total.false_accusations > 0, "the referee keeps a fault until a person withdraws it"


def test_thresholds_and_calibration_come_from_the_probabilities_of_rulings() -> None:
    _, fault, innocent = broken_game()
    score = counted(
        Message(fault, ruling(Verdict.UNCLEAR, FaultId.DOES_NOT_BEAT), 0.6),
        Message(fault, ruling(Verdict.ILLEGAL, FaultId.DOES_NOT_BEAT), 0.97),
        Message(innocent, ruling(Verdict.UNCLEAR, FaultId.DEAD_CARD), 0.7),
    )
    assert sorted(score.weighed) == [Weighed(0.7, False, True), Weighed(0.97, True, True)]
    assert [at_threshold(score.suspected, threshold, score.games, score.faults)[0] for threshold in (0.5, 0.8)] == [
        100.0,
        0.0,
    ]
    assert [
        at_threshold(score.suspected, threshold, score.games, score.faults)[1] * score.faults
        for threshold in (0.5, 0.8, 0.99)
    ] == [1, 1, 0]
    assert [(row["count"], row["right"]) for row in calibration(score.weighed)] == [(1, 0.0), (1, 1.0)]
    assert calibration([Weighed(1.0, True, False)]) == []
    assert calibration([Weighed(1.0, True, True)])[0]["count"] == 1


def test_one_event_of_each_kind_is_removed() -> None:
    game = game_of(2, Setting(level=0, rules="podkidnoy-36"))
    accusing = without_one(game, Scripted(lambda: [Message(2, ruling(Verdict.ILLEGAL, FaultId.DEAD_CARD))]))
    assert set(accusing.tried) >= {"attack", "beat", "swept", "drawn"}
    assert accusing.accused == accusing.tried
    assert len(accusing.wrongly) == sum(accusing.tried.values())
    silent = without_one(game, Scripted(tuple))
    assert (sum(silent.accused.values()), sum(silent.right_again.values()), silent.wrongly) == (0, 0, [])


def test_second_deal_is_refereed_to_its_result() -> None:
    total = SimulationScore()
    deals = 0
    for game in games(40, level=0, rules="all", deals=2):
        deals += len(game.truth.results)
        total.add(score_of(game, RefereeJudge()))
    assert deals > 55
    assert (total.results, total.false_accusations) == (40, 0)


def test_withdrawn_result_does_not_count() -> None:
    game = next(games(1, level=0))
    kind, seats = game.truth.results[0]
    result = Message(9, Announcement.of("result", kind=kind, seats=seats))
    wrong = Announcement.of("result", kind="draw", seats=())
    gone = Announcement.of("withdrawn", of="result", kind="draw", seats=())
    for messages, right in (((result, Message(9, wrong), Message(9, gone)), 1), ((result, Message(9, wrong)), 0)):
        assert score_of(game, Scripted(lambda messages=messages: messages)).results == right  # type: ignore[misc]

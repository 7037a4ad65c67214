"""How a game went, from the ratings of its decisions."""

from __future__ import annotations

from typing import Any

from features.analysis.game_summary import accuracy_of, grade_of, likely_since, player_summary, turning_point


def decision(line: int, by: str, chance: float, loss: float = 0.0, **more: Any) -> dict[str, Any]:
    chances = {"A": chance, "B": 1 - chance}
    return {"line": line, "by": by, "played": "take", "best": "7s", "loss": loss, "chances": chances, **more}


GAME = [
    decision(2, "A", 0.4),
    decision(3, "B", 0.6),
    decision(4, "A", 0.3, ahead=0.2),
    decision(5, "A", 0.7, loss=0.4),
    decision(6, "B", 0.8, ahead=0.01),
]


def test_end_is_likely_since_the_last_time_that_it_was_open() -> None:
    assert likely_since(GAME, ["A"]) == 5
    assert likely_since(GAME, ["B"]) is None
    assert likely_since([], ["A"]) is None


def test_game_turns_at_the_costliest_decision_of_the_fool() -> None:
    turned = turning_point(GAME, ["A"])
    assert turned is not None
    assert turned["line"] == 5


def test_game_without_a_costly_decision_turns_where_the_chance_rose_most() -> None:
    luck = [decision(2, "A", 0.2), decision(3, "B", 0.3), decision(4, "B", 0.9)]
    turned = turning_point(luck, ["A"])
    assert turned is not None
    assert turned["line"] == 4
    assert turning_point([decision(2, "A", 0.5), decision(3, "A", 0.5)], ["A"]) is None
    assert turning_point([], ["A"]) is None


def test_player_has_accuracy_best_and_costliest_decision() -> None:
    summed = player_summary(GAME, "A")
    assert (summed["best"]["line"], summed["worst"]["line"]) == (4, 5)
    assert summed["accuracy"] == accuracy_of(0.4 / 3)
    assert summed["grade"] == grade_of(summed["accuracy"]) == "weak"
    assert player_summary(GAME, "B")["worst"] is None, "nothing was lost"
    assert player_summary(GAME, "B")["best"] is None, "a hair's breadth is not named"
    assert player_summary(GAME, "C")["accuracy"] is None

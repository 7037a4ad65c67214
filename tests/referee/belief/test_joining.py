"""A correction is judged again only until the belief agrees with the earlier one, and then joins its later lines."""

from __future__ import annotations

from typing import Any

import pytest

import referee.match_judge
from benchmarks.simulation.simulated_games import Setting, game_of
from referee.belief.belief import Belief
from referee.record import event_from_json
from tests.referee.restated import holds, judged

DEALS = Setting(seed=22, rules="podkidnoy-36", deals=4)
NUMBER = 2
"""A game of several deals."""


@pytest.fixture(scope="module")
def record() -> list[dict[str, Any]]:
    record = game_of(NUMBER, DEALS).record()
    assert sum(line.get("event") == "dealt" for line in record) > 2
    return record


@pytest.mark.thorough
@pytest.mark.parametrize("is_denied", [False, True])
def test_lines_after_the_deal_of_a_correction_are_not_judged_again(
    record: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, is_denied: bool
) -> None:
    place = next(place for place, line in enumerate(record) if line.get("on") and line.get("by"))
    line = record[place]
    wrong = next(seat for seat in record[0]["seats"] if seat != line["by"])
    to = None if is_denied else {"event": "placed", "card": line["card"], "on": line["on"], "by": wrong}
    correction = {"event": "corrected", "line": place + 1, "to": to, "at": record[-1]["at"], "by": wrong}
    undo = {"event": "pressed", "button": "undo", "at": record[-1]["at"]}
    judge, number = judged(record), len(record) + 1
    before = holds(judge)
    observed = []
    observe = Belief.observe
    monkeypatch.setattr(
        Belief, "observe", lambda self, recorded: observed.append(recorded.line) or observe(self, recorded)
    )
    judge.apply(number, event_from_json(correction))
    assert observed[0] <= place + 1
    assert len(observed) < len(record) / 2
    joined = holds(judge)
    monkeypatch.setattr(referee.match_judge, "SETTLED", len(record))
    whole = judged(record)
    whole.apply(number, event_from_json(correction))
    assert holds(whole) == joined, "as if all lines had been judged again"
    assert judge.contradiction(event_from_json({**correction, "line": place + 2, "to": record[place + 1]})) is None
    monkeypatch.undo()
    judge.apply(number + 1, event_from_json(undo))
    assert holds(judge) == before

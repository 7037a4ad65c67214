"""Checkpoints of the belief: corrections of old lines give the same result as with every line kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from benchmarks.simulation.simulated_games import Setting, game_of
from referee.belief import line_log as module
from referee.events import Corrected, Pressed, TableEvent
from referee.header import Header
from referee.match_judge import MatchJudge
from referee.record import event_from_json
from referee.rulings import Message
from tests.referee.random_play import RandomSession


def judged(record: Sequence[dict[str, Any]], corrections: Sequence[TableEvent]) -> tuple[MatchJudge, list[Message]]:
    """Return the judge after a record and these corrections, and its messages to the corrections."""
    judge = MatchJudge(Header.parse(record[0]))
    for line, event in enumerate(map(event_from_json, record[1:]), start=2):
        judge.apply(line, event)
    messages = [
        message for line, event in enumerate(corrections, len(record) + 1) for message in judge.apply(line, event)
    ]
    return judge, messages


def camera_record() -> list[dict[str, Any]]:
    return game_of(3, Setting(seed=38, rules="podkidnoy-36")).record()[:75]


def person_record() -> list[dict[str, Any]]:
    session = RandomSession("podkidnoy-36", 3, 5)
    session.play()
    return list(session.record[:90])


@pytest.mark.thorough
@pytest.mark.parametrize("limit", ["WHOLE", "MOST_HYPOTHESES"])
@pytest.mark.parametrize("make", [camera_record, person_record])
def test_correction_before_the_kept_lines_gives_the_same_result(
    make: Any, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = make()
    laid = [place for place, line in enumerate(record, 1) if line.get("event") == "placed"]
    corrections: list[TableEvent] = [
        Corrected(at=500.0, line=laid[len(laid) // 2], to=None),
        Corrected(at=501.0, line=laid[3], to=None),
        Pressed(at=502.0, button="undo"),
        Pressed(at=503.0, button="challenge"),
    ]
    whole, messages = judged(record, corrections)
    monkeypatch.setattr(module, limit, 16)
    monkeypatch.setattr(module, "CHECKPOINT", 16)
    thinned, messages_of_thinned = judged(record, corrections)
    assert messages_of_thinned == messages
    assert thinned.state == whole.state
    assert thinned.lines == whole.lines
    assert thinned.holding == whole.holding
    kept = [bool(line.before) for line in thinned._judge._log.lines]
    assert kept.count(False) > 20
    assert all(kept[-16:])


def test_inconsistent_game_does_not_keep_more_hypotheses(monkeypatch: pytest.MonkeyPatch) -> None:
    record = camera_record()
    usual = sum(len(line.before) for line in judged(record, ())[0]._judge._log.whole)
    monkeypatch.setattr(module, "MOST_HYPOTHESES", usual // 2)
    log = judged(record, ())[0]._judge._log
    assert usual // 4 < sum(len(line.before) for line in log.whole) <= usual // 2
    assert len(log.whole) >= module.OPEN


def test_belief_is_restored_from_a_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WHOLE", 16)
    monkeypatch.setattr(module, "CHECKPOINT", 16)
    belief = judged(camera_record(), ())[0]._judge
    places = [line.place for line in belief._log.lines]
    for place in (5, 20, 40, 60, belief._count):
        back = belief.restorable(place)
        assert back in (place, *(place - 1 for place in places[::16]))
        assert belief.before(back)._count == back
    assert belief.restorable(20) < 20

"""StoredMatches: the position after each line, with corrections applied."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from referee.events import Corrected, Tick
from referee.record import event_from_json
from tests.patience import PATIENCE_S
from tests.webapp.conftest import HEADER
from tests.webapp.match.stored_records import LAID, PUT_RIGHT, WRONG, stored
from webapp.errors import ContradictsError, NotJudgedError, UnusableInputError
from webapp.live.timed_process import judge_apart
from webapp.match import stored_matches as stored_module
from webapp.match.log import project
from webapp.match.stored_matches import MOST_AT_ONCE, MOST_BEHIND, StoredMatches, is_long, this_referee
from webapp.store.matches import RecordEntry


def test_each_step_has_the_position_after_its_line(tmp_path: Path) -> None:
    matches, match = stored(tmp_path, LAID, WRONG)
    shown = StoredMatches(matches).replay(match, "en")
    assert [step["line"] for step in shown["steps"]] == [2, 3]
    assert shown["start"]["table"] == []
    assert [step["state"]["table"] for step in shown["steps"]] == [[["7s", None]]] * 2
    (fault,) = [call for call in shown["calls"] if call.get("ruling") == "illegal"]
    assert (fault["line"], fault["at"], fault["fault"]) == (3, 3.0, "rank-not-on-table")
    assert fault["rule"]["section"].startswith("3.")
    assert shown["seats"] == list(HEADER["seats"])


def test_match_is_shown_while_another_is_being_judged(tmp_path: Path) -> None:
    matches, match = stored(tmp_path, LAID)
    _, other = stored(tmp_path, LAID, WRONG, store=matches)
    shown = StoredMatches(matches)
    with ThreadPoolExecutor() as pool:
        with shown.held(match):
            assert pool.submit(shown.view, other, "en").result(PATIENCE_S)["line"] == 3
            waiting = pool.submit(shown.view, match, "en")
            with pytest.raises(TimeoutError):
                waiting.result(0.05)
        assert waiting.result(PATIENCE_S)["line"] == 2


def test_replay_is_made_once_for_all_who_ask_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matches, match = stored(tmp_path, LAID, WRONG)
    made: list[str] = []
    real = stored_module.replay

    def slow(*of: Any) -> dict[str, Any]:
        made.append(match)
        time.sleep(0.2)
        return real(*of)

    monkeypatch.setattr(stored_module, "replay", slow)
    shown = StoredMatches(matches)
    with ThreadPoolExecutor(4) as pool:
        replays = list(pool.map(lambda _: shown.replay(match, "en"), range(4)))
    assert len(made) == 1
    assert all(replay == replays[0] for replay in replays)


def test_corrected_line_replaces_the_old_one(tmp_path: Path) -> None:
    matches, match = stored(tmp_path, LAID, WRONG, PUT_RIGHT)
    shown = StoredMatches(matches).replay(match, "en")
    assert [(step["line"], step["event"]["card"], step["said"]) for step in shown["steps"]] == [
        (2, "7s", False),
        (3, "7d", True),
    ]
    assert shown["steps"][1]["state"]["table"] == [["7s", None], ["7d", None]]
    assert all(call.get("ruling") != "illegal" for call in shown["calls"])


def test_replay_is_in_the_requested_language(tmp_path: Path) -> None:
    matches, match = stored(tmp_path, LAID, WRONG)
    replays = StoredMatches(matches)
    texts = [{call["text"] for call in replays.replay(match, language)["calls"]} for language in ("en", "ru")]
    assert not texts[0] & texts[1]


def test_running_match_is_read_again(tmp_path: Path) -> None:
    matches, match = stored(tmp_path, LAID)
    replays = StoredMatches(matches)
    assert len(replays.replay(match, "en")["steps"]) == 1
    writing, so_far = matches.take_over(match)
    matches.append(writing, [RecordEntry(len(so_far) + 1, WRONG)])
    assert len(replays.replay(match, "en")["steps"]) == 2


def test_unknown_match_has_no_replay(tmp_path: Path) -> None:
    matches, _ = stored(tmp_path, LAID)
    with pytest.raises(UnusableInputError, match="expected the ID of a kept match"):
        StoredMatches(matches).replay("nobody", "en")


def test_finished_match_is_refereed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matches, match = stored(tmp_path, LAID, WRONG)
    writing, _ = matches.take_over(match)
    matches.end(writing)
    first = StoredMatches(matches).replay(match, "ru")
    with monkeypatch.context() as nobody_judges:
        nobody_judges.setattr(stored_module, "judged", None)
        assert StoredMatches(matches).replay(match, "ru") == first
        assert StoredMatches(matches).replay(match, "en")["calls"] != first["calls"]
    StoredMatches(matches).correct(match, Corrected(at=0.0, line=3, to=Tick(at=3.0)))
    accused = [call for call in StoredMatches(matches).replay(match, "ru")["calls"] if call.get("ruling") == "illegal"]
    assert accused == [], "more lines: judged again"
    monkeypatch.setattr(stored_module, "this_referee", lambda: "another")
    monkeypatch.setattr(stored_module, "judged", None)
    with pytest.raises(TypeError):
        StoredMatches(matches).replay(match, "ru")


def test_replay_of_a_running_match_is_not_cached(tmp_path: Path) -> None:
    matches, match = stored(tmp_path, LAID)
    StoredMatches(matches).replay(match, "en")
    assert matches.replay(match, 1, this_referee()) is None
    StoredMatches(matches).prepare(match)
    assert matches.replay(match, 1, this_referee()) is not None
    matches.delete(match)
    assert matches.replay(match, 1, this_referee()) is None
    matches.keep_replay(match, 1, "x", b"gone meanwhile")
    assert matches.replay(match, 1, "x") is None


@pytest.fixture
def long_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every match count as one that is judged in a process."""
    monkeypatch.setattr(stored_module, "MOST_AT_ONCE", 1)


def test_match_is_long_by_its_lines_and_their_alternatives() -> None:
    assert not is_long([LAID] * MOST_AT_ONCE)
    assert is_long([LAID] * (MOST_AT_ONCE + 1))
    assert is_long([{**LAID, "otherwise": [[None, 0.1]] * MOST_AT_ONCE}])
    assert not is_long([{**LAID, "otherwise": "nothing of the kind"}])


@pytest.mark.usefixtures("long_matches")
def test_long_match_is_shown_once_it_was_prepared_and_never_judged_by_who_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches, match = stored(tmp_path, LAID, WRONG)
    matches.end(matches.take_over(match)[0])
    alone, shown = StoredMatches(matches), StoredMatches(matches, judge_apart)
    shares: list[float] = []
    with monkeypatch.context() as nobody_judges:
        nobody_judges.setattr(stored_module, "judged", None)
        for asked in (shown.steps, shown.facts, lambda match: shown.replay(match, "en")):
            with pytest.raises(NotJudgedError) as raised:
                asked(match)
            assert raised.value.match == match
    alone.prepare(match, shares.append)
    assert shares == pytest.approx([0.2, 0.4, 0.6])
    with monkeypatch.context() as nobody_judges:
        nobody_judges.setattr(stored_module, "judged", None)
        assert [step.line for step in shown.steps(match)] == [2, 3]
        assert shown.facts(match).faults == {"A": {"rank-not-on-table": 1}}
        alone.prepare(match)  # kept: nothing is judged again
    view = project(matches.record(match), has_ended=True)
    assert [step.position for step in shown.steps(match)] == [step.position for step in view.timeline]
    assert shown.view(match, "en") == view.as_json("en", is_whole=True), "judged in a process"
    assert shown.view(match, "ru", 2) == project(matches.record(match), 2).as_json("ru", is_whole=True)


@pytest.mark.usefixtures("long_matches")
def test_long_match_is_corrected_elsewhere_and_once_judged_it_is_not_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches, match = stored(tmp_path, LAID, WRONG)
    matches.end(matches.take_over(match)[0])
    there = StoredMatches(matches)
    shown = StoredMatches(matches, judge_apart, there.correct)
    there.prepare(match)
    monkeypatch.setattr(stored_module, "judged", None)
    with pytest.raises(ContradictsError):
        shown.correct(match, Corrected(at=0.0, line=3, to=event_from_json({**WRONG, "card": "7s"})))
    done = shown.correct(match, Corrected(at=0.0, line=3, to=event_from_json({**WRONG, "card": "7d"})))
    assert "7♦" in done.texts["en"] or "seven" in done.texts["en"]
    assert [line["event"] for line in matches.record(match)[1:]] == ["placed", "placed", "corrected"]
    there.prepare(match)
    steps = shown.replay(match, "en")["steps"]
    assert [(step["event"]["card"], step["said"]) for step in steps] == [("7s", False), ("7d", True)]


@pytest.mark.usefixtures("long_matches")
def test_long_match_that_goes_on_is_shown_as_it_was_a_little_earlier(tmp_path: Path) -> None:
    matches, match = stored(tmp_path, LAID)
    shown = StoredMatches(matches, judge_apart)
    StoredMatches(matches).prepare(match)
    writing, so_far = matches.take_over(match)
    matches.append(writing, [RecordEntry(len(so_far) + 1, WRONG)])
    assert len(shown.replay(match, "en")["steps"]) == 1
    live = project(matches.record(match))
    fresh = StoredMatches(matches, judge_apart)
    for number in range(MOST_BEHIND):
        matches.append(writing, [RecordEntry(len(so_far) + 2 + number, {"event": "tick", "at": 4.0 + number})])
    with pytest.raises(NotJudgedError):
        fresh.replay(match, "en")
    assert len(fresh.replay(match, "en", live)["steps"]) == 2, "the one at this table needs no judging"

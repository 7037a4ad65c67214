"""StoredMatches: the position after each line, with corrections applied."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from referee.events import Corrected, Tick
from referee.record import Header, event_from_json
from tests.patience import PATIENCE_S
from tests.webapp.conftest import HEADER
from webapp.errors import UnusableInputError
from webapp.match import stored_matches as stored_module
from webapp.match.log import MatchLog
from webapp.match.stored_matches import StoredMatches, this_referee
from webapp.store.database import Database
from webapp.store.matches import Matches, RecordEntry, Writing

LAID = {"at": 1.0, "event": "placed", "card": "7s", "by": "A"}
WRONG = {"at": 3.0, "event": "placed", "card": "Kd", "by": "A"}
PUT_RIGHT = {"at": 4.0, "event": "corrected", "line": 3, "to": {"event": "placed", "card": "7d", "by": "A"}}


def stored(folder: Path, *events: dict[str, Any], store: Matches | None = None) -> tuple[Matches, str]:
    """Return a store with a match of these events."""
    matches = store or Matches(Database.open(f"sqlite:///{folder}/kozyr.db"))
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    entries: list[RecordEntry] = []

    class Store:
        def write(self, line: Any, rulings: Any, result: Any) -> None:
            entries.append(RecordEntry(len(entries) + 1, line, rulings, result))

    match = MatchLog(Header.parse(HEADER), store=Store())
    match.open()
    for event in events:
        match.judge(event_from_json(event))
    matches.append(writing, entries)
    return matches, writing.match


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
            assert pool.submit(shown.view, other).result(PATIENCE_S).line == 3
            waiting = pool.submit(shown.view, match)
            with pytest.raises(TimeoutError):
                waiting.result(0.05)
        assert waiting.result(PATIENCE_S).line == 2


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

"""Record files on a full disk: whole lines in order, and none lost once there is room again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.little_room import little_room, needs_limits
from webapp.errors import OutputLostError
from webapp.live.match_files import RecordFile

LINES = [{"event": "tick", "at": n / 10} for n in range(40)]


def lines_in(path: Path) -> list[object]:
    text = path.read_text("utf-8")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


@needs_limits
@pytest.mark.parametrize("room", [0, 1, 333, 700])
def test_lines_stay_whole_on_a_full_disk_and_the_rest_follows(tmp_path: Path, room: int) -> None:
    record = RecordFile(tmp_path / "game.jsonl")
    with little_room(room):
        for line in LINES:
            record.write(line)
        stored = lines_in(tmp_path / "game.jsonl")
    assert record.trouble is not None
    assert f"{len(stored)} lines of the record are kept, {40 - len(stored)} more wait in memory" in record.trouble
    assert stored == LINES[: len(stored)]
    record.try_again()
    assert record.trouble is None
    assert lines_in(tmp_path / "game.jsonl") == LINES
    record.close()


@needs_limits
def test_disk_that_stays_full_loses_only_later_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = RecordFile(tmp_path / "game.jsonl")
    with little_room(333):
        for line in LINES:
            record.write(line)
        with pytest.raises(OutputLostError, match=r"got none: 11 lines are kept, 29 are lost; make room"):
            record.close()
    assert lines_in(tmp_path / "game.jsonl") == LINES[:11]


@needs_limits
def test_unwritten_lines_are_reported_at_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def stopped() -> None:
        with little_room(1), RecordFile(tmp_path / "game.jsonl") as record:
            record.write(LINES[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert "0 lines are kept, 1 are lost" in capsys.readouterr().err

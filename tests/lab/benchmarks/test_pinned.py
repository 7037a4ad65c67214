"""The comparison of a version's output with a recorded one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import pinned

RECORD = Path(__file__).parents[2] / "matches" / "severnyi-two.jsonl"


@pytest.fixture
def baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the recorded output of one short record."""
    case = pinned.Case("record", ("referee", str(RECORD), "--json"))
    monkeypatch.setattr(pinned, "cases", lambda folder: iter([case]))
    monkeypatch.setattr(pinned, "create_records", lambda *arguments: None)
    assert pinned.main(["write", str(tmp_path)]) == 0
    return tmp_path


def test_same_version_has_no_differences(baseline: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert pinned.main(["compare", str(baseline)]) == 0
    assert ", 0 differ" in capsys.readouterr().out


def test_changed_line_is_printed_and_fails(
    baseline: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = list(pinned.output_of(pinned.Case("record", ("referee", str(RECORD), "--json"))))
    monkeypatch.setattr(pinned, "output_of", lambda case: iter([*lines[:4], '{"changed": true}', *lines[5:]]))
    assert pinned.main(["compare", str(baseline)]) == 1
    printed = capsys.readouterr().out
    assert ", 1 differ" in printed
    assert '{"changed": true}' in printed


def test_line_more_makes_no_later_line_differ(
    baseline: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = list(pinned.output_of(pinned.Case("record", ("referee", str(RECORD), "--json"))))
    monkeypatch.setattr(pinned, "output_of", lambda case: iter([*lines[:4], '{"new": true}', *lines[4:]]))
    assert pinned.main(["compare", str(baseline)]) == 1
    printed = capsys.readouterr().out
    assert ", 1 differ" in printed
    assert '{"new": true}' in printed


def test_unknown_input_is_a_usage_error(baseline: Path) -> None:
    assert pinned.main(["compare", str(baseline), "--only", "nothing-of-this-name"]) == 2


def test_durations_are_left_out_at_any_depth() -> None:
    value = {"took_ms": 1.0, "summary": {"seconds_taken": 2.0, "frames": 3}, "cards": [{"took_ms": 4.0}]}
    assert pinned.without_durations(value) == {"summary": {"frames": 3}, "cards": [{}]}


def test_corrections_name_lines_of_the_whole_stream() -> None:
    lines = [json.loads(line) for line in pinned.corrected(RECORD.read_text("utf-8"), first=11)]
    null, inserted, undo = lines[-3:]
    assert lines[null["line"] - 11]["event"] == "placed"
    assert null["line"] == inserted["after"] == len(lines) - 5 + 11
    assert undo["button"] == "undo"

"""The table of targets is written from the results, and the error names an invalid result."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.report import MEASURED, TARGETS, MeasuredTarget, main, page_of, read_target

RESULT = {
    "measure": "pairs right",
    "target": 97,
    "bound": "at least",
    "unit": "%",
    "reached": 93.2,
    "count": "60 tables",
    "command": "make pairs",
    "date": "2026-11-25",
}


def write(folder: Path, name: str = "pairs", **changed: object) -> Path:
    file = folder / f"{name}.json"
    file.write_text(json.dumps({**RESULT, **changed}), "utf-8")
    return file


def test_targets_page_matches_the_results_and_has_one_row_each() -> None:
    assert main(["--check"]) == 0, "run python -m benchmarks.report"
    page = TARGETS.read_text("utf-8").partition("## Held-out films by rule set")[0]
    rows = [line for line in page.splitlines() if line.startswith("|")][2:]
    assert len(rows) == len(list(MEASURED.glob("*.json")))
    assert 12 <= len(rows) <= 30


@pytest.mark.parametrize(
    ("bound", "reached", "met"),
    [("at least", 97, True), ("at least", 96.9, False), ("at most", 97, True), ("at most", 97.1, False)],
)
def test_figure_at_the_bound_meets_the_target(tmp_path: Path, bound: str, reached: float, met: bool) -> None:
    target = read_target(write(tmp_path, bound=bound, reached=reached))
    assert target.is_met is met
    assert ("| yes |" in target.row(1)) is met
    assert ("| **no** |" in target.row(1)) is not met


def test_each_command_is_listed_once_and_referenced_by_rows() -> None:
    target = MeasuredTarget("a", 1, "at least", "", 1, "3 clips", "make a", "2026-11-25")
    other = MeasuredTarget("b", 1, "at least", "", 1, "3 clips", "make b", "2026-11-25")
    page = page_of([target, other, target])
    assert page.count("`make a`") == 1
    assert [line.split("[")[1][0] for line in page.splitlines() if "3 clips" in line] == ["1", "2", "1"]


def test_check_finds_a_page_that_differs_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    page = tmp_path / "targets.md"
    assert main([], tmp_path, page) == 0
    assert main(["--check"], tmp_path, page) == 0
    page.write_text(page.read_text("utf-8").replace("93.2", "97.2"), "utf-8")
    assert main(["--check"], tmp_path, page) == 1
    assert "run python -m benchmarks.report" in capsys.readouterr().err
    assert "97.2" in page.read_text("utf-8")


def test_a_table_by_rule_set_has_a_row_for_each_and_one_for_all(tmp_path: Path) -> None:
    write(tmp_path)
    counts = {"clips": 1, "events_right": 9, "events_true": 10, "f1": 0.9, "results": 1, "results_right": 1}
    counts |= {"faults": 2, "faults_called": 1, "false_accusations": 0}
    (tmp_path / "by_rules").mkdir()
    result = {
        "date": "2026-11-26T06:00:00+00:00",
        "counts": {"rules": {"spanish": counts}, "all": counts, "not_filmed": ["b"]},
    }
    (tmp_path / "by_rules" / "held_out.json").write_text(json.dumps(result), "utf-8")
    assert main([], tmp_path, tmp_path / "targets.md") == 0
    page = (tmp_path / "targets.md").read_text("utf-8")
    assert "## Held-out films by rule set, 2026-11-26" in page
    assert "| spanish | 1 | 9 of 10 | 0.900 | 1 of 1 | 1 of 2 | 0 |" in page
    assert "| all | 1 |" in page
    assert "1 of 2 clips." in page


def test_record_writes_a_new_figure_dated_today(tmp_path: Path) -> None:
    file = write(tmp_path)
    page = tmp_path / "targets.md"
    assert main(["--record", "pairs", "97.5", "--count", "120 tables"], tmp_path, page) == 0
    target = read_target(file)
    assert (target.reached, target.count, target.target) == (97.5, "120 tables", 97)
    assert target.date == datetime.now(UTC).date().isoformat()
    assert "| 97.5 % | yes | 120 tables [1] |" in page.read_text("utf-8")


def test_record_without_a_count_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--record", "pairs", "97.5"], tmp_path, tmp_path / "targets.md")
    assert stopped.value.code == 2
    assert "--record needs --count" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"more": 1}, "expected the keys measure, target"),
        ({"reached": "93"}, "expected a number for reached, got '93'"),
        ({"target": True}, "expected a number for target, got True"),
        ({"count": 60}, "expected a text for count, got 60"),
        ({"bound": "about"}, "expected a bound of at least or at most, got 'about'"),
        ({"date": "25.11."}, "expected a date such as 2026-11-25, got '25.11.'"),
    ],
)
def test_error_names_the_invalid_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, object], message: str
) -> None:
    write(tmp_path, **changed)
    assert main([], tmp_path, tmp_path / "targets.md") == 2
    problem = capsys.readouterr().err
    assert problem.startswith("pairs.json: ")
    assert message in problem
    assert not (tmp_path / "targets.md").exists()

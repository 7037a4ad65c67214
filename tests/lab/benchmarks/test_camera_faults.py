"""Six faults of a camera during a game: each is shown with its reason, no line is lost, and the game continues."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.camera_faults import FAULTS, FaultCount, FaultReport, run
from vision.data_home import HOME_VARIABLE


def test_every_camera_fault_is_shown_and_loses_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    result = run(1)
    assert result.problems() == []
    assert {seen.caused for seen in result.faults.values()} == {1}
    assert result.table().count("\n") == len(FAULTS)


def test_lost_or_unreported_frames_are_counted() -> None:
    seen = FaultCount(caused=2, went_on=1, lost=3)
    problems = FaultReport({"silent": seen, "size changed": seen}, 1, 0, None, {(96, 64)}).problems()
    assert problems[0] == "expected no line to be lost, got 6"
    assert "silent: expected 2 games to go on, got 1" in problems
    assert "silent: expected a sentence on the page, got none" in problems
    assert "expected a film, got none" in problems
    assert not any(problem.startswith("size changed: expected a sentence") for problem in problems)
    assert len(problems) == 7

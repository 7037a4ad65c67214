"""Kills at random moments: all printed lines are stored, and the match can be resumed (`make nightly`: 300)."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the kills need processes that are forked")


def killed(kills: int, *more: str) -> str:
    """Run a series of kills and return its last line."""
    command = [sys.executable, "-m", "tests.webapp.store.kills", "--kills", str(kills), *more]
    came = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE_S, check=False)
    assert came.returncode == 0, came.stderr[-3000:]
    return came.stdout


@pytest.mark.thorough
def test_ten_kills_lose_no_line() -> None:
    summary = killed(10, "--seed", "2")
    assert summary.startswith("10 kills")
    assert int(re.findall(r"(\d+) lines printed", summary)[0]) > 50
    assert int(re.findall(r"(\d+) frames of film", summary)[0]) > 10


@pytest.mark.thorough
def test_kills_lose_no_line_with_postgresql(postgres_url: str) -> None:
    assert killed(5, "--seed", "3", "--store", postgres_url).startswith("5 kills")

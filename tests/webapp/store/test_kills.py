"""
A program that is killed at any moment: all that it printed is kept, and the next one goes on (`make nightly`: 300).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the kills need processes that are forked")


def killed(kills: int, *more: str) -> str:
    """Return the last line of the series of kills."""
    command = [sys.executable, "-m", "tests.webapp.store.kills", "--kills", str(kills), *more]
    came = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE_S, check=False)
    assert came.returncode == 0, came.stderr[-3000:]
    return came.stdout


def test_twenty_kills_lose_nothing() -> None:
    said = killed(20, "--seed", "2")
    assert said.startswith("20 kills")
    assert int(re.findall(r"(\d+) lines told", said)[0]) > 100
    assert int(re.findall(r"(\d+) frames of film", said)[0]) > 20


def test_nor_do_kills_over_postgresql(postgres_url: str) -> None:
    assert killed(5, "--seed", "3", "--store", postgres_url).startswith("5 kills")

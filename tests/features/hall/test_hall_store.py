"""`kozyr hall` as a process with a real PostgreSQL, and two tables that report to it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE_S, wait_until
from tests.webapp.store.kills import Game, TableOfGame, started

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a fork server starts the tables")


@pytest.fixture
def ask(postgres_url: str, tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    """Start the hall in a process; yield a function that requests a path from it."""
    place = tmp_path / "pairing.json"
    call = ["hall", "--store", postgres_url, "--no-browser", "--port", "0", "--pairing", str(place)]
    command = [sys.executable, "-m", "webapp.commands.cli", *call]
    environment = os.environ | {"KOZYR_HOME": str(tmp_path)}
    hall = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True)
    wait_until(lambda: place.exists() or hall.poll() is not None)
    assert hall.poll() is None
    url = json.loads(place.read_text())["url"]

    def asked(path: str) -> Any:
        with urllib.request.urlopen(f"{url}{path}", timeout=PATIENCE_S) as answer:
            return json.loads(answer.read())

    yield asked
    hall.send_signal(signal.SIGINT)
    out, messages = hall.communicate(timeout=PATIENCE_S)
    assert (hall.returncode, out) == (130, ""), messages
    assert messages.startswith(f"kozyr: the hall is at {url}\n")


@pytest.mark.thorough
def test_two_tables_report_to_one_hall(ask: Callable[[str], Any], postgres_url: str, tmp_path: Path) -> None:
    assert ask("api/tables") == {"tables": []}
    for number, table in enumerate(("garden", "kitchen")):
        game = Game(7000 + number)
        (tmp_path / "header.json").write_text(json.dumps(game.header))
        call = ["--store", postgres_url, "--table", table, "--start", str(tmp_path / "header.json")]
        with started(call, TableOfGame(game.rest_after(0)), tmp_path) as (_, printed):
            assert printed.readlines()
    garden, kitchen = ask("api/tables")["tables"]
    assert (garden["table"], garden["open"], kitchen["table"]) == ("garden", False, "kitchen")
    matches = {match["table"]: match for match in ask("api/matches")["matches"]}
    for reported in (garden, kitchen):
        stored = matches[reported["table"]]
        assert (reported["match"], reported["seats"], reported["result"]) == (
            stored["match"],
            stored["seats"],
            stored["result"],
        )
    assert {player["games"] for player in ask("api/standings")["players"]} <= {1, 2}

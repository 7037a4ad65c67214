"""Setup of a game over HTTP with the real program: set up, begun, and begun again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE_S, wait_until
from webapp.commands.match_header import DEMO_CLIP
from webapp.live.match_files import key_of
from webapp.store.database import Database
from webapp.store.matches import Matches, RecordEntry, Writing

Ask = Callable[..., tuple[int, Any]]


@pytest.fixture
def ask(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Ask]:
    """Run `kozyr watch FILM` as a process; yield a function that requests a path or posts. Parameters are options."""
    place = tmp_path / "pairing.json"
    options = getattr(request, "param", ["--no-keep"])
    call = ["watch", str(DEMO_CLIP), "--no-browser", "--port", "0", "--pairing", str(place), *options]
    environment = os.environ | {"KOZYR_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "webapp.commands.cli", *call]
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, text=True)

    def asked(path: str, **values: Any) -> tuple[int, Any]:
        url = json.loads(place.read_text(encoding="utf-8"))["url"]
        body = json.dumps(values).encode() if values else None
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{url}{path}", body), timeout=PATIENCE_S) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    wait_until(lambda: place.exists() or program.poll() is not None)
    assert program.poll() is None
    yield asked
    program.send_signal(signal.SIGINT)
    _, messages = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 130, messages


def test_game_is_set_up_begun_and_begun_again(ask: Ask) -> None:
    _, setup_state = ask("api/setup")
    assert (setup_state["phase"], setup_state["seats"], setup_state["source"]) == ("choosing", [], str(DEMO_CLIP))
    assert ask("api/state")[1]["state"] == {}
    view = wait_until(lambda: ask("api/setup/view")[1]["cards"])
    assert view[0][0] == "Ad"
    shipped = setup_state["choices"]["sources"][-1]["goes_with"]
    wait_until(lambda: ask("api/setup/view")[1]["table"]["turnup"] == "Ad")
    assert ask("api/setup", **{**shipped, "start": {**shipped["start"], "trump": "s", "turnup": None}})[0] == 409
    assert ask("api/setup", **shipped)[0] == 200
    wait_until(lambda: ask("api/state")[1]["seats"] == ["Anya", "Boris", "Vera"])
    assert ask("api/setup", seats=["Vera", "Gleb", "Anya"], start=None)[0] == 200
    state = wait_until(
        lambda: (now := ask("api/state")[1])["seats"] == ["Vera", "Gleb", "Anya"] and now["state"] and now
    )
    assert state["state"]["phase"] == "lead"
    assert ask("api/setup", end=True)[0] == 200
    wait_until(lambda: ask("api/setup")[1]["phase"] == "choosing")


@pytest.fixture
def played_before(tmp_path: Path) -> None:
    """Store a match of an hour ago at table *kitchen*, lost by Boris, and one of the film that is played again."""
    database = Database.open(f"sqlite:///{tmp_path / 'kozyr.db'}")
    began = datetime.now(UTC) - timedelta(hours=1)
    header = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["Anya", "Boris"], "dealer": "Anya"}
    fool = {"line": 1, "announce": "result", "kind": "fool", "seats": ["Boris"], "text": "Boris is the fool."}
    for recording in (None, key_of(DEMO_CLIP)):
        writing = Writing.begin("kitchen", began, {}, recording)
        Matches(database).append(writing, [RecordEntry(1, header, (fool,))])
    database.close()


@pytest.mark.usefixtures("played_before")
@pytest.mark.parametrize("ask", [["--table", "kitchen"]], indirect=True)
def test_score_of_the_evening_survives_a_restart(ask: Ask) -> None:
    begun = ask("api/setup", seats=["Vera", "Boris"], start=None, begin=True)
    assert begun[0] == 200
    wait_until(lambda: ask("api/state")[1]["seats"] == ["Vera", "Boris"])
    evening = wait_until(lambda: (now := ask("api/state")[1]["evening"])["games"] and now)
    assert evening == {"games": 1, "lost": {"Boris": 1, "Anya": 0}}

"""Setup of a game over HTTP with the real program: set up, begun, and begun again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.patience import PATIENCE_S, wait_until
from webapp.commands import cli, setup, table_of_games
from webapp.live.match_files import key_of
from webapp.shipped_recording import DEMO_CLIP
from webapp.store.database import Database
from webapp.store.matches import Matches, RecordEntry, Writing

Ask = Callable[..., tuple[int, Any]]


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """Return a family's own film: a game of the shipped recording counts in no evening, so an empty box is appended."""
    film = tmp_path / "table.mp4"
    film.write_bytes(DEMO_CLIP.read_bytes() + b"\0\0\0\x08free")
    return film


@pytest.fixture
def ask(tmp_path: Path, film: Path, request: pytest.FixtureRequest) -> Iterator[Ask]:
    """Run `kozyr watch FILM` as a process; yield a function that requests a path or posts. Parameters are options."""
    place = tmp_path / "pairing.json"
    options = getattr(request, "param", ["--no-keep"])
    call = ["watch", str(film), "--no-browser", "--port", "0", "--pairing", str(place), *options]
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


def test_game_is_set_up_begun_and_begun_again(ask: Ask, film: Path) -> None:
    _, setup_state = ask("api/setup")
    assert (setup_state["phase"], setup_state["seats"], setup_state["source"]) == ("choosing", [], str(film))
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
def played_before(tmp_path: Path, film: Path) -> None:
    """Store a match of an hour ago at table *kitchen*, lost by Boris, and one of the film that is played again."""
    database = Database.open(f"sqlite:///{tmp_path / 'kozyr.db'}")
    began = datetime.now(UTC) - timedelta(hours=1)
    header = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["Anya", "Boris"], "dealer": "Anya"}
    fool = {"line": 1, "announce": "result", "kind": "fool", "seats": ["Boris"], "text": "Boris is the fool."}
    for recording in (None, key_of(film)):
        writing = Writing.begin("kitchen", began, {}, recording)
        Matches(database).append(writing, [RecordEntry(1, header, (fool,))])
    database.close()


@pytest.mark.thorough
def test_owner_lets_other_devices_in_while_the_table_is_watched(ask: Ask, tmp_path: Path) -> None:
    page = urlsplit(json.loads((tmp_path / "pairing.json").read_text(encoding="utf-8"))["url"])

    def answers(host: str, path: str, method: str = "GET") -> int:
        try:
            request = urllib.request.Request(f"http://{host}:{page.port}{path}", method=method)
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    assert ask("api/camera/code", source="")[1]["let_in"]
    assert answers("127.0.0.2", "/health") == 0, "this machine alone is served at first"
    assert answers("127.0.0.1", "/pair/open", "POST") == 200
    wait_until(lambda: answers("127.0.0.2", "/health") == 200)
    assert answers("127.0.0.1", "/api/setup") == 200
    assert answers("127.0.0.1", "/pair/open", "POST") == 200, "once more changes nothing"


@pytest.mark.thorough
@pytest.mark.usefixtures("played_before")
@pytest.mark.parametrize("ask", [["--table", "kitchen"]], indirect=True)
def test_score_of_the_evening_survives_a_restart(ask: Ask) -> None:
    begun = ask("api/setup", seats=["Vera", "Boris"], start=None, begin=True)
    assert begun[0] == 200
    wait_until(lambda: ask("api/state")[1]["seats"] == ["Vera", "Boris"])
    evening = wait_until(lambda: (now := ask("api/state")[1]["evening"])["games"] and now)
    assert evening == {"games": 1, "lost": {"Boris": 1, "Anya": 0}}


class Answering(BaseHTTPRequestHandler):
    """A program that answers every request with ``body``."""

    body = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *values: object) -> None:
        """Print nothing."""


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b'{"ok": true}', 0, "kozyr runs already; its page is at http://127.0.0.1:"),
        (b"<p>Another program</p>", 1, "another program uses it"),
    ],
)
def test_second_start_opens_the_page_of_the_program_that_runs(
    body: bytes, status: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(setup, "open_browser", opened.append)
    monkeypatch.setattr(Answering, "body", body)
    with ThreadingHTTPServer(("0.0.0.0", 0), Answering) as server:
        for module in (setup, table_of_games):
            monkeypatch.setattr(module, "PORT", server.server_port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        assert cli.main(["--no-keep"]) == status
        server.shutdown()
    assert words in capsys.readouterr().err
    assert len(opened) == (1 if status == 0 else 0)

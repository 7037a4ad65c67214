"""A press that was answered 200 is in the record after a kill, whatever else was pressed meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S, wait_until
from webapp.store.database import Database
from webapp.store.matches import Matches

PRESSES = 30


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="a kill there ends the process otherwise")
def test_presses_answered_200_are_in_the_record_after_a_kill(tmp_path: Path) -> None:
    place, store = tmp_path / "pairing.json", f"sqlite:///{tmp_path}/kept.db"
    call = [
        "demo",
        "--no-browser",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-film",
        "--pairing",
        str(place),
        "--store",
        store,
    ]
    environment = os.environ | {"KOZYR_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "webapp.commands.cli", *call]
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    answered: list[tuple[int, int | None, str]] = []

    def url() -> str:
        return str(json.loads(place.read_text(encoding="utf-8"))["url"])

    def press(by: str) -> None:
        body = json.dumps({"button": "wait", "by": by}).encode()
        with suppress(OSError, HTTPException, ValueError):
            while True:
                with urllib.request.urlopen(f"{url()}api/press", body, timeout=PATIENCE_S) as answer:
                    answered.append((answer.status, json.loads(answer.read())["line"], by))

    def seats() -> list[str]:
        with urllib.request.urlopen(f"{url()}api/state", timeout=PATIENCE_S) as answer:
            return list(json.loads(answer.read())["seats"])

    try:
        wait_until(lambda: place.exists() or program.poll() is not None)
        threads = [threading.Thread(target=press, args=(seat,), daemon=True) for seat in wait_until(seats)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(answered) >= PRESSES or program.poll() is not None)
    finally:
        program.kill()
        program.wait(PATIENCE_S)
    for thread in threads:
        thread.join(PATIENCE_S)
    database = Database.open(store)
    (match,) = Matches(database).list()
    record = Matches(database).record(str(match["match"]))
    database.close()
    stored = [(line, by) for status, line, by in answered if status == 200 and line is not None]
    assert len(stored) >= PRESSES
    pressed = {number: line for number, line in enumerate(record, 1) if line.get("event") == "pressed"}
    assert [press for press in stored if pressed.get(press[0], {}).get("by") != press[1]] == []

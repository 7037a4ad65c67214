"""Passwords of cameras are kept in a separate file and never shown."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from vision.capture.sources import SourceError, SourceSettings, open_source
from vision.capture.stream_address import without_secrets
from vision.data_home import data_home
from webapp.commands import cli
from webapp.live.board import SnapshotHub
from webapp.live.game_setup import GameSetup
from webapp.live.remembered import (
    MOST_ADDRESSES,
    keep_secret,
    last_games,
    remember,
    remembered_path,
    secrets_path,
    with_secret,
)
from webapp.live.shared_setup import SharedSetup
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

WHOLE = "http://user:secret@192.168.1.5:8080/video"
SHOWN = "http://***@192.168.1.5:8080/video"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_file_of_last_games_has_no_password_and_is_private() -> None:
    assert remember(GameSetup(source=WHOLE, seats=("Anna", "Boris")).as_json())
    assert [game["source"] for game in last_games()] == [SHOWN]
    assert "secret" not in remembered_path().read_text()
    assert with_secret(SHOWN) == WHOLE
    if os.name == "posix":
        for path in (remembered_path(), secrets_path()):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_password_stored_by_an_earlier_version_is_not_shown() -> None:
    data_home().mkdir(parents=True, exist_ok=True)
    remembered_path().write_text(json.dumps([{"seats": ["Anna", "Boris"], "source": WHOLE}]))
    assert [game["source"] for game in last_games()] == [SHOWN]


def test_page_shows_no_password_and_accepts_the_shown_address() -> None:
    shared_setup = SharedSetup(GameSetup(source=WHOLE), begins=False)
    client = create_app(AppConfig(shared_setup=shared_setup), SnapshotHub()).test_client()
    remember(GameSetup(source="rtsp://cam/1?user=a&pwd=secret", seats=("Anna", "Boris")).as_json())
    answer = client.get("/api/setup")
    assert "secret" not in answer.text
    assert answer.get_json()["source"] == SHOWN
    assert client.post("/api/setup", json={"source": SHOWN, "begin": False}).get_json()["source"] == SHOWN
    assert shared_setup.setup.source == WHOLE
    (group,) = answer.get_json()["choices"]["groups"]
    assert client.post("/api/setup", json={"source": group["source"], "begin": False}).status_code == 200
    assert shared_setup.setup.source == "rtsp://cam/1?user=a&pwd=secret"
    refused = client.post("/api/setup", json={"source": "http://***@other/", "begin": False})
    assert refused.status_code == 400
    assert "enter it whole" in refused.get_json()["error"]


def test_error_of_an_unreachable_stream_has_no_password() -> None:
    with pytest.raises(SourceError, match=r"http://\*\*\*@127\.0\.0\.1:9/video: expected pictures"):
        open_source("http://user:secret@127.0.0.1:9/video", settings=SourceSettings(answer_s=1.0))


ADDRESSES = (
    "http://user:SECRET@127.0.0.1:9/video",
    "http://SECRET@127.0.0.1:9/video",
    "http://127.0.0.1:9/videostream.cgi?loginuse=a&loginpas=SECRET",
    "rtsp://127.0.0.1:9/user=admin_password=SECRET_channel=1.sdp",
    "rtsp://127.0.0.1:9/user=admin&password=SECRET&channel=1/live",
    "http://127.0.0.1:9/video?passw=SECRET",
    "http://127.0.0.1:9/?p=SECRET",
    "http://127.0.0.1:9/video#pwd=SECRET",
    "http://127.0.0.1:9/SECRET/video;x=SECRET",
    "rtsp://127.0.0.1:9/SECRET",
    "RTSP://admin:a/SECRET@127.0.0.1:9/live",
    "http://user:SECRET@127.0.0.1:9999999/video",
    "http://user:SECRET @127.0.0.1:9/video",
    "user:SECRET@127.0.0.1/video",
    "http:/user:SECRET@127.0.0.1/video",
)
"""Addresses as cameras' makers and people write them; nothing answers at any."""


@pytest.mark.parametrize("address", ADDRESSES)
def test_address_is_shown_without_its_secret_everywhere(
    address: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    shared_setup = SharedSetup(GameSetup(source=address, seats=("Anna", "Boris")), begins=False)
    client = create_app(AppConfig(shared_setup=shared_setup), SnapshotHub()).test_client()
    remember(shared_setup.setup.as_json())
    shown = client.get("/api/setup").get_json()
    assert "SECRET" not in json.dumps(shown)
    assert with_secret(shown["source"], (shared_setup.setup.source,)) == address
    for command in (["watch"], ["review"], ["trace", "--out", "traced"], ["enrol", "our"], ["read"]):
        assert cli.main([*command, address, "-vv", *(["--no-browser", "--port", "0"] if command == ["watch"] else [])])
    output = capfd.readouterr()
    assert "SECRET" not in output.out + output.err + caplog.text
    stored = [path for path in data_home().rglob("*") if path.is_file() and path != secrets_path()]
    assert [path for path in stored if b"SECRET" in path.read_bytes()] == []


@pytest.mark.parametrize(
    "address",
    [
        *(
            "http://192.168.1.5:8080/video",
            "rtsp://10.0.0.7:554/h264Preview_01_main",
            "http://cam.local/mjpg/video.mjpg",
        ),
        *("rtsp://[fe80::1]/live", "rtsp://cam/stream1", "0", "/dev/video2", "phone", "evening.mp4"),
    ],
)
def test_address_without_a_secret_names_its_stream(address: str) -> None:
    shown = without_secrets(address)
    assert shown.rpartition("/")[2] == address.rpartition("/")[2]
    assert without_secrets(shown) == shown


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}', "[" * 100_000])
def test_damaged_password_file_is_rewritten(content: str) -> None:
    data_home().mkdir(parents=True, exist_ok=True)
    secrets_path().write_text(content)
    assert keep_secret(WHOLE) == SHOWN
    assert with_secret(SHOWN) == WHOLE


def test_only_the_newest_passwords_are_kept() -> None:
    for number in range(MOST_ADDRESSES + 1):
        keep_secret(f"http://user:secret@cam{number}/")
    with pytest.raises(ValueError, match="enter it whole"):
        with_secret("http://***@cam0/")
    assert with_secret("http://***@cam1/") == "http://user:secret@cam1/"

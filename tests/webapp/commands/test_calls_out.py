"""No command looks up a name, calls another machine or leaves a file of a library's own: the networks run in each."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.patience import PATIENCE_S, wait_until
from tests.webapp.calls_out import CallsOut, strace
from webapp.shipped_recording import DEMO_CLIP, DEMO_RECORD

ROOT = Path(__file__).parents[3]
LOOK_UP_S = 12.0
"""Seconds. With onnxruntime's telemetry on, the first look-up came 9 s after the first network was loaded."""
KOZYR = (sys.executable, "-m", "webapp.commands.cli")


@pytest.fixture
def calls(tmp_path: Path) -> CallsOut:
    return CallsOut(tmp_path)


def run(calls: CallsOut, *call: str) -> str:
    """Run a program to its end; return its output."""
    done = subprocess.run(
        calls.command(*call), env=calls.environment(), capture_output=True, text=True, timeout=PATIENCE_S, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "program",
    [
        "import socket; socket.getaddrinfo('localhost.', 80)",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', ('192.0.2.1', 9))",
    ],
)
def test_call_of_a_child_is_found(program: str, calls: CallsOut) -> None:
    parent = "import subprocess, sys; subprocess.run([sys.executable, '-W', 'ignore', '-c', sys.argv[1]])"
    run(calls, sys.executable, "-c", parent, program)
    assert calls.elsewhere()


@pytest.mark.skipif(not strace(), reason="strace is missing, or may not trace")
def test_call_of_a_compiled_library_is_found(calls: CallsOut) -> None:
    program = "import ctypes; ctypes.CDLL(None).gethostbyname(b'kozyr.invalid')"
    run(calls, sys.executable, "-c", program)
    assert [line for line in calls.elsewhere() if "htons(53)" in line]


@pytest.fixture
def served(calls: CallsOut) -> Iterator[Callable[..., Callable[[str], bytes]]]:
    """Return a function that starts a command with a page and returns a function that requests a path from it."""
    running = []
    place = calls.folder / "pairing.json"

    def start(*call: str) -> Callable[[str], bytes]:
        command = calls.command(*KOZYR, *call, "--no-browser", "--port", "0", "--pairing", str(place))
        how = {"env": calls.environment(), "cwd": ROOT, "start_new_session": True}
        program = subprocess.Popen(command, stdout=subprocess.DEVNULL, **how)
        running.append(program)
        wait_until(lambda: place.exists() or program.poll() is not None)
        port = urlsplit(json.loads(place.read_text(encoding="utf-8"))["url"]).port
        return lambda path: urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=PATIENCE_S).read()

    yield start
    for program in running:
        os.killpg(program.pid, signal.SIGINT)  # strace blocks it, the program behind it does not
        try:
            program.wait(PATIENCE_S)
        finally:
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGKILL)
                program.wait(PATIENCE_S)


def assert_nothing_left(calls: CallsOut) -> None:
    """Check the calls after the time that a library takes for its first one."""
    end_s = time.monotonic() + LOOK_UP_S
    wait_until(lambda: time.monotonic() > end_s or calls.elsewhere())
    assert (calls.elsewhere(), calls.files()) == ([], [])


@pytest.mark.thorough
def test_demo_calls_nobody(calls: CallsOut, served: Callable[..., Callable[[str], bytes]]) -> None:
    ask = served("demo")
    wait_until(lambda: json.loads(ask("api/state"))["state"])
    assert_nothing_left(calls)


@pytest.mark.thorough
def test_set_up_calls_nobody(calls: CallsOut, served: Callable[..., Callable[[str], bytes]]) -> None:
    ask = served("watch", str(DEMO_CLIP))
    wait_until(lambda: json.loads(ask("api/setup/view"))["cards"])
    assert_nothing_left(calls)


@pytest.mark.thorough
def test_hall_calls_nobody(calls: CallsOut, served: Callable[..., Callable[[str], bytes]]) -> None:
    ask = served("hall")
    assert json.loads(ask("api/tables")) == {"tables": []}
    assert_nothing_left(calls)


@pytest.mark.thorough
def test_read_calls_nobody(calls: CallsOut) -> None:
    assert "cards" in run(calls, *KOZYR, "read", "docs/table.webp", "--json")
    assert (calls.elsewhere(), calls.files()) == ([], [])


@pytest.mark.thorough
def test_workers_of_a_review_call_nobody(calls: CallsOut, tmp_path: Path) -> None:
    clip = tmp_path / "short.mp4"
    shorten(DEMO_CLIP, clip, 5.0)
    other = tmp_path / "other.mp4"
    other.write_bytes(clip.read_bytes())
    out = tmp_path / "out"
    options = ("--workers", "2", "--out", str(out), "--start", str(DEMO_RECORD))
    run(calls, *KOZYR, "review", str(clip), str(other), *options)
    assert sorted(path.name for path in out.iterdir()) == ["other.jsonl", "short.jsonl"]
    assert (calls.elsewhere(), calls.files()) == ([], [])


def shorten(film: Path, to: Path, seconds: float) -> None:
    """Write the first seconds of a film."""
    import cv2

    from vision.capture.video_writer import FilmWriter

    source = cv2.VideoCapture(str(film))
    size = (int(source.get(cv2.CAP_PROP_FRAME_WIDTH)), int(source.get(cv2.CAP_PROP_FRAME_HEIGHT)))
    fps = source.get(cv2.CAP_PROP_FPS)
    with FilmWriter(to, size, 0.0) as writer:
        for number in range(round(seconds * fps)):
            writer.add(source.read()[1], number / fps, wait=True)
    source.release()


RUNTIMES = re.compile(r"^\s*(?:import|from) (?:onnxruntime|ultralytics)\b", re.MULTILINE)


def test_packages_that_import_the_networks_runtimes_set_the_variable_first() -> None:
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    importing = {name for name in listed.split() if RUNTIMES.search((ROOT / name).read_text(encoding="utf-8"))}
    assert {Path(name).parts[0] for name in importing} == {"vision", "models", "tests"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "YOLO_"))}
    for package in ("vision", "models", "tests.conftest"):
        program = f"import {package}, os; print(os.environ['ORT_DISABLE_TELEMETRY'], os.environ['YOLO_OFFLINE'])"
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        assert done.stdout.split() == ["1", "true"], done.stderr

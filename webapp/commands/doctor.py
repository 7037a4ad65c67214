"""`kozyr doctor`: check what this machine has and what is missing, and say how to fix it. One finding per line."""

from __future__ import annotations

import argparse
import shutil
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from webapp.commands.finding import Finding
from webapp.commands.phone_way import phone_findings
from webapp.errors import one_line
from webapp.output import say_json, say_text
from webapp.versions import LIBRARIES
from webapp.web.port import PORT, listen

CAMERA_PATIENCE_S = 6.0
"""Seconds that a camera gets to answer; some drivers hang for ever on a camera that does not exist."""
SLOWEST_LOOK_MS = 700.0
"""Longest acceptable inference in milliseconds: a card must be read twice while a hand rests."""
LEAST_DISK_MB = 200
LOOKS = 3


def call(arguments: argparse.Namespace) -> int:
    """Run `kozyr doctor`."""
    return run_doctor(arguments.weights, as_json=arguments.json)


def run_doctor(weights: Path | None = None, *, as_json: bool = False) -> int:
    """Run all checks; return 1 if something needed is missing."""
    status = 0
    for finding in findings(weights):
        if finding.needed and not finding.ok:
            status = 1
        if as_json:
            say_json(finding.as_json())
        else:
            say_text(finding.as_text())
    return status


def findings(weights: Path | None = None) -> Iterator[Finding]:
    """Yield all findings, in the order in which to fix them."""
    yield python()
    for name in LIBRARIES:
        yield package(name)
    yield from detector(weights)
    yield recording()
    yield camera(lambda: camera_size(0))
    yield film()
    yield disk(Path())
    yield port("127.0.0.1", PORT)
    yield from phone_findings(PORT)


def python() -> Finding:
    """Check whether this Python is new enough."""
    found = ".".join(str(part) for part in sys.version_info[:3])
    return Finding("python", sys.version_info >= (3, 11), found, "" if sys.version_info >= (3, 11) else "install 3.11")


def package(name: str) -> Finding:
    """Check whether a library is installed."""
    try:
        return Finding(name, True, version(name))
    except PackageNotFoundError:
        if name == "opencv-python-headless":  # the same library is also distributed under another name
            for other in ("opencv-python", "opencv-contrib-python-headless", "opencv-contrib-python"):
                try:
                    return Finding(name, True, f"{other} {version(other)}")
                except PackageNotFoundError:
                    continue
        return Finding(name, False, "not installed", f"run: {sys.executable} -m pip install {name}")


def detector(weights: Path | None) -> Iterator[Finding]:
    """Check whether the weights are intact, and how long one inference takes."""
    try:
        from vision.detection.card_detector import load_card_detector
        from vision.detection.networks import WeightsError
    except ImportError as error:
        yield Finding("weights", False, f"not looked at: {one_line(error)}", "install that library first")
        return
    try:
        eye = load_card_detector(weights)
    except WeightsError as error:
        yield Finding("weights", False, one_line(error))
        return
    yield Finding("weights", True, str(weights) if weights else "as the manifest promises (checksums compared)")
    picture = synthetic_picture()
    took_ms = []
    for _ in range(LOOKS):
        began_s = time.perf_counter()
        eye.detect(picture)
        took_ms.append((time.perf_counter() - began_s) * 1e3)
    best = min(took_ms)
    is_quick = best <= SLOWEST_LOOK_MS
    mend = "" if is_quick else "close other programs, or play more slowly: quick plays may be missed"
    yield Finding("speed", is_quick, f"{best:.0f} ms for a look at a table of 1280 x 720", mend, needed=False)


def synthetic_picture() -> Any:
    """Draw a table of 1280 x 720 with six white cards; (720, 1280, 3) uint8. For timing only."""
    import numpy as np

    picture = np.full((720, 1280, 3), (52, 90, 40), np.uint8)
    for column in range(6):
        left = 150 + column * 170
        picture[300:420, left : left + 86] = (240, 245, 245)
        picture[310:330, left + 8 : left + 20] = (30, 30, 180)
    return picture


def recording() -> Finding:
    """Check whether the recording for the demo is installed."""
    clip = Path(__file__).parent.parent / "recordings" / "demo.mp4"
    if clip.is_file():
        return Finding("recording", True, f"{clip.stat().st_size / 1e6:.1f} MB", needed=False)
    return Finding("recording", False, "none", "reinstall kozyr to play the demo", needed=False)


def camera_size(number: int) -> tuple[int, int]:
    """Return (width, height) of a camera's first picture; ``SourceError`` if there is none."""
    from vision.capture.sources import open_source

    with open_source(str(number)) as source:
        return source.size


def camera(look: Callable[[], tuple[int, int]], patience_s: float = CAMERA_PATIENCE_S) -> Finding:
    """Check whether camera 0 gives a picture, on a separate thread that is abandoned if it hangs."""
    answer: list[tuple[int, int] | str] = []

    def ask() -> None:
        try:
            answer.append(look())
        except Exception as error:  # any error of a driver is reported
            answer.append(one_line(error))

    asker = threading.Thread(target=ask, name="camera", daemon=True)
    asker.start()
    asker.join(patience_s)
    found = answer[0] if answer else f"no answer within {patience_s:.0f} s"
    if isinstance(found, tuple):
        return Finding("camera", True, f"camera 0 gives {found[0]} x {found[1]}", needed=False)
    mend = "plug in a webcam; 'kozyr watch' takes a stream or a file as well"
    return Finding("camera", False, "none at number 0" if answer else found, mend, needed=False)


def film() -> Finding:
    """Check whether a film of the match can be written."""
    try:
        import av

        av.Codec("libx264", "w")
        return Finding("film", True, f"PyAV {version('av')}", needed=False)
    except (ImportError, ValueError):
        mend = f"matches are kept without films; for films run: {sys.executable} -m pip install --upgrade av"
        return Finding("film", False, "no PyAV that writes H.264", mend, needed=False)


def disk(folder: Path) -> Finding:
    """Check whether there is disk space for records."""
    free_mb = shutil.disk_usage(folder).free / 1e6
    mend = "" if free_mb >= LEAST_DISK_MB else "make room for the records of matches"
    return Finding("disk", free_mb >= LEAST_DISK_MB, f"{free_mb / 1e3:.1f} GB free here", mend, needed=False)


def port(host: str, number: int) -> Finding:
    """Check whether the page's port is free."""
    try:
        taken: socket.socket = listen(host, number)
    except OSError:
        return Finding("port", False, f"{number} is in use", f"choose another with --port {number + 1}", needed=False)
    taken.close()
    return Finding("port", True, f"{number} is free", needed=False)

"""List the cameras of this machine, by name if the system knows one, without opening them; open a table's source."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from vision.capture.phone import PHONE
from vision.capture.sources import Source, open_source
from webapp.live.board import Board
from webapp.live.phone_camera import PhoneCamera, wait_for_phone

DEVICES = Path("/dev")
NAMES = Path("/sys/class/video4linux")
TRIED = 3
"""Camera numbers that are offered if the system lists none; opening one shows whether it exists."""


def found_cameras(
    devices: Path = DEVICES, names: Path = NAMES, platform: str = sys.platform
) -> Sequence[Mapping[str, str]]:
    """Return each camera's ``source`` (for `watch`) and ``name``: on Linux those plugged in, else likely numbers."""
    if not platform.startswith("linux"):
        return [{"source": str(number), "name": ""} for number in range(TRIED)]
    found = []
    for device in sorted(devices.glob("video[0-9]*"), key=lambda path: int(path.name.removeprefix("video"))):
        about = names / device.name
        if _text(about / "index") not in ("", "0"):
            continue  # a camera's second device delivers metadata, no pictures
        found.append({"source": device.name.removeprefix("video"), "name": _text(about / "name")})
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def open_table_source(spec: str, phone: PhoneCamera, board: Board, is_asked: Callable[[], bool]) -> Source | None:
    """
    Open a source for a table; ``SourceError`` if that fails.

    If the source is a phone, wait for it and report that on the page. None: another order came (``is_asked``).
    """
    return wait_for_phone(phone, board, is_asked) if spec == PHONE else open_source(spec)

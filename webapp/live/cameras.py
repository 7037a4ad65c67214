"""The cameras of this machine, by name where the system tells one; nothing is opened by asking."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

DEVICES = Path("/dev")
NAMES = Path("/sys/class/video4linux")
TRIED = 3
"""Camera numbers that are offered where the system can't be asked: opening one tells whether it is there."""


def found_cameras(
    devices: Path = DEVICES, names: Path = NAMES, platform: str = sys.platform
) -> Sequence[Mapping[str, str]]:
    """Each camera as ``source`` (what `watch` takes) and ``name``; on Linux those that are plugged in, else a guess."""
    if not platform.startswith("linux"):
        return [{"source": str(number), "name": ""} for number in range(TRIED)]
    found = []
    for device in sorted(devices.glob("video[0-9]*"), key=lambda path: int(path.name.removeprefix("video"))):
        about = names / device.name
        if _text(about / "index") not in ("", "0"):
            continue  # a camera's second device carries figures about its pictures, no pictures
        found.append({"source": device.name.removeprefix("video"), "name": _text(about / "name")})
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""

"""List the cameras of this machine, by name if the system knows one, without opening them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

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

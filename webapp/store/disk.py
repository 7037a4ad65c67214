"""The room on the disks that matches and films are kept on."""

from __future__ import annotations

import shutil
from pathlib import Path


def free_bytes(folder: Path) -> int:
    """Return the free bytes of the disk that a folder, which need not exist yet, is on."""
    folder = folder.absolute()
    return shutil.disk_usage(next(place for place in (folder, *folder.parents) if place.is_dir())).free

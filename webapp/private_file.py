"""Files that are written whole or not at all, some of which only their owner may read: keys, codes, devices."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Replace a file; ``mode``: who may use it from its first byte on. ``OSError`` where it can't be; it stays then."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    partial.unlink(missing_ok=True)
    try:
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def write_private(path: Path, content: bytes) -> None:
    """Replace a file by one that its owner alone can read."""
    write_whole(path, content, 0o600)

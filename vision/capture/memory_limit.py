"""Limit the memory of a process that decodes what others have sent."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path


def limit_memory(more_bytes: int) -> None:
    """Limit the addresses of this process to what it has and ``more_bytes``, where the system can."""
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(OSError, ValueError):
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + more_bytes, used + more_bytes))

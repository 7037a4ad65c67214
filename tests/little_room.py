"""Simulate a full disk by the system's limit on the size of files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="needs a system that limits how large files grow")


@contextmanager
def little_room(most_bytes: int) -> Iterator[None]:
    """Limit the size of every file of this process to ``most_bytes``."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

"""Waiting for results of other threads, processes or pages, with a long limit for busy machines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE_S = 120.0
"""Seconds. A passing test never reaches it."""

Found = TypeVar("Found")


def wait_until(found: Callable[[], Found], pause: Callable[[float], object] = time.sleep) -> Found:
    """
    Return what ``found`` gives as soon as it is true; ``pause`` is called with the seconds between two tries.

    >>> wait_until(iter([0, None, 3]).__next__)
    3
    """
    end_s = time.monotonic() + PATIENCE_S
    while not (result := found()):
        assert time.monotonic() < end_s, f"nothing came: {result!r}"
        pause(0.05)
    return result

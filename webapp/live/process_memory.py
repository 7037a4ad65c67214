"""
Bound the memory that the C library keeps for itself: glibc gives up to eight heaps a core to threads that allocate at
once, and returns only the end of each to the system. With 70 threads, pictures and networks that was 280 MB after two
minutes with 20 viewers (2026-11), and more with every hour. Other C libraries do not, and are left alone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache

HEAPS = 2
"""Python's lock lets one thread at a time allocate objects; beside it an encoder or a network allocates."""
_M_ARENA_MAX = -8
"""glibc's number of this option of ``mallopt``."""


def limit_heaps() -> bool:
    """Let all threads share ``HEAPS`` heaps; call it before they start. Returns whether the C library can."""
    limit = _function_of_c("mallopt")
    return limit is not None and limit(_M_ARENA_MAX, HEAPS) == 1


def return_free_memory() -> None:
    """Return the free pages of all heaps to the system, which takes some milliseconds."""
    trim = _function_of_c("malloc_trim")
    if trim is not None:
        trim(0)


@lru_cache
def _function_of_c(name: str) -> Callable[..., int] | None:
    """Return a function of the C library that takes and returns ints; None where it has none of this name."""
    try:
        return getattr(ctypes.CDLL(None), name, None)
    except (OSError, TypeError):  # Windows has no library without a name
        return None

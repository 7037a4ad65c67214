"""
Exclude what a match keeps permanently from Python's garbage collection.

A match keeps the belief at each line, since people may correct any of them; these objects form no reference cycles. By
default the collector examines all of them now and then, which delays a ruling, more so the longer the game. So
everything kept is frozen (``gc.freeze``) with every line. A full collection runs when a deal is decided, since nobody
waits for a ruling then, and after ``MOST_FREEZES`` calls, since web requests that are answered meanwhile are frozen too
and a game that nobody ends is never decided. Free memory returns to the system now and then (``webapp.live.heap``).
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping
from typing import Any

from webapp.live.heap import return_free_memory

YOUNG = 1
"""The garbage collector's generation of objects made since the last line."""
MOST_FREEZES = 200
"""Calls without a full collection, twice as many as a deal has lines. Chosen by hand."""
RELEASE_EVERY = 20
"""Calls between two returns of free memory to the system: two minutes of play. Chosen by hand."""

_freezes = 0


def freeze_kept(lines: Iterable[Mapping[str, Any]]) -> None:
    """Freeze all objects kept so far, after these lines; run a full collection if they decide a deal or one is due."""
    global _freezes  # the collector is one for the whole program
    _freezes += 1
    if _freezes >= MOST_FREEZES or any(line.get("announce") == "result" for line in lines):
        _freezes = 0
        gc.unfreeze()
        gc.collect()
    else:
        gc.collect(YOUNG)
    gc.freeze()
    if _freezes % RELEASE_EVERY == 0:
        return_free_memory()


def thaw() -> None:
    """Let the collector examine everything again, after the match."""
    gc.unfreeze()
    return_free_memory()

"""
Keep Python's garbage collector from examining what a match keeps for good.

A match keeps what was believed at each line, since people may correct any of them; nothing of it goes in circles. Left
alone the collector looks at all of it now and then, and a ruling waits meanwhile, the longer the game has gone on. So
what is kept is frozen with every line: it is looked at no more. Everything is collected when a deal is decided, as
nobody waits then.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping
from typing import Any

YOUNG = 1
"""The generation of what has come since the last line."""


def freeze_kept(lines: Iterable[Mapping[str, Any]]) -> None:
    """These lines were told: what is kept by now need not be looked at before the deal is decided."""
    if any(line.get("announce") == "result" for line in lines):
        gc.unfreeze()
        gc.collect()
    else:
        gc.collect(YOUNG)
    gc.freeze()


def thaw() -> None:
    """The match is over: the collector looks at everything again."""
    gc.unfreeze()

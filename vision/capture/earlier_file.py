"""A film or a record that is written anew leaves what lay there before."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path


def keep_earlier(path: Path) -> Path | None:
    """
    Where the file at ``path`` is kept from now on: ``NAME.1``, ``NAME.2``, ..., the highest number being the newest.

    None where there is no file, or an empty one. ``OSError`` where it can't be moved.
    """
    if not path.is_file() or not path.stat().st_size:
        return None
    kept = next(place for n in count(1) if not os.path.lexists(place := path.with_name(f"{path.name}.{n}")))
    path.rename(kept)
    return kept

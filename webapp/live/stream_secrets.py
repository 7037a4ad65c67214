"""
Keep passwords of streams in a file of their own that only the user's account may read.

Everywhere else addresses have no password (``vision.capture.stream_address``). If people choose such an address on a
page, its password is read from this file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from vision.capture.stream_address import HIDDEN, without_secrets
from vision.data_home import data_home
from webapp.private_file import write_private

FILE = "stream_secrets.json"
MOST = 16
"""Number of addresses that are kept: more than the remembered groups of players."""


def secrets_path() -> Path:
    """Return the file of this user's stream passwords."""
    return data_home() / FILE


def keep_secret(address: str | None, path: Path | None = None) -> str | None:
    """Keep an address that has a password; return it as it may be shown and written elsewhere. ``OSError``."""
    if address is None or without_secrets(address) == address or HIDDEN in address:
        return address
    place, shown = path or secrets_path(), without_secrets(address)
    kept = {shown: address, **{key: value for key, value in _kept(place).items() if key != shown}}
    place.parent.mkdir(parents=True, exist_ok=True)
    write_private(place, json.dumps(dict(list(kept.items())[:MOST]), indent=1).encode())
    return shown


def with_secret(shown: str, known: Iterable[str | None] = (), path: Path | None = None) -> str:
    """
    Return the full address for one that is shown without its password; ``known``: addresses in use.

    ``ValueError`` if its password is not known.
    """
    if HIDDEN not in shown or "://" not in shown:
        return shown
    for each in (*known, *_kept(path or secrets_path()).values()):
        if each is not None and without_secrets(each) == shown:
            return each
    raise ValueError(f"expected the address with its password, got {shown!r:.120}; enter it whole")


def _kept(path: Path) -> Mapping[str, str]:
    with suppress(OSError, ValueError, RecursionError):
        values = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(values, dict) and all(isinstance(value, str) for value in values.values()):
            return values
    return {}

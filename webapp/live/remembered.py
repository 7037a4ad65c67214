"""
Remember the last games of each group on this machine, so that they can be chosen with one tap.

Passwords of streams are kept in a file of their own that only the user's account may read; everywhere else addresses
have none (``vision.capture.stream_address``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from vision.capture.stream_address import HIDDEN, without_secrets
from vision.data_home import data_home
from webapp.private_file import write_private

SECRETS_FILE = "stream_secrets.json"
MOST_ADDRESSES = 16
"""Number of addresses that are kept: more than the remembered groups of players."""


def secrets_path() -> Path:
    return data_home() / SECRETS_FILE


def keep_secret(address: str | None, path: Path | None = None) -> str | None:
    """Keep an address that has a password; return it as it may be shown and written elsewhere. ``OSError``."""
    if address is None or without_secrets(address) == address or HIDDEN in address:
        return address
    place, shown = path or secrets_path(), without_secrets(address)
    stored = {shown: address, **{key: value for key, value in _stored(place).items() if key != shown}}
    place.parent.mkdir(parents=True, exist_ok=True)
    write_private(place, json.dumps(dict(list(stored.items())[:MOST_ADDRESSES]), indent=1).encode())
    return shown


def with_secret(shown: str, known: Iterable[str | None] = (), path: Path | None = None) -> str:
    """
    Return the full address for one that is shown without its password; ``known``: addresses in use.

    ``ValueError`` if its password is not known.
    """
    if HIDDEN not in shown:
        return shown
    for address in (*known, *_stored(path or secrets_path()).values()):
        if address is not None and without_secrets(address) == without_secrets(shown):
            return address
    raise ValueError(f"expected the address with its password, got {shown!r:.120}; enter it whole")


def _stored(path: Path) -> Mapping[str, str]:
    with suppress(OSError, ValueError, RecursionError):
        values = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(values, dict) and all(isinstance(value, str) for value in values.values()):
            return values
    return {}


FILE = "last_games.json"
MOST = 8
"""Number of groups that are kept: few enough to choose from without reading a list."""
REMEMBERED_KEYS = ("seats", "rules", "options", "dealer", "deck", "tone", "recording", "source", "language")


def remembered_path() -> Path:
    return data_home() / FILE


def last_games(path: Path | None = None) -> tuple[Mapping[str, Any], ...]:
    """Return the last game of each group of players, the newest first; empty if none can be read."""
    try:
        values = json.loads((path or remembered_path()).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ()
    if not isinstance(values, list):
        return ()
    games = [value for value in values if isinstance(value, dict) and _is_seats(value.get("seats"))]
    for game in games:  # an earlier version wrote passwords with the source's address
        if isinstance(game.get("source"), str):
            game["source"] = without_secrets(game["source"])
    return tuple(games)


def _is_seats(value: object) -> bool:
    return isinstance(value, list) and len(value) >= 2 and all(isinstance(name, str) for name in value)


def remember(game: Mapping[str, Any], path: Path | None = None) -> bool:
    """Put this game first and drop an earlier one of the same people; return False if it can't be written."""
    place = path or remembered_path()
    stored = {key: game[key] for key in REMEMBERED_KEYS if key in game}
    if not _is_seats(stored.get("seats")):
        return True
    players = set(stored["seats"])
    others = [last_game for last_game in last_games(place) if set(last_game["seats"]) != players]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if "source" in stored:
            stored["source"] = keep_secret(stored["source"], place.with_name(SECRETS_FILE))
        text = json.dumps([stored, *others][:MOST], ensure_ascii=False, indent=1) + "\n"
        write_private(place, text.encode("utf-8", "backslashreplace"))
    except OSError:
        return False
    return True


def known_names(games: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """
    Return the names of all players, those of the newest games first.

    >>> known_names([{"seats": ["Anna", "Boris"]}, {"seats": ["Vera", "Anna"]}])
    ('Anna', 'Boris', 'Vera')
    """
    return tuple(dict.fromkeys(name for game in games for name in game["seats"]))

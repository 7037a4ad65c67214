"""Remember the last games of each group on this machine, so that they can be chosen with one tap."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vision.capture.stream_address import without_secrets
from vision.data_home import data_home
from webapp.live.stream_secrets import FILE as SECRETS
from webapp.live.stream_secrets import keep_secret
from webapp.private_file import write_private

FILE = "last_games.json"
MOST = 8
"""Number of groups that are kept: few enough to choose from without reading a list."""
KEPT = ("seats", "rules", "options", "dealer", "deck", "tone", "recording", "source", "language")


def remembered_path() -> Path:
    """Return the file of this user's last games."""
    return data_home() / FILE


def last_games(path: Path | None = None) -> tuple[Mapping[str, Any], ...]:
    """Return the last game of each group of players, the newest first; empty if none can be read."""
    try:
        values = json.loads((path or remembered_path()).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ()
    if not isinstance(values, list):
        return ()
    return tuple(_shown(each) for each in values if isinstance(each, dict) and _is_seats(each.get("seats")))


def _shown(game: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a game without a password, which an earlier version wrote with the source's address."""
    source = game.get("source")
    return {**game, "source": without_secrets(source)} if isinstance(source, str) else game


def _is_seats(value: object) -> bool:
    return isinstance(value, list) and len(value) >= 2 and all(isinstance(name, str) for name in value)


def remember(game: Mapping[str, Any], path: Path | None = None) -> bool:
    """Put this game first and drop an earlier one of the same people; return False if it can't be written."""
    place = path or remembered_path()
    kept = {key: game[key] for key in KEPT if key in game}
    if not _is_seats(kept.get("seats")):
        return True
    players = set(kept["seats"])
    others = [each for each in last_games(place) if set(each["seats"]) != players]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if "source" in kept:
            kept["source"] = keep_secret(kept["source"], place.with_name(SECRETS))
        text = json.dumps([kept, *others][:MOST], ensure_ascii=False, indent=1) + "\n"
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

"""Export a kept match as one zip file: record, notation, film, and the versions that made it."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from webapp.errors import OutputLostError
from webapp.notation import games_of_record, write_games
from webapp.output import as_line
from webapp.store.matches import Matches


def record(matches: Matches, match: str) -> bytes:
    """Return header and events as JSON lines."""
    text = "".join(f"{as_line(line)}\n" for line in matches.record(match))
    return text.encode("utf-8", "backslashreplace")  # half a character of a damaged name becomes JSON's own \\uXXXX


def notation(matches: Matches, match: str) -> bytes:
    """Return the game in notation (docs/notation.md)."""
    games = games_of_record(record(matches, match).split(b"\n"), f"match {match}")
    return write_games(games).encode("utf-8", "backslashreplace")


def versions(matches: Matches, match: str) -> bytes:
    """Return as JSON what the store lists of the match, and the versions of program and libraries that made it."""
    about, made_with = matches.about(match)
    return (json.dumps({**about, "versions": made_with}, ensure_ascii=False, indent=2) + "\n").encode()


PARTS: Mapping[str, Callable[[Matches, str], bytes]] = {
    "record.jsonl": record,
    "game.durak": notation,
    "versions.json": versions,
}
"""Content of the zip file by name; besides the film, if there is one."""
FILM = "film.mp4"


def export(matches: Matches, match: str, path: Path) -> None:
    """
    Write a match into a new zip file. ``OutputLostError`` if it cannot be written, or the file exists.
    """
    parts = {name: part(matches, match) for name, part in PARTS.items()}
    film = None if matches.films is None else matches.films.film(match)
    try:
        with path.open("xb") as file:
            try:
                with ZipFile(file, "w", ZIP_DEFLATED) as packed:
                    for name, content in parts.items():
                        packed.writestr(name, content)
                    if film is not None:
                        whole = ZipInfo(FILM, time.localtime()[:6])
                        whole.compress_type, whole.file_size = ZIP_STORED, film.size
                        with packed.open(whole, "w") as into:
                            for piece in film.read(0, film.size):
                                into.write(piece)
            except BaseException:
                with contextlib.suppress(OSError):
                    path.unlink()
                raise
    except FileExistsError:
        raise OutputLostError(f"{path}: expected the name of a new file, got one that is there; name another") from None
    except OSError as error:
        raise OutputLostError(
            f"{path}: expected a place where the match can be written, got {error.strerror!r}; name another file"
        ) from None

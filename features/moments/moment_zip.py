"""
Pack one moment of a stored match into a zip file, and read it: record, ten seconds of film, cards, rulings.

A whole match is exported as one zip file, too: record, notation, film, and the versions that made it.
"""

from __future__ import annotations

import contextlib
import io
import json
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import msgspec
from msgspec import Meta, Struct, field

from features.notation.written_match import written_match
from referee.errors import RefereeError
from webapp.errors import OutputLostError, UnusableInputError, one_line
from webapp.json_limits import MOST_BYTES, MOST_LINES, parse_limited, parse_lines_limited
from webapp.output import as_line
from webapp.store.matches import Matches, event_times


def record(matches: Matches, match: str) -> bytes:
    text = "".join(f"{as_line(line)}\n" for line in matches.record(match))
    return text.encode("utf-8", "backslashreplace")  # half a character of a damaged name becomes JSON's own \\uXXXX


FILM = "film.mp4"


class _Written(io.RawIOBase):
    """Keeps what was written since it was last taken; it can't seek, so that the zip file needs no second pass."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def packed_match(matches: Matches, match: str) -> Iterator[bytes]:
    """
    Return the zip file of a match piece by piece: record, notation, versions that made it, and film.

    The film is read as it is sent, the rest before this returns. A record that can't be judged has no notation;
    ``versions.json`` says why.
    """
    about, made_with = matches.about(match)
    description = {**about, "versions": made_with}
    parts = {"record.jsonl": record(matches, match)}
    try:
        parts["game.durak"] = written_match(matches, match)
    except (RefereeError, UnusableInputError) as error:
        description["game.durak"] = one_line(error)
    parts["versions.json"] = (json.dumps(description, ensure_ascii=False, indent=2) + "\n").encode(
        "utf-8", "backslashreplace"
    )
    film = None if matches.films is None else matches.films.film(match)

    def pieces() -> Iterator[bytes]:
        written = _Written()
        with ZipFile(written, "w", ZIP_DEFLATED) as packed:
            for name, content in parts.items():
                packed.writestr(name, content)
            if film is not None:
                whole = ZipInfo(FILM, time.localtime()[:6])
                whole.compress_type, whole.file_size = ZIP_STORED, film.size
                with packed.open(whole, "w") as into:
                    for piece in film.read(0, film.size):
                        into.write(piece)
                        yield written.taken()
        yield written.taken()

    return pieces()


def write_new(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a new file, whole or not at all; ``OutputLostError`` if it cannot be written, or is there already."""
    try:
        with path.open("xb") as file:
            try:
                file.writelines(pieces)
            except BaseException:
                with contextlib.suppress(OSError):
                    path.unlink()
                raise
    except FileExistsError:
        raise OutputLostError(f"{path}: expected the name of a new file, got one that is there; name another") from None
    except OSError as error:
        raise OutputLostError(
            f"The operating system refused: {path}: {error.strerror}; name another file for the moment"
        ) from None


DAMAGED = (EOFError, KeyError, ValueError, TypeError, RecursionError, zlib.error, msgspec.ValidationError)
"""Exceptions of damaged or foreign zip files; encrypted ones raise ``RuntimeError``."""
BEFORE_S, AFTER_S = 7.0, 3.0
"""Seconds of film before a moment and after it: the hand that comes, the card that lies, the table's answer."""
ABOUT, RECORD, CROPS = "moment.json", "record.jsonl", "crops/"
MOST_FILM_BYTES = 200_000_000
"""Most bytes of ten seconds of film: no camera here sends 20 MB a second."""
MOST_PARTS = 1000
"""Most files in the zip file: record, film, description, and a picture of each card laid in ten seconds."""


Seconds = Annotated[float, Meta(ge=-1e9, le=1e9)]


class SaidRuling(Struct, frozen=True):
    """What the program reads of a ruling in ``said``."""

    text: str
    at: Seconds | None = None
    ruling: str | None = None


class MomentAbout(Struct, frozen=True):
    """What the program reads of a moment's description."""

    kozyr_moment: Literal[1]
    match: str
    line: Annotated[int, Meta(ge=1, le=MOST_LINES)]
    at: Seconds
    begin: Seconds = field(name="from")
    to: Seconds
    said: list[SaidRuling]


@dataclass(frozen=True, slots=True)
class PackedMoment:
    """
    The content of a moment's file. ``about``: ``match``, ``line``, ``at``, ``from`` and ``to`` (seconds of the film),
    ``said`` (the rulings of that time as they stood then), ``versions``. ``record``: its lines; ``film``: bytes of an
    MP4, None if there is none.
    """

    about: Mapping[str, Any]
    record: tuple[Mapping[str, Any], ...]
    film: bytes | None


def pack_moment(
    matches: Matches, match: str, line: int, said: list[Mapping[str, Any]], *, with_pictures: bool = True
) -> bytes:
    """
    Return the zip file of a moment. ``said``: the match's rulings that hold, of which those of the moment are included.
    ``with_pictures``: include film and cards.

    ``UnusableInputError`` if there is no such match or line.
    """
    at = event_times(matches.record(match)).get(line)
    if at is None:
        raise UnusableInputError(
            f"expected the line of an event of match {match}, got {line}; "
            f"'kozyr matches show {match} --json' prints them"
        )
    span = (max(0.0, at - BEFORE_S), at + AFTER_S)
    _, versions = matches.about(match)
    film = None if matches.films is None or not with_pictures else matches.films.film(match)
    about = {
        "kozyr_moment": 1,
        "match": match,
        "line": line,
        "at": at,
        "from": span[0],
        "to": span[1],
        "said": [line for line in said if span[0] <= (line.get("at") or 0.0) <= span[1]],
        "versions": dict(versions),
    }
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as packed:
        packed.writestr(ABOUT, json.dumps(about, ensure_ascii=False, indent=1) + "\n")
        packed.writestr(RECORD, record(matches, match))
        if film is not None:
            packed.writestr(FILM, b"".join(film.cut(*span)), compress_type=ZIP_STORED)
        for number, recorded in enumerate(matches.record(match), start=1):
            if with_pictures and "card" in recorded and span[0] <= float(recorded.get("at", -1.0)) <= span[1]:
                crop = matches.crop(match, number)
                if crop is not None:
                    packed.writestr(f"{CROPS}{number}-{crop[0]}.jpg", crop[1], compress_type=ZIP_STORED)
    return made.getvalue()


def read_moment(path: Path) -> PackedMoment:
    """Read a moment's file; ``UnusableInputError`` for another file."""
    try:
        with ZipFile(path) as packed:
            if len(packed.infolist()) > MOST_PARTS:
                raise ValueError("too many parts")
            about = parse_limited(_part(packed, ABOUT, MOST_BYTES))
            msgspec.convert(about, MomentAbout)  # before anything larger is unpacked
            lines = parse_lines_limited(_part(packed, RECORD, MOST_BYTES))
            film = _part(packed, FILM, MOST_FILM_BYTES) if FILM in packed.namelist() else None
        if not lines or not all(isinstance(line, dict) for line in lines):
            raise ValueError("no record")
    except (OSError, BadZipFile, NotImplementedError, RuntimeError, *DAMAGED) as error:
        why = error.strerror if isinstance(error, OSError) else "another kind of file, or a damaged one"
        raise UnusableInputError(
            f"{path}: expected a moment that kozyr packed, got {why}; have it sent again"
        ) from None
    return PackedMoment(about, lines, film)


def _part(packed: ZipFile, name: str, most_bytes: int) -> bytes:
    """Unpack a part; ``ValueError`` if it is larger than allowed, whatever size the zip file states."""
    if packed.getinfo(name).file_size > most_bytes:
        raise ValueError("too large")
    with packed.open(name) as part:
        content = part.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ValueError("too large")
    return content

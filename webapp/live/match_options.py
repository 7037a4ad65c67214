"""
The options of a match: everything that decides how it is opened, as frozen values.

The command line's parser, the set-up page and background jobs make them; ``webapp.live.session`` opens matches by them.
They hold no open file and can be sent to another process.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from referee.record import Header
from webapp.text.catalogue import LANGUAGES


@dataclass(frozen=True, slots=True)
class DetectorOptions:
    """Which networks read the cards. ``weights``: None for the shipped ones; ``deck``: the name of an enrolled deck."""

    weights: Path | None = None
    deck: str | None = None


@dataclass(frozen=True, slots=True)
class KeepingOptions:
    """
    Whether and where the match is kept.

    ``must_keep``: a store that cannot be used ends the command, else the match is played without. ``store``: its URL,
    ``films``: the folder of films; None for the usual ones. ``film``: record a film as well. ``table``: the table's
    name, None for this machine's. ``resume``: the ID of the match to continue, empty for the newest one of the table
    that has not ended, None to begin a new match.
    """

    keep: bool = False
    must_keep: bool = True
    store: str | None = None
    films: Path | None = None
    film: bool = True
    table: str | None = None
    resume: str | None = None


@dataclass(frozen=True, slots=True)
class FileOptions:
    """
    The files of a match beside the store. ``start``: the header that was read. ``record``: where the record is written
    as well. ``zones``: where the places of seats, talon and discard pile are kept.
    """

    start: Path | None = None
    record: Path | None = None
    zones: Path | None = None


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """
    One match. ``source``: as ``vision.capture.sources.open_source`` takes it. ``language``: of the printed sentences.

    ``is_replay``: the source is a recording that is refereed once; its zones file is read and must exist.
    ``is_mirrored``: the pictures of a camera are turned back.
    """

    source: str
    header: Header
    language: str = LANGUAGES[0]
    detector: DetectorOptions = DetectorOptions()
    keeping: KeepingOptions = KeepingOptions()
    files: FileOptions = FileOptions()
    is_replay: bool = False
    is_mirrored: bool = False

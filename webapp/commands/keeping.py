"""Keeping a match while it is refereed, and going on with a kept one: what the commands share."""

from __future__ import annotations

import argparse
import logging
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from vision.data_home import data_home
from webapp.errors import OutputLostError, StoreError, UnusableInputError
from webapp.live.film_recorder import FilmRecorder
from webapp.output import note
from webapp.store.database import Database
from webapp.store.films import FOLDER as FILMS
from webapp.store.films import Films
from webapp.store.kept_match import KeptMatch
from webapp.store.matches import Matches, Writing
from webapp.store.unsent import FOLDER, hand_in
from webapp.versions import versions

logger = logging.getLogger(__name__)


def open_matches(parts: ExitStack, told: str | None, films: Path | None = None) -> Matches:
    """
    The store at a URL, or the usual one, and the films beside it or in a folder of their own; what waited on this
    machine is handed in first.
    """
    database = Database.open(told)
    parts.callback(database.close)
    matches = Matches(database, Films(films or (database.folder or data_home()) / FILMS))
    logger.info("matches are kept in %s", matches.name)
    for sentence in hand_in(data_home() / FOLDER, matches):
        note(sentence)
    return matches


def usual_matches(parts: ExitStack, arguments: argparse.Namespace, *, must_keep: bool) -> Matches | None:
    """
    The store that the command line asks for, None where nothing is to be kept.

    ``must_keep``: a store that can't be used ends the command; else, where nobody named it, the game goes on without.
    """
    if not arguments.keep:
        return None
    try:
        return open_matches(parts, arguments.store, getattr(arguments, "films", None))
    except StoreError as error:
        if must_keep or arguments.store is not None:
            raise StoreError(f"{error} (--no-keep plays without keeping the match)") from None
        note(f"{error}; this match is not kept")
        return None


def table_of(arguments: argparse.Namespace) -> str:
    """The table's name: as told, else this machine's."""
    return arguments.table or socket.gethostname() or "table"


def begin(matches: Matches, arguments: argparse.Namespace) -> KeptMatch:
    """A new match in the store; it is there with its first line."""
    writing = Writing.begin(table_of(arguments), datetime.now().astimezone(), versions())
    return KeptMatch(matches, writing, data_home() / FOLDER, time.monotonic, note)


def resume(matches: Matches, arguments: argparse.Namespace) -> tuple[KeptMatch, tuple[Mapping[str, Any], ...]]:
    """The match that ``--resume`` names, and its record so far."""
    table = table_of(arguments)
    match = arguments.resume or matches.newest_open(table)
    if match is None:
        raise UnusableInputError(
            f"expected a match of table {table!r} that has not ended, found none; 'kozyr matches' lists all with IDs"
        )
    writing, so_far = matches.take_over(match)
    kept = KeptMatch(matches, writing, data_home() / FOLDER, time.monotonic, note, so_far)
    return kept, tuple(entry.data for entry in so_far)


def film_of(parts: ExitStack, matches: Matches | None, kept: KeptMatch | None, *, live: bool) -> FilmRecorder | None:
    """The film of a match that is kept; events get their frames from it. Films that are too old are thrown away."""
    if kept is None or matches is None or matches.films is None:
        return None
    for sentence in matches.films.tidy(kept.match):
        note(sentence)
    film = FilmRecorder(matches.films, lambda: kept.match, waits=not live, tell=note)
    parts.callback(film.close)
    kept.frame_at, kept.crop_of = film.frame_at, film.crop_of
    return film


@contextmanager
def closing(kept: KeptMatch, ended: Callable[[], bool]) -> Iterator[None]:
    """Close the match in the end, and say whether it ``ended``; what ends the program otherwise comes first."""
    try:
        yield
    except BaseException:
        try:
            kept.close(ended=ended())
        except OutputLostError as lost:
            note(str(lost))
        raise
    kept.close(ended=ended())

"""Open the store of kept matches, begin, continue and close a kept match, and record its film."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from vision.data_home import data_home
from webapp.errors import OutputLostError, StoreError, UnusableInputError, WrongCallError
from webapp.live.film_recorder import FilmRecorder
from webapp.live.match_options import KeepingOptions
from webapp.output import note
from webapp.store.database import Database
from webapp.store.films import FOLDER as FILMS
from webapp.store.films import Films
from webapp.store.match_writer import MatchWriter
from webapp.store.matches import Matches, Writing
from webapp.store.unsent import FOLDER, hand_in
from webapp.versions import versions

logger = logging.getLogger(__name__)


def open_matches(parts: ExitStack, store: str | None, films: Path | None = None) -> Matches:
    """
    Open the store at a URL, None for the default one, with its folder of films; ``parts`` closes it.

    Lines that an earlier run could not write are written first.
    """
    database = Database.open(store)
    parts.callback(database.close)
    matches = Matches(database, Films(films or (database.folder or data_home()) / FILMS))
    logger.info("matches are kept in %s", matches.name)
    for sentence in hand_in(data_home() / FOLDER, matches):
        note(sentence)
    return matches


def wanted_matches(parts: ExitStack, options: KeepingOptions) -> Matches | None:
    """
    Open the store that the options name; None where no match is kept.

    ``StoreError`` where it cannot be used and ``options.must_keep``, or where its URL was given.
    """
    if not options.keep:
        return None
    try:
        return open_matches(parts, options.store, options.films)
    except StoreError as error:
        if options.must_keep or options.store is not None:
            raise StoreError(f"{error} (--no-keep plays without keeping the match)") from None
        note(f"{error}; this match is not kept")
        return None


def table_of(options: KeepingOptions) -> str:
    """Return the table's name: the one that was given, else this machine's."""
    return options.table or socket.gethostname() or "table"


def kept_match(
    matches: Matches | None, options: KeepingOptions
) -> tuple[MatchWriter | None, tuple[Mapping[str, Any], ...]]:
    """
    Begin a match in the store, or continue the one that ``options.resume`` names; return it with its record so far.

    (None, ()) without a store; ``WrongCallError`` where there is none to continue in.
    """
    if matches is None:
        if options.resume is not None:
            raise WrongCallError("expected moving pictures to go on with a match, got stills; name a video or a camera")
        return None, ()
    return (begin(matches, options), ()) if options.resume is None else resume(matches, options)


def begin(matches: Matches, options: KeepingOptions) -> MatchWriter:
    """Begin a new match; the store lists it from its first line on."""
    writing = Writing.begin(table_of(options), datetime.now().astimezone(), versions())
    return MatchWriter(matches, writing, data_home() / FOLDER, time.monotonic, note)


def resume(matches: Matches, options: KeepingOptions) -> tuple[MatchWriter, tuple[Mapping[str, Any], ...]]:
    """Continue the match that ``options.resume`` names; return it with its record so far."""
    table = table_of(options)
    match = options.resume or matches.newest_open(table)
    if match is None:
        raise UnusableInputError(
            f"expected a match of table {table!r} that has not ended, found none; 'kozyr matches' lists all with IDs"
        )
    writing, so_far = matches.take_over(match)
    kept = MatchWriter(matches, writing, data_home() / FOLDER, time.monotonic, note, so_far)
    return kept, tuple(entry.data for entry in so_far)


def film_of(parts: ExitStack, matches: Matches | None, kept: MatchWriter | None, *, live: bool) -> FilmRecorder | None:
    """Begin to film a kept match, None if it is not kept; delete films that are too old."""
    if kept is None or matches is None or matches.films is None:
        return None
    for sentence in matches.films.tidy(kept.match):
        note(sentence)
    film = FilmRecorder(matches.films, lambda: kept.match, waits=not live, tell=note)
    parts.callback(film.close)
    kept.film = film
    return film


@contextmanager
def closing(kept: MatchWriter, ended: Callable[[], bool]) -> Iterator[None]:
    """Close the match at the end of the block, with whether it ``ended``; an error of the block is raised first."""
    try:
        yield
    except BaseException:
        try:
            kept.close(ended=ended())
        except OutputLostError as lost:
            note(str(lost))
        raise
    kept.close(ended=ended())

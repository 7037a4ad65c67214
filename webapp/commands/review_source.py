"""Open what `kozyr review` reviews: a clip, or a kept match by its film or, where that is gone, by its record."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from referee.events import Pressed, TableEvent
from referee.record import Header
from vision.capture.film_source import FilmSource
from vision.capture.sources import Source, open_source
from webapp.commands.match_header import HeaderOptions, header_for
from webapp.commands.options import ReviewOptions
from webapp.errors import WrongCallError
from webapp.live.keeping import open_matches
from webapp.live.kept_record import read_kept, statements
from webapp.output import note
from webapp.store.matches import MATCH_ID


@dataclass(frozen=True, slots=True)
class ReviewSource:
    """
    What is reviewed, and the header to review it by. ``source``: None for a kept match whose film is gone; then its
    ``events`` are judged. ``statements``: what people pressed during a kept match.
    """

    source: Source | None
    header: Header
    events: Sequence[TableEvent] = ()
    statements: Sequence[Pressed] = ()


def is_kept(name: str) -> bool:
    """
    Check whether this is the ID of a kept match, and no file.

    >>> is_kept("2026-11-23-193005-k7f3"), is_kept("game.mp4"), is_kept("0")
    (True, False, False)
    """
    return MATCH_ID.fullmatch(name) is not None and not Path(name).exists()


def opened_for_review(parts: ExitStack, options: ReviewOptions) -> ReviewSource:
    """Open what is reviewed; a kept match has its own header, with what the options change in it."""
    name = options.clip
    if is_kept(name):
        return _kept(parts, options)
    header = header_for(options.header)
    source = parts.enter_context(open_source(name))
    if source.live:
        raise WrongCallError(f"expected a recorded clip, got {name}, which is live; use 'kozyr watch {name}'")
    return ReviewSource(source, header)


def _kept(parts: ExitStack, options: ReviewOptions) -> ReviewSource:
    match = options.clip
    matches = open_matches(parts, options.keeping.store, options.keeping.films)
    header, events = read_kept(matches.record(match), f"match {match}")
    film = None if matches.films is None else matches.films.film(match)
    asked = header_for(options.header, (f"match {match}", header.as_json()))
    if film is None:
        note(f"match {match} has no film (any more): judged by its record")
        return ReviewSource(None, asked if options.header != HeaderOptions() else header, events)
    return ReviewSource(
        parts.enter_context(FilmSource(film, f"the film of match {match}")),
        asked,
        statements=statements(header, events),
    )

"""What `kozyr review` is given: a clip, or a kept match, judged by its film or, where that is gone, by its record."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from referee.events import Pressed, TableEvent
from referee.record import Header
from vision.capture.film_source import FilmSource
from vision.capture.sources import Source, open_source
from webapp.commands.keeping import open_matches
from webapp.commands.match_header import Wishes, header_for
from webapp.errors import WrongCallError
from webapp.live.rejudging import read_kept, statements
from webapp.output import note
from webapp.store.matches import MATCH_ID


@dataclass(frozen=True, slots=True)
class ReviewSource:
    """
    What is reviewed, and the header to review it by. ``source``: None for a kept match whose film is gone; then its
    ``events`` are judged. ``said``: what people pressed during a kept match.
    """

    source: Source | None
    header: Header
    events: Sequence[TableEvent] = ()
    said: Sequence[Pressed] = ()


def is_kept(name: str) -> bool:
    """
    Does this name a kept match, and no file?

    >>> is_kept("2026-11-23-193005-k7f3"), is_kept("game.mp4"), is_kept("0")
    (True, False, False)
    """
    return MATCH_ID.fullmatch(name) is not None and not Path(name).exists()


def opened_for_review(parts: ExitStack, arguments: argparse.Namespace, wishes: Wishes, name: str) -> ReviewSource:
    """Open what is to be reviewed. A kept match begins with its own header, with what the options change in it."""
    if is_kept(name):
        return _kept(parts, arguments, wishes, name)
    header = header_for(wishes)
    source = parts.enter_context(open_source(name))
    if source.live:
        raise WrongCallError(f"expected a recorded clip, got {name}, which is live; use 'kozyr watch {name}'")
    return ReviewSource(source, header)


def _kept(parts: ExitStack, arguments: argparse.Namespace, wishes: Wishes, match: str) -> ReviewSource:
    matches = open_matches(parts, arguments.store, arguments.films)
    header, events = read_kept(matches.record(match), f"match {match}")
    film = None if matches.films is None else matches.films.film(match)
    asked = header_for(wishes, (f"match {match}", header.as_json()))
    if film is None:
        note(f"match {match} has no film (any more): judged by its record")
        return ReviewSource(None, asked if wishes != Wishes() else header, events)
    said = statements(header, events)
    return ReviewSource(parts.enter_context(FilmSource(film, f"the film of match {match}")), asked, said=said)

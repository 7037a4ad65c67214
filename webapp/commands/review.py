"""
`kozyr review`: referee recorded games as fast as the machine allows.

A clip is reviewed, or a kept match by its film or, where that is gone, by its record.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from referee.errors import RefereeError
from referee.events import Pressed, TableEvent
from referee.record import Header
from vision.capture.film_source import FilmSource
from vision.capture.sources import Source, SourceError, open_source
from webapp.commands.line_printer import LinePrinter, WarningNotes, close_film, print_notes
from webapp.commands.match_header import HeaderOptions, header_for
from webapp.commands.options import ReviewOptions, ReviewsOptions
from webapp.commands.review_many import clips_in, review_all
from webapp.commands.shared_options import detector_options, header_options, keeping_options
from webapp.errors import KozyrError, UnusableInputError, WrongCallError, one_line
from webapp.live.interfaces import Seen
from webapp.live.kept_record import judged_from_record, read_kept, statements
from webapp.live.match_files import open_matches
from webapp.live.match_options import FileOptions
from webapp.live.replay import Replays
from webapp.live.review_loop import Coverage, begun_at, review
from webapp.live.session import MatchSession
from webapp.output import note
from webapp.store.matches import MATCH_ID


def call(arguments: argparse.Namespace) -> int:
    """Run `kozyr review`."""
    each = ReviewOptions(
        "",
        header_options(arguments),
        arguments.begin_s,
        arguments.language,
        detector_options(arguments),
        keeping_options(arguments, must_keep=True),
        FileOptions(arguments.start, arguments.record, arguments.zones),
    )
    clips = tuple(arguments.clip)
    return run_review(
        ReviewsOptions(clips, each, arguments.out, arguments.workers, arguments.dask, as_json=arguments.json)
    )


def run_review(options: ReviewsOptions) -> int:
    """Review recorded games: print them, or write a file each into ``options.out``; return the exit status."""
    if options.out is not None:
        if options.each.files.record is not None:
            raise WrongCallError("expected --out or --record, got both; the records are in the files of --out")
        return review_all(options, review_clip)
    if options.workers != 1 or options.dask is not None:
        raise WrongCallError("expected --out DIR with --workers and --dask, got none; name a folder for the results")
    clips = clips_in(options.clips)
    if len(clips) == 1:
        return review_clip(replace(options.each, clip=clips[0]), LinePrinter(options.as_json))
    status = 0
    for clip in clips:
        try:
            status = max(status, review_clip(replace(options.each, clip=clip), LinePrinter(options.as_json)))
        except (KozyrError, RefereeError, SourceError) as error:
            note(f"{clip}: {one_line(error).removeprefix(f'{clip}: ')}")
            status = 1
    return status


class ReviewListener:
    """Is called during a review with what its lines don't contain."""

    def kept_as(self, match: str) -> None:
        """Receive the ID under which the match is kept; called once."""

    def reached(self, share: float) -> None:
        """Receive the share (0..1) of the clip that was processed; called after each frame."""


NOBODY = ReviewListener()


def review_clip(
    options: ReviewOptions, tell: Callable[[Mapping[str, Any]], None], listener: ReviewListener = NOBODY
) -> int:
    """Review one recorded game; call ``tell`` with each line, and return the exit status."""
    clip = options.clip
    with ExitStack() as parts:
        opened = opened_for_review(parts, options)
        source, header = opened.source, opened.header
        if source is None:
            for line in judged_from_record(header, opened.events, options.language):
                tell(line)
            return 0
        check_within(source, clip, "--from", options.begin_s)
        session = parts.enter_context(
            MatchSession.open(options.match(header), source=source, statements=opened.statements)
        )
        kept, film = session.files.kept, session.files.film
        if kept is not None:
            listener.kept_as(kept.match)
        warnings = WarningNotes()
        coverage = Coverage()
        frames = counted(begun_at(source, options.begin_s), source.frame_count, listener.reached)
        lines = review(
            session,
            frames,
            time.monotonic,
            notice=lambda frame: coverage.sample(frame, session.pipeline.view),
        )
        for line in lines:
            coverage.hear(line)
            if "summary" in line and options.begin_s and not line["summary"]["frames"]:
                raise too_short(clip, options.begin_s)
            if "summary" in line and not source.stills:
                line = {"summary": {**line["summary"], "refereed": coverage.sentence}}
            tell(line)
            warnings.print(session.files.warnings)
        if film is not None:
            close_film(film, is_warned="film" in warnings.printed)
        if kept is not None and session.files.matches is not None and kept.trouble is None:
            Replays(session.files.matches).prepare(kept.match)
    status = print_notes(source)
    if source.stills:
        return status
    note(coverage.sentence)
    if not (options.header.seats or options.header.start or coverage.is_useless or is_kept(clip)):
        note("no players were named: assuming two, A at the bottom edge and B; name them with --seats")
    return 1 if coverage.is_useless else status


def counted(frames: Iterable[Seen], count: int | None, reached: Callable[[float], None]) -> Iterator[Seen]:
    """Yield the frames, and call ``reached`` with the share of them so far, 0 where their count is not known."""
    for frame in frames:
        reached(min(1.0, frame.number / count) if count else 0.0)
        yield frame


SLACK_S = 1.0
"""Tolerance in seconds, since containers state some frames more or fewer than they hold."""


def check_within(source: Source, clip: str, option: str, at_s: float) -> None:
    """Raise ``WrongCallError`` if ``at_s``, given with ``option``, lies beyond the clip's end, if that is known."""
    length_s = None if source.frame_count is None else source.frame_count / source.fps
    if length_s is not None and at_s > length_s + SLACK_S:
        raise WrongCallError(
            f"expected {option} within {clip}, which is {length_s:.1f} s long, got {at_s:g}; name an earlier second"
        )


def too_short(clip: str, begin_s: float) -> UnusableInputError:
    """Return the error for a clip that ended before the first requested second."""
    return UnusableInputError(
        f"{clip}: expected a clip that goes on to {begin_s:g} s, got a shorter one; name an earlier --from"
    )


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

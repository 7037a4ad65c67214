"""
`kozyr review`: referee recorded games as fast as the machine allows.

A clip is reviewed, or a stored match by its film or, where that is gone, by its record.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.errors import RefereeError
from referee.events import Pressed
from referee.header import Header
from vision.capture.film_file import FilmSource
from vision.capture.sources import VIDEO_SUFFIXES, Frame, Source, SourceError, SourceSettings, open_source
from vision.detection.networks import counted_cost
from webapp.commands.line_printer import LinePrinter, WarningNotes, close_film, print_notes
from webapp.commands.match_header import HeaderOptions, header_for
from webapp.commands.options import ReviewOptions, ReviewsOptions
from webapp.errors import KozyrError, UnusableInputError, WrongCallError, one_line
from webapp.live.match_files import open_matches
from webapp.live.review_loop import Coverage, begun_at, review
from webapp.live.session import MatchSession
from webapp.match.log import MatchLog, judged
from webapp.match.stored_matches import StoredMatches, statements
from webapp.output import note
from webapp.store.matches import MATCH_ID


def run(options: ReviewsOptions) -> int:
    """Review recorded games and print them; return the exit status."""
    clips = clips_in(options.clips)
    printer = LinePrinter(options.each.as_json, options.each.language)
    if len(clips) == 1:
        return review_clip(replace(options.each, clip=clips[0]), printer)
    status = 0
    for clip in clips:
        try:
            status = max(status, review_clip(replace(options.each, clip=clip), printer))
        except (KozyrError, RefereeError, SourceError) as error:
            note(f"{clip}: {one_line(error).removeprefix(f'{clip}: ')}")
            status = 1
    return status


def review_clip(
    options: ReviewOptions,
    tell: Callable[[Mapping[str, Any]], None],
    stored_as: Callable[[str], None] = lambda match: None,
    reached: Callable[[float], None] = lambda share: None,
) -> int:
    """
    Review one recorded game; call ``tell`` with each line, and return the exit status.

    ``stored_as`` is called once with the ID under which the match is kept, ``reached`` after each frame with the share
    (0..1) of the clip that was processed.
    """
    clip, pressed = options.clip, tuple[Pressed, ...]()
    with ExitStack() as parts:
        if is_stored(clip):  # it has its own header, with what the options change in it
            matches = open_matches(parts, options.keeping.store, options.keeping.films)
            record, name = matches.record(clip), f"match {clip}"
            own_header = Header.parse(record[0])
            header = header_for(options.header, (name, own_header.as_json()))
            filmed = None if matches.films is None else matches.films.film(clip)
            if filmed is None:
                note(f"match {clip} has no film (any more): judged by its record")
                header = own_header if options.header == HeaderOptions() else header
                match = judged(record, has_ended=True, match=MatchLog(header, language=options.language), name=name)
                for line in (*match.lines, match.summary(frames=0, seconds_of_clip=0.0, seconds_taken=0.0)):
                    tell(line)
                return 0
            source: Source = parts.enter_context(FilmSource(filmed, f"the film of match {clip}"))
            pressed = statements(judged(record, has_ended=True, name=name))
        else:
            header = header_for(options.header)
            source = parts.enter_context(open_source(clip, SourceSettings(cuts_bars=options.cuts_bars)))
            if source.live:
                raise WrongCallError(f"expected a recorded clip, got {clip}, which is live; use 'kozyr watch {clip}'")
        check_within(source, clip, "--from", options.begin_s)
        session = parts.enter_context(MatchSession.open(options.match(header), source=source, statements=pressed))
        match_writer, film = session.files.match_writer, session.files.film
        if match_writer is not None:
            stored_as(match_writer.match)
        warnings = WarningNotes()
        coverage = Coverage()
        cost = parts.enter_context(counted_cost())

        def notice(frame: Frame) -> None:
            coverage.sample(frame, lambda: session.pipeline.view)
            reached(min(1.0, frame.number / source.frame_count) if source.frame_count else 0.0)

        lines = review(session, begun_at(source, options.begin_s), time.monotonic, notice=notice)
        for line in lines:
            coverage.hear(line)
            if "summary" in line and options.begin_s and not line["summary"]["frames"]:
                raise too_short(clip, options.begin_s)
            if "summary" in line:
                covered = {} if source.stills else {"refereed": coverage.sentence}
                line = {"summary": {**line["summary"], **covered, "cost": cost.as_json()}}
            tell(line)
            warnings.print(session.files.warnings)
        if film is not None:
            close_film(film, is_warned="film" in warnings.printed)
        if match_writer is not None and session.files.matches is not None and match_writer.trouble is None:
            StoredMatches(session.files.matches).prepare(match_writer.match)
    status = print_notes(source)
    if source.stills:
        return status
    note(coverage.sentence)
    if not (options.header.seats or options.header.start or coverage.is_useless or is_stored(clip)):
        note("no players were named: assuming two, A at the bottom edge and B; name them with --seats")
    return 1 if coverage.is_useless else status


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
    return UnusableInputError(
        f"{clip}: expected a clip that goes on to {begin_s:g} s, got a shorter one; name an earlier --from"
    )


def is_stored(name: str) -> bool:
    """
    Check whether this is the ID of a stored match, and no file.

    >>> is_stored("2026-11-23-193005-k7f3"), is_stored("game.mp4"), is_stored("0")
    (True, False, False)
    """
    return MATCH_ID.fullmatch(name) is not None and not Path(name).exists()


def clips_in(names: Sequence[str]) -> list[str]:
    """Return the named clips; a folder stands for the films in it, sorted by name."""
    clips = []
    for name in names:
        path = Path(name)
        there = sorted(path.iterdir()) if path.is_dir() else []
        clips += [str(path) for path in there if path.is_file() and path.suffix.lower() in VIDEO_SUFFIXES] or [name]
    return clips

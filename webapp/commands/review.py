"""`kozyr review`: recorded games through the whole pipeline, as fast as it goes."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from referee.errors import RefereeError
from vision.capture.sources import SourceError
from vision.geometry.zones import NOTHING_SAID
from webapp.commands.clip_span import check_within, too_short
from webapp.commands.keeping import begin, closing, film_of, usual_matches
from webapp.commands.match_header import Wishes
from webapp.commands.match_parts import (
    Teller,
    WarningNotes,
    not_kept,
    players,
    record_file,
    told,
    told_of_film,
    zones_file,
)
from webapp.commands.review_many import clips_in, review_all
from webapp.commands.review_source import is_kept, opened_for_review
from webapp.errors import KozyrError, WrongCallError, one_line
from webapp.live.coverage import Coverage
from webapp.live.film_recorder import FilmedEye
from webapp.live.rejudging import WithStatements, judged_from_record
from webapp.live.replay import Replays
from webapp.live.review_loop import Seen, begun_at
from webapp.live.review_loop import review as play_through
from webapp.output import note


def run_review(arguments: argparse.Namespace, wishes: Wishes) -> int:
    """Recorded games through the whole pipeline, as fast as it goes: printed, or with ``--out`` into a file each."""
    if arguments.out is not None:
        if arguments.record is not None:
            raise WrongCallError("expected --out or --record, got both; the records are in the files of --out")
        return review_all(arguments, wishes, review_clip)
    if arguments.workers != 1 or arguments.dask is not None:
        raise WrongCallError("expected --out DIR with --workers and --dask, got none; name a folder for the results")
    clips = clips_in(arguments.clip)
    if len(clips) == 1:
        return review_clip(arguments, wishes, clips[0], Teller(arguments.json))
    status = 0
    for clip in clips:
        try:
            status = max(status, review_clip(arguments, wishes, clip, Teller(arguments.json)))
        except (KozyrError, RefereeError, SourceError) as error:
            note(f"{clip}: {one_line(error).removeprefix(f'{clip}: ')}")
            status = 1
    return status


class ReviewListener:
    """Hears of a review what its lines don't say."""

    def kept_as(self, match: str) -> None:
        """The match is kept under this ID."""

    def reached(self, share: float) -> None:
        """So much of 1 has been looked at."""


NOBODY = ReviewListener()


def review_clip(
    arguments: argparse.Namespace,
    wishes: Wishes,
    clip: str,
    tell: Callable[[Mapping[str, Any]], None],
    listener: ReviewListener = NOBODY,
) -> int:
    """One recorded game; ``tell`` hears its lines. The exit status."""
    with ExitStack() as parts:
        opened = opened_for_review(parts, arguments, wishes, clip)
        source, header = opened.source, opened.header
        if source is None:
            for line in judged_from_record(header, opened.events, arguments.language):
                tell(line)
            return 0
        check_within(source, clip, "--from", arguments.begin_s)
        zones = zones_file(arguments, clip)
        said = NOTHING_SAID if zones is None else zones.read(header.seats, must_be=True)
        record = record_file(parts, arguments, clip)
        matches = None if source.stills else usual_matches(parts, arguments, must_keep=True)
        kept, is_over = None, False
        if matches is not None:
            kept = begin(matches, arguments)
            parts.enter_context(closing(kept, lambda: is_over))
            listener.kept_as(kept.match)
        eye, match = players(source, header, record, arguments, said, kept)
        film = film_of(parts, matches, kept, live=False) if arguments.film else None
        if film is not None:
            eye = FilmedEye(eye, film)
        warnings = WarningNotes()
        coverage = Coverage(WithStatements(eye, opened.said))
        frames = counted(begun_at(source, arguments.begin_s), source.frame_count, listener.reached)
        for line in play_through(frames, coverage, match, time.monotonic, frame_s=1 / source.fps):
            coverage.hear(line)
            if "summary" in line and arguments.begin_s and not line["summary"]["frames"]:
                raise too_short(clip, arguments.begin_s)
            if "summary" in line and not source.stills:
                line = {"summary": {**line["summary"], "refereed": coverage.sentence}}
            tell(line)
            warnings.tell(not_kept(record, film, kept))
        is_over = True
        if film is not None:
            told_of_film(film, silent="film" in warnings.told)
        if kept is not None and matches is not None and kept.trouble is None:
            Replays(matches).prepare(kept.match)
    status = told(source)
    if source.stills:
        return status
    note(coverage.sentence)
    if not (wishes.seats or wishes.start or coverage.is_useless or is_kept(clip)):
        note("nobody said who plays: taken to be two, A at the bottom edge and B; name them with --seats")
    return 1 if coverage.is_useless else status


def counted(frames: Iterable[Seen], count: int | None, reached: Callable[[float], None]) -> Iterator[Seen]:
    """Yield the same frames and report the share that is done, 0 where nobody knows how many there are."""
    for frame in frames:
        reached(min(1.0, frame.number / count) if count else 0.0)
        yield frame

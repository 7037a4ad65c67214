"""The parts that the commands which referee build: eye, match, record, zones; and how a line is told."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from referee.record import Header
from referee.rulebook import FREE, rulebook
from vision.capture.sources import Source
from vision.geometry.zones import NOTHING_SAID, Zones
from vision.initial_state import InitialState
from vision.pipeline import Pipeline
from vision.still.pipeline import StillPipeline
from vision.still.reading import StillSettings
from vision.view.observer import PipelineObserver
from webapp.commands.chosen_detector import detector_for
from webapp.errors import OutputLostError, WrongCallError
from webapp.live.board import TableWarning
from webapp.live.film_recorder import FilmRecorder
from webapp.live.match import Match
from webapp.live.record_file import RecordFile
from webapp.live.review_loop import TableEye, TableJudge
from webapp.live.still_pictures import Stills
from webapp.live.table_report import TableReport
from webapp.live.table_zones import ZonesFile
from webapp.output import note, say_json, say_text
from webapp.store.kept_match import KeptMatch


def players(
    source: Source,
    header: Header,
    record: RecordFile | None,
    arguments: argparse.Namespace,
    zones: Zones,
    kept: KeptMatch | None = None,
    so_far: Sequence[Mapping[str, Any]] = (),
) -> tuple[TableEye, TableJudge]:
    """
    Who looks and who judges: a game for what moves; for pictures that stand alone a classifier and nobody.

    ``so_far``: the record of a match that goes on.
    """
    if not source.stills:
        match = Match(header, record, arguments.language, kept)
        if so_far:
            match.resume(so_far)
        state = match.state if so_far else None
        return pipeline_for(header, arguments, zones, state=state), match
    if header.start is not None or record is not None:
        note("pictures that stand alone are read one by one, no game is refereed; for a game name a video or a camera")
    pack = rulebook(header.rules, header.options).pack
    still = StillPipeline(detector_for(arguments, pack), StillSettings(pack_size=pack))
    return still, Stills(header, record, arguments.language)


def pipeline_for(
    header: Header,
    arguments: argparse.Namespace,
    zones: Zones = NOTHING_SAID,
    observer: PipelineObserver | None = None,
    state: Mapping[str, Any] | None = None,
) -> Pipeline:
    """
    The eye for this match. ``state``: the position of a match that goes on.
    """
    start = None if header.start is None else header.start.as_json()
    pack = rulebook(header.rules, header.options).pack
    if state is not None:
        begin = InitialState.resumed(state, pack)
    else:
        begin = InitialState.of(start, pack, has_game=header.rules != FREE)
    return Pipeline(detector_for(arguments, pack), header.seats, begin, zones=zones, observer=observer)


def record_file(parts: ExitStack, arguments: argparse.Namespace, spec: str) -> RecordFile | None:
    """The record to write, if one is wanted; never over what is being read."""
    path: Path | None = arguments.record
    if path is None:
        return None
    check_not_read(path, "--record", spec, arguments.start)
    return parts.enter_context(RecordFile(path))


def zones_file(arguments: argparse.Namespace, spec: str) -> ZonesFile | None:
    """Where it is kept what people say of where things are, if anywhere; never over what is being read."""
    path: Path | None = arguments.zones
    if path is None:
        return None
    check_not_read(path, "--zones", spec, arguments.start, arguments.record)
    return ZonesFile(path)


def check_not_read(path: Path, option: str, *used: str | Path | None) -> None:
    """A file that is used already is not written over."""
    for other in used:
        if other is not None and (
            path == Path(other) or (path.exists() and Path(other).exists() and path.samefile(other))
        ):
            raise WrongCallError(f"expected {option} to name another file than the one being read, got {path}")


def not_kept(
    record: RecordFile | None,
    film: FilmRecorder | None,
    kept: KeptMatch | None = None,
    hall: TableReport | None = None,
) -> tuple[TableWarning, ...]:
    """
    Return what of record, film, kept match and reports to the hall fails now, or will before long.

    Lines that wait are tried again first.
    """
    for writer in (record, kept):
        if writer is not None:
            writer.try_again()
    writers = {"record": record, "film": film, "store": kept, "hall": hall}
    troubles = [(about, writer and writer.trouble) for about, writer in writers.items()]
    troubles.append(("disk", film and film.warning))
    return tuple(TableWarning(about, trouble) for about, trouble in troubles if trouble)


class WarningNotes:
    """Says each warning once on standard error, and when record or store go on."""

    def __init__(self) -> None:
        self.told: frozenset[str] = frozenset()

    def tell(self, warnings: tuple[TableWarning, ...]) -> None:
        """At once: somebody may make room while the game goes on."""
        for warning in warnings:
            if warning.about not in self.told:
                note(warning.text)
        now = frozenset(warning.about for warning in warnings)
        for about in sorted({"record", "store"} & (self.told - now)):
            note(f"the {about} goes on; nothing of it is lost")
        self.told = now


def told_of_film(film: FilmRecorder, *, silent: bool) -> None:
    """Finish the film, and say what it lacks. ``silent``: that it ended early was said before."""
    film.close()
    if film.trouble is not None and not silent:
        note(film.trouble)
    if film.dropped:
        note(f"the film lacks {film.dropped} of {film.dropped + film.written} frames: this machine is too slow for all")


class Teller:
    """Says the lines: as JSON on standard output, else the sentences for people."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json

    def __call__(self, line: Mapping[str, Any]) -> None:
        """One line."""
        if self._as_json:
            say_json(line)
        elif "text" in line:
            say_text(spoken(line))
        elif "summary" in line:
            say_text(figures(line["summary"]))

    def all(self, lines: tuple[Mapping[str, Any], ...]) -> None:
        """Several lines."""
        for line in lines:
            self(line)


class LiveTeller(Teller):
    """
    Says the lines of a game that people play, which goes on when nobody can hear them: where standard output is full,
    that is noted once and nothing more is said there. ``is_lost``: did that happen?
    """

    def __init__(self, as_json: bool) -> None:
        super().__init__(as_json)
        self.is_lost = False

    def __call__(self, line: Mapping[str, Any]) -> None:
        """One line."""
        if self.is_lost:
            return
        try:
            super().__call__(line)
        except OutputLostError:
            self.is_lost = True
            note("no more lines fit on standard output; the game goes on, the page and the kept match lack nothing")


def spoken(line: Mapping[str, Any]) -> str:
    """
    A ruling or an announcement for people.

    >>> spoken({"line": 4, "at": 75.25, "ruling": "illegal", "text": "No king lies on the table."})
    ' 1:15  ! No king lies on the table.'
    """
    at_s = line.get("at")
    clock = " " * 5 if at_s is None else f"{int(at_s) // 60:2}:{int(at_s) % 60:02}"
    mark = {"illegal": "!", "impossible": "?", "unclear": "?"}.get(line.get("ruling", ""), " ")
    return f"{clock}  {mark} {line['text']}"


def figures(summary: Mapping[str, Any]) -> str:
    """
    The summary for people.

    >>> figures({"frames": 50, "seconds_of_clip": 2.0, "seconds_taken": 1.0, "rulings": {"legal": 3, "illegal": 0}})
    '50 frames, 2.0 s of play in 1.0 s; rulings: 3 legal, 0 illegal'
    """
    rulings = ", ".join(f"{count} {kind}" for kind, count in summary["rulings"].items())
    return (
        f"{summary['frames']} frames, {summary['seconds_of_clip']:.1f} s of play in {summary['seconds_taken']:.1f} s; "
        f"rulings: {rulings}"
    )


def told(source: Source) -> int:
    """Say what of the source could not be used; the status that goes with it."""
    for sentence in source.notes:
        note(sentence)
    return 1 if source.notes else 0

"""`kozyr demo`, `kozyr watch` and `kozyr review`: builds every part, starts it, and waits for the end."""

from __future__ import annotations

import argparse
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.foresight import Foresee
from referee.record import Header
from referee.rulebook import rulebook
from vision.capture.sources import Source, open_source
from vision.capture.video_writer import FilmWriter, filmed
from vision.geometry.zones import NOTHING_SAID, Zones
from vision.initial_state import InitialState
from vision.pipeline import Pipeline
from vision.still.pipeline import StillEye
from vision.still.reading import StillSettings
from webapp.commands.interruption import ending_when_asked
from webapp.commands.match_header import Wishes, header_for, read_header
from webapp.commands.sight import eye_for
from webapp.errors import UnusableInputError, WrongCallError
from webapp.live.board import Board
from webapp.live.coverage import Coverage
from webapp.live.match import Match
from webapp.live.record_file import RecordFile
from webapp.live.review_loop import Eye, Told
from webapp.live.review_loop import review as play_through
from webapp.live.runtime import Manner, Runtime
from webapp.live.still_pictures import Stills
from webapp.live.table_zones import ZonesFile, arranger
from webapp.output import note, say_json, say_text
from webapp.web.app import create_app
from webapp.web.app_services import AppServices
from webapp.web.port import PORT
from webapp.web.serving import Service, open_browser

RECORDINGS = Path(__file__).parent.parent / "recordings"
DEMO_CLIP = RECORDINGS / "demo.mp4"
DEMO_RECORD = RECORDINGS / "demo.jsonl"
"""The truth of the shipped recording. Only its first line is used here: where the game begins."""
GLANCE_S = 0.5
"""How often the main thread looks up; a blocked wait would not hear ctrl-C on Windows."""


def review(arguments: argparse.Namespace, wishes: Wishes) -> int:
    """A recorded game through the whole pipeline, as fast as it goes."""
    header = header_for(wishes)
    with ExitStack() as parts:
        source = parts.enter_context(open_source(arguments.clip))
        if source.live:
            raise WrongCallError(
                f"expected a recorded clip, got {arguments.clip}, which is live; use 'kozyr watch {arguments.clip}'"
            )
        zones = zones_file(arguments, arguments.clip)
        said = NOTHING_SAID if zones is None else zones.read(header.seats, must_be=True)
        eye, match = players(source, header, record_file(parts, arguments, arguments.clip), arguments, said)
        coverage = Coverage(eye)
        tell = Teller(arguments.json)
        for line in play_through(source, coverage, match, time.monotonic, frame_s=1 / source.fps):
            coverage.hear(line)
            if "summary" in line and not source.stills:
                line = {"summary": {**line["summary"], "refereed": coverage.sentence}}
            tell(line)
    status = told(source)
    if source.stills:
        return status
    note(coverage.sentence)
    return 1 if coverage.is_useless else status


def demo(arguments: argparse.Namespace, wishes: Wishes) -> int:
    """The shipped recording, with the dashboard."""
    if not (DEMO_CLIP.is_file() and DEMO_RECORD.is_file()):
        raise UnusableInputError(f"expected the recording {DEMO_CLIP}, found none; install kozyr anew")
    start = None if wishes.start else (str(DEMO_RECORD), read_header(DEMO_RECORD))
    return table(arguments, header_for(wishes, start), str(DEMO_CLIP), paced=not arguments.exit)


def watch(arguments: argparse.Namespace, wishes: Wishes) -> int:
    """A table, live or from a file, with the dashboard."""
    return table(arguments, header_for(wishes), arguments.source, paced=True)


def table(arguments: argparse.Namespace, header: Header, spec: str, *, paced: bool) -> int:
    """Referee what ``spec`` shows, and serve the page meanwhile."""
    with ExitStack() as parts:
        parts.enter_context(ending_when_asked())
        port = PORT if arguments.port is None else arguments.port
        # A run that ends by itself and names no port only wants the lines: it should not fail over a busy port.
        service = Service.take(arguments.host, port, or_any=arguments.exit and arguments.port is None)
        parts.callback(service.stop)
        source = parts.enter_context(open_source(spec))
        zones = zones_file(arguments, spec)
        said = NOTHING_SAID if zones is None else zones.read(header.seats)
        eye, match = players(source, header, record_file(parts, arguments, spec), arguments, said)
        board = Board()
        tell = Teller(arguments.json)
        film = film_file(parts, arguments, source, spec)
        runtime = Runtime(
            source if film is None else filmed(source, film),
            eye,
            match,
            board,
            Manner(live=source.live, paced=paced and not source.live),
            on_lines=tell.all,
        )
        house = AppServices(press=runtime.press, hosts=own_names(arguments.host))
        if isinstance(eye, Pipeline):
            house = replace(house, arrange=arranger(runtime, eye, header.seats, zones))
        service.start(create_app(house, board))
        began_s = time.monotonic()
        parts.callback(runtime.stop)
        runtime.start()
        note(f"the table is at {service.address}")
        if not arguments.no_browser and not arguments.exit and not open_browser(service.address):
            note("open that address in a browser")
        trouble_told = False
        while not runtime.done.wait(GLANCE_S):
            if film is not None and film.trouble is not None and not trouble_told:
                note(film.trouble)  # at once: somebody may make room; the game itself goes on
                trouble_told = True
        if runtime.failure is not None:
            raise runtime.failure
        camera = runtime.camera
        tell(
            match.summary(
                frames=camera.frames,
                seconds_of_clip=(camera.at_s or 0.0) + 1 / source.fps,
                seconds_taken=time.monotonic() - began_s,
            )
        )
        if not arguments.exit:
            note("the source has ended; the page stays until ctrl-C")
            stay(runtime)
    return max(told(source), 0 if film is None else told_of_film(film, silent=trouble_told))


def stay(runtime: Runtime) -> None:
    """Until ctrl-C, or until the referee has to stop."""
    while runtime.failure is None:
        time.sleep(GLANCE_S)
    raise runtime.failure


def players(
    source: Source, header: Header, record: RecordFile | None, arguments: argparse.Namespace, zones: Zones
) -> tuple[Eye, Told]:
    """Who looks and who judges: a game for what moves; for pictures that stand alone a classifier and nobody."""
    if not source.stills:
        match = Match(header, record, arguments.language)
        return pipeline_for(header, arguments, match.foresee, zones), match
    if header.start is not None or record is not None:
        note("pictures that stand alone are read one by one, no game is refereed; for a game name a video or a camera")
    pack = rulebook(header.rules, header.options).pack
    return StillEye(eye_for(arguments, pack), StillSettings(pack_size=pack)), Stills(header, record, arguments.language)


def pipeline_for(
    header: Header, arguments: argparse.Namespace, foresee: Foresee | None = None, zones: Zones = NOTHING_SAID
) -> Pipeline:
    """The eye for this match. ``foresee``: the match's own, so that nobody is accused at first sight."""
    start = None if header.start is None else header.start.as_json()
    pack = rulebook(header.rules, header.options).pack
    begin = InitialState.of(start, pack=pack)
    return Pipeline(eye_for(arguments, pack), header.seats, begin, foresee=foresee, zones=zones)


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
    check_not_read(path, "--zones", spec, arguments.start, arguments.record, getattr(arguments, "film", None))
    return ZonesFile(path)


def film_file(parts: ExitStack, arguments: argparse.Namespace, source: Source, spec: str) -> FilmWriter | None:
    """The film to write, if one is wanted; never over what is being read."""
    path: Path | None = arguments.film
    if path is None:
        return None
    check_not_read(path, "--film", spec, arguments.start, arguments.record)
    return parts.enter_context(FilmWriter(path, source.size, source.fps))


def check_not_read(path: Path, option: str, *used: str | Path | None) -> None:
    """A file that is used already is not written over."""
    for other in used:
        if other is not None and (
            path == Path(other) or (path.exists() and Path(other).exists() and path.samefile(other))
        ):
            raise WrongCallError(f"expected {option} to name another file than the one being read, got {path}")


def told_of_film(film: FilmWriter, *, silent: bool) -> int:
    """Say what is lacking of the film; the status that goes with it."""
    film.close()
    if film.trouble is not None:
        if not silent:
            note(film.trouble)
        return 1
    if film.dropped:
        note(f"the film lacks {film.dropped} of {film.dropped + film.written} frames: this machine is too slow for all")
    return 0


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


def own_names(host: str) -> tuple[str, ...]:
    """Names under which this machine may be asked for the page."""
    name = socket.gethostname().lower()
    return tuple({host.lower(), name, f"{name.partition('.')[0]}.local"})

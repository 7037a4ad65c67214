"""`kozyr watch`: a table, live or from a file, refereed with the dashboard."""

from __future__ import annotations

import argparse
import socket
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from referee.record import Header
from vision.capture.sources import open_source
from vision.capture.video_writer import filmed
from vision.geometry.zones import NOTHING_SAID
from vision.pipeline import Pipeline
from webapp.commands.interruption import ending_when_asked
from webapp.commands.keeping import begin, closing, resume, usual_matches
from webapp.commands.match_header import Wishes, header_for
from webapp.commands.match_parts import (
    Teller,
    WarningNotes,
    film_file,
    not_kept,
    players,
    record_file,
    told,
    told_of_film,
    zones_file,
)
from webapp.commands.pairing import announce_pairing, pairing_for
from webapp.errors import WrongCallError
from webapp.live.board import Board, Condition, Snapshot
from webapp.live.runtime import Manner, Runtime
from webapp.live.table_zones import arranger
from webapp.output import note
from webapp.store.kept_match import KeptMatch
from webapp.store.matches import Matches
from webapp.web.app import create_app
from webapp.web.app_services import AppServices
from webapp.web.pair_pages import pair_url
from webapp.web.pairing import Ask, Pairing
from webapp.web.port import PORT
from webapp.web.serving import Service, open_browser

GLANCE_S = 0.5
"""How often the main thread looks up; a blocked wait would not hear ctrl-C on Windows."""


def run_watch(arguments: argparse.Namespace, wishes: Wishes) -> int:
    """A table, live or from a file, with the dashboard."""
    if arguments.resume is not None and (wishes != Wishes() or not arguments.keep):
        raise WrongCallError(
            "expected --resume without --no-keep and options about the match, got some of them; leave them away: "
            "a match goes on as it began"
        )
    is_seated = bool(wishes.seats or wishes.start or arguments.resume is not None)
    return referee_table(arguments, header_for(wishes), arguments.source, paced=True, is_seated=is_seated)


def referee_table(
    arguments: argparse.Namespace,
    header: Header,
    spec: str,
    *,
    paced: bool,
    is_seated: bool = True,
    must_keep: bool = True,
) -> int:
    """
    Referee what ``spec`` shows, and serve the page meanwhile.

    ``is_seated``: does somebody say who plays? ``must_keep``: where the match can't be kept, though nobody asked for it
    to be, nothing is refereed.
    """
    with ExitStack() as parts:
        parts.enter_context(ending_when_asked())
        port = PORT if arguments.port is None else arguments.port
        # A run that ends by itself and names no port only wants the lines: it should not fail over a busy port.
        service = Service.take(arguments.host, port, or_any=arguments.exit and arguments.port is None)
        parts.callback(service.stop)
        source = parts.enter_context(open_source(spec))
        if not (is_seated or source.stills):
            raise WrongCallError(
                "expected the players' names, clockwise as the camera sees them, the first at the bottom edge, got "
                f"none; say them so: kozyr watch {spec} --seats Anna,Boris"
            )
        zones = zones_file(arguments, spec)
        matches = None if source.stills else usual_matches(parts, arguments, must_keep=must_keep)
        kept, so_far = kept_match(matches, arguments)
        if so_far:
            header = Header.parse(so_far[0])
        record = record_file(parts, arguments, spec)
        if record is not None:
            for line in so_far:
                record.write(line)
        board = Board()
        if kept is not None:
            parts.enter_context(closing(kept, lambda: has_ended(board.newest)))
        said = NOTHING_SAID if zones is None else zones.read(header.seats)
        eye, match = players(source, header, record, arguments, said, kept, so_far)
        began_at_s = float(so_far[-1].get("at", 0.0)) if so_far else 0.0
        tell = Teller(arguments.json)
        film = film_file(parts, arguments, source, spec)
        runtime = Runtime(
            later(source if film is None else filmed(source, film), began_at_s),
            eye,
            match,
            board,
            Manner(live=source.live, paced=paced and not source.live),
            on_lines=tell.all,
            warnings=lambda: not_kept(record, film, kept),
        )
        elsewhere = tuple(each for each in service.addresses_elsewhere if each != service.address)
        pairing = pairing_for(arguments)
        house = AppServices(
            press=runtime.press,
            correct=runtime.correct,
            hosts=own_names(arguments.host),
            matches=matches,
            pairing=None if pairing.ask is Ask.NEVER else pairing,
            addresses=service.addresses_elsewhere,
        )
        if isinstance(eye, Pipeline):
            house = replace(house, arrange=arranger(runtime, eye, header.seats, zones))
        service.start(create_app(house, board))
        began_s = time.monotonic()
        parts.callback(runtime.stop)
        runtime.start()
        note(f"the table is at {service.address}")
        for address in elsewhere:
            note(f"from other devices: {address}")
        announce_pairing(arguments, pairing, service.address, service.addresses_elsewhere)
        if kept is not None:
            note(f"{'going on with' if so_far else 'kept as'} match {kept.match}")
        if not arguments.no_browser and not arguments.exit and not open_browser(first_page(service.address, pairing)):
            note("open that address in a browser")
        warnings = WarningNotes()
        while not runtime.done.wait(GLANCE_S):
            warnings.tell(board.newest.warnings)
        if runtime.failure is not None:
            raise runtime.failure
        camera = runtime.camera
        tell(
            match.summary(
                frames=camera.frames,
                seconds_of_clip=max((camera.at_s or 0.0) - began_at_s, 0.0) + 1 / source.fps,
                seconds_taken=time.monotonic() - began_s,
            )
        )
        if not arguments.exit:
            note("the source has ended; the page stays until ctrl-C")
            stay(runtime, board, warnings)
    return max(told(source), 0 if film is None else told_of_film(film, silent="film" in warnings.told))


def kept_match(
    matches: Matches | None, arguments: argparse.Namespace
) -> tuple[KeptMatch | None, tuple[Mapping[str, Any], ...]]:
    """The match that is kept, and its record so far: none of a new one."""
    resumes = getattr(arguments, "resume", None) is not None  # only ``watch`` goes on with a match
    if matches is None:
        if resumes:
            raise WrongCallError("expected moving pictures to go on with a match, got stills; name a video or a camera")
        return None, ()
    if not resumes:
        return begin(matches, arguments), ()
    return resume(matches, arguments)


def first_page(address: str, pairing: Pairing) -> str:
    """What the browser of this machine opens: with the code, where it too is asked for one."""
    return pair_url(address, pairing.codes.token) if pairing.ask is Ask.ALWAYS else address


def has_ended(newest: Snapshot) -> bool:
    """Is the match over: by a result, or because its film is?"""
    return newest.state.get("result") is not None or newest.camera.condition is Condition.ENDED


def later(frames: Iterable[Any], seconds: float) -> Iterable[Any]:
    """The frames of a source that goes on where another ended, ``seconds`` after the match began."""
    return frames if not seconds else (replace(frame, at=frame.at + seconds) for frame in frames)


def stay(runtime: Runtime, board: Board, warnings: WarningNotes) -> None:
    """Until ctrl-C, or until the referee has to stop."""
    while runtime.failure is None:
        warnings.tell(board.newest.warnings)
        time.sleep(GLANCE_S)
    raise runtime.failure


def own_names(host: str) -> tuple[str, ...]:
    """Names under which this machine may be asked for the page."""
    name = socket.gethostname().lower()
    return tuple({host.lower(), name, f"{name.partition('.')[0]}.local"})

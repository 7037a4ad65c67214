"""`kozyr watch`: a table, live or from a file, refereed with the dashboard."""

from __future__ import annotations

import argparse
import socket
import time
from contextlib import ExitStack
from dataclasses import replace

from referee.record import Header
from vision.capture.sources import open_source
from vision.capture.video_writer import filmed
from vision.geometry.zones import NOTHING_SAID
from vision.pipeline import Pipeline
from webapp.commands.interruption import ending_when_asked
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
from webapp.errors import WrongCallError
from webapp.live.board import Board
from webapp.live.runtime import Manner, Runtime
from webapp.live.table_zones import arranger
from webapp.output import note
from webapp.web.app import create_app
from webapp.web.app_services import AppServices
from webapp.web.port import PORT
from webapp.web.serving import Service, open_browser

GLANCE_S = 0.5
"""How often the main thread looks up; a blocked wait would not hear ctrl-C on Windows."""


def run_watch(arguments: argparse.Namespace, wishes: Wishes) -> int:
    """A table, live or from a file, with the dashboard."""
    is_seated = bool(wishes.seats or wishes.start)
    return referee_table(arguments, header_for(wishes), arguments.source, paced=True, is_seated=is_seated)


def referee_table(
    arguments: argparse.Namespace, header: Header, spec: str, *, paced: bool, is_seated: bool = True
) -> int:
    """Referee what ``spec`` shows, and serve the page meanwhile. ``is_seated``: does somebody say who plays?"""
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
        said = NOTHING_SAID if zones is None else zones.read(header.seats)
        record = record_file(parts, arguments, spec)
        eye, match = players(source, header, record, arguments, said)
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
            warnings=lambda: not_kept(record, film),
        )
        house = AppServices(press=runtime.press, hosts=own_names(arguments.host))
        if isinstance(eye, Pipeline):
            house = replace(house, arrange=arranger(runtime, eye, header.seats, zones))
        service.start(create_app(house, board))
        began_s = time.monotonic()
        parts.callback(runtime.stop)
        runtime.start()
        note(f"the table is at {service.address}")
        for address in service.addresses_elsewhere:
            if address != service.address:
                note(f"from other devices: {address}")
        if not arguments.no_browser and not arguments.exit and not open_browser(service.address):
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
                seconds_of_clip=(camera.at_s or 0.0) + 1 / source.fps,
                seconds_taken=time.monotonic() - began_s,
            )
        )
        if not arguments.exit:
            note("the source has ended; the page stays until ctrl-C")
            stay(runtime, board, warnings)
    return max(told(source), 0 if film is None else told_of_film(film, silent="film" in warnings.told))


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

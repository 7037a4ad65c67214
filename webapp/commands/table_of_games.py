"""One table of this program: its page, and the games that are played at it one after another."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from referee.record import Header
from vision.capture.phone import PHONE
from vision.capture.sources import SourceError
from vision.data_home import data_home
from vision.detection.networks import WeightsError
from vision.enrolment.deck_file import DeckFileError
from vision.geometry.zones import NOTHING_SAID
from vision.pipeline import Pipeline
from webapp.commands.interruption import ending_when_asked
from webapp.commands.keeping import begin, closing, film_of, resume, table_of, usual_matches
from webapp.commands.long_work import BesideTheGame
from webapp.commands.match_parts import (
    LiveTeller,
    WarningNotes,
    not_kept,
    players,
    record_file,
    told,
    told_of_film,
    zones_file,
)
from webapp.commands.page_addresses import announce_page, own_names, secured
from webapp.commands.pairing import announce_camera, pairing_for
from webapp.commands.setup_view import show_table
from webapp.commands.shipped_recording import shipped_setup
from webapp.errors import KozyrError, UnusableInputError, WrongCallError, one_line
from webapp.live.board import Board, CameraHealth, Condition, Snapshot
from webapp.live.cameras import found_cameras
from webapp.live.game_setup import GameSetup
from webapp.live.notification import SECRET_VARIABLE, Notifier
from webapp.live.phone_camera import PhoneCamera
from webapp.live.remembered import remember
from webapp.live.runtime import Manner, Patience, Runtime
from webapp.live.setup_desk import SetupDesk, has_begun
from webapp.live.table_report import TableReport
from webapp.live.table_source import open_table_source
from webapp.live.table_zones import arranger
from webapp.output import note
from webapp.store.evenings import FinishedGame, evening_so_far
from webapp.store.kept_match import KeptMatch
from webapp.store.labelled_pictures import FOLDER as LABELLED
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.matches import Matches
from webapp.web.app import create_app
from webapp.web.app_services import AppServices
from webapp.web.camera_api import camera_url
from webapp.web.pairing import Ask
from webapp.web.port import PORT
from webapp.web.serving import Service

PHONE_PATIENCE = Patience(silence_s=6.0)
"""A phone's source says itself after two seconds that the phone is gone."""
GLANCE_S = 0.5
"""How often the main thread looks up; a blocked wait would not hear ctrl-C on Windows."""
CAN_BE_CHOSEN_OTHERWISE = (
    SourceError,
    WeightsError,
    DeckFileError,
    WrongCallError,
    UnusableInputError,
    ValueError,
)
"""What may be wrong with a game before it begins and can be mended on the page."""


def serve_table(
    arguments: argparse.Namespace,
    desk: SetupDesk,
    *,
    header: Header | None = None,
    paced: bool = True,
    must_keep: bool = True,
) -> int:
    """
    Serve the page of a table, with one game after another as the desk has them. ``header``: of the first, where the
    command line gave it: what is wrong with that one ends the command, what is wrong with others is said on the page.
    """
    with ExitStack() as parts:
        parts.enter_context(ending_when_asked())
        port = PORT if arguments.port is None else arguments.port
        # A run that ends by itself and names no port only wants the lines: it should not fail over a busy port.
        service = Service.take(arguments.host, port, or_any=arguments.exit and arguments.port is None)
        parts.callback(service.stop)
        authority = secured(service, arguments, takes_phone=True)
        table = TableOfGames(arguments, desk, parts, service, authority=authority, paced=paced, must_keep=must_keep)
        parts.callback(table.board.close)
        status = 0
        while True:
            setup = desk.take_up()
            clear(table.board)
            if setup is None:
                table.serve()
                show_table(desk, table.board, arguments, table.phone)
                continue
            given, header = header, None
            try:
                status = max(status, table.play(given or setup.header(), setup))
            except CAN_BE_CHOSEN_OTHERWISE as error:
                if given is not None or table.has_begun_one:
                    raise
                note(one_line(error))
                desk.could_not(one_line(error))
                continue
            if not desk.is_asked:
                return status


class TableOfGames:
    """The page of one table, and the games that are played at it one after another."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        desk: SetupDesk,
        parts: ExitStack,
        service: Service,
        *,
        authority: Path | None,
        paced: bool,
        must_keep: bool,
    ) -> None:
        self.board, self.phone = Board(), PhoneCamera()
        self._arguments, self._desk, self._service = arguments, desk, service
        self._paced, self._authority = paced, authority
        self._runtime: Runtime | None = None
        self._kept: KeptMatch | None = None
        self._long_work: BesideTheGame | None = None
        self._arrange: Callable[[Mapping[str, Any]], bool] | None = None
        self._report: TableReport | None = None
        self._is_served = False
        self._parts, self._must_keep = parts, must_keep
        self._unkept: tuple[FinishedGame, ...] = ()
        self._matches: Matches | None = None
        self._has_matches = False
        self.has_begun_one = False
        """Has the game that is played now begun? What goes wrong then is no matter of choosing."""

    def matches(self) -> Matches | None:
        """The store, opened when it is needed first."""
        if not self._has_matches:
            self._matches = usual_matches(self._parts, self._arguments, must_keep=self._must_keep)
            self._has_matches = True
        return self._matches

    def serve(self) -> None:
        """Serve the page, if it is not served yet, and say where it is."""
        if self._is_served:
            return
        self._is_served = True
        arguments, service = self._arguments, self._service
        pairing = pairing_for(arguments)
        deck = getattr(arguments, "deck", None)
        self._long_work = long_work = BesideTheGame(
            self.matches(), arguments.store, arguments.films, arguments.weights, deck
        )
        self._parts.callback(long_work.jobs.stop)
        services = AppServices(
            press=lambda press: self._runtime is not None and self._runtime.press(press),
            correct=lambda correction: None if self._runtime is None else self._runtime.correct(correction),
            arrange=lambda values: self._arrange is not None and self._arrange(values),
            hosts=own_names(arguments.host),
            matches=self.matches(),
            pairing=None if pairing.ask is Ask.NEVER else pairing,
            addresses=service.addresses_elsewhere,
            authority=self._authority,
            is_tls_optional=not arguments.tls,
            film=lambda on: self._runtime is not None and self._runtime.turn_film(on),
            desk=self._desk,
            phone=self.phone,
            camera_addresses=service.secure_addresses_elsewhere or ((service.address,) if arguments.tls else ()),
            offered=offered_sources,
            long_work=long_work,
            labelled=None if self.matches() is None else LabelledPictures(data_home() / LABELLED),
            live_match=lambda: None if self._kept is None else self._kept.match,
        )
        service.start(create_app(services, self.board))
        announce_page("the table", arguments, service, pairing, opens=not arguments.exit)
        if self._desk.setup.source == PHONE:
            announce_camera(camera_url(services))
        self._report_to_hall()
        self._notify()

    def _notify(self) -> None:
        """Notify the program that ``--notify`` names of every line."""
        address = self._arguments.notify
        if address is None:
            return
        notifier = Notifier(self.board, address, table_of(self._arguments), os.environ.get(SECRET_VARIABLE))
        self._parts.callback(notifier.stop)
        notifier.start()

    def _report_to_hall(self) -> None:
        """Tell whoever shares the store how this table stands."""
        matches = self.matches()
        if matches is None:
            return
        report = TableReport(
            self.board,
            matches.tables,
            table_of(self._arguments),
            lambda: None if self._kept is None else self._kept.match,
            next(iter(self._service.addresses_elsewhere), None),
            time.monotonic,
        )
        self._report = report
        self._parts.callback(report.stop)
        report.start()

    def play(self, header: Header, setup: GameSetup) -> int:
        """Referee one game, until its source ends or somebody asks for another; the exit status it leads to."""
        board, desk = self.board, self._desk
        arguments = argparse.Namespace(**{**vars(self._arguments), "deck": setup.deck, "language": setup.language})
        spec = str(setup.source)
        self.has_begun_one = False
        with ExitStack() as parts:
            if spec == PHONE:
                self.serve()  # the phone finds its way in by the page
            opened = open_table_source(spec, self.phone, board, lambda: desk.is_asked)
            if opened is None:
                return 0
            source = parts.enter_context(opened)
            zones = zones_file(arguments, spec)
            matches = None if source.stills else self.matches()
            kept, so_far = kept_match(matches, arguments)
            self._arguments.resume = None  # only the first game goes on with an earlier one
            if so_far:
                header = Header.parse(so_far[0])
            record = record_file(parts, arguments, spec)
            if record is not None:
                for line in so_far:
                    record.write(line)
            self._kept = kept
            if kept is not None:
                assert matches is not None
                parts.callback(self._forget_if_empty, matches, kept)
                parts.enter_context(closing(kept, lambda: has_ended(board.newest)))
            said = NOTHING_SAID if zones is None else zones.read(header.seats)
            eye, match = players(source, header, record, arguments, said, kept, so_far)
            began_at_s = float(so_far[-1].get("at", 0.0)) if so_far else 0.0
            tell = LiveTeller(arguments.json)
            film = film_of(parts, matches, kept, live=source.live) if setup.recording else None
            runtime = self._runtime = Runtime(
                later(source, began_at_s),
                eye,
                match,
                board,
                Manner(live=source.live, paced=self._paced and not source.live),
                on_lines=tell.all,
                warnings=lambda: (
                    *not_kept(record, film, kept, self._report),
                    *(self.phone.warnings() if spec == PHONE else ()),
                ),
                on_named=eye.name if isinstance(eye, Pipeline) else lambda was, card: None,
                film=film,
                patience=PHONE_PATIENCE if spec == PHONE else None,
            )
            if isinstance(eye, Pipeline):
                self._arrange = arranger(runtime, eye, header.seats, zones)
            parts.callback(self._leave, runtime)
            board.publish(earlier=self._earlier(matches, kept))
            if kept is None:
                parts.callback(self._remember_games, datetime.now().astimezone())
            self.serve()
            began_s = time.monotonic()
            self.has_begun_one = True
            runtime.start()
            if kept is not None:
                note(f"{'going on with' if so_far else 'kept as'} match {kept.match}")
            if film is not None:
                note(f"the table is filmed (--no-film, or a tap on the page, ends that); {film.films.promise}")
            if setup.seats and arguments.keep:
                remember(setup.as_json())
            warnings = WarningNotes()
            while not runtime.done.wait(GLANCE_S) and not desk.is_asked:
                warnings.tell(board.newest.warnings)
            if runtime.failure is not None:
                raise runtime.failure
            if runtime.done.is_set() or has_begun(board.newest):
                camera = runtime.camera
                tell(
                    match.summary(
                        frames=camera.frames,
                        seconds_of_clip=max((camera.at_s or 0.0) - began_at_s, 0.0) + 1 / source.fps,
                        seconds_taken=time.monotonic() - began_s,
                    )
                )
            if film is not None:
                told_of_film(film, silent="film" in warnings.told)
            if not arguments.exit and not desk.is_asked:
                note("the source has ended; the page stays until ctrl-C")
                if kept is not None and self._long_work is not None and has_ended(board.newest):
                    self._long_work.prepare(kept.match)
                stay(runtime, board, warnings, desk)
        return max(told(source), int(tell.is_lost))

    def _leave(self, runtime: Runtime) -> None:
        """Let the threads of a game end; the page stays."""
        self._runtime = self._arrange = self._kept = None
        runtime.stop(closes_board=False)

    def _earlier(self, matches: Matches | None, kept: KeptMatch | None) -> tuple[FinishedGame, ...]:
        """The games of this evening at this table before this match: the score goes on with them."""
        games = self._unkept
        if matches is not None:
            with suppress(KozyrError):  # a store that fails says so where the match is kept
                games += tuple(game for game in matches.games() if kept is None or game.match != kept.match)
        return evening_so_far(games, table_of(self._arguments), datetime.now().astimezone())

    def _remember_games(self, began: datetime) -> None:
        """The games of a match that is not kept count as long as the program runs."""
        table, now = table_of(self._arguments), datetime.now().astimezone()
        self._unkept += tuple(
            replace(game, table=table, began=began, ended=now) for game in self.board.newest.own_games
        )

    def _forget_if_empty(self, matches: Matches, kept: KeptMatch) -> None:
        """A game that was chosen otherwise before its first card is not kept."""
        if self._desk.is_asked and not has_begun(self.board.newest):
            with suppress(KozyrError):
                matches.delete(kept.match)


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


def clear(board: Board) -> None:
    """Take what was played off the board: another game begins, or one is being chosen."""
    board.publish(
        moves=board.newest.moves + 1,
        game=board.newest.game + 1,
        rules="",
        seats=(),
        teams=(),
        state={},
        calls=(),
        question=None,
        taken=(),
        lines=(),
        results=(),
        rulings={},
        last_event=None,
        film=None,
        camera=CameraHealth(),
    )


def offered_sources() -> list[Mapping[str, Any]]:
    """The cameras of this machine and the shipped recording, with what goes with it."""
    shipped = shipped_setup().as_json()
    goes_with = {key: shipped[key] for key in ("seats", "rules", "options", "dealer", "start")}
    recording = {"source": shipped["source"], "name": "demo", "goes_with": goes_with}
    return [*found_cameras(), recording]


def has_ended(newest: Snapshot) -> bool:
    """Is the match over: by a result, or because its film is?"""
    return newest.state.get("result") is not None or newest.camera.condition is Condition.ENDED


def later(frames: Iterable[Any], seconds: float) -> Iterable[Any]:
    """The frames of a source that goes on where another ended, ``seconds`` after the match began."""
    return frames if not seconds else (replace(frame, at=frame.at + seconds) for frame in frames)


def stay(runtime: Runtime, board: Board, warnings: WarningNotes, desk: SetupDesk) -> None:
    """Until ctrl-C, until somebody asks for another game, or until the referee has to stop."""
    while runtime.failure is None:
        if desk.is_asked:
            return
        warnings.tell(board.newest.warnings)
        time.sleep(GLANCE_S)
    raise runtime.failure

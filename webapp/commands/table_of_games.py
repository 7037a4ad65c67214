"""One table of this program: its page, and the games that are played at it one after another."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from referee.record import Header
from vision.capture.phone import PHONE
from vision.capture.sources import Source, SourceError
from vision.detection.networks import WeightsError
from webapp.commands.background_work import BackgroundWork
from webapp.commands.interruption import ending_when_asked
from webapp.commands.line_printer import LivePrinter, WarningNotes, close_film, print_notes
from webapp.commands.match_header import shipped_setup
from webapp.commands.options import EVERYWHERE, TableOptions
from webapp.commands.pairing import announce_camera, announce_page, own_names, pairing_for, secured
from webapp.commands.setup_view import show_table
from webapp.errors import KozyrError, OwnDeckError, UnusableInputError, WrongCallError, one_line
from webapp.features import features
from webapp.live.board import BoardFollower, SnapshotHub, TableWarning
from webapp.live.cameras import found_cameras, open_table_source
from webapp.live.game_setup import GameSetup
from webapp.live.match_files import table_of, wanted_matches
from webapp.live.match_options import DetectorOptions, MatchOptions
from webapp.live.phone_camera import PhoneCamera
from webapp.live.remembered import remember
from webapp.live.runtime import Listener, PlaybackMode, Runtime, Timeouts
from webapp.live.session import MatchSession
from webapp.live.shared_setup import SharedSetup, has_begun
from webapp.match.log import Line
from webapp.output import note
from webapp.shipped_recording import demo_key
from webapp.store.evenings import FinishedGame, evening_so_far
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.matches import Matches
from webapp.web.app import create_app
from webapp.web.app_services import Addresses, AppConfig, ServedTable
from webapp.web.camera_api import camera_url
from webapp.web.pairing import Ask, Pairing
from webapp.web.port import PORT
from webapp.web.serving import Service

RESUMED_WITHIN = timedelta(hours=12)
"""Time since a match began in which set-up offers to go on with it: an evening. Chosen by hand."""
PHONE_PATIENCE = Timeouts(silence_s=6.0)
"""A phone's source itself reports after two seconds that the phone is gone."""
CAN_BE_CHOSEN_OTHERWISE = (SourceError, WeightsError, OwnDeckError, WrongCallError, UnusableInputError, ValueError)
"""Errors before a game begins that people can mend on the page."""


def serve_table(options: TableOptions, shared_setup: SharedSetup, header: Header | None = None) -> int:
    """
    Serve the page of a table, and referee one game after another as the page orders; return the exit status.

    ``header``: that of the first game, where the command line gave it. An error of that game ends the command, an error
    of a later one is shown on the page.
    """
    serving = options.serving
    with ExitStack() as parts:
        parts.enter_context(ending_when_asked())
        port = PORT if serving.port is None else serving.port
        # A run that ends by itself and names no port needs its lines only: it should not fail over a busy port.
        service = Service.take(serving.host, port, or_any=options.exits and serving.port is None)
        table = TableServer(options, shared_setup, parts, service)
        parts.callback(table.stop)
        parts.callback(table.board.close)
        status = 0
        while True:
            setup = shared_setup.take_up()
            table.board.clear()
            if setup is None:
                table.serve()
                show_table(shared_setup, table.board, options.detector.weights, table.phone)
                continue
            given, header = header, None
            try:
                status = max(status, table.play(given or setup.header(), setup))
            except CAN_BE_CHOSEN_OTHERWISE as error:
                if given is not None or table.has_begun_one:
                    raise
                note(one_line(error))
                shared_setup.could_not(one_line(error))
                continue
            if not shared_setup.is_asked:
                return status


class TableServer(Listener, ServedTable):
    """The page of one table, and the games that are played at it one after another; prints what they bring."""

    def __init__(self, options: TableOptions, shared_setup: SharedSetup, parts: ExitStack, service: Service) -> None:
        self.board, self.phone = SnapshotHub(), PhoneCamera()
        self._options, self._shared_setup, self._service = options, shared_setup, service
        self._authority = secured(service, options.serving, takes_phone=True)
        self._pairing: Pairing
        self._is_opening = threading.Lock()
        self._runtime: Runtime | None = None
        self._work: BackgroundWork | None = None
        self._printer, self._notes = LivePrinter(options.as_json, options.language), WarningNotes()
        self._reporters: list[BoardFollower] = []
        self._parts = parts
        self._unstored: tuple[FinishedGame, ...] = ()
        self.has_begun_one = False
        """Has the game that is played now begun? An error is then no matter of choosing another way."""

    # --- what pages ask for ---

    @property
    def game(self) -> Runtime | None:
        return self._runtime

    def open_to_devices(self) -> bool:
        """Serve the page to other devices, too, whatever ``--host`` names; the game goes on meanwhile."""
        if not self._service.is_local or self._is_opening.locked():
            return False
        threading.Thread(target=self._open_to_devices, name="opening", daemon=True).start()
        return True

    def _open_to_devices(self) -> None:
        with self._is_opening:
            if not self._service.is_local:  # a second press while the first was at work
                return
            port, old = self._service.port, self._options.serving
            self._service.stop()
            try:
                self._service = Service.take(EVERYWHERE, port)
            except UnusableInputError as error:
                note(one_line(error))
                self._service = Service.take(old.host, port)
            else:
                self._options = replace(self._options, serving=replace(old, host=EVERYWHERE))
            self._authority = secured(self._service, self._options.serving, takes_phone=True)
            self._start()

    def offered_sources(self) -> list[Mapping[str, Any]]:
        """Return the cameras of this machine and the shipped recording, with the facts that set-up shows of each."""
        shipped = shipped_setup().as_json()
        goes_with = {key: shipped[key] for key in ("seats", "rules", "options", "dealer", "start")}
        recording = {"source": shipped["source"], "name": "demo", "goes_with": goes_with}
        return [*found_cameras(), recording]

    @property
    def live_match(self) -> str | None:
        match_writer = None if self._runtime is None else self._runtime.session.files.match_writer
        return None if match_writer is None else match_writer.match

    @property
    def resumable(self) -> str | None:
        """
        Return the ID of the camera's match at this table that was left before its end, or whose camera was given up.
        """
        matches = self.matches
        left = None if matches is None else matches.newest_open(table_of(self._options.keeping), of_camera=True)
        is_on = self._runtime is not None and not self._runtime.done.is_set()
        if matches is None or left is None or (is_on and left == self.live_match):
            return None
        began = datetime.fromisoformat(matches.about(left)[0]["started"])
        return left if datetime.now().astimezone() - began < RESUMED_WITHIN else None

    # --- the page ---

    def stop(self) -> None:
        with self._is_opening:
            self._service.stop()

    @cached_property
    def matches(self) -> Matches | None:
        """Return the store; open it on first use."""
        return wanted_matches(self._parts, self._options.keeping)

    def serve(self) -> None:
        if self._work is not None:
            return
        options = self._options
        self._pairing = pairing_for(options.serving)
        self._work = BackgroundWork(self.matches, options.keeping.store, options.keeping.films, options.detector)
        self._parts.callback(self._work.jobs.stop)
        self._start(opens=not options.exits)
        table, page = table_of(options.keeping), next(iter(self._service.addresses_elsewhere), None)
        for feature in features():
            if feature.reporters is not None:
                made = feature.reporters.load()(self.board, self.matches, table, page, options.keeping)
                self._reporters.extend(made)
        for reporter in self._reporters:
            self._parts.callback(reporter.stop)
            reporter.start()

    def _start(self, *, opens: bool = False) -> None:
        """Start the server, and print where the page is. ``opens``: in the browser of this machine, too."""
        serving, service, pairing = self._options.serving, self._service, self._pairing
        config = AppConfig(
            self,
            addresses=Addresses(
                own_names(serving.host),
                service.addresses_elsewhere,
                service.secure_addresses_elsewhere or ((service.address,) if serving.tls else ()),
                is_local=service.is_local,
            ),
            matches=self.matches,
            pairing=None if pairing.ask is Ask.NEVER else pairing,
            authority=self._authority,
            is_tls_optional=not serving.tls,
            shared_setup=self._shared_setup,
            phone=self.phone,
            long_work=self._work,
            labelled=None if self.matches is None else LabelledPictures(),
        )
        service.start(create_app(config, self.board))
        announce_page("the table", serving, service, pairing, opens=opens)
        if self._shared_setup.setup.source == PHONE:
            announce_camera(camera_url(config))

    # --- one game ---

    def play(self, header: Header, setup: GameSetup) -> int:
        """Referee one game, until its source ends or somebody asks for another; return the exit status."""
        self.has_begun_one = False
        with ExitStack() as parts:
            if setup.source == PHONE:
                self.serve()  # the phone finds its way in by the page
            opened = open_table_source(str(setup.source), self.phone, self.board, lambda: self._shared_setup.is_asked)
            if opened is None:
                return 0
            source = parts.enter_context(opened)
            session = self._open_session(source, header, setup)
            parts.callback(self._forget_if_empty, session)
            parts.enter_context(session)
            self._printer, self._notes = LivePrinter(self._options.as_json, self._options.language), WarningNotes()
            runtime = Runtime(
                session,
                self.board,
                PlaybackMode(
                    source.live,
                    self._options.is_paced and not source.live,
                    on_demand=setup.source == PHONE,
                    arrivals=self.phone.inbox.rate if setup.source == PHONE else None,
                    stall_cause=source.stall_cause,
                ),
                self,
                patience=PHONE_PATIENCE if setup.source == PHONE else None,
            )
            parts.callback(runtime.stop, closes_board=False)
            parts.callback(setattr, self, "_runtime", None)
            if session.files.match_writer is None:
                parts.callback(self._remember_games, datetime.now().astimezone(), session.files.recording)
            self._runtime = runtime
            self.board.publish(match=self.live_match, earlier=self._earlier(session))
            self.serve()
            self._run(runtime, session, setup)
        return max(print_notes(source), int(self._printer.is_lost))

    def _open_session(self, source: Source, header: Header, setup: GameSetup) -> MatchSession:
        matches = None if source.stills else self.matches
        keeping = replace(self._options.keeping, keep=matches is not None, film=setup.recording)
        resumed = self._shared_setup.take_resumed()
        if resumed is not None:
            keeping = replace(keeping, resume=resumed)
        options = MatchOptions(
            str(setup.source),
            header,
            setup.language,
            DetectorOptions.of_deck(self._options.detector.weights, setup.deck),
            keeping,
            self._options.files,
            is_mirrored=setup.mirrored,
        )
        session = MatchSession.open(options, source=source, matches=matches)
        # Only the first game continues an earlier one.
        self._options = replace(self._options, keeping=replace(self._options.keeping, resume=None))
        return session

    def _run(self, runtime: Runtime, session: MatchSession, setup: GameSetup) -> None:
        shared_setup, files, began_s = self._shared_setup, session.files, time.monotonic()
        self.has_begun_one = True
        runtime.start()
        if files.match_writer is not None:
            note(f"{'going on with' if files.so_far else 'kept as'} match {files.match_writer.match}")
        if files.film is not None:
            note(f"the table is filmed (--no-film, or a tap on the page, ends that); {files.film.films.promise}")
        if setup.seats and self._options.keeping.keep:
            remember(setup.as_json())
        shared_setup.wait(until=runtime.done.is_set)
        if runtime.failure is not None:
            raise runtime.failure
        if runtime.done.is_set() or has_begun(self.board.newest):
            camera = runtime.watched.health
            self._printer(
                session.match.summary(
                    frames=camera.frames,
                    seconds_of_clip=max((camera.at_s or 0.0) - session.began_at_s, 0.0) + session.frame_s,
                    seconds_taken=time.monotonic() - began_s,
                )
            )
        if files.film is not None:
            close_film(files.film, is_warned="film" in self._notes.printed)
        if self._options.exits or shared_setup.is_asked:
            return
        note("the source has ended; the page stays until ctrl-C")
        if files.match_writer is not None and self._work is not None and files.is_over:
            self._work.prepare(files.match_writer.match)
        shared_setup.wait(until=lambda: runtime.failure is not None)
        if runtime.failure is not None:
            raise runtime.failure

    def on_lines(self, lines: tuple[Line, ...]) -> None:
        self._printer.all(lines)

    def on_warnings(self, warnings: tuple[TableWarning, ...]) -> None:
        self._notes.print(warnings)

    def on_end(self) -> None:
        self._shared_setup.wake()

    def more_warnings(self) -> tuple[TableWarning, ...]:
        """Return what fails beside the files of the match: reports to others, and the phone that is the camera."""
        reports = (warning for reporter in self._reporters for warning in reporter.warnings)
        return (*reports, *(self.phone.warnings() if self._shared_setup.setup.source == PHONE else ()))

    def _earlier(self, session: MatchSession) -> tuple[FinishedGame, ...] | None:
        """
        Return the games of this evening at this table before this match, without those of its recording; None for the
        shipped recording, which counts in nobody's score.
        """
        if session.files.recording is not None and session.files.recording == demo_key():
            return None
        games, matches, match_writer = self._unstored, session.files.matches, session.files.match_writer
        if matches is not None:
            with suppress(KozyrError):  # the stored match warns of a store that fails
                games += tuple(
                    game for game in matches.games() if match_writer is None or game.match != match_writer.match
                )
        recording = session.files.recording
        games = tuple(game for game in games if recording is None or game.recording != recording)
        return evening_so_far(games, table_of(self._options.keeping), datetime.now().astimezone())

    def _remember_games(self, began: datetime, recording: str | None) -> None:
        """Count the games of a match that is not kept for as long as the program runs, those of a recording once."""
        table, now = table_of(self._options.keeping), datetime.now().astimezone()
        if recording is not None and recording == demo_key():
            return
        if recording is not None:
            self._unstored = tuple(game for game in self._unstored if game.recording != recording)
        self._unstored += tuple(
            replace(game, table=table, began=began, ended=now, recording=recording)
            for game in self.board.newest.own_games
        )

    def _forget_if_empty(self, session: MatchSession) -> None:
        """Delete a kept game that was replaced before its first card."""
        matches, match_writer = session.files.matches, session.files.match_writer
        if (
            matches is not None
            and match_writer is not None
            and self._shared_setup.is_asked
            and not has_begun(self.board.newest)
        ):
            with suppress(KozyrError):
                matches.delete(match_writer.match)

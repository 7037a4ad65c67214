"""Declare what the starting program passes to the application: the current match, the store, access control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from referee.events import Corrected, Pressed, Reread
from referee.record import Header
from webapp.live.background_jobs import BackgroundJob, BackgroundJobs
from webapp.live.phone_camera import PhoneCamera
from webapp.live.position_proposal import SeenTable
from webapp.live.setup_desk import SetupDesk
from webapp.match.log import MatchUpdate
from webapp.match.open_matters import Answered
from webapp.store.films import IncomingFilms
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.matches import Matches
from webapp.web.pairing import Pairing


class Game(Protocol):
    """The game that goes on, as pages use it (``webapp.live.runtime.Runtime``). Thread-safe."""

    def press(self, press: Pressed | Reread, /) -> Future[MatchUpdate] | None:
        """Pass a press, or the answer which card it was, to the referee; None after the end."""

    def correct(self, correction: Corrected | Pressed | Answered, /) -> MatchUpdate | None:
        """
        Apply a correction or an answer; return what changed, None after the end.

        ``RefereeError`` if it contradicts the record, ``NotAskedError`` if nobody asks that any more.
        """

    def arrange(self, values: Mapping[str, Any], /) -> bool:
        """Move the places of seats, talon and discard pile (``table_layout.Zones``); False after the end."""

    def turn_film(self, on: bool, /) -> bool:
        """Turn the film on or off; False if nothing can be filmed."""


class AppServices(Protocol):
    """
    The table as pages use it (``webapp.commands.table_of_games.TableOfGames``). Thread-safe.

    What is written here is the answer where no game is on.
    """

    @property
    def game(self) -> Game | None:
        """Return the game that goes on, None if none does."""
        return None

    def offered_sources(self) -> Sequence[Mapping[str, Any]]:
        """Return the cameras and films to choose from."""
        return ()

    def open_to_devices(self) -> bool:
        """Serve the pages to other devices, too, in a few seconds; False if that is not possible, or is so already."""
        return False

    @property
    def live_match(self) -> str | None:
        """Return the ID of the current game, None if it is not kept."""
        return None

    @property
    def resumable(self) -> str | None:
        """Return the ID of the camera's match at this table that was left before its end, None if there is none."""
        return None


class NoTable(AppServices):
    """The services if no game is refereed, as in a hall."""


NO_TABLE = NoTable()


class LongWork(Protocol):
    """Background jobs that may take minutes (``webapp.commands.background_work``)."""

    @property
    def jobs(self) -> BackgroundJobs:
        """Return the queue of jobs."""

    def rejudge(self, match: str, asked: Mapping[str, Any], language: str) -> BackgroundJob:
        """Judge a kept match again: ``from`` its ``film`` or ``record``, by other ``rules`` and ``options``."""

    def analyse(self, match: str) -> BackgroundJob:
        """Rate every decision of a kept match that has ended."""

    @property
    def incoming(self) -> IncomingFilms | None:
        """Return the films that are being uploaded; None if films are not kept."""

    def beginning_of(self, film: Path, pack: int) -> SeenTable:
        """Return what a film shows of a game under way at its beginning. ``UnusableInputError`` if it can't be read."""

    def referee_film(self, film: Path, name: str, header: Header) -> BackgroundJob:
        """Referee the game of this header on a film and keep it; then delete the uploaded film."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """
    Where the pages are found.

    ``hosts``: names besides IP addresses and ``localhost`` under which the page may be requested; any other name is
    refused, since a foreign page may resolve its own name to this machine. ``elsewhere``: where other devices find this
    table. ``camera``: addresses of the page of the phone that is the camera. ``is_local``: only this machine can open
    the pages, until its owner lets other devices in.
    """

    hosts: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    camera: tuple[str, ...] = ()
    is_local: bool = False


@dataclass(frozen=True, slots=True)
class AppConfig:
    """
    Settings of the application.

    ``table``: the current game.
    ``streams``: most live streams at once, fewer than the server's threads.
    ``disk``: the folder whose free space is checked. ``matches``: the store, None if nothing is kept.
    ``desk``: sets up the next game, None if none can be set up.
    ``labelled``: keeps cards that people corrected, None if they are not kept.
    ``long_work``: background jobs, None if there are none.
    ``pairing``: paired devices, None without pairing.
    ``authority``: the certificate that devices may trust; None if the page is served without TLS.
    ``is_tls_optional``: only the camera's page needs TLS.
    ``phone``: the phone that may be the camera, None if none may be.
    """

    table: AppServices = NO_TABLE
    addresses: Addresses = Addresses()
    streams: int = 40
    disk: Path = Path()
    matches: Matches | None = None
    desk: SetupDesk | None = None
    long_work: LongWork | None = None
    labelled: LabelledPictures | None = None
    pairing: Pairing | None = None
    authority: Path | None = None
    is_tls_optional: bool = False
    phone: PhoneCamera | None = None

"""What the application is told by whoever starts it: the match that goes on, the store, who is let in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from referee.events import Corrected, Pressed, Reread
from webapp.live.background_jobs import BackgroundJob, BackgroundJobs
from webapp.live.match import CorrectedMatch
from webapp.live.phone_camera import PhoneCamera
from webapp.live.setup_desk import SetupDesk
from webapp.store.incoming_films import IncomingFilms
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.matches import Matches
from webapp.web.pairing import Pairing


class AppServices(Protocol):
    """What pages ask of the game that goes on (``webapp.commands.table_of_games.TableOfGames``). From any thread."""

    def press(self, press: Pressed | Reread) -> bool:
        """Hand a statement, or the answer which card it was, to the referee; False where no game goes on."""

    def correct(self, correction: Corrected | Pressed) -> CorrectedMatch | None:
        """
        Put something right; return what changed, None where no game goes on.

        ``RefereeError`` where it cannot be meant so.
        """

    def arrange(self, values: Mapping[str, Any]) -> bool:
        """Move the places of seats, talon and discard pile (``vision.geometry.zones``); False where no game goes on."""

    def turn_film(self, on: bool) -> bool:
        """Turn the film on or off; False where nothing is filmed."""

    def offered_sources(self) -> Sequence[Mapping[str, Any]]:
        """Return the cameras and films to choose from."""

    @property
    def live_match(self) -> str | None:
        """The ID of the game that goes on, None where it is not kept."""


class NoTable:
    """The services where no game is refereed, as in a hall."""

    def press(self, press: Pressed | Reread) -> bool:
        """Refuse: no game goes on."""
        return False

    def correct(self, correction: Corrected | Pressed) -> CorrectedMatch | None:
        """Refuse: no game goes on."""
        return None

    def arrange(self, values: Mapping[str, Any]) -> bool:
        """Refuse: no game goes on."""
        return False

    def turn_film(self, on: bool) -> bool:
        """Refuse: nothing is filmed."""
        return False

    def offered_sources(self) -> Sequence[Mapping[str, Any]]:
        """Return nothing: no game can be chosen."""
        return ()

    @property
    def live_match(self) -> str | None:
        """None: no game goes on."""
        return None


class LongWork(Protocol):
    """What may take minutes, done beside the game (``webapp.commands.background_work``)."""

    @property
    def jobs(self) -> BackgroundJobs:
        """Where it is done."""

    def rejudge(self, match: str, asked: Mapping[str, Any], language: str) -> BackgroundJob:
        """Judge a kept match again: ``from`` its ``film`` or ``record``, by other ``rules`` and ``options``."""

    def analyse(self, match: str) -> BackgroundJob:
        """Rate every decision of a kept match that has ended."""

    @property
    def incoming(self) -> IncomingFilms | None:
        """Films on their way; None where none is kept."""

    def film_suffix(self, name: str) -> str:
        """The ending of a film's name; ``UnusableInputError`` where it is no film by its name."""

    def referee_film(self, film: Path, name: str, asked: Mapping[str, Any]) -> BackgroundJob:
        """Referee a film by ``seats``, ``rules`` and ``options`` and keep it; the film is deleted in the end."""


NO_TABLE = NoTable()


@dataclass(frozen=True, slots=True)
class AppConfig:
    """
    Settings of the application.

    ``table``: the game that goes on.
    ``hosts``: names beside IP addresses and ``localhost`` under which the page may be asked for; anything else is a
    foreign page pointing its own name at us. ``streams``: live streams at once, fewer than the server has threads.
    ``disk``: the folder whose free space counts. ``matches``: the store, None where nothing is kept.
    ``desk``: where the next game is chosen, None where none can be.
    ``labelled``: where cards are kept that people put right, None where none are.
    ``long_work``: what is done beside the game, None where nothing is.
    ``pairing``: who is let in, None where nobody is asked. ``addresses``: where other devices find this table.
    ``authority``: the certificate that devices may be told to trust; None where the page is served without TLS.
    ``is_tls_optional``: only the camera's page needs TLS, others may be asked for without.
    ``phone``: the phone that may be the camera, None where none may be; ``camera_addresses``: where one finds its page.
    """

    table: AppServices = NO_TABLE
    hosts: tuple[str, ...] = ()
    streams: int = 40
    disk: Path = Path()
    matches: Matches | None = None
    desk: SetupDesk | None = None
    long_work: LongWork | None = None
    labelled: LabelledPictures | None = None
    pairing: Pairing | None = None
    addresses: tuple[str, ...] = ()
    authority: Path | None = None
    is_tls_optional: bool = False
    phone: PhoneCamera | None = None
    camera_addresses: tuple[str, ...] = ()

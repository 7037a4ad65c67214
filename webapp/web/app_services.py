"""What the application is told by whoever starts it: the match that goes on, the store, who is let in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


def nobody_listens(press: Pressed | Reread) -> bool:
    """The answer where no match goes on."""
    return False


def nothing_to_correct(correction: Corrected | Pressed) -> CorrectedMatch | None:
    """The answer where no match goes on."""
    return None


def nothing_to_arrange(values: Mapping[str, Any]) -> bool:
    """The answer where no table is watched whose zones could be moved."""
    return False


class LongWork(Protocol):
    """What may take minutes, done beside the game (``webapp.commands.long_work``)."""

    @property
    def jobs(self) -> BackgroundJobs:
        """Where it is done."""

    def rejudge(self, match: str, asked: Mapping[str, Any], language: str) -> BackgroundJob:
        """Judge a kept match again: ``from`` its ``film`` or ``record``, by other ``rules`` and ``options``."""

    @property
    def incoming(self) -> IncomingFilms | None:
        """Films on their way; None where none is kept."""

    def film_suffix(self, name: str) -> str:
        """The ending of a film's name; ``UnusableInputError`` where it is no film by its name."""

    def referee_film(self, film: Path, name: str, asked: Mapping[str, Any]) -> BackgroundJob:
        """Referee a film by ``seats``, ``rules`` and ``options`` and keep it; the film is deleted in the end."""


@dataclass(frozen=True, slots=True)
class AppServices:
    """
    Settings of the application.

    ``press``: hands a statement, or the answer which card it was, to the referee; False where nobody listens.
    ``correct``: hands on what somebody puts right, and says what changed; None where nobody listens, ``RefereeError``
    where it can't be meant so.
    ``arrange``: hands on what somebody says of where things are (``vision.geometry.zones``); False where nobody
    listens.
    ``hosts``: names beside IP addresses and ``localhost`` under which the page may be asked for; anything else is a
    foreign page pointing its own name at us. ``streams``: live streams at once, fewer than the server has threads.
    ``disk``: the folder whose free space counts. ``matches``: the store, None where nothing is kept.
    ``desk``: where the next game is chosen, None where none can be. ``offered``: cameras and films to choose from.
    ``film``: turns the film on or off; None where nothing is filmed.
    ``labelled``: where cards are kept that people put right, None where none are.
    ``live_match``: the ID under which the game that goes on is kept, None where it is not.
    ``long_work``: what is done beside the game, None where nothing is.
    ``pairing``: who is let in, None where nobody is asked. ``addresses``: where other devices find this table.
    ``authority``: the certificate that devices may be told to trust; None where the page is served without TLS.
    ``is_tls_optional``: only the camera's page needs TLS, others may be asked for without.
    ``phone``: the phone that may be the camera, None where none may be; ``camera_addresses``: where one finds its page.
    """

    press: Callable[[Pressed | Reread], bool] = nobody_listens
    correct: Callable[[Corrected | Pressed], CorrectedMatch | None] = nothing_to_correct
    arrange: Callable[[Mapping[str, Any]], bool] = nothing_to_arrange
    hosts: tuple[str, ...] = ()
    streams: int = 40
    disk: Path = Path()
    matches: Matches | None = None
    desk: SetupDesk | None = None
    offered: Callable[[], Sequence[Mapping[str, Any]]] = tuple
    film: Callable[[bool], bool] | None = None
    long_work: LongWork | None = None
    live_match: Callable[[], str | None] = lambda: None
    labelled: LabelledPictures | None = None
    pairing: Pairing | None = None
    addresses: tuple[str, ...] = ()
    authority: Path | None = None
    is_tls_optional: bool = False
    phone: PhoneCamera | None = None
    camera_addresses: tuple[str, ...] = ()

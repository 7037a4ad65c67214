"""Declare what the starting program passes to the application: the current match, the store, access control."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from referee.events import Corrected, Pressed, Reread
from referee.record import Header
from webapp.live.background_jobs import BackgroundJob, BackgroundJobs
from webapp.live.board import SnapshotHub
from webapp.live.phone_camera import PhoneCamera
from webapp.live.position_proposal import SeenTable
from webapp.live.shared_setup import SharedSetup
from webapp.live.timed_process import judge_apart
from webapp.match.log import MatchUpdate
from webapp.match.open_matters import Answered
from webapp.match.stored_matches import Correction, StoredMatches
from webapp.store.films import IncomingFilms
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.matches import Matches
from webapp.web.downloads import Downloads
from webapp.web.pairing import Pairing
from webapp.web.stream_places import PlaceShares, StreamPlaces


class LiveGame(Protocol):
    """The game that goes on, as pages use it: ``webapp.live.runtime.Runtime``, whose methods say more."""

    def press(self, statement: Pressed | Reread) -> Future[MatchUpdate] | None: ...

    def arrange(self, zones: Mapping[str, Any]) -> bool: ...

    def correct(self, correction: Corrected | Pressed | Answered) -> MatchUpdate | None: ...

    def turn_film(self, on: bool) -> bool: ...

    def crop_of(self, line: int) -> tuple[str, bytes] | None: ...


class ServedTable:
    """The table as pages use it, thread-safe. What is written here is the answer where no game is refereed."""

    @property
    def game(self) -> LiveGame | None:
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


class LongWork(Protocol):
    """
    Background jobs that may take minutes (``webapp.commands.background_work``).

    ``incoming``: the films that are being uploaded; None if films are not kept.
    """

    jobs: BackgroundJobs
    incoming: IncomingFilms | None

    def start(self, kind: str, match: str, request: object = None) -> BackgroundJob:
        """Start a job of a feature (``webapp.features.JobKind``) on a stored match."""
        ...

    def prepare(self, match: str) -> BackgroundJob | None:
        """Make what pages show of a stored match; None if too many matches wait for that."""
        ...

    def correct(self, match: str, correction: Correction) -> MatchUpdate:
        """Correct a long match (``StoredMatches.correct``); ``TooLongError`` where that takes longer than it may."""
        ...

    def beginning_of(self, film: Path, pack: int) -> SeenTable: ...

    def referee_film(self, film: Path, name: str, header: Header) -> BackgroundJob: ...


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


@dataclass(frozen=True)
class AppConfig:
    """
    Settings of the application, and what its routes share.

    ``table``: the current game; ``board``: its snapshots.
    ``streams``: most live streams at once, fewer than the server's threads.
    ``disk``: the folder whose free space is checked. ``matches``: the store, None if nothing is kept.
    ``shared_setup``: sets up the next game, None if none can be set up.
    ``labelled``: keeps cards that people corrected, None if they are not kept.
    ``long_work``: background jobs, None if there are none.
    ``pairing``: paired devices, None without pairing.
    ``authority``: the certificate that devices may trust; None if the page is served without TLS.
    ``is_tls_optional``: only the camera's page needs TLS.
    ``phone``: the phone that may be the camera, None if none may be.
    ``front_page``: the template of `/` in a program without a table, such as a hall; None: this is a table.
    """

    table: ServedTable = field(default_factory=ServedTable)
    addresses: Addresses = Addresses()
    streams: int = 40
    matches: Matches | None = None
    shared_setup: SharedSetup | None = None
    long_work: LongWork | None = None
    labelled: LabelledPictures | None = None
    pairing: Pairing | None = None
    authority: Path | None = None
    is_tls_optional: bool = False
    phone: PhoneCamera | None = None
    board: SnapshotHub = field(default_factory=SnapshotHub)
    front_page: str | None = None

    @cached_property
    def replays(self) -> StoredMatches | None:
        """Return the stored matches as pages show them; where there are background jobs, long ones are judged there."""
        work = self.long_work
        if self.matches is None or work is None:
            return None if self.matches is None else StoredMatches(self.matches)
        return StoredMatches(self.matches, judge_apart, lambda match, correction: work.correct(match, correction))

    @property
    def free_bytes(self) -> int:
        """Return the least free bytes of the disks that matches and films are kept on, or of the current folder's."""
        kept = None if self.matches is None else self.matches.free_bytes
        return shutil.disk_usage(Path()).free if kept is None else kept

    @cached_property
    def places(self) -> StreamPlaces:
        return StreamPlaces(PlaceShares.of(self.streams))

    @cached_property
    def downloads(self) -> Downloads:
        return Downloads(self.pairing)

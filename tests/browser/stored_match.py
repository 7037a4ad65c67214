"""A store with a filmed match, and the pages that show it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from referee.record import Header, event_from_json
from tests.webapp.conftest import HEADER
from tests.webapp.services import FakeTable
from vision.capture.video_writer import FilmSettings, FilmWriter
from webapp.commands.background_work import BackgroundWork
from webapp.live.board import SnapshotHub
from webapp.live.game_setup import GameSetup
from webapp.live.phone_camera import PhoneCamera
from webapp.live.shared_setup import SharedSetup
from webapp.match.log import MatchLog
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.serving import Service

FRAMES, FPS = 100, 10
EVENTS = (
    {"at": 1.0, "event": "placed", "card": "7s", "by": "A"},
    {"at": 3.0, "event": "placed", "card": "Ts", "by": "B", "on": "7s"},
    {"at": 5.0, "event": "placed", "card": "Kd", "by": "A"},
    {"at": 7.0, "event": "lifted", "card": "Kd", "by": "A"},
    {"at": 9.0, "event": "swept", "to": "heap"},
)

CROP = b64encode(cv2.imencode(".jpg", np.full((80, 60, 3), 200, np.uint8))[1].tobytes()).decode()


@dataclass
class StoredMatch:
    """A store with a match, and the page that shows it; ``table``: that of the program, at which no match goes on."""

    address: str
    matches: Matches
    match: str
    board: SnapshotHub
    played: MatchLog
    table: FakeTable

    @property
    def page(self) -> str:
        return f"{self.address}matches/{self.match}"


@contextmanager
def stored_match(tmp_path: Path, *, ended: bool = True, **header: Any) -> Iterator[StoredMatch]:
    """
    Store a match of ten seconds, each frame of its film a little brighter than the one before. Unless it has ``ended``,
    what ``played`` judges later is kept, too.
    """
    matches = Matches(Database.open(f"sqlite:///{tmp_path}/kozyr.db"), Films(tmp_path / "films"))
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    parsed = Header.parse(HEADER | header)
    entries: list[RecordEntry] = []
    is_open = False

    class Store:
        def write(self, line: object, rulings: object, result: object) -> None:
            crop = ("7s", CROP) if len(entries) == 1 else None  # of the card that is led
            moment = (10, 1.0) if crop else None
            entries.append(RecordEntry(len(entries) + 1, line, rulings, result, moment, crop))  # type: ignore[arg-type]
            if is_open:
                matches.append(writing, entries)

    match = MatchLog(parsed, store=Store())
    match.open()
    for event in EVENTS:
        match.judge(event_from_json(event))
    matches.append(writing, entries)
    is_open = not ended
    if ended:
        matches.end(writing)
    assert matches.films is not None
    with FilmWriter(matches.films.new_part(writing.match), (160, 90), 0.0, FilmSettings(quality=10)) as film:
        for number in range(FRAMES):
            film.add(np.full((90, 160, 3), 20 + 2 * number, np.uint8), number / FPS, wait=True)
    board, service = SnapshotHub(), Service.take("127.0.0.1", 0)
    long_work = BackgroundWork(matches, f"sqlite:///{tmp_path}/kozyr.db", tmp_path / "films")
    pictures = LabelledPictures(tmp_path / "labelled")
    table = FakeTable()
    shared_setup = SharedSetup(GameSetup(source="0", seats=tuple(parsed.seats)), begins=True)
    shared_setup.take_up()
    services = AppConfig(
        table, matches=matches, long_work=long_work, labelled=pictures, shared_setup=shared_setup, phone=PhoneCamera()
    )
    service.start(create_app(services, board))
    yield StoredMatch(service.address, matches, writing.match, board, match, table)
    long_work.jobs.stop()
    board.close()
    service.stop()

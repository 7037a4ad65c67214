"""Every state of every page, to be checked by a person, with the real referee and server."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import cv2
import numpy as np
from msgspec.structs import replace
from playwright.sync_api import Page

from features.hall.routes import create_hall_app
from features.hall.table_report import table_as_reported
from referee.events import Corrected, Pressed
from referee.record import Header, event_from_json
from vision.capture.video_writer import FilmSettings, FilmWriter
from vision.layout import TableLayout
from vision.view.pipeline_view import PipelineView
from webapp.commands.background_work import BackgroundWork
from webapp.live.board import CameraHealth, Condition, Picture, SnapshotHub, TableWarning
from webapp.live.game_setup import GameSetup
from webapp.live.phone_camera import PhoneCamera
from webapp.live.position_proposal import SeenTable
from webapp.live.shared_setup import CameraView, SharedSetup
from webapp.match.log import MatchLog, MatchUpdate
from webapp.match.open_matters import Answered
from webapp.shipped_recording import DEMO_CLIP
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import Addresses, AppConfig, ServedTable
from webapp.web.pairing import Ask, Pairing
from webapp.web.serving import Service
from webapp.web.tls_certificate import OwnCertificate, Subjects

THREE = ["Anna", "Boris", "Vera"]
LONG = [
    "Александра-Виктория",
    "Wilhelmina Wolfhause",
    "Christophe-Alexandre",
    "María de los Ángeles",
    "אליהו־מנחם בן־ציון",
    "Maximiliana Constanz",
]
FILMED_FRAMES = 60


def header(seats: list[str], **start: Any) -> dict[str, Any]:
    """Return the header of a match between these, dealt; ``start``: where the position differs."""
    hands = dict.fromkeys(seats, 36 // len(seats) if len(seats) == 6 else 6)
    reported = {"trump": "h", "turnup": "9h", "talon": 36 - sum(hands.values()), "hands": hands, "attacker": seats[0]}
    if not reported["talon"]:
        reported["turnup"] = None
    return {
        "kozyr": 1,
        "rules": "podkidnoy-36",
        "seats": seats,
        "dealer": seats[-1],
        "options": {"etiquette": "strict"},
        "start": reported | start,
    }


def laid(at: float, card: str, by: str, on: str | None = None, **more: Any) -> dict[str, Any]:
    """Return the event of a card that was laid."""
    return {"at": at, "event": "placed", "card": card, "by": by, **({"on": on} if on else {}), **more}


def swept(at: float, to: str) -> dict[str, Any]:
    """Return the event of a cleared bout."""
    return {"at": at, "event": "swept", "to": to}


A, B, C = THREE
LEAD, BEAT = laid(1, "7s", A), laid(2, "Ts", B, "7s")
WRONG = laid(2, "6d", B, "7s")
LAST_CARDS = {"turnup": None, "talon": 0, "heap_count": 33, "bout": 9, "beaten_off": 5, "hands": {A: 1, B: 2, C: 0}}
SIX_CARDS = [
    *(laid(place + 1, card, LONG[0]) for place, card in enumerate(("7s", "7d", "7c"))),
    *(
        laid(place + 4, card, LONG[1], on)
        for place, (card, on) in enumerate((("8s", "7s"), ("8d", "7d"), ("Jc", "7c")))
    ),
    *(laid(place + 7, card, LONG[2]) for place, card in enumerate(("8c", "Jd", "Js"))),
]


UNPLUGGED = "expected pictures of the camera, got none; plug it in"
WATCHING = CameraHealth(Condition.WATCHING, frames=200, frames_per_second=20.0, at_s=40.0)


@dataclass(frozen=True)
class Scene:
    """
    A state of a page. ``path``: the page; ``act``: what is tapped there. ``header`` and ``events``: the match;
    ``camera``: its state. ``view``: how the camera's view looks while a game is chosen. ``device``: on another
    device than this machine (then ``/pair`` asks for a code). ``refused``: the server says no, and the browser tells
    that as an error.
    """

    path: str = ""
    header: dict[str, Any] = field(default_factory=lambda: header(THREE))
    events: tuple[dict[str, Any], ...] = ()
    act: Callable[[Page], object] = lambda page: None
    camera: CameraHealth = WATCHING
    warnings: tuple[TableWarning, ...] = ()
    view: CameraView | None = None
    seats: tuple[str, ...] = tuple(THREE)
    device: bool = False
    refused: bool = False


def tap(selector: str) -> Callable[[Page], object]:
    """Tap what a selector finds first."""
    return lambda page: page.locator(selector).first.click()


def opened_sheet(page: Page) -> None:
    """Open the sheet of the newest card, with the whole pack unfolded."""
    page.locator(".bout .card").last.click()
    page.locator("dialog[open]").wait_for()


def begun_already(page: Page) -> None:
    """Choose that the game is already in progress."""
    page.locator(".choices button").nth(1).click()


def ready(page: Page) -> None:
    """Wait until all stored data has been read."""
    page.wait_for_selector("body[data-ready]")


def in_tab(name: str) -> Callable[[Page], object]:
    """Open a tab of a stored match."""

    def act(page: Page) -> None:
        ready(page)
        page.locator(f"#tab-{name}").click()

    return act


def written_down(page: Page) -> None:
    """Open the example of a game in notation at its second bout."""
    page.locator("#example").click()
    ready(page)
    page.locator("#timeline .block").nth(1).click()


def mistyped(page: Page) -> None:
    """Paste a game with a typing error."""
    page.locator("#text").fill('[Rules "podkidnoy-36"]\n[Seats A B]\n[Dealer B]\n\ndealt 9h  A: 7x')
    page.locator("#paste [type=submit]").click()
    page.locator("#told:not([hidden])").wait_for()


GLARE = {"kind": "glare", "measured": 0.02, "box": (0.2, 0.3, 0.1, 0.1)}
SEEN = CameraView(
    cards=(("7s", 0.9), ("Qh", 0.8), ("Td", 0.95), ("Ac", 0.9)),
    hands_at_deg=(90.0, 210.0),
    table=SeenTable("9h", has_talon=True, has_heap=True, bout=(("7s", "Ts"), ("Td", None))),
)
LEARNING = {
    "name": "blue",
    "learnt": 30,
    "pack": 36,
    "missing": ["6c", "7c"],
    "doubtful": ["6s"],
    "saved": False,
}
UNSAVED = {**LEARNING, "cause": "unsaved", "trouble": "expected room for the deck on the disk, got none; make some"}
LEARNT = {
    **LEARNING,
    "learnt": 36,
    "missing": [],
    "doubtful": [],
    "look_alikes": [["6s", "8s"], ["Jd", "Kd"]],
    "saved": True,
}
SCENES: dict[str, Scene] = {
    "table-lead": Scene(header=header(THREE, attacker=None) | {"start": header(THREE)["start"] | {"attacker": None}}),
    "table-attack": Scene(events=(LEAD,)),
    "table-beaten": Scene(events=(LEAD, BEAT)),
    "table-take": Scene(events=(LEAD, {"at": 2, "event": "pressed", "button": "take", "by": B})),
    "table-draw": Scene(events=(LEAD, BEAT, {"at": 3, "event": "pressed", "button": "done"}, swept(4, "heap"))),
    "table-six": Scene(header=header(LONG), events=tuple(SIX_CARDS)),
    "table-five": Scene(header=header(LONG[:5]), events=tuple(SIX_CARDS[:4])),
    "table-fault": Scene(events=(LEAD, WRONG)),
    "table-faults": Scene(events=(LEAD, WRONG, laid(3, "Kd", C), laid(4, "Qc", A))),
    "table-impossible": Scene(events=(LEAD, laid(2, "7s", B))),
    "table-question": Scene(events=(LEAD, BEAT, laid(3, "Td", C))),
    "table-fool": Scene(header=header(THREE, **LAST_CARDS), events=(LEAD, swept(2, B))),
    "table-lost": Scene(events=(LEAD,), camera=CameraHealth(Condition.LOST, UNPLUGGED, at_s=40.0)),
    "table-stopped": Scene(events=(LEAD,), camera=CameraHealth(Condition.STOPPED, UNPLUGGED, at_s=40.0)),
    "table-warning": Scene(events=(LEAD,), warnings=(TableWarning("record", "expected room on the disk, got none"),)),
    "table-hint": Scene(header=header(THREE) | {"tone": "hint"}, events=(LEAD, WRONG)),
    "table-menu": Scene(events=(LEAD, BEAT), act=tap(".gear summary")),
    "sheet-card": Scene(events=(LEAD, WRONG), act=opened_sheet),
    "sheet-table": Scene(events=(LEAD,), act=tap(".seats .count")),
    "places": Scene("places", events=(LEAD,)),
    "setup-phone": Scene("setup#camera", act=tap("[data-way=phone]")),
    "setup-stream": Scene("setup#camera", act=tap("[data-way=stream]")),
    "setup-recording": Scene("setup#camera", act=tap("[data-way=recording]")),
    "setup-camera": Scene("setup#camera", view=CameraView(problems=(GLARE,), cards=(("7s", 0.9),))),
    "setup-camera-gone": Scene("setup#camera", view=CameraView(trouble=UNPLUGGED)),
    "setup-players": Scene("setup#players", view=SEEN),
    "setup-players-six": Scene("setup#players", view=SEEN, seats=tuple(LONG)),
    "setup-rules": Scene("setup#rules", view=SEEN),
    "setup-deck": Scene("setup#deck", view=SEEN),
    "setup-deck-learning": Scene("setup#deck", view=replace(SEEN, enrolment=LEARNING)),
    "setup-deck-unsaved": Scene("setup#deck", view=replace(SEEN, enrolment=UNSAVED)),
    "setup-deck-refused": Scene("setup#deck", view=replace(SEEN, trouble="expected 36 cards, got 24", cause="deck")),
    "setup-deck-learnt": Scene("setup#deck", view=replace(SEEN, enrolment=LEARNT)),
    "setup-finish": Scene("setup#finish", view=SEEN),
    "setup-start": Scene("setup#start", view=SEEN),
    "setup-under-way": Scene("setup#start", view=SEEN, act=begun_already),
    "matches": Scene("matches"),
    "review": Scene("matches/newest", act=ready),
    "review-share": Scene("matches/newest", act=in_tab("share")),
    "review-figures": Scene("matches/newest", act=in_tab("figures")),
    "review-analysis": Scene("matches/newest", act=in_tab("analysis")),
    "again": Scene("matches/newest/again", act=lambda page: page.locator("#by-record").wait_for()),
    "summary": Scene("matches/newest/summary", act=ready),
    "mistakes": Scene("matches/newest/mistakes", act=ready),
    "puzzles": Scene("puzzles", act=ready),
    "notation": Scene("notation", act=written_down),
    "notation-wrong": Scene("notation", act=mistyped, refused=True),
    "evenings": Scene("evenings", act=ready),
    "player": Scene(f"players/{quote(A)}", act=ready),
    "missing": Scene("nowhere", refused=True),
    "overlay": Scene("overlay", events=(LEAD, BEAT), act=ready),
    "show": Scene("show", events=(LEAD, WRONG), act=ready),
    "hall": Scene("hall", events=(LEAD, WRONG), act=ready),
    "pair": Scene("pair", device=True),
    "camera": Scene("camera"),
    "camera-viewer": Scene("camera", device=True),
    "trust": Scene("trust"),
    "pair-token": Scene("pair?token=abc", device=True),
    "devices": Scene("pair"),
}  # fmt: skip


class SceneTable(ServedTable):
    """A table whose match can be pressed, corrected and filmed."""

    def __init__(self, match: MatchLog) -> None:
        self._match = match

    @property
    def game(self) -> Any:
        """Return the match of the scene as the game that goes on, its session and its mailbox."""
        return self

    mailbox = session = game
    on_press = arrange = None

    def press(self, act: object, value: object) -> Future[MatchUpdate]:
        """Accept the press or the places; the scene stays as it is."""
        answer: Future[MatchUpdate] = Future()
        answer.set_result(MatchUpdate(line=2))
        return answer

    def correct(self, correction: Corrected | Pressed | Answered) -> MatchUpdate | None:
        """Correct the match of the scene."""
        return self._match.correct(correction)

    def turn_film(self, on: bool) -> bool:
        """Accept the tap; nothing is filmed."""
        return True

    def offered_sources(self) -> Sequence[Mapping[str, Any]]:
        """Return a camera and the shipped recording."""
        return [{"source": "0", "name": "0"}, {"source": str(DEMO_CLIP), "name": "demo", "goes_with": {}}]


@contextmanager
def served(scene: Scene) -> Iterator[str]:
    """Serve a scene and return the address of its page."""
    with ExitStack() as parts:
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        board, match = SnapshotHub(), MatchLog(Header.parse(scene.header))
        match.open()
        for event in scene.events:
            match.judge(event_from_json(event))
        is_setup = scene.path.startswith("setup")
        shared_setup = SharedSetup(GameSetup(source="0", seats=scene.seats), begins=not is_setup)
        shared_setup.view = scene.view or shared_setup.view
        if not is_setup:
            shared_setup.take_up()
            board.publish(moves=1, view=match.view, lines=match.lines)
        board.publish(camera=scene.camera, warnings=scene.warnings, film=True)
        picture = first_picture()
        size = (picture.shape[1], picture.shape[0])
        board.show(Picture(0, picture, PipelineView(0, 0.0, (), (), TableLayout.guessed(size, scene.seats))))
        matches = None
        if scene.path.startswith(("matches", "evenings", "hall", "players", "puzzles", "setup")):
            database = Database.open(f"sqlite:///{folder}/kozyr.db")
            parts.callback(database.close)
            matches = Matches(database, Films(folder / "films"))
            keep_some(matches)
        service = Service.take("127.0.0.1", 0)
        parts.callback(service.stop)
        parts.callback(board.close)
        pairing = Pairing(time.monotonic, Ask.ALWAYS if scene.device else Ask.ELSEWHERE)
        if not scene.device:
            pairing.join_with_pin(pairing.codes.pin, "192.168.1.8", "iPhone")
            pairing.join_with_token(pairing.codes.token or "", "192.168.1.7", "iPad")
            pairing.renew()
        long_work = BackgroundWork(matches, None, None)
        parts.callback(long_work.jobs.stop)
        certificate = OwnCertificate(folder)
        certificate.context(Subjects.of(["localhost"], ["127.0.0.1", "192.168.1.5"]), datetime.now(UTC))
        services = AppConfig(
            SceneTable(match),
            authority=certificate.authority,
            is_tls_optional=True,
            pairing=pairing,
            addresses=Addresses(elsewhere=("http://192.168.1.5:8036/",), camera=("https://192.168.1.5:8036/",)),
            phone=PhoneCamera(),
            shared_setup=shared_setup,
            matches=matches,
            long_work=long_work,
        )
        if scene.path == "hall":
            assert matches is not None
            report_tables(matches, board)
            service.start(create_hall_app(services, matches.tables))
            yield service.address
            return
        service.start(create_app(services, board))
        newest = "" if matches is None else str(matches.list()[0]["match"])
        yield service.address + scene.path.replace("newest", newest)


def first_picture() -> Any:
    """Return a frame of the shipped recording."""
    film = cv2.VideoCapture(str(DEMO_CLIP))
    film.set(cv2.CAP_PROP_POS_FRAMES, FILMED_FRAMES)
    picture = film.read()[1]
    film.release()
    return picture


def report_tables(matches: Matches, board: SnapshotHub) -> None:
    """Report three tables: one as the board shows it, one of six with the longest names, one where a game is chosen."""
    six, many = SnapshotHub(), MatchLog(Header.parse(header(LONG)))
    many.open()
    many.judge(*map(event_from_json, SIX_CARDS))
    six.publish(moves=1, camera=CameraHealth(Condition.LOST, UNPLUGGED, at_s=40.0), view=many.view, lines=many.lines)
    for table, shown in (("kitchen", board), ("garden", six), ("veranda", SnapshotHub())):
        reported = {**table_as_reported(shown.newest, "http://192.168.1.5:8036/"), "open": True}
        matches.tables.report(table, table, reported)


def keep_some(matches: Matches) -> None:
    """Store four matches of two evenings, the newest with faults and a film."""
    now = datetime(2026, 11, 23, 20, 30, tzinfo=UTC)
    for hours, fool in ((-24, A), (-1, B), (-0.6, A)):
        lines = {"line": 1, "announce": "result", "kind": "fool", "seats": [fool], "text": ""}
        entry = RecordEntry(1, header(THREE), (lines,), {"kind": "fool", "seats": [fool]})
        writing = Writing.begin("kitchen", now + timedelta(hours=hours), {})
        matches.append(writing, [entry])
        matches.end(writing)
    entries: list[RecordEntry] = []

    class Store:
        def write(self, line: Any, lines: Any, result: Any) -> None:
            entries.append(RecordEntry(len(entries) + 1, line, lines, result))

    match = MatchLog(Header.parse(header(THREE, **LAST_CARDS)), store=Store())
    match.open()
    wrong = laid(1.5, "6d", B, "7s", confidence=0.92)
    for event in (
        LEAD | {"confidence": 0.99},
        wrong,
        {"at": 2, "event": "lifted", "card": "6d", "by": B},
        swept(2.5, B),
    ):
        match.judge(event_from_json(event))
    writing = Writing.begin("kitchen", now, {})
    matches.append(writing, entries)
    matches.end(writing)
    assert matches.films is not None
    film = cv2.VideoCapture(str(DEMO_CLIP))
    with FilmWriter(matches.films.new_part(writing.match), (1280, 720), 0.0, FilmSettings()) as kept:
        for number in range(FILMED_FRAMES):
            kept.add(cv2.resize(film.read()[1], (1280, 720)).astype(np.uint8), number / 20, wait=True)
    film.release()

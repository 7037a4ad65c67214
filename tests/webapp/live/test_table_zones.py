"""Marked zones: from the page to the pipeline and to their file."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.patience import PATIENCE_S
from tests.vision.tabletop import SIZE, TALON, Tabletop, play, with_talon
from tests.webapp.services import FakeTable
from vision.capture.sources import Frame
from vision.layout import UNMARKED, Zones
from vision.pipeline import Pipeline
from webapp.commands.cli import run
from webapp.errors import UnusableInputError
from webapp.live.board import Picture, SnapshotHub
from webapp.live.match_files import MatchFiles
from webapp.live.runtime import PlaybackMode, Runtime
from webapp.live.session import MatchSession
from webapp.live.table_zones import ZonesFile
from webapp.match.log import MatchLog
from webapp.match.view import View
from webapp.shipped_recording import DEMO_CLIP
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

SEATS = ("A", "B", "C")


@pytest.fixture
def marked_zones() -> list[Mapping[str, Any]]:
    """Return the list that collects the marked zones."""
    return []


@pytest.fixture
def client(board: SnapshotHub, marked_zones: list[Mapping[str, Any]]) -> FlaskClient:
    """Return a client of a table whose zones can be marked."""
    board.publish(view=View(seats=SEATS))
    return create_app(
        AppConfig(FakeTable(arrange=lambda values: marked_zones.append(values) is None)), board
    ).test_client()


def shown(board: SnapshotHub, table: Tabletop, zones: Zones = UNMARKED) -> Pipeline:
    """Run the pipeline on a table for a second and publish it to the board."""
    pipeline = Pipeline(table, SEATS, zones=zones)
    play(pipeline, table.rest(1.0))
    board.show(Picture(25, table.picture(), pipeline.view))
    return pipeline


def test_page_gets_detected_zones_as_shares_of_the_picture(client: FlaskClient, board: SnapshotHub) -> None:
    table = with_talon(heap=2)
    shown(board, table)
    zones = client.get("/api/zones").get_json()
    assert (zones["width"], zones["height"]) == SIZE
    assert [(seat["seat"], seat["turn_deg"], seat["said"]) for seat in zones["seats"]] == [
        ("A", 90.0, False),
        ("B", 210.0, False),
        ("C", 330.0, False),
    ]
    xs, ys = zip(*zones["talon"]["outline"], strict=True)
    x, y = table.px(TALON) / SIZE
    assert min(xs) < x < max(xs)
    assert min(ys) < y < max(ys)
    assert zones["heap"]["outline"] is not None
    assert not any(zones[name]["said"] for name in ("talon", "heap", "bout"))


def test_undetected_zone_is_drawn_at_its_mark(client: FlaskClient, board: SnapshotHub) -> None:
    shown(board, Tabletop(), Zones(heap=(0.25, 0.5), bout=((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9))))
    zones = client.get("/api/zones").get_json()
    assert zones["heap"]["at"] == [0.25, 0.5]
    assert zones["heap"]["said"]
    assert sum(x for x, _ in zones["heap"]["outline"]) / 4 == pytest.approx(0.25, abs=0.01)
    assert zones["talon"] == {"outline": None, "at": None, "said": False}
    assert zones["bout"]["said"]


@pytest.mark.parametrize("picture", [None, Picture(0, None, None), Picture(0, None, "a classifier's answer")])
def test_no_zones_before_the_first_picture_or_for_single_pictures(
    client: FlaskClient, board: SnapshotHub, picture: Picture | None
) -> None:
    if picture is not None:
        board.show(picture)
    assert client.get("/api/zones").status_code == 204


def test_dragged_zone_is_passed_to_the_table(client: FlaskClient, marked_zones: list[Mapping[str, Any]]) -> None:
    answer = client.post("/api/zones", data=json.dumps({"talon": [0.2, 0.3], "seats": {"B": 120}}))
    assert answer.status_code == 202
    assert marked_zones == [{"talon": [0.2, 0.3], "seats": {"B": 120}}]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("{", "expected zones as JSON"),
        ("[" * 3000, "expected zones as JSON"),
        ("[]", "expected zones such as"),
        ('{"talon": [3, 4]}', "shares of the picture"),
        ('{"talon": [0.5, 1%s]}' % ("0" * 3000), "shares of the picture"),
        ('{"seats": {"A": 1%s}}' % ("0" * 3000), '"seats" of A to be a direction in degrees'),
        ('{"seats": {"Zed": 3}}', "expected a seat out of A, B, C, got 'Zed'"),
    ],
)
def test_invalid_zone_is_refused_with_one_sentence(
    client: FlaskClient, marked_zones: list[Mapping[str, Any]], body: str, sentence: str
) -> None:
    answer = client.post("/api/zones", data=body)
    assert answer.status_code == 400
    assert sentence in answer.get_json()["error"]
    assert marked_zones == []


def test_zone_change_from_another_origin_is_refused(client: FlaskClient, marked_zones: list[Mapping[str, Any]]) -> None:
    answer = client.post("/api/zones", data='{"talon": null}', headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403
    assert marked_zones == []


def test_page_without_a_camera_says_that_no_table_is_watched(board: SnapshotHub) -> None:
    answer = create_app(AppConfig(), board).test_client().post("/api/zones", data='{"talon": null}')
    assert answer.status_code == 503
    assert "start kozyr demo or kozyr watch" in answer.get_json()["error"]


class Halting:
    """Frames of a table; after the first ten the source waits until ``go_on``."""

    def __init__(self, table: Tabletop) -> None:
        self._table = table
        self.go_on = threading.Event()

    def __iter__(self) -> Iterator[Frame]:
        yield from self._table.rest(0.4)
        assert self.go_on.wait(PATIENCE_S)
        yield from self._table.rest(0.4)


def test_zones_marked_on_the_page_reach_the_pipeline(match: MatchLog, board: SnapshotHub, tmp_path: Path) -> None:
    table = with_talon()
    frames, pipeline = Halting(table), Pipeline(table, SEATS)
    file = tmp_path / "zones.json"
    session = MatchSession(match.header, frames, pipeline, match, MatchFiles(ZonesFile(file)))
    runtime = Runtime(session, board, PlaybackMode(live=False, paced=False))
    runtime.start()
    for values in ({"heap": [0.9, 0.5]}, {"seats": {"A": 80}}, {"heap": [0.8, 0.5]}):
        assert runtime.mailbox.press(runtime.session.arrange, values)
    frames.go_on.set()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert runtime.failure is None
    wanted = Zones(seats=(("A", 80.0),), heap=(0.8, 0.5))
    assert pipeline.zones == wanted
    assert board.picture is not None
    assert board.picture.view.layout.zones == wanted
    assert ZonesFile(file).read(SEATS) == wanted
    assert not runtime.mailbox.press(runtime.session.arrange, {"heap": None}), "the runtime has ended"


def test_unwritable_zones_are_reported_once_and_stay_in_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = ZonesFile(tmp_path / "nowhere" / "zones.json")
    for _ in range(3):
        file.write(Zones(talon=(0.1, 0.1)))
    printed = capsys.readouterr().err
    assert printed.count("The operating system refused: ") == 1
    assert "hold until the end of this game" in printed


def test_missing_zones_file_leaves_all_zones_unmarked(tmp_path: Path) -> None:
    assert ZonesFile(tmp_path / "zones.json").read(SEATS) == UNMARKED


def test_byte_order_mark_of_the_zones_file_is_ignored(tmp_path: Path) -> None:
    file = tmp_path / "zones.json"
    file.write_text('{"talon": [0.2, 0.3]}', encoding="utf-8-sig")
    assert ZonesFile(file).read(SEATS).talon == (0.2, 0.3)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "expected zones as JSON, got something else"),
        ('{"talon": 7}', "got 7"),
        ('{"heap": [1%s, 0]}' % ("0" * 3000), "shares of the picture"),
        ('{"seats": {"Zed": 7}}', "expected a seat out of A, B, C, got 'Zed'"),
        ("\udcff", "expected zones as JSON, got something else"),
    ],
)
def test_invalid_zones_file_gives_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "zones.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UnusableInputError, match=sentence) as caught:
        ZonesFile(file).read(SEATS)
    assert "leave --zones away" in str(caught.value)


def test_review_with_a_missing_zones_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = run(["review", str(DEMO_CLIP), "--zones", str(tmp_path / "zones.json")])
    assert status == 1
    assert "The operating system refused: " in capsys.readouterr().err


def test_zones_file_does_not_overwrite_the_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "a.jsonl")
    status = run(["review", str(DEMO_CLIP), "--zones", file, "--record", file])
    assert status == 2
    assert "--zones" in capsys.readouterr().err

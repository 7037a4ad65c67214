"""Zones on their way from the page to the pipeline, and to the file that keeps them."""

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
from vision.geometry.zones import UNMARKED, Zones
from vision.pipeline import Pipeline
from webapp.commands.cli import run
from webapp.commands.shipped_recording import DEMO_CLIP
from webapp.errors import UnusableInputError
from webapp.live.board import Board, Picture
from webapp.live.live_match import LiveMatch
from webapp.live.match_files import MatchFiles
from webapp.live.runtime import Manner, Runtime
from webapp.live.session import MatchSession
from webapp.live.table_zones import ZonesFile
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

SEATS = ("A", "B", "C")


@pytest.fixture
def said() -> list[Mapping[str, Any]]:
    """The marked zones."""
    return []


@pytest.fixture
def client(board: Board, said: list[Mapping[str, Any]]) -> FlaskClient:
    """A browser at a table that can be arranged."""
    board.publish(seats=SEATS)
    return create_app(AppConfig(FakeTable(on_arrange=lambda values: said.append(values) is None)), board).test_client()


def shown(board: Board, table: Tabletop, zones: Zones = UNMARKED) -> Pipeline:
    """Return a table that was watched for a second and published to the board."""
    pipeline = Pipeline(table, SEATS, zones=zones)
    play(pipeline, table.rest(1.0))
    board.show(Picture(25, table.picture(), pipeline.view))
    return pipeline


def test_the_page_gets_the_detected_zones_as_shares_of_the_picture(client: FlaskClient, board: Board) -> None:
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


def test_a_marked_but_undetected_zone_is_drawn_at_its_mark(client: FlaskClient, board: Board) -> None:
    shown(board, Tabletop(), Zones(heap=(0.25, 0.5), bout=((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9))))
    zones = client.get("/api/zones").get_json()
    assert zones["heap"]["at"] == [0.25, 0.5]
    assert zones["heap"]["said"]
    assert sum(x for x, _ in zones["heap"]["outline"]) / 4 == pytest.approx(0.25, abs=0.01)
    assert zones["talon"] == {"outline": None, "at": None, "said": False}
    assert zones["bout"]["said"]


@pytest.mark.parametrize("picture", [None, Picture(0, None, None), Picture(0, None, "a classifier's answer")])
def test_before_the_first_picture_and_of_single_ones_there_are_no_zones(
    client: FlaskClient, board: Board, picture: Picture | None
) -> None:
    if picture is not None:
        board.show(picture)
    assert client.get("/api/zones").status_code == 204


def test_a_dragged_zone_is_handed_on(client: FlaskClient, said: list[Mapping[str, Any]]) -> None:
    answer = client.post("/api/zones", data=json.dumps({"talon": [0.2, 0.3], "seats": {"B": 120}}))
    assert answer.status_code == 202
    assert said == [{"talon": [0.2, 0.3], "seats": {"B": 120}}]


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
def test_what_cannot_be_meant_is_refused_in_a_sentence(
    client: FlaskClient, said: list[Mapping[str, Any]], body: str, sentence: str
) -> None:
    answer = client.post("/api/zones", data=body)
    assert answer.status_code == 400
    assert sentence in answer.get_json()["error"]
    assert said == []


def test_a_stranger_s_page_moves_nothing(client: FlaskClient, said: list[Mapping[str, Any]]) -> None:
    answer = client.post("/api/zones", data='{"talon": null}', headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403
    assert said == []


def test_a_page_without_a_camera_shows_that_nothing_is_watched(board: Board) -> None:
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


def test_zones_marked_on_the_page_reach_the_pipeline_in_order(match: LiveMatch, board: Board, tmp_path: Path) -> None:
    table = with_talon()
    frames, pipeline = Halting(table), Pipeline(table, SEATS)
    file = tmp_path / "zones.json"
    session = MatchSession(match.header, frames, pipeline, match, MatchFiles(ZonesFile(file)))
    runtime = Runtime(session, board, Manner(live=False, paced=False))
    runtime.start()
    for values in ({"heap": [0.9, 0.5]}, {"seats": {"A": 80}}, {"heap": [0.8, 0.5]}):
        assert runtime.arrange(values)
    frames.go_on.set()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert runtime.failure is None
    said = Zones(seats=(("A", 80.0),), heap=(0.8, 0.5))
    assert pipeline.zones == said
    assert board.picture is not None
    assert board.picture.view.layout.zones == said
    assert ZonesFile(file).read(SEATS) == said
    assert not runtime.arrange({"heap": None}), "nobody is there any more"


def test_zones_that_cannot_be_kept_are_reported_once_and_stay_unchanged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = ZonesFile(tmp_path / "nowhere" / "zones.json")
    for _ in range(3):
        file.write(Zones(talon=(0.1, 0.1)))
    told = capsys.readouterr().err
    assert told.count("can't be kept") == 1
    assert "hold until the end of this game" in told


def test_a_missing_file_of_zones_leaves_all_zones_unmarked(tmp_path: Path) -> None:
    assert ZonesFile(tmp_path / "zones.json").read(SEATS) == UNMARKED


def test_a_byte_order_mark_is_no_part_of_the_zones(tmp_path: Path) -> None:
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
def test_a_file_of_zones_with_a_mistake_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "zones.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UnusableInputError, match=sentence) as told:
        ZonesFile(file).read(SEATS)
    assert "leave --zones away" in str(told.value)


def test_a_review_with_missing_zones_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = run(["review", str(DEMO_CLIP), "--zones", str(tmp_path / "zones.json")])
    assert status == 1
    assert "expected a file with zones" in capsys.readouterr().err


def test_the_record_is_not_written_over_by_the_zones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "a.jsonl")
    status = run(["review", str(DEMO_CLIP), "--zones", file, "--record", file])
    assert status == 2
    assert "--zones" in capsys.readouterr().err

"""Phone of a table: its reports, the answers to its page, and the wait for it."""

from __future__ import annotations

import re
from typing import Any

import cv2
import numpy as np
import pytest

from referee.fields import read
from vision.capture.phone import GARBLED, PhoneInbox
from vision.capture.sources import SourceError
from vision.layout import TableLayout
from vision.view.pipeline_view import PipelineView
from webapp.live.board import CameraHealth, Condition, Picture, Snapshot, SnapshotHub
from webapp.live.cameras import open_table_source
from webapp.live.game_setup import GameSetup
from webapp.live.phone_camera import AWAITED, PhoneCamera, PhoneReport, wait_for_phone
from webapp.live.shared_setup import CameraView, SharedSetup
from webapp.match.view import TablePosition, View

JPEG = cv2.imencode(".jpg", np.full((90, 160, 3), 90, np.uint8))[1].tobytes()
DARK = {"kind": "dark", "measured": 20.0, "box": None}


class Clock:
    at_s = 50.0

    def __call__(self) -> float:
        return self.at_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def phone(clock: Clock) -> PhoneCamera:
    return PhoneCamera(PhoneInbox(clock))


@pytest.mark.parametrize(
    "values",
    [{"battery": True}, {"battery": 1.1}, {"battery": "x"}, {"charging": 1}, {"torch": "on"}, {"trouble": "smoke"}],
)
def test_invalid_report_is_refused_with_one_sentence(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"expected .* got "):
        read(values, PhoneReport, "a report")


def test_low_battery_gives_a_warning_and_a_busy_processor_none(phone: PhoneCamera) -> None:
    assert phone.warnings() == ()
    for values, about in (
        ({"battery": 0.1}, "phone_battery"),
        ({"battery": 0.1, "charging": True}, None),
        ({"battery": 0.5, "trouble": "busy"}, None),
    ):
        phone.report = read(values, PhoneReport, "a report")
        assert next((warning.about for warning in phone.warnings()), None) == about


def test_phone_gets_problems_of_its_view_during_setup(phone: PhoneCamera, board: SnapshotHub, clock: Clock) -> None:
    shared_setup = SharedSetup(GameSetup(source="phone"), begins=False)
    shared_setup.view = CameraView(problems=(DARK,), cards=(("7s", 0.9),), outline=((0.1, 0.1), (0.9, 0.1), (0.5, 0.9)))
    answer = phone.answer(board, shared_setup)
    assert (answer["used"], answer["playing"], answer["ready"]) == (True, False, False)
    assert answer["problems"] == [DARK]
    assert len(answer["outline"]) == 3
    shared_setup.view = CameraView(cards=(("7s", 0.9),))
    assert phone.answer(board, shared_setup)["ready"]
    shared_setup.change({"source": "0"}, board.newest, begin=False)
    assert not phone.answer(board, shared_setup)["used"]


def test_phone_with_a_low_frame_rate_gets_a_warning(phone: PhoneCamera, board: SnapshotHub, clock: Clock) -> None:
    for number in range(60):
        clock.at_s += 0.2
        phone.inbox.deliver(JPEG, "page", number)
    assert phone.answer(board, None)["slow"]
    assert phone.as_json()["pictures_per_second"] == pytest.approx(5.0, abs=0.3)


@pytest.mark.parametrize(("taken_each_s", "gap_ms"), [(0.05, 50), (0.1, 67), (0.5, 100)])
def test_phone_is_limited_to_the_rate_of_the_table(
    phone: PhoneCamera, board: SnapshotHub, clock: Clock, taken_each_s: float, gap_ms: int
) -> None:
    assert phone.answer(board, None)["gap_ms"] == 50
    for number in range(60):
        clock.at_s += taken_each_s
        phone.inbox.deliver(JPEG, "page", number)
        phone.inbox.take(0.0)
    assert phone.answer(board, None)["gap_ms"] == pytest.approx(gap_ms, abs=2)
    assert phone.answer(board, SharedSetup(GameSetup(source="phone"), begins=False))["gap_ms"] == 50


def test_phone_gets_the_state_of_the_view_during_a_game(phone: PhoneCamera, board: SnapshotHub, clock: Clock) -> None:
    board.publish(camera=CameraHealth(Condition.WATCHING))
    assert phone.answer(board, None)["ready"]
    assert phone.answer(board, None)["outline"] == []
    layout = TableLayout.guessed((160, 90), ("A", "B"))
    board.show(Picture(0, np.zeros((90, 160, 3), np.uint8), PipelineView(0, 0.0, (), (), layout)))
    clock.at_s += 2.0
    assert phone.answer(board, None)["outline"] == [], "no card has been detected yet"
    board.publish(camera=CameraHealth(Condition.HIDDEN))
    assert not phone.answer(board, None)["ready"]


def test_wait_for_a_phone_is_reported_and_ends_with_its_first_picture(phone: PhoneCamera, board: SnapshotHub) -> None:
    seen: list[str | None] = []
    arriving = [None, b"garbage", JPEG]

    def is_asked() -> bool:
        seen.append(board.newest.camera.cause)
        picture = arriving.pop(0)
        if picture is not None:
            phone.inbox.deliver(picture, "page", len(seen))
        return False

    source = wait_for_phone(phone, board, is_asked, wait_s=0.0)
    assert source is not None
    assert seen == [None, AWAITED, GARBLED]
    assert phone.is_sending


def test_wait_for_a_phone_ends_with_another_order(phone: PhoneCamera, board: SnapshotHub) -> None:
    assert open_table_source("phone", phone, board, lambda: True) is None
    with pytest.raises(SourceError, match="found nothing there"):
        open_table_source("no/such.mp4", phone, board, lambda: True)


def test_another_phone_resets_the_reports(phone: PhoneCamera) -> None:
    phone.inbox.deliver(JPEG, "page", 1)
    phone.report = PhoneReport(battery=0.1)
    phone.paired()
    assert phone.report == PhoneReport()
    assert not phone.inbox.deliver(JPEG, "page", 2)
    assert re.fullmatch(r"[a-z_, ]+", ", ".join(phone.as_json()))


def test_phone_stays_connected_between_games(phone: PhoneCamera, board: SnapshotHub) -> None:
    shared_setup = SharedSetup(GameSetup(source="phone", seats=("Anna", "Boris")), begins=True)
    over = Snapshot(view=View(position=TablePosition(result={"kind": "fool", "seats": ["Anna"]}), rulings={"legal": 9}))
    for number, dealer in ((1, None), (2, "Anna")):
        assert phone.inbox.deliver(JPEG, "page", number), "the page of the phone is still accepted"
        chosen = shared_setup.take_up()
        assert chosen is not None
        assert (chosen.source, chosen.dealer) == ("phone", dealer)
        with wait_for_phone(phone, board, lambda: shared_setup.is_asked, wait_s=0.0) or pytest.fail(
            "no phone"
        ) as source:
            frame = next(iter(source))
        assert frame.image_bgr.shape == (90, 160, 3)
        shared_setup.next_game(over)

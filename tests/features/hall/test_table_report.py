"""Reports of a table to a hall: changes and closing, without rulings that the table does not announce."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest

from features.hall import table_report
from features.hall.table_report import TableReport, table_as_reported
from referee.events import Swept
from referee.record import Header
from tests.patience import PATIENCE_S, wait_until
from tests.webapp.conftest import HEADER, placed
from webapp.errors import StoreError
from webapp.live.board import CameraHealth, Condition, SnapshotHub
from webapp.match.log import MatchLog
from webapp.match.view import View
from webapp.text.catalogue import LANGUAGES


class Store:
    """Fake store that collects reports, and fails while ``fails`` is true."""

    beat_s = 0.05

    def __init__(self) -> None:
        self.reports: list[tuple[str, Mapping[str, Any]]] = []
        self.was_called = threading.Event()
        self.fails = False

    def report(self, program: str, table: str, data: Mapping[str, Any]) -> None:
        self.was_called.set()
        if self.fails:
            raise StoreError("postgresql://hall/kozyr: expected a server, got none; start it")
        json.dumps(data)
        self.reports.append((table, data))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the intervals between reports."""
    monkeypatch.setattr(table_report, "LEAST_S", 0.01)
    monkeypatch.setattr(table_report, "AFTER_FAILURE_S", 0.02)


def report(board: SnapshotHub, store: Store) -> TableReport:
    return TableReport(board, store, "kitchen", "http://192.168.1.5:8036/", time.monotonic)  # type: ignore[arg-type]


@pytest.mark.usefixtures("quick")
def test_table_reports_changes_heartbeats_and_its_closing(board: SnapshotHub, match: MatchLog) -> None:
    store = Store()
    table_report_thread = report(board, store)
    table_report_thread.start()
    wait_until(lambda: len(store.reports) >= 3)  # reports are repeated without a change
    match.open()
    match.judge(placed(1.0, "7s", "A"))
    board.publish(
        moves=1, match="ID", camera=CameraHealth(Condition.WATCHING, at_s=1.0), view=match.view, lines=match.lines
    )
    wait_until(lambda: bool(store.reports[-1][1]["seats"]))
    table_report_thread.stop()
    table, data = store.reports[-1]
    assert (table, data["open"], data["match"], data["camera"]["condition"]) == ("kitchen", False, "ID", "watching")
    assert (data["seats"], data["state"]["table"]) == (["A", "B", "C"], [["7s", None]])
    assert [data["open"] for _, data in store.reports].count(False) == 1


def test_closing_report_links_the_last_match(board: SnapshotHub) -> None:
    store = Store()
    table_report_thread = report(board, store)
    table_report_thread.start()
    wait_until(lambda: bool(store.reports))
    board.publish(match="ID")  # within LEAST_S: no report before the one of the closing
    table_report_thread.stop()
    assert [(data["open"], data["match"]) for _, data in store.reports] == [(True, None), (False, "ID")]


@pytest.mark.usefixtures("quick")
def test_recovered_store_gets_the_newest_report(board: SnapshotHub) -> None:
    store = Store()
    store.fails = True
    table_report_thread = report(board, store)
    table_report_thread.start()
    assert store.was_called.wait(PATIENCE_S)
    board.publish(view=View(rules="podkidnoy-36"), moves=1)
    store.fails = False
    wait_until(lambda: bool(store.reports) and store.reports[-1][1]["rules"] == "podkidnoy-36")
    table_report_thread.stop()


def reported_table(**header: Any) -> Mapping[str, Any]:
    match, board = MatchLog(Header.parse(HEADER | header)), SnapshotHub()
    match.open()
    match.judge(placed(1.0, "7s", "A"), placed(2.0, "Ts", "B", "7s"), placed(3.0, "Kd", "A"))
    board.publish(moves=1, view=match.view, lines=match.lines)
    return table_as_reported(board.newest, None)


def test_last_call_is_reported_in_every_language() -> None:
    call = reported_table()["call"]
    assert (call["ruling"], call["fault"], set(call["texts"])) == ("illegal", "rank-not-on-table", set(LANGUAGES))


def test_call_that_the_table_has_left_behind_is_not_reported(board: SnapshotHub, match: MatchLog) -> None:
    match.open()
    match.judge(placed(1.0, "7s", "A"), placed(2.0, "Ts", "B", "7s"))
    match.judge(Swept(at=3.0, to="heap"))
    board.publish(moves=1, view=match.view, lines=match.lines)
    assert not match.view.headline.calls
    assert table_as_reported(board.newest, None)["call"] is None


@pytest.mark.parametrize("tone", ["hint", "silent"])
def test_unannounced_ruling_is_not_reported_to_the_hall(tone: str) -> None:
    assert "ruling" not in (reported_table(tone=tone)["call"] or {})


@pytest.mark.usefixtures("quick")
def test_failed_report_is_a_warning_until_one_succeeds(board: SnapshotHub) -> None:
    class Broken(Store):
        def report(self, program: str, table: str, data: Mapping[str, Any]) -> None:
            if self.fails:
                raise TypeError("a set in the state")
            super().report(program, table, data)

    store = Broken()
    store.fails = True
    table_report_thread = report(board, store)
    table_report_thread.start()
    wait_until(lambda: table_report_thread.warnings)
    (warning,) = table_report_thread.warnings
    assert (warning.about, "a set in the state" in warning.text) == ("hall", True)
    store.fails = False
    wait_until(lambda: store.reports)
    wait_until(lambda: not table_report_thread.warnings)
    table_report_thread.stop()

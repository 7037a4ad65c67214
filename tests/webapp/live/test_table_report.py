"""A table's reports to a hall: every change, no ruling that the table keeps to itself, and its closing."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest

from referee.record import Header
from tests.patience import PATIENCE_S, wait_until
from tests.webapp.conftest import HEADER, placed
from webapp.errors import StoreError
from webapp.live import table_report
from webapp.live.board import Board, CameraHealth, Condition
from webapp.live.live_match import LiveMatch
from webapp.live.table_report import TableReport, table_as_reported
from webapp.text.catalogue import LANGUAGES


class Store:
    """A store that remembers the reports, and fails while ``fails``."""

    beat_s = 0.05

    def __init__(self) -> None:
        self.told: list[tuple[str, Mapping[str, Any]]] = []
        self.heard = threading.Event()
        self.fails = False

    def report(self, program: str, table: str, data: Mapping[str, Any]) -> None:
        self.heard.set()
        if self.fails:
            raise StoreError("postgresql://hall/kozyr: expected a server, got none; start it")
        json.dumps(data)
        self.told.append((table, data))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for long."""
    monkeypatch.setattr(table_report, "LEAST_S", 0.01)
    monkeypatch.setattr(table_report, "AFTER_FAILURE_S", 0.02)


def report(board: Board, store: Store) -> TableReport:
    return TableReport(board, store, "kitchen", "http://192.168.1.5:8036/", time.monotonic)  # type: ignore[arg-type]


@pytest.mark.usefixtures("quick")
def test_a_table_reports_changes_its_being_alive_and_its_closing(board: Board, match: LiveMatch) -> None:
    store = Store()
    telling = report(board, store)
    telling.start()
    wait_until(lambda: len(store.told) >= 3)  # nothing happens, and yet it is heard of
    match.open()
    match.judge(placed(1.0, "7s", "A"))
    board.publish(moves=1, match="ID", camera=CameraHealth(Condition.WATCHING, at_s=1.0), **match.on_board())
    wait_until(lambda: bool(store.told[-1][1]["seats"]))
    telling.stop()
    table, told = store.told[-1]
    assert (table, told["open"], told["match"], told["camera"]["condition"]) == ("kitchen", False, "ID", "watching")
    assert (told["seats"], told["state"]["table"]) == (["A", "B", "C"], [["7s", None]])
    assert [data["open"] for _, data in store.told].count(False) == 1


def test_a_game_that_was_over_between_two_reports_is_linked(board: Board) -> None:
    store = Store()
    telling = report(board, store)
    telling.start()
    wait_until(lambda: bool(store.told))
    board.publish(match="ID")  # within LEAST_S: no report before the one of the closing
    telling.stop()
    assert [(data["open"], data["match"]) for _, data in store.told] == [(True, None), (False, "ID")]


@pytest.mark.usefixtures("quick")
def test_a_store_that_is_gone_for_a_while_hears_the_newest_afterwards(board: Board) -> None:
    store = Store()
    store.fails = True
    telling = report(board, store)
    telling.start()
    assert store.heard.wait(PATIENCE_S)
    board.publish(rules="podkidnoy-36", moves=1)
    store.fails = False
    wait_until(lambda: bool(store.told) and store.told[-1][1]["rules"] == "podkidnoy-36")
    telling.stop()


def told_of(**header: Any) -> Mapping[str, Any]:
    match, board = LiveMatch(Header.parse(HEADER | header)), Board()
    match.open()
    match.judge(placed(1.0, "7s", "A"), placed(2.0, "Ts", "B", "7s"), placed(3.0, "Kd", "A"))
    board.publish(moves=1, **match.on_board())
    return table_as_reported(board.newest, None)


def test_the_last_call_is_reported_in_every_language() -> None:
    call = told_of()["call"]
    assert (call["ruling"], call["fault"], set(call["texts"])) == ("illegal", "rank-not-on-table", set(LANGUAGES))


@pytest.mark.parametrize("tone", ["hint", "silent"])
def test_a_hall_gets_no_ruling_that_the_table_keeps_to_itself(tone: str) -> None:
    assert "ruling" not in told_of(tone=tone)["call"]


@pytest.mark.usefixtures("quick")
def test_a_report_that_breaks_is_a_warning_until_it_is_made_again(board: Board) -> None:
    class Broken(Store):
        def report(self, program: str, table: str, data: Mapping[str, Any]) -> None:
            if self.fails:
                raise TypeError("a set in the state")
            super().report(program, table, data)

    store = Broken()
    store.fails = True
    telling = report(board, store)
    telling.start()
    wait_until(lambda: telling.warnings)
    (warning,) = telling.warnings
    assert (warning.about, "a set in the state" in warning.text) == ("hall", True)
    store.fails = False
    wait_until(lambda: store.told)
    wait_until(lambda: not telling.warnings)
    telling.stop()

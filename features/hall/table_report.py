"""
Report the state of this table to a hall: every change, and a regular sign that the table is still there.

Reports are written on a separate thread, since an unreachable store may block for seconds; the game never waits.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from webapp.errors import StoreError, one_line
from webapp.live.board import BoardFollower, Snapshot, SnapshotHub
from webapp.store.live_tables import LiveTables
from webapp.text.catalogue import LANGUAGES

logger = logging.getLogger(__name__)

LEAST_S = 0.25
"""Shortest time in seconds between two reports; changes in between are reported together. Longer shows older states,
shorter writes more. Set by hand, 2026-11."""
AFTER_FAILURE_S = 5.0
"""Seconds until a store that failed is tried again. Nothing is lost meanwhile: only the newest report counts."""
LEAVING_S = 4.0
"""Seconds that the program waits at its end for the last report."""


class TableReport(BoardFollower):
    """
    Reports one table, and at the end that it is closed. ``address``: where other devices find the table's page, None if
    they can't. A store that is only unreachable is no trouble.
    """

    def __init__(
        self, board: SnapshotHub, tables: LiveTables, table: str, address: str | None, now_s: Callable[[], float]
    ) -> None:
        super().__init__(board, "hall", LEAVING_S)
        self._tables, self._table, self._address, self._now_s = tables, table, address, now_s
        self._program = secrets.token_hex(16)

    def run(self) -> None:
        reported, reported_s, version = None, 0.0, -1
        while not self._is_over.is_set():
            snapshot = self._board.wait_beyond(version, LEAST_S) or self._board.newest
            version = snapshot.version
            now = (snapshot.game, snapshot.moves, snapshot.camera.condition, snapshot.warnings, snapshot.match)
            if now == reported and self._now_s() - reported_s < self._tables.beat_s:
                continue
            if self._report(snapshot, is_open=True):
                reported, reported_s = now, self._now_s()
                self._is_over.wait(LEAST_S)
            else:
                self._is_over.wait(AFTER_FAILURE_S)
        self._report(self._board.newest, is_open=False)

    def _report(self, snapshot: Snapshot, *, is_open: bool) -> bool:
        try:
            values = {**table_as_reported(snapshot, self._address), "open": is_open}
            self._tables.report(self._program, self._table, values)
        except StoreError as error:
            logger.info("the report to the hall failed: %s", error)
            return False
        except Exception as error:  # if the thread ended, the table would vanish from the hall for good
            if self.trouble is None:
                logger.exception("the report to the hall failed")
            reason = one_line(error) or type(error).__name__
            self.trouble = f"expected a report to the hall to be sent, got {reason!r:.200}; it is tried again"
            return False
        self.trouble = None
        return True


def table_as_reported(snapshot: Snapshot, address: str | None) -> Mapping[str, Any]:
    """
    Return what a hall shows of a table. ``call``: the first of the table's headline, with its ``texts`` in every
    language.
    """
    view = snapshot.view
    call = next(iter(view.headline.calls), None)
    texts = {} if call is None else {language: call.text.in_language(language) for language in LANGUAGES}
    return {
        "match": snapshot.match,
        "rules": view.rules,
        "seats": list(view.seats),
        "state": view.state,
        "call": None if call is None else {**call.as_line("en", {}), "texts": texts},
        "camera": snapshot.camera.as_json(),
        "warnings": [warning.as_json() for warning in snapshot.warnings],
        "evening": dict(snapshot.evening),
        "address": address,
    }

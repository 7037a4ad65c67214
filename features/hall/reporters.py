"""Create the threads with which a table reports to a hall and sends its lines to an address."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from features.hall.notification import SECRET_VARIABLE, Notifier
from features.hall.options import NOTIFY
from features.hall.table_report import TableReport
from webapp.live.board import BoardFollower, SnapshotHub
from webapp.live.match_options import KeepingOptions
from webapp.store.matches import Matches


def reporters_of(
    board: SnapshotHub, matches: Matches | None, table: str, address: str | None, keeping: KeepingOptions
) -> Iterator[BoardFollower]:
    """Yield the threads, not started. ``address``: where other devices find the table's page."""
    if matches is not None:
        yield TableReport(board, matches.tables, table, address, time.monotonic)
    address_to_notify = keeping.of_features.get(NOTIFY)
    if address_to_notify is not None:
        yield Notifier(board, address_to_notify, table, os.environ.get(SECRET_VARIABLE))

"""The board: one publisher, any number of waiting readers."""

from __future__ import annotations

import threading

from tests.patience import PATIENCE_S
from webapp.live.board import CameraHealth, Condition, SnapshotHub
from webapp.match.view import View


def test_snapshot_versions_increase(board: SnapshotHub) -> None:
    first = board.publish(view=View(rules="podkidnoy-36"))
    second = board.publish(camera=CameraHealth(Condition.WATCHING))
    assert (first.version, second.version) == (1, 2)
    assert second.view.rules == "podkidnoy-36"
    assert board.newest is second


def test_reader_waits_for_the_next_snapshot(board: SnapshotHub) -> None:
    got: list[int] = []
    reader = threading.Thread(target=lambda: got.append(board.wait_beyond(0, 10.0).version))  # type: ignore[union-attr]
    reader.start()
    board.publish(moves=1)
    reader.join(PATIENCE_S)
    assert got == [1]


def test_wait_without_a_new_snapshot_returns_none(board: SnapshotHub) -> None:
    assert board.wait_beyond(0, 0.0) is None


def test_closing_releases_waiting_readers(board: SnapshotHub) -> None:
    got: list[object] = []
    reader = threading.Thread(target=lambda: got.append(board.wait_beyond(0, 60.0)))
    reader.start()
    board.close()
    reader.join(PATIENCE_S)
    assert got == [None]
    assert board.closed

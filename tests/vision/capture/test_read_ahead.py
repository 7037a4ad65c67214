"""A slow source that is read a few items ahead."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from vision.capture.read_ahead import ReadAhead


def test_items_come_in_their_order_and_end() -> None:
    assert list(ReadAhead(iter(range(50)), 3)) == list(range(50))


def test_source_is_read_ahead_by_no_more_than_the_count() -> None:
    read: list[int] = []

    def source() -> Iterator[int]:
        for number in range(20):
            read.append(number)
            yield number

    ahead = ReadAhead(source(), 3)
    assert next(iter(ahead)) == 0
    time.sleep(0.3)
    # Three wait, and the thread holds one that finds no room.
    assert 2 <= len(read) <= 5
    ahead.stop()


def test_exception_of_the_source_comes_where_its_item_would_have() -> None:
    def source() -> Iterator[int]:
        yield 1
        raise OSError("cut")

    items = iter(ReadAhead(source(), 3))
    assert next(items) == 1
    with pytest.raises(OSError, match="cut"):
        next(items)


def test_stopping_ends_the_thread_and_whoever_waits() -> None:
    held = threading.Event()

    def source() -> Iterator[int]:
        yield 1
        held.wait(5)
        yield 2

    ahead = ReadAhead(source(), 3)
    got: list[int] = []
    waiting = threading.Thread(target=lambda: got.extend(ahead))
    waiting.start()
    while not got:
        time.sleep(0.01)
    threading.Timer(0.1, held.set).start()
    ahead.stop()
    waiting.join(5)
    assert not waiting.is_alive()
    assert got in ([1], [1, 2])
    assert not [thread for thread in threading.enumerate() if thread.name == "read-ahead"]

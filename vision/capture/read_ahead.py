"""Iterate over a slow source in a thread, a few items ahead of whoever uses them."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Generic, TypeVar

T = TypeVar("T")
POLL_S = 0.1
"""Seconds after which a thread that waits for room looks whether it was stopped."""


class ReadAhead(Generic[T]):
    """
    The items of ``source`` in their order, at most ``count`` of them read before they are asked for.

    The thread starts with the first item that is asked for. It ends with the source, or with ``stop``; an exception of
    the source is raised where its item would have come.
    """

    def __init__(self, source: Iterator[T], count: int) -> None:
        self._source = source
        self._items: queue.Queue[tuple[T] | BaseException | None] = queue.Queue(count)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._read, name="read-ahead", daemon=True)

    def __iter__(self) -> Iterator[T]:
        if not self._stopped.is_set():
            self._thread.start()
        while not self._stopped.is_set():
            item = self._items.get()
            if isinstance(item, BaseException):
                raise item
            if item is None:
                return
            yield item[0]

    def stop(self) -> None:
        """End the thread and wait for it; no further item is read from the source."""
        self._stopped.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        with suppress(queue.Full):  # whoever waits for an item waits no longer
            self._items.put_nowait(None)

    def _read(self) -> None:
        end: BaseException | None = None
        try:
            for item in self._source:
                if not self._put((item,)):
                    return
        except Exception as error:
            end = error
        self._put(end)

    def _put(self, item: tuple[T] | BaseException | None) -> bool:
        """Put an item into the queue as soon as there is room; return False once reading was stopped."""
        while not self._stopped.is_set():
            try:
                self._items.put(item, timeout=POLL_S)
                return True
            except queue.Full:
                continue
        return False

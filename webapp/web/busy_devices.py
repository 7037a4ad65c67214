"""
Requests in work at once, counted by device: no device keeps every thread of the server busy.

Live streams and whole films have places of their own (``webapp.web.stream_places``); what is counted here is answered
within seconds. This machine is not limited: its owner could stop the program anyway.
"""

from __future__ import annotations

import threading
from collections import Counter

from flask import Flask, Response, g, request

from webapp.web.admission import asking_device, refused
from webapp.web.pairing import Pairing, is_this_machine

MOST_OF_ONE = 8
"""Requests of one device in work at once: a browser sends six."""


class BusyDevices:
    """Counts the requests in work of each device. Thread-safe."""

    def __init__(self, most_of_one: int = MOST_OF_ONE) -> None:
        self._most_of_one = most_of_one
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def begin(self, device: str) -> bool:
        """
        Count a request in; False where this device has enough in work.

        >>> busy = BusyDevices(1)
        >>> busy.begin("tablet"), busy.begin("tablet"), busy.begin("phone")
        (True, False, True)
        >>> busy.end("tablet")
        >>> busy.begin("tablet")
        True
        """
        with self._lock:
            if self._counts[device] >= self._most_of_one:
                return False
            self._counts[device] += 1
            return True

    def end(self, device: str) -> None:
        """Count a request out."""
        with self._lock:
            self._counts[device] -= 1
            if not self._counts[device]:
                del self._counts[device]


def limit_busy_devices(app: Flask, pairing: Pairing | None, busy: BusyDevices | None = None) -> None:
    """Refuse a request with 503 while its device has ``MOST_OF_ONE`` others in work."""
    counted = busy or BusyDevices()

    @app.before_request
    def begin() -> Response | None:
        if is_this_machine(request.remote_addr):
            return None
        device = asking_device(pairing)
        if counted.begin(device):
            g.busy_device = device
            return None
        answer = refused(503, f"expected at most {MOST_OF_ONE} requests of one device at once, got more; try again")
        answer.headers["Retry-After"] = "1"
        return answer

    @app.teardown_request
    def end(error: BaseException | None) -> None:
        device = g.pop("busy_device", None)
        if device is not None:
            counted.end(device)

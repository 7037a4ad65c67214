"""
Limit concurrent requests per device, so that no device occupies every thread of the server.

Live streams and whole films have limits of their own (``webapp.web.stream_places``); requests counted here are answered
within seconds. This machine is not limited: its owner could stop the program anyway.
"""

from __future__ import annotations

import threading
from collections import Counter

from flask import Flask, Response, g, request

from webapp.web.admission import asking_device, refused
from webapp.web.pairing import Pairing, is_owner

MOST_OF_ONE = 8
"""Most concurrent requests of one device: a browser sends six."""


class BusyDevices:
    """Counts the concurrent requests of each device. Thread-safe."""

    def __init__(self, most_of_one: int = MOST_OF_ONE) -> None:
        self._most_of_one = most_of_one
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def begin(self, device: str) -> bool:
        """
        Count the begin of a request; return False if this device has reached its limit.

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
        """Count the end of a request."""
        with self._lock:
            self._counts[device] -= 1
            if not self._counts[device]:
                del self._counts[device]


def limit_busy_devices(app: Flask, pairing: Pairing | None, busy: BusyDevices | None = None) -> None:
    """Refuse a request with 503 while ``MOST_OF_ONE`` others of its device are being answered."""
    counted = busy or BusyDevices()

    @app.before_request
    def begin() -> Response | None:
        if is_owner(pairing, request.remote_addr):
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

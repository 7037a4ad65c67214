"""Limit of concurrent requests of one device."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.patience import PATIENCE_S, wait_until
from webapp.live.board import SnapshotHub
from webapp.web.admission import MOST_OF_ONE, REQUESTS
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.downloads import DOWNLOADS
from webapp.web.serving import THREADS
from webapp.web.stream_places import Asker, StreamPlaces


def test_guests_leave_threads_to_referees() -> None:
    busy = StreamPlaces(REQUESTS, 0, MOST_OF_ONE)
    taken = [
        busy.take(Asker(f"phone {number}", f"10.0.0.{number % 3}", is_guest=True)) is not None for number in range(60)
    ]
    assert sum(taken) == REQUESTS.of_guests
    own = [busy.take(Asker("tablet", "10.0.0.1")) is not None for _ in range(MOST_OF_ONE + 1)]
    assert own == [True] * MOST_OF_ONE + [False]


def test_guests_of_one_address_leave_threads_to_others() -> None:
    busy = StreamPlaces(REQUESTS, 0, MOST_OF_ONE)
    taken = [busy.take(Asker(f"phone {number}", "10.0.0.1", is_guest=True)) is not None for number in range(40)]
    assert sum(taken) == REQUESTS.of_one_address
    assert busy.take(Asker("phone", "10.0.0.2", is_guest=True))


def test_all_places_together_are_fewer_than_threads() -> None:
    leaving = 2 * 4
    assert AppConfig().streams + DOWNLOADS.most + leaving + REQUESTS.most < THREADS


@pytest.fixture
def go() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_ninth_concurrent_request_of_a_device_is_refused(go: threading.Event) -> None:
    app = create_app(AppConfig(), SnapshotHub())
    working: list[int] = []

    def slow() -> str:
        working.append(1)
        assert go.wait(PATIENCE_S)
        return "done"

    app.add_url_rule("/slow", view_func=slow)

    def asked(path: str, address: str) -> int:
        return app.test_client().get(path, environ_base={"REMOTE_ADDR": address}).status_code

    with ThreadPoolExecutor(MOST_OF_ONE) as pool:
        held = [pool.submit(asked, "/slow", "10.0.0.1") for _ in range(MOST_OF_ONE)]
        wait_until(lambda: len(working) == MOST_OF_ONE)
        refused = app.test_client().get("/api/state", environ_base={"REMOTE_ADDR": "10.0.0.1"})
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
        assert "at most 8 requests of a device" in refused.get_json()["error"]
        assert asked("/api/state", "10.0.0.2") == 200
        assert asked("/api/state", "127.0.0.1") == 200
        go.set()
        assert [message.result(PATIENCE_S) for message in held] == [200] * MOST_OF_ONE
    assert asked("/api/state", "10.0.0.1") == 200

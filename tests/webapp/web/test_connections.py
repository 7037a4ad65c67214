"""Idle and slow connections do not block the page: real sockets on a real port."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Response

from tests.patience import PATIENCE_S, wait_until
from tests.webapp.conftest import HEADER
from webapp.live.board import SnapshotHub
from webapp.match.view import View
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web import match_films, serving
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.serving import ConnectionLimits, Service

SOON_S = 15.0
"""
Seconds. Clients that don't read are disconnected after 20 s, so that a blocked request would take longer than this.
"""

Serve = Callable[[ConnectionLimits], tuple[str, int]]


@pytest.fixture
def board() -> SnapshotHub:
    return SnapshotHub()


@pytest.fixture
def serve(board: SnapshotHub) -> Iterator[Serve]:
    """Return a function that serves an empty table with these limits and returns host and port."""
    with ExitStack() as stack:

        def start(limits: ConnectionLimits) -> tuple[str, int]:
            service = Service.take("127.0.0.1", 0)
            stack.callback(service.stop)
            stack.callback(board.close)
            service.start(create_app(AppConfig(), board), limits)
            host, _, port = service.address.removeprefix("http://").rstrip("/").partition(":")
            return host, int(port)

        yield start


def health(place: tuple[str, int], path: str = "/health") -> int:
    """Return the status that a new client gets."""
    page = http.client.HTTPConnection(*place, timeout=PATIENCE_S)
    try:
        page.request("GET", path)
        return page.getresponse().status
    finally:
        page.close()


def is_disconnected(connection: socket.socket) -> bool:
    """Check whether the server closes this connection without an answer."""
    connection.settimeout(PATIENCE_S)
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    "sent", [b"", b"GET /health HT", b"POST /api/press HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"]
)
def test_hundred_idle_connections_do_not_block_others(serve: Serve, sent: bytes) -> None:
    place = serve(ConnectionLimits())
    with ExitStack() as stack:
        for _ in range(150):
            idle = stack.enter_context(socket.create_connection(place, timeout=PATIENCE_S))
            idle.sendall(sent)
        assert health(place) == 200


def test_idle_client_is_disconnected(serve: Serve) -> None:
    place = serve(ConnectionLimits(idle_s=1))
    with socket.create_connection(place, timeout=PATIENCE_S) as idle:
        assert is_disconnected(idle)


def test_idle_client_is_disconnected_though_the_clock_is_set_back(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, wall_clock = serve(ConnectionLimits(idle_s=1)), time.time
    with socket.create_connection(place, timeout=PATIENCE_S) as idle:
        idle.sendall(b"GET / HT")
        monkeypatch.setattr(time, "time", lambda: wall_clock() - 7200.0)
        assert is_disconnected(idle)


def test_longest_idle_connection_is_closed_first(serve: Serve) -> None:
    place = serve(ConnectionLimits(most_of_one=3, idle_s=60))
    with ExitStack() as stack:
        first, *_ = (stack.enter_context(socket.create_connection(place, timeout=PATIENCE_S)) for _ in range(4))
        assert is_disconnected(first)
        assert health(place) == 200


@pytest.mark.parametrize("limits", [ConnectionLimits(most_of_one=3, idle_s=60), ConnectionLimits(most=3, idle_s=60)])
def test_live_stream_is_not_disconnected(serve: Serve, board: SnapshotHub, limits: ConnectionLimits) -> None:
    place = serve(limits)
    with ExitStack() as stack:
        streams = []
        for _ in range(3):
            stream = http.client.HTTPConnection(*place, timeout=PATIENCE_S)
            stack.callback(stream.close)
            stream.request("GET", "/api/events")
            streams.append(stack.enter_context(stream.getresponse()))
        assert is_disconnected(stack.enter_context(socket.create_connection(place, timeout=PATIENCE_S)))
        board.publish(moves=1)
        for answer in streams:
            assert any(b'"moves": 1' in line for line in iter(answer.readline, b""))


def test_live_stream_outlives_the_idle_limit(serve: Serve, board: SnapshotHub) -> None:
    place = serve(ConnectionLimits(idle_s=1))
    stream = http.client.HTTPConnection(*place, timeout=PATIENCE_S)
    stream.request("GET", "/api/events")
    with stream.getresponse() as answer, socket.create_connection(place, timeout=PATIENCE_S) as idle:
        assert is_disconnected(idle)
        board.publish(moves=1)
        assert any(b'"moves": 1' in line for line in iter(answer.readline, b""))
    stream.close()


def test_live_stream_frees_sent_data(board: SnapshotHub) -> None:
    service = Service.take("127.0.0.1", 0)
    service.start(create_app(AppConfig(), board))
    host, _, port = service.address.removeprefix("http://").rstrip("/").partition(":")
    page = http.client.HTTPConnection(host, int(port), timeout=PATIENCE_S)
    with ExitStack() as stack:
        stack.callback(service.stop)
        stack.callback(board.close)
        stack.callback(page.close)
        page.request("GET", "/api/events")
        stream = stack.enter_context(page.getresponse())
        for moves in range(1, 21):
            board.publish(moves=moves, view=View(rules="x" * 100_000))
            assert any(f'"moves": {moves},'.encode() in line for line in iter(stream.readline, b""))
        (channel,) = service._server.active_channels.values()
        wait_until(lambda: channel.outbufs[0].buf is None)
        assert channel.current_outbuf_count == 0


def test_too_long_body_is_refused(serve: Serve) -> None:
    place = serve(ConnectionLimits())
    with socket.create_connection(place, timeout=PATIENCE_S) as sender:
        sender.sendall(b"POST /api/press HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000000\r\n\r\n")
        assert sender.recv(100).startswith(b"HTTP/1.1 413")


def test_client_that_does_not_read_blocks_no_thread_for_long(
    board: SnapshotHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "THREADS", 3)
    closed: list[int] = []

    class Endless:
        """Endless answer, which blocks a thread once the server's buffers are full."""

        def __iter__(self) -> Iterator[bytes]:
            return self

        def __next__(self) -> bytes:
            return b"x" * (4 << 20)

        def close(self) -> None:
            closed.append(1)

    app = create_app(AppConfig(), board)
    app.add_url_rule("/endless", view_func=lambda: Response(Endless()))
    service = Service.take("127.0.0.1", 0)
    service.start(app, ConnectionLimits(write_s=1))
    host, _, port = service.address.removeprefix("http://").rstrip("/").partition(":")
    with ExitStack() as stack:
        stack.callback(service.stop)
        for _ in range(5):
            taker = stack.enter_context(socket.create_connection((host, int(port)), timeout=PATIENCE_S))
            taker.sendall(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert health((host, int(port))) == 200
        wait_until(lambda: len(closed) >= 3)


class LargeFilm:
    """A film of 64 MB."""

    fragments, size = 1, 64 << 20

    def read(self, begin: int, end: int) -> Iterator[bytes]:
        return (bytes(1 << 16) for _ in range(begin, end, 1 << 16))

    def cut(self, begin_s: float, end_s: float) -> Iterator[bytes]:
        return self.read(0, 16 << 20)


class LargeFilms(Films):
    """Films of 64 MB for each match."""

    def film(self, match: str, fragments: int | None = None) -> Any:
        return LargeFilm()


@pytest.fixture
def large(tmp_path: Path, board: SnapshotHub) -> Iterator[tuple[Matches, str]]:
    """Return a store with a match whose film has 64 MB, and its ID."""
    database = Database.open(f"sqlite:///{tmp_path}/kozyr.db")
    matches = Matches(database, LargeFilms(tmp_path / "films"))
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    matches.append(writing, [RecordEntry(1, HEADER), RecordEntry(2, {"at": 1.0, "event": "pressed", "button": "wait"})])
    yield matches, writing.match
    database.close()


STREAMING = ("film", "film range", "export.zip", "moment.zip?line=2")


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("route", STREAMING)
def test_62_requests_for_a_film_or_archive_that_never_read_do_not_block_pages(
    large: tuple[Matches, str], board: SnapshotHub, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    monkeypatch.setattr(match_films, "MOST_PART_BYTES", 1 << 20)
    path, _, parts = route.partition(" ")
    asked = "Range: bytes=0-\r\n" if parts else ""
    head = f"GET /api/matches/{large[1]}/{path} HTTP/1.1\r\nHost: localhost\r\n{asked}\r\n".encode()
    service = Service.take("127.0.0.1", 0)
    service.start(create_app(AppConfig(matches=large[0]), board))
    host, _, port = service.address.removeprefix("http://").rstrip("/").partition(":")
    place = (host, int(port))
    with ExitStack() as stack:
        stack.callback(service.stop)
        for _ in range(62):
            taker = stack.enter_context(socket.create_connection(place, timeout=PATIENCE_S))
            taker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            taker.sendall(head)
        began = time.monotonic()
        for _ in range(5):
            assert health(place) == 200
            assert health(place, "/api/state") == 200
        assert time.monotonic() - began < SOON_S
        unread = [channel.total_outbufs_len for channel in service._server.active_channels.values()]
        # A part is 1 MB. Of a download 1 MB waits and a piece of it; four are sent, four may be about to end.
        assert sum(unread) < (62 << 20 if parts else 8 * (3 << 20))


def test_connections_whose_answers_nobody_reads_are_closed_beyond_a_limit(
    board: SnapshotHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "MOST_UNREAD_BYTES", 8 << 20)
    app = create_app(AppConfig(), board)
    app.add_url_rule("/large", view_func=lambda: Response(bytes(6 << 20)))
    service = Service.take("127.0.0.1", 0)
    service.start(app)
    host, _, port = service.address.removeprefix("http://").rstrip("/").partition(":")
    with ExitStack() as stack:
        stack.callback(service.stop)
        for _ in range(4):
            taker = stack.enter_context(socket.create_connection((host, int(port)), timeout=PATIENCE_S))
            taker.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        channels = service._server.active_channels
        wait_until(lambda: 0 < sum(channel.total_outbufs_len for channel in list(channels.values())) <= 8 << 20)
        wait_until(lambda: len(channels) < 4)
        assert health((host, int(port))) == 200

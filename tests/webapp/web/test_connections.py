"""Whoever merely connects, or dribbles, keeps nobody from the page: real sockets at a real port."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from flask import Response

from tests.patience import PATIENCE_S, wait_until
from webapp.live.board import Board
from webapp.web import match_films, serving
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.serving import ConnectionLimits, Service

SOON_S = 15.0
"""Clients that don't read are disconnected after 20 s: who waited for a thread would wait so long."""

Serve = Callable[[ConnectionLimits], tuple[str, int]]


@pytest.fixture
def board() -> Board:
    return Board()


@pytest.fixture
def serve(board: Board) -> Iterator[Serve]:
    """Serve an empty table under these limits: host and port."""
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


def is_sent_away(connection: socket.socket) -> bool:
    """Check whether the server closes this connection without an answer."""
    connection.settimeout(PATIENCE_S)
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    "said", [b"", b"GET /health HT", b"POST /api/press HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"]
)
def test_a_hundred_idle_connections_lock_nobody_out(serve: Serve, said: bytes) -> None:
    place = serve(ConnectionLimits())
    with ExitStack() as stack:
        for _ in range(150):
            idle = stack.enter_context(socket.create_connection(place, timeout=PATIENCE_S))
            idle.sendall(said)
        assert health(place) == 200


def test_a_silent_client_is_disconnected(serve: Serve) -> None:
    place = serve(ConnectionLimits(idle_s=1))
    with socket.create_connection(place, timeout=PATIENCE_S) as idle:
        assert is_sent_away(idle)


def test_of_too_many_the_longest_silent_goes(serve: Serve) -> None:
    place = serve(ConnectionLimits(most_of_one=3, idle_s=60))
    with ExitStack() as stack:
        first, *_ = (stack.enter_context(socket.create_connection(place, timeout=PATIENCE_S)) for _ in range(4))
        assert is_sent_away(first)
        assert health(place) == 200


@pytest.mark.parametrize("limits", [ConnectionLimits(most_of_one=3, idle_s=60), ConnectionLimits(most=3, idle_s=60)])
def test_a_live_stream_is_never_sent_away(serve: Serve, board: Board, limits: ConnectionLimits) -> None:
    place = serve(limits)
    with ExitStack() as stack:
        streams = []
        for _ in range(3):
            stream = http.client.HTTPConnection(*place, timeout=PATIENCE_S)
            stack.callback(stream.close)
            stream.request("GET", "/api/events")
            streams.append(stack.enter_context(stream.getresponse()))
        assert is_sent_away(stack.enter_context(socket.create_connection(place, timeout=PATIENCE_S)))
        board.publish(moves=1)
        for answer in streams:
            assert any(b'"moves": 1' in line for line in iter(answer.readline, b""))


def test_a_live_stream_outlives_the_time_that_others_may_be_silent(serve: Serve, board: Board) -> None:
    place = serve(ConnectionLimits(idle_s=1))
    stream = http.client.HTTPConnection(*place, timeout=PATIENCE_S)
    stream.request("GET", "/api/events")
    with stream.getresponse() as answer, socket.create_connection(place, timeout=PATIENCE_S) as idle:
        assert is_sent_away(idle)
        board.publish(moves=1)
        assert any(b'"moves": 1' in line for line in iter(answer.readline, b""))
    stream.close()


def test_a_live_stream_keeps_nothing_that_its_page_has_read(board: Board) -> None:
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
            board.publish(moves=moves, rules="x" * 100_000)
            assert any(f'"moves": {moves},'.encode() in line for line in iter(stream.readline, b""))
        (channel,) = service._server.active_channels.values()
        wait_until(lambda: channel.outbufs[0].buf is None)
        assert channel.current_outbuf_count == 0


def test_a_body_that_is_too_long_is_not_taken(serve: Serve) -> None:
    place = serve(ConnectionLimits())
    with socket.create_connection(place, timeout=PATIENCE_S) as sender:
        sender.sendall(b"POST /api/press HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000000\r\n\r\n")
        assert sender.recv(100).startswith(b"HTTP/1.1 413")


def test_who_takes_nothing_of_an_answer_holds_no_thread_for_long(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "THREADS", 3)
    closed: list[int] = []

    class Endless:
        """An answer that never ends; it blocks a thread as soon as the server's buffers are full."""

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


@pytest.mark.parametrize("asked", ["", "Range: bytes=0-\r\n"], ids=["whole film", "parts"])
def test_fifty_six_who_ask_for_a_film_and_never_read_hold_up_no_page(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    monkeypatch.setattr(match_films, "_film", lambda *which: LargeFilm())
    monkeypatch.setattr(match_films, "MOST_PART_BYTES", 1 << 20)
    place = serve(ConnectionLimits())
    head = f"GET /api/matches/m/film HTTP/1.1\r\nHost: localhost\r\n{asked}\r\n".encode()
    with ExitStack() as stack:
        for _ in range(56):
            taker = stack.enter_context(socket.create_connection(place, timeout=PATIENCE_S))
            taker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            taker.sendall(head)
        began = time.monotonic()
        for _ in range(5):
            assert health(place) == 200
            assert health(place, "/api/state") == 200
        assert time.monotonic() - began < SOON_S

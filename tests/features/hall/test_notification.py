"""Notification of another program: every line once and in order despite failed requests; the game never waits."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from features.hall import notification
from features.hall.notification import MOST_LINES, Notifier, checked_address, signature
from tests.patience import PATIENCE_S, wait_until
from webapp.live.board import SnapshotHub


class Listener:
    """Fake HTTP client that refuses ``refuses`` requests and collects the others."""

    def __init__(self, refuses: int = 0) -> None:
        self.refuses = refuses
        self.taken: list[tuple[str, bytes, Mapping[str, str]]] = []

    def __call__(self, address: str, body: bytes, headers: Mapping[str, str]) -> None:
        if self.refuses:
            self.refuses -= 1
            raise OSError("nobody at home")
        self.taken.append((address, body, headers))

    @property
    def lines(self) -> list[int]:
        return [line["n"] for _, body, _ in self.taken for line in json.loads(body)["lines"]]


def test_every_line_is_sent_once_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notification, "WAITS_S", (0.0,))
    listener = Listener(refuses=3)
    notifier = Notifier(SnapshotHub(), "http://h/x", "kitchen", post=listener)
    lines = [{"n": n} for n in range(MOST_LINES + 5)]
    notifier.catch_up(1, lines)
    notifier.catch_up(1, lines)
    assert listener.lines == list(range(MOST_LINES + 5))
    assert (notifier.failures, len(listener.taken)) == (3, 2)
    notifier.catch_up(2, [{"n": 0}])
    assert json.loads(listener.taken[-1][1]) == {"table": "kitchen", "game": 2, "from": 0, "lines": [{"n": 0}]}


def test_failure_is_a_warning_until_a_request_succeeds(monkeypatch: pytest.MonkeyPatch) -> None:
    board, answers = SnapshotHub(), [HTTPException("garbage"), None]

    def post(*request: object) -> None:
        answer = answers.pop(0)
        if answer is not None:
            raise answer

    notifier = Notifier(board, "http://h/x", "kitchen", post=post)
    monkeypatch.setattr(notification, "WAITS_S", (0.2,))
    notifier.start()
    board.publish(game=1, lines=[{"n": 7}])
    wait_until(lambda: notifier.warnings, pause=lambda _: None)
    assert "expected the program at --notify to take the lines, got 'garbage'" in notifier.warnings[0].text
    wait_until(lambda: not notifier.warnings)
    board.close()
    notifier.stop()


def test_redirect_or_invalid_answer_counts_as_failure() -> None:
    asked: list[bytes] = []
    for answer in (
        b"HTTP/1.1 307 Elsewhere\r\nLocation: {0}\r\n\r\n",
        b"HTTP/1.1 302 Elsewhere\r\nLocation: {0}\r\n\r\n",
        b"\x00\xff\r\n\r\n",
    ):
        with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as pool:
            address = f"http://127.0.0.1:{server.getsockname()[1]}/"
            sent = pool.submit(notification.post, address, b"{}", {})
            connection, _ = server.accept()
            with connection:
                asked.append(connection.recv(1000))
                connection.sendall(answer.replace(b"{0}", address.encode()))
            with pytest.raises((OSError, HTTPException)):
                sent.result(PATIENCE_S)
            server.setblocking(False)
            with pytest.raises(BlockingIOError):
                server.accept()
    assert len(asked) == 3


def test_body_is_signed_if_a_secret_is_set() -> None:
    listener = Listener()
    Notifier(SnapshotHub(), "http://h/x", "kitchen", "key", listener).catch_up(1, [{"n": 0}])
    _, body, headers = listener.taken[0]
    assert headers["X-Kozyr-Signature"] == signature("key", body)


def test_unreachable_listener_does_not_delay_the_end() -> None:
    board, listener = SnapshotHub(), Listener(refuses=1)
    notifier = Notifier(board, "http://h/x", "kitchen", post=listener)
    notifier.start()
    board.publish(game=1, lines=[{"n": 7}])
    wait_until(lambda: notifier.failures == 1)
    notifier.stop()
    board.close()
    assert listener.lines == [], "the end does not wait for the next try"


def test_closed_board_ends_the_notification() -> None:
    board, listener = SnapshotHub(), Listener()
    notifier = Notifier(board, "http://h/x", "kitchen", post=listener)
    board.publish(game=1, lines=[{"n": 7}])
    notifier.start()
    wait_until(lambda: listener.lines == [7])
    board.close()
    notifier.stop()
    assert not notifier.is_alive()


def test_user_and_password_of_the_address_are_sent_as_basic_authentication() -> None:
    asked: list[tuple[str, str | None]] = []

    class Program(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            asked.append((self.path, self.headers["Authorization"]))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *parts: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Program) as server, ThreadPoolExecutor(1) as pool:
        answered = pool.submit(server.handle_request)
        address = checked_address(f"http://anna:p%40ss@127.0.0.1:{server.server_port}/durak?x=1")
        notification.post(address, b"{}", {})
        answered.result(PATIENCE_S)
    assert asked == [("/durak?x=1", f"Basic {base64.b64encode(b'anna:p@ss').decode()}")]


@pytest.mark.parametrize("text", ["http://a:SECRET@h:99999/x", "http://a:SECRET@h/a b", "http://a:SECRET@[::1/x"])
def test_refusal_of_an_address_has_no_password(text: str) -> None:
    with pytest.raises(ValueError, match="expected an address such as") as refused:
        checked_address(text)
    assert "SECRET" not in str(refused.value)


@pytest.mark.parametrize("text", ["10.0.0.9", "ftp://h/x", "http://", "file:///etc/passwd"])
def test_invalid_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected an address such as"):
        checked_address(text)

"""RTSP redirects are not followed, and addresses with line ends are refused."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.patience import PATIENCE_S
from vision.capture.sources import SourceError, SourceSettings, open_source
from vision.capture.stream_address import rtsp_redirect

QUICK = SourceSettings(retry_s=0.01, retries=1, answer_s=1.0)


@pytest.fixture
def elsewhere() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.fixture
def redirecting(elsewhere: socket.socket) -> Iterator[tuple[str, list[bytes]]]:
    """Yield the address of an RTSP server that redirects every request, and the requests it received."""
    requests: list[bytes] = []
    location = f"rtsp://127.0.0.1:{elsewhere.getsockname()[1]}/inner"

    def answer(server: socket.socket) -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                requests.append(connection.recv(2000))
                connection.sendall(f"RTSP/1.0 302 Found\r\nCSeq: 1\r\nLocation: {location}\r\n\r\n".encode())

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer, args=(server,), daemon=True)
        thread.start()
        yield f"rtsp://user:secret@127.0.0.1:{server.getsockname()[1]}/table", requests
        server.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENCE_S)


def test_rtsp_redirect_is_not_followed(
    redirecting: tuple[str, list[bytes]], elsewhere: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    address, requests = redirecting
    with pytest.raises(SourceError, match="expected pictures from it"):
        open_source(address, settings=QUICK)
    with pytest.raises(BlockingIOError):
        elsewhere.accept()
    assert len(requests) == 1
    assert b"secret" not in requests[0]
    assert "leads to rtsp://127.0.0.1" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    "address", ["rtsp://127.0.0.1:9/x", "rtsp://:x/", "rtsp:///nothing", "rtsps://127.0.0.1:9/x", "rtspx://a/"]
)
def test_unreachable_server_gives_no_redirect(address: str) -> None:
    assert rtsp_redirect(address, 1.0) is None


@pytest.fixture
def dripping() -> Iterator[str]:
    """Yield the address of a server that sends a byte of an answer without end every tenth of a second."""
    ended = threading.Event()

    def answer(server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                with connection, suppress(OSError):
                    while not ended.wait(0.1):
                        connection.sendall(b"X")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer, args=(server,), daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}/live"
        ended.set()
        server.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENCE_S)


@pytest.mark.parametrize("scheme", ["rtsp", "http"])
def test_server_that_drips_its_answer_is_given_up_in_time(dripping: str, scheme: str) -> None:
    began_s = time.monotonic()
    with pytest.raises(SourceError, match="expected pictures from it"):
        open_source(f"{scheme}://{dripping}", settings=QUICK)
    assert time.monotonic() - began_s < 10 * QUICK.answer_s


@pytest.mark.parametrize("address", ["rtsp://h/x\r\nY: 1", "http://h/a b", "http://h/\x00"])
def test_address_with_line_ends_or_blanks_is_refused(address: str) -> None:
    with pytest.raises(SourceError, match="without blanks and line ends"):
        open_source(address, settings=QUICK)

"""An RTSP server that redirects is not followed, and no address carries lines of its own into a request."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

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
    """An RTSP server that sends everybody on: its address, and what it was asked."""
    asked: list[bytes] = []
    location = f"rtsp://127.0.0.1:{elsewhere.getsockname()[1]}/inner"

    def answer(server: socket.socket) -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                asked.append(connection.recv(2000))
                connection.sendall(f"RTSP/1.0 302 Found\r\nCSeq: 1\r\nLocation: {location}\r\n\r\n".encode())

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer, args=(server,), daemon=True)
        thread.start()
        yield f"rtsp://user:secret@127.0.0.1:{server.getsockname()[1]}/table", asked
        server.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENCE_S)


def test_a_redirect_of_an_rtsp_stream_is_not_followed(
    redirecting: tuple[str, list[bytes]], elsewhere: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    address, asked = redirecting
    with pytest.raises(SourceError, match="expected pictures from it"):
        open_source(address, settings=QUICK)
    with pytest.raises(BlockingIOError):
        elsewhere.accept()
    assert len(asked) == 1
    assert b"secret" not in asked[0]
    assert "leads to rtsp://127.0.0.1" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    "address", ["rtsp://127.0.0.1:9/x", "rtsp://:x/", "rtsp:///nothing", "rtsps://127.0.0.1:9/x", "rtspx://a/"]
)
def test_a_server_that_is_away_redirects_nowhere(address: str) -> None:
    assert rtsp_redirect(address, 1.0) is None


@pytest.mark.parametrize("address", ["rtsp://h/x\r\nY: 1", "http://h/a b", "http://h/\x00"])
def test_an_address_with_line_ends_or_blanks_is_refused(address: str) -> None:
    with pytest.raises(SourceError, match="without blanks and line ends"):
        open_source(address, settings=QUICK)

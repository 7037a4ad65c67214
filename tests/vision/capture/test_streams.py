"""MJPEG streams of phone apps over HTTP, and reconnection after a loss."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np
import pytest

from vision.capture.sources import SourceError, SourceSettings, open_source

PICTURES = 30
QUICK = SourceSettings(retry_s=0.05, retries=2, answer_s=2.0)


def jpeg(number: int) -> bytes:
    """Return a picture whose brightness is its number."""
    noise = np.random.default_rng(number).integers(0, 12, (48, 64, 3), np.uint8)
    return cv2.imencode(".jpg", noise + np.uint8(40 + number * 5))[1].tobytes()


class Phone(BaseHTTPRequestHandler):
    """Fake phone app that serves pictures at /video and counts the requests in ``calls``."""

    calls = 0

    def do_GET(self) -> None:
        if self.path != "/video":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>the app's own page</html>")
            return
        type(self).calls += 1
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
        self.end_headers()
        for number in range(PICTURES):
            data = jpeg(number)
            head = f"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
            try:
                self.wfile.write(head.encode() + data + b"\r\n")
            except OSError:
                return
            time.sleep(0.01)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Discard the server's log lines."""


@pytest.fixture
def phone() -> Iterator[str]:
    """Yield the address of a fake phone app on this machine."""
    Phone.calls = 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Phone)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join(5)


def test_stream_is_read_and_reconnected_after_a_loss(phone: str) -> None:
    with open_source(f"{phone}/video", settings=QUICK) as source:
        assert source.live
        assert source.size == (64, 48)
        seen, lost = [], []
        for frame in source:
            (seen if frame.lost is None else lost).append(frame)
            if len(seen) > PICTURES + 5:
                break
    assert Phone.calls >= 2
    assert lost, "the loss is reported"
    levels = [round(float(frame.image_bgr.mean())) for frame in seen]
    assert levels[:5] == sorted(levels[:5])
    assert [frame.at for frame in seen] == sorted(frame.at for frame in seen)


@pytest.mark.parametrize("page", ["", "/"])
def test_html_page_of_the_app_is_refused_as_stream(phone: str, page: str) -> None:
    with pytest.raises(SourceError, match="address whole"):
        open_source(f"{phone}{page}", settings=QUICK)


def test_unreachable_phone_is_refused() -> None:
    with pytest.raises(SourceError, match="switched on, in the same network"):
        open_source("http://127.0.0.1:9/video", settings=QUICK)

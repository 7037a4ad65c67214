"""A phone as camera: pictures over the network, as its apps send them, and what happens when it goes away."""

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
    """An app that shows what the phone's camera sees, at /video; ``calls`` counts who asked."""

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
    """The address of such an app on this machine."""
    Phone.calls = 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Phone)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join(5)


def test_a_phone_s_pictures_arrive_and_it_is_called_again_when_it_goes_away(phone: str) -> None:
    with open_source(f"{phone}/video", settings=QUICK) as source:
        assert source.live
        assert source.size == (64, 48)
        seen, lost = [], []
        for frame in source:
            (seen if frame.lost is None else lost).append(frame)
            if len(seen) > PICTURES + 5:
                break
    assert Phone.calls >= 2
    assert lost, "that it went away is told"
    levels = [round(float(frame.image_bgr.mean())) for frame in seen]
    assert levels[:5] == sorted(levels[:5])
    assert [frame.at for frame in seen] == sorted(frame.at for frame in seen)


@pytest.mark.parametrize("page", ["", "/"])
def test_the_app_s_own_page_is_no_stream(phone: str, page: str) -> None:
    with pytest.raises(SourceError, match="address whole"):
        open_source(f"{phone}{page}", settings=QUICK)


def test_a_phone_that_is_off() -> None:
    with pytest.raises(SourceError, match="switched on, in the same network"):
        open_source("http://127.0.0.1:9/video", settings=QUICK)

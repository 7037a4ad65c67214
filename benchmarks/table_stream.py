"""Serve a table's pictures as a network camera does: an MJPEG stream that goes on from film to film."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle, islice
from pathlib import Path

import cv2

from vision.capture.sources import Frame, open_source

QUALITY = 90


def jpeg(frame: Frame) -> bytes:
    """Encode a frame as a camera sends it."""
    return bytes(cv2.imencode(".jpg", frame.image_bgr, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes())


class TableStream:
    """
    A camera that never ends: it shows a film once and then the film's last second over and over.

    ``rate``: pictures a second.
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._changed = threading.Condition()
        self._pictures: Iterator[bytes] = iter(())
        self._jpeg = b""
        self._stop = threading.Event()
        self.is_over = threading.Event()
        """Set when the film has been shown."""

    def wait_at_start(self, film: Path) -> None:
        """Show the first second of a film, over and over."""
        with open_source(str(film)) as frames:
            still = [jpeg(frame) for frame in islice(frames, round(frames.fps))]
        self._follow(cycle(still))

    def play(self, film: Path) -> None:
        """Show a film from its start."""
        self.is_over.clear()
        self._follow(self._film(film))

    def _follow(self, pictures: Iterator[bytes]) -> None:
        with self._changed:
            self._pictures = pictures

    def _film(self, film: Path) -> Iterator[bytes]:
        last: list[bytes] = []
        with open_source(str(film)) as frames:
            for frame in frames:
                last = [*last, jpeg(frame)][-round(frames.fps) :]
                yield last[-1]
        self.is_over.set()
        yield from cycle(last)

    def _run(self) -> None:
        while not self._stop.wait(1 / self._rate):
            with self._changed:
                self._jpeg = next(self._pictures, self._jpeg)
                self._changed.notify_all()

    def _newest(self) -> bytes:
        with self._changed:
            self._changed.wait()
            return self._jpeg

    @contextmanager
    def served(self) -> Iterator[str]:
        """Serve the stream on this machine; yield its address."""
        stream = self

        class StreamHandler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
                self.end_headers()
                with suppress(ConnectionError):
                    while not stream._stop.is_set():
                        data = stream._newest()
                        head = f"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                        self.wfile.write(head.encode() + data + b"\r\n")

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), StreamHandler)
        server.daemon_threads = True
        threads = [threading.Thread(target=run, daemon=True) for run in (self._run, server.serve_forever)]
        for thread in threads:
            thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/video"
        finally:
            self._stop.set()
            server.shutdown()
            server.server_close()

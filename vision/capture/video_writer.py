"""
The film of a match: the very frames that are judged, encoded while they are, so that nobody has to argue from memory.

H.264 in a fragmented MP4 with a key picture every second: what was written up to a power cut or a full disk plays, and
browsers jump about in it. Needs PyAV (``pip install 'kozyr[film]'``), which is no part of the usual install.

A thread of its own encodes: the encoder lets Python go on meanwhile. Its queue is short, because frames are large; when
the machine can't keep up, frames are left out of the film and counted, and neither camera nor referee waits.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.capture.output_file import OutputFile
from vision.capture.sources import Frame, Image


class FilmError(Exception):
    """No film can be made; the text is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class FilmSettings:
    """How a film is encoded. Set by hand, 2026-11."""

    queue: int = 8
    """Frames waiting to be encoded: eight of 1080p take 50 MB. More take memory, fewer leave more frames out."""
    quality: int = 26
    """
    x264's constant rate factor: about 2 Mbit/s at 1080p. Higher makes smaller and worse films. Lower makes larger
    and better ones.
    """
    key_s: float = 1.0
    """
    Seconds between two key pictures, the most that is lost. Shorter makes larger films. Longer loses more and seeks
    more slowly.
    """
    threads: int = 1
    """Threads of the encoder. More take cores from the camera and the page. Fewer may not keep up with the camera."""


class FilmWriter:
    """
    A film being written to ``path``; ``add`` frames from anywhere, ``close`` at the end.

    ``dropped`` frames were left out. ``trouble``: the sentence for what ended the film early; the seconds that were
    written whole by then stay, ``kept`` frames. Raises ``FilmError`` where it cannot begin.
    """

    def __init__(self, path: Path, size: tuple[int, int], fps: float, settings: FilmSettings = FilmSettings()) -> None:
        self._path, self._fps, self._settings = path, fps, settings
        self._size = (size[0] // 2 * 2, size[1] // 2 * 2)  # H.264 halves the colours
        self._file, self._output, self._stream, self._av = _begun(path, self._size, fps, settings)
        self._whole_bytes = self._file.tell()  # of the file, up to the newest fragment that is there whole
        self.kept = 0
        self._waiting: deque[tuple[Image, float]] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._newest_ms = -1
        self.written = 0
        self.dropped = 0
        self.trouble: str | None = None
        self._thread = threading.Thread(target=self._work, name="film", daemon=True)
        self._thread.start()

    def add(self, image_bgr: Image, at: float) -> None:
        """A frame (h, w, 3) uint8 of the time ``at`` in seconds; never waits. The image must not be changed later."""
        with self._changed:
            if self._closed or self.trouble is not None:
                return
            if len(self._waiting) >= self._settings.queue:
                self.dropped += 1
                return
            self._waiting.append((image_bgr, at))
            self._changed.notify_all()

    def close(self) -> None:
        """Encode what waits and finish the file."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def __enter__(self) -> FilmWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _work(self) -> None:
        try:
            while (frame := self._next()) is not None:
                self._encode(*frame)
            self._output.mux(self._stream.encode())
            self._output.close()
            self._file.close()
            self.kept = self.written
        except (OSError, ValueError) as error:  # PyAV's errors are both
            self._waiting.clear()
            self._cut_back()
            told = getattr(error, "strerror", None) or str(error)
            self.trouble = (
                f"{self._path}: expected room for the film, got '{told}'; the first {self.kept} frames are kept; "
                "make room or name another file with --film"
            )

    def _cut_back(self) -> None:
        """Leave the file as it was with its newest whole fragment."""
        with contextlib.suppress(OSError, ValueError):
            self._output.close()
        self._file.cut_back(self._whole_bytes)
        with contextlib.suppress(OSError):
            self._file.close()

    def _next(self) -> tuple[Image, float] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or bool(self._waiting))
            return self._waiting.popleft() if self._waiting else None

    def _encode(self, image_bgr: Image, at: float) -> None:
        width, height = self._size
        if image_bgr.shape[:2] != (height, width):
            image_bgr = np.asarray(cv2.resize(image_bgr, self._size, interpolation=cv2.INTER_AREA), np.uint8)
        frame = self._av.VideoFrame.from_ndarray(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2YUV_I420), format="yuv420p")
        self._newest_ms = max(self._newest_ms + 1, round(at * 1000))
        frame.pts = self._newest_ms
        packets = self._stream.encode(frame)
        self._output.mux(packets)
        if any(packet.is_keyframe for packet in packets):  # it begins a fragment, the one before is in the file now
            self._whole_bytes, self.kept = self._file.tell(), self.written
        self.written += 1


def _begun(path: Path, size: tuple[int, int], fps: float, settings: FilmSettings) -> tuple[Any, Any, Any, Any]:
    """The open file, the film in it, its stream and the library."""
    try:
        import av
    except ImportError:
        raise FilmError(
            "expected the library PyAV to write a film, got none; install it with: pip install 'kozyr[film]'"
        ) from None
    from fractions import Fraction

    file = None
    try:
        file = OutputFile(path)
        output = av.open(
            file,
            "w",
            format="mp4",
            options={"movflags": "frag_keyframe+empty_moov+default_base_moof", "flush_packets": "1"},
        )
        stream: Any = output.add_stream("libx264", rate=Fraction(max(1, round(fps))))
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        stream.codec_context.gop_size = max(1, round(fps * settings.key_s))
        stream.codec_context.thread_count = settings.threads
        stream.options = {"preset": "ultrafast", "tune": "zerolatency", "crf": str(settings.quality)}
        output.start_encoding()
    except (OSError, ValueError) as error:
        if file is not None:
            file.close()
        told = getattr(error, "strerror", None) or str(error)
        raise FilmError(f"{path}: expected a place where the film can be written, got '{told}'; name another") from None
    return file, output, stream, av


def filmed(frames: Iterable[Frame], film: FilmWriter) -> Iterator[Frame]:
    """The same frames; each that a camera really sent goes into the film on its way."""
    for frame in frames:
        if frame.lost is None:
            film.add(frame.image_bgr, frame.at)
        yield frame

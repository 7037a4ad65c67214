"""
Write the film and other files of a match, never over an earlier one.

The film holds the analysed frames, encoded during the game, so that disputes can be checked.

H.264 in a fragmented MP4 with a key picture every second: everything written up to a power cut or a full disk can be
played. Of a camera only the inside of the table's outline is encoded, with a soft edge; the rest is blackened before it
reaches the disk. Playback, also during writing: ``vision.capture.film_file``.

A separate thread encodes; the encoder releases Python's lock meanwhile. Its queue is short, because frames are large;
if the machine is too slow, frames are left out of the film and counted, and neither camera nor referee waits.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import threading
from array import array
from bisect import bisect_right
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import av
import cv2
import numpy as np
import numpy.typing as npt
from av.video.frame import PictureType

from vision.capture.sources import Image

if TYPE_CHECKING:
    from typing_extensions import Buffer


def keep_earlier(path: Path) -> Path | None:
    """
    Move the file at ``path`` aside to ``NAME.1``, ``NAME.2``, ..., the highest number being the newest; return its
    path.

    None if there is no file, or an empty one. Raises ``OSError`` if it cannot be moved.
    """
    if not path.is_file() or not path.stat().st_size:
        return None
    kept = next(place for n in count(1) if not os.path.lexists(place := path.with_name(f"{path.name}.{n}")))
    path.rename(kept)
    return kept


class OutputFile(io.FileIO):
    """
    A file written from its beginning; an earlier file at its path is kept beside it. ``new``: none may exist.

    All methods raise ``OSError`` on a write error; ``cut_back`` then keeps the complete part.
    """

    def __init__(self, path: Path, *, new: bool = False) -> None:
        if not new:
            keep_earlier(path)
        super().__init__(str(path), "x" if new else "w")

    def write(self, data: Buffer, /) -> int:
        """Write all of ``data``; the system may write only a part without an error."""
        left = memoryview(data)
        while left:
            left = left[super().write(left) or 0 :]
        return memoryview(data).nbytes

    def cut_back(self, size: int) -> None:
        """Truncate to the first ``size`` bytes; writing continues there. A pipe is left as it is."""
        with suppress(OSError):
            self.seek(size)
            self.truncate(size)


logger = logging.getLogger(__name__)

BEGAN_KEY = "comment"
"""Metadata key of the file for the match's time of its first frame, in seconds."""
EXPECTED_ERRORS = (OSError, ValueError, av.FFmpegError)
"""Exceptions of PyAV for a full or missing disk."""
TICKS_PER_S = 1000
FAR_APART = 1 << 20
"""The encoder's own interval of key pictures in frames: never; the writer sets them by time."""

SOFT_EDGE = 0.04
"""Share of the picture's height over which a film fades out inside the outline. Chosen by hand."""
Outline = npt.NDArray[np.int32]
"""(n, 2): the corners of a polygon in pixels."""


class FilmError(Exception):
    """A film that cannot be written or played; the text is one sentence for the user."""


# How a film is encoded. Set by hand, 2026-11; its cost: ``python -m benchmarks.film_cost``.
KEY_S = 1.0
"""Seconds between two key pictures, the most that can be lost."""


@dataclass(frozen=True, slots=True)
class FilmSettings:
    """How a film is encoded. Set by hand, 2026-11; its cost: ``python -m benchmarks.film_cost``."""

    queue: int = 8
    """Largest number of frames waiting to be encoded: eight of 1080p take 50 MB."""
    quality: int = 26
    """x264's constant rate factor."""
    most_bits: float = 4.0
    """Largest bit rate in bits a second per pixel of the picture: 28 MB a minute at 720p."""
    threads: int = 1
    """Threads of the encoder."""


class FilmEncoder:
    """
    Encodes frames into a new file. ``written``: frames encoded; ``kept``: those of them in whole fragments of the file.
    """

    def __init__(self, path: Path, size: tuple[int, int], began_s: float, settings: FilmSettings) -> None:
        self._size = (max(2, size[0] // 2 * 2), max(2, size[1] // 2 * 2))  # H.264 halves the colour resolution
        self._file, self._output, self._stream = _begun(path, self._size, began_s, settings)
        self._whole_bytes = self._file.tell()  # of the file, up to the newest fragment that is there whole
        self._next_key_ms = 0
        self._mask: tuple[Outline, npt.NDArray[np.uint8]] | None = None
        self.written = self.kept = 0

    def encode(self, image_bgr: Image, at_ms: int, outline: Outline | None) -> None:
        """Encode a frame of a time in milliseconds."""
        if outline is not None:
            image_bgr = self._masked(image_bgr, outline)
        planes = np.asarray(cv2.cvtColor(_fitted(image_bgr, self._size), cv2.COLOR_BGR2YUV_I420), np.uint8)
        frame = av.VideoFrame.from_ndarray(planes, format="yuv420p")
        frame.pts = at_ms
        if at_ms >= self._next_key_ms:
            frame.pict_type = PictureType.I
            self._next_key_ms = at_ms + round(KEY_S * TICKS_PER_S)
        packets = self._stream.encode(frame)
        self._output.mux(packets)
        if any(packet.is_keyframe for packet in packets):  # it begins a fragment, the one before is in the file now
            self._whole_bytes, self.kept = self._file.tell(), self.written
        self.written += 1

    def _masked(self, image_bgr: Image, outline: Outline) -> Image:
        """Return the picture with everything outside the outline black, and a soft edge inside it."""
        if self._mask is None or self._mask[0] is not outline or self._mask[1].shape != image_bgr.shape:
            inside = np.zeros(image_bgr.shape[:2], np.uint8)
            if len(outline) >= 3:
                cv2.fillPoly(inside, [outline], 255)
            from_edge_px = cv2.distanceTransform(inside, cv2.DIST_L2, 3)
            shares = np.clip(from_edge_px / (SOFT_EDGE * image_bgr.shape[0]), 0.0, 1.0)
            self._mask = (outline, np.repeat((255 * shares).astype(np.uint8)[..., None], 3, axis=2))
        return np.asarray(cv2.multiply(image_bgr, self._mask[1], scale=1 / 255), np.uint8)

    def finish(self) -> None:
        """Encode what the encoder has kept back, and close the file."""
        self._output.mux(self._stream.encode())
        self._output.close()
        self._file.close()
        self.kept = self.written

    def cut_back(self) -> None:
        """Truncate the file after its newest whole fragment."""
        for step in (self._output.close, lambda: self._file.cut_back(self._whole_bytes), self._file.close):
            with contextlib.suppress(Exception):
                step()


class FilmWriter:
    """
    A film being written to ``path``, a new file; ``add`` frames from any thread, ``close`` at the end.

    ``began_s``: the match's time of the first frame. ``dropped``: number of frames left out. ``trouble``: the sentence
    that says why the film ended early; the whole seconds written by then remain, ``kept`` frames. Raises ``FilmError``
    if it cannot begin.
    """

    encoder: type[FilmEncoder] = FilmEncoder

    def __init__(
        self, path: Path, size: tuple[int, int], began_s: float, settings: FilmSettings = FilmSettings()
    ) -> None:
        self.path, self._began_s, self._settings = path, began_s, settings
        self._encoder = self.encoder(path, size, began_s, settings)
        self._waiting: deque[tuple[Image, int, Outline | None]] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._times_ms = array("q")
        self.dropped = 0
        self.trouble: str | None = None
        self._thread = threading.Thread(target=self._work, name="film", daemon=True)
        self._thread.start()

    @property
    def written(self) -> int:
        """Return the number of frames encoded."""
        return self._encoder.written

    @property
    def kept(self) -> int:
        """Return the number of frames that remain if the film ends now."""
        return self._encoder.kept

    def add(self, image_bgr: Image, at: float, outline: Outline | None = None, *, wait: bool = False) -> None:
        """
        Add a frame (h, w, 3) uint8 of the time ``at`` in seconds. The image must not be changed later.

        ``outline``: pixels outside it are blackened; None: the whole picture is kept. ``wait``: block while the queue
        is full; else the frame is left out then.
        """
        with self._changed:
            if wait:
                self._changed.wait_for(
                    lambda: len(self._waiting) < self._settings.queue or self._closed or self.trouble is not None
                )
            if self._closed or self.trouble is not None:
                return
            if len(self._waiting) >= self._settings.queue:
                self.dropped += 1
                return
            newest = self._times_ms[-1] if self._times_ms else -1
            self._times_ms.append(max(newest + 1, round((at - self._began_s) * TICKS_PER_S)))
            self._waiting.append((image_bgr, self._times_ms[-1], outline))
            self._changed.notify_all()

    def frame_at(self, at: float) -> tuple[int, float] | None:
        """
        Return the newest frame of the film at a time: its number from 0, and its own time in seconds. None if the film
        had not begun then, or has ended.
        """
        with self._changed:
            place = bisect_right(self._times_ms, round((at - self._began_s) * TICKS_PER_S)) - 1
            if place < 0 or self.trouble is not None:
                return None
            return place, self._began_s + self._times_ms[place] / TICKS_PER_S

    def close(self) -> None:
        """Encode the queued frames and finish the file."""
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
                self._encoder.encode(*frame)
            self._encoder.finish()
        except Exception as error:  # any exception: a thread that ends unnoticed leaves `add` and `close` waiting
            if not isinstance(error, EXPECTED_ERRORS):
                logger.exception("%s: the encoder failed", self.path)
            self._encoder.cut_back()
            with self._changed:
                self._waiting.clear()
                self.trouble = self._trouble_of(error)
                self._changed.notify_all()

    def _trouble_of(self, error: Exception) -> str:
        """Return the sentence that says why the film ended early."""
        kept = f"its first {self.kept} frames are kept"
        if isinstance(error, EXPECTED_ERRORS):
            return (
                f"The operating system refused: {self.path}: {_reason_of(error)}; {kept}; make room and turn the "
                "film on again"
            )
        return (
            f"Internal error: {self.path}: a frame could not be encoded: {_reason_of(error)}; {kept}; turn the film on "
            "again, and please report it"
        )

    def _next(self) -> tuple[Image, int, Outline | None] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or bool(self._waiting))
            self._changed.notify_all()
            return self._waiting.popleft() if self._waiting else None


def _fitted(image_bgr: Image, size: tuple[int, int]) -> Image:
    """
    Scale a picture to a film's ``size`` (width, height), its proportions kept, with black bars where they differ.

    A difference of two pixels is only the even size that H.264 needs: it gets no bars.
    """
    width, height = size
    rows, columns = image_bgr.shape[:2]
    if (rows, columns) == (height, width):
        return image_bgr
    scale = min(width / columns, height / rows)
    inner = (min(width, max(1, round(columns * scale))), min(height, max(1, round(rows * scale))))
    if width - inner[0] <= 2 and height - inner[1] <= 2:
        return np.asarray(cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
    left, top = (width - inner[0]) // 2, (height - inner[1]) // 2
    whole = np.zeros((height, width, 3), np.uint8)
    whole[top : top + inner[1], left : left + inner[0]] = cv2.resize(image_bgr, inner, interpolation=cv2.INTER_AREA)
    return whole


def _begun(path: Path, size: tuple[int, int], began_s: float, settings: FilmSettings) -> tuple[OutputFile, Any, Any]:
    """Return the open file, its container and its stream."""
    file = None
    try:
        file = OutputFile(path, new=True)
        output = av.open(
            file,
            "w",
            format="mp4",
            options={"movflags": "frag_keyframe+empty_moov+default_base_moof+skip_trailer", "flush_packets": "1"},
        )
        output.metadata[BEGAN_KEY] = repr(round(began_s, 3))
        stream: Any = output.add_stream("libx264", rate=Fraction(25))  # for the head only: every frame has its own time
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, TICKS_PER_S)
        stream.codec_context.gop_size = FAR_APART
        stream.codec_context.thread_count = settings.threads
        most_kbit = max(100, round(settings.most_bits * size[0] * size[1] / 1000))
        stream.options = {
            "preset": "ultrafast",
            "tune": "zerolatency",
            "crf": str(settings.quality),
            "forced-idr": "1",
            "maxrate": f"{most_kbit}k",
            "bufsize": f"{2 * most_kbit}k",
        }
        output.start_encoding()
    except (OSError, ValueError, av.FFmpegError) as error:
        if file is not None:
            file.close()
        raise FilmError(
            f"The operating system refused: {path}: {_reason_of(error)}; name another folder with --films"
        ) from None
    return file, output, stream


def _reason_of(error: BaseException) -> str:
    """Return what went wrong as one line, in the system's words where PyAV has wrapped a system error."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, OSError) and inner.strerror and not isinstance(inner, av.FFmpegError):
            return inner.strerror
        inner = inner.__cause__ or inner.__context__
    return " ".join(str(getattr(error, "strerror", None) or error or type(error).__name__).split())

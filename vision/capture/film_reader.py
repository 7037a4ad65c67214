"""
The frames of a film file, upright, with their times: whatever FFmpeg's libraries decode (PyAV), AV1 among it.

OpenCV's wheel brings fewer decoders, so that it reads cameras and streams here and no files. A packet that can't be
decoded is left out, as players do; what a file claims of itself is believed only as far as it can be.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from av.video.reformatter import VideoReformatter

from vision.capture.containers import FILE_OPTIONS
from vision.capture.image_files import MOST_PIXELS, Image

UPRIGHT = {90: cv2.ROTATE_90_COUNTERCLOCKWISE, -90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, -180: cv2.ROTATE_180}
"""How a frame is turned upright that its file says to turn by so many degrees, as telephones do."""


MICROSECOND = Fraction(1, av.time_base)
"""The unit in which FFmpeg's libraries tell a whole file's length, in seconds."""


class UnreadableFilmError(Exception):
    """No frame of the file can be had."""


class FilmReader:
    """
    One film file. ``first``: its first frame. ``fps``: frames a second as it states them, 0 where it doesn't.
    ``frame_count``: how many it states or its length allows for, 0 where nobody knows.

    Raises ``UnreadableFilmError`` where it is no film. ``close`` when done.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._container = av.open(str(path), options=FILE_OPTIONS)
        except (av.FFmpegError, OSError, ValueError):
            raise UnreadableFilmError(str(path)) from None
        try:
            self._stream = self._container.streams.video[0]
            self._stream.thread_type = "AUTO"
            self._converter = VideoReformatter()  # one for all frames: to make it anew takes as long as to decode
            self._rest = self._frames()
            self.first = next(self._rest)
        except (IndexError, StopIteration):
            self.close()
            raise UnreadableFilmError(str(path)) from None
        self.fps = float(self._stream.average_rate or self._stream.guessed_rate or 0)
        own, whole = (self._stream.duration, self._stream.time_base), (self._container.duration, MICROSECOND)
        self._length_s = _seconds(*own) or _seconds(*whole)
        self.frame_count = self._stream.frames or round(self._length_s * self.fps)

    def frames(self) -> Iterator[tuple[Image, float | None]]:
        """(frame, (h, w, 3) uint8 BGR; seconds by the file's own clock, None where it tells none), from here on."""
        return self._rest

    def frame_at(self, share: float) -> Image | None:
        """The frame after so much of the film, 0 to 1; None where it can't be wound there."""
        wanted_s = _seconds(self._stream.start_time, self._stream.time_base) + share * self._length_s
        try:
            self._container.seek(int(wanted_s * av.time_base))
        except (av.FFmpegError, OSError, ValueError):
            return None
        self._rest = self._frames()
        return next((image for image, at in self._rest if at is None or at >= wanted_s), None)

    def close(self) -> None:
        """Let go of the file."""
        self._container.close()

    def _frames(self) -> Iterator[tuple[Image, float | None]]:
        for frame in self._decoded():
            if frame.width * frame.height > MOST_PIXELS:
                return
            yield _upright(self._converter.reformat(frame, format="bgr24"), frame.rotation), frame.time

    def _decoded(self) -> Iterator[av.VideoFrame]:
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets)
                yield from packet.decode()
            except StopIteration:
                return
            except av.InvalidDataError:
                continue
            except (av.FFmpegError, OSError, ValueError):
                return


def _upright(frame: av.VideoFrame, degrees: int) -> Image:
    image = np.asarray(frame.to_ndarray(), np.uint8)
    turn = UPRIGHT.get(degrees)
    return image if turn is None else np.asarray(cv2.rotate(image, turn), np.uint8)


def _seconds(ticks: int | None, tick_s: Fraction | None) -> float:
    return 0.0 if ticks is None or tick_s is None else float(ticks * tick_s)


def pictures_across(path: Path, count: int) -> Iterator[Image]:
    """Frames evenly from all over a film, as far as it can be wound forward; each is decoded when it is asked for."""
    film = FilmReader(path)
    try:
        for k in range(1, count + 1) if film.frame_count > count else ():
            picture = film.frame_at(k / (count + 1))
            if picture is None:
                return  # it can't be wound: what was seen must do
            yield picture
    finally:
        film.close()

"""
Read the frames of a film file, upright, with square pixels and their times: whatever FFmpeg's libraries decode (PyAV),
including AV1.

OpenCV's wheel has fewer decoders; it reads cameras and streams here, but no files. A packet that cannot be decoded is
skipped, as players do; a file's statements about itself are used only within plausible limits.

Some "films" are lists of other files and hosts (``ffconcat``, HLS, DASH): an uploaded one could cause a neighbouring
file to be read, and a stream could direct this machine to hosts that its owner never named. So only containers that
hold the pictures themselves are opened, whatever the file is called, and no stream is followed to another address.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from av.video.reformatter import Interpolation, VideoReformatter

from vision.capture.image_files import Image
from vision.capture.picture_limits import LIMITS
from vision.capture.read_ahead import ReadAhead

FILES = (
    *("mov", "matroska", "avi", "mpegts", "mpeg", "mpegvideo", "m4v", "h264", "hevc", "av1", "obu", "ivf", "asf"),
    *("flv", "ogg", "gif", "apng", "mjpeg", "mjpeg_2000", "mpjpeg", "jpeg_pipe", "mxf", "dv", "nut", "rm"),
    *("webp", "webp_pipe", "yuv4mpegpipe", "wtv", "3gp"),
)
"""Containers and raw picture streams of files."""
STREAMS = (*FILES, "rtsp", "rtp", "live_flv", "image2pipe")
"""Formats of network cameras."""
FILE_OPTIONS = {"format_whitelist": ",".join(FILES), "protocol_whitelist": "file"}
"""For PyAV."""
STREAM_OPTIONS = f"format_whitelist;{','.join(STREAMS)}|max_redirects;0|rtsp_flags;prefer_tcp"
"""For OpenCV, in the form of ``OPENCV_FFMPEG_CAPTURE_OPTIONS``; the last entry is its own default."""


UPRIGHT = {90: cv2.ROTATE_90_COUNTERCLOCKWISE, -90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, -180: cv2.ROTATE_180}
"""Rotations that turn a frame upright, by the degrees stated in the file, as telephones do."""


LARGEST_PX = 3840
"""Longer side of a frame to which larger films (8K) are reduced while converting: a frame would take 100 MB."""
NARROWEST, WIDEST = 0.25, 4.0
"""Plausible ratios of a pixel's width to its height; anamorphic films have 8:9 to 2:1."""
MICROSECOND = Fraction(1, av.time_base)
"""Unit in seconds in which FFmpeg's libraries give the duration of a file."""


FRAMES_AHEAD = 3
"""
Most frames that are decoded while the caller works on another one. A fourth gains nothing and costs 3 to 25 MB of
memory.
"""


class UnreadableFilmError(Exception):
    """No frame of the file can be decoded."""


class TooLargeFilmError(UnreadableFilmError):
    """The file states frames of more pixels than are decoded. ``size_px``: their (width, height)."""

    def __init__(self, size_px: tuple[int, int]) -> None:
        super().__init__(size_px)
        self.size_px = size_px


class FilmReader:
    """
    One film file. ``first``: its first frame. ``fps``: its stated frames a second, 0 if it states none.

    ``frame_count``: the number of frames by its statement or its duration, 0 if unknown. ``counts_frames``: whether the
    file states that number. ``length_s``: its stated duration, 0 if unknown; it may count from the first time stamp or
    from 0. Raises ``UnreadableFilmError`` if it is no film. ``close`` when done.
    """

    def __init__(self, path: Path) -> None:
        self._ahead: ReadAhead[tuple[Image, float | None]] | None = None
        try:
            self._container = av.open(str(path), options=FILE_OPTIONS)
        except (av.FFmpegError, OSError, ValueError):
            raise UnreadableFilmError(str(path)) from None
        try:
            # A stream whose codec is unknown has no context, whatever PyAV's types say.
            self._stream = next(stream for stream in self._container.streams.video if stream.codec_context is not None)
            size_px = (self._stream.codec_context.width, self._stream.codec_context.height)
            if size_px[0] * size_px[1] > LIMITS.most_pixels:
                self.close()
                raise TooLargeFilmError(size_px)
            # Threads that decode a frame each hold as many frames: too much memory where these are large.
            self._stream.thread_type = "AUTO" if max(size_px) <= LARGEST_PX else "SLICE"
            self._converter = VideoReformatter()  # shared by all frames: constructing it takes as long as decoding
            self._rest = self._frames()
            self.first = next(self._rest)
        except StopIteration:
            self.close()
            raise UnreadableFilmError(str(path)) from None
        self.fps = float(self._stream.average_rate or self._stream.guessed_rate or 0)
        own, whole = (self._stream.duration, self._stream.time_base), (self._container.duration, MICROSECOND)
        self.length_s = _seconds(*own) or _seconds(*whole)
        self.counts_frames = self._stream.frames > 0
        self.frame_count = self._stream.frames or round(self.length_s * self.fps)

    def frames(self) -> Iterator[tuple[Image, float | None]]:
        """
        Yield (frame, (h, w, 3) uint8 BGR; seconds by the file's own clock, None if it has none), from here on.

        The next frames are decoded beside, in a thread that ends with the last frame or with ``close``. Call it once.
        """
        self._ahead = ReadAhead(self._rest, FRAMES_AHEAD)
        return iter(self._ahead)

    def frame_at(self, share: float) -> Image | None:
        """Return the frame at a share of the film, 0 to 1; None if the film cannot be sought there."""
        wanted_s = _seconds(self._stream.start_time, self._stream.time_base) + share * self.length_s
        try:
            self._container.seek(int(wanted_s * av.time_base))
        except (av.FFmpegError, OSError, ValueError):
            return None
        self._rest = self._frames(wanted_s)
        return next((image for image, _ in self._rest), None)

    def close(self) -> None:
        """Close the file."""
        if self._ahead is not None:
            self._ahead.stop()
        self._container.close()

    def _frames(self, from_s: float = -math.inf) -> Iterator[tuple[Image, float | None]]:
        """Yield each frame from a time stamp on, converted, and its time; those before are only decoded."""
        for frame in self._decoded():
            if frame.time is not None and frame.time < from_s:
                continue
            if frame.width * frame.height > LIMITS.most_pixels:
                return
            width, height = self._square_pixels(frame.width, frame.height)
            scale = min(1.0, LARGEST_PX / max(width, height))
            width, height = round(width * scale), round(height * scale)
            how = Interpolation.AREA if scale < 1.0 else Interpolation.BILINEAR
            plain = self._converter.reformat(frame, width, height, format="bgr24", interpolation=how)
            yield _upright(plain, frame.rotation), frame.time

    def _square_pixels(self, width: int, height: int) -> tuple[int, int]:
        """Return the size of a frame with square pixels, no side shorter than before."""
        shape = float(self._stream.sample_aspect_ratio or 1)
        if (
            shape == 1
            or not NARROWEST <= shape <= WIDEST
            or width * height * max(shape, 1 / shape) > LIMITS.most_pixels
        ):
            return width, height
        return (round(width * shape), height) if shape > 1 else (width, round(height / shape))

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
    """Yield frames evenly spaced over a film, as far as it can be sought; each is decoded on demand."""
    film = FilmReader(path)
    try:
        for k in range(1, count + 1) if film.frame_count > count else ():
            picture = film.frame_at(k / (count + 1))
            if picture is None:
                return  # no seeking: the frames so far must do
            yield picture
    finally:
        film.close()

"""
Open sources of pictures: camera, stream, video file, picture, folder of pictures, behind one interface.

A source is an iterable of ``Frame``. Frames have ``at``, seconds since the source began, monotonic: a file's own time
for files, the given clock's for anything live. A source that cannot be opened raises ``SourceError`` with one sentence;
later failures are reported by the frames (``lost``) and by ``Source.notes``, so that a consumer never waits without a
reason.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from vision.capture.film_reader import (
    STREAM_OPTIONS,
    FilmReader,
    TooLargeFilmError,
    UnreadableFilmError,
    pictures_across,
)
from vision.capture.image_files import Image as Image
from vision.capture.image_files import PictureError, is_moving_picture, open_picture
from vision.capture.letterbox import PANEL_SAMPLES, film_beside_panels, film_between_bars, picture_in
from vision.capture.picture_limits import LIMITS
from vision.capture.stream_address import is_camera_number, rtsp_redirect, without_secrets

logger = logging.getLogger(__name__)

PICTURE_SUFFIXES = frozenset(
    {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".gif", ".avif", ".heic", ".heif", ".jp2", ".ppm"}
)
VIDEO_SUFFIXES = frozenset({".mp4", ".m4v", ".mov", ".mkv", ".avi", ".webm", ".mpg", ".mpeg", ".ts", ".mjpeg", ".wmv"})

USUAL_FPS = 25.0
"""Frames a second assumed for a source that states an implausible rate. Set by hand, 2026-11, as the three below."""
FILM_FPS, CAMERA_FPS = (1.0, 1000.0), (1.0, 240.0)
"""Smallest and largest plausible frames a second of a file, which may be slow motion, and of a camera."""
LONGEST_GAP_S = 60.0
"""Seconds between two frames of a file beyond which its time stamps are invalid."""
SAMPLE_STEP_PX = 16
"""Spacing in pixels of the grid on which two pictures are compared."""


STREAM_STALLED = "stream_stalled"
"""Cause of a lost frame: the address of a camera sends no new picture."""
WHAT_TO_CHECK = {
    None: "check its cable and its lamp",
    STREAM_STALLED: "is the camera or its app still sending, and is the network up?",
}
"""Cause of a lost frame -> what helps, in words."""


class SourceError(Exception):
    """The source yields no pictures; the text is one sentence for the user."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """
    One picture. ``image_bgr``: (height, width, 3) uint8. ``number`` counts from 0. ``at``: seconds since the source
    began.

    ``cut``: this picture is unrelated to the one before (the next still of a folder). ``lost``: why no new picture
    came; ``image_bgr`` is then the last good one; ``cause``: a key for the pages' own sentence. ``still``: the picture
    file that is being shown, if one is. ``captured_ms``: this machine's wall clock when the picture was taken, if
    known.
    """

    image_bgr: Image
    number: int
    at: float
    cut: bool = False
    lost: str | None = None
    still: str | None = None
    cause: str | None = None
    captured_ms: float | None = None


# Times and limits of reading. Set by hand, 2026-11.
LIVE_WIDTH = 1280
"""Width in pixels requested from a camera, which may deliver another size."""
LIVE_HEIGHT = 720
"""Height in pixels requested from a camera, which may deliver another size."""


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Times and limits of reading. Set by hand, 2026-11."""

    still_s: float = 1.6
    """Seconds that a still is shown: long enough for two inferences and for a person to see it."""
    still_fps: float = 10.0
    """Frames a second generated from a still."""
    stall_s: float = 2.0
    """
    Seconds after which a live source that repeats exactly one picture has stopped: a sensor's noise never repeats.
    """
    retry_s: float = 1.0
    """Seconds before a lost camera is tried again."""
    retries: int = 60
    """Tries before a lost camera is given up."""
    answer_s: float = 5.0
    """
    Seconds that a stream may take to answer or to send the next picture; FFmpeg's own half minute is as long as a bout.
    """
    cuts_bars: bool = True
    """Are bars and panels beside a film's picture cut off?"""


class Source:
    """
    Pictures in order of time. Iterate once; ``close`` when done (iterating to the end closes too).

    ``fps``: stated frames a second. ``size``: (width, height) of the first picture. ``live``: frames not taken in time
    are lost. ``frame_count``: expected number, None if unknown. ``notes``: sentences about unusable parts, filled while
    iterating. ``stills``: whether the pictures are independent of each other. ``is_mirrored``: whether its pictures are
    turned back before they are given out; set it before iterating, of a live source at any time. ``stall_cause``: the
    cause of a lost frame where pictures stop coming.
    """

    stills = False
    is_mirrored = False
    stall_cause: str | None = None

    def __init__(self, name: str, fps: float, size: tuple[int, int], live: bool, frame_count: int | None) -> None:
        self.name = name
        self.fps = fps
        self.size = size
        self.live = live
        self.frame_count = frame_count
        self.notes: list[str] = []
        kind = "live" if live else "recorded"
        logger.info("%s: opened, %d x %d, %.1f frames a second, %s", name, size[0], size[1], fps, kind)

    def __iter__(self) -> Iterator[Frame]:
        raise NotImplementedError

    def close(self) -> None:
        """Close the device or file."""

    def samples(self, count: int) -> Iterator[Image]:
        """Yield at most ``count`` pictures from all over a recording; none of a source that is live."""
        return iter(())

    def turned_back(self, image: Image) -> Image:
        """Return a picture of the source as it is given out."""
        return np.ascontiguousarray(image[:, ::-1]) if self.is_mirrored else image

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_source(spec: str, settings: SourceSettings = SourceSettings()) -> Source:
    """
    Open a camera number (``0``), device (``/dev/video0``), stream URL, video file, picture or folder of pictures.

    The machine's monotonic clock timestamps live frames. Raises ``SourceError``.
    """
    quieten_opencv()
    if spec.strip() == "":
        raise SourceError(
            "expected a camera number, a stream URL, a video, a picture or a folder, got nothing: name one"
        )
    if "://" in spec and not spec.startswith("file://") and (not spec.isprintable() or " " in spec):
        raise SourceError("expected a stream's address without blanks and line ends, got one with some")
    if spec == "phone":
        raise SourceError("phone: expected a source of pictures, got a phone; only 'kozyr watch phone' waits for one")
    if spec.isascii() and spec.isdigit():
        if not is_camera_number(spec):
            raise SourceError(f"expected a camera number such as 0, got {spec:.40}: name one that there is")
        return CameraSource(int(spec), f"camera {spec}", time.monotonic, settings)
    if "://" in spec and not spec.startswith("file://"):
        return CameraSource(spec, without_secrets(spec), time.monotonic, settings)
    path = Path(spec.removeprefix("file://")).expanduser()
    if path.is_char_device():
        return CameraSource(str(path), str(path), time.monotonic, settings)
    if not path.exists():
        raise SourceError(
            f"{without_secrets(spec)}: expected a camera number, a stream URL, a video, a picture or a folder, found "
            "nothing there: check the name"
        )
    if path.is_dir():
        return PictureSource(_pictures_in(path), str(path), settings)
    if not path.is_file():
        raise SourceError(f"{spec}: expected a video, a picture or a folder, got a special file: name another")
    if not os.access(path, os.R_OK):
        raise SourceError(f"The operating system refused: {spec}: it may not be read; change its rights")
    if path.stat().st_size == 0:
        raise SourceError(f"{spec}: expected a video or a picture, got an empty file: copy it again")
    if path.suffix.lower() in PICTURE_SUFFIXES and not _moves(path):
        return PictureSource((path,), str(path), settings)
    return VideoSource(path, str(path), settings)


def quieten_opencv() -> None:
    """
    Silence OpenCV's own lines on standard error: the user gets kozyr's sentence (for FFmpeg see the package's init).
    """
    with contextlib.suppress(AttributeError, cv2.error):
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def read_picture(path: Path) -> Image:
    """Decode a picture to (height, width, 3) uint8 BGR, upright; raise ``SourceError`` if it cannot be opened."""
    quieten_opencv()
    try:
        return open_picture(path)
    except PictureError as error:
        raise SourceError(str(error)) from None


def _moves(path: Path) -> bool:
    """Check whether a picture's file is a film (an animated GIF)."""
    try:
        return is_moving_picture(path)
    except PictureError as error:
        raise SourceError(str(error)) from None


def _pictures_in(folder: Path) -> tuple[Path, ...]:
    pictures = tuple(sorted(p for p in folder.iterdir() if p.suffix.lower() in PICTURE_SUFFIXES and p.is_file()))
    if not pictures:
        raise SourceError(f"{folder}: expected a folder of pictures (JPEG, PNG ...), got one without any: name another")
    return pictures


class PictureSource(Source):
    """Stills in sequence, each shown for a while like a camera's picture. Unreadable ones are noted."""

    stills = True

    def __init__(self, paths: tuple[Path, ...], name: str, settings: SourceSettings) -> None:
        self._paths = paths
        first: Image | None = None
        problem: SourceError | None = None
        for path in paths:
            try:
                first = read_picture(path)
                break
            except SourceError as error:
                problem = problem or error
        if first is None:
            raise problem or SourceError(f"{name}: expected a picture, got none: name another")
        self.frames_each = max(2, round(settings.still_s * settings.still_fps))
        super().__init__(
            name, settings.still_fps, (first.shape[1], first.shape[0]), False, len(paths) * self.frames_each
        )

    def __iter__(self) -> Iterator[Frame]:
        number = 0
        for path in self._paths:
            try:
                image = read_picture(path)
            except SourceError as error:
                self.notes.append(str(error))
                continue
            for k in range(self.frames_each):
                yield Frame(image, number, number / self.fps, cut=k == 0 and number > 0, still=str(path))
                number += 1


class VideoSource(Source):
    """A video file with its own time stamps."""

    def __init__(self, path: Path, name: str, settings: SourceSettings = SourceSettings()) -> None:
        self._path = path
        try:
            self._film = FilmReader(path)
        except TooLargeFilmError as error:
            raise SourceError(
                f"{name}: expected a video of at most {LIMITS.most_pixels // 1_000_000} megapixels a frame, got one of "
                f"{error.size_px[0]} x {error.size_px[1]} px: make it smaller first"
            ) from None
        except UnreadableFilmError:
            kind = "a video" if path.suffix.lower() in VIDEO_SUFFIXES else "a video or a picture"
            raise SourceError(
                f"{name}: expected {kind} that can be played, got {path.stat().st_size} bytes without a readable "
                "frame: is it whole? Convert it to MP4 (H.264)"
            ) from None
        first, self._first_at = self._film.first
        whole = slice(0, first.shape[0]), slice(0, first.shape[1])
        self._inner, self._inner_of = _film_in(first, path) if settings.cuts_bars else whole, first.shape
        self._first = self._within(first)
        fps, count = self._film.fps, self._film.frame_count
        super().__init__(
            name,
            fps if FILM_FPS[0] <= fps <= FILM_FPS[1] else USUAL_FPS,
            (self._first.shape[1], self._first.shape[0]),
            False,
            count if count > 0 else None,
        )

    def __iter__(self) -> Iterator[Frame]:
        at, number = 0.0, 0
        newest, gap_s = self._first_at or 0.0, 1 / self.fps
        yield Frame(self.turned_back(self._first), number, at)
        for number, (image, stamp) in enumerate(self._film.frames(), start=1):
            # Containers without time stamps give none (or invalid ones) throughout: then the frame rate gives the time.
            stamped = at if stamp is None or self._first_at is None else stamp - self._first_at
            before, at = at, stamped if at < stamped < at + LONGEST_GAP_S else at + 1 / self.fps
            newest, gap_s = newest if stamp is None else stamp, max(gap_s, at - before)
            yield Frame(self.turned_back(self._within(image)), number, at)
        self.close()
        # Some containers count a frame or two more than they hold; a second missing is a clip cut short. Without a
        # stated number it is derived from the mean rate, which is wrong where the rate changes: time stamps decide.
        is_short = self.frame_count is not None and number + 1 < self.frame_count - max(2, self.fps)
        if is_short and not self._film.counts_frames:
            is_short = newest + 2 * gap_s + 1 < self._film.length_s
        if is_short:
            self.notes.append(
                f"{self.name}: expected about {self.frame_count} frames, got {number + 1}: the file is cut short, what "
                "is there was played"
            )

    def samples(self, count: int) -> Iterator[Image]:
        yield from map(self._within, pictures_across(self._path, count))

    def _within(self, image: Image) -> Image:
        """Return the picture without bars and panels; whole where the film's picture size changed after its start."""
        return np.ascontiguousarray(image[self._inner]) if image.shape == self._inner_of else image

    def close(self) -> None:
        self._film.close()


def _film_in(first: Image, path: Path) -> tuple[slice, slice]:
    """Return the rows and columns of a film's frame without bars, plain or blurred, and drawn panels beside it."""
    rows, columns = picture_in(first)
    for find in (film_between_bars, film_beside_panels):
        across = pictures_across(path, PANEL_SAMPLES)
        samples = (image[rows, columns] for image in across if image.shape == first.shape)
        inner_rows, inner_columns = find(first[rows, columns], samples)
        rows, columns = _within(rows, inner_rows), _within(columns, inner_columns)
    return rows, columns


def _within(outer: slice, inner: slice) -> slice:
    """Return a slice of a slice as a slice of the whole."""
    return slice(outer.start + inner.start, outer.start + inner.stop)


def _grab(capture: cv2.VideoCapture) -> Image | None:
    """Return the next picture, or None at the end and if it cannot be decoded."""
    try:
        ok, image = capture.read()
    except cv2.error:
        return None
    if not ok or image is None or image.ndim != 3 or image.size == 0:
        return None
    return np.asarray(image, np.uint8)


@dataclass(slots=True)
class Repeats:
    """Detects a camera that repeats one identical picture (drivers do that when it is unplugged)."""

    stall_s: float
    _last: Image | None = field(default=None, repr=False)
    _since: float = 0.0

    def stalled(self, image: Image, at: float) -> bool:
        """Check whether this identical picture has been repeated for longer than ``stall_s``."""
        sample = image[::SAMPLE_STEP_PX, ::SAMPLE_STEP_PX]
        if self._last is None or self._last.shape != sample.shape or not np.array_equal(self._last, sample):
            self._last, self._since = sample.copy(), at
            return False
        return at - self._since > self.stall_s


class CameraSource(Source):
    """
    A camera or stream. When it is lost, frames marked ``lost`` follow until it is back (or given up, with a note).

    ``clock`` timestamps the frames; ``wait`` pauses between tries; ``connect`` opens the device: replaceable in tests.
    ``close`` may be called from another thread than the one that iterates. FFmpeg crashes where a device is released
    while it is being read, so the iterating thread then releases it after that read.
    """

    def __init__(
        self,
        device: int | str,
        name: str,
        clock: Callable[[], float],
        settings: SourceSettings,
        connect: Callable[[int | str, SourceSettings], cv2.VideoCapture] | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._device, self._clock, self._settings, self._wait = device, clock, settings, wait
        self._connect = connect or _connect
        self._reading = threading.Lock()
        self._capture = self._connect(device, settings)
        self._first = _grab(self._capture) if self._capture.isOpened() else None
        if self._first is None:
            self._capture.release()
            raise SourceError(f"{name}: expected pictures from it, got none: {_what_to_check(device)}")
        fps = float(self._capture.get(cv2.CAP_PROP_FPS))
        super().__init__(
            name,
            fps if CAMERA_FPS[0] <= fps <= CAMERA_FPS[1] else USUAL_FPS,
            (self._first.shape[1], self._first.shape[0]),
            True,
            None,
        )
        self._closed = False
        self.stall_cause = STREAM_STALLED if _is_address(device) else None

    def __iter__(self) -> Iterator[Frame]:
        assert self._first is not None
        repeats = Repeats(self._settings.stall_s)
        origin = self._clock()
        last, number, at, tries = self._first, 0, 0.0, 0
        image: Image | None = self._first
        while not self._closed:
            at = max(at, self._clock() - origin)
            if image is not None and not repeats.stalled(image, at):
                if tries:
                    logger.info("%s: reconnected at %.2f s, on try %d", self.name, at, tries)
                last, tries = image, 0
                yield Frame(self.turned_back(image), number, at)
            else:
                reason = "the camera sends no pictures" if image is None else "the camera repeats one picture"
                if self.stall_cause:
                    reason += f"; {WHAT_TO_CHECK[self.stall_cause]}"
                if tries == self._settings.retries:
                    self.notes.append(
                        f"{self.name}: expected pictures from it, got none for {tries} tries: plug it in, start again"
                    )
                    break
                if not tries:
                    logger.info("%s: lost at %.2f s: %s", self.name, at, reason)
                tries += 1
                yield Frame(self.turned_back(last), number, at, lost=reason, cause=self.stall_cause)
                with self._reading:
                    self._reconnect()
                repeats = Repeats(self._settings.stall_s)
            number += 1
            with self._reading:
                image = None if self._closed else _grab(self._capture)
        self.close()

    def _reconnect(self) -> None:
        self._capture.release()
        self._wait(self._settings.retry_s)
        if not self._closed:
            self._capture = self._connect(self._device, self._settings)

    def close(self) -> None:
        self._closed = True
        if self._reading.acquire(blocking=False):
            try:
                self._capture.release()
            finally:
                self._reading.release()


def _is_address(device: int | str) -> bool:
    return isinstance(device, str) and "://" in device


def _what_to_check(device: int | str) -> str:
    if _is_address(device):
        return (
            "is it switched on, in the same network, and the address whole? Phone apps give one such as "
            "http://192.168.1.5:8080/video"
        )
    return "is it plugged in, switched on and free? 'kozyr doctor' lists the cameras"


def _connect(device: int | str, settings: SourceSettings) -> cv2.VideoCapture:
    os.environ.setdefault("OPENCV_FFMPEG_CAPTURE_OPTIONS", STREAM_OPTIONS)  # OpenCV reads it with each stream
    if isinstance(device, str) and _is_address(device):
        wait_ms = round(settings.answer_s * 1000)
        try:
            elsewhere = rtsp_redirect(device, settings.answer_s) if device.lower().startswith("rtsp") else None
        except TimeoutError:
            return cv2.VideoCapture()
        if elsewhere is not None:
            logger.warning("%s: leads to %s; name that address", without_secrets(device), without_secrets(elsewhere))
            return cv2.VideoCapture()
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, wait_ms, cv2.CAP_PROP_READ_TIMEOUT_MSEC, wait_ms]
        return cv2.VideoCapture(device, cv2.CAP_FFMPEG, limits)
    capture = cv2.VideoCapture(device)
    if capture.isOpened():
        # USB carries 720p at full rate as MJPG only; the newest frame matters, not a queue of old ones.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, LIVE_WIDTH)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, LIVE_HEIGHT)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return capture

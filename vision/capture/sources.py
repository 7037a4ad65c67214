"""
Where pictures come from: camera, stream, video file, picture, folder of pictures, behind one interface.

A source is an iterable of ``Frame``. Frames bear ``at``, seconds since the source began, never backwards: a file's own
time for files, the lent clock's for anything live. What cannot be opened raises ``SourceError`` with one sentence;
what goes wrong later is told by the frames (``lost``) and by ``Source.notes``, so that a consumer never hangs without
knowing why.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from vision.capture.blurred_bars import film_between_bars
from vision.capture.containers import STREAM_OPTIONS
from vision.capture.film_reader import FilmReader, UnreadableFilmError, pictures_across
from vision.capture.image_files import Image as Image
from vision.capture.image_files import PictureError, is_moving_picture, open_picture
from vision.capture.letterbox import picture_in
from vision.capture.still_panels import PanelSettings, film_beside_panels
from vision.capture.stream_address import without_secrets

logger = logging.getLogger(__name__)

PICTURE_SUFFIXES = frozenset(
    {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".gif", ".avif", ".heic", ".heif", ".jp2", ".ppm"}
)
VIDEO_SUFFIXES = frozenset({".mp4", ".m4v", ".mov", ".mkv", ".avi", ".webm", ".mpg", ".mpeg", ".ts", ".mjpeg", ".wmv"})

USUAL_FPS = 25.0
"""Frames a second of a source that tells nonsense. Set by hand, 2026-11, as the three below."""
FILM_FPS, CAMERA_FPS = (1.0, 1000.0), (1.0, 240.0)
"""Least and most frames a second believed of a file, which may be slow motion, and of a camera."""
LONGEST_GAP_S = 60.0
"""Seconds between two frames of a file beyond which its time stamps are nonsense."""
SAMPLE_STEP_PX = 16
"""Every so many pixels two pictures are compared."""


class SourceError(Exception):
    """No pictures can be had from there; the text is one sentence for the user."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """
    One picture. ``image_bgr``: (height, width, 3) uint8. ``number`` counts from 0. ``at``: seconds since the source
    began.

    ``cut``: this picture has nothing to do with the one before (the next still of a folder). ``lost``: why no new
    picture came; ``image_bgr`` is then the last good one; ``cause``: that in a word, where pages have a sentence of
    their own for it. ``still``: the picture file that is being shown, if one is. ``captured_ms``: this machine's wall
    clock when the picture was taken, where the source knows it.
    """

    image_bgr: Image
    number: int
    at: float
    cut: bool = False
    lost: str | None = None
    still: str | None = None
    cause: str | None = None
    captured_ms: float | None = None


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Times and limits of reading. Set by hand, 2026-11."""

    still_s: float = 1.6
    """Seconds that a still is shown: long enough for two looks and for a person to glance at it."""
    still_fps: float = 10.0
    """Frames a second made from a still."""
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
    Seconds that a stream may take to answer or to send the next picture. FFmpeg's own half minute is a bout; shorter
    gives up on slow networks.
    """
    live_width: int = 1280
    """Pixels asked of a camera, which may answer with another size."""
    live_height: int = 720
    """The same for its height."""


class Source:
    """
    Pictures in order of time. Iterate once; ``close`` when done (iterating to the end closes too).

    ``fps``: frames a second as the source states them. ``size``: (width, height) of the first picture. ``live``:
    frames not taken in time are lost. ``frame_count``: how many are expected, None where nobody knows. ``notes``:
    sentences about what could not be used, filled while iterating. ``stills``: pictures that stand alone.
    """

    stills = False

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
        """Let go of the device or file."""

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_source(
    spec: str, clock: Callable[[], float] | None = None, settings: SourceSettings = SourceSettings()
) -> Source:
    """
    Open a camera number (``0``), device (``/dev/video0``), stream URL, video file, picture or folder of pictures.

    ``clock`` stamps live frames (seconds, any origin); without one the machine's monotonic clock does. Raises
    ``SourceError``.
    """
    quieten_opencv()
    if spec.strip() == "":
        raise SourceError(
            "expected a camera number, a stream URL, a video, a picture or a folder, got nothing: name one"
        )
    if spec == "phone":
        raise SourceError("phone: expected a source of pictures, got a phone; only 'kozyr watch phone' waits for one")
    if spec.isascii() and spec.isdigit():
        if len(spec.lstrip("0")) > 9:  # what OpenCV can count
            raise SourceError(f"expected a camera number such as 0, got {spec:.40}: name one that there is")
        return CameraSource(int(spec), f"camera {spec}", clock or time.monotonic, settings)
    if "://" in spec and not spec.startswith("file://"):
        return CameraSource(spec, without_secrets(spec), clock or time.monotonic, settings)
    path = Path(spec.removeprefix("file://")).expanduser()
    if path.is_char_device():
        return CameraSource(str(path), str(path), clock or time.monotonic, settings)
    if not path.exists():
        raise SourceError(
            f"{spec}: expected a camera number, a stream URL, a video, a picture or a folder, found nothing there: "
            "check the name"
        )
    if path.is_dir():
        return PictureSource(_pictures_in(path), str(path), settings)
    if not path.is_file():
        raise SourceError(f"{spec}: expected a video, a picture or a folder, got a special file: name another")
    if not os.access(path, os.R_OK):
        raise SourceError(f"{spec}: expected a file that may be read, got one without permission: change its rights")
    if path.stat().st_size == 0:
        raise SourceError(f"{spec}: expected a video or a picture, got an empty file: copy it again")
    if path.suffix.lower() in PICTURE_SUFFIXES and not _moves(path):
        return PictureSource((path,), str(path), settings)
    return VideoSource(path, str(path))


def quieten_opencv() -> None:
    """Silence OpenCV's own lines on standard error: the user gets our sentence (FFmpeg's: the package's front)."""
    with contextlib.suppress(AttributeError, cv2.error):
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def read_picture(path: Path) -> Image:
    """
    A picture as (height, width, 3) uint8 BGR, upright; ``SourceError`` where ``vision.capture.image_files`` can't open
    it.
    """
    quieten_opencv()
    try:
        return open_picture(path)
    except PictureError as error:
        raise SourceError(str(error)) from None


def _moves(path: Path) -> bool:
    """Is a picture's file a film (an animated GIF)?"""
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
    """Stills, one after the other, each shown as if a camera had looked at it for a while. Broken ones are noted."""

    stills = True

    def __init__(self, paths: tuple[Path, ...], name: str, settings: SourceSettings) -> None:
        self._paths = paths
        self._settings = settings
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
        self.showing: Path | None = None

    def __iter__(self) -> Iterator[Frame]:
        number = 0
        for path in self._paths:
            try:
                image = read_picture(path)
            except SourceError as error:
                self.notes.append(str(error))
                continue
            self.showing = path
            for k in range(self.frames_each):
                yield Frame(image, number, number / self.fps, cut=k == 0 and number > 0, still=str(path))
                number += 1


class VideoSource(Source):
    """A video file, played by its own time stamps."""

    def __init__(self, path: Path, name: str) -> None:
        try:
            self._film = FilmReader(path)
        except UnreadableFilmError:
            kind = "a video" if path.suffix.lower() in VIDEO_SUFFIXES else "a video or a picture"
            raise SourceError(
                f"{name}: expected {kind} that can be played, got {path.stat().st_size} bytes without a readable "
                "frame: is it whole? Convert it to MP4 (H.264)"
            ) from None
        first, self._first_at = self._film.first
        self._inner, self._inner_of = _film_in(first, path), first.shape
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
        yield Frame(self._first, number, at)
        for number, (image, stamp) in enumerate(self._film.frames(), start=1):
            # Containers without stamps tell none (or nonsense) for ever: then the frame rate tells the time.
            told = at if stamp is None or self._first_at is None else stamp - self._first_at
            at = told if at < told < at + LONGEST_GAP_S else at + 1 / self.fps
            yield Frame(self._within(image), number, at)
        self.close()
        # Some containers count a frame or two more than they hold; a second missing is a clip cut short.
        if self.frame_count is not None and number + 1 < self.frame_count - max(2, self.fps):
            self.notes.append(
                f"{self.name}: expected about {self.frame_count} frames, got {number + 1}: the file is cut short, what "
                "is there was played"
            )

    def _within(self, image: Image) -> Image:
        """Return the picture without bars and panels; whole where the film's picture size changed after its start."""
        return np.ascontiguousarray(image[self._inner]) if image.shape == self._inner_of else image

    def close(self) -> None:
        self._film.close()


def _film_in(first: Image, path: Path) -> tuple[slice, slice]:
    """Rows and columns of a film's frame without bars round it, plain or blurred, and drawn panels beside it."""
    rows, columns = picture_in(first)
    for find in (film_between_bars, film_beside_panels):
        across = pictures_across(path, PanelSettings().samples)
        samples = (image[rows, columns] for image in across if image.shape == first.shape)
        inner_rows, inner_columns = find(first[rows, columns], samples)
        rows, columns = _within(rows, inner_rows), _within(columns, inner_columns)
    return rows, columns


def _within(outer: slice, inner: slice) -> slice:
    """A part of a part, in the whole."""
    return slice(outer.start + inner.start, outer.start + inner.stop)


def _grab(capture: cv2.VideoCapture) -> Image | None:
    """The next picture, or None at the end and for whatever cannot be decoded."""
    try:
        ok, image = capture.read()
    except cv2.error:
        return None
    if not ok or image is None or image.ndim != 3 or image.size == 0:
        return None
    return np.asarray(image, np.uint8)


@dataclass(slots=True)
class Repeats:
    """Notices a camera that hands out one and the same picture for ever (drivers do that when it is unplugged)."""

    stall_s: float
    _last: Image | None = field(default=None, repr=False)
    _since: float = 0.0

    def stalled(self, image: Image, at: float) -> bool:
        """Has exactly this picture been coming for longer than ``stall_s``?"""
        sample = image[::SAMPLE_STEP_PX, ::SAMPLE_STEP_PX]
        if self._last is None or self._last.shape != sample.shape or not np.array_equal(self._last, sample):
            self._last, self._since = sample.copy(), at
            return False
        return at - self._since > self.stall_s


class CameraSource(Source):
    """
    A camera or stream. When it is lost, frames marked ``lost`` come until it is back (or given up, with a note).

    ``clock`` stamps the frames; ``wait`` pauses between tries; ``connect`` opens the device: both lent for tests.
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
                    logger.info("%s: back at %.2f s, at the %d. try", self.name, at, tries)
                last, tries = image, 0
                yield Frame(image, number, at)
            else:
                reason = "the camera sends no pictures" if image is None else "the camera repeats one picture"
                if tries == self._settings.retries:
                    self.notes.append(
                        f"{self.name}: expected pictures from it, got none for {tries} tries: plug it in, start again"
                    )
                    break
                if not tries:
                    logger.info("%s: lost at %.2f s: %s", self.name, at, reason)
                tries += 1
                yield Frame(last, number, at, lost=reason)
                self._reconnect()
                repeats = Repeats(self._settings.stall_s)
            number += 1
            image = None if self._closed else _grab(self._capture)
        self.close()

    def _reconnect(self) -> None:
        self._capture.release()
        self._wait(self._settings.retry_s)
        if not self._closed:
            self._capture = self._connect(self._device, self._settings)

    def close(self) -> None:
        self._closed = True
        self._capture.release()


def _what_to_check(device: int | str) -> str:
    if isinstance(device, str) and "://" in device:
        return (
            "is it switched on, in the same network, and the address whole? Phone apps give one such as "
            "http://192.168.1.5:8080/video"
        )
    return "is it plugged in, switched on and free? 'kozyr doctor' lists the cameras"


def _connect(device: int | str, settings: SourceSettings) -> cv2.VideoCapture:
    os.environ.setdefault("OPENCV_FFMPEG_CAPTURE_OPTIONS", STREAM_OPTIONS)  # OpenCV reads it with each stream
    if isinstance(device, str) and "://" in device:
        wait_ms = round(settings.answer_s * 1000)
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, wait_ms, cv2.CAP_PROP_READ_TIMEOUT_MSEC, wait_ms]
        return cv2.VideoCapture(device, cv2.CAP_FFMPEG, limits)
    capture = cv2.VideoCapture(device)
    if capture.isOpened():
        # MJPG is what gives 720p at full rate over USB; the newest frame matters, not a queue of old ones.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, settings.live_width)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, settings.live_height)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return capture

"""
Use a phone as the camera: its pictures arrive as JPEG, one request each, and only the newest one is used.

The web server's threads deliver pictures to `PhoneInbox`, and `PhoneSource` turns them into frames. A phone that sends
no usable picture for ``STALL_S`` is lost, like an unplugged camera: frames marked ``lost`` follow until it is back.
Unlike for a camera the source never gives up, because a call or a sleeping laptop may last long.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.image_files import PictureError, decode_picture
from vision.capture.sources import Frame, Image, Repeats, Source

PHONE = "phone"
"""SOURCE argument of `kozyr watch` for a phone."""
GONE, TURNED, GARBLED, FROZEN = "phone_gone", "phone_turned", "phone_garbled", "phone_frozen"
REASONS = {
    GONE: "the phone sends no pictures; wake it up, and open its camera page again if that was closed",
    TURNED: "the phone was turned on its side; turn it back as it was",
    GARBLED: "the phone sends something else than JPEG pictures; close its camera page and open it again",
    FROZEN: "the phone sends one and the same picture; close its camera page and open it again",
}
"""Cause of a lost frame -> the sentence for people."""
RATE_OVER = 100
"""Largest number of pictures over which the rate is measured."""
PAGES_KEPT = 50
"""Number of replaced pages that are remembered, so that they do not become the camera again."""


# Times and sizes of a phone's pictures. Set by hand, 2026-11.
STALL_S = 2.0
"""Seconds without a usable picture, while one is waited for, after which the phone is lost, as for other cameras."""
RETRY_S = 1.0
"""Seconds between two lost frames."""


@dataclass(frozen=True, slots=True)
class PhoneSettings:
    """Times and sizes of a phone's pictures. Set by hand, 2026-11."""

    widest_px: int = 1920
    """Largest longer side of a frame in pixels."""
    most_pixels: int = 3840 * 2160
    """Largest number of pixels of a picture that is decoded."""


@dataclass(frozen=True, slots=True, eq=False)
class PhonePicture:
    """
    A received picture. ``page`` identifies the page that sent it and ``number`` counts its pictures. ``captured_ms``:
    this machine's wall clock when the picture was taken, as the phone estimates it; None if unknown. ``arrived_s``: the
    inbox's clock; ``arrived_wall_ms``: this machine's wall clock.
    """

    jpeg: bytes
    page: str
    number: int
    captured_ms: float | None = None
    arrived_s: float = 0.0
    arrived_wall_ms: float = 0.0


class PhoneInbox:
    """
    Holds the newest picture. ``clock``: seconds, any origin, monotonic. Thread-safe.

    ``dropped``: number of pictures that were replaced by newer ones before they were taken.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._newest: PhonePicture | None = None
        self._is_taken = True
        self._page, self._left_pages = "", deque[str](maxlen=PAGES_KEPT)
        self._arrivals_s: deque[float] = deque(maxlen=RATE_OVER)
        self._taken_s: deque[float] = deque(maxlen=RATE_OVER)
        self.received = 0
        self.dropped = 0
        self.cause: str | None = None
        """Why the newest pictures cannot be used, a key of ``REASONS``; None while they can."""

    def now_s(self) -> float:
        """Return the time of the clock that timestamps pictures."""
        return self._clock()

    def deliver(self, jpeg: bytes, page: str, number: int, captured_ms: float | None = None) -> bool:
        """
        Deliver a picture, replacing an older one that was not taken. Returns False if another page is the camera now.

        A new page replaces the previous one. A picture older than the newest of its page is dropped.
        """
        with self._changed:
            if page in self._left_pages:
                return False
            if page != self._page:
                if self._page:
                    self._left_pages.append(self._page)
                self._page = page
            elif self._newest is not None and number <= self._newest.number:
                self.dropped += 1
                return True
            now_s = self._clock()
            self.dropped += not self._is_taken
            self.received += 1
            self._newest = PhonePicture(jpeg, page, number, captured_ms, now_s, time.time() * 1000)
            self._is_taken = False
            self._arrivals_s.append(now_s)
            self._changed.notify_all()
            return True

    def forget_pages(self) -> None:
        """Accept any page as the camera next: another phone was paired."""
        with self._changed:
            if self._page:
                self._left_pages.append(self._page)
            self._page = ""

    def take(self, timeout_s: float) -> PhonePicture | None:
        """Return the newest picture not taken yet, waiting up to ``timeout_s`` for it; None if none came."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_taken, timeout_s)
            if self._is_taken:
                return None
            self._is_taken = True
            self._taken_s.append(self._clock())
            return self._newest

    def newest(self, within_s: float) -> PhonePicture | None:
        """Return the newest picture, taken or not, if it arrived within the last ``within_s`` seconds."""
        with self._changed:
            newest = self._newest
            return newest if newest is not None and self._clock() - newest.arrived_s <= within_s else None

    def rate(self, over_s: float = 3.0) -> float:
        """Return the number of pictures a second that arrived recently."""
        with self._changed:
            return _rate(self._arrivals_s, self._clock(), over_s)

    def taken_rate(self, over_s: float = 3.0) -> float:
        """Return the number of pictures a second that were taken recently."""
        with self._changed:
            return _rate(self._taken_s, self._clock(), over_s)


def _rate(times_s: Iterable[float], now_s: float, over_s: float) -> float:
    recent = [at_s for at_s in times_s if now_s - at_s <= over_s]
    span_s = now_s - recent[0] if recent else 0.0
    return (len(recent) - 1) / span_s if span_s > 0 else 0.0


class PhoneSource(Source):
    """
    The pictures of a phone as frames, all of the first one's size.

    ``inbox`` must hold a usable picture when the source is opened; ``first_image`` checks it.
    """

    def __init__(self, inbox: PhoneInbox, first: Image, settings: PhoneSettings = PhoneSettings()) -> None:
        self._inbox, self._first, self._settings = inbox, first, settings
        self._upright = UprightPictures(first)
        self._closed = False
        super().__init__(PHONE, inbox.rate() or 15.0, (first.shape[1], first.shape[0]), True, None)

    def __iter__(self) -> Iterator[Frame]:
        inbox = self._inbox
        repeats = Repeats(STALL_S)
        began_s = reported_s = inbox.now_s()
        last, number, at = self._first, 0, 0.0
        yield Frame(last, number, at)
        waits_from_s = inbox.now_s()  # the time that the table takes for a frame is no silence of the phone
        while not self._closed:
            asked_s = inbox.now_s()
            picture = inbox.take(RETRY_S)
            now_s = inbox.now_s() if picture is None else picture.arrived_s
            image, cause = (None, GONE) if picture is None else self._read(picture)
            if image is None:
                repeats = Repeats(STALL_S)  # a picture after a gap is unrelated to the one before
            elif repeats.stalled(image, now_s):
                cause = FROZEN
            else:
                last, number, at = image, number + 1, max(at, now_s - began_s)
                inbox.cause = None
                yield Frame(last, number, at, captured_ms=picture.captured_ms if picture else None)
                waits_from_s = inbox.now_s()
                continue
            if picture is None:
                waits_from_s += max(0.0, now_s - asked_s - RETRY_S)  # this machine stood still meanwhile
            if now_s - waits_from_s > STALL_S and now_s - reported_s >= RETRY_S:
                number, reported_s, at = number + 1, now_s, max(at, now_s - began_s)
                inbox.cause = cause
                yield Frame(last, number, at, lost=REASONS[cause], cause=cause)

    def _read(self, picture: PhonePicture) -> tuple[Image | None, str]:
        """Return the frame of a picture, or why there is none."""
        image = decoded(picture.jpeg, self._settings)
        if image is None:
            return None, GARBLED
        return self._upright.turn(image), TURNED

    def close(self) -> None:
        self._closed = True


def first_image(
    inbox: PhoneInbox, settings: PhoneSettings = PhoneSettings(), timeout_s: float | None = None
) -> Image | None:
    """Return the newest picture of a sending phone, waiting up to ``timeout_s`` for it; None if it cannot be used."""
    picture = inbox.newest(STALL_S) or inbox.take(RETRY_S if timeout_s is None else timeout_s)
    image = None if picture is None else decoded(picture.jpeg, settings)
    inbox.cause = None if image is not None else GONE if picture is None else GARBLED
    return image


def decoded(jpeg: bytes, settings: PhoneSettings = PhoneSettings()) -> Image | None:
    """Decode a JPEG to (h, w, 3) uint8 BGR, at most ``widest_px`` wide or high; None for anything else."""
    try:
        image = decode_picture(jpeg, ("JPEG",), settings.most_pixels)
    except PictureError:
        return None
    scale = settings.widest_px / max(image.shape[:2])
    if scale < 1:
        return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    return image


Thumbnail = npt.NDArray[np.float32]
THUMBNAIL_PX = (32, 32)
SAMPLE_PX = 4
"""All pixels would take twice as long as decoding the picture, and change correlations by less than 0.01."""
UNLIKE, ALIKE = 0.3, 0.6
"""
Correlation of two thumbnails below which they show different scenes, and from which the same. Set by hand, 2026-11: two
pictures of a table a second apart correlate by 0.9 and more, with an arm over half of it by 0.5.
"""


class UprightPictures:
    """
    Converts a phone's pictures to the size and orientation of its first one.

    A phone that lies flat cannot measure which way is up, and its browser may rotate the picture by quarter turns at
    any moment. Such a picture is rotated back if it then matches the previous one by its thumbnail.
    """

    def __init__(self, first: Image) -> None:
        self._size = (first.shape[1], first.shape[0])
        self._last = _thumbnail(first)
        self._quarters = 0

    def turn(self, image: Image) -> Image | None:
        """Return the picture like the first one; None if it has another shape and shows another scene."""
        kept = self._fitting(image, self._quarters)
        likeness = -1.0 if kept is None else self._likeness(kept)
        if kept is None or likeness < UNLIKE:
            for quarters in range(4):
                turned = None if quarters == self._quarters else self._fitting(image, quarters)
                if turned is not None and self._likeness(turned) > max(ALIKE, likeness):
                    kept, likeness, self._quarters = turned, self._likeness(turned), quarters
        if kept is not None:
            self._last = _thumbnail(kept)
        return kept

    def _fitting(self, image: Image, quarters: int) -> Image | None:
        """
        Return the picture rotated by quarter turns and resized to the first one's size; None if its shape differs.
        """
        turned = np.rot90(image, quarters)
        height, width = turned.shape[:2]
        if (width, height) == self._size:
            return np.ascontiguousarray(turned)
        if abs(width * self._size[1] - height * self._size[0]) > 0.05 * width * self._size[1]:
            return None
        return np.asarray(cv2.resize(turned, self._size, interpolation=cv2.INTER_AREA), np.uint8)

    def _likeness(self, image: Image) -> float:
        now, last = _thumbnail(image), self._last
        scale = float(np.linalg.norm(now) * np.linalg.norm(last))
        return float((now * last).sum()) / scale if scale > 0 else 1.0


def _thumbnail(image: Image) -> Thumbnail:
    """Return a grey thumbnail of mean zero, 32 x 32 float32, of every ``SAMPLE_PX``th row and column."""
    sample = np.ascontiguousarray(image[::SAMPLE_PX, ::SAMPLE_PX])
    small = cv2.resize(sample, THUMBNAIL_PX, interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)
    return np.asarray(grey - grey.mean(), np.float32)

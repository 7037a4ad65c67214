"""
Record the film of the match that goes on: every frame that was judged, the frame of each event, and its card cut out.

Frames come from the table's thread, taps from web threads. If the film can't be written, the recorder reports it in one
sentence and the game goes on without a film.
"""

from __future__ import annotations

import logging
import threading
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from referee.events import Placed, Reread, Shown, Swapped, TableEvent
from vision.capture.sources import Frame
from vision.capture.video_writer import FilmError, FilmWriter
from vision.view.pipeline_view import PipelineView, SeenCard
from vision.view.table_outline import TableOutline
from webapp.errors import one_line
from webapp.store.films import Films

logger = logging.getLogger(__name__)

# How crops are cut. Set by hand, 2026-11.
CROP_MARGIN = 0.3
"""Margin as a share of the card's size. More shows what the card lies across; less shows the card larger."""
WIDEST_PX = 280
"""Pixels of the longer side at most: both indices are readable, in 10 KB. More takes space in the store;
less makes them hard to read."""
CROP_QUALITY = 82
"""JPEG quality, 1 to 100. Higher takes space; lower blurs the index."""
NEAR_S = 3.0
"""Seconds between a crop and the line that it belongs to at most. Longer takes an earlier card of that name;
shorter misses one whose line was dated later."""


CROPS_WAITING = 64
"""Number of crops that wait for their line. More take memory; fewer lose crops if the store is slow."""


@dataclass(frozen=True, slots=True)
class CardCrop:
    """``card`` as it was read, ``at`` the time of its event, ``jpeg`` the picture in base64."""

    card: str
    at: float
    jpeg: str


class CardCrops:
    def __init__(self) -> None:
        self._crops: deque[CardCrop] = deque(maxlen=CROPS_WAITING)

    def look(self, image_bgr: Any, view: PipelineView | None, events: Iterable[TableEvent]) -> None:
        """Cut the cards of these events out of the frame, (h, w, 3) uint8, with which they became certain."""
        if view is None:
            return
        for event in events:
            if not isinstance(event, Placed | Shown | Swapped | Reread):
                continue
            card = event.card
            if seen := [shown for shown in view.cards if shown.card == card]:
                jpeg = cut(image_bgr, max(seen, key=lambda shown: (shown.is_confirmed, shown.confidence)))
                if jpeg is not None:
                    self._crops.append(CardCrop(str(card), event.at, b64encode(jpeg).decode("ascii")))

    def of(self, line: Mapping[str, Any]) -> CardCrop | None:
        """Return the crop of a record line: by its card, or by time if the line names another card than was read."""
        at = line.get("at")
        if at is None or "card" not in line:
            return None
        near = [crop for crop in tuple(self._crops) if abs(crop.at - at) <= NEAR_S]
        named = [crop for crop in near if crop.card == line["card"]]
        timed = [crop for crop in near if crop.at == at]
        return next(reversed(named or timed), None)


def cut(image_bgr: np.ndarray, card: SeenCard) -> bytes | None:
    """Cut out a card with a margin, as JPEG; None if it is outside the picture."""
    corners = np.array(card.corners_px, np.float32)
    low, high = corners.min(axis=0), corners.max(axis=0)
    margin = CROP_MARGIN * float((high - low).max())
    left, top = np.maximum(np.floor(low - margin), 0).astype(int)
    right, bottom = np.minimum(np.ceil(high + margin), image_bgr.shape[1::-1]).astype(int)
    if right - left < 2 or bottom - top < 2:
        return None
    part = image_bgr[top:bottom, left:right]
    scale = WIDEST_PX / max(part.shape[:2])
    if scale < 1:
        part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", part, [cv2.IMWRITE_JPEG_QUALITY, CROP_QUALITY])
    return data.tobytes() if done else None


def encoded_jpeg(image_bgr: np.ndarray, widest_px: int, quality: int = 95) -> bytes:
    """Encode a picture (h, w, 3) uint8 BGR as JPEG, reduced to ``widest_px`` where it is wider."""
    height, width = image_bgr.shape[:2]
    if width > widest_px:
        size = (widest_px, max(1, round(height * widest_px / width)))
        image_bgr = cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise ValueError(f"expected an image that JPEG can hold, got one of {width} x {height} px")
    return data.tobytes()


TIDY_S = 600.0
"""Seconds of the match between two checks for films to delete. Longer lets them exceed the allowed size for a while;
shorter mostly finds nothing to delete."""
NOTHING = np.zeros((0, 2), np.int32)


@dataclass(frozen=True, slots=True)
class Recorded:
    """The frames of all finished parts, and those that were left out since the machine was too slow."""

    written: int = 0
    dropped: int = 0


class FilmRecorder:
    """
    Write the film of ``match`` (a function, since a match may be renamed) into ``films``.

    ``is_whole``: the whole picture is kept, as of a film that somebody has handed in; else the table alone. ``waits``:
    no frame is dropped; the source waits instead, as a file can. ``tell`` is called with a sentence on what was
    deleted. ``trouble``: the sentence for what ended the film, None if nothing did.
    """

    def __init__(
        self,
        films: Films,
        match: Callable[[], str],
        *,
        waits: bool,
        is_whole: bool = False,
        tell: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self.films, self._match, self._waits, self._notify = films, match, waits, tell
        self._is_whole = is_whole
        self._lock = threading.Lock()
        self._outline = TableOutline()
        self._crops = CardCrops()
        self._part: tuple[FilmWriter, str, int] | None = None  # its match, and frames of the parts before it
        self._tidy_at_s = 0.0
        self._is_wanted = True
        self.recorded = Recorded()
        self.trouble: str | None = None

    @property
    def is_on(self) -> bool:
        return self._is_wanted and self.trouble is None

    @property
    def warning(self) -> str | None:
        """Return the sentence for what will end the film soon, None if nothing will."""
        if not (self.is_on and self.films.is_room_scarce):
            return None
        return (
            f"{self.films.folder}: expected room for an evening's film, got less than "
            f"{self.films.settings.low_gigabytes:g} GB; make room, or turn the film off"
        )

    def turn(self, on: bool) -> None:
        with self._lock:
            self._is_wanted = on
            if on:
                self.trouble = None  # there may be space again

    def look(self, frame: Frame, view: PipelineView | None, events: tuple[Any, ...] = ()) -> None:
        """
        Film a frame that was judged. ``view``: what the pipeline found on it, ``events``: what it reported with it.

        Any failure ends the film and sets ``trouble``; nothing is raised, so that the game goes on.
        """
        try:
            table = NOTHING if view is None else self._outline.follow(view)
            outline = None if self._is_whole else table
            with self._lock:
                if not self.is_on:
                    return
                writer = self._begun(frame)
                self._crops.look(frame.image_bgr, view, events)
                writer.add(frame.image_bgr, frame.at, outline, wait=self._waits)
                if writer.trouble is not None:
                    self._end(writer.trouble)
            if frame.at >= self._tidy_at_s:
                self._tidy_at_s = frame.at + TIDY_S
                for sentence in self.films.tidy(self._match()):
                    self._notify(sentence)
        except FilmError as error:
            with self._lock:
                self._end(str(error))
        except Exception as error:
            logger.exception("the film ends with frame %d", frame.number)
            sentence = one_line(error) or type(error).__name__
            with self._lock:
                self._end(f"expected a frame that can be filmed, got '{sentence}'; turn the film on again")

    def frame_at(self, at_s: float) -> tuple[int, float] | None:
        """Return the film's newest frame at a time: its number from 0 and its time; None if there is none yet."""
        with self._lock:
            if self._part is None:
                return None
            writer, _, frames_before = self._part
            found = writer.frame_at(at_s)
            return None if found is None else (frames_before + found[0], found[1])

    def crop_of(self, line: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return the card of a line as it was seen: its name then, and its JPEG in base64; None if there is none."""
        crop = self._crops.of(line)
        return None if crop is None else (crop.card, crop.jpeg)

    def close(self) -> None:
        with self._lock:
            self._finish()

    def _begun(self, frame: Frame) -> FilmWriter:
        match = self._match()
        if self._part is not None and self._part[1] == match:
            return self._part[0]
        self._finish()
        earlier = self.films.film(match)
        height, width = frame.image_bgr.shape[:2]
        size = (width, height) if earlier is None else earlier.picture_size
        writer = FilmWriter(self.films.new_part(match), size, frame.at)
        self._part = writer, match, 0 if earlier is None else len(earlier.frames_s)
        logger.info("the film of match %s is written to %s", match, writer.path)
        return writer

    def _end(self, trouble: str) -> None:
        self.trouble = trouble
        self._finish()

    def _finish(self) -> None:
        if self._part is not None:
            writer = self._part[0]
            writer.close()
            self.recorded = Recorded(self.recorded.written + writer.written, self.recorded.dropped + writer.dropped)
            self.trouble = self.trouble or writer.trouble
            self._part = None

"""
Read films of `FilmWriter` while they are still being written: find each frame, and return the bytes to play.

A film on the disk is a sequence of fragments of about a second, each beginning with a key picture (ISO/IEC 14496-12,
*movie fragments*). Its head has no index, since it is written first; a player would have to read the whole file to find
a fragment. So the served film is assembled: the head, an index of the whole fragments (``sidx``), and the fragments. A
match that was continued has one file per part; they become one film on one time axis.

A stored film is also a source: its frames at the match's times, whole or from one second to another. Pixels outside the
table's outline were blackened before they were written, and the outline grows as the game spreads. Motion detection
would take each growth for a new object. So missing pixels are filled with their last visible value, or, before the
first one, with their median over the film; pixels that are never visible stay black.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import IO

import av
import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.sources import USUAL_FPS, Frame, Image, Source
from vision.capture.video_writer import FilmError

HEAD_BYTES = 1 << 16
"""Largest size of a film's head in bytes; it takes a few hundred."""
BOX_HEAD_BYTES = 16
"""Longest head of a box in bytes: size, kind, and the size again if it needs eight bytes."""
FRAGMENT_HEAD_BYTES = 4096
"""Bytes read at the beginning of a fragment: enough for the description of a second of frames at usual rates."""
COMMENT = b"\xa9cmt"
"""Kind of the box that holds the writer's ``BEGAN_KEY``."""
KEY_PICTURE_FIRST = 0x90000000
"""Index flag: the fragment begins with a key picture."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """
    One fragment of a file. ``start``, ``size``: bytes. ``ticks``: time of its first frame, ``durations``: of its
    frames, in ticks of the film. ``time_place``: byte position in the file of that first time, eight bytes long.
    """

    start: int
    size: int
    ticks: int
    durations: tuple[int, ...]
    time_place: int


class FilmFile:
    """
    One file: its head and its whole fragments. ``refresh`` reads what has been written since.

    ``began_s``: the match's time of its first frame. Raises ``FilmError`` if there is no film in it (yet).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fragments: list[Fragment] = []
        try:
            with path.open("rb") as file:
                head = file.read(HEAD_BYTES)
            boxes = {kind: (start, end) for kind, start, end in _boxes(head, 0, len(head))}
            self.head = head[: boxes[b"moov"][1]]
            self.ticks_per_s = _ticks_per_s(head, *boxes[b"moov"])
            self.began_s = _began_s(head, *boxes[b"moov"])
        except OSError as error:
            raise FilmError(
                f"The operating system refused: {path}: {error.strerror}; check the folder of films"
            ) from None
        except (KeyError, ValueError, struct.error, IndexError):
            raise FilmError(f"{path}: expected the film of a match, got something else or its first second") from None
        self._end = len(self.head)
        self.refresh()

    def refresh(self) -> None:
        """Read the fragments that were completed since; raise ``FilmError`` if the file is missing."""
        try:
            with self.path.open("rb") as file:
                length = file.seek(0, 2)
                while (fragment := _next_fragment(file, self._end, length)) is not None:
                    self.fragments.append(fragment)
                    self._end = fragment.start + fragment.size
        except OSError as error:
            raise FilmError(
                f"The operating system refused: {self.path}: {error.strerror}; check the folder of films"
            ) from None


@dataclass(frozen=True, slots=True)
class _Piece:
    """Bytes of the served film: of ``file`` (None: ``data`` itself), from byte ``start`` there on."""

    size: int
    data: bytes = b""
    file: Path | None = None
    start: int = 0
    patch: tuple[int, bytes] | None = None


class Film:
    """
    The present film of a match, from one file or several: the times of its frames, and the bytes to play.

    Immutable: the same ``fragments`` give the same bytes, however much is written meanwhile. ``fragments``: how many to
    include, all by default. A part with another encoding than the first cannot be played in one film, and is left out.
    """

    def __init__(self, files: Sequence[FilmFile], fragments: int | None = None) -> None:
        first = files[0]
        self.began_s = first.began_s
        self.picture_size = _picture_size(first.head)
        self._head = first.head
        self._pieces: list[_Piece] = []
        durations: list[tuple[int, ...]] = []
        references: list[tuple[int, int]] = []  # size and duration
        starts: list[int] = []
        for file in files:
            if _picture_format(file.head) != _picture_format(first.head):
                continue
            shift = round((file.began_s - self.began_s) * first.ticks_per_s)
            for fragment in file.fragments:
                if len(starts) == fragments:
                    break
                begin = fragment.ticks + shift
                patch = (fragment.time_place - fragment.start, struct.pack(">Q", begin)) if shift else None
                self._pieces.append(_Piece(fragment.size, b"", file.path, fragment.start, patch))
                starts.append(begin)
                references.append((fragment.size, sum(fragment.durations)))
                durations.append(fragment.durations)
        self.fragments = len(starts)
        self._first_frames = np.cumsum([0, *map(len, durations)])[:-1]
        self.frames_s = self.began_s + _frame_ticks(starts, durations) / first.ticks_per_s
        """The time of each frame in seconds of the match: float64, ascending."""
        head = first.head + _index(starts, references, first.ticks_per_s)
        self._pieces.insert(0, _Piece(len(head), head))
        self.size = sum(piece.size for piece in self._pieces)

    def picture(self, at_s: float) -> Image | None:
        """Return the frame shown at a time of the match, (h, w, 3) uint8 BGR; None if it cannot be decoded."""
        number = int(np.searchsorted(self.frames_s, at_s, side="right")) - 1
        if number < 0:
            return None
        place = int(np.searchsorted(self._first_frames, number, side="right")) - 1
        frames = self._decoded(place)
        within = number - int(self._first_frames[place])
        return frames[within] if within < len(frames) else None

    def pictures(self, begin_s: float, end_s: float) -> Iterator[tuple[float, Image | None]]:
        """
        Yield time and picture, (h, w, 3) uint8 BGR, of each frame from one second of the match to another.

        A fragment that cannot be decoded yields its first time once, with None.
        """
        ends = (*self._first_frames[1:], len(self.frames_s))
        for place, (first, end) in enumerate(zip(self._first_frames, ends, strict=True)):
            times = self.frames_s[first:end]
            if not len(times) or times[-1] < begin_s or times[0] > end_s:
                continue
            frames = self._decoded(place)
            if not frames:
                yield float(times[0]), None
            for at, image in zip(times, frames, strict=False):
                if begin_s <= at <= end_s:
                    yield float(at), image

    def cut(self, begin_s: float, end_s: float) -> Iterator[bytes]:
        """
        Return a separate film of the whole fragments that show a span of the match, as ``FilmWriter`` would write it.

        Its first frame keeps its time of the match.
        """
        yield self._head
        ends = (*self._first_frames[1:], len(self.frames_s))
        for piece, first, end in zip(self._pieces[1:], self._first_frames, ends, strict=True):
            times = self.frames_s[first:end]
            if len(times) and times[-1] >= begin_s and times[0] <= end_s:
                yield _read(piece, 0, piece.size)

    def _decoded(self, place: int) -> list[Image]:
        """Decode the pictures of a fragment; none if it cannot be decoded."""
        data = io.BytesIO(self._pieces[0].data + _read(piece := self._pieces[place + 1], 0, piece.size))
        try:
            with av.open(data, "r") as opened:
                return [np.asarray(frame.to_ndarray(format="bgr24"), np.uint8) for frame in opened.decode(video=0)]
        except (OSError, ValueError, av.FFmpegError):
            return []

    def read(self, begin: int, end: int) -> Iterator[bytes]:
        """Yield the bytes from ``begin`` to before ``end``; stop early if a file is missing."""
        at = 0
        for piece in self._pieces:
            if at + piece.size > begin and at < end:
                low, high = max(begin - at, 0), min(end - at, piece.size)
                if piece.file is None:
                    yield piece.data[low:high]
                else:
                    data = _read(piece, low, high)
                    yield data
                    if len(data) < high - low:
                        return
            at += piece.size


def _read(piece: _Piece, low: int, high: int) -> bytes:
    assert piece.file is not None
    try:
        with piece.file.open("rb") as file:
            file.seek(piece.start)
            data = bytearray(file.read(piece.size))
    except OSError:
        return b""
    if piece.patch is not None:
        place, value = piece.patch
        data[place : place + len(value)] = value
    return bytes(data[low:high])


def _boxes(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """
    Yield (kind, first byte of the content, end) of the boxes between two places; the last may end beyond ``data``.
    """
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, start)
        header = 8
        if size == 1:
            (size,) = struct.unpack_from(">Q", data, start + 8)
            header = 16
        if size < header:
            raise ValueError("a box smaller than its head")
        yield kind, start + header, start + size
        start += size


def _within(data: bytes, start: int, end: int, *kinds: bytes) -> tuple[int, int]:
    """
    Return the content of the first box of a kind in a box of another kind in ...; raise ``KeyError`` if there is none.
    """
    for kind in kinds:
        found = next(((low, high) for box, low, high in _boxes(data, start, end) if box == kind), None)
        if found is None:
            raise KeyError(kind)
        start, end = found
    return start, end


def _ticks_per_s(data: bytes, start: int, end: int) -> int:
    """Return the time scale of the track of the ``moov`` there."""
    low, _ = _within(data, start, end, b"trak", b"mdia", b"mdhd")
    place = low + (20 if data[low] == 1 else 12)
    (ticks,) = struct.unpack_from(">I", data, place)
    if not ticks:
        raise ValueError("no time scale")
    return int(ticks)


def _began_s(data: bytes, start: int, end: int) -> float:
    """Return the match's time of the first frame: the comment in the ``moov`` there; 0 if there is none."""
    try:
        low, high = _within(data, start, end, b"udta", b"meta")
        low, high = _within(data, low + 4, high, b"ilst", COMMENT, b"data")
        return float(data[low + 8 : high].decode("ascii"))
    except (KeyError, ValueError):
        return 0.0


def _picture_format(head: bytes) -> bytes:
    """Return the encoding of the pictures: size and parameters. Parts of one format can be played as one film."""
    low, high = _within(head, 0, len(head), b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd")
    return head[low:high]


def _picture_size(head: bytes) -> tuple[int, int]:
    """Return (width, height) in pixels."""
    _, high = _within(head, 0, len(head), b"moov", b"trak", b"tkhd")
    width, height = struct.unpack_from(">II", head, high - 8)  # as 16.16
    return width >> 16, height >> 16


def _next_fragment(file: IO[bytes], place: int, length: int) -> Fragment | None:
    """
    Return the fragment that begins at a byte; None if there is none, or none that is complete within ``length`` bytes.
    """
    file.seek(place)
    data = file.read(FRAGMENT_HEAD_BYTES)
    moof = _box_at(data, 0)
    if moof is None or moof[0] != b"moof":
        return None
    if moof[1] + BOX_HEAD_BYTES > len(data):  # a second of very many frames
        file.seek(place)
        data = file.read(moof[1] + BOX_HEAD_BYTES)
    mdat = _box_at(data, moof[1])
    if mdat is None or mdat[0] != b"mdat" or place + moof[1] + mdat[1] > length:
        return None
    try:
        traf = _within(data, 8, moof[1], b"traf")
        time, _ = _within(data, *traf, b"tfdt")
        if data[time] != 1:  # this writer always uses eight bytes
            return None
        (ticks,) = struct.unpack_from(">Q", data, time + 4)
        return Fragment(place, moof[1] + mdat[1], ticks, _durations(data, *traf), place + time + 4)
    except (KeyError, ValueError, struct.error, IndexError):
        return None


def _box_at(data: bytes, place: int) -> tuple[bytes, int] | None:
    """Return the kind and size of the box whose head is at a byte."""
    if place + 8 > len(data):
        return None
    size, kind = struct.unpack_from(">I4s", data, place)
    if size == 1 and place + BOX_HEAD_BYTES <= len(data):
        (size,) = struct.unpack_from(">Q", data, place + 8)
    return (kind, size) if size >= 8 else None


def _durations(data: bytes, start: int, end: int) -> tuple[int, ...]:
    """Return the durations of a fragment's frames (the ``traf`` there), in ticks."""
    low, _ = _within(data, start, end, b"tfhd")
    flags = int.from_bytes(data[low + 1 : low + 4], "big")
    place = low + 8 + 8 * bool(flags & 0x1) + 4 * bool(flags & 0x2)
    usual = struct.unpack_from(">I", data, place)[0] if flags & 0x8 else 0
    low, _ = _within(data, start, end, b"trun")
    flags = int.from_bytes(data[low + 1 : low + 4], "big")
    (count,) = struct.unpack_from(">I", data, low + 4)
    place = low + 8 + 4 * bool(flags & 0x1) + 4 * bool(flags & 0x4)
    if not flags & 0x100:
        return (int(usual),) * int(count)
    step = 1 + bool(flags & 0x200) + bool(flags & 0x400) + bool(flags & 0x800)
    return struct.unpack_from(f">{count * step}I", data, place)[::step]


def _frame_ticks(starts: Sequence[int], durations: Sequence[Sequence[int]]) -> npt.NDArray[np.float64]:
    """Return the time of each frame in ticks: from each fragment's start, one frame after the other."""
    counts = np.array([len(duration) for duration in durations], int)
    lasting = np.fromiter(chain.from_iterable(durations), np.float64, int(counts.sum()))
    before: npt.NDArray[np.float64] = np.concatenate([[0.0], np.cumsum(lasting)])
    within = before[:-1] - np.repeat(before[np.cumsum(counts) - counts], counts)
    ticks: npt.NDArray[np.float64] = np.repeat(np.array(starts, np.float64), counts) + within
    return ticks


def _index(starts: Sequence[int], references: Sequence[tuple[int, int]], ticks_per_s: int) -> bytes:
    """
    Return the ``sidx`` of a film: each fragment's bytes and ticks. A fragment lasts until the next one begins.

    The index holds 65,535 fragments, eighteen hours; a player reaches later ones by playing on.
    """
    count = min(len(references), 0xFFFF)
    lasts = [max(0, after - begin) for begin, after in pairwise(starts)]
    lasts += [duration for _, duration in references[len(lasts) :]]
    body = struct.pack(">IIIQQHH", 1 << 24, 1, ticks_per_s, starts[0] if starts else 0, 0, 0, count)
    body += b"".join(
        struct.pack(">III", size, last, KEY_PICTURE_FIRST)
        for (size, _), last in zip(references[:count], lasts, strict=False)
    )
    return struct.pack(">I4s", 8 + len(body), b"sidx") + body


SHORTEST_S = 1e-3
"""Shortest time in seconds between two frames that counts for a frame rate."""
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class OutlineFilling:
    """How the black outside the table's outline is found and filled. Set by hand, 2026-11, on the shipped recording."""

    black: int = 20
    """Grey value, 0 to 255, up to which a pixel may be blackened: the encoder is not exact."""
    rim_px: int = 6
    """Pixels inside the outline that are filled too: the encoder blurs its edge."""
    step: int = 4
    """Spacing in pixels of the grid on which the outline is searched."""
    samples: int = 9
    """Frames, spread over the film, from which the median picture is computed."""


class FilmSource(Source):
    """
    Return the frames of ``film`` from ``begin_s`` to ``end_s`` (seconds of the match); ``at`` is the match's time.

    A fragment that cannot be decoded is left out, with a note.
    """

    def __init__(
        self,
        film: Film,
        name: str,
        begin_s: float = 0.0,
        end_s: float = float("inf"),
        filling: OutlineFilling = OutlineFilling(),
    ) -> None:
        self._film, self._span, self._filling = film, (begin_s, end_s), filling
        times = film.frames_s[(film.frames_s >= begin_s) & (film.frames_s <= end_s)]
        step_s = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
        fps = 1 / step_s if step_s > SHORTEST_S else USUAL_FPS
        super().__init__(name, fps, film.picture_size, False, len(times))

    def __iter__(self) -> Iterator[Frame]:
        number = 0
        canvas = self._usual()
        for at, image in self._film.pictures(*self._span):
            if image is None:
                self.notes.append(
                    f"{self.name}: expected a second of film at {at:.1f} s, got one that can't be decoded; "
                    "it is left out"
                )
                continue
            shown = shown_part(image, self._filling)
            if shown is not None:
                canvas = np.where(shown[..., None], image, canvas)
                image = canvas
            yield Frame(self.turned_back(image), number, at)
            number += 1

    def samples(self, count: int) -> Iterator[Image]:
        begin, end = np.searchsorted(self._film.frames_s, self._span)
        places = np.linspace(begin, max(begin, end - 1), count + 2)[1:-1] if end > begin else ()
        for place in places:
            image = self._film.picture(float(self._film.frames_s[round(place)]))
            if image is not None:
                yield image

    def _usual(self) -> Image:
        """Return the median of each pixel over the frames that show it; (h, w, 3) uint8, black if none does."""
        seen = list(self.samples(self._filling.samples))
        width, height = self.size
        if not seen:
            return np.zeros((height, width, 3), np.uint8)
        parts = [shown_part(image, self._filling) for image in seen]
        shown = np.stack([np.ones((height, width), bool) if part is None else part for part in parts])[..., None]
        # Missing values are sorted to the end; the middle of the rest is the median.
        values = np.sort(np.where(shown, np.stack(seen), 255), axis=0)
        middle = np.maximum(shown.sum(axis=0, keepdims=True) - 1, 0) // 2
        usual = np.take_along_axis(values, np.broadcast_to(middle, (1, *values.shape[1:])), axis=0)[0]
        return np.where(shown.any(axis=0), usual, 0).astype(np.uint8)


def shown_part(image: Image, filling: OutlineFilling = OutlineFilling()) -> Mask | None:
    """
    Return where a frame, (h, w, 3) uint8, shows the table: (h, w) bool; None if it shows all.

    The outline is convex: it is the hull of all that is not black.
    """
    small = image[:: filling.step, :: filling.step].max(axis=2)
    lit = cv2.morphologyEx((small > filling.black).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    points = cv2.findNonZero(lit)
    mask = np.zeros(image.shape[:2], np.uint8)
    if points is None:
        return mask.astype(bool)
    hull = cv2.convexHull(points) * filling.step
    if cv2.contourArea(hull) >= 0.995 * (image.shape[0] - filling.step) * (image.shape[1] - filling.step):
        return None
    cv2.fillConvexPoly(mask, hull, 1)
    # Pixels outside the hull at the picture's own edge are no rim of the outline.
    edge = cv2.copyMakeBorder(mask, 2 * filling.step, *(3 * (2 * filling.step,)), cv2.BORDER_REPLICATE)
    size = 2 * filling.rim_px + 1
    eroded = cv2.erode(edge, np.ones((size, size), np.uint8))
    inner = eroded[2 * filling.step : -2 * filling.step, 2 * filling.step : -2 * filling.step]
    return np.asarray(inner, np.uint8).astype(bool)

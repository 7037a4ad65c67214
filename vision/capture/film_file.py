"""
Films as `FilmWriter` leaves them, read while they are still being written: which frame is where, and the bytes to play.

A film on the disk is a row of fragments of about a second, each beginning with a key picture (ISO/IEC 14496-12, *movie
fragments*). Nothing at its head says where they are, since it was written before them; a player would have to read all
to find one. So what is served is put together anew: the head, an index of the whole fragments (``sidx``), and they. A
match that was gone on with has a file for each part; they become one film, on one time.
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
import numpy as np
import numpy.typing as npt

from vision.capture.sources import Image
from vision.capture.video_writer import FilmError

CHUNK_BYTES = 1 << 18
"""Read in one go while a film is served."""
HEAD_BYTES = 1 << 16
"""A film's head is smaller than this: a few hundred bytes."""
BOX_HEAD_BYTES = 16
"""The longest head of a box: size, kind, and the size again where it needs eight bytes."""
FRAGMENT_HEAD_BYTES = 4096
"""Read at the beginning of a fragment: what is said of a second of frames fits in, unless they are very many."""
COMMENT = b"\xa9cmt"
"""The box in which ``BEGAN_KEY`` of the writer ends up."""
KEY_PICTURE_FIRST = 0x90000000
"""In an index: the fragment begins with a picture from which one may start."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """
    One fragment of a file. ``start``, ``size``: bytes. ``ticks``: when its first frame is, ``durations``: of its
    frames, in ticks of the film. ``time_place``: where in the file that first time is written, in eight bytes.
    """

    start: int
    size: int
    ticks: int
    durations: tuple[int, ...]
    time_place: int


class FilmFile:
    """
    One file: its head and its whole fragments. ``refresh`` takes up what has been written since.

    ``began_s``: the match's time of its first frame. Raises ``FilmError`` where there is no film in it (yet).
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
        except (OSError, KeyError, ValueError, struct.error, IndexError):
            raise FilmError(f"{path}: expected the film of a match, got something else or its first second") from None
        self._end = len(self.head)
        self.refresh()

    def refresh(self) -> None:
        """Take up the fragments that have become whole; ``FilmError`` where the file is gone."""
        try:
            with self.path.open("rb") as file:
                length = file.seek(0, 2)
                while (fragment := _next_fragment(file, self._end, length)) is not None:
                    self.fragments.append(fragment)
                    self._end = fragment.start + fragment.size
        except OSError as error:
            raise FilmError(f"{self.path}: expected the film of a match, got {error.strerror!r}") from None


@dataclass(frozen=True, slots=True)
class _Piece:
    """Bytes of the film as it is served: of ``file`` (None: ``data`` itself), from byte ``start`` there on."""

    size: int
    data: bytes = b""
    file: Path | None = None
    start: int = 0
    patch: tuple[int, bytes] | None = None


class Film:
    """
    The film of a match as it is now, from one file or several: when each frame is, and the bytes to play.

    Frozen when made: the same ``fragments`` give the same bytes, however much is written meanwhile. ``fragments``: how
    many to take, all by default. A part that was encoded otherwise than the first can't be played on with it, and is
    left out.
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
        """When each frame is, in seconds of the match: float64, ascending."""
        head = first.head + _index(starts, references, first.ticks_per_s)
        self._pieces.insert(0, _Piece(len(head), head))
        self.size = sum(piece.size for piece in self._pieces)

    def picture(self, at_s: float) -> Image | None:
        """The frame that is shown at a time of the match, (h, w, 3) uint8 BGR; None where it can't be decoded."""
        number = int(np.searchsorted(self.frames_s, at_s, side="right")) - 1
        if number < 0:
            return None
        place = int(np.searchsorted(self._first_frames, number, side="right")) - 1
        frames = self._decoded(place)
        within = number - int(self._first_frames[place])
        return frames[within] if within < len(frames) else None

    def pictures(self, begin_s: float, end_s: float) -> Iterator[tuple[float, Image | None]]:
        """
        Time and picture, (h, w, 3) uint8 BGR, of each frame from one second of the match to another.

        Where a fragment can't be decoded its first time comes once, with None.
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
        A film of its own, as ``FilmWriter`` would have left it: the fragments that show a span of the match, whole.

        Its first frame keeps its time of the match.
        """
        yield self._head
        ends = (*self._first_frames[1:], len(self.frames_s))
        for piece, first, end in zip(self._pieces[1:], self._first_frames, ends, strict=True):
            times = self.frames_s[first:end]
            if len(times) and times[-1] >= begin_s and times[0] <= end_s:
                yield _read(piece, 0, piece.size)

    def _decoded(self, place: int) -> list[Image]:
        """The pictures of a fragment; none where it can't be decoded."""
        data = io.BytesIO(self._pieces[0].data + _read(piece := self._pieces[place + 1], 0, piece.size))
        try:
            with av.open(data, "r") as opened:
                return [np.asarray(frame.to_ndarray(format="bgr24"), np.uint8) for frame in opened.decode(video=0)]
        except (OSError, ValueError, av.FFmpegError):
            return []

    def read(self, begin: int, end: int) -> Iterator[bytes]:
        """The bytes from ``begin`` to before ``end``, in pieces. Stops early where a file is gone meanwhile."""
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
    """(kind, first byte of the content, end) of the boxes between two places; the last may reach beyond ``data``."""
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
    """The content of the first box of a kind in a box of another kind in ...; ``KeyError`` where there is none."""
    for kind in kinds:
        found = next(((low, high) for each, low, high in _boxes(data, start, end) if each == kind), None)
        if found is None:
            raise KeyError(kind)
        start, end = found
    return start, end


def _ticks_per_s(data: bytes, start: int, end: int) -> int:
    """The time scale of the track of the ``moov`` there."""
    low, _ = _within(data, start, end, b"trak", b"mdia", b"mdhd")
    place = low + (20 if data[low] == 1 else 12)
    (ticks,) = struct.unpack_from(">I", data, place)
    if not ticks:
        raise ValueError("no time scale")
    return int(ticks)


def _began_s(data: bytes, start: int, end: int) -> float:
    """The match's time of the first frame: the comment in the ``moov`` there; 0 where there is none."""
    try:
        low, high = _within(data, start, end, b"udta", b"meta")
        low, high = _within(data, low + 4, high, b"ilst", COMMENT, b"data")
        return float(data[low + 8 : high].decode("ascii"))
    except (KeyError, ValueError):
        return 0.0


def _picture_format(head: bytes) -> bytes:
    """How the pictures are encoded: size and parameters. Parts of one format can be played as one film."""
    low, high = _within(head, 0, len(head), b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd")
    return head[low:high]


def _picture_size(head: bytes) -> tuple[int, int]:
    """(width, height) in pixels."""
    _, high = _within(head, 0, len(head), b"moov", b"trak", b"tkhd")
    width, height = struct.unpack_from(">II", head, high - 8)  # as 16.16
    return width >> 16, height >> 16


def _next_fragment(file: IO[bytes], place: int, length: int) -> Fragment | None:
    """The fragment that begins at a byte; None where there is none, or none that is whole within ``length`` bytes."""
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
    """Kind and size of the box whose head is at a byte."""
    if place + 8 > len(data):
        return None
    size, kind = struct.unpack_from(">I4s", data, place)
    if size == 1 and place + BOX_HEAD_BYTES <= len(data):
        (size,) = struct.unpack_from(">Q", data, place + 8)
    return (kind, size) if size >= 8 else None


def _durations(data: bytes, start: int, end: int) -> tuple[int, ...]:
    """How long each frame of a fragment (the ``traf`` there) is shown, in ticks."""
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
    """When each frame is, in ticks: fragment by fragment from where each starts, one frame after the other."""
    counts = np.array([len(each) for each in durations], int)
    lasting = np.fromiter(chain.from_iterable(durations), np.float64, int(counts.sum()))
    before: npt.NDArray[np.float64] = np.concatenate([[0.0], np.cumsum(lasting)])
    within = before[:-1] - np.repeat(before[np.cumsum(counts) - counts], counts)
    ticks: npt.NDArray[np.float64] = np.repeat(np.array(starts, np.float64), counts) + within
    return ticks


def _index(starts: Sequence[int], references: Sequence[tuple[int, int]], ticks_per_s: int) -> bytes:
    """
    The ``sidx`` of a film: each fragment's bytes and ticks. A fragment lasts until the next one begins.

    Fragments beyond the 65,535th, eighteen hours, are found by playing on from there.
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

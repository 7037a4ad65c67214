"""
Decode pictures, and the beginning of films, in a process of their own, with a limit of memory and of time.

The process (``decoder_server``) is started with the first file and again after it has died: a damaged file may end it,
and costs only itself. Request and answer have a line of JSON each, and then bytes.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from threading import Lock, Timer
from typing import Any, Final

import numpy as np

from vision.capture.picture_decoding import Image, PictureError

OPTION: Final = "--decode-pictures"
"""Argument with which the bundle's program is this process."""
SERVER: Final = "vision.capture.decoder_server"
"""The module that is this process."""


@dataclass(frozen=True, slots=True)
class DecoderLimits:
    """Limits of the process that decodes. Set by hand, 2026-11."""

    memory_bytes: int = 3 << 30
    """Memory in bytes beside what the process has at its start: 65 megapixels take less than half of it."""
    seconds: float = 60.0
    """Seconds for one file, the start of the process included: a picture of 65 megapixels takes some five."""


@dataclass(frozen=True, slots=True, eq=False)
class FilmStart:
    """
    Pictures of a film, (h, w, 3) uint8 BGR. ``first``; ``later``: that of some seconds later, the first one if the film
    is shorter; ``samples``: from all over the film.
    """

    first: Image
    later: Image
    samples: tuple[Image, ...]


class DecoderDiedError(PictureError):
    """A picture or a film on which the process that decodes ended. ``by_limit``: it was ended after its seconds."""

    def __init__(self, sentence: str, *, by_limit: bool) -> None:
        super().__init__(sentence)
        self.by_limit = by_limit


class DecoderProcess:
    """A process that decodes one picture after another; threads wait for each other."""

    def __init__(self, limits: DecoderLimits = DecoderLimits()) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    def decode(self, data: bytes, kinds: tuple[str, ...], most_pixels: int) -> Image:
        """Return what ``decode_here`` returns there; ``PictureError`` also where the process dies or takes too long."""
        head = {"bytes": len(data), "kinds": kinds, "most_pixels": most_pixels}
        expected, advice = "expected a whole HEIC or AVIF picture", "export it as JPEG"
        (image,) = self._ask(head, data, expected, advice)
        return image

    def film_start(self, path: Path, seconds: float, samples: int) -> FilmStart:
        """
        Return the first picture of a film, that of ``seconds`` later, and at most ``samples`` from all over it, each
        without bars beside it. ``PictureError`` if it can't be read, also where the process dies or takes too long.
        """
        head = {"bytes": 0, "film": str(path), "seconds": seconds, "samples": samples}
        expected, advice = f"{path}: expected a film that can be decoded", "convert it to MP4 (H.264)"
        first, later, *others = self._ask(head, b"", expected, advice)
        return FilmStart(first, later, tuple(others))

    def _ask(self, head: dict[str, Any], data: bytes, expected: str, advice: str) -> list[Image]:
        with self._lock:
            process = self._process = self._process or self._started()
            timer = Timer(self._limits.seconds, process.kill)
            timer.start()
            try:
                answer, images = _asked(process, json.dumps(head).encode() + b"\n" + data)
            except (EOFError, OSError, ValueError):
                is_slow = not timer.is_alive()
                self._end()
                what = (
                    f"one that takes longer than {self._limits.seconds:g} s" if is_slow else "one that can't be decoded"
                )
                raise DecoderDiedError(f"{expected}, got {what}; {advice}", by_limit=is_slow) from None
            finally:
                timer.cancel()
        if "memory" in answer:
            room = f"{self._limits.memory_bytes / 2**30:.3g} GB of memory"
            raise PictureError(f"{expected}, got one that can't be decoded with {room}; {advice}")
        if "error" in answer:
            raise PictureError(answer["error"])
        return images

    def close(self) -> None:
        """End the process; the next picture starts another one."""
        with self._lock:
            self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        is_bundled = getattr(sys, "frozen", False)
        command = [sys.executable, OPTION] if is_bundled else [sys.executable, "-P", "-m", SERVER]
        room = {"KOZYR_DECODER_BYTES": str(self._limits.memory_bytes), "MALLOC_ARENA_MAX": "2"}
        paths = {} if is_bundled else {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | paths | room,
        )
        atexit.register(self.close)
        return process

    def _end(self) -> None:
        process, self._process = self._process, None
        atexit.unregister(self.close)
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):  # what was not written yet
                    if pipe is not None:
                        pipe.close()
            process.wait()


def _asked(process: subprocess.Popen[bytes], request: bytes) -> tuple[dict[str, Any], list[Image]]:
    """Return the answer and the pictures after it; ``EOFError``, ``OSError`` or ``ValueError`` without a whole one."""
    assert process.stdin is not None
    assert isinstance(process.stdout, BufferedReader)
    process.stdin.write(request)
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    return answer, [_received(process.stdout, shape) for shape in answer.get("shapes", ())]


def _received(pipe: BufferedReader, shape: list[int]) -> Image:
    pixels = bytearray(int(np.prod(shape)))
    filled, view = 0, memoryview(pixels)
    while filled < len(pixels):
        count = pipe.readinto(view[filled:])
        if not count:
            raise EOFError
        filled += count
    return np.frombuffer(pixels, np.uint8).reshape(shape)

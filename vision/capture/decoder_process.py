"""
Decode pictures in a process of their own, with a limit of memory and of time.

The process is started with the first such picture and again after it has died: a damaged file may end it, and costs
only its own picture. Request and answer have a line of JSON each, and then bytes.
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
from typing import IO, Any, Final

import numpy as np

from vision.capture.picture_decoding import Image, PictureError, decode_here

OPTION: Final = "--decode-pictures"
"""Argument with which the bundle's program is this process."""


@dataclass(frozen=True, slots=True)
class DecoderLimits:
    """Limits of the process that decodes. Set by hand, 2026-11."""

    memory_bytes: int = 3 << 30
    """Memory in bytes beside what the process has at its start: 65 megapixels take less than half of it."""
    seconds: float = 60.0
    """Seconds for one picture, the start of the process included: 65 megapixels take some five."""


class DecoderProcess:
    """A process that decodes one picture after another; threads wait for each other."""

    def __init__(self, limits: DecoderLimits = DecoderLimits()) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    def decode(self, data: bytes, kinds: tuple[str, ...], most_pixels: int) -> Image:
        """Return what ``decode_here`` returns there; ``PictureError`` also where the process dies or takes too long."""
        head = {"bytes": len(data), "kinds": kinds, "most_pixels": most_pixels}
        with self._lock:
            process = self._process = self._process or self._started()
            timer = Timer(self._limits.seconds, process.kill)
            timer.start()
            try:
                answer, pixels = _asked(process, json.dumps(head).encode() + b"\n" + data)
            except (EOFError, OSError, ValueError):
                is_slow = not timer.is_alive()
                self._end()
                what = (
                    f"one that takes longer than {self._limits.seconds:g} s" if is_slow else "one that can't be decoded"
                )
                raise PictureError(f"expected a whole HEIC or AVIF picture, got {what}; export it as JPEG") from None
            finally:
                timer.cancel()
        if "error" in answer:
            raise PictureError(answer["error"])
        return np.frombuffer(pixels, np.uint8).reshape(answer["shape"])

    def close(self) -> None:
        """End the process; the next picture starts another one."""
        with self._lock:
            self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        is_bundled = getattr(sys, "frozen", False)
        command = [sys.executable, OPTION] if is_bundled else [sys.executable, "-P", "-m", __name__]
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


def _asked(process: subprocess.Popen[bytes], request: bytes) -> tuple[dict[str, Any], bytearray]:
    """Return the answer and the pixels after it; ``EOFError``, ``OSError`` or ``ValueError`` without a whole one."""
    assert process.stdin is not None
    assert isinstance(process.stdout, BufferedReader)
    process.stdin.write(request)
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    pixels = bytearray(int(np.prod(answer["shape"]))) if "shape" in answer else bytearray()
    filled, view = 0, memoryview(pixels)
    while filled < len(pixels):
        count = process.stdout.readinto(view[filled:])
        if not count:
            raise EOFError
        filled += count
    return answer, pixels


def serve() -> None:
    """Decode what comes on standard input until it ends; what libraries print goes nowhere."""
    import pi_heif

    requests = sys.stdin.buffer
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        pi_heif.register_heif_opener()
        _limit_memory(int(os.environ["KOZYR_DECODER_BYTES"]))
        while line := requests.readline():
            asked = json.loads(line)
            _answer(requests.read(asked["bytes"]), tuple(asked["kinds"]), asked["most_pixels"], answers)


def _answer(data: bytes, kinds: tuple[str, ...], most_pixels: int, answers: IO[bytes]) -> None:
    try:
        image = decode_here(data, kinds, most_pixels)
    except PictureError as error:
        answers.write(json.dumps({"error": str(error)}).encode() + b"\n")
    else:
        answers.write(json.dumps({"shape": image.shape}).encode() + b"\n")
        answers.write(np.ascontiguousarray(image).data)
    answers.flush()


def _limit_memory(more_bytes: int) -> None:
    """Limit the addresses of this process to what it has and ``more_bytes``, where the system can."""
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(OSError, ValueError):
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + more_bytes, used + more_bytes))


if __name__ == "__main__":
    serve()

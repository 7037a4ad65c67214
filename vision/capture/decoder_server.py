"""The process of ``decoder_process``: decode what is asked for on standard input."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import IO, Any

import numpy as np

from vision.capture.memory_limit import limit_memory
from vision.capture.picture_decoding import Image, PictureError, decode_here
from vision.capture.sources import SourceError, open_source


def serve() -> None:
    """Decode what comes on standard input until it ends; what libraries print goes nowhere."""
    import pi_heif

    requests = sys.stdin.buffer
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        pi_heif.register_heif_opener()
        limit_memory(int(os.environ["KOZYR_DECODER_BYTES"]))
        while line := requests.readline():
            asked = json.loads(line)
            _answer(asked, requests.read(asked["bytes"]), answers)


def _answer(asked: dict[str, Any], data: bytes, answers: IO[bytes]) -> None:
    try:
        images: Sequence[Image]
        if "film" in asked:
            images = film_pictures(asked["film"], asked["seconds"], asked["samples"])
        else:
            images = (decode_here(data, tuple(asked["kinds"]), asked["most_pixels"]),)
    except (PictureError, SourceError) as error:
        answers.write(json.dumps({"error": str(error)}).encode() + b"\n")
    except MemoryError:
        answers.write(json.dumps({"memory": "too little"}).encode() + b"\n")
    else:
        answers.write(json.dumps({"shapes": [image.shape for image in images]}).encode() + b"\n")
        for image in images:
            answers.write(np.ascontiguousarray(image).data)
    answers.flush()


def film_pictures(path: str, seconds: float, samples: int) -> list[Image]:
    """
    Return the first picture of a film, that of ``seconds`` later (the first one if the film is shorter), and at most
    ``samples`` from all over it. ``SourceError`` if it can't be read.
    """
    with open_source(path) as source:
        frames = iter(source)
        first = next(frames)  # the one with which it was opened
        later = next((frame for frame in frames if frame.at >= first.at + seconds), first)
        return [first.image_bgr, later.image_bgr, *source.samples(samples)]


if __name__ == "__main__":
    serve()

"""
Measure the cost of filming a match: megabytes a minute and share of a core, at 720p and 25 frames a second.

    python -m benchmarks.film_cost [CLIP] [--seconds 60] [--out FILE.json]

The clip (default: the shipped recording) is encoded as by `kozyr watch`, but with the whole picture, which costs more
than the table alone. Processor time is that of the encoder's thread: masking, colours, x264 and writing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from scripts.results import write_result
from vision.capture.sources import open_source
from vision.capture.video_writer import FilmEncoder, FilmWriter

SIZE, FPS = (1280, 720), 25
CLIP = Path(__file__).parent.parent / "webapp" / "recordings" / "demo.mp4"


class TimedEncoder(FilmEncoder):
    """An encoder that counts the processor time of its thread."""

    encoding_s = 0.0

    def encode(self, *frame: Any) -> None:
        """Encode a frame, and add the time it took."""
        began = time.thread_time()
        super().encode(*frame)
        TimedEncoder.encoding_s += time.thread_time() - began


class TimedWriter(FilmWriter):
    """A video writer with that encoder."""

    encoder = TimedEncoder


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clip", nargs="?", default=str(CLIP))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open_source(asked.clip) as source:
        path = Path(folder) / "film.mp4"
        with TimedWriter(path, SIZE, 0.0) as film:
            for number, frame in enumerate(source):
                if number >= asked.seconds * FPS:
                    break
                image = np.asarray(cv2.resize(frame.image_bgr, SIZE, interpolation=cv2.INTER_AREA), np.uint8)
                film.add(image, number / FPS, wait=True)
        seconds = film.written / FPS
        megabytes = path.stat().st_size / 1e6 / seconds * 60
        core = TimedEncoder.encoding_s / seconds
    print(f"{film.written} frames: {megabytes:.1f} MB a minute, {core:.2f} of a core, none left out")
    if asked.out is not None:
        figures = {"frames": film.written, "megabytes_a_minute": round(megabytes, 1), "share_of_a_core": round(core, 3)}
        write_result(asked.out, "benchmarks.film_cost", Path(asked.clip).name, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())

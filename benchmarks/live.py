"""
Measure live operation: a 1080p camera at 25 or 30 frames a second, refereed and filmed at the same time.

    python -m benchmarks.live [--seconds 30] [--fps 30] [--size 1920x1080] [--no-film] [--own-pace] [--json]

The camera plays the shipped recording, enlarged, as JPEG frames like a USB camera, each sent at its time whether or
not the program is ready. Prints judged frames per second, dropped frames, processor seconds per second (cores), peak
memory, and the same for the film. The machine's load is printed too, because it slows the run. On a busy machine
``--own-pace`` sends each frame when the previous one is taken; the processor time then says how many cores real time
would need.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from referee.record import Header
from vision.capture.sources import Frame, open_source
from vision.detection.card_detector import load_card_detector
from vision.pipeline import Pipeline
from vision.table.observation import InitialState
from webapp.live.board import SnapshotHub
from webapp.live.film_recorder import FilmRecorder
from webapp.live.match_files import MatchFiles
from webapp.live.runtime import PlaybackMode, Runtime
from webapp.live.session import MatchSession
from webapp.match.log import MatchLog
from webapp.store.films import Films

RECORDING = Path(__file__).parent.parent / "webapp" / "recordings" / "demo.mp4"
QUALITY = 85
"""JPEG quality, similar to a USB camera's."""


def prepare(folder: Path, seconds: float, fps: float, size: tuple[int, int]) -> list[Path]:
    """Return JPEG files, one per frame, of the recording's first ``seconds`` at ``fps``."""
    paths: list[Path] = []
    with open_source(str(RECORDING)) as source:
        for frame in source:
            image = cv2.resize(frame.image_bgr, size, interpolation=cv2.INTER_LINEAR)
            while len(paths) / fps <= frame.at and len(paths) < seconds * fps:
                path = folder / f"{len(paths):05}.jpg"
                cv2.imwrite(str(path), image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
                paths.append(path)
            if len(paths) >= seconds * fps:
                break
    return paths


class PacedCamera:
    """A camera that sends each frame at its time, late ones at once like a driver's buffer. ``sent`` counts them."""

    def __init__(self, paths: list[Path], fps: float, own_pace: bool) -> None:
        self._paths, self._fps, self._own_pace = paths, fps, own_pace
        self.sent = 0

    def __iter__(self) -> Iterator[Frame]:
        began = time.monotonic()
        for number, path in enumerate(self._paths):
            wait_s = began + number / self._fps - time.monotonic()
            if self._own_pace:
                pass
            elif wait_s > 0:
                time.sleep(wait_s)
            elif -wait_s > 1 / self._fps:
                continue  # the driver has thrown it away meanwhile
            image = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_COLOR)
            self.sent += 1
            yield Frame(np.asarray(image, np.uint8), number, number / self._fps)


def measure(args: argparse.Namespace, folder: Path) -> dict[str, object]:
    """Run once and return the figures."""
    width, height = (int(part) for part in args.size.split("x"))
    paths = prepare(folder, args.seconds, args.fps, (width, height))
    header = Header.parse(json.loads(RECORDING.with_suffix(".jsonl").read_text("utf-8").splitlines()[0]))
    start = None if header.start is None else header.start.as_json()
    match, board = MatchLog(header), SnapshotHub()
    pipeline = Pipeline(load_card_detector(), header.seats, InitialState.of(start, pack=36))
    camera = PacedCamera(paths, args.fps, args.own_pace)
    films = Films(folder / "films")
    film = None if args.no_film else FilmRecorder(films, lambda: "live", waits=args.own_pace)
    if film is not None:
        films.delete("live")  # of the run before
    session = MatchSession(header, camera, pipeline, match, MatchFiles(film=film))
    runtime = Runtime(session, board, PlaybackMode(live=not args.own_pace, paced=False))
    used, began = time.process_time(), time.monotonic()
    runtime.start()
    runtime.done.wait(args.seconds * 10 + 60)
    took_s, cores_s = time.monotonic() - began, time.process_time() - used
    runtime.stop()
    if film is not None:
        film.close()
    cores_needed = (time.process_time() - used) / max(1, board.newest.camera.frames) * args.fps
    if runtime.failure is not None:
        raise runtime.failure
    judged = board.newest.camera
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "size": args.size,
        "camera_fps": args.fps,
        "seconds": round(took_s, 1),
        "frames_due": len(paths),
        "frames_sent": camera.sent,
        "frames_through_gate": judged.frames,
        "frames_dropped": judged.dropped,
        "gate_fps": round(judged.frames / took_s, 1),
        "cores": round(cores_s / took_s, 2),
        "cores_needed": round(cores_needed, 2) if args.own_pace else None,
        "peak_mb": round(peak / (1024 if sys.platform != "darwin" else 1024**2)),
        "filmed": None if film is None else film.recorded.written,
        "film_dropped": None if film is None else film.recorded.dropped,
        "film_mbit_s": None if film is None else round(films.parts("live")[0].stat().st_size * 8e-6 / took_s, 1),
        "events": match.line - 1,
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "machine_cores": os.cpu_count(),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 2)[1])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--fps", type=float, default=30.0)
    parser.add_argument("--size", default="1920x1080")
    parser.add_argument("--no-film", action="store_true", help="do not encode")
    parser.add_argument(
        "--own-pace", action="store_true", help="on a busy machine: processor time instead of clock time"
    )
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(args, Path(folder))
    if args.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:22} {value}")


if __name__ == "__main__":
    main()

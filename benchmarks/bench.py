"""
Measure speed and memory: the shipped recording through every stage, on this machine.

    make bench
    python -m benchmarks.bench [--clip CLIP] [--json] [--out FILE.json]

Prints milliseconds a stage, frames a second against the clip's own rate, memory, start-up, and how many events a second
the referee judges. Absolute times drift from machine to machine; compare ratios within one run.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from features.stills.reading import read_still
from referee.record import Header, event_from_json
from scripts.results import checksums, write_result
from tests.referee.certain_referee import Referee
from vision.capture.sources import Frame, open_source
from vision.detection.card_detector import NetworkCardDetector, load_card_detector
from vision.detection.detections import Detections
from vision.pipeline import Pipeline
from vision.table.observation import InitialState
from vision.table_session import PipelineServices

RECORDING = Path(__file__).parent.parent / "webapp" / "recordings" / "demo.mp4"
STARTS = 5
"""Number of program starts that are timed; the median is printed."""
EVENTS = 20_000
"""Number of events judged to time the referee."""


class TimedDetector:
    """A detector that adds up the time its networks take."""

    def __init__(self, detector: NetworkCardDetector) -> None:
        self.detector = detector
        self.took_ms: dict[str, list[float]] = {"detect": [], "refine": [], "read": [], "asked": []}

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Run the detector on a frame."""
        seen = self.detector.detect(image_bgr)
        for stage, took in self.detector.took_ms.items():
            self.took_ms[stage].append(took)
        return seen

    def detect_at(
        self, image_bgr: np.ndarray, corners_px: np.ndarray, occluders_px: Sequence[Sequence[np.ndarray]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Classify given places of the picture."""
        began = time.perf_counter()
        messages = self.detector.detect_at(image_bgr, corners_px, occluders_px)
        self.took_ms["asked"].append((time.perf_counter() - began) * 1e3)
        return messages


def timed_frames(source: Iterator[Frame], decode_ms: list[float]) -> Iterator[Frame]:
    """Yield the source's frames and time the decoding of each."""
    while True:
        began = time.perf_counter()
        frame = next(source, None)
        if frame is None:
            return
        decode_ms.append((time.perf_counter() - began) * 1e3)
        yield frame


def review_clip(clip: Path, figures: dict[str, Any]) -> None:
    """Measure stages, speed and number of inferences on one recorded game."""
    header = Header.parse(json.loads(clip.with_suffix(".jsonl").read_text("utf-8").splitlines()[0]))
    detector = TimedDetector(load_card_detector())
    start = InitialState.of(header.as_json().get("start"))
    pipeline = Pipeline(detector, header.seats, start, services=PipelineServices(clock=time.perf_counter))
    referee = Referee(header)
    decode_ms: list[float] = []
    judge_ms: list[float] = []
    frames = 0
    last_at = 0.0
    began = time.perf_counter()
    with open_source(str(clip)) as source:
        for frame in timed_frames(iter(source), decode_ms):
            frames, last_at = frames + 1, frame.at
            for event in pipeline.feed(frame):
                before = time.perf_counter()
                referee.apply(event)
                judge_ms.append((time.perf_counter() - before) * 1e3)
    took = time.perf_counter() - began
    stages = {"decode": statistics.mean(decode_ms)}
    stages |= {name: stage.mean_ms for name, stage in pipeline.timings.items() if name != "inference"}
    stages |= {name: statistics.mean(values) for name, values in detector.took_ms.items() if values}
    stages["judge"] = statistics.mean(judge_ms) if judge_ms else 0.0
    figures["stage_ms"] = {name: round(value, 3) for name, value in stages.items()}
    figures["frames"] = frames
    figures["looks"] = pipeline.timings["inference"].calls
    figures["frames_a_second"] = round(frames / took, 1)
    figures["times_the_clips_speed"] = round(last_at / took, 2)


def read_still_ms(clip: Path) -> float:
    """Return the median milliseconds of ``kozyr read`` on a frame of the clip, after warming up."""
    detector = load_card_detector()
    with open_source(str(clip)) as source:
        image = next(frame.image_bgr for frame in source if frame.at >= 20)
    times = []
    for _ in range(12):
        detector.forget()
        began = time.perf_counter()
        read_still(detector, image)
        times.append((time.perf_counter() - began) * 1e3)
    return statistics.median(times[2:])


def events_a_second(clip: Path) -> float:
    """Judge the clip's true record repeatedly: certain readings, three players."""
    lines = [json.loads(text) for text in clip.with_suffix(".jsonl").read_text("utf-8").splitlines()]
    header = Header.parse(lines[0])
    events = [event_from_json(line) for line in lines[1:]]
    judged = 0
    began = time.perf_counter()
    while judged < EVENTS:
        referee = Referee(header)
        for event in events:
            referee.apply(event)
        judged += len(events)
    return judged / (time.perf_counter() - began)


def start_up_s() -> float:
    """Return the median seconds of a program start that loads the weights and reads no picture."""
    program = "import webapp.commands.cli; from vision.detection import card_detector as c; c.load_card_detector()"
    times = []
    for _ in range(STARTS):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clip", type=Path, default=RECORDING, help="a clip with its record beside it")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write the figures there as JSON, too")
    args = parser.parse_args()
    figures: dict[str, Any] = {
        "clip": args.clip.name,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
    review_clip(args.clip, figures)
    figures["still_720p_ms"] = round(read_still_ms(args.clip), 1)
    figures["peak_memory_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    figures["start_up_s"] = round(start_up_s(), 2)
    figures["referee_events_a_second"] = round(events_a_second(args.clip))
    if args.out is not None:
        write_result(args.out, "benchmarks.bench", args.clip.name, figures, checksums())
    if args.json:
        print(json.dumps(figures))
        return 0
    for name, value in figures.items():
        if isinstance(value, dict):
            print(f"{name}:")
            for stage, took in value.items():
                print(f"  {stage:<10} {took:9.3f}")
        else:
            print(f"{name:<26} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

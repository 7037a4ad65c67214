"""Write a performance as a video, with its record and, if wished, the truth of every frame."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from datasets.clips.arms import DrawnArm
from datasets.clips.ground_truth import Moment, RecordWriter, SceneAt, as_line, record
from datasets.clips.motion import Performance
from datasets.clips.overlays import Overlays
from datasets.clips.webcam import Webcam

SMPTE_170M = 6
"""The colour matrix (BT.601) in which PyAV turns BGR into YUV."""


class Paints(Protocol):
    """Makes the pictures of a film, in two steps: what is painted, and how the camera shows it."""

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height (px)."""

    def paint(self, moment: Moment) -> np.ndarray:
        """Return a moment as painted."""

    def develop(self, picture: np.ndarray, gain: np.ndarray | None) -> np.ndarray:
        """Return (h, w, 3) uint8 BGR, the painted moment as the camera shows it."""


class Witness(Protocol):
    """Writes the truth of every frame."""

    def see(self, moment: Moment) -> dict[str, Any]:
        """Return one line of it: cards and hands."""


def moments(performance: Performance) -> Iterator[tuple[int, SceneAt]]:
    """Yield frame numbers and the scene, which returns the moment of that frame."""
    world = SceneAt(performance)
    for number in range(int(performance.seconds * performance.fps)):
        yield number, world


def _progress(done: int, total: int, since: float) -> None:
    if sys.stderr.isatty() or done % 100 == 0 or done == total:
        filled = round(30 * done / total)
        rate = done / max(time.monotonic() - since, 1e-6)
        end = "\n" if done == total or not sys.stderr.isatty() else "\r"
        print(
            f"[{'#' * filled}{'.' * (30 - filled)}] {done}/{total} frames, {rate:.1f} a second",
            end=end,
            file=sys.stderr,
        )


def scaled(seen: dict[str, Any], zoom: float) -> dict[str, Any]:
    """Return a line of the frame-by-frame truth for a picture made smaller."""
    if zoom == 1.0:
        return seen

    def smaller(what: dict[str, Any]) -> dict[str, Any]:
        return {
            key: np.round(np.array(value) * zoom, 1).tolist() if key.endswith("_px") else value
            for key, value in what.items()
        }

    return seen | {name: [smaller(mask) for mask in seen[name]] for name in ("cards", "hands")}


def shoot(
    performance: Performance,
    painter: Paints,
    arms: dict[tuple[str, str], DrawnArm] | Witness,
    video: Path,
    *,
    crf: int = 24,
    preset: str = "medium",
    tracks: bool = False,
    webcam: Webcam | None = None,
    overlays: Overlays | None = None,
) -> None:
    """
    Write ``video`` (H.264 in MP4), the record ``.jsonl`` beside it and, with ``tracks``, ``.tracks.jsonl``: one line a
    frame with all cards and hands. Nothing stands under these names before all of it is there. ``webcam``: shows the
    pictures as it would. ``overlays``: are drawn over them then. ``arms``: as they are drawn, or who sees the truth.
    """
    import av

    video.parent.mkdir(parents=True, exist_ok=True)
    mine = f".{os.getpid()}.part"  # two processes that film one clip don't write into each other's
    part, track_part = video.with_suffix(f"{mine}.mp4"), video.with_suffix(f"{mine}.jsonl")
    witness = RecordWriter(performance.stage.camera, arms) if isinstance(arms, dict) else arms
    fps, room = performance.fps, performance.room
    total, since = int(performance.seconds * fps), time.monotonic()
    track_file = track_part.open("w", encoding="utf-8") if tracks else None
    picture, shown = None, 0
    try:
        with av.open(str(part), "w", options={"movflags": "faststart"}) as container:
            stream = container.add_stream("libx264", rate=fps)
            width = webcam.style.size if webcam is not None and webcam.style.size else painter.size[0]
            zoom = width / painter.size[0]
            stream.width, stream.height = width, round(painter.size[1] * zoom / 2) * 2
            stream.pix_fmt = "yuv420p"
            stream.time_base = Fraction(1, fps)
            # Stated explicitly, because players assume BT.709 for pictures of this size and show other colours.
            stream.codec_context.colorspace = stream.codec_context.color_primaries = SMPTE_170M
            stream.codec_context.color_trc = SMPTE_170M
            if webcam is not None and webcam.style.crf:
                crf = webcam.style.crf
            stream.options = {"crf": str(crf), "preset": preset, "g": str(fps * 4), "threads": "2"}
            for number, world in moments(performance):
                _progress(number + 1, total, since)
                moment = world.at(number / fps)
                fate = room.fate(number) if picture is not None else "shown"
                if fate == "missing":
                    continue
                if picture is None or (fate == "shown" and (webcam is None or webcam.is_due(moment.at))):
                    exposed = room.gain(moment.at) if room.lamps or room.drift else None
                    picture = painter.develop(painter.paint(moment), exposed)
                    if webcam is not None:
                        picture = webcam.see(picture, moment.at)
                    if overlays is not None:
                        picture = overlays.over(picture, moment.at)
                    seen = scaled(witness.see(moment), zoom) if track_file else {}
                frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="bgr24")
                frame.pts = number
                for packet in stream.encode(frame):
                    container.mux(packet)
                if track_file:
                    track_file.write(as_line({"frame": shown, **seen, "at": round(moment.at, 3)}) + "\n")
                shown += 1
            for packet in stream.encode():
                container.mux(packet)
    finally:
        if track_file:
            track_file.close()
    part.replace(video)
    if tracks:
        track_part.replace(video.with_suffix(".tracks.jsonl"))
    lines = "".join(as_line(line) + "\n" for line in record(performance))
    video.with_suffix(".jsonl").write_text(lines, encoding="utf-8")

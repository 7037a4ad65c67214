"""
Play the shipped recording as other cameras would have filmed it, and count its events.

    python -m benchmarks.film_variants [NAME ...] [--seconds 37] [--verbose] [--keep DIR] [--out FILE.json]

Each variant is composed from ``webapp/recordings/demo.mp4`` frame by frame, the same each time: a camera that sways, a
mirrored or turned picture, pixels that aren't square, a wide lens, a dim and noisy sensor, few pixels, time stamps that
begin late and are uneven. The true events are those of the recording. A row gives the true events, those reported
rightly, those invented, seats that are wrong, accusations of innocent plays, ``blocked`` events and the source's notes.
A NAME chooses the variants whose names begin with it: ``sway`` plays all twelve.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np

from benchmarks.score_clip import Played, play_clip, scored
from referee.events import Blocked
from scripts.results import checksums, write_result
from vision.capture.image_files import Image
from vision.capture.sources import Frame, open_source
from vision.detection.card_detector import load_card_detector
from vision.detection.mirroring import is_mirrored
from vision.layout import Zones, seat_angle

RECORDING = Path(__file__).parents[1] / "webapp" / "recordings" / "demo.mp4"
SECONDS = 37.0
"""Seconds of the recording that are played: 19 events, with a fault, a lift, both kinds of sweep and five draws."""
SEEN_S = 1.5
"""Events of the last seconds are left out: they may be reported later."""
ZOOM = 1.04
"""Enlargement of a swaying film, so that no border shows: its centre moves by up to 10 px, its corners by 2 more."""

Change = Callable[[Image, float], Image]
"""From a picture (h, w, 3) uint8 BGR of the recording and its time in seconds to the variant's picture."""


@dataclass(frozen=True, slots=True)
class FilmVariant:
    """
    How another camera would have filmed the recording.

    ``seats``: the recording's seats, clockwise from the bottom edge of the changed picture. ``seat_deg``: degrees by
    which seats are turned that are not spaced evenly from that edge on. ``container``: how a file is written; None
    where the variant is played without one.
    """

    name: str
    change: Change
    seats: tuple[str, ...] = ("Anya", "Boris", "Vera")
    seat_deg: float | None = None
    container: VariantFile | None = None

    @property
    def zones(self) -> Zones:
        """Return the seats' places where they must be marked."""
        if self.seat_deg is None:
            return Zones()
        angles = [(seat_angle(k, len(self.seats)) + self.seat_deg) % 360.0 for k in range(len(self.seats))]
        return Zones(seats=tuple(zip(self.seats, angles, strict=True)))


@dataclass(frozen=True, slots=True)
class VariantFile:
    """
    A film's file. ``pixel``: width of a pixel by its height. ``begins_s``: first time stamp. ``uneven``: whether the
    frame rate changes.
    """

    suffix: str
    pixel: Fraction = Fraction(1)
    begins_s: float = 0.0
    uneven: bool = False


def sway(amplitude_px: float, rate_hz: float) -> Change:
    """Return a camera on an arm that swings: up and down, half as much to the sides, and rolling a little."""

    def change(image: Image, at: float) -> Image:
        rows, columns = image.shape[:2]
        phase = 2 * np.pi * rate_hz * at
        move = cv2.getRotationMatrix2D((columns / 2, rows / 2), 0.012 * amplitude_px * np.sin(phase + 0.7), ZOOM)
        move[0, 2] += 0.5 * amplitude_px * np.sin(phase + 1.0)
        move[1, 2] += amplitude_px * np.sin(phase)
        return np.asarray(cv2.warpAffine(image, move, (columns, rows), flags=cv2.INTER_CUBIC), np.uint8)

    return change


def turned(quarter: int) -> Change:
    """Return a camera that stands on its side or upside down (``cv2.rotate``'s codes)."""
    return lambda image, _: np.asarray(cv2.rotate(image, quarter), np.uint8)


def barrel(bend: float) -> Change:
    """Return a wide lens: a point at distance r of the middle, in half diagonals, is seen at ``r (1 - bend r^2)``."""
    maps: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}

    def change(image: Image, _: float) -> Image:
        rows, columns = image.shape[:2]
        if (rows, columns) not in maps:
            x, y = np.meshgrid(np.arange(columns) - columns / 2, np.arange(rows) - rows / 2)
            seen = np.hypot(x, y) / np.hypot(columns / 2, rows / 2) * (1 - bend)  # the corners stay corners
            plain = seen.copy()
            for _step in range(20):
                plain = seen / (1 - bend * plain**2)
            stretch = plain / np.maximum(seen, 1e-9) * (1 - bend)
            maps[rows, columns] = cv2.convertMaps(
                (x * stretch + columns / 2).astype(np.float32),
                (y * stretch + rows / 2).astype(np.float32),
                cv2.CV_16SC2,
            )
        return np.asarray(cv2.remap(image, *maps[rows, columns], cv2.INTER_LINEAR), np.uint8)

    return change


def dim_and_noisy(image: Image, at: float) -> Image:
    """Return a cheap sensor's picture in a dim room: a third of the light, blur, and grain of single pixels."""
    noise = np.random.default_rng(round(at * 1000)).normal(0, 7.0, image.shape).astype(np.float32)
    soft = cv2.GaussianBlur(image, (0, 0), 0.9).astype(np.float32)
    return np.asarray(np.clip(0.38 * soft + 6 + noise, 0, 255), np.uint8)


def reduced_to(columns: int, rows: int) -> Change:
    """Return a picture of another size."""
    return lambda image, _: np.asarray(cv2.resize(image, (columns, rows), interpolation=cv2.INTER_AREA), np.uint8)


SWAYS = {
    f"sway-{amplitude}px-{rate}Hz": sway(amplitude, rate) for amplitude in (2, 4, 7, 10) for rate in (0.3, 1.0, 1.7)
}
VARIANTS = {
    variant.name: variant
    for variant in (
        FilmVariant("plain", lambda image, _: image),
        *(FilmVariant(name, change) for name, change in SWAYS.items()),
        FilmVariant("mirrored", lambda image, _: np.ascontiguousarray(image[:, ::-1]), container=VariantFile(".mp4")),
        FilmVariant("turned-right", turned(cv2.ROTATE_90_CLOCKWISE), ("Vera", "Anya", "Boris")),
        FilmVariant("turned-left", turned(cv2.ROTATE_90_COUNTERCLOCKWISE), ("Boris", "Vera", "Anya")),
        FilmVariant("upside-down", turned(cv2.ROTATE_180), seat_deg=180.0),
        FilmVariant("anamorphic", reduced_to(960, 720), container=VariantFile(".mp4", pixel=Fraction(4, 3))),
        FilmVariant("wide-lens", barrel(0.12)),
        FilmVariant("uneven-times", lambda image, _: image, container=VariantFile(".mkv", begins_s=5.0, uneven=True)),
        FilmVariant("dim-noisy", dim_and_noisy),
        FilmVariant("270-lines", reduced_to(480, 270)),
    )
}


def frames(variant: FilmVariant, seconds: float = SECONDS) -> Iterator[Frame]:
    """Yield the variant's frames, without its container."""
    with open_source(str(RECORDING)) as source:
        for frame in source:
            if frame.at > seconds:
                return
            yield replace(frame, image_bgr=variant.change(frame.image_bgr, frame.at))


def write(variant: FilmVariant, folder: Path, seconds: float = SECONDS) -> Path:
    """Write the variant as a film, and return its path."""
    container = variant.container or VariantFile(".mp4")
    path = folder / f"{variant.name}{container.suffix}"
    with av.open(str(path), "w") as output:
        stream = output.add_stream("libx264", rate=25, options={"preset": "ultrafast", "crf": "16"})
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        stream.pix_fmt = "yuv420p"
        for frame in frames(variant, seconds):
            # A rate that changes: ten seconds of all frames, then ten seconds of every third one.
            if container.uneven and int(frame.at / 10) % 2 and frame.number % 3:
                continue
            if not stream.codec_context.is_open:
                stream.height, stream.width = frame.image_bgr.shape[:2]
                stream.codec_context.sample_aspect_ratio = container.pixel
            picture = av.VideoFrame.from_ndarray(frame.image_bgr, format="bgr24")
            picture.pts = round((container.begins_s + frame.at) * 1000)
            output.mux(stream.encode(picture))
        output.mux(stream.encode())
    return path


@dataclass(frozen=True, slots=True)
class VariantCounts:
    """What one variant gave. ``notes``: of the source, and ``mistakes`` event by event."""

    events: int
    right: int
    invented: int
    seats_wrong: int
    accusations: int
    blocked: int
    notes: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = field(default=(), repr=False)


def play(variant: FilmVariant, seconds: float = SECONDS) -> VariantCounts:
    """Play a variant, and compare it with the recording's true events."""
    with ExitStack() as parts:
        notes: list[str] = []
        if variant.container is None:
            played = play_clip(RECORDING, frames=frames(variant, seconds), seats=variant.seats, zones=variant.zones)
        else:
            folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
            source = parts.enter_context(open_source(str(write(variant, folder, seconds))))
            source.is_mirrored = is_mirrored(source, load_card_detector())
            played = play_clip(RECORDING, frames=source, seats=variant.seats, zones=variant.zones)
            notes = source.notes
    return row(played, seconds, tuple(notes))


def row(played: Played, seconds: float, notes: tuple[str, ...] = ()) -> VariantCounts:
    """Return the counts over the first seconds."""
    until = seconds - SEEN_S
    played = replace(
        played,
        true=[event for event in played.true if event.at <= until],
        seen=tuple(event for event in played.seen if event.at <= until),
    )
    score, mistakes = scored(played, None, verbose=True)
    blocked = sum(isinstance(event, Blocked) for event in played.seen)
    return VariantCounts(
        score.true,
        score.right,
        score.seen - score.right - blocked,
        score.seats_wrong,
        score.false_accusations,
        blocked,
        notes,
        tuple(mistakes),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the variants and print a row of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="beginning of the names of variants; all by default")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of the recording's beginning")
    parser.add_argument("--verbose", action="store_true", help="print what is missed, invented or wrong")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the films there instead of playing them")
    parser.add_argument("--out", type=Path, help="JSON file for the counts")
    asked = parser.parse_args(arguments)
    chosen = [v for v in VARIANTS.values() if not asked.names or v.name.startswith(tuple(asked.names))]
    if not chosen:
        print(f"expected the beginning of one of {', '.join(VARIANTS)}", file=sys.stderr)
        return 2
    if asked.keep is not None:
        asked.keep.mkdir(parents=True, exist_ok=True)
        for variant in chosen:
            print(write(variant, asked.keep, asked.seconds))
        return 0
    names = ("events", "right", "invented", "seats_wrong", "accusations", "blocked")
    print(f"{'variant':16}" + "".join(f"{name:>12}" for name in names) + "  notes", flush=True)
    rows = {}
    for variant in chosen:
        found = rows[variant.name] = play(variant, asked.seconds)
        counts = "".join(f"{getattr(found, name):12}" for name in names)
        print(f"{variant.name:16}{counts}  {'; '.join(found.notes)}", flush=True)
        for line in found.mistakes if asked.verbose else ():
            print(line)
    if asked.out is not None:
        counted = {name: {key: getattr(found, key) for key in names} for name, found in rows.items()}
        write_result(asked.out, "benchmarks.film_variants", list(rows), counted, checksums())
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""
Store a film in other forms and check that kozyr reports the same events.

    python -m benchmarks.film_forms FILM ... [--form NAME ...] [--stored FOLDER] [--verbose] [--out FILE.json]
        [-- ARGUMENTS OF kozyr review]

A form changes how a film is stored, not what happens in it (``FORMS``). An event of the film is found again if the form
gives the same kind and card at most ``SAME_S`` later or earlier. Each row: events of the film itself, events found
again, and events that only the form gives. ``--stored`` stores results of the networks (``benchmarks.stored_results``).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO
from pathlib import Path

import av
import cv2
import numpy as np

from benchmarks.stored_results import store_results
from scripts.results import checksums, write_result
from vision.capture.image_files import Image
from vision.capture.sources import open_source
from webapp.commands.cli import run

UNCOUNTED = ("blocked", "corrected", "reread", "tick")
"""Events that a film without them may mean, too: time that passed, and corrections, which change earlier events."""
SAME_S = 0.3
"""Seconds by which an event's time may differ between two forms of a film."""
QUALITY = 18
"""Constant rate factor of x264 for forms that are not about compression."""

Frames = Iterator[tuple[Image, float]]
"""Pictures (h, w, 3) uint8 BGR with their times in seconds."""


@dataclass(frozen=True, slots=True)
class FilmForm:
    """
    A way to store a film. ``change``: what is done to its frames. ``quality``: constant rate factor of each time it is
    encoded. ``rotation_deg``: a turn that the file's mark takes back.
    """

    name: str
    change: Callable[[Frames], Frames]
    quality: tuple[int, ...] = (QUALITY,)
    rotation_deg: int = 0


def of_each(change: Callable[[Image, float], Image]) -> Callable[[Frames], Frames]:
    """Return a change of frames that changes each picture by itself."""
    return lambda frames: ((change(image, at), at) for image, at in frames)


def bordered(image: Image, _: float) -> Image:
    """Return the picture in a dark border of an eighth of its size, as a player of films draws it."""
    rows, columns = image.shape[:2]
    edges = (rows // 8, rows // 8, columns // 8, columns // 8)
    return np.asarray(cv2.copyMakeBorder(image, *edges, cv2.BORDER_CONSTANT, value=(18, 18, 18)), np.uint8)


def cropped(image: Image, _: float) -> Image:
    """Return the picture without a twenty-fifth of its size at each edge."""
    rows, columns = image.shape[:2]
    return np.ascontiguousarray(image[rows // 25 : rows - rows // 25, columns // 25 : columns - columns // 25])


def brighter(image: Image, _: float) -> Image:
    """Return the picture with a third more light, cut off at white."""
    return np.asarray(cv2.convertScaleAbs(image, alpha=1.33, beta=6), np.uint8)


def darker(image: Image, _: float) -> Image:
    """Return the picture with half its light."""
    return np.asarray(cv2.convertScaleAbs(image, alpha=0.5), np.uint8)


def noisy(image: Image, at: float) -> Image:
    """Return the picture with the grain of a phone's sensor in a dim room: 9 of 255 a pixel and channel."""
    grain = np.random.default_rng(round(at * 1000)).normal(0, 9.0, image.shape)
    return np.asarray(np.clip(image + grain, 0, 255), np.uint8)


def turned(code: int) -> Callable[[Image, float], Image]:
    """Return a turn of the picture (``cv2.rotate``'s codes)."""
    return lambda image, _: np.asarray(cv2.rotate(image, code), np.uint8)


def at_rate(rate_hz: float) -> Callable[[Frames], Frames]:
    """Return a change to a constant rate: the newest picture at each tick."""

    def change(frames: Frames) -> Frames:
        tick = 0
        newest: Image | None = None
        for image, at in frames:
            while newest is not None and tick / rate_hz < at:
                yield newest, tick / rate_hz
                tick += 1
            newest = image
        if newest is not None:
            yield newest, tick / rate_hz

    return change


def of_uneven_rate(frames: Frames) -> Frames:
    """Yield all pictures for three seconds, then every second one for three seconds, as phones do to save power."""
    for number, (image, at) in enumerate(frames):
        if int(at / 3) % 2 == 0 or number % 2 == 0:
            yield image, at


FORMS = {
    form.name: form
    for form in (
        FilmForm("bordered", of_each(bordered)),
        FilmForm("cropped", of_each(cropped)),
        FilmForm("encoded-twice", lambda frames: frames, (28, 28)),
        FilmForm("turned-90", of_each(turned(cv2.ROTATE_90_CLOCKWISE))),
        FilmForm("turned-180", of_each(turned(cv2.ROTATE_180))),
        FilmForm("marked-180", of_each(turned(cv2.ROTATE_180)), rotation_deg=180),
        FilmForm("uneven-rate", of_uneven_rate),
        FilmForm("8-a-second", at_rate(8)),
        FilmForm("60-a-second", at_rate(60)),
        FilmForm("brighter", of_each(brighter)),
        FilmForm("darker", of_each(darker)),
        FilmForm("noisy", of_each(noisy)),
    )
}


def write(film: Path, form: FilmForm, folder: Path, seconds: float = float("inf")) -> Path:
    """Write the first ``seconds`` of a film in another form into a folder, and return its path."""
    for number, quality in enumerate(form.quality):
        path = folder / f"{film.stem}-{form.name}-{number}.mp4"
        with open_source(str(film)) as source:
            frames: Frames = ((frame.image_bgr, frame.at) for frame in source)
            if number == 0:
                frames = form.change(frames)
            _encode(frames, path, quality, seconds, form.rotation_deg)
        film = path
    return film


def _encode(frames: Frames, path: Path, quality: int, seconds: float, rotation_deg: int) -> None:
    with av.open(str(path), "w") as output:
        stream = output.add_stream("libx264", rate=30, options={"preset": "veryfast", "crf": str(quality)})
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        stream.pix_fmt = "yuv420p"
        for image, at in frames:
            if at > seconds:
                break
            image = image[: image.shape[0] // 2 * 2, : image.shape[1] // 2 * 2]
            if not stream.codec_context.is_open:
                stream.height, stream.width = image.shape[:2]
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="bgr24")
            picture.pts = round(at * 1000)
            output.mux(stream.encode(picture))
        output.mux(stream.encode())
    if rotation_deg:
        _mark(path, rotation_deg)


def _mark(path: Path, rotation_deg: int) -> None:
    """Write a half turn into the track header's matrix of an MP4 file, as telephones do (ISO 14496-12, 8.3.2)."""
    assert rotation_deg == 180, "only half turns keep the picture's sides"
    content = bytearray(path.read_bytes())
    one, unit = 1 << 16, 1 << 30
    plain = b"".join(n.to_bytes(4, "big") for n in (one, 0, 0, 0, one, 0, 0, 0, unit))
    header = content.index(b"tkhd")
    place = content.index(plain, header)
    minus = (-one).to_bytes(4, "big", signed=True)
    content[place : place + 4] = content[place + 16 : place + 20] = minus
    path.write_bytes(content)


def events(film: Path, arguments: Sequence[str]) -> list[tuple[str, str, float]]:
    """Return kind, card and time of the events that ``kozyr review`` reports for a film, with corrections."""
    with redirect_stdout(StringIO()) as printed, redirect_stderr(StringIO()):
        run(["review", str(film), "--json", *arguments])
    found: list[dict[str, object]] = []
    for line in printed.getvalue().splitlines():
        row = json.loads(line)
        if row.get("event") == "reread":
            for earlier in reversed(found):
                if earlier.get("card") == row["was"]:
                    earlier["card"] = row["card"]
                    break
        elif "event" in row and row["event"] not in UNCOUNTED:
            found.append(row)
    return [(str(row["event"]), str(row.get("card", row.get("count", ""))), float(str(row["at"]))) for row in found]


def same(film: Sequence[tuple[str, str, float]], form: Sequence[tuple[str, str, float]]) -> tuple[list[str], list[str]]:
    """Return events of the film that its form lacks, and events that only the form has."""
    left = list(form)
    lost = []
    for kind, card, at in film:
        near = [event for event in left if event[:2] == (kind, card) and abs(event[2] - at) <= SAME_S]
        if near:
            left.remove(min(near, key=lambda event: abs(event[2] - at)))
        else:
            lost.append(f"{kind} {card} at {at:.2f}")
    return lost, [f"{kind} {card} at {at:.2f}" for kind, card, at in left]


def main(given: Sequence[str] | None = None) -> int:
    """Read films in several forms and print a row of each."""
    words = list(sys.argv[1:] if given is None else given)
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("films", nargs="+", type=Path, metavar="FILM")
    parser.add_argument("--form", nargs="+", choices=FORMS, default=list(FORMS))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of each film's beginning")
    parser.add_argument("--stored", type=Path, metavar="FOLDER", help="store results of the networks there")
    parser.add_argument("--verbose", action="store_true", help="print what is lost and what is new")
    parser.add_argument("--out", type=Path, metavar="FILE.json")
    arguments = parser.parse_args(words[:cut])
    passed = words[cut + 1 :]
    if arguments.stored is not None:
        store_results(arguments.stored)
    rows: dict[str, dict[str, int]] = {}
    print(f"{'film':18} {'form':14} {'events':>6} {'again':>6} {'new':>4}", flush=True)
    for film in arguments.films:
        with tempfile.TemporaryDirectory() as box:
            plain = write(film, FilmForm("plain", lambda frames: frames), Path(box), arguments.seconds)
            own = events(plain, passed)
            for name in arguments.form:
                form = write(plain, FORMS[name], Path(box))
                lost, new = same(own, events(form, passed))
                form.unlink()
                row = {"events": len(own), "again": len(own) - len(lost), "new": len(new)}
                rows[f"{film.stem} {name}"] = row
                print(f"{film.stem:18} {name:14} {row['events']:6} {row['again']:6} {row['new']:4}", flush=True)
                for event in lost if arguments.verbose else ():
                    print(f"  lost {event}")
                for event in new if arguments.verbose else ():
                    print(f"  new  {event}")
    if arguments.out is not None:
        write_result(arguments.out, "benchmarks.film_forms", list(rows), rows, checksums())
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""
Check that memory stays flat while a phone is the camera for long.

    python -m benchmarks.phone_memory [--minutes 20] [--rate 15] [--judge-each N]

The shipped recording, as JPEG pictures of a phone, is pushed through inbox, source, vision pipeline and match as fast
as they are judged, over and over; time is that of a clock which the pictures move. Each pass is a game of its own at
one phone and one pipeline. Between passes the phone is gone for five seconds. ``--judge-each N``: after the first pass
every picture is still delivered, decoded and turned, but vision pipeline and match get only each Nth, so that an hour
fits into minutes.

Prints a JSON object for each tenth of the time (minutes, memory in use in MB, after free pages were returned to the
system, passes), then whether memory is flat: the mean of the last three tenths is at most 3 % above that of the three
before the middle. Exits with 1 if it is not. Needs Linux (/proc).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from statistics import mean

from benchmarks.endurance import used_memory_mb
from benchmarks.phone_path import fresh_pipeline, jpeg, judged, shipped_header
from vision.capture.phone import PhoneInbox, PhonePicture, PhoneSource, decoded
from vision.capture.sources import open_source
from webapp.live.process_memory import limit_heaps
from webapp.live.runtime import freeze_lines
from webapp.match.log import MatchLog
from webapp.shipped_recording import DEMO_CLIP

PARTS = 10
MOST_GROWTH = 0.03
GONE_S = 5.0


class LoopingInbox(PhoneInbox):
    """Repeats the pictures of the recording, at times of its own clock."""

    def __init__(self, rate: float, minutes: float) -> None:
        self._at_s, self._rate, self._end_s = 0.0, rate, 60 * minutes
        self._pictures = self._loop()
        self.passes = 0
        super().__init__(lambda: self._at_s)

    @property
    def is_over(self) -> bool:
        """Check whether the time is up."""
        return self._at_s >= self._end_s

    def take(self, timeout_s: float) -> PhonePicture | None:
        """Deliver the next picture, and take it; None while the phone is gone."""
        picture = next(self._pictures)
        if picture is None:
            self._at_s += timeout_s
            return None
        self._at_s += 1 / self._rate
        self.deliver(picture, "page", self.received + 1)
        return super().take(0.0)

    def _loop(self) -> Iterator[bytes | None]:
        with tempfile.TemporaryFile() as film:
            sizes, due_s = list[int](), 0.0
            for frame in open_source(str(DEMO_CLIP)):
                if frame.at >= due_s:
                    due_s += 1 / self._rate
                    sizes.append(film.write(jpeg(frame)))
            while True:
                film.seek(0)
                for size in sizes:
                    yield film.read(size)
                self.passes += 1
                yield from [None] * round(GONE_S)


def measure(minutes: float, rate: float, judge_each: int = 1) -> list[float]:
    """
    Play for ``minutes``, print a row for each tenth; return the memory in MB after each. ``judge_each``: after the
    first pass, pipeline and match get only every picture of that number, and all that say that the phone is gone.
    """
    header, inbox = shipped_header(), LoopingInbox(rate, minutes)
    picture = inbox.take(0.0)
    first = None if picture is None else decoded(picture.jpeg)
    assert first is not None
    pipeline, source = fresh_pipeline(header), PhoneSource(inbox, first)
    match, passes, memory = MatchLog(header), 0, list[float]()
    match.open()
    for frame in source:
        if not passes or frame.number % judge_each == 0 or frame.lost:
            lines = judged(match, pipeline.feed(frame), frame.at)
            if lines:
                freeze_lines(lines)
        if inbox.passes > passes:
            match, passes = MatchLog(header), inbox.passes
            match.open()
        if inbox.now_s() >= (len(memory) + 1) * 60 * minutes / PARTS:
            memory.append(used_memory_mb())
            row = {"minutes": round(inbox.now_s() / 60, 1), "memory_mb": round(memory[-1], 1), "passes": passes}
            row |= {"pictures": inbox.received}
            print(json.dumps(row), flush=True)
        if inbox.is_over:
            break
    return memory


def is_flat(memory: list[float]) -> bool:
    """
    Check whether memory no longer grows after the first tenths.

    >>> is_flat([100, 200, 210, 211, 210, 212, 211, 210, 212, 211]), is_flat([100 + 10 * n for n in range(10)])
    (True, False)
    """
    middle = len(memory) // 2
    return mean(memory[-3:]) <= (1 + MOST_GROWTH) * mean(memory[middle - 3 : middle])


def main() -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description="Check that a phone's memory stays flat.", allow_abbrev=False)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--rate", type=float, default=15.0, help="pictures a second")
    parser.add_argument("--judge-each", type=int, default=1, help="judge only each picture of such a number")
    asked = parser.parse_args()
    limit_heaps()
    memory = measure(asked.minutes, asked.rate, asked.judge_each)
    print(json.dumps({"flat": is_flat(memory), **vars(asked)}))
    return 0 if is_flat(memory) else 1


if __name__ == "__main__":
    sys.exit(main())

"""
Referees a recorded game as fast as the machine allows: source -> pipeline -> referee -> lines.

No thread, no page, no clock of its own: the same clip gives the same lines on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol


class Seen(Protocol):
    """A frame as far as webapp cares (``vision.capture.sources.Frame``)."""

    @property
    def image_bgr(self) -> Any:
        """(height, width, 3) uint8."""

    @property
    def number(self) -> int:
        """Which frame of the source."""

    @property
    def at(self) -> float:
        """Seconds since the source began."""

    @property
    def lost(self) -> str | None:
        """Why no new picture came, None when one did."""


class TableEye(Protocol):
    """The pipeline as far as the loop cares (``vision.pipeline.Pipeline``)."""

    def feed(self, frame: Any, /) -> tuple[Any, ...]:
        """What became certain with this frame."""

    def finish(self) -> tuple[Any, ...]:
        """What can still be said after the last frame."""

    @property
    def view(self) -> Any:
        """What it made of the newest frame, for ``vision.view.overlay``."""


class TableJudge(Protocol):
    """
    Who is told what the eye saw, and says lines to it: ``webapp.live.match.Match``, or
    ``webapp.live.still_pictures.Stills``.
    """

    def open(self) -> tuple[Mapping[str, Any], ...]:
        """The lines before anything was seen."""

    def judge(self, *events: Any) -> tuple[Mapping[str, Any], ...]:
        """The lines of what became known together."""

    def pass_time(self, at_s: float) -> tuple[Mapping[str, Any], ...]:
        """The lines of what has waited for so long that it is said now, nothing having happened by ``at_s``."""

    def finish(self) -> tuple[Mapping[str, Any], ...]:
        """The lines of what still waited, now that nothing more comes."""

    def on_board(self) -> Mapping[str, Any]:
        """What the page shows of it: fields of ``webapp.live.board.Snapshot``."""

    def summary(self, *, frames: int, seconds_of_clip: float, seconds_taken: float) -> Mapping[str, Any]:
        """The last line."""


def review(
    frames: Iterable[Seen], eye: TableEye, match: TableJudge, clock: Callable[[], float], *, frame_s: float = 0.0
) -> Iterator[Mapping[str, Any]]:
    """
    The lines of ``kozyr review --json``: header, events, what the referee says to each, the summary last.

    Lines come as soon as they are known. ``clock`` (seconds, any beginning) only measures ``seconds_taken``;
    ``frame_s`` is how long a frame lasts, so that the last one counts into ``seconds_of_clip`` too.
    """
    began = clock()
    yield from match.open()
    count, first_s, end_s = 0, None, 0.0
    for frame in frames:
        first_s = frame.at if first_s is None else first_s
        count, end_s = count + 1, frame.at + frame_s
        yield from match.judge(*eye.feed(frame))
        yield from match.pass_time(frame.at)
    yield from match.judge(*eye.finish())
    yield from match.finish()
    yield match.summary(frames=count, seconds_of_clip=end_s - (first_s or 0.0), seconds_taken=clock() - began)


def begun_at(frames: Iterable[Seen], begin_s: float) -> Iterator[Seen]:
    """The frames from a second of the clip on; their times stay the clip's own."""
    return (frame for frame in frames if frame.at >= begin_s)

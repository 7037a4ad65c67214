"""
Referee a recorded game as fast as the machine allows.

The loop has no thread, no page and no clock: the same clip gives the same lines on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from webapp.live.interfaces import Line, Seen
from webapp.live.session import MatchSession


def review(
    session: MatchSession,
    frames: Iterable[Seen],
    clock: Callable[[], float],
    *,
    notice: Callable[[Seen], None] = lambda frame: None,
) -> Iterator[Line]:
    """
    Yield the lines of ``kozyr review --json``: header, events, each with its rulings and announcements, and a summary.

    Lines come as soon as they are known. ``clock`` (seconds, from any origin) only measures ``seconds_taken``.
    ``notice`` is called after each frame, before its lines.
    """
    began = clock()
    yield from session.begin().lines
    count, first_s, end_s = 0, None, 0.0
    for frame in frames:
        first_s = frame.at if first_s is None else first_s
        count, end_s = count + 1, frame.at + session.frame_s
        update = session.on_frame(frame)
        notice(frame)
        yield from update.lines
    yield from session.finish().lines
    yield session.match.summary(frames=count, seconds_of_clip=end_s - (first_s or 0.0), seconds_taken=clock() - began)


def begun_at(frames: Iterable[Seen], begin_s: float) -> Iterator[Seen]:
    """Yield the frames from a second of the clip on; their times stay the clip's own."""
    return (frame for frame in frames if frame.at >= begin_s)

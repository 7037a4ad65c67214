"""Run `kozyr trace`: write the results of every stage at a moment of a recorded game, as a page and as data."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path

from referee.belief.decide import THRESHOLDS
from vision.capture.sources import Source, open_source
from vision.inference_schedule import INFERENCE_GAP_S
from webapp.commands.line_printer import print_notes
from webapp.commands.match_header import header_for
from webapp.commands.options import TraceOptions, read_options
from webapp.commands.review import check_within, too_short
from webapp.errors import WrongCallError
from webapp.live.interfaces import Seen
from webapp.live.session import MatchSession
from webapp.live.trace_recorder import TraceFolder, TraceRecorder
from webapp.match.log import REPORT_DELAY_S, MatchLog
from webapp.output import say_json, say_text
from webapp.web.trace_page import trace_page

MOST_INFERENCES = 2000
"""Longest span in seconds: a longer one makes half a gigabyte and a page that hardly opens."""
AFTERWARDS_S = THRESHOLDS.doubtful_s + REPORT_DELAY_S
"""Seconds after which an event has been ruled on at the latest, if nothing else happens."""


def call(arguments: argparse.Namespace) -> int:
    """Run `kozyr trace`."""
    return run_trace(read_options(TraceOptions, arguments))


def run_trace(options: TraceOptions) -> int:
    """Play the clip to the end of the span, and write what each stage found within it; return the exit status."""
    since, until, clip = options.since_s, options.until_s, options.clip
    check_span(since, until)
    header = header_for(options.review.header)
    with ExitStack() as parts:
        source = parts.enter_context(open_source(clip))
        check_clip(source, clip, until)
        folder = TraceFolder(options.out)
        parts.callback(folder.close)
        about = {
            "kind": "trace",
            "clip": Path(source.name).name,
            "from": since,
            "to": until,
            "header": header.as_json(),
            "version": version("kozyr"),
        }
        folder.line(about)
        recorder = TraceRecorder(folder, since, until)
        session = MatchSession.open(options.review.match(header), source=source, observer=recorder)
        reached = play(source, parts.enter_context(session), recorder, since, until)
        if reached < since:
            raise too_short(clip, since)
        page = folder.page(trace_page(about, recorder.entries))
    inferences = sum(entry["kind"] == "look" for entry in recorder.entries)
    events = sum(entry["kind"] == "line" and "event" in entry["line"] for entry in recorder.entries)
    if options.review.as_json:
        say_json({"page": str(page), "from": since, "to": until, "looks": inferences, "events": events})
    else:
        say_text(
            f"{page}: {inferences} inferences and {events} events from {since:g} to {until:g} s; open it in a browser"
        )
    return print_notes(source)


def check_span(since: float, until: float) -> None:
    """Raise ``WrongCallError`` unless the span can be shown."""
    if since >= until:
        raise WrongCallError(f"expected --from before --to, got {since:g} and {until:g}; turn them round")
    longest = MOST_INFERENCES * INFERENCE_GAP_S
    if until - since > longest:
        raise WrongCallError(
            f"expected a span of {longest:g} s at most, {MOST_INFERENCES} inferences, "
            f"got {until - since:g} s; name a shorter one"
        )


def check_clip(source: Source, clip: str, until: float) -> None:
    """Raise ``WrongCallError`` unless the clip can be traced up to that time."""
    if source.live:
        raise WrongCallError(f"expected a recorded clip, got {clip}, which is live; 'kozyr watch' keeps a film of it")
    if source.stills:
        raise WrongCallError(f"expected a clip of a game, got {clip}, pictures that stand alone; use 'kozyr read'")
    check_within(source, clip, "--to", until)


def play(frames: Iterable[Seen], session: MatchSession, recorder: TraceRecorder, since: float, until: float) -> float:
    """
    Play up to a time, and on until everything until then has been ruled on; return the time of the last frame, -1
    without one.
    """
    match = session.match
    assert isinstance(match, MatchLog), "a clip was checked to be no pictures that stand alone"
    recorder.lines(session.begin().lines, 0.0)
    reached = -1.0
    for frame in frames:
        if frame.at > until + AFTERWARDS_S:
            return reached
        if reached < since <= frame.at:
            recorder.state(match.view.state, frame.at)
        reached = frame.at
        update = session.on_frame(frame)
        recorder.lines(update.lines, frame.at)
        if any(line.get("event", "tick") != "tick" for line in update.lines):
            recorder.state(match.view.state, frame.at)
    recorder.lines(session.finish().lines, reached)
    return reached

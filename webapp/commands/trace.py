"""`kozyr trace`: what every stage saw and thought of a moment of a recorded game, as a page and as data."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path

from referee.belief.decide import THRESHOLDS
from vision.capture.sources import Source, open_source
from vision.geometry.zones import NOTHING_SAID
from vision.look_schedule import LookSettings
from webapp.commands.clip_span import check_within, too_short
from webapp.commands.match_header import Wishes, header_for
from webapp.commands.match_parts import pipeline_for, told, zones_file
from webapp.errors import WrongCallError
from webapp.live.match import TELLING_S, Match
from webapp.live.review_loop import Seen, TableEye
from webapp.live.trace_recorder import TraceFolder, TraceRecorder
from webapp.output import say_json, say_text
from webapp.web.trace_page import trace_page

MOST_LOOKS = 2000
"""A folder of more is of no use to anybody: half a gigabyte, and a page that hardly opens."""
AFTERWARDS_S = THRESHOLDS.doubtful_s + TELLING_S
"""A ruling comes so long after its event at the latest, where nothing else happens."""


def run_trace(arguments: argparse.Namespace, wishes: Wishes) -> int:
    """Play the clip to the end of the span, and write what was seen and thought within it."""
    since, until = arguments.begin_s, arguments.end_s
    check_span(since, until)
    header = header_for(wishes)
    arguments.record = None
    with ExitStack() as parts:
        source = parts.enter_context(open_source(arguments.clip))
        check_clip(source, arguments.clip, until)
        zones = zones_file(arguments, arguments.clip)
        said = NOTHING_SAID if zones is None else zones.read(header.seats, must_be=True)
        match = Match(header, None, arguments.language)
        folder = TraceFolder(arguments.out)
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
        eye = pipeline_for(header, arguments, said, recorder)
        reached = play(source, eye, match, recorder, since, until)
        if reached < since:
            raise too_short(arguments.clip, since)
        page = folder.page(trace_page(about, recorder.entries))
    looks = sum(entry["kind"] == "look" for entry in recorder.entries)
    events = sum(entry["kind"] == "line" and "event" in entry["line"] for entry in recorder.entries)
    if arguments.json:
        say_json({"page": str(page), "from": since, "to": until, "looks": looks, "events": events})
    else:
        say_text(f"{page}: {looks} looks and {events} events from {since:g} to {until:g} s; open it in a browser")
    return told(source)


def check_span(since: float, until: float) -> None:
    """A span that can be shown; else ``WrongCallError``."""
    if since >= until:
        raise WrongCallError(f"expected --from before --to, got {since:g} and {until:g}; turn them round")
    longest = MOST_LOOKS * LookSettings().gap_s
    if until - since > longest:
        raise WrongCallError(
            f"expected a span of {longest:g} s at most, {MOST_LOOKS} looks, got {until - since:g} s; name a shorter one"
        )


def check_clip(source: Source, clip: str, until: float) -> None:
    """A clip that can be traced up to a moment; else ``WrongCallError``."""
    if source.live:
        raise WrongCallError(f"expected a recorded clip, got {clip}, which is live; 'kozyr watch' keeps a film of it")
    if source.stills:
        raise WrongCallError(f"expected a clip of a game, got {clip}, pictures that stand alone; use 'kozyr read'")
    check_within(source, clip, "--to", until)


def play(
    frames: Iterable[Seen], eye: TableEye, match: Match, recorder: TraceRecorder, since: float, until: float
) -> float:
    """
    Play up to a moment, and on until what happened by then has been ruled on; the time of the last frame that was
    played, -1 where there was none.
    """
    recorder.lines(match.open(), 0.0)
    reached = -1.0
    for frame in frames:
        if frame.at > until + AFTERWARDS_S:
            return reached
        if reached < since <= frame.at:
            recorder.state(match.state, frame.at)
        reached = frame.at
        events = eye.feed(frame)
        recorder.lines((*match.judge(*events), *match.pass_time(frame.at)), frame.at)
        if events:
            recorder.state(match.state, frame.at)
    recorder.lines((*match.judge(*eye.finish()), *match.finish()), reached)
    return reached

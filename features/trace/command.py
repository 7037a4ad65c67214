"""
Run `kozyr trace`: write the results of every stage at a moment of a recorded game, as a page and as data.

The recorder follows the clip from its beginning, since an event may depend on earlier observations, but keeps only
entries within the span. The lines of the match stand between the inferences at which they were reported.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

import cv2

from features.trace.options import TraceOptions
from features.trace.trace import draw_inference, evidence_as_json, inference_as_json
from referee.belief.decide import THRESHOLDS
from referee.record import event_to_json
from vision.capture.sources import Frame, open_source
from vision.inference_schedule import INFERENCE_GAP_S
from vision.view.observer import EvidenceRecord, InferenceRecord
from webapp.commands.line_printer import print_notes
from webapp.commands.match_header import header_for
from webapp.commands.review import check_within, too_short
from webapp.errors import OutputLostError, UnusableInputError, WrongCallError
from webapp.live.session import MatchSession
from webapp.match.log import REPORT_DELAY_S, MatchLog
from webapp.output import as_line, say_json, say_text

DATA, PAGE, PICTURES = "trace.jsonl", "index.html", "looks"
JPEG_QUALITY = 82
"""JPEG quality: a picture of 1280 x 720 takes some 200 kB, and its labels stay sharp."""
MOST_INFERENCES = 2000
"""In the longest span: a longer one makes half a gigabyte and a page that hardly opens."""
AFTERWARDS_S = THRESHOLDS.doubtful_s + REPORT_DELAY_S
"""Seconds after which an event has been ruled on at the latest, if nothing else happens."""


def run(options: TraceOptions) -> int:
    """Play the clip to the end of the span, and write what each stage found within it; return the exit status."""
    since, until, clip = options.since_s, options.until_s, options.clip
    longest = MOST_INFERENCES * INFERENCE_GAP_S
    if since >= until:
        raise WrongCallError(f"expected --from before --to, got {since:g} and {until:g}; turn them round")
    if until - since > longest:
        raise WrongCallError(
            f"expected a span of {longest:g} s at most, {MOST_INFERENCES} inferences, "
            f"got {until - since:g} s; name a shorter one"
        )
    header = header_for(options.review.header)
    with ExitStack() as parts:
        source = parts.enter_context(open_source(clip))
        if source.live:
            kept = "'kozyr watch' keeps a film of it"
            raise WrongCallError(f"expected a recorded clip, got {clip}, which is live; {kept}")
        if source.stills:
            raise WrongCallError(f"expected a clip of a game, got {clip}, pictures that stand alone; use 'kozyr read'")
        check_within(source, clip, "--to", until)
        about = {
            "kind": "trace",
            "clip": Path(source.name).name,
            "from": since,
            "to": until,
            "header": header.as_json(),
            "version": version("kozyr"),
        }
        recorder = TraceRecorder(options.out, since, until)
        parts.callback(recorder.close)
        recorder.keep(about)
        session = MatchSession.open(options.review.match(header), source=source, observer=recorder)
        reached = play(source, parts.enter_context(session), recorder, since, until)
        if reached < since:
            raise too_short(clip, since)
        page = recorder.page()
    inferences = sum(entry["kind"] == "look" for entry in recorder.entries)
    events = sum(entry["kind"] == "line" and "event" in entry["line"] for entry in recorder.entries)
    if options.review.as_json:
        say_json({"page": str(page), "from": since, "to": until, "looks": inferences, "events": events})
    else:
        say_text(
            f"{page}: {inferences} inferences and {events} events from {since:g} to {until:g} s; open it in a browser"
        )
    return print_notes(source)


def play(frames: Iterable[Frame], session: MatchSession, recorder: TraceRecorder, since: float, until: float) -> float:
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


class TraceRecorder:
    """
    An observer of the pipeline that writes a folder: a line of data for each step, a picture for each inference.

    ``since``, ``until``: the span in seconds. ``entries``: the lines of ``trace.jsonl`` so far: each has ``kind``
    (``trace``, ``look``, ``judged``, ``line`` or ``state``) and, but for the first, ``when``, the time of the frame at
    which it came: within the span, except for rulings, which come a little after their event.

    Raises ``OutputLostError`` if the folder can't be written, ``UnusableInputError`` if other files lie in it; an
    earlier trace is overwritten.
    """

    def __init__(self, folder: Path, since: float, until: float) -> None:
        self._folder, self._since, self._until = folder, since, until
        self.entries: list[Mapping[str, Any]] = []
        self._last: dict[str, Any] | None = None
        with self._written():
            if folder.exists() and any(folder.iterdir()) and not (folder / DATA).is_file():
                raise UnusableInputError(
                    f"{folder}: expected an empty folder or an earlier trace, got one with other files; name another"
                )
            (folder / PICTURES).mkdir(parents=True, exist_ok=True)
            for old in (folder / PICTURES).glob("*.jpg"):
                old.unlink()
            (folder / PAGE).unlink(missing_ok=True)
            self._data: IO[str] = (folder / DATA).open("w", encoding="utf-8", newline="\n")

    def on_inference(self, inference: InferenceRecord) -> None:
        at = inference.frame.at
        if not self._since <= at <= self._until:
            return
        name = f"{PICTURES}/{inference.number:05}.jpg"
        is_made, coded = cv2.imencode(".jpg", draw_inference(inference), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        assert is_made
        with self._written():
            (self._folder / name).write_bytes(coded.tobytes())
        self.keep({"kind": "look", "when": round(at, 3), **inference_as_json(inference), "picture": name})

    def on_evidence(self, judged: EvidenceRecord) -> None:
        """Write evidence that was observed, reported or waits; repetitions are left out."""
        if not self._since <= judged.at <= self._until:
            return
        # The result for the evidence is last; a report that the table is hidden precedes it, without evidence.
        made = judged.reported[len(judged.reported) - len(judged.confirmed) :]
        entry = {
            "waiting": [evidence_as_json(evidence) for evidence in judged.waiting],
            "told": [event_to_json(event) for event in judged.reported],
            "settled": [
                evidence_as_json(evidence, event) for evidence, event in zip(judged.confirmed, made, strict=True)
            ],
            "notes": [{"label": note.label, "text": note.text} for note in judged.notes],
        }
        if entry != self._last or judged.noticed:
            self._last = entry
            noticed = [evidence_as_json(evidence) for evidence in judged.noticed]
            self.keep({"kind": "judged", "when": round(judged.at, 3), "noticed": noticed, **entry})

    def lines(self, lines: Sequence[Mapping[str, Any]], at: float) -> None:
        """Write lines of the match that came with the frame at ``at``; after the span, rulings on lines within it."""
        for line in lines:
            is_ruling = at > self._until and "event" not in line and self._since <= line["at"] <= self._until
            if self._since <= at <= self._until or is_ruling:
                self.keep({"kind": "line", "when": round(at, 3), "line": dict(line)})

    def state(self, state: Mapping[str, Any], at: float) -> None:
        if self._since <= at <= self._until:
            self.keep({"kind": "state", "when": round(at, 3), "state": dict(state)})

    def keep(self, entry: Mapping[str, Any]) -> None:
        self.entries.append(entry)
        with self._written():
            self._data.write(as_line(entry) + "\n")
            self._data.flush()

    def page(self) -> Path:
        template = files("features.trace").joinpath("templates", "trace.html").read_text("utf-8")
        data = json.dumps(self.entries, ensure_ascii=False).replace("<", "\\u003c")
        path = self._folder / PAGE
        with self._written():
            path.write_text(template.replace("null; // the lines of trace.jsonl", f"{data};"), "utf-8", newline="\n")
        return path

    def close(self) -> None:
        self._data.close()

    @contextmanager
    def _written(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OutputLostError(
                f"The operating system refused: {self._folder}: {error.strerror}; name another folder for the trace "
                "with --out, or make room"
            ) from None

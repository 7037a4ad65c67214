"""
Record what the pipeline found within a span of time: a line of data for each step, a picture for each inference.

The recorder follows the clip from its beginning, since an event may depend on earlier observations, but keeps only
entries within the span. The lines of the match stand between the inferences at which they were reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import cv2

from referee.record import event_to_json
from vision.observation import Observation
from vision.view.observer import EvidenceRecord, InferenceRecord
from vision.view.trace import Grounds, evidence_as_json, inference_as_json, notes_as_json, same_table, table_as_json
from vision.view.trace_picture import draw_inference
from webapp.errors import OutputLostError, UnusableInputError
from webapp.output import as_line

DATA = "trace.jsonl"
PAGE = "index.html"
PICTURES = "looks"
JPEG_QUALITY = 82
"""JPEG quality: a picture of 1280 x 720 takes some 200 kB, and its labels stay sharp."""


class TraceFolder:
    """
    The folder of a trace. Raises ``OutputLostError`` if it can't be written, ``UnusableInputError`` if other files lie
    in it; an earlier trace is overwritten.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            if path.exists() and any(path.iterdir()) and not (path / DATA).is_file():
                raise UnusableInputError(
                    f"{path}: expected an empty folder or an earlier trace, got one with other files; name another"
                )
            (path / PICTURES).mkdir(parents=True, exist_ok=True)
            for old in (path / PICTURES).glob("*.jpg"):
                old.unlink()
            (path / PAGE).unlink(missing_ok=True)
            self._data: IO[str] = (path / DATA).open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise self._lost(error) from None

    def line(self, entry: Mapping[str, Any]) -> None:
        """Append a line of data."""
        try:
            self._data.write(as_line(entry) + "\n")
            self._data.flush()
        except OSError as error:
            raise self._lost(error) from None

    def picture(self, inference: InferenceRecord) -> str:
        """Write the picture of an inference; return its path relative to the page."""
        name = f"{PICTURES}/{inference.number:05}.jpg"
        is_made, coded = cv2.imencode(".jpg", draw_inference(inference), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        assert is_made
        try:
            (self._path / name).write_bytes(coded.tobytes())
        except OSError as error:
            raise self._lost(error) from None
        return name

    def page(self, html: str) -> Path:
        """Write the page; return its path."""
        path = self._path / PAGE
        try:
            path.write_text(html, encoding="utf-8", newline="\n")
        except OSError as error:
            raise self._lost(error) from None
        return path

    def close(self) -> None:
        """Close the data file; its lines are already written."""
        self._data.close()

    def _lost(self, error: OSError) -> OutputLostError:
        return OutputLostError(
            f"{self._path}: expected a folder where a trace can be written, got {error.strerror!r}; name another with "
            "--out, or make room"
        )


class TraceRecorder:
    """
    An observer of the pipeline (``vision.view.observer.PipelineObserver``). ``since``, ``until``: the span in seconds.

    ``entries``: the lines of ``trace.jsonl`` so far: each has ``kind`` (``look``, ``judged``, ``line`` or
    ``state``) and ``when``, the time of the frame at which it came: within the span, except for rulings, which come a
    little after their event.
    """

    def __init__(self, folder: TraceFolder, since: float, until: float) -> None:
        self._folder, self._since, self._until = folder, since, until
        self.entries: list[Mapping[str, Any]] = []
        self._grounds = Grounds()
        self._before: dict[str, Any] | None = None
        self._now: dict[str, Any] | None = None
        self._last: dict[str, Any] | None = None

    def on_inference(self, inference: InferenceRecord) -> None:
        """Write the picture and data of an inference within the span."""
        if inference.observation is not None:
            self._record(inference.observation)
        if self._is_within(inference.frame.at):
            self._keep(
                "look", inference.frame.at, {**inference_as_json(inference), "picture": self._folder.picture(inference)}
            )

    def on_evidence(self, judged: EvidenceRecord) -> None:
        """Write evidence that was observed, reported or waits; repetitions are left out."""
        noticed = [each.event for each in judged.noticed]
        self._grounds.heard(noticed)
        if not self._is_within(judged.at):
            return
        # The result for the evidence is last; a report that the table is hidden precedes it, without evidence.
        made = judged.reported[len(judged.reported) - len(judged.confirmed) :]
        entry = {
            "waiting": [evidence_as_json(each) for each in judged.waiting],
            "told": [event_to_json(event) for event in judged.reported],
            "settled": [evidence_as_json(each, event) for each, event in zip(judged.confirmed, made, strict=True)],
            "notes": notes_as_json(judged.notes),
        }
        if entry == self._last and not judged.noticed:
            return
        self._last = entry
        self._keep(
            "judged",
            judged.at,
            {
                "noticed": [evidence_as_json(each) for each in judged.noticed],
                **entry,
                "rests_on": [self._grounds.of(event, judged.hands) for event in noticed],
                "before": self._before,
                "after": self._now,
            },
        )

    def lines(self, lines: Sequence[Mapping[str, Any]], at: float) -> None:
        """Write lines of the match that came with the frame at ``at``; after the span, rulings on lines within it."""
        for line in lines:
            if self._is_within(at) or (at > self._until and "event" not in line and self._is_within(line["at"])):
                self._keep("line", at, {"line": dict(line)})

    def state(self, state: Mapping[str, Any], at: float) -> None:
        """Write the position after the frame at ``at``."""
        if self._is_within(at):
            self._keep("state", at, {"state": dict(state)})

    def _record(self, seen: Observation) -> None:
        self._grounds.record(seen)
        table = table_as_json(seen)
        if self._now is None or not same_table(self._now, table):
            self._before = self._now
        self._now = table

    def _is_within(self, at: float) -> bool:
        return self._since <= at <= self._until

    def _keep(self, kind: str, when: float, what: Mapping[str, Any]) -> None:
        entry = {"kind": kind, "when": round(when, 3), **what}
        self.entries.append(entry)
        self._folder.line(entry)

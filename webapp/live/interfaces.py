"""Declare the interfaces of a match session's parts: frames, a vision pipeline, a match, writers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from referee.cards import Card
from vision.view.pipeline_view import PipelineView
from webapp.match.view import View

Line = Mapping[str, Any]
"""A line of docs/record.md: a header, an event, a ruling, an announcement or a summary."""


class Seen(Protocol):
    """A frame (``vision.capture.sources.Frame``)."""

    @property
    def image_bgr(self) -> Any:
        """Return the picture: (height, width, 3) uint8."""

    @property
    def number(self) -> int:
        """Return the number of the frame in its source."""

    @property
    def at(self) -> float:
        """Return the seconds since the source began."""

    @property
    def lost(self) -> str | None:
        """Return why no new picture came, None if one did."""

    @property
    def cause(self) -> str | None:
        """Return the code of that reason for the pages' own sentence, None if it has none."""


class TablePipeline(Protocol):
    """A vision pipeline (``vision.pipeline.Pipeline``, or ``vision.still.pipeline.StillPipeline``)."""

    def feed(self, frame: Any, /) -> tuple[Any, ...]:
        """Process a frame; return the events that became certain with it."""

    def finish(self) -> tuple[Any, ...]:
        """Return the events that are certain after the last frame."""

    @property
    def view(self) -> PipelineView | None:
        """Return the state of the pipeline after the newest frame; None before the first picture was read."""


@runtime_checkable
class TakesLabels(Protocol):
    """A vision pipeline that takes a card's name from people."""

    def name(self, was: Card, card: Card) -> None:
        """Override the name of a card on the table."""


class TableJudge(Protocol):
    """Rules on events: ``webapp.match.log.MatchLog`` or ``webapp.live.vision_opening.Stills``."""

    def open(self) -> tuple[Line, ...]:
        """Return the lines before the first event."""

    def judge(self, *events: Any) -> tuple[Line, ...]:
        """Return the lines of events that became certain together."""

    def pass_time(self, at_s: float) -> tuple[Line, ...]:
        """Return the lines of rulings that have waited long enough, if no event came by ``at_s``."""

    def finish(self) -> tuple[Line, ...]:
        """Return the lines of rulings that still waited at the end."""

    @property
    def lines(self) -> list[Line]:
        """Return all lines so far."""

    @property
    def result(self) -> Line | None:
        """Return the result of the deal, None while it goes on."""

    @property
    def view(self) -> View:
        """Return what pages show of the match."""

    def summary(self, *, frames: int, seconds_of_clip: float, seconds_taken: float) -> Line:
        """Return the last line."""

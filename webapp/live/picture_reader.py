"""Declare what a match asks of its pipeline, and what a feature has in place of a game for single pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from vision.detection.card_detector import NetworkCardDetector
from vision.view.pipeline_view import PipelineView
from webapp.live.match_options import MatchOptions
from webapp.match.log import Line, MatchKeeper
from webapp.match.view import View


class TablePipeline(Protocol):
    """A vision pipeline: ``feed`` and ``finish`` return the events that are certain then."""

    def feed(self, frame: Any, /) -> tuple[Any, ...]: ...

    def finish(self) -> tuple[Any, ...]: ...

    @property
    def view(self) -> PipelineView | None: ...


class PictureLog(Protocol):
    """What was read on single pictures, in place of a match: what a ``MatchLog`` has, without rulings."""

    lines: list[Line]
    result: Line | None

    def open(self) -> tuple[Line, ...]: ...

    def judge(self, *events: Any) -> tuple[Line, ...]: ...

    def pass_time(self, at_s: float) -> tuple[Line, ...]: ...

    def finish(self) -> tuple[Line, ...]: ...

    @property
    def view(self) -> View: ...

    def summary(self, **played: float) -> Line: ...


OpensPictures = Callable[[NetworkCardDetector, int, MatchOptions, MatchKeeper | None], tuple[TablePipeline, PictureLog]]
"""Makes the reader of single pictures of a detector, the number of cards in play, the options and the record's file."""

"""Read a sequence of single pictures, each independently of the others."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from features.stills.reading import StillReading, StillSettings, as_line, read_still
from referee.cards import Card
from vision.capture.sources import Frame
from vision.detection.card_detector import CardDetector
from vision.detection.detections import BACK
from vision.layout import TableLayout
from vision.view.pipeline_view import PipelineView, SeenCard


@dataclass(frozen=True, slots=True)
class PictureRead:
    """The reading of one picture. ``at``: when it was shown, seconds. ``line``: as in docs/record.md."""

    at: float
    line: Mapping[str, Any]


class StillPipeline:
    """Turns frames into one ``PictureRead`` for each new picture."""

    def __init__(self, detector: CardDetector, settings: StillSettings) -> None:
        self._detector, self._settings = detector, settings
        self._showing: str | None = None
        self.view: PipelineView | None = None

    def feed(self, frame: Frame) -> tuple[PictureRead, ...]:
        """Read the frame's picture if it is new."""
        if frame.still is None or frame.still == self._showing:
            return ()
        self._showing = frame.still
        began = time.perf_counter()
        reading = read_still(self._detector, frame.image_bgr, self._settings)
        took_ms = (time.perf_counter() - began) * 1e3
        self.view = view_of(reading, frame)
        return (PictureRead(frame.at, as_line(frame.still, frame.image_bgr, reading, took_ms)),)

    def finish(self) -> tuple[PictureRead, ...]:
        """Return nothing: no result is pending."""
        return ()


def view_of(reading: StillReading, frame: Frame) -> PipelineView:
    """Return the reading as the view that the overlay draws."""
    under = {defence: attack for attack, defence in reading.pairs if defence is not None}
    cards = tuple(
        SeenCard(
            key=key,
            corners_px=tuple((float(x), float(y)) for x, y in seen.corners_px),
            card=None if seen.card == BACK else Card.parse(seen.card),
            confidence=seen.confidence,
            zone="heap" if seen.card == BACK else "bout",
            on=Card.parse(reading.cards[under[key]].card) if key in under else None,
            is_confirmed=True,
            on_key=under.get(key),
        )
        for key, seen in enumerate(reading.cards)
    )
    size = (frame.image_bgr.shape[1], frame.image_bgr.shape[0])
    return PipelineView(frame.number, frame.at, cards, (), TableLayout.guessed(size, ()))

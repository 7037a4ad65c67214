"""
Observers of the pipeline receive each inference and the results of all stages.

An observer changes nothing. It is called on the pipeline's own thread, between two steps, and should be quick.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from referee.events import TableEvent
from vision.actions.evidence import Evidence
from vision.capture.sources import Frame
from vision.detection.detections import Detections
from vision.inference_schedule import InferenceReason
from vision.layout import TableLayout
from vision.motion.arm_regions import Flags
from vision.motion.hand_pass import HandPass
from vision.motion.motion_report import MotionReport
from vision.table.observation import Observation
from vision.table.track import Track
from vision.view.pipeline_view import SeenCard


@dataclass(frozen=True, slots=True)
class Note:
    """What can't be reported yet, or a sign that an event was missed. ``label``: its kind; ``text``: in plain words."""

    label: str
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class TracksRecord:
    """
    What an inference made of the tracks.

    ``tracks``: the pipeline's own, which change with the next inference; ``cards``: the same for display, in the same
    order. ``begun``: keys of the new ones. ``gone``: those that ended with it.
    """

    tracks: tuple[Track, ...]
    cards: tuple[SeenCard, ...]
    begun: frozenset[int]
    gone: tuple[Track, ...]


@dataclass(frozen=True, slots=True, eq=False)
class InferenceRecord:
    """
    One inference, and the results of all stages.

    ``number`` counts from 1. ``report``: motion detection on this frame; ``changed``: (rows, columns) of its reduced
    picture, what had changed since the inference before. ``detected``: all detections; ``used``: those that were
    used, with cards found by asking about places; None if the table was not re-identified. ``observation``: None while
    the table is not re-identified.
    """

    number: int
    frame: Frame
    reason: InferenceReason
    report: MotionReport
    changed: Flags
    detected: Detections
    used: Detections | None
    tracked: TracksRecord
    layout: TableLayout
    hands: tuple[HandPass, ...]
    observation: Observation | None


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    """
    The evidence and events of one frame. ``noticed``: evidence of this frame. ``waiting``: evidence that waits for a
    further inference. ``confirmed``: evidence that was resolved, and ``reported``: the same as events. ``hands``: those
    of the last seconds. ``notes``: evidence that cannot be reported yet, and signs that an event was missed.
    """

    at: float
    noticed: tuple[Evidence, ...]
    waiting: tuple[Evidence, ...]
    confirmed: tuple[Evidence, ...]
    reported: tuple[TableEvent, ...]
    hands: tuple[HandPass, ...]
    notes: tuple[Note, ...] = ()


class PipelineObserver(Protocol):
    """Receives every inference, and every frame with evidence or events."""

    def on_inference(self, record: InferenceRecord) -> None:
        """Process an inference, after all stages."""

    def on_evidence(self, record: EvidenceRecord) -> None:
        """Process the evidence and the events of a frame."""

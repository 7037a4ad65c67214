"""
Who may watch the pipeline at work: what it saw with each look, and what it made of what had changed.

An observer changes nothing. It is called on the pipeline's own thread, between two steps, and should be quick.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from referee.events import TableEvent
from vision.capture.sources import Frame
from vision.detection.detections import Detections
from vision.events.evidence import Evidence
from vision.geometry.table_layout import TableLayout
from vision.inference_schedule import InferenceReason
from vision.motion.arm_regions import Flags
from vision.motion.motion_report import MotionReport
from vision.observation import HandVisit, Observation
from vision.tracking.track import Track
from vision.view.pipeline_view import SeenCard


@dataclass(frozen=True, slots=True)
class Note:
    """
    One thing that was weighed.

    ``label``: what kind of thing, in a word or two. ``text``: the thing itself, in plain words. ``weight``: how much it
    counted (a probability or a log-likelihood, as ``label`` says), None where it is not a matter of degree.
    """

    label: str
    text: str
    weight: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class InferenceRecord:
    """
    One look, and what all stages made of it.

    ``number`` counts from 1. ``report`` is the gate's of this frame; ``changed`` (rows, columns), of its reduced
    picture: what had changed since the look before. ``detected``: all that the detector found; ``used``: what was
    handed on, with what was found by asking about places; None where the table was not known again. ``tracks`` are the
    cards that are followed now, the pipeline's own, which change with the next look; ``cards``: the same for people to
    see, in the same order. ``begun``: keys of the new ones. ``gone``: those that were given up with this look.
    ``observation``: the table as it is thought to lie, None while that is not known. ``notes``: anything else.
    """

    number: int
    frame: Frame
    reason: InferenceReason
    report: MotionReport
    changed: Flags
    detected: Detections
    used: Detections | None
    tracks: tuple[Track, ...]
    cards: tuple[SeenCard, ...]
    begun: frozenset[int]
    gone: tuple[Track, ...]
    layout: TableLayout
    hands: tuple[HandVisit, ...]
    observation: Observation | None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    """
    What was made of what had changed, at one frame.

    ``noticed``: what became known with this frame. ``waiting``: what is to be looked at again before it is told.
    ``confirmed``: what came out of that, and ``reported``: the same as events. ``hands``: those of the last seconds.
    ``notes``: what was seen and can't be told yet, and what speaks for something having gone unseen.
    """

    at: float
    noticed: tuple[Evidence, ...]
    waiting: tuple[Evidence, ...]
    confirmed: tuple[Evidence, ...]
    reported: tuple[TableEvent, ...]
    hands: tuple[HandVisit, ...]
    notes: tuple[Note, ...] = ()


class PipelineObserver(Protocol):
    """Told of every look, and of every frame at which something was noticed or told."""

    def on_inference(self, look: InferenceRecord) -> None:
        """A look was taken, and all stages have taken it in."""

    def on_evidence(self, judged: EvidenceRecord) -> None:
        """Something was noticed, told, or waits to be told."""

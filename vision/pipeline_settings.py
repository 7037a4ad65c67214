"""The settings of all stages of the pipeline, and what its caller lends it (:mod:`vision.pipeline`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from vision.events.changes import ChangeSettings
from vision.events.evidence import Likelihoods
from vision.motion.background_subtraction import MotionDetector
from vision.motion.motion_report import MotionSettings
from vision.tracking.scene_tracker import SceneTrackerSettings
from vision.view.observer import PipelineObserver

# The settings of all stages. Times in seconds, chosen by hand, 2026-11.
BLOCKED_S = 3.0
"""A table hidden for so long is reported as blocked; a sleeve before the lens is not."""
INSERT_S = 8.0
"""How long a lost table is kept: films show other pictures in between and come back. Cards of the table shown
meanwhile that no hand was seen to lay are not reported within this time."""
READ_WHILE_MOVING_S = 1.0
"""While the camera moves, cards are read this often, for display only."""


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """The settings of all stages. Times in seconds, chosen by hand, 2026-11."""

    motion: MotionSettings = field(default_factory=MotionSettings)
    scene: SceneTrackerSettings = field(default_factory=SceneTrackerSettings)
    changes: ChangeSettings = field(default_factory=ChangeSettings)


@dataclass(frozen=True, slots=True)
class PipelineServices:
    """
    What the caller lends to a pipeline.

    ``clock``: in seconds, to time the stages; without one they are not timed. ``motion_detector``: makes the motion
    detection, another one for replaying a clip. ``observer``: is shown every inference and what was concluded from it.
    ``likelihoods``: how often evidence is right, by situation.
    """

    clock: Callable[[], float] | None = None
    motion_detector: Callable[[MotionSettings], MotionDetector] = MotionDetector
    observer: PipelineObserver | None = None
    likelihoods: Likelihoods = field(default_factory=Likelihoods.shipped)

"""The settings of all stages of the pipeline (:mod:`vision.pipeline`)."""

from __future__ import annotations

from dataclasses import dataclass, field

from vision.events.changes import ChangeSettings
from vision.events.glimpses import GlimpseSettings
from vision.events.hollow_visits import HollowVisitSettings
from vision.events.untold import UntoldSettings
from vision.look_schedule import LookSettings
from vision.motion.cards_among_arms import CardsAmongArmsSettings
from vision.motion.gate_settings import GateSettings
from vision.motion.hand_tracking import HandTrackerSettings
from vision.tracking.scene_tracker import SceneTrackerSettings


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """The settings of all stages."""

    gate: GateSettings = field(default_factory=GateSettings)
    hands: HandTrackerSettings = field(default_factory=HandTrackerSettings)
    looks: LookSettings = field(default_factory=LookSettings)
    among_arms: CardsAmongArmsSettings = field(default_factory=CardsAmongArmsSettings)
    scene: SceneTrackerSettings = field(default_factory=SceneTrackerSettings)
    changes: ChangeSettings = field(default_factory=ChangeSettings)
    untold: UntoldSettings = field(default_factory=UntoldSettings)
    glimpses: GlimpseSettings = field(default_factory=GlimpseSettings)
    hollow_visits: HollowVisitSettings = field(default_factory=HollowVisitSettings)
    blocked_s: float = 3.0
    """A table not seen for so long is reported. Longer: players hear late that nothing is followed; shorter: a sleeve
    before the lens is reported. Set by hand, 2026-11."""
    insert_s: float = 8.0
    """A table that was lost is remembered for so long: films show other pictures in between, and come back. So long
    cards of another table, which no hand was seen to lay, are not told either. Longer: a table that was moved is told
    later; shorter: pictures shown in between are told. Set by hand, 2026-11."""
    glimpse_s: float = 1.0
    """So often what lies there is read while the camera moves. Longer: the picture shows old names; shorter: dearer.
    Set by hand, 2026-11."""

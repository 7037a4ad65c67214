"""The people at a rendered table: whose arms they are, and where all bones and skin are at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from datasets.clips.gestures import OTHER
from datasets.clips.ground_truth import Moment
from datasets.clips.motion import ArmPose, Carry, Performance
from datasets.clips.stage import Stage, Vector
from datasets.rendered.arm_model import Build, load_arm
from datasets.rendered.arm_pose import SHAPES, HandShape, PosableArm, frame, from_table, upon_table
from datasets.rendered.seated_director import FAN, Fan, seat_directions

SHOULDER_MM = (150.0, 185.0, 330.0)
"""Where shoulders are: behind the place where arms enter, to the side, above the table."""
CLOSES_S = 0.16
"""Seconds that fingers take to close on a card, or to open."""
STEPS = 5
"""Number of distinct positions between an open and a closed hand."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """Colours of a person, linear RGB 0..1, and the build."""

    skin: tuple[float, float, float]
    sleeve: tuple[float, float, float]
    build: Build


@dataclass(frozen=True, slots=True, eq=False)
class ArmSurface:
    """An arm in the world frame: whose, and the vertices (n, 3) mm of skin and sleeve with their faces."""

    key: tuple[str, bool]
    skin: np.ndarray
    skin_faces: np.ndarray
    sleeve: np.ndarray
    sleeve_faces: np.ndarray


def between(a: HandShape, b: HandShape, share: float) -> HandShape:
    """Return a shape between two, in steps so that few are searched for."""
    share = round(share * (STEPS - 1)) / (STEPS - 1)
    if share in (0.0, 1.0):
        return b if share else a
    fingers = tuple(
        tuple(float(p + (q - p) * share) for p, q in zip(one, other, strict=True))
        for one, other in zip(a.fingers, b.fingers, strict=True)
    )
    thumb = tuple(float(p + (q - p) * share) for p, q in zip(a.thumb_to, b.thumb_to, strict=True))
    return replace(a, fingers=fingers, thumb_to=thumb, pitch=a.pitch + (b.pitch - a.pitch) * share)  # type: ignore[arg-type]


@dataclass(slots=True, eq=False)
class People:
    """Everybody at the table: their appearance and arms. ``left``: seats that play with the left hand."""

    stage: Stage
    appearances: Mapping[str, Appearance]
    left: frozenset[str] = frozenset()
    fans: Mapping[str, Fan] = field(default_factory=dict)
    arms: dict[tuple[str, bool], PosableArm] = field(default_factory=dict)
    grips: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    """For each seat, the spans (s) in which its playing hand holds a card."""

    @classmethod
    def seated(
        cls, wheel: Path, performance: Performance, appearances: Mapping[str, Appearance], left: frozenset[str],
        fans: Mapping[str, Fan],
    ) -> People:  # fmt: skip
        """Build the arms of all who play."""
        people = cls(performance.stage, appearances, left, fans)
        for seat, appearance in appearances.items():
            model = load_arm(wheel, appearance.build)
            for is_left in (False, True):
                people.arms[seat, is_left] = PosableArm(model, is_left)
        for action in performance.actions:
            if not action.hand.startswith(OTHER):
                spans = [(c.take, c.drop) for c in action.carries if isinstance(c, Carry)]
                people.grips.setdefault(action.seat, []).extend(spans)
        return people

    def is_left(self, arm: ArmPose) -> bool:
        """Check whether it is a left arm."""
        return (arm.seat in self.left) != arm.hand.startswith(OTHER)

    def shape(self, arm: ArmPose, at: float) -> HandShape:
        """Return the shape of the hand at a time (s)."""
        kind = arm.hand.removeprefix(OTHER)
        if kind != "pinch":
            return SHAPES[kind]
        closed = 0.0
        for take, drop in self.grips.get(arm.seat, ()):
            rises, falls = (at - take + CLOSES_S) / CLOSES_S, (drop + CLOSES_S - at) / CLOSES_S
            closed = max(closed, min(rises, falls, 1.0))
        return between(SHAPES["open"], SHAPES["pinch"], max(closed, 0.0))

    def surface(self, pose: ArmPose, at: float) -> ArmSurface:
        """Return the skin and sleeve of an arm at a time (s)."""
        left = self.is_left(pose)
        arm, shape = self.arms[pose.seat, left], self.shape(pose, at)
        out, right = seat_directions(self.stage, pose.seat)
        side = -right if left else right
        if pose.hand == FAN:
            fan = self.fans[pose.seat]
            forwards, face = from_table(fan.forwards), from_table(fan.face)
            hand = frame(forwards, face)
            tip = from_table(fan.pivot - fan.face * 5.0 + fan.up * 8.0)
        else:
            hand = upon_table(shape, pose.yaw, left)
            tip = from_table(np.array(pose.tip))
        shoulder = self._shoulder(pose.seat, out, side)
        placed = arm.reach(shape, tip, hand, from_table(shoulder), from_table(side))
        model = arm.model
        return ArmSurface(
            (pose.seat, left), arm.surface(placed, model.skin), model.skin.faces,
            arm.surface(placed, model.sleeve), model.sleeve.faces,
        )  # fmt: skip

    def _shoulder(self, seat: str, out: Vector, side: Vector) -> Vector:
        back, aside, height = SHOULDER_MM
        entry = self.stage.shoulder(seat)
        return np.asarray(entry + out * back + side * aside + np.array([0.0, 0.0, height]))

    def surfaces(self, moment: Moment) -> list[ArmSurface]:
        """Return all arms of a moment."""
        return [self.surface(pose, moment.at) for pose in moment.arms]

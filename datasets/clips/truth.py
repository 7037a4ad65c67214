"""What really happened: the record of a performance, and where everything was in each frame."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from datasets.clips.arms import Arm
from datasets.clips.motion import FPS, Action, ArmPose, Performance
from datasets.clips.rig import arm_outline_px, card_px
from datasets.clips.stage import Camera, Lying, Pose
from datasets.clips.story import Draw, Lay, Lift, Sweep
from referee.cards import Card

MASK_SCALE = 0.5
"""Visibility is counted on masks of this scale."""


@dataclass(frozen=True, slots=True)
class Moment:
    """All that is to be seen at one time: resting cards (lowest first), carried ones, arms."""

    at: float
    lying: tuple[Lying, ...]
    carried: tuple[Lying, ...]
    arms: tuple[ArmPose, ...]


class World:
    """Follows a performance frame by frame; ``lying`` keeps the order in which cards lie on each other."""

    def __init__(self, performance: Performance) -> None:
        self.performance = performance
        self.lying: dict[Card, Pose] = dict(performance.opening)
        self._carries = [(carry, action) for action in performance.actions for carry in action.carries]
        self._taken: set[int] = set()
        self._dropped: set[int] = set()

    def at(self, t: float) -> Moment:
        """The table at ``t``; times must not run backwards."""
        for index, (carry, _) in enumerate(self._carries):
            if index not in self._taken and carry.take <= t:
                self._taken.add(index)
                self.lying.pop(carry.card, None)
            if index in self._taken and index not in self._dropped and carry.drop <= t:
                self._dropped.add(index)
                if carry.end:
                    self.lying[carry.card] = carry.end
        carried, arms = [], []
        for action in self.performance.actions:
            if action.begins <= t <= action.ends:
                carried += [Lying(carry.card, pose) for carry, pose in action.carried(t)]
                arm = action.arm(t)
                if arm:
                    arms.append(arm)
        lying = tuple(Lying(card, pose) for card, pose in self.lying.items())
        return Moment(t, lying, tuple(carried), tuple(arms))


def _clear_of(outline_px: np.ndarray, quad_px: np.ndarray, margin_px: float = 2.0) -> bool:
    """Does the outline (n, 2) stay outside the quad (4, 2)?"""
    quad = quad_px.astype(np.float32).reshape(-1, 1, 2)
    low, high = quad_px.min(axis=0) - 4, quad_px.max(axis=0) + 4
    near = outline_px[((outline_px > low) & (outline_px < high)).all(axis=1)]
    if any(cv2.pointPolygonTest(quad, (float(x), float(y)), True) > -margin_px for x, y in near):
        return False
    shape = outline_px.astype(np.float32).reshape(-1, 1, 2)
    return all(cv2.pointPolygonTest(shape, (float(x), float(y)), False) < 0 for x, y in quad_px)


def set_times(performance: Performance, arms: dict[tuple[str, str], Arm]) -> None:
    """Find each action's ``at``: the first frame in which a camera can be certain of its step."""
    stage = performance.stage
    camera = stage.camera
    left, top, right, bottom = stage.bout_zone
    world = World(performance)
    for action in performance.actions:
        drawn = arms[action.seat, action.hand]
        world.at(action.begins)
        talon = [card_px(camera, world.lying[card]) for card in performance.story.start.talon if card in world.lying]
        after = max(c.drop if isinstance(action.step, Lay) else c.take for c in action.carries)

        def certain(
            t: float,
            action: Action = action,
            drawn: Arm = drawn,
            talon: list[np.ndarray] = talon,
        ) -> bool:
            arm = action.arm(t)
            outline = arm_outline_px(camera, arm, drawn) if arm else None
            if isinstance(action.step, Lay):
                end = action.carries[0].end
                return outline is None or (end is not None and _clear_of(outline, card_px(camera, end)))
            carried = [pose.corners()[:, :2] for _, pose in action.carried(t)]
            if isinstance(action.step, Draw):
                quads = [card_px(camera, pose) for _, pose in action.carried(t)]
                shapes = ([outline] if outline is not None else []) + quads
                return all(_clear_of(shape, quad) for shape in shapes for quad in talon)
            return all(
                bool(
                    (c[:, 0] < left).all()
                    or (c[:, 0] > right).all()
                    or (c[:, 1] < top).all()
                    or (c[:, 1] > bottom).all()
                )
                for c in carried
            )

        frame = int(np.ceil(after * FPS))
        while frame / FPS < action.ends and not certain(frame / FPS):
            frame += 1
        action.at = frame / FPS


def record(performance: Performance) -> Iterator[dict[str, object]]:
    """The clip's truth: the header, then one event per action (contract, section 4)."""
    yield performance.story.header()
    for action in performance.actions:
        step, at = action.step, round(action.at, 2)
        if isinstance(step, Lay):
            event: dict[str, object] = {"at": at, "event": "placed", "card": str(step.card), "by": step.seat}
            if step.on:
                event["on"] = str(step.on)
            if step.fault:
                event["fault"] = step.fault
        elif isinstance(step, Lift):
            event = {"at": at, "event": "lifted", "card": str(step.card), "by": step.seat}
        elif isinstance(step, Sweep):
            event = {"at": at, "event": "swept", "to": step.to}
        else:
            event = {"at": at, "event": "drawn", "by": step.seat, "count": 1}
            if step.seen:
                event["card"] = str(step.card)
        yield event


class Witness:
    """Says of each moment where every card is in the picture and how much of it is hidden."""

    def __init__(self, camera: Camera, arms: dict[tuple[str, str], Arm]) -> None:
        self.camera = camera
        self.arms = arms
        self._rest: tuple[Moment, list[dict[str, object]]] | None = None

    def see(self, moment: Moment) -> dict[str, object]:
        """One line of the frame-by-frame truth: cards with corners_px, covered, moving; hands with their outlines."""
        if self._rest and not moment.arms and self._rest[0].lying == moment.lying:
            return {"at": round(moment.at, 3), "cards": self._rest[1], "hands": []}
        width, height = (round(side * MASK_SCALE) for side in self.camera.size)
        owner = np.full((height, width), -1, np.int16)
        cards = [*moment.lying, *moment.carried]
        quads = [card_px(self.camera, card.pose) for card in cards]
        areas = []
        for index, quad in enumerate(quads):
            alone = np.zeros((1, 1), np.uint8)
            low = np.floor(quad.min(axis=0) * MASK_SCALE).astype(int)
            size = np.ceil(quad.max(axis=0) * MASK_SCALE).astype(int) - low + 1
            alone = np.zeros((max(1, size[1]), max(1, size[0])), np.uint8)
            cv2.fillConvexPoly(alone, np.round(quad * MASK_SCALE - low).astype(np.int32), 1)
            areas.append(int(alone.sum()))
            cv2.fillConvexPoly(owner, np.round(quad * MASK_SCALE).astype(np.int32), index)
        hands = []
        for arm in moment.arms:
            outline = arm_outline_px(self.camera, arm, self.arms[arm.seat, arm.hand])
            cv2.fillPoly(owner, [np.round(outline * MASK_SCALE).astype(np.int32)], -2)
            hands.append({"seat": arm.seat, "tip_px": _short(self.camera.project(np.array(arm.tip))[None])[0],
                          "outline_px": _short(outline[::8])})  # fmt: skip
        seen = np.bincount(owner[owner >= 0].ravel(), minlength=len(cards))
        lines: list[dict[str, object]] = []
        for index, (card, quad) in enumerate(zip(cards, quads, strict=True)):
            covered = 1.0 - seen[index] / max(areas[index], 1)
            lines.append(
                {
                    "card": str(card.card) if card.pose.is_face_up else "back",
                    "corners_px": _short(quad),
                    "covered": round(float(np.clip(covered, 0, 1)), 3),
                    "moving": index >= len(moment.lying),
                }
            )
        if not moment.arms:
            self._rest = (moment, lines)
        return {"at": round(moment.at, 3), "cards": lines, "hands": hands}


def _short(points: np.ndarray) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in points]


def as_line(value: dict[str, object]) -> str:
    """One JSON object as one line."""
    return json.dumps(value, ensure_ascii=False)

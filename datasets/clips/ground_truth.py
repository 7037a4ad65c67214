"""Write the truth of a performance: its record, and the place of everything in each frame."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from datasets.clips.arms import DrawnArm
from datasets.clips.motion import Action, ArmPose, Carry, Performance, Push
from datasets.clips.moving_things import Head, Thing
from datasets.clips.projection import ArmOutline, arm_outline_px, card_px
from datasets.clips.stage import CardPose3D, PinholeCamera, PosedCard
from datasets.clips.story import DealStep, LayStep, LiftStep, PutBackStep, ShowStep, SwapStep, SweepStep, events_of
from referee.cards import Card

MASK_SCALE = 0.5
"""Visibility is counted on masks of this scale."""
TALON_REACH_MM = 80.0
"""Millimetres from the talon's place within which a card's middle belongs to the talon."""


@dataclass(frozen=True, slots=True)
class Moment:
    """
    All that is to be seen at one time: resting cards (lowest first), carried ones, arms, and what else moves.

    ``things``: kind and place (mm); ``heads``: each with its middle; ``cloth``: (3, 3) where the cloth has gone, None
    where it lies as it lay. ``view``: (3, 3) where the picture has gone because the camera moved, None where it hasn't.
    """

    at: float
    lying: tuple[PosedCard, ...]
    carried: tuple[PosedCard, ...]
    arms: tuple[ArmPose, ...]
    things: tuple[tuple[str, tuple[float, float, float]], ...] = ()
    heads: tuple[tuple[Head, tuple[float, float]], ...] = ()
    cloth: tuple[float, ...] | None = None
    view: tuple[float, ...] | None = None


class SceneAt:
    """Follows a performance frame by frame; ``lying`` keeps the order in which cards lie on each other."""

    def __init__(self, performance: Performance) -> None:
        self.performance = performance
        self.lying: dict[Card, CardPose3D] = dict(performance.opening)
        self._waiting = sorted(
            ((carry.take, number, carry) for number, carry in enumerate(_all_carries(performance))),
            key=lambda entry: entry[:2],
        )
        self._moving: list[Carry | Push] = []

    def at(self, t: float) -> Moment:
        """Return the table at ``t``; times must not run backwards."""
        while self._waiting and self._waiting[0][0] <= t:
            carry = self._waiting.pop(0)[2]
            self._drop(carry.take)
            self.lying.pop(carry.card, None)
            self._moving.append(carry)
        self._drop(t)
        carried: list[PosedCard] = []
        pushed: list[PosedCard] = []
        arms = []
        for action in self.performance.actions:
            if action.begins <= t <= action.ends:
                carried += [PosedCard(carry.card, pose) for carry, pose in action.carried(t)]
                arm = action.arm(t)
                if arm:
                    arms.append(arm)
            for push, pose in action.pushed(t):
                (carried if push.above else pushed).append(PosedCard(push.card, pose))
        lying = [PosedCard(card, pose) for card, pose in self.lying.items()] + pushed
        lying.sort(key=lambda item: item.pose.z)
        return Moment(t, tuple(lying), tuple(carried), tuple(arms), *self._extras(t))

    def _drop(self, t: float) -> None:
        """Put the cards that have been let go by ``t`` on the table, in the order in which they came down."""
        for carry in sorted((c for c in self._moving if c.drop <= t), key=lambda c: c.drop):
            self._moving.remove(carry)
            if carry.end:
                self.lying[carry.card] = carry.end

    def _extras(
        self, t: float
    ) -> tuple[
        tuple[tuple[str, tuple[float, float, float]], ...],
        tuple[tuple[Head, tuple[float, float]], ...],
        tuple[float, ...] | None,
        tuple[float, ...] | None,
    ]:
        things, heads, cloth = [], [], None
        for extra in self.performance.extras:
            if isinstance(extra, Thing):
                place = extra.at(t)
                if place is not None:
                    things.append((extra.kind, place))
            elif isinstance(extra, Head):
                middle = extra.at(t)
                if middle is not None:
                    heads.append((extra, middle))
            elif t > extra.begins:
                cloth = tuple(float(v) for v in extra.at(t).ravel())
        view = self.performance.room.view(t)
        shaken = None if view is None else tuple(float(v) for v in view.ravel())
        return tuple(things), tuple(heads), cloth, shaken


def _all_carries(performance: Performance) -> Iterator[Carry | Push]:
    for action in performance.actions:
        yield from action.carries


def _clear_of(outline_px: np.ndarray, quad_px: np.ndarray, margin_px: float = 2.0) -> bool:
    """Check whether the outline (n, 2) stays outside the quad (4, 2)."""
    quad = quad_px.astype(np.float32).reshape(-1, 1, 2)
    low, high = quad_px.min(axis=0) - 4, quad_px.max(axis=0) + 4
    near = outline_px[((outline_px > low) & (outline_px < high)).all(axis=1)]
    if any(cv2.pointPolygonTest(quad, (float(x), float(y)), True) > -margin_px for x, y in near):
        return False
    shape = outline_px.astype(np.float32).reshape(-1, 1, 2)
    return all(cv2.pointPolygonTest(shape, (float(x), float(y)), False) < 0 for x, y in quad_px)


def _is_hidden(camera: PinholeCamera, pose: CardPose3D, outlines: list[np.ndarray]) -> bool:
    """Check whether somebody's arm lies over the card's middle."""
    x, y = camera.project(pose.middle)
    shapes = [outline.astype(np.float32).reshape(-1, 1, 2) for outline in outlines]
    return any(cv2.pointPolygonTest(shape, (float(x), float(y)), False) >= 0 for shape in shapes)


def set_times(performance: Performance, outline_px: ArmOutline) -> None:
    """Find each action's ``at``: the first frame in which a camera can be certain of its step."""
    fps = performance.fps
    world = SceneAt(performance)
    steps = [action for action in performance.actions if action.step is not None]
    last = 0.0
    for number, action in enumerate(steps):
        before = world.at((action.touch or action.begins) - 1 / fps)
        after = world.at(max(action.clear, before.at))
        others = [
            other for other in performance.actions
            if other is not action and (other.step is None or (action.touch <= other.touch < action.clear))
        ]  # fmt: skip
        certain = _Certainty(performance, outline_px, action, others, (*before.lying, *after.lying))
        until = steps[number + 1].touch or steps[number + 1].begins if number + 1 < len(steps) else performance.seconds
        frame = int(np.ceil(certain.earliest * fps))
        while frame / fps < min(max(action.ends, certain.earliest), until) and not certain.at(frame / fps):
            frame += 1
        action.at = last = max(last, frame / fps)


class _Certainty:
    """The time at which a camera can be certain of one action's step (docs/record.md)."""

    def __init__(
        self,
        performance: Performance,
        outline_px: ArmOutline,
        action: Action,
        others: list[Action],
        lying: tuple[PosedCard, ...],
    ) -> None:
        self.camera, self.zone = performance.stage.camera, performance.stage.bout_zone
        self.outline_px, self.action = outline_px, action
        self.others = [other for other in others if other.seat != action.seat or other.hand.startswith("other")]
        talon = performance.stage.talon_mm
        self.talon = [
            card_px(self.camera, item.pose)
            for item in lying
            if np.hypot(item.pose.x - talon[0], item.pose.y - talon[1]) < TALON_REACH_MM
        ]
        step = action.step
        if isinstance(step, LayStep):
            self.earliest = max(carry.drop for carry in action.carries if carry.card in dict(step.cards))
        elif isinstance(step, ShowStep):
            self.earliest = action.touch + 0.4
        elif isinstance(step, DealStep | SwapStep | PutBackStep):
            self.earliest = action.clear
        else:
            self.earliest = max(carry.take for carry in action.carries if isinstance(carry, Carry) or carry.end is None)

    def at(self, t: float) -> bool:
        """Check whether it is certain at ``t``."""
        step = self.action.step
        arm = self.action.arm(t)
        outline = self.outline_px(arm, t) if arm else None
        if isinstance(step, LayStep):
            return self._laid(step, t, outline)
        if isinstance(step, ShowStep):
            return True
        if isinstance(step, LiftStep | SweepStep):
            return all(self._is_out(pose) for _, pose in (*self.action.carried(t), *self._leaving(t)))
        quads = [card_px(self.camera, pose) for carry, pose in self.action.carried(t) if carry.end is None]
        shapes = ([outline] if outline is not None else []) + quads
        return all(_clear_of(shape, quad) for shape in shapes for quad in self.talon)

    def _laid(self, step: LayStep, t: float, outline: np.ndarray | None) -> bool:
        ends = {carry.card: carry.end for carry in self.action.carries if carry.end is not None}
        poses = [pose for card, _ in step.cards if (pose := ends.get(card)) is not None]
        if outline is not None and not all(_clear_of(outline, card_px(self.camera, pose)) for pose in poses):
            return False
        hands = [arm for other in self.others if (arm := other.arm(t)) is not None]
        outlines = [self.outline_px(arm, t) for arm in hands]
        return not any(_is_hidden(self.camera, pose, outlines) for pose in poses)

    def _leaving(self, t: float) -> Iterator[tuple[Push, CardPose3D]]:
        """Yield the cards that are drawn off the table flat."""
        return ((push, pose) for push, pose in self.action.pushed(t) if push.end is None)

    def _is_out(self, pose: CardPose3D) -> bool:
        """Check whether the card has left the zone of the bout."""
        left, top, right, bottom = self.zone
        corners = pose.corners()[:, :2]
        return bool(
            (corners[:, 0] < left).all()
            or (corners[:, 0] > right).all()
            or (corners[:, 1] < top).all()
            or (corners[:, 1] > bottom).all()
        )


def record(performance: Performance) -> Iterator[dict[str, object]]:
    """Yield the clip's truth: the header, then the events of each action (docs/record.md)."""
    yield performance.story.header()
    for action in performance.actions:
        if action.step is not None:
            yield from events_of(action.step, round(action.at, 2))


class RecordWriter:
    """Writes where every card is in the picture at each moment, and how much of it is hidden."""

    def __init__(self, camera: PinholeCamera, arms: dict[tuple[str, str], DrawnArm]) -> None:
        self.camera = camera
        self.arms = arms
        self._rest: tuple[Moment, list[dict[str, object]]] | None = None

    def see(self, moment: Moment) -> dict[str, object]:
        """
        Return one line of the frame-by-frame truth: cards with corners_px, covered, moving; hands with their outlines.
        """
        still = not (moment.arms or moment.carried or moment.heads or moment.things)
        if self._rest and still and (self._rest[0].lying, self._rest[0].view) == (moment.lying, moment.view):
            return {"at": round(moment.at, 3), "cards": self._rest[1], "hands": []}
        width, height = (round(side * MASK_SCALE) for side in self.camera.size)
        owner = np.full((height, width), -1, np.int16)
        cards = [*moment.lying, *moment.carried]
        view = None if moment.view is None else np.array(moment.view).reshape(3, 3)
        camera = self.camera.moved(view)
        quads = [card_px(camera, card.pose) for card in cards]
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
            outline = arm_outline_px(camera, arm, self.arms[arm.seat, arm.hand])
            cv2.fillPoly(owner, [np.round(outline * MASK_SCALE).astype(np.int32)], -2)
            hands.append({"seat": arm.seat, "tip_px": _short(camera.project(np.array(arm.tip))[None])[0],
                          "outline_px": _short(outline[::8])})  # fmt: skip
        for head, middle in moment.heads:
            x, y = camera.project(np.array([*middle, 330.0]))
            reach = camera.project(np.array([middle[0] + head.radius, middle[1], 330.0]))[0] - x
            cv2.circle(owner, (round(x * MASK_SCALE), round(y * MASK_SCALE)), round(reach * MASK_SCALE), -2, -1)
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
        if still:
            self._rest = (moment, lines)
        return {"at": round(moment.at, 3), "cards": lines, "hands": hands}


def _short(points: np.ndarray) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in points]


def as_line(value: dict[str, object]) -> str:
    """Return one JSON object as one line."""
    return json.dumps(value, ensure_ascii=False)

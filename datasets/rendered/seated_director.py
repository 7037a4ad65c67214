"""
Let people play with a fan of cards in the other hand: they take cards out of it, carry cards to it, gather with both
hands, and hesitate. What they play and how cards are handled comes from :mod:`datasets.clips.director`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from datasets.clips.director import Director
from datasets.clips.gestures import OTHER
from datasets.clips.hand_paths import ALOFT_MM, Way
from datasets.clips.motion import Action, Carry, Path, Performance, Push
from datasets.clips.stage import CardPose3D, Stage, Vector
from datasets.clips.story import LayStep, Step, Story, SwapStep, SweepStep
from datasets.scenes.camera import CARD_MM
from referee.cards import Card

FAN = OTHER + "fan"
"""The hand that holds a fan."""
HELD_MM = 14.0
"""How far the lower edge of a fan's cards is held in the hand."""
BESIDE_MM = 0.5
"""How far apart the cards of a fan are."""
SIDE_MM = 120.0
"""How far to the side of the seat's middle its arms come in."""


def pose_of(middle: Vector, up: Vector, face: Vector) -> CardPose3D:
    """Return the pose of a card from its middle, the direction of its upper edge and that of its face (table frame)."""
    down = -up
    turn = np.column_stack([np.cross(down, face), down, face])
    x, y, z = (float(v) for v in middle)
    return CardPose3D(
        x,
        y,
        z,
        yaw=float(np.arctan2(-turn[0, 1], turn[1, 1])),
        pitch=float(np.arcsin(np.clip(turn[2, 1], -1, 1))),
        roll=float(np.arctan2(-turn[2, 0], turn[2, 2])),
    )


def seat_directions(stage: Stage, seat: str) -> tuple[Vector, Vector]:
    """Return the directions outwards to a seat and to its right, (3,) each in the table frame."""
    angle = stage.seat_angle(seat)
    out = np.array([np.cos(angle), np.sin(angle), 0.0])
    return out, np.array([out[1], -out[0], 0.0])


def _put_down(step: Step) -> set[Card]:
    """Return the cards that the seat of a step puts on the table from its hand."""
    if isinstance(step, LayStep):
        return {card for card, _ in step.cards}
    return {step.card} if isinstance(step, SwapStep) else set()


@dataclass(slots=True)
class Fan:
    """
    The cards that a seat holds in the picture, the leftmost first.

    ``pivot``: (3,) mm where they are held; ``up``, ``face``: directions of the middle card. ``forwards``: of the hand.
    """

    pivot: Vector
    up: Vector
    face: Vector
    forwards: Vector
    cards: list[Card] = field(default_factory=list)

    @classmethod
    def held(cls, stage: Stage, seat: str, left: bool, rng: np.random.Generator) -> Fan:
        """Hold a fan in the seat's left or right hand, its backs towards the camera."""
        out, right = seat_directions(stage, seat)
        side = -right if left else right
        lean = np.radians(rng.uniform(-78, -42) if out[1] > 0 else rng.uniform(-70, -28))
        edge = stage.shoulder(seat)[:2] - out[:2] * 190.0
        pivot = np.array([*(edge - out[:2] * rng.uniform(58, 84)), rng.uniform(48, 66)])
        pivot += side * rng.uniform(150, 205)
        up3 = np.array([0.0, 0.0, 1.0])
        face = np.cos(lean) * out + np.sin(lean) * up3
        up = np.cos(lean) * up3 - np.sin(lean) * out
        tilt = rng.uniform(0.1, 0.5)
        across = -side
        up = np.cos(tilt) * up + np.sin(tilt) * across
        forwards = -0.85 * side - 0.45 * out
        forwards = forwards - face * (forwards @ face)
        return cls(pivot, up, face, forwards / np.linalg.norm(forwards))

    def poses(self) -> dict[Card, CardPose3D]:
        """Return how each card is held."""
        count = len(self.cards)
        step = min(0.16, 1.15 / max(count, 1))
        across = np.cross(self.face, self.up)
        found = {}
        for order, card in enumerate(self.cards):
            turn = (order - (count - 1) / 2) * step
            up = np.cos(turn) * self.up + np.sin(turn) * across
            middle = self.pivot + up * (CARD_MM[1] / 2 - HELD_MM) + self.face * BESIDE_MM * order
            found[card] = pose_of(middle, up, self.face)
        return found

    @property
    def reach_mm(self) -> Vector:
        """Return where fingertips take a card out of the fan or put one into it."""
        return np.asarray(self.pivot + self.up * (CARD_MM[1] - HELD_MM - 20) + np.array([0.0, 0.0, 12.0]))


@dataclass(slots=True)
class SeatedDirector(Director):
    """
    Makes the actions of people who sit at the table. ``fans``: of the seats whose other hand is in the picture.

    ``left``: seats that play with the left hand. ``hesitates``: chance that a card is held back before it is laid.
    ``both``: chance that the bout is gathered with both hands, where the other holds no fan.
    """

    fans: dict[str, Fan] = field(default_factory=dict)
    left: frozenset[str] = frozenset()
    hesitates: float = 0.3
    both: float = 0.7
    second_hands: list[tuple[Step, float, Action]] = field(default_factory=list)
    """Steps in which the other hand helps: when the playing hand touches the table, and what the other one does."""

    def perform_seated(self, story: Story, seconds: float, with_fans: tuple[str, ...]) -> Performance:
        """Perform the story with the fans of some seats in the picture."""
        for seat in with_fans:
            self.fans[seat] = Fan.held(self.stage, seat, seat not in self.left, self.rng)
            self.fans[seat].cards = list(story.start.hand(seat))
        held = {card: pose for fan in self.fans.values() for card, pose in fan.poses().items()}
        performance = self.stage_play(story, seconds)
        performance.opening |= held
        for step, touch, other in self.second_hands:
            main = next((action for action in performance.actions if action.step is step), None)
            if main is not None:
                performance.actions.append(other.later(main.touch - touch))
        for seat, fan in self.fans.items():
            keys = np.array([[-1.0, *fan.pivot], [performance.seconds + 1.0, *fan.pivot]])
            out, _ = seat_directions(self.stage, seat)
            elbow = fan.pivot + out * 300.0
            still = Action(None, seat, FAN, elbow, Path(keys, (True, True)), touch=0.0, clear=performance.seconds)
            performance.actions.append(still)
        return performance

    def way(self, seat: str, lean: float = 0.05) -> tuple[Way, Vector]:
        """Return a way from the side of the seat's playing hand, and the elbow behind it."""
        return self._way_of(seat, seat in self.left, lean)

    def _way_of(self, seat: str, left: bool, lean: float = 0.05) -> tuple[Way, Vector]:
        out, right = seat_directions(self.stage, seat)
        side = -right if left else right
        start = self.stage.shoulder(seat, self._jitter(lean)) + side * SIDE_MM
        return Way(start, self._jitter(22)), start + out * 420.0 + side * 40.0

    def act(self, step: Step) -> list[Action]:
        """Return the visits that make a step, with what the other hand has to do with it."""
        actions = super(SeatedDirector, self).act(step)
        found: list[Action] = []
        for action in actions:
            fan = self.fans.get(action.seat)
            if fan and set(fan.cards) & _put_down(step):
                action = self._out_of(fan, action)
            if fan and any(isinstance(c, Carry) and c.end is None and c.start is not None for c in action.carries):
                found.append(self._into(fan, action))
            elif isinstance(step, SweepStep) and action.hand == "flat" and not fan and self.chance(self.both):
                found.append(self._with_both(step, action))
            else:
                found.append(action)
        return found

    def _out_of(self, fan: Fan, action: Action) -> Action:
        """Take the cards out of the fan before they are laid; sometimes hesitate on the way."""
        before = fan.poses()
        first, *rest = action.path.keys
        start, tip = first[1:], fan.reach_mm
        arrives, leaves = self._some((0.40, 0.55)), self._some((0.16, 0.3))
        keys, stops = [[first[0], *start], [arrives, *tip], [arrives + leaves, *tip]], [True, True, True]
        goal = np.array(rest[1][1:])
        if self.chance(self.hesitates):
            held = tip[:2] + (goal[:2] - tip[:2]) * self._some((0.35, 0.6))
            now = keys[-1][0] + self._some((0.3, 0.45))
            keys.append([now, *held, ALOFT_MM])
            for _ in range(int(self.rng.integers(1, 4))):
                now += self._some((0.25, 0.6))
                keys.append([now, *(held + self.rng.normal(0, 9, 2)), ALOFT_MM + self._jitter(6)])
            stops += [True] * (len(keys) - len(stops))
        later = keys[-1][0] - first[0] + 0.1
        shifted = action.later(later)
        path = Path(np.array([*keys, *shifted.path.keys[1:]]), (*stops, *shifted.path.stop[1:]))
        carries: list[Carry | Push] = []
        for carry in shifted.carries:
            if isinstance(carry, Carry) and carry.card in before and carry.start is None:
                taken = arrives + leaves * 0.5
                carry = replace(carry, start=before[carry.card], take=taken, slide=0.3)
                fan.cards.remove(carry.card)
            carries.append(carry)
        carries += self._closes(fan, before, arrives + leaves, arrives + leaves + 0.35)
        return replace(shifted, path=path, carries=tuple(carries))

    def _into(self, fan: Fan, action: Action) -> Action:
        """Carry cards to the fan instead of out of the picture."""
        leaving = [c for c in action.carries if isinstance(c, Carry) and c.end is None and c.start is not None]
        before = fan.poses()
        fan.cards += [carry.card for carry in leaving]
        after = fan.poses()
        keys, stops = action.path.keys, action.path.stop
        # The hand's last place on the table: what comes after it is the way home.
        last = len(keys) - 1
        while last and keys[last, 0] > max(carry.take for carry in leaving) + 1e-6:
            last -= 1
        if last + 1 < len(keys) and stops[last + 1] and last + 1 < len(keys) - 1:
            last += 1  # it waited there
        now, here, tip = keys[last, 0], keys[last, 1:], fan.reach_mm
        trip = self._some((0.55, 0.8))
        middle = (here + tip) / 2
        middle[2] = max(middle[2], 30.0)
        there = now + trip
        drop = there + self._some((0.12, 0.3))
        gone = drop + self._some((0.4, 0.55))
        home = keys[-1, 1:]
        more = [[now + trip / 2, *middle], [there, *tip], [drop, *tip], [gone, *home]]
        path = Path(np.vstack([keys[: last + 1], more]), (*stops[: last + 1], False, True, True, True))
        carries = [
            replace(carry, drop=drop, end=after[carry.card], settle=0.3) if carry in leaving else carry
            for carry in action.carries
        ]
        carries += self._closes(fan, before, drop - 0.25, drop + 0.1)
        return replace(action, path=path, carries=tuple(carries), clear=max(action.clear, now + 0.3))

    def _closes(self, fan: Fan, before: dict[Card, CardPose3D], start: float, end: float) -> list[Push]:
        """Let the other cards of the fan make room, or close the gap."""
        after = fan.poses()
        return [Push(card, start, end, before[card], after[card]) for card in fan.cards if card in before]

    def _with_both(self, step: SweepStep, action: Action) -> Action:
        """Let the other hand push the last pile towards the one before it, while the playing hand gathers."""
        carries = [c for c in action.carries if isinstance(c, Carry) and c.start is not None]
        times = sorted({carry.take for carry in carries})
        if len(times) < 2:
            return action
        pile = [carry for carry in carries if carry.take == times[-1]]
        goal = next(carry.start for carry in carries if carry.take == times[-2])
        assert goal is not None
        assert pile[0].start is not None
        way, elbow = self._way_of(action.seat, action.seat not in self.left)
        off = goal.middle - pile[0].start.middle
        off = off * (1 - 45.0 / max(float(np.linalg.norm(off)), 46.0))
        tip, _, _ = self._hold(elbow, pile[0].start)
        reach = times[0] - 0.1
        since = way.reach(tip, self._some((0.45, 0.6)))
        until = way.to(tip + off, max(times[-1] - times[0] - 0.05, 0.25))
        way.home(self._some((0.4, 0.55)))
        later = max(reach - since, 0.0)
        pushes: list[Push] = []
        moved: dict[Card, CardPose3D] = {}
        for carry in pile:
            assert carry.start is not None
            moved[carry.card] = replace(carry.start, x=carry.start.x + off[0], y=carry.start.y + off[1])
            pushes.append(Push(carry.card, since, until, carry.start, moved[carry.card]))
        other = Action(None, action.seat, OTHER + "flat", elbow, way.path, tuple(pushes), touch=since, clear=until)
        self.second_hands.append((step, action.touch, other.later(later)))
        late = max(0.0, until + later - times[-1])
        gathered = [
            replace(c, start=moved[c.card], take=c.take + late) if isinstance(c, Carry) and c.card in moved else c
            for c in action.carries
        ]
        return replace(action, carries=tuple(gathered))

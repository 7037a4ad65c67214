"""
Turn a story into actions, each of one arm with the cards it carries.

An action knows the place of its hand and of its cards at any moment; between actions everything rests. ``at`` is when
a camera could be certain of the step (docs/record.md): the hand clear of the card that was laid, the cards gone
from the bout, the hand clear of the talon.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from datasets.clips.motion import ELBOW_MM, GRIP_MM, SHEET_MM, TURNED, Action, Carry, Path, Performance
from datasets.clips.stage import CardPose3D, Stage, Vector
from datasets.clips.story import DrawStep, LayStep, LiftStep, Story, SweepStep
from referee.cards import Card


@dataclass(frozen=True, slots=True)
class Tempo:
    """Durations of movements (s), each a range."""

    reach: tuple[float, float] = (0.48, 0.62)
    press: tuple[float, float] = (0.12, 0.22)
    leave: tuple[float, float] = (0.44, 0.58)
    pause: tuple[float, float] = (0.50, 0.70)
    gather: tuple[float, float] = (0.24, 0.32)
    haul: tuple[float, float] = (0.70, 0.85)
    opening: float = 1.6
    closing: float = 2.5


@dataclass(slots=True)
class Choreographer:
    """Makes the actions of a story, step by step."""

    stage: Stage
    rng: np.random.Generator
    tempo: Tempo = field(default_factory=Tempo)
    lying: dict[Card, CardPose3D] = field(default_factory=dict)
    talon: list[Card] = field(default_factory=list)
    attacks: list[Card] = field(default_factory=list)
    answers: dict[Card, Card] = field(default_factory=dict)
    slots: dict[Card, int] = field(default_factory=dict)
    here: set[str] = field(default_factory=set)
    """Seats that have laid cards in this bout."""
    heap_height: int = 0

    def perform(self, story: Story) -> Performance:
        """Perform all of the story."""
        self._set_out(story)
        opening = dict(self.lying)
        now = self.tempo.opening
        actions: list[Action] = []
        for step in story.steps:
            make = {LayStep: self._lay, LiftStep: self._lift, SweepStep: self._sweep, DrawStep: self._draw}[type(step)]
            action = make(step, now)  # type: ignore[operator]
            actions.append(action)
            now = action.ends + self._some(self.tempo.pause)
        return Performance(story, self.stage, opening, actions, actions[-1].ends + self.tempo.closing)

    def _some(self, span: tuple[float, float]) -> float:
        return float(self.rng.uniform(*span))

    def _jitter(self, sigma: float) -> float:
        return float(np.clip(self.rng.normal(0, sigma), -2 * sigma, 2 * sigma))

    def _set_out(self, story: Story) -> None:
        """Set out the discard pile, and the talon across the turn-up, or alone where no turn-up lies under it."""
        hx, hy = self.stage.heap_mm
        for card in story.start.heap:
            self.lying[card] = self._on_heap(hx, hy)
        self.talon = list(story.start.talon)
        if not self.talon:
            return
        tx, ty = self.stage.talon_mm
        lean = self._jitter(0.04)
        face_down = list(self.talon)
        if story.turnup is not None:
            self.lying[face_down.pop()] = CardPose3D(tx, ty, 0.0, np.pi / 2 + lean)
        for height, card in enumerate(reversed(face_down)):
            self.lying[card] = CardPose3D(
                tx - 26 + self._jitter(0.9),
                ty + self._jitter(0.9),
                SHEET_MM * (height + 1),
                lean + self._jitter(0.025),
                0.0,
                TURNED,
            )

    def _on_heap(self, x: float, y: float) -> CardPose3D:
        self.heap_height += 1
        return CardPose3D(
            x + self._jitter(9), y + self._jitter(8), SHEET_MM * self.heap_height, self._jitter(0.28), 0.0, TURNED
        )

    def _arm(self, seat: str) -> tuple[Vector, Vector]:
        """Return where the hand enters, and the elbow behind it."""
        start = self.stage.shoulder(seat, self._jitter(0.05))
        out = start[:2] / np.linalg.norm(start[:2])
        return start, np.array([*(start[:2] + out * ELBOW_MM), 0.0])

    def _hold(self, elbow: Vector, card: CardPose3D, grip: float = GRIP_MM) -> tuple[Vector, float, float]:
        """
        Return the fingertip that holds a lying card from the elbow's side, the card's middle ahead of it, and its yaw
        there.
        """
        towards = card.middle[:2] - elbow[:2]
        yaw = float(np.arctan2(towards[1], towards[0]))
        corners = card.corners()[:, :2] - card.middle[:2]
        back = -towards / np.linalg.norm(towards)
        # The ray from the card's middle back to the elbow leaves the card through one of its sides.
        exits = []
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            edge = b - a
            cross = back[0] * edge[1] - back[1] * edge[0]
            if abs(cross) > 1e-9:
                distance = (a[0] * edge[1] - a[1] * edge[0]) / cross
                if distance > 0:
                    exits.append(distance)
        ahead = max(min(exits) - grip, 5.0)
        tip = card.middle[:2] + back * ahead
        return np.array([*tip, 4.0]), ahead, card.yaw - yaw

    def _there_and_back(self, start: Vector, touch: Vector, now: float, carrying: bool) -> tuple[Path, float, float]:
        """Return the path of a straight visit, when the hand arrives and when it leaves."""
        aloft = 46.0
        there = now + self._some(self.tempo.reach)
        gone = there + self._some(self.tempo.press)
        home = gone + self._some(self.tempo.leave)
        side = np.array([-(touch - start)[1], (touch - start)[0]]) / np.linalg.norm((touch - start)[:2])
        sway = self._jitter(22)
        near = touch[:2] + (start[:2] - touch[:2]) * 0.30 + side * sway
        keys = np.array(
            [
                [now, *start[:2], aloft],
                [now + (there - now) * 0.60, *near, aloft * 0.7],
                [there, *touch],
                [gone, *(touch[:2] + self.rng.normal(0, 1.2, 2)), touch[2]] if not carrying else [gone, *touch],
                [gone + (home - gone) * 0.42, *(near * 0.9 + start[:2] * 0.1), aloft * 0.8],
                [home, *start[:2], aloft],
            ]
        )
        return Path(keys, (True, False, True, True, False, True)), there, gone

    def _place(self, step: LayStep) -> CardPose3D:
        """Return where and how the card will lie."""
        angle = self.stage.seat_angle(step.seat) - np.pi / 2
        skew = float(np.arctan(np.tan(angle))) if abs(np.cos(angle)) > 1e-6 else 0.0
        if step.on is None:
            slot = next(i for i in range(12) if i not in self.slots.values())
            self.slots[step.card] = slot
            x, y = self.stage.slot(slot)
            return CardPose3D(x + self._jitter(4), y + self._jitter(4), 0.0, 0.16 * skew + self._jitter(0.07))
        under = self.lying[step.on]
        cos, sin = np.cos(under.yaw), np.sin(under.yaw)
        dx, dy = 23 + self._jitter(3), 27 + self._jitter(3.5)
        return CardPose3D(
            under.x + cos * dx - sin * dy,
            under.y + sin * dx + cos * dy,
            SHEET_MM,
            under.yaw + 0.24 + 0.08 * skew + self._jitter(0.09),
        )

    def _lay(self, step: LayStep, now: float) -> Action:
        start, elbow = self._arm(step.seat)
        pose = self._place(step)
        touch, ahead, turn = self._hold(elbow, pose)
        path, there, gone = self._there_and_back(start, touch, now, carrying=False)
        drop = there + (gone - there) * 0.5
        swing, lean = self._jitter(0.22), self._jitter(0.10)
        carry = Carry(step.card, now, drop, None, pose, ahead, 0.0, -4.0, turn, 0.0, swing, lean, settle=0.10)
        self.lying[step.card] = pose
        self.here.add(step.seat)
        if step.on is None:
            self.attacks.append(step.card)
        else:
            self.answers[step.on] = step.card
        return Action(step, step.seat, "pinch", elbow, path, (carry,))

    def _lift(self, step: LiftStep, now: float) -> Action:
        start, elbow = self._arm(step.seat)
        pose = self.lying.pop(step.card)
        touch, ahead, turn = self._hold(elbow, pose, GRIP_MM + 6)
        path, there, _ = self._there_and_back(start, touch, now, carrying=True)
        carry = Carry(step.card, there, path.keys[-1, 0], pose, None, ahead, 0.0, -3.5, turn, 0.0, slide=0.08)
        if step.card in self.attacks:
            self.attacks.remove(step.card)
            self.slots.pop(step.card)
        else:
            self.answers = {a: c for a, c in self.answers.items() if c != step.card}
        return Action(step, step.seat, "pinch", elbow, path, (carry,))

    def _draw(self, step: DrawStep, now: float) -> Action:
        start, elbow = self._arm(step.seat)
        self.talon.remove(step.card)
        pose = self.lying.pop(step.card)
        touch, ahead, turn = self._hold(elbow, pose, GRIP_MM + 9)
        touch[2] += pose.z
        path, there, _ = self._there_and_back(start, touch, now, carrying=True)
        # The card leaves the picture with the hand, turned towards its new owner.
        carry = Carry(step.card, there, path.keys[-1, 0], pose, None, ahead, 0.0, -3.5, turn, pose.roll, slide=0.08)
        return Action(step, step.seat, "pinch", elbow, path, (carry,))

    def _nearest(self, seats: set[str]) -> str:
        heap = np.array(self.stage.heap_mm)
        return min(sorted(seats), key=lambda s: float(np.linalg.norm(self.stage.shoulder(s)[:2] - heap)))

    def _sweep(self, step: SweepStep, now: float) -> Action:
        seat = step.to if step.is_take else self._nearest(self.here)
        start, elbow = self._arm(seat)
        end = start[:2] if step.is_take else np.array(self.stage.heap_mm)
        piles = [[a, *([self.answers[a]] if a in self.answers else [])] for a in self.attacks]
        piles.sort(key=lambda pile: -float(np.linalg.norm(self.lying[pile[0]].middle[:2] - end)))
        aloft = 50.0
        t = now + self._some(self.tempo.reach)
        keys = [[now, *start[:2], aloft]]
        stops = [True]
        takes: dict[Card, float] = {}
        for i, pile in enumerate(piles):
            middle = np.mean([self.lying[card].middle[:2] for card in pile], axis=0)
            ahead = middle - elbow[:2]
            tip = middle + ahead / np.linalg.norm(ahead) * 30
            keys.append([t, *tip, 5.0])
            stops.append(i == 0)
            for card in pile:
                takes[card] = t + (0.06 if i == 0 else -0.07)
            t += self._some(self.tempo.gather)
        keys.append([keys[-1][0] + 0.12, *(np.array(keys[-1][1:3]) + (end - np.array(keys[-1][1:3])) * 0.06), 6.0])
        stops.append(False)
        lift_off = keys[-1][0]
        haul = self._some(self.tempo.haul) * (0.9 if step.is_take else 1.0)
        arrive = lift_off + haul
        moved = [card for pile in piles for card in pile]
        if step.is_take:
            keys.append([arrive, *start[:2], 30.0])
            stops.append(True)
            home = arrive
        else:
            ahead = end - elbow[:2]
            tip = end + ahead / np.linalg.norm(ahead) * 28
            keys.append([arrive, *tip, 8.0])
            stops.append(True)
            keys.append([arrive + self._some(self.tempo.press), *tip, 8.0])
            stops.append(True)
            home = keys[-1][0] + self._some(self.tempo.leave)
            keys.append([home, *start[:2], aloft])
            stops.append(True)
        base_turn = np.pi / 2 + self._jitter(0.15)
        carries = []
        for order, card in enumerate(moved):
            lies = self.lying.pop(card)
            # Cards are gathered as they lie; the packet is never quite square.
            turn = base_turn + self._jitter(0.10)
            along, across = -30 + self._jitter(4), self._jitter(4)
            rest = None if step.is_take else self._on_heap(*self.stage.heap_mm)
            flip = None if step.is_take else (lift_off, lift_off + haul * 0.72)
            drop = home if step.is_take else arrive + 0.05
            carries.append(
                Carry(
                    card, takes[card], drop, lies, rest, along, across, -4.5 + SHEET_MM * order, turn, 0.0,
                    flip=flip, slide=0.26, settle=0.0 if step.is_take else 0.22, order=order,
                )
            )  # fmt: skip
            if rest:
                self.lying[card] = rest
        self.attacks, self.answers, self.here, self.slots = [], {}, set(), {}
        return Action(step, seat, "flat", elbow, Path(np.array(keys), tuple(stops)), tuple(carries))

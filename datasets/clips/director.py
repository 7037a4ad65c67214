"""
Turn a story into actions of people: each step is done in one of the ways in which people do it.

Each visit is first worked out as if it began at 0 s and then put on the clock: nobody touches anything before the hand
before him has let go, but arms come in while others are still leaving. What isn't play (a hand on the table, a moved
glass) is added by :mod:`datasets.clips.gestures`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from datasets.clips import card_handling, sweeping
from datasets.clips.gestures import Gestures
from datasets.clips.motion import SHEET_MM, TURNED, Action, Carry, Performance, Push
from datasets.clips.performer import Performer
from datasets.clips.stage import CardPose3D
from datasets.clips.story import (
    DealStep,
    DrawStep,
    LayStep,
    LiftStep,
    PutBackStep,
    ShowStep,
    Step,
    Story,
    SwapStep,
    SweepStep,
)


@dataclass(slots=True)
class Director(Performer):
    """Makes the actions of a story in varied ways."""

    def stage_play(self, story: Story, seconds: float) -> Performance:
        """Perform as much of the story as there is time for, and what people do besides."""
        self._set_table(story)
        opening = dict(self.lying)
        free: dict[str, float] = {}
        gestures = Gestures(self, free)
        clear = self.tempo.opening
        actions: list[Action] = []
        for step in story.steps:
            for action in gestures.before(step, clear):
                free[action.seat] = max(free.get(action.seat, 0.0), action.ends)
                clear = max(clear, action.clear)
                actions.append(action)
            for action in self.act(step):
                wait = clear + self._pause(step) - action.touch
                if actions and (action.abreast or self._crowds(actions[-1], action)):
                    wait = actions[-1].touch + self._some((0.15, 0.6)) - action.touch
                start = max(wait, free.get(action.seat, 0.0) + self._some((0.04, 0.2)))
                action = action.later(max(start, 0.0))
                actions.append(action)
                free[action.seat], clear = action.ends, max(clear, action.clear)
            if clear > seconds - self.tempo.closing:
                break
        end = max(action.ends for action in actions) + self.tempo.closing
        actions += gestures.meanwhile(end)
        actions.sort(key=lambda action: action.touch)
        return Performance(story, self.stage, opening, actions, end, extras=tuple(gestures.extras))

    def _crowds(self, last: Action, action: Action) -> bool:
        """Decide whether a card is thrown in while somebody else's hand still lays one."""
        if not isinstance(action.step, LayStep) or not isinstance(last.step, LayStep) or action.step.on is not None:
            return False
        is_clean = {carry.card for carry in action.carries} <= {card for card, _ in action.step.cards}
        return is_clean and action.seat != last.seat and self.chance(self.habits.crowds)

    def act(self, step: Step) -> list[Action]:
        """Return the visits that make a step, each from 0 s; the step is attached to the visit that completes it."""
        makers: dict[type, Callable[[Any], list[Action]]] = {
            LayStep: self._act_lay,
            LiftStep: self._act_lift,
            SweepStep: lambda sweep: sweeping.clear_away(self, sweep),
            DrawStep: self._act_draw,
            PutBackStep: self._act_put_back,
            DealStep: lambda deal: [card_handling.deal(self, deal)],
            SwapStep: lambda swap: [card_handling.swap(self, swap)],
            ShowStep: self._act_show,
        }
        return makers[type(step)](step)

    def _pause(self, step: Step) -> float:
        """Time between two touches; sometimes somebody thinks."""
        fate = self.rng.random()
        usual = self.habits.pause_s / self.habits.hurry
        if fate < 0.12:
            return float(self.rng.uniform(1.5, 4.0))
        slower = 0.15 if isinstance(step, SweepStep | LiftStep) else 0.0
        return max(0.3, float(usual * self.rng.uniform(0.4, 1.7)) + slower)

    def _set_table(self, story: Story) -> None:
        """Set out discard pile, talon and turn-up, or the whole pack before the deal."""
        self.turnup = story.turnup
        deal = next((step for step in story.steps if isinstance(step, DealStep)), None)
        if deal is None:
            self._set_out(story)
            self._bring_turnup_up(story)
            return
        x, y = self.stage.bout_mm
        self.pack_at = CardPose3D(x + self._jitter(12), y + self._jitter(12), 0.0, self._jitter(0.15))
        for height, card in enumerate(reversed(story.start.talon)):
            self.lying[card] = self.on_stack(self.pack_at, height)

    def _bring_turnup_up(self, story: Story) -> None:
        """Lift the turn-up, which lies face down under the talon where another card is the last."""
        if len(self.talon) < 2 or story.turnup in (None, self.talon[-1]):
            return
        assert story.turnup is not None
        below = self.lying[self.talon[-1]]
        self.lying[story.turnup] = replace(below, z=SHEET_MM)
        self.lying[self.talon[-1]] = replace(below, roll=TURNED, x=below.x + 2, y=below.y + self._jitter(2))
        order = [self.talon[-1], story.turnup]
        rest = {card: pose for card, pose in self.lying.items() if card not in order}
        self.lying = {**{card: self.lying[card] for card in order}, **rest}

    def _act_lay(self, step: LayStep) -> list[Action]:
        if step.card in self.lying:
            return [card_handling.bring_back(self, step)]
        return [card_handling.lay(self, step)]

    def _act_lift(self, step: LiftStep) -> list[Action]:
        way, elbow = self.way(step.seat)
        pose = self.leave(step.card)
        touch, _, _ = self._hold(elbow, pose, 25.0)
        take = way.reach(touch, self.some(self.tempo.reach))
        way.wait(self.some(self.tempo.press))
        carries: list[Carry | Push] = []
        if step.to_heap:
            carries.append(card_handling.onto_heap(self, way, elbow, step.card, pose, take))
            clear = way.now
        else:
            carries.append(card_handling.carry(step.card, pose, touch, elbow, take, np.inf))
            clear = way.now + 0.3
        end = way.home(self.some(self.tempo.leave))
        carries = [replace(c, drop=end) if c.drop == np.inf else c for c in carries]
        return [Action(step, step.seat, "pinch", elbow, way.path, tuple(carries), touch=take, clear=clear)]

    def _act_draw(self, step: DrawStep) -> list[Action]:
        way, elbow = self.way(step.seat)
        poses = {}
        for card in step.cards:
            self.talon.remove(card)
            poses[card] = self.lying.pop(card)
        if self.turnup in step.cards:
            self.turnup = None
        first = poses[step.card]
        touch, _, _ = self._hold(elbow, first, 28.0)
        touch[2] += first.z
        take = way.reach(touch, self.some(self.tempo.reach))
        way.wait(self.some(self.tempo.press) + 0.05 * len(step.more))
        end = way.home(self.some(self.tempo.leave))
        carries = []
        for order, card in enumerate(reversed(step.cards)):
            held = card_handling.carry(
                card, poses[card], touch, elbow, take, end, above=-3.5 - 0.3 * (len(poses) - order)
            )
            lag = 0.05 * (len(poses) - 1 - order)
            fan = self._jitter(0.06) + 0.05 * order
            carries.append(replace(held, take=take + lag, slide=0.08 + 0.1 * (order > 0), turn=held.turn + fan))
        carries = [replace(c, along=carries[-1].along + self._jitter(3), across=carries[-1].across + self._jitter(3))
                   if abs(c.along - carries[-1].along) > 8 else c for c in carries]  # fmt: skip
        return [Action(step, step.seat, "pinch", elbow, way.path, tuple(carries), touch=take, clear=take + 0.35)]

    def _act_put_back(self, step: PutBackStep) -> list[Action]:
        way, elbow = self.way(step.seat)
        height = len(self.talon) - (self.turnup is not None)
        tx, ty = self.stage.talon_mm
        at = CardPose3D(tx - 26, ty, SHEET_MM, self._jitter(0.04))
        ends = {card: self.on_stack(at, height + i) for i, card in enumerate(reversed(step.cards))}
        touch, _, _ = self._hold(elbow, replace(at, z=0.0), 24.0)
        touch[2] += SHEET_MM * (height + len(ends))
        there = way.reach(touch, self.some(self.tempo.reach))
        drop = there + self.some(self.tempo.press)
        way.wait(drop - there + 0.12)
        way.home(self.some(self.tempo.leave))
        carries = []
        for card, end in ends.items():
            held = card_handling.carry(card, end, touch, elbow, 0.0, drop)
            carries.append(replace(held, start=None, end=end, settle=0.12, turn=held.turn + self._jitter(0.05)))
            self.lying[card] = end
        self.talon[:0] = step.cards
        return [Action(step, step.seat, "pinch", elbow, way.path, tuple(carries), touch=there, clear=drop + 0.3)]

    def _act_show(self, step: ShowStep) -> list[Action]:
        way, elbow = self.way(step.seat)
        start = self.stage.shoulder(step.seat)[:2]
        x, y = self.stage.bout_mm
        spot = np.array([x, y]) + (start - [x, y]) * self._some((0.28, 0.4))
        touch = np.array([*spot, self._some((45, 80))])
        there = way.reach(touch, self.some(self.tempo.reach))
        way.to(touch + self.rng.normal(0, 3, 3), self._some((0.9, 1.8)))
        gone = way.now
        end = way.home(self.some(self.tempo.leave))
        held = Carry(step.card, 0.0, end, None, None, 24.0, 0.0, -3.0, np.pi / 2 + self._jitter(0.2), 0.0)
        return [Action(step, step.seat, "pinch", elbow, way.path, (held,), touch=there, clear=gone)]

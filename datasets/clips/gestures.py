"""
Make gestures besides play: hands lie on the table and on cards, point, hide cards, straighten one that lies crooked,
make room, square the talon, offer a card and think again; they move a glass, put a phone down, pull the cloth, lean in.

No event reports any of it. Gestures that touch cards wait their turn like steps; a resting hand and a head don't.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from datasets.clips import card_handling
from datasets.clips.hand_paths import Way
from datasets.clips.motion import TURNED, Action, Carry, Push
from datasets.clips.moving_things import Cloth, Extra, Head, Thing
from datasets.clips.performer import Performer
from datasets.clips.stage import CardPose3D, Vector
from datasets.clips.story import DealStep, Step
from referee.cards import Card, pack

HAIR = ((30, 34, 42), (40, 58, 84), (96, 150, 190), (150, 152, 156), (22, 20, 20))
OTHER = "other "
"""Before the name of a hand's shape: it is the seat's second hand."""


class Gestures:
    """
    The gestures of one performance. ``free``: from when each seat's hand is free (s), kept by the director.

    ``extras``: what they move besides cards.
    """

    def __init__(self, who: Performer, free: dict[str, float]) -> None:
        self.who = who
        self.extras: list[Extra] = []
        self._free = free
        self._coming = ""
        self._glass: Thing | None = None
        self._phone: Thing | None = None
        if who.habits.glass > 0:
            self._glass = Thing("glass", [(-1.0, 1e6, *self._place_by(self._anybody()))])
            self.extras.append(self._glass)

    def before(self, step: Step, clear: float) -> list[Action]:
        """Return gestures that come before a step, on the clock: nothing is touched before ``clear``."""
        habits = self.who.habits
        menu: tuple[tuple[float, Callable[[float], Action | None]], ...] = (
            (0.35 if self.who.nominal and habits.straightens else 0.0, self._straighten),
            (habits.points, self._point),
            (habits.hides, self._hide),
            (habits.leans, self._lean_on),
            (habits.moves, self._move_pile),
            (habits.squares, self._square),
            (habits.hesitates, self._hesitate),
            (habits.glass, self._move_glass),
            (habits.phone, self._phone_down_or_up),
            (habits.cloth, self._pull_cloth),
        )
        actions: list[Action] = []
        if isinstance(step, DealStep):
            return actions
        self._coming = str(step)
        for chance, make in menu:
            if self.who.chance(chance):
                action = make(clear + self.who._some((0.2, 0.7)))
                if action is not None:
                    actions.append(action)
                    clear = action.clear
                    self._free[action.seat] = action.ends
        return actions

    def meanwhile(self, end: float) -> list[Action]:
        """Return second hands that lie on the table for a while, and heads that lean in."""
        who, actions = self.who, []
        for seat in who.stage.seats:
            if who.habits.rests <= 0 or who.chance(0.5):
                continue
            now = who._some((0.0, 15.0))
            while now < end - 6:
                stays = who._some((3.0, 14.0))
                actions.append(self._rest(seat, now, min(stays, end - now - 2.0)))
                now += stays + who._some((3.0, 8.0)) / max(who.habits.rests, 0.05)
        for _ in range(int(who.rng.poisson(who.habits.head * end * 0.5))):
            begins = who._some((3.0, max(4.0, end - 6)))
            self.extras.append(self._head(self._anybody(), begins, who._some((1.6, 4.5))))
        return actions

    def _anybody(self) -> str:
        seats = self.who.stage.seats
        return seats[int(self.who.rng.integers(len(seats)))]

    def _inside(self, seat: str, inside: float, aside: float = 0.0) -> np.ndarray:
        """Return (2,) mm: the place ``inside`` the picture's edge before a seat, and ``aside`` to its right."""
        shoulder = self.who.stage.shoulder(seat)[:2]
        out = shoulder / np.linalg.norm(shoulder)
        return np.asarray(shoulder - out * (190.0 + inside) + np.array([-out[1], out[0]]) * aside)

    def _is_free(self, place: np.ndarray, margin: float) -> bool:
        stage = self.who.stage
        left, top, right, bottom = stage.bout_zone
        if left - margin < place[0] < right + margin and top - margin < place[1] < bottom + margin:
            return False
        piles = [np.array(stage.talon_mm), np.array(stage.heap_mm)]
        return all(np.linalg.norm(place - pile) > 70 + margin for pile in piles)

    def _place_by(self, seat: str) -> tuple[float, float]:
        """Return a free place near a seat, for a thing."""
        rng = self.who.rng
        for _ in range(60):
            place = self._inside(seat, float(rng.uniform(20, 110)), float(rng.uniform(-190, 190)))
            if self._is_free(place, 55):
                return float(place[0]), float(place[1])
            seat = self._anybody()
        x, y = self._inside(seat, 0.0)
        return float(x), float(y)

    def _action(
        self, seat: str, hand: str, way: Way, elbow: Vector, touch: float, clear: float, at: float,
        carries: tuple[Carry | Push, ...] = (),
    ) -> Action:  # fmt: skip
        """Put a visit on the clock so that it touches at ``at``, and after the seat's last gesture."""
        action = Action(None, seat, hand, elbow, way.path, carries, touch=touch, clear=clear)
        return action.later(max(at - touch, self._free.get(seat, 0.0) + 0.1, 0.0))

    def _rest(self, seat: str, begins: float, stays: float) -> Action:
        """Rest the second hand before its seat."""
        who = self.who
        side = -1.0 if who.chance(0.5) else 1.0
        place = self._inside(seat, who._some((15, 105)), side * who._some((70, 170)))
        for _ in range(12):
            if self._is_free(place, 20):
                break
            place = self._inside(seat, who._some((5, 60)), side * who._some((70, 200)))
        start = self._inside(seat, -200.0, side * 190.0)
        way = Way(np.array([*start, 0.0]), who.jitter(15))
        there = way.reach(np.array([*place, 6.0]), who.some(who.tempo.reach) * 1.4)
        until = there + max(stays, 1.0)
        while way.now < until - 1.5:
            way.wait(who._some((0.8, 3.0)))
            way.to(np.array([*(place + who.rng.normal(0, 4, 2)), 6.0]), who._some((0.25, 0.6)))
        way.wait(0.3)
        clear = way.now
        way.home(who.some(who.tempo.leave) * 1.3)
        out = start / np.linalg.norm(start)
        elbow = np.array([*(start + out * 420.0), 0.0])
        hand = OTHER + ("rest" if who.chance(0.7) else "flat")
        return Action(None, seat, hand, elbow, way.path, touch=there, clear=clear).later(begins)

    def _point(self, at: float) -> Action | None:
        """Point at a card, without touching it."""
        who = self.who
        cards = list(who.over) or list(who.lying)
        if not cards:
            return None
        card = who.lying[cards[int(who.rng.integers(len(cards)))]]
        seat = self._anybody()
        way, elbow = who.way(seat)
        back = elbow[:2] - card.middle[:2]
        tip = card.middle[:2] + back / np.linalg.norm(back) * who._some((15, 60))
        touch = way.reach(np.array([*tip, 24.0]), who.some(who.tempo.reach))
        for _ in range(int(who.rng.integers(1, 4))):
            way.to(np.array([*(tip + who.rng.normal(0, 7, 2)), who._some((14, 30))]), who._some((0.2, 0.5)))
        clear = way.now
        way.home(who.some(who.tempo.leave))
        return self._action(seat, "point", way, elbow, touch, clear + 0.2, at)

    def _hide(self, at: float) -> Action | None:
        """Hide cards of the bout under a hand for seconds; they stay as they are."""
        return self._hand_over([self.who.lying[card] for card in self.who.over], (25, 60), at)

    def _lean_on(self, at: float) -> Action | None:
        """Rest a hand on the talon, on the discard pile or on a card of the bout for seconds."""
        tops = [self._stack(place)[-1:] for place in (self.who.stage.talon_mm, self.who.stage.heap_mm)]
        return self._hand_over([self.who.lying[card] for cards in (*tops, list(self.who.over)) for card in cards],
                               (5, 30), at)  # fmt: skip

    def _stack(self, place: tuple[float, float]) -> list[Card]:
        """Return the cards that lie face down at a place, the lowest first."""
        who = self.who
        there = [
            card for card, lies in who.lying.items()
            if card not in who.over and not lies.is_face_up and np.hypot(lies.x - place[0], lies.y - place[1]) < 120
        ]  # fmt: skip
        return sorted(there, key=lambda card: who.lying[card].z)

    def _hand_over(self, cards: list[CardPose3D], past_mm: tuple[float, float], at: float) -> Action | None:
        """Hold a hand for seconds over one of the cards, its fingertips so far past the card's middle."""
        who = self.who
        if not cards:
            return None
        card = cards[int(who.rng.integers(len(cards)))]
        seat = self._anybody()
        way, elbow = who.way(seat)
        ahead = card.middle[:2] - elbow[:2]
        tip = card.middle[:2] + ahead / np.linalg.norm(ahead) * who._some(past_mm)
        touch = way.reach(np.array([*tip, 14.0]), who.some(who.tempo.reach) * 1.2)
        until = touch + who._some((1.5, 5.0))
        while way.now < until:
            way.to(np.array([*(tip + who.rng.normal(0, 5, 2)), who._some((10, 18))]), who._some((0.4, 1.2)))
        clear = way.now
        way.home(who.some(who.tempo.leave) * 1.2)
        return self._action(seat, "flat", way, elbow, touch, clear + 0.3, at)

    def _hesitate(self, at: float) -> Action | None:
        """Hold a card out over the table, face down, and draw it back."""
        who = self.who
        seat = self._anybody()
        way, elbow = who.way(seat)
        x, y = who.stage.bout_mm
        towards = who.stage.shoulder(seat)[:2] - [x, y]
        tip = np.array([x, y]) + towards * who._some((0.3, 0.5))
        touch = way.reach(np.array([*tip, 40.0]), who.some(who.tempo.reach))
        way.to(np.array([*(tip + who.rng.normal(0, 12, 2)), 45.0]), who._some((0.4, 1.2)))
        clear = way.now
        end = way.home(who.some(who.tempo.leave))
        # Which card it is nobody sees: any face-down card that isn't on the table will do.
        absent = [card for card in pack(52) if card not in who.lying and repr(card) not in self._coming]
        card = absent[int(who.rng.integers(len(absent)))]
        held = Carry(card, 0.0, end, None, None, 24.0, 0.0, -3.0, np.pi / 2 + who.jitter(0.3), TURNED)
        return self._action(seat, "pinch", way, elbow, touch, clear, at, (held,))

    def _straighten(self, at: float) -> Action | None:
        """Push a crooked card straight, and the cards lying on it."""
        who = self.who
        bare = [card for card in who.nominal if card in who.lying and card not in who.over.values()]
        if not bare:
            return None
        card = bare[int(who.rng.integers(len(bare)))]
        goal, lies = who.nominal.pop(card), who.lying[card]
        seat = self._anybody()
        way, elbow = who.way(seat)
        tip, _, _ = who._hold(elbow, lies)
        touch = way.reach(tip, who.some(who.tempo.reach))
        since = way.wait(0.1)
        until = way.to(tip + goal.middle - lies.middle, who._some((0.25, 0.45)))
        who.lying[card] = goal
        way.home(who.some(who.tempo.leave))
        return self._action(seat, "pinch", way, elbow, touch, until + 0.1, at, (Push(card, since, until, lies, goal),))

    def _square(self, at: float) -> Action | None:
        """Square the talon or the discard pile with a hand."""
        who = self.who
        places = [p for p in (who.stage.talon_mm, who.stage.heap_mm) if len(self._stack(p)) > 1]
        if not places:
            return None
        cards = self._stack(places[int(who.rng.integers(len(places)))])
        middle = np.mean([who.lying[card].middle[:2] for card in cards], axis=0)
        seat = self._nearest_seat(*middle)
        way, elbow = who.way(seat)
        tip, _, _ = who._hold(elbow, who.lying[cards[-1]], 24.0)
        touch = since = way.reach(tip, who.some(who.tempo.reach))
        pushes: list[Carry | Push] = []
        yaw = who.lying[cards[0]].yaw
        for spread in (8.0, 2.0):
            until = way.to(tip + np.array([who.jitter(7), who.jitter(7), 0.0]), who._some((0.25, 0.45)))
            for card in cards:
                lies = who.lying[card]
                who.lying[card] = replace(
                    lies, x=float(middle[0]) + who.jitter(spread), y=float(middle[1]) + who.jitter(spread),
                    yaw=yaw + who.jitter(0.02 * spread),
                )  # fmt: skip
                pushes.append(Push(card, since, until, lies, who.lying[card]))
            since = way.wait(who._some((0.1, 0.3)))
        clear = way.now
        way.home(who.some(who.tempo.leave))
        return self._action(seat, "flat", way, elbow, touch, clear, at, tuple(pushes))

    def _move_pile(self, at: float) -> Action | None:
        """Move an attack card and the cards on it to a free place."""
        who = self.who
        roots = [card for card, below in who.over.items() if below is None and card in who.slots]
        if not roots:
            return None
        root = roots[int(who.rng.integers(len(roots)))]
        free = next(slot for slot in range(24) if slot not in who.slots.values())
        x, y = who.stage.slot(free)
        start, seat = who.lying[root], self._anybody()
        way, elbow = who.way(seat)
        tip, _, _ = who._hold(elbow, start)
        touch = way.reach(tip, who.some(who.tempo.reach))
        since = way.wait(0.12)
        shift, turn = np.array([x - start.x, y - start.y]), who.jitter(0.12)
        until = way.to(tip + np.array([*shift, 0.0]), who._some((0.4, 0.8)))
        pushes: list[Carry | Push] = []
        for card in who.pile_of(root):
            lies = who.lying[card]
            who.lying[card] = card_handling.moved(lies, start.middle, float(shift[0]), float(shift[1]), turn)
            pushes.append(Push(card, since, until, lies, who.lying[card]))
            who.nominal.pop(card, None)
        who.slots[root] = free
        way.home(who.some(who.tempo.leave))
        return self._action(seat, "flat", way, elbow, touch, until + 0.1, at, tuple(pushes))

    def _carry_thing(self, seat: str, start: np.ndarray, goal: np.ndarray, at: float) -> tuple[Action, float, float]:
        """Carry something from here to there: the action, when it is taken and when it is put down."""
        who = self.who
        way, elbow = who.way(seat)
        touch = way.reach(np.array([*start, 40.0]), who.some(who.tempo.reach) * 1.2)
        left = way.wait(0.15)
        there = way.to(np.array([*goal, 40.0]), who._some((0.7, 1.1)))
        clear = way.wait(0.15)
        way.home(who.some(who.tempo.leave))
        action = self._action(seat, "flat", way, elbow, touch, clear, at)
        shift = action.begins
        return action, left + shift, there + shift

    def _move_glass(self, at: float) -> Action | None:
        """Put the glass somewhere else."""
        if self._glass is None:
            return None
        since, _, x, y = self._glass.stays[-1]
        goal = self._place_by(self._anybody())
        seat = self._nearest_seat(x, y)
        action, left, there = self._carry_thing(seat, np.array([x, y]), np.array(goal), at)
        self._glass.stays[-1] = (since, left, x, y)
        self._glass.stays.append((there, 1e6, *goal))
        return action

    def _nearest_seat(self, x: float, y: float) -> str:
        stage = self.who.stage
        return min(stage.seats, key=lambda seat: float(np.linalg.norm(stage.shoulder(seat)[:2] - [x, y])))

    def _phone_down_or_up(self, at: float) -> Action | None:
        """Put a phone down; the next time, take it away."""
        if self._phone is None:
            goal = np.array(self._place_by(self._anybody()))
            seat = self._nearest_seat(*goal)
            edge = self._inside(seat, -150.0)
            action, left, there = self._carry_thing(seat, edge, goal, at)
            self._phone = Thing("phone", [(left - 0.5, left, *edge), (there, 1e6, *goal)])
            self.extras.append(self._phone)
            return action
        since, until, x, y = self._phone.stays[-1]
        if until < 1e6:
            return None
        seat = self._nearest_seat(x, y)
        edge = self._inside(seat, -150.0)
        action, left, there = self._carry_thing(seat, np.array([x, y]), edge, at)
        self._phone.stays[-1] = (since, left, x, y)
        self._phone.stays.append((there, there + 0.1, *edge))
        return action

    def _pull_cloth(self, at: float) -> Action | None:
        """Pull the cloth, and all cards with it."""
        who = self.who
        if any(isinstance(extra, Cloth) for extra in self.extras):
            return None
        seat = self._anybody()
        way, elbow = who.way(seat)
        start = self._inside(seat, 25.0, who.jitter(60))
        touch = way.reach(np.array([*start, 5.0]), who.some(who.tempo.reach))
        since = way.wait(0.2)
        out = start / np.linalg.norm(start)
        pull = out * who._some((6, 20))
        until = way.to(np.array([*(start + pull), 5.0]), who._some((0.4, 0.8)))
        turn = who.jitter(0.015)
        way.home(who.some(who.tempo.leave))
        pushes = []
        origin = np.zeros(3)
        for card, pose in list(who.lying.items()):
            who.lying[card] = card_handling.moved(pose, origin, float(pull[0]), float(pull[1]), turn)
            pushes.append(Push(card, since, until, pose, who.lying[card]))
        who.nominal.clear()
        action = self._action(seat, "flat", way, elbow, touch, until + 0.2, at, tuple(pushes))
        shift = action.begins
        self.extras.append(Cloth(since + shift, until + shift, float(pull[0]), float(pull[1]), turn))
        return action

    def _head(self, seat: str, begins: float, stays: float) -> Head:
        """Let a head lean in from the seat's edge over a part of the table."""
        rng = self.who.rng
        edge, tip = self._inside(seat, -260.0), self._inside(seat, float(rng.uniform(-60, 60)), self.who.jitter(60))
        hair = HAIR[int(rng.integers(len(HAIR)))]
        return Head(
            seat, begins, begins + stays, (float(edge[0]), float(edge[1])), (float(tip[0]), float(tip[1])), hair
        )

"""
Handle cards without a game: what happens at real tables beside play, each kind by itself.

A *play* is one thing somebody does, named in a list of clips (``plays = ["beside", "edge", "exact"]``). The truth is
recorded for rule set ``free``: what was laid, lifted and swept, and by whom. The record has no event for what
touches no card on the table.

    play        what happens
    beside      a card is laid on the bare table
    across      a card is laid across another
    exact       a card is laid exactly on another, a few millimetres off
    deal        three cards are laid exactly on each other, at the picture's lower edge, which cuts the pile
    quick       four cards are dealt on a pile, two a second
    stream      the same with 26 cards, on a pile that the picture's lower edge cuts, as in ``deal``
    edge        a card is laid so that the picture's edge cuts it
    nudge       a card is laid, and pushed by a finger
    both        one person lays two cards, one with each hand, the second before the first hand is back
    rounds      three rounds are dealt on two or three piles in turn; the other hand holds the pack in the picture
    lift        a card is taken up
    slide       a card is drawn off the table, flat
    strokes     all cards are pushed together from both sides in strokes, and taken away
    riffle      half a pack is put down in two packets, which fall into each other; the heap is squared and taken up
    fingers     a card is held up for a while, and taken away again
    show        a card is held up close to the camera and quite still, for everybody to see, and taken away again
    fidget      a hand lies at the edge and twitches while the next cards are laid
    rest        the same, quite still but for a move every second or two
    rim         both hands of somebody lie at the picture's rim for most of the film
    head        somebody leans in: a head and its shadow
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from datasets.clips import card_handling
from datasets.clips.choreography import Tempo
from datasets.clips.director import Director
from datasets.clips.hand_paths import Way
from datasets.clips.motion import SHEET_MM, TURNED, Action, Carry, Performance, Push
from datasets.clips.moving_things import Head
from datasets.clips.stage import CardPose3D, Vector
from datasets.clips.story import LayStep, LiftStep, Step, Story, StoryStart, SweepStep
from referee.cards import Card, Suit

PLAYS = (
    *("beside", "across", "exact", "deal", "quick", "edge", "nudge", "both", "rounds", "lift", "slide", "strokes"),
    *("riffle", "stream"),
    *("fingers", "show", "fidget", "rest", "rim", "head"),
)
"""What may be played."""
QUICK = Tempo(reach=(0.2, 0.24), press=(0.05, 0.08), leave=(0.2, 0.24))
"""Of hands that deal two cards a second."""
ROOM_MM = 108.0
"""Millimetres between the middles of cards laid beside each other."""
CUT = (0.2, 0.4)
"""Share of a card that the picture's edge cuts off."""
TWITCH_MM, REST_MM = 7.0, 2.0
"""How far a restless hand moves, and one that rests."""
PACKET = 12
"""Cards that are riffled."""
STREAM = 26
"""Cards that are dealt on one pile without a pause."""
FALL_S = 0.09
"""Seconds between two cards that fall."""
OTHER = "other "
"""Begins the shape of somebody's second hand, which keeps nobody waiting."""
OTHER_LEAN = 0.35
"""Radians about the table's middle between a seat and the side from which a second hand comes in."""


@dataclass(slots=True)
class FreePlayer(Director):
    """Handles cards by a list of plays. ``pack``: the cards still in somebody's hand, the next one first."""

    pack: list[Card] = field(default_factory=list)
    goal: CardPose3D | None = None
    owner: dict[Card, str] = field(default_factory=dict)
    pile: list[Card] = field(default_factory=list)
    lean: float = 0.0

    def play(self, plays: Sequence[str], seconds: float) -> Performance:
        """Perform the plays one after the other, until ``seconds`` are over or the pack is used up."""
        actions: list[Action] = []
        free: dict[str, float] = {}
        heads: list[Head] = []
        clear = self.tempo.opening
        for name in plays:
            if name == "head":
                heads.append(self._head(clear))
                continue
            begun: float | None = None
            for action in self.make(name):
                is_quick = name in ("quick", "rounds", "stream") and clear > self.tempo.opening
                is_second = action.hand.startswith(OTHER)
                pause = 0.0 if is_quick else self._pause(action.step or LiftStep("", self.pack[0]))
                start = max(clear + pause - action.touch, 0.0)
                if is_second and action.step is not None and begun is not None:
                    start = begun + self._some((0.3, 0.6))
                elif not is_second:
                    start = max(start, free.get(action.seat, 0.0) + (0.0 if is_quick else 0.1))
                    begun = start
                action = action.later(start)
                actions.append(action)
                if not is_second or action.step is not None:
                    free[action.seat] = max(free.get(action.seat, 0.0), action.ends)
                    clear = max(clear, action.clear)
            if clear > seconds - self.tempo.closing or not self.pack:
                break
        end = max(action.ends for action in actions) + self.tempo.closing
        actions.sort(key=lambda action: action.touch)
        return Performance(self._story(actions), self.stage, {}, actions, end, extras=tuple(heads))

    def make(self, name: str) -> list[Action]:
        """Return the visits of a play, each from 0 s; none where the table gives no occasion for it."""
        makers: dict[str, Callable[[], list[Action]]] = {
            "beside": lambda: self._lay_next(self._free_place()),
            "across": lambda: self._on_top(0.24, 26.0),
            "exact": lambda: self._on_top(0.03, 3.0),
            "deal": self._deal,
            "quick": self._deal_quickly,
            "edge": lambda: self._lay_next(self._edge_place()),
            "nudge": self._nudge,
            "both": self._both_hands,
            "rounds": self._deal_rounds,
            "stream": lambda: self._deal(STREAM, QUICK),
            "lift": self._lift_any,
            "slide": self._slide,
            "strokes": self._strokes,
            "riffle": self._riffle,
            "fingers": self._hold_up,
            "show": lambda: self._hold_up((60, 160), 0.4, 8),
            "fidget": self._fidget,
            "rest": lambda: self._fidget(REST_MM, (0.8, 2.0), (0.4, 0.55)),
            "rim": self._hands_at_rim,
        }
        return makers[name]()

    # Where

    def spot(self, seat: str, card: Card, on: Card | None) -> CardPose3D:
        """Return where a card is meant to lie in this play."""
        assert self.goal is not None
        return self._uppermost(self.goal)

    def _seat(self) -> str:
        return str(self.rng.choice(list(self.stage.seats)))

    def _inside(self, margin_px: float) -> Vector:
        """Draw a place (mm) at least ``margin_px`` inside the picture."""
        width, height = self.stage.camera.size
        x, y = self.rng.uniform(margin_px, width - margin_px), self.rng.uniform(margin_px, height - margin_px)
        return self.stage.camera.on_table(np.array([x, y]))

    def _free_place(self) -> CardPose3D | None:
        """Draw a place where no card lies yet."""
        margin = 62.0 * self.stage.camera.px_per_mm
        for _ in range(200):
            x, y = self._inside(margin)
            if all(np.hypot(pose.x - x, pose.y - y) > ROOM_MM for pose in self.lying.values()):
                return CardPose3D(float(x), float(y), 0.0, self._jitter(0.25))
        return None

    def _edge_place(self) -> CardPose3D | None:
        """Draw a pose in which the picture's edge cuts a card, at any of its sides."""
        width, height = self.stage.camera.size
        half = 44.0 * self.stage.camera.px_per_mm
        for _ in range(200):
            out = half * (1 - 2 * self._some(CUT))
            place = {
                0: (self.rng.uniform(2 * half, width - 2 * half), height - out),
                1: (out * 0.72, self.rng.uniform(2 * half, height - 2 * half)),
                2: (width - out * 0.72, self.rng.uniform(2 * half, height - 2 * half)),
            }[int(self.rng.integers(3))]
            x, y = self.stage.camera.on_table(np.array(place))
            if all(np.hypot(pose.x - x, pose.y - y) > ROOM_MM for pose in self.lying.values()):
                return CardPose3D(float(x), float(y), 0.0, self._jitter(0.06))
        return None

    def _tops(self) -> list[Card]:
        """Return the cards on which none lies."""
        return [card for card in self.lying if card not in self.over.values() and card not in self.pile[:-1]]

    # Laying

    def _lay_next(self, place: CardPose3D | None, on: Card | None = None, seat: str = "") -> list[Action]:
        """Lay the next card of the pack; nothing without a place."""
        if place is None:
            return []
        self.goal, card, seat = place, self.pack.pop(0), seat or self._seat()
        self.owner[card] = seat
        return [card_handling.lay(self, LayStep(seat, card, on))]

    def _on_top(self, turn: float, aside_mm: float) -> list[Action]:
        tops = [card for card in self._tops() if self.over.get(card) is None and card not in self.pile]
        if not tops:
            return self._lay_next(self._free_place())
        under = tops[int(self.rng.integers(len(tops)))]
        lies = self.lying[under]
        dx, dy = (aside_mm * v for v in self.rng.uniform(0.5, 1.0, 2) * self.rng.choice([-1, 1], 2))
        yaw = lies.yaw + turn * float(self.rng.choice([-1, 1]))
        return self._lay_next(replace(lies, x=lies.x + dx, y=lies.y + dy, yaw=yaw), under)

    def _deal(self, count: int = 3, tempo: Tempo | None = None) -> list[Action]:
        """Return the visits that deal ``count`` cards on the pile that the lower edge cuts."""
        width, height = self.stage.camera.size
        seat, actions = self._seat(), []
        if not self.pile:
            out = 44.0 * self.stage.camera.px_per_mm * (1 - 2 * self._some(CUT))
            x, y = self.stage.camera.on_table(np.array([width * self._some((0.4, 0.6)), height - out]))
            place = CardPose3D(float(x), float(y), 0.0, self._jitter(0.05))
        else:
            place = self.lying[self.pile[-1]]
        usual, self.tempo = self.tempo, tempo or self.tempo
        for _ in range(min(count, len(self.pack))):
            under = self.pile[0] if self.pile else None
            lies = replace(place, x=place.x + self._jitter(2), y=place.y + self._jitter(2), yaw=self._jitter(0.04))
            self.pile.append(self.pack[0])
            actions += self._lay_next(lies, under, seat)
        self.tempo = usual
        return actions

    def _deal_quickly(self) -> list[Action]:
        place, seat = self._free_place(), self._seat()
        if place is None:
            return []
        usual, self.tempo = self.tempo, QUICK
        actions, below = [], None
        for _ in range(min(4, len(self.pack))):
            lies = replace(place, x=place.x + self._jitter(3), y=place.y + self._jitter(3), yaw=place.yaw)
            below, under = below or self.pack[0], below
            actions += self._lay_next(lies, under, seat)
        self.tempo = usual
        return actions

    def way(self, seat: str, lean: float = 0.05) -> tuple[Way, Vector]:
        """Return a way as usual, from as far aside as the hand that is at work comes in."""
        start = self.stage.shoulder(seat, self.lean + self._jitter(lean))
        out = start[:2] / np.linalg.norm(start[:2])
        return Way(start, self._jitter(22)), np.array([*(start[:2] + out * 420.0), 0.0])

    def _both_hands(self) -> list[Action]:
        """Lay a second card with the other hand, on the side from which that hand comes."""
        seat = self._seat()
        first = self._lay_next(self._free_place(), seat=seat)
        self.lean = OTHER_LEAN
        second = self._lay_next(self._free_place(), seat=seat)
        self.lean = 0.0
        return [*first, *(replace(action, hand=OTHER + action.hand) for action in second)]

    def _deal_rounds(self) -> list[Action]:
        """
        Let the hand with the pack come in with the first cards and stay; the other lays them face up, pile by pile.
        """
        seat, places = self._seat(), []
        lying = dict(self.lying)
        for _ in range(int(self.rng.integers(2, 4))):
            place = self._free_place()
            if place is not None:
                places.append(place)
                self.lying[self.pack[-len(places)]] = place
        self.lying = lying
        usual, self.tempo = self.tempo, QUICK
        dealt: list[Action] = []
        below: dict[int, Card] = {}
        for k in range(min(3 * len(places), len(self.pack) - 1)):
            pile = k % len(places)
            lies = replace(places[pile], x=places[pile].x + self._jitter(3), y=places[pile].y + self._jitter(3))
            under = below.get(pile)
            below.setdefault(pile, self.pack[0])
            dealt += self._lay_next(lies, under, seat)
        self.tempo = usual
        way, elbow, rest = self._second_hand(seat, (0.6, 0.68))
        there = way.reach(rest + np.array([0.0, 0.0, 20.0]), 0.5)
        while way.now < there + 0.75 * len(dealt) + 0.8:
            way.to(rest + np.array([*self.rng.normal(0, 4.0, 2), 20.0]), self._some((0.4, 0.7)))
        end = way.home(0.6)
        pack = tuple(
            Carry(self.pack[-1 - k], 0.0, end, None, None, 14.0, 0.0, 1.0 + SHEET_MM * k, float(np.pi / 2), TURNED)
            for k in range(min(3, len(self.pack)))
        )
        return [Action(None, seat, OTHER + "pinch", elbow, way.path, pack, touch=there, clear=there), *dealt]

    def _nudge(self) -> list[Action]:
        laid = self._lay_next(self._free_place())
        if not laid:
            return []
        step = laid[0].step
        assert isinstance(step, LayStep)
        card, seat = step.card, step.seat
        way, elbow = self.way(seat)
        start = self.lying[card]
        shift = self.rng.normal(0, 1, 2)
        shift *= self._some((18, 45)) / max(float(np.hypot(*shift)), 1e-6)
        goal = replace(
            start, x=start.x + float(shift[0]), y=start.y + float(shift[1]), yaw=start.yaw + self.jitter(0.1)
        )
        touch, _, _ = self._hold(elbow, start)
        since = way.reach(touch, self.some(self.tempo.reach))
        until = way.to(touch + goal.middle - start.middle, 0.4)
        way.home(self.some(self.tempo.leave))
        self.lying[card] = goal
        pushed = (Push(card, since, until, start, goal),)
        return [*laid, Action(None, seat, "pinch", elbow, way.path, pushed, touch=since, clear=until)]

    # Taking

    def _lift_any(self) -> list[Action]:
        tops = self._tops()
        if not tops:
            return []
        card = tops[int(self.rng.integers(len(tops)))]
        if card in self.pile:
            self.pile.remove(card)
        return self._act_lift(LiftStep(self._seat(), card))

    def _slide(self) -> list[Action]:
        """Draw a card off the table flat, under two fingers."""
        tops = [card for card in self._tops() if self.over.get(card) is None and card not in self.pile]
        if not tops:
            return []
        card, seat = tops[int(self.rng.integers(len(tops)))], self._seat()
        way, elbow = self.way(seat)
        start = self.leave(card)
        touch, _, _ = self._hold(elbow, start, 25.0)
        since = way.reach(touch, self.some(self.tempo.reach))
        way.wait(0.12)
        out = way.start[:2] - touch[:2]
        left = way.now
        until = way.to(np.array([*way.start[:2], touch[2]]), self._some((0.5, 0.8)))
        away = replace(start, x=start.x + float(out[0]), y=start.y + float(out[1]))
        slid = (Push(card, left, until, start, None, away),)
        step = LiftStep(seat, card)
        return [Action(step, seat, "flat", elbow, way.path, slid, touch=since, clear=until)]

    def _strokes(self) -> list[Action]:
        """Push cards together from the left, then from the right, with the hand lifted between, and take them."""
        cards = [card for card in self.lying if card not in self.pile]
        if len(cards) < 2:
            return []
        seat = self._seat()
        way, elbow = self.way(seat)
        middle = np.mean([self.lying[card].middle[:2] for card in cards], axis=0)
        sides = [[c for c in cards if self.lying[c].x < middle[0]], [c for c in cards if self.lying[c].x >= middle[0]]]
        carries: list[Carry | Push] = []
        touch_at = 0.0
        for side, group in zip((-1.0, 1.0), sides, strict=True):
            if not group:
                continue
            outer = max(group, key=lambda c: side * self.lying[c].x)
            start = np.array([self.lying[outer].x + side * 20, float(np.mean([self.lying[c].y for c in group])), 5.0])
            since = way.reach(start, self.some(self.tempo.reach)) if not touch_at else way.over(start, 0.55, 1.4)
            touch_at = touch_at or since
            goal = np.array([middle[0] + side * 14, middle[1], 5.0])
            until = way.to(goal, self._some((0.5, 0.75)))
            for order, card in enumerate(group):
                lies = self.lying[card]
                end = replace(
                    lies, x=float(middle[0]) + side * 6 + self.jitter(5), y=float(middle[1]) + self.jitter(7),
                    z=SHEET_MM * (order + (side > 0) * len(sides[0])), yaw=lies.yaw + self.jitter(0.2),
                )  # fmt: skip
                carries.append(Push(card, since, until, lies, end))
                self.lying[card] = end
            way.to(way.here + np.array([side * 30, 0.0, 40.0]), self._some((0.25, 0.5)))
        tip, _, _ = self._hold(elbow, CardPose3D(float(middle[0]), float(middle[1])), 30.0)
        take = way.over(tip, 0.45)
        way.wait(0.15)
        end_at = way.home(self.some(self.tempo.leave) + 0.2)
        for card in cards:
            carries.append(card_handling.carry(card, self.leave(card), tip, elbow, take, end_at))
        step = SweepStep(seat, left=tuple(self.lying))
        return [Action(step, seat, "flat", elbow, way.path, tuple(carries), touch=touch_at, clear=end_at)]

    # What is no play

    def _riffle(self) -> list[Action]:
        """Let two packets fall into each other card by card, square the heap and take it up; faces or backs show."""
        place, cards = self._free_place(), self.pack[-PACKET:]
        if place is None or len(cards) < PACKET:
            return []
        seat, roll = self._seat(), TURNED if self.chance(0.5) else 0.0
        way, elbow = self.way(seat)
        tip, _, _ = self._hold(elbow, place, 30.0)
        down = way.reach(tip, self.some(self.tempo.reach))
        carries: list[Carry | Push] = []
        fallen: list[CardPose3D] = []
        since = down + self._some((0.2, 0.6))
        for k, card in enumerate(cards):
            side, above = (-1.0 if k % 2 else 1.0), SHEET_MM * k
            packet = replace(place, x=place.x + side * 48.0, z=above, yaw=place.yaw + side * 0.14, roll=roll)
            fallen.append(replace(packet, x=place.x + side * 10.0 + self._jitter(2), yaw=place.yaw + side * 0.05))
            held = Carry(card, 0.0, down, None, packet, 14.0, 0.0, 1.0 + above, float(np.pi / 2), roll, settle=0.15)
            carries += [held, Push(card, since + FALL_S * k, since + FALL_S * (k + 1), packet, fallen[-1], above=True)]
        way.wait(since + FALL_S * (len(cards) + 1) - way.now)
        for _ in range(2):  # the heap is pushed together, then along
            start, until = way.now, way.to(tip + np.array([self._jitter(6), self._jitter(6), 0.0]), 0.3)
            square = replace(place, x=place.x + self._jitter(4), y=place.y + self._jitter(4), roll=roll)
            for k, card in enumerate(cards):
                end = replace(square, z=SHEET_MM * k)
                carries.append(Push(card, start, until, fallen[k], end))
                fallen[k] = end
            way.wait(self._some((0.1, 0.4)))
        tip, _, _ = self._hold(elbow, fallen[0], 30.0)
        take = way.over(tip, 0.3)
        gone = way.home(self.some(self.tempo.leave) + 0.2)
        carries += [
            card_handling.carry(card, lies, tip, elbow, take, gone) for card, lies in zip(cards, fallen, strict=True)
        ]
        return [Action(None, seat, "flat", elbow, way.path, tuple(carries), touch=down, clear=gone)]

    def _hold_up(self, height_mm: tuple[float, float] = (25, 70), sway_mm: float = 1.5, moves: int = 3) -> list[Action]:
        """
        Hold a card up over the table and take it away again.

        ``moves``: times at least that the hand sways by about ``sway_mm``, each for half a second.
        """
        seat = self._seat()
        way, elbow = self.way(seat)
        place = self._inside(110.0)
        tip = np.array([*place, self._some(height_mm)])
        there = way.reach(tip, self.some(self.tempo.reach))
        for _ in range(int(self.rng.integers(moves, moves + 3))):
            way.to(tip + self.rng.normal(0, sway_mm, 3), self._some((0.3, 0.6)))
        end = way.home(self.some(self.tempo.leave))
        lean = self._jitter(0.2)
        held = Carry(self.pack[-1], 0.0, end, None, None, 22.0, 0.0, 2.0, float(np.pi / 2) + self._jitter(0.15), lean)
        return [Action(None, seat, "pinch", elbow, way.path, (held,), touch=there, clear=end)]

    def _second_hand(self, seat: str, depth: tuple[float, float]) -> tuple[Way, Vector, Vector]:
        """Return the way of a seat's other hand, its elbow, and a place (mm) at such a share of the way to the seat."""
        start = self.stage.shoulder(seat, OTHER_LEAN)
        return Way(start), np.array([*(start[:2] * 1.8), 0.0]), np.array([*(start[:2] * self._some(depth)), 3.0])

    def _fidget(
        self,
        twitch_mm: float = TWITCH_MM,
        every_s: tuple[float, float] = (0.15, 0.6),
        depth: tuple[float, float] = (0.5, 0.6),
    ) -> list[Action]:
        """Rest a second hand at the edge that twitches all the while."""
        seat = self._seat()
        way, elbow, place = self._second_hand(seat, depth)
        there = way.reach(place, 0.7)
        while way.now < there + 9:
            way.to(place + np.array([*self.rng.normal(0, twitch_mm, 2), 0.0]), self._some(every_s))
        way.home(0.6)
        return [Action(None, seat, OTHER + "rest", elbow, way.path, (), touch=there, clear=there)]

    def _hands_at_rim(self) -> list[Action]:
        """Let all hands come in one after the other and rest at the edge for a while."""
        seat, actions = self._seat(), []
        for lean in (OTHER_LEAN, -OTHER_LEAN):
            start = self.stage.shoulder(seat, lean)
            way, place = Way(start), np.array([*(start[:2] * self._some((0.5, 0.6))), 3.0])
            there = way.reach(place, 0.7)
            while way.now < there + self._some((14.0, 20.0)):
                way.to(place + np.array([*self.rng.normal(0, REST_MM, 2), 0.0]), self._some((1.0, 3.0)))
            way.home(0.6)
            elbow = np.array([*(start[:2] * 1.8), 0.0])
            hand = OTHER + "rest" if lean > 0 else OTHER + "flat"
            actions.append(Action(None, seat, hand, elbow, way.path, (), touch=there, clear=there))
        return actions

    def _head(self, begins: float) -> Head:
        """Let a head lean in for a while, whatever is played."""
        seat = self._seat()
        edge = self.stage.shoulder(seat, self._jitter(0.4))[:2]
        tip = edge * self._some((0.5, 0.65))
        return Head(seat, begins, begins + self._some((3.0, 6.0)), _pair(edge * 1.3), _pair(tip), (34.0, 38.0, 46.0))

    # The truth

    def _story(self, actions: Sequence[Action]) -> Story:
        seats = self.stage.seats
        steps: tuple[Step, ...] = tuple(action.step for action in actions if action.step is not None)
        start = StoryStart(seats, tuple(() for _ in seats), (), (), Suit.SPADES, seats[0])
        head: dict[str, object] = {"kozyr": 1, "rules": "free", "seats": list(seats), "dealer": seats[-1]}
        return Story(start, steps, None, None, head=head)


def _pair(place: Vector) -> tuple[float, float]:
    return float(place[0]), float(place[1])

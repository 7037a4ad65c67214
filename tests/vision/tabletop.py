"""
Simulated table for tests: cards are rectangles, arms are bars, and the detector knows the truth.

Lengths in mm from the middle of the picture, x to the right, y towards the first seat. Actions are generators of
frames, so that ``detect`` (asked while a frame is being fed) is about just that frame.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from referee.events import Lifted, Placed, Reread, Swept, TableEvent
from vision.capture.sources import Frame
from vision.detection.detections import CLASS_NAMES, FACE_COUNT, NOTHING_INDEX, Detections
from vision.detection.segmentation import ARM, CARD, MAP_PX, OTHER
from vision.geometry.quads import iou, warp
from vision.layout import seat_angle
from vision.pipeline import Pipeline
from vision.table.observation import InitialState

FPS = 25
SIZE = (640, 360)
TILT_DEG = 62.0
NO_GAME = InitialState.of(None, pack=52, has_game=False)


@dataclass(frozen=True)
class Lying:
    """A card on the table; ``card`` may be ``back``."""

    card: str
    x: float
    y: float
    turn: float = 0.0


@dataclass
class Hand:
    """An arm from its seat to ``tip``, holding cards there (drawn, but nobody can read them)."""

    seat: int
    tip: tuple[float, float]
    holds: list[str] = field(default_factory=list)


@dataclass
class Tabletop:
    """
    A table with cards and arms, and the pictures of it.

    ``view``: (3, 3), where pixels have gone because the camera moved; None: nowhere.
    """

    seats: tuple[str, ...] = ("A", "B", "C")
    lying: list[Lying] = field(default_factory=list)
    hands: list[Hand] = field(default_factory=list)
    light: float = 1.0
    objects: list[tuple[float, float, float]] = field(default_factory=list)
    misreads: dict[str, str] = field(default_factory=dict)
    faint: dict[str, float] = field(default_factory=dict)
    missed: set[str] = field(default_factory=set)
    view: np.ndarray | None = None
    number: int = 0
    inferences: int = 0

    def __post_init__(self) -> None:
        self._chance = np.random.default_rng(3)
        grain = self._chance.normal(0, 5, (SIZE[1] // 4, SIZE[0] // 4)).astype(np.float32)
        grain = cv2.resize(grain, SIZE, interpolation=cv2.INTER_CUBIC)
        self._noise = [self._chance.normal(0, 2.0, (SIZE[1], SIZE[0], 3)).astype(np.int16) for _ in range(7)]
        self._wood = np.clip(np.array([70, 105, 140]) + grain[..., None], 0, 255).astype(np.uint8)

    # --- geometry

    def px(self, points: object) -> np.ndarray:
        """Project millimetres to pixels: a camera tilted by ``TILT_DEG`` above the table."""
        points = np.asarray(points, np.float64)
        tilt, focal, distance = math.radians(TILT_DEG), 560.0, 950.0
        depth = distance - points[..., 1] * math.cos(tilt)
        seen = np.stack(
            [
                SIZE[0] / 2 + focal * points[..., 0] / depth,
                SIZE[1] / 2 + focal * points[..., 1] * math.sin(tilt) / depth,
            ],
            axis=-1,
        ).astype(np.float32)
        return seen if self.view is None else warp(self.view, seen)

    def quad(self, card: Lying) -> np.ndarray:
        """Return the corners in pixels."""
        turn = math.radians(card.turn)
        spin = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
        corners = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]]) @ spin.T
        return self.px(corners + np.array([card.x, card.y]))

    def home(self, seat: int) -> tuple[float, float]:
        """Return where a seat's arm comes from, well outside the picture."""
        angle = math.radians(seat_angle(seat, len(self.seats)))
        return 800 * math.cos(angle), 560 * math.sin(angle)

    # --- pictures

    def picture(self) -> np.ndarray:
        """Return the table as the camera sees it now."""
        image = self._wood.copy()
        if self.view is not None:
            image = np.asarray(cv2.warpPerspective(image, self.view, SIZE, borderMode=cv2.BORDER_REFLECT), np.uint8)
        for card in self.lying:
            self._draw_card(image, self.quad(card), card.card)
        for x, y, radius in self.objects:
            centre = self.px((x, y))
            cv2.circle(image, (int(centre[0]), int(centre[1])), int(radius * 0.6), (60, 90, 40), -1, cv2.LINE_AA)
        for hand in self.hands:
            for k, card in enumerate(hand.holds):
                self._draw_card(image, self.quad(Lying(card, hand.tip[0] + 6 * k, hand.tip[1] + 4 * k, 8.0 * k)), card)
            self._draw_arm(image, hand)
        lit = image if self.light == 1.0 else cv2.convertScaleAbs(image, alpha=self.light)
        return np.asarray(cv2.add(lit, self._noise[self.number % len(self._noise)], dtype=cv2.CV_8U), np.uint8)

    def _draw_card(self, image: np.ndarray, quad: np.ndarray, name: str) -> None:
        middle = quad.mean(axis=0)
        cv2.fillConvexPoly(image, quad.astype(np.int32), (235, 238, 240), cv2.LINE_AA)
        cv2.polylines(image, [quad.astype(np.int32)], True, (120, 120, 120), 1, cv2.LINE_AA)
        if name == "back":
            colour = (150, 70, 40)
        else:
            index = CLASS_NAMES.index(name)
            colour = (40 + 37 * index % 160, 30 + 71 * index % 160, 40 + 113 * index % 160)
        inner = middle + (quad - middle) * 0.62
        cv2.fillConvexPoly(image, inner.astype(np.int32), colour, cv2.LINE_AA)

    def _draw_arm(self, image: np.ndarray, hand: Hand) -> None:
        start, tip = np.array(self.home(hand.seat)), np.array(hand.tip)
        wrist = tip + (start - tip) / max(np.linalg.norm(start - tip), 1) * 120
        a, b, c = (tuple(int(v) for v in self.px(point)) for point in (start, wrist, tip))
        cv2.line(image, a, b, (110, 50, 40), 40, cv2.LINE_AA)
        cv2.line(image, b, c, (120, 150, 205), 30, cv2.LINE_AA)

    # --- detections

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Return every card with a fifth in view; cards in hands too, as a real detector might."""
        self.inferences += 1
        labels = np.zeros((SIZE[1], SIZE[0]), np.int32)
        for k, card in enumerate(self.lying):
            cv2.fillConvexPoly(labels, self.quad(card).astype(np.int32), k + 1)
        for hand in self.hands:
            arm = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
            self._draw_arm(arm, hand)
            labels[arm.max(axis=2) > 0] = 0
        found = []
        for k, card in enumerate(self.lying):
            whole = cv2.fillConvexPoly(np.zeros_like(labels, np.uint8), self.quad(card).astype(np.int32), 1).sum()
            if card.card not in self.missed and (labels == k + 1).sum() >= 0.2 * max(whole, 1):
                found.append((self.quad(card), self.misreads.get(card.card, card.card)))
        if not found:
            return Detections.none()
        corners = np.array([quad for quad, _ in found], np.float32)
        corners += self._chance.normal(0, 0.5, corners.shape).astype(np.float32)
        shares = np.array([self.faint.get(name, 0.97) for _, name in found], np.float32)
        names = np.repeat((1 - shares[:, None]) / (len(CLASS_NAMES) - 1), len(CLASS_NAMES), axis=1)
        names[np.arange(len(found)), [CLASS_NAMES.index(name) for _, name in found]] = shares
        return Detections(corners, np.full(len(found), 0.9, np.float32), names)

    # --- actions

    def frame(self) -> Frame:
        """Return the next picture of the film."""
        self.number += 1
        return Frame(self.picture(), self.number - 1, (self.number - 1) / FPS)

    def rest(self, seconds: float) -> Iterator[Frame]:
        """Let time pass without any change."""
        for _ in range(round(seconds * FPS)):
            yield self.frame()

    def move(self, hand: Hand, to: tuple[float, float], seconds: float = 0.4) -> Iterator[Frame]:
        """Move the tip of an arm."""
        start, steps = hand.tip, max(1, round(seconds * FPS))
        for k in range(1, steps + 1):
            share = (1 - math.cos(math.pi * k / steps)) / 2
            hand.tip = (start[0] + (to[0] - start[0]) * share, start[1] + (to[1] - start[1]) * share)
            yield self.frame()

    def reach(self, seat: str, to: tuple[float, float], holds: list[str] | None = None) -> Iterator[Frame]:
        """Bring an arm in."""
        place = self.seats.index(seat)
        x, y = self.home(place)
        hand = Hand(place, (x * 0.8, y * 0.8), holds or [])
        self.hands.append(hand)
        yield from self.move(hand, to)

    def leave(self, seat: str) -> Iterator[Frame]:
        """Move a seat's arm out."""
        place = self.seats.index(seat)
        hand = next(hand for hand in self.hands if hand.seat == place)
        x, y = self.home(place)
        yield from self.move(hand, (x * 0.8, y * 0.8))
        self.hands.remove(hand)

    def lay(self, seat: str, *cards: Lying) -> Iterator[Frame]:
        """Let a hand bring cards, lay them down and leave."""
        yield from self.reach(seat, (cards[-1].x, cards[-1].y), [card.card for card in cards])
        self.hands[-1].holds = []
        self.lying += cards
        yield from self.rest(0.1)
        yield from self.leave(seat)

    def pick(self, seat: str, *names: str, to: str | tuple[float, float]) -> Iterator[Frame]:
        """
        Let a hand take cards and carry them to its seat (``to="hand"``) or, face down, to a discard pile at a place.
        """
        cards = [card for card in self.lying if card.card in names]
        yield from self.reach(seat, (cards[0].x, cards[0].y))
        hand = self.hands[-1]
        for card in cards:
            yield from self.move(hand, (card.x, card.y), 0.2)
            self.lying.remove(card)
            hand.holds.append("back")
        if not isinstance(to, str):
            yield from self.move(hand, to, 0.5)
            turn = float(self._chance.uniform(0, 90))
            self.lying += [Lying("back", to[0], to[1], turn + 9 * k) for k in range(len(hand.holds))]
            hand.holds = []
        yield from self.leave(seat)

    def draw(self, seat: str) -> Iterator[Frame]:
        """Let a hand draw the top card of the talon (the last card named ``back`` left of the middle)."""
        top = next(card for card in reversed(self.lying) if card.x < -150)
        yield from self.reach(seat, (top.x, top.y))
        yield from self.rest(0.12)
        self.lying.remove(top)
        self.hands[-1].holds = ["back"]
        yield from self.leave(seat)

    def bump(self, shift: tuple[float, float], zoom: float = 1.0, seconds: float = 0.3) -> Iterator[Frame]:
        """Push the camera by ``shift`` pixels, and zoom about the picture's middle."""
        steps = max(1, round(seconds * FPS))
        before = np.eye(3) if self.view is None else self.view
        for k in range(1, steps + 1):
            share = k / steps
            scale = 1 + (zoom - 1) * share
            x, y = (SIZE[i] / 2 * (1 - scale) + shift[i] * share for i in range(2))
            self.view = np.array([[scale, 0, x], [0, scale, y], [0, 0, 1.0]]) @ before
            yield self.frame()

    def knock(self, name: str, dx: float, dy: float, turn: float = 0.0) -> None:
        """Move a card a little."""
        k = next(k for k, card in enumerate(self.lying) if card.card == name)
        card = self.lying[k]
        self.lying[k] = replace(card, x=card.x + dx, y=card.y + dy, turn=card.turn + turn)


class Askable(Tabletop):
    """A table whose detector also reads given places, where it finds cards that it misses otherwise."""

    unreadable: frozenset[str] = frozenset()
    """Cards of which it reads only that they are some face."""

    def detect_at(
        self, image_bgr: np.ndarray, corners_px: np.ndarray, occluders_px: Sequence[Sequence[np.ndarray]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the truth about each place."""
        named = np.full((len(corners_px), len(CLASS_NAMES)), 0.03 / (len(CLASS_NAMES) - 1), np.float32)
        corners = corners_px.astype(np.float32)
        for row, asked in enumerate(corners):
            there = max(self.lying, key=lambda card: iou(self.quad(card), asked), default=None)
            if there is None or iou(self.quad(there), asked) < 0.5:
                named[row, NOTHING_INDEX] = 0.97
            elif there.card in self.unreadable:
                named[row, :FACE_COUNT] = 0.97 / FACE_COUNT
            else:
                named[row, CLASS_NAMES.index(there.card)] = 0.97
                corners[row] = self.quad(there)
        return corners, named


class Armed(Tabletop):
    """A table whose detector segments arms and reads a held-up card."""

    held: Lying | None = None

    def picture(self) -> np.ndarray:
        """Return the table with the card in the fingers, which lie on its lower half."""
        if self.held is not None:
            self.lying.append(self.held)
        image = super().picture()
        if self.held is not None:
            self.lying.remove(self.held)
        return image

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Return the cards on the table and the one that is held."""
        if self.held is None:
            return super().detect(image_bgr)
        self.lying.append(self.held)
        found = super().detect(image_bgr)
        self.lying.remove(self.held)
        return found

    def label(self, image_bgr: np.ndarray) -> np.ndarray:
        """Return where arms and cards are drawn."""
        labels = np.full(image_bgr.shape[:2], OTHER, np.uint8)
        for card in self.lying:
            cv2.fillConvexPoly(labels, self.quad(card).astype(np.int32), CARD)
        arm = np.zeros_like(image_bgr)
        for hand in self.hands:
            self._draw_arm(arm, hand)
        labels[arm.max(axis=2) > 20] = ARM
        return np.asarray(cv2.resize(labels, MAP_PX, interpolation=cv2.INTER_NEAREST), np.uint8)


TALON = (-260.0, 60.0)
HEAP = (260.0, 60.0)


def with_talon(cards: int = 4, turnup: str | None = "9h", heap: int = 0, table: Tabletop | None = None) -> Tabletop:
    """
    Return a table with a talon at the left (the turn-up crosswise under it) and perhaps a discard pile at the right.
    """
    table = table or Tabletop()
    if turnup is not None:
        table.lying.append(Lying(turnup, TALON[0] + 38, TALON[1], 90))
    table.lying += [Lying("back", *TALON, k * 0.5) for k in range(cards)]
    table.lying += [Lying("back", *HEAP, 17.0 * k) for k in range(heap)]
    return table


def play(pipeline: Pipeline, *acts: Iterator[Frame]) -> list[TableEvent]:
    """Feed all actions to the pipeline and return the events."""
    events: list[TableEvent] = []
    for act in acts:
        for frame in act:
            events += pipeline.feed(frame)
    return events


def bout(table: Tabletop) -> Iterator[Frame]:
    """Yield the frames of a bout: A lays 7s, B beats it with Ts, A throws in Td."""
    yield from table.lay("A", Lying("7s", -60, 0))
    yield from table.rest(0.6)
    yield from table.lay("B", Lying("Ts", -45, 25, 15))
    yield from table.rest(0.6)
    yield from table.lay("A", Lying("Td", 70, 0))
    yield from table.rest(0.6)


def reported(table: Tabletop, *acts: Iterator[Frame]) -> list[tuple[float, TableEvent]]:
    """Return the events of a table without a game, each after the time of its report. Two seconds of rest end it."""
    pipeline = Pipeline(table, table.seats, NO_GAME)
    events = []
    for act in (table.rest(1.0), *acts, table.rest(2.0)):
        for frame in act:
            events += [(frame.at, event) for event in pipeline.feed(frame)]
    return events


def in_words(events: list[tuple[float, TableEvent]]) -> list[str]:
    """Return the events as short text, without confirmations of names."""
    out = []
    for _, event in events:
        if isinstance(event, Placed):
            out.append(f"{event.card}" if event.on is None else f"{event.card} on {event.on}")
        elif isinstance(event, Lifted):
            out.append(f"{event.card} lifted")
        elif isinstance(event, Swept):
            out.append(f"swept to {event.to}" + "".join(f" leaving {card}" for card in event.left))
        elif not isinstance(event, Reread) or event.was != event.card:
            out.append(type(event).__name__)
    return out

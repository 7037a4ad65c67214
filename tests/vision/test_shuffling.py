"""Rule set free: pushing, turning, shuffling and squaring cards gives no events of laying or taking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest

from tests.vision.tabletop import FPS, NO_GAME, Armed, Hand, Lying, Tabletop, in_words, play, reported
from vision.capture.sources import Frame
from vision.detection.detections import Detections
from vision.detection.segmentation import ARM
from vision.pipeline import Pipeline

CARD = Lying("7s", -120.0, 20.0)
PACKET = ("Td", "Kc", "8h", "Qs", "4d", "Ah", "9c", "2s", "Jh", "5c", "6d", "3h")


def pushed(table: Tabletop, seat: str, pause_s: float, shift: tuple[float, float, float]) -> Iterator[Frame]:
    """Push the newest card with a finger three times by ``shift`` (mm, mm, degrees), with a rest after each push."""
    card = table.lying[-1]
    yield from table.reach(seat, (card.x + 10.0, card.y + 30.0))
    hand = table.hands[-1]
    for _ in range(3):
        for _ in range(round(0.3 * FPS)):
            share = 1 / round(0.3 * FPS)
            card = table.lying[-1]
            dx, dy, turn = (value * share for value in shift)
            table.lying[-1] = replace(card, x=card.x + dx, y=card.y + dy, turn=card.turn + turn)
            hand.tip = (hand.tip[0] + dx, hand.tip[1] + dy)
            yield table.frame()
        yield from table.rest(pause_s)
    yield from table.leave(seat)


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    ("pause_s", "shift"), [(0.1, (100.0, 0.0, 40.0)), (0.5, (20.0, -5.0, 90.0)), (1.2, (60.0, -10.0, 10.0))]
)
def test_pushed_card_is_reported_once(pause_s: float, shift: tuple[float, float, float]) -> None:
    table = Tabletop()
    events = reported(table, table.lay("A", CARD), table.rest(1.0), pushed(table, "B", pause_s, shift))
    assert in_words(events) == ["7s"]


def two_hands(table: Tabletop, seat: str, gap_mm: float, depth_mm: float = 40.0) -> Iterator[Frame]:
    """Bring both arms of a seat in, to stay beside each other, ``gap_mm`` apart."""
    yield from table.reach(seat, (-gap_mm, depth_mm))
    yield from table.reach(seat, (gap_mm, depth_mm))


def gone(table: Tabletop) -> Iterator[Frame]:
    """Move all arms out, one after the other."""
    for hand in list(table.hands):
        yield from table.leave(table.seats[hand.seat])


def riffled(table: Tabletop, faces: bool, rounds: int = 2, pause_s: float = 0.3) -> Iterator[Frame]:
    """Halve a pack, riffle it card by card into the middle, push it together and take it up again."""
    names = PACKET if faces else ("back",) * len(PACKET)
    yield from two_hands(table, "B", 70.0)
    for turn in range(rounds):
        order = names[turn:] + names[:turn]
        left = [Lying(name, -45.0 + 0.3 * k, 5.0, 8.0) for k, name in enumerate(order[:6])]
        right = [Lying(name, 45.0 - 0.3 * k, 5.0, -8.0) for k, name in enumerate(order[6:])]
        table.lying += [*left, *right]
        yield from table.rest(pause_s)
        middle: list[Lying] = []
        while left or right:  # the lowest card of either half falls on the heap in the middle
            for half, side in ((left, -1.0), (right, 1.0)):
                if half:
                    card = half.pop(0)
                    table.lying.remove(card)
                    middle.append(replace(card, x=12.0 * side, y=-25.0))
                    table.lying.append(middle[-1])
                    for other in [*left, *right]:  # the halves lie over what has fallen
                        table.lying.remove(other)
                        table.lying.append(other)
                    yield from table.rest(0.08)
        yield from table.rest(pause_s)
        for step in range(8):
            for k, card in enumerate(middle):
                now = replace(card, x=card.x * (1 - (step + 1) / 8), turn=card.turn * (1 - (step + 1) / 8))
                table.lying[table.lying.index(card)] = now
                middle[k] = now
            yield table.frame()
        yield from table.rest(pause_s)
        for card in middle:
            table.lying.remove(card)
        yield from table.rest(pause_s)
    yield from gone(table)


@pytest.mark.thorough
@pytest.mark.parametrize(("faces", "pause_s"), [(False, 0.3), (True, 0.1), (True, 0.8)])
def test_riffle_lays_no_card(faces: bool, pause_s: float) -> None:
    table = Armed()
    events = reported(table, table.lay("A", CARD), table.rest(1.0), riffled(table, faces, pause_s=pause_s))
    assert in_words(events) == ["7s"]


def overhand(table: Tabletop, pause_s: float, packets: int = 8) -> Iterator[Frame]:
    """Shuffle a pack in the hands: its lowest face, towards the camera, changes packet by packet."""
    yield from two_hands(table, "C", 45.0)
    place = Lying("back", 0.0, 0.0, 30.0)
    for k in range(packets):
        table.lying.append(replace(place, card=PACKET[k % len(PACKET)], x=3.0 * (k % 3), y=-4.0 * (k % 2)))
        yield from table.rest(pause_s)
        table.lying.pop()
        table.lying.append(replace(place, card="back"))
        yield from table.rest(0.12)
        table.lying.pop()
    yield from gone(table)


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("pause_s", [0.12, 0.7])
def test_pack_shuffled_in_the_hands_lays_no_card(pause_s: float) -> None:
    table = Armed()
    events = reported(table, table.lay("A", CARD), table.rest(1.0), overhand(table, pause_s))
    assert in_words(events) == ["7s"]


def squared(table: Tabletop, seconds: float) -> Iterator[Frame]:
    """Tap a face-up pack on the table, turn it a little, tap it again, and carry it away."""
    yield from two_hands(table, "B", 40.0)
    pack = Lying("Ah", 0.0, -10.0)
    for k in range(4):
        table.lying.append(replace(pack, x=4.0 * (k % 2), turn=90.0 * (k % 2)))
        yield from table.rest(seconds)
        table.lying.pop()
        yield from table.rest(0.1)
    yield from gone(table)


@pytest.mark.thorough
def test_pack_squared_on_the_table_is_not_laid() -> None:
    table = Armed()
    events = reported(table, table.lay("A", CARD), table.rest(1.0), squared(table, 0.6))
    assert in_words(events) == ["7s"]


def gripped(table: Tabletop, seconds: float) -> Iterator[Frame]:
    """Let card after card fall from two packets that hands hold by the edge: they show a new face each time."""
    for k in range(len(PACKET) // 2):
        table.lying = [Lying(PACKET[k], -70.0, -10.0), Lying(PACKET[-1 - k], 70.0, -10.0)]
        yield from table.rest(seconds)
    table.lying = []
    yield from table.rest(0.2)
    yield from gone(table)


@pytest.mark.thorough
@pytest.mark.parametrize("seconds", [0.4, 1.0])
def test_packets_held_by_their_edge_from_the_first_picture_on_lay_no_card(seconds: float) -> None:
    table = Armed(seats=("A", "B"), hands=[Hand(1, (-70.0, -10.0)), Hand(1, (70.0, -10.0))])
    table.lying += [Lying("Kd", -70.0, -10.0), Lying("3c", 70.0, -10.0)]
    assert in_words(reported(table, gripped(table, seconds))) == []


def test_card_under_a_hand_that_rests_is_reported_once_the_hand_has_gone() -> None:
    table = Armed(seats=("A", "B"), hands=[Hand(1, (0.0, 0.0))], lying=[replace(CARD, x=0.0, y=0.0)])
    assert in_words(reported(table, table.rest(2.0), table.leave("B"))) == ["7s"]


@dataclass
class Smudged(Armed):
    """A table whose segmentation takes a tenth of each card for an arm. ``detected``, ``segmented``: its calls."""

    detected: int = 0
    segmented: int = 0

    def detect(self, image_bgr: np.ndarray) -> Detections:
        self.detected += 1
        return super().detect(image_bgr)

    def label(self, image_bgr: np.ndarray) -> np.ndarray:
        self.segmented += 1
        labels = super().label(image_bgr)
        scale = np.array([labels.shape[1] / image_bgr.shape[1], labels.shape[0] / image_bgr.shape[0]])
        for card in self.lying:
            top = self.quad(card)
            top[2:] = 0.1 * top[2:] + 0.9 * top[[1, 0]]
            cv2.fillConvexPoly(labels, np.round(top * scale).astype(np.int32), ARM)
        return labels


def test_card_once_found_free_of_a_hand_is_not_segmented_with_each_inference() -> None:
    table = Smudged(seats=("A", "B"), lying=[replace(CARD, x=0.0, y=0.0)])
    pipeline = Pipeline(table, table.seats, NO_GAME)
    play(pipeline, table.rest(2.0))
    detected, segmented = table.detected, table.segmented
    assert segmented > 0
    pipeline.arrange(pipeline.zones)
    play(pipeline, table.rest(2.0))
    assert table.detected > detected
    assert table.segmented == segmented

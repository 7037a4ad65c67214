"""Difficult situations: the picture's edge, cards laid exactly on others, gathering in strokes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from referee.cards import Card
from referee.events import Blocked, Placed
from tests.vision.tabletop import NO_GAME, TALON, Armed, Hand, Lying, Tabletop, in_words, play, reported, with_talon
from vision.capture.sources import Frame
from vision.detection.detections import Detections
from vision.pipeline import Pipeline
from vision.table_session import CAMERA_MOVES

AT_ONCE_S = 1.0
"""Seconds within which a card at rest is reported."""


def cut_off(table: Tabletop, card: Lying) -> float:
    """Return the share of a card that the picture's edge cuts off."""
    quad = table.quad(card)
    inside = np.clip(quad, 0, (639, 359))
    whole, left = (float(np.prod(np.ptp(corners, axis=0))) for corners in (quad, inside))
    return 1 - left / whole


LOW = Lying("Td", 40.0, 282.0)
"""Where the lower edge of the picture cuts a card."""


def test_card_cut_by_the_picture_edge_is_reported_at_once() -> None:
    table = Tabletop()
    assert 0.15 < cut_off(table, LOW) < 0.5
    events = reported(table, table.lay("B", LOW))
    assert in_words(events) == ["Td"]
    at, placed = events[0]
    assert at - placed.at < AT_ONCE_S
    assert isinstance(placed, Placed)
    assert (placed.by, placed.on) == ("B", None)


def test_card_pushed_in_at_an_edge_is_of_the_seat_there() -> None:
    table = Armed()

    def pushed_in() -> Iterator[Frame]:
        for k in range(6):
            table.lying.append(replace(LOW, y=LOW.y + 75 - 15 * k))
            yield from table.rest(0.04)
            table.lying.pop()
        table.lying.append(LOW)
        yield from table.rest(1.0)

    ((_, placed),) = reported(table, pushed_in())
    assert isinstance(placed, Placed)
    assert (str(placed.card), placed.by) == ("Td", "A")


@pytest.mark.thorough
def test_pile_at_the_picture_edge_is_tracked_card_by_card() -> None:
    table = Tabletop()
    pile = [Lying(name, LOW.x + k, LOW.y - k, k * 0.5) for k, name in enumerate(("Td", "Ts", "7s"))]
    acts = [act for card in pile for act in (table.lay("B", card), table.rest(1.0))]
    events = reported(table, *acts)
    assert in_words(events) == ["Td", "Ts on Td", "7s on Td"]
    assert all(at - event.at < AT_ONCE_S for at, event in events)


@pytest.mark.thorough
def test_cards_dealt_two_a_second_on_a_pile_at_the_edge_are_reported() -> None:
    table, names = Armed(), ("Td", "Ts", "7s", "Qh", "4c")

    def dealt() -> Iterator[Frame]:
        for name in names:
            hand = Hand(1, (LOW.x, -170.0), [name])
            table.hands.append(hand)
            yield from table.move(hand, (LOW.x, LOW.y - 20), 0.16)
            hand.holds = []
            table.lying.append(replace(LOW, card=name))
            yield from table.rest(0.04)
            yield from table.move(hand, (LOW.x, -170.0), 0.12)
            table.hands.remove(hand)
            yield from table.rest(0.16)

    assert [words.split(" ")[0] for words in in_words(reported(table, dealt()))] == list(names)


@pytest.mark.thorough
def test_resting_arm_at_the_edge_is_no_card_and_hides_none() -> None:
    table = Tabletop()

    def resting() -> Iterator[Frame]:
        yield from table.reach("B", (60.0, 120.0))
        yield from table.rest(3.0)
        yield from table.lay("C", Lying("Td", -120.0, -60.0))
        yield from table.rest(1.5)

    assert in_words(reported(table, resting())) == ["Td"]


def test_card_laid_exactly_on_another_is_reported_on_it() -> None:
    table = Tabletop()
    acts = (table.lay("A", Lying("7s", 0, 0)), table.rest(0.5), table.lay("B", Lying("Td", 1.0, 1.0, 0.5)))
    events = reported(table, *acts)
    assert in_words(events) == ["7s", "Td on 7s"]
    assert all(at - event.at < AT_ONCE_S for at, event in events)


@pytest.mark.thorough
@pytest.mark.parametrize(("faint", "expected"), [(0.97, ["7s", "7d on 7s"]), (0.2, ["7d"])])
def test_two_cards_laid_together_are_reported_though_one_is_mostly_hidden(faint: float, expected: list[str]) -> None:
    table = Tabletop(faint={"7s": faint})
    events = reported(table, table.lay("A", Lying("7s", 0.0, 0.0), Lying("7d", 18.0, 2.0, 8.0)))
    assert in_words(events) == expected
    assert all(at - event.at < 1.5 * AT_ONCE_S for at, event in events)


@pytest.mark.thorough
@pytest.mark.parametrize("shift", [2.0, 26.0])
def test_rule_set_free_reports_a_face_on_a_pile_of_backs_as_laid(shift: float) -> None:
    table = with_talon(turnup=None)
    events = reported(table, table.lay("A", Lying("7s", TALON[0] + shift, TALON[1] + 3.0, 4.0)))
    assert in_words(events) == ["7s"]
    assert all(at - event.at < AT_ONCE_S for at, event in events)


@pytest.mark.thorough
def test_rule_set_free_reports_a_card_turned_on_its_pile_as_laid() -> None:
    table = with_talon(turnup=None)

    def turned_up() -> Iterator[Frame]:
        yield from table.reach("A", TALON)
        yield from table.rest(0.1)
        table.lying[-1] = Lying("7s", *TALON, 1.5)
        yield from table.leave("A")

    assert in_words(reported(table, turned_up())) == ["7s"]


def test_rule_set_free_reports_no_swap() -> None:
    table = with_talon(turnup="9h")

    def laid_by_a_hand_that_stays() -> Iterator[Frame]:
        yield from table.reach("B", (40.0, 0.0), ["8h"])
        table.hands[-1].holds = []
        table.lying.append(Lying("8h", 40.0, -10.0))
        yield from table.move(table.hands[-1], (40.0, 70.0), 0.3)
        yield from table.rest(1.5)

    pipeline = Pipeline(table, table.seats, NO_GAME)
    events = play(pipeline, table.rest(1.0), laid_by_a_hand_that_stays())
    assert [event.card for event in events if isinstance(event, Placed)] == [Card.parse("9h"), Card.parse("8h")]


@pytest.mark.thorough
def test_bout_pushed_together_in_strokes_is_swept_once() -> None:
    table = Tabletop()
    cards = [Lying("7s", -150.0, 0.0), Lying("Td", -60.0, 10.0), Lying("Kc", 110.0, 0.0), Lying("8h", 190.0, 5.0)]
    laid = [act for card in cards for act in (table.lay("A", card), table.rest(0.4))]

    def strokes() -> Iterator[Frame]:
        yield from table.reach("B", (-170.0, 0.0))
        hand = table.hands[-1]
        for side, names in ((-1.0, ("7s", "Td")), (1.0, ("8h", "Kc"))):
            yield from table.move(hand, (side * 190.0, 0.0), 0.4)
            for step in range(12):
                for k, name in enumerate(names):
                    card = next(card for card in table.lying if card.card == name)
                    table.knock(name, (side * (12.0 + 20 * k) - card.x) / (12 - step), 0.0, side * 0.4)
                hand.tip = (side * (190.0 - 13.0 * step), 0.0)
                yield table.frame()
            yield from table.move(hand, (side * 60.0, 130.0), 0.3)
            yield from table.rest(0.5)
        yield from table.move(hand, (0.0, 0.0), 0.3)
        hand.holds = [card.card for card in table.lying]
        table.lying = []
        yield from table.leave("B")

    assert in_words(reported(table, *laid, strokes())) == ["7s", "Td", "Kc", "8h", "swept to B"]


def swaying(table: Tabletop, seconds: float) -> Iterator[Frame]:
    """Sway the camera as a hand does that holds it, too far to be followed."""
    for number in range(round(seconds * 25)):
        t = number / 25
        shift = (27 * np.sin(4.1 * t) + 12 * np.sin(11 * t), 21 * np.sin(3.3 * t) + 12 * np.sin(13 * t))
        table.view = np.array([[1, 0, shift[0]], [0, 1, shift[1]], [0, 0, 1.0]])
        yield table.frame()
    table.view = None


@pytest.mark.thorough
def test_swaying_camera_is_reported_and_its_cards_are_shown() -> None:
    cards = [Lying("7s", -150, -60), Lying("Td", 120, -70), Lying("Kc", -130, 90), Lying("8h", 140, 80)]
    table = Tabletop(lying=cards)
    pipeline = Pipeline(table, table.seats, NO_GAME)
    events = play(pipeline, swaying(table, 6.0))
    assert [event.reason for event in events if isinstance(event, Blocked)] == [CAMERA_MOVES]
    assert (pipeline.view.sways, pipeline.view.blocked_by) == (True, CAMERA_MOVES)
    assert {str(card.card) for card in pipeline.view.cards} == {"7s", "Td", "Kc", "8h"}
    events = play(pipeline, table.rest(2.0), table.lay("B", Lying("Ac", 0, 0)), table.rest(2.0))
    assert (pipeline.view.sways, pipeline.view.blocked_by) == (False, None)
    assert in_words([(0.0, event) for event in events if isinstance(event, Placed) and event.by == "B"]) == ["Ac"]


@pytest.mark.thorough
def test_moving_arm_is_no_camera_motion() -> None:
    table = Tabletop()

    def waving() -> Iterator[Frame]:
        yield from table.reach("B", (0.0, 0.0))
        for k in range(12):
            yield from table.move(table.hands[-1], (150.0 * (-1) ** k, 60.0 * (k % 3 - 1)), 0.4)
        yield from table.leave("B")

    assert in_words(reported(table, waving())) == []


@pytest.mark.thorough
@pytest.mark.parametrize("gap_mm", [45.0, 20.0])
def test_card_beside_a_flickering_area_is_reported_at_once(gap_mm: float) -> None:
    table = Tabletop()
    card = Lying("Td", -60.0, 20.0)

    def flickering(seconds: float) -> Iterator[Frame]:
        for number in range(round(seconds * 25)):
            table.objects = [(card.x + 32 + gap_mm, card.y, 30.0 + 9.0 * (number % 3))]
            yield table.frame()

    def laid() -> Iterator[Frame]:
        yield from flickering(1.0)
        for _ in table.lay("B", card):
            pass
        yield from flickering(3.0)

    events = reported(table, laid())
    assert in_words(events) == ["Td"]
    assert events[0][0] - events[0][1].at < 2 * AT_ONCE_S


@pytest.mark.thorough
def test_card_held_up_still_is_not_laid() -> None:
    table = Armed()
    held = Lying("Td", 0.0, -10.0)

    def shown() -> Iterator[Frame]:
        yield from table.reach("A", (held.x, held.y + 25))
        table.held = held
        yield from table.rest(4.0)
        table.held = None
        yield from table.leave("A")

    assert in_words(reported(table, shown(), table.lay("B", Lying("7s", 60.0, 30.0)))) == ["7s"]


def test_flickering_card_at_the_edge_is_reported_at_once() -> None:
    table = Armed()

    def flickering() -> Iterator[Frame]:
        for _ in table.lay("B", LOW):
            yield table.frame()
        for number in range(75):
            table.objects = [(LOW.x - 8, LOW.y - 30, 3.0 + 4.0 * (number % 3))]
            yield table.frame()

    events = reported(table, flickering())
    assert in_words(events) == ["Td"]
    assert events[0][0] - events[0][1].at < AT_ONCE_S


class Unsure(Armed):
    """A table whose detector finds a card at the lower edge surely and reads two names as equally likely."""

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Return the cards on the table; for the card at the edge two names are about equally likely."""
        found = super().detect(image_bgr)
        names = found.probabilities.copy()
        low = found.corners_px[:, :, 1].mean(axis=1) > 0.9 * image_bgr.shape[0]
        names[low] = 0.45 * names[low] + 0.55 * np.roll(names[low], 1, axis=1)
        return Detections(found.corners_px, found.confidence, names.astype(np.float32))


def test_unsure_card_at_the_edge_is_reported_if_no_arm_is_there() -> None:
    table = Unsure()
    (event,) = reported(table, table.lay("B", LOW), table.rest(2.5))
    assert isinstance(event[1], Placed)
    assert event[0] - event[1].at < 1.5


def slide(table: Tabletop, card: Lying, start: float, end: float) -> Iterator[Frame]:
    """Move a card down or up the picture by itself, from one place to another."""
    for step in range(13):
        table.lying[-1:] = [replace(card, y=start + (end - start) * step / 12)]
        yield table.frame()


@pytest.mark.thorough
def test_card_that_slides_in_without_a_hand_is_an_overlay() -> None:
    table = Armed()

    def drawn() -> Iterator[Frame]:
        table.lying.append(Lying("Td", 40.0, -400.0))
        yield from slide(table, Lying("Td", 40.0, 0.0), -400.0, -60.0)
        yield from table.rest(2.0)
        yield from slide(table, Lying("Td", 40.0, 0.0), -60.0, -400.0)
        table.lying.pop()

    laid = table.lay("B", Lying("7s", -60.0, 30.0))
    assert in_words(reported(table, drawn(), laid, table.rest(1.0), drawn())) == ["7s"]


class WithInserts(Tabletop):
    """A film with inserted pictures."""

    insert: Tabletop | None = None

    def picture(self) -> np.ndarray:
        """Return the table, or the insert that is shown in between."""
        if self.insert is None:
            return super().picture()
        shown = self.insert.picture()
        ground = np.kron(np.random.default_rng(1).integers(0, 255, (9, 16, 3)), np.ones((40, 40, 1))).astype(np.uint8)
        return np.where(shown.min(axis=2, keepdims=True) > 170, shown, ground)

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Return the cards on the table."""
        return super().detect(image_bgr) if self.insert is None else self.insert.detect(image_bgr)


@pytest.mark.thorough
def test_inserted_pictures_are_ignored_and_tracking_continues() -> None:
    table = WithInserts()

    def shown() -> Iterator[Frame]:
        table.insert = Tabletop(lying=[Lying("Ac", -120, 0), Lying("Kd", 0, 0), Lying("9h", 120, 0)])
        yield from table.rest(3.0)
        table.insert = None

    cards = [Lying("7s", -150.0, -20.0), Lying("Td", 20.0, 10.0), Lying("Kc", 150.0, 0.0)]
    laid = [act for card in cards for act in (table.lay("A", card), table.rest(1.0))]
    more = table.lay("B", replace(cards[1], x=30.0, y=25.0, turn=15.0, card="Qd"))
    events = reported(table, *laid, shown(), table.rest(1.0), more)
    assert in_words([event for event in events if not isinstance(event[1], Blocked)]) == ["7s", "Td", "Kc", "Qd on Td"]

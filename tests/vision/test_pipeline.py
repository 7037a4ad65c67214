"""Simulated table through motion detection, tracking and events, with a detector that knows the truth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
import pytest

from referee.cards import Card
from referee.events import Blocked, Placed
from tests.vision.tabletop import HEAP, TALON, Lying, Tabletop, bout, play, with_talon
from tests.vision.watched import EVERY_INFERENCE_COUNTS, START, events_of, short
from vision.capture.sources import Frame
from vision.pipeline import Pipeline
from vision.table.observation import InitialState


def test_still_table_gives_no_events_and_few_inferences() -> None:
    table = with_talon(heap=3)
    assert events_of(table, table.rest(6.0)) == []
    assert table.inferences <= 5


def test_laid_card_is_reported_with_the_seat_of_the_hand() -> None:
    for seat in ("A", "B", "C"):
        table = with_talon()
        assert events_of(table, table.lay(seat, Lying("7s", 10, -20, 5))) == [f"{seat} lays 7s"]


def test_card_across_another_is_reported_on_it() -> None:
    table = with_talon()
    assert events_of(
        table,
        table.lay("A", Lying("7s", -60, 0)),
        table.rest(0.6),
        table.lay("A", Lying("7d", 60, 0)),
        table.rest(0.6),
        table.lay("B", Lying("Ts", -40, 22, 20)),
    ) == ["A lays 7s", "A lays 7d", "B lays Ts on 7s"]


@pytest.mark.thorough
def test_upper_of_two_cards_waits_for_the_name_of_the_lower() -> None:
    table = with_talon()
    table.faint["7s"] = 0.35
    both = table.lay("A", Lying("7s", -60, 0), Lying("Ts", -40, 22, 20))
    # One hand laid both: two attacks of one person, not an attack and its answer.
    assert events_of(table, both, settings=EVERY_INFERENCE_COUNTS) == ["A lays 7s", "A lays Ts"]


def test_card_is_reported_within_half_a_second_after_the_hand() -> None:
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0))
    for frame in chain(table.lay("A", Lying("7s", 0, 0)), table.rest(0.5)):
        for event in pipeline.feed(frame):
            assert isinstance(event, Placed)
            # In at 1.0, laid at 1.4, leaving from 1.5 on.
            assert 1.5 < event.at < 1.75
            assert frame.at - event.at < 0.5
            return
    raise AssertionError("the card was not reported while the hand was leaving the picture")


def test_cards_laid_together_have_one_time() -> None:
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    events = play(pipeline, table.rest(1.0), table.lay("C", Lying("8s", -40, 0), Lying("8d", 40, 0)), table.rest(1.0))
    assert sorted(short(events)) == ["C lays 8d", "C lays 8s"]
    assert events[0].at == events[1].at


@pytest.mark.thorough
def test_quickly_covered_card_keeps_its_seat() -> None:
    table = with_talon()
    assert events_of(
        table,
        table.lay("A", Lying("7s", 0, 0)),
        table.lay("B", Lying("Ts", 15, 25, 15)),
    ) == ["A lays 7s", "B lays Ts on 7s"]


def test_card_taken_back_is_lifted() -> None:
    table = with_talon()
    assert events_of(
        table,
        table.lay("A", Lying("7s", -60, 0)),
        table.rest(0.6),
        table.lay("A", Lying("Kd", 60, 0)),
        table.rest(0.6),
        table.pick("A", "Kd", to="hand"),
    ) == ["A lays 7s", "A lays Kd", "A lifts Kd"]


@pytest.mark.thorough
def test_single_card_is_lifted_by_its_owner_and_swept_by_another() -> None:
    for seat, expected in (("A", "A lifts 7s"), ("B", "swept to B")):
        table = with_talon()
        assert events_of(
            table, table.lay("A", Lying("7s", 0, 0)), table.rest(0.6), table.pick(seat, "7s", to="hand")
        ) == ["A lays 7s", expected]


BOUT = ["A lays 7s", "B lays Ts on 7s", "A lays Td"]


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("heap", [0, 4])
def test_beaten_bout_is_swept_to_the_discard_pile(heap: int) -> None:
    table = with_talon(heap=heap)
    assert events_of(table, bout(table), table.pick("A", "7s", "Ts", "Td", to=HEAP)) == [*BOUT, "swept to heap"]


def test_taken_bout_is_swept_to_the_seat_of_the_hand() -> None:
    table = with_talon(heap=4)
    assert events_of(table, bout(table), table.pick("B", "7s", "Ts", "Td", to="hand")) == [*BOUT, "swept to B"]


@pytest.mark.thorough
def test_bout_gathered_card_by_card_is_one_sweep() -> None:
    table = with_talon(heap=4)
    gathered = [act for name in ("Td", "Ts", "7s") for act in (pick_by_b(table, name), table.rest(0.3))]
    assert events_of(table, bout(table), *gathered) == [*BOUT, "swept to B"]


def pick_by_b(table: Tabletop, name: str) -> Iterator[Frame]:
    """Take one card by B's hand; evaluated only when these frames are played."""
    yield from table.pick("B", name, to="hand")


@pytest.mark.thorough
def test_sweep_reports_cards_left_on_the_table() -> None:
    table = with_talon(heap=4)
    assert events_of(table, bout(table), pick_to_heap(table, "7s", "Ts")) == [*BOUT, "swept to heap leaving Td"]


def pick_to_heap(table: Tabletop, *names: str) -> Iterator[Frame]:
    """Move cards to the discard pile by C's hand; evaluated only when these frames are played."""
    yield from table.pick("C", *names, to=HEAP)


def test_each_hand_at_the_talon_draws_a_card_and_the_last_the_turn_up() -> None:
    table = with_talon(cards=2)

    def draws() -> Iterator[Frame]:
        for seat in ("A", "B", "C"):
            yield from table.draw(seat)
            yield from table.rest(1.0)

    start = InitialState(turnup=Card.parse("9h"), talon=3, dealt=True)
    assert events_of(table, draws(), start=start) == ["A draws 1", "B draws 1", "C draws 1 9h"]


@pytest.mark.thorough
def test_hand_that_passes_over_the_talon_draws_nothing() -> None:
    table = with_talon()
    # From B's corner the way to the middle leads close by; the tips end beyond the talon.
    assert events_of(table, table.lay("B", Lying("7s", -90, 130))) == ["B lays 7s"]


@pytest.mark.thorough
def test_lifting_and_returning_the_turn_up_is_no_draw() -> None:
    table = with_talon(cards=0)

    def touch() -> Iterator[Frame]:
        yield from table.reach("B", (TALON[0] + 38, TALON[1]))
        yield from table.rest(0.3)
        yield from table.leave("B")

    start = InitialState(turnup=Card.parse("9h"), talon=1, dealt=True)
    assert events_of(table, touch(), start=start) == []


@pytest.mark.thorough
def test_card_hidden_by_another_hand_keeps_its_time_and_seat() -> None:
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0))
    events = play(
        pipeline,
        table.lay("A", Lying("7s", 0, 0)),
        table.rest(0.08),
        table.reach("B", (0.0, 0.0)),
        table.rest(3.0),
        table.leave("B"),
        table.rest(1.0),
    )
    assert short(events) == ["A lays 7s"]
    # In at 1.0, laid at 1.4, leaving from 1.5 on; the other hand is over it from 2.1 to 5.3.
    assert 1.4 < events[0].at < 2.0


@pytest.mark.thorough
def test_turn_up_moved_during_a_swap_is_not_laid() -> None:
    table = with_talon()

    def swap() -> Iterator[Frame]:
        turnup = next(card for card in table.lying if card.card == "9h")
        yield from table.reach("A", (-150.0, 110.0), ["6h"])
        table.hands[-1].holds = []
        table.lying.append(Lying("6h", -150, 110))
        yield from table.move(table.hands[-1], (turnup.x, turnup.y), 0.3)
        table.lying.remove(turnup)
        yield from table.move(table.hands[-1], (-90.0, 10.0), 0.3)
        table.lying.append(Lying("9h", -90, 10))
        yield from table.move(table.hands[-1], (-60.0, 110.0), 0.3)
        yield from table.rest(0.6)
        yield from table.move(table.hands[-1], (-150.0, 110.0), 0.2)
        table.lying.remove(next(card for card in table.lying if card.card == "6h"))
        yield from table.move(table.hands[-1], (turnup.x, turnup.y), 0.3)
        table.lying.insert(0, Lying("6h", turnup.x, turnup.y, turnup.turn))
        yield from table.move(table.hands[-1], (-90.0, 10.0), 0.3)
        table.lying.remove(next(card for card in table.lying if card.card == "9h"))
        table.hands[-1].holds = ["back"]
        yield from table.leave("A")

    assert events_of(table, swap()) == ["A swaps 6h"]


def test_turn_up_drawn_last_and_played_at_once_is_drawn_and_laid() -> None:
    table = with_talon(cards=0)

    def draw_and_play() -> Iterator[Frame]:
        yield from table.reach("A", (table.lying[0].x, table.lying[0].y))
        card = table.lying.pop(0)
        table.hands[-1].holds = [card.card]
        yield from table.move(table.hands[-1], (20.0, 0.0), 0.3)
        table.hands[-1].holds = []
        table.lying.append(Lying(card.card, 20, 0))
        yield from table.rest(0.1)
        yield from table.leave("A")

    start = InitialState(turnup=Card.parse("9h"), talon=1, dealt=True)
    reports = events_of(table, draw_and_play(), start=start)
    assert "A draws 1 9h" in reports
    assert "A lays 9h" in reports


def test_exchanged_turn_up_is_a_swap() -> None:
    table = with_talon()

    def swap() -> Iterator[Frame]:
        yield from table.reach("A", (TALON[0] + 60, TALON[1]), ["6h"])
        table.lying[0] = Lying("6h", table.lying[0].x, table.lying[0].y, 90)
        table.hands[-1].holds = ["9h"]
        yield from table.leave("A")

    reports = events_of(table, swap())
    assert "A swaps 6h" in reports


@pytest.mark.thorough
def test_hand_resting_over_a_card_removes_nothing() -> None:
    table = with_talon()

    def resting() -> Iterator[Frame]:
        yield from table.reach("C", (0, 10))
        yield from table.rest(9.0)
        yield from table.leave("C")

    assert events_of(table, table.lay("A", Lying("7s", 0, 0)), table.rest(0.6), resting()) == ["A lays 7s"]


def test_card_is_reported_while_another_hand_rests_on_the_table() -> None:
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0), table.reach("C", (150, -100)))
    events = play(pipeline, table.lay("A", Lying("7s", -50, 0)), table.rest(0.8))
    assert short(events) == ["A lays 7s"]


@pytest.mark.thorough
def test_knocked_card_is_no_event() -> None:
    table = with_talon()

    def knock() -> Iterator[Frame]:
        yield from table.reach("C", (10, 0))
        table.knock("7s", 14, 9, 12)
        yield from table.leave("C")

    assert events_of(table, table.lay("A", Lying("7s", 0, 0)), table.rest(0.6), knock()) == ["A lays 7s"]


@pytest.mark.thorough
def test_pair_pushed_aside_is_no_event() -> None:
    table = with_talon()

    def push() -> Iterator[Frame]:
        yield from table.reach("A", (-50, 10))
        for _ in range(8):
            table.knock("7s", 9, -4)
            table.knock("Ts", 9, -4)
            yield table.frame()
        yield from table.leave("A")

    assert events_of(table, bout(table), push()) == BOUT


@pytest.mark.thorough
@pytest.mark.parametrize("light", [0.6, 0.85, 1.15])
def test_switched_lamp_is_no_event(light: float) -> None:
    table = with_talon(heap=3)

    def lamp() -> Iterator[Frame]:
        table.light = light
        yield from table.rest(2.0)

    assert events_of(table, bout(table), lamp()) == BOUT


@pytest.mark.thorough
def test_glass_on_the_table_is_no_event() -> None:
    table = with_talon()

    def glass() -> Iterator[Frame]:
        yield from table.reach("C", (200, -120))
        table.objects.append((200, -120, 45))
        yield from table.leave("C")

    assert events_of(table, bout(table), glass()) == BOUT


@pytest.mark.thorough
def test_only_unknown_cards_of_the_start_are_reported() -> None:
    table = with_talon(heap=2)
    table.lying.append(Lying("7s", 0, 0))
    assert events_of(table) == ["None lays 7s"]
    initial = InitialState(turnup=Card.parse("9h"), talon=5, bout=(Card.parse("7s"),), dealt=True)
    table = with_talon(heap=2)
    table.lying.append(Lying("7s", 0, 0))
    assert events_of(table, start=initial) == []


def test_turn_up_under_the_talon_reports_the_deal() -> None:
    table = with_talon()
    assert events_of(table, start=InitialState()) == ["dealt 9h"]


@pytest.mark.thorough
def test_long_hidden_table_is_reported_once_as_blocked() -> None:
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0))
    black = np.zeros((360, 640, 3), np.uint8)
    events = [event for k in range(150) for event in pipeline.feed(Frame(black, 25 + k, 1 + k / 25))]
    assert [type(event) for event in events] == [Blocked]
    table.number = 25 + 150
    assert play(pipeline, table.rest(2.0)) == []


def test_lost_camera_is_blocked_and_events_continue_afterwards() -> None:
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0))
    picture = table.picture()
    (event,) = [e for k in range(50) for e in pipeline.feed(Frame(picture, 25 + k, 1 + k / 25, lost="unplugged"))]
    assert isinstance(event, Blocked)
    assert event.reason == "unplugged"
    table.number = 75
    assert short(play(pipeline, table.rest(0.5), table.lay("A", Lying("7s", 0, 0)), table.rest(1.0))) == ["A lays 7s"]


def test_waiting_events_are_reported_if_the_picture_size_changes() -> None:
    table = with_talon()
    table.faint["7s"] = 0.9
    pipeline = Pipeline(table, table.seats, START)
    events = play(pipeline, table.rest(1.0), table.lay("A", Lying("7s", 0, 0)))
    while not pipeline.observation or not pipeline.observation.bout:
        events += pipeline.feed(table.frame())
    assert events == [], "read with doubt, it is looked at once more"
    frame = table.frame()
    half = np.ascontiguousarray(frame.image_bgr[::2, ::2])
    events += pipeline.feed(Frame(half, frame.number, frame.at))
    assert short(events) == ["A lays 7s"]


def test_next_still_of_a_folder_is_another_table() -> None:
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0))
    table.lying = [Lying("7s", 0, 0), Lying("8d", 90, 0)]
    cut = table.frame()
    events = list(pipeline.feed(Frame(cut.image_bgr, cut.number, cut.at, cut=True)))
    events += play(pipeline, table.rest(1.0))
    assert {str(seen.card) for seen in pipeline.view.cards} == {"7s", "8d"}


def test_view_has_cards_pairs_zones_and_hands() -> None:
    table = with_talon(heap=3)
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0), bout(table), table.reach("B", (-150, -100)))
    view = pipeline.view
    zones = {zone: {str(seen.card) for seen in view.cards if seen.zone == zone} for zone in ("bout", "turnup")}
    assert zones == {"bout": {"7s", "Ts", "Td"}, "turnup": {"9h"}}
    assert {seen.zone for seen in view.cards if seen.card is None} == {"talon", "heap"}
    assert {(str(seen.on), str(seen.card)) for seen in view.cards if seen.on is not None} == {("7s", "Ts")}
    assert [hand.seat for hand in view.hands] == ["B"]

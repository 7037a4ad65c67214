"""A small drawn table, through motion detection, tracking and events, with a detector that knows the truth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
import pytest

from referee.cards import Card
from referee.events import Blocked, Placed
from tests.vision.tabletop import HEAP, TALON, Lying, Tabletop, bout, play, with_talon
from tests.vision.watched import EVERY_INFERENCE_COUNTS, START, short, watched
from vision.capture.sources import Frame
from vision.observation import InitialState
from vision.pipeline import Pipeline


def test_a_still_table_makes_no_events_and_few_looks() -> None:
    table = with_talon(heap=3)
    assert watched(table, table.rest(6.0)) == []
    assert table.looks <= 5


def test_a_card_laid_is_placed_by_the_seat_of_the_hand() -> None:
    for seat in ("A", "B", "C"):
        table = with_talon()
        assert watched(table, table.lay(seat, Lying("7s", 10, -20, 5))) == [f"{seat} lays 7s"]


def test_a_card_laid_across_another_is_on_it() -> None:
    table = with_talon()
    assert watched(
        table,
        table.lay("A", Lying("7s", -60, 0)),
        table.rest(0.6),
        table.lay("A", Lying("7d", 60, 0)),
        table.rest(0.6),
        table.lay("B", Lying("Ts", -40, 22, 20)),
    ) == ["A lays 7s", "A lays 7d", "B lays Ts on 7s"]


def test_of_two_cards_laid_at_once_the_upper_waits_until_the_lower_has_its_name() -> None:
    table = with_talon()
    table.faint["7s"] = 0.35
    both = table.lay("A", Lying("7s", -60, 0), Lying("Ts", -40, 22, 20))
    assert watched(table, both, settings=EVERY_INFERENCE_COUNTS) == ["A lays 7s", "A lays Ts on 7s"]


def test_a_card_is_reported_within_half_a_second_of_the_hand_leaving_it() -> None:
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
    raise AssertionError("the card was not told while the hand was leaving the picture")


def test_two_cards_laid_at_once_are_one_play() -> None:
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    events = play(pipeline, table.rest(1.0), table.lay("C", Lying("8s", -40, 0), Lying("8d", 40, 0)), table.rest(1.0))
    assert sorted(short(events)) == ["C lays 8d", "C lays 8s"]
    assert events[0].at == events[1].at


def test_a_card_covered_quickly_by_the_next_hand_keeps_its_own_seat() -> None:
    table = with_talon()
    assert watched(
        table,
        table.lay("A", Lying("7s", 0, 0)),
        table.lay("B", Lying("Ts", 15, 25, 15)),
    ) == ["A lays 7s", "B lays Ts on 7s"]


def test_a_card_taken_back_is_lifted() -> None:
    table = with_talon()
    assert watched(
        table,
        table.lay("A", Lying("7s", -60, 0)),
        table.rest(0.6),
        table.lay("A", Lying("Kd", 60, 0)),
        table.rest(0.6),
        table.pick("A", "Kd", to="hand"),
    ) == ["A lays 7s", "A lays Kd", "A lifts Kd"]


def test_a_lone_card_taken_by_who_laid_it_is_lifted_and_by_another_it_is_the_take() -> None:
    for seat, told in (("A", "A lifts 7s"), ("B", "swept to B")):
        table = with_talon()
        assert watched(
            table, table.lay("A", Lying("7s", 0, 0)), table.rest(0.6), table.pick(seat, "7s", to="hand")
        ) == ["A lays 7s", told]


BOUT = ["A lays 7s", "B lays Ts on 7s", "A lays Td"]


@pytest.mark.parametrize("heap", [0, 4])
def test_a_bout_swept_to_the_discard_pile(heap: int) -> None:
    table = with_talon(heap=heap)
    assert watched(table, bout(table), table.pick("A", "7s", "Ts", "Td", to=HEAP)) == [*BOUT, "swept to heap"]


def test_a_bout_taken_goes_to_the_seat_of_the_hand() -> None:
    table = with_talon(heap=4)
    assert watched(table, bout(table), table.pick("B", "7s", "Ts", "Td", to="hand")) == [*BOUT, "swept to B"]


def test_a_bout_gathered_card_by_card_is_one_sweep() -> None:
    table = with_talon(heap=4)
    gathered = [act for name in ("Td", "Ts", "7s") for act in (table_pick(table, name), table.rest(0.3))]
    assert watched(table, bout(table), *gathered) == [*BOUT, "swept to B"]


def table_pick(table: Tabletop, name: str) -> Iterator[Frame]:
    """Let B take one card; begins only when it is its turn."""
    yield from table.pick("B", name, to="hand")


def test_a_sweep_that_leaves_a_card_reports_it() -> None:
    table = with_talon(heap=4)
    assert watched(table, bout(table), table_pick_to_heap(table, "7s", "Ts")) == [*BOUT, "swept to heap leaving Td"]


def table_pick_to_heap(table: Tabletop, *names: str) -> Iterator[Frame]:
    """Let C put some of the cards on the discard pile; begins only when it is its turn."""
    yield from table.pick("C", *names, to=HEAP)


def test_each_visit_to_the_talon_draws_a_card_and_the_last_one_is_the_turn_up() -> None:
    table = with_talon(cards=2)

    def draws() -> Iterator[Frame]:
        for seat in ("A", "B", "C"):
            yield from table.draw(seat)
            yield from table.rest(1.0)

    start = InitialState(turnup=Card.parse("9h"), talon=3, dealt=True)
    assert watched(table, draws(), start=start) == ["A draws 1", "B draws 1", "C draws 1 9h"]


def test_a_hand_that_passes_over_the_talon_draws_nothing() -> None:
    table = with_talon()
    # From B's corner the way to the middle leads close by; the tips end beyond the talon.
    assert watched(table, table.lay("B", Lying("7s", -90, 130))) == ["B lays 7s"]


def test_a_hand_that_lifts_the_bare_turn_up_and_leaves_it_draws_nothing() -> None:
    table = with_talon(cards=0)

    def touch() -> Iterator[Frame]:
        yield from table.reach("B", (TALON[0] + 38, TALON[1]))
        yield from table.rest(0.3)
        yield from table.leave("B")

    start = InitialState(turnup=Card.parse("9h"), talon=1, dealt=True)
    assert watched(table, touch(), start=start) == []


def test_a_card_hidden_at_once_by_another_hand_is_reported_as_it_was_laid() -> None:
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


def test_a_turn_up_put_beside_the_talon_for_a_moment_is_no_card_laid() -> None:
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

    assert watched(table, swap()) == ["A swaps 6h"]


def test_a_turn_up_drawn_as_the_last_card_and_played_at_once_was_drawn() -> None:
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
    words = watched(table, draw_and_play(), start=start)
    assert "A draws 1 9h" in words
    assert "A lays 9h" in words


def test_the_turn_up_exchanged_is_a_swap() -> None:
    table = with_talon()

    def swap() -> Iterator[Frame]:
        yield from table.reach("A", (TALON[0] + 60, TALON[1]), ["6h"])
        table.lying[0] = Lying("6h", table.lying[0].x, table.lying[0].y, 90)
        table.hands[-1].holds = ["9h"]
        yield from table.leave("A")

    words = watched(table, swap())
    assert "A swaps 6h" in words


def test_a_hand_resting_over_a_card_takes_nothing_away() -> None:
    table = with_talon()

    def resting() -> Iterator[Frame]:
        yield from table.reach("C", (0, 10))
        yield from table.rest(9.0)
        yield from table.leave("C")

    assert watched(table, table.lay("A", Lying("7s", 0, 0)), table.rest(0.6), resting()) == ["A lays 7s"]


def test_a_card_laid_while_another_hand_rests_on_the_table_is_reported_at_once() -> None:
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0), table.reach("C", (150, -100)))
    events = play(pipeline, table.lay("A", Lying("7s", -50, 0)), table.rest(0.8))
    assert short(events) == ["A lays 7s"]


def test_a_card_knocked_is_no_event() -> None:
    table = with_talon()

    def knock() -> Iterator[Frame]:
        yield from table.reach("C", (10, 0))
        table.knock("7s", 14, 9, 12)
        yield from table.leave("C")

    assert watched(table, table.lay("A", Lying("7s", 0, 0)), table.rest(0.6), knock()) == ["A lays 7s"]


def test_a_pair_pushed_aside_together_is_no_event() -> None:
    table = with_talon()

    def push() -> Iterator[Frame]:
        yield from table.reach("A", (-50, 10))
        for _ in range(8):
            table.knock("7s", 9, -4)
            table.knock("Ts", 9, -4)
            yield table.frame()
        yield from table.leave("A")

    assert watched(table, bout(table), push()) == BOUT


@pytest.mark.parametrize("light", [0.6, 0.85, 1.15])
def test_a_lamp_switched_is_no_event(light: float) -> None:
    table = with_talon(heap=3)

    def lamp() -> Iterator[Frame]:
        table.light = light
        yield from table.rest(2.0)

    assert watched(table, bout(table), lamp()) == BOUT


def test_a_glass_put_down_is_no_event() -> None:
    table = with_talon()

    def glass() -> Iterator[Frame]:
        yield from table.reach("C", (200, -120))
        table.objects.append((200, -120, 45))
        yield from table.leave("C")

    assert watched(table, bout(table), glass()) == BOUT


def test_cards_there_at_the_start_are_no_events_but_an_unannounced_card_of_the_bout_is() -> None:
    table = with_talon(heap=2)
    table.lying.append(Lying("7s", 0, 0))
    assert watched(table) == ["None lays 7s"]
    told = InitialState(turnup=Card.parse("9h"), talon=5, bout=(Card.parse("7s"),), dealt=True)
    table = with_talon(heap=2)
    table.lying.append(Lying("7s", 0, 0))
    assert watched(table, start=told) == []


def test_without_a_start_the_turn_up_under_the_talon_shows_the_deal() -> None:
    table = with_talon()
    assert watched(table, start=InitialState()) == ["dealt 9h"]


def test_a_table_hidden_for_long_is_blocked_once() -> None:
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0))
    black = np.zeros((360, 640, 3), np.uint8)
    events = [event for k in range(150) for event in pipeline.feed(Frame(black, 25 + k, 1 + k / 25))]
    assert [type(event) for event in events] == [Blocked]
    table.number = 25 + 150
    assert play(pipeline, table.rest(2.0)) == []


def test_a_lost_camera_is_blocked_and_the_game_goes_on_after_it() -> None:
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0))
    picture = table.picture()
    (event,) = [e for k in range(50) for e in pipeline.feed(Frame(picture, 25 + k, 1 + k / 25, lost="unplugged"))]
    assert isinstance(event, Blocked)
    assert event.reason == "unplugged"
    table.number = 75
    assert short(play(pipeline, table.rest(0.5), table.lay("A", Lying("7s", 0, 0)), table.rest(1.0))) == ["A lays 7s"]


def test_waiting_events_are_reported_when_the_pictures_size_changes() -> None:
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


def test_the_next_still_of_a_folder_is_another_table() -> None:
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0))
    table.lying = [Lying("7s", 0, 0), Lying("8d", 90, 0)]
    cut = table.frame()
    events = list(pipeline.feed(Frame(cut.image_bgr, cut.number, cut.at, cut=True)))
    events += play(pipeline, table.rest(1.0))
    assert {str(seen.card) for seen in pipeline.view.cards} == {"7s", "8d"}


def test_the_view_has_cards_pairs_zones_and_hands() -> None:
    table = with_talon(heap=3)
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0), bout(table), table.reach("B", (-150, -100)))
    view = pipeline.view
    zones = {zone: {str(seen.card) for seen in view.cards if seen.zone == zone} for zone in ("bout", "turnup")}
    assert zones == {"bout": {"7s", "Ts", "Td"}, "turnup": {"9h"}}
    assert {seen.zone for seen in view.cards if seen.card is None} == {"talon", "heap"}
    assert {(str(seen.on), str(seen.card)) for seen in view.cards if seen.on is not None} == {("7s", "Ts")}
    assert [hand.seat for hand in view.hands] == ["B"]

"""Zones that people marked: seats, talon, discard pile and bout."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest

from referee.cards import Card
from tests.vision.table.tracks import lying, place
from tests.vision.tabletop import HEAP, SIZE, TALON, Lying, Tabletop, play, with_talon
from tests.vision.watched import START, short
from vision.capture.sources import Frame
from vision.layout import EVERYWHERE, TableLayout, Zones
from vision.pipeline import Pipeline
from vision.table.observation import InitialState
from vision.table.piles import Piles

SEATS = ("A", "B", "C")


def at(table: Tabletop, place: tuple[float, float]) -> tuple[float, float]:
    """Return a place on the table as a share of the picture."""
    x, y = table.px(place) / SIZE
    return float(x), float(y)


def reported_events(table: Tabletop, zones: Zones, *acts: Iterator[Frame]) -> list[str]:
    """Return the reported events of a table with these zones, in short form."""
    pipeline = Pipeline(table, table.seats, START, zones=zones)
    events = play(pipeline, table.rest(1.0), *acts, table.rest(2.0))
    return short([*events, *pipeline.finish()])


def test_zones_survive_a_json_round_trip() -> None:
    values = {"seats": {"C": 271.5}, "talon": [0.1, 0.2], "heap": [0.9, 1], "bout": [[0, 0], [1, 0], [1, 0.5], [0, 1]]}
    zones = Zones().changed(values, SEATS)
    assert Zones().changed(json.loads(json.dumps(zones.as_json())), SEATS) == zones
    assert zones.changed({}, SEATS) == zones
    assert Zones().as_json() == {}


def test_changing_one_zone_keeps_the_others() -> None:
    zones = Zones().changed({"talon": [0.1, 0.2], "seats": {"A": 80}}, SEATS)
    zones = zones.changed({"seats": {"B": 170}, "heap": [0.9, 0.2]}, SEATS)
    assert zones.talon == (0.1, 0.2)
    assert dict(zones.seats) == {"A": 80.0, "B": 170.0}
    assert zones.changed(dict.fromkeys(("seats", "talon", "heap", "bout")), SEATS) == Zones()


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ([], "expected zones such as"),
        ({"tallon": [0.5, 0.5]}, "'tallon'"),
        ({"talon": [0.5, 1.2]}, r"\[0.5, 1.2\]"),
        ({"talon": [True, 0.5]}, "shares of the picture"),
        ({"talon": [0.5, float("nan")]}, "shares of the picture"),
        ({"heap": "left"}, "'left'"),
        ({"seats": {"D": 90}}, "expected a seat out of A, B, C, got 'D'"),
        ({"seats": {"A": "left"}}, '"seats" of A to be a direction in degrees'),
        ({"seats": {"A": float("inf")}}, '"seats" of A to be a direction in degrees'),
        ({"seats": [90]}, '"seats" to be directions of seats such as'),
        ({"bout": [[0, 0], [1, 0], [1, 1]]}, "the four corners"),
        ({"bout": [[0, 0], [1, 1], [1, 0], [0, 1]]}, "without a dent"),
        ({"bout": [[0, 0], [0.5, 0], [1, 0], [0.2, 0]]}, "without a dent"),
    ],
)
def test_invalid_zones_are_refused_with_one_sentence(values: object, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        Zones().changed(values, SEATS)  # type: ignore[arg-type]


def test_zones_are_transformed_with_the_camera_motion() -> None:
    zones = Zones(talon=(0.5, 0.5), heap=(0.02, 0.5), bout=EVERYWHERE).moved([[1, 0, -0.05], [0, 1, 0.1]])
    assert zones.talon == (0.45, 0.6)
    assert zones.heap == (0.0, 0.6), "not beyond the picture"
    assert zones.bout == ((0.0, 0.1), (0.95, 0.1), (0.95, 1.0), (0.0, 1.0))


def test_hand_is_attributed_to_the_marked_seat() -> None:
    table = with_talon()
    zones = Zones(seats=(("A", 210.0), ("B", 90.0)))
    events = reported_events(
        table, zones, table.lay("A", Lying("7s", 0, 0)), table.rest(0.6), table.lay("C", Lying("8c", 90, 0))
    )
    assert events == ["B lays 7s", "C lays 8c"], "the drawn A sits at the bottom edge"


@pytest.mark.thorough
def test_draw_is_reported_at_the_marked_talon() -> None:
    for talon_place, expected in ((None, []), (TALON, ["B draws 1"])):
        table = with_talon()
        table.missed = {"back"}
        zones = Zones() if talon_place is None else Zones(talon=at(table, talon_place))
        table.lying.pop(0)  # nor is the turn-up
        assert reported_events(table, zones, table.draw("B")) == expected


def test_sweep_goes_to_the_marked_discard_pile() -> None:
    for pile_place, goal in ((None, "C"), (HEAP, "heap")):
        table = with_talon()
        table.missed = {"back"}
        zones = Zones() if pile_place is None else Zones(heap=at(table, pile_place))
        # Unbeaten, and on C's way home: only the place distinguishes it from a take.
        acts = table.lay("A", Lying("7s", 150, 110)), table.rest(0.6), sweep_to_heap(table)
        assert reported_events(table, zones, *acts) == ["A lays 7s", f"swept to {goal}"]


def sweep_to_heap(table: Tabletop) -> Iterator[Frame]:
    """Move the seven to the discard pile by C's hand; evaluated only when these frames are played."""
    yield from table.pick("C", "7s", to=HEAP)


@pytest.mark.thorough
def test_card_outside_the_bout_zone_is_not_reported() -> None:
    table = with_talon()
    zone = [at(table, corner) for corner in ((-320, -120), (120, -120), (120, 200), (-320, 200))]
    acts = table.lay("C", Lying("Kd", 200, -40)), table.rest(0.6), table.lay("A", Lying("7s", 0, 0))
    assert reported_events(table, Zones(bout=tuple(zone)), *acts) == ["A lays 7s"]


def test_zones_can_be_changed_during_a_game() -> None:
    table = with_talon()
    table.missed = {"back"}
    table.lying.pop(0)
    pipeline = Pipeline(table, table.seats, START)
    assert play(pipeline, table.rest(3.0), table.draw("B"), table.rest(2.0)) == []
    pipeline.arrange(Zones(talon=at(table, TALON)))
    assert short(play(pipeline, table.rest(1.0), table.draw("C"), table.rest(2.0))) == ["C draws 1"]


def test_layout_keeps_marked_seats_and_spreads_the_others_evenly() -> None:
    layout = TableLayout.guessed((640, 360), SEATS, Zones(seats=(("B", 180.0), ("gone", 10.0))))
    assert layout.seat_angles == {"A": 90.0, "B": 180.0, "C": 330.0}
    shares = layout.seat_shares((-50.0, 180.0))
    assert max(shares, key=lambda seat: shares[seat]) == "B"


def card_at(x: float, y: float) -> np.ndarray:
    """Return the corners of a card of 40 x 60 px whose upper left corner is there."""
    return np.array([[x, y], [x + 40, y], [x + 40, y + 60], [x, y + 60]], np.float32)


def test_pile_marked_as_talon_is_the_talon() -> None:
    piles = Piles(InitialState())
    first, second = lying(1, 400, 300, None), lying(2, 100, 100, None)
    place(piles, [first], set(), 0.0, begun=False)
    assert piles.zone(1) == "talon"
    piles.set_marks(card_at(110, 90), None)
    place(piles, [first, second], set(), 5.0, begun=True)
    assert [piles.zone(1), piles.zone(2)] == ["heap", "talon"]
    assert piles.discard_piles[0].came_at < 0, "it lay there before"
    piles.set_marks(card_at(110, 90), card_at(400, 300))
    place(piles, [first, second], set(), 6.0, begun=True)
    assert len(piles.discard_piles) == 1


def test_pile_marked_as_discard_pile_is_no_talon() -> None:
    piles = Piles(InitialState())
    first = lying(1, 400, 300, None)
    place(piles, [first], set(), 0.0, begun=False)
    piles.set_marks(None, card_at(405, 310))
    place(piles, [first], set(), 5.0, begun=True)
    assert piles.zone(1) == "heap"
    assert piles.talon_place_px is None


def test_only_the_marked_pile_is_the_discard_pile() -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    cards = [lying(1, 100, 100, None), lying(2, 120, 110, "8h", across=True)]
    heap, paper = lying(3, 400, 300, None), lying(4, 600, 100, None)
    place(piles, [*cards, heap, paper], set(), 0.0, begun=False)
    assert len(piles.discard_piles) == 2
    piles.set_marks(None, card_at(390, 310))
    place(piles, [*cards, heap, paper], set(), 1.0, begun=True)
    assert np.array_equal(np.sort(piles.discard_piles[0].outline_px, axis=0), np.sort(heap.corners_px, axis=0))
    assert len(piles.discard_piles) == 1


def test_mark_does_not_restore_an_empty_talon() -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    talon, turnup = lying(1, 100, 100, None), lying(2, 120, 110, "8h", across=True)
    for when in range(3):
        piles.set_marks(card_at(100, 100), None)
        place(piles, [talon, turnup], set(), float(when), begun=when > 0)
    place(piles, [], {1, 2}, 9.0, begun=True)
    piles.set_marks(card_at(100, 100), None)
    assert piles.talon_place_px is None
    again = lying(7, 100, 100, None)
    place(piles, [again], set(), 12.0, begun=True)
    assert piles.zone(7) == "heap"


def test_face_at_the_talon_mark_is_the_turn_up_if_its_name_matches() -> None:
    for name, zone in (("8h", "turnup"), ("Kd", "bout")):
        piles = Piles(InitialState(Card.parse("8h")))
        piles.set_marks(card_at(100, 100), None)
        face = lying(2, 120, 110, name, across=True)
        place(piles, [face], set(), 3.0, begun=True)
        assert piles.zone(2) == zone

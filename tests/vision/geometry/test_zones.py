"""Where things are, because somebody said so."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest

from referee.cards import Card
from tests.vision.tabletop import HEAP, SIZE, TALON, Lying, Tabletop, play, with_talon
from tests.vision.tracking.tracks import lying
from tests.vision.watched import START, short
from vision.capture.sources import Frame
from vision.geometry.table_layout import TableLayout
from vision.geometry.zones import EVERYWHERE, Zones
from vision.pipeline import Pipeline
from vision.tracking.piles import Piles

SEATS = ("A", "B", "C")


def at(table: Tabletop, place: tuple[float, float]) -> tuple[float, float]:
    """Return a place on the table as a share of the picture."""
    x, y = table.px(place) / SIZE
    return float(x), float(y)


def told(table: Tabletop, zones: Zones, *acts: Iterator[Frame]) -> list[str]:
    """Return the events of a table with these zones."""
    pipeline = Pipeline(table, table.seats, START, zones=zones)
    events = play(pipeline, table.rest(1.0), *acts, table.rest(2.0))
    return short([*events, *pipeline.finish()])


def test_zones_are_read_back_as_they_were_written() -> None:
    values = {"seats": {"C": 271.5}, "talon": [0.1, 0.2], "heap": [0.9, 1], "bout": [[0, 0], [1, 0], [1, 0.5], [0, 1]]}
    zones = Zones().changed(values, SEATS)
    assert Zones().changed(json.loads(json.dumps(zones.as_json())), SEATS) == zones
    assert zones.changed({}, SEATS) == zones
    assert Zones().as_json() == {}


def test_one_zone_dragged_leaves_the_others_where_they_are() -> None:
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
def test_unusable_zones_are_refused_in_a_sentence(values: object, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        Zones().changed(values, SEATS)  # type: ignore[arg-type]


def test_zones_go_along_when_the_camera_is_bumped() -> None:
    zones = Zones(talon=(0.5, 0.5), heap=(0.02, 0.5), bout=EVERYWHERE).moved([[1, 0, -0.05], [0, 1, 0.1]])
    assert zones.talon == (0.45, 0.6)
    assert zones.heap == (0.0, 0.6), "not beyond the picture"
    assert zones.bout == ((0.0, 0.1), (0.95, 0.1), (0.95, 1.0), (0.0, 1.0))


def test_a_seat_that_was_dragged_is_where_its_hand_comes_from() -> None:
    table = with_talon()
    said = Zones(seats=(("A", 210.0), ("B", 90.0)))
    words = told(table, said, table.lay("A", Lying("7s", 0, 0)), table.rest(0.6), table.lay("C", Lying("8c", 90, 0)))
    assert words == ["B lays 7s", "C lays 8c"], "the drawn A sits at the bottom edge"


def test_draws_come_from_the_marked_talon_where_none_is_detected() -> None:
    for said, words in ((None, []), (TALON, ["B draws 1"])):
        table = with_talon()
        table.overlooks = {"back"}
        zones = Zones() if said is None else Zones(talon=at(table, said))
        table.lying.pop(0)  # nor is the turn-up
        assert told(table, zones, table.draw("B")) == words


def test_the_discard_pile_is_where_it_is_marked_if_none_is_detected() -> None:
    for said, goal in ((None, "C"), (HEAP, "heap")):
        table = with_talon()
        table.overlooks = {"back"}
        zones = Zones() if said is None else Zones(heap=at(table, said))
        # Unbeaten, and on C's way home: only the place distinguishes it from a take.
        acts = table.lay("A", Lying("7s", 150, 110)), table.rest(0.6), to_the_heap(table)
        assert told(table, zones, *acts) == ["A lays 7s", f"swept to {goal}"]


def to_the_heap(table: Tabletop) -> Iterator[Frame]:
    """Let C put the seven on the discard pile; begins only when it is its turn."""
    yield from table.pick("C", "7s", to=HEAP)


def test_a_card_outside_the_bouts_zone_is_nobodys_play() -> None:
    table = with_talon()
    zone = [at(table, corner) for corner in ((-320, -120), (120, -120), (120, 200), (-320, 200))]
    acts = table.lay("C", Lying("Kd", 200, -40)), table.rest(0.6), table.lay("A", Lying("7s", 0, 0))
    assert told(table, Zones(bout=tuple(zone)), *acts) == ["A lays 7s"]


def test_zones_can_be_marked_while_the_game_goes_on() -> None:
    table = with_talon()
    table.overlooks = {"back"}
    table.lying.pop(0)
    pipeline = Pipeline(table, table.seats, START)
    assert play(pipeline, table.rest(3.0), table.draw("B"), table.rest(2.0)) == []
    pipeline.arrange(Zones(talon=at(table, TALON)))
    assert short(play(pipeline, table.rest(1.0), table.draw("C"), table.rest(2.0))) == ["C draws 1"]


def test_the_layout_puts_marked_seats_where_they_were_marked_and_the_others_evenly() -> None:
    layout = TableLayout.guessed((640, 360), SEATS, Zones(seats=(("B", 180.0), ("gone", 10.0))))
    assert layout.seat_angles == {"A": 90.0, "B": 180.0, "C": 330.0}
    shares = layout.seat_shares((-50.0, 180.0))
    assert max(shares, key=lambda seat: shares[seat]) == "B"


def card_at(x: float, y: float) -> np.ndarray:
    """Return the corners of a card of 40 x 60 px whose upper left corner is there."""
    return np.array([[x, y], [x + 40, y], [x + 40, y + 60], [x, y + 60]], np.float32)


def test_the_pile_marked_as_the_talon_is_the_talon_and_the_other_is_not() -> None:
    piles = Piles(None)
    first, second = lying(1, 400, 300, None), lying(2, 100, 100, None)
    piles.place([first], set(), 0.0, begun=False)
    assert piles.zone(1) == "talon"
    piles.set_marks(card_at(110, 90), None)
    piles.place([first, second], set(), 5.0, begun=True)
    assert [piles.zone(1), piles.zone(2)] == ["heap", "talon"]
    assert piles.heaps.began_at is None, "it lay there before"
    piles.set_marks(card_at(110, 90), card_at(400, 300))
    piles.place([first, second], set(), 6.0, begun=True)
    assert len(piles.heaps.outlines_px) == 1


def test_a_pile_marked_as_the_discard_pile_is_no_talon() -> None:
    piles = Piles(None)
    first = lying(1, 400, 300, None)
    piles.place([first], set(), 0.0, begun=False)
    piles.set_marks(None, card_at(405, 310))
    piles.place([first], set(), 5.0, begun=True)
    assert piles.zone(1) == "heap"
    assert piles.talon_place_px is None


def test_of_several_piles_only_the_marked_one_is_the_discard_pile() -> None:
    piles = Piles(Card.parse("8h"))
    cards = [lying(1, 100, 100, None), lying(2, 120, 110, "8h", across=True)]
    heap, paper = lying(3, 400, 300, None), lying(4, 600, 100, None)
    piles.place([*cards, heap, paper], set(), 0.0, begun=False)
    assert len(piles.heaps.outlines_px) == 2
    piles.set_marks(None, card_at(390, 310))
    piles.place([*cards, heap, paper], set(), 1.0, begun=True)
    assert np.array_equal(np.sort(piles.heaps.outlines_px[0], axis=0), np.sort(heap.corners_px, axis=0))
    assert len(piles.heaps.outlines_px) == 1


def test_an_empty_talon_does_not_come_back_because_it_is_marked() -> None:
    piles = Piles(Card.parse("8h"))
    talon, turnup = lying(1, 100, 100, None), lying(2, 120, 110, "8h", across=True)
    for when in range(3):
        piles.set_marks(card_at(100, 100), None)
        piles.place([talon, turnup], set(), float(when), begun=when > 0)
    piles.place([], {1, 2}, 9.0, begun=True)
    piles.set_marks(card_at(100, 100), None)
    assert piles.talon_place_px is None
    again = lying(7, 100, 100, None)
    piles.place([again], set(), 12.0, begun=True)
    assert piles.zone(7) == "heap"


def test_a_face_at_the_talons_mark_is_the_turn_up_if_it_reads_so() -> None:
    for name, zone in (("8h", "turnup"), ("Kd", "bout")):
        piles = Piles(Card.parse("8h"))
        piles.set_marks(card_at(100, 100), None)
        face = lying(2, 120, 110, name, across=True)
        piles.place([face], set(), 3.0, begun=True)
        assert piles.zone(2) == zone

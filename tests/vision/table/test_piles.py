"""Classification of backs and faces as talon, turn-up and discard pile."""

from __future__ import annotations

import numpy as np
import pytest

from referee.cards import Card
from tests.vision.table.tracks import lying, place
from vision.geometry.quads import iou
from vision.table.observation import InitialState
from vision.table.piles import Piles


def test_turn_up_is_identified_by_its_place() -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    turnup, talon = lying(1, 120, 110, "9h", 0.4, across=True), lying(2, 100, 100, None)
    place(piles, [turnup, talon, lying(3, 300, 300, "8c")], set(), 0.0, begun=False)
    assert piles.zone(1) == "turnup"
    assert piles.zone(2) == "talon"
    assert str(piles.turnup_name) == "8h"


def test_of_two_faces_under_backs_the_turn_up_is_the_one_with_its_name() -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    heap, stray = lying(1, 400, 100, None), lying(2, 420, 110, "Kd", across=True)
    talon, turnup = lying(3, 100, 100, None), lying(4, 120, 110, "8h", 0.6, across=True)
    place(piles, [heap, stray, talon, turnup], set(), 0.0, begun=False)
    assert piles.zone(4) == "turnup"
    assert piles.zone(3) == "talon"


def test_exchanged_turn_up_has_its_new_name() -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    talon, old = lying(1, 100, 100, None), lying(2, 120, 110, "8h", across=True)
    place(piles, [talon, old], set(), 0.0, begun=False)
    new = lying(3, 122, 111, "6h", across=True)
    new.first_at = new.seen_at = 5.0
    assert place(piles, [talon, old, new], set(), 5.0, begun=True) is old
    assert piles.turnup_name is None
    assert piles.zone(3) == "turnup"


def test_bare_part_of_an_exchanged_turn_up_may_be_outlined_alone() -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    talon, old = lying(1, 100, 100, None), lying(2, 120, 110, "8h", across=True)
    place(piles, [talon, old], set(), 0.0, begun=False)
    new = lying(3, 120, 110, "6h", across=True)
    new.corners_px = new.corners_px.mean(axis=0) + (new.corners_px - new.corners_px.mean(axis=0)) * np.float32(
        [0.4, 0.9]
    )
    new.first_at = new.seen_at = 5.0
    assert place(piles, [talon, old, new], set(), 5.0, begun=True) is old
    assert piles.zone(3) == "turnup"


def test_turn_up_pulled_out_is_exchanged_for_the_card_that_takes_its_place() -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    talon, old = lying(1, 100, 100, None), lying(2, 120, 110, "8h", across=True)
    place(piles, [talon, old], set(), 0.0, begun=False)
    place_px = old.corners_px.copy()
    old.corners_px = old.corners_px + np.float32([0, 200])
    old.seen_at = 5.0
    assert place(piles, [talon, old], set(), 5.0, begun=True) is None
    assert piles.is_pulled
    new = lying(3, 122, 111, "6h", across=True)
    new.first_at = new.seen_at = 5.0
    assert place(piles, [talon, old, new], set(), 5.0, begun=True) is old
    assert piles.zone(3) == "turnup"
    assert not piles.is_pulled
    assert piles.turnup_px is not None
    assert iou(piles.turnup_px, place_px) > 0.8


def test_talon_and_turn_up_knocked_together_are_not_pulled_apart() -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    talon, old = lying(1, 100, 100, None), lying(2, 120, 110, "8h", across=True)
    place(piles, [talon, old], set(), 0.0, begun=False)
    for card in (talon, old):
        card.corners_px = card.corners_px + np.float32([0, 200])
    assert place(piles, [talon, old], set(), 5.0, begun=True) is None
    assert not piles.is_pulled


def test_pile_over_a_new_turn_up_is_the_talon() -> None:
    piles = Piles(InitialState())
    paper = lying(1, 400, 300, None)
    place(piles, [paper], set(), 0.0, begun=False)
    assert piles.zone(1) == "talon"
    talon, turnup = lying(2, 100, 100, None), lying(3, 120, 110, "8h", across=True)
    place(piles, [paper, turnup, talon], set(), 9.0, begun=True)
    assert piles.zone(3) == "turnup"
    place(piles, [paper, turnup, talon], set(), 9.2, begun=True)
    assert [piles.zone(key) for key in (1, 2, 3)] == ["heap", "talon", "turnup"]


def test_only_a_later_pile_has_a_beginning() -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    talon, old = lying(1, 100, 100, None), lying(2, 120, 110, "8h", across=True)
    first = lying(3, 400, 300, None)
    place(piles, [talon, old, first], set(), 0.0, begun=False)
    assert piles.discard_piles[0].came_at < 0
    place(piles, [talon, old, first, lying(4, 600, 100, None)], set(), 7.0, begun=True)
    assert piles.discard_piles[0].came_at == 7.0


@pytest.mark.parametrize(("gone_at", "stays"), [(9.5, True), (8.0, False)])
def test_undetected_old_pile_keeps_its_place(gone_at: float, stays: bool) -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    talon, old = lying(1, 100, 100, None), lying(2, 120, 110, "8h", across=True)
    place(piles, [talon, old], set(), 0.0, begun=False)
    place(piles, [talon, old, lying(3, 400, 300, None)], set(), 7.0, begun=True)
    place(piles, [talon, old], {3}, gone_at, begun=True)
    assert len(piles.discard_piles) == (1 if stays else 0)
    place(piles, [talon, old, lying(4, 410, 310, None)], set(), 20.0, begun=True)
    assert len(piles.discard_piles) == 1
    # A back found where it lay is no heap that has just come to be.
    assert piles.discard_piles[0].came_at == (7.0 if stays else 20.0)


@pytest.mark.parametrize("is_noticed", [True, False])
def test_turn_up_found_under_the_talon_is_re_identified_when_bare(is_noticed: bool) -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    talon, old = lying(1, 100, 100, None), lying(2, 130, 106, "9h", across=True)
    place(piles, [talon, old], set(), 0.0, begun=False)
    if is_noticed:
        place(piles, [old], {1}, 4.0, begun=True)
    left = [old] if is_noticed else [talon, old]
    new = lying(3, 108, 112, "6h", across=True)
    new.first_at = new.seen_at = 5.0
    beside = lying(4, 260, 112, "7h", across=True)
    beside.first_at = beside.seen_at = 5.0
    assert place(piles, [*left, beside], set(), 5.0, begun=True) is None
    assert place(piles, [*left, new], set(), 5.0, begun=True) is old
    assert piles.zone(3) == "turnup"


def test_pile_taken_before_the_turn_up_was_the_pack() -> None:
    piles = Piles(InitialState())
    pack = lying(1, 400, 300, None)
    place(piles, [pack], set(), 0.0, begun=False)
    turnup = lying(2, 120, 110, "8h", across=True)
    place(piles, [pack, turnup], set(), 8.0, begun=True)
    place(piles, [turnup], {1}, 9.0, begun=True)
    place(piles, [turnup, lying(3, 100, 100, None)], set(), 10.0, begun=True)
    assert piles.zone(2) == "turnup"
    assert piles.zone(3) == "talon"


def test_every_pile_is_the_discard_pile_if_the_talon_was_empty_at_the_start() -> None:
    heap, strip = lying(1, 100, 100, None), lying(2, 120, 110, "Td", 0.8, across=True)
    for has_talon, zones in ((True, ["talon", "turnup"]), (False, ["heap", "bout"])):
        piles = Piles(InitialState(dealt=True, talon=None if has_talon else 0))
        place(piles, [heap, strip], set(), 9.0, begun=False)
        assert [piles.zone(key) for key in (1, 2)] == zones
    assert piles.talon_place_px is None


@pytest.mark.parametrize(("x", "since", "on_heap"), [(110, 12.0, True), (110, 8.0, False), (160, 12.0, False)])
def test_face_at_an_earlier_pile_lies_on_it(x: float, since: float, on_heap: bool) -> None:
    piles = Piles(InitialState(dealt=True, talon=0))
    place(piles, [lying(1, 100, 100, None)], set(), 10.0, begun=True)
    assert piles.covers(lying(2, x, 100, "Td").corners_px, since, 0.35) is on_heap


def test_turn_up_is_searched_until_found_or_gone() -> None:
    eight = Card.parse("8h")
    assert Piles(InitialState()).expected_turnup is None
    assert Piles(InitialState(eight, 0, dealt=True)).expected_turnup is None
    piles = Piles(InitialState(eight))
    assert piles.expected_turnup == eight
    place(piles, [lying(1, 120, 110, "8h", across=True), lying(2, 100, 100, None)], set(), 5.0, begun=True)
    assert piles.expected_turnup is None
    place(piles, [lying(2, 100, 100, None)], {1}, 8.0, begun=True)
    assert piles.expected_turnup is None, "gone into a hand, it may be played: it isn't looked for any more"


@pytest.mark.parametrize(
    ("faces", "turnup"),
    [
        ([("2d", 0.4)], 1),
        ([("2d", 0.8)], None),  # plainly another card: somebody has attacked already
        ([("2d", 0.4), ("9c", 0.9)], None),
        ([("2d", 0.4), ("7c", 0.9)], 1),  # that one is known to lie in the bout
    ],
)
def test_lone_half_hidden_face_is_the_turn_up_of_an_undetected_talon(
    faces: list[tuple[str, float]], turnup: int | None
) -> None:
    for heap in ([], [lying(9, 700, 300, None)]):
        piles = Piles(InitialState(Card.parse("8h"), bout=(Card.parse("7c"),)))
        tracks = [lying(key, 150 * key, 110, name, share) for key, (name, share) in enumerate(faces, start=1)]
        place(piles, [*tracks, *heap], set(), 0.0, begun=False)
        assert piles.turnup_key == turnup


@pytest.mark.parametrize(("name", "is_it"), [("8h", True), ("Kc", False)])
def test_half_hidden_turn_up_is_re_identified_when_bare(name: str, is_it: bool) -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    old = lying(1, 120, 110, "2d", 0.4, across=True)
    place(piles, [old], set(), 0.0, begun=False)
    bare = lying(2, 95, 110, name, 0.5, across=True)
    bare.first_at = bare.seen_at = 5.0
    assert (place(piles, [old, bare], set(), 5.0, begun=True) is old) is is_it


def test_talon_and_turn_up_lie_there_until_they_are_gone() -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    talon, old = lying(1, 100, 100, None), lying(2, 120, 110, "8h", across=True)
    states = []
    for at_rest, gone in (([], set()), ([talon, old], set()), ([old], {1}), ([], {2})):
        place(piles, at_rest, gone, 3.0, begun=bool(gone))
        states.append(
            (piles.talon_px is not None, piles.has_gone, piles.turnup_px is not None, piles.expected_turnup is None)
        )
    assert states == [
        (False, False, False, False),
        (True, False, True, True),
        (False, True, True, True),
        (False, True, False, True),
    ]


def test_talon_marked_elsewhere_makes_the_visible_pile_the_discard_pile() -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    talon, turnup = lying(1, 100, 100, None), lying(2, 120, 110, "8h", across=True)
    place(piles, [talon, turnup], set(), 0.0, begun=False)
    piles.set_marks(lying(9, 500, 300, None).corners_px, None)
    assert (piles.talon_px, piles.turnup_px, piles.expected_turnup) == (None, None, None)
    assert piles.zone(1) == "heap"
    place(piles, [talon, turnup, lying(3, 505, 305, None)], set(), 1.0, begun=True)
    assert piles.zone(3) == "talon"


def test_empty_talon_is_gone_until_marked() -> None:
    piles = Piles(InitialState(dealt=True, talon=0))
    assert piles.has_gone
    piles.set_marks(lying(9, 100, 100, None).corners_px, None)
    assert not piles.has_gone


def test_largest_group_of_backs_is_the_discard_pile_until_another_changes() -> None:
    piles = Piles(InitialState(dealt=True, talon=0))
    backs = [lying(1, 400, 300, None), lying(2, 100, 100, None), lying(3, 110, 105, None)]
    place(piles, backs, set(), 0.0, begun=False)
    assert [len(heap.backs) for heap in piles.discard_piles] == [2, 1]
    changed = np.zeros((90, 160), bool)
    changed[80:86, 105:111] = True  # a card has come to the lone back
    piles.add_change(changed, 4.0, 5.0)
    assert [(len(heap.backs), heap.changed_at) for heap in piles.discard_piles] == [(1, 5.0), (2, -1.0)]


def test_of_two_piles_that_are_not_found_the_last_one_keeps_its_place() -> None:
    piles = Piles(InitialState(dealt=True, talon=0))
    place(piles, [lying(1, 100, 100, None), lying(2, 400, 300, None)], set(), 2.0, begun=True)
    for key, at in ((1, 9.0), (2, 10.0)):
        place(piles, [], {key}, at, begun=True)
    (lost,) = piles.discard_piles
    assert lost.outline_px[:, 0].min() == 400

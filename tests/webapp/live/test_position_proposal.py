"""Proposal of a position from the camera's view, and contradictions to a stated position."""

from __future__ import annotations

from typing import Any

import pytest

from tests.vision.tabletop import Lying, Tabletop, with_talon
from webapp.live.board import Snapshot
from webapp.live.game_setup import GameSetup
from webapp.live.position_proposal import (
    NOTHING_SEEN,
    SeenTable,
    contradictions,
    fitting_rules,
    proposed_start,
    read_table,
    values_for_seats,
)
from webapp.live.shared_setup import CameraView, ContradictedError, SharedSetup

START = {"trump": "d", "turnup": "Ad", "talon": 24, "hands": {"Anna": 6, "Boris": 6}, "attacker": "Anna"}
TWO = GameSetup(source="0", seats=("Anna", "Boris"), start=START)


def seen(table: Tabletop) -> SeenTable:
    """Return the cards that one simulated picture shows."""
    image = table.picture()
    return read_table(image, table.detect(image))


def test_turn_up_talon_discard_pile_and_bout_are_read_from_a_picture() -> None:
    table = with_talon(turnup="Ad", heap=3)
    table.lying += [Lying("7s", -60, 0), Lying("Ts", -50, 18, 20), Lying("9h", 90, 0)]
    assert seen(table) == SeenTable("Ad", True, True, (("7s", "Ts"), ("9h", None)))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (Tabletop(), NOTHING_SEEN),
        (with_talon(turnup=None), NOTHING_SEEN),
        (with_talon(turnup="Ad"), SeenTable("Ad", True)),
        (Tabletop(lying=[Lying("Ad", 0, 0)]), SeenTable(bout=(("Ad", None),))),
    ],
    ids=["empty", "a pack before the deal", "dealt", "a card alone"],
)
def test_only_a_card_under_a_back_is_a_turn_up(table: Tabletop, expected: SeenTable) -> None:
    assert seen(table) == expected


@pytest.mark.parametrize(
    ("values", "table", "kind"),
    [
        ({"trump": "s", "turnup": None}, SeenTable("Ad", True), "trump"),
        ({"trump": "d", "turnup": "Kd"}, SeenTable("Ad", True), "turnup"),
        ({"talon": 0, "turnup": None}, SeenTable("Ad", True), "talon"),
        ({"hands": {"Anna": 1, "Boris": 0}}, SeenTable(bout=(("7s", "Ts"),)), "hands"),
        ({}, SeenTable(bout=(("2c", None),)), "pack"),
        ({}, SeenTable("Ad", True, True, (("7s", "Ts"),)), None),
        ({"talon": 0, "turnup": None}, SeenTable(bout=(("7s", None),)), None),
    ],
)
def test_contradiction_between_position_and_view_is_found(
    values: dict[str, Any], table: SeenTable, kind: str | None
) -> None:
    found = contradictions("podkidnoy-36", {}, {**START, **values}, table)
    assert [contradiction.kind for contradiction in found] == ([] if kind is None else [kind])


def test_without_a_position_the_pack_and_a_turn_up_contradict() -> None:
    assert contradictions("podkidnoy-36", {}, None, SeenTable(has_talon=True)) == ()
    for under_way in (
        SeenTable("Ad", True),
        SeenTable("Ad", True, True),
        SeenTable("Ad", True, bout=(("7s", None),)),
    ):
        assert [contradiction.kind for contradiction in contradictions("podkidnoy-36", {}, None, under_way)] == [
            "dealt"
        ]
    assert [
        contradiction.kind for contradiction in contradictions("podkidnoy-36", {}, None, SeenTable("2d", True))
    ] == ["pack", "dealt"]
    assert contradictions("free", {}, None, SeenTable("2d", True)) == ()


def test_proposal_has_the_visible_cards_and_full_hands() -> None:
    assert proposed_start("podkidnoy-36", {}, ("Anna", "Boris"), SeenTable("Ad", True)) == {**START, "attacker": None}
    six = proposed_start("podkidnoy-36", {}, tuple("ABCDEF"), SeenTable("Ad", True))
    assert six is not None
    assert (six["talon"], six["turnup"], six["trump"]) == (0, None, "d")
    assert proposed_start("podkidnoy-36", {}, ("A",), NOTHING_SEEN) is None
    assert proposed_start("free", {}, ("A", "B"), NOTHING_SEEN) is None


def test_proposal_leaves_open_what_neither_picture_nor_rules_say() -> None:
    unseen = proposed_start("podkidnoy-36", {}, ("Anna", "Boris"), NOTHING_SEEN)
    assert unseen == {"trump": None, "turnup": None, "talon": 24, "hands": START["hands"], "attacker": None}
    beside_a_pile = proposed_start("podkidnoy-36", {}, ("Anna", "Boris"), SeenTable("Ad", True, True))
    assert beside_a_pile is not None
    assert beside_a_pile["talon"] is None
    shared_setup = SharedSetup(TWO, begins=False)
    for start, wanted in ((unseen, "trump suit"), (beside_a_pile, "cards left in the draw pile")):
        shared_setup.change({"start": start}, Snapshot(), begin=False)
        with pytest.raises(ValueError, match=wanted):
            shared_setup.change({}, Snapshot(), begin=True)
    shared_setup.change({"start": {**beside_a_pile, "talon": 6, "heap_count": 18}}, Snapshot(), begin=True)
    assert shared_setup.is_asked


def test_changing_two_to_six_players_adjusts_pack_deal_and_seats() -> None:
    two = TWO.changed({"rules": "podkidnoy-24", "start": {**START, "talon": 12}, "dealer": "Boris"})
    seats = ["Anna", "Boris", "C", "D", "E", "F"]
    six = two.changed(values_for_seats(two, {"seats": seats}, NOTHING_SEEN))
    assert (six.rules, six.dealer, six.start and six.start["talon"]) == ("podkidnoy-36", "Boris", 0)
    assert six.start is not None
    assert six.start["hands"] == dict.fromkeys(seats, 6)
    again = six.changed(values_for_seats(six, {"seats": ["Anna", "Boris"]}, SeenTable("Ad", True)))
    assert again.start == {**START, "attacker": None}


def test_fitting_rules_are_kept() -> None:
    assert fitting_rules("perevodnoy", {"pack": 24}, 4) == ("perevodnoy", {"pack": 24})
    assert fitting_rules("perevodnoy", {"pack": 24}, 6) == ("perevodnoy", {})
    assert fitting_rules("perevodnoy", {"colour": 3}, 2) == ("perevodnoy", {})
    assert fitting_rules("podkidnoy-36", {}, 9) == ("podkidnoy-36", {})


def test_renamed_player_keeps_cards_and_seat() -> None:
    start = {**START, "known": {"Boris": ["6h"]}, "out": [], "hands": {"Anna": 4, "Boris": 6}}
    setup = TWO.changed({"start": {**start, "heap_count": 2}, "dealer": "Boris"})
    renamed = setup.changed(values_for_seats(setup, {"seats": ["Anna", "Vera"]}, NOTHING_SEEN))
    assert renamed.start is not None
    assert (renamed.start["hands"], renamed.start["known"]) == ({"Anna": 4, "Vera": 6}, {"Vera": ["6h"]})
    assert renamed.dealer == "Vera"
    swapped = setup.changed(values_for_seats(setup, {"seats": ["Boris", "Anna"]}, NOTHING_SEEN))
    assert swapped.start == setup.start
    assert values_for_seats(setup, {"seats": "Anna"}, NOTHING_SEEN) == {"seats": "Anna"}


def test_contradicted_setup_is_refused_until_confirmed() -> None:
    shared_setup = SharedSetup(TWO, begins=False)
    shared_setup.view = CameraView(table=SeenTable("Ad", True))
    spades = {"start": {**START, "trump": "s", "turnup": None}}
    with pytest.raises(ContradictedError) as refused:
        shared_setup.change(spades, Snapshot(), begin=False)
    assert refused.value.contradiction.kind == "trump"
    assert shared_setup.setup == TWO
    shared_setup.change(spades, Snapshot(), begin=False, insists=True)
    shared_setup.change({}, Snapshot(), begin=True)  # a confirmed setup is not questioned again
    chosen = shared_setup.take_up()
    assert chosen is not None
    assert chosen.start == spades["start"]


def test_another_camera_resets_the_visible_position() -> None:
    shared_setup = SharedSetup(TWO, begins=False)
    shared_setup.view = CameraView(table=SeenTable("As", True))
    with pytest.raises(ContradictedError):
        shared_setup.change({}, Snapshot(), begin=True)
    shared_setup.change({"source": "1"}, Snapshot(), begin=True)
    assert shared_setup.proposal() == {**START, "turnup": None, "attacker": None}

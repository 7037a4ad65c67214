"""Events from two observations, without pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from referee.cards import Card
from referee.events import Dealt, Drawn, Placed, Reread, Swapped, Swept, Unread
from tests.vision.observed import (
    BARE,
    NOWHERE,
    TURNUP,
    actions,
    begun,
    doubts,
    gone,
    hand,
    lying,
    noticed,
    reported_events,
)
from vision.actions.actions import Actions
from vision.actions.evidence import Evidence
from vision.geometry.pose import Pose
from vision.motion.hand_pass import HandPass, TalonCall, Touch
from vision.table.observation import Gone, LyingCard, Observation, Pile


def test_card_is_laid_by_the_hand_at_its_place() -> None:
    changes = actions()
    reported_events(changes, BARE)
    (event,) = reported_events(changes, replace(BARE, at=1.0, bout=(lying(2, "7s", 1, clear_at=0.8),)), hand(1, "A"))
    assert event == Placed(at=0.8, card=Card.parse("7s"), by="A", confidence=0.99)


def test_card_without_a_hand_has_no_seat() -> None:
    changes = actions()
    reported_events(changes, BARE)
    (event,) = reported_events(changes, replace(BARE, at=1.0, bout=(lying(2, "7s"),)))
    assert isinstance(event, Placed)
    assert event.by is None


@pytest.mark.parametrize("other_mm", [50.0, 100.0])
def test_nearer_of_two_hands_is_reported_and_the_other_is_an_alternative(other_mm: float) -> None:
    changes = actions()
    reported_events(changes, BARE)
    card = lying(2, "7s", 1)
    card = replace(card, touched=(*card.touched, Touch(2, 0.9, other_mm, 1.0)))
    (placed,) = noticed(changes, replace(BARE, at=1.0, bout=(card,)), hand(1, "A"), hand(2, "B"))
    assert isinstance(placed.event, Placed)
    assert placed.event.by == "A"
    assert doubts(placed)["seat: the nearest of several hands"] == {"another seat": {"by": "B"}}


def test_hand_between_two_seats_has_the_other_seat_as_alternative() -> None:
    changes = actions()
    reported_events(changes, BARE)
    (placed,) = noticed(changes, replace(BARE, at=1.0, bout=(lying(2, "7s", 1),)), hand(1, None, likely="A"))
    assert isinstance(placed.event, Placed)
    assert placed.event.by == "A"
    assert doubts(placed)["seat: the hand came in between two seats"] == {"another seat": {"by": None}}


@pytest.mark.parametrize("second_mm", [35.0, 110.0])
def test_lower_of_two_cards_is_of_the_first_hand(second_mm: float) -> None:
    changes = actions()
    reported_events(changes, BARE)
    touched = (Touch(1, 0.9, second_mm, 1.0), Touch(2, 0.9, 30, 1.3))
    lower, upper = replace(lying(2, "7s"), touched=touched), replace(lying(3, "Ts", on=2), touched=touched)
    first, second = hand(1, "A"), replace(hand(2, "B"), came_at=1.1)
    events = reported_events(changes, replace(BARE, at=2.0, bout=(lower, upper)), first, second)
    assert [
        (event.by, str(event.card), event.on and str(event.on)) for event in events if isinstance(event, Placed)
    ] == [
        ("A", "7s", None),
        ("B", "Ts", "7s"),
    ]


def test_two_cards_that_one_hand_drops_on_each_other_are_two_attacks() -> None:
    changes = actions()
    reported_events(changes, BARE)
    pair = (lying(2, "7d", 1), lying(3, "7c", 1, on=2))
    both = noticed(changes, replace(BARE, at=1.0, bout=pair), hand(1, "A"))
    assert [getattr(evidence.event, "on", "") for evidence in both] == [None, None]
    assert doubts(both[1])["place: across another of one grip"] == {"across": {"on": "7d"}}
    # What lies on both of them was laid across the nearer one, or across the other.
    answer = replace(lying(4, "Ac", 2, on=2), pose=Pose(31, 0), overlap=0.5)
    near = (replace(pair[0], pose=Pose(0, 0)), replace(pair[1], pose=Pose(25, 10)))
    (beats,) = noticed(changes, replace(BARE, at=2.0, bout=(*near, answer)), hand(2, "B"))
    assert str(getattr(beats.event, "on", "")) == "7c"
    assert doubts(beats)["place: across"]["the other"] == {"on": "7d"}


def test_card_across_another_of_an_earlier_visit_answers_it() -> None:
    changes = actions()
    reported_events(changes, BARE)
    lower = lying(2, "7d", 1)
    reported_events(changes, replace(BARE, at=1.0, bout=(lower,)), hand(1, "A"))
    (upper,) = noticed(changes, replace(BARE, at=3.0, bout=(lower, lying(3, "8d", 2, on=2))), hand(2, "B"))
    assert str(getattr(upper.event, "on", "")) == "7d"


def test_uncertain_reading_is_reported_with_its_alternatives() -> None:
    changes = actions()
    reported_events(changes, BARE)
    doubtful = replace(lying(2, "6s", 1), confidence=0.6, alternatives=((Card.parse("9s"), 0.38),))
    (event,) = reported_events(changes, replace(BARE, at=1.0, bout=(doubtful,)), hand(1, "A"))
    assert (event.confidence, event.alternatives) == (0.6, ((Card.parse("9s"), 0.38),))


def test_still_table_gives_no_events() -> None:
    changes, seen = begun(lying(2, "7s", 1), hands=(hand(1, "A"),))
    assert [event for k in range(200) for event in reported_events(changes, seen, at=1 + k)] == []


def answered(card: LyingCard) -> tuple[Actions, Observation, Evidence]:
    """Return the changes after the card has come beside or across A's 7s."""
    hands = (hand(1, "A", 1.0), hand(2, "B", 1.0))
    changes, seen = begun(lying(2, "7s", 1), hands=hands[:1])
    seen = replace(seen, at=1.5, bout=(*seen.bout, card))
    (placed,) = noticed(changes, seen, *hands)
    return changes, seen, placed


@pytest.mark.parametrize(
    ("lies", "cue", "instead", "waits"),
    [
        ({"on": 2, "overlap": 0.3}, "place: across", {"beside": {"on": None}}, False),
        ({"on": 2, "overlap": 0.15}, "place: hardly across", {"beside": {"on": None}}, True),
        ({"partly_overlaps": 2}, "place: beside, but grazing", {"across": {"on": "7s"}}, True),
    ],
)
def test_unclear_placement_is_an_alternative_and_waits(
    lies: dict[str, Any], cue: str, instead: dict[str, object], waits: bool
) -> None:
    _, _, placed = answered(lying(3, "Ts", 2, **lies))
    assert doubts(placed)[cue] == instead
    assert (placed.stable_at is not None) is waits


def test_free_card_has_no_alternative_placement() -> None:
    _, _, placed = answered(lying(3, "Ts", 2))
    assert not any(cue.startswith("place") for cue in doubts(placed))


def test_waiting_card_is_reported_with_its_newest_reading_and_first_seat() -> None:
    changes, seen, placed = answered(replace(lying(3, "Ts", 2), confidence=0.6))
    assert placed.stable_at is not None
    reported_events(changes, replace(seen, at=2.0, bout=(seen.bout[0], lying(3, "Js", on=2, overlap=0.5))))
    now = changes.seen_now(placed)
    assert now is not None
    assert now.event == Placed(at=placed.event.at, card=Card.parse("Js"), by="B", on=Card.parse("7s"), confidence=0.99)
    assert now.stable_at is None, "read surely, so that no further inference is needed"
    assert "seat: one hand was there" in doubts(now)


@pytest.mark.parametrize(
    ("confidence", "touched", "is_reported"), [(0.6, False, False), (0.8, False, True), (0.6, True, True)]
)
def test_card_without_a_hand_is_reported_only_if_read_surely(
    confidence: float, touched: bool, is_reported: bool
) -> None:
    changes, seen = begun()
    card = replace(lying(2, "Qs", 1 if touched else None), confidence=confidence)
    assert bool(reported_events(changes, replace(seen, at=2.0, bout=(card,)), hand(1, "A"))) == is_reported
    fresh = actions()
    assert bool(reported_events(fresh, replace(BARE, bout=(replace(card, touched=()),)))) == (confidence > 0.7)


def test_card_before_the_deal_may_become_the_turn_up() -> None:
    changes = actions(dealt=False)
    changes.update(Observation(0.0), (), 0.0)
    card = lying(2, "8h", 1, clear_at=8.0)
    assert reported_events(changes, Observation(8.2, bout=(card,)), hand(1, "A", 8.1)) == []
    (event,) = reported_events(changes, Observation(10.0, turnup=card, talon=Pile(NOWHERE)), hand(1, "A", 8.1))
    assert event == Dealt(at=10.0, turnup=Card.parse("8h"))


def test_dealing_hand_draws_nothing() -> None:
    changes = actions(dealt=False)
    seen = Observation(0.0, talon=Pile(NOWHERE))
    changes.update(seen, (), 0.0)
    dealing = hand(5, "A", talon_calls=(TalonCall(4.0, 20),))
    assert reported_events(changes, replace(seen, at=6.0), dealing, at=6.0) == []


def test_card_before_the_deal_opens_the_bout_without_a_talon() -> None:
    changes = actions(dealt=False)
    changes.update(Observation(0.0), (), 0.0)
    card = lying(2, "8h", 1, clear_at=8.0)
    reported_events(changes, Observation(8.2, bout=(card,)), hand(1, "A", 8.1))
    (event,) = reported_events(changes, Observation(13.5, bout=(card,)), hand(1, "A", 8.1))
    assert event == Placed(at=8.0, card=Card.parse("8h"), by="A", confidence=0.99)


def test_hand_draws_one_card_each_time_it_leaves_the_talon() -> None:
    changes, seen = begun()
    visit = hand(5, "C", talon_calls=(TalonCall(4.0, 20), TalonCall(5.0, 20)))
    assert reported_events(changes, seen, visit, at=4.1) == []
    events = reported_events(changes, seen, visit, at=6.0) + reported_events(changes, seen, visit, at=7.0)
    assert events == [Drawn(at=4.0, by="C"), Drawn(at=5.0, by="C")]


def test_track_without_contact_to_the_picture_edge_draws_nothing() -> None:
    changes, seen = begun()
    calls = (TalonCall(4.0, 20),)
    shaken, unclear = hand(5, None, talon_calls=calls), hand(6, None, talon_calls=calls, likely="B")
    assert reported_events(changes, seen, shaken, at=6.0) + reported_events(changes, seen, shaken, at=7.0) == []
    assert [type(event) for event in reported_events(changes, seen, unclear, at=7.0)] == [Drawn]


def test_draw_from_an_undetected_talon_is_reported() -> None:
    changes = actions(talon=3)
    seen = replace(BARE, talon=None)
    changes.update(seen, (), 0.0)
    visit = hand(5, "C", talon_calls=(TalonCall(4.0, 20),))
    assert reported_events(changes, seen, visit, at=6.0) == [Drawn(at=4.0, by="C")]


@pytest.mark.parametrize(("talon", "waits_s"), [(Pile(NOWHERE), 0.4), (None, 1.6)])
def test_draw_waits_longer_if_the_talon_is_hidden_and_events_are_open(talon: Pile | None, waits_s: float) -> None:
    changes = actions(talon=8)
    seen = replace(BARE, talon=talon)
    changes.update(seen, (), 0.0)
    visit = hand(5, "C", talon_calls=(TalonCall(4.0, 20),))
    assert changes.update(seen, (visit,), 4.0 + waits_s - 0.1, in_doubt=True) == ()
    (drawn,) = changes.update(seen, (visit,), 4.05 + waits_s, in_doubt=True)
    assert drawn.event == Drawn(at=4.0, by="C")


def test_sweeping_hand_at_the_talon_draws_nothing() -> None:
    changes, seen = begun(lying(2, "7s", 1), hands=(hand(1, "A", 1.0),))
    after = gone(seen, 2)
    visit = hand(9, "B", 3.1, talon_calls=(TalonCall(3.0, 40),))
    events = reported_events(changes, after, visit) + reported_events(changes, after, visit, at=6.0)
    assert [type(event) for event in events] == [Swept]


@pytest.mark.parametrize(("visit", "waits"), [(1, True), (2, False)])
def test_card_on_one_of_the_same_grip_waits_until_they_may_be_spread(visit: int, waits: bool) -> None:
    """Two kings laid on each other and then drawn apart are two attacks."""
    grip, other = hand(1, "A"), hand(2, "B")
    changes, seen = begun(lying(2, "Kc", 1, overlap=0.0), hands=(grip,))
    seen = replace(seen, at=2.0, bout=(*seen.bout, lying(3, "Kd", visit, on=2, overlap=0.8)))
    (placed,) = noticed(changes, seen, grip, other)
    assert (placed.stable_at is not None) == waits
    apart = replace(seen, at=2.3, bout=(seen.bout[0], lying(3, "Kd", visit, overlap=0.0)))
    noticed(changes, apart, grip, other)
    now = changes.seen_now(placed)
    assert now is not None
    assert isinstance(now.event, Placed)
    assert now.event.on is None


def test_missing_turn_up_is_the_last_draw() -> None:
    changes, seen = begun(talon=2)
    visit = hand(5, "C", talon_calls=(TalonCall(2.0, 20),))
    pile_gone = replace(seen, at=2.4, talon=None)
    assert reported_events(changes, pile_gone, visit) + reported_events(changes, pile_gone, visit, at=2.8) == [
        Drawn(at=2.0, by="C")
    ]
    last = hand(6, "A", talon_calls=(TalonCall(4.0, 20),))
    after = replace(pile_gone, at=4.4, turnup=None, gone=(Gone(1, 4.1, (Touch(6, 0.9, 20, 4.1),)),))
    assert reported_events(changes, after, last) + reported_events(changes, after, last, at=9.0) == [
        Drawn(at=4.1, by="A", card=Card.parse("9h"))
    ]


@pytest.mark.parametrize(("talon", "count"), [(2, 2), (6, 1), (None, 1)])
def test_last_two_cards_may_be_drawn_at_once(talon: int | None, count: int) -> None:
    changes, seen = begun(talon=talon)
    after = replace(seen, at=4.4, talon=None, turnup=None, gone=(Gone(1, 4.1, (Touch(6, 0.9, 20, 4.1),)),))
    assert reported_events(changes, after, hand(6, "A")) == [Drawn(at=4.1, by="A", count=count, card=Card.parse("9h"))]


def test_changed_turn_up_is_a_swap() -> None:
    changes, seen = begun()
    new = replace(TURNUP, key=7, card=Card.parse("6h"), clear_at=4.0, touched=(Touch(6, 0.9, 20, 4.0),))
    (event,) = reported_events(changes, replace(seen, at=4.4, turnup=new), hand(6, "A"))
    assert event == Swapped(at=4.0, card=Card.parse("6h"), by="A")


def test_changed_name_of_an_unsure_turn_up_is_an_uncertain_swap() -> None:
    changes, seen = actions(talon=6), replace(begun()[1], turnup=replace(TURNUP, confidence=0.55))
    reported_events(changes, seen)
    new = replace(TURNUP, key=7, card=Card.parse("6h"), clear_at=4.0, touched=(Touch(6, 0.9, 20, 4.0),))
    (swapped,) = noticed(changes, replace(seen, at=4.4, turnup=new), hand(6, "A"))
    assert swapped.event == Swapped(at=4.0, card=Card.parse("6h"), by="A")
    assert doubts(swapped)["swapped: one read badly"] == {"nothing": None}


def test_swap_is_reported_once_the_new_turn_up_is_named() -> None:
    changes, seen = begun()
    visit = hand(6, "A", talon_calls=(TalonCall(3.0, 20),))
    assert reported_events(changes, replace(seen, at=3.2, turnup_in_hand=True), visit, at=3.4) == []
    new = replace(TURNUP, key=7, card=Card.parse("8h"), confidence=0.5, clear_at=4.0, touched=(Touch(6, 0.9, 20, 4.0),))
    assert reported_events(changes, replace(seen, at=4.4, turnup=new), visit) == []
    named = replace(new, card=Card.parse("6h"), confidence=0.95)
    (event,) = reported_events(changes, replace(seen, at=4.6, turnup=named), visit)
    assert event == Swapped(at=4.0, card=Card.parse("6h"), by="A")
    assert reported_events(changes, replace(seen, at=6.0, turnup=named), visit) == []


@pytest.mark.parametrize(
    ("seen_in_hand", "confidence", "is_reported"), [(False, 0.7, False), (False, 0.95, True), (True, 0.7, True)]
)
def test_changed_turn_up_is_a_swap_if_read_surely_or_seen_in_a_hand(
    seen_in_hand: bool, confidence: float, is_reported: bool
) -> None:
    changes, seen = begun()
    assert reported_events(changes, replace(seen, at=3.2, turnup_in_hand=seen_in_hand), hand(6, "A")) == []
    new = replace(TURNUP, key=7, card=Card.parse("6h"), confidence=confidence, touched=(Touch(6, 0.9, 20, 4.0),))
    events = reported_events(changes, replace(seen, at=4.4, turnup=new), hand(6, "A"))
    assert [type(event) for event in events] == [Swapped] * is_reported


def test_swap_for_a_card_that_cannot_be_read_surely_is_reported_with_its_other_names() -> None:
    changes, seen = begun()
    assert reported_events(changes, replace(seen, at=3.2, turnup_in_hand=True), hand(6, "A")) == []
    names = ((Card.parse("7h"), 0.2), (TURNUP.card, 0.1))
    touched = (Touch(6, 0.9, 20, 4.0),)
    new = replace(
        TURNUP, key=7, card=Card.parse("6h"), confidence=0.5, alternatives=names, clear_at=4.0, touched=touched
    )
    assert reported_events(changes, replace(seen, at=4.8, turnup=new), hand(6, "A")) == []
    (swapped,) = noticed(changes, replace(seen, at=5.2, turnup=new), hand(6, "A"))
    assert swapped.event == Swapped(
        at=4.0, card=Card.parse("6h"), by="A", confidence=0.5, alternatives=((Card.parse("7h"), 0.2),)
    )
    reported = swapped.as_event()
    nothing = {keys: share for keys, share in reported.otherwise if keys is None}[None]
    assert reported.confidence is not None
    assert nothing == pytest.approx(reported.confidence * 0.1 / 0.9, abs=0.002)


def test_returned_turn_up_is_no_swap() -> None:
    changes, seen = begun()
    back = replace(TURNUP, key=7, clear_at=4.0, touched=(Touch(6, 0.9, 20, 4.0),))
    assert reported_events(changes, replace(seen, at=4.4, turnup=back), hand(6, "A")) == []


def test_draw_is_dropped_if_the_hand_holds_the_turn_up() -> None:
    changes, seen = begun()
    drawn = Evidence(Drawn(at=3.0, by="A"))
    assert changes.seen_now(drawn) == drawn
    changes.update(replace(seen, at=3.2, turnup_in_hand=True), (), 3.2)
    assert changes.seen_now(drawn) is None


def test_reread_requires_a_sure_new_name() -> None:
    changes, seen = begun(lying(2, "6s", 1), hands=(hand(1, "A"),))
    for confidence, expected in ((0.6, 0), (0.95, 1), (0.99, 0)):
        seen = replace(seen, at=seen.at + 1, bout=(replace(lying(2, "9s"), confidence=confidence),))
        events = reported_events(changes, seen)
        assert len(events) == expected
    changes, seen = begun(lying(2, "6s", 1), hands=(hand(1, "A"),))
    (event,) = reported_events(changes, replace(seen, at=2.0, bout=(lying(2, "9s"),)))
    assert event == Reread(at=2.0, was=Card.parse("6s"), card=Card.parse("9s"), confidence=0.99)


def test_uncertain_card_is_confirmed_once_read_surely() -> None:
    changes, seen = begun(replace(lying(2, "6s", 1), confidence=0.8), hands=(hand(1, "A"),))
    seen = replace(seen, at=2.0, bout=(lying(2, "6s", 1),))
    six = Card.parse("6s")
    assert reported_events(changes, seen) == [Reread(at=2.0, was=six, card=six, confidence=0.99)]
    assert reported_events(changes, replace(seen, at=3.0)) == []


@pytest.mark.parametrize(("again_at", "visit", "same_play"), [(1.6, 1, True), (2.2, 1, False), (1.6, 3, False)])
def test_cards_of_one_hand_are_one_play_over_two_inferences(again_at: float, visit: int, same_play: bool) -> None:
    changes, seen = begun()
    first = replace(seen, at=1.2, bout=(lying(2, "7s", 1, clear_at=1.0),))
    second = replace(first, at=2.4, bout=(*first.bout, lying(3, "7d", visit, clear_at=again_at)))
    hands = (hand(1, "A"), hand(3, "A"))
    seven, other = (*reported_events(changes, first, *hands), *reported_events(changes, second, *hands))
    assert (seven.at == other.at) is same_play


def test_straightened_card_is_swept_with_its_bout() -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "Ts", 2, on=2), hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    up, back = gone(seen, 3), lying(4, "Ts", 9, on=2, clear_at=3.1)
    straight = replace(up, at=3.2, bout=(*up.bout, back), gone=())
    reported_events(changes, up, hand(9, "B"))
    reported_events(changes, straight, hand(9, "B", 3.3))
    swept = gone(straight, 2, 4, visit=10, at=6.0)
    by = hand(10, "B", 6.2)
    (event,) = reported_events(changes, swept, by) + reported_events(changes, swept, by, at=9.0)
    assert event == Swept(at=5.8, to="B")


def test_swap_is_reported_before_the_play_of_the_old_turn_up() -> None:
    changes, seen = begun()
    new = replace(TURNUP, key=7, card=Card.parse("6h"), clear_at=4.2, touched=(Touch(6, 0.9, 20, 4.2),))
    laid = lying(8, "9h", 6, clear_at=4.0)
    swapped, placed = reported_events(changes, replace(seen, at=4.4, turnup=new, bout=(laid,)), hand(6, "A", 4.3))
    assert swapped == Swapped(at=4.0, card=Card.parse("6h"), by="A")
    assert isinstance(placed, Placed)
    assert placed.at == 4.0


def test_event_times_never_decrease() -> None:
    changes, seen = begun(lying(2, "7s", 1, clear_at=0.9), hands=(hand(1, "A"),))
    late = replace(seen, at=5.0, bout=(*seen.bout, lying(3, "8s", 1, clear_at=0.2)))
    (event,) = reported_events(changes, late, hand(1, "A"))
    assert event.at == 0.9


def test_open_events_are_reported_at_the_end() -> None:
    changes, seen = begun(lying(2, "7s", 1), hands=(hand(1, "A", 1.0),))
    after = gone(seen, 2)
    visit = hand(9, "B")
    assert reported_events(changes, after, visit) == []
    assert [evidence.event for evidence in changes.finish((visit,), 3.1)] == [Swept(at=2.8, to="B")]


def test_unnamed_card_is_reported_as_unread_with_the_next_event() -> None:
    changes, seen = begun(lying(2, "9s", 1), hands=(hand(1, "A"),))
    answer = lying(3, "Ts", 2, on=2, clear_at=1.8)
    seen = replace(seen, at=2.0, unread=(answer,))
    assert reported_events(changes, seen, hand(2, "B", 1.9)) == []
    seen = replace(seen, at=3.0, bout=(*seen.bout, lying(4, "Qd", 4, clear_at=2.8)))
    unread, placed = noticed(changes, seen, hand(2, "B", 1.9), hand(4, "A"))
    assert unread.event == Unread(at=1.8, by="B", on=Card.parse("9s"))
    assert doubts(unread)["laid: a card that can't be read"] == {"nothing": None}
    assert isinstance(placed.event, Placed)


def test_lower_trump_near_the_turn_up_may_have_been_exchanged() -> None:
    changes, seen = begun(lying(2, "9s", 1), hands=(hand(1, "A"),))
    far, other = lying(3, f"6{TURNUP.card.suit}", 2, clear_at=1.8), lying(4, "7c", 3, clear_at=1.9)
    near = replace(far, key=5, card=Card.parse(f"7{TURNUP.card.suit}"), pose=Pose(-150.0, 60.0))
    across = replace(near, key=6, card=Card.parse(f"8{TURNUP.card.suit}"), on=4)
    hands = (hand(2, "B", 1.9), hand(3, "A", 1.9))
    placed = noticed(changes, replace(seen, at=2.0, bout=(*seen.bout, far, other, near, across)), *hands)
    unsure = [evidence.key for evidence in placed if "laid: what may be exchanged" in doubts(evidence)]
    assert unsure == [near.key], "put down near the turn-up, and on no other card"


def test_named_card_is_not_reported_as_unread() -> None:
    changes, seen = begun(lying(2, "9s", 1), hands=(hand(1, "A"),))
    answer = lying(3, "Ts", 2, on=2, clear_at=1.8)
    reported_events(changes, replace(seen, at=2.0, unread=(answer,)), hand(2, "B", 1.9))
    seen = replace(seen, at=3.0, bout=(*seen.bout, answer))
    (event,) = reported_events(changes, seen, hand(2, "B", 1.9))
    assert isinstance(event, Placed)


def test_unnamed_card_without_a_hand_is_not_reported() -> None:
    changes, seen = begun(lying(2, "9s", 1), hands=(hand(1, "A"),))
    reported_events(changes, replace(seen, at=2.0, unread=(lying(3, "Ts", on=2),)))
    seen = replace(seen, at=3.0, bout=(*seen.bout, lying(4, "Qd", 4)))
    (event,) = reported_events(changes, seen, hand(4, "A"))
    assert isinstance(event, Placed)


def test_unread_card_is_named_only_by_a_sure_reading() -> None:
    changes, seen = begun(lying(2, "9s", 1), hands=(hand(1, "A"),))
    reported_events(changes, replace(seen, at=2.0, unread=(lying(3, "Ts", 2, on=2),)), hand(2, "B", 1.9))
    both = (*seen.bout, lying(4, "Qd", 4))
    reported_events(changes, replace(seen, at=3.0, bout=both), hand(2, "B", 1.9), hand(4, "A"))
    guess = replace(lying(3, "Ts", 2, on=2), confidence=0.5)
    assert reported_events(changes, replace(seen, at=4.0, bout=(*both, guess)), hand(2, "B", 1.9)) == []
    (event,) = reported_events(
        changes, replace(seen, at=5.0, bout=(*both, replace(guess, confidence=0.8))), hand(2, "B", 1.9)
    )
    assert isinstance(event, Placed)


@pytest.mark.parametrize(
    ("confidence", "is_blurred", "waits_s"), [(0.99, False, None), (0.99, True, 0.85), (0.8, False, 0.85)]
)
def test_blurred_card_waits_for_another_inference(confidence: float, is_blurred: bool, waits_s: float | None) -> None:
    changes, seen = begun()
    card = replace(lying(2, "7s", 1, clear_at=1.4), confidence=confidence, is_blurred=is_blurred)
    (placed,) = noticed(changes, replace(seen, at=1.5, bout=(card,)), hand(1, "A", 1.5))
    assert placed.stable_at == (None if waits_s is None else pytest.approx(1.4 + waits_s))


def caller(carried: float | None = None, at: float = 4.0, number: int = 3) -> HandPass:
    """Return B's hand that was at the talon."""
    return hand(number, "B", at + 0.3, talon_calls=(TalonCall(at, 20.0, carried),))


@pytest.mark.parametrize(
    ("carried", "words"),
    [
        (None, "not known what was carried"),
        (0.05, "nothing was carried"),
        (0.1, "little was carried"),
        (0.3, "a card or a part of one was carried"),
        (0.9, "a card or a part of one was carried"),
    ],
)
def test_cue_of_a_draw_is_the_carried_colour(carried: float | None, words: str) -> None:
    changes, seen = begun()
    (drawn,) = noticed(changes, seen, caller(carried), at=9.0)
    others = {f"{count} cards": {"count": count} for count in range(2, 7)}
    assert doubts(drawn)[f"drawn: {words}"] == {"nothing": None, **others}


def test_hand_that_puts_a_card_back_draws_nothing() -> None:
    changes, seen = begun()
    assert reported_events(changes, seen, caller(-0.25), at=9.0) == []
    assert changes.known_state.talon == 5


def test_draw_waits_while_cards_have_an_unknown_destination() -> None:
    changes, seen = begun(lying(2, "7s", 1), hands=(hand(1, "A", 1.0),))
    taken, taker = gone(seen, 2, at=3.8), hand(9, "C")
    assert reported_events(changes, taken, taker, caller(), at=4.6) == []
    left = replace(taker, left_at=4.7)
    assert [type(reported_event) for reported_event in reported_events(changes, taken, left, caller(), at=6.0)] == [
        Swept,
        Drawn,
    ]


def test_draw_during_a_bout_waits_for_an_inference_without_the_hand() -> None:
    changes, seen = begun(lying(2, "7s", 1), hands=(hand(1, "A", 1.0),))
    assert reported_events(changes, seen, caller(), at=4.6) == []
    assert changes.asks_at == 4.3
    assert len(reported_events(changes, replace(seen, at=4.5), caller(), at=4.6)) == 1


def test_nothing_is_drawn_from_a_bare_turn_up() -> None:
    changes = actions(talon=1)
    bare = replace(BARE, talon=None)
    changes.update(bare, (), 0.0)
    assert reported_events(changes, replace(bare, at=4.5), caller(), at=4.6) == []
    assert changes.asks_at == 4.0
    assert changes.known_state.talon == 1


def test_draw_that_proves_to_be_none_goes_back_to_the_talon() -> None:
    changes, seen = begun()
    (drawn,) = noticed(changes, seen, caller(), at=9.0)
    assert changes.known_state.talon == 4
    changes.update(replace(seen, at=9.1, turnup_in_hand=True), (), 9.1)
    assert changes.seen_now(drawn) is None
    assert changes.known_state.talon == 5


def test_turn_up_beside_the_talon_is_being_exchanged() -> None:
    changes, seen = begun()
    taken = replace(seen, at=2.0, turnup=None, gone=(Gone(1, 1.9, (Touch(6, 0.9, 20, 1.9),)),))
    beside = replace(taken, bout=(lying(7, "9h", 6, clear_at=1.9),))
    assert reported_events(changes, beside, hand(6, "A"), at=2.1) == []
    # With the talon gone it was drawn and played.
    changes, seen = begun(talon=1)
    events = reported_events(changes, replace(beside, talon=None), hand(6, "A", 2.0), at=2.1)
    assert Drawn in [type(event) for event in events]


@pytest.mark.parametrize(("card", "left_at", "waits"), [("6h", None, True), ("6h", 1.9, False), ("Kh", None, False)])
def test_lower_trump_beside_a_resting_hand_may_be_for_a_swap(card: str, left_at: float | None, waits: bool) -> None:
    changes, seen = begun()
    down = replace(seen, at=2.0, bout=(lying(5, card, 1, clear_at=1.8),))
    assert bool(reported_events(changes, down, hand(1, "A", left_at), at=2.0)) is not waits
    assert bool(changes.waits) is waits
    later = reported_events(changes, replace(down, at=5.8), hand(1, "A", left_at), at=5.8)
    assert bool(later) is waits, "a hand that rests beside it for four seconds exchanges nothing"

"""Destinations of cards that left the bout."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from referee.cards import Card
from referee.events import Lifted, Placed, Swept, TableEvent
from tests.vision.observed import begun, doubts, gone, hand, lying, noticed, reported_events
from vision.actions.departures import CARDS_LEFT
from vision.geometry.pose import Pose
from vision.motion.hand_pass import HandPass, ReachedSeat, Touch
from vision.table.observation import Gone, Pile


def test_single_taken_card_is_lifted_after_a_wait() -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "Kd", 1), hands=(hand(1, "A", 1.0),))
    after = gone(seen, 3)
    assert reported_events(changes, after, hand(9, "B", 3.1)) == []
    assert reported_events(changes, after, hand(9, "B", 3.1), at=3.5) == []
    (event,) = reported_events(changes, after, hand(9, "B", 3.1), at=5.0)
    assert event == Lifted(at=2.8, card=Card.parse("Kd"), by="B")


@pytest.mark.parametrize("is_moved", [True, False])
def test_card_that_a_hand_has_pushed_elsewhere_was_not_taken(is_moved: bool) -> None:
    changes, seen = begun(lying(2, "7s", 1), hands=(hand(1, "A", 1.0),))
    resting, pushing = hand(8, "C"), hand(9, "B")
    assert reported_events(changes, gone(seen, 2), pushing, resting) == []
    moved = (replace(lying(3, "7s", 9, clear_at=3.3), pose=Pose(60, 0)),) if is_moved else ()
    found = replace(seen, at=3.4, bout=moved)
    assert reported_events(changes, found, pushing, resting) == []
    left = replace(pushing, left_at=3.4)
    events = reported_events(changes, found, left, resting, at=3.5)
    assert events == ([] if is_moved else [Swept(at=2.8, to="B")])
    (event,) = reported_events(changes, replace(found, at=4.0, bout=(*moved, lying(4, "7d", 8))), left, resting)
    assert isinstance(event, Placed)
    assert event.card == Card.parse("7d")


@pytest.mark.parametrize("taken", [(3,), (3, 4)])
def test_own_card_is_lifted_at_once_unless_more_were_taken_before_it(taken: tuple[int, ...]) -> None:
    changes, seen = begun(
        lying(2, "7s", 1), lying(3, "8d", 2), lying(4, "8s", 2), hands=(hand(1, "A", 1.0), hand(2, "B", 1.0))
    )
    events = []
    for key in taken:  # each hand is still there when the next one is
        hands = [
            hand(8 + other, "B", None if other < taken[-1] and key < taken[-1] else 0.2 + other) for other in taken
        ]
        seen = gone(seen, key, visit=8 + key, at=0.2 + key)
        events += reported_events(changes, seen, *hands)
    assert [type(event) for event in events] == [Lifted] * (len(taken) == 1)


def test_new_card_confirms_an_earlier_lift() -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "Kd", 1), hands=(hand(1, "A", 1.0),))
    after = gone(seen, 3)
    reported_events(changes, after, hand(9, "A", 3.1))
    more = replace(after, at=3.6, bout=(*after.bout, lying(4, "7d", 10, clear_at=3.5)), gone=())
    events = reported_events(changes, more, hand(9, "A", 3.1), hand(10, "A"))
    assert [type(event) for event in events] == [Lifted, Placed]
    assert [event.at for event in events] == [2.8, 3.5]


@pytest.mark.parametrize(
    ("seat", "heap_at", "expected"),
    [
        ("B", None, Swept(at=2.8, to="B")),
        ("B", 2.9, Swept(at=2.8, to="heap")),
        ("A", 2.9, Swept(at=2.8, to="heap")),
        ("B", 0.4, Swept(at=2.8, to="B")),
    ],
)
def test_cleared_bout_goes_to_a_changed_discard_pile_or_to_the_hand(
    seat: str, heap_at: float | None, expected: Swept
) -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "Ts", 2, on=2), hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    visit = hand(9, seat, 3.2, heap_at=heap_at)
    after = gone(seen, 2, 3, heap_at=heap_at)
    assert reported_events(changes, after, visit) + reported_events(changes, after, visit, at=6.0) == [expected]


@pytest.mark.parametrize(
    ("on", "heap_at", "to", "cue"),
    [
        (2, 3.1, "heap", "heap: the hand went there"),
        (None, 3.1, "B", "home: past the heap"),
        (2, 2.85, "B", "home: past the heap"),
        (2, None, "B", "home: beaten"),
        (None, None, "B", "home: unbeaten"),
    ],
)
def test_beaten_cards_go_to_the_discard_pile_that_the_hand_reached(
    on: int | None, heap_at: float | None, to: str, cue: str
) -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "Ts", 2, on=on), hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    seen = replace(seen, at=1.5, heap=Pile(Pose(260, 60)))
    reported_events(changes, seen)
    visit = hand(9, "B", 3.4, heap_at=heap_at)
    after = replace(gone(seen, 2, 3), heap=seen.heap)
    (swept,) = noticed(changes, after, visit) + noticed(changes, after, visit, at=6.0)
    assert swept.event == Swept(at=2.8, to=to)
    assert doubts(swept) == {cue: {"home": {"to": "B"}} if to == "heap" else {"heap": {"to": "heap"}}}


def aside(seat: str, x_mm: float) -> HandPass:
    """Return a hand that took cards in the middle, went aside by ``x_mm`` and then home, downwards."""
    trail = ((2.7, 0.0, 0.0), (2.8, x_mm / 2, 20.0), (3.0, x_mm, 40.0), (3.1, 0.0, 300.0))
    return hand(9, seat, 3.2, trail=trail, homes=(Pose(0, 400),))


def test_bout_carried_to_the_takers_other_hand_goes_to_that_seat() -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "8d", 1), hands=(hand(1, "A", 1.0),))
    after, visit = gone(seen, 2, 3), replace(aside("B", 250), homes=(Pose(250, 40), Pose(0, 400)))
    (swept,) = noticed(changes, after, visit) + noticed(changes, after, visit, at=6.0)
    assert swept.event == Swept(at=2.8, to="B")


@pytest.mark.parametrize(
    ("on", "x_mm", "to", "cue"),
    [
        (2, 130, "heap", "heap: put aside, beaten"),
        (2, 60, "B", "home: beaten"),
        (None, 200, "heap", "heap: put aside, unbeaten"),
        (None, 100, "B", "home: unbeaten"),
    ],
)
def test_hand_with_a_detour_put_the_cards_on_a_pile(on: int | None, x_mm: float, to: str, cue: str) -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "Ts", 2, on=on), hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    after, visit = gone(seen, 2, 3), aside("B", x_mm)
    (swept,) = noticed(changes, after, visit) + noticed(changes, after, visit, at=6.0)
    assert swept.event == Swept(at=2.8, to=to)
    assert list(doubts(swept)) == [cue]


@pytest.mark.parametrize(("came_at", "expected"), [(2.5, 1), (3.4, 2)])
def test_card_hidden_during_a_gathering_is_swept_with_it(came_at: float, expected: int) -> None:
    hands = (hand(1, "A", 1.0), hand(2, "B", 1.0))
    cards = (lying(2, "7s", 1), lying(3, "Ts", 2, on=2), lying(4, "7d", 1), lying(5, "Td", 2, on=4))
    changes, seen = begun(*cards, hands=hands)
    gatherer = hand(9, "C", 3.2)
    first = gone(seen, 2, 3)
    events = reported_events(changes, first, gatherer)
    # The rest is seen gone only when another hand, which came to rest there, has left.
    touched = (Touch(9, 0.9, 40, 3.1), Touch(10, 0.9, 20, 4.5))
    other = replace(hand(10, "A", 4.6), came_at=came_at)
    rest = replace(first, at=4.8, bout=(), gone=tuple(Gone(key, 4.5, touched) for key in (4, 5)))
    events += reported_events(changes, rest, gatherer, other) + reported_events(changes, rest, gatherer, other, at=9.0)
    assert len(events) == expected
    if expected == 1:
        assert isinstance(events[0], Swept)
        assert (events[0].to, events[0].left) == ("C", ())


def test_own_card_taken_back_with_a_detour_is_lifted() -> None:
    changes, seen = begun(lying(2, "7s", 1), hands=(hand(1, "A", 1.0),))
    after, visit = gone(seen, 2), aside("A", 200)
    events = reported_events(changes, after, visit) + reported_events(changes, after, visit, at=6.0)
    assert events == [Lifted(at=2.8, card=Card.parse("7s"), by="A")]


@pytest.mark.parametrize(
    ("reached_at", "expected"),
    [(2.6, [Swept(at=2.6, to="B")]), (0.9, [Lifted(at=2.8, card=Card.parse("7s"), by="A")])],
)
def test_cards_pushed_to_a_seat_are_swept_to_it(reached_at: float, expected: list[TableEvent]) -> None:
    changes, seen = begun(lying(2, "7s", 1), hands=(hand(1, "A", 1.0),))
    visit = hand(9, "A", 3.2, reached=ReachedSeat("B", reached_at))
    after = gone(seen, 2)
    assert reported_events(changes, after, visit) + reported_events(changes, after, visit, at=6.0) == expected


@pytest.mark.parametrize(("by", "cue"), [("A", "pushed: own cards"), ("C", "pushed: another's cards")])
def test_pushed_cards_have_alternative_destinations(by: str, cue: str) -> None:
    changes, seen = begun(lying(2, "7s", 1), hands=(hand(1, "A", 1.0),))
    visit = hand(9, by, 3.2, reached=ReachedSeat("B", 2.6))
    after = gone(seen, 2)
    (swept,) = noticed(changes, after, visit) + noticed(changes, after, visit, at=6.0)
    assert doubts(swept) == {cue: {"heap": {"to": "heap"}, "home": {"to": by}}}


def test_unbeaten_card_moved_past_the_discard_pile_may_lie_there() -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "7d", 1), hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    seen = replace(seen, at=1.5, heap=Pile(Pose(260, 60)))
    reported_events(changes, seen)
    visit = hand(9, "B", 3.4, heap_at=2.7)
    after = replace(gone(seen, 2, 3), heap=Pile(Pose(260, 60), 2.7))
    (swept,) = noticed(changes, after, visit) + noticed(changes, after, visit, at=6.0)
    assert swept.event == Swept(at=2.8, to="B")
    assert doubts(swept) == {"home: past the heap": {"heap": {"to": "heap"}}}


def test_unbeaten_cards_taken_over_a_pile_that_changed_may_lie_there() -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "7d", 1), hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    seen = replace(seen, at=1.5, heap=Pile(Pose(260, 60)))
    reported_events(changes, seen)
    visit = hand(9, "B", 3.4, heap_at=3.2)
    after = replace(gone(seen, 2, 3), heap=Pile(Pose(260, 60), 3.2))
    (swept,) = noticed(changes, after, visit) + noticed(changes, after, visit, at=6.0)
    assert swept.event == Swept(at=2.8, to="B")
    assert doubts(swept) == {"heap: it changed, unbeaten": {"heap": {"to": "heap"}}}


def test_cards_taken_back_by_their_seat_are_lifted() -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "7d", 1), hands=(hand(1, "A", 1.0),))
    after = gone(seen, 2, 3)
    reported_events(changes, after, hand(9, "A", 3.1))
    events = reported_events(changes, after, hand(9, "A", 3.1), at=6.0)
    assert [str(event.card) for event in events if isinstance(event, Lifted)] == ["7s", "7d"]


def test_two_cards_left_that_read_alike_are_named_once() -> None:
    bout = (lying(2, "7d", 1), lying(3, "Ts", 2), lying(4, "Td", 1), lying(5, "7d", 2))
    changes, seen = begun(*bout, hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    after = gone(seen, 3, 4)
    events = [event for at in (3.0, 7.0) for event in reported_events(changes, after, hand(9, "B", 3.1), at=at)]
    assert [event.left for event in events if isinstance(event, Swept)] == [(Card.parse("7d"),)]


def test_cards_gathered_one_by_one_are_one_sweep_with_the_rest() -> None:
    bout = (lying(2, "7s", 1), lying(3, "Ts", 2, on=2), lying(4, "Td", 1))
    changes, seen = begun(*bout, hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    first = gone(seen, 4)
    reported_events(changes, first, hand(9, "B", 3.1))
    second = gone(first, 3, visit=10, at=4.0)
    reported_events(changes, second, hand(9, "B", 3.1), hand(10, "B", 4.1))
    (event,) = reported_events(changes, second, hand(9, "B", 3.1), hand(10, "B", 4.1), at=7.0)
    assert event == Swept(at=3.8, to="B", left=(Card.parse("7s"),))


def test_partial_sweep_may_be_the_beginning_of_a_sweep() -> None:
    bout = (lying(2, "7s", 1), lying(3, "Ts", 2, on=2), lying(4, "Td", 1))
    changes, seen = begun(*bout, hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    taken = gone(seen, 3, 4)
    noticed(changes, taken, hand(9, "B", 3.1))
    (partly,) = noticed(changes, taken, hand(9, "B", 3.1), at=7.0)
    assert doubts(partly)[CARDS_LEFT] == {"not yet": None}
    rest = gone(taken, 2, visit=10, at=8.0)
    noticed(changes, rest, hand(10, "B", 8.1), at=8.2)
    whole = noticed(changes, rest, hand(10, "B", 8.1), at=12.0)
    assert all(CARDS_LEFT not in doubts(evidence) for evidence in whole)


def test_cards_gathered_in_pairs_are_one_sweep() -> None:
    bout = (lying(2, "7s", 1), lying(3, "Ts", 2, on=2), lying(4, "7d", 1), lying(5, "Td", 2, on=4))
    changes, seen = begun(*bout, hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    first = gone(seen, 2, 3)
    reported_events(changes, first, hand(9, "C"))
    swept = gone(first, 4, 5, visit=10, at=3.6, heap_at=3.7)
    hands = (hand(9, "C", 3.1), hand(10, "C", 4.0, heap_at=3.7))
    events = reported_events(changes, swept, *hands) + reported_events(changes, swept, *hands, at=7.0)
    assert events == [Swept(at=3.4, to="heap")]


@pytest.mark.parametrize(
    ("pause", "expected"),
    [(1.0, [Swept(at=5.0, to="heap")]), (4.0, [Swept(at=4.0, to="heap", left=()), Swept(at=8.0, to="C")])],
)
def test_rest_of_a_bout_follows_its_first_cards_unless_much_later(pause: float, expected: list[Swept]) -> None:
    bout = (lying(2, "7s", 1), lying(3, "Ts", 2, on=2), lying(4, "7d", 1), lying(5, "Td", 2, on=4))
    changes, seen = begun(*bout, hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    first = gone(seen, 2, 3, at=4.2, heap_at=4.1)
    reported_events(changes, first, hand(9, "C"))
    rest = gone(first, 4, 5, visit=10, at=4.2 + pause)
    hands = (hand(9, "C", 4.3), hand(10, "C", 4.3 + pause))
    events = reported_events(changes, rest, *hands, at=4.3 + pause) + reported_events(changes, rest, *hands, at=12.0)
    assert [structs.replace(event, left=()) for event in events if isinstance(event, Swept)] == expected


@pytest.mark.parametrize(("together", "count"), [(True, 1), (False, 2)])
def test_bout_pushed_together_by_two_hands_is_one_sweep(together: bool, count: int) -> None:
    bout = (lying(2, "7s", 1), lying(3, "Ts", 2, on=2), lying(4, "7d", 1), lying(5, "Kd", 1))
    changes, seen = begun(*bout, hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    one = hand(9, "A", 5.4 if together else 4.3)
    other = replace(hand(10, "B", 5.4), came_at=3.0 if together else 4.5)
    reported_events(changes, gone(seen, 2, 3, at=4.2), replace(one, left_at=None))
    rest = gone(gone(seen, 2, 3), 4, 5, visit=10, at=5.2)
    events = reported_events(changes, rest, one, other, at=5.3) + reported_events(changes, rest, one, other, at=9.0)
    assert len(events) == count
    assert events[-1] == Swept(at=5.0, to="B")


def test_straightening_and_sweep_by_one_hand_are_separate() -> None:
    bout = (lying(2, "7s", 1), lying(3, "Ts", 2, on=2), lying(4, "Kd", 1))
    changes, seen = begun(*bout, hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    first = gone(seen, 4)
    reported_events(changes, first, hand(9, "A", 3.1))
    back = hand(10, "A")
    assert reported_events(changes, first, hand(9, "A", 3.1), back, at=3.8) == []
    swept = gone(first, 2, 3, visit=10, at=4.5, heap_at=4.5)
    back = replace(back, heap_at=4.5, left_at=4.8)
    events = reported_events(changes, swept, hand(9, "A", 3.1), back)
    events += reported_events(changes, swept, hand(9, "A", 3.1), back, at=7.0)
    assert events == [Lifted(at=2.8, card=Card.parse("Kd"), by="A"), Swept(at=4.3, to="heap")]


def test_cards_without_a_hand_are_lifted() -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "Ts", 2, on=2))
    after = gone(seen, 2, 3)
    events = reported_events(changes, after) + reported_events(changes, after, at=8.0)
    assert [(type(event), getattr(event, "by", "?")) for event in events] == [(Lifted, None), (Lifted, None)]


def test_all_cards_of_a_gathering_go_with_the_gathering_hand() -> None:
    hands = (hand(1, "A", 1.0), hand(2, "B", 1.0))
    cards = (lying(2, "7s", 1), lying(3, "9d", 2), lying(4, "Qc", 1), lying(5, "Td", 2), lying(6, "8h", 1))
    changes, seen = begun(*cards, lying(7, "Ac", 1), hands=hands)
    gatherer, phantom = replace(hand(9, "B", 4.6), came_at=2.5), replace(hand(10, "A", 3.6), came_at=3.2)
    first = gone(seen, 2, 3, visit=9, at=3.0)
    then = gone(first, 4, visit=10, at=3.5)  # laid by A, and seems to be taken back by A
    nobody = gone(then, 5, visit=99, at=3.9)
    last = gone(nobody, 6, visit=9, at=4.4)
    events = [
        event
        for observed in (first, then, nobody, last)
        for event in reported_events(changes, observed, gatherer, phantom)
    ]
    events += reported_events(changes, last, gatherer, phantom, at=9.0)
    (swept,) = events
    assert isinstance(swept, Swept)
    assert (swept.to, [str(card) for card in swept.left]) == ("B", ["Ac"])


@pytest.mark.parametrize(("y_mm", "to"), [(250.0, "C"), (0.0, "B")])
def test_hand_that_fetches_a_card_at_an_edge_pushes_nothing(y_mm: float, to: str) -> None:
    cards = (lying(2, "7s", 1), replace(lying(3, "Ts", 1), pose=Pose(0, y_mm)))
    changes, seen = begun(*cards, hands=(hand(1, "A", 1.0),))
    there = hand(9, "C", 3.2, reached=ReachedSeat("B", 2.6), trail=((2.6, 0.0, 270.0), (2.8, 0.0, 20.0)))
    after = gone(seen, 2, 3)
    (swept,) = reported_events(changes, after, there) + reported_events(changes, after, there, at=9.0)
    assert isinstance(swept, Swept)
    assert swept.to == to


def test_cards_stroked_together_are_taken_when_the_hand_returns() -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "Ts", 1), hands=(hand(1, "A", 1.0),))
    after = gone(seen, 2, 3)
    trail = ((2.7, 0.0, 0.0), (3.0, 200.0, 20.0), (3.8, 0.0, 0.0), (4.1, 0.0, 300.0))
    visit = hand(9, "B", 4.2, trail=trail, homes=(Pose(0, 400),))
    (swept,) = reported_events(changes, after, visit, at=3.0) + reported_events(changes, after, visit, at=9.0)
    assert swept == Swept(at=3.8, to="B")


@pytest.mark.parametrize("was_away", [True, False])
def test_card_taken_by_one_hand_and_laid_by_another_is_lifted_and_placed(was_away: bool) -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "Ts", 2, on=2), hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    taker, bringer = replace(hand(9, "B", 3.2), came_at=2.5), replace(hand(10, "B"), came_at=3.5)
    away = gone(seen, 3, visit=9, at=3.0)
    events = reported_events(changes, away, taker)
    events += reported_events(changes, replace(away, at=3.4, gone=()), taker, at=3.4) if was_away else []
    back = replace(away, at=3.9, bout=(*away.bout, lying(8, "Ts", 10, on=2, clear_at=3.8)), gone=())
    events += reported_events(changes, back, taker, bringer, at=3.9)
    assert [type(event) for event in events] == ([Lifted, Placed] if was_away else [])
    assert not was_away or events[0].at == 2.8


def test_cards_pushed_by_a_gathering_hand_are_not_laid() -> None:
    cards = (lying(2, "7s", 1), lying(3, "9d", 2), lying(4, "Qc", 1))
    changes, seen = begun(*cards, hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    gatherer, other = replace(hand(9, "B"), came_at=2.5), replace(hand(10, "A"), came_at=2.5)
    first = gone(seen, 2, visit=9, at=3.0)
    second = gone(first, 3, visit=10, at=3.2)
    reported_events(changes, first, gatherer, other)
    reported_events(changes, second, gatherer, other)
    # A card that was reported by a wrong name is read by its own where it was pushed.
    moved = replace(second, at=3.6, bout=(*second.bout, lying(8, "8d", 9, clear_at=3.6)), gone=())
    assert reported_events(changes, moved, gatherer, other) == []


def test_pushed_card_that_leaves_with_the_gathering_hand_is_not_laid() -> None:
    cards = (lying(2, "7s", 1), lying(3, "9d", 2), lying(4, "Qc", 1))
    changes, seen = begun(*cards, hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    gatherer = replace(hand(9, "B"), came_at=2.5)
    first = gone(seen, 2, visit=9, at=3.0)
    # The pushed card is read again under the hand; the hand leaves, and the first inference after that misses the card.
    moved = replace(first, at=3.4, bout=(*first.bout, lying(8, "7s", 9, clear_at=3.4)), gone=())
    missed = replace(moved, at=4.2, missed=frozenset({3, 4, 8}))
    left = replace(gatherer, left_at=4.1)
    events = [
        *reported_events(changes, first, gatherer),
        *reported_events(changes, moved, gatherer),
        *reported_events(changes, missed, left),
    ]
    assert events == []
    last = gone(replace(missed, missed=frozenset()), 3, 4, 8, visit=9, at=4.3)
    events = [*reported_events(changes, last, left), *reported_events(changes, last, left, at=9.0)]
    assert [(type(event), getattr(event, "to", None)) for event in events] == [(Swept, "B")]


@pytest.mark.parametrize(("other_mm", "odds"), [(50.0, -1.0), (90.0, -3.0)])
def test_other_seat_may_have_lifted_a_card_by_the_distance_of_its_hand(other_mm: float, odds: float) -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "Kd", 1), hands=(hand(1, "A", 1.0),))
    after = gone(seen, 3)
    touched = (Touch(9, 0.9, 30.0, 2.8), Touch(10, 0.9, other_mm, 2.8))
    after = replace(after, gone=tuple(replace(card, touched=touched) for card in after.gone))
    hands = (hand(9, "B", 3.1), hand(10, "A", 3.1))
    noticed(changes, after, *hands)
    (lifted,) = noticed(changes, after, *hands, at=6.0)
    assert isinstance(lifted.event, Lifted)
    assert lifted.event.by == "B"
    seat = next(doubt for doubt in lifted.doubts if doubt.cue.startswith("seat"))
    assert seat.instead == {"another seat": ({"by": "A"}, pytest.approx(odds))}


def test_other_seat_may_have_lifted_each_card_that_two_hands_of_a_seat_took_back() -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "Kd", 1), hands=(hand(1, "A", 1.0),))
    hands = (hand(9, "A", 3.6), hand(10, "A", 3.6), hand(11, "B", 3.6))
    far = Touch(11, 0.9, 50.0, 2.8)
    for key, number, at in ((2, 9, 3.0), (3, 10, 3.5)):
        seen = gone(seen, key, at=at)
        seen = replace(
            seen, gone=tuple(replace(card, touched=(Touch(number, 0.9, 30.0, 2.8), far)) for card in seen.gone)
        )
        assert noticed(changes, seen, *hands) == []
    found = noticed(changes, replace(seen, gone=()), *hands, at=9.0)
    assert [(type(evidence.event), getattr(evidence.event, "by", None)) for evidence in found] == [(Lifted, "A")] * 2
    for evidence in found:
        seat = next(doubt for doubt in evidence.doubts if doubt.cue.startswith("seat"))
        assert seat.instead == {"another seat": ({"by": "B"}, pytest.approx(-1.0))}


def test_cards_go_with_the_likeliest_hand_of_most_of_them() -> None:
    bout = (lying(2, "7s", 1), lying(3, "9d", 1), lying(4, "Qc", 1))
    changes, seen = begun(*bout, hands=(hand(1, "A", 1.0),))
    near, far = Touch(9, 0.9, 40.0, 2.8), Touch(10, 0.9, 70.0, 2.8)
    after = gone(seen, 2, 3, 4)
    touched = ((near, far), (near, far), (replace(near, tip_mm=60.0), replace(far, tip_mm=45.0)))
    after = replace(after, gone=tuple(replace(card, touched=by) for card, by in zip(after.gone, touched, strict=True)))
    hands = (hand(9, "B", 3.1), hand(10, "C", 3.1))
    (swept,) = reported_events(changes, after, *hands) + reported_events(changes, after, *hands, at=9.0)
    assert swept == Swept(at=2.8, to="B")


@pytest.mark.parametrize("has_named", [True, False])
def test_card_pushed_over_to_a_seat_is_not_laid_there_once_the_hand_has_left(has_named: bool) -> None:
    changes, seen = begun(lying(2, "7s", 1), lying(3, "9d", 2), hands=(hand(1, "A", 1.0), hand(2, "B", 1.0)))
    pusher = hand(9, "A", 3.2, reached=ReachedSeat("B", 2.9))
    after = gone(seen, 2, 3)
    events = reported_events(changes, after, pusher)
    if has_named:
        events += reported_events(changes, after, pusher, at=4.6)
    there = replace(after, at=4.8, bout=(lying(8, "9d", 9, clear_at=3.3),), gone=())
    taken = gone(there, 8, at=6.0, visit=11)
    for observed in (there, replace(there, at=5.2), taken):
        events += reported_events(changes, observed, pusher, at=observed.at + 3 * (observed is taken))
    assert [(type(event), getattr(event, "to", None)) for event in events] == [(Swept, "B")]

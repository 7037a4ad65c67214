"""Nobody is accused at first sight of what happens at the talon: draws and exchanges."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.cards import Card
from referee.events import Blocked, Drawn, Placed, Swapped, Swept, TableEvent
from referee.foresight import Foresight
from referee.record import Header, event_from_json
from referee.referee import Referee
from tests.vision.events.witnessing import (
    START,
    THREE,
    Forewarned,
    at_talon,
    bout_of_two,
    drawing,
    heard,
    no_draw_is_due,
    placed,
    same,
)
from vision.events.witness import Witness
from vision.observation import HandVisit, TalonCall


@pytest.mark.parametrize(("card", "counts"), [("Ks", [1]), (None, [2])])
def test_the_turn_up_may_have_been_drawn_by_itself_where_two_would_be_too_many(
    card: str | None, counts: list[int]
) -> None:
    def one_is_due(events: tuple[TableEvent, ...]) -> Foresight:
        return Foresight(accuses=any(isinstance(event, Drawn) and event.count > 1 for event in events))

    witness = Witness(one_is_due)
    drawn = Drawn(at=5.0, by="A", count=2, card=None if card is None else Card.parse(card))
    told = witness.hear([drawn], same, (), 5.0, 5) or witness.hear([], same, (), 6.0, 9)
    assert [event.count for event in told if isinstance(event, Drawn)] == counts


def test_an_exchange_noticed_late_comes_before_the_card_it_explains() -> None:
    swapped = Swapped(at=5.0, card=Card.parse("6h"), by=None)

    def foresee(events: tuple[TableEvent, ...]) -> Foresight:
        names = [type(event) for event in events]
        return Foresight(accuses=Placed in names and Swapped not in names[: names.index(Placed)])

    witness = Witness(foresee)
    assert witness.hear([placed("8h", 4.0)], same, (), 4.2, 5) == ()
    told = witness.hear([swapped], same, (), 5.2, 6)
    assert [(type(event), event.at) for event in told] == [(Swapped, 4.0), (Placed, 4.0)]


def test_what_a_seat_is_seen_to_draw_is_not_drawn_by_it_once_more() -> None:
    referee = Referee(
        Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B", "C"], "dealer": "C", "start": THREE})
    )
    for line in (
        {"at": 1, "event": "placed", "card": "8s", "by": "A"},
        {"at": 2, "event": "placed", "card": "8d", "by": "A"},
        {"at": 3, "event": "pressed", "button": "pass", "by": "A"},
        {"at": 4, "event": "placed", "card": "8c", "by": "C"},
        {"at": 5, "event": "swept", "to": "B"},
        {"at": 6, "event": "drawn", "by": "A", "count": 1},
    ):
        referee.feed(event_from_json(line))
    witness = Witness(referee.foresee)
    hands = (drawing("A", 6.0), drawing("C", 7.5))
    drawn = Drawn(at=7.5, by="C")
    told = witness.hear([drawn], same, hands, 7.7, 5)
    assert [(event.by, event.count, event.at) for event in told if isinstance(event, Drawn)] == [
        ("A", 1, 6.0),
        ("C", 1, 7.5),
    ]


@pytest.mark.parametrize(("drew", "count"), [(("A", "B"), 3), (("A",), 1)])
def test_a_hand_that_was_at_the_talon_took_all_it_was_owed(drew: tuple[str, ...], count: int) -> None:
    referee = Referee(
        Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B", "start": START})
    )
    bout_of_two(referee)
    witness = Witness(referee.foresee)
    lead = Placed(at=9.0, card=Card.parse("7d"), by="B")
    before = referee.state
    hands = tuple(drawing(seat, 6.0) for seat in drew)
    told = witness.hear([lead], same, hands, 9.2, 5) or witness.hear([], same, hands, 9.8, 9)
    draws = [(event.by, event.count) for event in told if isinstance(event, Drawn)]
    assert draws == ([("A", 1), ("B", 2)] if count == 3 else []), "B was not seen at the talon"
    assert told[-1] == lead
    assert referee.state is before, "asking changes nothing"


def test_who_is_drawing_is_not_thought_to_have_drawn_all_already() -> None:
    start = {**START, "hands": {"A": 4, "B": 4}, "talon": 20}
    referee = Referee(
        Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B", "start": start})
    )
    for event in (
        Placed(at=1.0, card=Card.parse("7s"), by="A"),
        Placed(at=2.0, card=Card.parse("8s"), by="B", on=Card.parse("7s")),
        Swept(at=3.0, to="heap"),
        Drawn(at=5.0, by="A"),
    ):
        referee.feed(event)
    witness = Witness(referee.foresee)
    # A owes himself two more, and B, who has just drawn the first of three, comes again.
    told = witness.hear([Drawn(at=7.0, by="B")], same, (drawing("A", 5.0), drawing("B", 7.0)), 7.2, 5)
    assert [(event.by, event.count) for event in told if isinstance(event, Drawn)] == [("A", 2), ("B", 1)]


@pytest.mark.parametrize(
    ("carried", "told"), [(0.5, [Drawn]), (0.15, [Blocked, Drawn]), (None, [Blocked, Drawn]), (0.0, []), (-0.6, [])]
)
def test_a_draw_that_is_not_due_accuses_only_whose_hand_was_seen_to_carry_a_card_away(
    carried: float | None, told: list[type[TableEvent]]
) -> None:
    witness = Witness(no_draw_is_due)
    drawn = Drawn(at=5.0, by="A", count=1)
    heard = witness.hear([drawn], same, at_talon(carried), 5.1, 5) or witness.hear([], same, at_talon(carried), 6.5, 9)
    assert [type(event) for event in heard] == told
    assert not witness.wants_look


@pytest.mark.parametrize("after_s", [0.3, 3.0])
def test_a_turn_up_that_has_gone_where_no_draw_was_due_may_have_been_another_card(after_s: float) -> None:
    def one_is_due(events: tuple[TableEvent, ...]) -> Foresight:
        blind = any(isinstance(event, Blocked) for event in events)
        return Foresight(accuses=not blind and any(isinstance(event, Drawn) and event.card for event in events))

    witness = Witness(one_is_due)
    assert heard(witness, Drawn(at=5.0, by="A", count=1)) == [Drawn]
    assert heard(witness, Drawn(at=5.0 + after_s, by="A", count=1, card=Card.parse("Ks"))) == [Blocked, Drawn]


@pytest.mark.parametrize(("sees_talon", "told"), [(False, [Blocked, Placed]), (True, [Placed])])
def test_draws_that_are_owed_accuse_nobody_where_the_talon_was_never_made_out(
    sees_talon: bool, told: list[type[TableEvent]]
) -> None:
    witness = Witness(Forewarned("8d", owed=(("A", 1),)))
    assert witness.hear([placed("8d", 5.0)], same, (), 5.1, 5, sees_talon=sees_talon) == ()
    heard = witness.hear([], same, (), 7.0, 9, sees_talon=sees_talon)
    assert [type(event) for event in heard] == told


@pytest.mark.parametrize(("turnup_at", "doubted"), [(1.0, True), (6.0, False)])
def test_who_was_at_the_talon_may_be_exchanging_until_the_turn_up_is_seen_again(
    turnup_at: float, doubted: bool
) -> None:
    drawn = Drawn(at=5.0, by="A")
    there = HandVisit(1, "A", 0.9, 4.0, talon_calls=(TalonCall(5.0, 20, 0.9),))
    witness = Witness(lambda events: Foresight(accuses=drawn in events))
    assert witness.hear([drawn], same, (there,), 5.1, 4, turnup_at=turnup_at) == ()
    (told,) = witness.hear([], same, (there,), 7.0, 9, turnup_at=turnup_at)
    assert told == (replace(drawn, confidence=witness.settings.doubtful) if doubted else drawn)


@pytest.mark.parametrize(("confidence", "doubted"), [(0.71, True), (0.95, False)])
def test_an_exchange_told_with_some_doubt_accuses_nobody(confidence: float, doubted: bool) -> None:
    swap = Swapped(at=5.0, card=Card.parse("9h"), by="A", confidence=confidence)

    def off(events: tuple[TableEvent, ...]) -> Foresight:
        sure = any(isinstance(event, Swapped) and (event.confidence or 1.0) >= 0.7 for event in events)
        return Foresight(accuses=sure)

    witness = Witness(off)
    witness.hear([swap], same, (), 5.2, 1)
    (told,) = witness.hear([], same, (), 5.6, 4)
    assert told == (replace(swap, confidence=0.6) if doubted else swap)


@pytest.mark.parametrize("overtakes", [True, False])
def test_who_draws_before_another_is_asked_about_as_that_one_may_have_drawn_unseen(overtakes: bool) -> None:
    drawn = Drawn(at=5.0, by="A", count=1)

    def early(events: tuple[TableEvent, ...]) -> Foresight:
        sure = any(isinstance(event, Drawn) and event.confidence is None for event in events)
        return Foresight(accuses=sure, overtakes=sure and overtakes)

    witness = Witness(early)
    witness.hear([drawn], same, at_talon(0.9), 5.2, 1)
    (told,) = witness.hear([], same, at_talon(0.9), 5.6, 4)
    assert told == (replace(drawn, confidence=0.6) if overtakes else drawn)

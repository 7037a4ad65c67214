"""Nobody is accused at first sight: what is held back, how long, and what is told in the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from referee.cards import Card
from referee.events import Blocked, Drawn, Lifted, Placed, Reread, Swapped, Swept, TableEvent
from referee.foresight import Foresight
from referee.record import Header, event_from_json
from referee.referee import Referee
from referee.table import HandVisit, TalonCall
from vision.witness import Witness

START = {"trump": "h", "turnup": "Kh", "talon": 8, "hands": {"A": 6, "B": 6}, "attacker": "A"}

THREE = {"trump": "h", "turnup": "Kh", "talon": 8, "hands": {"A": 6, "B": 6, "C": 6}, "attacker": "A"}


def placed(card: str, at: float = 1.0, confidence: float | None = None, on: str | None = None) -> Placed:
    """A card laid by A."""
    return Placed(
        at=at, card=Card.parse(card), by="A", confidence=confidence, on=None if on is None else Card.parse(on)
    )


def same(event: TableEvent) -> TableEvent:
    """Still as it was."""
    return event


class Forewarned:
    """Stands for the referee: accuses whoever lays one of these cards."""

    def __init__(self, *cards: str, **said: object) -> None:
        self.cards, self.said = {Card.parse(card) for card in cards}, said

    def __call__(self, events: tuple[TableEvent, ...]) -> Foresight:
        blocked = any(isinstance(event, Blocked) for event in events)
        met = any(isinstance(event, Placed) and event.card in self.cards for event in events)
        return Foresight(accuses=met and not blocked, **self.said)  # type: ignore[arg-type]


def test_what_is_fine_is_told_at_once() -> None:
    witness = Witness(Forewarned("Td"))
    assert witness.hear([placed("8s")], same, (), 1.2, 5) == (placed("8s"),)
    assert not witness.wants_look


class Takers:
    """Stands for the referee: accuses whoever takes cards, and of cards those named."""

    def __init__(self, *cards: str) -> None:
        self.cards = {Card.parse(card) for card in cards}

    def __call__(self, events: tuple[TableEvent, ...]) -> Foresight:
        blind = False
        for event in events:
            blind = blind or isinstance(event, Blocked)
            takes = isinstance(event, Swept) and event.to != "heap"
            if not blind and (takes or (isinstance(event, Placed) and event.card in self.cards)):
                return Foresight(accuses=True)
        return Foresight()


def heard(witness: Witness, event: TableEvent) -> list[type[TableEvent]]:
    """What is told of an event in the end."""
    told = witness.hear([event], same, (), event.at, 5) or witness.hear([], same, (), event.at + 1, 9)
    return [type(each) for each in told]


def test_nobody_is_accused_of_taking_cards_before_a_heap_was_seen_to_grow() -> None:
    witness = Witness(Takers())
    assert heard(witness, Swept(at=5.0, to="A")) == [Blocked, Swept]
    seen = Witness(Takers())
    assert heard(seen, Swept(at=5.0, to="heap")) == [Swept]
    assert heard(seen, Swept(at=9.0, to="A")) == [Swept]


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


@pytest.mark.parametrize(("confidence", "told"), [(0.6, [Blocked, Placed]), (0.9, [Placed]), (None, [Placed])])
def test_after_cards_that_may_have_gone_elsewhere_nobody_is_accused(
    confidence: float | None, told: list[type[TableEvent]]
) -> None:
    witness = Witness(Forewarned("Td"))
    assert heard(witness, Swept(at=5.0, to="A", confidence=confidence)) == [Swept]
    assert heard(witness, placed("Td", 6.0)) == told


def test_who_lost_the_thread_accuses_nobody_until_a_whole_bout_was_understood() -> None:
    witness = Witness(Takers("Td"))
    assert heard(witness, Swept(at=5.0, to="A")) == [Blocked, Swept]
    assert heard(witness, placed("Td", 6.0)) == [Blocked, Placed]
    assert heard(witness, Swept(at=9.0, to="heap")) == [Swept]
    assert heard(witness, placed("Td", 10.0)) == [Blocked, Placed]
    assert heard(witness, Swept(at=13.0, to="heap")) == [Swept]
    assert heard(witness, placed("9s", 14.0)) == [Placed]
    assert heard(witness, Swept(at=17.0, to="heap")) == [Swept]
    assert heard(witness, placed("Td", 18.0)) == [Placed]


def test_who_has_misread_a_card_of_this_deck_accuses_nobody_for_twelve_cards() -> None:
    witness = Witness(Forewarned("Td"))
    witness.hear([placed("8s", 1.0)], same, (), 1.0, 3)
    witness.hear([Reread(at=1.5, was=Card.parse("8s"), card=Card.parse("8c"))], same, (), 1.5, 4)
    assert heard(witness, placed("Td", 2.0)) == [Blocked, Placed]
    for second in range(13):
        witness.hear([placed("9s", 3.0 + second, confidence=0.99)], same, (), 3.0 + second, 10 + second)
    witness.hear([Swept(at=17.0, to="heap")], same, (), 17.0, 24)
    witness.hear([Swept(at=18.0, to="heap")], same, (), 18.0, 25)
    assert heard(witness, placed("Td", 20.0)) == [Placed]


def test_what_would_accuse_is_told_with_doubt_where_that_is_enough() -> None:
    referee = Referee(
        Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B", "start": START})
    )
    witness = Witness(referee.foresee)
    drawn = Drawn(at=1.0, by="A", count=1)
    told = witness.hear([drawn], same, (), 1.2, 5) or witness.hear([], same, (), 2.5, 9)
    assert told == (replace(drawn, confidence=witness.settings.doubtful),)
    assert [ruling.verdict.value for event in told for ruling in referee.feed(event).rulings] == ["unclear"]
    assert referee.feed(replace(drawn, at=3.0)).rulings[0].verdict.value == "illegal", "the doubt is not about the next"


@pytest.mark.parametrize(("confidence", "told"), [(0.97, [Placed]), (0.7, [Blocked, Placed])])
def test_a_deck_read_hesitantly_card_after_card_accuses_nobody(confidence: float, told: list[type]) -> None:
    witness = Witness(Forewarned("Td"))
    for second in range(4):
        witness.hear([placed("9s", second, confidence=confidence)], same, (), float(second), second)
    assert heard(witness, placed("Td", 9.0, confidence=confidence)) == told


def test_what_turns_out_not_to_have_been_is_never_told() -> None:
    witness = Witness(Forewarned("Td"))
    assert witness.hear([placed("Td")], same, (), 1.2, 5) == ()
    assert witness.hear([], lambda event: None, (), 1.4, 7) == ()
    assert witness.hear([], same, (), 1.6, 9) == ()
    assert not witness.wants_look


def test_whoever_asks_nobody_tells_at_once() -> None:
    assert Witness(None).hear([placed("8s")], same, (), 1.2, 5) == (placed("8s"),)


def test_an_accusation_waits_for_further_looks_and_a_clear_one_is_told() -> None:
    witness = Witness(Forewarned("Td"))
    assert witness.hear([placed("Td")], same, (), 1.2, 5) == ()
    assert witness.wants_look
    assert witness.hear([], same, (), 1.4, 7) == ()
    assert witness.hear([], same, (), 1.6, 8) == (placed("Td"),)
    assert not witness.wants_look


def test_nothing_is_held_back_for_long_where_no_look_can_be_taken() -> None:
    witness = Witness(Forewarned("Td"))
    assert witness.hear([placed("Td")], same, (), 1.2, 5) == ()
    assert witness.hear([], same, (), 2.5, 5) == (placed("Td"),)


def test_a_card_reread_while_it_is_held_back_is_told_by_its_new_name_and_accuses_nobody() -> None:
    witness = Witness(Forewarned("Td"))
    assert witness.hear([placed("Td"), placed("As", on="Td")], same, (), 1.2, 5) == ()
    reread = Reread(at=1.4, was=Card.parse("Td"), card=Card.parse("Jd"), confidence=0.95)
    told = witness.hear([reread], same, (), 1.4, 6)
    assert told == (placed("Jd", confidence=0.95), placed("As", on="Jd"))


def test_a_card_held_back_is_told_as_it_is_read_by_then() -> None:
    witness = Witness(Forewarned("Td"))
    witness.hear([placed("Td", confidence=0.8)], same, (), 1.2, 5)
    (event,) = witness.hear([], lambda event: placed("Td", confidence=0.6), (), 1.6, 9)
    assert event.confidence == 0.6


@pytest.mark.parametrize(("said", "clouded"), [({}, True), ({"open": 1}, False)])
def test_where_not_all_was_understood_that_is_told_first(said: dict[str, object], clouded: bool) -> None:
    witness = Witness(Forewarned("Td", "Jd", **said))
    witness.hear([placed("Td")], same, (), 1.2, 5, clouded)
    blocked, event = witness.hear([], same, (), 1.6, 9, clouded)
    assert isinstance(blocked, Blocked)
    assert event == placed("Td")
    witness.hear([placed("Jd", 2.0)], same, (), 2.2, 15, clouded)
    blocked, event = witness.hear([], same, (), 2.6, 19, clouded)
    assert (type(blocked), event) == (Blocked, placed("Jd", 2.0)), "said again, since that helps"
    witness.hear([Swept(at=3.0, to="heap"), placed("Td", 4.0)], same, (), 4.2, 25, clouded)
    swept, blocked, _ = witness.hear([], same, (), 4.6, 29, clouded)
    assert (type(swept), type(blocked)) == (Swept, Blocked)


def test_what_can_not_be_however_little_was_understood_is_told_all_the_same() -> None:
    witness = Witness(lambda events: Foresight(accuses=any(isinstance(event, Placed) for event in events)))
    witness.hear([placed("3d")], same, (), 1.2, 5, clouded=True)
    assert [type(event) for event in witness.hear([], same, (), 1.6, 9, clouded=True)] == [Blocked, Placed]
    witness.hear([placed("4d", 2.0)], same, (), 2.2, 15, clouded=True)
    assert witness.hear([], same, (), 2.6, 19, clouded=True) == (placed("4d", 2.0),), "once is enough"


def accusing(*accused: TableEvent):
    """Stands for the referee: accuses of these events, however surely told, unless word of doubt stands before them."""

    def foresee(events: tuple[TableEvent, ...]) -> Foresight:
        hedged = met = False
        for event in events:
            met |= any(replace(event, confidence=other.confidence) == other for other in accused) and not hedged
            hedged = isinstance(event, Blocked) or (hedged and not isinstance(event, Swept))
        return Foresight(accuses=met)

    return foresee


def test_word_is_given_again_where_a_second_thing_told_at_once_would_accuse() -> None:
    swept, after = Swept(at=2.0, to="B"), placed("8c", 2.6)
    witness = Witness(accusing(swept, after))
    witness.hear([swept, after], same, (), 2.8, 5, clouded=True)
    told = witness.hear([], same, (), 3.2, 9, clouded=True)
    assert [type(event) for event in told] == [Blocked, Swept, Blocked, Placed]
    assert (told[1], told[3]) == (swept, after)


@pytest.mark.parametrize(("confidence", "told"), [(0.9, [Blocked]), (0.99, [Blocked, Reread])])
def test_a_card_reread_accuses_nobody_unless_it_is_sure(confidence: float, told: list[type]) -> None:
    reread = Reread(at=2.0, was=Card.parse("Tc"), card=Card.parse("Kc"), confidence=confidence)
    # What was told before the word is rewritten, so the word doesn't help.
    witness = Witness(lambda events: Foresight(accuses=any(isinstance(event, Reread) for event in events)))
    witness.hear([reread], same, (), 2.2, 5, clouded=True)
    assert [type(event) for event in witness.hear([], same, (), 2.6, 9, clouded=True)] == told


def test_an_exchange_noticed_late_comes_before_the_card_it_explains() -> None:
    swapped = Swapped(at=5.0, card=Card.parse("6h"), by=None)

    def foresee(events: tuple[TableEvent, ...]) -> Foresight:
        names = [type(event) for event in events]
        return Foresight(accuses=Placed in names and Swapped not in names[: names.index(Placed)])

    witness = Witness(foresee)
    assert witness.hear([placed("8h", 4.0)], same, (), 4.2, 5) == ()
    told = witness.hear([swapped], same, (), 5.2, 6)
    assert [(type(event), event.at) for event in told] == [(Swapped, 4.0), (Placed, 4.0)]


def test_mending_a_fault_clouds_nothing() -> None:
    witness = Witness(Forewarned("Td", open=1))
    lifted = Lifted(at=1.0, card=Card.parse("8s"), by="A")
    witness.hear([lifted, placed("Td")], same, (), 1.2, 5)
    assert witness.hear([], same, (), 1.6, 9) == (lifted, placed("Td"))


def bout_of_two(referee: Referee) -> None:
    """A and B have laid one card each, A owes himself two after a throw-in that was beaten as well."""
    for line in (
        {"at": 1, "event": "placed", "card": "8s", "by": "A"},
        {"at": 2, "event": "placed", "card": "9s", "by": "B", "on": "8s"},
        {"at": 3, "event": "placed", "card": "9c", "by": "A"},
        {"at": 4, "event": "placed", "card": "Jc", "by": "B", "on": "9c"},
        {"at": 5, "event": "swept", "to": "heap"},
        {"at": 6, "event": "drawn", "by": "A", "count": 1},
    ):
        referee.feed(event_from_json(line))


def drawing(seat: str, at: float) -> HandVisit:
    """A hand that was at the talon."""
    return HandVisit(3, seat, 0.95, at - 0.5, at + 0.3, seat, talon_calls=(TalonCall(at, 20.0),))


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


def at_talon(carried: float | None) -> tuple[HandVisit, ...]:
    """A's hand was at the talon and came away at 5 s."""
    return (HandVisit(1, "A", 1.0, 4.0, 5.2, talon_calls=(TalonCall(5.0, 20.0, carried),)),)


def no_draw_is_due(events: tuple[TableEvent, ...]) -> Foresight:
    """Stands for a referee in whose game nobody has to draw."""
    drawn = [k for k, event in enumerate(events) if isinstance(event, Drawn)]
    return Foresight(accuses=any(not any(isinstance(event, Blocked) for event in events[:k]) for k in drawn))


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


@pytest.mark.parametrize(("confidence", "told"), [(0.65, [Blocked, Swept]), (0.9, [Swept])])
def test_a_bout_with_a_card_told_with_doubt_accuses_nobody_who_sweeps_it(
    confidence: float, told: list[type[TableEvent]]
) -> None:
    witness = Witness(Takers())
    assert heard(witness, Swept(at=3.0, to="heap")) == [Swept]
    assert heard(witness, placed("9c", 4.0, confidence)) == [Placed]
    assert heard(witness, Swept(at=9.0, to="A")) == told


@pytest.mark.parametrize(("confidence", "told"), [(0.6, [Blocked, Swept]), (0.9, [Swept]), (None, [Swept])])
def test_nobody_is_accused_of_taking_cards_that_may_have_gone_to_the_heap(
    confidence: float | None, told: list[type[TableEvent]]
) -> None:
    witness = Witness(Takers())
    assert heard(witness, Swept(at=3.0, to="heap")) == [Swept]
    assert heard(witness, Swept(at=9.0, to="A", confidence=confidence)) == told


@pytest.mark.parametrize(("hollow", "told"), [(2, [Placed]), (3, [Blocked, Placed])])
def test_where_hands_come_and_go_and_nothing_is_told_of_them_nobody_is_accused(
    hollow: int, told: list[type[TableEvent]]
) -> None:
    visits = tuple(HandVisit(k + 1, "A", 1.0, 3.0 * k, 3.0 * k + 1) for k in range(5))
    witness = Witness(Forewarned("Td"))
    for k, visit in enumerate(visits):
        acts = [] if k < hollow else [placed("8s", visit.came_at + 0.5)]
        witness.hear(acts, same, (visit,), visit.came_at + 0.5, 5)
        witness.hear([], same, visits[: k + 1], visit.came_at + 2.5, 5)
    assert heard(witness, placed("Td", 20.0)) == told


def test_who_throws_in_across_a_beaten_pair_has_laid_beside_it() -> None:
    start = {**START, "hands": {"A": 6, "B": 6, "C": 6}, "talon": 0, "turnup": None}
    referee = Referee(
        Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B", "C"], "dealer": "C", "start": start})
    )
    witness = Witness(referee.foresee)
    thrown = Placed(at=3.0, card=Card.parse("8c"), by="C", on=Card.parse("7s"))
    told: list[TableEvent] = []
    for event in (placed("7s", 1.0), Placed(at=2.0, card=Card.parse("8s"), by="B", on=Card.parse("7s")), thrown):
        for heard in witness.hear([event], same, (), event.at + 0.2, 5):
            referee.feed(heard)
            told.append(heard)
    assert told[2:] == [replace(thrown, on=None)]
    # Across an attack that nobody has beaten, or whose answer was taken back, it is what it looks like.
    lifted = Lifted(at=4.0, card=Card.parse("8s"), by="B")
    for heard in witness.hear([lifted], same, (), 4.2, 7):
        referee.feed(heard)
    for at, on in ((5.0, "8c"), (7.0, "7s")):
        beat = Placed(at=at, card=Card.parse("9c" if on == "8c" else "8d"), by="A", on=Card.parse(on))
        witness.hear([beat], same, (), at + 0.2, 9)
        assert witness.hear([], same, (), at + 1.5, 19) == (beat,)


@pytest.mark.parametrize(("clouded", "confidence"), [(True, 0.6), (False, None)])
def test_a_bout_in_which_something_was_not_understood_accuses_nobody_who_sweeps_it(
    clouded: bool, confidence: float | None
) -> None:
    referee = Referee(
        Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B", "start": START})
    )
    witness = Witness(referee.foresee)
    for heard in witness.hear([placed("7s", 1.0)], same, (), 1.2, 5, clouded):
        referee.feed(heard)
    swept = Swept(at=4.0, to="heap")
    witness.hear([swept], same, (), 4.2, 9)
    assert witness.hear([], same, (), 5.0, 19) == (replace(swept, confidence=confidence),)


THREE_AT_A_TABLE = {
    "kozyr": 1,
    "rules": "podkidnoy-36",
    "seats": ["A", "B", "C"],
    "dealer": "C",
    "start": {**START, "hands": {"A": 6, "B": 6, "C": 6}, "talon": 0, "turnup": None},
}


def witnessed(*events: Placed, other_place: Callable[[Placed], Placed | None]) -> list[TableEvent]:
    """What is told of cards laid one after the other, where some may lie elsewhere as well."""
    referee = Referee(Header.parse(THREE_AT_A_TABLE))
    witness = Witness(referee.foresee)
    told: list[TableEvent] = []
    for event in events:
        quick = witness.hear([event], same, (), event.at + 0.2, 5, other_place=other_place)
        for heard in quick or witness.hear([], same, (), event.at + 2, 9, other_place=other_place):
            referee.feed(heard)
            told.append(heard)
    return told


def test_a_card_that_grazes_the_open_attack_it_beats_lies_on_it() -> None:
    laid = Placed(at=2.0, card=Card.parse("Ts"), by="B")
    on = replace(laid, on=Card.parse("7s"))
    assert witnessed(placed("7s", 1.0), laid, other_place=lambda event: on if event == laid else None)[1:] == [on]
    # What doesn't beat it is called as it lies.
    laid = Placed(at=2.0, card=Card.parse("Td"), by="B")
    on = replace(laid, on=Card.parse("7s"))
    assert witnessed(placed("7s", 1.0), laid, other_place=lambda event: on if event == laid else None)[1:] == [laid]


def test_a_card_that_hardly_lies_across_another_player_s_attack_was_thrown_in_beside_it() -> None:
    laid = Placed(at=2.0, card=Card.parse("7d"), by="C", on=Card.parse("7s"))
    beside = replace(laid, on=None)
    assert witnessed(placed("7s", 1.0), laid, other_place=lambda event: beside)[1:] == [beside]
    assert witnessed(placed("7s", 1.0), laid, other_place=lambda _: None)[1:] == [laid]


@pytest.mark.parametrize(("confidence", "told"), [(0.81, [Blocked, Placed]), (0.95, [Placed])])
def test_on_a_card_that_was_told_with_some_doubt_nobody_lays_a_wrong_one(
    confidence: float, told: list[type[TableEvent]]
) -> None:
    witness = Witness(Forewarned("Kh"))
    assert heard(witness, placed("Ah", 1.0, confidence)) == [Placed]
    assert heard(witness, replace(placed("Kh", 3.0), on=Card.parse("Ah"))) == told
    witness = Witness(Forewarned("Kh"))
    assert heard(witness, placed("Ah", 1.0, confidence)) == [Placed]
    assert heard(witness, placed("Kh", 3.0)) == told, "nor lays a wrong one beside it"


@pytest.mark.parametrize(("sees_talon", "told"), [(False, [Blocked, Placed]), (True, [Placed])])
def test_draws_that_are_owed_accuse_nobody_where_the_talon_was_never_made_out(
    sees_talon: bool, told: list[type[TableEvent]]
) -> None:
    witness = Witness(Forewarned("8d", owed=(("A", 1),)))
    assert witness.hear([placed("8d", 5.0)], same, (), 5.1, 5, sees_talon=sees_talon) == ()
    heard = witness.hear([], same, (), 7.0, 9, sees_talon=sees_talon)
    assert [type(event) for event in heard] == told


@pytest.mark.parametrize(("laid_again", "told"), [(False, [Blocked, Swept]), (True, [Swept])])
def test_a_card_taken_up_before_the_bout_was_swept_may_have_been_the_first_gathered(
    laid_again: bool, told: list[type[TableEvent]]
) -> None:
    witness = Witness(Takers())
    heard(witness, Swept(at=1.0, to="heap"))
    heard(witness, placed("8d", 2.0))
    heard(witness, Lifted(at=3.0, card=Card.parse("8d"), by="A"))
    if laid_again:
        heard(witness, placed("8d", 4.0))
    assert heard(witness, Swept(at=6.0, to="A")) == told


@pytest.mark.parametrize(("confidence", "doubted"), [(0.92, True), (0.96, False)])
def test_a_card_that_was_told_with_some_doubt_in_an_earlier_bout_may_have_been_another(
    confidence: float, doubted: bool
) -> None:
    again = placed("Qc", 9.0)
    witness = Witness(lambda events: Foresight(accuses=again in events))
    assert witness.hear([placed("Qc", 1.0, confidence)], same, (), 1.1, 4)
    assert heard(witness, Swept(at=3.0, to="heap")) == [Swept]
    assert witness.hear([again], same, (), 9.1, 5) == ()
    (told,) = witness.hear([], same, (), 11.0, 9)
    assert told == (replace(again, confidence=witness.settings.doubtful) if doubted else again)


def test_a_card_told_anew_by_another_name_says_nothing_of_its_first() -> None:
    again = placed("Qc", 9.0)
    witness = Witness(lambda events: Foresight(accuses=again in events))
    assert witness.hear([placed("Qc", 1.0, 0.88)], same, (), 1.1, 4)
    reread = Reread(at=2.0, was=Card.parse("Qc"), card=Card.parse("Jc"), confidence=0.97)
    assert witness.hear([reread], same, (), 2.1, 5) == (reread,)
    assert heard(witness, Swept(at=3.0, to="heap")) == [Swept]
    for number in range(witness.settings.remembered):  # until a misread card of this deck is long ago
        assert heard(witness, placed(f"{'6789TA'[number % 6]}{'sd'[number // 6]}", 4.0)) == [Placed]
    assert witness.hear([again], same, (), 9.1, 5) == ()
    assert witness.hear([], same, (), 11.0, 9) == (again,)


@pytest.mark.parametrize(("apart_s", "is_turned"), [(0.2, True), (0.9, False)])
def test_of_two_cards_made_out_at_about_the_same_time_either_may_have_been_laid_first(
    apart_s: float, is_turned: bool
) -> None:
    thrown, beat = placed("9s", 5.0), replace(placed("As", 5.0 + apart_s, on="9h"), by="B")

    def too_early(events: tuple[TableEvent, ...]) -> Foresight:
        cards = [event.card for event in events if isinstance(event, Placed)]
        return Foresight(accuses=cards[:1] == [thrown.card])

    witness = Witness(too_early)
    told = witness.hear([thrown, beat], same, (), 6.0, 5) or witness.hear([], same, (), 8.0, 9)
    assert told == ((replace(beat, at=5.0), thrown) if is_turned else (thrown, beat))
    under = replace(beat, on=thrown.card)
    witness = Witness(too_early)
    told = witness.hear([thrown, under], same, (), 6.0, 5) or witness.hear([], same, (), 8.0, 9)
    assert told == (thrown, under), "what lies on a card was not laid before it"


@pytest.mark.parametrize(("apart_s", "doubted"), [(0.5, True), (4.0, False)])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_card_taken_up_and_at_once_laid_again_was_put_straight(apart_s: float, doubted: bool, at_once: bool) -> None:
    again = placed("Jh", 3.0 + apart_s)
    lifted = Lifted(at=3.0, card=Card.parse("Jh"), by="B")
    witness = Witness(lambda events: Foresight(accuses=again in events))
    assert witness.hear([placed("Jh", 1.0)], same, (), 1.1, 4)
    events = [lifted, again] if at_once else [again]
    if not at_once:
        assert witness.hear([lifted], same, (), 3.1, 5) == (lifted,)
    assert witness.hear(events, same, (), 7.1, 6) == ()
    told = witness.hear([], same, (), 9.0, 10)
    assert told[-1] == (replace(again, confidence=witness.settings.doubtful) if doubted else again)


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

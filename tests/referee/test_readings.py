"""Readings of an uncertain card: their shares, their order, and the questions about them."""

from __future__ import annotations

from math import exp
from typing import Any

from referee.belief.person_record import PersonRecord
from referee.cards import Card
from referee.events import Placed
from referee.record import Header, event_from_json
from referee.rulings import Step
from tests.referee.certain_referee import Referee
from tests.referee.record_lines import HEADER, START
from tests.referee.refereed import faults, feed, placed, referee_of

UNDO = {"event": "pressed", "button": "undo", "at": 1.0}


def seen(card: str, by: str | None = None, on: str | None = None, **more: Any) -> Placed:
    event = event_from_json({"at": 1.0, **placed(card, by, on, **more)})
    assert isinstance(event, Placed)
    return event


def read(event: Placed, referee: Referee | None = None) -> list[tuple[str, str | None, float]]:
    options = [*PersonRecord().options((referee or referee_of()).state, event)]
    placed = [(each.event, round(exp(each.log_likelihood), 3)) for each in options if each.event is not None]
    return [(str(each.card), each.by, share) for each, share in placed if isinstance(each, Placed)]


def ruled(referee: Referee, event: Placed) -> Step:
    return referee.apply(event)


def test_reported_card_is_first_and_others_follow_by_share() -> None:
    event = seen("8s", "A", confidence=0.3, alternatives=[["8c", 0.1], ["8d", 0.5], ["8s", 0.9]])
    assert read(event) == [("8s", "A", 0.3), ("8d", "A", 0.5), ("8c", "A", 0.1)]


def test_certain_card_has_the_whole_share() -> None:
    assert read(seen("8s", "A")) == [("8s", "A", 1.0)]


def test_share_of_a_tenth_is_plausible_and_the_reported_card_always() -> None:
    event = seen("8s", "A", confidence=0.02, alternatives=[["8c", 0.1], ["8d", 0.0999]])
    assert read(event) == [("8s", "A", 0.1), ("8c", "A", 0.1)]


def test_at_most_four_alternatives_are_refereed() -> None:
    others = [["8c", 0.11], ["8d", 0.15], ["7s", 0.14], ["7c", 0.13], ["7d", 0.12]]
    event = seen("8s", "A", confidence=0.3, alternatives=others)
    assert [card for card, _, _ in read(event)] == ["8s", "8d", "7s", "7c", "7d"]


def test_seat_whose_turn_it_is_has_half_the_share() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A"), placed("9s", "B", "8s"))
    assert read(seen("9c"), referee) == [("9c", "A", 0.5), ("9c", "C", 0.5)]
    assert read(seen("9c", confidence=0.8, alternatives=[["8c", 0.2]]), referee) == [
        ("9c", "A", 0.4),
        ("9c", "C", 0.4),
        ("8c", "A", 0.1),
        ("8c", "C", 0.1),
    ]


def test_other_seats_share_the_rest() -> None:
    """Report a card before the lead is known: any seat may have laid it."""
    referee = referee_of(attacker=None)
    assert read(seen("9c"), referee) == [("9c", "A", 0.5), ("9c", "B", 0.25), ("9c", "C", 0.25)]


def test_seat_is_named_if_every_reading_agrees() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A"), placed("9s", "B", "8s"))
    step = ruled(referee, seen("9c", "A", confidence=0.6, alternatives=[["8c", 0.3]]))
    assert [ruling.by for ruling in step.rulings] == ["A"]
    feed(referee, UNDO)
    step = ruled(referee, seen("9c"))
    assert [(ruling.by, ruling.question) for ruling in step.rulings] == [
        (None, {"ask": "who", "card": Card.parse("9c"), "seats": ("A", "C")})
    ]


def test_question_lists_likelier_names_first() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A"))
    event = seen("7c", "B", "8s", confidence=0.2, alternatives=[["9s", 0.3], ["Ts", 0.4]])
    step = ruled(referee, event)
    (ruling,) = step.rulings
    cards = tuple(map(Card.parse, ("Ts", "9s", "7c")))
    assert ruling.question == {"ask": "card", "card": Card.parse("7c"), "cards": cards}


def test_card_known_elsewhere_is_no_alternative() -> None:
    """Report a card that would be a fault: a camera error is likelier, so that its alternatives count."""
    referee = referee_of(heap=["9c"], heap_count=4, talon=14)
    feed(referee, placed("8s", "A"))
    step = ruled(referee, seen("9s", "B", "8s", confidence=0.75, alternatives=[["9c", 0.2]]))
    assert (faults(step), referee.readings) == ([], 1)
    feed(referee, UNDO)
    ruled(referee, seen("7s", "B", "8s", confidence=0.75, alternatives=[["9c", 0.2]]))
    assert referee.readings == 2


def test_fault_that_depends_on_an_earlier_card_asks_for_both() -> None:
    referee = referee_of()
    feed(referee, placed("9s", "A", confidence=0.78, alternatives=[["6s", 0.2]]))
    *_, ruling = feed(referee, placed("7s", "B", "9s", at=2.0))[-1].rulings
    cards = (Card.parse("6s"), Card.parse("9s"))
    assert (str(ruling.verdict), str(ruling.fault)) == ("unclear", "does-not-beat")
    assert ruling.question == {"ask": "card", "card": Card.parse("9s"), "cards": cards}


def test_question_is_not_repeated() -> None:
    """Continue after a question about a throw-in: a second uncertainty does not repeat it."""
    referee = referee_of()
    steps = feed(
        referee,
        placed("8s", "A"),
        placed("9s", "B", "8s"),
        placed("Kd", "A", confidence=0.6, alternatives=[["9d", 0.35]]),
        placed("8d", "A", confidence=0.8, alternatives=[["9c", 0.15]]),
        placed("Td", "B", "Kd"),
    )
    assert [faults(step) for step in steps] == [[], [], ["rank-not-on-table"], [], []]


def test_correction_repeats_only_changed_rulings() -> None:
    """Correct the first card: the draws still show who threw in the nine."""
    referee = referee_of(turnup="9h", talon=9, heap_count=None)
    feed(
        referee,
        placed("8s", "A"),
        placed("Ts", "B", "8s"),
        placed("Tc"),
        placed("Jc", "B", "Tc"),
        {"event": "pressed", "button": "done"},
        {"event": "swept", "to": "heap"},
        {"event": "drawn", "by": "A", "count": 1},
        {"event": "drawn", "by": "C", "count": 1},
    )
    before = referee.state.as_json()
    step = feed(referee, {"event": "reread", "was": "8s", "card": "9s", "at": 9.0})[-1]
    assert step.announcements == ()
    assert [(ruling.play, ruling.cards) for ruling in step.rulings] == [
        ("lead", (Card.parse("9s"),)),
        ("beat", (Card.parse("Ts"),)),
    ]
    assert step.rulings[1].facts["over"] == Card.parse("9s")
    assert referee.state.as_json() == before
    # The final rulings of those events are kept: a second correction changes as little.
    step = feed(referee, {"event": "reread", "was": "Jc", "card": "Qc", "at": 10.0})[-1]
    assert (step.announcements, [ruling.play for ruling in step.rulings]) == ((), ["beat"])


def test_alternative_fault_has_its_facts() -> None:
    referee = referee_of()
    feed(referee, placed("6d", "A", confidence=0.78, alternatives=[["9d", 0.2]]))
    (ruling,) = feed(referee, placed("7d", "B", "6d", at=2.0))[-1].rulings
    assert (str(ruling.verdict), str(ruling.fault), ruling.facts["over"]) == (
        "unclear",
        "does-not-beat",
        Card.parse("9d"),
    )


def test_after_a_beaten_bout_the_next_attacker_may_have_laid_it() -> None:
    referee = referee_of(turnup="9h", talon=9, heap_count=None)
    feed(referee, placed("8s", "A"), placed("Ts", "B", "8s"), {"event": "pressed", "button": "done"})
    feed(referee, {"event": "swept", "to": "heap", "at": 5.0})
    assert read(seen("7c"), referee) == [("7c", "B", 1.0)]


def test_after_a_taken_bout_any_seat_may_have_laid_it() -> None:
    referee = referee_of(turnup="9h", talon=9, heap_count=None)
    feed(referee, placed("8s", "A"), {"event": "swept", "to": "B"})
    assert [seat for _, seat, _ in read(seen("7c"), referee)] == ["A", "B", "C"]


def test_uncertain_card_and_seat_are_asked_about_by_card() -> None:
    """Report a card that is a fault for every seat, so that the card decides."""
    referee = referee_of()
    feed(referee, placed("8s", "A"), placed("9s", "B", "8s"))
    step = ruled(referee, seen("Kd", confidence=0.6, alternatives=[["9d", 0.35]]))
    assert [ruling.question and ruling.question["ask"] for ruling in step.rulings] == ["card"]
    feed(referee, UNDO)
    step = ruled(referee, seen("9d", "A", confidence=0.6, alternatives=[["Kd", 0.35]]))
    assert [ruling.question and ruling.question["ask"] for ruling in step.rulings] == ["card"]
    assert [ruling.cards for ruling in step.rulings] == [(Card.parse("9d"),)]


def test_defender_may_have_laid_it_if_transfers_are_allowed() -> None:
    referee = Referee(Header.parse(HEADER | {"rules": "perevodnoy", "start": START}))
    feed(referee, placed("8s", "A"))
    assert [seat for _, seat, _ in read(seen("8c"), referee)] == ["A", "C", "B"]
    assert [seat for _, seat, _ in read(seen("9c"), referee)] == ["A", "C"]
    feed(referee, {"event": "pressed", "button": "take", "by": "B", "at": 1.0})
    assert [seat for _, seat, _ in read(seen("8c"), referee)] == ["A", "C"]


def test_impossible_readings_are_dropped() -> None:
    """Report two uncertain cards (four readings), then the six itself, which excludes the readings with a six."""
    referee = referee_of()
    feed(
        referee,
        placed("6d", "A", confidence=0.6, alternatives=[["9d", 0.35]]),
        placed("Kd", "B", "6d"),
        placed("6c", "A", confidence=0.6, alternatives=[["9c", 0.35]]),
    )
    assert referee.readings == 6  # the second card may not exist
    feed(referee, placed("6d", "A", at=5.0))
    assert referee.readings == 2
    assert [card for pair in referee.state.as_json()["table"] for card in pair][:2] == ["9d", "Kd"]


def test_draws_exclude_readings_by_which_they_are_not_due() -> None:
    """Draw after an uncertain beat: without the beat no draw would be due."""
    referee = referee_of(turnup="9h", talon=8, heap_count=None)
    feed(
        referee,
        placed("8s", "A"),
        placed("9s", "B", "8s", confidence=0.8, alternatives=[["7s", 0.15]]),
        {"event": "pressed", "button": "done"},
        {"event": "swept", "to": "heap"},
    )
    assert referee.readings == 2
    feed(referee, {"event": "drawn", "by": "A", "at": 5.0})
    assert referee.readings == 1


def test_next_deal_keeps_only_the_likeliest_reading() -> None:
    referee = referee_of(turnup=None, trump="h", talon=0, hands={"A": 1, "B": 1, "C": 3}, heap_count=None)
    feed(referee, placed("8s", "A"), placed("9s", "B", "8s", confidence=0.8, alternatives=[["7s", 0.15]]))
    feed(referee, {"event": "pressed", "button": "done", "at": 3.0}, {"event": "swept", "to": "heap", "at": 4.0})
    assert referee.readings == 2
    feed(referee, {"event": "dealt", "turnup": "9h", "at": 5.0})
    assert (referee.readings, referee.state.session.deal, referee.state.session.losses["C"]) == (1, 2, 1)

"""Conversion of evidence to an event of the record with weighted alternatives."""

from __future__ import annotations

from dataclasses import replace
from math import log

import pytest

from referee.cards import Card
from referee.events import Drawn, Placed, Swept
from referee.record import event_to_json
from tests.vision.observed import hand
from vision.actions.action_model import ActionModel
from vision.actions.attribution import attributed
from vision.actions.evidence import Alternative, Evidence
from vision.motion.hand_pass import Touch

HOME = Alternative("past the heap", {"heap": ({"to": "heap"}, log(1 / 3))})
NOTHING = Alternative("laid", {"nothing": (None, log(1 / 9))})
SEAT = Alternative("two hands", {"another": ({"by": "B"}, log(1 / 4))})


def test_certain_evidence_is_reported_unchanged() -> None:
    dealt = Drawn(at=2.0, by="A")
    assert Evidence(dealt).as_event() == dealt


def test_alternative_is_reported_with_its_share() -> None:
    reported = Evidence(Swept(at=2.0, to="B"), (HOME,)).as_event()
    assert event_to_json(reported) == {
        "at": 2.0,
        "event": "swept",
        "to": "B",
        "confidence": 0.75,
        "otherwise": [[{"to": "heap"}, 0.25]],
    }


def test_each_alternative_is_weighted_with_the_others_as_reported() -> None:
    reported = Evidence(Placed(at=2.0, card=Card.parse("7s"), by="A"), (SEAT, NOTHING)).as_event()
    assert reported.confidence == pytest.approx(0.8 * 0.9)
    assert reported.otherwise == (({"by": "B"}, pytest.approx(0.2 * 0.9)), (None, pytest.approx(0.8 * 0.1)))


def test_reading_confidence_is_multiplied_with_the_alternatives() -> None:
    read = Placed(at=2.0, card=Card.parse("7s"), by="A", confidence=0.6, alternatives=((Card.parse("7c"), 0.4),))
    reported = Evidence(read, (NOTHING,)).as_event()
    assert reported.confidence == pytest.approx(0.6 * 0.9)
    assert reported.alternatives == ((Card.parse("7c"), pytest.approx(0.4 * 0.9)),)
    assert reported.otherwise == ((None, pytest.approx(0.6 * 0.1)),)


def test_improbable_alternatives_are_not_reported() -> None:
    never = Alternative("laid", {"nothing": (None, log(1 / 5000))})
    assert Evidence(Placed(at=2.0, card=Card.parse("7s"), by="A"), (never,)).as_event().otherwise == ()


def test_event_carries_the_probability_of_a_missed_one() -> None:
    evidence = Evidence(Drawn(at=2.0, by="A"))
    assert evidence.as_event(0.5).missed == 0.5
    assert evidence.as_event().missed is None


def test_nearer_hand_is_likelier_by_the_difference_of_distances() -> None:
    touched = (Touch(1, 0.9, 30.0, 1.0), Touch(2, 0.9, 50.0, 1.0), Touch(3, 0.9, 116.0, 1.0), Touch(4, 0.1, 5.0, 1.0))
    model = ActionModel(nearer_mm=10.0)
    who = attributed(touched, [hand(k, seat) for k, seat in enumerate("ABCD", start=1)], model)
    assert who.seat == "A"
    assert [dict(doubt.instead) for doubt in who.doubts] == [{"another seat": ({"by": "B"}, -2.0)}]


@pytest.mark.parametrize(("seat", "second_mm", "number"), [("A", 40.0, 2), ("B", 40.0, 1), ("A", 76.0, 1)])
def test_newest_of_two_near_hands_of_one_seat_did_it(seat: str, second_mm: float, number: int) -> None:
    touched = (Touch(1, 0.9, 30.0, 1.0), Touch(2, 0.9, second_mm, 1.5))
    visits = [hand(1, "A"), replace(hand(2, seat), came_at=1.2)]
    visit = attributed(touched, visits, ActionModel()).visit
    assert visit is not None
    assert visit.number == number


def test_forgotten_hand_gives_no_seat() -> None:
    assert attributed((Touch(1, 0.9, 30.0, 1.0),), [hand(5, "B")], ActionModel()).visit is None

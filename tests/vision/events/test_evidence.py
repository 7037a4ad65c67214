"""Conversion of evidence to an event of the record with weighted alternatives."""

from __future__ import annotations

import pytest

from referee.cards import Card
from referee.events import Drawn, Placed, Swept
from referee.record import event_to_json
from vision.events.evidence import AS_REPORTED, Doubt, Evidence, Likelihoods, unseen

HOME = Doubt("past the heap", {"heap": {"to": "heap"}})
NOTHING = Doubt("laid", {"nothing": None})
SEAT = Doubt("two hands", {"another": {"by": "B"}})
COUNTED = Likelihoods(
    {
        "past the heap": {AS_REPORTED: 3, "heap": 1},
        "laid": {AS_REPORTED: 9, "nothing": 1},
        "two hands": {AS_REPORTED: 4, "another": 1},
        unseen("weak"): {AS_REPORTED: 9, "missed": 1},
        unseen("strong"): {AS_REPORTED: 1, "missed": 1},
    },
    as_reported=0.0,
    instead=0.0,
)


def test_certain_evidence_is_reported_unchanged() -> None:
    dealt = Drawn(at=2.0, by="A")
    assert Evidence(dealt).as_event(COUNTED) == dealt


def test_alternative_is_reported_with_its_share() -> None:
    reported = Evidence(Swept(at=2.0, to="B"), (HOME,)).as_event(COUNTED)
    assert event_to_json(reported) == {
        "at": 2.0,
        "event": "swept",
        "to": "B",
        "confidence": 0.75,
        "otherwise": [[{"to": "heap"}, 0.25]],
    }


def test_each_alternative_is_weighted_with_the_others_as_reported() -> None:
    reported = Evidence(Placed(at=2.0, card=Card.parse("7s"), by="A"), (SEAT, NOTHING)).as_event(COUNTED)
    assert reported.confidence == pytest.approx(0.8 * 0.9)
    assert reported.otherwise == (({"by": "B"}, pytest.approx(0.2 * 0.9)), (None, pytest.approx(0.8 * 0.1)))


def test_reading_confidence_is_multiplied_with_the_alternatives() -> None:
    read = Placed(at=2.0, card=Card.parse("7s"), by="A", confidence=0.6, alternatives=((Card.parse("7c"), 0.4),))
    reported = Evidence(read, (NOTHING,)).as_event(COUNTED)
    assert reported.confidence == pytest.approx(0.6 * 0.9)
    assert reported.alternatives == ((Card.parse("7c"), pytest.approx(0.4 * 0.9)),)
    assert reported.otherwise == ((None, pytest.approx(0.6 * 0.1)),)


def test_improbable_alternatives_are_not_reported() -> None:
    never = Likelihoods({"laid": {AS_REPORTED: 5000, "nothing": 1}}, as_reported=0.0, instead=0.0)
    assert Evidence(Placed(at=2.0, card=Card.parse("7s"), by="A"), (NOTHING,)).as_event(never).otherwise == ()


def test_strongest_sign_gives_the_probability_of_a_missed_event() -> None:
    evidence = Evidence(Drawn(at=2.0, by="A"))
    assert evidence.as_event(COUNTED, ("weak", "strong")).missed == 0.5
    assert evidence.as_event(COUNTED).missed is None

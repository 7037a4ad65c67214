"""Events revised to the most likely ones, and cards reported in the wrong order."""

from __future__ import annotations

import pytest

from referee.belief.belief import Belief
from referee.events import Corrected, Drawn, Placed, TableEvent
from referee.header import Header
from referee.match_judge import MatchJudge
from referee.record import event_from_json, event_to_json
from tests.referee.belief.table import HEADER, belief_after, event, faults, placed


def judge_of(*lines: dict[str, object]) -> MatchJudge:
    judge = MatchJudge(Header.parse({**HEADER, "witness": "camera"}))
    for line, data in enumerate(lines, start=2):
        judge.apply(line, event_from_json(data))
    return judge


def recorded(judge: MatchJudge, data: dict[str, object]) -> list[TableEvent]:
    return [line.event for line in judge.observe(len(judge.lines) + 2, event_from_json(data))]


def believed(judge: MatchJudge, data: dict[str, object]) -> TableEvent:
    (best,) = recorded(judge, data)
    assert judge.lines[-1].event == best
    return best


NINE = placed(2, "6s", "B", "7s", confidence=0.6, alternatives=[["9s", 0.4]])
"""Reads as the six, which does not beat the seven; may be the nine."""


def test_card_gets_the_only_possible_name() -> None:
    best = believed(judge_of(placed(1, "7s", "A")), NINE)
    assert event_to_json(best) == {
        **event_to_json(event_from_json(placed(2, "9s", "B", "7s"))),
        "confidence": 0.4,
        "alternatives": [["6s", 0.6]],
    }


def test_revised_record_gives_the_same_belief() -> None:
    first, again = judge_of(placed(1, "7s", "A"), NINE), judge_of(placed(1, "7s", "A"))
    again.apply(3, believed(judge_of(placed(1, "7s", "A")), NINE))
    assert again.state == first.state


def test_certain_events_are_recorded_unchanged() -> None:
    judge = judge_of(placed(1, "7s", "A"))
    wrong = placed(2, "6s", "B", "7s")
    assert believed(judge, wrong) == event_from_json(wrong)


def test_revised_sweep_has_the_new_destination_and_alternatives() -> None:
    judge = judge_of(placed(1, "7s", "A"), placed(2, "9s", "B", "7s"))
    sweep = event("swept", 3, to="B", confidence=0.6, otherwise=[[{"to": "heap"}, 0.4]])
    judge.apply(4, event_from_json(sweep))
    for line, data in enumerate((event("drawn", 4, by="A", count=1), event("drawn", 5, by="B", count=1)), start=5):
        judge.apply(line, event_from_json(data))
    judge.apply(7, event_from_json(placed(6, "Qs", "B")))
    (thought,) = judge.revisions(6.0)
    assert thought.line == 4
    assert thought.to is not None
    assert event_to_json(thought.to)["to"] == "heap"
    assert event_to_json(thought.to)["otherwise"] == [[{"to": "B"}, 0.6]]
    judge.apply(8, thought)
    assert judge.revisions(6.0) == ()


def test_sweep_that_was_reported_wrongly_as_certain_is_recorded_as_the_draws_show_it() -> None:
    lines = [placed(1, "7s", "A"), placed(2, "9s", "B", "7s"), event("swept", 3, to="B")]
    lines += [event("drawn", 4, by="A", count=1), event("drawn", 5, by="B", count=1)]
    lines += [placed(6, "Qs", "B"), placed(7, "Ks", "C", "Qs"), event("swept", 8, to="heap")]
    judge = judge_of(*lines)
    (thought,) = judge.revisions(8.0)
    assert (thought.line, event_to_json(thought.to)["to"]) == (4, "heap")
    judge.apply(10, thought)
    assert judge.revisions(8.0) == ()
    assert judge.positions[2][1].ledger.heap_count == 2, "the position after the sweep is that of the line as shown"


def test_event_that_did_not_happen_is_not_recorded() -> None:
    judge = judge_of(placed(1, "7s", "A"))
    before = judge.lines
    assert recorded(judge, event("drawn", 2, by="C", count=1, confidence=0.3, otherwise=[[None, 0.7]])) == []
    assert judge.lines == before


def test_event_of_a_person_is_not_revised() -> None:
    judge = MatchJudge(Header.parse({**HEADER, "witness": "person"}))
    assert believed(judge, NINE) == event_from_json(NINE)
    assert judge.revisions(2.0) == ()


@pytest.mark.parametrize(("later", "accused"), [(0.3, False), (2.0, True)])
def test_cards_reported_close_in_time_may_be_reordered(later: float, accused: bool) -> None:
    # A throws in a nine, which only the nine that beats the seven allows.
    lines = [placed(1, "7s", "A"), placed(3, "9c", "A"), placed(3 + later, "9s", "B", "7s"), event("tick", 60)]
    _, messages = belief_after(*lines, event("swept", 61, to="B"))
    assert bool(faults(messages)) is accused


def test_clearly_read_card_is_recorded_as_certain() -> None:
    judge = judge_of(placed(1, "7s", "A", confidence=0.8, alternatives=[["7c", 0.2]]))
    (correction,) = recorded(judge, event("reread", 2, was="7s", card="7s", confidence=0.99))
    assert isinstance(correction, Corrected)
    (laid,) = judge.events
    assert isinstance(laid, Placed)
    assert (str(laid.card), laid.confidence, laid.alternatives) == ("7s", 0.99, ())


def test_match_without_options_has_a_belief() -> None:
    belief = Belief(Header.parse({**HEADER, "witness": "camera"}))
    assert list(belief.revised_lines()) == []


@pytest.mark.parametrize("rules", ["podkidnoy-36", "free"])
def test_confirmation_of_a_certain_reading_is_not_recorded(rules: str) -> None:
    seats = {"kozyr": 1, "rules": rules, "seats": ["A", "B"], "dealer": "B", "witness": "camera"}
    judge = MatchJudge(Header.parse(seats))
    assert recorded(judge, event("reread", 2, was="7s", card="7s", confidence=0.99)) == []


def test_unseen_draws_are_recorded_once_later_events_prove_them() -> None:
    lines = [
        placed(1, "7s", "A"),
        placed(2, "8s", "B", "7s"),
        event("swept", 4, to="heap"),
        event("tick", 6.6),
        placed(9, "Qs", "B"),
        placed(10, "Ks", "C", "Qs"),
        event("swept", 12, to="heap"),
        event("drawn", 13, by="B", count=1),
        event("drawn", 14, by="C", count=1),
    ]
    judge = judge_of(*lines)
    before = judge.state
    thoughts = judge.revisions(14.0)
    inserted_draws = [
        (thought.after, str(thought.insert.by), thought.insert.at)
        for thought in thoughts
        if isinstance(thought.insert, Drawn)
    ]
    assert inserted_draws == [(4, "A", 5.5), (5, "B", 7.0)]
    for line, thought in enumerate(thoughts, start=len(lines) + 2):
        assert [message.as_json() for message in judge.apply(line, thought) if "ruling" in message.as_json()] == []
    assert judge.revisions(15.0) == ()
    assert (judge.state, [type(event).__name__ for event in judge.events].count("Drawn")) == (before, 4)


def test_record_with_inserted_events_gives_the_same_belief() -> None:
    lines = [placed(1, "7s", "A"), placed(2, "8s", "B", "7s"), event("swept", 4, to="heap"), placed(9, "Qs", "B")]
    lines += [placed(10, "Ks", "C", "Qs"), event("swept", 12, to="heap")]
    lines += [event("drawn", 13, by="B", count=1), event("drawn", 14, by="C", count=1)]
    judge = judge_of(*lines)
    record = [*lines, *(event_to_json(revision) for revision in judge.revisions(14.0))]
    assert len(record) == len(lines) + 2
    assert judge_of(*record).state == judge.state


def test_card_that_must_lie_under_another_is_recorded() -> None:
    lines = [placed(1, "7s", "A"), placed(2, "8s", "B", "7s"), placed(4, "Kd", "B", "8d")]
    lines += [event("swept", 6, to="heap"), event("drawn", 7, by="A", count=2), event("drawn", 8, by="B", count=2)]
    judge = judge_of(*lines)
    found = [revision.insert for revision in judge.revisions(8.0) if isinstance(revision.insert, Placed)]
    assert [(str(event.card), event.by, event.at) for event in found] == [("8d", "A", 3.0)]


def test_probability_of_a_fault_is_stored_by_line() -> None:
    belief, _ = belief_after(placed(1, "7s", "A"), placed(2, "6s", "B", "7s"), event("lifted", 3, card="6s", by="B"))
    assert belief.probabilities[2] < 0.5 < belief.probabilities[3]


def test_repeated_seat_among_the_alternatives_is_recorded_once() -> None:
    doubts = [[{"by": "B"}, 0.3], [{"by": None}, 0.1]]
    uncertain = placed(2, "9s", "C", "7s", confidence=0.6, otherwise=doubts)
    best = believed(judge_of(placed(1, "7s", "A")), uncertain)
    assert event_to_json(best)["by"] == "B"
    assert all(keys for keys, _ in best.otherwise)
    judge_of(placed(1, "7s", "A"), event_to_json(best))

"""Belief and rulings of a match that a camera records, line by line."""

from __future__ import annotations

from math import exp, isclose

from referee.belief.belief import Belief
from referee.corrections import RecordLine
from referee.header import Header
from referee.record import event_from_json
from referee.rulings import Announcement, Message, Ruling, Verdict, Withdrawal
from tests.referee.belief.table import BOUT, DRAWS, HEADER, HEAP, belief_after, event, faults, placed


def test_unseen_bout_is_inferred_from_later_events() -> None:
    # docs/judging.md, the worked example
    start = {"attacker": "D", "talon": 12, "hands": dict.fromkeys("ABCD", 6)}
    belief, messages = belief_after(
        event("drawn", 1, by="D", count=1),
        placed(2, "7s", "B"),
        placed(3, "9s", "C", "7s"),
        start=start,
        seats=["A", "B", "C", "D"],
    )
    assert faults([*messages, *belief.finish()]) == []
    state = belief.state.as_json()
    assert (state["attacker"], state["defender"], state["table"]) == ("B", "C", [["7s", "9s"]])
    assert state["hands"] == {"A": 7, "B": 5, "C": 5, "D": 6}
    assert state["talon"] == 11


def test_wrong_sweep_is_corrected_by_later_events() -> None:
    doubted = event("swept", 3, to="B", confidence=0.6, otherwise=[[{"to": "heap"}, 0.4]])
    belief, messages = belief_after(*BOUT, doubted, *DRAWS, placed(6, "Qs", "B"))
    assert belief.state.as_json()["heap"] == 2
    assert faults(messages) == []


def test_corrected_fault_is_announced_one_line_later() -> None:
    belief, messages = belief_after(placed(1, "7s", "A"), placed(2, "6d", "B", "7s"))
    assert faults(messages) == []
    assert faults(list(belief.observe(RecordLine(4, event_from_json(event("lifted", 3, card="6d", by="B")))))) == [
        (3, "does-not-beat")
    ]


def test_ruling_of_a_fault_has_probability_and_reasons() -> None:
    _, messages = belief_after(placed(1, "7s", "A"), placed(2, "6d", "B", "7s"), event("lifted", 3, card="6d", by="B"))
    call = next(message for message in messages if isinstance(message.what, Ruling) and message.what.fault is not None)
    data = call.as_json()
    assert data["probability"] > 0.95
    assert {"cue", "for", "weight"} == set(data["why"][0])
    assert any(reason["for"] for reason in data["why"])


def test_uncertain_card_with_a_legal_alternative_is_no_fault() -> None:
    doubted = placed(2, "6s", "B", "7s", confidence=0.7, alternatives=[["8s", 0.3]])
    belief, messages = belief_after(placed(1, "7s", "A"), doubted, HEAP, *DRAWS)
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.as_json()["heap"] == 2


def test_etiquette_fault_is_a_note() -> None:
    _, messages = belief_after(*BOUT, HEAP, *DRAWS)
    notes = [
        message.what
        for message in messages
        if isinstance(message.what, Ruling) and message.what.verdict is Verdict.UNCLEAR
    ]
    assert [(str(note.fault), note.question) for note in notes] == [("attack-not-closed", None)]


def test_strict_etiquette_asks_a_question() -> None:
    _, messages = belief_after(*BOUT, HEAP, *DRAWS, options={"etiquette": "strict"})
    questions = [
        message.what for message in messages if isinstance(message.what, Ruling) and message.what.question is not None
    ]
    assert [(str(question.fault), question.question["ask"]) for question in questions if question.question] == [
        ("attack-not-closed", "leave")
    ]


def rulings_now(belief: Belief) -> list[Message]:
    return list(belief._rule(4))


def test_fault_is_withdrawn_if_later_events_disprove_it() -> None:
    belief = Belief(Header.parse(HEADER))
    beat = placed(2, "6d", "B", "7s")
    messages = []
    for number, line in enumerate([placed(1, "7s", "A"), beat, event("lifted", 3, card="6d", by="B")], start=2):
        messages += belief.observe(RecordLine(number, event_from_json(line)))
    guilty = belief.beam
    # If all that speaks for the fault falls away, the line is ruled on again.
    innocent = belief._log.lines[1].before
    belief.beam = innocent
    again = rulings_now(belief)
    assert [message.what.as_json()["withdrawn"] for message in again if isinstance(message.what, Withdrawal)] == [
        "does-not-beat"
    ]
    assert all(message.revised_by == 4 for message in again)
    belief.beam = guilty
    assert faults(rulings_now(belief)) == [(3, "does-not-beat")]


def test_uncertain_fault_is_asked_about_at_the_end() -> None:
    sweep = event("swept", 2, to="heap")
    belief, messages = belief_after(placed(1, "7s", "A"), placed(1.5, "7d", "A"), sweep, placed(9, "Qs", "B"))
    messages += belief.finish()
    assert faults(messages) == []


def test_announcements_follow_the_most_likely_game() -> None:
    doubted = event("swept", 3, to="B", confidence=0.6, otherwise=[[{"to": "heap"}, 0.4]])
    _, messages = belief_after(*BOUT, doubted, *DRAWS, placed(6, "Qs", "B"))
    kinds = [(message.line, message.what.kind) for message in messages if isinstance(message.what, Announcement)]
    assert (4, "draw") in kinds
    assert (6, "turn") in kinds


def test_announcement_is_withdrawn_if_its_game_is_rejected() -> None:
    belief, _ = belief_after(*BOUT, HEAP)
    belief.beam = belief._log.lines[1].before
    messages = belief._announce()
    assert [message.what.facts["of"] for message in messages if isinstance(message.what, Announcement)] == ["draw"]
    assert all(message.line == 4 for message in messages)


def test_silent_table_announces_faults_only_after_a_challenge() -> None:
    wrong = placed(2, "6d", "B", "7s")
    belief, messages = belief_after(placed(1, "7s", "A"), wrong, event("tick", 3), tone="silent")
    assert [message for message in messages if isinstance(message.what, Ruling)] == []
    challenge = belief.observe(RecordLine(5, event_from_json(event("pressed", 4, button="challenge"))))
    assert [message.what.kind for message in challenge if isinstance(message.what, Announcement)] == ["challenge"]


def test_ticks_and_a_blocked_view_do_not_change_the_position() -> None:
    belief, _ = belief_after(*BOUT)
    before = belief.beam
    assert belief.observe(RecordLine(4, event_from_json(event("tick", 3)))) == ()
    assert belief.observe(RecordLine(5, event_from_json(event("blocked", 3, reason="a hand")))) == ()
    assert belief.beam == before
    assert belief.end_play() == ()


def test_weights_are_probabilities() -> None:
    belief, _ = belief_after(*BOUT, event("swept", 3, to="B", confidence=0.6, otherwise=[[{"to": "heap"}, 0.4]]))
    assert isclose(sum(exp(hypothesis.log_weight) for hypothesis in belief.beam), 1.0)


def test_earlier_belief_can_be_restored() -> None:
    belief, _ = belief_after(*BOUT)
    before = belief.before(1)
    assert before.state.as_json()["table"] == [["7s", None]]
    assert before.before(1).beam == before.beam
    again = before.observe(RecordLine(3, event_from_json(BOUT[1])))
    assert again
    assert before.state.as_json() == belief.state.as_json()


def test_deal_that_ends_with_an_unseen_sweep_has_a_result() -> None:
    start = {"talon": 0, "turnup": None, "hands": {"A": 1, "B": 1, "C": 1}}
    belief, _ = belief_after(placed(1, "7s", "A"), placed(2, "8s", "B", "7s"), start=start)
    results = [
        message.what
        for message in belief.finish()
        if isinstance(message.what, Announcement) and message.what.kind == "result"
    ]
    assert [result.facts["seats"] for result in results] == [("C",)]
    assert belief.state.result is not None


def test_without_events_there_are_no_messages() -> None:
    belief, messages = belief_after()
    assert [*messages, *belief.finish()] == []


def test_card_without_a_seat_may_be_of_any_seat() -> None:
    belief, messages = belief_after(placed(1, "7s", None), placed(2, "8s", None, "7s"), HEAP, *DRAWS)
    assert faults(messages) == []
    assert belief.state.as_json()["heap"] == 2


def test_unseen_swap_is_inferred() -> None:
    belief, messages = belief_after(placed(1, "9h", "A"), placed(2, "Th", "B", "9h"), HEAP)
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.as_json()["turnup"] == "6h"


def test_misread_card_keeps_its_wrong_name_until_swept() -> None:
    lead = placed(1, "7s", "A", confidence=0.6, alternatives=[["7c", 0.4]])
    belief, messages = belief_after(
        lead,
        placed(2, "9c", "B", "7s"),
        placed(3, "9d", "A"),
        placed(4, "Td", "B", "9d"),
        event("swept", 5, to="heap", left=[]),
    )
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.ledger.heap_count == 4


def test_cards_reported_under_one_name_are_beaten_separately() -> None:
    # The 6c and the 6s are both reported as the 8c.
    names = ([["6c", 0.1], ["6s", 0.1]], [["6s", 0.1], ["8s", 0.1]])
    opening = [placed(1, "8c", "A", confidence=0.8, alternatives=name) for name in names]
    beats = (placed(2, "9c", "B", "8c"), placed(3, "7s", "B", "8c"), placed(4, "9d", "B", "6d"))
    belief, messages = belief_after(*opening, placed(1, "6d", "A"), *beats, HEAP | {"at": 5})
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.as_json()["hands"] == {"A": 3, "B": 3, "C": 6}


def test_questioned_play_stays_a_question_when_bouts_later_its_alternatives_were_seen() -> None:
    # The 6s, with which B beat the 7s, may be another spade or a trump that was misread.
    lines = [placed(1, "7s", "A"), placed(2, "6s", "B", "7s"), event("swept", 3, to="heap")]
    leads = ("Tc", "Td", "Qc", "Qd", "7c", "7d", "8s", "9s", "Ts", "Js", "8h", "7h", "Jh")
    beats = ("Jc", "Jd", "Kc", "Kd", "8c", "9d", "Qs", "Ks", "As", "6h", "9h", "Th", "Qh")
    for at, (card, over) in enumerate(zip(leads, beats, strict=True), start=1):
        attacker, defender = "AB" if at % 2 == 0 else "BA"
        lines += [placed(4 * at, card, attacker), placed(4 * at + 1, over, defender, card)]
        lines += [event("swept", 4 * at + 2, to="heap")]
    start = {"talon": 0, "turnup": None, "hands": {"A": 18, "B": 18}}
    _, messages = belief_after(*lines, start=start, seats=["A", "B"], dealer="B")
    (asked,) = [message.what for message in messages if isinstance(message.what, Ruling) and message.line == 3]
    assert (asked.verdict, asked.question) == (Verdict.UNCLEAR, {"ask": "fault", "fault": "does-not-beat"})


def test_draw_of_too_many_cards_is_announced_if_unexplained() -> None:
    many = event("drawn", 4, by="A", count=3)
    belief, messages = belief_after(*BOUT, HEAP, many, event("drawn", 5, by="B", count=1), placed(6, "Qs", "B"))
    messages += belief.finish()
    assert {line for line, _ in faults(messages)} <= {5}

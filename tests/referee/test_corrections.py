"""Corrections by a person give the rulings of a record that was right from the beginning, for both sources."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from referee.belief.rates import CHECKED, PERSON, RATES
from referee.cards import Card
from referee.corrections import CorrectedRecord, changed
from referee.errors import RecordError
from referee.events import Placed
from referee.header import Header
from referee.match_judge import MatchJudge
from referee.record import event_from_json, event_to_json
from referee.rulebook import FaultId
from referee.rulings import Announcement, Message, Ruling, Verdict, Withdrawal

START = {"trump": "h", "turnup": "9h", "talon": 18, "hands": {"A": 6, "B": 6, "C": 6}, "attacker": "A"}
HEADER = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B", "C"], "dealer": "C", "start": START}
LEAD = {"at": 1, "event": "placed", "card": "7s", "by": "A"}
WRONG = {"at": 2, "event": "placed", "card": "6d", "by": "B", "on": "7s"}
BEAT = {"event": "placed", "card": "8s", "by": "B", "on": "7s"}
SWEEP = {"at": 4, "event": "swept", "to": "heap"}
UNDO = {"at": 9, "event": "pressed", "button": "undo"}


def correction(**keys: Any) -> dict[str, Any]:
    return {"at": 9, "event": "corrected", "by": "somebody at the table", **keys}


def match(witness: str, *lines: dict[str, Any], **header: Any) -> MatchJudge:
    judge = MatchJudge(Header.parse({**HEADER, "witness": witness, **header}))
    for number, line in enumerate(lines, start=2):
        judge.apply(number, event_from_json(line))
    return judge


def say(judge: MatchJudge, line: int, event: dict[str, Any]) -> list[dict[str, Any]]:
    return [message.as_json() for message in judge.apply(line, event_from_json(event))]


both = pytest.mark.parametrize("witness", ["person", "camera"])


@both
def test_fault_is_withdrawn_if_its_line_is_corrected(witness: str) -> None:
    judge = match(witness, LEAD, WRONG, {"at": 3, "event": "lifted", "card": "6d", "by": "B"})
    answer = say(judge, 5, correction(line=3, to=BEAT))
    assert {"line": 5, "withdrawn": "does-not-beat", "of": 3} in answer
    assert judge.state.bout is not None


@both
def test_word_of_a_person_is_certain_whatever_confidence_it_carries(witness: str) -> None:
    judge = match(witness, LEAD, BEAT, {"at": 8, "event": "tick"})
    unsure = {"confidence": 0.7, "alternatives": [["8s", 0.2]]}
    answer = say(judge, 5, correction(line=3, to={**WRONG, **unsure}))
    assert next((line.get("ruling"), line.get("fault")) for line in answer) == ("illegal", "does-not-beat")


@both
def test_correction_to_nothing_removes_the_event(witness: str) -> None:
    judge = match(witness, LEAD, WRONG)
    say(judge, 4, correction(line=3, to=None))
    assert judge.state.as_json()["table"] == [["7s", None]]
    assert judge.state.as_json()["open"] == []


THROWN = {"at": 3, "event": "placed", "card": "8d", "by": "A"}
BEATEN = {"at": 4, "event": "placed", "card": "Td", "by": "B", "on": "8d"}


def ruled(judge: MatchJudge) -> list[tuple[int, str | None]]:
    """Return line and fault of each ruling that holds, without those on whether the attack was over."""
    rulings = [(message.line, message.what) for message in judge.holding if isinstance(message.what, Ruling)]
    return [
        (line, ruling.fault and str(ruling.fault)) for line, ruling in rulings if ruling.play != "sweep" or ruling.fault
    ]


@pytest.mark.parametrize("is_late", [False, True])
def test_denied_card_is_not_replaced_by_an_inferred_one(is_late: bool) -> None:
    swept, lead = {"at": 5, "event": "swept", "to": "heap"}, {"at": 9, "event": "placed", "card": "Kc", "by": "B"}
    before: tuple[dict[str, Any], ...] = (LEAD, {**BEAT, "at": 2, "confidence": 0.98})
    after = (THROWN, BEATEN, swept)
    start = {"trump": "h", "talon": 0, "hands": {"A": 6, "B": 6, "C": 6}, "attacker": "A"}
    judge = match("camera", *before, *(after if is_late else ()), start=start)
    if is_late:
        answer = say(judge, 7, {**correction(line=3, to=None), "at": 5})
        assert {"line": 7, "withdrawn": "legal", "of": 3} in answer
    else:
        say(judge, 4, {**correction(line=3, to=None), "at": 2.5})
        for number, line in enumerate(after, start=5):
            say(judge, number, line)
    judge.finish()
    by_person = match("person", LEAD, THROWN, BEATEN, swept, start=start)
    by_person.finish()
    faults = [(2, None), "rank-not-on-table", "no-such-attack", "unbeaten-cards"]
    assert [faults[0], *(fault for _, fault in ruled(judge)[1:])] == faults
    assert [fault for _, fault in ruled(by_person)[1:]] == faults[1:]
    assert judge.state.as_json() == by_person.state.as_json()
    # The bout is over for the table, and the game goes on.
    say(judge, 9, lead)
    assert judge.state.as_json()["table"] == [["Kc", None]]


def test_denied_card_may_be_reported_again_and_undone() -> None:
    judge = match("camera", LEAD, {**BEAT, "at": 2}, THROWN, BEATEN)
    before = judge.state.as_json()
    say(judge, 6, {**correction(line=3, to=None), "at": 4})
    assert judge.state.as_json()["table"] == [["7s", None]]
    say(judge, 7, {"at": 4, "event": "pressed", "button": "undo"})
    assert judge.state.as_json() == before
    say(judge, 8, {**correction(line=3, to={"event": "placed", "card": "8s", "by": "A"}), "at": 4})
    assert judge.state.as_json()["table"] == [["7s", None]]


@both
def test_line_after_a_correction_refers_to_the_new_name(witness: str) -> None:
    judge = match(witness, LEAD)
    say(judge, 3, {**correction(line=2, to={**LEAD, "card": "7c"}), "at": 1})
    say(judge, 4, {"at": 2, "event": "placed", "card": "8c", "by": "B", "on": "7s"})
    assert judge.state.as_json()["table"] == [["7c", "8c"]]


@both
def test_rulings_with_a_corrected_card_are_printed_again(witness: str) -> None:
    judge = match(witness, LEAD, {**BEAT, "at": 2, "card": "Ts"}, {"at": 3, "event": "swept", "to": "heap"})
    answer = say(judge, 5, {**correction(line=2, to={**LEAD, "card": "9s"}), "at": 3})
    assert [
        (message["of"], message["facts"]["over"])
        for message in answer
        if "facts" in message and "over" in message["facts"]
    ] == [(3, "9s")]


@both
def test_stated_hand_corrects_a_wrong_draw(witness: str) -> None:
    drawn = {"at": 5, "event": "drawn", "by": "A", "count": 2}
    judge = match(witness, LEAD, {**BEAT, "at": 2}, SWEEP, drawn)
    say(judge, 6, {**correction(table={"hands": {"A": 6}, "talon": 17}), "at": 5})
    assert (judge.state.as_json()["open"], judge.state.as_json()["due"]) == ([], [["B", 1]])


@both
def test_stated_hand_disproves_an_extra_given_card(witness: str) -> None:
    taken, drawn = {"at": 2, "event": "swept", "to": "B"}, {"at": 3, "event": "drawn", "by": "A", "count": 2}
    judge = match(witness, LEAD, taken, drawn, start={**START, "known": {"A": ["Ks"]}})
    say(judge, 5, {**correction(table={"hands": {"A": 6, "B": 7}, "talon": 17}), "at": 3})
    assert judge.state.as_json()["known"] == {"A": ["Ks"], "B": ["7s"]}
    assert judge.finish() == ()  # the draw is neither announced as a fault nor asked about


def test_unchanged_counts_are_not_announced_again() -> None:
    limits = [Message(line, Announcement.of("limit", count=count)) for line, count in ((3, 6), (5, 2), (7, 6))]
    assert changed([Message(3, Announcement.of("limit", count=6))], limits, 9) == ()
    assert changed(limits, [*limits[:2], Message(8, Announcement.of("limit", count=5))], 9) == (
        Message(8, Announcement.of("limit", count=5), revised_by=9),
    )
    assert changed(limits, [], 9) == ()


@both
def test_missed_event_is_inserted_at_its_place(witness: str) -> None:
    judge = match(witness, LEAD, SWEEP)
    answer = say(judge, 4, correction(after=2, insert={**BEAT, "at": 2.5}))
    assert judge.state.as_json()["due"] == [["A", 1], ["B", 1]]
    assert judge.state.as_json()["heap"] == 2
    assert all(message["line"] == 4 for message in answer)
    assert [message["of"] for message in answer if message.get("announce") == "draw"][-1:] in ([3], [])


@both
def test_events_inserted_at_one_place_are_ordered_by_time(witness: str) -> None:
    judge = match(witness, {"at": 8, "event": "tick"})
    say(judge, 3, correction(after=1, insert={**BEAT, "at": 3}))
    say(judge, 4, correction(after=1, insert=LEAD))
    say(judge, 5, correction(after=1, insert={"at": 3, "event": "placed", "card": "8h", "by": "C"}))
    assert judge.state.as_json()["table"] == [["7s", "8s"], ["8h", None]]


@both
def test_later_correction_of_a_line_replaces_the_earlier_one(witness: str) -> None:
    judge = match(witness, LEAD, WRONG)
    say(judge, 4, correction(line=3, to=BEAT))
    say(judge, 5, correction(line=3, to={**BEAT, "card": "9s"}))
    assert judge.state.as_json()["table"] == [["7s", "9s"]]


@both
def test_undo_removes_a_correction(witness: str) -> None:
    judge = match(witness, LEAD, WRONG)
    before = judge.state.as_json()
    say(judge, 4, correction(line=3, to=BEAT))
    say(judge, 5, UNDO)
    assert judge.state.as_json() == before
    say(judge, 6, UNDO)
    assert judge.state.as_json()["open"] == []
    assert say(judge, 7, UNDO) == []
    assert [message["reason"] for message in say(judge, 8, UNDO)] == ["nothing-to-undo"]


@both
def test_undone_event_stays_undone_after_an_earlier_correction(witness: str) -> None:
    judge = match(witness, LEAD, WRONG, {"at": 3, "event": "tick"}, UNDO)
    say(judge, 6, correction(line=2, to={**LEAD, "card": "7c"}))
    assert judge.state.as_json()["table"] == [["7c", None]]


@both
def test_later_events_may_use_the_old_name_of_a_corrected_card(witness: str) -> None:
    judge = match(witness, LEAD, {**BEAT, "at": 2}, {"at": 3, "event": "lifted", "card": "8s", "by": "B"})
    say(judge, 5, correction(line=2, to={**LEAD, "card": "7c"}))
    say(judge, 6, correction(line=3, to={**BEAT, "card": "9c", "on": "7c"}))
    assert judge.state.as_json()["table"] == [["7c", None]]
    assert judge.state.as_json()["known"] == {"B": ["9c"]}


@both
def test_old_name_ends_with_the_sweep_or_the_real_card(witness: str) -> None:
    eight = {"at": 3, "event": "placed", "card": "8s", "by": "A"}
    judge = match(witness, LEAD, {**BEAT, "at": 2}, eight, {"at": 3.5, "event": "lifted", "card": "8s", "by": "A"})
    say(judge, 6, correction(line=3, to={**BEAT, "card": "8h"}))
    assert judge.state.as_json()["table"] == [["7s", "8h"]]
    say(judge, 7, {"at": 9, "event": "swept", "to": "heap"})
    say(judge, 8, correction(line=3, to={**BEAT, "card": "Qs"}))
    assert judge.state.as_json()["heap"] == 2


@both
def test_stated_table_replaces_the_position(witness: str) -> None:
    judge = match(witness, LEAD)
    say(judge, 3, correction(table={"hands": {"B": 7, "C": 5}}))
    state = judge.state.as_json()
    assert (state["hands"], state["talon"], state["heap"]) == ({"A": 5, "B": 7, "C": 5}, 18, 0)
    answer = say(judge, 4, correction(table={"talon": 10, "turnup": "6h"}))
    state = judge.state.as_json()
    assert (state["talon"], state["turnup"], state["heap"]) == (10, "6h", 8)
    assert {"line": 4, "announce": "talon", "count": 10} in [
        {key: message[key] for key in message if key != "of"} for message in answer
    ]
    say(judge, 5, correction(table={"attacker": "B", "defender": "A"}))
    assert (judge.state.as_json()["attacker"], judge.state.as_json()["defender"]) == ("B", "A")
    say(judge, 6, correction(table={"attacker": "B"}))
    assert judge.state.as_json()["defender"] == "C"
    assert say(judge, 7, correction(table={"defender": "C"})) == []


@both
def test_stated_empty_talon_has_no_turn_up(witness: str) -> None:
    judge = match(witness, LEAD)
    say(judge, 3, correction(table={"talon": 0, "hands": {"A": 1}}))
    state = judge.state.as_json()
    assert (state["turnup"], state["heap"], state["trump"]) == (None, 22, "h")


@both
def test_stated_hands_complete_owed_draws(witness: str) -> None:
    judge = match(witness, LEAD, {**BEAT, "at": 2}, SWEEP)
    say(judge, 5, correction(table={"hands": {"A": 6}, "talon": 17}))
    assert judge.state.as_json()["due"] == [["B", 1]]
    say(judge, 6, correction(table={"hands": {"B": 6}, "talon": 16}))
    assert (judge.state.as_json()["phase"], judge.state.as_json()["attacker"]) == ("attack", "B")


@both
def test_beginning_of_a_bout_can_be_stated(witness: str) -> None:
    judge = match(witness, LEAD, {**BEAT, "at": 2}, SWEEP)
    say(judge, 5, correction(table={"defender": "A"}))
    state = judge.state.as_json()
    assert (state["phase"], state["attacker"], state["defender"], state["due"]) == ("attack", "B", "A", [])
    first = match(witness, start={key: value for key, value in START.items() if key != "attacker"})
    with pytest.raises(RecordError, match="play against each other"):
        say(first, 2, correction(table={"defender": "A"}))
    say(first, 2, correction(table={"attacker": "C"}))
    assert first.state.as_json()["defender"] == "A"


@both
def test_deal_stated_as_unfinished_is_not_over(witness: str) -> None:
    start = {"trump": "h", "talon": 0, "hands": {"A": 1, "B": 2}, "attacker": "A"}
    header = {"seats": ["A", "B"], "dealer": "B", "start": start}
    judge = match(witness, LEAD, {"at": 2, "event": "swept", "to": "B"}, **header)
    assert judge.state.as_json()["result"] is not None
    say(judge, 4, correction(table={"attacker": "B", "defender": "A", "hands": {"A": 1}}))
    assert judge.state.as_json()["result"] is None


@both
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"line": 7, "to": None}, '"line" to be the number of an earlier'),
        ({"after": 9, "insert": BEAT}, '"after" to be the number of an earlier'),
        ({"after": 2, "insert": {**BEAT, "at": 7}}, '"at" of what is inserted to be from 1 to 4'),
        ({"line": 2, "to": {**LEAD, "by": "X"}}, "one of the seats"),
        ({"table": {"hands": {"X": 3}}}, "one of the seats"),
        ({"table": {"hands": {"A": 30}}}, '"table" with counts that make up'),
        ({"table": {"talon": 0, "heap_count": 1}}, '"table" with counts that make up'),
        ({"table": {"turnup": "2h"}}, '"turnup" of the table'),
        ({"table": {"attacker": "A", "defender": "A"}}, "play against each other"),
    ],
)
def test_impossible_correction_is_refused(witness: str, keys: dict[str, Any], expected: str) -> None:
    judge = match(witness, LEAD, SWEEP)
    before = judge.state.as_json()
    with pytest.raises(RecordError, match=expected):
        judge.apply(4, event_from_json(correction(**keys)))
    assert judge.state.as_json() == before
    assert say(judge, 5, {"at": 9, "event": "tick"}) == []


@pytest.mark.parametrize(
    "keys",
    [
        {"line": 2},
        {"to": None},
        {"line": 2, "to": None, "table": {"talon": 3}},
        {"line": 2, "to": {"event": "corrected", "line": 2, "to": None}},
        {"after": 2, "insert": None},
        {"table": {}},
        {"table": {"cards": 3}},
        {"table": {"hands": 3}},
    ],
)
def test_error_of_an_invalid_correction_says_what_was_expected(keys: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match="expected"):
        event_from_json(correction(**keys))


@pytest.mark.parametrize(
    "keys",
    [
        {"line": 2, "to": LEAD},
        {"line": 2, "to": None},
        {"after": 2, "insert": BEAT},
        {"table": {"hands": {"A": 3}, "talon": 4, "attacker": "A", "turnup": None}},
        {"table": {"turnup": "9h"}},
        {"table": {"talon": 4}},
    ],
)
def test_correction_survives_a_json_round_trip(keys: dict[str, Any]) -> None:
    event = event_from_json(correction(**keys))
    assert event_to_json(event) == correction(**keys)
    assert event_from_json(event_to_json(event)) == event


def test_reread_and_assignment_correct_events_of_a_camera() -> None:
    judge = match("camera", LEAD, {**WRONG, "at": 2})
    say(judge, 4, {"at": 3, "event": "reread", "was": "6d", "card": "8s"})
    assert judge.state.as_json()["table"] == [["7s", "8s"]]
    say(judge, 5, {"at": 4, "event": "placed", "card": "8d", "by": "C"})
    say(judge, 6, {"at": 5, "event": "pressed", "button": "assign", "card": "8d", "to": "A"})
    assert judge.state.as_json()["hands"] == {"A": 4, "B": 5, "C": 6}
    answer = say(judge, 7, {"at": 6, "event": "reread", "was": "Ks", "card": "Kc"})
    assert [message["reason"] for message in answer] == ["card-not-on-table"]
    answer = say(judge, 8, {"at": 6, "event": "pressed", "button": "assign", "card": "Ks", "to": "A"})
    assert [message["reason"] for message in answer] == ["card-not-on-table"]


READ_AS = {"at": 8, "event": "reread", "confidence": 0.97}


@pytest.mark.parametrize("named", ["7s", "8c"])
def test_camera_does_not_reread_a_card_that_a_person_has_named(named: str) -> None:
    judge = match("camera", LEAD, {"at": 2, "event": "reread", "was": "7s", "card": "8c"})
    say(judge, 4, {**READ_AS, "was": named, "card": "9c"})
    assert judge.state.as_json()["table"] == [["8c", None]]


@pytest.mark.parametrize("confidence", [0.93, 0.99])
def test_name_that_a_person_gives_back_accuses_nobody(confidence: float) -> None:
    judge = match("camera", LEAD)
    say(judge, 3, {"at": 2, "event": "reread", "was": "7s", "card": "9s", "confidence": confidence})
    rulings = say(judge, 4, {"at": 3, "event": "reread", "was": "9s", "card": "7s"})
    rulings += [message.as_json() for message in judge.finish()]
    assert not [ruling for ruling in rulings if ruling.get("ruling") in ("illegal", "impossible")]


def test_camera_does_not_reread_a_card_that_a_person_has_inserted() -> None:
    judge = match("camera", LEAD)
    say(judge, 3, correction(after=2, insert={**BEAT, "at": 2}))
    say(judge, 4, {**READ_AS, "was": "8s", "card": "9s"})
    assert judge.state.as_json()["table"] == [["7s", "8s"]]


def test_camera_rereads_a_later_card_of_a_name_that_a_person_has_corrected() -> None:
    judge = match("camera", {**LEAD, "card": "8c"}, correction(line=2, to={**LEAD, "card": "7s"}, at=1))
    say(judge, 4, {**BEAT, "at": 2})
    say(judge, 5, SWEEP)
    say(judge, 6, {"at": 7, "event": "placed", "card": "8c", "by": "B"})
    say(judge, 7, {**READ_AS, "was": "8c", "card": "9c"})
    assert [event.card for event in judge.events if isinstance(event, Placed)][2] == Card.parse("9c")


def test_match_of_a_camera_answers_a_challenge_and_an_undo() -> None:
    judge = match("camera", LEAD, {**WRONG, "at": 2})
    answer = say(judge, 4, {"at": 3, "event": "pressed", "button": "challenge"})
    assert [(message["line"], message.get("count", message.get("fault"))) for message in answer] == [
        (3, "does-not-beat"),
        (4, "does-not-beat"),
        (4, 1),
    ]
    later = [{"at": 5, "event": "placed", "card": "7d", "by": "A"}, {"at": 60, "event": "tick"}]
    followed = [message for number, event in enumerate(later, start=5) for message in say(judge, number, event)]
    assert [line["line"] for line in followed if "ruling" in line] == [5], "the answer is no question afterwards"
    say(judge, 7, UNDO)
    judge = match("camera", LEAD, {**BEAT, "at": 2}, SWEEP)
    answer = say(judge, 5, UNDO)
    assert [(message["announce"], message["of"]) for message in answer] == [("withdrawn", "draw")]
    assert judge.state.as_json()["table"] == [["7s", "8s"]]


def test_correction_that_contradicts_seen_cards_is_refused() -> None:
    judge = match("camera", LEAD)
    with pytest.raises(RecordError, match="turnup"):
        judge.apply(3, event_from_json(correction(table={"turnup": "7s"})))


def test_nothing_is_recorded_of_a_correction_that_is_refused() -> None:
    judge = match("camera", LEAD, {**BEAT, "at": 2})
    refused = event_from_json(correction(line=3, to={**BEAT, "by": "Z"}))
    recorded = judge.observe(4, refused)
    with pytest.raises(RecordError, match="Z"):
        next(recorded)
    assert [line.line for line in judge.lines] == [2, 3]


@pytest.mark.parametrize(
    ("later", "kind"),
    [
        ([{"at": 3, "event": "lifted", "card": "Ts"}, {"at": 4, "event": "placed", "card": "Ts", "by": "C"}], None),
        ([{"at": 3, "event": "swept", "to": "B"}, {"at": 4, "event": "placed", "card": "Ts"}], None),
        ([{"at": 3, "event": "swept", "to": "B"}, {"at": 4, "event": "placed", "card": "Ts", "by": "C"}], "later"),
        ([{"at": 3, "event": "swept", "to": "heap"}, {"at": 4, "event": "placed", "card": "Ts"}], "later"),
        ([{"at": 4, "event": "placed", "card": "Ts", "by": "C"}], "later"),
    ],
)
def test_only_a_card_that_cannot_be_laid_again_speaks_against_a_correction(
    later: list[dict[str, Any]], kind: str | None
) -> None:
    judge = match("person", LEAD, *later)
    to = {"event": "placed", "card": "Ts"}
    objection = judge.contradiction(event_from_json(correction(line=2, to=to)))  # type: ignore[arg-type]
    assert (None if objection is None else objection.kind) == kind


def test_seat_may_have_any_name_where_a_correction_is_compared_with_later_lines() -> None:
    seats = ["A", "table", "C"]
    judge = MatchJudge(
        Header.parse(
            HEADER | {"seats": seats, "start": START | {"hands": dict.fromkeys(seats, 6)}, "witness": "person"}
        )
    )
    for number, line in enumerate(
        (
            LEAD,
            {"at": 3, "event": "swept", "to": "table"},
            {"at": 4, "event": "placed", "card": "Ts", "by": "table"},
        ),
        start=2,
    ):
        judge.apply(number, event_from_json(line))
    stated = event_from_json(correction(line=2, to={"event": "placed", "card": "Ts"}))
    assert judge.contradiction(stated) is None  # type: ignore[arg-type]


def test_withdrawn_or_revised_rulings_no_longer_hold() -> None:
    legal = Ruling(Verdict.LEGAL, "beat")
    wrong = replace(legal, verdict=Verdict.ILLEGAL, fault=FaultId.DOES_NOT_BEAT)
    turn = Announcement.of("turn", attacker="A", defender="B")
    back = Announcement.of("withdrawn", of="turn", attacker="A", defender="B")
    taken_back = [
        Message(3, wrong),
        Message(3, Withdrawal(FaultId.DOES_NOT_BEAT), revised_by=4),
        Message(3, turn),
        Message(4, back),
    ]
    assert changed(taken_back, [], 9) == ()
    assert changed([], taken_back, 9) == ()
    assert changed([Message(3, wrong), Message(3, legal, revised_by=4)], [Message(3, legal)], 9) == ()
    assert changed([Message(3, wrong), Message(3, turn)], [Message(3, legal)], 9) == (
        Message(3, legal, revised_by=9),
        Message(3, Withdrawal(FaultId.DOES_NOT_BEAT), revised_by=9),
        Message(9, back),
    )
    assert changed([], [Message(3, turn)], 9) == (Message(3, turn, revised_by=9),)


def test_withheld_ruling_is_given_at_the_end_of_the_play() -> None:
    durek = {"rules": "durek-platkowy", "start": {**START, "talon": 34}}
    opening = [{**LEAD, "card": card} for card in ("As", "Qd")]
    judge = match("person", {"at": 0, "event": "tick"}, *opening, **durek)
    assert judge.holds_back_ruling
    assert [message.what.as_json()["fault"] for message in judge.end_play()] == ["opening-shape"]
    assert judge.finish() == ()
    answer = say(judge, 5, correction(line=3, to={**LEAD, "card": "Qs"}))
    assert {"line": 5, "withdrawn": "opening-shape", "of": 4} in answer
    judge = match("person", *opening, {**BEAT, "at": 2}, **durek)
    say(judge, 5, correction(line=4, to=None))
    assert judge.state.as_json()["table"] == []
    # A line on which nothing happened parts no play: it may still go on.
    answer = say(judge, 6, correction(line=2, to={**LEAD, "card": "Ks"}))
    assert judge.holds_back_ruling
    answer += [message.as_json() for message in judge.end_play()]
    assert [message["cards"] for message in answer if message.get("fault") == "opening-shape"] == [["Ks", "Qd"]]


def test_undo_after_only_ticks_has_no_effect() -> None:
    for witness in ("person", "camera"):
        judge = match(witness, {"at": 0, "event": "tick"})
        assert [message["reason"] for message in say(judge, 3, UNDO)] == ["nothing-to-undo"]


AFTER_BOUT = (LEAD, {"at": 2, **BEAT}, SWEEP)


@both
@pytest.mark.parametrize(
    ("draws", "hands", "due"),
    [
        ([("A", 1)], {"A": 5, "B": 5}, [["A", 1], ["B", 1]]),  # the draw of A was none
        ([("A", 1), ("B", 1)], {"B": 5}, [["B", 1]]),  # the last draw was none, and the next bout had begun
        ([("A", 1), ("B", 1)], {"A": 5}, []),  # B drew after A, who was passed over
        ([("A", 1), ("B", 1)], {"A": 6}, []),
        ([], {"A": 6}, [["B", 1]]),
        ([("A", 1)], {"B": 6}, []),
    ],
)
def test_stated_hands_after_a_bout_determine_the_due_draws(
    witness: str, draws: list[tuple[str, int]], hands: dict[str, int], due: list[Any]
) -> None:
    drawn = [{"at": 5 + place, "event": "drawn", "by": by, "count": n} for place, (by, n) in enumerate(draws)]
    judge = match(witness, *AFTER_BOUT, *drawn)
    stated = {"A": 6 if draws else 5, "B": 6 if len(draws) == 2 else 5, "C": 6} | hands
    say(judge, 9, correction(table={"hands": stated, "talon": 34 - sum(stated.values()), "heap_count": 2}))
    state = judge.state.as_json()
    assert (state["due"], state["phase"]) == (due, "draw" if due else "attack")


def test_stated_turn_up_or_next_bout_keeps_the_due_draws() -> None:
    judge = match("person", *AFTER_BOUT)
    say(judge, 6, correction(table={"turnup": "Th"}))
    assert judge.state.as_json()["due"] == [["A", 1], ["B", 1]]
    drawn = [{"at": 5, "event": "drawn", "by": by, "count": 1} for by in ("A", "B")]
    judge = match("person", *AFTER_BOUT, *drawn, {"at": 6, "event": "placed", "card": "6c", "by": "B"})
    say(judge, 8, correction(table={"hands": {"A": 5, "B": 5, "C": 6}, "talon": 17}))
    assert (judge.state.as_json()["due"], judge.state.as_json()["phase"]) == ([], "attack")


def test_stated_talon_restores_the_turn_up_and_hand_sets_the_limit() -> None:
    start = {**START, "talon": 2, "heap_count": 16, "beaten_off": 1}
    draws = [{"at": 5, "event": "drawn", "by": by, "count": 1} for by in ("A", "B")]
    judge = match("person", *AFTER_BOUT, *draws, start=start)
    assert (judge.state.ledger.turnup, judge.state.as_json()["known"]["B"]) == (None, ["9h"])
    say(judge, 7, correction(table={"hands": {"A": 6, "B": 5, "C": 6}, "talon": 1, "heap_count": 18}))
    assert (judge.state.as_json()["due"], judge.state.as_json()["turnup"]) == ([["B", 1]], "9h")
    assert judge.state.as_json()["known"] == {}
    judge = match("person", *AFTER_BOUT, *draws, start=start)
    answer = say(judge, 7, correction(table={"hands": {"A": 6, "B": 6, "C": 4}, "talon": 0, "heap_count": 20}))
    assert [message["count"] for message in answer if message.get("announce") == "limit"] == [4]
    assert judge.state.as_json()["limit"] == 4


def test_a_line_is_corrected_a_hundred_times_at_most() -> None:
    judge = MatchJudge(Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B"}))
    judge.apply(2, event_from_json({"at": 1.0, "event": "dealt", "turnup": "9h"}))
    to = {"event": "dealt", "turnup": "9h"}
    for line in range(3, 103):
        judge.apply(line, event_from_json({"at": 1.0, "event": "corrected", "line": 2, "to": to}))
    with pytest.raises(RecordError, match="at most 100 corrections of one line"):
        judge.apply(103, event_from_json({"at": 1.0, "event": "corrected", "line": 2, "to": to}))


@pytest.mark.parametrize(
    "hidden", [[], [{"at": 1.5, "event": "blocked", "reason": "a hand"}]], ids=["visible", "hidden"]
)
def test_stated_line_of_a_camera_is_ruled_on_at_once(hidden: list[dict[str, Any]]) -> None:
    judge = match("camera", LEAD, *hidden, {**BEAT, "at": 12})
    line = 3 + len(hidden)
    answer = say(judge, line + 1, correction(line=line, to=WRONG, at=13))
    assert [(message["of"], message["ruling"], message["fault"]) for message in answer if message.get("fault")] == [
        (line, "illegal", "does-not-beat")
    ]


@pytest.mark.parametrize("statement", [[], [{"at": 2, "event": "pressed", "button": "wait", "by": "C"}]])
def test_nothing_goes_unseen_between_a_denied_line_and_the_next_event_at_the_table(
    statement: list[dict[str, Any]],
) -> None:
    lines = [LEAD, *statement, SWEEP, correction(line=2, to=None)]
    corrected = CorrectedRecord([(line, event_from_json(data)) for line, data in enumerate(lines, start=2)], 1)
    assert corrected.lines[-1].sensor is PERSON


def test_unseen_event_makes_no_unseen_card_likely_in_a_bout_that_was_checked() -> None:
    assert CHECKED.after_a_miss().unseen_card == 0.0
    assert CHECKED.after_a_miss().unseen_draw == RATES.after_a_miss().unseen_draw

"""
Rules that no case can state: no repeated announcements, names of plays, facts, questions, corrections, record limits.

Each test kills a mutant of the referee that the other tests did not detect (docs/testing.md, *Mutation testing*).
"""

from __future__ import annotations

from typing import Any

import pytest

from referee.cards import Card
from referee.errors import RecordError, RulebookError
from referee.record import Header, event_from_json
from referee.rulings import Step
from tests.referee.certain_referee import Referee
from tests.referee.record_lines import HEADER, START
from tests.referee.refereed import DUREK, faults, feed, placed, referee_of
from vision.geometry.pose import Pose
from vision.table.observation import LyingCard, Observation


def opened(**changes: Any) -> Referee:
    return Referee(Header.parse(HEADER | changes))


def spoken(step: Step, kind: str) -> list[dict[str, Any]]:
    return [announcement.as_json() for announcement in step.announcements if announcement.kind == kind]


def refused(data: dict[str, Any], expected: str) -> None:
    with pytest.raises(RecordError, match=expected):
        event_from_json(data)


def test_cards_laid_together_announce_the_lead_once() -> None:
    referee = opened()
    feed(referee, {"event": "dealt", "turnup": "9h"})
    steps = feed(referee, *(placed(card, "A", at=3.0) for card in ("8s", "8c", "8d")))
    assert [len(spoken(step, "lead")) for step in steps] == [1, 0, 0]
    assert [len(spoken(step, "turn")) for step in steps] == [1, 0, 0]


def test_lead_ends_the_right_of_others_to_lead() -> None:
    referee = opened()
    feed(referee, {"event": "dealt", "turnup": "9h"})
    assert referee.state.leaders == ("A", "B", "C")
    feed(referee, placed("8s", "A"))
    assert referee.state.leaders == ()


def test_undone_beat_restores_the_bout() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A"))
    before = referee.state.bout
    feed(referee, placed("9s", "B", "8s"), {"event": "lifted", "card": "9s", "by": "B"})
    assert referee.state.bout == before


def test_ruling_of_a_touch_names_the_play() -> None:
    referee = opened()
    step = feed(referee, {"event": "pressed", "button": "touched", "by": "A"})[-1]
    assert [(ruling.play, str(ruling.fault)) for ruling in step.rulings] == [("touch", "touched-pack")]
    referee = referee_of(talon=18, heap_count=0, hands={"A": 6, "B": 6, "C": 6})
    feed(referee, placed("8s", "A"), placed("9s", "B", "8s"), {"event": "swept", "to": "heap"})
    step = feed(referee, {"event": "pressed", "button": "touched", "what": "heap", "by": "A", "at": 9.0})[-1]
    assert [(ruling.play, str(ruling.fault)) for ruling in step.rulings] == [("touch", "heap-touched")]


def test_ruling_of_too_many_cards_has_the_number_held() -> None:
    referee = referee_of(hands={"A": 1, "B": 6, "C": 6}, talon=8, heap_count=None)
    step = feed(referee, placed("8s", "A", at=1.0), placed("8c", "A", at=1.0))[-1]
    assert [(str(ruling.fault), ruling.facts["held"]) for ruling in step.rulings] == [("hand-ledger", 1)]


def test_undone_draw_announces_the_talon_again() -> None:
    referee = referee_of(turnup="9h", talon=8, heap_count=None, hands={"A": 6, "B": 6, "C": 6})
    feed(referee, placed("8s", "A"), {"event": "swept", "to": "B"}, {"event": "drawn", "by": "A", "count": 1})
    step = feed(referee, {"event": "pressed", "button": "undo", "at": 9.0})[-1]
    assert spoken(step, "talon") == [{"announce": "talon", "count": 8}]


def test_two_rereads_of_a_card_can_be_undone() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A"), placed("9s", "B", "8s"))
    steps = feed(
        referee,
        {"event": "reread", "was": "8s", "card": "8c", "at": 3.0},
        {"event": "reread", "was": "8c", "card": "8d", "at": 4.0},
    )
    assert [spoken(step, "doubt") for step in steps] == [[], []]
    assert referee.state.as_json()["table"][0][0] == "8d"
    feed(referee, *({"event": "pressed", "button": "undo", "at": 5.0} for _ in range(2)))
    assert referee.state.as_json()["table"] == [["8s", "9s"]]


def test_draw_due_by_a_forgiven_card_is_legal() -> None:
    """Forgive a beat whose sweep and draw were ruled faults: all three become valid."""
    referee = referee_of(turnup="9h", talon=8, heap_count=None, hands={"A": 6, "B": 6, "C": 6})
    feed(
        referee,
        placed("8s", "A"),
        placed("7s", "B", "8s"),
        {"event": "pressed", "button": "done"},
        {"event": "swept", "to": "heap"},
        {"event": "drawn", "by": "A", "count": 1},
    )
    assert [str(matter.fault.id) for matter in referee.state.matters] == [
        "does-not-beat",
        "unbeaten-cards",
        "draw-not-due",
    ]
    feed(referee, {"event": "pressed", "button": "forgive", "card": "7s", "at": 9.0})
    state = referee.state.as_json()
    assert (state["open"], state["talon"], state["due"]) == ([], 7, [["B", 1]])


def test_card_made_legal_by_a_forgiven_card_is_ruled_legal() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A"), placed("Kd", "A", at=1.0), placed("Kc", "A", at=2.0))
    step = feed(referee, {"event": "pressed", "button": "forgive", "card": "Kd", "at": 9.0})[-1]
    assert [(str(ruling.verdict), ruling.cards) for ruling in step.rulings] == [("legal", (Card.parse("Kc"),))]


def test_withheld_ruling_precedes_a_card_of_a_later_time() -> None:
    referee = Referee(Header.parse(DUREK))
    feed(referee, placed("6h", "A", at=1.0), placed("9s", "A", at=1.0))
    assert referee.holds_back_ruling
    step = feed(referee, placed("6d", "A", at=2.0))[-1]
    assert faults(step)[0] == "opening-shape"


@pytest.mark.parametrize("at", [0.0, 1e12, 10**12])
def test_time_within_the_limit_is_read(at: float) -> None:
    assert event_from_json({"at": at, "event": "tick"}).at == at


@pytest.mark.parametrize("at", [1e12 + 0.5, -1e12 - 0.5, 10**12 + 1, True, float("nan"), float("inf")])
def test_time_beyond_the_limit_is_refused(at: float) -> None:
    refused({"at": at, "event": "tick"}, '"at" to be a number')


def test_counts_out_of_bounds_are_refused() -> None:
    drawn = {"at": 1.0, "event": "drawn", "by": "A"}
    assert event_from_json(drawn) == event_from_json(drawn | {"count": 1})
    assert event_from_json(drawn | {"count": 10_000})
    for count in (0, 10_001, True, 1.0, "1"):
        refused(drawn | {"count": count}, '"count" to be a whole number from 1 to 10,000')


def test_alternatives_must_be_pairs() -> None:
    for pair in (["8s"], ["8s", 0.5, 1], "8s", 5):
        refused(placed("8c", "A", alternatives=[pair]), "a list of \\[card, confidence\\]")


@pytest.mark.parametrize("teams", [5, "AB", {"A": "B"}, ["A", "B", "C"], [["A"], "BC"]])
def test_teams_must_be_lists_of_lists(teams: object) -> None:
    with pytest.raises(RecordError, match="a list of lists of seats"):
        Header.parse(HEADER | {"start": START | {"teams": teams}})


def test_observation_finds_its_cards() -> None:
    lying = LyingCard(7, Card.parse("8s"), 0.9, (), Pose(0.0, 0.0))
    across = LyingCard(8, Card.parse("9s"), 0.9, (), Pose(0.0, 0.0), on=7)
    seen = Observation(1.0, (lying, across))
    assert (seen.lying(7), seen.lying(8), seen.lying(9)) == (lying, across, None)
    assert {card.on for card in seen.bout} - {None} == {7}


def test_question_names_the_seats_it_asks() -> None:
    """Check that permission is asked of the preceding seat or of all attackers, and a claim by its card."""
    referee = opened(start=START, options={"etiquette": "strict"})
    feed(referee, placed("8s", "A"), placed("9s", "B", "8s"))
    step = feed(referee, placed("9c", "C", at=3.0))[-1]
    assert [ruling.question for ruling in step.rulings] == [{"ask": "leave", "seat": "A"}]
    feed(referee, placed("Tc", "B", "9c", at=4.0))
    step = feed(referee, {"event": "swept", "to": "heap", "at": 5.0})[-1]
    assert [ruling.question for ruling in step.rulings] == [{"ask": "leave", "seats": ("A", "C")}]
    referee = opened()
    feed(referee, {"event": "dealt", "turnup": "9h"})
    step = feed(referee, {"event": "pressed", "button": "claim", "by": "A", "card": "9h", "at": 1.0})[-1]
    assert [(ruling.play, str(ruling.fault)) for ruling in step.rulings] == [("claim", "card-in-talon")]
    step = feed(referee, {"event": "pressed", "button": "claim", "by": "A", "card": "8s", "at": 1.0})[-1]
    assert [(ruling.play, ruling.question) for ruling in step.rulings] == [
        ("claim", {"ask": "card", "card": Card.parse("8s")})
    ]


def test_ruling_of_a_take_names_the_play() -> None:
    referee = referee_of()
    for seat in ("B", "C", None):
        step = feed(referee, {"event": "pressed", "button": "take", "by": seat})[-1]
        assert [(ruling.play, ruling.by) for ruling in step.rulings] == [("take", seat or "B")]
    step = feed(opened(), {"event": "pressed", "button": "take"})[-1]
    assert [(ruling.play, ruling.by) for ruling in step.rulings] == [("take", None)]


def test_rulings_of_passing_and_showing_name_the_play() -> None:
    referee = referee_of()
    for button in ("pass", "done"):
        step = feed(referee, {"event": "pressed", "button": button, "by": "A"})[-1]
        assert [(ruling.play, str(ruling.fault)) for ruling in step.rulings] == [(button, "pass-opening")]
    step = feed(referee, {"event": "shown", "card": "9h", "by": "C"})[-1]
    assert [(ruling.play, str(ruling.fault)) for ruling in step.rulings] == [("show", "card-in-talon")]


def test_card_laid_again_is_ruled_for_its_owner() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A"), placed("9s", "B", "8s"), placed("9c", "A"), {"event": "swept", "to": "heap"})
    steps = feed(referee, placed("9s", "B", "8s", at=5.0), placed("9c", "A", at=6.0))
    verdicts = [(str(ruling.verdict), ruling.play, ruling.by) for step in steps for ruling in step.rulings]
    assert verdicts == [("legal", "beat", "B"), ("legal", "throw-in", "A")]


def test_reread_without_effect_on_the_table_is_not_announced() -> None:
    referee = referee_of(turnup="9h", talon=8, heap_count=None)
    feed(referee, placed("8s", "A"), {"event": "swept", "to": "B"})
    step = feed(referee, {"event": "reread", "was": "8s", "card": "8c", "at": 5.0})[-1]
    assert (step.announcements, faults(step)) == ((), [])


def test_assignment_requires_a_card() -> None:
    refused({"at": 1.0, "event": "pressed", "button": "assign", "to": "A"}, "card")


def test_teams_must_contain_names() -> None:
    for name in (1, ["B"], {}, None):
        with pytest.raises(RecordError, match=r"each seat once|a list of lists of seats"):
            Header.parse(HEADER | {"start": START | {"teams": [["A"], [name], ["C"]]}})


def test_card_across_another_after_the_bout_is_a_beat() -> None:
    referee = referee_of(turnup="9h", talon=8, heap_count=None)
    feed(referee, placed("8s", "A"), {"event": "pressed", "button": "take"}, {"event": "swept", "to": "B"})
    step = feed(referee, placed("9c", "A", "8s", at=5.0))[-1]
    assert [(ruling.play, str(ruling.fault)) for ruling in step.rulings] == [("beat", "draw-pending")]


def test_last_card_of_a_take_is_certain() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A", at=0.0), placed("8c", "A", at=0.0), {"event": "pressed", "button": "take"})
    steps = feed(
        referee,
        {"event": "swept", "to": "B", "left": ["8c"], "at": 3.0},
        {"event": "lifted", "card": "8c", "by": "B", "at": 4.0},
    )
    assert (faults(steps[0]), spoken(steps[1], "doubt")) == (["take-incomplete"], [])
    assert referee.state.as_json()["hands"]["B"] == 8


def test_teams_are_listed_clockwise() -> None:
    start = {
        "trump": "h",
        "talon": 12,
        "hands": dict.fromkeys("ABCD", 6),
        "attacker": "A",
        "teams": [["D", "B"], ["C", "A"]],
    }
    header = {"kozyr": 1, "rules": "podkidnoy-teams-4", "seats": list("ABCD"), "dealer": "D", "start": start}
    assert Referee(Header.parse(header)).state.seating.teams == (("B", "D"), ("A", "C"))


def test_single_players_are_teams_only_if_all_are() -> None:
    assert opened(start=START | {"teams": [["A"], ["B"], ["C"]]}).state.seating.teams == ()
    with pytest.raises(RecordError, match="only where the rules are played in teams"):
        opened(start=START | {"teams": [["A"], ["B", "C"]]})


@pytest.mark.parametrize("highest", ["1", "67", 7, ["7"]])
def test_highest_rank_must_be_a_rank(highest: object) -> None:
    refused({"at": 1.0, "event": "pressed", "button": "claim", "by": "A", "card": None, "highest": highest}, "highest")


def test_hands_must_be_counts_by_seat() -> None:
    with pytest.raises(RecordError, match='"hands" of the start to count'):
        Header.parse(HEADER | {"start": START | {"hands": ["A", "B", "C"]}})


def test_sweep_of_stray_cards_is_certain() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A"), placed("7d", "B", "Ks"), {"event": "pressed", "button": "forgive"})
    steps = feed(
        referee, {"event": "lifted", "card": "8s", "by": "A", "at": 5.0}, {"event": "swept", "to": "heap", "at": 6.0}
    )
    assert spoken(steps[1], "doubt") == []


def test_transfer_by_showing_is_ruled() -> None:
    referee = opened(rules="hebrew-transfer", start=START)
    steps = feed(referee, placed("8s", "A"), {"event": "shown", "card": "8h", "by": "B"})
    verdicts = [(str(ruling.verdict), ruling.play, ruling.by) for ruling in steps[1].rulings]
    assert verdicts == [("legal", "transfer", "B")]


def test_start_with_a_seat_that_is_out_names_the_key() -> None:
    start = {"trump": "h", "talon": 0, "hands": {"A": 3, "B": 0, "C": 3}, "attacker": "A", "defender": "B"}
    with pytest.raises(RecordError, match='expected the "defender" to hold cards, got B'):
        Referee(Header.parse(HEADER | {"start": start}))
    with pytest.raises(RecordError, match='expected the "attacker" to hold cards, got B'):
        Referee(Header.parse(HEADER | {"start": start | {"attacker": "B", "defender": "C"}}))


@pytest.mark.parametrize("key", ["out", "fool", "winner"])
@pytest.mark.parametrize("names", [5, [1], [["A"]], {"A": 1}])
def test_seats_must_have_names(key: str, names: object) -> None:
    with pytest.raises(RecordError, match=f'"{key}" to be a seat or a list of seats'):
        Header.parse(HEADER | {"start": START | {key: names}})


def test_rule_set_must_have_a_name() -> None:
    with pytest.raises(RecordError, match='"rules" to be the name of a rule set'):
        Header.parse(HEADER | {"rules": 5})


def test_error_has_the_allowed_number_of_players() -> None:
    for rules, message in (("podkidnoy-24", "expected 2 seats for"), ("podkidnoy-52", "expected 5 to 6 seats for")):
        with pytest.raises(RulebookError, match=message):
            opened(rules=rules)


def test_withheld_ruling_is_not_given_at_a_silent_table() -> None:
    for tone, count in (("silent", 0), ("call", 1)):
        referee = Referee(Header.parse(DUREK | {"tone": tone}))
        feed(referee, placed("8s", "A", at=1.0), placed("9d", "A", at=1.0))
        assert referee.holds_back_ruling
        assert len(referee.end_play().rulings) == count


def test_assignment_requires_a_seat() -> None:
    press = {"event": "pressed", "button": "assign", "card": "8s", "to": "heap"}
    with pytest.raises(RecordError, match="one of the seats"):
        feed(referee_of(), placed("8s", "A"), press)


def test_start_without_teams_has_none() -> None:
    start = opened(start=START).header.start
    assert start is not None
    assert start.teams == ()


@pytest.mark.parametrize("button", [None, 5, ["take"], {}, "smash"])
def test_unknown_button_is_refused(button: object) -> None:
    refused({"at": 1.0, "event": "pressed", "button": button}, '"button" to be one of')

"""Counting of cues in clips whose truth is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import fields

from msgspec.structs import replace

from benchmarks.fit_actions import AS_REPORTED, NOT_COUNTED, ConfirmedChange, Counts, count, counted_actions, log_odds
from referee.cards import Card
from referee.events import Drawn, Placed, Reread, Swept, TableEvent
from vision.actions.action_model import ActionModel
from vision.actions.evidence import Alternative, Evidence
from vision.table.filter_model import FilterSettings

HOME = Alternative("home", {"heap": ({"to": "heap"}, -4.0)})
LAID = Alternative("laid", {"nothing": (None, -6.0)})
SEAT = Alternative("seat", {"another seat": ({"by": None}, -6.0)})
SWEPT = Swept(at=5.0, to="B")
PLACED = Placed(at=3.0, card=Card.parse("7s"), by="A")


def counted(*confirmed: ConfirmedChange, true: tuple[TableEvent, ...]) -> dict[str, dict[str, int]]:
    """Count the confirmed changes against the true events."""
    counts: Counts = defaultdict(Counter)
    count(confirmed, true, counts)
    return {cue: dict(found) for cue, found in counts.items()}


def confirmed(event: TableEvent, *doubts: Alternative, signs: tuple[str, ...] = ()) -> ConfirmedChange:
    """Return a confirmed change with these alternatives."""
    return ConfirmedChange(Evidence(event, doubts), signs)


def test_true_events_count_as_reported() -> None:
    reported = confirmed(replace(PLACED, at=3.4), SEAT, LAID)
    assert counted(reported, true=(PLACED,)) == {"seat": {AS_REPORTED: 1}, "laid": {AS_REPORTED: 1}}


def test_wrong_event_counts_for_its_true_alternative() -> None:
    assert counted(confirmed(SWEPT, HOME), true=(replace(SWEPT, to="heap"),)) == {"home": {"heap": 1}}
    assert counted(confirmed(PLACED, SEAT), true=(replace(PLACED, by="B"),)) == {"seat": {"another seat": 1}}


def test_event_without_a_true_alternative_is_not_counted() -> None:
    assert counted(confirmed(SWEPT, HOME), true=(replace(SWEPT, to="C"),)) == {}


def test_invented_event_counts_for_the_alternative_nothing() -> None:
    assert counted(confirmed(PLACED, LAID, SEAT), true=()) == {"laid": {"nothing": 1}}
    assert counted(confirmed(PLACED, LAID), true=(replace(PLACED, at=9.0),)) == {"laid": {"nothing": 1}}


def test_true_event_matches_only_one_reported_event() -> None:
    counts = counted(confirmed(PLACED, LAID), confirmed(PLACED, LAID), true=(PLACED,))
    assert counts == {"laid": {AS_REPORTED: 1, "nothing": 1}}


def test_sign_is_right_if_an_event_before_it_was_missed() -> None:
    reported = confirmed(SWEPT, signs=("odd",))
    assert counted(reported, true=(SWEPT,)) == {"odd": {AS_REPORTED: 1}}
    assert counted(reported, true=(PLACED, SWEPT)) == {"odd": {"missed": 1}}
    assert counted(confirmed(PLACED), reported, true=(PLACED, SWEPT)) == {"odd": {AS_REPORTED: 1}}


def test_draws_reported_one_by_one_match_one_true_event() -> None:
    drawn = Drawn(at=3.0, by="A", count=2)
    one = confirmed(replace(drawn, count=1), LAID)
    assert counted(one, one, true=(drawn,)) == {"laid": {AS_REPORTED: 2}}


def test_revised_readings_are_not_counted_as_changes() -> None:
    reread = Reread(at=3.5, was=Card.parse("7s"), card=Card.parse("7c"))
    assert counted(confirmed(reread, LAID), true=()) == {}


def test_sweep_with_cards_left_counts_as_begun_if_all_cards_went() -> None:
    doubt = Alternative("left", {"not yet": (None, -0.6)})
    begun = confirmed(replace(SWEPT, at=4.5, left=(Card.parse("7s"),)), doubt)
    assert counted(begun, confirmed(SWEPT, HOME), true=(SWEPT,)) == {"left": {"not yet": 1}, "home": {AS_REPORTED: 1}}
    partly = replace(SWEPT, left=(Card.parse("7s"),))
    assert counted(confirmed(partly, doubt), true=(partly,)) == {"left": {AS_REPORTED: 1}}


def test_misread_card_counts_as_laid() -> None:
    read = replace(PLACED, card=Card.parse("7c"), alternatives=((PLACED.card, 0.3),))
    assert counted(confirmed(read, LAID), true=(PLACED,)) == {"laid": {AS_REPORTED: 1}}


def test_counted_log_odds_are_printed_beside_those_of_the_model() -> None:
    counts: Counts = defaultdict(Counter, {"laid": Counter({AS_REPORTED: 16})})
    (line,) = counted_actions(counts, [confirmed(PLACED, LAID)])
    assert line.strip() == "laid: nothing -4.6 (model -6.0); as reported 16"


def test_sign_is_printed_as_the_probability_that_the_model_has_of_it() -> None:
    counts: Counts = defaultdict(Counter, {"odd": Counter({AS_REPORTED: 23, "missed": 1})})
    (line,) = counted_actions(counts, [])
    assert line.strip() == f"odd: missed {ActionModel().idle_hands}; as reported 23, missed 1"


def test_rare_actions_have_the_log_odds_of_their_counts() -> None:
    model = ActionModel()
    assert model.no_swap == round(log_odds(0, 2), 1)
    assert model.pushed == round(log_odds(0, 1, outcomes=2), 1)
    assert model.not_yet == round(log_odds(2, 0), 1)


def test_every_number_is_counted_or_has_a_reason() -> None:
    filter_counted = {"found_under_cards", "found_under_arms", "changed_if_there", "unchanged_if_gone"}
    names = {field.name for field in fields(FilterSettings)} - filter_counted - {"new_clear", "new_unclear"}
    signs = {"face_unreported", "idle_hands", "other_sign", "card_unread"}
    odds = {field.name for field in fields(ActionModel)} - signs
    excused = {name for names in NOT_COUNTED.values() for name in names}
    assert names <= excused
    assert {name for name in odds if name.endswith(("_mm", "_hidden")) or name == "in_order"} <= excused
    assert excused <= names | odds

"""Counting of cues in clips whose truth is known."""

from __future__ import annotations

from collections import Counter, defaultdict

from msgspec.structs import replace

from benchmarks.fit_likelihoods import PRIOR, ConfirmedChange, Counts, as_json, count, with_uncounted
from referee.cards import Card
from referee.events import Drawn, Placed, Reread, Swept, TableEvent
from vision.events.evidence import AS_REPORTED, Doubt, Evidence, Likelihoods, unseen

HOME = Doubt("home", {"heap": {"to": "heap"}})
LAID = Doubt("laid", {"nothing": None})
SEAT = Doubt("seat", {"another seat": {"by": None}})
SWEPT = Swept(at=5.0, to="B")
PLACED = Placed(at=3.0, card=Card.parse("7s"), by="A")


def counted(*confirmed: ConfirmedChange, true: tuple[TableEvent, ...]) -> dict[str, dict[str, int]]:
    """Count the confirmed changes against the true events."""
    counts: Counts = defaultdict(Counter)
    count(confirmed, true, counts)
    return {cue: dict(found) for cue, found in counts.items()}


def confirmed(event: TableEvent, *doubts: Doubt, signs: tuple[str, ...] = ()) -> ConfirmedChange:
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
    assert counted(reported, true=(SWEPT,)) == {unseen("odd"): {AS_REPORTED: 1}}
    assert counted(reported, true=(PLACED, SWEPT)) == {unseen("odd"): {"missed": 1}}
    assert counted(confirmed(PLACED), reported, true=(PLACED, SWEPT)) == {unseen("odd"): {AS_REPORTED: 1}}


def test_draws_reported_one_by_one_match_one_true_event() -> None:
    drawn = Drawn(at=3.0, by="A", count=2)
    one = confirmed(replace(drawn, count=1), LAID)
    assert counted(one, one, true=(drawn,)) == {"laid": {AS_REPORTED: 2}}


def test_revised_readings_are_not_counted_as_changes() -> None:
    reread = Reread(at=3.5, was=Card.parse("7s"), card=Card.parse("7c"))
    assert counted(confirmed(reread, LAID), true=()) == {}


def test_counts_survive_a_round_trip() -> None:
    data = as_json({"laid": Counter({AS_REPORTED: 3, "nothing": 1})}, ["b", "a"])
    assert data["made"]["clips"] == ["a", "b"]
    share = Likelihoods.parse(data).of("laid", ("nothing",)).instead["nothing"]
    assert share == (1 + PRIOR["instead"]) / (4 + PRIOR["instead"] + PRIOR["as_reported"])


def test_sweep_with_cards_left_counts_as_begun_if_all_cards_went() -> None:
    doubt = Doubt("left", {"not yet": None})
    begun = confirmed(replace(SWEPT, at=4.5, left=(Card.parse("7s"),)), doubt)
    assert counted(begun, confirmed(SWEPT, HOME), true=(SWEPT,)) == {"left": {"not yet": 1}, "home": {AS_REPORTED: 1}}
    partly = replace(SWEPT, left=(Card.parse("7s"),))
    assert counted(confirmed(partly, doubt), true=(partly,)) == {"left": {AS_REPORTED: 1}}


def test_misread_card_counts_as_laid() -> None:
    read = replace(PLACED, card=Card.parse("7c"), alternatives=((PLACED.card, 0.3),))
    assert counted(confirmed(read, LAID), true=(PLACED,)) == {"laid": {AS_REPORTED: 1}}


def test_adding_new_cues_keeps_existing_counts() -> None:
    before = as_json({"laid": Counter({AS_REPORTED: 3})}, ["a"])
    found = as_json({"laid": Counter({"nothing": 9}), "left": Counter({"not yet": 2})}, ["b"])
    data = with_uncounted(before, found)
    assert data["counts"] == {"laid": {AS_REPORTED: 3}, "left": {"not yet": 2}}
    assert data["made"]["clips"] == ["a"]
    assert [(each["clips"], each["cues"]) for each in data["made"]["added"]] == [(["b"], ["left"])]

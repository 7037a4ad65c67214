"""What is counted of a clip whose truth is known."""

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


def counted(*settled: ConfirmedChange, true: tuple[TableEvent, ...]) -> dict[str, dict[str, int]]:
    """Count these reported lines against those true lines."""
    counts: Counts = defaultdict(Counter)
    count(settled, true, counts)
    return {cue: dict(found) for cue, found in counts.items()}


def settled(event: TableEvent, *doubts: Doubt, signs: tuple[str, ...] = ()) -> ConfirmedChange:
    """Return a reported change."""
    return ConfirmedChange(Evidence(event, doubts), signs)


def test_true_events_count_as_reported() -> None:
    reported = settled(replace(PLACED, at=3.4), SEAT, LAID)
    assert counted(reported, true=(PLACED,)) == {"seat": {AS_REPORTED: 1}, "laid": {AS_REPORTED: 1}}


def test_wrong_events_count_as_the_alternative_that_was_true() -> None:
    assert counted(settled(SWEPT, HOME), true=(replace(SWEPT, to="heap"),)) == {"home": {"heap": 1}}
    assert counted(settled(PLACED, SEAT), true=(replace(PLACED, by="B"),)) == {"seat": {"another seat": 1}}


def test_what_was_neither_is_not_counted() -> None:
    assert counted(settled(SWEPT, HOME), true=(replace(SWEPT, to="C"),)) == {}


def test_invented_events_count_where_an_alternative_is_nothing() -> None:
    assert counted(settled(PLACED, LAID, SEAT), true=()) == {"laid": {"nothing": 1}}
    assert counted(settled(PLACED, LAID), true=(replace(PLACED, at=9.0),)) == {"laid": {"nothing": 1}}


def test_a_true_event_matches_one_reported_event_only() -> None:
    counts = counted(settled(PLACED, LAID), settled(PLACED, LAID), true=(PLACED,))
    assert counts == {"laid": {AS_REPORTED: 1, "nothing": 1}}


def test_a_sign_is_right_if_an_event_went_unreported_before_it() -> None:
    reported = settled(SWEPT, signs=("odd",))
    assert counted(reported, true=(SWEPT,)) == {unseen("odd"): {AS_REPORTED: 1}}
    assert counted(reported, true=(PLACED, SWEPT)) == {unseen("odd"): {"missed": 1}}
    assert counted(settled(PLACED), reported, true=(PLACED, SWEPT)) == {unseen("odd"): {AS_REPORTED: 1}}


def test_a_seats_draws_reported_one_by_one_are_those_of_one_true_event() -> None:
    drawn = Drawn(at=3.0, by="A", count=2)
    one = settled(replace(drawn, count=1), LAID)
    assert counted(one, one, true=(drawn,)) == {"laid": {AS_REPORTED: 2}}


def test_second_thoughts_of_a_reader_are_no_changes() -> None:
    reread = Reread(at=3.5, was=Card.parse("7s"), card=Card.parse("7c"))
    assert counted(settled(reread, LAID), true=()) == {}


def test_what_is_written_is_read_again() -> None:
    data = as_json({"laid": Counter({AS_REPORTED: 3, "nothing": 1})}, ["b", "a"])
    assert data["made"]["clips"] == ["a", "b"]
    share = Likelihoods.parse(data).of("laid", ("nothing",)).instead["nothing"]
    assert share == (1 + PRIOR["instead"]) / (4 + PRIOR["instead"] + PRIOR["as_reported"])


def test_a_sweep_with_cards_left_is_counted_as_begun_where_all_of_them_went() -> None:
    doubt = Doubt("left", {"not yet": None})
    begun = settled(replace(SWEPT, at=4.5, left=(Card.parse("7s"),)), doubt)
    assert counted(begun, settled(SWEPT, HOME), true=(SWEPT,)) == {"left": {"not yet": 1}, "home": {AS_REPORTED: 1}}
    partly = replace(SWEPT, left=(Card.parse("7s"),))
    assert counted(settled(partly, doubt), true=(partly,)) == {"left": {AS_REPORTED: 1}}


def test_a_card_read_as_another_was_laid_all_the_same() -> None:
    read = replace(PLACED, card=Card.parse("7c"), alternatives=((PLACED.card, 0.3),))
    assert counted(settled(read, LAID), true=(PLACED,)) == {"laid": {AS_REPORTED: 1}}


def test_what_is_counted_stays_where_only_new_cues_are_added() -> None:
    before = as_json({"laid": Counter({AS_REPORTED: 3})}, ["a"])
    found = as_json({"laid": Counter({"nothing": 9}), "left": Counter({"not yet": 2})}, ["b"])
    data = with_uncounted(before, found)
    assert data["counts"] == {"laid": {AS_REPORTED: 3}, "left": {"not yet": 2}}
    assert data["made"]["clips"] == ["a"]
    assert [(each["clips"], each["cues"]) for each in data["made"]["added"]] == [(["b"], ["left"])]

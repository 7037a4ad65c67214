"""Nobody is accused at first sight: what is held back, how long, and what is told in the end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.cards import Card
from referee.events import Blocked, Drawn, Lifted, Placed, Reread, Swept, TableEvent
from referee.foresight import Foresight
from referee.record import Header
from referee.referee import Referee
from tests.vision.events.witnessing import (
    START,
    Forewarned,
    Takers,
    accusing,
    heard,
    placed,
    same,
    witnessed,
)
from vision.events.witness import Witness
from vision.observation import HandVisit


def test_what_is_fine_is_told_at_once() -> None:
    witness = Witness(Forewarned("Td"))
    assert witness.hear([placed("8s")], same, (), 1.2, 5) == (placed("8s"),)
    assert not witness.wants_look


def test_nobody_is_accused_of_taking_cards_before_a_heap_was_seen_to_grow() -> None:
    witness = Witness(Takers())
    assert heard(witness, Swept(at=5.0, to="A")) == [Blocked, Swept]
    seen = Witness(Takers())
    assert heard(seen, Swept(at=5.0, to="heap")) == [Swept]
    assert heard(seen, Swept(at=9.0, to="A")) == [Swept]


@pytest.mark.parametrize(("confidence", "told"), [(0.6, [Blocked, Placed]), (0.9, [Placed]), (None, [Placed])])
def test_after_cards_that_may_have_gone_elsewhere_nobody_is_accused(
    confidence: float | None, told: list[type[TableEvent]]
) -> None:
    witness = Witness(Forewarned("Td"))
    assert heard(witness, Swept(at=5.0, to="A", confidence=confidence)) == [Swept]
    assert heard(witness, placed("Td", 6.0)) == told


def test_who_lost_the_thread_accuses_nobody_until_a_whole_bout_was_understood() -> None:
    witness = Witness(Takers("Td"))
    assert heard(witness, Swept(at=5.0, to="A")) == [Blocked, Swept]
    assert heard(witness, placed("Td", 6.0)) == [Blocked, Placed]
    assert heard(witness, Swept(at=9.0, to="heap")) == [Swept]
    assert heard(witness, placed("Td", 10.0)) == [Blocked, Placed]
    assert heard(witness, Swept(at=13.0, to="heap")) == [Swept]
    assert heard(witness, placed("9s", 14.0)) == [Placed]
    assert heard(witness, Swept(at=17.0, to="heap")) == [Swept]
    assert heard(witness, placed("Td", 18.0)) == [Placed]


def test_who_has_misread_a_card_of_this_deck_accuses_nobody_for_twelve_cards() -> None:
    witness = Witness(Forewarned("Td"))
    witness.hear([placed("8s", 1.0)], same, (), 1.0, 3)
    witness.hear([Reread(at=1.5, was=Card.parse("8s"), card=Card.parse("8c"))], same, (), 1.5, 4)
    assert heard(witness, placed("Td", 2.0)) == [Blocked, Placed]
    for second in range(13):
        witness.hear([placed("9s", 3.0 + second, confidence=0.99)], same, (), 3.0 + second, 10 + second)
    witness.hear([Swept(at=17.0, to="heap")], same, (), 17.0, 24)
    witness.hear([Swept(at=18.0, to="heap")], same, (), 18.0, 25)
    assert heard(witness, placed("Td", 20.0)) == [Placed]


def test_what_would_accuse_is_told_with_doubt_where_that_is_enough() -> None:
    referee = Referee(
        Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B", "start": START})
    )
    witness = Witness(referee.foresee)
    drawn = Drawn(at=1.0, by="A", count=1)
    told = witness.hear([drawn], same, (), 1.2, 5) or witness.hear([], same, (), 2.5, 9)
    assert told == (replace(drawn, confidence=witness.settings.doubtful),)
    assert [ruling.verdict.value for event in told for ruling in referee.feed(event).rulings] == ["unclear"]
    assert referee.feed(replace(drawn, at=3.0)).rulings[0].verdict.value == "illegal", "the doubt is not about the next"


@pytest.mark.parametrize(("confidence", "told"), [(0.97, [Placed]), (0.7, [Blocked, Placed])])
def test_a_deck_read_hesitantly_card_after_card_accuses_nobody(confidence: float, told: list[type]) -> None:
    witness = Witness(Forewarned("Td"))
    for second in range(4):
        witness.hear([placed("9s", second, confidence=confidence)], same, (), float(second), second)
    assert heard(witness, placed("Td", 9.0, confidence=confidence)) == told


def test_what_turns_out_not_to_have_been_is_never_told() -> None:
    witness = Witness(Forewarned("Td"))
    assert witness.hear([placed("Td")], same, (), 1.2, 5) == ()
    assert witness.hear([], lambda event: None, (), 1.4, 7) == ()
    assert witness.hear([], same, (), 1.6, 9) == ()
    assert not witness.wants_look


def test_whoever_asks_nobody_tells_at_once() -> None:
    assert Witness(None).hear([placed("8s")], same, (), 1.2, 5) == (placed("8s"),)


def test_an_accusation_waits_for_further_looks_and_a_clear_one_is_told() -> None:
    witness = Witness(Forewarned("Td"))
    assert witness.hear([placed("Td")], same, (), 1.2, 5) == ()
    assert witness.wants_look
    assert witness.hear([], same, (), 1.4, 7) == ()
    assert witness.hear([], same, (), 1.6, 8) == (placed("Td"),)
    assert not witness.wants_look


def test_nothing_is_held_back_for_long_where_no_look_can_be_taken() -> None:
    witness = Witness(Forewarned("Td"))
    assert witness.hear([placed("Td")], same, (), 1.2, 5) == ()
    assert witness.hear([], same, (), 2.5, 5) == (placed("Td"),)


def test_a_card_reread_while_it_is_held_back_is_told_by_its_new_name_and_accuses_nobody() -> None:
    witness = Witness(Forewarned("Td"))
    assert witness.hear([placed("Td"), placed("As", on="Td")], same, (), 1.2, 5) == ()
    reread = Reread(at=1.4, was=Card.parse("Td"), card=Card.parse("Jd"), confidence=0.95)
    told = witness.hear([reread], same, (), 1.4, 6)
    assert told == (placed("Jd", confidence=0.95), placed("As", on="Jd"))


def test_a_card_held_back_is_told_as_it_is_read_by_then() -> None:
    witness = Witness(Forewarned("Td"))
    witness.hear([placed("Td", confidence=0.99)], same, (), 1.2, 5)
    (event,) = witness.hear([], lambda event: placed("Td", confidence=0.95), (), 1.6, 9)
    assert event.confidence == 0.95


@pytest.mark.parametrize(("confidence", "told"), [(0.81, [Blocked, Placed]), (0.95, [Placed])])
def test_nobody_is_accused_of_a_card_that_is_read_with_some_doubt(confidence: float, told: list[type]) -> None:
    assert heard(Witness(Forewarned("Kh")), placed("Kh", 1.0, confidence)) == told


@pytest.mark.parametrize(("said", "clouded"), [({}, True), ({"open": 1}, False)])
def test_where_not_all_was_understood_that_is_told_first(said: dict[str, object], clouded: bool) -> None:
    witness = Witness(Forewarned("Td", "Jd", **said))
    witness.hear([placed("Td")], same, (), 1.2, 5, clouded)
    blocked, event = witness.hear([], same, (), 1.6, 9, clouded)
    assert isinstance(blocked, Blocked)
    assert event == placed("Td")
    witness.hear([placed("Jd", 2.0)], same, (), 2.2, 15, clouded)
    blocked, event = witness.hear([], same, (), 2.6, 19, clouded)
    assert (type(blocked), event) == (Blocked, placed("Jd", 2.0)), "said again, since that helps"
    witness.hear([Swept(at=3.0, to="heap"), placed("Td", 4.0)], same, (), 4.2, 25, clouded)
    swept, blocked, _ = witness.hear([], same, (), 4.6, 29, clouded)
    assert (type(swept), type(blocked)) == (Swept, Blocked)


def test_what_can_not_be_however_little_was_understood_is_told_all_the_same() -> None:
    witness = Witness(lambda events: Foresight(accuses=any(isinstance(event, Placed) for event in events)))
    witness.hear([placed("3d")], same, (), 1.2, 5, clouded=True)
    assert [type(event) for event in witness.hear([], same, (), 1.6, 9, clouded=True)] == [Blocked, Placed]
    witness.hear([placed("4d", 2.0)], same, (), 2.2, 15, clouded=True)
    assert witness.hear([], same, (), 2.6, 19, clouded=True) == (placed("4d", 2.0),), "once is enough"


def test_word_is_given_again_where_a_second_thing_told_at_once_would_accuse() -> None:
    swept, after = Swept(at=2.0, to="B"), placed("8c", 2.6)
    witness = Witness(accusing(swept, after))
    witness.hear([swept, after], same, (), 2.8, 5, clouded=True)
    told = witness.hear([], same, (), 3.2, 9, clouded=True)
    assert [type(event) for event in told] == [Blocked, Swept, Blocked, Placed]
    assert (told[1], told[3]) == (swept, after)


@pytest.mark.parametrize(("confidence", "told"), [(0.9, [Blocked]), (0.99, [Blocked, Reread])])
def test_a_card_reread_accuses_nobody_unless_it_is_sure(confidence: float, told: list[type]) -> None:
    reread = Reread(at=2.0, was=Card.parse("Tc"), card=Card.parse("Kc"), confidence=confidence)
    # What was told before the word is rewritten, so the word doesn't help.
    witness = Witness(lambda events: Foresight(accuses=any(isinstance(event, Reread) for event in events)))
    witness.hear([reread], same, (), 2.2, 5, clouded=True)
    assert [type(event) for event in witness.hear([], same, (), 2.6, 9, clouded=True)] == told


def test_mending_a_fault_clouds_nothing() -> None:
    witness = Witness(Forewarned("Td", open=1))
    lifted = Lifted(at=1.0, card=Card.parse("8s"), by="A")
    witness.hear([lifted, placed("Td")], same, (), 1.2, 5)
    assert witness.hear([], same, (), 1.6, 9) == (lifted, placed("Td"))


@pytest.mark.parametrize(("confidence", "told"), [(0.65, [Blocked, Swept]), (0.9, [Swept])])
def test_a_bout_with_a_card_told_with_doubt_accuses_nobody_who_sweeps_it(
    confidence: float, told: list[type[TableEvent]]
) -> None:
    witness = Witness(Takers())
    assert heard(witness, Swept(at=3.0, to="heap")) == [Swept]
    assert heard(witness, placed("9c", 4.0, confidence)) == [Placed]
    assert heard(witness, Swept(at=9.0, to="A")) == told


@pytest.mark.parametrize(("confidence", "told"), [(0.6, [Blocked, Swept]), (0.9, [Swept]), (None, [Swept])])
def test_nobody_is_accused_of_taking_cards_that_may_have_gone_to_the_heap(
    confidence: float | None, told: list[type[TableEvent]]
) -> None:
    witness = Witness(Takers())
    assert heard(witness, Swept(at=3.0, to="heap")) == [Swept]
    assert heard(witness, Swept(at=9.0, to="A", confidence=confidence)) == told


@pytest.mark.parametrize(("hollow", "told"), [(2, [Placed]), (3, [Blocked, Placed])])
def test_where_hands_come_and_go_and_nothing_is_told_of_them_nobody_is_accused(
    hollow: int, told: list[type[TableEvent]]
) -> None:
    visits = tuple(HandVisit(k + 1, "A", 1.0, 3.0 * k, 3.0 * k + 1) for k in range(5))
    witness = Witness(Forewarned("Td"))
    for k, visit in enumerate(visits):
        acts = [] if k < hollow else [placed("8s", visit.came_at + 0.5)]
        witness.hear(acts, same, (visit,), visit.came_at + 0.5, 5)
        witness.hear([], same, visits[: k + 1], visit.came_at + 2.5, 5)
    assert heard(witness, placed("Td", 20.0)) == told


def test_who_throws_in_across_a_beaten_pair_has_laid_beside_it() -> None:
    start = {**START, "hands": {"A": 6, "B": 6, "C": 6}, "talon": 0, "turnup": None}
    referee = Referee(
        Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B", "C"], "dealer": "C", "start": start})
    )
    witness = Witness(referee.foresee)
    thrown = Placed(at=3.0, card=Card.parse("8c"), by="C", on=Card.parse("7s"))
    told: list[TableEvent] = []
    for event in (placed("7s", 1.0), Placed(at=2.0, card=Card.parse("8s"), by="B", on=Card.parse("7s")), thrown):
        for now in witness.hear([event], same, (), event.at + 0.2, 5):
            referee.feed(now)
            told.append(now)
    assert told[2:] == [replace(thrown, on=None)]
    # Across an attack that nobody has beaten, or whose answer was taken back, it is what it looks like.
    lifted = Lifted(at=4.0, card=Card.parse("8s"), by="B")
    for now in witness.hear([lifted], same, (), 4.2, 7):
        referee.feed(now)
    for at, on in ((5.0, "8c"), (7.0, "7s")):
        beat = Placed(at=at, card=Card.parse("9c" if on == "8c" else "8d"), by="A", on=Card.parse(on))
        witness.hear([beat], same, (), at + 0.2, 9)
        assert witness.hear([], same, (), at + 1.5, 19) == (beat,)


@pytest.mark.parametrize(("clouded", "confidence"), [(True, 0.6), (False, None)])
def test_a_bout_in_which_something_was_not_understood_accuses_nobody_who_sweeps_it(
    clouded: bool, confidence: float | None
) -> None:
    referee = Referee(
        Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B", "start": START})
    )
    witness = Witness(referee.foresee)
    for now in witness.hear([placed("7s", 1.0)], same, (), 1.2, 5, clouded):
        referee.feed(now)
    swept = Swept(at=4.0, to="heap")
    witness.hear([swept], same, (), 4.2, 9)
    assert witness.hear([], same, (), 5.0, 19) == (replace(swept, confidence=confidence),)


def test_a_card_that_grazes_the_open_attack_it_beats_lies_on_it() -> None:
    laid = Placed(at=2.0, card=Card.parse("Ts"), by="B")
    on = replace(laid, on=Card.parse("7s"))
    assert witnessed(placed("7s", 1.0), laid, other_place=lambda event: on if event == laid else None)[1:] == [on]
    # What doesn't beat it is called as it lies.
    laid = Placed(at=2.0, card=Card.parse("Td"), by="B")
    on = replace(laid, on=Card.parse("7s"))
    assert witnessed(placed("7s", 1.0), laid, other_place=lambda event: on if event == laid else None)[1:] == [laid]


def test_a_card_that_hardly_lies_across_another_player_s_attack_was_thrown_in_beside_it() -> None:
    laid = Placed(at=2.0, card=Card.parse("7d"), by="C", on=Card.parse("7s"))
    beside = replace(laid, on=None)
    assert witnessed(placed("7s", 1.0), laid, other_place=lambda event: beside)[1:] == [beside]
    assert witnessed(placed("7s", 1.0), laid, other_place=lambda _: None)[1:] == [laid]


@pytest.mark.parametrize(("confidence", "told"), [(0.81, [Blocked, Placed]), (0.95, [Placed])])
def test_on_a_card_that_was_told_with_some_doubt_nobody_lays_a_wrong_one(
    confidence: float, told: list[type[TableEvent]]
) -> None:
    witness = Witness(Forewarned("Kh"))
    assert heard(witness, placed("Ah", 1.0, confidence)) == [Placed]
    assert heard(witness, replace(placed("Kh", 3.0), on=Card.parse("Ah"))) == told
    witness = Witness(Forewarned("Kh"))
    assert heard(witness, placed("Ah", 1.0, confidence)) == [Placed]
    assert heard(witness, placed("Kh", 3.0)) == told, "nor lays a wrong one beside it"


@pytest.mark.parametrize(("laid_again", "told"), [(False, [Blocked, Swept]), (True, [Swept])])
def test_a_card_taken_up_before_the_bout_was_swept_may_have_been_the_first_gathered(
    laid_again: bool, told: list[type[TableEvent]]
) -> None:
    witness = Witness(Takers())
    heard(witness, Swept(at=1.0, to="heap"))
    heard(witness, placed("8d", 2.0))
    heard(witness, Lifted(at=3.0, card=Card.parse("8d"), by="A"))
    if laid_again:
        heard(witness, placed("8d", 4.0))
    assert heard(witness, Swept(at=6.0, to="A")) == told


@pytest.mark.parametrize(("confidence", "doubted"), [(0.92, True), (0.96, False)])
def test_a_card_that_was_told_with_some_doubt_in_an_earlier_bout_may_have_been_another(
    confidence: float, doubted: bool
) -> None:
    again = placed("Qc", 9.0)
    witness = Witness(lambda events: Foresight(accuses=again in events))
    assert witness.hear([placed("Qc", 1.0, confidence)], same, (), 1.1, 4)
    assert heard(witness, Swept(at=3.0, to="heap")) == [Swept]
    assert witness.hear([again], same, (), 9.1, 5) == ()
    (told,) = witness.hear([], same, (), 11.0, 9)
    assert told == (replace(again, confidence=witness.settings.doubtful) if doubted else again)


def test_a_card_told_anew_by_another_name_says_nothing_of_its_first() -> None:
    again = placed("Qc", 9.0)
    witness = Witness(lambda events: Foresight(accuses=again in events))
    assert witness.hear([placed("Qc", 1.0, 0.88)], same, (), 1.1, 4)
    reread = Reread(at=2.0, was=Card.parse("Qc"), card=Card.parse("Jc"), confidence=0.97)
    assert witness.hear([reread], same, (), 2.1, 5) == (reread,)
    assert heard(witness, Swept(at=3.0, to="heap")) == [Swept]
    for number in range(witness.settings.remembered):  # until a misread card of this deck is long ago
        assert heard(witness, placed(f"{'6789TA'[number % 6]}{'sd'[number // 6]}", 4.0)) == [Placed]
    assert witness.hear([again], same, (), 9.1, 5) == ()
    assert witness.hear([], same, (), 11.0, 9) == (again,)


@pytest.mark.parametrize(("apart_s", "is_turned"), [(0.2, True), (0.9, False)])
def test_of_two_cards_made_out_at_about_the_same_time_either_may_have_been_laid_first(
    apart_s: float, is_turned: bool
) -> None:
    thrown, beat = placed("9s", 5.0), replace(placed("As", 5.0 + apart_s, on="9h"), by="B")

    def too_early(events: tuple[TableEvent, ...]) -> Foresight:
        cards = [event.card for event in events if isinstance(event, Placed)]
        return Foresight(accuses=cards[:1] == [thrown.card])

    witness = Witness(too_early)
    told = witness.hear([thrown, beat], same, (), 6.0, 5) or witness.hear([], same, (), 8.0, 9)
    assert told == ((replace(beat, at=5.0), thrown) if is_turned else (thrown, beat))
    under = replace(beat, on=thrown.card)
    witness = Witness(too_early)
    told = witness.hear([thrown, under], same, (), 6.0, 5) or witness.hear([], same, (), 8.0, 9)
    assert told == (thrown, under), "what lies on a card was not laid before it"


@pytest.mark.parametrize(("apart_s", "doubted"), [(0.5, True), (4.0, False)])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_card_taken_up_and_at_once_laid_again_was_put_straight(apart_s: float, doubted: bool, at_once: bool) -> None:
    again = placed("Jh", 3.0 + apart_s)
    lifted = Lifted(at=3.0, card=Card.parse("Jh"), by="B")
    witness = Witness(lambda events: Foresight(accuses=again in events))
    assert witness.hear([placed("Jh", 1.0)], same, (), 1.1, 4)
    events = [lifted, again] if at_once else [again]
    if not at_once:
        assert witness.hear([lifted], same, (), 3.1, 5) == (lifted,)
    assert witness.hear(events, same, (), 7.1, 6) == ()
    told = witness.hear([], same, (), 9.0, 10)
    assert told[-1] == (replace(again, confidence=witness.settings.doubtful) if doubted else again)


@pytest.mark.parametrize(
    ("apart_s", "left_at", "is_one"), [(0.4, None, True), (0.4, 3.0, True), (0.4, 1.2, False), (1.5, None, False)]
)
def test_two_cards_that_one_hand_lays_without_leaving_are_one_play(
    apart_s: float, left_at: float | None, is_one: bool
) -> None:
    first, second = placed("7s", 1.0), placed("Ts", 1.0 + apart_s)

    def too_early(events: tuple[TableEvent, ...]) -> Foresight:
        return Foresight(accuses=any(event.at > 1.0 for event in events))

    hand = HandVisit(number=1, seat="A", share=0.9, came_at=0.5, left_at=left_at)
    witness = Witness(too_early)
    assert witness.hear([first], same, (hand,), 1.2, 1) == (first,)
    told = [*witness.hear([second], same, (hand,), 1.9, 2), *witness.hear([], same, (hand,), 3.0, 8)]
    assert told == [replace(second, at=1.0) if is_one else second]


@pytest.mark.parametrize(("share", "told"), [(0.03, [Blocked, Placed]), (0.01, [Placed])])
def test_nobody_is_accused_of_a_card_that_another_likely_name_would_put_right(share: float, told: list[type]) -> None:
    card = replace(placed("Qc", 1.0, 0.957), alternatives=((Card.parse("Qs"), share),))
    assert heard(Witness(Forewarned("Qc")), card) == told

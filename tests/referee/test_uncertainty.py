"""What a person's record leaves open: other names of a card, unknown seats, a hidden table."""

from __future__ import annotations

import random
from cProfile import Profile
from typing import Any

import pytest

from referee.belief.update import LIMITS
from referee.cards import Card, pack
from referee.events import Placed, Swept
from referee.record import Header, event_from_json
from tests.referee.certain_referee import Referee
from tests.referee.refereed import faults, feed, placed, referee_of

SEATS = ["A", "B", "C", "D", "E", "F"]

MOST_CALLS = 200_000
"""Most function calls in which a line may be judged, some 0.1 s; the dearest of these records costs 116,419."""


def table_of(seats: int, **more: Any) -> Referee:
    names = SEATS[:seats]
    start = {"trump": "h", "turnup": None, "talon": 0, "hands": dict.fromkeys(names, 6), "attacker": "A"}
    return Referee(
        Header.parse(
            {"kozyr": 1, "rules": "perevodnoy", "seats": names, "dealer": names[-1], "start": start}
            | {"options": {"pack": 52, "throw_order": "free"}}
            | more
        )
    )


def doubtful_events(rng: random.Random, count: int) -> list[dict[str, Any]]:
    """Return cards of unknown hands, each with four alternatives, and what people do meanwhile."""
    cards = list(pack(52))
    rng.shuffle(cards)
    events: list[dict[str, Any]] = []
    for number in range(count):
        kind = rng.random()
        card, *others = (str(card) for card in rng.sample(cards, 5))
        if kind < 0.75:
            event = {
                "event": "placed",
                "card": card,
                "confidence": 0.4,
                "alternatives": [[other, 0.15] for other in others],
            }
            if rng.random() < 0.4 and events:
                event["on"] = str(rng.choice([event["card"] for event in events if "card" in event] or [card]))
        elif kind < 0.85:
            event = {"event": "swept", "to": rng.choice(["heap", *SEATS])}
        elif kind < 0.95:
            event = {"event": "lifted", "card": card}
        else:
            event = {"event": "drawn", "count": 1}
        events.append({"at": float(number), **event})
    return events


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_numbers_of_hypotheses_and_calls_are_limited(seed: int) -> None:
    referee, worst, calls = table_of(6), 0, list[int]()
    for data in doubtful_events(random.Random(seed), 25):
        profile = Profile()
        profile.runcall(referee.apply, event_from_json(data))
        calls.append(sum(entry.callcount for entry in profile.getstats()))
        worst = max(worst, referee.readings)
    assert max(calls) < MOST_CALLS
    # The bound holds, and many are followed: else this test would measure nothing.
    assert LIMITS.most // 4 < worst <= LIMITS.most


def test_certain_events_give_one_hypothesis() -> None:
    referee = table_of(2)
    for n, (card, by, on) in enumerate([("7s", "A", None), ("8s", "B", "7s"), ("8d", "A", None)]):
        data = {"at": float(n), "event": "placed", "card": card, "by": by, "on": on}
        referee.apply(event_from_json({key: value for key, value in data.items() if value is not None}))
        assert referee.readings == 1


def test_name_that_breaks_no_rule_is_believed_without_a_question() -> None:
    referee = referee_of()
    lead, beat = placed("8s", "A"), placed("6s", "B", "8s", confidence=0.55, alternatives=[["9s", 0.4]], at=2.0)
    (ruling,) = feed(referee, lead, beat)[-1].rulings
    assert (str(ruling.verdict), ruling.cards, ruling.question) == ("legal", (Card.parse("9s"),), None)
    feed(referee, {"event": "pressed", "button": "undo", "at": 3.0})
    (ruling,) = feed(referee, {**beat, "at": 4.0, "alternatives": [["6c", 0.44]]})[-1].rulings
    assert (str(ruling.verdict), str(ruling.fault)) in (("illegal", "does-not-beat"), ("unclear", "does-not-beat"))


def test_fault_of_an_unknown_seat_accuses_nobody_by_name() -> None:
    (ruling,) = feed(referee_of(), {"event": "drawn", "count": 1, "at": 1.0})[-1].rulings
    assert (str(ruling.verdict), str(ruling.fault), ruling.by) == ("illegal", "draw-not-due", None)


def test_hypotheses_with_the_same_position_are_merged() -> None:
    """Draw after a throw-in of an unknown seat: the draws show who laid it."""
    referee = referee_of(turnup="9h", talon=9, heap_count=None)
    feed(
        referee,
        placed("8s", "A"),
        placed("Ts", "B", "8s"),
        placed("Tc"),
        placed("Jc", "B", "Tc"),
        {"event": "pressed", "button": "done"},
        {"event": "swept", "to": "heap"},
    )
    assert referee.readings > 1
    feed(referee, {"event": "drawn", "by": "A", "count": 1}, {"event": "drawn", "by": "C", "count": 1})
    before = referee.state.as_json()
    assert before["due"] == [["B", 2]]
    # Correct the first card: only the rulings that name it are given again.
    step = feed(referee, {"event": "reread", "was": "8s", "card": "9s", "at": 9.0})[-1]
    assert step.announcements == ()
    assert [(ruling.play, ruling.cards) for ruling in step.rulings] == [
        ("lead", (Card.parse("9s"),)),
        ("beat", (Card.parse("Ts"),)),
    ]
    assert referee.state.as_json() == before
    step = feed(referee, {"event": "reread", "was": "Jc", "card": "Qc", "at": 10.0})[-1]
    assert (step.announcements, [ruling.play for ruling in step.rulings]) == ((), ["beat"])


def test_undo_restores_the_uncertainty() -> None:
    referee = table_of(3)
    doubtful = {
        "at": 1.0,
        "event": "placed",
        "card": "8s",
        "by": "A",
        "confidence": 0.8,
        "alternatives": [["8c", 0.15]],
    }
    referee.apply(event_from_json(doubtful))
    before = referee.readings
    assert before > 1
    referee.apply(event_from_json({"at": 2.0, "event": "reread", "was": "8s", "card": "8s"}))
    assert referee.readings == 1
    referee.apply(event_from_json({"at": 3.0, "event": "pressed", "button": "undo"}))
    assert referee.readings == before


def test_fault_is_not_called_if_the_table_was_hidden_before_it() -> None:
    for is_hidden in (True, False):
        referee = referee_of()
        feed(referee, placed("8s", "A"), *([{"event": "blocked", "at": 2.0}] if is_hidden else []))
        steps = feed(referee, placed("Kd", "A", at=4.0), placed("Ad", "B", "Kd", at=5.0), placed("Ac", "A", at=6.0))
        called = [fault for step in steps for fault in faults(step)]
        assert ("rank-not-on-table" in called) is not is_hidden


def test_sweep_of_an_unread_lead_is_the_take() -> None:
    referee = referee_of(talon=8)
    unread = {"event": "blocked", "reason": "unread", "by": "A", "at": 1.0}
    steps = feed(referee, unread, {"event": "swept", "to": "B", "at": 2.0}, {"event": "drawn", "by": "A", "at": 3.0})
    assert [faults(step) for step in steps] == [[], [], []]
    assert referee.state.ledger.hands["B"] == 7


@pytest.mark.parametrize("statements", [[("take", "B")], [("pass", "A"), ("take", "B")], [("done", "A")]])
@pytest.mark.parametrize("hidden", [{"reason": "unread", "by": "A"}, {"reason": "unread"}, {"reason": "a hand"}])
def test_statement_on_a_lead_that_was_not_read_or_not_seen_is_no_fault(
    statements: list[tuple[str, str]], hidden: dict[str, str]
) -> None:
    referee = referee_of(turnup="9h", talon=8)
    steps = feed(
        referee,
        {"event": "blocked", **hidden},
        *({"event": "pressed", "button": button, "by": by, "at": 12.0} for button, by in statements),
        {"event": "swept", "to": "B", "at": 14.0},
        {"event": "drawn", "by": "A", "count": 1, "at": 15.0},
        placed("7c", "C", at=16.0),
        placed("8c", "A", "7c", at=17.0),
    )
    assert [fault for step in steps for fault in faults(step)] == []
    assert referee.state.ledger.hands == {"A": 5, "B": 7, "C": 5}


def test_uncertain_sweep_goes_where_the_rules_have_it() -> None:
    start = {"trump": "s", "turnup": None, "talon": 0, "hands": {"A": 6, "B": 3, "C": 6}, "attacker": "A"}
    referee = Referee(
        Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B", "C"], "dealer": "C", "start": start})
    )
    referee.apply(Placed(at=1.0, card=Card.parse("7d"), by="A"))
    referee.apply(Swept(at=3.0, to="heap", confidence=0.6, otherwise=(({"to": "B"}, 0.4),)))
    assert referee.state.ledger.hands["B"] == 4


def test_cards_laid_together_are_of_one_seat() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A", at=1.0), placed("8c", "A", at=1.0))
    assert referee.state.as_json()["table"] == [["8s", None], ["8c", None]]
    assert (referee.readings, referee.state.ledger.hands["A"]) == (1, 4)

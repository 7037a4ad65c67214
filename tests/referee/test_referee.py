"""Referee: whole matches, corrections, withheld rulings, invariants, and arbitrary input."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import RecordError
from referee.record import Header, event_from_json
from referee.rulings import Step
from tests.referee.certain_referee import Referee
from tests.referee.random_play import RandomSession
from tests.referee.record_lines import HEADER, events, extras
from tests.referee.refereed import DUREK, faults, feed, placed, referee_of
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import say


def test_header_gives_the_first_turn() -> None:
    opening = referee_of().opening
    assert [announcement.as_json() for announcement in opening.announcements] == [
        {"announce": "turn", "attacker": "A", "defender": "B"}
    ]


def test_event_of_an_unknown_seat_is_refused() -> None:
    with pytest.raises(RecordError, match="one of the seats A, B, C, got 'Z'"):
        feed(referee_of(), placed("7s", "Z"))


def test_state_is_immutable() -> None:
    referee = referee_of()
    with pytest.raises(FrozenInstanceError):
        referee.state.moment = 3  # type: ignore[misc]


def test_changed_position_has_the_same_fields() -> None:
    state = referee_of().state
    assert state.replace() == state
    assert state.replace(beaten_off=2) == replace(state, beaten_off=2)
    with pytest.raises(TypeError, match="expected fields of GameState, got beaten"):
        state.replace(beaten=2)


def test_ruling_is_withheld_while_more_cards_may_make_it_legal() -> None:
    referee = Referee(Header.parse(DUREK))
    first, second = feed(referee, placed("6h", "A", at=1.0), placed("9s", "A", at=1.0))
    assert (faults(first), faults(second), referee.holds_back_ruling) == ([], [], True)
    assert faults(referee.end_play()) == ["opening-shape"]
    assert not referee.holds_back_ruling
    assert referee.end_play() == Step()


def test_withheld_ruling_is_given_with_the_next_event() -> None:
    referee = Referee(Header.parse(DUREK))
    feed(referee, placed("6h", "A", at=1.0), placed("9s", "A", at=1.0))
    assert faults(referee.apply(event_from_json({"event": "tick", "at": 2.0}))) == ["opening-shape"]


def test_third_card_drops_the_withheld_ruling() -> None:
    referee = Referee(Header.parse(DUREK))
    steps = feed(referee, placed("6h", "A", at=1.0), placed("9s", "A", at=1.0), placed("6d", "A", at=1.0))
    assert [faults(step) for step in steps] == [[], [], []]
    assert not referee.holds_back_ruling


def test_undo_drops_the_withheld_ruling() -> None:
    referee = Referee(Header.parse(DUREK))
    undo = {"event": "pressed", "button": "undo", "at": 2.0}
    steps = feed(referee, placed("6h", "A", at=1.0), placed("9s", "A", at=1.0), undo)
    assert faults(steps[2]) == []
    assert referee.state.as_json()["table"] == [["6h", None]]


def test_reread_announces_only_changes() -> None:
    referee = referee_of()
    steps = feed(
        referee,
        placed("8s", "A"),
        placed("Ts", "B", "8s"),
        placed("Td", "A"),
        placed("Jd", "B", "Td"),
        {"event": "reread", "was": "Td", "card": "9d"},
    )
    assert [faults(step) for step in steps[:4]] == [[], [], [], []]
    # The nine matches no rank on the table, and then the jack lies on no attack card.
    assert faults(steps[4]) == ["rank-not-on-table", "no-such-attack"]
    assert [matter.as_json()["cards"] for matter in referee.state.matters] == [["9d"], ["Jd"]]


def test_corrections_to_the_same_truth_give_the_same_state() -> None:
    plain, corrected = referee_of(), referee_of()
    feed(plain, placed("8s", "A"), placed("9s", "B", "8s"), placed("9d", "A"))
    feed(
        corrected,
        placed("8s", "A"),
        placed("6s", "B", "8s"),
        placed("9d", "A"),
        {"event": "reread", "was": "6s", "card": "9s"},
    )
    assert corrected.state.as_json() == plain.state.as_json()


def test_reread_turn_up_changes_the_trump() -> None:
    referee = Referee(Header.parse(HEADER))
    claim = {"event": "pressed", "button": "claim", "by": "A", "card": "6h"}
    feed(referee, {"event": "dealt", "turnup": "9h"}, claim, placed("8s", "A"), placed("6d", "B", "8s"))
    assert referee.state.as_json()["open"][0]["fault"] == "does-not-beat"
    step = feed(referee, {"event": "reread", "was": "9h", "card": "9d", "at": 9.0})[0]
    assert referee.state.as_json()["trump"] == "d"
    assert "false-lead-claim" in faults(step)


def test_shown_card_can_be_reread() -> None:
    referee = referee_of()
    feed(referee, {"event": "shown", "card": "7s", "by": "C"}, {"event": "reread", "was": "7s", "card": "7c"})
    assert referee.state.as_json()["known"] == {"C": ["7c"]}


def test_swept_card_can_be_reread() -> None:
    referee = referee_of()
    feed(
        referee,
        placed("8s", "A"),
        placed("9s", "B", "8s"),
        {"event": "swept", "to": "heap", "left": []},
        {"event": "reread", "was": "9s", "card": "Ts"},
        {"event": "drawn", "by": "A"},
        {"event": "drawn", "by": "B"},
        placed("9s", "B"),
    )
    assert referee.state.as_json()["table"] == [["9s", None]]


def test_left_and_lifted_cards_follow_a_reread() -> None:
    referee = referee_of()
    feed(
        referee,
        placed("8s", "A"),
        {"event": "swept", "to": "B", "left": ["8s"]},
        {"event": "lifted", "card": "8s", "by": "B"},
        {"event": "reread", "was": "8s", "card": "8c"},
    )
    assert referee.state.as_json()["known"] == {"B": ["8c"]}


def test_correction_can_be_undone() -> None:
    referee = referee_of()
    feed(referee, placed("8s", "A"), placed("6s", "B", "8s"))
    before = referee.state
    undo = {"event": "pressed", "button": "undo", "at": 9.0}
    feed(referee, {"event": "reread", "was": "6s", "card": "9s", "at": 8.0})
    assert referee.state.as_json()["open"] == []
    feed(referee, undo)
    assert referee.state == before
    feed(referee, {"event": "reread", "was": "Kd", "card": "9s", "at": 9.0}, undo, undo)
    assert referee.state.as_json()["table"] == [["8s", None]]


def test_draws_reveal_who_laid_the_card() -> None:
    referee = referee_of()
    steps = feed(
        referee,
        placed("8s", "A"),
        placed("9s", "B", "8s"),
        placed("9d"),
        placed("Td", "B", "9d"),
        {"event": "pressed", "button": "done"},
        {"event": "swept", "to": "heap"},
        {"event": "drawn", "by": "A", "count": 1},
        {"event": "drawn", "by": "C", "count": 1},
        {"event": "drawn", "by": "B", "count": 2},
    )
    assert [(str(ruling.verdict), ruling.question) for ruling in steps[2].rulings] == [("legal", None)]
    assert [faults(step) for step in steps[6:]] == [[], [], []]
    assert [announcement.as_json() for announcement in steps[7].announcements if announcement.kind == "draw"] == [
        {"announce": "draw", "due": [["A", 1], ["C", 1], ["B", 2]], "talon": 18}
    ]
    state = referee.state.as_json()
    assert (state["hands"], state["attacker"]) == ({"A": 6, "B": 6, "C": 6}, "B")
    feed(referee, *[{"event": "pressed", "button": "undo", "at": 20.0}] * 2)
    assert referee.state.as_json()["due"] == [["A", 1], ["B", 2]]


@settings(max_examples=60)
@given(st.lists(st.tuples(events, extras), max_size=25), st.booleans())
def test_arbitrary_events_keep_the_invariants(
    happenings: list[tuple[dict[str, Any], dict[str, Any]]], from_start: bool
) -> None:
    referee = referee_of() if from_start else Referee(Header.parse(HEADER))
    for event, extra in happenings:
        step = referee.apply(event_from_json(event | extra))
        for message in (*step.rulings, *step.announcements):
            json.dumps(message.as_json())
            assert all(say(message, language) for language in LANGUAGES)
        state = referee.state
        json.dumps(state.as_json())
        places = [*state.ledger.heap, *(card for cards in state.ledger.known.values() for card in cards)]
        places += state.bout.cards if state.bout is not None else ()
        places += [state.ledger.turnup] if state.ledger.turnup is not None else []
        assert len(places) == len(set(places))


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.sampled_from(["podkidnoy-36", "hebrew-transfer", "durek-platkowy"]))
def test_game_can_be_undone_to_its_beginning(seed: int, preset: str) -> None:
    session = RandomSession(preset, 2, seed)
    session.rng.seed(seed)
    referee = Referee(session.referee.header)
    session.play(1)
    before = referee.state
    lines = session.record[1:60]
    for data in lines:
        referee.apply(event_from_json(data))
    for _ in lines:
        referee.apply(event_from_json({"event": "pressed", "button": "undo", "at": 1e6}))
    assert referee.state == before

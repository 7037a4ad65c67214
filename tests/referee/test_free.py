"""Rule set free: the table is tracked without rulings."""

from __future__ import annotations

from typing import Any

import pytest

from referee.errors import RulebookError
from referee.match_judge import MatchJudge
from referee.record import Header, event_from_json
from referee.rulebook import rulebook
from tests.referee.certain_referee import Referee

HEADER = {"kozyr": 1, "rules": "free", "seats": ["A", "B"], "dealer": "B"}


def followed(*events: dict[str, Any]) -> Referee:
    """Return the referee after these events, which must give no message."""
    referee = Referee(Header.parse(HEADER))
    for at, event in enumerate(events):
        step = referee.apply(event_from_json({"at": at, **event}))
        assert (step.rulings, step.announcements) == ((), ())
    assert not referee.holds_back_ruling
    return referee


def placed(card: str, **more: Any) -> dict[str, Any]:
    return {"event": "placed", "card": card, **more}


def test_cards_are_tracked_without_rulings() -> None:
    referee = followed(placed("2s", by="A"), placed("As", by="A", on="2s"), placed("2s", by="B"), placed("Kd"))
    state = referee.state.as_json()
    assert state["phase"] == "free"
    assert state["table"] == [["2s", "As"], ["2s", None], ["Kd", None]]
    assert (state["attacker"], state["defender"], state["entitled"]) == (None, None, [])


def test_table_is_followed_after_it_was_hidden() -> None:
    referee = followed(
        {"event": "blocked", "reason": "the camera was moved"},
        placed("2s", confidence=0.7, otherwise=[[None, 0.26]]),
        placed("As", by="A", confidence=0.97, otherwise=[[None, 0.01]], missed=0.08),
        placed("6s", by="A", on="2s", confidence=0.97, otherwise=[[{"on": None}, 0.01]]),
        placed("8h", by="B", confidence=0.97, otherwise=[[None, 0.01]], missed=0.08),
    )
    assert referee.state.as_json()["table"] == [["2s", "6s"], ["As", None], ["8h", None]]


def test_nothing_is_announced_at_the_start() -> None:
    assert MatchJudge(Header.parse(HEADER)).opening == ()


def test_card_across_a_covered_card_lies_beside() -> None:
    state = followed(placed("6s"), placed("7s", on="6s"), placed("8s", on="6s")).state.as_json()
    assert state["table"] == [["6s", "7s"], ["8s", None]]


def test_lifting_a_card_keeps_the_card_on_it() -> None:
    laid = (placed("6s"), placed("7s", on="6s"), placed("9d"))
    assert followed(*laid, {"event": "lifted", "card": "6s"}).state.as_json()["table"] == [["7s", None], ["9d", None]]
    assert followed(*laid, {"event": "lifted", "card": "7s"}).state.as_json()["table"] == [["6s", None], ["9d", None]]
    assert followed(*laid, {"event": "lifted", "card": "9d"}).state.as_json()["table"] == [["6s", "7s"]]
    assert followed(*laid, {"event": "lifted", "card": "Ah"}).state.as_json()["table"] == [["6s", "7s"], ["9d", None]]


def test_reread_card_has_the_new_name() -> None:
    laid = (placed("6s"), placed("7s", on="6s"))
    assert followed(*laid, {"event": "reread", "was": "7s", "card": "Ts"}).state.as_json()["table"] == [["6s", "Ts"]]
    assert followed(*laid, {"event": "reread", "was": "6s", "card": "8s"}).state.as_json()["table"] == [["8s", "7s"]]


@pytest.mark.parametrize(("to", "heap"), [("heap", 2), ("A", 0)])
def test_swept_cards_are_counted_on_the_discard_pile(to: str, heap: int) -> None:
    swept = {"event": "swept", "to": to, "left": ["9d"]}
    state = followed(placed("6s"), placed("7s", on="6s"), placed("9d"), swept).state.as_json()
    assert (state["table"], state["heap"]) == ([["9d", None]], heap)


def test_events_of_a_game_have_no_effect() -> None:
    referee = followed(
        {"event": "dealt", "turnup": "9h"},
        {"event": "drawn", "by": "A"},
        {"event": "pressed", "button": "take", "by": "A"},
        {"event": "pressed", "button": "undo"},
        {"event": "blocked", "reason": "a cat"},
    )
    assert referee.state.as_json()["table"] == []


def test_any_number_of_seats_and_only_the_pack_option_are_allowed() -> None:
    assert rulebook("free").pack == 52
    assert rulebook("free", {"pack": 36}).pack == 36
    assert rulebook("free", {"pack": 24}).players() == (2, 3, 4, 5, 6)
    with pytest.raises(
        RulebookError, match=r"expected no option of free but pack \(it judges nothing\), got 'transfer'"
    ):
        rulebook("free", {"transfer": True})
    with pytest.raises(RulebookError, match="expected option pack to be one of 36, 24, 32, 52, got 40"):
        rulebook("free", {"pack": 40})


def test_cards_that_a_camera_is_unsure_of_are_tracked() -> None:
    judge = MatchJudge(Header.parse({**HEADER, "witness": "camera"}))
    unsure = [[{"by": None}, 0.0011], [None, 0.0012]]
    seen = (
        {"at": 2.6, "event": "blocked", "reason": "the camera was moved"},
        {"at": 4.9, **placed("Ac"), "confidence": 0.713, "otherwise": [[None, 0.2622]]},
        {"at": 6.8, **placed("As", by="B"), "confidence": 0.973, "otherwise": unsure, "missed": 0.079},
        {"at": 6.9, **placed("6s", by="B", on="Ac"), "confidence": 0.97, "otherwise": unsure},
        {"at": 7.7, **placed("8h", by="A"), "confidence": 0.971, "otherwise": unsure, "missed": 0.079},
    )
    for line, event in enumerate(seen, start=2):
        list(judge.observe(line, event_from_json(event)))
    assert judge.state.as_json()["table"] == [["Ac", "6s"], ["As", None], ["8h", None]]

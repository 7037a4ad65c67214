"""Hands deduced from later plays: all certain cards, and never a wrong one."""

from __future__ import annotations

from typing import Any

import pytest

from referee.events import TableEvent
from referee.record import Header, event_from_json
from tests.referee.random_play import RandomSession
from tests.sample_size import sample_size
from tests.webapp.conftest import HEADER
from webapp.match.log import MatchLog
from webapp.match.stored_matches import replay


def steps(*events: dict[str, Any], **header: Any) -> list[dict[str, Any]]:
    match = MatchLog(Header.parse(HEADER | header))
    match.open()
    for event in events:
        match.judge(event_from_json(event))
    match.finish()
    found: list[dict[str, Any]] = replay(match.view, match.header)["steps"]
    return found


def placed(at: float, card: str, by: str, on: str | None = None) -> dict[str, Any]:
    return {"at": at, "event": "placed", "card": card, "by": by} | ({"on": on} if on else {})


def swept(at: float, to: str = "heap") -> dict[str, Any]:
    return {"at": at, "event": "swept", "to": to}


def drawn(at: float, by: str, count: int = 1) -> dict[str, Any]:
    return {"at": at, "event": "drawn", "by": by, "count": count}


LATE = {"trump": "h", "turnup": None, "talon": 0, "heap_count": 27, "attacker": "A", "bout": 9, "beaten_off": 5}
NO_TALON = {**LATE, "hands": {"A": 3, "B": 3, "C": 3}}


def test_laid_card_was_held_before() -> None:
    found = steps(placed(1, "7s", "A"), placed(2, "Ts", "B", "7s"), placed(3, "Td", "C"))
    assert [step.get("later") for step in found] == [{"B": ["Ts"], "C": ["Td"]}, {"C": ["Td"]}, None]


def test_unseen_draw_limits_the_deduction() -> None:
    bout = (placed(1, "7s", "A"), placed(2, "Ts", "B", "7s"), swept(3))
    found = steps(*bout, drawn(4, "A"), drawn(5, "B"), placed(6, "8s", "B"), placed(7, "9s", "C", "8s"))
    by_line = {step["line"]: step.get("later", {}) for step in found}
    assert by_line[4] == {"C": ["9s"]}  # B may have drawn the eight
    assert by_line[6] == {"B": ["8s"], "C": ["9s"]}


def test_taken_card_was_not_held_before() -> None:
    found = steps(placed(1, "7s", "A"), swept(2, "B"), drawn(3, "A"), placed(4, "8s", "C"), placed(5, "9s", "A", "8s"))
    assert all("7s" not in step.get("later", {}).get("B", []) for step in found)


def test_card_of_a_corrected_fault_was_held_before_and_after() -> None:
    wrong, back = placed(3, "Kd", "A"), {"at": 4, "event": "lifted", "card": "Kd", "by": "A"}
    found = steps(placed(1, "7s", "A"), placed(2, "Ts", "B", "7s"), wrong, back, placed(5, "Td", "A"))
    assert [step.get("later", {}).get("A") for step in found] == [["Kd", "Td"], ["Kd", "Td"], ["Td"], ["Td"], None]


@pytest.mark.parametrize("is_announced", [True, False], ids=["announced take", "silent take"])
def test_voluntary_take_lists_the_possible_beats(is_announced: bool) -> None:
    take = [{"at": 2, "event": "pressed", "button": "take", "by": "B"}] if is_announced else []
    found = steps(
        placed(1, "7s", "A"), *take, swept(3, "B"), placed(4, "8s", "C"), placed(5, "Ts", "B"), start=NO_TALON
    )
    takes = [(step["event"]["event"], step["take"]) for step in found if "take" in step]
    assert takes == [("pressed" if is_announced else "swept", {"seat": "B", "could": [["7s", "Ts"]]})]


def test_forced_take_lists_no_possible_beat() -> None:
    start = {**LATE, "heap_count": 31, "hands": {"A": 3, "B": 2, "C": 0}, "out": ["C"], "known": {"B": ["6d", "6c"]}}
    found = steps(placed(1, "7s", "A"), swept(2, "B"), start=start)
    assert found[-1]["take"] == {"seat": "B", "could_not": ["7s"]}


def test_take_of_an_unknown_hand_is_not_rated() -> None:
    assert all("take" not in step for step in steps(placed(1, "7s", "A"), swept(2, "B")))


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("seed", range(sample_size(12, nightly=24)))
def test_deduced_cards_were_really_held(seed: int) -> None:
    preset, players = ("podkidnoy-36", "perevodnoy", "severnyi")[seed % 3], 2 + seed % 4
    session = RandomSession(preset, players, 4100 + seed)
    held: list[dict[str, set[str]]] = []  # before each event was reported, and so after the one before it
    report = session.report

    def recording_hands(event: str, same_time: bool = False, **facts: Any) -> Any:
        assert session.deal is not None
        held.append({name: set(hand) for name, hand in session.deal.hands.items()})
        return report(event, same_time, **facts)

    session.report = recording_hands  # type: ignore[method-assign]
    session.play(2)
    assert session.deal is not None
    held.append({name: set(hand) for name, hand in session.deal.hands.items()})
    header, *events = session.record
    match = MatchLog(Header.parse(header))
    match.open()
    for event in events:
        read: TableEvent = event_from_json(event)
        match.judge(read)
    proven = 0
    for step in replay(match.view, match.header)["steps"]:
        place = step["line"] - 2
        for seat, cards in step.get("later", {}).items():
            # The engine may have moved a card just before or just after it reported that.
            assert set(cards) <= held[place][seat] | held[place + 1][seat], (step, held[place], held[place + 1])
            proven += len(cards)
    assert proven > 20

"""What later plays prove of hands: never a card that was not there, and all that is certain."""

from __future__ import annotations

from typing import Any

import pytest

from referee.events import TableEvent
from referee.record import Header, event_from_json
from tests.referee.random_play import RandomSession
from tests.webapp.conftest import HEADER
from webapp.live.live_match import LiveMatch
from webapp.live.replay import replay


def steps(*events: dict[str, Any], **header: Any) -> list[dict[str, Any]]:
    match = LiveMatch(Header.parse(HEADER | header))
    match.open()
    for event in events:
        match.judge(event_from_json(event))
    match.finish()
    found: list[dict[str, Any]] = replay(match)["shared"]["steps"]
    return found


def placed(at: float, card: str, by: str, on: str | None = None) -> dict[str, Any]:
    return {"at": at, "event": "placed", "card": card, "by": by} | ({"on": on} if on else {})


def swept(at: float, to: str = "heap") -> dict[str, Any]:
    return {"at": at, "event": "swept", "to": to}


def drawn(at: float, by: str, count: int = 1) -> dict[str, Any]:
    return {"at": at, "event": "drawn", "by": by, "count": count}


LATE = {"trump": "h", "turnup": None, "talon": 0, "heap_count": 27, "attacker": "A", "bout": 9, "beaten_off": 5}
NO_TALON = {**LATE, "hands": {"A": 3, "B": 3, "C": 3}}


def test_who_lays_a_card_held_it_before() -> None:
    found = steps(placed(1, "7s", "A"), placed(2, "Ts", "B", "7s"), placed(3, "Td", "C"))
    assert [step.get("later") for step in found] == [{"B": ["Ts"], "C": ["Td"]}, {"C": ["Td"]}, None]


def test_nothing_is_proven_beyond_cards_that_nobody_saw() -> None:
    bout = (placed(1, "7s", "A"), placed(2, "Ts", "B", "7s"), swept(3))
    found = steps(*bout, drawn(4, "A"), drawn(5, "B"), placed(6, "8s", "B"), placed(7, "9s", "C", "8s"))
    by_line = {step["line"]: step.get("later", {}) for step in found}
    assert by_line[4] == {"C": ["9s"]}  # B may have drawn the eight
    assert by_line[6] == {"B": ["8s"], "C": ["9s"]}


def test_what_came_from_the_table_was_not_held_before() -> None:
    found = steps(placed(1, "7s", "A"), swept(2, "B"), drawn(3, "A"), placed(4, "8s", "C"), placed(5, "9s", "A", "8s"))
    assert all("7s" not in step.get("later", {}).get("B", []) for step in found)


def test_a_card_that_broke_a_rule_was_held_before_and_after() -> None:
    wrong, back = placed(3, "Kd", "A"), {"at": 4, "event": "lifted", "card": "Kd", "by": "A"}
    found = steps(placed(1, "7s", "A"), placed(2, "Ts", "B", "7s"), wrong, back, placed(5, "Td", "A"))
    assert [step.get("later", {}).get("A") for step in found] == [["Kd", "Td"], ["Kd", "Td"], ["Td"], ["Td"], None]


@pytest.mark.parametrize("says", [True, False], ids=["take is said", "cards are just taken"])
def test_a_take_that_was_no_must(says: bool) -> None:
    take = [{"at": 2, "event": "pressed", "button": "take", "by": "B"}] if says else []
    found = steps(
        placed(1, "7s", "A"), *take, swept(3, "B"), placed(4, "8s", "C"), placed(5, "Ts", "B"), start=NO_TALON
    )
    takes = [(step["event"]["event"], step["take"]) for step in found if "take" in step]
    assert takes == [("pressed" if says else "swept", {"seat": "B", "could": [["7s", "Ts"]]})]


def test_a_take_of_who_had_nothing_better() -> None:
    start = {**LATE, "heap_count": 31, "hands": {"A": 3, "B": 2, "C": 0}, "out": ["C"], "known": {"B": ["6d", "6c"]}}
    found = steps(placed(1, "7s", "A"), swept(2, "B"), start=start)
    assert found[-1]["take"] == {"seat": "B", "could_not": ["7s"]}


def test_a_take_of_a_hand_that_is_not_known_proves_nothing() -> None:
    assert all("take" not in step for step in steps(placed(1, "7s", "A"), swept(2, "B")))


@pytest.mark.parametrize("seed", range(24))
def test_no_hand_held_another_card_than_is_proven(seed: int) -> None:
    preset, players = ("podkidnoy-36", "perevodnoy", "severnyi")[seed % 3], 2 + seed % 4
    session = RandomSession(preset, players, 4100 + seed)
    held: list[dict[str, set[str]]] = []  # before each event was reported, and so after the one before it
    tell = session.tell

    def told(event: str, same_time: bool = False, **facts: Any) -> Any:
        assert session.deal is not None
        held.append({name: set(hand) for name, hand in session.deal.hands.items()})
        return tell(event, same_time, **facts)

    session.tell = told  # type: ignore[method-assign]
    session.play(2)
    assert session.deal is not None
    held.append({name: set(hand) for name, hand in session.deal.hands.items()})
    header, *events = session.record
    match = LiveMatch(Header.parse(header))
    match.open()
    for event in events:
        read: TableEvent = event_from_json(event)
        match.judge(read)
    proven = 0
    for step in replay(match)["shared"]["steps"]:
        place = step["line"] - 2
        for seat, cards in step.get("later", {}).items():
            # The engine may have moved a card just before or just after it reported that.
            assert set(cards) <= held[place][seat] | held[place + 1][seat], (step, held[place], held[place + 1])
            proven += len(cards)
    assert proven > 20

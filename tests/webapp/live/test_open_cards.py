"""Unbeaten cards before and after a line."""

from __future__ import annotations

from typing import Any

from referee.corrections import RecordLine
from referee.record import event_from_json
from webapp.live.kept_record import with_open_cards


def opened(*events: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the unbeaten cards before and after each event."""
    lines = [RecordLine(number, event_from_json({"at": 1.0, **event})) for number, event in enumerate(events, start=2)]
    return [(" ".join(map(str, before)), " ".join(map(str, after))) for _, before, after in with_open_cards(lines)]


def test_beaten_card_is_open_again_when_its_defence_is_lifted() -> None:
    assert opened(
        {"event": "placed", "card": "7s", "by": "A"},
        {"event": "placed", "card": "Ts", "by": "B", "on": "7s"},
        {"event": "placed", "card": "7h", "by": "C"},
        {"event": "lifted", "card": "Ts", "by": "B"},
        {"event": "lifted", "card": "7h", "by": "C"},
    ) == [("", "7s"), ("7s", ""), ("", "7h"), ("7h", "7s 7h"), ("7s 7h", "7s")]


def test_corrected_card_is_open_under_its_true_name() -> None:
    assert opened(
        {"event": "placed", "card": "7s", "by": "A"},
        {"event": "reread", "was": "7s", "card": "7c"},
        {"event": "placed", "card": "Tc", "by": "B", "on": "7c"},
        {"event": "reread", "was": "Tc", "card": "Jc"},
        {"event": "lifted", "card": "Jc", "by": "B"},
    ) == [("", "7s"), ("7s", "7c"), ("7c", ""), ("", ""), ("", "7c")]


def test_sweep_clears_all_cards_except_those_left() -> None:
    assert opened(
        {"event": "placed", "card": "7s", "by": "A"},
        {"event": "placed", "card": "7d", "by": "A"},
        {"event": "tick"},
        {"event": "swept", "to": "B", "left": ["7d"]},
    )[2:] == [("7s 7d", "7s 7d"), ("7s 7d", "7d")]

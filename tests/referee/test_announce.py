"""What is announced is the difference of two positions, and what no longer holds is the reverse difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.effects import apply
from referee.effects.announce import announcements, undone
from referee.effects.deal import open_match
from referee.events import Corrected, Placed, Reread
from referee.header import Header
from referee.record import read_record
from referee.rulings import Announcement

MATCHES = sorted(file for file in (Path(__file__).parents[1] / "matches").glob("*.jsonl") if "rulings" not in file.name)
RECORD_BUTTONS = ("undo", "assign", "challenge", "dismiss")


@pytest.mark.parametrize("match", MATCHES, ids=lambda match: match.stem)
def test_going_back_withdraws_what_the_event_announced(match: Path) -> None:
    state = None
    compared = 0
    for _, entry in read_record(match.read_text("utf-8").splitlines()):
        if isinstance(entry, Header):
            state = open_match(entry)
            continue
        assert state is not None
        is_about_the_record = isinstance(entry, Corrected | Reread) or getattr(entry, "button", None) in RECORD_BUTTONS
        if is_about_the_record or (isinstance(entry, Placed) and entry.by is None):
            continue
        after, step = apply(state, entry)
        assert announcements(state, state) == ()
        announced = [other for other in step.announcements if other.can_be_withdrawn]
        assert [other for other in undone(after, state) if other.kind == "withdrawn"] == [
            other.withdrawn() for other in announced
        ]
        compared += len(announced)
        state = after
    assert compared > 0


def test_withdrawal_names_the_announcement() -> None:
    turn = Announcement.of("turn", attacker="A", defender="B")
    assert turn.withdrawn().as_json() == {"announce": "withdrawn", "of": "turn", "attacker": "A", "defender": "B"}

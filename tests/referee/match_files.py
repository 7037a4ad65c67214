"""The matches in ``tests/matches`` and the rulings on them."""

from __future__ import annotations

import json
from pathlib import Path

from referee.record import Header, read_record
from tests.referee.certain_referee import Referee

FOLDER = Path(__file__).parents[1] / "matches"
MATCHES = sorted(path for path in FOLDER.glob("*.jsonl") if not path.name.endswith(".rulings.jsonl"))


def rulings_of(path: Path) -> list[str]:
    """Return the lines of *Rulings and announcements* (docs/record.md) for a record, without text."""
    lines = []
    referee: Referee | None = None
    with path.open("rb") as record:
        for number, entry in read_record(record, path.name):
            if isinstance(entry, Header):
                referee = Referee(entry)
                step = referee.opening
            else:
                assert referee is not None
                step = referee.apply(entry)
            lines += [
                json.dumps({"line": number, **message.as_json()}) for message in (*step.rulings, *step.announcements)
            ]
    return lines

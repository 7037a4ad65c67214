"""Types of printed lines: they accept documented and printed lines, and the schema file is generated from them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.fields import read
from referee.match_judge import MatchJudge
from referee.record import Header, event_from_json, read_record
from referee.rulings import KINDS
from scripts import line_schema
from scripts.line_schema import PRINTED
from tests.referee.match_files import FOLDER, MATCHES

DOCUMENT = Path(__file__).parents[3] / "docs" / "record.md"


def documented() -> Iterator[dict[str, Any]]:
    """Yield every JSON object of the document's examples."""
    decoder = json.JSONDecoder()
    for block in re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL):
        rest = block.strip()
        while rest:
            value, end = decoder.raw_decode(rest)
            yield value
            rest = rest[end:].strip()


def check(line: dict[str, Any]) -> str:
    """Validate a line by its type and return the key that determines the type."""
    key = next(key for key in ("kozyr", *PRINTED, "event") if key in line)
    if key == "kozyr":
        Header.parse(line)
    elif key == "event":
        event_from_json(line)
    else:
        read(line, PRINTED[key], "the line")
    return key


def test_documented_examples_match_their_types() -> None:
    assert {check(line) for line in documented()} == {*PRINTED, "kozyr"} - {"withdrawn"}


@pytest.mark.parametrize("path", MATCHES, ids=lambda path: path.stem)
def test_rulings_and_positions_of_matches_match_their_types(path: Path) -> None:
    rulings = FOLDER / f"{path.stem}.rulings.jsonl"
    for line in map(json.loads, rulings.read_text(encoding="utf-8").splitlines()):
        check(line)
        assert line.get("announce", "lead") in KINDS
    entries = list(read_record(path.read_bytes().splitlines()))
    judge = MatchJudge(next(entry for _, entry in entries if isinstance(entry, Header)))
    for number, entry in entries[1:40]:
        assert not isinstance(entry, Header)
        judge.apply(number, entry)
        check({"line": number, "state": judge.state.as_json()})


def test_withdrawal_with_evidence_matches_its_type() -> None:
    check({"line": 9, "at": 3.0, "withdrawn": "does-not-beat", "of": 7, "text": "..."})
    why = [{"cue": "seat", "for": False, "weight": -1.2}]
    ruling = {"line": 9, "ruling": "unclear", "play": "beat", "cards": ["Ts"], "by": None, "why": why}
    check({**ruling, "question": {"ask": "who"}, "probability": 0.6, "of": 7})


def test_schema_file_equals_the_generated_schema() -> None:
    assert line_schema.main(["--check"]) == 0
    schema = json.loads(line_schema.DOCUMENT.read_text(encoding="utf-8"))
    names = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(schema)))
    assert {kind.__name__ for kind in PRINTED.values()} | {"Header", "Placed"} <= names <= set(schema["$defs"])
    assert schema["$defs"]["AnnouncementLine"]["properties"]["announce"] == {"type": "string", "enum": list(KINDS)}

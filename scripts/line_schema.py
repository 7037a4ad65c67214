"""
Write `docs/lines.schema.json`, the JSON Schema of a record's lines and of those that `--json` prints beside them.

    python -m scripts.line_schema [--check]

``--check`` writes nothing; the exit status is 1 if the file differs. The schema is made of the types below and of those
that read records; the tests read the documented examples and the rulings of stored matches with them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.json import schema_components

from referee.cards import Card, Suit
from referee.events import Rank
from referee.fields import Count, Name, Number, Ordinal, Probability
from referee.rulebook import FaultId
from referee.rulings import KINDS, Verdict
from webapp.web.openapi import CARD, record_schemas

DOCUMENT = Path(__file__).parent.parent / "docs" / "lines.schema.json"
PLACE = "#/$defs/"

ResultKind = Literal["fool", "winner", "team-fool", "team-winner", "draw"]
Point = tuple[Number, Number]
Due = list[tuple[Name, Count]]


class Reason(Struct, frozen=True, forbid_unknown_fields=True):
    """One piece of evidence for (`for`) or against a fault; `weight`: natural logarithm."""

    cue: str
    speaks_for: bool = field(name="for")
    weight: Number


class JudgedLine(Struct, frozen=True, kw_only=True):
    """What the lines of the referee have in common. `of`: the line that it belongs to, if given again later."""

    line: Ordinal
    at: Number | UnsetType = UNSET
    text: str | UnsetType = UNSET
    of: Ordinal | UnsetType = UNSET


class RulingLine(JudgedLine, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ruling on a play."""

    ruling: Verdict
    fault: FaultId | UnsetType = UNSET
    play: str
    cards: list[Card]
    by: Name | None
    facts: Mapping[str, Any] | UnsetType = UNSET
    question: Mapping[str, Any] | UnsetType = UNSET
    probability: Probability | UnsetType = UNSET
    why: list[Reason] | UnsetType = UNSET


class WithdrawalLine(JudgedLine, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ruling no longer holds: its fault, or `legal`."""

    withdrawn: str


class AnnouncementLine(Struct, frozen=True, kw_only=True):
    """An announcement, with the keys of its kind. `of` of a withdrawal: the kind that no longer holds."""

    line: Ordinal
    announce: Annotated[str, Meta(extra_json_schema={"enum": list(KINDS)})]
    at: Number | UnsetType = UNSET
    text: str | UnsetType = UNSET
    of: int | str | UnsetType = UNSET
    due: Due | UnsetType = UNSET
    seats: list[Name] | UnsetType = UNSET
    kind: ResultKind | UnsetType = UNSET
    count: Count | UnsetType | None = UNSET


class Result(Struct, frozen=True, forbid_unknown_fields=True):
    """How a deal ended."""

    kind: ResultKind
    seats: list[Name]


class TableState(Struct, frozen=True, kw_only=True):
    """What lies on the table, and how many more cards may be laid."""

    trump: Suit | None
    turnup: Card | None
    talon: Count
    heap: Count
    table: list[tuple[Card, Card | None]]
    limit: Count | None
    room: Count | None
    ranks: list[Rank]


class Position(TableState, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The position as a spectator could know it; `open`: faults that are not put right yet."""

    phase: Literal["lead", "attack", "take", "draw", "over"]
    attacker: Name | None
    defender: Name | None
    entitled: list[Name]
    hands: Mapping[Name, Count]
    known: Mapping[Name, list[Card]]
    due: Due
    out: list[Name]
    result: Result | None
    open: list[Mapping[str, Any]]


class StateLine(Struct, frozen=True, forbid_unknown_fields=True):
    """The position after a line, with `--states`."""

    line: Ordinal
    state: Position


Cost = Mapping[str, tuple[int, Number]]
"""Runs and input megapixels of each network."""


class Summary(Struct, frozen=True):
    """What became of a clip. `doubts`: rulings that need attention. `cost`: runs and megapixels of each network."""

    frames: int
    seconds_of_clip: Number
    seconds_taken: Number
    rulings: Mapping[Verdict, int]
    result: Result | None
    doubts: int
    refereed: str | UnsetType = UNSET
    cost: Cost | UnsetType = UNSET


class SummaryLine(Struct, frozen=True, forbid_unknown_fields=True):
    """The last line of a review."""

    summary: Summary


class ReadCard(Struct, frozen=True, forbid_unknown_fields=True):
    """A card on a picture, `back` where it lies face down; corners in pixels, clockwise."""

    card: str
    confidence: Probability
    alternatives: list[tuple[str, Probability]]
    in_pack: bool
    corners: tuple[Point, Point, Point, Point]
    covered: Probability


class PictureLine(Struct, frozen=True, forbid_unknown_fields=True):
    """What lies on a picture; only `picture` and `error` where it can't be read."""

    picture: str
    error: str | UnsetType = UNSET
    width: int | UnsetType = UNSET
    height: int | UnsetType = UNSET
    cards: list[ReadCard] | UnsetType = UNSET
    pairs: list[Mapping[Literal["attack", "defence"], str | None]] | UnsetType = UNSET
    took_ms: Number | UnsetType = UNSET
    cost: Cost | UnsetType = UNSET


PRINTED: Mapping[str, type[Struct]] = {
    "ruling": RulingLine,
    "announce": AnnouncementLine,
    "withdrawn": WithdrawalLine,
    "state": StateLine,
    "summary": SummaryLine,
    "picture": PictureLine,
}
"""The type of a line by the key that only such a line has."""


def document() -> str:
    """Return the text of `docs/lines.schema.json`."""
    _, printed = schema_components(PRINTED.values(), schema_hook=lambda kind: CARD, ref_template=PLACE + "{name}")
    lines = ["RecordLine", *(kind.__name__ for kind in PRINTED.values())]
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a record, or one that kozyr prints with --json (docs/record.md)",
        "anyOf": [{"$ref": PLACE + name} for name in lines],
        "$defs": {**record_schemas(PLACE), **printed},
    }
    return json.dumps(_without_names(schema), indent=1) + "\n"


def _without_names(schema: Any) -> Any:
    """Leave out what only some releases of msgspec state: which words the keys of an object may be."""
    if isinstance(schema, dict):
        return {key: _without_names(value) for key, value in schema.items() if key != "propertyNames"}
    return [_without_names(value) for value in schema] if isinstance(schema, list) else schema


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    if parser.parse_args(arguments).check:
        is_same = DOCUMENT.read_text(encoding="utf-8") == document()
        print("unchanged" if is_same else f"{DOCUMENT} differs: run python -m scripts.line_schema")
        return 0 if is_same else 1
    DOCUMENT.write_text(document(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

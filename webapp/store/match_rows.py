"""
Check the rows of the store one by one: what a match's row says of it, and the lines of its record.

A row that is damaged costs only its own match, which is listed with what can be saved of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import fields
from sqlalchemy import Row

from webapp.errors import StoreError

Seconds = Annotated[float, Meta(ge=-1e9, le=1e9)]


class StoredResult(Struct, frozen=True):
    """The keys of a result that lists and scores need; it may have more."""

    kind: str
    seats: list[str]


class MatchRow(Struct, frozen=True):
    """A row of ``webapp.store.schema.matches``."""

    match: str
    table_name: str
    started: datetime
    rules: str
    seats: list[str]
    versions: dict[str, Any]
    lines: Annotated[int, Meta(ge=0)]
    seconds: Seconds
    result: dict[str, Any] | None
    ended: bool
    film: str | None
    recording: str | None
    writer: str

    def __post_init__(self) -> None:
        if self.result is not None:
            convert(self.result, StoredResult)


@dataclass(frozen=True, slots=True)
class DamagedRow:
    """A match whose row is damaged. ``saved``: column -> value of those that can be read; ``damaged``: the others."""

    saved: Mapping[str, Any]
    damaged: tuple[str, ...]

    @property
    def match(self) -> str:
        """Return the match's ID; empty if that itself is damaged."""
        return str(self.saved.get("match", ""))

    def error(self, store: str) -> StoreError:
        """Return the error of whoever asks for the match, with the next step."""
        return StoreError(
            f"{store}: expected match {self.match} as it was written, got a damaged row "
            f"({', '.join(self.damaged)}); restore a backup, or save its lines ('kozyr matches show {self.match} "
            "--json') and delete it"
        )


def read_row(row: Row[Any]) -> MatchRow | DamagedRow:
    """Check the row of a match."""
    # SQLAlchemy's names of columns are a kind of string that msgspec refuses.
    values = {str(column): value for column, value in row._mapping.items()}
    try:
        return convert(values, MatchRow)
    except ValidationError:
        pass
    saved, damaged = dict[str, Any](), []
    for column in fields(MatchRow):
        wanted: Any = StoredResult | None if column.name == "result" else column.type
        try:
            convert(values[column.name], wanted)
        except ValidationError:
            damaged.append(column.name)
        else:
            saved[column.name] = values[column.name]
    if isinstance(values["seats"], list):  # of several names one may be damaged
        saved["seats"] = [seat for seat in values["seats"] if isinstance(seat, str)]
    return DamagedRow(saved, tuple(damaged))


def is_result(data: object) -> bool:
    """Check whether a stored result has the keys that scores need."""
    try:
        convert(data, StoredResult)
    except ValidationError:
        return False
    return True


def read_line(store: str, match: str, line: object, data: object) -> Mapping[str, Any]:
    """Return the data of a line; ``StoreError`` where it is no JSON object."""
    if isinstance(data, dict):
        return data
    raise StoreError(
        f"{store}: expected line {line} of match {match} as it was written, got a damaged one; restore a backup, or "
        f"delete this match: kozyr matches delete {match} --yes"
    )


def read_said(store: str, match: str, after: object, data: object) -> Mapping[str, Any]:
    """Return what was said after a line; ``StoreError`` where it is no JSON object that names a line."""
    said = read_line(store, match, after, data)
    return said if isinstance(said.get("line"), int) else read_line(store, match, after, None)

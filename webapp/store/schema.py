"""
The tables of the store.

The record's lines are kept unchanged, one row each. Further columns repeat what lists show. A change here needs a step
in ``migrations/versions``; a test compares the two.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)

from webapp.store.damaged_values import UNREADABLE, read_time


class UtcTime(TypeDecorator[datetime]):
    """A timezone-aware datetime, stored in UTC, since SQLite knows no zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return read_time(value) if isinstance(value, datetime) else value

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Return a function that reads a value and returns ``UNREADABLE`` where the value is damaged."""
        read = super().result_processor(dialect, coltype)
        assert read is not None

        def careful(value: Any) -> Any:
            try:
                return read(value)
            except (ValueError, TypeError):
                return UNREADABLE

        return careful


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _json(name: str, *, nullable: bool = False) -> Column[Any]:
    # Text, not PostgreSQL's binary form: the order of the keys stays, and any character of a name is kept as \uXXXX.
    return Column(name, JSON(none_as_null=True), nullable=nullable)


def _line_of_record(*columns: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint(columns, ["events.match", "events.line"], ondelete="CASCADE")


matches = Table(
    "matches",
    metadata,
    Column("match", String(40), primary_key=True),
    Column("table_name", Text, nullable=False),
    Column("started", UtcTime, nullable=False),
    Column("rules", Text, nullable=False),
    _json("seats"),
    _json("versions"),
    Column("lines", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    _json("result", nullable=True),
    Column("ended", Boolean, nullable=False),
    Column("film", Text),
    Column("recording", String(64)),
    Column("writer", String(32), nullable=False),
)
"""
``lines``: number of lines of its record, header included. ``seconds``: ``at`` of the newest. ``film``: the name of its
file. ``writer``: the key of the program that may append; a program that continues the match makes a new one.
"""
Index("ix_matches_started", matches.c.started)

players = Table(
    "players",
    metadata,
    Column("match", ForeignKey("matches.match", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("name", Text, nullable=False),
)
"""Seats: ``place`` counts from 0, clockwise from the bottom edge of the picture."""
Index("ix_players_name", players.c.name)

events = Table(
    "events",
    metadata,
    Column("match", ForeignKey("matches.match", ondelete="CASCADE"), primary_key=True),
    Column("line", Integer, primary_key=True),
    Column("at", Float),
    _json("data"),
)
"""The record: ``line`` 1 is the header, ``data`` the line itself. ``at``: its seconds, null for the header."""

said = Table(
    "said",
    metadata,
    Column("match", String(40), primary_key=True),
    Column("after", Integer, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("line", Integer, nullable=False),
    _json("data"),
    _line_of_record("match", "after"),
)
"""
Rulings and announcements as they were printed. ``after``: the newest line of the record then, ``place`` counts from 0
after it. ``line``: the line it belongs to, which may be an earlier one.
"""

corrections = Table(
    "corrections",
    metadata,
    Column("match", String(40), primary_key=True),
    Column("line", Integer, primary_key=True),
    Column("about", Integer),
    Column("by", Text),
    _line_of_record("match", "line"),
)
"""
Lines of a record that are corrections. ``about``: the line that is corrected, or after which it inserts; null if it
states the position. ``by``: the seat.
"""

moments = Table(
    "moments",
    metadata,
    Column("moment", Integer, primary_key=True),
    Column("match", String(40), nullable=False),
    Column("line", Integer, nullable=False),
    Column("frame", Integer, nullable=False),
    Column("at", Float, nullable=False),
    Column("card", String(4)),
    Column("crop", LargeBinary),
    _line_of_record("match", "line"),
)
"""
The picture of a line: ``frame`` counts the frames of the film, ``at`` is that frame's time in seconds. ``crop``: a
JPEG of ``card``; both null if only the frame is kept.
"""
Index("ix_moments_match", moments.c.match, moments.c.line)

replays = Table(
    "replays",
    metadata,
    Column("match", ForeignKey("matches.match", ondelete="CASCADE"), primary_key=True),
    Column("lines", Integer, nullable=False),
    Column("judged_by", String(64), nullable=False),
    Column("data", LargeBinary, nullable=False),
)
"""
Cached content of a match's page: of its first ``lines`` lines, judged by the referee ``judged_by``. ``data``: JSON,
compressed (``webapp.match.stored_matches``).
"""

facts = Table(
    "facts",
    metadata,
    Column("match", ForeignKey("matches.match", ondelete="CASCADE"), primary_key=True),
    Column("lines", Integer, nullable=False),
    _json("data"),
)
"""Cached facts of a match's first ``lines`` lines: how often each seat took the cards and broke which rule."""

tables = Table(
    "tables",
    metadata,
    Column("program", String(32), primary_key=True),
    Column("table_name", Text, nullable=False),
    Column("told", UtcTime, nullable=False),
    _json("data"),
)
"""
The newest report of every table, independent of matches. ``told``: its time by the store's clock.
``data``: what a hall shows of it (``features.hall.table_report``).
"""

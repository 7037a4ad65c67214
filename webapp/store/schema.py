"""
The tables of the store.

The record's lines are kept as they are, one row each, and never changed. Columns beside them repeat what lists are
made of. A change here needs a step in ``migrations/versions``; a test holds the two against each other.
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


class UtcTime(TypeDecorator[datetime]):
    """A moment with its zone. Kept in UTC, since SQLite knows no zones; comes back in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """In UTC, and said to be."""
        return None if value is None else value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


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
    Column("writer", String(32), nullable=False),
)
"""
``lines``: how many lines its record has, the header with them. ``seconds``: ``at`` of the newest. ``film``: the name of
its file. ``writer``: the key of the program that may append; whoever goes on with the match makes a new one.
"""
Index("ix_matches_started", matches.c.started)

players = Table(
    "players",
    metadata,
    Column("match", ForeignKey("matches.match", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("name", Text, nullable=False),
)
"""Who sat where: ``place`` counts from 0, clockwise from the bottom edge of the picture."""
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
What the referee said, as it was told. ``after``: the newest line of the record when it was said, ``place`` counts from
0 after it. ``line``: the line it belongs to, which may be an earlier one.
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
Which lines of a record are corrections. ``about``: the line it puts right or after which it inserts; null where it says
how the table stands. ``by``: the seat.
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
What the eye saw of a line: ``frame`` counts the frames of the film, ``at`` is that frame's time in seconds. ``crop``: a
JPEG of ``card``; both null where the frame alone is kept.
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
What the page of a match shows, so that it need not be judged each time: of its first ``lines`` lines, by the referee
``judged_by``. ``data``: JSON, compressed (``webapp.live.replay``).
"""

tables = Table(
    "tables",
    metadata,
    Column("program", String(32), primary_key=True),
    Column("table_name", Text, nullable=False),
    Column("told", UtcTime, nullable=False),
    _json("data"),
)
"""
How every table stands now, as its program told last; no part of any match. ``told``: when, by the store's own clock.
``data``: what a hall shows of it (``webapp.live.table_report``).
"""

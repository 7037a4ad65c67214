"""
How the tables that share a store stand now: each program tells it of its own table, a hall reads them all.

Ages are reckoned by the store's clock alone, since those of many machines never agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, insert, or_, select

from webapp.store.database import Database
from webapp.store.schema import UtcTime, tables

FORGOTTEN_AFTER = timedelta(hours=12)
"""A table that said nothing for so long is no longer shown. Longer keeps last week's tables on the page; shorter loses
those that close for a meal. Set by hand, 2026-11."""
REPLACED_AFTER = timedelta(seconds=30)
"""A program that tells of a table of the same name takes the place of one that was silent for so long: it was killed.
Longer shows the table twice for a while; shorter takes a busy program for a dead one. Set by hand, 2026-11."""


@dataclass(frozen=True, slots=True)
class ToldTable:
    """What one program told of its table last. ``age_s``: how long ago that was."""

    table: str
    told: datetime
    age_s: float
    data: Mapping[str, Any]


class LiveTables:
    """The tables of a store. Whatever the store refuses is a ``StoreError``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def tell(self, program: str, table: str, data: Mapping[str, Any]) -> None:
        """How a table stands now, in place of what the same program told before."""
        with self._database.writing() as connection:
            now = connection.execute(_NOW).scalar_one()
            dead = (tables.c.table_name == table) & (tables.c.told < now - REPLACED_AFTER)
            connection.execute(delete(tables).where(or_(tables.c.program == program, dead)))
            row = {"program": program, "table_name": table, "told": now, "data": dict(data)}
            connection.execute(insert(tables), row)

    def told(self) -> tuple[ToldTable, ...]:
        """What every table told last, by their names; none that has been silent for ``FORGOTTEN_AFTER``."""
        with self._database.reading() as connection:
            now = connection.execute(_NOW).scalar_one()
            rows = connection.execute(select(tables).order_by(tables.c.table_name, tables.c.told)).all()
        return tuple(
            ToldTable(row.table_name, row.told, max((now - row.told).total_seconds(), 0.0), row.data)
            for row in rows
            if now - row.told < FORGOTTEN_AFTER
        )


_NOW = select(func.now(type_=UtcTime))

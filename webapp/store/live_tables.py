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
BEAT_S, BEAT_OF_FILE_S = 5.0, 60.0
"""Seconds between two words of a table where nothing happens, to a server and to a file. Longer notices a dead table
later; shorter writes more, and what is written to a file wears the machine's own disk. Set by hand, 2026-11."""
SILENT_AFTER_BEATS = 3
"""A table that said nothing for so many beats is no longer live. More shows a dead table as alive; fewer call one dead
whose network stutters. Set by hand, 2026-11."""
REPLACED_AFTER_BEATS = 6
"""A program that tells of a table of the same name takes the place of one that was silent for so many beats: it was
killed. More shows the table twice for a while; fewer take a busy program for a dead one. Set by hand, 2026-11."""


@dataclass(frozen=True, slots=True)
class ToldTable:
    """What one program told of its table last. ``age_s``: how long ago that was; ``beat_s``: how often it tells."""

    table: str
    told: datetime
    age_s: float
    data: Mapping[str, Any]
    beat_s: float = BEAT_S

    @property
    def is_live(self) -> bool:
        """Does its program still run, and reach the store?"""
        return bool(self.data.get("open")) and self.age_s < SILENT_AFTER_BEATS * self.beat_s


class LiveTables:
    """The tables of a store. Whatever the store refuses is a ``StoreError``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def beat_s(self) -> float:
        """Seconds between two words of a table where nothing happens."""
        return BEAT_S if self._database.folder is None else BEAT_OF_FILE_S

    def tell(self, program: str, table: str, data: Mapping[str, Any]) -> None:
        """How a table stands now, in place of what the same program told before."""
        with self._database.writing() as connection:
            now = connection.execute(_NOW).scalar_one()
            dead = (tables.c.table_name == table) & (
                tables.c.told < now - REPLACED_AFTER_BEATS * timedelta(seconds=self.beat_s)
            )
            connection.execute(delete(tables).where(or_(tables.c.program == program, dead)))
            row = {"program": program, "table_name": table, "told": now, "data": dict(data)}
            connection.execute(insert(tables), row)

    def told(self) -> tuple[ToldTable, ...]:
        """What every table told last, by their names; none that has been silent for ``FORGOTTEN_AFTER``."""
        with self._database.reading() as connection:
            now = connection.execute(_NOW).scalar_one()
            rows = connection.execute(select(tables).order_by(tables.c.table_name, tables.c.told)).all()
        return tuple(
            ToldTable(row.table_name, row.told, max((now - row.told).total_seconds(), 0.0), row.data, self.beat_s)
            for row in rows
            if now - row.told < FORGOTTEN_AFTER
        )


_NOW = select(func.now(type_=UtcTime))

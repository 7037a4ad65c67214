"""
Keep the current state of all tables that share a store: each program reports its own, a hall reads them all.

Ages are computed by the store's clock alone, since the clocks of many machines differ.
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
"""Time without a report after which a table is no longer shown. Set by hand, 2026-11."""
BEAT_S, BEAT_OF_FILE_S = 5.0, 60.0
"""Seconds between two reports of a table at which nothing happens, to a server and to a file, which wears the machine's
own disk. Set by hand, 2026-11."""
SILENT_AFTER_BEATS = 3
"""Missed reports after which a table is no longer shown as live. Set by hand, 2026-11."""
REPLACED_AFTER_BEATS = 6
"""Missed reports after which a program counts as killed: a program that reports a table of the same name replaces it.
Set by hand, 2026-11."""


@dataclass(frozen=True, slots=True)
class ReportedTable:
    """The newest report of a table. ``age_s``: seconds since then; ``beat_s``: seconds between its reports."""

    table: str
    reported: datetime
    age_s: float
    data: Mapping[str, Any]
    beat_s: float = BEAT_S

    @property
    def is_live(self) -> bool:
        """Check whether its program still runs and reaches the store."""
        return bool(self.data.get("open")) and self.age_s < SILENT_AFTER_BEATS * self.beat_s


class LiveTables:
    """The tables of a store. Failures of the store raise ``StoreError``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def beat_s(self) -> float:
        """Return the seconds between two reports of a table at which nothing happens."""
        return BEAT_S if self._database.folder is None else BEAT_OF_FILE_S

    def report(self, program: str, table: str, data: Mapping[str, Any]) -> None:
        """Write the state of a table; it replaces the program's earlier report."""
        with self._database.writing() as connection:
            now = connection.execute(_NOW).scalar_one()
            dead = (tables.c.table_name == table) & (
                tables.c.told < now - REPLACED_AFTER_BEATS * timedelta(seconds=self.beat_s)
            )
            connection.execute(delete(tables).where(or_(tables.c.program == program, dead)))
            row = {"program": program, "table_name": table, "told": now, "data": dict(data)}
            connection.execute(insert(tables), row)

    def reported(self) -> tuple[ReportedTable, ...]:
        """Return the newest reports ordered by table, without damaged ones and those older than ``FORGOTTEN_AFTER``."""
        with self._database.reading() as connection:
            now = connection.execute(_NOW).scalar_one()
            rows = connection.execute(select(tables).order_by(tables.c.table_name, tables.c.told)).all()
        return tuple(
            ReportedTable(row.table_name, row.told, max((now - row.told).total_seconds(), 0.0), row.data, self.beat_s)
            for row in rows
            if isinstance(row.table_name, str) and isinstance(row.told, datetime) and isinstance(row.data, dict)
            if now - row.told < FORGOTTEN_AFTER
        )


_NOW = select(func.now(type_=UtcTime))

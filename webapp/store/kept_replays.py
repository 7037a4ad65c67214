"""Replays that were judged once: of which lines, by which referee. They can always be made again."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from webapp.store.database import Database
from webapp.store.schema import matches, replays


class KeptReplays:
    """The replays in a store. Whatever the store refuses is a ``StoreError``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, match: str, lines: int, judged_by: str) -> bytes | None:
        """The replay of so many lines by this referee; None where none is kept."""
        found = select(replays.c.data).where(
            replays.c.match == match, replays.c.lines == lines, replays.c.judged_by == judged_by
        )
        with self._database.reading() as connection:
            data = connection.execute(found).scalar()
            return None if data is None else bytes(data)

    def keep(self, match: str, lines: int, judged_by: str, data: bytes) -> None:
        """Keep a replay in place of an earlier one; nothing where the match has gone meanwhile."""
        with self._database.writing() as connection:
            connection.execute(delete(replays).where(replays.c.match == match))
            if connection.execute(select(matches.c.match).where(matches.c.match == match)).first() is not None:
                row = {"match": match, "lines": lines, "judged_by": judged_by, "data": data}
                connection.execute(insert(replays), row)

"""Cache replays of matches, by their lines and by the referee that judged them."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from webapp.store.database import Database
from webapp.store.schema import matches, replays


class KeptReplays:
    """The replays in a store. Failures of the store raise ``StoreError``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, match: str, lines: int, judged_by: str) -> bytes | None:
        """Return the replay of so many lines by this referee; None if it is not cached."""
        found = select(replays.c.data).where(
            replays.c.match == match, replays.c.lines == lines, replays.c.judged_by == judged_by
        )
        with self._database.reading() as connection:
            data = connection.execute(found).scalar()
            return None if data is None else bytes(data)

    def keep(self, match: str, lines: int, judged_by: str, data: bytes) -> None:
        """Store a replay in place of an earlier one; do nothing if the match was deleted meanwhile."""
        with self._database.writing() as connection:
            connection.execute(delete(replays).where(replays.c.match == match))
            if connection.execute(select(matches.c.match).where(matches.c.match == match)).first() is not None:
                row = {"match": match, "lines": lines, "judged_by": judged_by, "data": data}
                connection.execute(insert(replays), row)

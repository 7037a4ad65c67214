"""
Cut a store off in the middle of commits, and compare what is left with what was confirmed.

    python -m tests.webapp.store.cuts [--cuts 500] [--seed 1] [--postgres]

SQLite: a match is written line by line; then its write-ahead log is cut at random bytes, as by a power cut, the rest
being gone, zeros or random bytes. Each copy must open and hold a prefix of the record with every line whose writing had
returned before the log reached that byte. ``--postgres``: a server out of a wheel ends the connection at random moments
while lines are written. The record must be a prefix with every confirmed line, and writing on must complete it.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from tests.referee.random_play import RandomSession
from tests.webapp.store.postgres import running_postgres
from webapp.errors import StoreError
from webapp.store.database import Database, read_url
from webapp.store.matches import Matches, RecordEntry, Writing

LINES = 80
"""Lines of a match: SQLite moves its log into the file after a few hundred."""
MOST_BEFORE = 6
"""Most lines that were confirmed when a connection is ended."""
LATEST_S = 0.005
"""
Seconds after the last confirmed line within which a connection is ended; a line takes a few thousandths of a second.
"""
END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'kozyr' AND pid <> pg_backend_pid()"
)


@dataclass(slots=True)
class CutCount:
    """Counts of cuts: ``inside``: between two confirmed lines, ``failed``: appends that failed."""

    cuts: int = 0
    confirmed: int = 0
    lost: int = 0
    inside: int = 0
    failed: int = 0

    def check(self, record: Sequence[Mapping[str, Any]], stored: Sequence[Mapping[str, Any]], confirmed: int) -> None:
        """Count one cut: ``stored`` must be a prefix of ``record`` with all confirmed lines."""
        self.cuts += 1
        self.confirmed += confirmed
        if list(stored) != list(record[: len(stored)]):
            raise AssertionError(f"expected the first lines of the record, got {stored[-1]} as line {len(stored)}")
        self.lost += max(0, confirmed - len(stored))


def entries_of(seed: int) -> tuple[list[Mapping[str, Any]], list[RecordEntry]]:
    """Return a random game's record of ``LINES`` lines, and its entries."""
    record: list[Mapping[str, Any]] = []
    while len(record) < LINES:
        session = RandomSession("podkidnoy-36", 3, seed)
        session.play()
        record, seed = list(session.record[:LINES]), seed + 1
    return record, [RecordEntry(line, data) for line, data in enumerate(record, 1)]


def cut_sqlite(cuts: int, seed: int, folder: Path) -> CutCount:
    """Cut the log of a SQLite store at random bytes."""
    chance, found = random.Random(seed), CutCount()
    record, entries = entries_of(seed)
    path, log = folder / "kozyr.db", folder / "kozyr.db-wal"
    database = Database.open(f"sqlite:///{path}")
    writing = Writing("m", "writer", "table", datetime(2026, 11, 25, tzinfo=UTC), {})
    ends = []
    for entry in entries:
        Matches(database).append(writing, [entry])
        ends.append(log.stat().st_size)
    file, written = path.read_bytes(), log.read_bytes()
    database.close()
    if ends != sorted(ends):
        raise AssertionError("expected a log that grows, got one that was moved into the file: write fewer lines")
    for number in range(cuts):
        cut = chance.randrange(ends[0], len(written) + 1)
        gone = len(written) - cut
        tail = chance.choice([b"", bytes(gone), chance.randbytes(gone)])
        copy = folder / f"{number}"
        copy.mkdir()
        (copy / path.name).write_bytes(file)
        (copy / log.name).write_bytes(written[:cut] + tail)
        opened = Database.open(f"sqlite:///{copy / path.name}")
        confirmed = sum(end <= cut for end in ends)
        found.inside += cut not in ends
        found.check(record, Matches(opened).record("m"), confirmed)
        opened.close()
        shutil.rmtree(copy)
    return found


def cut_postgres(cuts: int, seed: int, url: str) -> CutCount:
    """End the connection to a PostgreSQL store at random moments while lines are written."""
    chance, found = random.Random(seed), CutCount()
    database, admin = Database.open(url), create_engine(read_url(url), isolation_level="AUTOCOMMIT")
    matches, number = Matches(database), 0
    while found.cuts < cuts:
        number += 1
        record, entries = entries_of(seed + number)
        writing = Writing(f"m{number}", "writer", "table", datetime(2026, 11, 25, tzinfo=UTC), {})
        confirmed = 0
        while confirmed < LINES and found.cuts < cuts:
            least = min(chance.randint(0, MOST_BEFORE), LINES - confirmed)
            wait_s, written = chance.uniform(0, LATEST_S), threading.Semaphore(0)

            def end_others(least: int, wait_s: float, written: threading.Semaphore) -> None:
                with admin.connect() as connection:
                    for _ in range(least):
                        written.acquire()
                    time.sleep(wait_s)
                    connection.execute(text(END_OTHERS))

            ending = threading.Thread(target=end_others, args=(least, wait_s, written), daemon=True)
            ending.start()
            try:
                while confirmed < LINES and ending.is_alive():
                    matches.append(writing, [entries[confirmed]])
                    confirmed += 1
                    written.release()
            except StoreError:
                found.failed += 1
            ending.join()
            stored = _read(matches, writing.match) if confirmed or found.failed else ()
            found.inside += len(stored) > confirmed
            found.check(record, stored, confirmed)
            confirmed = max(confirmed, len(stored))
    admin.dispose()
    database.close()
    return found


def _read(matches: Matches, match: str) -> tuple[Mapping[str, Any], ...]:
    """Read the record; the pool's connections may be the ended ones."""
    for _ in range(3):
        try:
            return matches.record(match) if any(listed["match"] == match for listed in matches.list()) else ()
        except StoreError:
            continue
    return matches.record(match)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgres", action="store_true")
    asked = parser.parse_args()
    began = time.monotonic()
    if asked.postgres:
        with running_postgres() as server:
            found = cut_postgres(asked.cuts, asked.seed, server.get_uri(database="kozyr"))
        about = f"{found.failed} writes failed, of which {found.inside} were committed all the same"
    else:
        with tempfile.TemporaryDirectory() as folder:
            found = cut_sqlite(asked.cuts, asked.seed, Path(folder))
        about = f"{found.inside} within a line"
    print(
        f"{found.cuts} cuts, {about}; {found.confirmed} confirmed lines checked, {found.lost} lost; "
        f"{time.monotonic() - began:.0f} s"
    )
    return int(found.lost > 0)


if __name__ == "__main__":
    sys.exit(main())

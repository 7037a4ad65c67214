"""Store with random bytes: it gives one sentence or its intact data, and no other error."""

from __future__ import annotations

import random
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from referee.errors import RefereeError
from tests.sample_size import sample_size
from tests.webapp.store.conftest import HEADER
from webapp.errors import KozyrError, StoreError
from webapp.store.database import Database
from webapp.store.matches import Matches, RecordEntry, Writing

NUMBERS = range(sample_size(20, nightly=2000))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "kozyr.db"
    database = Database.open(f"sqlite:///{path}")
    matches = Matches(database)
    for table in ("kitchen", "Küche"):
        writing = Writing.begin(table, datetime.now(UTC), {"kozyr": "1"})
        events = [{"at": number / 10, "event": "tick"} for number in range(60)]
        matches.append(writing, [RecordEntry(n, line) for n, line in enumerate([HEADER, *events], 1)])
        matches.end(writing)
    database.close()
    return path


def read_all(path: Path) -> None:
    database = Database.open(f"sqlite:///{path}")
    try:
        matches = Matches(database)
        for match in matches.list():
            list(matches.show(match["match"]))
            matches.moments(match["match"])
        matches.games()
    finally:
        database.close()


def refusal(path: Path) -> Exception | None:
    """Read a store; return the error if it can't be read, else None."""
    try:
        read_all(path)
    except (KozyrError, RefereeError) as error:
        return error
    return None


def test_intact_store_is_read(store: Path) -> None:
    read_all(store)


def test_random_bytes_in_a_store_give_at_most_one_sentence(store: Path, tmp_path: Path) -> None:
    refused = 0
    for number in NUMBERS:
        chance = random.Random(number)
        path = tmp_path / "kozyr.db"
        shutil.copy(store, path)
        with path.open("r+b") as file:
            for _ in range(chance.choice((1, 8, 60))):
                file.seek(chance.randrange(path.stat().st_size - 64))
                file.write(chance.randbytes(chance.choice((1, 4, 64))))
        error = refusal(path)
        assert error is None or "expected" in str(error), number
        refused += isinstance(error, StoreError)
        for left in tmp_path.iterdir():
            left.unlink()
    assert refused

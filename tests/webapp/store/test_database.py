"""Opening a store: its schema, and every error that may occur."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

import webapp.store.migrations
from tests.webapp.store.conftest import HEADER
from webapp.errors import StoreError, WrongCallError
from webapp.store import database as store_database
from webapp.store.database import VERSION_TABLE, Database
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.store.migrations import HEAD
from webapp.store.schema import metadata

MIGRATIONS = Path(webapp.store.migrations.__file__).parent
ONE_SENTENCE = re.compile(r"(?:.+: expected .+, got .+|The operating system refused: .+: .+); .+")


def refused(url: str | None) -> str:
    """Return the error message of a store that can't be opened."""
    with pytest.raises(StoreError) as caught:
        Database.open(url).close()
    assert ONE_SENTENCE.fullmatch(str(caught.value)), caught.value
    return str(caught.value)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the wait for a lock."""
    monkeypatch.setattr(store_database, "WAIT_S", 0.05)


def test_migrations_lead_to_the_schema(url: str) -> None:
    database = Database.open(url)
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": True})
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == HEAD
    database.close()


def test_schema_version_is_that_of_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_current_head() == HEAD


def test_sqlite_store_waits_for_the_disk(tmp_path: Path) -> None:
    database = Database.open(f"sqlite:///{tmp_path / 'kozyr.db'}")
    with database.reading() as connection:
        pragmas = [connection.execute(text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "synchronous")]
    database.close()
    assert pragmas == ["wal", 2]


def test_default_store_is_in_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "deep" / "Мой дом %20?#"))
    Database.open().close()
    assert (tmp_path / "deep" / "Мой дом %20?#" / "kozyr.db").is_file()


def test_environment_variable_names_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOZYR_STORE", f"sqlite:///{tmp_path / 'mine.db'}")
    Database.open().close()
    assert (tmp_path / "mine.db").is_file()


def test_programs_started_together_create_one_store(url: str) -> None:
    failed: list[BaseException] = []

    def start() -> None:
        try:
            Database.open(url).close()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


@pytest.mark.parametrize(
    "invalid_url",
    ["kozyr.db", "mysql://x/y", "sqlite://", "sqlite:///:memory:", "postgresql+asyncpg://a/b", "http://[::1"],
)
def test_invalid_url_is_refused(invalid_url: str) -> None:
    with pytest.raises(WrongCallError, match="expected a store such as"):
        Database.open(invalid_url)


def test_store_of_a_newer_version_is_refused(url: str) -> None:
    database = Database.open(url)
    with database.writing() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    database.close()
    assert "schema 9999 of a newer kozyr; install the newest" in refused(url)


def test_database_of_another_program_is_refused(url: str) -> None:
    database = Database(store_database.read_url(url))
    with database.writing() as connection:
        connection.execute(text("CREATE TABLE customers (name TEXT)"))
    database.close()
    assert "got one with the tables customers" in refused(url)


@pytest.mark.parametrize("content", [b"this is no database\n" * 99, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "kozyr.db"
    path.write_bytes(content)
    assert "damaged" in refused(f"sqlite:///{path}")
    assert path.read_bytes() == content


def test_own_store_is_readable_by_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path))
    monkeypatch.delenv("KOZYR_STORE", raising=False)
    (tmp_path / "kozyr.db").touch(0o644)
    database = Database.open()
    _stored(Matches(database))
    assert {path.name: path.stat().st_mode & 0o077 for path in tmp_path.glob("kozyr.db*")}["kozyr.db"] == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.glob("kozyr.db*"))
    database.close()


def test_truncated_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kozyr.db"
    database = Database.open(f"sqlite:///{path}")
    writing = _stored(Matches(database))
    database.close()
    os.truncate(path, path.stat().st_size // 4096 // 3 * 4096)
    with pytest.raises(StoreError, match="damaged"):
        Matches(Database.open(f"sqlite:///{path}")).show(writing.match)


def _stored(matches: Matches) -> Writing:
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    matches.append(
        writing, [RecordEntry(1, HEADER), *(RecordEntry(n, {"at": n, "event": "tick"}) for n in range(2, 400))]
    )
    return writing


@pytest.mark.usefixtures("quick")
def test_locked_store_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'kozyr.db'}"
    other = sqlite3.connect(tmp_path / "kozyr.db", isolation_level=None)
    other.execute("PRAGMA journal_mode=WAL")
    other.execute("BEGIN IMMEDIATE")
    assert "another program keeps locked; end that one" in refused(url)
    other.close()


def test_file_in_place_of_the_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "file" / "deeper"))
    assert "The operating system refused:" in refused(None)
    assert "expected a store that may be written" in refused(f"sqlite:///{tmp_path / 'none' / 'kozyr.db'}")


@pytest.mark.skipif(sys.platform == "win32", reason="a folder is made read-only differently there")
@pytest.mark.parametrize("kind", ["new", "old"])
def test_read_only_folder_is_refused(kind: str) -> None:
    folder = Path(tempfile.mkdtemp())  # not in a folder that only its owner may enter
    url = f"sqlite:///{folder / 'kozyr.db'}"
    if kind == "old":
        Database.open(url).close()
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555)
    with without_privileges():
        assert "expected a store that may be written" in refused(url)
    folder.chmod(0o755)
    shutil.rmtree(folder)


@contextmanager
def without_privileges() -> Iterator[None]:
    """Drop the privileges of root, who may write everywhere, within the context."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


def test_unreachable_server_is_refused_without_its_password() -> None:
    refusal = refused("postgresql://anna:secret@127.0.0.1:1/kozyr")
    assert "refused" in refusal
    assert "secret" not in refusal


def test_missing_postgresql_driver_is_reported() -> None:
    hides = "import sys; sys.modules['psycopg'] = None\n"
    opens = "from webapp.store.database import Database; Database.open('postgresql://h/n')"
    came = subprocess.run([sys.executable, "-c", hides + opens], capture_output=True, text=True, check=False)
    assert "expected the driver of PostgreSQL, got none; install it with" in came.stderr.splitlines()[-1]

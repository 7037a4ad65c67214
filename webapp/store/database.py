"""
Open a store by its URL (SQLite or PostgreSQL), migrate its schema, and provide connections.

SQLite keeps a write-ahead log and waits for the disk at every commit, so committed lines survive a power cut. Every
failure is a ``StoreError`` of one sentence.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from vision.data_home import data_home
from webapp.errors import StoreError, StoreReplacedError, WrongCallError, one_line
from webapp.store.damaged_values import read_json, read_text
from webapp.store.migrations import HEAD

STORE_VARIABLE = "KOZYR_STORE"
VERSION_TABLE = "kozyr_version"
"""Where the number of the newest step of ``migrations`` is written."""
WAIT_S = 2.0
"""Seconds to wait for another program's lock; then the game goes on, and the lines wait."""
CONNECT_S = 3
ANSWER_S = 5
"""Seconds that PostgreSQL has to accept a connection (``CONNECT_S``), and to answer."""
MIGRATION_LOCK = 0x6B6F7A7972
"""PostgreSQL's advisory lock under which one program at a time brings the schema up to date ("kozyr" in hex)."""


def read_url(given: str) -> URL:
    """
    Return the URL of a store; ``WrongCallError`` for anything else.

    >>> read_url("postgresql://anna@hall/kozyr").drivername
    'postgresql+psycopg'
    >>> read_url("kozyr.db")
    Traceback (most recent call last):
        ...
    webapp.errors.WrongCallError: expected a store such as sqlite:///kozyr.db or postgresql://HOST/NAME, got 'kozyr.db'
    """
    expected = f"expected a store such as sqlite:///kozyr.db or postgresql://HOST/NAME, got {given!r}"
    try:
        url = make_url(given)
    except (ArgumentError, ValueError):
        raise WrongCallError(expected) from None
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    is_file = url.drivername in ("sqlite", "sqlite+pysqlite") and url.database not in (None, "", ":memory:")
    if not is_file and url.drivername != "postgresql+psycopg":
        raise WrongCallError(expected)
    return url


class Database:
    """
    An open store. ``reading`` and ``writing`` provide a connection in a transaction of its own.

    ``Database.open`` creates file and tables if they are missing; it refuses foreign databases and newer schemas.
    """

    def __init__(self, url: URL) -> None:
        self.url = url
        self.is_sqlite = url.drivername.startswith("sqlite")
        self.name = str(url.database) if self.is_sqlite else url.render_as_string(hide_password=True)
        self._engine = _engine(url, self.is_sqlite, self.name)
        self._opened: tuple[int, int] | None = None

    @property
    def folder(self) -> Path | None:
        return Path(str(self.url.database)).absolute().parent if self.is_sqlite and self.url.database else None

    @classmethod
    def open(cls, given: str | None = None) -> Self:
        """Open the store at a URL, by default that of $KOZYR_STORE, else SQLite in the program's data folder."""
        given = given or os.environ.get(STORE_VARIABLE)
        folder = data_home()
        if not given:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(
                    f"The operating system refused: {folder}: {error.strerror}; set KOZYR_HOME to another folder, or "
                    "name a store with --store"
                ) from None
        if not given:
            _make_private(folder / "kozyr.db")
        database = cls(read_url(given) if given else URL.create("sqlite", database=str(folder / "kozyr.db")))
        try:
            database._begin()
        except BaseException:
            database.close()
            raise
        return database

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Provide a connection that reads one consistent state."""
        self._look_for_file()
        with self._translated(), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Provide a connection whose changes are on the disk at the end; an exception rolls them back."""
        self._look_for_file()
        with self._translated(), self._engine.connect() as connection:
            connection = connection.execution_options(writes=True)
            with connection.begin():
                yield connection

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise StoreError(sentence(error, self.name)) from error
        except (ValueError, OverflowError) as error:
            if not _is_of_driver(error):
                raise
            larger = "expected numbers of at most 64 bits, got a larger one; mend the line that has it"
            damaged = larger if isinstance(error, OverflowError) else DAMAGED  # an invalid time or text
            raise StoreError(f"{self.name}: {damaged}") from error

    def _begin(self) -> None:
        before, self._opened = self._opened, None
        try:
            self._bring_up_to_date()
        except BaseException:
            self._opened = before  # to be tried again
            raise
        self._opened = self._file()

    def _look_for_file(self) -> None:
        """Check that the file is still the opened one; SQLite would write into one that was deleted or moved."""
        if self._opened is None or self._file() == self._opened:
            return
        self._engine.dispose()
        self._begin()
        raise StoreReplacedError(
            f"{self.name}: expected the file that was opened, got another or none; leave it there while it is used"
        )

    def _file(self) -> tuple[int, int] | None:
        """Return device and inode of the store's file; None if there is none."""
        try:
            found = os.stat(str(self.url.database)) if self.is_sqlite else None
        except OSError:
            return None
        return None if found is None else (found.st_dev, found.st_ino)

    def _bring_up_to_date(self) -> None:
        with self.reading() as connection:
            if self._version(connection) == HEAD:
                return
        with self.writing() as connection:
            if not self.is_sqlite:
                connection.execute(text("SET LOCAL statement_timeout = 0"))
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
            version = self._version(connection)  # another program may just have done it
            if version != HEAD:
                self._migrate(connection, version)

    def _version(self, connection: Connection) -> str | None:
        """Return the newest migration applied; None for an empty database. ``StoreError`` for a foreign one."""
        tables = [name for name in inspect(connection).get_table_names() if isinstance(name, str)]
        if VERSION_TABLE in tables:
            version = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
            if version is not None and not isinstance(version, str):
                raise StoreError(f"{self.name}: {DAMAGED}")
            return version
        if tables:
            raise StoreError(
                f"{self.name}: expected a store of kozyr or an empty database, got one with the tables "
                f"{', '.join(sorted(tables)[:3])}; name another with --store"
            )
        return None

    def _migrate(self, connection: Connection, version: str | None) -> None:
        from alembic import command
        from alembic.config import Config
        from alembic.script import ScriptDirectory
        from alembic.util import CommandError

        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
        if version is not None:
            try:
                ScriptDirectory.from_config(config).get_revision(version)
            except CommandError:
                raise StoreError(
                    f"{self.name}: expected a store of schema {HEAD} or older, got schema {version} of a newer kozyr; "
                    "install the newest kozyr, or name another store with --store"
                ) from None
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _is_of_driver(error: Exception) -> bool:
    """Check whether an error was raised while a row was read, by SQLAlchemy or the driver."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and "sqlalchemy" in last.tb_frame.f_code.co_filename.replace("\\", "/").split("/")


def _make_private(path: Path) -> None:
    """Make the program's own store readable by its owner alone, before it is filled; SQLite's other files follow it."""
    with suppress(OSError):  # SQLite says what is wrong there
        path.touch(0o600)
        path.chmod(0o600)


def _engine(url: URL, is_sqlite: bool, name: str) -> Engine:
    if is_sqlite:
        options: dict[str, Any] = {"timeout": WAIT_S}
    else:
        options = {
            "connect_timeout": CONNECT_S,
            "tcp_user_timeout": ANSWER_S * 1000,
            "options": f"-c lock_timeout={int(WAIT_S * 1000)} -c statement_timeout={ANSWER_S * 1000}",
        }
    try:
        engine = create_engine(
            url,
            connect_args=options,
            json_deserializer=read_json,
        )
    except (ImportError, NoSuchModuleError):
        raise StoreError(
            f"{name}: expected the driver of PostgreSQL, got none; install it with: pip install 'kozyr[postgres]'"
        ) from None
    if is_sqlite:
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: Any, record: object) -> None:
    connection.isolation_level = None  # transactions begin at BEGIN, not where the driver thinks
    connection.text_factory = read_text
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def sentence(error: Exception, name: str) -> str:
    """Return one sentence on what is wrong with the store ``name``, with the next step."""
    if isinstance(error, UnicodeDecodeError):
        return f"{name}: {DAMAGED}"
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    code = getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None) or ""
    found = next((say for starts, say in CAUSES if code.startswith(starts)), None)
    if found is None:
        came = one_line(cause).removeprefix("connection failed: ")
        return f"{name}: expected the store to do its part, got {came!r}; mend that, or name another with --store"
    return f"{name}: {found}"


DAMAGED = "expected a database, got a damaged one or another kind of file; move it away, or restore a backup of it"
CAUSES: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("SQLITE_BUSY", "SQLITE_LOCKED", "55P03"),
        f"expected the store to be free within {WAIT_S:g} s, got one that another program keeps locked; end that one",
    ),
    (
        ("SQLITE_FULL", "SQLITE_IOERR", "53100"),
        "expected room on the disk for the store, got none (or a disk that fails); make room there",
    ),
    (
        ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH", "25006", "42501"),
        "expected a store that may be written, in a folder that is there, got none; change that, or name another store",
    ),
    (("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT"), DAMAGED),
)
"""Codes of SQLite (by how their names begin) and of PostgreSQL (SQLSTATE), and what they mean for people."""

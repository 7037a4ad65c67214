"""Storing, listing, showing, resuming and deleting matches, in SQLite and in PostgreSQL."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import func, select

from tests.webapp.store.conftest import HEADER, STARTED
from webapp.errors import MatchDeletedError, MatchTakenError, StoreError, UnusableInputError
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.store.schema import metadata

Begin = Callable[..., Writing]

LED = {"at": 3.5, "event": "placed", "card": "7s", "by": "Аня", "confidence": 0.1 + 0.2}
LEGAL = {"line": 2, "at": 3.5, "ruling": "legal", "play": "lead", "cards": ["7s"], "by": "Аня", "text": "7♠"}
TURN = {"line": 1, "announce": "turn", "attacker": "Аня", "defender": "Борис", "text": "Аня leads."}
GAME = (RecordEntry(1, HEADER, (TURN,)), RecordEntry(2, LED, (LEGAL,)), RecordEntry(3, {"at": 4.0, "event": "tick"}))


def test_match_is_shown_with_its_announcements(store: Matches, begin: Begin) -> None:
    writing = begin()
    for entry in GAME:
        store.append(writing, [entry])
    assert store.show(writing.match) == (HEADER, TURN, LED, LEGAL, {"at": 4.0, "event": "tick"})
    assert [list(line) for line in store.show(writing.match)] == [
        list(line) for line in (HEADER, TURN, LED, LEGAL, {"at": 4.0, "event": "tick"})
    ]
    assert store.record(writing.match) == (HEADER, LED, {"at": 4.0, "event": "tick"})


def test_delayed_ruling_is_shown_where_it_was_announced(store: Matches, begin: Begin) -> None:
    writing = begin()
    store.append(
        writing,
        [RecordEntry(1, HEADER), RecordEntry(2, LED), RecordEntry(3, {"at": 4.0, "event": "tick"}, (LEGAL, TURN))],
    )
    assert store.show(writing.match)[1:] == (LED, {"at": 4.0, "event": "tick"}, LEGAL, TURN)


def test_list_shows_the_newest_match_first(store: Matches, begin: Begin) -> None:
    older, newer = begin(), begin("hall", STARTED + timedelta(hours=1))
    store.append(newer, GAME[:1])
    result = {"kind": "fool", "seats": ["Борис"]}
    store.append(older, [*GAME[:2], RecordEntry(3, {"at": 812.4, "event": "tick"}, (), result)])
    store.end(older)
    listed = store.list()
    assert [line["match"] for line in listed] == [newer.match, older.match]
    assert listed[1] == {
        "match": older.match,
        "table": "kitchen",
        "started": STARTED.astimezone().isoformat(),
        "rules": "podkidnoy-36",
        "seats": ["Аня", "Борис"],
        "events": 2,
        "seconds": 812.4,
        "result": result,
        "ended": True,
        "film": False,
        "demo": False,
        "table_only": True,
        "damaged": None,
    }
    assert (listed[0]["result"], listed[0]["ended"], listed[0]["seconds"]) == (None, False, 0.0)
    assert store.about(older.match) == (listed[1], {"kozyr": "0.1.0"})


def test_match_id_has_only_letters_digits_and_dashes(begin: Begin) -> None:
    match = begin().match
    assert match.startswith("2026-11-23-183005-")
    assert match.replace("-", "").isalnum()
    assert match.isascii()


def test_stored_lines_are_skipped(store: Matches, begin: Begin) -> None:
    writing = begin()
    store.append(writing, GAME[:2])
    store.append(writing, GAME[:2])
    store.append(writing, GAME)
    assert len(store.record(writing.match)) == 3


def test_gap_between_lines_is_refused(store: Matches, begin: Begin) -> None:
    writing = begin()
    store.append(writing, GAME[:1])
    with pytest.raises(StoreError, match="expected line 2 of match"):
        store.append(writing, GAME[2:])
    assert len(store.record(writing.match)) == 1


def test_failed_append_is_rolled_back(store: Matches, begin: Begin) -> None:
    writing = begin()
    store.append(writing, GAME[:1])
    with pytest.raises(StoreError):
        store.append(writing, [GAME[1], RecordEntry(3, GAME[2].data, ({**LEGAL, "line": None},))])
    assert store.record(writing.match) == (HEADER,)
    store.append(writing, GAME[1:])
    assert len(store.record(writing.match)) == 3


@pytest.mark.parametrize("name", ["Ве́ра 🂡", "<b>Vera</b>", "a/../b\\c", "'; DROP TABLE matches; --", "שרה"])
def test_names_are_stored_literally(store: Matches, begin: Begin, name: str) -> None:
    header = {**HEADER, "seats": [name, "B"]}
    reason = {"at": 1.0, "event": "blocked", "reason": f"{name}\x00\ud800"}
    writing = begin(name)
    store.append(writing, [RecordEntry(1, header), RecordEntry(2, reason)])
    assert store.show(writing.match) == (header, reason)
    assert store.list()[0]["table"] == name


@pytest.mark.parametrize("match", ["", "none", "2026\x00", "\ud800", "' OR 1=1", "x" * 4000])
def test_unknown_match_is_refused(store: Matches, begin: Begin, match: str) -> None:
    store.append(begin(), GAME)
    for ask in (store.show, store.about, store.delete, store.take_over):
        with pytest.raises(UnusableInputError, match="expected the ID of a kept match"):
            ask(match)
    assert len(store.list()) == 1


def test_deleting_a_match_removes_all_its_rows(store: Matches, open_store: Any, begin: Begin, url: str) -> None:
    writing, other = begin(), begin()
    corrected = {"at": 5.0, "event": "corrected", "line": 2, "to": None, "by": "Аня"}
    store.append(writing, [*GAME, RecordEntry(4, corrected)])
    store.append(other, GAME[:1])
    store.delete(writing.match)
    assert [line["match"] for line in store.list()] == [other.match]
    database = Database.open(url)
    with database.reading() as connection:
        counts = {
            name: connection.execute(select(func.count()).select_from(table)).scalar()
            for name, table in metadata.tables.items()
        }
    database.close()
    assert counts == {
        "matches": 1, "players": 2, "events": 1, "said": 1, "corrections": 0, "moments": 0, "replays": 0, "facts": 0,
        "tables": 0,
    }  # fmt: skip


def test_writing_a_deleted_match_raises_an_error(store: Matches, begin: Begin) -> None:
    writing = begin()
    store.append(writing, GAME[:2])
    store.delete(writing.match)
    with pytest.raises(MatchDeletedError, match="somebody deleted it"):
        store.append(writing, GAME[2:])
    assert store.list() == ()


def test_resuming_a_match_takes_it_from_the_earlier_writer(open_store: Callable[[], Matches], begin: Begin) -> None:
    first, second = open_store(), open_store()
    writing = begin()
    first.append(writing, GAME[:2])
    taken, so_far = second.take_over(writing.match)
    assert so_far == GAME[:2]
    with pytest.raises(MatchTakenError, match="another program"):
        first.append(writing, GAME[2:])
    second.append(taken, GAME[2:])
    assert len(first.record(writing.match)) == 3


def test_newest_unfinished_match_is_of_the_same_table(store: Matches, begin: Begin) -> None:
    assert store.newest_open("kitchen") is None
    open_one, ended, elsewhere = (
        begin(table, STARTED + timedelta(minutes=minute)) for minute, table in enumerate(("kitchen", "kitchen", "hall"))
    )
    for writing in (open_one, ended, elsewhere):
        store.append(writing, GAME[:1])
    store.end(ended)
    assert store.newest_open("kitchen") == open_one.match
    store.end(open_one)
    assert store.newest_open("kitchen") is None
    store.take_over(ended.match)
    assert store.newest_open("kitchen") == ended.match


def test_two_programs_store_matches_concurrently(open_store: Callable[[], Matches], begin: Begin) -> None:
    first, second = open_store(), open_store()
    one, two = begin("one"), begin("two")
    for entry in GAME:
        first.append(one, [entry])
        second.append(two, [entry])
    assert len(first.list()) == 2
    assert first.record(two.match) == second.record(one.match)


def test_corrections_are_found_by_their_line(store: Matches, begin: Begin, url: str) -> None:
    from webapp.store.schema import corrections

    writing = begin()
    lines = (
        {"at": 5.0, "event": "corrected", "line": 2, "to": None, "by": "Аня"},
        {"at": 5.0, "event": "corrected", "after": 2, "insert": {"event": "tick"}},
        {"at": 6.0, "event": "corrected", "table": {"talon": 7}},
    )
    store.append(writing, [*GAME, *(RecordEntry(4 + n, line) for n, line in enumerate(lines))])
    database = Database.open(url)
    with database.reading() as connection:
        rows = connection.execute(select(corrections.c.line, corrections.c.about, corrections.c.by)).all()
    database.close()
    assert [tuple(row) for row in rows] == [(4, 2, "Аня"), (5, 2, None), (6, None, None)]


def test_crop_of_a_card_is_stored(store: Matches, begin: Callable[..., Writing]) -> None:
    writing = begin()
    laid = {"at": 1.2, "event": "placed", "card": "9s", "by": "Аня"}
    crop = ("9c", b64encode(b"a JPEG\x00").decode())
    swept = {"at": 2.0, "event": "swept", "to": "heap"}
    entries = [RecordEntry(1, HEADER), RecordEntry(2, laid, moment=(12, 1.2), crop=crop)]
    store.append(writing, [*entries, RecordEntry(3, swept, moment=(20, 2.0))])
    assert store.crop(writing.match, 2) == ("9c", b"a JPEG\x00")
    assert store.crop(writing.match, 3) is None
    assert store.crop("\x00nobody", 2) is None
    store.delete(writing.match)
    assert store.crop(writing.match, 2) is None


def test_number_beyond_the_store_is_refused_in_one_sentence(store: Matches, begin: Begin) -> None:
    writing = begin()
    store.append(writing, GAME[:1])
    with pytest.raises(StoreError, match="expected"):
        store.append(writing, [RecordEntry(2, {"at": 0.0, "event": "corrected", "line": -(10**20), "to": None})])
    assert store.record(writing.match) == (HEADER,)


def test_free_room_is_the_least_of_the_disks_of_store_and_films(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "films").mkdir()
    free = {tmp_path: 5_000, tmp_path / "films": 3_000}
    monkeypatch.setattr("webapp.store.disk.shutil.disk_usage", lambda folder: SimpleNamespace(free=free[folder]))
    database = Database.open(f"sqlite:///{tmp_path}/kozyr.db")
    assert Matches(database).free_bytes == 5_000
    assert Matches(database, Films(tmp_path / "films" / "of" / "kitchen")).free_bytes == 3_000
    database.close()

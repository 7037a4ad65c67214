"""
Write matches while they are played, and read them afterwards.

A match belongs to one program at a time, the one that holds its ``writer`` key. Lines are appended in order, each with
its rulings and announcements, in one transaction. Lines that are stored already are skipped, so that a repeated request
after a lost answer does no harm.
"""

from __future__ import annotations

import re
import secrets
import string
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, Text, bindparam, cast, delete, insert, select, update

from webapp.errors import MatchDeletedError, MatchTakenError, StoreError, UnusableInputError
from webapp.shipped_recording import demo_key
from webapp.store.database import Database
from webapp.store.disk import free_bytes
from webapp.store.evenings import FinishedGame, MatchFacts, counted_once, read_facts
from webapp.store.films import Films
from webapp.store.live_tables import LiveTables
from webapp.store.match_rows import DamagedRow, MatchRow, is_result, read_line, read_row, read_said
from webapp.store.schema import corrections, events, facts, matches, moments, players, replays, said


def event_times(lines: Iterable[Mapping[str, Any]]) -> Mapping[int, float]:
    """Return the time in seconds of each record line that has one, by its number."""
    record = (line for line in lines if "kozyr" in line or "event" in line)
    numbered = enumerate(record, start=1)
    return {number: line["at"] for number, line in numbered if line.get("at") is not None}


LETTERS = string.ascii_lowercase + string.digits
MATCH_ID = re.compile(r"\d{4}-\d{2}-\d{2}-\d{6}-[a-z0-9]{4}")
"""IDs made by ``Writing.begin``: the start of the match, and four random letters."""


@dataclass(frozen=True, slots=True)
class RecordEntry:
    """
    One line of a record with its rulings and announcements.

    ``line``: its number, the header being 1; ``data``: the line itself. ``said``: rulings and announcements, with the
    keys of docs/record.md, *Rulings and announcements*. ``result``: that of the match after this line, None before its
    end. ``moment``: number and time of the film's frame, if the match was filmed; ``crop``: the card as it was read,
    and its picture, a JPEG in base64.
    """

    line: int
    data: Mapping[str, Any]
    said: tuple[Mapping[str, Any], ...] = ()
    result: Mapping[str, Any] | None = None
    moment: tuple[int, float] | None = None
    crop: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Writing:
    """
    A match that this program writes: its ID, the key that allows it, and what is kept besides the record.

    ``table``: the table's name. ``versions``: of the program and its libraries; ``deck`` among them is the
    players' own that it was read with. ``recording``: a key of the film that is refereed, equal for each time it is
    watched; None: a camera.
    """

    match: str
    writer: str
    table: str
    started: datetime
    versions: Mapping[str, str]
    recording: str | None = None

    @classmethod
    def begin(cls, table: str, started: datetime, versions: Mapping[str, str], recording: str | None = None) -> Writing:
        """Return a new match; its ID contains its start, as in ``2026-11-23-193005-k7f3``."""
        chance = "".join(secrets.choice(LETTERS) for _ in range(4))
        return cls(f"{started:%Y-%m-%d-%H%M%S}-{chance}", secrets.token_hex(16), table, started, versions, recording)


class Matches:
    """The matches of a store, and their films if their folder is known. Failures of the store raise ``StoreError``."""

    def __init__(self, database: Database, films: Films | None = None) -> None:
        self._database = database
        self.films = films
        self.tables = LiveTables(database)
        self.name = database.name

    @property
    def free_bytes(self) -> int | None:
        """Return the least free bytes of the disks of store and films; None if neither is on this machine."""
        folders = (self._database.folder, None if self.films is None else self.films.folder)
        free = [free_bytes(folder) for folder in folders if folder is not None]
        return min(free, default=None)

    def append(self, writing: Writing, entries: Sequence[RecordEntry]) -> None:
        """
        Write the next lines of a match; all of them are on the disk when this returns.

        The first line creates the match. ``MatchDeletedError``, ``MatchTakenError`` if it no longer belongs to this
        program.
        """
        with self._database.writing() as connection:
            row = connection.execute(_locked(writing.match)).first()
            if row is None and entries[0].line == 1:
                _make(connection, writing, entries[0].data)
                stored = 0
            else:
                stored = _own(row, writing).lines
            fresh = [entry for entry in entries if entry.line > stored]
            if not fresh:
                return
            if fresh[0].line != stored + 1:
                raise StoreError(
                    f"{self.name}: expected line {stored + 1} of match {writing.match} next, got line {fresh[0].line}; "
                    "look for the lines between in the folder 'unsent'"
                )
            _insert(connection, writing.match, fresh)

    def end(self, writing: Writing) -> None:
        with self._database.writing() as connection:
            _own(connection.execute(_locked(writing.match)).first(), writing)
            connection.execute(update(matches).where(matches.c.match == writing.match).values(ended=True))

    def amend(self, match: str, entries: Sequence[RecordEntry]) -> None:
        """
        Append lines to a match that has ended: people's corrections.

        ``MatchTakenError`` if it is being continued, or was changed meanwhile.
        """
        with self._database.writing() as connection:
            found = select(matches).where(_is(match)).with_for_update()
            row = self._found(connection.execute(found).first(), match)
            if not row.ended or row.lines + 1 != entries[0].line:
                raise MatchTakenError(
                    f"expected match {match} as it was read, got it changed meanwhile; reload it and try again"
                )
            _insert(connection, match, entries)
            # A program that still holds the match goes on as another one instead of losing its next line.
            connection.execute(update(matches).where(_is(match)).values(writer=secrets.token_hex(16)))

    def take_over(self, match: str) -> tuple[Writing, tuple[RecordEntry, ...]]:
        """Return a new key to write a match, which ends that of any other program, and its lines so far."""
        with self._database.writing() as connection:
            found = connection.execute(select(matches).where(_is(match)).with_for_update()).first()
            row = self._whole(found, match)
            writing = Writing(match, secrets.token_hex(16), row.table_name, row.started, row.versions, row.recording)
            values = {"writer": writing.writer, "ended": False}
            connection.execute(update(matches).where(_is(match)).values(values))
            return writing, tuple(_entries(connection, self.name, match, row.result))

    def newest_open(self, table: str, *, of_camera: bool = False) -> str | None:
        """
        Return the ID of the newest match of a table that has not ended and can be read; None if there is none.

        ``of_camera``: matches of recordings don't count.
        """
        open_ones = select(matches).where(matches.c.table_name == table, matches.c.ended.is_(False))
        if of_camera:
            open_ones = open_ones.where(matches.c.recording.is_(None))
        with self._database.reading() as connection:
            found = map(read_row, connection.execute(open_ones.order_by(*NEWEST_FIRST)))
            return next((row.match for row in found if isinstance(row, MatchRow)), None)

    def list(self) -> tuple[Mapping[str, Any], ...]:
        """
        Return a line for each match (docs/store.md), the newest first; of one with a damaged row what can be saved.
        """
        with self._database.reading() as connection:
            rows = map(read_row, connection.execute(select(matches).order_by(*NEWEST_FIRST)))
            return tuple(
                self._listed(row) if isinstance(row, MatchRow) else _listed_damaged(row, self.name) for row in rows
            )

    def about(self, match: str) -> tuple[Mapping[str, Any], Mapping[str, str]]:
        with self._database.reading() as connection:
            row = self._whole(connection.execute(select(matches).where(_is(match))).first(), match)
            return self._listed(row), row.versions

    def show(self, match: str) -> tuple[Mapping[str, Any], ...]:
        """
        Return header, events, rulings and announcements in order, as ``kozyr review`` prints them, also of a match
        whose row is damaged. ``StoreError`` where one of them is.
        """
        with self._database.reading() as connection:
            self._found(connection.execute(select(matches.c.match).where(_is(match))).first(), match)
            entries = tuple(_entries(connection, self.name, match, None))
        return tuple(line for entry in entries for line in (entry.data, *entry.said))

    def record(self, match: str) -> tuple[Mapping[str, Any], ...]:
        return tuple(line for line in self.show(match) if "kozyr" in line or "event" in line)

    def comments(self, match: str) -> Mapping[int, str]:
        """Return what people wrote to the lines of a match: line number -> comment."""
        commented = select(events.c.line, events.c.data).where(events.c.match == _id(match))
        with self._database.reading() as connection:
            rows = connection.execute(commented.where(cast(events.c.data, Text).like('%"comment"%'))).all()
        of_lines = ((row.line, row.data.get("comment")) for row in rows if isinstance(row.data, dict))
        return {line: str(text) for line, text in of_lines if text}

    def comment(self, match: str, line: int, text: str) -> None:
        """
        Write a comment on a line of the record, replacing an earlier one; an empty text removes it.

        ``UnusableInputError`` if there is no such match or line.
        """
        of_line = (events.c.match == _id(match)) & (events.c.line == line)
        with self._database.writing() as connection:
            self._found(connection.execute(_locked(match)).first(), match)
            found = connection.execute(select(events.c.data).where(of_line)).first()
            if found is None:
                raise UnusableInputError(f"expected a line of match {match}, got {line}, which it does not have")
            written = read_line(self.name, match, line, found.data)
            data = {key: value for key, value in written.items() if key != "comment"}
            data |= {"comment": text} if text else {}
            connection.execute(update(events).where(of_line).values(data=data))

    def games(self) -> tuple[FinishedGame, ...]:
        """
        Return every game with a result that holds, in the order of the matches: a recording's games once, and none of
        the shipped recording, whose players are nobody's. What is damaged of a match counts in nobody's score.
        """
        results: dict[str, list[Mapping[str, Any]]] = {}
        announced = select(said.c.match, said.c.data).where(cast(said.c.data, Text).like('%"result"%'))
        with self._database.reading() as connection:
            for match, data in connection.execute(announced.order_by(said.c.match, said.c.after, said.c.place)):
                if not isinstance(data, dict) or not is_result(data):
                    continue
                standing = results.setdefault(match, [])
                result = {"kind": data.get("kind"), "seats": data.get("seats")}
                if data.get("announce") == "result":
                    standing.append(result)
                elif data.get("announce") == "withdrawn" and data.get("of") == "result" and result in standing:
                    del standing[len(standing) - 1 - standing[::-1].index(result)]  # the newest of them
            rows = [read_row(row) for row in connection.execute(select(matches).order_by(*OLDEST_FIRST))]
        return counted_once(
            FinishedGame(
                row.match,
                row.table_name,
                row.started,
                row.started + timedelta(seconds=row.seconds),
                tuple(row.seats),
                result,
                row.recording,
            )
            for row in rows
            if isinstance(row, MatchRow) and (row.recording is None or row.recording != demo_key())
            for result in results.get(row.match, ())
        )

    def moments(self, match: str) -> tuple[Mapping[str, Any], ...]:
        """Return for each filmed line: ``line``, its ``frame`` (from 0) and the frame's ``at`` in seconds."""
        of_match = select(moments.c.line, moments.c.frame, moments.c.at).where(moments.c.match == match)
        with self._database.reading() as connection:
            self._found(connection.execute(select(matches.c.match).where(_is(match))).first(), match)
            return tuple(dict(row._mapping) for row in connection.execute(of_match.order_by(moments.c.line)))

    def crop(self, match: str, line: int) -> tuple[str, bytes] | None:
        """Return the card of a line as it was read, and its picture, a JPEG; None if no picture was kept."""
        of_line = select(moments.c.card, moments.c.crop).where(moments.c.match == _id(match), moments.c.line == line)
        with self._database.reading() as connection:
            found = connection.execute(of_line.where(moments.c.crop.is_not(None)).limit(1)).first()
            return None if found is None else (found.card, bytes(found.crop))

    def replay(self, match: str, lines: int, judged_by: str, behind: int = 0) -> bytes | None:
        """Return the replay of ``lines`` lines, or up to ``behind`` less, by this referee; None if it is not cached."""
        found = select(replays.c.data).where(
            replays.c.match == match,
            replays.c.lines.between(lines - behind, lines),
            replays.c.judged_by == judged_by,
        )
        with self._database.reading() as connection:
            data = connection.execute(found).scalar()
            return None if data is None else bytes(data)

    def keep_replay(self, match: str, lines: int, judged_by: str, data: bytes) -> None:
        """Store a replay in place of an earlier one; do nothing if the match was deleted meanwhile."""
        with self._database.writing() as connection:
            connection.execute(delete(replays).where(replays.c.match == match))
            if connection.execute(select(matches.c.match).where(matches.c.match == match)).first() is not None:
                row = {"match": match, "lines": lines, "judged_by": judged_by, "data": data}
                connection.execute(insert(replays), row)

    def facts(self) -> dict[str, tuple[int, MatchFacts]]:
        """Return match ID -> number of lines of which its cached facts are, and the facts, but for damaged ones."""
        with self._database.reading() as connection:
            rows = connection.execute(select(facts.c.match, facts.c.lines, facts.c.data))
            found = ((match, lines, read_facts(data)) for match, lines, data in rows)
            return {match: (lines, facts) for match, lines, facts in found if facts is not None}

    def keep_facts(self, found: Mapping[str, tuple[int, MatchFacts]]) -> None:
        """Store facts in place of earlier ones; leave out matches that were deleted meanwhile."""
        with self._database.writing() as connection:
            there = set(connection.execute(select(matches.c.match)).scalars())
            gone = [{"of": match} for match in found]
            connection.execute(delete(facts).where(facts.c.match == bindparam("of")), gone)
            rows = [{"match": match, "lines": lines, "data": each.as_json()} for match, (lines, each) in found.items()]
            if kept := [row for row in rows if row["match"] in there]:
                connection.execute(insert(facts), kept)

    def delete(self, match: str) -> None:
        """Delete a match with everything about it and its film. ``FilmError`` if the film's file cannot be deleted."""
        with self._database.writing() as connection:
            self._found(connection.execute(_locked(match)).first(), match)
            connection.execute(delete(matches).where(_is(match)))
        if self.films is not None:
            self.films.delete(match)

    def _listed(self, row: MatchRow) -> Mapping[str, Any]:
        return {
            "match": row.match,
            "table": row.table_name,
            "started": row.started.astimezone().isoformat(timespec="seconds"),
            "rules": row.rules,
            "seats": row.seats,
            "events": row.lines - 1,
            "seconds": row.seconds,
            "result": row.result,
            "ended": row.ended,
            "demo": row.recording is not None and row.recording == demo_key(),
            "table_only": row.recording is None,
            "film": row.film is not None if self.films is None else self.films.has(row.match),
            "damaged": None,
        }

    def _whole(self, row: Row[Any] | None, match: str) -> MatchRow:
        """Return the row of a match; ``UnusableInputError`` without one, ``StoreError`` if it is damaged."""
        found = read_row(self._found(row, match))
        if isinstance(found, DamagedRow):
            raise found.error(self.name)
        return found

    def _found(self, row: Row[Any] | None, match: str) -> Row[Any]:
        if row is None:
            raise UnusableInputError(
                f"expected the ID of a kept match, got {match!r:.80}, which {self.name} does not hold; "
                "'kozyr matches' lists them"
            )
        return row


def _listed_damaged(row: DamagedRow, store: str) -> Mapping[str, Any]:
    """Return the line of a match whose row is damaged; none of its games counts in a score."""
    saved = row.saved
    return {
        "match": row.match,
        "table": saved.get("table_name", ""),
        "started": saved["started"].astimezone().isoformat(timespec="seconds") if "started" in saved else None,
        "rules": saved.get("rules", ""),
        "seats": saved.get("seats", []),
        "events": max(0, saved.get("lines", 1) - 1),
        "seconds": saved.get("seconds", 0.0),
        "result": saved.get("result"),
        "ended": saved.get("ended", True),
        "demo": False,
        "table_only": saved.get("recording", "") is None,
        "film": False,
        "damaged": str(row.error(store)),
    }


NEWEST_FIRST = (matches.c.started.desc(), matches.c.match.desc())
OLDEST_FIRST = (matches.c.started, matches.c.match)


def _is(match: str) -> Any:
    # PostgreSQL takes no zero byte in a text, SQLite no half of a character; no ID has either.
    return matches.c.match == _id(match)


def _id(match: str) -> str:
    return match if match.isprintable() else ""


def _locked(match: str) -> Any:
    """Select the row with a match's number of lines and writer; it is locked until the transaction ends."""
    return select(matches.c.match, matches.c.lines, matches.c.writer).where(_is(match)).with_for_update()


def _own(row: Row[Any] | None, writing: Writing) -> Row[Any]:
    if row is None:
        raise MatchDeletedError(
            f"expected match {writing.match} to be in the store, got none: somebody deleted it; "
            "what follows of this game is not kept"
        )
    if row.writer != writing.writer:
        raise MatchTakenError(
            f"expected to write match {writing.match} alone, got another program that goes on with it; "
            "end one of the two"
        )
    return row


def _make(connection: Connection, writing: Writing, header: Mapping[str, Any]) -> None:
    row = {
        "match": writing.match,
        "table_name": writing.table,
        "started": writing.started,
        "rules": header["rules"],
        "seats": header["seats"],
        "versions": dict(writing.versions),
        "recording": writing.recording,
        "lines": 0,
        "seconds": 0.0,
        "ended": False,
        "writer": writing.writer,
    }
    connection.execute(insert(matches), row)
    seated = [{"match": writing.match, "place": place, "name": name} for place, name in enumerate(header["seats"])]
    connection.execute(insert(players), seated)


def _insert(connection: Connection, match: str, entries: Sequence[RecordEntry]) -> None:
    lines = [
        {"match": match, "line": entry.line, "at": entry.data.get("at"), "data": dict(entry.data)} for entry in entries
    ]
    connection.execute(insert(events), lines)
    words = [
        {"match": match, "after": entry.line, "place": place, "line": said["line"], "data": dict(said)}
        for entry in entries
        for place, said in enumerate(entry.said)
    ]
    if words:
        connection.execute(insert(said), words)
    corrected = [
        {
            "match": match,
            "line": entry.line,
            "about": entry.data.get("line", entry.data.get("after")),
            "by": entry.data.get("by"),
        }
        for entry in entries
        if entry.data.get("event") == "corrected"
    ]
    if corrected:
        connection.execute(insert(corrections), corrected)
    filmed = [
        {
            "match": match,
            "line": entry.line,
            "frame": entry.moment[0],
            "at": entry.moment[1],
            "card": None if entry.crop is None else entry.crop[0],
            "crop": None if entry.crop is None else b64decode(entry.crop[1]),
        }
        for entry in entries
        if entry.moment is not None
    ]
    if filmed:
        connection.execute(insert(moments), filmed)
    newest = entries[-1]
    result = None if newest.result is None else dict(newest.result)
    values = {"lines": newest.line, "seconds": newest.data.get("at") or 0.0, "result": result}
    if filmed:
        values["film"] = f"{match}.mp4"
    connection.execute(update(matches).where(_is(match)).values(values))


def _entries(connection: Connection, store: str, match: str, result: Mapping[str, Any] | None) -> Iterator[RecordEntry]:
    """
    Yield the lines of a match; ``result``, known of the whole match only, is on the last one. ``StoreError`` where one
    is damaged.
    """
    words: dict[int, list[Mapping[str, Any]]] = {}
    of_match = select(said.c.after, said.c.data).where(said.c.match == match)
    for after, data in connection.execute(of_match.order_by(said.c.after, said.c.place)):
        words.setdefault(after, []).append(read_said(store, match, after, data))
    rows = connection.execute(
        select(events.c.line, events.c.data).where(events.c.match == match).order_by(events.c.line)
    ).all()
    for line, written in rows:
        data = read_line(store, match, line, written)
        if data.get("at", 0.0) is None:  # written so by another program: a line without a time
            data = {key: value for key, value in data.items() if key != "at"}
        yield RecordEntry(line, data, tuple(words.get(line, ())), result if line == len(rows) else None)

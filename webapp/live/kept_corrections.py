"""Correct a kept match that has ended: judge its record again and append the correction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from referee.events import Corrected, Pressed
from referee.record import Header, check_seats
from webapp.errors import MatchGoesOnError
from webapp.live.live_match import CorrectedMatch, LiveMatch
from webapp.live.open_matters import Answered
from webapp.store.matches import Matches, RecordEntry


class _Added:
    """Collect the lines of a correction, to be appended to the store in one step."""

    def __init__(self, line: int) -> None:
        self._line = line
        self.entries: list[RecordEntry] = []

    def write(
        self, line: Mapping[str, Any], said: tuple[Mapping[str, Any], ...], result: Mapping[str, Any] | None
    ) -> None:
        self._line += 1
        self.entries.append(RecordEntry(self._line, line, said, result))


def judged_again(matches: Matches, match: str) -> LiveMatch:
    """Judge a kept match again from its record. ``UnusableInputError`` if there is no such match."""
    return _judged(matches.record(match))


def correct_kept(matches: Matches, match: str, correction: Corrected | Pressed | Answered) -> CorrectedMatch:
    """
    Append a correction, the undo of one, or an answer; return what it changed.

    Raises ``RefereeError`` if it contradicts the record, ``NotAskedError`` if nobody asks that any more,
    ``MatchGoesOnError`` during the match, ``UnusableInputError`` if there is no such match, ``StoreError`` if the store
    fails; nothing has changed then.
    """
    about, _ = matches.about(match)
    if not about["ended"]:
        raise MatchGoesOnError(
            f"expected a match that has ended, got {match}, which goes on; correct it on the page of its table, "
            "or go on with it: kozyr watch SOURCE --resume"
        )
    record = matches.record(match)
    added = _Added(len(record))
    judged = _judged(record, added)
    if not isinstance(correction, Answered):
        check_seats(correction, judged.header.seats)
    done = judged.correct(replace(correction, at=float(about["seconds"])))
    matches.amend(match, added.entries)
    return done


def _judged(record: tuple[Mapping[str, Any], ...], store: _Added | None = None) -> LiveMatch:
    match = LiveMatch(Header.parse(record[0]), store=store)
    match.resume(record, has_ended=True)
    return match

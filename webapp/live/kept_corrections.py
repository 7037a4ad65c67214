"""A kept match that has ended is put right: judged again from its record, the correction appended to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from referee.events import Corrected, Pressed
from referee.record import Header, check_seats
from webapp.errors import MatchGoesOnError
from webapp.live.match import CorrectedMatch, Match
from webapp.store.matches import Matches, RecordEntry


class _Added:
    """A store that takes the lines of a correction, to be appended at once."""

    def __init__(self, line: int) -> None:
        self._line = line
        self.entries: list[RecordEntry] = []

    def write(
        self, line: Mapping[str, Any], said: tuple[Mapping[str, Any], ...], result: Mapping[str, Any] | None
    ) -> None:
        self._line += 1
        self.entries.append(RecordEntry(self._line, line, said, result))


def judged_again(matches: Matches, match: str) -> Match:
    """A kept match, judged again from its record. ``UnusableInputError`` where there is no such match."""
    return _judged(matches.record(match))


def correct_kept(matches: Matches, match: str, correction: Corrected | Pressed) -> CorrectedMatch:
    """
    Append a correction, or the undo of the last one; what changed by it.

    ``RefereeError`` where it can't be meant so, ``MatchGoesOnError`` where the match goes on, ``UnusableInputError``
    where there is none, ``StoreError`` where the store fails; nothing has changed then.
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
    check_seats(correction, judged.header.seats)
    done = judged.correct(replace(correction, at=float(about["seconds"])))
    matches.amend(match, added.entries)
    return done


def _judged(record: tuple[Mapping[str, Any], ...], store: _Added | None = None) -> Match:
    match = Match(Header.parse(record[0]), store=store)
    match.resume(record, has_ended=True)
    return match

"""Find where a kept match that has not ended goes on: at this program's table, at another one, or nowhere any more."""

from __future__ import annotations

from msgspec import field

from referee.fields import PlainValue
from webapp.errors import MatchGoesOnError
from webapp.store.matches import Matches
from webapp.web.app_services import AppServices


class PlayedAt(PlainValue, frozen=True):
    """
    Where a match goes on. ``is_here``: at this program's table. Else ``table``: the table that reports it, None if none
    does, as after a power cut; ``address``: of that table's page, None if others can't reach it.
    """

    is_here: bool = field(name="here")
    table: str | None = None
    address: str | None = None


def played_at(matches: Matches, table: AppServices, match: str) -> PlayedAt | None:
    """
    Return where a match goes on, None if it has ended. ``table``: of this program.

    ``UnusableInputError`` if there is no such match.
    """
    about, _ = matches.about(match)
    if match == table.live_match:
        return PlayedAt(is_here=True)
    if about["ended"]:
        return None
    live = next((each for each in matches.tables.reported() if each.is_live and each.data["match"] == match), None)
    return PlayedAt(False) if live is None else PlayedAt(False, live.table, live.data["address"])


def end_broken_off(matches: Matches, table: AppServices, match: str) -> None:
    """
    List a match as ended whose program no longer runs. ``MatchGoesOnError`` if a table still plays it.
    """
    place = played_at(matches, table, match)
    if place is None:
        return
    if place.is_here or place.table is not None:
        raise MatchGoesOnError(f"expected a match that no table plays, got {match:.40}; end it at its table")
    writing, _ = matches.take_over(match)
    matches.end(writing)

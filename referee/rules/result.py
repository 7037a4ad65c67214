"""Dropping out, and the end of a deal (docs/rules.md, 9 and 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic

from referee.fields import PlainValue
from referee.seating import S
from referee.table import Table


class Result(PlainValue, Generic[S], frozen=True):
    """How the deal ended: ``kind`` as docs/record.md has it, and the seats it names."""

    kind: str
    seats: tuple[S, ...]

    def losers(self, everybody: Sequence[S]) -> tuple[S, ...]:
        """Return the seats that lost: none in a draw; where a side has won, all others."""
        if self.kind in ("fool", "team-fool"):
            return self.seats
        if self.kind == "draw":
            return ()
        return tuple(seat for seat in everybody if seat not in self.seats)


def empty_hands(table: Table) -> tuple[int, ...]:
    """
    Return the seats that drop out now, in the order in which they ran out: an empty hand and an empty talon.

    A defender with a card still unbeaten stays in, unless running out wins the deal: the defender will have to take.
    """
    if table.talon_count:
        return ()
    empty = [seat for seat in table.living if not table.held(seat)]
    if not empty:
        return ()
    if table.unbeaten and table.defender in empty and not _wins_by_it(table, table.defender, empty):
        empty.remove(table.defender)
    emptied = table.emptied
    return tuple(sorted(empty, key=lambda seat: emptied.index(seat) if seat in emptied else 99))


def _wins_by_it(table: Table, seat: int, empty: list[int]) -> bool:
    """Check whether a seat wins the deal, alone or for its team, by running out. ``empty``: all who run out now."""
    rules, team = table.rules, table.seating.team(seat)
    if rules.result != "first_out_wins":
        return False
    return not table.seating.teams or rules.team_end == "first_player_out" or set(team) <= {*table.out, *empty}


def deal_result(table: Table, out: tuple[int, ...]) -> Result[int] | None:
    """
    Return the result of the deal; None: not decided. ``out``: the seats out by now, in order.

    There are two forms of result: the first out wins (French, French house), or the last with cards loses (pagat,
    Hebrew, Spanish).
    """
    rules, seating = table.rules, table.seating
    if not out:
        return None
    if rules.result == "first_out_wins":
        finished = [seat for seat in out if seat not in table.resigned]
        if not finished:
            return None
        first = finished[0]
        if not seating.teams:
            return Result("winner", (first,))
        if rules.team_end == "first_player_out":
            return Result("team-winner", seating.team(first))
        winners = next((team for team in seating.teams if set(team) <= set(out)), None)
        return Result("team-winner", winners) if winners else None
    sides = {seating.team(seat) for seat in seating.seats if seat not in out}
    if len(sides) > 1:
        return None
    if sides:
        (losers,) = sides
    elif rules.all_out == "draw":
        return Result("draw", ())
    else:
        losers = seating.team(table.defender)
    return Result("team-fool" if seating.teams else "fool", losers)

"""Rules of dropping out and of the end of a deal (docs/rules.md, 9 and 10)."""

from __future__ import annotations

from referee.game import GameState, Result


def empty_hands(state: GameState) -> tuple[str, ...]:
    """
    Return the seats that drop out now, in the order in which they ran out: an empty hand and an empty talon.

    A defender with a card still unbeaten stays in, unless running out wins the deal: the defender will have to take.
    """
    if state.ledger.talon:
        return ()
    empty = [seat for seat in state.living if not state.ledger.hands[seat]]
    bout = state.bout
    if bout is not None and bout.unbeaten and bout.defender in empty and not _wins_by_it(state, bout.defender, empty):
        empty.remove(bout.defender)
    return tuple(sorted(empty, key=lambda seat: state.emptied.index(seat) if seat in state.emptied else 99))


def _wins_by_it(state: GameState, seat: str, empty: list[str]) -> bool:
    """Check whether a seat wins the deal, alone or for its team, by running out. ``empty``: all who run out now."""
    rules, team = state.rules, state.seating.team(seat)
    if rules.result != "first_out_wins":
        return False
    return not state.seating.teams or rules.team_end == "first_player_out" or set(team) <= {*state.out, *empty}


def deal_result(state: GameState, defender: str) -> Result | None:
    """
    Return the result of the deal; None: not decided. ``state.out``: seats out by now; ``defender``: of the last bout.

    There are two forms of result: the first out wins (French, French house), or the last with cards loses (pagat,
    Hebrew, Spanish).
    """
    rules, table = state.rules, state.seating
    if not state.out:
        return None
    if rules.result == "first_out_wins":
        finished = [seat for seat in state.out if seat not in state.resigned]
        if not finished:
            return None
        first = finished[0]
        if not table.teams:
            return Result("winner", (first,))
        if rules.team_end == "first_player_out":
            return Result("team-winner", table.team(first))
        winners = next((team for team in table.teams if set(team) <= set(state.out)), None)
        return Result("team-winner", winners) if winners else None
    living = state.living
    sides = {table.team(seat) for seat in living}
    if len(sides) > 1:
        return None
    if sides:
        (losers,) = sides
    elif rules.all_out == "draw":
        return Result("draw", ())
    else:
        losers = table.team(defender)
    return Result("team-fool" if table.teams else "fool", losers)


def losers_of(result: Result, state: GameState) -> tuple[str, ...]:
    """Return the seats that lost: none in a draw; where a side has won, all others."""
    if result.kind in ("fool", "team-fool"):
        return result.seats
    if result.kind == "draw":
        return ()
    return tuple(seat for seat in state.seating.seats if seat not in result.seats)

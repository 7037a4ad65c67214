"""
Bouts begin and end, seats drop out, and a deal is decided (docs/rules.md, 7, 9 and 10).

A bout that was swept stays, with ``ended`` set, while draws are owed.
"""

from __future__ import annotations

from dataclasses import replace

from referee.game import Bout, GameState, Phase, Refill
from referee.rules.attack import bout_limit
from referee.rules.draw import draws_due
from referee.rules.result import Result, deal_result, empty_hands
from referee.rules.sweep import next_turn


def begin_bout(state: GameState, attacker: str, defender: str, number: int) -> GameState:
    """Begin a new bout; its limit follows from the defender's hand at this moment."""
    held = state.ledger.hands[defender]
    limit = bout_limit(state.rules, number, state.beaten_off, held)
    bout = Bout(number, attacker, defender, limit, state.ledger.hands)
    return state.replace(phase=Phase.ATTACK, bout=bout, leaders=())


def end_bout(state: GameState, how: str) -> GameState:
    """End the bout, whose cards are already entered in the ledger. ``how``: "beaten" or "taken"."""
    bout, seats = state.the_bout, state.seating.seats
    ended = bout.replace(attacks=(), strays=(), faceless=(), ended=how)
    due = tuple((seats[seat], count) for seat, count in draws_due(state.table))
    state = state.replace(
        phase=Phase.DRAW if due else state.phase,
        due=due,
        bout=ended,
        beaten_off=state.beaten_off + (how == "beaten"),
        refill=Refill(after=ended),
        short=frozenset() if state.rules.draw_to == "hand_size" else state.short,
    )
    return state if due else next_bout(state)


def next_bout(state: GameState) -> GameState:
    """Let seats drop out after the last draw; begin the next bout unless the deal is decided."""
    ended = state.bout
    assert ended is not None
    state = drop_out(state)
    if state.result is not None:
        return state
    attacker, defender = state.named(next_turn(state.table, is_taken=ended.ended == "taken"))
    return begin_bout(state, attacker, defender, ended.number + 1)


def drop_out(state: GameState) -> GameState:
    """Let seats with empty hands drop out, and decide the deal if that ends it."""
    table = state.table
    gone = empty_hands(table)
    if not gone:
        return state
    state = state.replace(out=(*state.out, *state.named(gone)))
    result = deal_result(table, (*table.out, *gone))
    return state if result is None else decide(state, Result(result.kind, state.named(result.seats)))


def at_once(state: GameState) -> GameState:
    """Let seats drop out during the bout where an empty hand counts at once (French, French house)."""
    return state if state.rules.end_check != "immediate" or state.bout is None else drop_out(state)


def decide(state: GameState, result: Result) -> GameState:
    """End the deal and count the losses."""
    before = state.session
    losers = result.losers(state.seating.seats)
    losses = {seat: before.losses[seat] + (seat in losers) for seat in state.seating.seats}
    fool = losers if result.kind in ("fool", "team-fool") or (losers and len(state.seating.seats) == 2) else before.fool
    winner = tuple(seat for seat in state.out if losers and seat not in (*losers, *state.resigned)) or before.winner
    # The losers deal; after a draw the fool before does, or else whoever dealt (docs/rules.md, 1).
    dealers = losers or before.fool or before.dealers
    session = replace(
        before,
        dealer=dealers[0] if len(dealers) == 1 else None,
        dealers=dealers,
        fool=fool,
        winner=winner,
        losses=losses,
    )
    return state.replace(phase=Phase.OVER, result=result, session=session, session_before=before)

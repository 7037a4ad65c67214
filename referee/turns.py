"""
Advance the deal: begin and end a bout, draw up after it, let seats drop out, decide the deal
(docs/rules.md, 7, 9, 10).

A bout that has been swept stays in the state with ``ended`` set while draws are owed. With the last draw, or at once
where none is due, empty hands drop out, the deal may be over, and the next bout begins.
"""

from __future__ import annotations

from dataclasses import replace

from referee.bout import Bout
from referee.game import GameState, Phase, Refill, Result, Trust
from referee.messages import Results
from referee.rules.attack import bout_limit
from referee.rules.bout_end import next_turn
from referee.rules.drawing import draws_due
from referee.rules.lead import later_leaders
from referee.rules.outcome import deal_result, empty_hands, losers_of


def begin_bout(state: GameState, attacker: str, defender: str, number: int, results: Results) -> GameState:
    """Begin a new bout; its limit follows from the defender's hand at this moment."""
    held = state.ledger.hands[defender]
    limit = bout_limit(state.rules, number, state.beaten_off, held)
    if state.bout is not None and state.bout.limit != limit:
        results.say("limit", count=limit)
    results.say("turn", attacker=attacker, defender=defender)
    bout = Bout(number, attacker, defender, limit, state.ledger.hands)
    trust = Trust.ALL if state.trust is Trust.ALL else Trust.TABLE
    return state.but(phase=Phase.ATTACK, bout=bout, trust=trust, leaders=())


def end_bout(state: GameState, how: str, results: Results) -> GameState:
    """End the bout, whose cards are already entered in the ledger. ``how``: "beaten" or "taken"."""
    bout = state.bout
    assert bout is not None
    ended = bout.but(attacks=(), strays=(), faceless=(), ended=how)
    due = draws_due(state, ended)
    state = state.but(
        phase=Phase.DRAW if due else state.phase,
        due=due,
        bout=ended,
        beaten_off=state.beaten_off + (how == "beaten"),
        refill=Refill(after=ended),
        short=frozenset() if state.rules.draw_to == "hand_size" else state.short,
    )
    if due:
        results.say("draw", due=due, talon=state.ledger.talon)
        return state
    return next_bout(state, results)


def next_bout(state: GameState, results: Results) -> GameState:
    """Let seats drop out after the last draw; begin the next bout unless the deal is decided."""
    ended = state.bout
    assert ended is not None
    state = drop_out(state, ended.defender, results)
    if state.result is not None:
        return state
    attacker, defender = next_turn(state, ended, state.out)
    return begin_bout(state, attacker, defender, ended.number + 1, results)


def drop_out(state: GameState, defender: str, results: Results) -> GameState:
    """Let seats with empty hands drop out, and decide the deal if that ends it."""
    gone = empty_hands(state)
    if not gone:
        return state
    for seat in gone:
        results.say("out", seat=seat)
    state = state.but(out=(*state.out, *gone))
    result = deal_result(state, defender)
    return state if result is None else decide(state, result, results)


def at_once(state: GameState, results: Results) -> GameState:
    """Let seats drop out during the bout where an empty hand counts at once (French, French house)."""
    bout = state.bout
    if state.rules.end_check != "immediate" or bout is None:
        return state
    return drop_out(state, bout.defender, results)


def decide(state: GameState, result: Result, results: Results) -> GameState:
    """End the deal: count the losses, and announce who deals and leads next."""
    before = state.session
    losers = losers_of(result, state)
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
    results.say("result", kind=result.kind, seats=result.seats)
    results.say("score", losses=_score(losses, state))
    state = state.but(phase=Phase.OVER, result=result, session=session, session_before=before)
    results.say("deal", **next_deal(state))
    return state


def next_deal(state: GameState) -> dict[str, object]:
    """Return the facts of a ``deal`` announcement: who deals next and who leads then (None: not known yet)."""
    session = replace(state.session, deal=state.session.deal + 1)
    leaders = later_leaders(state.but(session=session, out=()))
    return {
        "dealer": session.dealer,
        "leads": leaders[0][0] if leaders is not None and len(leaders[0]) == 1 else None,
        **({} if session.dealer is not None else {"dealers": session.dealers}),
    }


def _score(losses: dict[str, int], state: GameState) -> dict[str, int]:
    """Return the losses by player, or by team where there are any (docs/rules.md, 10, *Session*)."""
    if not state.seating.teams:
        return losses
    return {"+".join(team): losses[team[0]] for team in state.seating.teams}

"""Apply a resignation: a player gives the deal up (button ``resign``; docs/rules.md, 10)."""

from __future__ import annotations

from referee.events import HEAP
from referee.game import GameState, Matter, Phase, Result
from referee.ledger import NOTHING
from referee.plays import Sweep
from referee.step import Results
from referee.sweeping import swept
from referee.turns import begin_bout, decide, next_bout


def resign(state: GameState, seat: str, results: Results) -> GameState:
    """
    Return the position after ``seat`` has given the deal up.

    With one side left the deal is decided: whoever resigned has lost it. Else the seat is out, its hand goes to the
    discard pile, and a bout that it defends ends with it.
    """
    team = state.seating.team(seat)
    others = {state.seating.team(each) for each in state.living if each != seat}
    if len(others) == 1:
        (winners,) = others
        return _lost(state, team, winners, results)
    results.say("out", seat=seat)
    state = _without_hand(state, seat)
    return _without_role(state, seat, results)


def _lost(state: GameState, team: tuple[str, ...], winners: tuple[str, ...], results: Results) -> GameState:
    is_team = "team-" if state.seating.teams else ""
    if state.rules.result == "first_out_wins":
        result = Result(f"{is_team}winner", winners)
    else:
        result = Result(f"{is_team}fool", team)
    return decide(state.but(due=(), matters=()), result, results)


def _without_hand(state: GameState, seat: str) -> GameState:
    ledger = state.ledger
    held, known = ledger.hands[seat], ledger.known[seat]
    ledger = ledger.but(hands={**ledger.hands, seat: 0}, known={**ledger.known, seat: NOTHING})
    ledger = ledger.to_heap(known, held - len(known))
    return state.but(
        ledger=ledger,
        out=(*state.out, seat),
        resigned=(*state.resigned, seat),
        due=tuple(each for each in state.due if each[0] != seat),
        matters=tuple(each for each in state.matters if _is_of_another(each, seat)),
        leaders=tuple(each for each in state.leaders if each != seat),
        laying=None,
    )


def _is_of_another(matter: Matter, seat: str) -> bool:
    return getattr(matter.play, "by", None) != seat


def _without_role(state: GameState, seat: str, results: Results) -> GameState:
    """Let the bout go on without the seat, or end it where the seat defended, or owed the last draw."""
    bout = state.bout
    if bout is None:
        return state
    if bout.ended is not None:
        return state if state.due else next_bout(state, results)
    if bout.attacks and seat == bout.defender:
        return swept(state.but(phase=Phase.ATTACK, bout=bout.not_taken()), Sweep(HEAP), results)
    if bout.attacks or seat not in (bout.attacker, bout.defender):
        return state
    attacker = bout.attacker if bout.attacker != seat else state.seating.next_living(seat, state.out)
    defender = state.seating.next_opponent(attacker, state.out)
    return begin_bout(state, attacker, defender, bout.number, results)

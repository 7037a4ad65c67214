"""What players state by a button: take, pass, done, leave, wait, claims, and giving the deal up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from msgspec import structs

from referee.effects.bout import begin_bout, decide, next_bout
from referee.effects.deal import find_leader
from referee.effects.stand import forgive
from referee.effects.sweep import swept
from referee.events import HEAP, Pressed
from referee.game import NOTHING, Claim, GameState, Phase
from referee.plays import Done, Laid, Pass, Sweep, Take
from referee.rulebook import FaultId
from referee.rules import cannot_be, fault_of
from referee.rules.attack import bout_limit
from referee.rules.lead import opens_with_lowest_trump
from referee.rules.phase import check_heap_alone, check_touch
from referee.rules.result import Result
from referee.rules.sweep import still_attacking
from referee.rulings import Fault, Results, Verdict


def press(state: GameState, event: Pressed, results: Results) -> GameState:
    """Judge a statement. A refused statement opens no matter."""
    return _BUTTONS[event.button](state, event, results)


def _take(state: GameState, event: Pressed, results: Results) -> GameState:
    bout = state.bout
    by = event.by or (bout.defender if bout is not None else None)
    if by is None:
        results.fault(Fault.of(FaultId.NOTHING_TO_TAKE), "take", None)
        return state
    fault = fault_of(Take(by), state)
    if fault is not None:
        results.fault(fault, "take", by)
        return state
    assert bout is not None
    if state.phase is Phase.TAKE:
        return state
    limit = bout.limit
    if not state.rules.low_limit_gives:
        limit = bout_limit(state.rules, bout.number, state.beaten_off, state.held_before, is_taken=True)
    return state.replace(phase=Phase.TAKE, bout=bout.taken(state.moment, limit))


def _pass(state: GameState, event: Pressed, results: Results) -> GameState:
    if state.phase not in (Phase.ATTACK, Phase.TAKE):
        return state
    bout, by = state.the_bout, event.by
    if by is None:
        waited_for = state.named(still_attacking(state.table))
        if len(waited_for) != 1:
            results.note("doubt", reason="who-passed", seats=waited_for)
            return state
        by = waited_for[0]
    if by == bout.defender and state.phase is Phase.ATTACK and bout.unbeaten:
        # A defender who passes with a card unbeaten takes.
        return _take(state, structs.replace(event, button="take", by=by), results)
    fault = fault_of(Pass(by), state)
    if fault is not None:
        if by == bout.attacker:
            results.fault(fault, "pass", by)
        return state
    passed = {**bout.passed, by: state.moment}
    return state.replace(bout=bout.replace(passed=passed, waiting=bout.waiting - {by}))


def _done(state: GameState, event: Pressed, results: Results) -> GameState:
    if state.phase not in (Phase.ATTACK, Phase.TAKE):
        return state
    bout = state.the_bout
    if event.by is None and bout.number > 1 and not bout.cards and not bout.faceless:
        # The table says it after the sweep and the draws: it means the bout that has just ended.
        return state
    fault = fault_of(Done(event.by), state)
    if fault is not None:
        results.fault(fault, "done", event.by)
        return state
    passed = {**bout.passed, **dict.fromkeys(state.named(state.table.attackers), state.moment)}
    return state.replace(bout=bout.replace(passed=passed, waiting=frozenset()))


def _allow(state: GameState, event: Pressed, results: Results) -> GameState:
    bout = state.bout
    if bout is None:
        return state
    assert event.by is not None, 'record.py requires "by" with allow'
    assert event.allowed is not None, 'record.py requires "for" with allow'
    allowed = {**bout.allowed, (event.by, event.allowed): state.moment}
    return state.replace(bout=bout.replace(allowed=allowed))


def _wait(state: GameState, event: Pressed, results: Results) -> GameState:
    if event.by not in state.named(state.table.attackers):
        return state
    bout = state.the_bout
    if state.phase is Phase.ATTACK and state.rules.throw_order == "handoff" and bout.has_passed(event.by):
        # Under hand-over a player who has stopped may not change his mind (docs/rules.md, 3).
        return state
    passed = {seat: moment for seat, moment in bout.passed.items() if seat != event.by}
    return state.replace(bout=bout.replace(passed=passed, waiting=bout.waiting | {event.by}))


def _claim(state: GameState, event: Pressed, results: Results) -> GameState:
    assert event.by is not None, 'record.py requires "by" with claim'
    return claimed(state, event.by, Claim(event.card or None, event.highest), results)


def claimed(state: GameState, by: str, claim: Claim, results: Results) -> GameState:
    """Accept a claim about trumps until the first card of the deal is laid, if the claim is possible."""
    bout, card = state.bout, claim.lowest
    late = bout is not None and (bout.number > 1 or bool(bout.attacks) or bout.ended is not None)
    if not state.dealt or late or state.phase is Phase.OVER:
        return state
    if card is not None:
        fault = cannot_be(Laid(by, (card,)), state)
        if fault is not None:
            results.fault(fault, "claim", by, (card,))
            return state
        others = {other.lowest for seat, other in state.claims.items() if seat != by}
        if card in others or (state.trump is not None and not card.is_trump(state.trump)):
            fault = Fault.of(FaultId.FALSE_LEAD_CLAIM, Verdict.UNCLEAR, card=card, claimed=card)
            results.fault(fault, "claim", by, (card,), {"ask": "card", "card": card})
            return state
    claim = replace(claim, leads=opens_with_lowest_trump(state))
    state = state.replace(claims={**state.claims, by: claim})
    return find_leader(state) if state.phase is Phase.LEAD else state


def _touched(state: GameState, event: Pressed, results: Results) -> GameState:
    if event.what == HEAP:
        fault = check_heap_alone(state.table)
        if fault is not None:
            results.fault(fault, "touch", event.by)
        return state
    fault = None if event.by is None else check_touch(state.seating.number_of[event.by], state.table)
    if event.by is None or fault is None:
        return state
    results.fault(fault.named(state.seating.seats), "touch", event.by)
    session = replace(state.session, dealer=event.by, dealers=(event.by,), fool=(event.by,))
    return state.replace(session=session)


def _resign(state: GameState, event: Pressed, results: Results) -> GameState:
    """
    Let a seat give the deal up.

    With one side left the deal is decided: whoever resigned has lost it. Else the seat is out, its hand goes to the
    discard pile, and a bout that it defends ends with it.
    """
    seat = event.by
    assert seat is not None, 'record.py requires "by" with resign'
    if not state.dealt or state.phase is Phase.OVER or seat in state.out:
        results.note("doubt", reason="not-in-deal", seat=seat)
        return state
    seating, ledger, bout = state.seating, state.ledger, state.bout
    others = {seating.team(other) for other in state.living if other != seat}
    if len(others) == 1:
        (winners,) = others
        is_won = state.rules.result == "first_out_wins"
        kind = f"{'team-' if seating.teams else ''}{'winner' if is_won else 'fool'}"
        result = Result(kind, winners if is_won else seating.team(seat))
        return decide(state.replace(due=(), matters=()), result)
    held, known = ledger.hands[seat], ledger.known[seat]
    ledger = ledger.replace(hands={**ledger.hands, seat: 0}, known={**ledger.known, seat: NOTHING})
    state = state.replace(
        ledger=ledger.to_heap(known, held - len(known)),
        out=(*state.out, seat),
        resigned=(*state.resigned, seat),
        due=tuple(draw for draw in state.due if draw[0] != seat),
        matters=tuple(matter for matter in state.matters if matter.play.by != seat),
        leaders=tuple(leader for leader in state.leaders if leader != seat),
        laying=None,
    )
    if bout is None or (bout.ended is not None and state.due):
        return state
    if bout.ended is not None:
        return next_bout(state)
    if bout.attacks and seat == bout.defender:
        return swept(state.replace(phase=Phase.ATTACK, bout=bout.not_taken()), Sweep(HEAP))
    if bout.attacks or seat not in (bout.attacker, bout.defender):
        return state
    attacker = bout.attacker if bout.attacker != seat else seating.next_living(seat, state.out)
    return begin_bout(state, attacker, seating.next_opponent(attacker, state.out), bout.number)


_BUTTONS: dict[str, Callable[[GameState, Pressed, Results], GameState]] = {
    "take": _take,
    "pass": _pass,
    "done": _done,
    "allow": _allow,
    "wait": _wait,
    "claim": _claim,
    "touched": _touched,
    "forgive": lambda state, event, results: forgive(state, event.card or None, results),
    "resign": _resign,
}
"""Buttons and their handlers; :mod:`referee.match_judge` and the belief handle the others."""

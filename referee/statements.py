"""Judge what players press, a resignation among it (docs/rules.md, 10), and cards that are shown and kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from msgspec import structs

from referee.dealing import begin_bout, decide, find_leader, next_bout, void_deal
from referee.events import HEAP, Pressed, Shown
from referee.game import Claim, GameState, Phase, Result, Trust
from referee.laying import made
from referee.ledger import NOTHING
from referee.open_faults import forgive
from referee.plays import Done, Laid, Pass, Sweep, Take, Transfer
from referee.rule_order import cannot_be, fault_of
from referee.rulebook import FaultId
from referee.rules.attack import bout_limit, bout_of
from referee.rules.bout_end import still_attacking
from referee.rules.lead import check_heap_alone, check_touch, redealt_suit
from referee.rulings import Fault, Results, Verdict
from referee.sweeping import swept
from referee.talon import new_trump
from referee.unseen import rests_on_unseen


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
        if rests_on_unseen(fault, state):
            fault = replace(fault, verdict=Verdict.UNCLEAR)
        results.fault(fault, "take", by)
        return state
    assert bout is not None
    if state.phase is Phase.TAKE:
        return state
    held = state.ledger.hands[by] + sum(attack.beaten_by == by for attack in bout.attacks)
    limit = bout_limit(state.rules, bout.number, state.beaten_off, held, is_taken=True)
    if state.rules.low_limit_gives:
        limit = bout.limit
    return state.but(phase=Phase.TAKE, bout=bout.taken(state.moment, limit))


def _pass(state: GameState, event: Pressed, results: Results) -> GameState:
    if state.phase not in (Phase.ATTACK, Phase.TAKE):
        return state
    bout, by = bout_of(state), event.by
    if by is None:
        waited_for = still_attacking(state)
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
    return state.but(bout=bout.but(passed=passed, waiting=bout.waiting - {by}))


def _done(state: GameState, event: Pressed, results: Results) -> GameState:
    if state.phase not in (Phase.ATTACK, Phase.TAKE):
        return state
    bout = bout_of(state)
    fault = fault_of(Done(event.by), state)
    if fault is not None:
        results.fault(fault, "done", event.by)
        return state
    passed = {**bout.passed, **dict.fromkeys(state.attackers(), state.moment)}
    return state.but(bout=bout.but(passed=passed, waiting=frozenset()))


def _allow(state: GameState, event: Pressed, results: Results) -> GameState:
    bout = state.bout
    if bout is None:
        return state
    assert event.by is not None, 'record.py requires "by" with allow'
    assert event.allowed is not None, 'record.py requires "for" with allow'
    allowed = {**bout.allowed, (event.by, event.allowed): state.moment}
    return state.but(bout=bout.but(allowed=allowed))


def _wait(state: GameState, event: Pressed, results: Results) -> GameState:
    if event.by not in state.attackers():
        return state
    bout = bout_of(state)
    if state.phase is Phase.ATTACK and state.rules.throw_order == "handoff" and bout.has_passed(event.by):
        # Under hand-over a player who has stopped may not change his mind (docs/rules.md, 3).
        return state
    passed = {seat: moment for seat, moment in bout.passed.items() if seat != event.by}
    return state.but(bout=bout.but(passed=passed, waiting=bout.waiting | {event.by}))


def _claim(state: GameState, event: Pressed, results: Results) -> GameState:
    assert event.by is not None, 'record.py requires "by" with claim'
    return _claimed(state, event.by, Claim(event.card or None, event.highest), results)


def _claimed(state: GameState, by: str, claim: Claim, results: Results) -> GameState:
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
    state = state.but(claims={**state.claims, by: claim})
    return find_leader(state) if state.phase is Phase.LEAD else state


def _touched(state: GameState, event: Pressed, results: Results) -> GameState:
    if event.what == HEAP:
        fault = check_heap_alone(state)
        if fault is not None:
            results.fault(fault, "touch", event.by)
        return state
    fault = check_touch(event.by, state) if event.by is not None else None
    if event.by is None or fault is None:
        return state
    results.fault(fault, "touch", event.by)
    session = replace(state.session, dealer=event.by, dealers=(event.by,), fool=(event.by,))
    return state.but(session=session)


def _resign(state: GameState, event: Pressed, results: Results) -> GameState:
    assert event.by is not None, 'record.py requires "by" with resign'
    if not state.dealt or state.phase is Phase.OVER or event.by in state.out:
        results.note("doubt", reason="not-in-deal", seat=event.by)
        return state
    return resign(state, event.by)


def _forgive(state: GameState, event: Pressed, results: Results) -> GameState:
    return forgive(state, event.card or None, results)


_BUTTONS: dict[str, Callable[[GameState, Pressed, Results], GameState]] = {
    "take": _take,
    "pass": _pass,
    "done": _done,
    "allow": _allow,
    "wait": _wait,
    "claim": _claim,
    "touched": _touched,
    "forgive": _forgive,
    "resign": _resign,
}
"""Buttons and their handlers; :mod:`referee.match_judge` and the belief handle the others."""


def show(state: GameState, event: Shown, results: Results) -> GameState:
    """Judge a shown card: for a new deal, the lead, Severnyi's last card, or to pass the attack on."""
    state = _show(state, event, results)
    suit = redealt_suit(state)
    return state if suit is None else void_deal(state, "five-of-suit")


def _show(state: GameState, event: Shown, results: Results) -> GameState:
    bout = state.bout
    by = event.by or state.ledger.holder(event.card)
    if not state.dealt or state.phase is Phase.OVER:
        return state
    if state.last_card_by is not None and by in (None, state.last_card_by):
        return _show_last_card(state, event, state.last_card_by, results)
    if by is None and bout is not None and bout.attacks and state.rules.transfer_show != "off":
        by = bout.defender
    if by is None:
        return state
    proves = state.trump is None or event.card.is_trump(state.trump)
    if state.phase is Phase.LEAD and proves:
        after = _claimed(state, by, Claim(event.card, None), results)
        accepted = by in after.claims and after.claims[by].lowest == event.card
        return after.but(ledger=after.ledger.knowing(by, event.card)) if accepted else after
    if bout is None or not bout.attacks or by != bout.defender:
        return _seen(state, by, event, results)
    play = Transfer(by, (event.card,), shown=True)
    fault = fault_of(play, state)
    if fault is None:
        results.legal(play, by)
        return made(play, state)
    if fault.verdict is Verdict.ILLEGAL and (state.trust is Trust.NOTHING or event.by is None):
        fault = replace(fault, verdict=Verdict.UNCLEAR)
    results.fault(fault, play.name, by, (event.card,))
    return state


def _show_last_card(state: GameState, event: Shown, seat: str, results: Results) -> GameState:
    fault = cannot_be(Laid(seat, (event.card,)), state)
    if fault is not None:
        results.fault(fault, "show", seat, (event.card,))
        return state
    return new_trump(state, seat, event.card)


def _seen(state: GameState, seat: str, event: Shown, results: Results) -> GameState:
    """Enter a card shown for no reason in the rules as known in that hand, if it can be there."""
    fault = cannot_be(Laid(seat, (event.card,)), state)
    if fault is not None:
        results.fault(fault, "show", seat, (event.card,))
        return state
    return state.but(ledger=state.ledger.knowing(seat, event.card))


def resign(state: GameState, seat: str) -> GameState:
    """
    Return the position after ``seat`` has given the deal up.

    With one side left the deal is decided: whoever resigned has lost it. Else the seat is out, its hand goes to the
    discard pile, and a bout that it defends ends with it.
    """
    team = state.seating.team(seat)
    others = {state.seating.team(each) for each in state.living if each != seat}
    if len(others) == 1:
        (winners,) = others
        return _lost(state, team, winners)
    state = _without_hand(state, seat)
    return _without_role(state, seat)


def _lost(state: GameState, team: tuple[str, ...], winners: tuple[str, ...]) -> GameState:
    is_team = "team-" if state.seating.teams else ""
    if state.rules.result == "first_out_wins":
        result = Result(f"{is_team}winner", winners)
    else:
        result = Result(f"{is_team}fool", team)
    return decide(state.but(due=(), matters=()), result)


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
        matters=tuple(each for each in state.matters if each.play.by != seat),
        leaders=tuple(each for each in state.leaders if each != seat),
        laying=None,
    )


def _without_role(state: GameState, seat: str) -> GameState:
    """Let the bout go on without the seat, or end it where the seat defended, or owed the last draw."""
    bout = state.bout
    if bout is None:
        return state
    if bout.ended is not None:
        return state if state.due else next_bout(state)
    if bout.attacks and seat == bout.defender:
        return swept(state.but(phase=Phase.ATTACK, bout=bout.not_taken()), Sweep(HEAP))
    if bout.attacks or seat not in (bout.attacker, bout.defender):
        return state
    attacker = bout.attacker if bout.attacker != seat else state.seating.next_living(seat, state.out)
    defender = state.seating.next_opponent(attacker, state.out)
    return begin_bout(state, attacker, defender, bout.number)

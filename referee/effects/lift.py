"""Cards that are lifted again: a play taken back, a fault mended."""

from __future__ import annotations

from dataclasses import replace

from referee.cards import Card
from referee.effects.lay import rule_on
from referee.effects.read_laid import read_laid
from referee.effects.stand import judge_later
from referee.effects.sweep import swept
from referee.events import HEAP, Lifted
from referee.game import Attack, Bout, GameState, OpenFault, Phase
from referee.plays import Beat, Laid, Lead, Sweep
from referee.rulebook import FaultId
from referee.rules import fault_of
from referee.rules.attack import check_opening_shape
from referee.rulings import Fault, Results, Verdict


def lift(state: GameState, event: Lifted, results: Results) -> GameState:
    """Judge a card lifted from the table. The card is then known in the hand that had laid it."""
    matter = next((matter for matter in reversed(state.matters) if event.card in matter.cards), None)
    if matter is not None:
        assert isinstance(matter.play, Laid), "only laid plays have cards on the table"
        return _lift_open(state, matter, matter.play, event.card, results)
    state, completed = _lift_what_was_left(state, event)
    if completed:
        return state
    bout = state.bout
    if bout is not None:
        for attack in bout.attacks:
            if attack.card == event.card:
                state = _lift_attack(state, bout, attack)
                # Of too many cards the defender picks those that go back (pagat): cards over the limit may now stay.
                return judge_later(state, -1, results, FaultId.LIMIT_EXCEEDED)
            if attack.defence == event.card and attack.beaten_by is not None:
                bare = replace(attack, defence=None, beaten_by=None)
                attacks = tuple(bare if other is attack else other for other in bout.attacks)
                return _back_in_hand(state.replace(bout=bout.replace(attacks=attacks)), attack.beaten_by, event.card)
        for stray in bout.strays:
            if stray.card == event.card:
                rest = tuple(other for other in bout.strays if other is not stray)
                state = state.replace(bout=bout.replace(strays=rest))
                return _back_in_hand(state, stray.by, event.card, sure=stray.sure)
    results.note("doubt", reason="card-not-on-table", card=event.card)
    return state


def _lift_open(state: GameState, matter: OpenFault, play: Laid, card: Card, results: Results) -> GameState:
    if matter.sure:
        state = state.replace(ledger=state.ledger.knowing(play.by, card))
    state = state.without(matter)
    rest = list(matter.cards)
    rest.remove(card)
    if not rest:
        return state
    left = read_laid(tuple(rest), play.by, matter.on, state)
    return rule_on(left, fault_of(left, state), state, results)


def _lift_what_was_left(state: GameState, event: Lifted) -> tuple[GameState, bool]:
    """Complete a take that left cards lying; with the last card the take is whole. Return whether it is."""
    for place, matter in enumerate(state.matters):
        play = matter.play
        if not isinstance(play, Sweep) or play.to == HEAP or event.card not in play.left:
            continue
        if event.by not in (None, play.to):
            continue
        left = tuple(card for card in play.left if card != event.card)
        if not left:
            return swept(state, Sweep(play.to)), True
        matter = replace(matter, play=Sweep(play.to, left), away=matter.away | {event.card})
        return state.replace(matters=(*state.matters[:place], matter, *state.matters[place + 1 :])), True
    return state, False


def _lift_attack(state: GameState, bout: Bout, attack: Attack) -> GameState:
    attacks = tuple(other for other in bout.attacks if other is not attack)
    changed = bout.replace(attacks=attacks)
    if attack.passed_on is not None and not any(other.moment >= attack.moment for other in attacks):
        attacker, defender, limit = attack.passed_on
        changed = changed.replace(attacker=attacker, defender=defender, limit=limit)
    state = state.replace(bout=changed)
    if attack.defence is not None:
        assert attack.beaten_by is not None
        # The beating card lies on no card now. That is no fault of the player who laid it.
        fault = Fault.of(FaultId.NO_SUCH_ATTACK, Verdict.UNCLEAR, over=attack.card)
        play = Beat(attack.beaten_by, (attack.defence,), attack.card)
        orphan = OpenFault(play, fault, Verdict.UNCLEAR, state.moment, (attack.defence,), attack.card)
        state = _count_back(state.replace(matters=(*state.matters, orphan)), attack.beaten_by)
    state = _judge_rest_of_opening(_back_in_hand(state, attack.by, attack.card), attack)
    assert state.bout is not None
    if state.phase is Phase.TAKE and not state.bout.attacks:
        state = state.replace(phase=Phase.ATTACK, bout=state.bout.not_taken())
    return state


def _judge_rest_of_opening(state: GameState, lifted: Attack) -> GameState:
    """Open a matter where the rest of an opening no longer has the shape of one."""
    bout = state.the_bout
    if not bout.attacks or any(other.moment != lifted.moment or other.defence is not None for other in bout.attacks):
        return state
    cards = tuple(other.card for other in bout.attacks)
    play = Lead(lifted.by, cards)
    fault = check_opening_shape(Lead(state.seating.number_of[lifted.by], cards), state.table)
    if fault is None:
        return state
    ledger = state.ledger
    for card in cards:
        ledger = ledger.into_hand(lifted.by, (card,))
    matter = OpenFault(play, fault, fault.verdict, state.moment, cards)
    return state.replace(bout=bout.replace(attacks=()), ledger=ledger, matters=(*state.matters, matter))


def _count_back(state: GameState, seat: str) -> GameState:
    """Count a card that was not played in the hand again; reopen a deal that was decided without it."""
    ledger, bout = state.ledger, state.bout
    hands = {**ledger.hands, seat: ledger.hands[seat] + 1}
    emptied = tuple(other for other in state.emptied if other != seat)
    state = state.replace(ledger=ledger.replace(hands=hands), emptied=emptied)
    if seat in state.out and bout is not None and bout.ended is None:
        # Playing the card had put the player out at once.
        state = state.replace(out=tuple(other for other in state.out if other != seat))
        if state.phase is Phase.OVER:
            phase = Phase.TAKE if bout.taking is not None else Phase.ATTACK
            state = state.replace(phase=phase, result=None, session=state.session_before)
    return state


def _back_in_hand(state: GameState, seat: str, card: Card, sure: bool = True) -> GameState:
    """Return the card to the hand it came from, where it is known."""
    state = _count_back(state, seat)
    return state.replace(ledger=state.ledger.knowing(seat, card)) if sure else state

"""Cards that are shown: for a new deal, the lead, Severnyi's last card, or to pass the attack on."""

from __future__ import annotations

from dataclasses import replace

from referee.effects.deal import void_deal
from referee.effects.draw import new_trump
from referee.effects.made import made
from referee.effects.statements import claimed
from referee.events import Shown
from referee.game import Claim, GameState, Phase
from referee.plays import Laid, Transfer
from referee.rules import cannot_be, fault_of
from referee.rules.lead import redealt_hand
from referee.rulings import Results, Verdict


def show(state: GameState, event: Shown, results: Results) -> GameState:
    """Judge a shown card: for a new deal, the lead, Severnyi's last card, or to pass the attack on."""
    state = _show(state, event, results)
    reason = redealt_hand(state)
    return state if reason is None else void_deal(state, reason)


def _show(state: GameState, event: Shown, results: Results) -> GameState:
    bout = state.bout
    by = event.by or state.ledger.holder(event.card)
    if not state.dealt or state.phase is Phase.OVER:
        return state
    if state.last_card_by is not None and by in (None, state.last_card_by):
        return _seen(state, state.last_card_by, event, results)
    if by is None and bout is not None and bout.attacks and state.rules.transfer_show != "off":
        by = bout.defender
    if by is None:
        return state
    proves = state.trump is None or event.card.is_trump(state.trump)
    if state.phase is Phase.LEAD and proves:
        after = claimed(state, by, Claim(event.card, None), results)
        accepted = by in after.claims and after.claims[by].lowest == event.card
        return after.replace(ledger=after.ledger.knowing(by, event.card)) if accepted else after
    if bout is None or not bout.attacks or by != bout.defender:
        return _seen(state, by, event, results)
    play = Transfer(by, (event.card,), shown=True)
    fault = fault_of(play, state)
    if fault is None:
        results.legal(play, by)
        return made(play, state)
    if fault.verdict is Verdict.ILLEGAL and event.by is None:
        fault = replace(fault, verdict=Verdict.UNCLEAR)
    results.fault(fault, play.name, by, (event.card,))
    return state


def _seen(state: GameState, seat: str, event: Shown, results: Results) -> GameState:
    """Enter a shown card as known in that hand, if it can be there; Severnyi's last card names the trump."""
    fault = cannot_be(Laid(seat, (event.card,)), state)
    if fault is not None:
        results.fault(fault, "show", seat, (event.card,))
        return state
    if seat == state.last_card_by:
        return new_trump(state, seat, event.card)
    return state.replace(ledger=state.ledger.knowing(seat, event.card))

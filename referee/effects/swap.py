"""The exchange of the lowest trump for the turn-up (docs/rules.md, 8)."""

from __future__ import annotations

from dataclasses import replace

from referee.events import Swapped
from referee.game import GameState, OpenFault, Phase
from referee.plays import Laid, Swap
from referee.rules import cannot_be, fault_of
from referee.rulings import Results, Verdict


def swap(state: GameState, event: Swapped, results: Results) -> GameState:
    if not state.dealt or state.phase is Phase.OVER:
        return state
    by = event.by or state.ledger.holder(event.card)
    for matter in state.matters:
        # The player has undone a wrong exchange: turn-up and card are back in their places.
        if isinstance(matter.play, Swap) and by in (None, matter.play.by) and event.card == state.ledger.turnup:
            return state.without(matter)
    play = Swap(by or state.living[0], event.card)
    fault = fault_of(play, state)
    if fault is None:
        results.legal(play, by)
        return swapped(state, play, attributed=by is not None)
    if fault.verdict is Verdict.ILLEGAL and by is None:
        fault = replace(fault, verdict=Verdict.UNCLEAR)
    results.fault(fault, play.name, by, (event.card,))
    sure = cannot_be(Laid(play.by, (event.card,)), state) is None
    return state.replace(matters=(*state.matters, OpenFault(play, fault, fault.verdict, state.moment, sure=sure)))


def swapped(state: GameState, play: Swap, attributed: bool = True) -> GameState:
    """Enter the exchange in the ledger. Hand sizes and the talon's count don't change."""
    ledger, went, turnup = state.ledger, state.refill.turnup, state.ledger.turnup
    gets = play.by
    gives = next((seat for seat, cards in ledger.known.items() if seat != gets and went in cards), None)
    if turnup is not None:
        ledger = ledger.replace(turnup=play.card)
        if attributed:
            rest = ledger.known[gets] - {play.card}
            ledger = ledger.replace(known={**ledger.known, gets: rest}).knowing(gets, turnup)
    elif gives is not None:
        # After the refill that emptied the talon, whoever drew the turn-up hands it over.
        assert went is not None
        known = {**ledger.known, gives: ledger.known[gives] - {went}, gets: ledger.known[gets] - {play.card}}
        ledger = ledger.replace(known=known).knowing(gives, play.card).knowing(gets, went)
    return state.replace(ledger=ledger)

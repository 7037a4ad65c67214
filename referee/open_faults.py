"""
Close open matters that the players let stand (``forgive``).

A forgiven play counts as made from then on. Matters opened after it were judged as if it had not been made, so they
are judged again; plays that have become legal are made too.
"""

from __future__ import annotations

from dataclasses import replace

from referee.cards import Card
from referee.game import GameState, Matter
from referee.laying import can_be_made, made, stray
from referee.plays import Draw, Laid, Swap, Sweep, read_laid
from referee.rule_order import cannot_be, fault_of
from referee.rulebook import FaultId
from referee.rules.attack import bout_of
from referee.rulings import Results
from referee.sweeping import swept
from referee.talon import drawn, swapped


def forgive(state: GameState, card: Card | None, results: Results) -> GameState:
    """Let the newest open matter stand, or the one with this card; what it lies on is forgiven with it."""
    chosen = [matter for matter in state.matters if card is None or card in matter.cards]
    if not chosen:
        results.note("doubt", reason="nothing-to-forgive")
        return state
    matter = chosen[-1]
    under = next((other for other in state.matters if matter.on in other.cards), None)
    if under is not None:
        state = _let_stand(state, under)
    if matter in state.matters:
        state = _let_stand(state, matter)
    if matter in state.matters and _draws_are_owed(state):
        results.note("doubt", reason="draws-owed")
    elif matter in state.matters and isinstance(matter.play, Laid):
        results.note("doubt", reason="hand-empty", seat=matter.play.by)
    return judge_later(state, (under or matter).opened, results)


def let_all_stand(state: GameState) -> GameState:
    """Let all matters stand: at a silent table a play counts as made until a player challenges and corrects it."""
    for matter in state.matters:
        if matter in state.matters:
            state = _let_stand(state, matter)
    return state


def _let_stand(state: GameState, matter: Matter) -> GameState:
    """
    Close the matter and make its play, as far as the play is possible.

    While draws are owed only an opening is possible: other matters stay open until the next bout. A card from a hand
    that the ledger has as empty stays open too, until its origin is known.
    """
    play = matter.play
    if isinstance(play, Laid) and state.result is None and not (matter.sure and can_be_made(play, state)):
        empty = len(play.cards) > state.ledger.hands[play.by]
        if empty or state.bout is None or _draws_are_owed(state):
            return state
    state = state.but(matters=tuple(each for each in state.matters if each is not matter))
    if isinstance(play, Sweep):
        return swept(state, replace(play, left=())) if bout_of(state).attacks else state
    if isinstance(play, Draw):
        count = min(play.count, state.ledger.talon)
        return drawn(state, replace(play, count=count), None) if count else state
    if isinstance(play, Swap):
        # If the card was seen elsewhere meanwhile, it was not exchanged.
        can_be = matter.sure and cannot_be(Laid(play.by, (play.card,)), state) is None
        return swapped(state, play) if can_be else state
    play = read_laid(matter.cards, play.by, matter.on, state) if matter.cards != play.cards else play
    if matter.sure and can_be_made(play, state) and _fits(play, state):
        return made(play, state)
    return stray(play, state, matter.sure)


def _draws_are_owed(state: GameState) -> bool:
    return state.bout is not None and state.bout.ended is not None and state.result is None


def _fits(play: Laid, state: GameState) -> bool:
    """Check that no card of the play lies in the bout already."""
    lying = state.bout.cards if state.bout is not None else ()
    return not any(card in lying for card in play.cards)


def judge_later(state: GameState, since: int, results: Results, only: FaultId | None = None) -> GameState:
    """Judge matters opened after this moment again (``only``: those of one fault); make plays that are legal now."""
    for matter in state.matters:
        if matter.opened <= since or matter not in state.matters or only not in (None, matter.fault.id):
            continue
        play = matter.play
        without = state.but(matters=tuple(each for each in state.matters if each is not matter))
        if isinstance(play, Laid):
            play = read_laid(matter.cards, play.by, matter.on, without)
            if fault_of(play, without) is None:
                results.legal(play, play.by)
                state = made(play, without)
        elif isinstance(play, Draw):
            if fault_of(play, without) is None:
                state = drawn(without, play, None)
        elif isinstance(play, Swap):
            if fault_of(play, without) is None:
                results.legal(play, play.by)
                state = swapped(without, play)
        elif bout_of(without).attacks and fault_of(play, without) is None:
            state = swept(without, play)
    return state

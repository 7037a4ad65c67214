"""Plays that the players let stand: they count from then on, and what followed is judged with them."""

from __future__ import annotations

from dataclasses import replace

from referee.cards import Card
from referee.effects.draw import drawn
from referee.effects.made import can_be_made, made
from referee.effects.read_laid import read_laid
from referee.effects.swap import swapped
from referee.effects.sweep import swept
from referee.game import GameState, OpenFault, UnclassifiedCard
from referee.plays import Draw, Laid, Swap, Sweep
from referee.rulebook import FaultId
from referee.rules import cannot_be, fault_of
from referee.rulings import Results


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


def _let_stand(state: GameState, matter: OpenFault) -> GameState:
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
    state = state.without(matter)
    if isinstance(play, Sweep):
        return swept(state, replace(play, left=())) if state.the_bout.attacks else state
    if isinstance(play, Draw):
        count = min(play.count, state.ledger.talon)
        return drawn(state, replace(play, count=count), None) if count else state
    if isinstance(play, Swap):
        # If the card was seen elsewhere meanwhile, it was not exchanged.
        can_be = matter.sure and cannot_be(Laid(play.by, (play.card,)), state) is None
        return swapped(state, play) if can_be else state
    play = read_laid(matter.cards, play.by, matter.on, state) if matter.cards != play.cards else play
    lying = state.bout.cards if state.bout is not None else ()
    if matter.sure and can_be_made(play, state) and not any(card in lying for card in play.cards):
        return made(play, state)
    # Cards that fit no play go with the bout; after the end of the bout nothing changes.
    bout, count = state.bout, min(len(play.cards), state.ledger.hands[play.by])
    if bout is None or bout.ended is not None:
        return state
    cards, ledger = play.cards[:count], state.ledger
    ledger = ledger.without(play.by, cards) if matter.sure else ledger.without_unknown(play.by, count)
    strays = (*bout.strays, *(UnclassifiedCard(card, play.by, matter.sure) for card in cards))
    return state.replace(ledger=ledger, bout=bout.replace(strays=strays))


def _draws_are_owed(state: GameState) -> bool:
    return state.bout is not None and state.bout.ended is not None and state.result is None


def judge_later(state: GameState, since: int, results: Results, only: FaultId | None = None) -> GameState:
    """Judge matters opened after this moment again (``only``: those of one fault); make plays that are legal now."""
    for matter in state.matters:
        if matter.opened <= since or matter not in state.matters or only not in (None, matter.fault.id):
            continue
        play = matter.play
        without = state.without(matter)
        if isinstance(play, Laid):
            play = read_laid(matter.cards, play.by, matter.on, without)
        if (isinstance(play, Sweep) and not without.the_bout.attacks) or fault_of(play, without) is not None:
            continue
        if isinstance(play, Laid | Swap):
            results.legal(play, play.by)
        match play:
            case Laid():
                state = made(play, without)
            case Draw():
                state = drawn(without, play, None)
            case Swap():
                state = swapped(without, play)
            case Sweep():
                state = swept(without, play)
    return state

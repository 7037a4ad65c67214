"""
What went unseen: a card laid whose face nobody could make out, and books put right after a bout not wholly seen.

Such a card has left a hand and lies in the bout, nothing more is known of it. While it lies there, and after the table
was hidden, nobody is accused: what would be a fault is ``unclear`` and counts as made, and where the table has gone on
as if more cards had been laid than were seen, the books follow the table.
"""

from __future__ import annotations

from referee.bout import Faceless
from referee.events import HEAP, Placed, Unread
from referee.game import GameState, Phase
from referee.judgement import Told
from referee.ledger import NOTHING, Ledger


def lay_unread(state: GameState, event: Unread, told: Told) -> GameState:
    """A card nobody could read was laid: it counts, and what would be ``illegal`` in this bout is ``unclear``."""
    told.say("unread", by=event.by, on=event.on)
    state = state.but(blind=True)
    bout = state.bout
    if bout is None or state.phase not in (Phase.ATTACK, Phase.TAKE):
        return state
    by = event.by or (bout.defender if event.on is not None else None)
    if by is None or not state.ledger.hands[by]:
        return state
    bout = bout.but(faceless=(*bout.faceless, Faceless(by, event.on)))
    return state.but(bout=bout, ledger=one_less(state.ledger, by, 1))


def read_at_last(state: GameState, event: Placed) -> GameState:
    """The card laid here may be one that could not be read before: then it is no second one."""
    bout = state.bout
    if bout is None:
        return state
    for card in bout.faceless:
        if card.on == event.on and card.by == event.by:
            rest = tuple(other for other in bout.faceless if other is not card)
            hands = {**state.ledger.hands, card.by: state.ledger.hands[card.by] + 1}
            return state.but(bout=bout.but(faceless=rest), ledger=state.ledger.but(hands=hands))
    return state


def beaten_unseen(state: GameState) -> GameState:
    """A bout not wholly seen goes to the heap: what lies unbeaten has been beaten by cards that were not seen."""
    bout = state.bout
    assert bout is not None
    count = min(len(bout.unbeaten), state.ledger.hands[bout.defender])
    faceless = tuple(Faceless(bout.defender, card) for card in bout.unbeaten[:count])
    return state.but(
        bout=bout.but(faceless=(*bout.faceless, *faceless)),
        ledger=one_less(state.ledger, bout.defender, count),
    )


def laid_unseen(state: GameState, seat: str, count: int) -> GameState:
    """A seat draws ``count`` cards more than are owed to it after such a bout: it had laid as many unseen."""
    ledger, bout = state.ledger, state.bout
    lost = min(count, ledger.hands[seat])
    ledger = one_less(ledger, seat, lost)
    taker = bout.defender if bout is not None and bout.ended == "taken" else HEAP
    if taker == HEAP:
        return state.but(ledger=ledger.to_heap((), lost))
    return state.but(ledger=ledger.into_hand(taker, (), lost, ()))


def one_less(ledger: Ledger, seat: str, count: int) -> Ledger:
    """``count`` cards have left a hand, nobody knows which; those known in it may be among them, and are forgotten."""
    hands = {**ledger.hands, seat: ledger.hands[seat] - count}
    known = {**ledger.known, seat: NOTHING} if count else ledger.known
    return ledger.but(hands=hands, known=known)

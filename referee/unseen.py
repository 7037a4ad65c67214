"""
Judge unseen events: cards laid with unreadable faces, and bouts that were not wholly seen.

An unread card has left a hand and lies in the bout; nothing more is known of it. Where not all of a bout was seen
(``Trust.NOTHING``) no player is accused: a fault becomes ``unclear`` and the play counts as made, and where the players
go on as if more cards had been laid than were seen, the ledger follows the table. From then on a hand may hold more
cards than the ledger has (``Trust.TABLE``). Then faults by the count of a hand alone (laying with an empty hand or
after the end, attacking beyond what the next hand holds) are ``unclear`` too, and so are faults by whose turn it is
once a seat may have run out. That ends where all hands are known to be full again.
"""

from __future__ import annotations

from referee.events import HEAP, Placed, Unread
from referee.game import GameState, Phase, Trust
from referee.ledger import NOTHING, Faceless, Ledger
from referee.rulebook import FaultId
from referee.rules.attack import house_limit
from referee.rulings import Fault, Results

COUNTED = frozenset((FaultId.PLAYER_OUT, FaultId.HAND_LEDGER, FaultId.TRANSFER_TARGET_SHORT, FaultId.GAME_OVER))
"""Faults that follow from the count of a hand alone."""

TURNS = frozenset((FaultId.NOT_PRINCIPAL, FaultId.NOT_DEFENDER, FaultId.NOT_ENTITLED))
"""Faults that follow from whose turn it is."""


def rests_on_unseen(fault: Fault, state: GameState) -> bool:
    """Check whether unseen events may be the only reason for the fault."""
    if state.trust is Trust.NOTHING:
        return fault.id is not FaultId.NOT_IN_PACK
    return state.trust is Trust.TABLE and _rests_on_counts(fault, state)


def _rests_on_counts(fault: Fault, state: GameState) -> bool:
    """Check whether the fault follows only from the ledger's count of a hand."""
    if fault.id in TURNS:
        return bool(state.out)
    if fault.id is not FaultId.LIMIT_EXCEEDED:
        return fault.id in COUNTED
    assert state.bout is not None, "more than the limit lies in a bout"
    house = house_limit(state.rules, state.bout.number, state.beaten_off)
    return house is None or len(state.bout.attacks) < house


def trusting_full_hands(state: GameState) -> GameState:
    """Trust the ledger again where every hand is full at the beginning of a bout, as with cards in the talon."""
    hands, talon = state.ledger.hands, state.ledger.talon
    is_full = talon > 0 and all(hands[seat] >= state.rules.hand_size for seat in state.living)
    return state.but(trust=Trust.ALL) if is_full and state.trust is Trust.TABLE and state.in_grace else state


def lay_unread(state: GameState, event: Unread, results: Results) -> GameState:
    """Enter a card with an unreadable face, laid in the bout."""
    results.note("unread", by=event.by, on=event.on)
    bout = state.bout
    if bout is None or state.phase not in (Phase.ATTACK, Phase.TAKE):
        return state
    by = event.by or (bout.defender if event.on is not None else None)
    if by is None or not state.ledger.hands[by]:
        return state
    bout = bout.but(faceless=(*bout.faceless, Faceless(by, event.on)))
    return state.but(bout=bout, ledger=one_less(state.ledger, by, 1))


def read_at_last(state: GameState, event: Placed) -> GameState:
    """Remove the unread card that this event now reports with its face, so that it is not counted twice."""
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
    """Return a bout going to the discard pile with its unbeaten cards beaten by unseen ones."""
    bout = state.bout
    assert bout is not None
    count = min(len(bout.unbeaten), state.ledger.hands[bout.defender])
    faceless = tuple(Faceless(bout.defender, card) for card in bout.unbeaten[:count])
    return state.but(
        bout=bout.but(faceless=(*bout.faceless, *faceless)),
        ledger=one_less(state.ledger, bout.defender, count),
    )


def laid_unseen(state: GameState, seat: str, count: int) -> GameState:
    """Move ``count`` unseen cards from a hand to where the bout went: the seat drew as many more than it owed."""
    ledger, bout = state.ledger, state.bout
    lost = min(count, ledger.hands[seat])
    ledger = one_less(ledger, seat, lost)
    taker = bout.defender if bout is not None and bout.ended == "taken" else HEAP
    if taker == HEAP:
        return state.but(ledger=ledger.to_heap((), lost))
    return state.but(ledger=ledger.into_hand(taker, (), lost, ()))


def one_less(ledger: Ledger, seat: str, count: int) -> Ledger:
    """Remove ``count`` unknown cards from a hand, whose cards are no longer known: they may be among them."""
    hands = {**ledger.hands, seat: ledger.hands[seat] - count}
    known = {**ledger.known, seat: NOTHING} if count else ledger.known
    return ledger.but(hands=hands, known=known)

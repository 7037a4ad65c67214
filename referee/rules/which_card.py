"""
Which card: can it be the one that lies there (docs/rules.md, 15, *Invariants* and *By deduction*)?

All of these are ``impossible``: a misread or a cheat, so look again before accusing.
"""

from __future__ import annotations

from referee.game import GameState
from referee.plays import Laid, Swap
from referee.rulings import Fault, FaultId


def check_pack(play: Laid | Swap, state: GameState) -> Fault | None:
    """Only cards of the pack can be played (not-in-pack)."""
    pack = state.rules.cards()
    for card in play.cards:
        if card not in pack:
            return Fault.of(FaultId.NOT_IN_PACK, card=card, pack=state.rules.pack)
    return None


def check_player_out(play: Laid | Swap, state: GameState) -> Fault | None:
    """Who is out of the deal has no card to play (player-out; docs/rules.md, 9)."""
    if play.by in state.out:
        return Fault.of(FaultId.PLAYER_OUT, seat=play.by)
    return None


def check_duplicate(play: Laid | Swap, state: GameState) -> Fault | None:
    """A card lies on the table once (duplicate-card). Cards whose faces nobody trusts don't count."""
    cards = play.cards
    lying = state.bout.cards if state.bout is not None else ()
    open_cards = [card for matter in state.matters if matter.sure for card in matter.cards]
    for place, card in enumerate(cards):
        if card in lying or card in open_cards or card in cards[:place]:
            return Fault.of(FaultId.DUPLICATE_CARD, card=card)
    return None


def check_heap(play: Laid | Swap, state: GameState) -> Fault | None:
    """A card that went to the heap is out of play (dead-card; pagat, Hebrew)."""
    for card in play.cards:
        if card in state.ledger.heap:
            return Fault.of(FaultId.DEAD_CARD, card=card)
    return None


def check_talon(play: Laid | Swap, state: GameState) -> Fault | None:
    """The turn-up is nobody's while it lies under the talon (card-in-talon; docs/rules.md, 1)."""
    if state.ledger.turnup is not None and state.ledger.turnup in play.cards:
        return Fault.of(FaultId.CARD_IN_TALON, card=state.ledger.turnup)
    return None


def check_other_hand(play: Laid | Swap, state: GameState) -> Fault | None:
    """A card known to be in another hand can't come from this one (card-held-by-other)."""
    for card in play.cards:
        holder = state.ledger.holder(card)
        if holder is not None and holder != play.by:
            return Fault.of(FaultId.CARD_HELD_BY_OTHER, card=card, holder=holder)
    return None


def check_hand_count(play: Laid | Swap, state: GameState) -> Fault | None:
    """Nobody plays more cards than he holds (hand-ledger). Cards that lie open on the table have left the hand."""
    held = state.physical(play.by)
    if len(play.cards) > held:
        return Fault.of(FaultId.HAND_LEDGER, seat=play.by, held=max(0, held))
    return None


def check_known_hand(play: Laid | Swap, state: GameState) -> Fault | None:
    """
    A hand known in full can't play anything else (not-in-hand).

    Nothing more follows by elimination: where one hand must hold all that was not seen, the others are known in full,
    and what that hand can't hold lies elsewhere, as the rules before have asked.
    """
    known = state.ledger.known[play.by]
    missing = next((card for card in play.cards if card not in known), None)
    if missing is None or len(known) < state.ledger.hands[play.by]:
        return None
    return Fault.of(FaultId.NOT_IN_HAND, card=missing, seat=play.by)

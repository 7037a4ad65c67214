"""
Check whether the card can be the one that lies there (docs/rules.md, 15, *Invariants* and *By deduction*).

All of these faults are ``impossible``: the card was misread, or a player cheats.
"""

from __future__ import annotations

from referee.game import GameState
from referee.plays import Laid, Swap
from referee.rulebook import FaultId
from referee.rulings import Fault


def check_pack(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that the cards belong to the pack (not-in-pack)."""
    pack = state.rules.cards()
    for card in play.cards:
        if card not in pack:
            return Fault.of(FaultId.NOT_IN_PACK, card=card, pack=state.rules.pack)
    return None


def check_player_out(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that the player is not out of the deal (player-out; docs/rules.md, 9)."""
    if play.by in state.out:
        return Fault.of(FaultId.PLAYER_OUT, seat=play.by)
    return None


def check_duplicate(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that a card lies on the table once (duplicate-card). Cards with untrusted faces don't count."""
    cards = play.cards
    lying = state.bout.cards if state.bout is not None else ()
    open_cards = [card for matter in state.matters if matter.sure for card in matter.cards]
    for place, card in enumerate(cards):
        if card in lying or card in open_cards or card in cards[:place]:
            return Fault.of(FaultId.DUPLICATE_CARD, card=card)
    return None


def check_heap(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that the card did not go to the discard pile before (dead-card; pagat, Hebrew)."""
    for card in play.cards:
        if card in state.ledger.heap:
            return Fault.of(FaultId.DEAD_CARD, card=card)
    return None


def check_talon(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that the card is not the turn-up under the talon (card-in-talon; docs/rules.md, 1)."""
    if state.ledger.turnup is not None and state.ledger.turnup in play.cards:
        return Fault.of(FaultId.CARD_IN_TALON, card=state.ledger.turnup)
    return None


def check_other_hand(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that the card is not known to be in another hand (card-held-by-other)."""
    for card in play.cards:
        holder = state.ledger.holder(card)
        if holder is not None and holder != play.by:
            return Fault.of(FaultId.CARD_HELD_BY_OTHER, card=card, holder=holder)
    return None


def check_hand_count(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that a seat plays no more cards than it holds, without those of open matters (hand-ledger)."""
    held = state.physical(play.by)
    if len(play.cards) > held:
        return Fault.of(FaultId.HAND_LEDGER, seat=play.by, held=max(0, held))
    return None


def check_known_hand(play: Laid | Swap, state: GameState) -> Fault | None:
    """
    Check that a hand known in full plays only its known cards (not-in-hand).

    Nothing more follows by elimination: where one hand must hold all unseen cards, the others are known in full, and
    the cards that this hand can't hold lie elsewhere, which the rules before have checked.
    """
    known = state.ledger.known[play.by]
    missing = next((card for card in play.cards if card not in known), None)
    if missing is None or len(known) < state.ledger.hands[play.by]:
        return None
    return Fault.of(FaultId.NOT_IN_HAND, card=missing, seat=play.by)


HELD = (
    check_duplicate,
    check_heap,
    check_talon,
    check_other_hand,
    check_hand_count,
    check_known_hand,
)
"""Whether the card can be where it was seen, of a player who is in the deal, in the order in which they are asked."""

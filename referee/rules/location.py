"""Whether a card can be where it was seen (docs/rules.md, 15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.cards import mask_of
from referee.plays import Laid, Swap
from referee.rulebook import FaultId
from referee.rules.table import first_of
from referee.rulings import Fault

if TYPE_CHECKING:
    from referee.game import GameState


def check_pack(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that the cards belong to the pack (not-in-pack)."""
    wrong = play.mask & ~state.rules.cards().mask
    return Fault.of(FaultId.NOT_IN_PACK, card=first_of(play, wrong), pack=state.rules.pack) if wrong else None


def check_player_out(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that the player is not out of the deal (player-out; docs/rules.md, 9)."""
    if play.by in state.out:
        return Fault.of(FaultId.PLAYER_OUT, seat=play.by)
    return None


def check_duplicate(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that a card lies on the table once (duplicate-card). Cards with untrusted faces don't count."""
    there = state.lying | mask_of(card for matter in state.matters if matter.sure for card in matter.cards)
    for card in play.cards:
        if card.bit & there:
            return Fault.of(FaultId.DUPLICATE_CARD, card=card)
        there |= card.bit
    return None


def check_heap(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that the card did not go to the discard pile before (dead-card; pagat, Hebrew)."""
    dead = play.mask & state.ledger.heap.mask
    return Fault.of(FaultId.DEAD_CARD, card=first_of(play, dead)) if dead else None


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
    known = state.ledger.known[play.by].mask
    missing = play.mask & ~known
    if not missing or known.bit_count() < state.ledger.hands[play.by]:
        return None
    return Fault.of(FaultId.NOT_IN_HAND, card=first_of(play, missing), seat=play.by)

"""Whether a card can be where it was seen (docs/rules.md, 15)."""

from __future__ import annotations

from referee.cards import CARD_OF
from referee.plays import Laid, Swap
from referee.rulebook import FaultId
from referee.rules.marks import by_seat, first_of, same_for_all_cards
from referee.rulings import Fault
from referee.table import Table


def in_other_hands(table: Table, seat: int) -> int:
    """Return the cards known to be in a hand that is not this seat's."""
    elsewhere = 0
    for other, known in enumerate(table.hands):
        if other != seat:
            elsewhere |= known
    return elsewhere


@by_seat(lambda table, seat: table.rules.cards().mask)
def check_pack(play: Laid[int] | Swap[int], table: Table) -> Fault | None:
    """Check that the cards belong to the pack (not-in-pack)."""
    wrong = play.mask & ~table.rules.cards().mask
    return Fault.of(FaultId.NOT_IN_PACK, card=first_of(play, wrong), pack=table.rules.pack) if wrong else None


@same_for_all_cards
def check_player_out(play: Laid[int] | Swap[int], table: Table) -> Fault | None:
    """Check that the player is not out of the deal (player-out; docs/rules.md, 9)."""
    return Fault.of(FaultId.PLAYER_OUT, seat=play.by) if play.by in table.out else None


@by_seat(lambda table, seat: ~(table.lying | table.open_cards))
def check_duplicate(play: Laid[int] | Swap[int], table: Table) -> Fault | None:
    """Check that a card lies on the table once (duplicate-card). Cards with untrusted faces don't count."""
    there = table.lying | table.open_cards
    if not play.mask & there and play.mask.bit_count() == len(play.cards):
        return None
    for card in play.cards:
        if card.bit & there:
            return Fault.of(FaultId.DUPLICATE_CARD, card=card)
        there |= card.bit
    return None


@by_seat(lambda table, seat: ~table.heap)
def check_heap(play: Laid[int] | Swap[int], table: Table) -> Fault | None:
    """Check that the card did not go to the discard pile before (dead-card; pagat, Hebrew)."""
    dead = play.mask & table.heap
    return Fault.of(FaultId.DEAD_CARD, card=first_of(play, dead)) if dead else None


@by_seat(lambda table, seat: ~table.turnup)
def check_talon(play: Laid[int] | Swap[int], table: Table) -> Fault | None:
    """Check that the card is not the turn-up under the talon (card-in-talon; docs/rules.md, 1)."""
    return Fault.of(FaultId.CARD_IN_TALON, card=CARD_OF[table.turnup]) if play.mask & table.turnup else None


@by_seat(lambda table, seat: ~in_other_hands(table, seat))
def check_other_hand(play: Laid[int] | Swap[int], table: Table) -> Fault | None:
    """Check that the card is not known to be in another hand (card-held-by-other)."""
    elsewhere = play.mask & in_other_hands(table, play.by)
    if not elsewhere:
        return None
    card = first_of(play, elsewhere)
    holder = next(seat for seat, known in enumerate(table.hands) if seat != play.by and card.bit & known)
    return Fault.of(FaultId.CARD_HELD_BY_OTHER, card=card, holder=holder)


@same_for_all_cards
def check_hand_count(play: Laid[int] | Swap[int], table: Table) -> Fault | None:
    """Check that a seat plays no more cards than it holds, without those of open matters (hand-ledger)."""
    held = table.held(play.by) - table.laid_open[play.by]
    if len(play.cards) > held:
        return Fault.of(FaultId.HAND_LEDGER, seat=play.by, held=max(0, held))
    return None


@by_seat(lambda table, seat: -1 if table.unseen[seat] > 0 else table.hands[seat])
def check_known_hand(play: Laid[int] | Swap[int], table: Table) -> Fault | None:
    """
    Check that a hand known in full plays only its known cards (not-in-hand).

    Nothing more follows by elimination: where one hand must hold all unseen cards, the others are known in full, and
    the cards that this hand can't hold lie elsewhere, which the rules before have checked.
    """
    missing = play.mask & ~table.hands[play.by]
    if not missing or table.unseen[play.by] > 0:
        return None
    return Fault.of(FaultId.NOT_IN_HAND, card=first_of(play, missing), seat=play.by)

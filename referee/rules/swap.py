"""Exchanging the lowest trump for the turn-up (docs/rules.md, 8)."""

from __future__ import annotations

from referee.cards import suit_of
from referee.plays import Swap
from referee.rulebook import FaultId
from referee.rules.table import Table
from referee.rulings import Fault


def check_swap_allowed(play: Swap, table: Table) -> Fault | None:
    """
    Check that the house has the exchange (swap-off; French, French house and Spanish don't mention it).

    Where the turn-up is the dealer's own card no card lies under the talon to exchange for.
    """
    nothing_there = table.rules.turn_up == "dealers_last_card" and table.turnup is None
    return Fault.of(FaultId.SWAP_OFF) if table.rules.trump_swap == "off" or nothing_there else None


def check_swap_card(play: Swap, table: Table) -> Fault | None:
    """Check that the card is the lowest trump: nine, six or two (swap-wrong-card)."""
    if not table.trumps:
        return None
    lowest = table.rules.lowest_trump(suit_of(table.trumps))
    return None if play.card is lowest else Fault.of(FaultId.SWAP_WRONG_CARD, card=play.card, lowest=lowest)


def check_swap_in_time(play: Swap, table: Table) -> Fault | None:
    """
    Check that the exchange comes before the talon is exhausted (swap-too-late).

    A seat that drew the lowest trump in the refill that emptied the talon may still demand the turn-up from the seat
    that drew it, until the next bout begins; a first card that is taken back doesn't begin one.
    """
    if table.turnup is not None:
        return None
    refill = table.refill
    if refill.turnup is None and table.talon_count > (table.rules.second_trump != "none"):
        # The turn-up lies under the talon, but its face was not seen.
        return None
    if table.before_first_card and refill.turnup is not None and refill.holder != play.by and play.by in refill.drew:
        return None
    return Fault.of(FaultId.SWAP_TOO_LATE)


def check_swap_original(play: Swap, table: Table) -> Fault | None:
    """Check that the card was dealt or drawn, not taken from the table (swap-not-original)."""
    if table.has_picked(play.by, play.card):
        return Fault.of(FaultId.SWAP_NOT_ORIGINAL, card=play.card)
    return None


def check_swap_ace(play: Swap, table: Table) -> Fault | None:
    """Check that the turn-up is an ace, where only that is exchanged (swap-only-for-ace; pagat's variation, Hebrew)."""
    turnup = table.turnup or table.refill.turnup
    if table.rules.trump_swap == "ace_only" and turnup is not None and turnup.rank != "A":
        return Fault.of(FaultId.SWAP_ONLY_FOR_ACE, turnup=turnup)
    return None

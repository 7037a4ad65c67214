"""Exchanging the lowest trump for the turn-up (docs/rules.md, 8)."""

from __future__ import annotations

from referee.cards import CARD_OF, suit_of
from referee.plays import Swap
from referee.rulebook import FaultId
from referee.rules.draw import takes_turnup
from referee.rulings import Fault
from referee.table import Table


def check_swap_allowed(play: Swap[int], table: Table) -> Fault | None:
    """
    Check that the house has the exchange (swap-off; French, French house and Spanish don't mention it).

    Where the turn-up is the dealer's own card no card lies under the talon to exchange for.
    """
    nothing_there = table.rules.turn_up == "dealers_last_card" and not table.turnup
    return Fault.of(FaultId.SWAP_OFF) if table.rules.trump_swap == "off" or nothing_there else None


def check_swap_card(play: Swap[int], table: Table) -> Fault | None:
    """Check that the card is the lowest trump: nine, seven, six or two (swap-wrong-card)."""
    trump = suit_of(table.trumps)
    if trump is None:
        return None
    lowest = table.rules.lowest_trump(trump)
    return None if play.card is lowest else Fault.of(FaultId.SWAP_WRONG_CARD, card=play.card, lowest=lowest)


def check_swap_in_time(play: Swap[int], table: Table) -> Fault | None:
    """
    Check that the exchange comes before the talon is exhausted (swap-too-late).

    A seat that drew the lowest trump in the refill that emptied the talon may still demand the turn-up from the seat
    that drew it, until the next bout begins; a first card that is taken back doesn't begin one.
    """
    if table.turnup:
        return None
    if not table.drawn_turnup and not takes_turnup(table.rules, table.talon_count):
        # The turn-up lies under the talon, but its face was not seen.
        return None
    may_demand = table.drawn_turnup and table.turnup_holder != play.by and table.drew >> play.by & 1
    if may_demand and not table.attack_count:
        return None
    return Fault.of(FaultId.SWAP_TOO_LATE)


def check_swap_original(play: Swap[int], table: Table) -> Fault | None:
    """Check that the card was dealt or drawn, not taken from the table (swap-not-original)."""
    if table.has_picked(play.by, play.card):
        return Fault.of(FaultId.SWAP_NOT_ORIGINAL, card=play.card)
    return None


def check_swap_ace(play: Swap[int], table: Table) -> Fault | None:
    """Check that the turn-up is an ace, where only that is exchanged (swap-only-for-ace; pagat's variation, Hebrew)."""
    turnup = table.turnup or table.drawn_turnup
    if table.rules.trump_swap == "ace_only" and turnup and CARD_OF[turnup].rank != "A":
        return Fault.of(FaultId.SWAP_ONLY_FOR_ACE, turnup=CARD_OF[turnup])
    return None

"""The transfer (docs/rules.md, 5 and 16): the defender lays, or only shows, a card of the rank."""

from __future__ import annotations

from referee.cards import ranks_of, same_ranks, suit_of
from referee.plays import Laid, Transfer
from referee.rulebook import FaultId
from referee.rules.marks import by_cards, first_of, same_for_all_cards
from referee.rulings import Fault
from referee.table import Table


@same_for_all_cards
def check_transfer_allowed(play: Laid[int], table: Table) -> Fault | None:
    """Check that the house has the transfer (transfer-off, show-off)."""
    if table.rules.transfer:
        return None
    return Fault.of(FaultId.SHOW_OFF if _is_shown(play) else FaultId.TRANSFER_OFF)


@same_for_all_cards
def check_transfer_bout(play: Laid[int], table: Table) -> Fault | None:
    """Check that the house transfers in the first bout of a deal too (transfer-off; *outside*)."""
    if table.rules.transfer_first_bout or table.number > 1:
        return None
    return Fault.of(FaultId.TRANSFER_OFF, reason="first-bout")


@same_for_all_cards
def check_show_allowed(play: Laid[int], table: Table) -> Fault | None:
    """Check that the house lets the trump of the rank be shown instead of laid (show-off; Hebrew)."""
    if _is_shown(play) and table.rules.transfer_show == "off":
        return Fault.of(FaultId.SHOW_OFF)
    return None


@same_for_all_cards
def check_something_unbeaten(play: Laid[int], table: Table) -> Fault | None:
    """Check that there is an attack to pass on (nothing-to-transfer)."""
    return None if table.unbeaten or table.unread else Fault.of(FaultId.NOTHING_TO_TRANSFER)


@same_for_all_cards
def check_before_beating(play: Laid[int], table: Table) -> Fault | None:
    """
    Check that no card was beaten, or where the house says so, that one is unbeaten (transfer-after-beat; 5 and 16).

    ``one_unbeaten``: the source lets the defender pass on once he has beaten all attack cards but a single one.
    """
    if table.rules.transfer_when == "no_beaten_card" and table.has_beaten:
        return Fault.of(FaultId.TRANSFER_AFTER_BEAT)
    if table.rules.transfer_when == "one_unbeaten" and table.unbeaten.bit_count() > 1:
        return Fault.of(FaultId.TRANSFER_AFTER_BEAT, reason="several-unbeaten", unbeaten=table.unbeaten_cards)
    return None


@same_for_all_cards
def check_single_rank(play: Laid[int], table: Table) -> Fault | None:
    """
    Check that only one rank lies on the table (transfer-mixed-ranks; French house).

    The source has "only one rank", so a plain eight beaten by the trump eight still allows it.
    """
    if table.rules.transfer_when == "single_rank" and table.table & ~same_ranks(table.table & -table.table):
        return Fault.of(FaultId.TRANSFER_MIXED_RANKS, ranks=ranks_of(table.table))
    return None


def rank_of_attack(table: Table, over: int = 0) -> int:
    """Return all cards of the rank that lies unbeaten; none where there are several ranks, all where it is unread."""
    unbeaten = table.unbeaten
    if not unbeaten and table.unread:
        return table.rules.cards().mask
    cards = same_ranks(unbeaten & -unbeaten)
    return 0 if unbeaten & ~cards else cards


@by_cards(rank_of_attack)
def check_transfer_rank(play: Laid[int], table: Table) -> Fault | None:
    """Check that the card has the rank of the attack (transfer-rank)."""
    wrong = play.mask & ~rank_of_attack(table)
    return (
        Fault.of(FaultId.TRANSFER_RANK, card=first_of(play, wrong), ranks=ranks_of(table.unbeaten)) if wrong else None
    )


def check_shown_trump(play: Laid[int], table: Table) -> Fault | None:
    """Check that a shown card is a trump (show-not-trump; Hebrew)."""
    card = play.cards[0]
    if _is_shown(play) and table.trumps and not card.bit & table.trumps:
        return Fault.of(FaultId.SHOW_NOT_TRUMP, card=card, trump=suit_of(table.trumps))
    return None


def check_shown_once(play: Laid[int], table: Table) -> Fault | None:
    """Check that each card is shown once in a bout, so that showing ends (show-repeated)."""
    card = play.cards[0]
    if _is_shown(play) and table.rules.transfer_show == "per_bout" and card.bit & table.shown:
        return Fault.of(FaultId.SHOW_REPEATED, card=card)
    return None


@same_for_all_cards
def check_target(play: Laid[int], table: Table) -> Fault | None:
    """Check that the next hand holds as many cards as would lie unbeaten (transfer-target-short; docs/rules.md, 16)."""
    if table.rules.transfer_target != "hand_covers":
        return None
    target = transfer_target(table)
    would_lie = table.unbeaten.bit_count() + table.unread + (0 if _is_shown(play) else len(play.cards))
    held = table.held(target)
    if would_lie > held:
        return Fault.of(FaultId.TRANSFER_TARGET_SHORT, target=target, held=held, would_lie=would_lie)
    return None


def transfer_target(table: Table) -> int:
    """Return the seat that would have to defend: the next living one after the defender."""
    return table.seating.next_living(table.defender, table.out)


def _is_shown(play: Laid[int]) -> bool:
    return isinstance(play, Transfer) and play.shown

"""Rules of the transfer (docs/rules.md, 5 and 16): the defender lays, or only shows, a card of the rank."""

from __future__ import annotations

from referee.game import GameState
from referee.plays import Laid, Transfer
from referee.rules.attack import bout_of
from referee.rulings import Fault, FaultId


def check_transfer_allowed(play: Laid, state: GameState) -> Fault | None:
    """Check that the house has the transfer (transfer-off, show-off)."""
    if state.rules.transfer:
        return None
    return Fault.of(FaultId.SHOW_OFF if _is_shown(play) else FaultId.TRANSFER_OFF)


def check_transfer_bout(play: Laid, state: GameState) -> Fault | None:
    """Check that the house transfers in the first bout of a deal too (transfer-off; *outside*)."""
    if state.rules.transfer_first_bout or bout_of(state).number > 1:
        return None
    return Fault.of(FaultId.TRANSFER_OFF, reason="first-bout")


def check_show_allowed(play: Laid, state: GameState) -> Fault | None:
    """Check that the house lets the trump of the rank be shown instead of laid (show-off; Hebrew)."""
    if _is_shown(play) and state.rules.transfer_show == "off":
        return Fault.of(FaultId.SHOW_OFF)
    return None


def check_something_unbeaten(play: Laid, state: GameState) -> Fault | None:
    """Check that there is an attack to pass on (nothing-to-transfer)."""
    return None if bout_of(state).unbeaten else Fault.of(FaultId.NOTHING_TO_TRANSFER)


def check_before_beating(play: Laid, state: GameState) -> Fault | None:
    """Check that no card was beaten, which ends the right to transfer (transfer-after-beat; docs/rules.md, 16)."""
    if state.rules.transfer_when == "no_beaten_card" and bout_of(state).beaten:
        return Fault.of(FaultId.TRANSFER_AFTER_BEAT)
    return None


def check_single_rank(play: Laid, state: GameState) -> Fault | None:
    """
    Check that only one rank lies on the table (transfer-mixed-ranks; French house).

    The source has "only one rank", so a plain eight beaten by the trump eight still allows it.
    """
    ranks = bout_of(state).ranks
    if state.rules.transfer_when == "single_rank" and len(ranks) > 1:
        return Fault.of(FaultId.TRANSFER_MIXED_RANKS, ranks=ranks)
    return None


def check_transfer_rank(play: Laid, state: GameState) -> Fault | None:
    """Check that the card has the rank of the attack (transfer-rank)."""
    ranks = {card.rank for card in bout_of(state).unbeaten}
    for card in play.cards:
        if {card.rank} != ranks:
            return Fault.of(FaultId.TRANSFER_RANK, card=card, ranks=frozenset(ranks))
    return None


def check_shown_trump(play: Laid, state: GameState) -> Fault | None:
    """Check that a shown card is a trump (show-not-trump; Hebrew)."""
    card = play.cards[0]
    if _is_shown(play) and state.trump is not None and not card.is_trump(state.trump):
        return Fault.of(FaultId.SHOW_NOT_TRUMP, card=card, trump=state.trump)
    return None


def check_shown_once(play: Laid, state: GameState) -> Fault | None:
    """Check that each card is shown once in a bout, so that showing ends (show-repeated)."""
    card = play.cards[0]
    if _is_shown(play) and state.rules.transfer_show == "per_bout" and card in bout_of(state).shown:
        return Fault.of(FaultId.SHOW_REPEATED, card=card)
    return None


def check_target(play: Laid, state: GameState) -> Fault | None:
    """Check that the next hand holds as many cards as would lie unbeaten (transfer-target-short; docs/rules.md, 16)."""
    if state.rules.transfer_target != "hand_covers":
        return None
    target = transfer_target(state)
    would_lie = len(bout_of(state).unbeaten) + (0 if _is_shown(play) else len(play.cards))
    held = state.ledger.hands[target]
    if would_lie > held:
        return Fault.of(FaultId.TRANSFER_TARGET_SHORT, target=target, held=held, would_lie=would_lie)
    return None


def transfer_target(state: GameState) -> str:
    """Return the seat that would have to defend: the next living one after the defender."""
    return state.seating.next_living(bout_of(state).defender, state.out)


def _is_shown(play: Laid) -> bool:
    """Check whether the attack is passed on by showing."""
    return isinstance(play, Transfer) and play.shown

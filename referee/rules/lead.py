"""Rules of the lead: who opens the first bout, and the claims about it (docs/rules.md, 2)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from referee.cards import RANKS, Suit
from referee.game import GameState
from referee.plays import Done, Laid, Pass, Swap
from referee.rulebook import FaultId
from referee.rulings import Fault


@dataclass(frozen=True, slots=True)
class LeadFound:
    """Who leads and why. ``seat`` None: nobody yet, and the reason is the next step."""

    seat: str | None
    reason: str


def find_lead(state: GameState) -> LeadFound | None:
    """
    Find who leads by the claims; None while claims are missing.

    A claim of the lowest trump that can be held decides it at once, where its holder leads.
    """
    rules, claims = state.rules, state.claims
    if first_lead_by_dealer(state):
        return left_of_dealer(state)
    trumps = {seat: claim.lowest for seat, claim in claims.items() if claim.lowest is not None}
    if rules.one_without_trump == "trump_holder" and state.trump is not None:
        lowest = next(
            card
            for card in sorted(rules.cards(), key=lambda card: card.height)
            if card.suit is state.trump and card != state.ledger.turnup
        )
        for seat, card in trumps.items():
            if card == lowest:
                return LeadFound(seat, "lowest-trump")
    if any(seat not in claims for seat in state.living):
        return None
    if not trumps:
        return _nobody_has_a_trump(state)
    without = [seat for seat in _from_dealers_left(state) if seat in claims and seat not in trumps]
    if without and rules.one_without_trump == "no_trump_holder":
        return LeadFound(without[0], "no-trump")
    return LeadFound(min(trumps, key=lambda seat: trumps[seat].height), "lowest-trump")


def first_lead_by_dealer(state: GameState) -> bool:
    """Check whether the dealer's left neighbour has the first lead, whatever the hands hold."""
    return state.rules.first_lead == "left_of_dealer"


def left_of_dealer(state: GameState) -> LeadFound | None:
    """Give the lead to the dealer's left neighbour; None where the dealer is not known."""
    return LeadFound(_from_dealers_left(state)[0], "left-of-dealer") if state.session.dealer is not None else None


def _from_dealers_left(state: GameState) -> tuple[str, ...]:
    dealer = state.session.dealer
    if dealer is None:
        return state.living
    return (*state.seating.from_left_of(dealer), dealer)


def _nobody_has_a_trump(state: GameState) -> LeadFound | None:
    rules, claims = state.rules, state.claims
    if rules.no_trump == "redeal":
        return LeadFound(None, "redeal")
    if rules.no_trump == "left_of_dealer":
        return left_of_dealer(state)
    ranks = {seat: RANKS.index(claim.highest) for seat, claim in claims.items() if claim.highest is not None}
    if len(ranks) < len(state.living):
        return LeadFound(None, "highest-rank-wanted")
    lowest = [seat for seat, rank in ranks.items() if rank == min(ranks.values())]
    return LeadFound(lowest[0], "lowest-high-card") if len(lowest) == 1 else LeadFound(None, "equal-highest-ranks")


def later_leaders(state: GameState) -> tuple[tuple[str, ...], str] | None:
    """
    Return who may lead a later deal, and why; None: found as in the first deal (docs/rules.md, 2, *Later deals*).

    Several seats where it depends on which of the losers deals.
    """
    rule, session, table = state.rules.later_lead, state.session, state.seating
    if session.deal == 1 or rule == "same_as_first":
        return None
    if rule == "winner":
        return (session.winner[:1], "winner") if session.winner else None
    fools = tuple(seat for seat in session.fool if session.dealer in (None, seat)) or session.fool
    if not fools:
        return None
    if rule == "left_of_fool":
        return tuple(table.next_living(fool, state.out) for fool in fools), "left-of-fool"
    return tuple(table.previous_living(fool, state.out) for fool in fools), "right-of-fool"


def possible_leaders(state: GameState) -> tuple[str, ...]:
    """Return who may still lead while :func:`find_lead` finds nobody. A card laid by one of them decides it."""
    claimed = [claim.lowest for claim in state.claims.values() if claim.lowest is not None]
    by_trumps = not first_lead_by_dealer(state) and state.rules.one_without_trump == "trump_holder"
    if not claimed or not by_trumps:
        return state.living
    best = min(card.height for card in claimed)
    lowest = [card for card in claimed if card.height == best]
    return tuple(seat for seat in state.living if seat not in state.claims or state.claims[seat].lowest in lowest)


FIVE = 5
"""Number of cards of one suit in a first hand that causes a redeal (option ``redeal``)."""


def redealt_suit(state: GameState) -> Suit | None:
    """Return the suit of which a first hand has shown five cards, where the house deals again then (*outside*)."""
    bout = state.bout
    has_begun = bout is not None and (bout.number > 1 or bool(bout.attacks) or bout.ended is not None)
    if state.rules.redeal != "five_of_suit" or not state.dealt or has_begun or state.result is not None:
        return None
    for seat, cards in state.ledger.known.items():
        counts = Counter(card.suit for card in cards if seat not in state.drawn_since_deal)
        suit = next((suit for suit, count in counts.items() if count >= FIVE), None)
        if suit is not None:
            return suit
    return None


def check_claim_kept(play: Laid | Swap, state: GameState) -> Fault | None:
    """
    Check that a seat plays no lower trump than the lowest it claimed (false-lead-claim; docs/rules.md, 15).

    It applies only while the seat has drawn no card since the deal, and to cards that didn't come from the table.
    """
    claim = state.claims.get(play.by)
    if claim is None or play.by in state.drawn_since_deal:
        return None
    for card in play.cards:
        if not card.is_trump(state.trump) or card in state.ledger.picked[play.by]:
            continue
        if claim.lowest is None or card.height < claim.lowest.height:
            return Fault.of(FaultId.FALSE_LEAD_CLAIM, card=card, claimed=claim.lowest)
    return None


def check_touch(by: str, state: GameState) -> Fault | None:
    """Check that only the dealer touches the pack until the cards are dealt (touched-pack; pagat)."""
    if state.rules.touch_pack != "becomes_fool":
        return None
    if (state.dealt and state.result is None) or not state.session.dealers:
        return None
    return None if by in state.session.dealers else Fault.of(FaultId.TOUCHED_PACK, seat=by, dealer=state.session.dealer)


def check_heap_alone(state: GameState) -> Fault | None:
    """Check that nobody inspects the discard pile (heap-touched; pagat, Hebrew)."""
    if state.result is not None or not state.ledger.heap_count:
        return None
    return Fault.of(FaultId.HEAP_TOUCHED)


def check_principal_opens(play: Pass | Done, state: GameState) -> Fault | None:
    """Check that the principal opens and does not pass (pass-opening; docs/rules.md, 3)."""
    bout = state.the_bout
    return None if bout.attacks else Fault.of(FaultId.PASS_OPENING, principal=bout.attacker)

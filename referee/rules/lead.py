"""
The lead: who opens the first bout, and the claims about it (docs/rules.md, 2).

Who may lead follows from earlier deals of the session, so it is found from the whole position, before a bout has begun.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from referee.cards import CARD_OF, ONE_SUIT, RANKS, SPREAD, Suit
from referee.plays import Laid, Swap
from referee.rulebook import FaultId
from referee.rules.marks import by_seat, first_of
from referee.rulings import Fault
from referee.table import Table

if TYPE_CHECKING:
    from referee.game import GameState


def leaders_of(state: GameState) -> tuple[tuple[str, ...], str | None]:
    """
    Return who may lead the deal and why, by the claims made so far.

    Without a reason claims are missing, and a card laid by one of the seats decides it. Without seats the reason is the
    next step. A claim of the lowest trump that can be held decides it at once, where its holder leads.
    """
    later = later_leaders(state)
    if later is not None:
        return later
    rules, claims, living, dealer = state.rules, state.claims, state.living, state.session.dealer
    from_left = living if dealer is None else (*state.seating.from_left_of(dealer), dealer)
    left_of_dealer = (living, None) if dealer is None else (from_left[:1], "left-of-dealer")
    trumps = {seat: claim.lowest for seat, claim in claims.items() if claim.lowest is not None}
    is_by_trump = rules.one_without_trump == "trump_holder"
    if rules.first_lead == "left_of_dealer":
        return left_of_dealer
    if is_by_trump and state.trump is not None:
        held = (card for card in rules.cards() if card.suit is state.trump and card != state.ledger.turnup)
        lowest = min(held, key=lambda card: card.height)
        for seat, card in trumps.items():
            if card == lowest:
                return (seat,), "lowest-trump"
    if any(seat not in claims for seat in living):
        if not trumps or not is_by_trump:
            return living, None
        best = min(card.height for card in trumps.values())
        behind = {seat for seat in claims if seat not in trumps or trumps[seat].height > best}
        return tuple(seat for seat in living if seat not in behind), None
    if trumps:
        without = [seat for seat in from_left if seat in claims and seat not in trumps]
        if without and not is_by_trump:
            return (without[0],), "no-trump"
        return (min(trumps, key=lambda seat: trumps[seat].height),), "lowest-trump"
    if rules.no_trump == "redeal":
        return (), "redeal"
    if rules.no_trump == "left_of_dealer":
        return left_of_dealer
    ranks = {seat: RANKS.index(claim.highest) for seat, claim in claims.items() if claim.highest is not None}
    if len(ranks) < len(living):
        return (), "highest-rank-wanted"
    first = tuple(seat for seat, rank in ranks.items() if rank == min(ranks.values()))
    return (first, "lowest-high-card") if len(first) == 1 else ((), "equal-highest-ranks")


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


FIVE = 5
"""Number of cards of one suit in a first hand that causes a redeal (option ``redeal``)."""


RED = frozenset((Suit.HEARTS, Suit.DIAMONDS))


def redealt_hand(state: GameState) -> str | None:
    """Return why a first hand that was shown has the deal done again: five of a suit, or all of one colour."""
    bout = state.bout
    has_begun = bout is not None and (bout.number > 1 or bool(bout.attacks) or bout.ended is not None)
    if state.rules.redeal == "none" or not state.dealt or has_begun or state.result is not None:
        return None
    hands = [cards for seat, cards in state.ledger.known.items() if seat not in state.drawn_since_deal]
    if state.rules.redeal == "five_of_suit":
        is_shown = any(max(Counter(card.suit for card in cards).values(), default=0) >= FIVE for cards in hands)
        return "five-of-suit" if is_shown else None
    whole = [cards for cards in hands if len(cards) == state.rules.hand_size]
    return "one-colour" if any(len({card.suit in RED for card in cards}) == 1 for cards in whole) else None


def opens_with_lowest_trump(state: GameState) -> bool:
    """Check whether this deal is opened with the lowest trump itself, not only by its holder."""
    return state.rules.first_lead == "lowest_trump_itself" and later_leaders(state) is None


def owed_lead(table: Table, seat: int) -> int:
    """Return the lowest trump, as a set of one, with which the seat has to open the deal; 0: it may lead any card."""
    return table.owed_leads.get(seat, 0) & ~(table.turnup | table.open_cards) if table.number == 1 else 0


@by_seat(lambda table, seat: owed_lead(table, seat) or -1)
def check_lowest_trump_led(play: Laid[int], table: Table) -> Fault | None:
    """
    Check that a deal is opened with the lowest trump itself, where its holder has named it (lead-not-lowest-trump).

    Others of its rank may lie with it where several open. Once exchanged for the turn-up it is owed no more.
    """
    owed = owed_lead(table, play.by)
    if not owed or play.mask & owed:
        return None
    return Fault.of(FaultId.LEAD_NOT_LOWEST_TRUMP, card=CARD_OF[owed])


@by_seat(lambda table, seat: ~denied(table, seat) if seat in table.claims else -1)
def check_claim_kept(play: Laid[int] | Swap[int], table: Table) -> Fault | None:
    """
    Check that a seat plays no lower trump than the lowest it claimed (false-lead-claim; docs/rules.md, 15).

    It applies only while the seat has drawn no card since the deal, and to cards that didn't come from the table.
    """
    wrong = play.mask & denied(table, play.by) if play.by in table.claims else 0
    if not wrong:
        return None
    return Fault.of(FaultId.FALSE_LEAD_CLAIM, card=first_of(play, wrong), claimed=table.claims[play.by])


def denied(table: Table, seat: int) -> int:
    """Return the trumps that a seat has claimed not to hold, without those that it took from the table."""
    lowest = table.claims[seat]
    ranks = ONE_SUIT if lowest is None else (1 << lowest.height) - 1
    return table.trumps & ranks * SPREAD & ~table.picked[seat]

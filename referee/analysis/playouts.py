"""
A deal played to its end by simple players, for the value of a position.

They play as people do who count nothing: the lowest card that does it, trumps late. The shares with which they do
otherwise are chosen by hand; a player without chance would make the same mistake in every playout.
"""

from __future__ import annotations

from referee.analysis.card_masks import BEATEN_BY, ONE_SUIT, SPREAD, SUIT_MASKS, same_ranks
from referee.analysis.chance import Chance
from referee.analysis.decisions import SHOW
from referee.analysis.position import GOES_ON, Position, transfers
from referee.analysis.two_hands import BudgetSpentError, TwoHands

MOST_DECISIONS = 600
"""A playout that goes on longer counts as a draw: simple players can pass cards round for long."""
EXACT_CARDS = 6
"""Endings of two with up to so many cards are solved instead of played out (about as fast, and right)."""
LEADS_LOWEST = 0.85
THROWS_PLAIN_IN = 0.9
THROWS_TRUMP_IN = 0.1
THROWS_TRUMP_IN_LATE = 0.5
BEATS_WITH_TRUMP = 0.6
"""While the talon has cards; later always."""
PASSES_ON = 0.75


def lowest(cards: int, trump: int) -> int:
    """The lowest plain card of a set, else its lowest trump."""
    plain = cards & ~SUIT_MASKS[trump]
    if not plain:
        return cards & -cards
    ranks = (plain | plain >> 13 | plain >> 26 | plain >> 39) & ONE_SUIT
    fits = plain & (ranks & -ranks) * SPREAD
    return fits & -fits


def any_of(cards: int, chance: Chance) -> int:
    """One card of a set by chance."""
    for _ in range(int(chance.random() * cards.bit_count())):
        cards &= cards - 1
    return cards & -cards


def play_out(position: Position, chance: Chance, solver: TwoHands | None = None) -> int:
    """Play to the end; the bit mask of the losers. ``solver``: for the last cards of two."""
    decisions = 0
    while position.losers == GOES_ON and decisions < MOST_DECISIONS:
        decisions += 1
        if not position.attacks:
            if solver is not None and not position.talon:
                first, second = position.hands[position.attacker], position.hands[position.defender]
                if first.bit_count() + second.bit_count() <= EXACT_CARDS:
                    losers = _solved(position, solver)
                    if losers is not None:
                        return losers
                    solver = None  # cards passed round for too long: it is played out instead
            _lead(position, chance)
        elif position.unbeaten and not position.taking:
            _defend(position, chance)
        else:
            _add(position, chance)
    return max(position.losers, 0)


def _solved(position: Position, solver: TwoHands) -> int | None:
    try:
        value = solver.value(position)
    except BudgetSpentError:
        return None
    if value == 0:
        return 0
    return 1 << (position.defender if value > 0 else position.attacker)


def _lead(position: Position, chance: Chance) -> None:
    hand = position.hands[position.attacker]
    card = lowest(hand, position.trump) if chance.random() < LEADS_LOWEST else any_of(hand, chance)
    position.add(position.attacker, card)


def _defend(position: Position, chance: Chance) -> None:
    if position.house.transfer and chance.random() < PASSES_ON:
        passing = transfers(position)
        if passing:
            kind, card, _ = min(passing, key=lambda each: each[1] & SUIT_MASKS[position.trump])
            if kind == SHOW:
                position.show(card)
            else:
                position.transfer(card)
            return
    trump, over = position.trump, position.unbeaten & -position.unbeaten
    beats = position.hands[position.defender] & BEATEN_BY[trump][over]
    if not beats:
        position.take()
        return
    card = lowest(beats, trump)
    if position.talon and card & SUIT_MASKS[trump] and chance.random() > BEATS_WITH_TRUMP:
        position.take()
        return
    position.beat(card, over)


def _add(position: Position, chance: Chance) -> None:
    seat, trump = position.asked, position.trump
    card = lowest(position.hands[seat] & same_ranks(position.table), trump)
    if card & SUIT_MASKS[trump]:
        share = THROWS_TRUMP_IN if position.talon or position.taking else THROWS_TRUMP_IN_LATE
    else:
        share = THROWS_PLAIN_IN
    if chance.random() < share:
        position.add(seat, card)
    else:
        position.decline(seat)

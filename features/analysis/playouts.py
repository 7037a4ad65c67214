"""
Play a deal to its end by simple players, to estimate the value of a position.

They play by rules of thumb: lead the lowest card, several of a rank together, beat with the lowest card, keep trumps
while the talon has cards, throw low cards in. The shares with which they do otherwise were tuned by hand on games
against a greedy and a determinized player (benchmarks/FINDINGS.md); players without chance would make the same mistake
in every playout.

The random generator is passed by the caller, so the same seed gives the same analysis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from features.analysis.endgames import BudgetSpentError, TwoHands, is_of_two
from features.analysis.position import GOES_ON, SHOW, Position, SearchRules, is_legal_opening, transfers
from referee.cards import ONE_SUIT, RANK_COUNT, SPREAD, SUIT_MASKS, same_ranks
from referee.plays import Beat, Lead
from referee.rules.whole_hand import playable


class Chance(Protocol):
    """A source of numbers that nobody can foresee, such as Python's ``random.Random(seed)``."""

    def random(self) -> float:
        """Return the next number from 0 up to 1."""


def shuffled(cards: list[int], chance: Chance) -> None:
    """Put a list into a random order, in place."""
    draw = chance.random
    for place in range(len(cards) - 1, 0, -1):
        other = int(draw() * (place + 1))
        cards[place], cards[other] = cards[other], cards[place]


MOST_DECISIONS = 600
"""Decisions; a playout that goes on longer counts as a draw: simple players can pass cards round."""
EXACT_CARDS = 4
"""Most cards of an ending of the last two that is solved instead of played out (about as fast, and right)."""
LEADS_LOWEST = 0.95
LEADS_SEVERAL = 0.5
BEATS_WITH_RANK_ON_TABLE = 0.5
LOW_RANKS = 0.65
"""Up to this share of the ranks of the pack a card is low: in a pack of 36 the jack is the highest low one."""
THROWS_HIGH_IN = 0.4
GIVES_HIGH = 0.3
"""While the talon has cards; low ones always."""
THROWS_IN_LATE = 0.9
THROWS_TRUMP_IN = 0.05
THROWS_TRUMP_IN_LATE = 0.5
BEATS_WITH_LOWEST_TRUMP = 1.0
BEATS_WITH_HIGHEST_TRUMP = 0.6
BEATS_FOR_EACH_CARD = 0.05
"""
Probability that is added for each card on the table while the talon has cards; without a talon the beat is certain.
"""
PASSES_ON = 0.75

Draw = Callable[[], float]
"""The next random number from 0 up to 1."""


def lowest(cards: int, trump: int) -> int:
    """Return the lowest plain card of a set, else its lowest trump."""
    if not cards & cards - 1:
        return cards
    plain = cards & ~SUIT_MASKS[trump]
    if not plain:
        return cards & -cards
    ranks = (plain | plain >> 13 | plain >> 26 | plain >> 39) & ONE_SUIT
    fits = plain & (ranks & -ranks) * SPREAD
    return fits & -fits


def any_of(cards: int, draw: Draw) -> int:
    """Draw one card of a set at random."""
    for _ in range(int(draw() * cards.bit_count())):
        cards &= cards - 1
    return cards & -cards


def height(card: int, house: SearchRules) -> float:
    """Return the rank of a card from 0 (the lowest of the pack) to 1 (the ace)."""
    low = house.lowest_rank
    return ((card.bit_length() - 1) % RANK_COUNT - low) / (RANK_COUNT - 1 - low)


def play_out(position: Position, chance: Chance, solver: TwoHands | None = None) -> int:
    """Play to the end; the bit mask of the losers. ``solver``: for the last cards of the last two."""
    decisions, draw = 0, chance.random
    while position.losers == GOES_ON and decisions < MOST_DECISIONS:
        decisions += 1
        if not position.attack_count:
            if solver is not None and not position.talon and is_of_two(position):
                first, second = position.hands[position.attacker], position.hands[position.defender]
                if first.bit_count() + second.bit_count() <= EXACT_CARDS:
                    try:
                        value = solver.value(position)
                    except BudgetSpentError:
                        solver = None  # cards passed round for too long: it is played out instead
                    else:
                        loser = position.defender if value > 0 else position.attacker
                        return position.house.sides[loser] if value else 0
            position.add(position.attacker, lead_of(position, draw))
        elif position.unbeaten and not position.is_taking:
            _defend(position, draw)
        else:
            _add(position, draw)
    return max(position.losers, 0)


def lead_of(position: Position, draw: Draw) -> int:
    """Return the cards with which a simple player opens the bout."""
    seat, trump = position.attacker, position.trump
    hand = playable(Lead, seat, position.hands[seat], position) or position.hands[seat]
    if draw() >= LEADS_LOWEST:
        return any_of(hand, draw)
    card = lowest(hand, trump)
    if position.rules.opening != "same_rank" or card & position.trumps:
        return card
    several = hand & same_ranks(card) & ~position.trumps
    if several == card or draw() >= LEADS_SEVERAL:
        return card
    return several if is_legal_opening(position, several) else card


def share_beaten_with_trump(card: int, table: int, has_talon: bool, house: SearchRules) -> float:
    """Return the probability that a simple player beats with this trump, if no plain card does it."""
    if not has_talon:
        return 1.0
    spread = BEATS_WITH_LOWEST_TRUMP - BEATS_WITH_HIGHEST_TRUMP
    return min(1.0, BEATS_WITH_LOWEST_TRUMP - spread * height(card, house) + BEATS_FOR_EACH_CARD * table.bit_count())


def share_thrown(card: int, is_trump: int, taking: bool, has_talon: bool, house: SearchRules) -> float:
    """Return the probability that a simple player throws this card in, or gives it on."""
    if is_trump:
        return 0.0 if taking else THROWS_TRUMP_IN if has_talon else THROWS_TRUMP_IN_LATE
    if not has_talon:
        return THROWS_IN_LATE
    if height(card, house) <= LOW_RANKS:
        return 1.0
    return GIVES_HIGH if taking else THROWS_HIGH_IN


def _defend(position: Position, draw: Draw) -> None:
    trump = position.trump
    if position.rules.transfer and draw() < PASSES_ON:
        passing = transfers(position)
        if passing:
            kind, card, _ = min(passing, key=lambda play: play[1] & SUIT_MASKS[trump])
            if kind == SHOW:
                position.show(card)
            else:
                position.transfer(card)
            return
    over = position.unbeaten & -position.unbeaten
    beats = playable(Beat, position.defender, position.hands[position.defender], position, over)
    plain = beats & ~position.trumps
    if plain:
        known = plain & same_ranks(position.table)  # a rank that lies there already lets no further card in
        is_known = known and known != plain and draw() < BEATS_WITH_RANK_ON_TABLE
        position.beat(lowest(known if is_known else plain, trump), over)
        return
    card = beats & -beats
    if card and position.talon and draw() >= share_beaten_with_trump(card, position.table, True, position.house):
        card = 0
    if card:
        position.beat(card, over)
    else:
        position.take()


def _add(position: Position, draw: Draw) -> None:
    seat, trump = position.asked, position.trump
    card = lowest(position.can_add, trump)
    if draw() < share_thrown(card, card & position.trumps, position.is_taking, bool(position.talon), position.house):
        position.add(seat, card)
    else:
        position.decline(seat)

"""
Estimate which unseen cards a hand rather holds, from what its player decided.

Whoever leads a nine seldom holds a plain six, and whoever takes an eight seldom holds a plain nine of its suit: players
keep high cards and trumps, so that the old cards of a hand are higher than those of the talon. The likelihood of a
decision is that of the simple players of :mod:`features.analysis.playouts`: if they would have decided otherwise with a
card in the hand in a share ``s`` of the cases, the odds of that card are multiplied by ``1 - s * RULE_OF_THUMB``. Only
cards that were in the hand then count; since it is not known which draw brought a card that is laid, each hand is a
list of arrivals with an expected number of cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, log

from features.analysis.playouts import (
    BEATS_WITH_RANK_ON_TABLE,
    LEADS_LOWEST,
    LEADS_SEVERAL,
    lowest,
    share_beaten_with_trump,
    share_thrown,
)
from features.analysis.position import ATTACK, BEAT, PASS, TAKE, Decision, Position
from referee.cards import BEATEN_BY, RANK_COUNT, SPREAD, SUIT_MASKS, bits_of, same_ranks
from referee.plays import Give, Kind, ThrowIn
from referee.rules.whole_hand import playable

RULE_OF_THUMB = 0.7
"""How often players decide by the rules of thumb. The likeliest value for hands and talon in development games of the
search against itself (benchmarks/FINDINGS.md)."""
CARDS = 4 * RANK_COUNT
NO_CARD = 1e-6
"""Expected number of cards below which an arrival is forgotten."""


@dataclass(slots=True)
class _Arrival:
    """Cards that came to a hand together: how many are expected to be there still; by card, the log of its odds."""

    count: float
    odds: list[float] = field(default_factory=lambda: [0.0] * CARDS)


def _cheaper(card: int, trump: int) -> int:
    """Return the cards that a player would rather lay than this one: lower plain ones, for a trump all plain ones."""
    trumps = SUIT_MASKS[trump]
    lower = ((1 << (card.bit_length() - 1) % RANK_COUNT) - 1) * SPREAD
    return (~trumps | lower) & ((1 << CARDS) - 1) if card & trumps else lower & ~trumps


def may_add(position: Position) -> bool:
    """Check whether a further attack card may come in this bout."""
    if not position.is_taking and not position.hands[position.defender]:
        return False
    kind: Kind = Give if position.is_taking else ThrowIn
    return bool(playable(kind, position.attacker, same_ranks(position.table), position, any_turn=True))


def contradicted(position: Position, decision: Decision) -> Iterator[tuple[int, float]]:
    """
    Yield sets of cards, each with the share of cases in which simple players who hold such a card decide otherwise.

    Only what everybody sees of the position is used.
    """
    kind, cards, over = decision
    trump, has_talon, house = position.trump, bool(position.talon), position.house
    trumps = SUIT_MASKS[trump]
    if kind == ATTACK and not position.attack_count:
        card = lowest(cards, trump)
        yield _cheaper(card, trump), LEADS_LOWEST
        if house.rules.opening == "same_rank" and not card & trumps and cards.bit_count() < position.limit:
            yield same_ranks(card) & ~trumps & ~cards, LEADS_LOWEST * LEADS_SEVERAL
    elif kind == ATTACK:
        yield same_ranks(position.table) & _cheaper(cards, trump), 1.0
    elif kind == BEAT:
        beats = BEATEN_BY[trumps][over] & _cheaper(cards, trump)
        is_known = not cards & trumps and cards & same_ranks(position.table)
        yield beats, 1.0 - BEATS_WITH_RANK_ON_TABLE if is_known else 1.0
    elif kind == TAKE and position.unbeaten.bit_count() == 1:
        beats = BEATEN_BY[trumps][position.unbeaten]
        yield beats & ~trumps, 1.0
        for card in bits_of(beats & trumps & house.pack_mask):
            yield card, share_beaten_with_trump(card, position.table, has_talon, house)
    elif kind == PASS and may_add(position):
        for card in bits_of(same_ranks(position.table) & house.pack_mask):
            yield card, share_thrown(card, card & trumps, position.is_taking, has_talon, house)


class HandOdds:
    """
    The odds of the unseen cards for every hand of a deal; what the players decide is entered in order.

    ``by_rules``: how often players decide by the rules of thumb.
    """

    def __init__(self, seats: int, by_rules: float = RULE_OF_THUMB) -> None:
        self._by_rules = by_rules
        self._hands: list[list[_Arrival]] = [[] for _ in range(seats)]

    def decided(self, position: Position, seat: int, decision: Decision, known: tuple[int, ...]) -> None:
        """
        Enter a decision. ``position``: that before it; ``known``: by seat, the cards that everybody knows to be there.
        """
        for other, (held, shown) in enumerate(zip(position.hands, known, strict=True)):
            self._resize(other, held.bit_count() - shown.bit_count())
        for cards, share in contradicted(position, decision):
            if share:
                step = log(1 - share * self._by_rules)
                for arrival in self._hands[seat]:
                    for card in bits_of(cards):
                        arrival.odds[card.bit_length() - 1] += step
        if decision[0] not in (TAKE, PASS):
            for card in bits_of(decision[1] & position.hands[seat] & ~known[seat]):
                self._left(seat, card.bit_length() - 1)

    def of(self, seat: int, hidden: int, cards: Sequence[int]) -> tuple[float, ...]:
        """Return the odds that a hand of ``hidden`` unseen cards holds each of these; 1 where nothing bears on it."""
        self._resize(seat, hidden)
        found = [0.0] * len(cards)
        for arrival in self._hands[seat]:
            for place, card in enumerate(cards):
                found[place] += arrival.count / hidden * exp(arrival.odds[card.bit_length() - 1])
        return tuple(found)

    def _resize(self, seat: int, hidden: int) -> None:
        """Add what was drawn since; where more cards of the hand are known now, all arrivals lose the same share."""
        arrivals = self._hands[seat]
        count = sum(arrival.count for arrival in arrivals)
        if hidden > count + NO_CARD:
            arrivals.append(_Arrival(hidden - count))
        elif hidden < count - NO_CARD:
            for arrival in arrivals:
                arrival.count *= hidden / count
        self._hands[seat] = [arrival for arrival in arrivals if arrival.count > NO_CARD]

    def _left(self, seat: int, card: int) -> None:
        """Take a card out of the arrivals that may have brought it."""
        arrivals = self._hands[seat]
        shares = [arrival.count * exp(arrival.odds[card]) for arrival in arrivals]
        whole, before = sum(shares), sum(arrival.count for arrival in arrivals)
        for arrival, share in zip(arrivals, shares, strict=True):
            arrival.count = max(0.0, arrival.count - share / whole)
        after = sum(arrival.count for arrival in arrivals)
        for arrival in arrivals:
            arrival.count *= max(0.0, before - 1) / after if after else 0.0

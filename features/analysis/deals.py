"""
Sample the deals that agree with what a player could know.

He knows his own hand, what lies on the table and in the heap, the turn-up, and every card that was taken or shown and
has not been played since; of every other hand, and of the talon, he knows the count. The cards that he has not seen are
dealt to these places by the odds that the decisions of the other players give them
(:mod:`features.analysis.hand_odds`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log

from features.analysis.hand_odds import HandOdds
from features.analysis.playouts import Chance, shuffled
from features.analysis.position import Position
from referee.cards import bits_of

LEAST_ODDS = 0.01
"""No card is less likely than that compared with one of which nothing is known: players make mistakes, too."""


@dataclass(frozen=True, slots=True)
class Deals:
    """
    ``base``: the position with the cards that are known where they are known to be. ``hidden``: by seat, how many cards
    more it holds. ``unseen``: the cards that may be anywhere else. ``talon``: cards that lie above the known ones.
    ``odds``: by seat, how likely it holds each unseen card compared with the others; empty where all are as likely.
    """

    base: Position
    hidden: tuple[int, ...]
    unseen: tuple[int, ...]
    talon: int
    odds: tuple[tuple[float, ...], ...] = ()

    @classmethod
    def known_to(cls, truth: Position, seat: int, known: tuple[int, ...], gone: int) -> Deals:
        """
        Return the deals that agree with what a seat can know of a position.

        ``known``: by seat, the cards that everybody knows to be in that hand; ``gone``: the cards of the discard pile.
        """
        hands = [held if other == seat else held & known[other] for other, held in enumerate(truth.hands)]
        base = truth.copy()
        base.hands = hands
        lying = [base.talon[base.place]] if base.place >= 0 else []
        seen = truth.table | gone | sum(lying)
        for held in hands:
            seen |= held
        hidden = tuple(held.bit_count() - shown.bit_count() for held, shown in zip(truth.hands, hands, strict=True))
        return cls(base, hidden, tuple(bits_of(truth.house.pack_mask & ~seen)), len(base.talon) - len(lying))

    @property
    def is_one(self) -> bool:
        """Check whether only one such deal is possible: every hand is known, or one hand holds all unseen cards."""
        hidden = [count for count in self.hidden if count]
        return not self.talon and (not hidden or hidden == [len(self.unseen)])

    def weighted(self, odds: HandOdds) -> Deals:
        """Return the same deals, each as likely as the decisions seen so far make it."""
        found = [
            tuple(max(LEAST_ODDS, odd) for odd in odds.of(seat, count, self.unseen)) if count else ()
            for seat, count in enumerate(self.hidden)
        ]
        return replace(self, odds=tuple(found))

    def deal(self, chance: Chance) -> Position:
        position = self.base.copy()
        left = self._dealt_by_odds(position, chance) if self.odds else self._dealt_evenly(position, chance)
        if self.talon:
            above = left[: self.talon]
            turnup = position.place
            if turnup >= 0:
                position.talon = [*above[:turnup], position.talon[turnup], *above[turnup:]]
            else:
                position.talon = above
        return position

    def _dealt_evenly(self, position: Position, chance: Chance) -> list[int]:
        """Deal to the hands by chance alone; return the cards left, in random order."""
        cards = list(self.unseen)
        shuffled(cards, chance)
        begin = 0
        for seat, count in enumerate(self.hidden):
            if count:
                for card in cards[begin : begin + count]:
                    position.hands[seat] |= card
                begin += count
        return cards[begin:]

    def _dealt_by_odds(self, position: Position, chance: Chance) -> list[int]:
        """
        Deal to the hands in a random order of seats, each by its odds; return the cards left, in random order.

        A hand gets the cards with the smallest of as many exponential times, whose rates are the odds: the same as
        drawing card after card by the odds of those that are left.
        """
        draw = chance.random
        places = list(range(len(self.unseen)))
        seats = [seat for seat, count in enumerate(self.hidden) if count]
        shuffled(seats, chance)
        for seat in seats:
            odds, count = self.odds[seat], self.hidden[seat]
            times = sorted([(-log(1.0 - draw()) / odds[place], place) for place in places])
            for _, place in times[:count]:
                position.hands[seat] |= self.unseen[place]
            places = [place for _, place in times[count:]]
        cards = [self.unseen[place] for place in places]
        shuffled(cards, chance)
        return cards

"""
Sample the deals that agree with what a player could know.

He knows his own hand, what lies on the table and in the heap, the turn-up, and every card that was taken or shown and
has not been played since; of every other hand, and of the talon, he knows the count. Every deal of the cards that he
has not seen to these places is taken to be as likely as any other.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.analysis.card_masks import bits_of
from referee.analysis.chance import Chance, shuffled
from referee.analysis.position import Position


@dataclass(frozen=True, slots=True)
class Deals:
    """
    ``base``: the position with the cards that are known where they are known to be. ``hidden``: by seat, how many cards
    more it holds. ``unseen``: the cards that may be anywhere else. ``talon``: cards that lie above the known ones.
    """

    base: Position
    hidden: tuple[int, ...]
    unseen: tuple[int, ...]
    talon: int

    @classmethod
    def known_to(cls, truth: Position, seat: int, known: tuple[int, ...], gone: int) -> Deals:
        """
        Return the deals that agree with what a seat can know of a position.

        ``known``: by seat, the cards that everybody knows to be in that hand; ``gone``: the cards of the discard pile.
        """
        hands = [held if other == seat else held & known[other] for other, held in enumerate(truth.hands)]
        base = truth.copy()
        base.hands = hands
        lying = [base.talon[base.turnup]] if base.turnup >= 0 else []
        seen = truth.table | gone | sum(lying)
        for held in hands:
            seen |= held
        hidden = tuple(held.bit_count() - shown.bit_count() for held, shown in zip(truth.hands, hands, strict=True))
        return cls(base, hidden, tuple(bits_of(truth.house.pack_mask & ~seen)), len(base.talon) - len(lying))

    @property
    def is_one(self) -> bool:
        """Check whether only one such deal is possible, since one hand holds all unseen cards."""
        return not self.talon and len(self.unseen) == sum(self.hidden) and sum(1 for count in self.hidden if count) <= 1

    def deal(self, chance: Chance) -> Position:
        """Draw one of these deals at random."""
        cards = list(self.unseen)
        if len(cards) > 1:
            shuffled(cards, chance)
        position = self.base.copy()
        begin = 0
        for seat, count in enumerate(self.hidden):
            if count:
                for card in cards[begin : begin + count]:
                    position.hands[seat] |= card
                begin += count
        if self.talon:
            above = cards[begin : begin + self.talon]
            turnup = position.turnup
            if turnup >= 0:
                position.talon = [*above[:turnup], position.talon[turnup], *above[turnup:]]
            else:
                position.talon = above
        return position

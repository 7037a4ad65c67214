"""
Where every card is, as far as a witness can know.

Hands and talon are hidden, so they are counts plus what is known: cards picked up, shown, lifted back or drawn in the
open. A card is in exactly one place; the cards of the running bout are kept in :mod:`referee.bout`.

    pack = talon (turn-up counted) + heap + hands + table
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from referee.cards import Card
from referee.frozen import Frozen

NOTHING: frozenset[Card] = frozenset()


@dataclass(frozen=True)
class Ledger(Frozen):
    """
    The books outside the bout.

    ``heap``: cards known to lie there, ``heap_count`` of them in all. ``known``: cards known to be in a hand.
    ``picked``: cards that ever came to a seat from the table in this deal, wherever they are now (docs/rules.md, 8).
    ``single``: how many cards of the heap went there without a partner, since the table let it be; all others lie there
    in pairs.
    """

    hands: Mapping[str, int]
    talon: int
    turnup: Card | None
    heap: frozenset[Card]
    heap_count: int
    known: Mapping[str, frozenset[Card]]
    picked: Mapping[str, frozenset[Card]]
    single: int = 0

    @property
    def count(self) -> int:
        """Cards in all places but the table."""
        return self.talon + self.heap_count + sum(self.hands.values())

    def holder(self, card: Card) -> str | None:
        """The seat in whose hand the card is known to be."""
        for seat, cards in self.known.items():
            if card in cards:
                return seat
        return None

    def without(self, seat: str, cards: tuple[Card, ...]) -> Ledger:
        """The cards left this hand."""
        hands = {**self.hands, seat: self.hands[seat] - len(cards)}
        known = self.known
        if known[seat]:
            rest = known[seat].difference(cards)
            # More cards known than held: what we knew was wrong, so we no longer know it.
            known = {**known, seat: rest if len(rest) <= hands[seat] else NOTHING}
        return self.but(hands=hands, known=known)

    def into_hand(self, seat: str, cards: Iterable[Card], unseen: int = 0, from_table: Iterable[Card] = ()) -> Ledger:
        """Cards came to this hand in the open, ``unseen`` more with them; ``from_table``: those laid by others."""
        cards = frozenset(cards)
        hands = {**self.hands, seat: self.hands[seat] + len(cards) + unseen}
        known = {**self.known, seat: self.known[seat] | cards} if cards else self.known
        picked = {**self.picked, seat: self.picked[seat].union(from_table)} if from_table else self.picked
        return self.but(hands=hands, known=known, picked=picked)

    def to_heap(self, cards: Iterable[Card], unseen: int = 0, pairs: int = 0) -> Ledger:
        """Cards went out of play, ``unseen`` more with them whose faces nobody trusts; ``pairs`` of them in pairs."""
        cards = frozenset(cards)
        count = len(cards) + unseen
        return self.but(
            heap=self.heap | cards,
            heap_count=self.heap_count + count,
            single=self.single + count - 2 * pairs,
        )

    def knowing(self, seat: str, card: Card) -> Ledger:
        """The card was seen in this hand; what is known to lie elsewhere can't have been."""
        if len(self.known[seat]) >= self.hands[seat] or card in self.heap or card == self.turnup:
            return self
        if self.holder(card) is not None:
            return self
        return self.but(known={**self.known, seat: self.known[seat] | {card}})

    def drawn(self, seat: str, count: int, seen: Iterable[Card], turnup: Card | None) -> Ledger:
        """``count`` cards went from the talon to this hand, ``seen`` among them; ``turnup``: what now lies under it."""
        known = frozenset(seen)
        return self.but(
            hands={**self.hands, seat: self.hands[seat] + count},
            talon=self.talon - count,
            turnup=turnup,
            known={**self.known, seat: self.known[seat] | known} if known else self.known,
        )

    def deduced(self, pack: frozenset[Card], table: Iterable[Card]) -> tuple[str, frozenset[Card]] | None:
        """
        The one hand that must hold everything not seen elsewhere, and those cards (docs/rules.md, 15, *By deduction*).

        None unless every other place is known in full: then as many cards are left over as that hand has unknown.
        """
        open_hands = [seat for seat, count in self.hands.items() if count > len(self.known[seat])]
        if len(open_hands) != 1:
            return None
        seat = open_hands[0]
        rest = pack.difference(self.heap, table, *self.known.values())
        if self.turnup is not None:
            rest -= {self.turnup}
        return (seat, rest) if len(rest) == self.hands[seat] - len(self.known[seat]) else None

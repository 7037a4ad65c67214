"""
Keep where every card is, as far as a spectator can know.

Hands and talon are hidden, so they are counts plus known cards: those picked up, shown, lifted back or drawn face up.
A card is in exactly one place; :mod:`referee.bout` keeps the cards of the current bout.

    pack = talon (turn-up counted) + discard pile + hands + table
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from referee.cards import Card

_new, _set = object.__new__, object.__setattr__


class Frozen:
    """
    A frozen dataclass without slots: it is copied several times per event, and one dictionary is copied faster.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Place(Frozen):
    ...     seat: str
    ...     cards: int
    >>> Place("A", 6).but(cards=5)
    Place(seat='A', cards=5)
    """

    def but(self, **changes: Any) -> Self:
        """Return a copy with these fields changed; raise ``TypeError`` for an unknown field."""
        fields = self.__dict__
        values = fields | changes
        if len(values) != len(fields):
            raise TypeError(f"expected fields of {type(self).__name__}, got {', '.join(values.keys() - fields)}")
        changed = _new(self.__class__)
        _set(changed, "__dict__", values)
        return changed


NOTHING: frozenset[Card] = frozenset()


@dataclass(frozen=True)
class Ledger(Frozen):
    """
    The places of all cards outside the bout.

    ``heap``: cards known to lie on the discard pile, ``heap_count`` of them in all. ``known``: cards known to be in a
    hand. ``picked``: cards that ever came to a seat from the table in this deal, wherever they are now (docs/rules.md,
    8). ``single``: how many cards went to the discard pile without a partner, since the players let it stand; all
    others lie there in pairs.
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
        """Return the number of cards in all places but the table."""
        return self.talon + self.heap_count + sum(self.hands.values())

    def holder(self, card: Card) -> str | None:
        """Return the seat in whose hand the card is known to be; None: none is."""
        for seat, cards in self.known.items():
            if card in cards:
                return seat
        return None

    def without(self, seat: str, cards: tuple[Card, ...]) -> Ledger:
        """Return the ledger without these cards in this hand."""
        hands = {**self.hands, seat: self.hands[seat] - len(cards)}
        known = self.known
        if known[seat]:
            rest = known[seat].difference(cards)
            # More cards known than held: the known cards were wrong, so they are no longer known.
            known = {**known, seat: rest if len(rest) <= hands[seat] else NOTHING}
        return self.but(hands=hands, known=known)

    def into_hand(self, seat: str, cards: Iterable[Card], unseen: int = 0, from_table: Iterable[Card] = ()) -> Ledger:
        """Add cards to this hand, ``unseen`` more with unknown faces; ``from_table``: those laid by others."""
        cards = frozenset(cards)
        hands = {**self.hands, seat: self.hands[seat] + len(cards) + unseen}
        known = {**self.known, seat: self.known[seat] | cards} if cards else self.known
        picked = {**self.picked, seat: self.picked[seat].union(from_table)} if from_table else self.picked
        return self.but(hands=hands, known=known, picked=picked)

    def to_heap(self, cards: Iterable[Card], unseen: int = 0, pairs: int = 0) -> Ledger:
        """Add cards to the discard pile, ``unseen`` more with untrusted faces; ``pairs`` of them in pairs."""
        cards = frozenset(cards)
        count = len(cards) + unseen
        return self.but(
            heap=self.heap | cards,
            heap_count=self.heap_count + count,
            single=self.single + count - 2 * pairs,
        )

    def knowing(self, seat: str, card: Card) -> Ledger:
        """Return the ledger with this card known in this hand, unless it is known to be elsewhere."""
        if len(self.known[seat]) >= self.hands[seat] or card in self.heap or card == self.turnup:
            return self
        if self.holder(card) is not None:
            return self
        return self.but(known={**self.known, seat: self.known[seat] | {card}})

    def drawn(self, seat: str, count: int, seen: Iterable[Card], turnup: Card | None) -> Ledger:
        """Move ``count`` cards from the talon to this hand, ``seen`` among them; ``turnup``: the card under it now."""
        known = frozenset(seen)
        return self.but(
            hands={**self.hands, seat: self.hands[seat] + count},
            talon=self.talon - count,
            turnup=turnup,
            known={**self.known, seat: self.known[seat] | known} if known else self.known,
        )

    def deduced(self, pack: frozenset[Card], table: Iterable[Card]) -> tuple[str, frozenset[Card]] | None:
        """
        Return the one hand that must hold all cards not seen elsewhere, and those (docs/rules.md, 15, *By deduction*).

        None unless every other place is known in full, so that the cards left over are that hand's unknown ones.
        """
        open_hands = [seat for seat, count in self.hands.items() if count > len(self.known[seat])]
        if len(open_hands) != 1:
            return None
        seat = open_hands[0]
        rest = pack.difference(self.heap, table, *self.known.values())
        if self.turnup is not None:
            rest -= {self.turnup}
        return (seat, rest) if len(rest) == self.hands[seat] - len(self.known[seat]) else None

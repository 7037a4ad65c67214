"""
Keep where every card is, as far as a spectator can know.

Hands and talon are hidden, so they are counts plus known cards: those picked up, shown, lifted back or drawn face up.
A card is in exactly one place.

    pack = talon (turn-up counted) + discard pile + hands + table

On the table is the bout: the attack cards, the cards across them, and the statements of players since. A statement is
stored with its *moment*, a counter that grows with every event. ``pass`` and ``allow`` hold until the next attack card
or ``take`` (docs/rules.md, 3), so they count only if they are newer than the newest attack card; when that card is
lifted, older statements hold again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from referee.cards import Card
from referee.rulings import NO_FACTS

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

    def without_unknown(self, seat: str, count: int) -> Ledger:
        """Remove ``count`` unknown cards from a hand, whose cards are no longer known: they may be among them."""
        if not count:
            return self
        return self.but(hands={**self.hands, seat: self.hands[seat] - count}, known={**self.known, seat: NOTHING})

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


@dataclass(frozen=True, slots=True)
class Attack:
    """
    An attack card, who laid it and when; ``defence`` and ``beaten_by`` where it has been beaten.

    ``thrown``: thrown in after the opening. ``passed_on``: attacker, defender and limit before it passed the attack on.
    """

    card: Card
    by: str
    moment: int
    thrown: bool = False
    defence: Card | None = None
    beaten_by: str | None = None
    passed_on: tuple[str, str, int | None] | None = None


@dataclass(frozen=True, slots=True)
class Stray:
    """A card that players let stand in the bout, neither attack nor defence; not ``sure``: its face is not trusted."""

    card: Card
    by: str
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Faceless:
    """A card that lies in the bout, across ``on`` or beside the others, and has not been read."""

    by: str
    on: Card | None


@dataclass(frozen=True)
class Bout(Frozen):
    """
    The bout as the rules see it.

    ``attacker``: the principal; ``limit``: attack cards allowed (None: no limit); ``began``: hands when it began;
    ``taking``: the moment of the take, ``limit_if_beaten``: the limit before it,
    ``last_attacker``: who was the last to attack before it; ``shown_by``: who last
    passed the attack on by showing, and when; ``ended``: "beaten" or "taken" once swept, while draws are still owed.
    """

    number: int
    attacker: str
    defender: str
    limit: int | None
    began: Mapping[str, int]
    attacks: tuple[Attack, ...] = ()
    strays: tuple[Stray, ...] = ()
    faceless: tuple[Faceless, ...] = ()
    taking: int | None = None
    limit_if_beaten: int | None = None
    last_attacker: str | None = None
    passed: Mapping[str, int] = field(default_factory=lambda: NO_FACTS)
    allowed: Mapping[tuple[str, str], int] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()
    shown: frozenset[Card] = frozenset()
    shown_by: tuple[str, int] | None = None
    ended: str | None = None

    @property
    def unbeaten(self) -> tuple[Card, ...]:
        """Return the attack cards without a card across them, oldest first."""
        answered = {card.on for card in self.faceless}
        return tuple(attack.card for attack in self.attacks if attack.defence is None and attack.card not in answered)

    @property
    def pairs(self) -> int:
        """Return the number of attack cards with a card across them."""
        return len([attack for attack in self.attacks if attack.defence is not None])

    @property
    def beaten(self) -> bool:
        """Check whether a beaten card lies in the bout."""
        return any(attack.defence is not None for attack in self.attacks)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Return all cards in the bout with a trusted face."""
        cards = [attack.card for attack in self.attacks]
        cards += [attack.defence for attack in self.attacks if attack.defence is not None]
        if self.strays:
            cards += [stray.card for stray in self.strays if stray.sure]
        return tuple(cards)

    @property
    def untrusted(self) -> int:
        """Return the number of cards in the bout without a trusted face."""
        return len(self.faceless) + len([stray for stray in self.strays if not stray.sure])

    @property
    def ranks(self) -> frozenset[str]:
        """Return the ranks of attack and defence cards."""
        ranks = {attack.card.rank for attack in self.attacks}
        ranks.update(attack.defence.rank for attack in self.attacks if attack.defence is not None)
        return frozenset(ranks)

    @property
    def room(self) -> int | None:
        """Return how many more attack cards are allowed; None: no limit."""
        return None if self.limit is None else max(0, self.limit - len(self.attacks))

    @property
    def statements_since(self) -> int:
        """Return the moment after which a statement counts."""
        youngest = max((attack.moment for attack in self.attacks), default=0)
        return youngest if self.taking is None else max(youngest, self.taking)

    def has_passed(self, seat: str) -> bool:
        """Check whether the seat has stopped since the last attack card or take."""
        return self._counts(self.passed.get(seat))

    def has_allowed(self, seat: str, other: str) -> bool:
        """Check whether ``seat`` has let ``other`` attack since the last attack card or take."""
        return self._counts(self.allowed.get((seat, other)))

    def _counts(self, statement: int | None) -> bool:
        return statement is not None and statement > self.statements_since

    @property
    def last_to_attack(self) -> str:
        """Return the seat that laid the last attack card in the bout, or passed the attack on by showing since."""
        latest = self.attacks[-1]
        if self.shown_by is not None and latest.moment < self.shown_by[1]:
            return self.shown_by[0]
        return latest.by

    def find(self, card: Card) -> Attack | None:
        """Return the attack with this attack card; None: there is none."""
        return next((attack for attack in self.attacks if attack.card == card), None)

    def attacked(
        self,
        by: str,
        cards: tuple[Card, ...],
        moment: int,
        thrown: bool = False,
        passed_on: tuple[str, str, int | None] | None = None,
    ) -> Bout:
        """Return the bout with more attack cards."""
        return self.but(
            attacks=self.attacks + tuple(Attack(card, by, moment, thrown, passed_on=passed_on) for card in cards),
            waiting=self.waiting - {by},
        )

    def defended(self, over: Card, card: Card, by: str) -> Bout:
        """Return the bout with ``card`` across ``over``."""
        attacks = tuple(
            Attack(attack.card, attack.by, attack.moment, attack.thrown, card, by, attack.passed_on)
            if attack.card == over
            else attack
            for attack in self.attacks
        )
        return self.but(attacks=attacks)

    def taken(self, moment: int, limit: int | None) -> Bout:
        """Return the bout with the defender taking; ``limit``: attack cards allowed from now on."""
        return self.but(
            taking=moment,
            limit=limit,
            limit_if_beaten=self.limit,
            last_attacker=self.last_to_attack,
            waiting=frozenset(),
        )

    def not_taken(self) -> Bout:
        """Return the bout with the take withdrawn."""
        return self if self.taking is None else self.but(taking=None, limit=self.limit_if_beaten)

    def laid_by(self, seat: str) -> int:
        """Return how many cards of the bout the seat has laid."""
        layers = [attack.by for attack in self.attacks] + [attack.beaten_by for attack in self.attacks]
        layers += [stray.by for stray in self.strays] + [card.by for card in self.faceless]
        return layers.count(seat)

    def owner(self, card: Card) -> str | None:
        """Return the seat that laid this card of the bout; None: it does not lie there."""
        for attack in self.attacks:
            if attack.card == card:
                return attack.by
            if attack.defence == card:
                return attack.beaten_by
        return next((stray.by for stray in self.strays if stray.card == card), None)

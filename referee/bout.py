"""
One bout: the attack cards, the cards across them, and the statements of players since.

A statement is stored with its *moment*, a counter that grows with every event. ``pass`` and ``allow`` hold until the
next attack card or ``take`` (docs/rules.md, 3), so they count only if they are newer than the newest attack card; when
that card is lifted, older statements hold again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.cards import Card
from referee.ledger import Frozen
from referee.rulings import NO_FACTS


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

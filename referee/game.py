"""
The position that a spectator could know: the state of the game and the cards on the table.

The *game* holds the plays that count: the bout, the ledger, whose turn it is. The *table* holds the cards that lie
there, whether their plays count or not. The difference between the two is the list of open matters: every card on the
table is in the game or in that list.

Phases::

    lead --(claims, first card)--> attack --(take)--> take
                                     |                  |
                                     +----(sweep)-------+--> draw --(last draw)--> attack
                                                         \\-> attack (nothing due)
    any of them --(the deal is decided)--> over --(dealt)--> lead or attack

Before the deal the phase is ``lead`` too, with empty hands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, ClassVar, Self

from referee.cards import BACK, MASK_OF_SUIT, Card, CardSet, Suit, cards_of, mask_of
from referee.fields import Json
from referee.plays import CardPlay, Give, ThrowIn
from referee.rulebook import Rulebook
from referee.rules.attack import check_entitled, check_give_allowed
from referee.rules.result import Result
from referee.rulings import NO_FACTS, Fault, Verdict
from referee.seating import Seating
from referee.table import NO_LIMIT, Table, attackers_of

_new, _set = object.__new__, object.__setattr__


class Frozen:
    """
    A frozen dataclass without slots: it is copied several times per event, and one dictionary is copied faster.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Place(Frozen):
    ...     seat: str
    ...     cards: int
    >>> Place("A", 6).replace(cards=5)
    Place(seat='A', cards=5)
    """

    def replace(self, **changes: Any) -> Self:
        """Return a copy with these fields changed; raise ``TypeError`` for an unknown field."""
        fields = self.__dict__
        values = fields | changes
        if len(values) != len(fields):
            raise TypeError(f"expected fields of {type(self).__name__}, got {', '.join(values.keys() - fields)}")
        changed = _new(self.__class__)
        _set(changed, "__dict__", values)
        return changed


NOTHING = CardSet()


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
    heap: CardSet
    heap_count: int
    known: Mapping[str, CardSet]
    picked: Mapping[str, CardSet]
    single: int = 0

    @property
    def count(self) -> int:
        """Return the number of cards in all places but the table."""
        return self.talon + self.heap_count + sum(self.hands.values())

    def holder(self, card: Card) -> str | None:
        """Return the seat in whose hand the card is known to be; None: none is."""
        for seat, cards in self.known.items():
            if card.bit & cards.mask:
                return seat
        return None

    def without(self, seat: str, cards: tuple[Card, ...]) -> Ledger:
        """Return the ledger without these cards in this hand."""
        hands = {**self.hands, seat: self.hands[seat] - len(cards)}
        known = self.known
        if known[seat]:
            rest = known[seat] - cards
            # More cards known than held: the known cards were wrong, so they are no longer known.
            known = {**known, seat: rest if len(rest) <= hands[seat] else NOTHING}
        return self.replace(hands=hands, known=known)

    def without_unknown(self, seat: str, count: int) -> Ledger:
        """Remove ``count`` unknown cards from a hand, whose cards are no longer known: they may be among them."""
        if not count:
            return self
        return self.replace(hands={**self.hands, seat: self.hands[seat] - count}, known={**self.known, seat: NOTHING})

    def into_hand(self, seat: str, cards: Iterable[Card], unseen: int = 0, from_table: Iterable[Card] = ()) -> Ledger:
        """Add cards to this hand, ``unseen`` more with unknown faces; ``from_table``: those laid by others."""
        cards = CardSet.of(cards)
        hands = {**self.hands, seat: self.hands[seat] + len(cards) + unseen}
        known = {**self.known, seat: self.known[seat] | cards} if cards else self.known
        picked = {**self.picked, seat: self.picked[seat] | from_table} if from_table else self.picked
        return self.replace(hands=hands, known=known, picked=picked)

    def to_heap(self, cards: Iterable[Card], unseen: int = 0, pairs: int = 0) -> Ledger:
        """Add cards to the discard pile, ``unseen`` more with untrusted faces; ``pairs`` of them in pairs."""
        cards = CardSet.of(cards)
        count = len(cards) + unseen
        return self.replace(
            heap=self.heap | cards, heap_count=self.heap_count + count, single=self.single + count - 2 * pairs
        )

    def knowing(self, seat: str, card: Card) -> Ledger:
        """Return the ledger with this card known in this hand, unless it is known to be elsewhere."""
        if len(self.known[seat]) >= self.hands[seat] or card in self.heap or card == self.turnup:
            return self
        if self.holder(card) is not None:
            return self
        return self.replace(known={**self.known, seat: self.known[seat] | {card}})

    def drawn(self, seat: str, count: int, seen: Iterable[Card], turnup: Card | None) -> Ledger:
        """Move ``count`` cards from the talon to this hand, ``seen`` among them; ``turnup``: the card under it now."""
        known = CardSet.of(seen)
        return self.replace(
            hands={**self.hands, seat: self.hands[seat] + count},
            talon=self.talon - count,
            turnup=turnup,
            known={**self.known, seat: self.known[seat] | known} if known else self.known,
        )

    def deduced(self, pack: CardSet, table: Iterable[Card]) -> tuple[str, CardSet] | None:
        """
        Return the one hand that must hold all cards not seen elsewhere, and those (docs/rules.md, 15, *By deduction*).

        None unless every other place is known in full, so that the cards left over are that hand's unknown ones.
        """
        open_hands = [seat for seat, count in self.hands.items() if count > len(self.known[seat])]
        if len(open_hands) != 1:
            return None
        seat = open_hands[0]
        rest = pack - self.heap - table
        for cards in self.known.values():
            rest -= cards
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
class UnclassifiedCard:
    """A card that players let stand in the bout, neither attack nor defence; not ``sure``: its face is not trusted."""

    card: Card
    by: str
    sure: bool = True


@dataclass(frozen=True, slots=True)
class UnreadCard:
    """
    A card that lies in the bout, across ``on`` or beside the others, and has not been read.

    ``moment``: when it was laid. ``stays_unread``: the next card of the seat is another one.
    """

    by: str
    on: Card | None
    moment: int = 0
    stays_unread: bool = False


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
    strays: tuple[UnclassifiedCard, ...] = ()
    faceless: tuple[UnreadCard, ...] = ()
    taking: int | None = None
    limit_if_beaten: int | None = None
    last_attacker: str | None = None
    passed: Mapping[str, int] = field(default_factory=lambda: NO_FACTS)
    allowed: Mapping[tuple[str, str], int] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()
    shown: CardSet = NOTHING
    shown_by: tuple[str, int] | None = None
    ended: str | None = None

    @property
    def unbeaten(self) -> tuple[Card, ...]:
        """Return the attack cards without a card across them, oldest first."""
        answered = {card.on for card in self.faceless} if self.faceless else ()
        return tuple([attack.card for attack in self.attacks if attack.defence is None and attack.card not in answered])

    @property
    def pairs(self) -> int:
        return len([attack for attack in self.attacks if attack.defence is not None])

    @property
    def beaten(self) -> bool:
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
        if not self.faceless and not self.strays:
            return 0
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
    def _attacks_laid(self) -> Sequence[Attack | UnreadCard]:
        """
        Return the attack cards, with the unread ones beside them; not the defender's, who may have beaten with one.
        """
        unread = [card for card in self.faceless if card.on is None and card.by != self.defender]
        return (*self.attacks, *unread) if unread else self.attacks

    @property
    def statements_since(self) -> int:
        """Return the moment after which a statement counts."""
        youngest = max([card.moment for card in self._attacks_laid], default=0)
        return youngest if self.taking is None else max(youngest, self.taking)

    def has_passed(self, seat: str) -> bool:
        return self.passed.get(seat, 0) > self.statements_since

    def has_allowed(self, seat: str, other: str) -> bool:
        """Check whether ``seat`` has let ``other`` attack since the last attack card or take."""
        return self.allowed.get((seat, other), 0) > self.statements_since

    @property
    def last_to_attack(self) -> str:
        """Return the seat that laid the last attack card in the bout, or passed the attack on by showing since."""
        if not self._attacks_laid:
            return self.attacker
        latest = max(reversed(self._attacks_laid), key=lambda card: card.moment)  # of cards laid at once, the last
        if self.shown_by is not None and latest.moment < self.shown_by[1]:
            return self.shown_by[0]
        return latest.by

    def find(self, card: Card) -> Attack | None:
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
        return self.replace(
            attacks=self.attacks + tuple(Attack(card, by, moment, thrown, passed_on=passed_on) for card in cards),
            waiting=self.waiting - {by},
        )

    def defended(self, over: Card, card: Card, by: str) -> Bout:
        """Return the bout with ``card`` across ``over``."""
        beaten = [
            replace(attack, defence=card, beaten_by=by) if attack.card == over else attack for attack in self.attacks
        ]
        return self.replace(attacks=tuple(beaten))

    def taken(self, moment: int, limit: int | None) -> Bout:
        """Return the bout with the defender taking; ``limit``: attack cards allowed from now on."""
        return self.replace(
            taking=moment,
            limit=limit,
            limit_if_beaten=self.limit,
            last_attacker=self.last_to_attack,
            waiting=frozenset(),
        )

    def not_taken(self) -> Bout:
        """Return the bout with the take withdrawn."""
        return self if self.taking is None else self.replace(taking=None, limit=self.limit_if_beaten)

    def laid_by(self, seat: str) -> int:
        """Return how many cards of the bout the seat has laid."""
        count = 0
        for attack in self.attacks:
            count += (attack.by == seat) + (attack.beaten_by == seat)
        for stray in self.strays:
            count += stray.by == seat
        for unread in self.faceless:
            count += unread.by == seat
        return count

    def owner(self, card: Card) -> str | None:
        """Return the seat that laid this card of the bout; None: it does not lie there."""
        for attack in self.attacks:
            if attack.card == card:
                return attack.by
            if attack.defence == card:
                return attack.beaten_by
        return next((stray.by for stray in self.strays if stray.card == card), None)


class Phase(Enum):
    """The phase of the deal (docs/record.md, *The state*)."""

    __hash__ = object.__hash__  # there is one object of each, and hypotheses are compared by them

    LEAD = "lead"
    ATTACK = "attack"
    TAKE = "take"
    DRAW = "draw"
    OVER = "over"
    FREE = "free"
    """No game is played: nothing is judged (rule set ``free``)."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class OpenFault:
    """
    A play that doesn't count: a fault that is not put right, or an unclear play that can't be made.

    ``cards``: its cards that still lie on the table, laid across ``on``. ``away``: for a sweep, cards of the game that
    were swept and not put back. ``sure``: the faces are trusted (not where the fault is ``impossible``).
    ``opened``: the moment.
    """

    play: CardPlay
    fault: Fault
    verdict: Verdict
    opened: int
    cards: tuple[Card, ...] = ()
    on: Card | None = None
    away: CardSet = NOTHING
    sure: bool = True

    def as_json(self) -> Json:
        """Return the entry of the state's ``open``."""
        return {
            "fault": str(self.fault.id),
            "ruling": str(self.verdict),
            "play": self.play.name,
            "cards": [str(card) for card in self.cards],
            "by": self.play.by,
            **({} if self.on is None else {"on": str(self.on)}),
        }


@dataclass(frozen=True, slots=True)
class Laying:
    """
    Cards that one seat is laying at the same ``at``: one play.

    ``base``: the state before its first card.
    """

    by: str | None
    at: float
    cards: tuple[Card, ...]
    base: GameState


@dataclass(frozen=True, slots=True)
class Claim:
    """
    A seat's claim about its trumps: the lowest (None: it has none), and its highest rank where asked.

    ``leads``: the house opens this deal with the lowest trump itself, so that who leads by this claim leads that card.
    """

    lowest: Card | None
    highest: str | None
    leads: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """
    Facts that continue from deal to deal.

    ``deal``: which deal it is, from 1. ``dealer``: None where the losers choose among ``dealers``. ``fool``: who lost
    the last deal that had a loser, ``winner``: who won the last one that had a winner. ``losses``: by seat. ``silent``:
    at this table a fault stands until a player challenges it.
    """

    deal: int
    dealer: str | None
    dealers: tuple[str, ...]
    fool: tuple[str, ...] = ()
    winner: tuple[str, ...] = ()
    losses: Mapping[str, int] = field(default_factory=lambda: NO_FACTS)
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Refill:
    """
    The draws after a bout, kept until the next bout ends; they count before its first card (docs/rules.md, 8).

    ``after``: the bout, as it ended; ``drew``: who drew in it, ``last``: the newest of them; ``turnup``: the turn-up if
    it was drawn in it, ``holder``: by whom; ``partly``: the seat whose turn it is has drawn some of its due.
    """

    after: Bout | None = None
    drew: frozenset[str] = frozenset()
    last: str | None = None
    turnup: Card | None = None
    holder: str | None = None
    partly: bool = False


@dataclass(frozen=True)
class GameState(Frozen):
    """
    The whole position.

    ``deals``: how often cards were dealt in this match. ``lead``: who leads the deal (None: nobody yet) and why.
    ``new_trump``: the card that made its suit trump during the deal, and who showed it. ``assumed``: cards of the bout
    that nobody has read, by names that are only assumed: people see them as unread.
    ``short``: seats that may hold less than a full hand although the talon has cards; ``resigned``: seats that gave the
    deal up, among those ``out``.
    """

    rules: Rulebook
    seating: Seating
    session: Session
    phase: Phase
    trump: Suit | None
    ledger: Ledger
    out: tuple[str, ...] = ()
    bout: Bout | None = None
    beaten_off: int = 0
    due: tuple[tuple[str, int], ...] = ()
    refill: Refill = Refill()
    matters: tuple[OpenFault, ...] = ()
    claims: Mapping[str, Claim] = field(default_factory=lambda: NO_FACTS)
    leaders: tuple[str, ...] = ()
    drawn_since_deal: frozenset[str] = frozenset()
    last_card_by: str | None = None
    emptied: tuple[str, ...] = ()
    result: Result | None = None
    laying: Laying | None = None
    moment: int = 0
    deals: int = 0
    lead: tuple[str | None, str] | None = None
    new_trump: tuple[Card, str] | None = None
    session_before: Session | None = None
    short: frozenset[str] = frozenset()
    resigned: tuple[str, ...] = ()
    assumed: CardSet = NOTHING

    __slots__ = ("_table",)
    _table: ClassVar[Table]
    """What :attr:`table` has built: in a slot beside the fields, so that a changed copy has none."""

    def __getstate__(self) -> dict[str, object]:
        """Leave the table out of copies for other processes."""
        return self.__dict__

    @property
    def dealt(self) -> bool:
        return self.deals > 0

    def without(self, *closed: OpenFault) -> GameState:
        """Return the position with these open matters closed."""
        gone = set(map(id, closed))
        return self.replace(matters=tuple(matter for matter in self.matters if id(matter) not in gone))

    @property
    def living(self) -> tuple[str, ...]:
        """Return the seats still in the deal, clockwise."""
        seats, out = self.seating.seats, self.out
        return tuple([seat for seat in seats if seat not in out]) if out else seats

    @property
    def before_first_card(self) -> bool:
        """Check that the bout has not begun, so that draws before it may still be put right (docs/rules.md, 8)."""
        return self.bout is None or not self.bout.attacks

    @property
    def the_bout(self) -> Bout:
        assert self.bout is not None, "only an opening is judged without a bout"
        return self.bout

    @property
    def table(self) -> Table:
        """Return the position as the rules read it; it is built once."""
        try:
            return self._table
        except AttributeError:
            table = _table_of(self)
            _set(self, "_table", table)
            return table

    def at_moment(self, moment: int, laying: Laying | None) -> GameState:
        """Return the position at another moment; rules read neither that nor the laying."""
        changed = self.replace(moment=moment, laying=laying)
        _set(changed, "_table", self.table)
        return changed

    def named(self, seats: Iterable[int]) -> tuple[str, ...]:
        """Return the names of seats that rules have found."""
        return self.seating.named(seats)

    @property
    def held_before(self) -> int:
        """Return how many cards the defender held when he became it."""
        defender = self.the_bout.defender
        return self.ledger.hands[defender] + sum(attack.beaten_by == defender for attack in self.the_bout.attacks)

    def entitled(self) -> tuple[str, ...]:
        """Return the seats that may attack now: this bout's attackers who hold cards, without regard to priority."""
        if self.bout is None or self.phase not in (Phase.ATTACK, Phase.TAKE):
            return ()
        table = self.table
        kind, rules = (Give, (check_give_allowed, check_entitled)) if table.is_taking else (ThrowIn, (check_entitled,))
        seats = (seat for seat in table.attackers if table.held(seat))
        return self.named(seat for seat in seats if all(rule(kind(seat, ()), table) is None for rule in rules))

    def physical(self, seat: str) -> int:
        """Return the number of cards really in the hand, without those of open matters on the table."""
        count = self.ledger.hands[seat]
        for matter in self.matters:
            if matter.play.by == seat:
                count -= len(matter.cards)
        return count

    @property
    def ranks_read(self) -> frozenset[str]:
        """Return the ranks of attack and defence cards that were read."""
        return frozenset(card.rank for card in cards_of(self.table.table) if card not in self.assumed)

    def shown_name(self, card: Card | None) -> str | None:
        """Return the name of a card on the table as people see it, ``back`` if it is only assumed; None for no card."""
        return None if card is None else BACK if card in self.assumed else str(card)

    def as_json(self) -> Json:
        """Return the position in the form of docs/record.md, *The state*."""
        bout, ledger = self.bout, self.ledger
        playing = bout if self.phase in (Phase.ATTACK, Phase.TAKE) else None
        known = dict(ledger.known)
        deduced = ledger.deduced(self.rules.cards(), bout.cards if bout else ()) if self.dealt else None
        if deduced is not None:
            known[deduced[0]] |= deduced[1]
        return {
            "phase": str(self.phase),
            "trump": str(self.trump) if self.trump else None,
            "turnup": str(ledger.turnup) if ledger.turnup else None,
            "talon": ledger.talon,
            "heap": ledger.heap_count,
            "attacker": (bout.attacker or None) if bout else None,
            "defender": (bout.defender or None) if bout else None,
            "entitled": list(self.entitled()),
            "hands": dict(ledger.hands),
            "known": {seat: sorted(str(card) for card in cards) for seat, cards in known.items() if cards},
            "table": [[self.shown_name(attack.card), self.shown_name(attack.defence)] for attack in bout.attacks]
            if bout
            else [],
            "limit": playing.limit if playing else None,
            "room": playing.room if playing else None,
            "ranks": sorted(self.ranks_read, key="23456789TJQKA".index),
            "due": [[seat, count] for seat, count in self.due],
            "out": list(self.out),
            "result": self.result.as_json() if self.result else None,
            "open": [matter.as_json() for matter in self.matters],
        }


def _table_of(state: GameState) -> Table:
    """Return the position as the rules read it: with seats by number, and sets of cards as bit masks."""
    ledger, bout, refill, rules, seating = state.ledger, state.bout, state.refill, state.rules, state.seating
    number_of, known = seating.number_of, ledger.known.values()
    hands = [cards.mask for cards in known]
    table = Table(
        rules,
        seating.numbered,
        hands,
        unseen=tuple([count - mask.bit_count() for count, mask in zip(ledger.hands.values(), hands, strict=True)]),
        laid_open=(0,) * len(hands),
        picked=tuple([cards.mask for cards in ledger.picked.values()]),
        heap=ledger.heap.mask,
        heap_count=ledger.heap_count,
        talon_count=ledger.talon,
        trumps=0 if state.trump is None else MASK_OF_SUIT[state.trump],
        turnup=0 if ledger.turnup is None else ledger.turnup.bit,
        is_partly_drawn=refill.partly,
        due=tuple([(number_of[seat], count) for seat, count in state.due]) if state.due else (),
        beaten_off=state.beaten_off,
        is_taking=state.phase is Phase.TAKE,
        out=tuple([number_of[seat] for seat in state.out]) if state.out else (),
        emptied=tuple([number_of[seat] for seat in state.emptied]) if state.emptied else (),
        is_dealt=state.deals > 0,
        is_over=state.result is not None,
    )
    if refill.turnup is not None and refill.holder is not None:
        table.drawn_turnup, table.turnup_holder = refill.turnup.bit, number_of[refill.holder]
    for seat in refill.drew:
        table.drew |= 1 << number_of[seat]
    if state.leaders:
        table.leaders = tuple([number_of[seat] for seat in state.leaders])
    if state.resigned:
        table.resigned = tuple([number_of[seat] for seat in state.resigned])
    if state.session.dealers:
        table.dealers = tuple([number_of[seat] for seat in state.session.dealers])
    if state.claims:
        drawn = state.drawn_since_deal
        table.claims = {number_of[seat]: claim.lowest for seat, claim in state.claims.items() if seat not in drawn}
        table.owed_leads = {
            number_of[seat]: claim.lowest.bit for seat, claim in state.claims.items() if claim.leads and claim.lowest
        }
    if state.matters:
        _enter_matters(table, state)
    if bout is not None and state.phase is not Phase.FREE:
        _enter_bout(table, bout, number_of)
        table.attackers = attackers_of(rules.throwers, table.seating, table.attacker, table.defender, table.out)
    return table


def _enter_matters(table: Table, state: GameState) -> None:
    laid = list(table.laid_open)
    for matter in state.matters:
        if matter.play.by is not None:
            laid[state.seating.number_of[matter.play.by]] += len(matter.cards)
        if matter.sure:
            table.open_cards |= mask_of(matter.cards)
        if matter.verdict is Verdict.UNCLEAR and matter.on is not None:
            table.under_unclear |= matter.on.bit
    table.laid_open = tuple(laid)


def _enter_bout(table: Table, bout: Bout, number_of: Mapping[str, int]) -> None:
    across = mask_of(card.on for card in bout.faceless if card.on is not None) if bout.faceless else 0
    laid = unbeaten = half_read = 0
    has_thrown = False
    for attack in bout.attacks:
        bit = attack.card.bit
        laid |= bit
        if attack.defence is not None:
            laid |= attack.defence.bit
        elif across & bit:
            half_read |= bit
        else:
            unbeaten |= bit
        has_thrown = has_thrown or attack.thrown
    table.table, table.unbeaten, table.half_read, table.has_thrown = laid, unbeaten, half_read, has_thrown
    table.order = tuple([attack.card for attack in bout.attacks])
    table.attack_count = len(table.order)
    table.attacker, table.defender = number_of[bout.attacker], number_of[bout.defender]
    last = bout.last_attacker if table.is_taking else bout.last_to_attack
    table.last_to_attack = table.attacker if last is None else number_of[last]
    table.number, table.limit = bout.number, NO_LIMIT if bout.limit is None else bout.limit
    table.began = tuple(bout.began.values())
    table.shown = bout.shown.mask
    if bout.faceless:
        table.has_unread = True
        table.unread = len([card for card in bout.faceless if card.on is None and card.by != bout.defender])
    if bout.strays:
        table.strays = mask_of(stray.card for stray in bout.strays if stray.sure)
    if bout.passed or bout.allowed:
        since = bout.statements_since
        table.passed = sum([1 << number_of[seat] for seat, moment in bout.passed.items() if moment > since])
        table.allowed = frozenset(
            [(number_of[one], number_of[other]) for (one, other), moment in bout.allowed.items() if moment > since]
        )
    for seat in bout.waiting:
        table.waiting |= 1 << number_of[seat]

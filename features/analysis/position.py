"""
A position with all hands known, as small numbers, and how a decision changes it.

What is legal, whose turn it is, who draws, who is out and who has lost is asked of the rules (:mod:`referee.rules`),
which read this position as they read the judge's: it is a :class:`~referee.table.Table`. What the search adds is whose
decision comes next, since at a table several may act at once:

- while a card lies unbeaten the defender is asked;
- when all is beaten, or he takes, the attackers are asked one after the other, in the house's order, those who hold a
  card that they may lay; each adds a card or stops, and after every card added all may go on again;
- whoever may exchange the lowest trump for the turn-up does so before the next bout begins.

:func:`legal` lists what the rules allow a seat, whoever is asked; :func:`choices` what the search lets the seat choose
that is asked: it leaves out what differs only in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from referee.cards import (
    CARD_OF,
    PACK_SIZES,
    RANK_COUNT,
    RANKS,
    SUIT_INDEX,
    SUIT_MASKS,
    Card,
    bits_of,
    cards_of,
    mask_of,
)
from referee.game import GameState
from referee.legal import openings_of
from referee.plays import Beat, Give, Kind, Lead, Swap, Take, ThrowIn, Transfer
from referee.rulebook import Rulebook
from referee.rules import RULES_OF_SWAP, RULES_OF_TAKE, first_fault, rules_of_laid
from referee.rules.attack import bout_limit
from referee.rules.draw import draws_due
from referee.rules.result import deal_result, empty_hands
from referee.rules.sweep import next_turn
from referee.rules.transfer import rank_of_attack
from referee.rules.whole_hand import HAND_RULES, SEEN, is_in_turn, one_card, passing_each, playable
from referee.seating import Seating
from referee.table import NO_CLAIMS, NO_LEADS, NO_LIMIT, NOBODY, Table, attackers_of

Decision = tuple[int, int, int]
"""Kind, cards laid or shown (a mask), card beaten (a mask of one)."""

ATTACK, BEAT, TRANSFER, SHOW, TAKE, PASS, WAIT = range(7)
"""Kinds. ``ATTACK`` opens, throws in or gives on; ``WAIT`` leaves the turn to whoever is asked next."""

_WORDS = {TAKE: "take", PASS: "pass", WAIT: "wait"}
_PREFIX = {TRANSFER: "transfer ", SHOW: "show "}


def in_words(decision: Decision) -> str:
    """
    Return a decision as an analysis line names it: ``6s 6h``, ``Th over 9h``, ``transfer 9d``, ``show 9h``, ``take``,
    ``pass``, ``wait``.
    """
    kind, cards, over = decision
    if kind in _WORDS:
        return _WORDS[kind]
    laid = " ".join(map(str, cards_of(cards)))
    return f"{laid} over {CARD_OF[over]}" if kind == BEAT else f"{_PREFIX.get(kind, '')}{laid}"


GOES_ON = -1
"""``losers`` of a deal that is not decided; else a bit mask of seats, 0 for a draw."""


@dataclass(frozen=True, slots=True)
class SearchRules:
    """
    The rules at a table of a number of seats, as the search uses them.

    ``seating``: the seats as numbers. ``sides[seat]``: bit mask of the seats on its side. ``lowest_rank``: of the pack.
    """

    rules: Rulebook
    seats: int
    seating: Seating[int]
    sides: tuple[int, ...]
    swap: bool
    at_once: bool
    lowest_rank: int
    pack_mask: int

    @classmethod
    def of(cls, rules: Rulebook, seating: Seating) -> SearchRules:
        """Return the house's rules for this table."""
        numbered = seating.numbered
        return cls(
            rules=rules,
            seats=len(numbered.seats),
            seating=numbered,
            sides=tuple(sum(1 << other for other in numbered.team(seat)) for seat in numbered.seats),
            swap=rules.trump_swap != "off" and rules.turn_up == "under_talon",
            at_once=rules.end_check == "immediate",
            lowest_rank=RANKS.index(PACK_SIZES[rules.pack]),
            pack_mask=mask_of(rules.cards()),
        )

    def lowest_trump(self, trump: int) -> int:
        """Return the card that may be exchanged for the turn-up; no card where the house doesn't."""
        return 1 << (RANK_COUNT * trump + self.lowest_rank) if self.swap else 0

    def bout_limit(self, number: int, beaten_off: int, held: int, is_taken: bool = False) -> int:
        """Return the attack cards allowed in a bout whose defender began it with ``held`` cards."""
        limit = bout_limit(self.rules, number, beaten_off, held, is_taken=is_taken)
        return NO_LIMIT if limit is None else limit


class Position(Table):
    """
    One deal, all cards known; changed in place.

    ``talon``: the next card to draw is the last. ``trump``: the number of the trump suit. ``place``: that of the
    turn-up in ``talon``, -1 where none lies there. ``held_before``: cards of the defender when he became it.
    ``skipped``: seats that are not asked since they hold no card to lay, a bit each. ``lowest``: the card that may be
    exchanged for the turn-up, laid in this bout by ``lowest_by``; ``barred``: the seats that took it from the table.
    ``asked``: whose decision is next; ``can_add``: the cards that this seat may add. ``losers``: who lost,
    :data:`GOES_ON` while nobody has.
    """

    __slots__ = (
        *("house", "talon", "trump", "lowest", "place", "held_before", "lowest_by", "barred", "skipped"),
        *("asked", "can_add", "losers"),
    )

    def __init__(
        self, house: SearchRules, hands: Sequence[int], talon: Sequence[int], trump: int, place: int = -1
    ) -> None:
        self.house = house
        self.rules = house.rules
        self.seating = house.seating
        self.hands = list(hands)
        self.put_talon(talon, place)
        self.trump = trump
        self.trumps = SUIT_MASKS[trump]
        self.lowest = house.lowest_trump(trump)
        self.attacker = self.defender = self.last_to_attack = self.asked = NOBODY
        self.number = 1
        self.beaten_off = self.table = self.unbeaten = self.attack_count = self.passed = self.shown = 0
        self.skipped = self.can_add = self.strays = 0
        self.is_taking = self.has_thrown = False
        self.limit = self.held_before = 0
        self.out = self.attackers = self.emptied = self.began = ()
        self.lowest_by = NOBODY
        self.barred = 0
        self.owed_leads = NO_LEADS
        self.losers = GOES_ON

    def put_talon(self, talon: Sequence[int], place: int) -> None:
        """Lay these cards as the talon."""
        self.talon, self.talon_count, self.place = list(talon), len(talon), place
        self.turnup = self.talon[place] if place >= 0 else 0

    def copy(self) -> Position:
        # Written out: a search copies a position for each decision that it tries.
        other = Position.__new__(Position)
        other.house, other.rules, other.seating = self.house, self.rules, self.seating
        other.hands, other.talon, other.place = self.hands[:], self.talon[:], self.place
        other.talon_count, other.turnup = self.talon_count, self.turnup
        other.trump, other.trumps, other.lowest = self.trump, self.trumps, self.lowest
        other.number, other.beaten_off, other.began = self.number, self.beaten_off, self.began
        other.attacker, other.defender, other.attackers = self.attacker, self.defender, self.attackers
        other.last_to_attack, other.lowest_by, other.barred = self.last_to_attack, self.lowest_by, self.barred
        other.limit, other.held_before, other.attack_count = self.limit, self.held_before, self.attack_count
        other.table, other.unbeaten, other.strays, other.shown = self.table, self.unbeaten, self.strays, self.shown
        other.is_taking, other.has_thrown = self.is_taking, self.has_thrown
        other.passed, other.skipped = self.passed, self.skipped
        other.asked, other.can_add, other.losers = self.asked, self.can_add, self.losers
        other.out, other.emptied, other.owed_leads = self.out, self.emptied, self.owed_leads
        return other

    def begin(self, attacker: int, defender: int) -> None:
        """Begin a new bout; its limit is counted on the defender's hand as it is now."""
        house = self.house
        self.attacker = self.last_to_attack = attacker
        self.defender = defender
        self.held_before = self.hands[defender].bit_count()
        self.limit = house.bout_limit(self.number, self.beaten_off, self.held_before)
        self.table = self.unbeaten = self.attack_count = self.passed = self.skipped = self.shown = self.strays = 0
        self.is_taking = self.has_thrown = False
        self.lowest_by = NOBODY
        self._find_attackers()
        if house.rules.draw_to == "start_of_bout":
            self.began = tuple(hand.bit_count() for hand in self.hands)
        if house.swap and self.place >= 0:
            self._swap()
        self.asked = attacker

    # Fields of a table that the search never changes: all cards are known, no seat makes statements, no fault is open.

    half_read = unread = waiting = drawn_turnup = drew = heap = heap_count = open_cards = under_unclear = 0
    has_unread = is_over = is_partly_drawn = False
    is_dealt = True
    leaders = resigned = dealers = ()
    turnup_holder = NOBODY
    allowed: frozenset[tuple[int, int]] = frozenset()
    order: tuple[Card, ...] = ()
    due: tuple[tuple[int, int], ...] = ()
    unseen = laid_open = picked = (0,) * 6
    claims = NO_CLAIMS

    def __getstate__(self) -> tuple[None, dict[str, object]]:
        """
        Leave those fields out of copies for other processes: they belong to the class, which can't be set.

        The empty mapping of ``owed_leads`` is copied, since a read-only view does not travel.
        """
        state = {
            name: getattr(self, name)
            for name in (*Table.__slots__, *Position.__slots__)
            if name in Position.__slots__ or name not in vars(Position)
        }
        return None, state | {"owed_leads": dict(self.owed_leads)}

    def held(self, seat: int) -> int:
        return self.hands[seat].bit_count()

    def has_passed(self, seat: int) -> bool:
        return bool((self.passed | self.skipped) >> seat & 1)

    def has_picked(self, seat: int, card: Card) -> bool:
        return bool(self.barred >> seat & 1)

    def _find_attackers(self) -> None:
        self.attackers = attackers_of(self.rules.throwers, self.seating, self.attacker, self.defender, self.out)

    # the decisions

    def play(self, decision: Decision, seat: int | None = None) -> None:
        """Make a decision of ``seat``, by default whoever is asked."""
        kind, cards, over = decision
        if kind == ATTACK:
            self.add(self.asked if seat is None else seat, cards)
        elif kind == BEAT:
            self.beat(cards, over)
        elif kind == TAKE:
            self.take()
        elif kind == PASS:
            self.decline(self.asked if seat is None else seat)
        elif kind == TRANSFER:
            self.transfer(cards)
        elif kind == SHOW:
            self.show(cards)
        else:
            self.go_on()

    def add(self, seat: int, cards: int) -> None:
        hand = self.hands[seat] = self.hands[seat] & ~cards
        self.table |= cards
        self.unbeaten |= cards
        if not self.is_taking:
            self.has_thrown = self.attack_count > 0
            self.last_to_attack = seat
        self.attack_count += cards.bit_count()
        self.passed = 0
        if cards & self.lowest:
            self.lowest_by = seat
        if not hand:
            self._emptied(seat)
        self.go_on()

    def beat(self, card: int, over: int) -> None:
        seat = self.defender
        hand = self.hands[seat] = self.hands[seat] & ~card
        self.table |= card
        self.unbeaten &= ~over
        if card & self.lowest:
            self.lowest_by = seat
        if not hand and seat not in self.emptied:
            self.emptied = (*self.emptied, seat)
        if self.house.at_once and not self.talon:
            self._drop_out()
        self.go_on()

    def take(self) -> None:
        self.is_taking = True
        self.passed = 0
        if not self.rules.low_limit_gives:
            self.limit = self.house.bout_limit(self.number, self.beaten_off, self.held_before, is_taken=True)
        self.go_on()

    def decline(self, seat: int) -> None:
        self.passed |= 1 << seat
        self.go_on()

    def transfer(self, card: int) -> None:
        seat = self.defender
        hand = self.hands[seat] = self.hands[seat] & ~card
        self.table |= card
        self.unbeaten |= card
        self.attack_count += 1
        if card & self.lowest:
            self.lowest_by = seat
        self._passed_on()
        if not hand:
            self._emptied(seat)
        self.go_on()

    def show(self, card: int) -> None:
        self.shown |= card
        self._passed_on()
        self.go_on()

    def _passed_on(self) -> None:
        self.attacker = self.last_to_attack = self.defender
        self.defender = self.seating.next_living(self.defender, self.out)
        self.held_before = self.hands[self.defender].bit_count()
        self.limit = self.house.bout_limit(self.number, self.beaten_off, self.held_before)
        self.passed = 0
        self._find_attackers()

    # who is asked

    def go_on(self) -> None:
        """Find whose decision is next; a bout that nobody goes on with ends, and the next one begins."""
        if self.losers != GOES_ON:
            self.asked = NOBODY
            return
        if self.unbeaten and not self.is_taking:
            self.asked = self.defender
            return
        if not (self.is_taking or self.hands[self.defender]) or not self._ask_attacker():
            self.end_bout()

    def _ask_attacker(self) -> bool:
        """Find the attacker who is asked, with the cards that it may add; return whether there is one."""
        kind = Give if self.is_taking else ThrowIn
        rules = HAND_RULES[kind]
        fits = -1
        for passing in rules.cards:
            fits &= passing(self, 0)
        hands, passed = self.hands, self.passed
        waiting: list[tuple[int, int]] = []
        self.skipped = 0
        for seat in self.attackers:
            if passed >> seat & 1:
                continue
            cards = hands[seat] & fits
            if cards:
                play = one_card(kind, seat, cards & -cards, 0, False)
                for rule in rules.once:
                    if rule(play, self) is not None:
                        cards = 0
                        break
                if cards and rules.each:
                    cards = passing_each(rules, kind, seat, cards, self)
            if not cards:
                self.skipped |= 1 << seat
                continue
            for rule in rules.in_turn:
                if rule(play, self) is not None:
                    waiting.append((seat, cards))
                    break
            else:
                self.asked, self.can_add = seat, cards
                return True
        for seat, cards in waiting:
            # Only now it is known who before them holds no card to lay.
            if is_in_turn(kind, seat, self):
                self.asked, self.can_add = seat, cards
                return True
        return False

    # the end of a bout

    def end_bout(self) -> None:
        """Sweep the table, draw, see who is out, and begin the next bout."""
        defender, taken = self.defender, self.is_taking
        if taken:
            self.hands[defender] |= self.lying
            if defender in self.emptied:
                self.emptied = tuple(seat for seat in self.emptied if seat != defender)
            if self.lowest_by not in (NOBODY, defender):
                self.barred |= 1 << defender
        else:
            self.beaten_off += 1
        self.table = self.unbeaten = self.strays = 0
        if self.talon:
            self._draw()
        if not self.talon:
            self._drop_out()
        if self.losers != GOES_ON:
            self.asked = NOBODY
            return
        self.number += 1
        attacker, next_defender = next_turn(self, is_taken=taken)
        if not self.hands[attacker]:
            # Only where draws were forgone: nobody can go on, and the search counts it as a draw.
            self.losers, self.asked = 0, NOBODY
            return
        self.begin(attacker, next_defender)

    def _draw(self) -> None:
        talon, hands = self.talon, self.hands
        for seat, count in draws_due(self):
            if seat in self.emptied:
                self.emptied = tuple(other for other in self.emptied if other != seat)
            for _ in range(count):
                card = talon.pop()
                hands[seat] |= card
        if not talon and self.house.rules.second_trump != "none":
            self.trump = (card.bit_length() - 1) // RANK_COUNT
            self.trumps = SUIT_MASKS[self.trump]
            self.lowest = self.house.lowest_trump(self.trump)
        self.talon_count = len(talon)
        if self.talon_count <= self.place:
            self.place, self.turnup = -1, 0

    # who is out, and who has lost

    def _emptied(self, seat: int) -> None:
        if seat not in self.emptied:
            self.emptied = (*self.emptied, seat)
        if self.house.at_once and not self.talon:
            self._drop_out()

    def _drop_out(self) -> None:
        """Drop players with empty hands out, and end the deal if that decides it."""
        gone = empty_hands(self) if self.hands.count(0) > len(self.out) else ()
        if not gone:
            return
        self.out = (*self.out, *gone)
        self._find_attackers()
        result = deal_result(self, self.out)
        if result is not None:
            self.losers = sum(1 << seat for seat in result.losers(self.seating.seats))

    # the lowest trump

    def _swap(self) -> None:
        for seat in range(self.house.seats):
            if self.may_swap(seat):
                self.hands[seat] ^= self.lowest | self.turnup
                self.talon[self.place] = self.turnup = self.lowest
                return

    def may_swap(self, seat: int) -> bool:
        """Check whether the seat may exchange the lowest trump for the turn-up under the talon."""
        if self.place < 0 or not self.hands[seat] & self.lowest:
            return False
        return first_fault(SWAP_RULES, Swap(seat, CARD_OF[self.lowest]), self) is None


SWAP_RULES = [rule for rule in RULES_OF_SWAP if rule not in frozenset[object](SEEN)]
"""The rules of the exchange, with all hands known."""


def house_of(state: GameState) -> SearchRules:
    return SearchRules.of(state.rules, state.seating)


def position_of(house: SearchRules, state: GameState, hands: Sequence[int], talon: Sequence[int]) -> Position:
    """
    Return the position of a running bout (phase ``attack`` or ``take``), before anybody is asked.

    ``hands``: a mask for each seat, clockwise. ``talon``: the next card to draw is the last, the turn-up where it lies.
    """
    bout, table = state.bout, state.table
    assert bout is not None, "no bout has begun"
    assert state.trump is not None, "the trump is not known"
    place = talon.index(table.turnup) if table.turnup else -1
    position = Position(house, hands, talon, SUIT_INDEX[state.trump], place)
    position.attacker, position.defender, position.attackers = table.attacker, table.defender, table.attackers
    position.number, position.beaten_off, position.limit = table.number, table.beaten_off, table.limit
    position.held_before, position.began = state.held_before, table.began
    position.table, position.unbeaten, position.strays = table.table, table.unbeaten, table.strays
    position.attack_count, position.shown = table.attack_count, table.shown
    position.is_taking, position.has_thrown = table.is_taking, table.has_thrown
    position.last_to_attack, position.passed = table.last_to_attack, table.passed
    position.out, position.emptied, position.owed_leads = table.out, table.emptied, table.owed_leads
    lowest = state.rules.lowest_trump(state.trump)
    position.barred = sum(1 << seat for seat in range(house.seats) if table.has_picked(seat, lowest))
    owner = bout.owner(lowest)
    position.lowest_by = NOBODY if owner is None else state.seating.number_of[owner]
    return position


# the decisions that a position offers


LEAD_RULES = [rule for rule in rules_of_laid(Lead) if rule not in SEEN]
"""The rules of an opening of several cards, with all hands known."""


def choices(position: Position) -> list[Decision]:
    """Return the decisions open to the seat that is asked."""
    if not position.attack_count:
        return openings(position)
    if position.unbeaten and not position.is_taking:
        # In which order cards are beaten changes nothing, but where a beaten card still lets the attack pass on.
        over = [position.unbeaten & -position.unbeaten]
        if position.rules.transfer and position.rules.transfer_when != "no_beaten_card":
            over = list(bits_of(position.unbeaten))
        return [*beats(position, over), *transfers(position), *takes(position)]
    found: list[Decision] = [(ATTACK, bit, 0) for bit in bits_of(position.can_add)]
    found.append((PASS, 0, 0))
    return found


def openings(position: Position) -> list[Decision]:
    """Return the cards with which the principal attacker may open the bout."""
    seat = position.attacker
    hand = position.hands[seat]
    found: list[Decision] = [(ATTACK, bit, 0) for bit in bits_of(playable(Lead, seat, hand, position))]
    most = min(position.limit, hand.bit_count())
    several = openings_of(hand, position.rules, most) if most > 1 else ()
    return found + [(ATTACK, cards, 0) for cards in several if is_legal_opening(position, cards)]


def is_legal_opening(position: Position, cards: int) -> bool:
    """Check whether the principal attacker may open the bout with these cards together."""
    return first_fault(LEAD_RULES, _lead(position.attacker, cards), position) is None


@lru_cache(maxsize=1 << 14)
def _lead(seat: int, cards: int) -> Lead[int]:
    return Lead(seat, cards_of(cards))


def beats(position: Position, over: list[int]) -> list[Decision]:
    seat = position.defender
    hand = position.hands[seat]
    return [(BEAT, bit, card) for card in over for bit in bits_of(playable(Beat, seat, hand, position, card))]


def transfers(position: Position) -> list[Decision]:
    """Return the cards with which the defender may pass the attack on now, laid or shown (docs/rules.md, 5)."""
    seat = position.defender
    cards = position.hands[seat] & rank_of_attack(position)
    if not cards:
        return []
    found: list[Decision] = [(TRANSFER, bit, 0) for bit in bits_of(playable(Transfer, seat, cards, position))]
    return found + [(SHOW, bit, 0) for bit in bits_of(playable(Transfer, seat, cards, position, shown=True))]


def takes(position: Position) -> list[Decision]:
    fault = first_fault(RULES_OF_TAKE, Take(position.defender), position)
    return [(TAKE, 0, 0)] if fault is None else []


def legal(position: Position, seat: int) -> list[Decision]:
    """Return what the rules allow this seat now, apart from exchanging the lowest trump."""
    if position.losers != GOES_ON or seat in position.out:
        return []
    if not position.attack_count:
        return openings(position) if seat == position.attacker else []
    if seat == position.defender:
        if position.is_taking:
            return []
        return [*beats(position, list(bits_of(position.unbeaten))), *transfers(position), *takes(position)]
    return [(ATTACK, bit, 0) for bit in bits_of(added(position, seat))]


def added(position: Position, seat: int) -> int:
    """Return the cards that an attacker may throw in or give on now; attackers who have not passed keep their turn."""
    kind: Kind = Give if position.is_taking else ThrowIn
    skipped, position.skipped = position.skipped, 0
    cards = playable(kind, seat, position.hands[seat], position) if position.hands[seat] else 0
    position.skipped = skipped
    return cards

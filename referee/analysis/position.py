"""
A position with all hands known, as small numbers, and how a decision changes it.

The rules are those of the referee (:mod:`referee.rules`, :mod:`referee.dealing`) on bit masks; that both allow the same
decisions and reach the same positions is proven over random games (tests/referee/analysis). What the search adds is an
order in which players are asked, since at a table several may act at once:

- while a card lies unbeaten the defender is asked;
- when all is beaten, or he takes, the attackers are asked one after the other, in the house's order, those who hold a
  card that fits; each adds a card or stops, and after every card added all may go on again;
- whoever may exchange the lowest trump for the turn-up does so before the next bout begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.analysis.decisions import ATTACK, BEAT, PASS, SHOW, TAKE, TRANSFER, Decision
from referee.analysis.house import House
from referee.card_sets import BEATEN_BY, RANK_COUNT, SUIT_MASKS, bits_of, same_ranks

GOES_ON = -1
"""``losers`` of a deal that is not decided; else a bit mask of seats, 0 for a draw."""
NOBODY = -1


class Position:
    """
    One deal, all cards known; changed in place. Seats are numbers clockwise, cards and sets of cards are masks.

    ``talon``: the next card to draw is the last. ``turnup``: its place in ``talon``, -1 where none lies there.
    ``passed``, ``out``: bit masks of seats. ``emptied``: seats in the order in which they ran out of cards.
    ``asked``: whose decision is next. ``losers``: who lost, :data:`GOES_ON` while nobody has.
    """

    __slots__ = (
        "asked",
        "attacker",
        "attacks",
        "barred",
        "beaten_off",
        "began",
        "defender",
        "emptied",
        "hands",
        "house",
        "last_attacker",
        "limit",
        "losers",
        "lowest_by",
        "number",
        "out",
        "passed",
        "shown",
        "table",
        "taking",
        "talon",
        "thrown",
        "trump",
        "turnup",
        "unbeaten",
    )

    def __init__(self, house: House, hands: Sequence[int], talon: Sequence[int], trump: int, turnup: int = -1) -> None:
        self.house = house
        self.hands = list(hands)
        self.talon = list(talon)
        self.trump = trump
        self.turnup = turnup
        self.attacker = self.defender = self.last_attacker = self.asked = NOBODY
        self.number = 1
        self.beaten_off = self.table = self.unbeaten = self.attacks = self.passed = self.shown = 0
        self.taking = self.thrown = False
        self.limit = 0
        self.out: tuple[int, ...] = ()
        self.emptied: tuple[int, ...] = ()
        self.began: tuple[int, ...] = ()
        self.lowest_by = NOBODY
        self.barred = 0
        self.losers = GOES_ON

    def copy(self) -> Position:
        """Return a copy of this position."""
        other = Position.__new__(Position)
        for name in Position.__slots__:
            setattr(other, name, getattr(self, name))
        other.hands = self.hands[:]
        other.talon = self.talon[:]
        return other

    def begin(self, attacker: int, defender: int) -> None:
        """Begin a new bout; its limit is counted on the defender's hand as it is now."""
        house = self.house
        self.attacker = self.last_attacker = attacker
        self.defender = defender
        self.limit = house.bout_limit(self.number, self.beaten_off, self.hands[defender].bit_count())
        self.table = self.unbeaten = self.attacks = self.passed = self.shown = 0
        self.taking = self.thrown = False
        self.lowest_by = NOBODY
        if house.draw_to_start:
            self.began = tuple(hand.bit_count() for hand in self.hands)
        if house.swap and self.turnup >= 0:
            self._swap()
        self.asked = attacker

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
        """Let an attacker open, throw in or give on."""
        hand = self.hands[seat] = self.hands[seat] & ~cards
        self.table |= cards
        self.unbeaten |= cards
        if not self.taking:
            self.thrown = self.attacks > 0
            self.last_attacker = seat
        self.attacks += cards.bit_count()
        self.passed = 0
        if self.house.swap and cards & self.house.lowest_trump(self.trump):
            self.lowest_by = seat
        if not hand:
            self._emptied(seat)
        self.go_on()

    def beat(self, card: int, over: int) -> None:
        """Let the defender lay a card across another."""
        seat = self.defender
        hand = self.hands[seat] = self.hands[seat] & ~card
        self.table |= card
        self.unbeaten &= ~over
        if self.house.swap and card & self.house.lowest_trump(self.trump):
            self.lowest_by = seat
        if not hand or not self.unbeaten:
            if not hand and seat not in self.emptied:
                self.emptied = (*self.emptied, seat)
            self._at_once()
        self.go_on()

    def take(self) -> None:
        """Let the defender announce the take."""
        self.taking = True
        self.passed = 0
        house = self.house
        if not house.low_limit_gives:
            held = self.hands[self.defender].bit_count() + self.table.bit_count() - self.attacks
            self.limit = min(house.attack_limit, held) if house.limit_by_hand else house.attack_limit
        self.go_on()

    def decline(self, seat: int) -> None:
        """Let an attacker stop."""
        self.passed |= 1 << seat
        self.go_on()

    def transfer(self, card: int) -> None:
        """Let the defender pass the attack on."""
        seat = self.defender
        hand = self.hands[seat] = self.hands[seat] & ~card
        self.table |= card
        self.unbeaten |= card
        self.attacks += 1
        if self.house.swap and card & self.house.lowest_trump(self.trump):
            self.lowest_by = seat
        self._passed_on()
        if not hand:
            self._emptied(seat)
        self.go_on()

    def show(self, card: int) -> None:
        """Let the defender pass the attack on by showing a trump that he keeps."""
        self.shown |= card
        self._passed_on()
        self.go_on()

    def _passed_on(self) -> None:
        self.attacker = self.last_attacker = self.defender
        self.defender = self.next_living(self.defender)
        self.limit = self.house.bout_limit(self.number, self.beaten_off, self.hands[self.defender].bit_count())
        self.passed = 0

    # who is asked

    def next_living(self, seat: int) -> int:
        """Return the next seat clockwise that is not out; the seat itself where no other is left."""
        for other in self.house.rings[seat][1:]:
            if other not in self.out:
                return other
        return seat

    def attackers(self, first: int) -> tuple[int, ...]:
        """
        Return the seats that may attack in this bout, clockwise from ``first``, empty hands included (docs/rules.md,
        3).
        """
        house, defender = self.house, self.defender
        if house.seats == 2:
            return (self.attacker,)
        ring = house.rings[first]
        side, out = house.sides[defender], self.out
        if house.throwers == "all_opponents":
            return tuple(seat for seat in ring if not side >> seat & 1 and seat not in out)
        if house.throwers == "principal":
            return (self.attacker,)
        before = next((seat for seat in reversed(house.rings[defender][1:]) if seat not in out), defender)
        wanted = (self.attacker, self.next_living(defender), before)
        return tuple(seat for seat in ring if seat in wanted and not side >> seat & 1 and seat not in out)

    def order(self) -> tuple[int, ...]:
        """Return the attackers in the order in which they are asked to throw in or give on."""
        by_last = self.house.last_gives_first if self.taking else self.house.handoff
        return self.attackers(self.last_attacker if by_last else self.attacker)

    def _may_give(self) -> bool:
        house = self.house
        if not house.gives_on:
            return False
        return not house.gives_first_phase or not (self.thrown or self.table.bit_count() > self.attacks)

    def go_on(self) -> None:
        """Find whose decision is next; a bout that nobody goes on with ends, and the next one begins."""
        if self.losers != GOES_ON:
            self.asked = NOBODY
            return
        if self.unbeaten and not self.taking:
            self.asked = self.defender
            return
        if self.attacks < self.limit and (self._may_give() if self.taking else self.hands[self.defender]):
            fits = same_ranks(self.table)
            order = self.order()
            if self.taking and self.house.gives_first_phase:
                order = (self.attacker,)
            hands, passed = self.hands, self.passed
            for seat in order:
                if hands[seat] & fits and not passed >> seat & 1:
                    self.asked = seat
                    return
        self.end_bout()

    # the end of a bout

    def end_bout(self) -> None:
        """Sweep the table, draw, see who is out, and begin the next bout."""
        defender, taken = self.defender, self.taking
        if taken:
            self.hands[defender] |= self.table
            self.emptied = tuple(seat for seat in self.emptied if seat != defender)
            if self.lowest_by not in (NOBODY, defender):
                self.barred |= 1 << defender
        else:
            self.beaten_off += 1
        self.table = self.unbeaten = 0
        if self.talon:
            self._draw()
        if not self.talon:
            self._drop_out()
        if self.losers != GOES_ON:
            self.asked = NOBODY
            return
        self.number += 1
        attacker, next_defender = self._next_turn(taken)
        if not self.hands[attacker]:
            # Only where draws were forgone: nobody can go on, and the search counts it as a draw.
            self.losers, self.asked = 0, NOBODY
            return
        self.begin(attacker, next_defender)

    def _draw(self) -> None:
        """Let all draw up to a full hand, in order, as far as the talon reaches."""
        house, talon, hands = self.house, self.talon, self.hands
        order = house.rings[self.attacker]
        if not house.clockwise_draw:
            order = (*(seat for seat in order if seat != self.defender), self.defender)
        for seat in order:
            full = self.began[seat] if house.draw_to_start else house.hand_size
            count = full - hands[seat].bit_count()
            if count <= 0 or seat in self.out:
                continue
            if self.emptied:
                self.emptied = tuple(other for other in self.emptied if other != seat)
            for _ in range(min(count, len(talon))):
                card = talon.pop()
                hands[seat] |= card
            if not talon:
                if house.second_trump:
                    self.trump = (card.bit_length() - 1) // RANK_COUNT
                break
        if len(talon) <= self.turnup:
            self.turnup = -1

    def _next_turn(self, taken: bool) -> tuple[int, int]:
        """Return attacker and defender of the next bout (docs/rules.md, 7 and 9)."""
        attacker, defender, out = self.attacker, self.defender, self.out
        teams = self.house.has_two_sides and self.house.seats > 2
        if defender in out and self.house.same_attacker:
            if teams:
                again = attacker if attacker not in out else self._next_of_side(attacker)
                return again, self._next_of_side(defender)
            again = attacker if attacker not in out else self.next_living(attacker)
            return again, self.next_living(again)
        if teams:
            if taken:
                return self._next_of_side(attacker), self._next_of_side(defender)
            leads = defender if defender not in out else self._next_of_side(defender)
            return leads, self._next_of_side(attacker)
        leads = defender if not taken and defender not in out else self.next_living(defender)
        return leads, self.next_living(leads)

    def _next_of_side(self, seat: int) -> int:
        side = self.house.sides[seat]
        for other in self.house.rings[seat][1:]:
            if side >> other & 1 and other not in self.out:
                return other
        return seat

    # who is out, and who has lost

    def _emptied(self, seat: int) -> None:
        if seat not in self.emptied:
            self.emptied = (*self.emptied, seat)
        self._at_once()

    def _at_once(self) -> None:
        """Drop empty hands at once, where the house does so."""
        if self.house.at_once and not self.talon:
            self._drop_out()

    def _drop_out(self) -> None:
        """Drop players with empty hands out, and end the deal if that decides it (docs/rules.md, 9 and 10)."""
        empty = [seat for seat, hand in enumerate(self.hands) if not hand and seat not in self.out]
        if not empty:
            return
        if self.unbeaten and self.defender in empty and not self._wins_by_it(empty):
            empty.remove(self.defender)
            if not empty:
                return
        if len(empty) > 1:
            order = self.emptied
            empty.sort(key=lambda seat: order.index(seat) if seat in order else NO_PLACE)
        self.out = (*self.out, *empty)
        self.losers = self._result()

    def _wins_by_it(self, empty: list[int]) -> bool:
        house = self.house
        if not house.first_wins:
            return False
        alone = not (house.has_two_sides and house.seats > 2)
        gone = sum(1 << seat for seat in (*self.out, *empty))
        return alone or house.first_player_wins or not house.sides[self.defender] & ~gone

    def _result(self) -> int:
        house, out = self.house, self.out
        everybody = (1 << house.seats) - 1
        gone = sum(1 << seat for seat in out)
        if house.first_wins:
            if house.seats == 2 or not house.has_two_sides or house.first_player_wins:
                return everybody & ~house.sides[out[0]]
            for side in house.sides[:2]:
                if not side & ~gone:
                    return everybody & ~side
            return GOES_ON
        living = everybody & ~gone
        if not living:
            return house.sides[self.defender] if house.all_out_loses else 0
        side = house.sides[living.bit_length() - 1]
        return GOES_ON if living & ~side else side

    # the lowest trump

    def _swap(self) -> None:
        lowest = self.house.lowest_trump(self.trump)
        for seat in range(self.house.seats):
            if self.may_swap(seat):
                self.hands[seat] ^= lowest | self.talon[self.turnup]
                self.talon[self.turnup] = lowest
                return

    def may_swap(self, seat: int) -> bool:
        """Check whether the seat may exchange the lowest trump for the turn-up under the talon (docs/rules.md, 8)."""
        house = self.house
        if not house.swap or self.turnup < 0 or self.barred >> seat & 1:
            return False
        shown = self.talon[self.turnup]
        if house.swap_for_ace and (shown.bit_length() - 1) % RANK_COUNT != RANK_COUNT - 1:
            return False
        return bool(self.hands[seat] & house.lowest_trump(self.trump))


NO_PLACE = 99
"""Sorts seats behind all that ran out in a known order."""


def beating(position: Position, over: int) -> int:
    """Return the cards of the defender's hand that beat this card."""
    return position.hands[position.defender] & BEATEN_BY[position.trump][over]


def transfers(position: Position) -> list[Decision]:
    """Return the cards with which the defender may pass the attack on now, laid or shown (docs/rules.md, 5)."""
    house, unbeaten = position.house, position.unbeaten
    if not house.transfer or position.taking or not unbeaten:
        return []
    if position.number == 1 and not house.transfer_first_bout:
        return []
    if house.transfer_single_rank:
        if same_ranks(position.table) != same_ranks(unbeaten & -unbeaten):
            return []
    elif position.table.bit_count() > position.attacks:
        return []
    fits = same_ranks(unbeaten)
    if fits != same_ranks(unbeaten & -unbeaten):
        return []
    found: list[Decision] = []
    held = position.hands[position.next_living(position.defender)].bit_count()
    lying = unbeaten.bit_count()
    may_cover = not house.target_covers or lying + 1 <= held
    if may_cover and position.attacks + 1 <= house.house_limit(position.number, position.beaten_off):
        found += [(TRANSFER, bit, 0) for bit in bits_of(position.hands[position.defender] & fits)]
    if house.show and (not house.target_covers or lying <= held):
        shown = position.shown if house.show_once else 0
        trumps = position.hands[position.defender] & fits & SUIT_MASKS[position.trump] & ~shown
        found += [(SHOW, bit, 0) for bit in bits_of(trumps)]
    return found

"""
Solve endgames of two players exactly: all hands known, no talon.

Alpha-beta search over the decisions of :mod:`referee.analysis.choices`, with memory. A value is seen from the attacker
of the moment: 1 the defender becomes the fool, 0 a draw, -1 the attacker does. Where the attack may be passed on the
same position can come again; a repeated position counts as a draw, since nobody loses a game that never ends.

The state within a bout is the two hands, all cards of the table, those that lie unbeaten and how many attack cards may
still come: which card was beaten by which decides nothing any more.
"""

from __future__ import annotations

from itertools import combinations
from typing import TypeAlias

from referee.analysis.choices import openings
from referee.analysis.endgame_key import EndgameKey
from referee.analysis.house import House
from referee.analysis.position import GOES_ON, Position
from referee.card_sets import BEATEN_BY, SUIT_MASKS, bits_of, cheapest_first, same_ranks

BoutState: TypeAlias = tuple[int, int, int, int, int, int, int]
"""
A bout that goes on: attack, defence, table, unbeaten (masks), room, flags, shown. ``room``: attack cards that may still
come, at most those that the attacker holds. ``flags``: 1 the early limit holds, 2 something was beaten or thrown in.
``shown``: trumps that were shown to pass the attack on. A plain tuple, since it is also the key of the memory: a named
one makes the search 8 % slower (2026-11).
"""

NO_LOOP = 1 << 30
MOST_BOUTS = 30
"""One within the other: more is given up, before Python's stack ends."""
MOST_KEPT = 400_000
"""Positions kept in memory between two searches: about 150 MB."""


class BudgetSpentError(Exception):
    """The search has visited as many positions as it was allowed."""


class TwoHands:
    """
    Solves endings of one house under one trump suit; what it has found it keeps.

    ``budget``: how many positions it may look at before :class:`BudgetSpentError`; ``visited`` counts them.
    """

    def __init__(self, house: House, trump: int, budget: int = 1 << 60) -> None:
        self.house = house
        self.trump = trump
        self.budget = budget
        self.visited = 0
        self._beats = BEATEN_BY[trump]
        self._trumps = SUIT_MASKS[trump]
        self._key = EndgameKey(trump).of
        self._bouts: dict[int, tuple[int, int]] = {}
        self._within: dict[tuple[int, ...], tuple[int, int]] = {}
        self._path: dict[int, int] = {}
        self._loop = NO_LOOP
        # Cards laid one by one keep every choice open, but where an empty hand counts at once or attacks pass on.
        self._opens_with_several = house.opening != "single" and (
            house.at_once or house.transfer or not house.gives_on or house.opening != "same_rank"
        )

    def forget(self) -> None:
        """Forget what was found where it has grown large."""
        if len(self._within) + len(self._bouts) > MOST_KEPT:
            self._within.clear()
            self._bouts.clear()

    def value(self, position: Position) -> int:
        """
        Return the attacker's value of a position in which nobody has anything to draw.

        Exact where both play as well as can be.
        """
        if position.losers != GOES_ON:
            return (position.losers >> position.defender & 1) - (position.losers >> position.attacker & 1)
        self._path.clear()
        self._loop = NO_LOOP
        # Two narrow questions cut off more than one wide one.
        if self._value(position, 0, 1) == 1:
            return 1
        return 0 if self._value(position, -1, 0) == 0 else -1

    def _value(self, position: Position, alpha: int, beta: int) -> int:
        attack, defence = position.hands[position.attacker], position.hands[position.defender]
        house = self.house
        if position.number == 1 and house.transfer and not house.rules.transfer_first_bout:
            raise BudgetSpentError  # the memory does not distinguish the first bout from the others
        if not house.is_known:
            raise BudgetSpentError
        is_early = self.house.house_limit(position.number, position.beaten_off) != self.house.attack_limit
        if is_early and not house.rules.low_limit_gives:
            raise BudgetSpentError
        if not position.attack_count:
            return self._bout(attack, defence, is_early, alpha, beta)
        room = min(position.limit - position.attack_count, attack.bit_count())
        flags = (1 if is_early else 0) | (2 if position.has_thrown else 0)
        if position.table.bit_count() > position.attack_count:
            flags |= 2
        bout = (attack, defence, position.table, position.unbeaten, room, flags, position.shown)
        return self._taken(bout, alpha, beta) if position.is_taking else self._within_bout(bout, alpha, beta)

    def _bout(self, attack: int, defence: int, is_early: bool, alpha: int, beta: int) -> int:
        """Return the value at the beginning of a bout."""
        key = self._key(attack, defence) << 1 | is_early
        low, high = self._bouts.get(key, (-1, 1))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        depth = self._path.get(key)
        if depth is not None:
            self._loop = min(self._loop, depth)
            return 0
        depth = self._path[key] = len(self._path)
        if depth > MOST_BOUTS:
            raise BudgetSpentError
        outer, self._loop = self._loop, NO_LOOP
        found = self._lead(attack, defence, is_early, max(alpha, low), min(beta, high))
        del self._path[key]
        if self._loop >= depth or abs(found) == 1:
            # What rests on a repetition of an earlier position holds on this path alone; what is won or lost, always.
            self._bouts[key] = (low if found <= alpha else max(low, found), high if found >= beta else min(high, found))
        self._loop = min(outer, self._loop if self._loop < depth else NO_LOOP)
        return found

    def _lead(self, attack: int, defence: int, is_early: bool, alpha: int, beta: int) -> int:
        held = defence.bit_count()
        limit = self.house.bout_limit(1 if is_early else 2, 0 if is_early else 1, held)
        best = -1
        for cards in self._openings(attack, limit):
            rest = attack & ~cards
            flags = 1 if is_early else 0
            if not rest and self.house.at_once:
                return 1
            room = min(limit - cards.bit_count(), rest.bit_count())
            bout = (rest, defence, cards, cards, room, flags, 0)
            found = self._within_bout(bout, max(alpha, best), beta)
            if found > best:
                best = found
                if best >= beta:
                    break
        return best

    def _openings(self, attack: int, limit: int) -> list[int]:
        if not self._opens_with_several:
            return cheapest_first(attack, self.trump)
        opened = Position(self.house, (attack, 0), (), self.trump)
        opened.attacker, opened.limit = 0, limit
        several = [cards for _, cards, _ in openings(opened) if cards & (cards - 1)]
        return several + cheapest_first(attack, self.trump)

    def _within_bout(self, bout: BoutState, alpha: int, beta: int) -> int:
        """Return the value within a bout before anybody takes."""
        low, high = self._within.get(bout, (-1, 1))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        self.visited += 1
        if self.visited > self.budget:
            raise BudgetSpentError
        outer, self._loop = self._loop, NO_LOOP
        answer = self._defend if bout[3] else self._go_on
        found = answer(bout, max(alpha, low), min(beta, high))
        if self._loop == NO_LOOP or abs(found) == 1:
            self._within[bout] = (
                low if found <= alpha else max(low, found),
                high if found >= beta else min(high, found),
            )
        self._loop = min(outer, self._loop)
        return found

    def _go_on(self, bout: BoutState, alpha: int, beta: int) -> int:
        """Return the value when all is beaten: the attacker throws a card in, or stops."""
        attack, defence, table, _, room, _, _ = bout
        best = -1
        if room <= 0 or not defence or not attack:
            return self._beaten(attack, defence, alpha, beta)
        fits = attack & same_ranks(table)
        for card in cheapest_first(fits & ~self._trumps, self.trump) if fits else ():
            best = max(best, self._thrown(bout, card, max(alpha, best), beta))
            if best >= beta:
                return best
        best = max(best, self._beaten(attack, defence, max(alpha, best), beta))
        for card in bits_of(fits & self._trumps):
            if best >= beta:
                return best
            best = max(best, self._thrown(bout, card, max(alpha, best), beta))
        return best

    def _thrown(self, bout: BoutState, card: int, alpha: int, beta: int) -> int:
        attack, defence, table, _, room, flags, _ = bout
        rest = attack & ~card
        if not rest and self.house.at_once:
            return 1
        return self._within_bout((rest, defence, table | card, card, room - 1, flags | 2, 0), alpha, beta)

    def _beaten(self, attack: int, defence: int, alpha: int, beta: int) -> int:
        """Return the value after the bout has gone to the discard pile."""
        if not attack:
            if defence or self.house.first_wins or self.house.all_out_loses:
                return 1
            return 0
        if not defence:
            return -1
        return -self._bout(defence, attack, False, -beta, -alpha)

    def _defend(self, bout: BoutState, alpha: int, beta: int) -> int:
        """Return the defender's best value, the least for the attacker: to beat a card, pass the attack on, or take."""
        attack, defence, table, unbeaten, room, flags, shown = bout
        house, best = self.house, 1
        overs = [unbeaten & -unbeaten]
        if house.transfer:
            if house.transfer_single_rank:
                overs = list(bits_of(unbeaten))
            best = min(best, self._pass_on(bout, alpha, beta))
            if best <= alpha:
                return best
        for over in overs:
            left = unbeaten & ~over
            for card in cheapest_first(defence & self._beats[over], self.trump):
                rest = defence & ~card
                if not rest and house.at_once and (not left or house.first_wins):
                    return -1
                after = (attack, rest, table | card, left, room, flags | 2, shown)
                found = self._within_bout(after, alpha, min(beta, best))
                if found < best:
                    best = found
                    if best <= alpha:
                        return best
        return min(best, self._taken(bout, alpha, min(beta, best)))

    def _pass_on(self, bout: BoutState, alpha: int, beta: int) -> int:
        """Return the value of passing the attack on with a card laid or shown; 1 where that is not possible."""
        attack, defence, table, unbeaten, _, flags, shown = bout
        house, best = self.house, 1
        fits = same_ranks(unbeaten & -unbeaten)
        if house.transfer_single_rank:
            if table & ~fits:
                return 1
        elif flags & 2 and self._has_beaten(table, unbeaten):
            return 1
        if unbeaten & ~fits:
            return 1
        is_early = bool(flags & 1)
        held, lying = attack.bit_count(), unbeaten.bit_count()
        number, beaten_off = (1, 0) if is_early else (2, 1)
        laid = self._laid(table, unbeaten)
        limit = house.bout_limit(number, beaten_off, held)
        if not house.target_covers or lying < held:
            for card in bits_of(defence & fits):
                if laid + 1 > house.house_limit(number, beaten_off):
                    break
                rest = defence & ~card
                if not rest and house.at_once:
                    return -1
                room = min(limit - laid - 1, rest.bit_count())
                after = (rest, attack, table | card, unbeaten | card, room, flags, shown)
                found = -self._within_bout(after, -min(beta, best), -alpha)
                best = min(best, found)
                if best <= alpha:
                    return best
        if house.show and (not house.target_covers or lying <= held):
            gone = shown if house.rules.transfer_show == "per_bout" else 0
            room = min(limit - laid, defence.bit_count())
            for card in bits_of(defence & fits & self._trumps & ~gone):
                after = (defence, attack, table, unbeaten, room, flags, shown | card)
                found = -self._within_bout(after, -min(beta, best), -alpha)
                best = min(best, found)
        return best

    @staticmethod
    def _laid(table: int, unbeaten: int) -> int:
        """Return the number of attack cards on the table."""
        lying = unbeaten.bit_count()
        return lying + (table.bit_count() - lying) // 2

    @staticmethod
    def _has_beaten(table: int, unbeaten: int) -> bool:
        return table != unbeaten

    def _taken(self, bout: BoutState, alpha: int, beta: int) -> int:
        """Return the value when the defender takes: the attacker adds fitting cards at will, and leads again."""
        attack, defence, table, _, room, flags, _ = bout
        house, best = self.house, -1
        is_early = bool(flags & 1) and house.rules.low_limit_until != "first_bout"
        fits = 0
        if house.gives_on and not (house.gives_first_phase and flags & 2):
            fits = attack & same_ranks(table)
        cards = cheapest_first(fits, self.trump)
        most = max(0, min(room, len(cards)))
        for size in range(most, -1, -1):
            for given in combinations(cards, size):
                added = sum(given)
                rest = attack & ~added
                if not rest:
                    return 1
                found = self._bout(rest, defence | table | added, is_early, max(alpha, best), beta)
                if found > best:
                    best = found
                    if best >= beta:
                        return best
        return best

"""
The independent engine's table: hands, cards on the table, legal plays and the faults of others.

Written from the rules alone. Only :meth:`Hands.begin`, which begins a bout, changes the position.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from typing import Any

ORDER = "23456789TJQKA"
LOWEST = {24: "9", 32: "7", 36: "6", 52: "2"}


def height(card: str) -> int:
    return ORDER.index(card[0])


class Hands:
    """Position of a deal. Cards are text, seats are names in clockwise order."""

    def __init__(self, house: dict[str, Any], seats: list[str], dealer: str, rng: random.Random) -> None:
        self.house, self.seats, self.dealer = house, seats, dealer
        pack = [rank + suit for suit in "shdc" for rank in ORDER[ORDER.index(LOWEST[house["pack"]]) :]]
        rng.shuffle(pack)
        size = house["hand_size"]
        self.pack = frozenset(pack)
        self.hands = {seat: pack[place * size : place * size + size] for place, seat in enumerate(seats)}
        self.talon = pack[len(seats) * size :]
        self.shown = self._turn_up()
        self.trump = self.shown[1]
        self.had_talon = bool(self.talon)
        self.has_drawn: set[str] = set()
        self.trump_changed = False
        self.due: list[tuple[str, int]] = []
        self.lies_under = house["turn_up"] == "under_talon" and bool(self.talon)
        self.heap: list[str] = []
        self.out: list[str] = []
        self.beaten_off = 0
        self.bout = 0
        self.result: tuple[str, list[str]] | None = None
        self.attacker = self.defender = seats[0]
        self.pairs: list[list[str | None]] = []
        self.from_table: dict[str, set[str]] = {seat: set() for seat in seats}
        self.seen: dict[str, set[str]] = {seat: set() for seat in seats}
        if not self.lies_under and (self.talon or house["turn_up_no_talon"] == "dealers_last_card"):
            self.seen[dealer].add(self.shown)
        self.aside: set[str] = set()
        self.ran_out: list[str] = []
        self.refilled: dict[str, set[str]] = {}
        self.shown_drawn_by: str | None = None
        self.closed = True
        self.opens_with: str | None = None
        self.named: set[str] = set()

    def must_turn_again(self) -> bool:
        """Check whether an ace is turned up that this house puts under the talon."""
        redrawn = self.house["ace_trump"] == "redrawn" and self.lies_under
        return redrawn and len(self.talon) > 1 and self.shown[0] == "A"

    def turn_again(self) -> None:
        """Put the ace under the talon and turn up the talon's next card in its place."""
        place = self.talon.index(self.shown)
        self.talon[place] = self.talon[0]
        self.talon[0:1] = []
        self.talon.insert(place - 1, self.shown)
        self.shown = self.talon[place]
        self.trump = self.shown[1]

    def must_deal_again(self) -> tuple[str, str, list[str]] | None:
        """Return why a first hand has the deal done again, whose it is, and the cards to show."""
        for seat, hand in self.hands.items():
            for suit in "shdc":
                cards = [card for card in hand if card[1] == suit]
                if self.house["redeal"] == "five_of_suit" and len(cards) >= 5:
                    return "five-of-suit", seat, cards[:5]
            if self.house["redeal"] == "one_colour" and {card[1] in "hd" for card in hand} != {True, False}:
                return "one-colour", seat, list(hand)
        return None

    def _turn_up(self) -> str:
        """Return the card that names the trump, wherever the house has it lie."""
        if self.house["turn_up"] == "under_talon" and self.talon:
            # Severnyi: one more card lies face down below it.
            return self.talon[-2] if self.house["second_trump"] != "none" else self.talon[-1]
        if not self.talon and self.house["turn_up_no_talon"] == "shown_before_deal":
            return self.hands[self.seats[0]][0]
        return self.hands[self.dealer][-1]

    # seats

    def after(self, seat: str) -> list[str]:
        place = self.seats.index(seat)
        return self.seats[place + 1 :] + self.seats[:place]

    def side(self, seat: str) -> list[str]:
        if self.house["teams"] == "none":
            return [seat]
        return self.seats[self.seats.index(seat) % 2 :: 2]

    def next_in(self, seat: str) -> str:
        return next(other for other in [*self.after(seat), seat] if other not in self.out)

    def next_of_side(self, seat: str) -> str:
        return next(other for other in [*self.after(seat), seat] if other in self.side(seat) and other not in self.out)

    def free(self, seat: str) -> list[str]:
        """Return the cards in the hand that don't lie on the table by mistake."""
        return [card for card in self.hands[seat] if card not in self.aside]

    def living(self) -> list[str]:
        """Return the seats that are still in the deal."""
        return [seat for seat in self.seats if seat not in self.out]

    # the lead

    def lowest_trump_of(self, seat: str) -> str | None:
        return min((card for card in self.hands[seat] if card[1] == self.trump), key=height, default=None)

    def highest_rank_of(self, seat: str) -> str:
        return max(self.hands[seat], key=height)[0]

    def first_leader(self) -> str | None:
        """
        Return who leads by his trumps; None: deal again (or, with equal ranks, ask: this engine deals again as well).
        """
        if self.house["first_lead"] == "left_of_dealer":
            return self.after(self.dealer)[0]
        trumps = {seat: self.lowest_trump_of(seat) for seat in self.seats}
        holders = [seat for seat in self.seats if trumps[seat]]
        if not holders:
            if self.house["no_trump"] == "left_of_dealer":
                return self.after(self.dealer)[0]
            if self.house["no_trump"] == "redeal":
                return None
            ranks = {seat: ORDER.index(self.highest_rank_of(seat)) for seat in self.seats}
            lowest = [seat for seat in self.seats if ranks[seat] == min(ranks.values())]
            return lowest[0] if len(lowest) == 1 else None
        if len(holders) < len(self.seats) and self.house["one_without_trump"] == "no_trump_holder":
            return next(seat for seat in [*self.after(self.dealer), self.dealer] if not trumps[seat])
        return min(holders, key=lambda seat: height(trumps[seat] or ""))

    def owe_lowest_trump(self, leader: str) -> None:
        """Where the house opens the first deal with the lowest trump itself, note it for the seat that leads by it."""
        if self.house["first_lead"] == "lowest_trump_itself":
            self.opens_with = self.lowest_trump_of(leader)

    def owes_lead(self) -> str | None:
        """Return the card with which the attacker has to open this bout; None: any card will do."""
        is_held = self.opens_with in self.free(self.attacker)
        return self.opens_with if self.bout == 1 and not self.pairs and is_held else None

    def begin(self, attacker: str, defender: str | None = None) -> None:
        self.bout += 1
        self.attacker = attacker
        self.defender = defender or self.next_in(attacker)
        self.at_start = {seat: len(hand) for seat, hand in self.hands.items()}
        self.taking = False
        self.limit = self.limit_against(self.defender)
        self.pairs = []
        self.laid_by: dict[str, str] = {}
        self.passed: set[str] = set()
        self.let: set[tuple[str, str]] = set()
        self.shown_cards: set[str] = set()
        self.thrown = False
        self.holder = attacker
        self.holder_laid = True
        self.to_ask: list[str] = []
        self.closed = False
        self.last_attacker = attacker

    def house_limit(self) -> int | None:
        """Attack cards in this bout whatever the defender holds."""
        limits = [self.house["attack_limit"]] if self.house["attack_limit"] else []
        until = self.house["low_limit_until"]
        if self.taking and not self.house["low_limit_gives"]:
            until = None
        if (until == "first_bout" and self.bout == 1) or (until == "first_discard" and self.beaten_off == 0):
            limits.append(self.house["low_limit"])
        return min(limits, default=None)

    def limit_against(self, defender: str) -> int | None:
        limits = [self.house_limit()] if self.house["limit_by_hand"] is False else []
        if self.house["limit_by_hand"]:
            limits = [self.house_limit(), len(self.hands[defender])]
        return min((limit for limit in limits if limit is not None), default=None)

    # cards on the table

    @property
    def cards(self) -> list[str]:
        return [card for pair in self.pairs for card in pair if card]

    @property
    def ranks(self) -> set[str]:
        return {card[0] for card in self.cards}

    @property
    def unbeaten(self) -> list[str]:
        return [str(pair[0]) for pair in self.pairs if pair[1] is None]

    @property
    def room(self) -> int:
        return 99 if self.limit is None else self.limit - len(self.pairs)

    def attackers(self) -> list[str]:
        """Return the seats that may attack in this bout and hold cards, clockwise from the principal attacker."""
        everybody = [self.attacker, *self.after(self.attacker)]
        if self.house["throwers"] == "neighbours":
            right = next((seat for seat in reversed(self.after(self.defender)) if seat not in self.out), self.attacker)
            wanted = {self.attacker, self.next_in(self.defender), right}
            everybody = [seat for seat in everybody if seat in wanted]
        if self.house["throwers"] == "principal":
            everybody = [self.attacker]
        side = self.side(self.defender)
        return [seat for seat in everybody if self.hands[seat] and seat not in side]

    def entitled(self) -> list[str]:
        """Return the attackers who may go on at all, whoever's turn it is."""
        if not self.taking or self.house["give_on"] == "as_throw_in":
            return self.attackers()
        alone = not self.thrown and len(self.unbeaten) == len(self.pairs)
        if self.house["give_on"] == "off" or not alone or not self.hands[self.attacker]:
            return []
        return [self.attacker]

    def order_now(self) -> str:
        """Return the order in which attackers go on."""
        return str(self.house["give_order" if self.taking else "throw_order"])

    # legal plays

    def openings(self) -> list[tuple[str, ...]]:
        owed = self.owes_lead()
        return [cards for cards in self._openings() if owed is None or owed in cards]

    def _openings(self) -> list[tuple[str, ...]]:
        hand = self.free(self.attacker)
        found: list[tuple[str, ...]] = [(card,) for card in hand]
        most = min(self.room, len(hand))
        alike = [[card for card in hand if card[0] == rank] for rank in sorted({card[0] for card in hand})]
        if self.house["opening"] == "same_rank":
            return found + [
                cards for size in range(2, most + 1) for same in alike for cards in combinations(same, size)
            ]
        # The openings of several ranks are too many to enumerate where the hand is large.
        most = min(most, 5 if len(hand) < 10 else 3)
        for size in range(2, most + 1 if self.house["opening"] != "single" else 2):
            for cards in combinations(hand, size):
                counts = Counter(card[0] for card in cards)
                if sum(count % 2 for count in counts.values()) == size % 2:
                    found.append(cards)
        return found

    def may_attack_now(self, seat: str) -> bool:
        """Check whether it is this attacker's turn, whatever he holds."""
        if self.taking:
            order = self.house["give_order"]
            if order == "last_attacker_first":
                ring = [self.last_attacker, *self.after(self.last_attacker)]
                before = [other for other in ring[: ring.index(seat)] if other in self.attackers()]
                return all(other in self.passed or (other, seat) in self.let for other in before)
        else:
            order = self.house["throw_order"]
            if order == "handoff":
                return seat == self.holder
        if order == "priority":
            before = self.attackers()[: self.attackers().index(seat)]
            return all(other in self.passed or (other, seat) in self.let for other in before)
        return True

    def throw_ins(self, seat: str) -> list[str]:
        """Return the cards this attacker may throw in or give on now."""
        if self.closed or seat not in self.attackers() or not self.pairs or not self.may_attack_now(seat):
            return []
        if self.room <= 0:
            return []
        if self.taking:
            if self.house["give_on"] == "off":
                return []
            first_play = seat == self.attacker and not self.thrown and len(self.unbeaten) == len(self.pairs)
            if self.house["give_on"] == "opening_rank_first_phase" and not first_play:
                return []
        elif self.house["throw_timing"] == "after_beaten" and self.unbeaten:
            return []
        return [card for card in self.free(seat) if card[0] in self.ranks]

    def beats(self, card: str, other: str) -> bool:
        if card[1] == other[1]:
            return height(card) > height(other)
        return card[1] == self.trump

    def defences(self) -> list[tuple[str, str]]:
        if self.taking:
            return []
        return [(card, over) for over in self.unbeaten for card in self.free(self.defender) if self.beats(card, over)]

    def transfers(self) -> list[tuple[str, bool]]:
        """Return the cards that pass the attack on; True: by showing only."""
        if not self.house["transfer"] or self.taking or not self.unbeaten:
            return []
        hand = self.free(self.defender)
        return [(card, show) for card in hand for show in (False, True) if not self.transfer_faults(card, show)]

    # faults

    def attack_faults(self, seat: str, card: str) -> set[str]:
        """Return every rule that this card of his breaks, thrown in or given on by a seat that does not defend."""
        faults = set()
        may = self.attackers()
        if self.taking and self.house["give_on"] == "off":
            faults.add("give-off")
        if self.taking and self.house["give_on"] == "opening_rank_first_phase":
            may = [self.attacker]
            if self.thrown or len(self.unbeaten) < len(self.pairs):
                faults.add("give-off")
        if seat not in may:
            faults.add("not-entitled")
        if not self.taking and self.house["throw_timing"] == "after_beaten" and self.unbeaten:
            faults.add("too-early")
        if card[0] not in self.ranks:
            faults.add("rank-not-on-table")
        if self.room <= 0:
            faults.add("limit-exceeded")
        if not faults and (self.closed or not self.may_attack_now(seat)):
            faults = {self._order_fault()}
        return faults

    def _order_fault(self) -> str:
        """Return the fault of an attacker who goes on while it is another's turn, or nobody's any more."""
        if self.taking:
            return "give-order" if self.house["give_order"] == "last_attacker_first" else "priority"
        return "lost-right" if self.closed else "priority"

    def transfer_faults(self, card: str, show: bool) -> set[str]:
        """Return every rule that the defender breaks by laying or showing this card of his beside the others."""
        if self.taking:
            return {"take-is-final", "transfer-off", "show-off", "not-entitled"}
        faults = set()
        if not self.house["transfer"]:
            faults.add("show-off" if show else "transfer-off")
        if show and self.house["transfer_show"] == "off":
            faults.add("show-off")
        if self.bout == 1 and not self.house["transfer_first_bout"]:
            faults.add("transfer-off")
        if not self.unbeaten:
            return faults | {"nothing-to-transfer"}
        if self.house["transfer_when"] == "no_beaten_card" and len(self.unbeaten) < len(self.pairs):
            faults.add("transfer-after-beat")
        if self.house["transfer_when"] == "single_rank" and len(self.ranks) > 1:
            faults.add("transfer-mixed-ranks")
        if self.house["transfer_when"] == "one_unbeaten" and len(self.unbeaten) != 1:
            faults.add("transfer-after-beat")
        if {other[0] for other in self.unbeaten} != {card[0]}:
            faults.add("transfer-rank")
        if show and card[1] != self.trump:
            faults.add("show-not-trump")
        if show and self.house["transfer_show"] == "per_bout" and card in self.shown_cards:
            faults.add("show-repeated")
        lies = len(self.unbeaten) + (not show)
        if self.house["transfer_target"] == "hand_covers" and lies > len(self.hands[self.next_in(self.defender)]):
            faults.add("transfer-target-short")
        cap = self.house_limit()
        if not show and cap is not None and len(self.pairs) + 1 > cap:
            faults.add("limit-exceeded")
        return faults

    def is_closed(self) -> bool:
        """Check whether the beaten bout may be swept."""
        if self.unbeaten or self.taking:
            return False
        if self.closed or self.room <= 0 or not self.hands[self.defender]:
            return True
        return all(seat in self.passed for seat in self.attackers())

    def owes(self, seat: str) -> bool:
        """Check whether the seat has cards to draw after this bout."""
        return any(other == seat for other, _ in self.due)

    # the lowest trump for the turn-up

    def swappers(self) -> list[tuple[str, str]]:
        """Return who may exchange the lowest trump for the turn-up now, and that card (docs/rules.md, 8)."""
        lowest = min((card for card in self.pack if card[1] == self.trump), key=height)
        if self.house["trump_swap"] == "off" or (self.house["trump_swap"] == "ace_only" and self.shown[0] != "A"):
            return []
        if self.lies_under:
            able = [seat for seat in self.seats if lowest in self.free(seat) and lowest not in self.from_table[seat]]
        elif self.shown_drawn_by is not None and not self.talon and not self.pairs and self.shown[1] == self.trump:
            # Drawn in the refill that emptied the talon: he may still demand the turn-up from whoever drew it.
            drew = [seat for seat, cards in self.refilled.items() if lowest in cards and seat != self.shown_drawn_by]
            able = [seat for seat in drew if lowest in self.hands[seat]]
        else:
            able = []
        return [(seat, lowest) for seat in able]

    def swap_faults(self, seat: str, card: str) -> set[str]:
        """Return every rule that this exchange of a trump of his hand breaks."""
        if self.house["trump_swap"] == "off":
            return {"swap-off"}
        faults = set()
        if card != min((other for other in self.pack if other[1] == self.trump), key=height):
            faults.add("swap-wrong-card")
        if self.house["trump_swap"] == "ace_only" and self.shown[0] != "A":
            faults.add("swap-only-for-ace")
        if card in self.from_table[seat]:
            faults.add("swap-not-original")
        if not self.lies_under:
            faults.add("swap-too-late")
        return faults

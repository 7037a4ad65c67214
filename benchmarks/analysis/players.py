"""Players of whole deals: the search, and the opponents that it is compared with."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from features.analysis.deals import Deals
from features.analysis.endgames import TwoHands, goal_of
from features.analysis.hand_odds import HandOdds
from features.analysis.playouts import lowest, play_out
from features.analysis.position import (
    ATTACK,
    BEAT,
    GOES_ON,
    PASS,
    SHOW,
    TAKE,
    TRANSFER,
    Decision,
    Position,
    SearchRules,
    choices,
)
from features.analysis.rating import solved
from features.analysis.tree_search import Estimate, TreeSearch, best_of
from referee.cards import SUIT_MASKS, pack

MOST_DECISIONS = 2000


@dataclass
class DealtTable:
    """A deal and the knowledge of each player."""

    position: Position
    known: list[int] = field(default_factory=list)
    gone: int = 0
    odds: HandOdds = field(init=False)

    def __post_init__(self) -> None:
        self.known = [0] * self.position.house.seats
        self.odds = HandOdds(self.position.house.seats)

    def deals_for(self, seat: int) -> Deals:
        """Return the deals that agree with what the seat can know, all as likely."""
        return Deals.known_to(self.position, seat, tuple(self.known), self.gone)

    def play(self, decision: Decision) -> None:
        """Make the decision of the seat that is asked."""
        before, (kind, cards, _) = self.position.copy(), decision
        seat, lies = before.asked, before.talon[before.place] if before.place >= 0 else 0
        if kind != PASS:
            self.odds.decided(before, seat, decision, tuple(self.known))
        self.position.play(decision)
        after = self.position
        self.known[seat] = self.known[seat] | cards if kind == SHOW else self.known[seat] & ~cards
        if after.number != before.number or after.losers != GOES_ON:
            self._stopped(before, decision)
            table = before.table | (cards if kind in (ATTACK, BEAT, TRANSFER) else 0)
            if before.is_taking or kind == TAKE:
                self.known[before.defender] |= table
            else:
                self.gone |= table
        if lies and (after.place < 0 or after.talon[after.place] != lies):
            for holder, hand in enumerate(after.hands):
                self.known[holder] |= hand & lies

    def _stopped(self, before: Position, last: Decision) -> None:
        """Enter that no attacker added a card after the last decision of a bout, whether asked or not."""
        end, (kind, cards, _) = before.copy(), last
        if kind in (ATTACK, BEAT):
            end.hands[before.asked] &= ~cards
            end.table |= cards
            end.attack_count += cards.bit_count() if kind == ATTACK else 0
        end.is_taking = before.is_taking or kind == TAKE
        for seat in end.attackers:
            self.odds.decided(end, seat, (PASS, 0, 0), tuple(self.known))


Player = Callable[[DealtTable, random.Random], Decision]


def dealt(house: SearchRules, rng: random.Random) -> DealtTable:
    """Deal at random; a random seat leads."""
    cards = [card.bit for card in pack(house.rules.pack)]
    rng.shuffle(cards)
    size, seats = house.rules.hand_size, house.seats
    hands = [sum(cards[n * size : n * size + size]) for n in range(seats)]
    talon = cards[seats * size :][::-1]
    turnup = -1
    if talon and house.rules.turn_up == "under_talon":
        turnup = 1 if house.rules.second_trump != "none" else 0
    names = talon[turnup] if turnup >= 0 else cards[-1]
    trump = next(suit for suit, mask in enumerate(SUIT_MASKS) if names & mask)
    position = Position(house, hands, talon, trump, turnup)
    leads = rng.randrange(seats)
    position.begin(leads, (leads + 1) % house.seats)
    return DealtTable(position)


def moves_of(table: DealtTable, players: list[Player], rng: random.Random) -> list[Decision]:
    """Play a deal to its end, or until its length makes it a draw; return all decisions."""
    found: list[Decision] = []
    while table.position.losers == GOES_ON and len(found) < MOST_DECISIONS:
        options = choices(table.position)
        found.append(options[0] if len(options) == 1 else players[table.position.asked](table, rng))
        table.play(found[-1])
    return found


def play(house: SearchRules, players: list[Player], rng: random.Random) -> int:
    """Play one deal to its end; return the bit mask of the losers, 0 for a draw."""
    table = dealt(house, rng)
    moves_of(table, players, rng)
    return max(0, table.position.losers)


def random_player(table: DealtTable, rng: random.Random) -> Decision:
    """Choose any decision."""
    return rng.choice(choices(table.position))


def greedy_player(table: DealtTable, rng: random.Random) -> Decision:
    """Choose the lowest legal card; plain cards are thrown in, trumps are not."""
    position = table.position
    options, trump = choices(position), position.trump
    laid = [option for option in options if option[0] in (ATTACK, BEAT, TRANSFER) and not option[1] & (option[1] - 1)]
    if not laid:
        return options[-1]
    card = lowest(sum({play[1] for play in laid}), trump)
    chosen = next(play for play in laid if play[1] == card)
    is_added = position.attack_count and chosen[0] == ATTACK
    return (PASS, 0, 0) if is_added and card & SUIT_MASKS[trump] else chosen


@dataclass
class SearchPlayer:
    """
    Plays the best decision of the analysis, by ``playouts`` playouts a decision. ``on_decision`` receives the value of
    each decision made, by half as many further playouts.
    """

    playouts: int
    on_decision: Callable[[DealtTable, Estimate], None] | None = None
    solvers: dict[tuple[SearchRules, int], TwoHands] = field(default_factory=dict)

    def __call__(self, table: DealtTable, rng: random.Random) -> Decision:
        """Choose what the greedy player would do, unless the search finds better."""
        position, seat = table.position, table.position.asked
        options, deals = choices(position), table.deals_for(seat)
        values = solved(position, seat, options) if deals.is_one else None
        if values is not None:
            return max(options, key=lambda option: goal_of(values[option], seat))
        solver = self.solvers.setdefault((position.house, position.trump), TwoHands(position.house, position.trump))
        solver.forget()
        simple = greedy_player(table, rng)
        search = TreeSearch(deals.weighted(table.odds).deal, seat, rng, solver)
        estimates = search.estimates(options, self.playouts, simple)
        best = best_of(estimates, next(estimate for estimate in estimates if estimate.decision == simple))
        if self.on_decision is not None:
            self.on_decision(table, search.valued((best.decision,), self.playouts // 2)[0])
        return best.decision


@dataclass
class DeterminizedPlayer:
    """Plain determinization: deals at random, each decision played out as often, the one with most wins is taken."""

    playouts: int

    def __call__(self, table: DealtTable, rng: random.Random) -> Decision:
        """Choose the decision with most wins."""
        seat, options, deals = table.position.asked, choices(table.position), table.deals_for(table.position.asked)
        wins = dict.fromkeys(options, 0.0)
        for _ in range(max(1, self.playouts // len(options))):
            dealt_again = deals.deal(rng)
            for option in options:
                position = dealt_again.copy()
                position.play(option)
                losers = position.losers if position.losers != GOES_ON else play_out(position, rng)
                wins[option] += 0.5 if not losers else 1 - (losers >> seat & 1)
        return max(options, key=lambda option: wins[option])

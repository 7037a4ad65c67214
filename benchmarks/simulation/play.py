"""
Play random legal games with the independent engine, without spoken statements.

Who takes, passes or lets another go first says nothing that a camera could see: the taken cards go to his seat, that is
all. What only a spoken word would make legal is not played: cards given on where they would be too early otherwise.
"""

from __future__ import annotations

import random
from typing import Any

from benchmarks.simulation.truth import TrueGame, TrueLine, position_of
from tests.referee.engine import Deal
from tests.referee.hands import height
from tests.referee.house import HOUSES

MOST_BOUTS = 120
"""Bouts after which an unfinished deal is replaced by another one."""

TAKEN_BACK = 0.003
"""Share of legal cards that are taken back, where players are not perfect."""


LARGE_HAND, MOST_OF_LARGE = 10, 3
"""A player opens with at most ``MOST_OF_LARGE`` cards of a hand of at least ``LARGE_HAND``: stored figures hold so."""


class QuietSession:
    """Plays deals legally and without statements; ``game`` collects their lines."""

    def __init__(self, preset: str, players: int, rng: random.Random) -> None:
        self.rng = rng
        self.house: dict[str, Any] = HOUSES[preset][0]
        self.seats = list("ABCDEF"[:players])
        self.dealer = rng.choice(self.seats)
        self.deal = self._dealt()
        self.at = 0.0
        self.plays = 0
        self.game = TrueGame(self._header(preset))
        if "start" not in self.game.header:
            self.record("dealt", turnup=self.deal.shown)
        self.end_play()

    def _dealt(self) -> Deal:
        while True:
            deal = Deal(self.house, self.seats, self.dealer, self.rng)
            leads = deal.first_leader()
            if leads is not None:
                deal.begin(leads)
                return deal

    def _header(self, preset: str) -> dict[str, Any]:
        """Return a header: three of five games begin with a known lead, the others with the deal or before it."""
        header = {"kozyr": 1, "rules": preset, "seats": self.seats, "dealer": self.dealer, "witness": "camera"}
        deal, how = self.deal, self.rng.random()
        if how < 0.2:
            return header
        start: dict[str, Any] = {
            "trump": deal.trump,
            "turnup": deal.shown if deal.lies_under else None,
            "talon": len(deal.talon),
            "hands": {seat: len(hand) for seat, hand in deal.hands.items()},
        }
        if how >= 0.4:
            start["attacker"] = deal.attacker
        known = {seat: sorted(cards) for seat, cards in deal.seen.items() if cards}
        if known:
            start["known"] = known
        return header | {"start": start}

    # what is noted

    def record(
        self, event: str, same_play: bool = False, faults: frozenset[str] = frozenset(), **facts: Any
    ) -> TrueLine:
        """Add a line; ``same_play``: laid together with the card before."""
        if not same_play:
            self.at = round(self.at + self.rng.uniform(0.8, 4.0), 2)
            self.plays += 1
        line = TrueLine({"at": self.at, "event": event, **facts}, self.plays, faults)
        self.game.lines.append(line)
        return line

    def end_play(self) -> None:
        """End a step: store the position after it."""
        if self.game.lines:
            self.game.lines[-1].position = position_of(self.deal)

    def lay(self, seat: str, cards: tuple[str, ...], **facts: Any) -> None:
        """Lay cards of one seat together."""
        for place, card in enumerate(cards):
            self.record("placed", same_play=place > 0, card=card, by=seat, **facts)

    # playing

    def play(self, deals: int = 1) -> TrueGame | None:
        """
        Play ``deals`` deals, or until the rules leave open who leads the next. None for a deal that would not end.
        """
        for number in range(deals):
            if number and not self.next_deal():
                break
            deal = self.deal
            while deal.result is None:
                if deal.bout > MOST_BOUTS:
                    return None
                self.bout()
            self.game.results.append((deal.result[0], tuple(sorted(deal.result[1]))))
        return self.game

    def next_deal(self) -> bool:
        """Begin the next deal; return False where the rules leave open who deals or leads."""
        assert self.deal.result is not None
        kind, seats = self.deal.result
        losers = [seat for seat in self.seats if seat not in seats] if "winner" in kind else seats
        rule = self.house["later_lead"]
        if len(losers) != 1 or rule == "same_as_first":
            return False
        out = [seat for seat in self.deal.out if seat in seats]
        self.dealer = losers[0]
        self.deal = Deal(self.house, self.seats, self.dealer, self.rng)
        after = self.deal.after(self.dealer)
        if rule == "winner":
            if "winner" not in kind or not out:
                return False
            self.deal.begin(out[0])
        else:
            self.deal.begin(after[0 if rule == "left_of_fool" else -1])
        self.record("dealt", turnup=self.deal.shown)
        self.end_play()
        return True

    def bout(self) -> None:
        """Play a bout from its opening to the last draw."""
        deal = self.deal
        self.maybe_swap()
        self.before_opening()
        if self.deal.pairs == []:
            is_large = len(deal.free(deal.attacker)) >= LARGE_HAND
            cards = self._cheap(
                [opening for opening in deal.openings() if not is_large or len(opening) <= MOST_OF_LARGE]
            )
            self.lay(deal.attacker, cards)
            deal.attack(deal.attacker, cards)
            self.end_play()
        while deal.result is None and deal.pairs:
            self.before_move()
            if deal.result is None and deal.pairs:
                self.move()

    def before_opening(self) -> None:
        """Do something before a bout is led."""

    def before_move(self) -> None:
        """Do something before each step of a bout."""

    def move(self) -> None:
        """Make one move."""
        deal = self.deal
        if deal.unbeaten and not deal.taking:
            if self.rng.random() < 0.1 and self._throw_in(0.5):
                return
            self._defend()
        elif deal.is_closed() or not self._throw_in(0.25 if deal.taking else 0.6):
            self.sweep()

    def _defend(self) -> None:
        deal = self.deal
        transfers, defences = deal.transfers(), deal.defences()
        if transfers and self.rng.random() < 0.5:
            card, show = self.rng.choice(transfers)
            if show:
                self.record("shown", card=card, by=deal.defender)
            else:
                self.lay(deal.defender, (card,))
            deal.pass_on(card, show)
        elif defences and self.rng.random() < 0.85:
            (card, over) = min(defences, key=lambda pair: self._cost(pair[0]))
            if self.rng.random() < 0.2:
                card, over = self.rng.choice(defences)
            self.lay(deal.defender, (card,), on=over)
            if self.thinks_better(deal.defender, card):
                return
            deal.beat(card, over)
        else:
            deal.take()
            return
        self.end_play()

    def _throw_in(self, eager: float) -> bool:
        """Throw in or give on; return False when everybody has declined or nobody may."""
        deal = self.deal
        if deal.taking and not self._seen_as_legal():
            return False
        while True:
            ready = [seat for seat in deal.attackers() if seat not in deal.passed and deal.may_attack_now(seat)]
            if not ready or deal.closed:
                return False
            seat = ready[0]
            cards = sorted(deal.throw_ins(seat), key=self._cost)
            if cards and self.rng.random() < eager:
                several = 1 if self.house["throw_timing"] == "after_beaten" else min(len(cards), deal.room)
                chosen = tuple(cards[: self.rng.choice((1, 1, 1, several))])
                self.lay(seat, chosen)
                if len(chosen) > 1 or not self.thinks_better(seat, chosen[0]):
                    deal.attack(seat, chosen)
                self.end_play()
                return True
            if deal.unbeaten and not deal.taking:
                return False
            deal.stop(seat)

    def _seen_as_legal(self) -> bool:
        """Check whether a card given on is legal too for those who do not know that the defender takes."""
        house = self.house
        return bool(house["throw_timing"] == "any_time" and house["give_on"] == "as_throw_in") and (
            house["throw_order"] != "handoff" and house["give_order"] == house["throw_order"]
        )

    def thinks_better(self, seat: str, card: str) -> bool:
        """Take back the card just laid with a small probability; return whether it was."""
        if self.rng.random() >= self.taken_back:
            return False
        self.record("lifted", card=card, by=seat)
        self.end_play()
        return True

    taken_back = 0.0
    """Return the share of legal cards that are taken back."""

    def maybe_swap(self) -> None:
        """Exchange the lowest trump for the turn-up where somebody may."""
        swappers = self.deal.swappers()
        if swappers and self.rng.random() < 0.5:
            seat, lowest = self.rng.choice(swappers)
            self.record("swapped", card=lowest, by=seat)
            self.deal.swap(seat, lowest)
            self.end_play()

    def sweep(self) -> None:
        """Clear the bout; everybody draws the cards that are due."""
        deal = self.deal
        due = deal.sweep()
        self.record("swept", to=deal.defender if deal.was_taken else "heap")
        self.refill(due)
        deal.go_on()
        self.end_play()

    def refill(self, due: list[tuple[str, int]]) -> None:
        """Let everybody draw in turn."""
        for seat, count in due:
            self.draw(seat, min(count, len(self.deal.talon)))

    def draw(self, seat: str, count: int, faults: frozenset[str] = frozenset()) -> None:
        """Draw ``count`` cards, at once or one by one."""
        at_once = bool(faults) or self.rng.random() < 0.75
        while count > 0:
            part = count if at_once else 1
            last = self.deal.talon[-1]
            self.record("drawn", by=seat, count=part, faults=faults).stands = bool(faults)
            self.deal.draw(seat, part)
            count, faults = count - part, frozenset()
            if self.house["second_trump"] != "none" and not self.deal.talon:
                self.record("shown", card=last, by=seat)
                self.deal.trump_changed = self.deal.trump_changed or self.deal.trump != last[1]
                self.deal.trump = last[1]

    # choosing

    def _cost(self, card: str) -> int:
        return height(card) + 20 * (card[1] == self.deal.trump)

    def _cheap(self, openings: list[tuple[str, ...]]) -> tuple[str, ...]:
        """Choose an opening: mostly low cards, sometimes two of a rank."""
        if self.rng.random() < 0.3:
            cards = self.rng.choice(openings)
        else:
            cards = min(openings, key=lambda cards: (self._cost(cards[0]), self.rng.random()))
        return tuple(self.rng.sample(cards, len(cards)))

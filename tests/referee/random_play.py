"""
Random legal games by the independent engine, told to the referee through public events only.

After every event the referee must agree: no fault where none was made, the same position, no card known where it isn't.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from referee.record import Header, event_from_json
from referee.referee import Referee
from referee.telling import Step
from tests.referee.engine import Deal
from tests.referee.house import HOUSES

MOST_BOUTS = 400
"""A deal that is still going after so many bouts is broken off: random players can pass cards round for ever."""


class Disagreement(AssertionError):  # noqa: N818 - it is what the test fails with
    """The referee and the engine differ; the text ends with the record, to be replayed."""


class RandomSession:
    """A few deals of one house at one table."""

    def __init__(self, preset: str, players: int, seed: int, options: dict[str, Any] | None = None) -> None:
        self.rng = random.Random(seed)
        self.house = HOUSES[preset][0] | (options or {})
        self.seats = list("ABCDEF"[:players])
        header = {"kozyr": 1, "rules": preset, "seats": self.seats, "dealer": self.rng.choice(self.seats)}
        if options:
            header["options"] = options
        self.record: list[dict[str, Any]] = [header]
        self.referee = Referee(Header.parse(header))
        self.dealer = header["dealer"]
        self.at = 0.0
        self.losses = dict.fromkeys(self.seats, 0)
        self.deal: Deal | None = None
        self.events = 0
        self.after_event: Callable[[RandomSession], None] | None = None

    # telling

    def tell(self, event: str, same_time: bool = False, **facts: Any) -> Step:
        """Feed one event and compare what stands then."""
        if not same_time:
            self.at += self.rng.choice((0.5, 1.0, 2.5))
        data = {"at": self.at, "event": event, **facts}
        self.record.append(data)
        self.events += 1
        return self.referee.feed(event_from_json(data))

    def legal(self, step: Step, plays_cards: bool = True) -> None:
        """No fault; a play of cards is called legal."""
        for ruling in step.rulings:
            if ruling.fault is not None:
                self.differ(f"expected no fault, got {ruling.as_json()}")
        if plays_cards and not step.rulings and not self.referee.is_withholding:
            self.differ("expected a ruling legal, got none")

    def differ(self, what: str) -> None:
        lines = "\n".join(str(data) for data in self.record[-30:])
        raise Disagreement(f"{what}\nafter\n{self.record[0]}\n...\n{lines}")

    def same(self, **wanted: Any) -> None:
        """The referee's position agrees in these points, and in those that always hold."""
        deal, state = self.deal, self.referee.state.as_json()
        assert deal is not None
        always = {
            "hands": {seat: len(hand) for seat, hand in deal.hands.items()},
            "talon": len(deal.talon),
            "heap": len(deal.heap),
            "trump": deal.trump,
            "turnup": deal.shown if deal.lies_under else None,
            "open": [],
        }
        for key, want in (always | wanted).items():
            if state[key] != want:
                self.differ(f"expected {key} {want}, got {state[key]}")
        for seat, cards in state["known"].items():
            if not set(cards) <= set(deal.hands[seat]):
                self.differ(f"expected known cards of {seat} out of {deal.hands[seat]}, got {cards}")
        if self.after_event is not None:
            self.after_event(self)

    def same_bout(self) -> None:
        deal = self.deal
        assert deal is not None
        if deal.result is not None:
            self.same(phase="over", result={"kind": deal.result[0], "seats": deal.result[1]})
            return
        state = self.referee.state.as_json()
        wanted: dict[str, Any] = {
            "phase": "take" if deal.taking else "attack",
            "attacker": deal.attacker,
            "defender": deal.defender,
            "limit": deal.limit,
            "out": deal.out,
            "due": [],
            "result": None,
        }
        self.same(**wanted)
        if sorted(map(str, state["table"])) != sorted(map(str, deal.pairs)):
            self.differ(f"expected table {deal.pairs}, got {state['table']}")
        may_give = not deal.taking or self.house["give_on"] == "as_throw_in"
        if may_give and state["entitled"] != deal.attackers():
            self.differ(f"expected entitled {deal.attackers()}, got {state['entitled']}")

    # playing

    def play(self, deals: int = 1) -> None:
        """Play so many deals of the session."""
        leader: Callable[[Deal], str | None] = Deal.first_leader
        for number in range(deals):
            deal = self._deal(leader, later=number > 0 and leader is not Deal.first_leader)
            while deal.result is None and deal.bout < MOST_BOUTS:
                self._bout(deal)
            if deal.result is None:
                return
            next_leader = self._next_leader(deal)
            if next_leader is None:
                return
            leader = next_leader

    def _deal(self, leader: Callable[[Deal], str | None], later: bool) -> Deal:
        while True:
            deal = self.deal = Deal(self.house, self.seats, self.dealer, self.rng)
            self.tell("dealt", turnup=deal.shown)
            leads = leader(deal)
            if later:
                assert leads is not None
                deal.begin(leads)
                return deal
            self.same(phase="lead")
            for seat in self.rng.sample(self.seats, len(self.seats)):
                self.tell(
                    "pressed",
                    button="claim",
                    by=seat,
                    card=deal.lowest_trump_of(seat),
                    highest=deal.highest_rank_of(seat),
                )
            if leads is not None:
                deal.begin(leads)
                self.same_bout()
                return deal

    def _bout(self, deal: Deal) -> None:
        self._maybe_swap(deal)
        cards = self.rng.choice(deal.openings())
        cards = tuple(self.rng.sample(cards, len(cards)))
        for place, card in enumerate(cards):
            self.legal(self.tell("placed", same_time=place > 0, card=card, by=deal.attacker))
        self.legal(self.referee.settle(), plays_cards=False)
        deal.attack(deal.attacker, cards)
        self.same_bout()
        while deal.result is None and not self._swept(deal):
            self._move(deal)

    def _move(self, deal: Deal) -> None:
        """One thing that somebody may do now."""
        options: list[Callable[[], None]] = []
        defences, transfers = deal.defences(), deal.transfers()
        if defences:
            options += [lambda: self._beat(deal, *self.rng.choice(defences))] * 4
        if transfers:
            options += [lambda: self._transfer(deal, *self.rng.choice(transfers))] * 3
        if deal.unbeaten and not deal.taking:
            options += [lambda: self._take(deal)]
        for seat in deal.attackers():
            cards = deal.throw_ins(seat)
            if cards:
                options += [lambda seat=seat, cards=cards: self._throw(deal, seat, cards)] * 2  # type: ignore[misc]
            if seat not in deal.passed and (deal.house["throw_order"] != "handoff" or seat == deal.holder):
                options += [lambda seat=seat: self._pass(deal, seat)]  # type: ignore[misc]
        if not options and deal.taking:
            return
        if not options:
            self.differ(f"the engine has nothing to do: {deal.pairs} {deal.hands}")
        self.rng.choice(options)()
        if deal.result is not None or self.referee.state.bout is not None:
            self.same_bout()
        self._maybe_swap(deal)

    def _beat(self, deal: Deal, card: str, over: str) -> None:
        self.legal(self.tell("placed", card=card, by=deal.defender, on=over))
        deal.beat(card, over)

    def _transfer(self, deal: Deal, card: str, show: bool) -> None:
        self.legal(self.tell("shown" if show else "placed", card=card, by=deal.defender))
        deal.pass_on(card, show)

    def _throw(self, deal: Deal, seat: str, cards: list[str]) -> None:
        card = self.rng.choice(cards)
        self.legal(self.tell("placed", card=card, by=seat))
        deal.attack(seat, (card,))

    def _take(self, deal: Deal) -> None:
        self.legal(self.tell("pressed", button="take", by=deal.defender), plays_cards=False)
        deal.take()

    def _pass(self, deal: Deal, seat: str) -> None:
        self.legal(self.tell("pressed", button="pass", by=seat), plays_cards=False)
        deal.stop(seat)

    def _maybe_swap(self, deal: Deal) -> None:
        if not deal.lies_under or self.house["trump_swap"] != "any" or self.rng.random() > 0.3:
            return
        lowest = min((card for card in deal.pack if card[1] == deal.trump), key=height_of)
        for seat in self.seats:
            if lowest in deal.hands[seat] and lowest not in deal.from_table[seat]:
                self.legal(self.tell("swapped", card=lowest, by=seat))
                deal.swap(seat, lowest)
                self.same()

    def _swept(self, deal: Deal) -> bool:
        """Sweep if the bout is over or the defender takes now; True if so, with draws and the next turn."""
        taken = deal.taking and self.rng.random() < 0.4
        taken = taken or (bool(deal.unbeaten) and self.rng.random() < 0.03)
        if not taken and not deal.is_closed():
            return False
        to = deal.defender if taken else "heap"
        due = deal.sweep()
        step = self.tell("swept", to=to)
        self.legal(step, plays_cards=False)
        said = [each.facts["due"] for each in step.announcements if each.kind == "draw"]
        if said != ([tuple(due)] if due else []):
            self.differ(f"expected draws {due}, got {said}")
        for seat, count in due:
            self._draw(deal, seat, count)
        deal.go_on()
        self.same_bout()
        return True

    def _draw(self, deal: Deal, seat: str, count: int) -> None:
        while count:
            part = self.rng.randint(1, count)
            last = deal.talon[-1] if deal.talon else None
            self.legal(self.tell("drawn", by=seat, count=part), plays_cards=False)
            deal.draw(seat, part)
            count -= part
            if self.house["second_trump"] != "none" and not deal.talon and last is not None:
                self.tell("shown", card=last, by=seat)
                deal.trump = last[1]
            if count:
                self.same(phase="draw")

    # the session

    def _next_leader(self, deal: Deal) -> Callable[[Deal], str | None] | None:
        """Who deals and leads next, or None where this engine leaves it to the table."""
        assert deal.result is not None
        kind, seats = deal.result
        rule = self.house["later_lead"]
        if kind in ("winner", "team-winner"):
            losers = [seat for seat in self.seats if seat not in seats]
            winner = deal.out[0]
        else:
            losers = seats
            winner = None
        for seat in losers:
            self.losses[seat] += 1
        if dict(self.referee.state.session.losses) != self.losses:
            self.differ(f"expected losses {self.losses}, got {dict(self.referee.state.session.losses)}")
        if len(losers) != 1:
            return None
        self.dealer = losers[0]
        after = deal.after(losers[0])
        if rule == "same_as_first":
            return Deal.first_leader
        leads = {"left_of_fool": after[0], "right_of_fool": after[-1], "winner": winner}[rule]
        return lambda deal: leads


def height_of(card: str) -> int:
    """From low to high."""
    return "23456789TJQKA".index(card[0])

"""
Play random legal games by the independent engine, reported to the referee through public events only.

After every event the referee must agree: no fault without a mistake, the same position, and no wrongly known card.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from referee.record import Header, event_from_json
from referee.rulings import Step
from tests.referee.certain_referee import Referee
from tests.referee.engine import Deal
from tests.referee.house import HOUSES

MOST_BOUTS = 400
"""Number of bouts after which a deal is broken off: random players can pass cards round for ever."""


class Disagreement(AssertionError):  # noqa: N818 - it is what the test fails with
    """The referee and the engine differ; the text ends with the record, to be replayed."""


class RandomSession:
    """A few deals of one house at one table."""

    def __init__(self, preset: str, players: int, seed: int, options: dict[str, Any] | None = None) -> None:
        self.rng = random.Random(seed)
        self.house = HOUSES[preset][0] | (options or {})
        self.seats = list("ABCDEF"[:players])
        header: dict[str, Any] = {"kozyr": 1, "rules": preset, "seats": self.seats}
        header["dealer"] = self.rng.choice(self.seats)
        if options:
            header["options"] = options
        self.record: list[dict[str, Any]] = [header]
        self.referee = Referee(Header.parse(header))
        self.dealer = header["dealer"]
        self.at = 0.0
        self.losses = dict.fromkeys(self.seats, 0)
        self.fool: list[str] = []
        self.dealer_known = True
        self.deals = self.bouts = 0
        self.deal: Deal | None = None
        self.events = 0
        self.open: dict[str, str] = {}
        self.after_event: Callable[[RandomSession], None] | None = None

    # overridden by a careless session

    def lay(self, deal: Deal, seat: str, cards: tuple[str, ...], **facts: Any) -> None:
        """Lay cards legally."""
        for place, card in enumerate(cards):
            self.legal(self.report("placed", same_time=place > 0, card=card, by=seat, **facts))
        self.legal(self.referee.end_play(), plays_cards=False)

    def _stuck(self, deal: Deal) -> bool:
        return False

    def _partly_drawn(self, deal: Deal, seat: str, count: int) -> None:
        """Check the state when some of the due cards have been drawn and ``count`` are left."""

    def _over(self, deal: Deal) -> None:
        """Check the state after the deal is decided."""

    # reporting

    def report(self, event: str, same_time: bool = False, **facts: Any) -> Step:
        """Report one event to the referee and compare the positions."""
        if not same_time:
            self.at += self.rng.choice((0.5, 1.0, 2.5))
        data = {"at": self.at, "event": event, **facts}
        self.record.append(data)
        self.events += 1
        return self.referee.apply(event_from_json(data))

    def legal(self, step: Step, plays_cards: bool = True) -> None:
        """Expect no fault; a play of cards is ruled legal."""
        for ruling in step.rulings:
            if ruling.fault is not None:
                self.differ(f"expected no fault, got {ruling.as_json()}")
        if plays_cards and not step.rulings and not self.referee.holds_back_ruling:
            self.differ("expected a ruling legal, got none")

    def nobody_leads(self, step: Step, reason: str) -> None:
        """Expect that the deal is not played, for this reason."""
        wanted = {"announce": "lead", "seat": None, "reason": reason}
        if wanted not in [announcement.as_json() for announcement in step.announcements]:
            self.differ(f"expected {wanted}, got {step.announcements}")

    def differ(self, what: str) -> None:
        lines = "\n".join(str(data) for data in self.record[-30:])
        raise Disagreement(f"{what}\nafter\n{self.record[0]}\n...\n{lines}")

    def same(self, **wanted: Any) -> dict[str, Any]:
        """Return the points in which the referee's position has to agree."""
        deal, state = self.deal, self.referee.state.as_json()
        assert deal is not None
        always = {
            "hands": {seat: len(hand) for seat, hand in deal.hands.items()},
            "talon": len(deal.talon),
            "heap": len(deal.heap),
            "trump": deal.trump,
            "turnup": deal.shown if deal.lies_under else None,
            "open": sorted(self.open),
        }
        state["open"] = sorted(card for matter in state["open"] for card in matter["cards"])
        for key, want in (always | wanted).items():
            if state[key] != want:
                self.differ(f"expected {key} {want}, got {state[key]}")
        for seat, cards in state["known"].items():
            if not set(cards) <= set(deal.hands[seat]):
                self.differ(f"expected known cards of {seat} out of {deal.hands[seat]}, got {cards}")
        for seat, seen in deal.seen.items():
            if not seen <= set(state["known"].get(seat, ())):
                self.differ(f"expected {sorted(seen)} known in the hand of {seat}, got {state['known'].get(seat)}")
        if self.after_event is not None:
            self.after_event(self)
        return state

    def same_bout(self) -> None:
        deal = self.deal
        assert deal is not None
        if deal.result is not None:
            self.same(phase="over", result={"kind": deal.result[0], "seats": deal.result[1]})
            return
        wanted: dict[str, Any] = {
            "phase": "take" if deal.taking else "attack",
            "attacker": deal.attacker,
            "defender": deal.defender,
            "limit": deal.limit,
            "room": None if deal.limit is None else max(0, deal.room),
            "ranks": sorted(deal.ranks, key="23456789TJQKA".index),
            "entitled": deal.entitled(),
            "out": deal.out,
            "due": [],
            "result": None,
        }
        state = self.same(**wanted)
        if sorted(map(str, state["table"])) != sorted(map(str, deal.pairs)):
            self.differ(f"expected table {deal.pairs}, got {state['table']}")

    # playing

    def play(self, deals: int = 1) -> None:
        """Play ``deals`` deals of the session, or until the rules leave open who leads."""
        leader: Callable[[Deal], str | None] | None = Deal.first_leader
        for number in range(deals):
            if leader is None:
                return
            deal = self._deal(leader, later=number > 0 and leader is not Deal.first_leader)
            while deal.result is None and deal.bout < MOST_BOUTS:
                self._bout(deal)
                self.bouts += 1
            self.open.clear()
            if deal.result is None:
                return
            self.deals += 1
            self._over(deal)
            leader = self._next_leader(deal)

    def _deal(self, leader: Callable[[Deal], str | None], later: bool) -> Deal:
        while True:
            deal = self.deal = Deal(self.house, self.seats, self.dealer, self.rng)
            if not self.dealer_known:
                deal.seen[self.dealer].clear()
            step = self.report("dealt", turnup=deal.shown)
            while deal.must_turn_again():
                self.nobody_leads(step, "ace-trump")
                deal.turn_again()
                step = self.report("dealt", turnup=deal.shown)
            again = deal.must_deal_again()
            if again is not None and self.rng.random() < 0.5:
                reason, seat, cards = again
                for card in [card for card in cards if card not in deal.seen[seat]]:
                    step = self.report("shown", card=card, by=seat)
                    self.legal(step, plays_cards=False)
                self.nobody_leads(step, reason)
                continue
            leads = leader(deal)
            if later or self.house["first_lead"] == "left_of_dealer":
                assert leads is not None
                deal.begin(leads)
                return deal
            self.same(phase="lead")
            everybody = self.rng.sample(self.seats, len(self.seats))
            if leads is not None and self.rng.random() < 0.4:
                # Not everybody announces his trump; the first card shows who leads.
                everybody = everybody[: self.rng.randrange(len(everybody))]
            for seat in everybody:
                self._claim(deal, seat)
            if leads is not None:
                deal.owe_lowest_trump(leads)
                deal.begin(leads)
                if self.referee.state.as_json()["phase"] != "lead":
                    self.same_bout()
                return deal

    def _claim(self, deal: Deal, seat: str) -> None:
        """Let the lowest trump be named, or shown."""
        lowest, highest = deal.lowest_trump_of(seat), deal.highest_rank_of(seat)
        deal.named.add(seat)
        if lowest is not None and self.rng.random() < 0.2:
            self.legal(self.report("shown", card=lowest, by=seat), plays_cards=False)
            if self.referee.state.as_json()["phase"] == "lead" or lowest in self.known(seat):
                deal.seen[seat].add(lowest)
            return
        step = self.report("pressed", button="claim", by=seat, card=lowest, highest=highest)
        self.legal(step, plays_cards=False)

    def known(self, seat: str) -> list[str]:
        """Return the cards that the referee knows in the hand."""
        return list(self.referee.state.as_json()["known"].get(seat, ()))

    def _bout(self, deal: Deal) -> None:
        self._maybe_swap(deal)
        openings = deal.openings()
        if not openings and self._stuck(deal):
            return
        cards = self.rng.choice(openings)
        cards = tuple(self.rng.sample(cards, len(cards)))
        self.lay(deal, deal.attacker, cards)
        deal.attack(deal.attacker, cards)
        self.same_bout()
        while deal.result is None and not self._swept(deal):
            self._move(deal)

    def _move(self, deal: Deal) -> None:
        """Make one random move that somebody may make now."""
        options: list[Callable[[], None]] = []
        defences, transfers = deal.defences(), deal.transfers()
        if defences:
            options += [lambda: self._beat(deal, *self.rng.choice(defences))] * 4
        if transfers:
            # Where a trump may be shown only once in a bout, the attack must come round for it to matter.
            eager = 12 if self.house["transfer_show"] == "per_bout" else 3
            options += [lambda: self._transfer(deal, *self.rng.choice(transfers))] * eager
        if deal.unbeaten and not deal.taking:
            options += [lambda: self._take(deal)]
        for seat in deal.attackers():
            cards = deal.throw_ins(seat)
            if cards:
                options += [lambda seat=seat, cards=cards: self._throw(deal, seat, cards)] * 2  # type: ignore[misc]
            if seat not in deal.passed and (
                deal.taking or deal.house["throw_order"] != "handoff" or seat == deal.holder
            ):
                options += [lambda seat=seat: self._pass(deal, seat)]  # type: ignore[misc]
                if self.rng.random() < 0.05:
                    options += [lambda: self._done(deal)]
            later = deal.attackers()[deal.attackers().index(seat) + 1 :]
            if later and deal.order_now() == "priority" and self.rng.random() < 0.3:
                options += [lambda seat=seat, later=later: self._allow(deal, seat, later)]  # type: ignore[misc]
        if not options and (self._stuck(deal) or deal.taking or deal.is_closed()):
            return
        if not options:
            self.differ(f"the engine has nothing to do: {deal.pairs} {deal.hands}")
        self.rng.choice(options)()
        if deal.result is not None or self.referee.state.bout is not None:
            self.same_bout()
        self._maybe_swap(deal)

    def _beat(self, deal: Deal, card: str, over: str) -> None:
        self.lay(deal, deal.defender, (card,), on=over)
        deal.beat(card, over)

    def _transfer(self, deal: Deal, card: str, show: bool) -> None:
        if show:
            self.legal(self.report("shown", card=card, by=deal.defender))
        else:
            self.lay(deal, deal.defender, (card,))
        deal.pass_on(card, show)

    def _throw(self, deal: Deal, seat: str, cards: list[str]) -> None:
        several = min(len(cards), deal.room, 3) if deal.taking or self.house["throw_timing"] == "any_time" else 1
        chosen = tuple(self.rng.sample(cards, self.rng.choice((1, 1, max(1, several)))))
        self.lay(deal, seat, chosen)
        deal.attack(seat, chosen)

    def _done(self, deal: Deal) -> None:
        self.legal(self.report("pressed", button="done"), plays_cards=False)
        deal.stop_all()

    def _allow(self, deal: Deal, seat: str, later: list[str]) -> None:
        other = self.rng.choice(later)
        whom: dict[str, Any] = {"for": other}
        self.legal(self.report("pressed", button="allow", by=seat, **whom), plays_cards=False)
        deal.let.add((seat, other))

    def _take(self, deal: Deal) -> None:
        self.legal(self.report("pressed", button="take", by=deal.defender), plays_cards=False)
        deal.take()

    def _pass(self, deal: Deal, seat: str) -> None:
        self.legal(self.report("pressed", button="pass", by=seat), plays_cards=False)
        deal.stop(seat)

    def _maybe_swap(self, deal: Deal) -> None:
        swappers = deal.swappers()
        if not swappers or self.rng.random() > 0.3:
            return
        seat, lowest = self.rng.choice(swappers)
        self.legal(self.report("swapped", card=lowest, by=seat))
        deal.swap(seat, lowest)
        self.same()

    def _swept(self, deal: Deal) -> bool:
        """Sweep if the bout is over or the defender takes now; True if so, with draws and the next turn."""
        taken = deal.taking and self.rng.random() < 0.4
        taken = taken or (bool(deal.unbeaten) and self.rng.random() < 0.03)
        if not taken and not deal.is_closed():
            return False
        self._clear(deal, taken, set())
        return True

    def _clear(self, deal: Deal, taken: bool, called: set[str]) -> None:
        """Sweep, draw and begin the next turn; ``called``: the faults that the sweep is known to have."""
        due = deal.sweep(self.open)
        self.open.clear()
        step = self.report("swept", to=deal.defender if taken else "heap")
        if {str(ruling.fault) for ruling in step.rulings} != called:
            self.differ(f"expected {called or 'no fault'}, got {[ruling.as_json() for ruling in step.rulings]}")
        announced_draws = [
            announcement.facts["due"] for announcement in step.announcements if announcement.kind == "draw"
        ]
        if announced_draws != ([tuple(due)] if due else []):
            self.differ(f"expected draws {due}, got {announced_draws}")
        self.owed = [list(draw) for draw in due]
        for seat, count in due:
            self._draw(deal, seat, count)
            self.owed = self.owed[1:]
        deal.go_on()
        self.same_bout()

    def _draw(self, deal: Deal, seat: str, count: int) -> None:
        while count:
            part = self.rng.randint(1, count)
            last = deal.talon[-1] if deal.talon else None
            self.legal(self.report("drawn", by=seat, count=part), plays_cards=False)
            deal.draw(seat, part)
            count -= part
            if self.house["second_trump"] != "none" and not deal.talon and last is not None:
                self.report("shown", card=last, by=seat)
                deal.trump_changed = deal.trump_changed or deal.trump != last[1]
                deal.trump = last[1]
                deal.seen[seat].add(last)
            if count:
                self.same(phase="draw", due=[[seat, count], *self.owed[1:]])
                self._partly_drawn(deal, seat, count)
                self._maybe_swap(deal)

    # the session

    def _next_leader(self, deal: Deal) -> Callable[[Deal], str | None] | None:
        """Return who deals and leads next, or None where the rules leave it to the table."""
        assert deal.result is not None
        kind, seats = deal.result
        rule, alone = self.house["later_lead"], self.house["teams"] == "none"
        losers = [seat for seat in self.seats if seat not in seats] if "winner" in kind else seats
        for seat in losers:
            self.losses[seat] += 1
        if dict(self.referee.state.session.losses) != self.losses:
            self.differ(f"expected losses {self.losses}, got {dict(self.referee.state.session.losses)}")
        if "fool" in kind or len(self.seats) == 2:
            self.fool = losers or self.fool
        dealers = losers or self.fool or [self.dealer]
        self.dealer, self.dealer_known = self.rng.choice(dealers), len(dealers) == 1
        if rule == "same_as_first":
            needs_dealer = self.house["first_lead"] == "left_of_dealer" or not self.dealer_known
            return None if needs_dealer else Deal.first_leader
        if rule == "winner":
            # Of the losing side somebody may have been out before the first of the winners.
            first = next((seat for seat in deal.out if seat in seats), None)
            return (lambda _deal: first) if "winner" in kind else None
        if not self.fool or ("winner" in kind and (not alone or len(self.seats) > 2)):
            return None
        after = deal.after(self.dealer)
        leader = after[0 if rule == "left_of_fool" else -1]
        return lambda _deal: leader

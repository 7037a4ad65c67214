"""
Deliberate mistakes in random games: the referee must name each fault, and the game continues after its correction.

A mistake is an event that the engine knows to be wrong in the position at hand, with every fault that is true of it
(:mod:`tests.referee.wrongs` lists them). It is reported to the referee, which must name one of those faults. Then the
card is lifted, at once or after other plays; or it is let stand; or it goes with the sweep; or the event is taken back.
Several may be open at once. Whatever else is played meanwhile is as legal as it would have been.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.referee import wrongs
from tests.referee.engine import Deal
from tests.referee.random_play import RandomSession
from tests.referee.wrongs import Mistake, height_of


class CarelessSession(RandomSession):
    """A random session whose players make mistakes now and then; ``made`` counts them by the fault called."""

    often = 0.25
    seldom = frozenset({"lost-right", "show-repeated", "lead-not-lowest-trump"})
    """Mistakes with few occasions."""

    def __init__(self, preset: str, players: int, seed: int, options: dict[str, Any] | None = None) -> None:
        super().__init__(preset, players, seed, options)
        self.made: Counter[str] = Counter()
        self.cured: Counter[str] = Counter()
        self.lies: set[str] = set()

    # occasions of mistakes

    def _deal(self, leader: Any, later: bool) -> Deal:
        self.lies = set()
        other = self.rng.choice(self.seats)
        if self.dealer_known and other != self.dealer and self.rng.random() < 0.3:
            # Where cutting is allowed, or unstated, there is no fault.
            faults = {"touched-pack"} if self.house["touch_pack"] == "becomes_fool" else set()
            self._make(Mistake(faults, "pressed", {"button": "touched", "by": other}, "undo"))
        return super()._deal(leader, later)

    def _claim(self, deal: Deal, seat: str) -> None:
        """Let a seat sometimes hide its trumps, where that does not change who leads."""
        lowest = deal.lowest_trump_of(seat)
        hidden = (
            lowest is not None
            and deal.first_leader() != seat
            and self.house["one_without_trump"] == "trump_holder"
            and self.house["transfer_show"] == "off"
            and lowest != min((card for card in deal.pack if card[1] == deal.trump), key=height_of)
            and not any(card[1] == deal.trump for card in deal.seen[seat])
        )
        if not hidden or self.rng.random() > 0.2:
            super()._claim(deal, seat)
            return
        self.report("pressed", button="claim", by=seat, card=None, highest=deal.highest_rank_of(seat))
        self.lies.add(seat)

    def _bout(self, deal: Deal) -> None:
        if self.referee.state.as_json()["phase"] != "lead":
            self._maybe(lambda: wrongs.before_opening(deal, self.rng))
            self._maybe_bad_opening(deal)
            self._maybe_lead_taken_back(deal)
        super()._bout(deal)

    def _move(self, deal: Deal) -> None:
        self._maybe(lambda: wrongs.in_bout(deal, self.rng))
        if deal.result is not None:
            # A card that was let stand has decided it.
            return
        if self.open and self.rng.random() < 0.3:
            self._lift(deal, self.rng.choice(sorted(self.open)))
        super()._move(deal)

    def _stuck(self, deal: Deal) -> bool:
        """Take back the cards that lie there by mistake where nobody can go on because of them."""
        for card in sorted(self.open):
            self._lift(deal, card)
            return True
        return False

    def _draw(self, deal: Deal, seat: str, count: int) -> None:
        self._maybe(lambda: wrongs.while_drawing(deal, self.rng, seat, count, partly=False))
        super()._draw(deal, seat, count)

    def _partly_drawn(self, deal: Deal, seat: str, count: int) -> None:
        self._maybe(lambda: wrongs.while_drawing(deal, self.rng, seat, count, partly=True))

    def _swept(self, deal: Deal) -> bool:
        open_still = not deal.unbeaten and not deal.taking and not deal.is_closed()
        if deal.closed and not deal.taking:
            # Everybody has declined, and one changes his mind.
            self._maybe(
                lambda: [wrong for seat in deal.attackers() for wrong in wrongs.out_of_order(deal, self.rng, seat)]
            )
        if not open_still or self.house["throw_order"] == "handoff" or self.rng.random() > 0.1:
            return super()._swept(deal)
        waiting = [seat for seat in deal.attackers() if seat not in deal.passed]
        if waiting and self.rng.random() < 0.5:
            # Somebody announced to go on, so that silence does not end the bout.
            seat = self.rng.choice(waiting)
            self.legal(self.report("pressed", button="wait", by=seat), plays_cards=False)
            self._make(Mistake({"attack-not-closed"}, "swept", {"to": "heap"}, "undo", {"illegal"}))
            self._pass(deal, seat)
            return super()._swept(deal)
        self._clear(deal, taken=False, called={"attack-not-closed"})
        self.made["attack-not-closed"] += 1
        self.cured["stands"] += 1
        return True

    def _over(self, deal: Deal) -> None:
        """Lay a card after the end."""
        holders = [seat for seat in self.seats if deal.hands[seat]]
        if holders and not self.open and self.rng.random() < 0.5:
            seat = self.rng.choice(holders)
            self._make(Mistake({"game-over"}, "placed", {"card": deal.hands[seat][0], "by": seat}, "lift"))

    # execution of mistakes

    def lay(self, deal: Deal, seat: str, cards: tuple[str, ...], **facts: Any) -> None:
        """Lay cards; a seat that plays a trump it denied is accused, and the fault is forgiven."""
        revealing = [card for card in cards if self._gives_away({"by": seat, "card": card})]
        if not revealing:
            super().lay(deal, seat, cards, **facts)
            return
        called: set[str] = set()
        for place, card in enumerate(cards):
            called = faults_of(self.report("placed", same_time=place > 0, card=card, by=seat, **facts))
        called |= faults_of(self.referee.end_play())
        if called != {"false-lead-claim"}:
            self.differ(f"expected false-lead-claim, got {called}")
        self.report("pressed", button="forgive", card=cards[-1])
        self.made.update(called)
        self.cured["forgiven"] += 1

    def _gives_away(self, facts: dict[str, Any]) -> bool:
        """Check whether this card proves that its player denied a trump he held."""
        deal, seat, card = self.deal, facts.get("by"), facts.get("card")
        assert deal is not None
        if seat not in self.lies or card is None or card[1] != deal.trump:
            return False
        return not (card in deal.from_table[seat] or seat in deal.has_drawn or deal.trump_changed)

    def _maybe(self, offered: Callable[[], list[Mistake]]) -> None:
        if self.rng.random() > self.often:
            return
        menu = [wrong for wrong in offered() if not self._gives_away(wrong.facts)]
        if menu:
            # Each fault is as likely as any other, however many ways there are to commit it.
            faults = sorted({"/".join(sorted(mistake.faults)) for mistake in menu})
            faults = [fault for fault in faults if fault in self.seldom] or faults
            chosen = self.rng.choice(faults)
            self._make(self.rng.choice([wrong for wrong in menu if "/".join(sorted(wrong.faults)) == chosen]))

    def _make(self, mistake: Mistake) -> None:
        before = self.referee.state.as_json()
        step = self.report(mistake.event, **mistake.facts)
        called = faults_of(step)
        if (mistake.faults and not called) or not called <= mistake.faults:
            self.differ(
                f"expected one of {sorted(mistake.faults)}, got {[ruling.as_json() for ruling in step.rulings]}"
            )
        grades = {str(ruling.verdict) for ruling in step.rulings if ruling.fault is not None}
        if mistake.grades and not grades <= mistake.grades:
            self.differ(f"expected {mistake.grades}, got {grades}")
        self.made.update(called)
        cure = mistake.cure
        if cure == "lift":
            cure = self._resolve(mistake, counts="unclear" in grades)
        elif cure == "undo":
            self.report("pressed", button="undo")
        self.cured[cure] += 1
        if cure not in ("left", "forgiven", "stands"):
            after = self.referee.state.as_json()
            for key, value in before.items():
                if key != "known" and after[key] != value:
                    self.differ(f"expected {key} {value} after putting it right, got {after[key]}")

    def _resolve(self, mistake: Mistake, counts: bool) -> str:
        """Return the fate of a wrong card: lifted, left for later, forgiven, or valid since the fault is uncertain."""
        deal, card, seat = self.deal, mistake.facts["card"], mistake.facts["by"]
        assert deal is not None
        really_his = card in deal.hands[seat]
        cure = self.rng.choice(("lift", "lift", "left", "forgiven"))
        if mistake.stands is not None and counts and cure != "lift":
            mistake.stands()
            self.same_bout()
            return "stands"
        if mistake.stands is not None and cure == "forgiven" and not self.open and not counts:
            self.report("pressed", button="forgive", card=card)
            mistake.stands()
            if deal.result is not None or self.referee.state.bout is not None:
                self.same_bout()
            return "forgiven"
        if mistake.may_lie and cure == "left" and really_his and not counts:
            self.open[card] = seat
            deal.aside.add(card)
            self.same_bout()
            return "left"
        self.report("lifted", card=card, by=seat)
        if really_his:
            deal.seen[seat].add(card)
        return "lift"

    def _lift(self, deal: Deal, card: str) -> None:
        seat = self.open.pop(card)
        self.legal(self.report("lifted", card=card, by=seat), plays_cards=False)
        deal.aside.discard(card)
        deal.seen[seat].add(card)
        self.cured["lifted later"] += 1
        self.same_bout()

    def _maybe_bad_opening(self, deal: Deal) -> None:
        """Lay two cards that make no opening; take the second one back, so that the first one opens."""
        hand = deal.free(deal.attacker)
        if len(hand) < 2 or self.rng.random() > 0.1 or self.open or deal.limit == 1:
            return
        first, second = self.rng.sample(hand, 2)
        fine = self.house["opening"] == "same_rank" and first[0] == second[0]
        fine = fine or (self.house["opening"] == "pairs_plus_one" and first[0] == second[0])
        if deal.owes_lead() not in (None, first):
            return
        if fine or any(self._gives_away({"by": deal.attacker, "card": card}) for card in (first, second)):
            return
        self.legal(self.report("placed", card=first, by=deal.attacker))
        step = self.report("placed", same_time=True, card=second, by=deal.attacker)
        called = faults_of(step) | faults_of(self.referee.end_play())
        if called != {"opening-shape"}:
            self.differ(f"expected opening-shape, got {called}")
        self.made.update(called)
        self.report("lifted", card=second, by=deal.attacker)
        deal.seen[deal.attacker].add(second)
        self.report("lifted", card=first, by=deal.attacker)
        deal.seen[deal.attacker].add(first)
        self.cured["lift"] += 1
        self.same_bout()

    def _maybe_lead_taken_back(self, deal: Deal) -> None:
        """Take a lead back wholly: it has begun no bout."""
        openings = deal.openings() if self.rng.random() < 0.1 and not self.open else []
        if not openings:
            return
        cards = self.rng.choice(openings)
        if any(self._gives_away({"by": deal.attacker, "card": card}) for card in cards):
            return
        before = self.referee.state.as_json()
        super().lay(deal, deal.attacker, cards)
        for card in self.rng.sample(cards, len(cards)):
            self.report("lifted", card=card, by=deal.attacker)
            deal.seen[deal.attacker].add(card)
        for key, value in before.items():
            if key != "known" and self.referee.state.as_json()[key] != value:
                self.differ(f"expected {key} {value} after the lead was taken back")
        self.cured["lead taken back"] += 1
        self.same_bout()
        self._maybe_swap(deal)


def faults_of(step: Any) -> set[str]:
    """Return the faults of a step."""
    return {str(ruling.fault) for ruling in step.rulings if ruling.fault is not None}

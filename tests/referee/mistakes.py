"""
Mistakes made on purpose in random games: each must be called by its name, put right, and leave no trace.

A mistake is an event that the engine knows to be wrong in the position at hand. It is told to the referee, which must
name one of the faults that are true of it; then the card is lifted or the event undone, and the game goes on.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.referee.engine import Deal
from tests.referee.random_play import RandomSession

Mistake = tuple[set[str], str, dict[str, Any], str]
"""The faults that are true of it, the event, its facts, and how it is put right: "lift", "undo" or "leave"."""


class CarelessSession(RandomSession):
    """A random session whose players make mistakes now and then; ``made`` counts them by the fault called."""

    often = 0.25

    def __init__(self, preset: str, players: int, seed: int, options: dict[str, Any] | None = None) -> None:
        super().__init__(preset, players, seed, options)
        self.made: Counter[str] = Counter()

    def _bout(self, deal: Deal) -> None:
        self._maybe(self._before_opening(deal))
        super()._bout(deal)

    def _move(self, deal: Deal) -> None:
        self._maybe(self._in_bout(deal))
        super()._move(deal)

    def _draw(self, deal: Deal, seat: str, count: int) -> None:
        wrong: list[Mistake] = [
            ({"draw-too-many", "draw-empty"}, "drawn", {"by": seat, "count": count + 1}, "undo"),
        ]
        for other in self.seats:
            if other != seat:
                faults = {"draw-out-of-turn", "draw-not-due", "draw-too-many", "draw-too-few"}
                wrong.append((faults, "drawn", {"by": other, "count": 1}, "undo"))
        hand = deal.hands[deal.defender]
        if hand:
            facts = {"card": self.rng.choice(hand), "by": deal.defender}
            wrong.append(({"draw-pending", "draw-too-few"}, "placed", facts, "lift"))
        self._maybe(wrong)
        super()._draw(deal, seat, count)

    def _maybe(self, wrong: list[Mistake]) -> None:
        if wrong and self.rng.random() < self.often:
            self._make(self.rng.choice(wrong))

    def _make(self, mistake: Mistake) -> None:
        faults, event, facts, cure = mistake
        before = self.referee.state.as_json()
        step = self.tell(event, **facts)
        called = {str(ruling.fault) for ruling in step.rulings if ruling.fault is not None}
        if not called & faults:
            self.differ(f"expected one of {sorted(faults)}, got {[ruling.as_json() for ruling in step.rulings]}")
        self.made.update(called)
        if cure == "lift":
            self.tell("lifted", card=facts["card"], by=facts["by"])
        elif cure == "undo":
            self.tell("pressed", button="undo")
        after = self.referee.state.as_json()
        for key, value in before.items():
            if key != "known" and after[key] != value:
                self.differ(f"expected {key} {value} after putting it right, got {after[key]}")

    def _before_opening(self, deal: Deal) -> list[Mistake]:
        wrong: list[Mistake] = [({"pass-opening"}, "pressed", {"button": "pass", "by": deal.attacker}, "leave")]
        wrong.append(({"nothing-to-take"}, "pressed", {"button": "take", "by": deal.defender}, "leave"))
        for seat in self.seats:
            if seat != deal.attacker and deal.hands[seat]:
                facts = {"card": self.rng.choice(deal.hands[seat]), "by": seat}
                wrong.append(({"not-principal"}, "placed", facts, "lift"))
        return wrong + self._anywhere(deal, deal.attacker)

    def _anywhere(self, deal: Deal, seat: str) -> list[Mistake]:
        """Cards that can't be there, whoever lays them."""
        wrong: list[Mistake] = []
        if deal.heap:
            facts = {"card": self.rng.choice(deal.heap), "by": seat}
            wrong.append(({"dead-card", "hand-ledger", "player-out"}, "placed", facts, "lift"))
            wrong.append(({"heap-touched"}, "pressed", {"button": "touched", "what": "heap"}, "leave"))
        if deal.lies_under:
            wrong.append(({"card-in-talon"}, "placed", {"card": deal.shown, "by": seat}, "lift"))
        outside = next((rank + "s" for rank in "25" if rank + "s" not in deal.pack), None)
        if outside:
            wrong.append(({"not-in-pack"}, "placed", {"card": outside, "by": seat}, "lift"))
        for other, known in self.referee.state.ledger.known.items():
            if other != seat and known and deal.hands[seat]:
                card = str(sorted(known, key=str)[0])
                wrong.append(({"card-held-by-other"}, "placed", {"card": card, "by": seat}, "lift"))
        if not deal.talon:
            wrong.append(({"draw-empty", "draw-not-due"}, "drawn", {"by": seat, "count": 1}, "undo"))
        else:
            wrong.append(({"draw-not-due"}, "drawn", {"by": seat, "count": 1}, "undo"))
        return wrong

    def _in_bout(self, deal: Deal) -> list[Mistake]:
        defender, hand = deal.defender, deal.hands[deal.defender]
        wrong = self._anywhere(deal, self.rng.choice(deal.attackers() or [deal.attacker]))
        wrong = [each for each in wrong if deal.hands[each[2].get("by", defender)]]
        beaten = [pair for pair in deal.pairs if pair[1]]
        for card in hand if not deal.taking else []:
            for over in deal.unbeaten:
                if not deal.beats(card, over):
                    wrong.append(({"does-not-beat"}, "placed", {"card": card, "by": defender, "on": over}, "lift"))
            if beaten:
                facts = {"card": card, "by": defender, "on": str(beaten[0][0])}
                wrong.append(({"already-beaten"}, "placed", facts, "lift"))
        if hand and deal.taking:
            facts = {"card": self.rng.choice(hand), "by": defender, "on": deal.unbeaten[0]}
            wrong.append(({"take-is-final"}, "placed", facts, "lift"))
        if hand and not deal.taking and deal.unbeaten and not self.house["transfer"]:
            wrong.append(({"transfer-off"}, "placed", {"card": self.rng.choice(hand), "by": defender}, "lift"))
        if not deal.unbeaten and not deal.taking:
            wrong.append(({"nothing-to-take"}, "pressed", {"button": "take", "by": defender}, "leave"))
            wrong.append(({"nothing-to-take"}, "swept", {"to": defender}, "undo"))
        if deal.unbeaten:
            wrong.append(({"unbeaten-cards", "take-incomplete"}, "swept", {"to": "heap"}, "undo"))
            facts = {"to": defender, "left": [deal.unbeaten[0]]}
            wrong.append(({"take-incomplete"}, "swept", facts, "undo"))
        return wrong + self._wrong_attacks(deal)

    def _wrong_attacks(self, deal: Deal) -> list[Mistake]:
        wrong: list[Mistake] = []
        for seat in self.seats:
            if seat == deal.defender or not deal.hands[seat]:
                continue
            card = self.rng.choice(deal.hands[seat])
            if deal.unbeaten and not deal.taking:
                facts = {"card": card, "by": seat, "on": deal.unbeaten[0]}
                wrong.append(({"not-defender"}, "placed", facts, "lift"))
            allowed = deal.throw_ins(seat)
            if card in allowed:
                continue
            faults = {"priority", "lost-right", "give-order"}
            if seat not in deal.attackers():
                faults = {"not-entitled", "give-off"}
            elif deal.taking and self.house["give_on"] != "as_throw_in":
                faults = {"give-off", "rank-not-on-table", "not-entitled"}
            elif self.house["throw_timing"] == "after_beaten" and deal.unbeaten and not deal.taking:
                faults = {"too-early"}
            elif card[0] not in deal.ranks:
                faults = {"rank-not-on-table"}
            elif deal.room <= 0:
                faults = {"limit-exceeded"}
            wrong.append((faults, "placed", {"card": card, "by": seat}, "lift"))
        return wrong

"""
Players who break rules now and then: what a camera can see of the mistakes of ``tests/referee/wrongs.py``.

Most wrong cards are caught by others and put back; some stand, and the game goes on with them. Wrong draws, exchanges
and sweeps always stand, since a camera sees nothing of how they are put right. Mistakes of speech are left out, cards
that only a conjurer could lay, and what is a matter of manners.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

from benchmarks.simulation.play import TAKEN_BACK, QuietSession
from tests.referee import wrongs
from tests.referee.wrongs import Mistake

SPOKEN = frozenset({"priority", "lost-right", "give-order", "take-is-final", "give-off"})
"""Faults that no camera can see: order of play, and words."""

TOO_FEW = frozenset({"draw-too-few", "draw-pending", "draw-out-of-turn"})
"""Faults of the next draw or lead after somebody drew too few cards."""


class BreakingSession(QuietSession):
    """
    Plays deals in which rules are broken.

    ``rate``: share of the steps. ``mended``: share of the mistakes that the others do not let stand.
    """

    taken_back = TAKEN_BACK

    def __init__(self, preset: str, players: int, rng: random.Random, rate: float, mended: float) -> None:
        self.rate, self.mended = rate, mended
        self.too_few = False
        super().__init__(preset, players, rng)

    # where rules are broken

    def before_opening(self) -> None:
        lead_is_known = self.deal.bout > 1 or "attacker" in self.game.header.get("start", {})
        if lead_is_known and self._now():
            self._one_of([*self._made_here(wrongs.before_opening(self.deal, self.rng)), *self._bad_openings()])

    def before_move(self) -> None:
        deal = self.deal
        if deal.taking or not self._now():
            return
        mistakes = self._made_here(wrongs.in_bout(deal, self.rng))
        if deal.unbeaten and not self._is_minded():
            mistakes.append(Mistake({"unbeaten-cards"}, "swept", {"to": "heap"}, "stands", stands=self._swept_away))
        self._one_of(mistakes)

    def refill(self, due: list[tuple[str, int]]) -> None:
        left = list(due)
        while left:
            seat, count = left.pop(0)
            count = min(count, len(self.deal.talon))
            kinds = [""]
            if self._now() and count and not self._is_minded():
                kinds = ["draw-too-many"] if len(self.deal.talon) > count else kinds
                kinds += ["draw-too-few"] if count > 1 and not self.too_few else []
                kinds += ["draw-out-of-turn"] if left else []
            kind = self.rng.choice(kinds)
            if kind == "draw-out-of-turn":
                # Who would be next draws first.
                left.insert(1, (seat, count))
                seat, count = left.pop(0)
                self.draw(seat, min(count, len(self.deal.talon)), frozenset({kind, *self._short()}))
                continue
            short = self._short()
            wrong = frozenset({kind} if kind == "draw-too-many" else ()) | short
            self.too_few = kind == "draw-too-few"
            self.draw(seat, count + (kind == "draw-too-many") - self.too_few, wrong)

    def lay(self, seat: str, cards: tuple[str, ...], **facts: object) -> None:
        first = len(self.game.lines)
        super().lay(seat, cards, **facts)
        short = self._short()
        if short:
            self.game.lines[first].faults |= short
            self.game.lines[first].stands = True

    def _short(self) -> frozenset[str]:
        """Return the faults that apply because the player before drew too few."""
        short, self.too_few = TOO_FEW if self.too_few else frozenset(), False
        return short

    def _now(self) -> bool:
        return self.rng.random() < self.rate

    def _is_minded(self) -> bool:
        """Check whether the others notice the fault, so that it is corrected; other faults are then not made."""
        return self.rng.random() < self.mended

    # which are

    def _made_here(self, mistakes: list[Mistake]) -> list[Mistake]:
        """Return the mistakes that a camera can see; cards taken from the discard pile are rare."""
        rare = self.rng.random() < 0.2
        seen = [
            mistake
            for mistake in mistakes
            if self._can_be_seen(mistake) and (rare or "dead-card" not in mistake.faults)
        ]
        return [event for event in seen if event.event in ("placed", "shown") or not self._is_minded()]

    def _can_be_seen(self, mistake: Mistake) -> bool:
        deal, facts = self.deal, mistake.facts
        if mistake.faults <= SPOKEN or "player-out" in mistake.faults:
            return False
        if mistake.event == "placed":
            his = facts["card"] in deal.free(facts["by"]) or "dead-card" in mistake.faults
            return his and ("on" not in facts or facts["on"] in deal.cards)
        if mistake.event == "shown":
            return bool(self.house["transfer_show"] != "off")
        if mistake.event == "drawn":
            return bool(deal.talon)
        return mistake.event == "swapped" and deal.lies_under

    def _bad_openings(self) -> list[Mistake]:
        """Return two cards that are no legal opening."""
        deal = self.deal
        hand = deal.free(deal.attacker)
        if len(hand) < 2 or deal.limit == 1 or self.house["opening"] == "single":
            return []
        first, second = self.rng.sample(hand, 2)
        facts = {"card": first, "second": second, "by": deal.attacker}
        return [] if first[0] == second[0] else [Mistake({"opening-shape"}, "placed", facts, "lift")]

    def _one_of(self, mistakes: list[Mistake]) -> None:
        """Choose a fault, then a way to commit it, both uniformly."""
        kinds = sorted({"/".join(sorted(mistake.faults)) for mistake in mistakes})
        if kinds:
            kind = self.rng.choice(kinds)
            self._make(self.rng.choice([mistake for mistake in mistakes if "/".join(sorted(mistake.faults)) == kind]))

    # making them

    def _make(self, mistake: Mistake) -> None:
        facts = dict(mistake.facts)
        faults, second = frozenset(mistake.faults), facts.pop("second", None)
        line = self.record(mistake.event, faults=faults | self._short(), **facts)
        stands = mistake.stands or self._what_stands(mistake)
        if second is not None:
            self.record("placed", same_play=True, faults=faults, card=second, by=facts["by"])
            stands = partial(self.deal.attack, facts["by"], (facts["card"], second))
        may_be_mended = mistake.event == "placed"
        if stands is not None and not (may_be_mended and self._is_minded()):
            line.stands = self.game.lines[-1].stands = True
            stands()
        elif may_be_mended:
            for card in (second, facts["card"]):
                if card is not None:
                    self.end_play()
                    self.record("lifted", card=card, by=facts["by"])
        self.end_play()

    def _what_stands(self, mistake: Mistake) -> Callable[[], None] | None:
        deal, facts = self.deal, mistake.facts
        if mistake.event == "drawn":
            return partial(deal.draw, facts["by"], facts["count"])
        if mistake.event == "swapped":
            return partial(deal.swap, facts["by"], facts["card"])
        return None

    def _swept_away(self) -> None:
        """Sweep a bout with unbeaten cards to the discard pile."""
        for pair in self.deal.pairs:
            pair[1] = pair[1] or ""
        self.refill(self.deal.sweep())
        self.deal.go_on()

"""
Evidence of draws: each hand that was at the talon and came away has drawn a card, unless it did something else.

A hand that only swept past, put a card back, took the turn-up or dealt has drawn nothing. This may show only later,
so a reach for the talon waits: longer while some change is not understood, or while an inference will show whether
the turn-up lies bare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.events import Drawn
from vision.events.evidence import Doubt, Evidence, Keys
from vision.observation import HandVisit, Observation, TalonCall

# How long a reach for the talon waits. Times in seconds. Chosen by hand, 2026-11, where no other source is given.
WAIT_S = 0.12
"""With nothing in the bout to sweep, how long the hand may take to come back."""
SWEEP_WAIT_S = 0.7
"""With cards in the bout, how long after the hand has left a sweep by it may show."""
DOUBT_WAIT_S = 0.35
"""With nothing in the bout and the talon in view, how long a draw waits while some change is not understood."""
LAST_WAIT_S = 1.6
"""How long the turn-up, if only that is left, may take to be found gone."""
SWEPT_PAST_S = 1.0
"""A hand at the talon at most so long after it took its last card of a bout was sweeping past it."""
ON_TALON_MM = 40.0
"""A hand that laid a face within this of the talon's middle turned it up there and drew nothing."""


PUT_BACK = -0.25
"""A hand that came away with so much less of a card's back than before (in cards) put a card there. A card put back
was -0.67, draws 0.34 to 0.94 (twelve draws on five development clips)."""
CARRIED_BOUNDS = (0.1, 0.2, 0.5)
"""Bounds, in cards, between hands that carry away nothing, little, a part of a card, and a card: situations whose
likelihoods are counted apart. Chosen by hand, 2026-11."""


@dataclass(frozen=True, slots=True)
class DrawContext:
    """
    What else is known when draws are decided.

    ``is_dealt``: the deal is over. ``is_leaving``: cards have gone, and it is not known yet where. ``is_doubtful``:
    more has changed than is understood. ``swept_at``: hand track -> when it took its last card of a bout (seconds).
    """

    is_dealt: bool
    is_leaving: bool
    is_doubtful: bool
    swept_at: Mapping[int, float]


class Draws:
    """Returns evidence of draws. ``talon``: how many cards lie there with the turn-up, None if not known."""

    def __init__(self, talon: int | None) -> None:
        self.talon = talon
        """Cards that lie there by the events so far, the turn-up with them; None if not known."""
        self.asks_at: float | None = None
        """An inference after this time (seconds) would decide a reach; None: none would."""
        self.is_waiting = False
        """Was a hand at the talon, and is it not known yet whether it drew?"""
        self._spent: set[tuple[int, int]] = set()
        self._bare_since: float | None = None

    def record(self, before: Observation, seen: Observation, at: float) -> None:
        """Note whether the talon has gone between two observations, the second at the time ``at`` (seconds)."""
        if before.talon is not None and seen.talon is None:
            self._bare_since = at

    def spend(self, visit: HandVisit | None) -> None:
        """Mark the reaches of a hand as explained by another event: they are no draws."""
        if visit is not None:
            self._spent.update((visit.number, k) for k in range(len(visit.talon_calls)))

    def put_back(self, count: int) -> None:
        """Take back draws: so many cards were not drawn."""
        if self.talon is not None:
            self.talon += count

    def update(self, seen: Observation, hands: Sequence[HandVisit], at: float, context: DrawContext) -> list[Evidence]:
        """Return evidence of the hands that came away from the talon by ``at`` (seconds)."""
        self.asks_at, self.is_waiting = None, False
        found: list[Evidence] = []
        for visit in hands:
            for k, call in enumerate(visit.talon_calls):
                if (visit.number, k) in self._spent:
                    continue
                is_bare = seen.talon is None and self._is_known_bare(call.at)
                if context.is_leaving or self._must_wait(visit, call, seen, is_bare, at, context.is_doubtful):
                    self.is_waiting = True
                    continue
                self._spent.add((visit.number, k))
                if is_bare:
                    continue  # the turn-up still lies there: nothing was drawn; or it was reported with the turn-up
                if not self._is_draw(visit, call, seen, context):
                    continue
                if self.talon is not None:
                    self.talon -= 1
                found.append(Evidence(Drawn(at=call.at, by=visit.seat or visit.likely), self._doubts(visit, call)))
        return sorted(found, key=lambda each: each.event.at)

    def _doubts(self, visit: HandVisit, call: TalonCall) -> tuple[Doubt, ...]:
        """Return the doubts: nothing was drawn, or several at once; it was another's hand."""
        instead: Mapping[str, Keys] = {"nothing": None, "two": {"count": 2}, "three": {"count": 3}}
        drawn = Doubt(f"drawn: {_carried(call.carried, CARRIED_BOUNDS)}", instead)
        if visit.seat is not None:
            return (drawn, Doubt("drawn: one seat fits", {"another seat": {"by": None}}))
        return (drawn, Doubt("drawn: the hand came in between two seats", {"another seat": {"by": None}}))

    def _is_draw(self, visit: HandVisit, call: TalonCall, seen: Observation, context: DrawContext) -> bool:
        """Check whether the hand was at the talon for a card."""
        if call.carried is not None and call.carried <= PUT_BACK:
            return False
        if visit.seat is None and visit.likely is None:
            return False  # a region that never met the picture's edge is no arm
        if seen.talon is not None and any(
            card.pose.distance_mm(seen.talon.pose) < ON_TALON_MM
            and any(touch.visit == visit.number for touch in card.touched)
            for card in seen.bout
        ):
            return False
        swept_at = context.swept_at.get(visit.number)
        is_sweeping = swept_at is not None and call.at < swept_at + SWEPT_PAST_S
        # The cards were dealt, the turn-up taken, or a bout swept past the talon.
        return context.is_dealt and not seen.turnup_pulled and not is_sweeping

    def _is_known_bare(self, at: float) -> bool:
        """Check whether at most the turn-up lies at the talon's place. A pile that is not found may lie there."""
        if self._bare_since is not None:
            return at > self._bare_since
        return self.talon is None or self.talon <= 1

    def _must_wait(
        self, visit: HandVisit, call: TalonCall, seen: Observation, is_bare: bool, at: float, is_doubtful: bool
    ) -> bool:
        """Check whether it is not known yet if the hand at the talon drew a card."""
        age = at - call.at
        if is_bare and seen.turnup is not None:
            self.asks_at = call.at
            return (is_doubtful or seen.at <= call.at) and age < LAST_WAIT_S
        if is_doubtful and age < (DOUBT_WAIT_S if not seen.bout and seen.talon is not None else LAST_WAIT_S):
            return True
        if not seen.bout:
            return age < WAIT_S
        # It may be sweeping: that shows once it has left.
        if visit.left_at is None:
            return age < LAST_WAIT_S
        self.asks_at = visit.left_at
        return seen.at <= visit.left_at and at - visit.left_at < SWEEP_WAIT_S


def _carried(carried: float | None, bounds: Sequence[float]) -> str:
    """Return how much of a card a hand carried away, in words."""
    if carried is None:
        return "not known what was carried"
    words = ("nothing was carried", "little was carried", "a part of a card was carried", "a card was carried")
    return words[sum(carried >= bound for bound in bounds)]

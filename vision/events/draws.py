"""
Hands at the talon: each that was there and came away has drawn a card, unless it was doing something else.

A hand that was only there to sweep past it, to put a card back, to take the turn-up, or to deal has drawn nothing.
Which it was may show only later, so that a visit to the talon (a *call*) waits: longer while something is not
understood, or while it rests on what a look will show of the bare turn-up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.events import Drawn
from vision.events.evidence import Doubt, Evidence, Keys
from vision.observation import HandVisit, Observation, TalonCall


@dataclass(frozen=True, slots=True)
class DrawSettings:
    """How long a call at the talon waits. Times in seconds. Set by hand, 2026-11, where no other source is named."""

    put_back: float = -0.25
    """A hand that came away from the talon with so much less of a card's back than before (in cards) put one there.
    Nearer 0: draws of cards held edgewise are dropped; farther: a card put back is a draw. A card put back was -0.67,
    draws 0.34 to 0.94 (twelve draws on five development clips)."""
    wait_s: float = 0.12
    """After a hand was at the talon with nothing in the bout to sweep, so long it is given to come back. Longer: draws
    are told later; shorter: a hand that trembles at the rim draws twice."""
    sweep_wait_s: float = 0.7
    """With cards in the bout, so long a sweep by that hand is given to show after it has left. Longer: draws are told
    later; shorter: a sweep past the talon is a draw."""
    doubt_wait_s: float = 0.35
    """With nothing in the bout and the talon in view, so long a draw waits for what is not understood yet. Longer:
    later; shorter: an exchange is a draw."""
    last_wait_s: float = 1.6
    """While only the turn-up is left, or something is not understood yet, so long it is given to be seen gone. Longer:
    later; shorter: the last draw is lost or told twice."""
    carried: tuple[float, ...] = (0.1, 0.2, 0.5)
    """Bounds, in cards, between hands that carry nothing away from the talon, little, a part of a card, and a card: the
    situations whose likelihoods are counted apart. More of them: each has been met less often; fewer: a hand that
    took nothing is as likely to have drawn as one that took a corner."""
    swept_past_s: float = 1.0
    """A hand at the talon no later than this after it took its last card of a bout was sweeping past it. Longer: the
    sweeper's own draw is lost; shorter: his way past the talon is a draw."""
    on_talon_mm: float = 40.0
    """A face that a hand laid no farther than this from the talon's middle was laid on it or turned up there: that hand
    drew nothing. Farther: a draw beside a card laid close by is lost; nearer: a card turned up is a draw as well."""


@dataclass(frozen=True, slots=True)
class DrawContext:
    """
    What else is known when draws are named: ``is_dealt``: the deal is over. ``is_leaving``: cards have gone, and it
    is not known yet where. ``is_doubtful``: more has changed than is understood. ``swept_at``: visit of a hand -> when
    it took its last card of a bout (seconds), for all sweeps that have been named.
    """

    is_dealt: bool
    is_leaving: bool
    is_doubtful: bool
    swept_at: Mapping[int, float]


class Draws:
    """Names the draws. ``talon``: how many cards lie there with the turn-up, None if nobody said."""

    def __init__(self, talon: int | None, settings: DrawSettings) -> None:
        self.settings = settings
        self.talon = talon
        """Cards that lie there by what was told, the turn-up with them; None if not known."""
        self.asks_at: float | None = None
        """A look younger than this moment would settle a call; None: nothing that a look could settle."""
        self.is_waiting = False
        """Was a hand at the talon of which it is not known yet whether it drew?"""
        self._spent: set[tuple[int, int]] = set()
        self._bare_since: float | None = None

    def note(self, before: Observation, seen: Observation, at: float) -> None:
        """Two observations in a row, the second seen at ``at``: has the talon gone?"""
        if before.talon is not None and seen.talon is None:
            self._bare_since = at

    def spend(self, visit: HandVisit | None) -> None:
        """What a hand did at the talon is told; its being there is no draw beside that."""
        if visit is not None:
            self._spent.update((visit.number, k) for k in range(len(visit.talon_calls)))

    def put_back(self, count: int) -> None:
        """So many cards that were told to be drawn were not."""
        if self.talon is not None:
            self.talon += count

    def feed(self, seen: Observation, hands: Sequence[HandVisit], at: float, context: DrawContext) -> list[Evidence]:
        """Hands that were at the talon and came away, by ``at``: each has a card."""
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
                    continue  # the turn-up still lies there: nothing was drawn; or it was told with the turn-up
                if not self._is_draw(visit, call, seen, context):
                    continue
                if self.talon is not None:
                    self.talon -= 1
                found.append(Evidence(Drawn(at=call.at, by=visit.seat or visit.likely), self._doubts(visit, call)))
        return sorted(found, key=lambda each: each.event.at)

    def _doubts(self, visit: HandVisit, call: TalonCall) -> tuple[Doubt, ...]:
        """That nothing was drawn, or two at once; that it was another's hand."""
        instead: Mapping[str, Keys] = {"nothing": None, "two": {"count": 2}, "three": {"count": 3}}
        drawn = Doubt(f"drawn: {_carried(call.carried, self.settings.carried)}", instead)
        if visit.seat is not None:
            return (drawn, Doubt("drawn: one seat fits", {"another seat": {"by": None}}))
        return (drawn, Doubt("drawn: the hand came in between two seats", {"another seat": {"by": None}}))

    def _is_draw(self, visit: HandVisit, call: TalonCall, seen: Observation, context: DrawContext) -> bool:
        """Was the hand at the talon for a card?"""
        if call.carried is not None and call.carried <= self.settings.put_back:
            return False
        if visit.seat is None and visit.likely is None:
            return False  # what never met the picture's edge is no arm
        if seen.talon is not None and any(
            card.pose.distance_mm(seen.talon.pose) < self.settings.on_talon_mm
            and any(touch.visit == visit.number for touch in card.touched)
            for card in seen.bout
        ):
            return False
        swept_at = context.swept_at.get(visit.number)
        is_sweeping = swept_at is not None and call.at < swept_at + self.settings.swept_past_s
        # The cards were dealt, the turn-up taken, or a bout swept past the talon.
        return context.is_dealt and not seen.turnup_pulled and not is_sweeping

    def _is_known_bare(self, at: float) -> bool:
        """Does nothing but (perhaps) the turn-up lie at the talon's place? A pile not made out may lie there."""
        if self._bare_since is not None:
            return at > self._bare_since
        return self.talon is None or self.talon <= 1

    def _must_wait(
        self, visit: HandVisit, call: TalonCall, seen: Observation, is_bare: bool, at: float, is_doubtful: bool
    ) -> bool:
        """Can it not be told yet whether the hand that was at the talon drew a card?"""
        s = self.settings
        age = at - call.at
        if is_bare and seen.turnup is not None:
            self.asks_at = call.at
            return (is_doubtful or seen.at <= call.at) and age < s.last_wait_s
        if is_doubtful and age < (s.doubt_wait_s if not seen.bout and seen.talon is not None else s.last_wait_s):
            return True
        if not seen.bout:
            return age < s.wait_s
        # It may be sweeping: that shows once it has left.
        if visit.left_at is None:
            return age < s.last_wait_s
        self.asks_at = visit.left_at
        return seen.at <= visit.left_at and at - visit.left_at < s.sweep_wait_s


def _carried(carried: float | None, bounds: Sequence[float]) -> str:
    """How much of a card a hand carried away, in words."""
    if carried is None:
        return "not known what was carried"
    words = ("nothing was carried", "little was carried", "a part of a card was carried", "a card was carried")
    return words[sum(carried >= bound for bound in bounds)]

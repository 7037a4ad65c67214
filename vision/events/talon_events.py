"""
Evidence at the talon: the turn-up is dealt, exchanged and drawn as the last card; hands draw cards.

    phase            what the observation shows                    next phase   event
    UNDEALT          a turn-up                                     LYING        dealt
    UNSEEN           a turn-up                                     LYING        nothing: it lay there before
    LYING            another one, read surely enough               LYING        swapped
    LYING            gone, and not played beside a talon           UNSEEN       drawn, with its name
    LYING            gone, but it lies in the bout by the talon    LYING        nothing: an exchange is under way

A turn-up that was seen in a hand since it was last found (*pulled*) is being exchanged: the next one may be read less
surely.

Each hand that was at the talon and came away has drawn a card, unless it only swept past, put a card back, took the
turn-up or dealt. This may show only later, so a reach for the talon waits: longer while some change is not understood,
or while an inference will show whether the turn-up lies bare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from referee.cards import Card
from referee.events import Dealt, Drawn, Swapped
from vision.events.evidence import Doubt, Evidence, Keys, attributed, fitting_touches, visit_that_took
from vision.events.reported_bout import OTHER_NAME_SURE
from vision.observation import HandVisit, LyingCard, Observation, TalonCall

LAST_TWO = 2
"""Cards of a talon that can go in one grip: its last card and the turn-up."""


class TurnupPhase(Enum):
    """Whether the turn-up lies there."""

    UNDEALT = "nothing has been dealt yet"
    UNSEEN = "the deal is over, and no turn-up is found, or it was drawn"
    LYING = "it lies there"


# When another card is the turn-up. Shares are probabilities, 0 to 1. Chosen by hand, 2026-11.
EXCHANGED = 0.6
"""Probability of the new name if the old card was seen in a hand."""
DEAL_S = 5.0
"""Seconds for which a card laid before the deal may wait for a talon on it; then it is an attack."""
EXCHANGE_MM = 195.0
"""Most distance from the turn-up, in mm, of a card put down to be exchanged for it: 1.8 card diagonals, as for faces
that are no sign of a missed event."""
EXCHANGE_S = 4.0
"""Seconds for which a card that may be exchanged for the turn-up waits for its hand to leave."""


@dataclass(frozen=True, slots=True)
class TurnupChange:
    """An event of the turn-up, and the hand track that did it, None if not known."""

    event: Dealt | Swapped | Drawn
    visit: HandVisit | None = None
    doubts: tuple[Doubt, ...] = ()

    @property
    def evidence(self) -> Evidence:
        """Return the event with its doubts."""
        return Evidence(self.event, self.doubts)


class Turnup:
    """Returns evidence of the turn-up. ``is_dealt``: the deal is over; if not, a turn-up that comes to lie ends it."""

    def __init__(self, is_dealt: bool) -> None:
        self.phase = TurnupPhase.UNSEEN if is_dealt else TurnupPhase.UNDEALT
        self._lying: LyingCard | None = None
        self._exchanged: Card | None = None
        self._was_pulled = False

    @property
    def is_dealt(self) -> bool:
        """Check whether the deal is over."""
        return self.phase is not TurnupPhase.UNDEALT

    @property
    def card(self) -> Card | None:
        """Return the card that lies there, None if none is found."""
        return None if self._lying is None else self._lying.card

    def begin(self, seen: Observation) -> TurnupChange | None:
        """Take in the first observation: the turn-up is known, but that the deal is over may not be."""
        return None if seen.turnup is None else self._comes(seen.turnup, seen.at)

    def update(
        self, before: Observation, seen: Observation, hands: Sequence[HandVisit], talon: int | None
    ) -> TurnupChange | None:
        """Return what has become of it between two observations. ``talon``: cards in it with the turn-up, if known."""
        self._was_pulled |= seen.turnup_pulled
        if seen.turnup is None:
            return self._gone(before, seen, hands, talon)
        if self._lying is None:
            return self._comes(seen.turnup, seen.at)
        return self._exchange(self._lying, seen.turnup, seen.turnup_pulled, hands)

    def may_be_exchanging(self, card: LyingCard, hands: Sequence[HandVisit], at: float) -> bool:
        """
        Check whether a card that may be exchanged for the turn-up was put down for a moment by a hand that is still at
        it.
        """
        if not self._is_below(card) and card.card != self._exchanged:
            return False
        there = {visit.number for visit in hands if visit.left_at is None}
        is_held = any(touch.visit in there for touch in fitting_touches(card.touched))
        return is_held and at - card.clear_at < EXCHANGE_S

    def may_be_exchanged(self, card: LyingCard) -> bool:
        """Check whether a card may lie there only to be exchanged for the turn-up: near it, and across no other."""
        known = self._lying
        is_near = known is not None and card.pose.distance_mm(known.pose) <= EXCHANGE_MM
        return is_near and card.on is None and self._is_below(card)

    def _is_below(self, card: LyingCard) -> bool:
        """Check whether it is the turn-up by its name, or a trump below it, as the one that is exchanged."""
        known = self._lying
        return known is not None and card.card.suit == known.card.suit and card.card.height <= known.card.height

    def may_become_it(self, card: LyingCard, seen: Observation) -> bool:
        """Check whether the card may become the turn-up: the deal is not over and the talon may still be put on it."""
        return not self.is_dealt and seen.at - card.clear_at < DEAL_S

    def _comes(self, new: LyingCard, at: float) -> TurnupChange | None:
        was_dealt, self.phase, self._lying = self.is_dealt, TurnupPhase.LYING, new
        return None if was_dealt else TurnupChange(Dealt(at=at, turnup=new.card))

    def _exchange(
        self, known: LyingCard, new: LyingCard, is_pulled: bool, hands: Sequence[HandVisit]
    ) -> TurnupChange | None:
        if new.key != known.key and new.confidence < (EXCHANGED if self._was_pulled else OTHER_NAME_SURE):
            return None
        self._lying, self._was_pulled = new, is_pulled
        if new.key == known.key or new.card == known.card:
            return None  # the same card, though it may be read better now
        self._exchanged = known.card
        visit = visit_that_took(new.touched, hands)
        # A turn-up that was read badly may have been this card all along.
        sure = min(known.confidence, new.confidence)
        cue = "swapped: both read well" if sure >= OTHER_NAME_SURE else "swapped: one read badly"
        who = attributed(visit, fitting_touches(new.touched), hands)
        swapped = Swapped(at=new.clear_at, card=new.card, by=who.seat)
        return TurnupChange(swapped, visit, (*who.doubts, Doubt(cue, {"nothing": None})))

    def _gone(
        self, before: Observation, seen: Observation, hands: Sequence[HandVisit], talon: int | None
    ) -> TurnupChange | None:
        old = before.turnup
        gone = None if old is None else next((g for g in seen.gone if g.key == old.key), None)
        if old is None or gone is None:
            return None  # exchanged, it may be, for one that has no name yet
        if seen.talon is not None and any(card.card == old.card for card in seen.bout):
            return (
                None  # it lies beside the talon: an exchange is under way; with the talon gone it was drawn and played
            )
        visit = visit_that_took(gone.touched, hands)
        # The last two went together. More at once is likelier to mean that draws were missed: not guessed at.
        count = LAST_TWO if before.talon is not None and talon == LAST_TWO else 1
        self.phase, self._lying = TurnupPhase.UNSEEN, None
        cue = "drawn: the turn-up with the last card" if count == LAST_TWO else "drawn: the turn-up alone"
        instead: Mapping[str, Keys] = {"one": {"count": 1}} if count == LAST_TWO else {"two": {"count": LAST_TWO}}
        who = attributed(visit, fitting_touches(gone.touched), hands)
        event = Drawn(at=gone.at, by=who.seat, count=count, card=old.card)
        return TurnupChange(event, visit, (*who.doubts, Doubt(cue, instead)))


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

"""
Evidence of the turn-up: it is dealt, exchanged, and drawn as the last card.

    phase            what the observation shows                    next phase   event
    UNDEALT          a turn-up                                     LYING        dealt
    UNSEEN           a turn-up                                     LYING        nothing: it lay there before
    LYING            another one, read surely enough               LYING        swapped
    LYING            gone, and not played beside a talon           UNSEEN       drawn, with its name
    LYING            gone, but it lies in the bout by the talon    LYING        nothing: an exchange is under way

A turn-up that was seen in a hand since it was last found (*pulled*) is being exchanged: the next one may be read less
surely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from referee.cards import Card
from referee.events import Dealt, Drawn, Swapped
from vision.events.attribution import attributed, fitting_touches, visit_that_took
from vision.events.evidence import Doubt, Evidence, Keys
from vision.events.reported_bout import OTHER_NAME_SURE
from vision.observation import HandVisit, LyingCard, Observation

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
        if not self.is_below(card) and card.card != self._exchanged:
            return False
        there = {visit.number for visit in hands if visit.left_at is None}
        is_held = any(touch.visit in there for touch in fitting_touches(card.touched))
        return is_held and at - card.clear_at < EXCHANGE_S

    def is_below(self, card: LyingCard) -> bool:
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

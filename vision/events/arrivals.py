"""
Evidence of cards that have come to lie in the bout, and of who laid them.

A card is reported at once if its name is certain enough, and as *unread* if it has no name by the time that something
else happens. A card that turns out to be another is *reread*. A card was laid by the hand that was there, and by nobody
known where two hands fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from referee.events import Placed, Reread, Unread
from vision.events.evidence import Attribution, Doubt, Evidence, attributed, fitting_touches, visit_that_laid
from vision.events.reported_bout import OTHER_NAME_SURE, ReportedBout, ReportedCard
from vision.observation import HandVisit, LyingCard, Observation

# When a name is certain, and when cards belong together. Shares are probabilities, 0 to 1. Chosen by hand, 2026-11.
ARRIVAL_PLAIN = 0.97
"""A card read with this is reported at once and without alternatives."""
ARRIVAL_REREAD = OTHER_NAME_SURE
"""A reported card is reread once another name has this probability."""
ARRIVAL_GUESS = 0.7
"""A card reported as unread, or brought by no hand, is named with this probability."""
HARDLY_ACROSS = 0.25
"""A card that shares less of its area with the one it lies across may have been meant to lie beside it."""
ARRIVAL_STABLE_S = 0.5
"""Seconds after it came to rest for which a card whose place is uncertain waits for a further inference."""
NAME_S = 0.85
"""The same if its name is uncertain, or it is blurred: a webcam that hunts for its focus takes so long."""
ONE_PLAY_S = 1.0
"""Two cards that one hand lays beside each other within so many seconds, without leaving, are one play."""


ACROSS = "place: across"
"""The cue of a card that lies well across another."""


class Arrivals:
    """
    Returns evidence of cards that have come.

    ``bout``: the cards reported by now; new ones are added. ``may_be_exchanged``: may a card be the one that is
    exchanged for the turn-up, rather than laid?
    """

    def __init__(
        self,
        bout: ReportedBout,
        may_be_exchanged: Callable[[LyingCard], bool],
    ) -> None:
        self._bout = bout
        self._may_be_exchanged = may_be_exchanged
        self._unread: dict[int, LyingCard] = {}
        self._unread_reported: set[int] = set()

    def new(self, seen: Observation) -> list[LyingCard]:
        """Return the cards of the bout that are certain enough and have not been reported."""
        return [card for card in seen.bout if card.key not in self._bout and self._is_worth_reporting(card)]

    def placed(self, arrived: Sequence[LyingCard], hands: Sequence[HandVisit]) -> list[Evidence]:
        """Return evidence of new cards, lower before upper; they count as reported now."""
        found: list[Evidence] = []
        laid_by = {card.key: self._who_laid(card, arrived, hands) for card in arrived}
        for card in arrived:
            who = laid_by[card.key]
            at = self._laid_at(card, arrived, {key: each.visit for key, each in laid_by.items()})
            visit = None if who.visit is None else who.visit.number
            is_doubtful = card.confidence < ARRIVAL_PLAIN
            reported = ReportedCard(card.card, who.seat, at, on=card.on, visit=visit, is_doubtful=is_doubtful)
            self._bout.report(card.key, reported)
            found.append(self._evidence(card, at, who))
        return sorted(found, key=lambda each: each.event.at)

    def seen_now(self, evidence: Evidence, seen: Observation) -> Evidence:
        """Return evidence of a placed card as it is read and lies now; it keeps that name."""
        card = None if evidence.key is None else seen.lying(evidence.key)
        if card is None or not isinstance(evidence.event, Placed):
            return evidence
        reported = self._bout.get(card.key)
        if reported is not None:
            is_doubtful = card.confidence < ARRIVAL_PLAIN
            self._bout.report(card.key, replace(reported, card=card.card, is_doubtful=is_doubtful))
        now = self._evidence(card, evidence.event.at, Attribution(seat=evidence.event.by))
        seats = tuple(doubt for doubt in evidence.doubts if doubt.cue.startswith("seat"))
        until = (now.stable_at, evidence.stable_at)
        stable_at = None if until[0] is None or until[1] is None else max(until[0], until[1])
        return replace(now, doubts=(*seats, *now.doubts), stable_at=stable_at)

    def _who_laid(self, card: LyingCard, arrived: Sequence[LyingCard], hands: Sequence[HandVisit]) -> Attribution:
        visit = visit_that_laid(card, arrived, hands)
        return attributed(visit, fitting_touches(card.touched), hands)

    def _laid_at(self, card: LyingCard, arrived: Sequence[LyingCard], laid_by: Mapping[int, HandVisit | None]) -> float:
        """
        Return the time of a play, in seconds.

        Cards that one hand track laid beside each other are one play, at the time of its last card, or, if the others
        were reported already, at theirs.
        """
        visit = laid_by[card.key]
        if visit is None:
            return card.clear_at
        before = self._bout.newest()
        if (
            before is not None
            and (before.visit, before.on, card.on) == (visit.number, None, None)
            and card.clear_at - before.at <= ONE_PLAY_S
        ):
            return before.at
        return max(other.clear_at for other in arrived if laid_by[other.key] is visit)

    def _evidence(self, card: LyingCard, at: float, who: Attribution) -> Evidence:
        """Return evidence of a card laid by ``who``, as it is read and lies now."""
        below = self._bout.get(card.on)
        is_read, place = card.confidence >= ARRIVAL_PLAIN and not card.is_blurred, self._place_doubts(card)
        own = self._bout.get(card.key)
        # Two cards of one grip may be laid on each other first, and then spread.
        is_one_grip = below is not None and own is not None and own.visit is not None and own.visit == below.visit
        is_placed = (not place or place[0].cue == ACROSS) and not is_one_grip
        stable_at = card.clear_at + (ARRIVAL_STABLE_S if is_read and not is_one_grip else NAME_S)
        if not fitting_touches(card.touched):
            laid = "laid: by no hand"
        else:
            laid = "laid: what may be exchanged" if self._may_be_exchanged(card) else "laid: a hand was there"
        return Evidence(
            Placed(
                at=at,
                card=card.card,
                by=who.seat,
                on=None if below is None else below.card,
                confidence=round(card.confidence, 3),
                alternatives=() if card.confidence >= ARRIVAL_PLAIN else card.alternatives,
            ),
            (*who.doubts, *place, Doubt(laid, {"nothing": None})),
            None if is_read and is_placed else stable_at,
            card.key,
        )

    def _place_doubts(self, card: LyingCard) -> tuple[Doubt, ...]:
        """Return the doubts that it lies beside the card that it seems to lie across, or on the one it grazes."""
        if self._bout.get(card.on) is not None:
            is_hardly = card.overlap < HARDLY_ACROSS
            return (Doubt("place: hardly across" if is_hardly else ACROSS, {"beside": {"on": None}}),)
        grazed = self._bout.get(card.grazes)
        return () if grazed is None else (Doubt("place: beside, but grazing", {"across": {"on": str(grazed.card)}}),)

    def reread(self, seen: Observation) -> list[Evidence]:
        """Return evidence of reported cards with another name, and once of uncertain ones that have become certain."""
        found: list[Evidence] = []
        for card in seen.bout:
            reported = self._bout.get(card.key)
            if reported is None:
                continue
            is_other = reported.card != card.card and card.confidence >= ARRIVAL_REREAD
            is_firm = reported.card == card.card and reported.is_doubtful and card.confidence >= ARRIVAL_PLAIN
            if is_other or is_firm:
                event = Reread(at=seen.at, was=reported.card, card=card.card, confidence=round(card.confidence, 3))
                found.append(Evidence(event, key=card.key))
                self._bout.report(card.key, replace(reported, card=card.card, is_doubtful=False))
        return found

    def record_unread(self, seen: Observation, nothing_open: bool) -> None:
        """
        Remember the cards that lie there without a name.

        They are reported once something else happens, if they have no name by then. ``nothing_open``: no card has gone
        without being reported; until then an unread card may be one that was knocked.
        """
        if nothing_open:
            self._unread = {card.key: card for card in seen.unread if card.key not in self._unread_reported}
        for key in [key for key in self._unread if key in self._bout]:
            del self._unread[key]

    def unread(self, hands: Sequence[HandVisit]) -> list[Evidence]:
        """Return evidence of the cards that have no name by now, because something else has happened."""
        found: list[Evidence] = []
        noted, self._unread = self._unread, {}
        for key, card in noted.items():
            if key in self._bout or not fitting_touches(card.touched):
                continue  # no hand was there: nothing was laid
            self._unread_reported.add(key)
            on, who = self._bout.get(card.on), self._who_laid(card, [card], hands)
            event = Unread(at=card.clear_at, by=who.seat, on=None if on is None else on.card)
            found.append(Evidence(event, (*who.doubts, Doubt("laid: a card that can't be read", {"nothing": None}))))
        return found

    def _is_worth_reporting(self, card: LyingCard) -> bool:
        """
        Check whether the name is certain enough. A card reported as unread, or brought by no hand, needs a better
        reading.
        """
        is_guess = card.key in self._unread_reported or not fitting_touches(card.touched)
        return not is_guess or card.confidence >= ARRIVAL_GUESS

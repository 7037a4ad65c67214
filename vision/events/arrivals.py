"""
Cards that have come to lie in the bout, and who laid them.

A card that has come is told at once if its name is worth telling, and as *unread* if it has none by the time that
something else happens. A card that turns out to be another is *reread*. Nothing here invents: who laid a card is the
hand that was there, and nobody where two fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from referee.cards import Card
from referee.events import Placed, Reread, TableEvent, Unread
from vision.events.attribution import AttributionSettings, fitting_touches, visit_that_laid
from vision.events.told_bout import OTHER_NAME_SURE, ToldBout, ToldCard
from vision.observation import HandVisit, LyingCard, Observation


@dataclass(frozen=True, slots=True)
class ArrivalSettings:
    """How sure a name must be to be told. Shares are probabilities, 0 to 1. Set by hand, 2026-11."""

    plain: float = 0.97
    """A surer reading is told without alternatives. Higher: more questions; lower: a misreading that could have been
    put right is taken for certain."""
    reread: float = OTHER_NAME_SURE
    """A card told by one name is reread once another is as sure as this. Higher: wrong names stay told for longer;
    lower: names flip to and fro."""
    guess: float = 0.7
    """A card told as unread, or brought by no hand, is named when it is as sure as this. Higher: such cards stay
    unread; lower: a cup is told as a queen."""
    hardly_across: float = 0.25
    """A card that shares less than this of its area with the one it lies across may have been meant to lie beside it.
    Higher: more beats may pass for throw-ins; lower: a clumsy throw-in accuses."""


class Arrivals:
    """Names what has come. ``bout``: what was told already; cards that are named are told there."""

    def __init__(self, bout: ToldBout, settings: ArrivalSettings, attribution: AttributionSettings) -> None:
        self.settings, self._attribution, self._bout = settings, attribution, bout
        self._unread: dict[int, LyingCard] = {}
        self._unread_told: set[int] = set()

    def new(self, seen: Observation) -> list[LyingCard]:
        """The cards of the bout that are worth telling and have not been told."""
        return [card for card in seen.bout if card.key not in self._bout and self._is_worth_telling(card)]

    def placed(self, arrived: Sequence[LyingCard], hands: Sequence[HandVisit]) -> list[Placed]:
        """These cards have come, the lower before the upper; they count as told now."""
        events: list[Placed] = []
        plays: dict[int, float] = {}
        laid_by = {card.key: visit_that_laid(card, arrived, hands, self._attribution) for card in arrived}
        for card in arrived:
            visit, at = laid_by[card.key], card.clear_at
            if visit is not None:
                # What one visit of a hand laid down is one play: one time, that of its last card.
                at = plays.setdefault(visit.number, max(c.clear_at for c in arrived if laid_by[c.key] == visit))
            by, on = None if visit is None else visit.seat, self._bout.get(card.on)
            self._bout.tell(card.key, ToldCard(card.card, by, at))
            events.append(
                Placed(
                    at=at,
                    card=card.card,
                    by=by,
                    on=None if on is None else on.card,
                    confidence=round(card.confidence, 3),
                    alternatives=self._alternatives(card),
                )
            )
        return sorted(events, key=lambda event: event.at)

    def reread(self, seen: Observation) -> list[Reread]:
        """Cards told by one name that surely have another."""
        events: list[Reread] = []
        for card in seen.bout:
            told = self._bout.get(card.key)
            if told is not None and told.card != card.card and card.confidence >= self.settings.reread:
                events.append(Reread(at=seen.at, was=told.card, card=card.card, confidence=round(card.confidence, 3)))
                self._bout.tell(card.key, replace(told, card=card.card))
        return events

    def note_unread(self, seen: Observation, is_settled: bool) -> None:
        """
        Remember the cards that lie there without a name. ``is_settled``: nothing has gone of which it is not known
        where; until then what passes for a card may be one that was knocked. They are told once something else happens,
        if they have no name by then. One that is none of the pack will have none: it is told at once.
        """
        if is_settled:
            self._unread = {card.key: card for card in seen.unread if card.key not in self._unread_told}
        for key in [key for key in self._unread if key in self._bout]:
            del self._unread[key]

    def unread(self, hands: Sequence[HandVisit], outside_pack: bool = False) -> list[TableEvent]:
        """
        The cards that have no name by now are told without one: something else has happened.

        ``outside_pack``: only those that are none of the pack, whatever else happens.
        """
        events: list[TableEvent] = []
        noted, self._unread = self._unread, {}
        for key, card in noted.items():
            if outside_pack and not card.outside_pack:
                self._unread[key] = card
                continue
            visit = visit_that_laid(card, [card], hands, self._attribution)
            if key in self._bout or not fitting_touches(card.touched, self._attribution):
                continue  # no hand was there: nothing was laid
            self._unread_told.add(key)
            on = self._bout.get(card.on)
            events.append(
                Unread(
                    at=card.clear_at,
                    by=None if visit is None else visit.seat,
                    on=None if on is None else on.card,
                    confidence=round(card.confidence, 3),
                )
            )
        return events

    def read_now(self, event: Placed, seen: Observation) -> Placed:
        """The event as the card is read now and as it lies now; its name stays."""
        for key in self._bout.keys_of(event.card):
            card = seen.lying(key)
            if card is not None and card.card == event.card:
                below = self._bout.get(card.on)
                on = event.on if below is None else below.card
                sure, others = round(card.confidence, 3), self._alternatives(card)
                return replace(event, on=on, confidence=sure, alternatives=others)
        return event

    def other_place(self, event: Placed, seen: Observation) -> Placed | None:
        """
        The same where it may lie as well: on the open card that it grazes, or beside the one it hardly lies across.

        None where its place is plain.
        """
        for key in self._bout.keys_of(event.card):
            card = seen.lying(key)
            if card is None:
                continue
            below = self._bout.get(card.grazes)
            if event.on is None and below is not None:
                return replace(event, on=below.card)
            if event.on is not None and card.on is not None and card.overlap < self.settings.hardly_across:
                return replace(event, on=None)
        return None

    def _is_worth_telling(self, card: LyingCard) -> bool:
        """A card told as unread, or brought by no hand, has a name only once it is read well: a guess says less."""
        is_guess = card.key in self._unread_told or not fitting_touches(card.touched, self._attribution)
        return not is_guess or card.confidence >= self.settings.guess

    def _alternatives(self, card: LyingCard) -> tuple[tuple[Card, float], ...]:
        return card.alternatives if card.confidence < self.settings.plain else ()

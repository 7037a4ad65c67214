"""Collect the evidence of an event: the card as it lies or lay, and the hands that were there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.cards import Card
from referee.events import Drawn, Lifted, Placed, Reread, Swapped, Swept, TableEvent, Unread
from vision.observation import Gone, HandVisit, LyingCard, Observation, Touch
from vision.view.trace import touches_as_json, visit_as_json

REMEMBERED_S = 15.0
"""Seconds after which a card that left explains no present event."""
CALLED_S = 0.5
"""Seconds by which the time of a draw may differ from that when the hand left the talon."""


class Grounds:
    """Receives every observation and returns the evidence of an event."""

    def __init__(self) -> None:
        self._seen: Observation | None = None
        self._names: dict[int, Card] = {}
        self._gone: list[tuple[Gone, Card]] = []
        self._swept: dict[float, list[tuple[Gone, Card]]] = {}

    def record(self, seen: Observation) -> None:
        """Update with the present table state."""
        self._seen = seen
        for gone in seen.gone:
            if gone.key in self._names:
                self._gone.append((gone, self._names[gone.key]))
        for card in (*seen.bout, *(() if seen.turnup is None else (seen.turnup,))):
            self._names[card.key] = card.card
        self._gone = [(gone, card) for gone, card in self._gone if seen.at - gone.at <= REMEMBERED_S]

    def heard(self, events: Sequence[TableEvent]) -> None:
        """Update with evidence: cards that left with one sweep are no part of the next."""
        for event in events:
            if isinstance(event, Swept):
                self._swept[event.at], self._gone = self._gone, []

    def of(self, event: TableEvent, hands: Sequence[HandVisit]) -> list[dict[str, Any]]:
        """
        Return the cards that an event is about, each with the hands that were over it; for a draw the hands at the
        talon.
        """
        match event:
            case Placed() | Reread():
                return [self._lying(card, hands) for card in self._bout() if card.card == event.card]
            case Unread():
                unread = () if self._seen is None else self._seen.unread
                return [self._lying(card, hands) for card in unread]
            case Lifted():
                return [self._left(gone, card, hands) for gone, card in self._gone if card == event.card][-1:]
            case Swept():
                return [self._left(gone, card, hands) for gone, card in self._swept.get(event.at, ())]
            case Swapped():
                turnup = None if self._seen is None else self._seen.turnup
                return [] if turnup is None else [self._lying(turnup, hands)]
            case Drawn():
                left = [self._left(gone, card, hands) for gone, card in self._gone if card == event.card]
                return left[-1:] + [
                    {"what": "a hand was at the talon", **visit_as_json(visit)}
                    for visit in hands
                    if any(abs(call.at - event.at) <= CALLED_S for call in visit.talon_calls)
                ]
        return []

    def _bout(self) -> tuple[LyingCard, ...]:
        return () if self._seen is None else self._seen.bout

    def _lying(self, card: LyingCard, hands: Sequence[HandVisit]) -> dict[str, Any]:
        return {
            "what": "a card lies there",
            "track": card.key,
            "card": str(card.card),
            "confidence": round(card.confidence, 3),
            "alternatives": [[str(other), share] for other, share in card.alternatives],
            "overlap": card.overlap,
            "clear_at": round(card.clear_at, 3),
            "hands": _nearest_first(card.touched, hands),
        }

    def _left(self, gone: Gone, card: Card, hands: Sequence[HandVisit]) -> dict[str, Any]:
        return {
            "what": "a card has left",
            "track": gone.key,
            "card": str(card),
            "clear_at": round(gone.at, 3),
            "hands": _nearest_first(gone.touched, hands),
        }


def _nearest_first(touched: Sequence[Touch], hands: Sequence[HandVisit]) -> list[dict[str, Any]]:
    return touches_as_json(sorted(touched, key=lambda touch: touch.tip_mm), hands)

"""The bout as it was reported: its cards, who laid them and where they lie."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from referee.cards import Card
from vision.observation import Gone, LyingCard, Observation, Pose

OTHER_NAME_SURE = 0.9
"""Probability from which another name replaces a reported one. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class ReportedCard:
    """
    A card of the bout as it was reported.

    ``by``: seat that laid it. ``at``: seconds. ``key``: of its track; ``on``: of the track that it lay on. ``visit``:
    hand track that laid it. ``is_doubtful``: its name was uncertain.
    """

    card: Card
    by: str | None
    at: float
    key: int = -1
    on: int | None = None
    pose: Pose | None = None
    visit: int | None = None
    is_doubtful: bool = False


class ReportedBout:
    """
    The cards reported, without those reported gone, by the key of their track. ``known``: cards that lie there from the
    start.
    """

    def __init__(self, known: Iterable[Card] = ()) -> None:
        self.cards: dict[int, ReportedCard] = {}
        self._known = set(known)

    def get(self, key: int | None) -> ReportedCard | None:
        """Return the card with that key as it was reported, None if it was not."""
        return None if key is None else self.cards.get(key)

    def record(self, seen: Observation) -> None:
        """Remember where reported cards lie, and report those known from the start that are found now."""
        for card in seen.bout:
            if card.key in self.cards:
                self.cards[card.key] = replace(self.cards[card.key], on=card.on, pose=card.pose)
            elif card.card in self._known:
                self.cards[card.key] = ReportedCard(card.card, None, seen.at, card.key, card.on, card.pose)
                self._known.discard(card.card)

    def take_gone(self, seen: Observation) -> list[tuple[Gone, ReportedCard]]:
        """Remove the cards that have left, and return them as they were reported and lay."""
        return [(gone, self.cards.pop(gone.key)) for gone in seen.gone if gone.key in self.cards]

    def move(self, card: LyingCard, seen: Observation) -> bool:
        """
        Record that a reported card lies elsewhere now, under another track; return whether it is so.

        It was moved if it has the same name and the newest inference misses it where it lay. A pack has no equal cards.
        """
        for key, reported in self.cards.items():
            if reported.card == card.card and key in seen.missed:
                del self.cards[key]
                self.cards[card.key] = replace(reported, key=card.key, on=card.on, pose=card.pose)
                return True
        return False

    def left(self, seen: Observation) -> tuple[Card, ...]:
        """Return the cards that still lie there, as they were reported."""
        return tuple(self.cards[card.key].card for card in seen.bout if card.key in self.cards)

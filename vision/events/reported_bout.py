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
    """The cards reported, without those reported gone. ``known``: cards that lie there from the start."""

    def __init__(self, known: Iterable[Card] = ()) -> None:
        self._known = set(known)
        self._reported: dict[int, ReportedCard] = {}
        self._lay: dict[int, LyingCard] = {}

    def __contains__(self, key: int) -> bool:
        return key in self._reported

    def get(self, key: int | None) -> ReportedCard | None:
        """Return the card with that key as it was reported, None if it was not."""
        return None if key is None else self._reported.get(key)

    def cards(self) -> tuple[Card, ...]:
        """Return all reported cards, each once."""
        return tuple(dict.fromkeys(reported.card for reported in self._reported.values()))

    def keys_of(self, card: Card) -> tuple[int, ...]:
        """Return the keys under which a card was reported."""
        return tuple(key for key, reported in self._reported.items() if reported.card == card)

    def report(self, key: int, reported: ReportedCard) -> None:
        """Record a reported card, or update it."""
        self._reported[key] = reported

    def newest(self) -> ReportedCard | None:
        """Return the card reported last of those that lie there."""
        return next(reversed(self._reported.values()), None)

    def record(self, seen: Observation) -> None:
        """Remember where cards lie, and recognise those known from the start."""
        self._lay.update({card.key: card for card in seen.bout})
        self.recognize(seen)

    def recognize(self, seen: Observation) -> None:
        """Record cards known from the start that are found now."""
        for card in seen.bout:
            if card.key not in self._reported and card.card in self._known:
                self._reported[card.key] = ReportedCard(card.card, None, seen.at)
                self._known.discard(card.card)

    def take_gone(self, seen: Observation) -> list[tuple[Gone, ReportedCard]]:
        """Remove the cards that have left, and return them as they were reported and lay."""
        leaving = []
        for gone in seen.gone:
            reported, lay = self._reported.pop(gone.key, None), self._lay.pop(gone.key, None)
            if reported is not None:
                on, pose = (None, None) if lay is None else (lay.on, lay.pose)
                leaving.append((gone, replace(reported, key=gone.key, on=on, pose=pose)))
        return leaving

    def move(self, card: LyingCard, seen: Observation) -> bool:
        """
        Record that a reported card lies elsewhere now, under another track; return whether it is so.

        It was moved if it has the same name and the newest inference misses it where it lay. A pack has no equal cards.
        """
        for key in self.keys_of(card.card):
            if key in seen.missed:
                self._lay.pop(key, None)
                self._reported[card.key] = replace(self._reported.pop(key), key=card.key, on=card.on, pose=card.pose)
                return True
        return False

    def left(self, seen: Observation) -> tuple[Card, ...]:
        """Return the cards that still lie there, as they were reported."""
        return tuple(self._reported[card.key].card for card in seen.bout if card.key in self._reported)

    def has_strangers(self, seen: Observation) -> bool:
        """Check whether a card lies there that nobody was seen to bring."""
        reported = [self._reported.get(card.key) for card in seen.bout]
        return any(card is not None and card.by is None for card in reported)

"""The bout as it was told: which of its cards have been named, who laid them and where they lie."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from referee.cards import Card
from vision.observation import Gone, LyingCard, Observation, Pose

OTHER_NAME_SURE = 0.9
"""So sure must another name be, 0 to 1, for a settled card to be another than was told. Higher: a misread card keeps
its wrong name; lower: names change to and fro. Set by hand, 2026-11."""


@dataclass(frozen=True, slots=True)
class ToldCard:
    """
    A card of the bout as it was told: who laid it, and when (seconds). ``key``, and the key of what it lay ``on``:
    tracks. ``pose``: where it lay. ``visit``: of the hand that laid it. ``is_doubtful``: its name was in doubt.
    """

    card: Card
    by: str | None
    at: float
    key: int = -1
    on: int | None = None
    pose: Pose | None = None
    visit: int | None = None
    is_doubtful: bool = False


class ToldBout:
    """The cards that have been told and not been told to have gone. ``known``: those that lie there from the start."""

    def __init__(self, known: Iterable[Card] = ()) -> None:
        self._known = set(known)
        self._told: dict[int, ToldCard] = {}
        self._lay: dict[int, LyingCard] = {}

    def __contains__(self, key: int) -> bool:
        return key in self._told

    def get(self, key: int | None) -> ToldCard | None:
        """The card with that key as it was told, None if it was not."""
        return None if key is None else self._told.get(key)

    def cards(self) -> tuple[Card, ...]:
        """All that were told, each once."""
        return tuple(dict.fromkeys(told.card for told in self._told.values()))

    def keys_of(self, card: Card) -> tuple[int, ...]:
        """The keys under which a card was told."""
        return tuple(key for key, told in self._told.items() if told.card == card)

    def tell(self, key: int, told: ToldCard) -> None:
        """A card is told, or told anew."""
        self._told[key] = told

    def newest(self) -> ToldCard | None:
        """The card told last of those that lie there."""
        return next(reversed(self._told.values()), None)

    def note(self, seen: Observation) -> None:
        """Remember where cards lie, and recognize those that are no news."""
        self._lay.update({card.key: card for card in seen.bout})
        self.recognize(seen)

    def recognize(self, seen: Observation) -> None:
        """Cards known to lie there from the start, made out now, are no news."""
        for card in seen.bout:
            if card.key not in self._told and card.card in self._known:
                self._told[card.key] = ToldCard(card.card, None, seen.at)
                self._known.discard(card.card)

    def take_gone(self, seen: Observation) -> list[tuple[Gone, ToldCard]]:
        """Cards of the bout that have left, as they were told and as they lay before; they are forgotten."""
        leaving = []
        for gone in seen.gone:
            told, lay = self._told.pop(gone.key, None), self._lay.pop(gone.key, None)
            if told is not None:
                on, pose = (None, None) if lay is None else (lay.on, lay.pose)
                leaving.append((gone, replace(told, key=gone.key, on=on, pose=pose)))
        return leaving

    def left(self, seen: Observation) -> tuple[Card, ...]:
        """The cards that still lie there, as they were told."""
        return tuple(self._told[card.key].card for card in seen.bout if card.key in self._told)

    def has_strangers(self, seen: Observation) -> bool:
        """Does a card lie there that nobody was seen to bring?"""
        told = [self._told.get(card.key) for card in seen.bout]
        return any(card is not None and card.by is None for card in told)

"""Find the decks that set-up offers: those of a feature that knows decks."""

from __future__ import annotations

from webapp.features import features
from webapp.live.decks import Decks, NoDecks


def decks() -> Decks:
    """Return the decks of the feature that knows them, else ``NoDecks``."""
    return next((feature.decks.load() for feature in features() if feature.decks is not None), NoDecks())

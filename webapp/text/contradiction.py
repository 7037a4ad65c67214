"""Say why a setup was refused: what people stated, and what the camera sees instead."""

from __future__ import annotations

from webapp.text.page_labels import page_words


def say_contradiction(kind: str, stated: str, seen: str, language: str) -> str:
    """
    Return the sentence. ``kind``, ``stated``, ``seen``: as in ``webapp.live.position_proposal.Contradiction``.

    >>> say_contradiction("trump", "s", "Ad", "en")
    'You say that spades are trumps, I see the ace of diamonds under the deck.'
    """
    words = page_words(language)
    return words[f"against_{kind}"].format(stated=_named(stated, language), seen=_named(seen, language))


def _named(value: str, language: str) -> str:
    """Return the name of a suit or a card in words; a count as it is."""
    if value.isdigit():
        return value
    words = page_words(language)
    if len(value) == 1:
        return words[f"suit_{value}"]
    return words["card_name"].format(rank=words[f"rank_{value[0]}"], suit=words[f"suit_{value[1]}"])

"""
What a player can decide, as a small tuple: the kind, the cards, and for a card that beats the card under it.

>>> from referee.card_sets import mask_of
>>> from referee.cards import Card
>>> in_words((BEAT, mask_of([Card.parse("Th")]), mask_of([Card.parse("9h")])))
'Th over 9h'
"""

from __future__ import annotations

from referee.card_sets import CARD_OF, cards_of

Decision = tuple[int, int, int]
"""Kind, cards laid or shown (a mask), card beaten (a mask of one)."""

ATTACK, BEAT, TRANSFER, SHOW, TAKE, PASS, WAIT = range(7)
"""Kinds. ``ATTACK`` opens, throws in or gives on; ``WAIT`` leaves the turn to whoever is asked next."""

_WORDS = {TAKE: "take", PASS: "pass", WAIT: "wait"}
_PREFIX = {TRANSFER: "transfer ", SHOW: "show "}


def in_words(decision: Decision) -> str:
    """
    Return a decision as an analysis line names it: ``6s 6h``, ``Th over 9h``, ``transfer 9d``, ``show 9h``, ``take``,
    ``pass``, ``wait``.
    """
    kind, cards, over = decision
    if kind in _WORDS:
        return _WORDS[kind]
    laid = " ".join(map(str, cards_of(cards)))
    return f"{laid} over {CARD_OF[over]}" if kind == BEAT else f"{_PREFIX.get(kind, '')}{laid}"

"""Parsing of decisions written as text."""

from __future__ import annotations

from features.analysis.position import ATTACK, BEAT, PASS, SHOW, TAKE, TRANSFER, WAIT, Decision
from referee.cards import Card, mask_of

BY_WORD = {"take": TAKE, "pass": PASS, "wait": WAIT}
PREFIX = {TRANSFER: "transfer ", SHOW: "show "}


def parsed(text: str) -> Decision:
    """Parse a decision that ``in_words`` wrote."""
    if text in BY_WORD:
        return (BY_WORD[text], 0, 0)
    laid, _, over = text.partition(" over ")
    for kind, prefix in PREFIX.items():
        if laid.startswith(prefix):
            return (kind, mask_of([Card.parse(laid.removeprefix(prefix))]), 0)
    cards = mask_of(map(Card.parse, laid.split(" ")))
    return (BEAT, cards, mask_of([Card.parse(over)])) if over else (ATTACK, cards, 0)

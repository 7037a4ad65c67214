"""Marks that say how a rule is asked of a whole hand (:mod:`referee.rules.whole_hand`), and sets that rules share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from referee.cards import Card, same_ranks
from referee.plays import Laid, Swap
from referee.table import Table

R = TypeVar("R", bound=Callable[..., object])


def same_for_all_cards(rule: R) -> R:
    """Mark a rule that has the same result for every single card of a hand."""
    rule.__dict__["is_whatever_card"] = True
    return rule


def by_cards(cards: Callable[[Table, int], int]) -> Callable[[R], R]:
    """Mark a rule that passes the single cards of this set, laid over that card, and no others."""

    def marked(rule: R) -> R:
        rule.__dict__["cards"] = cards
        return rule

    return marked


def by_seat(cards: Callable[[Table, int], int]) -> Callable[[R], R]:
    """Mark a rule that passes the single cards of this set, laid by that seat, and no others."""

    def marked(rule: R) -> R:
        rule.__dict__["cards_of_seat"] = cards
        return rule

    return marked


def ranks_on_table(table: Table, over: int = 0) -> int:
    """Return all cards whose rank lies on the table."""
    return same_ranks(table.table)


def first_of(play: Laid[int] | Swap[int], mask: int) -> Card:
    """Return the first card of the play that is in the set."""
    return next(card for card in play.cards if card.bit & mask)

"""
A position as the rules read it, and marks that say how a rule is asked of a whole hand.

The judge's :class:`~referee.game.GameState` and the search's :class:`~features.analysis.position.Position` both offer a
:class:`Table`, so that one statement of a rule serves both. Sets of cards are bit masks (:mod:`referee.cards`).
Seats are names in the judge and numbers in the search.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from referee.cards import Card, same_ranks
from referee.plays import Laid, Swap
from referee.rulebook import Rulebook

Seat = Any


EndedBout = Any
"""A bout that has been swept: ``attacker``, ``defender``, ``ended`` ("beaten" or "taken"), hands when it ``began``."""


R = TypeVar("R", bound=Callable[..., Any])


class Table(Protocol):
    """
    A position as the rules read it. During a bout; ``seating`` orders the seats and knows the teams.

    ``trump``: the trump suit, for facts of a fault; rules compare with ``trumps``. ``trumps``: all cards of the trump
    suit; 0 where it is not known. ``principal``: the attacker who opens the bout; None while the lead is open to
    ``leaders``. ``defender``: who defends; None before the first bout. ``number``: which bout of the deal it is, from
    1. ``table``: attack cards and cards that beat them. ``lying``: all cards of the bout, those too that players let
    stand though they are neither. ``unbeaten``: attack cards without a card across them, read or unread; none once the
    deal is over. ``uncovered``: attack cards without a read card across them. ``unbeaten_cards``: the cards of
    ``unbeaten``, oldest first. ``has_unread``: whether a card of the bout was not read. ``has_thrown``: whether a card
    was thrown in after the opening. ``shown``: cards that were shown in this bout to pass the attack on. ``turnup``:
    the turn-up that lies under the talon. ``refill``: the draws after the last bout: ``turnup``, if it was drawn, by
    whom (``holder``), and who ``drew``. ``before_first_card``: whether the first card of the bout has not been laid.
    ``emptied``: seats in the order in which they ran out of cards. ``held``: how many cards a seat holds.
    ``attackers``: who may attack in this bout, clockwise from the principal, empty hands included. ``has_picked``:
    whether the card ever came to the seat from the table in this deal.
    """

    @property
    def rules(self) -> Rulebook: ...
    @property
    def seating(self) -> Any: ...
    @property
    def trump(self) -> Any: ...
    @property
    def trumps(self) -> int: ...
    @property
    def principal(self) -> Seat | None: ...
    @property
    def leaders(self) -> tuple[Seat, ...]: ...
    @property
    def attacker(self) -> Seat: ...
    @property
    def defender(self) -> Seat: ...
    @property
    def out(self) -> tuple[Seat, ...]: ...
    @property
    def number(self) -> int: ...
    @property
    def beaten_off(self) -> int: ...
    @property
    def is_taking(self) -> bool: ...
    @property
    def attack_count(self) -> int: ...
    @property
    def limit(self) -> int | None: ...
    @property
    def table(self) -> int: ...
    @property
    def lying(self) -> int: ...
    @property
    def unbeaten(self) -> int: ...
    @property
    def uncovered(self) -> int: ...
    @property
    def unbeaten_cards(self) -> tuple[Card, ...]: ...
    @property
    def has_unread(self) -> bool: ...
    @property
    def has_beaten(self) -> bool: ...
    @property
    def has_thrown(self) -> bool: ...
    @property
    def shown(self) -> int: ...
    @property
    def turnup(self) -> Card | None: ...
    @property
    def refill(self) -> Any: ...
    @property
    def before_first_card(self) -> bool: ...
    @property
    def last_to_attack(self) -> Seat: ...
    @property
    def last_before_take(self) -> Seat: ...
    @property
    def talon_count(self) -> int: ...
    @property
    def emptied(self) -> tuple[Seat, ...]: ...
    @property
    def living(self) -> tuple[Seat, ...]: ...
    @property
    def resigned(self) -> tuple[Seat, ...]: ...
    @property
    def attackers(self) -> tuple[Seat, ...]: ...
    def held(self, seat: Seat) -> int: ...
    def has_passed(self, seat: Seat) -> bool: ...
    def has_allowed(self, seat: Seat, other: Seat) -> bool: ...
    def is_waiting(self, seat: Seat) -> bool: ...
    def has_picked(self, seat: Seat, card: Card) -> bool: ...


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


def ranks_on_table(table: Table, over: int = 0) -> int:
    """Return all cards whose rank lies on the table."""
    return same_ranks(table.table)


def attackers_at(table: Table) -> tuple[Seat, ...]:
    """
    Return who may attack in this bout, clockwise from the principal, empty hands included (docs/rules.md, 3).

    Neighbours of the defender are the nearest seats still in play.
    """
    principal, defender, seating, out = table.attacker, table.defender, table.seating, table.out
    throwers = table.rules.throwers
    if throwers == "principal":
        return (principal,)
    side = seating.team(defender)
    found = tuple(seat for seat in seating.clockwise_from(principal) if seat not in side and seat not in out)
    if throwers == "neighbours":
        near = (principal, seating.next_living(defender, out), seating.previous_living(defender, out))
        return tuple(seat for seat in found if seat in near)
    return found


def first_of(play: Laid | Swap, mask: int) -> Card:
    """Return the first card of the play that is in the set."""
    return next(card for card in play.cards if card.bit & mask)

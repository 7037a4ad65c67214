"""Ask the rules which cards of a hand may be laid singly, most of them once for the whole hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from referee.cards import CARD_OF, bits_of
from referee.plays import Beat, Give, Kind, Laid, Lead, ThrowIn, Transfer, laid
from referee.rules import ANY_CARD, HELD, rules_of_laid
from referee.rules.attack import check_principal
from referee.rules.beat import check_attack_exists, check_defender, check_take_is_final, check_unbeaten
from referee.rules.lead import check_claim_kept
from referee.rules.location import check_pack
from referee.rules.order import check_give_order, check_order
from referee.rulings import Fault
from referee.table import Table

SEEN: frozenset[Callable[[Laid[int], Table], Fault | None]] = frozenset((*ANY_CARD, check_claim_kept))
"""Rules about what a spectator has seen: with all hands known, a card of the hand breaks none of them."""


PLACED = frozenset((check_principal, check_defender, check_take_is_final, check_attack_exists, check_unbeaten))
"""Rules about whose card lies where: a whole hand is asked for the right seat, and over a card that lies there."""


IN_TURN = frozenset((check_order, check_give_order))
"""Rules about who attacks before whom."""


class HandRules(NamedTuple):
    """The rules of a kind of play of one card, by how a whole hand is asked (:mod:`referee.rules`)."""

    cards: tuple[Callable[[Table, int], int], ...]
    of_seat: tuple[Callable[[Table, int], int], ...]
    once: tuple[Callable[[Laid[int], Table], Fault | None], ...]
    each: tuple[Callable[[Laid[int], Table], Fault | None], ...]
    in_turn: tuple[Callable[[Laid[int], Table], Fault | None], ...]

    @classmethod
    def of(cls, rules: Iterable[Callable[[Laid[int], Table], Fault | None]]) -> HandRules:
        """Sort rules by their marks."""
        marked = [(rule, rule.__dict__) for rule in rules]
        return cls(
            tuple(marks["cards"] for _, marks in marked if "cards" in marks),
            tuple(marks["cards_of_seat"] for _, marks in marked if "cards_of_seat" in marks),
            tuple(rule for rule, marks in marked if "is_whatever_card" in marks and rule not in IN_TURN),
            tuple(rule for rule, marks in marked if not marks),
            tuple(rule for rule, _ in marked if rule in IN_TURN),
        )


HAND_RULES: Mapping[Kind, HandRules] = {
    **{
        kind: HandRules.of(rule for rule in rules_of_laid(kind) if rule not in SEEN and rule not in PLACED)
        for kind in (Lead, ThrowIn, Give, Transfer, Beat)
    },
    Laid: HandRules.of(SEEN),
}
"""The rules of playing of each kind of play; for a card laid anyhow, the rules about what was seen."""

RULES_OF_HELD = HandRules.of((check_pack, *HELD)).of_seat


@lru_cache(maxsize=1 << 11)
def one_card(kind: Kind, by: int, card: int, over: int, shown: bool) -> Laid[int]:
    """Return the play of one card, given as a set of one."""
    return laid(kind, by, (CARD_OF[card],), CARD_OF[over] if over else None, shown)


def playable(
    kind: Kind,
    by: int,
    cards: int,
    table: Table,
    over: int = 0,
    shown: bool = False,
    any_turn: bool = False,
) -> int:
    """
    Return the cards that a seat may lay singly, as this kind of play, by the rules of playing.

    ``cards``: those that it holds. ``over``: the card to beat. ``shown``: the attack is passed on by showing.
    ``any_turn``: do not ask who attacks before whom.
    """
    rules = HAND_RULES[kind]
    for passing in rules.cards:
        cards &= passing(table, over)
    for passing in rules.of_seat:
        cards &= passing(table, by)
    if not cards:
        return 0
    if rules.once:
        play = one_card(kind, by, cards & -cards, over, shown)
        for rule in rules.once:
            if rule(play, table) is not None:
                return 0
    if rules.each:
        cards = passing_each(rules, kind, by, cards, table, over, shown)
    return cards if not cards or any_turn or not rules.in_turn or is_in_turn(kind, by, table) else 0


def possible(by: int, table: Table) -> int:
    """Return the cards that a seat may lay by all that was seen, whatever their place."""
    return playable(Laid, by, -1, table)


def may_hold(by: int, table: Table) -> int:
    """Return the cards that may be in this hand: no rule says that they are elsewhere."""
    cards = -1
    for passing in RULES_OF_HELD:
        cards &= passing(table, by)
    return cards


def passing_each(
    rules: HandRules, kind: Kind, by: int, cards: int, table: Table, over: int = 0, shown: bool = False
) -> int:
    """Return those of these cards that pass the rules that are asked card by card."""
    for card in bits_of(cards):
        play = one_card(kind, by, card, over, shown)
        for rule in rules.each:
            if rule(play, table) is not None:
                cards ^= card
                break
    return cards


def is_in_turn(kind: Kind, by: int, table: Table) -> bool:
    play = one_card(kind, by, 1, 0, False)
    return all(rule(play, table) is None for rule in HAND_RULES[kind].in_turn)

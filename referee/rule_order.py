"""
The rules that apply to each play, in the order in which a player would understand them.

First whether the cards can be there, then who may play, then which cards, then how many; last the rules that depend on
a statement or on leave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from referee.card_sets import CARD_OF, bits_of
from referee.game import GameState
from referee.plays import Beat, Done, Draw, Give, Laid, Lead, Pass, Play, Swap, Sweep, Take, ThrowIn, Transfer
from referee.rules import attack, bout_end, defence, drawing, lead, outcome, swap, transfer, which_card
from referee.rules.table import Seat, Table
from referee.rulings import Fault

LaidRule = Callable[[Laid, GameState], Fault | None]

WHICH_CARD: tuple[Callable[[Laid | Swap, GameState], Fault | None], ...] = (
    which_card.check_player_out,
    *which_card.HELD,
)
"""Rules that check whether the card can be where it was seen."""

ANY_CARD: tuple[LaidRule, ...] = (
    which_card.check_pack,
    outcome.check_game_over,
    *WHICH_CARD,
    drawing.check_draws_done,
)
"""Rules of every card that is laid, whatever its place."""

RULES_OF: Mapping[type[Play], tuple[Callable[[Any, Any], Fault | None], ...]] = MappingProxyType(
    {
        Lead: (*ANY_CARD, *attack.LEAD, lead.check_claim_kept),
        ThrowIn: (*ANY_CARD, *attack.THROW_IN, lead.check_claim_kept, attack.check_order),
        Give: (*ANY_CARD, *attack.GIVE, lead.check_claim_kept, attack.check_give_order),
        Transfer: (
            *ANY_CARD,
            defence.check_take_is_final,
            *transfer.TRANSFER,
            attack.check_limit,
            lead.check_claim_kept,
        ),
        Beat: (*ANY_CARD, *defence.BEAT, lead.check_claim_kept),
        Swap: (
            swap.check_swap_allowed,
            which_card.check_pack,
            which_card.check_player_out,
            *swap.SWAP,
            *which_card.HELD,
            lead.check_claim_kept,
        ),
        Take: defence.TAKE,
        Pass: (lead.check_principal_opens,),
        Done: (lead.check_principal_opens,),
        Sweep: bout_end.SWEEP,
        Draw: drawing.DRAW,
    }
)
"""The rules of each play, those of its topic among them; the first one that is broken gives the fault."""


SEEN = frozenset((*ANY_CARD, lead.check_claim_kept))
"""Rules about what a spectator has seen: with all hands known, a card of the hand breaks none of them."""

PLACED = frozenset(
    (
        attack.check_principal,
        defence.check_defender,
        defence.check_take_is_final,
        defence.check_attack_exists,
        defence.check_unbeaten,
    )
)
"""Rules about whose card lies where: a whole hand is asked for the right seat, and over a card that lies there."""

IN_TURN = frozenset((attack.check_order, attack.check_give_order))
"""Rules about who attacks before whom."""


class HandRules(NamedTuple):
    """The rules of a kind of play of one card, by how a whole hand is asked (:mod:`referee.rules.table`)."""

    cards: tuple[Callable[[Table, int], int], ...]
    once: tuple[Callable[[Any, Table], Fault | None], ...]
    each: tuple[Callable[[Any, Table], Fault | None], ...]
    in_turn: tuple[Callable[[Any, Table], Fault | None], ...]

    @classmethod
    def of(cls, rules: Iterable[Callable[[Any, Any], Fault | None]]) -> HandRules:
        """Sort the rules of a kind of play, without those about what was seen and about whose card lies where."""
        marked = [(rule, rule.__dict__) for rule in rules if rule not in SEEN and rule not in PLACED]
        return cls(
            tuple(marks["cards"] for _, marks in marked if "cards" in marks),
            tuple(rule for rule, marks in marked if "is_whatever_card" in marks and rule not in IN_TURN),
            tuple(rule for rule, marks in marked if not marks),
            tuple(rule for rule, _ in marked if rule in IN_TURN),
        )


HAND_RULES: Mapping[type[Laid], HandRules] = {
    kind: HandRules.of(RULES_OF[kind]) for kind in (Lead, ThrowIn, Give, Transfer, Beat)
}


@lru_cache(maxsize=1 << 14)
def one_card(kind: Any, by: Seat, card: int, over: int, shown: bool) -> Laid:
    """Return the play of one card, given as a set of one."""
    if kind is Beat:
        return Beat(by, (CARD_OF[card],), CARD_OF[over])
    found: Laid = Transfer(by, (CARD_OF[card],), shown) if kind is Transfer else kind(by, (CARD_OF[card],))
    return found


def playable(
    kind: Any,
    by: Seat,
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
    if not cards:
        return 0
    if rules.once:
        play = one_card(kind, by, cards & -cards, over, shown)
        for rule in rules.once:
            if rule(play, table) is not None:
                return 0
    if rules.each:
        cards = passing_each(kind, by, cards, table, over, shown)
    return cards if not cards or any_turn or not rules.in_turn or is_in_turn(kind, by, table) else 0


def passing_each(kind: Any, by: Seat, cards: int, table: Table, over: int = 0, shown: bool = False) -> int:
    """Return those of these cards that pass the rules that are asked card by card."""
    for card in bits_of(cards):
        play = one_card(kind, by, card, over, shown)
        for rule in HAND_RULES[kind].each:
            if rule(play, table) is not None:
                cards ^= card
                break
    return cards


def is_in_turn(kind: Any, by: Seat, table: Table) -> bool:
    """Check whether the seat may attack now by the order of the attackers."""
    play = one_card(kind, by, 1, 0, False)
    return all(rule(play, table) is None for rule in HAND_RULES[kind].in_turn)


def cannot_be(play: Laid, state: GameState) -> Fault | None:
    """Return why the cards can't be where they were seen; None: they can."""
    return first_fault((which_card.check_pack, *WHICH_CARD), play, state)


def fault_of(play: Play, state: GameState) -> Fault | None:
    """Return the fault of the first rule that this play breaks; None: it is legal."""
    return first_fault(RULES_OF[type(play)], play, state)


def first_fault(rules: Iterable[Callable[[Any, Any], Fault | None]], play: Play, state: Table) -> Fault | None:
    """Return the fault of the first of these rules that the play breaks; None: it breaks none of them."""
    for rule in rules:
        fault = rule(play, state)
        if fault is not None:
            return fault
    return None

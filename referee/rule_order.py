"""
The rules that apply to each play, in the order in which a player would understand them.

First whether the cards can be there, then who may play, then which cards, then how many; last the rules that depend on
a statement or on leave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from referee.game import GameState
from referee.plays import Beat, Done, Draw, Give, Laid, Lead, Pass, Play, Swap, Sweep, Take, ThrowIn, Transfer
from referee.rules import attack, bout_end, defence, drawing, lead, swap, transfer, which_card
from referee.rulings import Fault

LaidRule = Callable[[Laid, GameState], Fault | None]

WHICH_CARD: tuple[Callable[[Laid | Swap, GameState], Fault | None], ...] = (
    which_card.check_player_out,
    which_card.check_duplicate,
    which_card.check_heap,
    which_card.check_talon,
    which_card.check_other_hand,
    which_card.check_hand_count,
    which_card.check_known_hand,
)
"""Rules that check whether the card can be where it was seen."""

ANY_CARD: tuple[LaidRule, ...] = (
    which_card.check_pack,
    attack.check_game_over,
    *WHICH_CARD,
    drawing.check_draws_done,
)
"""Rules of every card that is laid, whatever its place."""

RULES_OF: Mapping[type[Play], tuple[Callable[[Any, GameState], Fault | None], ...]] = MappingProxyType(
    {
        Lead: (
            *ANY_CARD,
            attack.check_principal,
            attack.check_opening_shape,
            attack.check_limit,
            lead.check_claim_kept,
        ),
        ThrowIn: (
            *ANY_CARD,
            attack.check_entitled,
            attack.check_timing,
            attack.check_rank,
            attack.check_limit,
            lead.check_claim_kept,
            attack.check_order,
        ),
        Give: (
            *ANY_CARD,
            attack.check_give_allowed,
            attack.check_entitled,
            attack.check_rank,
            attack.check_limit,
            lead.check_claim_kept,
            attack.check_give_order,
        ),
        Transfer: (
            *ANY_CARD,
            defence.check_take_is_final,
            transfer.check_transfer_allowed,
            transfer.check_transfer_bout,
            transfer.check_show_allowed,
            transfer.check_something_unbeaten,
            transfer.check_before_beating,
            transfer.check_single_rank,
            transfer.check_transfer_rank,
            transfer.check_shown_trump,
            transfer.check_shown_once,
            transfer.check_target,
            attack.check_limit,
            lead.check_claim_kept,
        ),
        Beat: (
            *ANY_CARD,
            defence.check_defender,
            defence.check_take_is_final,
            defence.check_attack_exists,
            defence.check_unbeaten,
            defence.check_beats,
            lead.check_claim_kept,
        ),
        Swap: (
            swap.check_swap_allowed,
            which_card.check_pack,
            which_card.check_player_out,
            swap.check_swap_card,
            swap.check_swap_ace,
            swap.check_swap_original,
            swap.check_swap_in_time,
            *WHICH_CARD[1:],
            lead.check_claim_kept,
        ),
        Take: (defence.check_taker, defence.check_something_to_take),
        Pass: (lead.check_principal_opens,),
        Done: (lead.check_principal_opens,),
        Sweep: (
            bout_end.check_sweeper,
            bout_end.check_taken_whole,
            bout_end.check_all_beaten,
            bout_end.check_attack_closed,
        ),
        Draw: (
            drawing.check_talon_left,
            drawing.check_draw_due,
            drawing.check_draw_turn,
            drawing.check_draw_count,
        ),
    }
)
"""The rules of each play; the first one that is broken gives the fault."""


def cannot_be(play: Laid, state: GameState) -> Fault | None:
    """Return why the cards can't be where they were seen; None: they can."""
    return first_fault((which_card.check_pack, *WHICH_CARD), play, state)


def fault_of(play: Play, state: GameState) -> Fault | None:
    """Return the fault of the first rule that this play breaks; None: it is legal."""
    return first_fault(RULES_OF[type(play)], play, state)


def first_fault(
    rules: Iterable[Callable[[Any, GameState], Fault | None]], play: Play, state: GameState
) -> Fault | None:
    """Return the fault of the first of these rules that the play breaks; None: it breaks none of them."""
    for rule in rules:
        fault = rule(play, state)
        if fault is not None:
            return fault
    return None

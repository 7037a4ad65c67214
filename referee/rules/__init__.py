"""
The rules: one pure function each, from a play and a position to a fault or None, and their order for each play.

A rule is a function of a play and a :class:`~referee.table.Table`, one file a subject. Rules know seats by number; a
fault gets their names where it leaves the rules (:func:`fault_of`). Most rules can be applied to a whole hand at once,
which a mark states: :func:`~referee.rules.marks.same_for_all_cards` marks a rule whose result does not depend on the
card, :func:`~referee.rules.marks.by_cards` and :func:`~referee.rules.marks.by_seat` give a rule the set of cards that
pass. A rule without a mark is applied card by card (:mod:`referee.rules.whole_hand`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Never, TypeVar

from referee.plays import (
    Beat,
    Done,
    Draw,
    Give,
    Kind,
    Laid,
    Lead,
    Pass,
    Play,
    Swap,
    Sweep,
    Take,
    ThrowIn,
    Transfer,
    by_number,
)
from referee.rules.attack import (
    check_entitled,
    check_give_allowed,
    check_limit,
    check_opening_shape,
    check_principal,
    check_rank,
    check_timing,
)
from referee.rules.beat import (
    check_attack_exists,
    check_beats,
    check_defender,
    check_something_to_take,
    check_take_is_final,
    check_unbeaten,
)
from referee.rules.draw import check_draw_count, check_draw_due, check_draw_turn, check_talon_left
from referee.rules.lead import check_claim_kept, check_lowest_trump_led
from referee.rules.location import (
    check_duplicate,
    check_hand_count,
    check_heap,
    check_known_hand,
    check_other_hand,
    check_pack,
    check_player_out,
    check_talon,
)
from referee.rules.order import check_give_order, check_order
from referee.rules.phase import check_draws_done, check_game_over, check_principal_opens
from referee.rules.swap import (
    check_swap_ace,
    check_swap_allowed,
    check_swap_card,
    check_swap_in_time,
    check_swap_original,
)
from referee.rules.sweep import check_all_beaten, check_attack_closed, check_sweeper, check_taken_whole
from referee.rules.transfer import (
    check_before_beating,
    check_show_allowed,
    check_shown_once,
    check_shown_trump,
    check_single_rank,
    check_something_unbeaten,
    check_target,
    check_transfer_allowed,
    check_transfer_bout,
    check_transfer_rank,
)
from referee.rulings import Fault
from referee.table import Table

if TYPE_CHECKING:
    from referee.game import GameState

P = TypeVar("P", bound=Play[int])


HELD = (check_duplicate, check_heap, check_talon, check_other_hand, check_hand_count, check_known_hand)
"""Rules of whether the card can be in the hand of a player who is in the deal."""


CAN_BE = (check_pack, check_player_out, *HELD)
"""Rules of whether the card can be where it was seen."""


ANY_CARD = (check_pack, check_game_over, check_player_out, *HELD, check_draws_done)
"""Rules of every card that is laid, whatever its place."""


BEAT = (check_defender, check_take_is_final, check_attack_exists, check_unbeaten, check_beats)


RULES_OF_SWAP = (
    *(check_swap_allowed, check_pack, check_player_out, check_swap_card, check_swap_ace, check_swap_original),
    *(check_swap_in_time, *HELD, check_claim_kept),
)


RULES_OF_TAKE = (check_defender, check_something_to_take)


TRANSFER = (
    *(check_take_is_final, check_transfer_allowed, check_transfer_bout, check_show_allowed, check_something_unbeaten),
    *(check_before_beating, check_single_rank, check_transfer_rank, check_shown_trump, check_shown_once, check_target),
)


RULES_OF: Mapping[Kind, tuple[Callable[[Never, Table], Fault | None], ...]] = {
    Lead: (
        *(*ANY_CARD, check_principal, check_opening_shape, check_lowest_trump_led, check_limit),
        check_claim_kept,
    ),
    ThrowIn: (*ANY_CARD, check_entitled, check_timing, check_rank, check_limit, check_claim_kept, check_order),
    Give: (*ANY_CARD, check_give_allowed, check_entitled, check_rank, check_limit, check_claim_kept, check_give_order),
    Transfer: (*ANY_CARD, *TRANSFER, check_limit, check_claim_kept),
    Beat: (*ANY_CARD, *BEAT, check_claim_kept),
    Swap: RULES_OF_SWAP,
    Take: RULES_OF_TAKE,
    Pass: (check_principal_opens,),
    Done: (check_principal_opens,),
    Sweep: (check_sweeper, check_taken_whole, check_all_beaten, check_attack_closed),
    Draw: (check_talon_left, check_draw_due, check_draw_turn, check_draw_count),
}
"""
The rules of each play, in the order in which a player would understand them; the first one that is broken gives the
fault. First whether the cards can be there, then who may play, then which cards, then how many; last what depends on a
statement or on leave.
"""


def rules_of_laid(kind: Kind) -> tuple[Callable[[Laid[int], Table], Fault | None], ...]:
    """Return the rules of a kind of :class:`~referee.plays.Laid`."""
    return RULES_OF[kind]  # type: ignore[return-value]  # rules of laid cards read any of them


def first_fault(rules: Iterable[Callable[[P, Table], Fault | None]], play: P, table: Table) -> Fault | None:
    """Return the fault of the first of these rules that the play breaks; None: it breaks none of them."""
    for rule in rules:
        fault = rule(play, table)
        if fault is not None:
            return fault
    return None


def fault_of(play: Play, position: GameState) -> Fault | None:
    """Return the fault of the first rule that this play breaks, with the names of the seats; None: it is legal."""
    return _named_fault(RULES_OF[type(play)], play, position)


def cannot_be(play: Laid | Swap, position: GameState) -> Fault | None:
    """Return why the cards can't be where they were seen; None: they can."""
    return _named_fault(CAN_BE, play, position)


def _named_fault(
    rules: Iterable[Callable[[Never, Table], Fault | None]], play: Play, position: GameState
) -> Fault | None:
    seating, numbered = position.seating, by_number(play, position.seating.number_of)
    fault = first_fault(rules, numbered, position.table)  # type: ignore[arg-type]  # each reads plays of its kind
    return None if fault is None else fault.named(seating.seats)

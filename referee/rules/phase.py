"""
What may be done now: no card after the end of a deal or before the draws, no pass before the lead, and hands off the
pack and the discard pile (docs/rules.md, 1, 3, 7 and 10).
"""

from __future__ import annotations

from referee.plays import Done, Laid, Pass
from referee.rulebook import FaultId
from referee.rules.marks import same_for_all_cards
from referee.rulings import Fault
from referee.table import NOBODY, Table


@same_for_all_cards
def check_game_over(play: Laid[int], table: Table) -> Fault | None:
    """Check that no card is laid after the end of the deal (game-over; docs/rules.md, 10)."""
    return Fault.of(FaultId.GAME_OVER) if table.is_over else None


@same_for_all_cards
def check_draws_done(play: Laid[int], table: Table) -> Fault | None:
    """Check that no card is laid while draws are owed (draw-pending; draw-too-few where a seat has drawn some)."""
    if not table.due:
        return None
    seat, count = table.due[0]
    if table.is_partly_drawn:
        return Fault.of(FaultId.DRAW_TOO_FEW, seat=seat, short=count)
    return Fault.of(FaultId.DRAW_PENDING, due=table.due)


def check_principal_opens(play: Pass[int] | Done[int], table: Table) -> Fault | None:
    """Check that the principal opens and does not pass (pass-opening; docs/rules.md, 3)."""
    has_begun = table.attack_count or table.has_unread
    return None if has_begun else Fault.of(FaultId.PASS_OPENING, principal=table.attacker)


def check_touch(by: int, table: Table) -> Fault | None:
    """Check that only the dealer touches the pack until the cards are dealt (touched-pack; pagat)."""
    dealers = table.dealers
    if table.rules.touch_pack != "becomes_fool" or (table.is_dealt and not table.is_over):
        return None
    if by in dealers or not dealers:
        return None
    return Fault.of(FaultId.TOUCHED_PACK, seat=by, dealer=dealers[0] if len(dealers) == 1 else NOBODY)


def check_heap_alone(table: Table) -> Fault | None:
    """Check that nobody inspects the discard pile (heap-touched; pagat, Hebrew)."""
    if table.is_over or not table.heap_count:
        return None
    return Fault.of(FaultId.HEAP_TOUCHED)

"""Drawing up (docs/rules.md, 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.plays import Draw
from referee.rulebook import FaultId
from referee.rules.table import EndedBout, Seat, Table
from referee.rulings import Fault

if TYPE_CHECKING:
    from referee.game import GameState


def draws_due(table: Table, ended: EndedBout) -> tuple[tuple[Seat, int], ...]:
    """
    Return the draws after this bout, in order; a short talon is drawn in the same order until it is empty.

    After a transfer the last one to transfer counts as the attacker.
    """
    talon = table.talon_count
    if not talon:
        return ()
    due, out, full = [], table.out, table.rules.hand_size
    began = ended.began if table.rules.draw_to == "start_of_bout" else None
    for seat in draw_order(table, ended):
        count = (full if began is None else began[seat]) - table.held(seat)
        if count > 0 and talon and seat not in out:
            due.append((seat, min(count, talon)))
            talon -= due[-1][1]
    return tuple(due)


def draw_order(table: Table, ended: EndedBout) -> tuple[Seat, ...]:
    """Return all seats in the order in which they draw after this bout."""
    order: tuple[Seat, ...] = table.seating.clockwise_from(ended.attacker)
    if table.rules.draw_order == "attackers_then_defender":
        last = ended.defender
        return (*[seat for seat in order if seat != last], last)
    return order


def check_talon_left(play: Draw, state: GameState) -> Fault | None:
    """Check that no card is drawn from an empty talon (draw-empty)."""
    return None if state.ledger.talon else Fault.of(FaultId.DRAW_EMPTY)


def check_draw_due(play: Draw, state: GameState) -> Fault | None:
    """Check that the draw is owed (draw-not-due)."""
    return None if state.due else Fault.of(FaultId.DRAW_NOT_DUE)


def check_draw_turn(play: Draw, state: GameState) -> Fault | None:
    """Check that seats draw in turn (draw-out-of-turn), each in full before the next (draw-too-few)."""
    head, count = state.due[0]
    if play.by == head:
        return None
    if state.refill.partly:
        return Fault.of(FaultId.DRAW_TOO_FEW, seat=head, short=count)
    return Fault.of(FaultId.DRAW_OUT_OF_TURN, turn=head)


def check_draw_count(play: Draw, state: GameState) -> Fault | None:
    """Check that the seat draws no more than it owes (draw-too-many)."""
    count = state.due[0][1]
    return Fault.of(FaultId.DRAW_TOO_MANY, due=count) if play.count > count else None

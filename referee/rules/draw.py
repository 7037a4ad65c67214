"""Drawing up (docs/rules.md, 7)."""

from __future__ import annotations

from referee.cards import Card
from referee.plays import Draw, Laid
from referee.rulebook import FaultId, Rulebook
from referee.rules.location import check_duplicate, check_heap, check_other_hand, check_pack, check_talon
from referee.rulings import Fault
from referee.table import NOBODY, Table


def draws_due(table: Table) -> tuple[tuple[int, int], ...]:
    """
    Return the draws after the table's bout, in order; a short talon is drawn in the same order until it is empty.

    After a transfer the last one to transfer counts as the attacker.
    """
    talon = table.talon_count
    if not talon:
        return ()
    due, out, full = [], table.out, table.rules.hand_size
    began = table.began if table.rules.draw_to == "start_of_bout" else None
    for seat in draw_order(table):
        count = (full if began is None else began[seat]) - table.held(seat)
        if count > 0 and talon and seat not in out:
            due.append((seat, min(count, talon)))
            talon -= due[-1][1]
    return tuple(due)


def draw_order(table: Table) -> tuple[int, ...]:
    """Return all seats in the order in which they draw after the table's bout."""
    order = table.seating.clockwise_from(table.attacker)
    if table.rules.draw_order == "attackers_then_defender":
        last = table.defender
        return (*[seat for seat in order if seat != last], last)
    return order


def takes_turnup(rules: Rulebook, talon: int) -> bool:
    """Check whether draws that leave ``talon`` cards have taken the turn-up: it is drawn last, or before one card."""
    return talon <= (rules.second_trump != "none")


def check_face(card: Card, count: int, table: Table) -> Fault | None:
    """
    Check that a card seen among ``count`` drawn ones can come from the talon (not-in-pack, dead-card,
    card-held-by-other, duplicate-card; card-in-talon: it lies under cards that are left).
    """
    of_nobody = Laid(NOBODY, (card,))
    for rule in (check_pack, check_heap, check_other_hand, check_duplicate):
        fault = rule(of_nobody, table)
        if fault is not None:
            return fault
    return None if takes_turnup(table.rules, table.talon_count - count) else check_talon(of_nobody, table)


def check_talon_left(play: Draw[int], table: Table) -> Fault | None:
    """Check that no card is drawn from an empty talon (draw-empty)."""
    return None if table.talon_count else Fault.of(FaultId.DRAW_EMPTY)


def check_draw_due(play: Draw[int], table: Table) -> Fault | None:
    """Check that the draw is owed (draw-not-due)."""
    return None if table.due else Fault.of(FaultId.DRAW_NOT_DUE)


def check_draw_turn(play: Draw[int], table: Table) -> Fault | None:
    """Check that seats draw in turn (draw-out-of-turn), each in full before the next (draw-too-few)."""
    head, count = table.due[0]
    if play.by == head:
        return None
    if table.is_partly_drawn:
        return Fault.of(FaultId.DRAW_TOO_FEW, seat=head, short=count)
    return Fault.of(FaultId.DRAW_OUT_OF_TURN, turn=head)


def check_draw_count(play: Draw[int], table: Table) -> Fault | None:
    """Check that the seat draws no more than it owes (draw-too-many)."""
    count = table.due[0][1]
    return Fault.of(FaultId.DRAW_TOO_MANY, due=count) if play.count > count else None

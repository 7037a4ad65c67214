"""Who attacks before whom (docs/rules.md, 3)."""

from __future__ import annotations

from collections.abc import Iterable

from referee.plays import Laid
from referee.rulebook import FaultId
from referee.rules.marks import same_for_all_cards
from referee.rulings import Fault, Verdict
from referee.table import Table


@same_for_all_cards
def check_order(play: Laid[int], table: Table) -> Fault | None:
    """
    Check who attacks before whom (priority, lost-right).

    ``priority`` depends on leave, which is spoken, so it is always unclear. Under hand-over (French) a player who has
    declined may not change his mind: ``lost-right``, where the statement was pressed.
    """
    if table.rules.throw_order == "priority":
        return _priority(play, table)
    if table.rules.throw_order == "handoff":
        return _handoff(play, table)
    return None


def asks_for_leave(table: Table, seats: Iterable[int]) -> bool:
    """Check whether to ask if these seats gave leave: at a strict table, or where one of them pressed ``wait``."""
    return table.rules.etiquette == "strict" or any(table.is_waiting(seat) for seat in seats)


def _priority(play: Laid[int], table: Table) -> Fault | None:
    """Check that every attacker before the player, clockwise from the principal, has stopped or let him (priority)."""
    for seat in table.attackers:
        if seat == play.by:
            return None
        if table.held(seat) and not table.has_passed(seat) and not table.has_allowed(seat, play.by):
            return Fault.of(FaultId.PRIORITY, before=seat)
    return None


def _handoff(play: Laid[int], table: Table) -> Fault | None:
    """
    Check the turn under hand-over: the last attacker goes on until he stops, then the others are asked (lost-right).

    A pass is binding here; when all have declined the attack is over.
    """
    turn = turn_by_handoff(table, play.by)
    if turn == play.by:
        return None
    if turn is None:
        return Fault.of(FaultId.LOST_RIGHT, seat=play.by)
    if table.has_allowed(turn, play.by):
        return None
    return Fault.of(FaultId.PRIORITY, before=turn)


def turn_by_handoff(table: Table, by: int) -> int | None:
    """Return whose turn it is to attack under hand-over; None: all have declined. ``by``: who wants to attack."""
    attackers = [seat for seat in table.attackers if table.held(seat) or seat == by]
    order = [seat for seat in table.seating.clockwise_from(table.last_to_attack) if seat in attackers]
    return next((seat for seat in order if not table.has_passed(seat)), None)


@same_for_all_cards
def check_give_order(play: Laid[int], table: Table) -> Fault | None:
    """
    Check who gives on before whom: the principal first (priority), or the last attacker first (give-order; French).

    ``give-order`` depends on a missing statement, so it is unclear unless the seat before had pressed ``wait``.
    """
    if table.rules.give_order == "priority":
        return _priority(play, table)
    if table.rules.give_order == "last_attacker_first":
        attackers = table.attackers
        for seat in table.seating.clockwise_from(table.last_to_attack):
            if seat == play.by:
                return None
            if seat not in attackers or not table.held(seat):
                continue
            if not table.has_passed(seat) and not table.has_allowed(seat, play.by):
                verdict = Verdict.ILLEGAL if table.is_waiting(seat) else Verdict.UNCLEAR
                return Fault.of(FaultId.GIVE_ORDER, verdict, before=seat)
    return None

"""The end of a bout: when it may be swept, and whose turn comes next (docs/rules.md, 7 and 9)."""

from __future__ import annotations

from referee.plays import Sweep, Take
from referee.rulebook import FaultId
from referee.rules.beat import check_something_to_take
from referee.rulings import Fault, Verdict
from referee.table import Table


def check_sweeper(play: Sweep[int], table: Table) -> Fault | None:
    """Check that only the defender takes (not-defender), while a card lies unbeaten (nothing-to-take)."""
    if isinstance(play.to, str):
        return None
    if play.to != table.defender:
        return Fault.of(FaultId.NOT_DEFENDER, defender=table.defender)
    return None if table.is_taking else check_something_to_take(Take(play.to), table)


def check_taken_whole(play: Sweep[int], table: Table) -> Fault | None:
    """Check that the taker takes all cards, the beaten ones too (take-incomplete; docs/rules.md, 4)."""
    left = tuple(card for card in play.left if card.bit & table.lying)
    to_heap = isinstance(play.to, str)
    if left or (to_heap and table.is_taking):
        return Fault.of(FaultId.TAKE_INCOMPLETE, left=left, to_heap=to_heap)
    return None


def check_all_beaten(play: Sweep[int], table: Table) -> Fault | None:
    """
    Check that only a beaten bout goes to the discard pile (unbeaten-cards).

    Unclear where an unclear card lies on each unbeaten one: if that play stands, so does this sweep.
    """
    if not isinstance(play.to, str) or not table.unbeaten:
        return None
    verdict = Verdict.ILLEGAL if table.unbeaten & ~table.under_unclear else Verdict.UNCLEAR
    return Fault.of(FaultId.UNBEATEN_CARDS, verdict, unbeaten=table.unbeaten_cards)


def check_attack_closed(play: Sweep[int], table: Table) -> Fault | None:
    """
    Check that every attacker has stopped, or can't go on (attack-not-closed).

    Players often sweep without a statement: unclear, unless an attacker had pressed ``wait``.
    """
    if not isinstance(play.to, str):
        return None
    going_on = still_attacking(table)
    if not going_on:
        return None
    verdict = Verdict.ILLEGAL if any(map(table.is_waiting, going_on)) else Verdict.UNCLEAR
    return Fault.of(FaultId.ATTACK_NOT_CLOSED, verdict, seats=going_on)


def still_attacking(table: Table) -> tuple[int, ...]:
    """Return the attackers who could go on and haven't stopped; none at the limit or against an empty hand."""
    if table.attack_count >= table.limit or not table.held(table.defender):
        return ()
    return tuple(seat for seat in table.attackers if table.held(seat) and not table.has_passed(seat))


def next_turn(table: Table, *, is_taken: bool) -> tuple[int, int]:
    """
    Return attacker and defender after the table's bout (docs/rules.md, 7 and 9). At least two seats are not out.

    Without teams the defender attacks after a beaten bout, the next after the taker after a taken one. In teams the
    sides alternate.
    """
    seating, attacker, defender, out = table.seating, table.attacker, table.defender, table.out
    if defender in out and table.rules.defender_out_next == "same_attacker":
        if seating.teams:
            return (
                attacker if attacker not in out else seating.next_of_side(attacker, out),
                seating.next_of_side(defender, out),
            )
        again = attacker if attacker not in out else seating.next_living(attacker, out)
        return again, seating.next_living(again, out)
    if seating.teams:
        if not is_taken:
            leads = defender if defender not in out else seating.next_of_side(defender, out)
            return leads, seating.next_of_side(attacker, out)
        return seating.next_of_side(attacker, out), seating.next_of_side(defender, out)
    leads = defender if not is_taken and defender not in out else seating.next_living(defender, out)
    return leads, seating.next_living(leads, out)

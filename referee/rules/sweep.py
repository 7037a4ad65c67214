"""The end of a bout: when it may be swept, and whose turn comes next (docs/rules.md, 7 and 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.plays import Sweep, Take
from referee.rulebook import FaultId
from referee.rules.beat import check_something_to_take
from referee.rules.table import EndedBout, Seat, Table
from referee.rulings import Fault, Verdict

if TYPE_CHECKING:
    from referee.game import GameState


def check_sweeper(play: Sweep, state: GameState) -> Fault | None:
    """Check that only the defender takes (not-defender), while a card lies unbeaten (nothing-to-take)."""
    bout = state.the_bout
    if play.to not in state.seating.seats:
        return None
    if play.to != bout.defender:
        return Fault.of(FaultId.NOT_DEFENDER, defender=bout.defender)
    return None if state.is_taking else check_something_to_take(Take(play.to), state)


def check_taken_whole(play: Sweep, state: GameState) -> Fault | None:
    """Check that the taker takes all cards, the beaten ones too (take-incomplete; docs/rules.md, 4)."""
    cards = state.the_bout.cards
    left = tuple(card for card in play.left if card in cards)
    to_heap = play.to not in state.seating.seats
    if left or (to_heap and state.is_taking):
        return Fault.of(FaultId.TAKE_INCOMPLETE, left=left, to_heap=to_heap)
    return None


def check_all_beaten(play: Sweep, state: GameState) -> Fault | None:
    """
    Check that only a beaten bout goes to the discard pile (unbeaten-cards).

    Unclear where an unclear card lies on each unbeaten one: if that play stands, so does this sweep.
    """
    unbeaten = state.the_bout.unbeaten
    if play.to in state.seating.seats or not unbeaten:
        return None
    asked = {matter.on for matter in state.matters if matter.verdict is Verdict.UNCLEAR}
    verdict = Verdict.UNCLEAR if asked.issuperset(unbeaten) else Verdict.ILLEGAL
    return Fault.of(FaultId.UNBEATEN_CARDS, verdict, unbeaten=unbeaten)


def check_attack_closed(play: Sweep, state: GameState) -> Fault | None:
    """
    Check that every attacker has stopped, or can't go on (attack-not-closed).

    Players often sweep without a statement: unclear, unless an attacker had pressed ``wait``.
    """
    if play.to in state.seating.seats:
        return None
    going_on = still_attacking(state)
    if not going_on:
        return None
    verdict = Verdict.ILLEGAL if state.the_bout.waiting.intersection(going_on) else Verdict.UNCLEAR
    return Fault.of(FaultId.ATTACK_NOT_CLOSED, verdict, seats=going_on)


def still_attacking(state: GameState) -> tuple[str, ...]:
    """Return the attackers who could go on and haven't stopped; none at the limit or against an empty hand."""
    bout = state.the_bout
    if bout.room == 0 or not state.ledger.hands[bout.defender]:
        return ()
    return tuple(seat for seat in state.attackers if state.ledger.hands[seat] and not bout.has_passed(seat))


def next_turn(table: Table, ended: EndedBout, out: tuple[Seat, ...]) -> tuple[Seat, Seat]:
    """
    Return attacker and defender after ``ended`` (docs/rules.md, 7 and 9). ``out``: who is out; at least two are not.

    Without teams the defender attacks after a beaten bout, the next after the taker after a taken one. In teams the
    sides alternate.
    """
    seating, attacker, defender = table.seating, ended.attacker, ended.defender
    beaten = ended.ended == "beaten"
    if defender in out and table.rules.defender_out_next == "same_attacker":
        if seating.teams:
            return (
                attacker if attacker not in out else seating.next_of_side(attacker, out),
                seating.next_of_side(defender, out),
            )
        again = attacker if attacker not in out else seating.next_living(attacker, out)
        return again, seating.next_living(again, out)
    if seating.teams:
        if beaten:
            leads = defender if defender not in out else seating.next_of_side(defender, out)
            return leads, seating.next_of_side(attacker, out)
        return seating.next_of_side(attacker, out), seating.next_of_side(defender, out)
    leads = defender if beaten and defender not in out else seating.next_living(defender, out)
    return leads, seating.next_living(leads, out)

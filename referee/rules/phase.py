"""
What may be done now: no card after the end of a deal or before the draws, no pass before the lead, and hands off the
pack and the discard pile (docs/rules.md, 1, 3, 7 and 10).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.plays import Done, Laid, Pass
from referee.rulebook import FaultId
from referee.rulings import Fault

if TYPE_CHECKING:
    from referee.game import GameState


def check_game_over(play: Laid, state: GameState) -> Fault | None:
    """Check that no card is laid after the end of the deal (game-over; docs/rules.md, 10)."""
    return Fault.of(FaultId.GAME_OVER) if state.result is not None else None


def check_draws_done(play: Laid, state: GameState) -> Fault | None:
    """Check that no card is laid while draws are owed (draw-pending; draw-too-few where a seat has drawn some)."""
    if not state.due:
        return None
    seat, count = state.due[0]
    if state.refill.partly:
        return Fault.of(FaultId.DRAW_TOO_FEW, seat=seat, short=count)
    return Fault.of(FaultId.DRAW_PENDING, due=state.due)


def check_principal_opens(play: Pass | Done, state: GameState) -> Fault | None:
    """Check that the principal opens and does not pass (pass-opening; docs/rules.md, 3)."""
    bout = state.the_bout
    return None if bout.attacks or bout.faceless else Fault.of(FaultId.PASS_OPENING, principal=bout.attacker)


def check_touch(by: str, state: GameState) -> Fault | None:
    """Check that only the dealer touches the pack until the cards are dealt (touched-pack; pagat)."""
    if state.rules.touch_pack != "becomes_fool":
        return None
    if (state.dealt and state.result is None) or not state.session.dealers:
        return None
    return None if by in state.session.dealers else Fault.of(FaultId.TOUCHED_PACK, seat=by, dealer=state.session.dealer)


def check_heap_alone(state: GameState) -> Fault | None:
    """Check that nobody inspects the discard pile (heap-touched; pagat, Hebrew)."""
    if state.result is not None or not state.ledger.heap_count:
        return None
    return Fault.of(FaultId.HEAP_TOUCHED)

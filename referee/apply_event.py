"""
Judge one event: compute the position after it, its rulings and its announcements.

The functions are pure: the same state and event always give the same result. :mod:`referee.match_judge` keeps the
history of a match and its corrections.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from referee.cards import Card
from referee.dealing import deal
from referee.events import (
    Blocked,
    Corrected,
    Dealt,
    Drawn,
    Lifted,
    Placed,
    Pressed,
    Shown,
    Swapped,
    Swept,
    TableEvent,
    Tick,
    Unread,
)
from referee.free import follow
from referee.game import GameState, Phase, Trust
from referee.invariants import check_books
from referee.laying import lay
from referee.lifting import lift
from referee.open_faults import let_all_stand
from referee.statements import press, show
from referee.step import Results, Step
from referee.sweeping import sweep
from referee.table_correction import correct_table
from referee.talon import draw, swap
from referee.unseen import lay_unread

NO_STEP = Step()

_JUDGES: dict[type[TableEvent], Callable[[GameState, Any, Results], GameState]] = {
    Placed: lay,
    Lifted: lift,
    Swept: sweep,
    Drawn: draw,
    Swapped: swap,
    Shown: show,
    Pressed: press,
    Dealt: deal,
    Unread: lay_unread,
    Corrected: correct_table,
}


def apply_event(state: GameState, event: TableEvent) -> tuple[GameState, Step]:
    """Return the position after an event, with its rulings and announcements. The function is pure."""
    if isinstance(event, Tick | Blocked):
        return state, NO_STEP
    if state.phase is Phase.FREE:
        return follow(state, event), NO_STEP
    results = Results()
    is_seen = state.trust is not Trust.NOTHING
    if isinstance(event, Placed):
        state = state.but(moment=state.moment + 1)
    else:
        # Any other event ends the play of the cards laid so far.
        state = state.but(moment=state.moment + 1, laying=None)
    state = _JUDGES[type(event)](state, event, results)
    if not is_seen:
        results.soften()
    if state.matters and state.session.silent:
        state = let_all_stand(state, results)
    check_books(state)
    return state, results.step()


def renamed(event: TableEvent, was: Card, card: Card) -> TableEvent:
    """Return the event with the card ``was`` named ``card``, where it refers to a card on the table."""
    if isinstance(event, Lifted) and event.card == was:
        return replace(event, card=card)
    if isinstance(event, Placed | Unread) and event.on == was:
        return replace(event, on=card)
    if isinstance(event, Swept):
        return replace(event, left=tuple(card if each == was else each for each in event.left))
    return event

"""
One event, one judgement: what stands after it and what it brought.

Pure: the same state and event always give the same answer. The history of a match, and corrections to it, are kept by
:mod:`referee.referee`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

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
from referee.game import GameState
from referee.invariants import check_books
from referee.judgement import Step, Told
from referee.laying import DOUBTS, lay
from referee.lifting import lift
from referee.open_faults import let_all_stand
from referee.statements import press, show
from referee.sweeping import sweep
from referee.table_correction import correct_table
from referee.talon import draw, swap
from referee.unread import lay_unread

NOTHING_SAID = Step()

_JUDGES: dict[type[TableEvent], Callable[[GameState, Any, Told], GameState]] = {
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


def judge(state: GameState, event: TableEvent) -> tuple[GameState, Step]:
    """What stands after an event, and what it brought. Pure: the same state and event give the same answer."""
    if isinstance(event, Tick):
        return state, NOTHING_SAID
    if isinstance(event, Blocked):
        return state.but(blind=True), NOTHING_SAID
    told = Told()
    before, doubtful = state.blind, _is_doubtful(event)
    if doubtful:
        state = state.but(blind=True)
    if isinstance(event, Placed):
        state = state.but(moment=state.moment + 1)
    else:
        # Whatever else happens, the cards laid so far are a play of their own.
        state = state.but(moment=state.moment + 1, laying=None)
    if state.read_as:
        event = _as_taken(event, state)
    state = _JUDGES[type(event)](state, event, told)
    if before:
        told.soften()
    if doubtful:
        state = state.but(blind=before and state.blind)
    if state.matters and state.session.silent:
        state = let_all_stand(state, told)
    check_books(state)
    return state, told.step()


def _is_doubtful(event: TableEvent) -> bool:
    """
    Is it told with so much doubt that by itself it accuses nobody? Then it is judged as if not all had been seen.

    How a doubtful card is laid is judged by its readings (:mod:`referee.laying`).
    """
    told_so = event.confidence is not None and event.confidence < DOUBTS.sure
    return told_so and isinstance(event, Swept | Drawn | Swapped | Lifted | Shown)


def _as_taken(event: TableEvent, state: GameState) -> TableEvent:
    """A doubtful card is called by the name it was seen under, and taken for the one it could be."""
    for seen, taken in state.read_as.items():
        event = renamed(event, seen, taken)
    return event


def renamed(event: TableEvent, was: Card, card: Card) -> TableEvent:
    """Later events that name the card by its wrong name mean the same card."""
    if isinstance(event, Lifted) and event.card == was:
        return replace(event, card=card)
    if isinstance(event, Placed | Unread) and event.on == was:
        return replace(event, on=card)
    if isinstance(event, Swept):
        return replace(event, left=tuple(card if each == was else each for each in event.left))
    return event

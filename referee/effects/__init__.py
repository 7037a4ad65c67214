"""
The position at the beginning of a match, and after an event, with its rulings and announcements.

The functions are pure: the same state and event always give the same result. :mod:`referee.match_judge` keeps the
history of a match and its corrections.

After every event the invariants of the ledger are checked (:mod:`referee.effects.books`). A violation is a bug of ours
and no player's fault, so it raises. Plays that the players let stand are no bug: the state records forgone draws and
cards that went to the discard pile without a partner, and the checks allow for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import structs

from referee.cards import Card
from referee.effects.announce import announcements
from referee.effects.books import check_books
from referee.effects.deal import deal
from referee.effects.draw import draw
from referee.effects.free import follow
from referee.effects.lay import lay
from referee.effects.lift import lift
from referee.effects.shown import show
from referee.effects.stand import let_all_stand
from referee.effects.stated_table import correct_table
from referee.effects.statements import press
from referee.effects.swap import swap
from referee.effects.sweep import last_sweep, sweep
from referee.effects.unread import lay_unread, name_unread
from referee.events import (
    Blocked,
    Corrected,
    Dealt,
    Drawn,
    Lifted,
    Named,
    Placed,
    Pressed,
    Shown,
    Swapped,
    Swept,
    TableEvent,
    Tick,
    Unread,
)
from referee.game import GameState, Phase
from referee.rulings import Announcement, Results, Step

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
    Named: name_unread,
    Corrected: correct_table,
}


def apply(state: GameState, event: TableEvent) -> tuple[GameState, Step]:
    """Return the position after an event, with its rulings and announcements. The function is pure."""
    if isinstance(event, Tick | Blocked):
        return state, NO_STEP
    if state.phase is Phase.FREE:
        return follow(state, event), NO_STEP
    results = Results()
    announced: tuple[Announcement, ...] = ()
    if isinstance(event, Dealt) and (unswept := last_sweep(state)) is not None:
        swept = sweep(state.replace(laying=None), unswept, results)
        state, announced = swept, announcements(state, swept)
    # Any other event than a further card ends the play of the cards laid so far.
    laying = state.laying if isinstance(event, Placed) else None
    after: GameState = _JUDGES[type(event)](state.at_moment(state.moment + 1, laying), event, results)
    if after.matters and after.session.silent:
        after = let_all_stand(after)
    check_books(after)
    return after, Step(tuple(results.rulings), (*results.notes, *announced, *announcements(state, after)))


def renamed(event: TableEvent, was: Card, card: Card) -> TableEvent:
    """Return the event with the card ``was`` named ``card``, where it refers to a card on the table."""
    if isinstance(event, Lifted) and event.card == was:
        return structs.replace(event, card=card)
    if isinstance(event, Placed | Unread) and event.on == was:
        return structs.replace(event, on=card)
    if isinstance(event, Swept):
        return structs.replace(event, left=tuple(card if left == was else left for left in event.left))
    return event

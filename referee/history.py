"""Find the faults of the current or last bout: the answer to a challenge."""

from __future__ import annotations

from typing import NamedTuple

from referee.cards import Card
from referee.events import Lifted, Pressed, TableEvent, is_same_play
from referee.game import GameState
from referee.rulings import Ruling


class Entry(NamedTuple):
    """One line of the history: the event, the position before it, and the rulings on it."""

    event: TableEvent
    before: GameState
    rulings: tuple[Ruling, ...]


def faults_of_last_bout(history: tuple[Entry, ...], state: GameState) -> tuple[Ruling, ...]:
    """
    Return the faults of the current bout, or of the one before it where none has begun, oldest first.

    Left out are faults that rest on spoken leave alone, faults whose card has been taken back since, and refused
    statements, which were answered at once.
    """
    bout = state.bout
    if bout is None:
        return ()
    going_on = bout.attacks or bout.strays or bout.ended or state.matters
    last = bout.number if going_on else bout.number - 1
    found: list[Ruling] = []
    taken_back: set[Card] = set()
    following: TableEvent | None = None
    for entry in reversed(history):
        before, event = entry.before, entry.event
        number = before.bout.number if before.bout is not None else 1
        if before.session.deal != state.session.deal or number < last:
            break
        if isinstance(event, Lifted):
            taken_back.add(event.card)
        if not isinstance(event, Pressed) and not is_same_play(event, following):
            found[:0] = [
                ruling
                for ruling in entry.rulings
                if ruling.fault is not None
                and not (ruling.cards and taken_back.issuperset(ruling.cards))
                and not ruling.rests_on_leave
            ]
        following = event
    return tuple(found)

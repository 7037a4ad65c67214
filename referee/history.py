"""
What has happened, event by event, each with the position before it: replayed after a correction, asked by a challenge.
"""

from __future__ import annotations

from typing import NamedTuple

from referee.announcements import Announcement
from referee.cards import Card
from referee.corrections import what_no_longer_holds
from referee.events import Lifted, Pressed, TableEvent, is_same_play
from referee.game import GameState
from referee.judge import renamed
from referee.judgement import Step
from referee.rulings import Ruling
from referee.worlds import Worlds, judge_all


class Entry(NamedTuple):
    """One event of the history: as it is taken to have been, the position before it, and what it brought."""

    event: TableEvent
    before: Worlds
    step: Step


History = tuple[Entry, ...]


def replayed(old: History, changed: TableEvent, card: Card) -> tuple[History, Worlds]:
    """The same events with the first one changed; ``card``: the name by which later ones call its card."""
    worlds = old[0].before
    new_name = getattr(changed, "card", card)
    entries: list[Entry] = []
    for place, entry in enumerate(old):
        event = entry.event
        if place == 0:
            event = changed
        elif new_name is not None:
            event = renamed(event, card, new_name)
        before = worlds
        worlds, step, retold = judge_all(before, event)
        if retold:
            # Doubts from before the change are settled where they arose; here only what came after it can be retold.
            told = retold[-len(entries) :] if entries else ()
            entries[len(entries) - len(told) :] = retold_as(tuple(entries[len(entries) - len(told) :]), told)
        entries.append(Entry(event, before, step))
    return tuple(entries), worlds


def retold_as(entries: History, told: tuple[Step, ...]) -> History:
    return tuple(entry._replace(step=step) for entry, step in zip(entries, told, strict=True))


def what_changed(old: History, new: History, was: GameState, now: GameState) -> Step:
    """Rulings and announcements that are new, and announcements that have lost their ground."""
    rulings: list[Ruling] = []
    announcements: list[Announcement] = []
    withdrawn: list[Announcement] = []
    for before, after in zip(old, new, strict=True):
        called = [(ruling.verdict, ruling.fault, ruling.cards) for ruling in before.step.rulings if ruling.fault]
        rulings += [
            ruling
            for ruling in after.step.rulings
            if ruling not in before.step.rulings and (ruling.verdict, ruling.fault, ruling.cards) not in called
        ]
        announcements += [each for each in after.step.announcements if each not in before.step.announcements]
        withdrawn += [each for each in before.step.announcements if each not in after.step.announcements]
    gone = tuple(each for each in withdrawn if each not in announcements)
    return Step(tuple(rulings), (*what_no_longer_holds(gone, was, now), *announcements))


def faults_of_last_bout(history: History, state: GameState) -> tuple[Ruling, ...]:
    """
    The faults found in the bout that lies there, or where none does in the one before it, oldest first.

    Not those that rest on spoken leave alone, nor those whose card has been taken back since, nor refused statements:
    they were answered at once.
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
        before, event = entry.before[0].state, entry.event
        number = before.bout.number if before.bout is not None else 1
        if before.session.deal != state.session.deal or number < last:
            break
        if isinstance(event, Lifted):
            taken_back.add(event.card)
        if not isinstance(event, Pressed) and not is_same_play(event, following):
            found[:0] = [
                ruling
                for ruling in entry.step.rulings
                if ruling.fault is not None
                and not (ruling.cards and taken_back.issuperset(ruling.cards))
                and not ruling.rests_on_leave
            ]
        following = event
    return tuple(found)

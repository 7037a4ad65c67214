"""
The front door: a header opens a match, events are fed one by one, each gives a :class:`Step`.

The referee keeps every event with the state before it. So a press of ``undo`` goes back one event, and a correction
(``reread``, ``assign``) changes what was seen, judges everything since anew and announces only what changed. The same
way a doubt is settled by what follows: where somebody seems to have broken a rule, and the fault is gone if another
seat had laid a card that nobody saw being laid, then that seat has laid it.

>>> from referee.record import Header, event_from_json
>>> referee = Referee(Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B"}))
>>> referee.feed(event_from_json({"at": 1.5, "event": "dealt", "turnup": "9h"})).announcements[0].as_json()
{'announce': 'talon', 'count': 24}
>>> referee.state.as_json()["phase"]
'lead'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from referee.announcements import Announcement
from referee.cards import Card
from referee.corrections import assigned, other_readings, reread, what_no_longer_holds
from referee.dealing import open_match
from referee.events import Blocked, Dealt, Placed, Pressed, Reread, TableEvent, Tick
from referee.game import GameState
from referee.judge import judge, renamed
from referee.record import Header, check_seats
from referee.rulings import FaultId, Ruling, Verdict
from referee.telling import Step, Told

__all__ = ["Referee", "Step", "judge"]

DOUBTS_KEPT = 3
"""How many cards of unknown hands are thought over when a fault turns up: the newest of the deal. Older ones stand."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of the history: as it is taken to have been, the state before it, and what it brought."""

    event: TableEvent
    before: GameState
    step: Step


@dataclass(frozen=True, slots=True)
class Turn:
    """What one fed event did to the history: from ``place`` on it had been ``entries``, and the state ``before``."""

    event: TableEvent
    place: int
    entries: tuple[Entry, ...]
    before: GameState
    step: Step


class Referee:
    """Judges one match. ``opening``: what the header itself brought; ``state``: what stands now."""

    def __init__(self, header: Header) -> None:
        told = Told()
        self.header = header
        self._state = open_match(header, told)
        self._history: list[Entry] = []
        self._turns: list[Turn] = []
        self._withheld: tuple[Ruling, ...] = ()
        self.opening: Step = told.step()

    @property
    def state(self) -> GameState:
        """The position now."""
        return self._state

    @property
    def is_withholding(self) -> bool:
        """Is a ruling kept back, because more cards of the same play may still make it legal?"""
        return bool(self._withheld)

    def settle(self) -> Step:
        """No more cards belong to the last play: the ruling that was kept back."""
        rulings, self._withheld = self._withheld, ()
        return Step(rulings)

    def feed(self, event: TableEvent) -> Step:
        """Judge one event. A ruling kept back from the event before comes first, unless this card makes it void."""
        check_seats(event, self.header.seats)
        withheld, self._withheld = self._withheld, ()
        if isinstance(event, Pressed) and event.button == "undo":
            return self._undo()
        if isinstance(event, Reread):
            step = self._correct(event, lambda seen: reread(seen, event, self._state), event.was)
        elif isinstance(event, Pressed) and event.button == "assign" and event.card is not None:
            step = self._correct(event, lambda seen: assigned(seen, event), event.card)
        else:
            step = self._happened(event)
            if isinstance(event, Placed) and self._continues_last_play():
                withheld = ()
            if self._may_still_become_legal(step):
                self._withheld, step = step.rulings, replace(step, rulings=())
        return replace(step, rulings=(*withheld, *step.rulings)) if withheld else step

    def _happened(self, event: TableEvent) -> Step:
        place, before = len(self._history), self._state
        self._state, step = judge(before, event)
        self._history.append(Entry(event, before, step))
        if any(_accuses(ruling) for ruling in step.rulings):
            explained = self._explained(event, step)
            if explained is not None:
                return explained
        self._turns.append(Turn(event, place, (), before, step))
        return step

    def _continues_last_play(self) -> bool:
        laying = self._state.laying
        return laying is not None and len(laying.cards) > 1

    def _may_still_become_legal(self, step: Step) -> bool:
        """Pairs and one extra card are laid one by one; only the last one tells."""
        return (
            self._state.rules.opening == "pairs_plus_one"
            and self._state.laying is not None
            and len(step.rulings) == 1
            and step.rulings[0].fault is FaultId.OPENING_SHAPE
        )

    def _undo(self) -> Step:
        """Take back the newest event; a tick or a blocked view said nothing that could be taken back."""
        while self._turns:
            turn = self._turns.pop()
            now, self._state = self._state, turn.before
            self._history[turn.place :] = turn.entries
            if not isinstance(turn.event, Tick | Blocked):
                return Step((), what_no_longer_holds(turn.step.announcements, now, self._state))
        return Step((), (Announcement.of("doubt", reason="nothing-to-undo"),))

    def _correct(self, event: TableEvent, change: Callable[[TableEvent], TableEvent | None], card: Card) -> Step:
        """Change the newest event that ``change`` gives a new reading of, and judge everything since anew."""
        before = self._state
        for place in range(len(self._history) - 1, -1, -1):
            changed = change(self._history[place].event)
            if changed is not None:
                old = tuple(self._history[place:])
                entries, self._state = _replayed(old, changed, card)
                self._history[place:] = entries
                step = _what_changed(old, entries, before, self._state)
                break
        else:
            place, old = len(self._history), ()
            step = Step((), (Announcement.of("doubt", reason="card-not-on-table", card=card),))
        self._turns.append(Turn(event, place, old, before, step))
        return step

    def _explained(self, event: TableEvent, step: Step) -> Step | None:
        """Is the fault gone if another seat had laid one of the cards that nobody saw being laid? Then it has."""
        last = len(self._history) - 1
        before = self._history[last].before
        thought_over = 0
        for place in range(last - 1, -1, -1):
            entry = self._history[place]
            if isinstance(entry.event, Dealt) or thought_over == DOUBTS_KEPT:
                return None
            readings = other_readings(entry.event, entry.before)
            thought_over += bool(readings)
            old = tuple(self._history[place:])
            for changed in readings:
                entries, state = _replayed(old, changed, changed.card if isinstance(changed, Placed) else None)
                if _accusations(entries) < _accusations(old) and not any(map(_accuses, entries[-1].step.rulings)):
                    self._history[place:] = entries
                    # What is new about this event is all it brought; about those before, what has changed.
                    earlier = _what_changed(old[:-1], entries[:-1], before, entries[-1].before)
                    now = entries[-1].step
                    explained = Step((*earlier.rulings, *now.rulings), (*earlier.announcements, *now.announcements))
                    self._turns.append(Turn(event, place, old[:-1], before, explained))
                    self._state = state
                    return explained
        return None


def _accuses(ruling: Ruling) -> bool:
    return ruling.verdict in (Verdict.ILLEGAL, Verdict.IMPOSSIBLE)


def _accusations(entries: tuple[Entry, ...]) -> int:
    return sum(_accuses(ruling) for entry in entries for ruling in entry.step.rulings)


def _replayed(old: tuple[Entry, ...], changed: TableEvent, card: Card | None) -> tuple[tuple[Entry, ...], GameState]:
    """The same events with the first one changed; ``card``: the name by which later ones call its card."""
    state = old[0].before
    new_name = getattr(changed, "card", card)
    entries = []
    for place, entry in enumerate(old):
        event = entry.event
        if place == 0:
            event = changed
        elif card is not None and new_name is not None and new_name != card:
            event = renamed(event, card, new_name)
        before = state
        state, step = judge(before, event)
        entries.append(Entry(event, before, step))
    return tuple(entries), state


def _what_changed(old: tuple[Entry, ...], new: tuple[Entry, ...], was: GameState, now: GameState) -> Step:
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

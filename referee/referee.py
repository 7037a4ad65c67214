"""
The front door: a header opens a match, events are fed one by one, each gives a :class:`Step`.

The referee keeps every event with the position before it. So a press of ``undo`` goes back one event, and a correction
(``reread``, ``assign``) changes what was seen, judges everything since anew and announces only what changed. What is in
doubt is judged in every plausible way side by side (:mod:`referee.worlds`); what follows may settle it, and then too
only what changed is announced.

>>> from referee.record import Header, event_from_json
>>> referee = Referee(Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B"}))
>>> referee.feed(event_from_json({"at": 1.5, "event": "dealt", "turnup": "9h"})).announcements[0].as_json()
{'announce': 'talon', 'count': 24}
>>> referee.state.as_json()["phase"]
'lead'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from referee.announcements import Announcement
from referee.cards import Card
from referee.corrections import assigned, reread, what_no_longer_holds
from referee.dealing import open_match
from referee.events import Blocked, Placed, Pressed, Reread, TableEvent, Tick
from referee.free import follow
from referee.game import GameState, Phase
from referee.history import Entry, History, faults_of_last_bout, replayed, retold_as, what_changed
from referee.judge import NOTHING_SAID, judge
from referee.judgement import Step, Told
from referee.laying import may_become_legal
from referee.record import Header, check_seats
from referee.rulings import Ruling
from referee.worlds import World, Worlds, judge_all

__all__ = ["Referee", "Step", "judge"]


class Turn(NamedTuple):
    """What one fed event did to the history: from ``place`` on it had been ``entries``, and the position ``before``."""

    event: TableEvent
    place: int
    entries: History
    before: Worlds
    step: Step


class Referee:
    """Judges one match. ``opening``: what the header itself brought; ``state``: what stands now."""

    def __init__(self, header: Header) -> None:
        told = Told()
        self.header = header
        self._worlds: Worlds = (World(open_match(header, told)),)
        self._history: list[Entry] = []
        self._turns: list[Turn] = []
        self._withheld: tuple[Ruling, ...] = ()
        self.opening: Step = told.step()

    @property
    def state(self) -> GameState:
        """The position now, as the referee believes it to be."""
        return self._worlds[0].state

    @property
    def readings(self) -> int:
        """How many readings of what is in doubt are judged side by side; 1: nothing is in doubt."""
        return len(self._worlds)

    @property
    def is_withholding(self) -> bool:
        """Is a ruling kept back, because more cards of the same play may still make it legal?"""
        return bool(self._withheld)

    def settle(self) -> Step:
        """No more cards belong to the last play: the ruling that was kept back."""
        rulings, self._withheld = self._withheld, ()
        return Step(() if self.header.tone == "silent" else rulings)

    def feed(self, event: TableEvent) -> Step:
        """Judge one event. A ruling kept back from the event before comes first, unless this card makes it void."""
        check_seats(event, self.header.seats)
        step = self._fed(event)
        if self.header.tone == "silent" and not (isinstance(event, Pressed) and event.button != "assign"):
            # Whoever presses a button is answered; what lies on the table is spoken of when somebody challenges it.
            return replace(step, rulings=())
        return step

    def _fed(self, event: TableEvent) -> Step:
        withheld, self._withheld = self._withheld, ()
        if self.state.phase is Phase.FREE:
            self._worlds = (World(follow(self.state, event)),)
            return NOTHING_SAID
        if isinstance(event, Pressed) and event.button == "undo":
            return self._undo()
        if isinstance(event, Pressed) and event.button == "challenge":
            return self._challenged(event)
        if isinstance(event, Reread):
            step = self._correct(event, lambda seen: reread(seen, event, self.state), event.was)
        elif isinstance(event, Pressed) and event.button == "assign" and event.card is not None:
            step = self._correct(event, lambda seen: assigned(seen, event), event.card)
        else:
            step = self._happened(event)
            if isinstance(event, Placed) and self._continues_last_play():
                withheld = ()
            if may_become_legal(self.state, step.rulings):
                self._withheld, step = step.rulings, replace(step, rulings=())
        return replace(step, rulings=(*withheld, *step.rulings)) if withheld else step

    def _happened(self, event: TableEvent) -> Step:
        before = self._worlds
        self._worlds, step, retold = judge_all(before, event)
        self._history.append(Entry(event, before, step))
        if not retold:
            self._turns.append(Turn(event, len(self._history) - 1, (), before, step))
            return step
        # A doubt is settled against what was believed. What is new about this event is all it brought; about those
        # before, what has changed.
        place = len(self._history) - 1 - len(retold)
        old = tuple(self._history[place:-1])
        self._history[place:-1] = retold_as(old, retold)
        earlier = what_changed(old, tuple(self._history[place:-1]), before[0].state, self.state)
        said = tuple(each for each in earlier.announcements if each not in step.announcements)
        settled = Step((*earlier.rulings, *step.rulings), (*said, *step.announcements))
        self._turns.append(Turn(event, place, old, before, settled))
        return settled

    def _continues_last_play(self) -> bool:
        laying = self.state.laying
        return laying is not None and len(laying.cards) > 1

    def _undo(self) -> Step:
        """Take back the newest event; a tick or a blocked view said nothing that could be taken back."""
        while self._turns:
            turn = self._turns.pop()
            now, self._worlds = self.state, turn.before
            self._history[turn.place :] = turn.entries
            if not isinstance(turn.event, Tick | Blocked):
                return Step((), what_no_longer_holds(turn.step.announcements, now, self.state))
        return Step((), (Announcement.of("doubt", reason="nothing-to-undo"),))

    def _challenged(self, event: Pressed) -> Step:
        """What the ledger says of the last bout: of the one that lies there, or else of the one before it."""
        found = faults_of_last_bout(tuple(self._history), self.state)
        step = Step(found, (Announcement.of("challenge", count=len(found)),))
        self._turns.append(Turn(event, len(self._history), (), self._worlds, step))
        return step

    def _correct(self, event: TableEvent, change: Callable[[TableEvent], TableEvent | None], card: Card) -> Step:
        """Change the newest event that ``change`` gives a new reading of, and judge everything since anew."""
        before = self._worlds
        for place in range(len(self._history) - 1, -1, -1):
            changed = change(self._history[place].event)
            if changed is not None:
                old = tuple(self._history[place:])
                entries, self._worlds = replayed(old, changed, card)
                self._history[place:] = entries
                step = what_changed(old, entries, before[0].state, self.state)
                break
        else:
            place, old = len(self._history), ()
            step = Step((), (Announcement.of("doubt", reason="card-not-on-table", card=card),))
        self._turns.append(Turn(event, place, old, before, step))
        return step

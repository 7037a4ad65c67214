"""
The front door: a header opens a match, events are fed one by one, each gives a :class:`Step`.

The referee keeps every event with the state before it. So a press of ``undo`` goes back one event, and a correction
(``reread``, ``assign``) changes what was seen, judges everything since anew and announces only what changed.

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
from typing import Any

from referee.announcements import Announcement
from referee.cards import Card
from referee.dealing import deal, open_match
from referee.errors import InvariantError
from referee.events import (
    Blocked,
    Dealt,
    Drawn,
    Lifted,
    Placed,
    Pressed,
    Reread,
    Shown,
    Swapped,
    Swept,
    TableEvent,
    Tick,
)
from referee.game import GameState
from referee.laying import lay
from referee.lifting import lift
from referee.record import Header, check_seats
from referee.rulings import FaultId, Ruling
from referee.speaking import press, show
from referee.sweeping import sweep
from referee.talon import draw, swap
from referee.telling import Step, Told

__all__ = ["Referee", "Step", "judge"]

NOTHING_SAID = Step()


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of the history: as it is taken to have been, the state before it, and what it brought."""

    event: TableEvent
    before: GameState
    step: Step


class Referee:
    """Judges one match. ``opening``: what the header itself brought; ``state``: what stands now."""

    def __init__(self, header: Header) -> None:
        told = Told()
        self.header = header
        self._state = open_match(header, told)
        self._history: list[Entry] = []
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
            step = self._undo()
            withheld = ()
        elif isinstance(event, Reread):
            step = self._correct(lambda seen: _reread(seen, event, self._state), event.was)
        elif isinstance(event, Pressed) and event.button == "assign" and event.card is not None:
            step = self._correct(lambda seen: _assigned(seen, event), event.card)
        else:
            step = self._judge(event)
            if isinstance(event, Placed) and self._continues_last_play():
                withheld = ()
            self._history.append(Entry(event, self._before, step))
        if self._may_still_become_legal(step):
            self._withheld, step = step.rulings, replace(step, rulings=())
        return replace(step, rulings=(*withheld, *step.rulings)) if withheld else step

    def _judge(self, event: TableEvent) -> Step:
        self._before = self._state
        self._state, step = judge(self._state, event)
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
        while self._history:
            entry = self._history.pop()
            now, self._state = self._state, entry.before
            if not isinstance(entry.event, Tick | Blocked):
                return Step((), _what_no_longer_holds(entry.step.announcements, now, self._state))
        return Step((), (Announcement.of("doubt", reason="nothing-to-undo"),))

    def _correct(self, change: Callable[[TableEvent], TableEvent | None], card: Card) -> Step:
        """Change the newest event that ``change`` gives a new reading of, and judge everything since anew."""
        for place in range(len(self._history) - 1, -1, -1):
            changed = change(self._history[place].event)
            if changed is not None:
                return self._replay(place, changed, card)
        return Step((), (Announcement.of("doubt", reason="card-not-on-table", card=card),))

    def _replay(self, place: int, changed: TableEvent, card: Card) -> Step:
        old = self._history[place:]
        now = self._state
        self._state = old[0].before
        new_name = getattr(changed, "card", card)
        entries = [Entry(changed, self._state, self._judge(changed))]
        for entry in old[1:]:
            event = _renamed(entry.event, card, new_name) if new_name != card else entry.event
            before = self._state
            entries.append(Entry(event, before, self._judge(event)))
        self._history[place:] = entries
        rulings: list[Ruling] = []
        announcements: list[Announcement] = []
        withdrawn: list[Announcement] = []
        for was, entry in zip(old, entries, strict=True):
            rulings += [ruling for ruling in entry.step.rulings if ruling not in was.step.rulings]
            announcements += [each for each in entry.step.announcements if each not in was.step.announcements]
            withdrawn += [each for each in was.step.announcements if each not in entry.step.announcements]
        gone = [each for each in withdrawn if each not in announcements]
        return Step(tuple(rulings), (*_what_no_longer_holds(tuple(gone), now, self._state), *announcements))


_LASTING = frozenset({"lead", "turn", "draw", "turnup", "trump", "out", "result", "deal", "score"})
"""Announcements of something that stands until it is withdrawn; counts and limits are simply said again."""


def _what_no_longer_holds(said: tuple[Announcement, ...], was: GameState, now: GameState) -> tuple[Announcement, ...]:
    """What to say when these announcements have lost their ground: that they have, and the counts as they are."""
    found = [Announcement.of("withdrawn", of=each.kind, **each.facts) for each in said if each.kind in _LASTING]
    if was.ledger.talon != now.ledger.talon:
        found.append(Announcement.of("talon", count=now.ledger.talon))
    if was.bout is not None and now.bout is not None and was.bout.limit != now.bout.limit:
        found.append(Announcement.of("limit", count=now.bout.limit))
    return tuple(found)


def _reread(seen: TableEvent, event: Reread, state: GameState) -> TableEvent | None:
    """The event that saw the card wrongly, with the card as it is."""
    was = state.read_as.get(event.was, event.was)
    if isinstance(seen, Placed) and seen.card in (event.was, was):
        return replace(seen, card=event.card, confidence=None, alternatives=())
    if isinstance(seen, Dealt) and seen.turnup == event.was:
        return replace(seen, turnup=event.card)
    if isinstance(seen, Shown) and seen.card == event.was:
        return replace(seen, card=event.card)
    return None


def _assigned(seen: TableEvent, event: Pressed) -> TableEvent | None:
    """The laying of the card, by the seat that is said to have laid it."""
    if isinstance(seen, Placed) and seen.card == event.card:
        return replace(seen, by=event.to)
    return None


def _renamed(event: TableEvent, was: Card, card: Card) -> TableEvent:
    """Later events that name the card by its wrong name mean the same card."""
    if isinstance(event, Lifted) and event.card == was:
        return replace(event, card=card)
    if isinstance(event, Placed) and event.on == was:
        return replace(event, on=card)
    if isinstance(event, Swept) and was in event.left:
        return replace(event, left=tuple(card if each == was else each for each in event.left))
    return event


_JUDGES: dict[type[TableEvent], Callable[[GameState, Any, Told], GameState]] = {
    Placed: lay,
    Lifted: lift,
    Swept: sweep,
    Drawn: draw,
    Swapped: swap,
    Shown: show,
    Pressed: press,
    Dealt: deal,
}


def judge(state: GameState, event: TableEvent) -> tuple[GameState, Step]:
    """What stands after an event, and what it brought. Pure: the same state and event give the same answer."""
    if isinstance(event, Tick):
        return state, NOTHING_SAID
    if isinstance(event, Blocked):
        return replace(state, blind=True), NOTHING_SAID
    told = Told()
    if isinstance(event, Placed):
        state = replace(state, moment=state.moment + 1)
    else:
        # Whatever else happens, the cards laid so far are a play of their own.
        state = replace(state, moment=state.moment + 1, laying=None)
    if state.read_as:
        event = _as_taken(event, state)
    state = _JUDGES[type(event)](state, event, told)
    check_books(state)
    return state, told.step()


def _as_taken(event: TableEvent, state: GameState) -> TableEvent:
    """A doubtful card is called by the name it was seen under, and taken for the one it could be."""
    for seen, taken in state.read_as.items():
        event = _renamed(event, seen, taken)
    return event


def check_books(state: GameState) -> None:
    """Every card of the pack is in exactly one place, or the referee stops and says so."""
    ledger, bout = state.ledger, state.bout
    count = ledger.count + (bout.count if bout is not None else 0)
    if count != state.rules.pack or ledger.talon < 0 or ledger.heap_count < len(ledger.heap):
        raise InvariantError(
            f"expected {state.rules.pack} cards in all, got {count}: talon {ledger.talon}, heap {ledger.heap_count}, "
            f"hands {dict(ledger.hands)}, table {[str(card) for card in bout.cards] if bout else []}; "
            "keep the record, replaying it shows the mistake again"
        )
    for seat, held in ledger.hands.items():
        if held < len(ledger.known[seat]):
            raise InvariantError(
                f"expected at most {held} known cards in the hand of {seat}, got "
                f"{sorted(str(card) for card in ledger.known[seat])}; keep the record"
            )

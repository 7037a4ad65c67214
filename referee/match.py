"""
Interface for programs: a match whose events are given one by one, as dictionaries or as parsed events.

Four functions know the rules. They read a position, and a match asks them too: what may be played, what is wrong with
a play, the position after an event (plays that stand although they are wrong included), and what a later position
brings that has to be announced.

>>> from referee import Match, announcements, apply, fault_of, legal_plays
>>> from referee.events import Drawn
>>> from referee.plays import Draw
>>> match = Match({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["Anna", "Boris"], "dealer": "Boris", "start": {
...     "trump": "h", "turnup": "9h", "talon": 24, "hands": {"Anna": 6, "Boris": 6}, "attacker": "Anna"}})
>>> for play in ("Anna: 7s", "Boris: 8s over 7s", "Anna: pass", "sweep to heap"):
...     _ = match.play(next(each for each in match.legal_plays() if str(each) == play))
>>> before = match.position
>>> [str(play) for play in legal_plays(before, "Anna")]
['Anna: swap 6h', 'Anna: draw 1']
>>> str(fault_of(Draw("Boris", 1), before).id)
'draw-out-of-turn'
>>> after, _ = apply(before, Drawn(at=7, by="Anna"))
>>> [(each.kind, dict(each.facts)) for each in announcements(before, after)]
[('talon', {'count': 23})]
"""

from __future__ import annotations

from referee.events import TableEvent
from referee.fields import Facts
from referee.game import GameState
from referee.header import Header
from referee.legal import events_of, legal_plays
from referee.match_judge import MatchJudge
from referee.plays import Play
from referee.record import event_from_json
from referee.rules import fault_of
from referee.rulings import Announcement, Fault, Message, Ruling


class Match:
    """
    One match. ``header``: the first line of a record (docs/record.md), parsed or not.

    Raises :class:`~referee.errors.RecordError` or :class:`~referee.errors.RulebookError` where it can't be used.
    """

    def __init__(self, header: Header | Facts) -> None:
        self.header = header if isinstance(header, Header) else Header.parse(dict(header))
        self._judge = MatchJudge(self.header)
        self._at: float | None = None
        self.line = 1

    def apply(self, event: TableEvent | Facts) -> tuple[Message, ...]:
        """
        Return the rulings and announcements that an event brings, each with the line that it belongs to.

        Events count from line 2. An event that can't be used raises :class:`~referee.errors.RecordError`, and the match
        stays as it is.
        """
        parsed = event if isinstance(event, TableEvent) else event_from_json(dict(event), self._at)
        messages = self._judge.apply(self.line + 1, parsed)
        self.line, self._at = self.line + 1, parsed.at
        return messages

    @property
    def position(self) -> GameState:
        """Return the position, as the rules read it."""
        return self._judge.state

    def legal_plays(self, seat: str | None = None) -> tuple[Play, ...]:
        """Return the plays that break no rule: those of one seat, or all (:func:`referee.legal.legal_plays`)."""
        return tuple(legal_plays(self.position, seat))

    def fault_of(self, play: Play) -> Fault | None:
        """Return the fault of the first rule that a play would break now; None: it is legal."""
        return fault_of(play, self.position)

    def play(self, play: Play) -> tuple[Message, ...]:
        """Make a play one second after the event before, legal or not, and return what it brings."""
        at = (self._at or 0.0) + 1.0
        found = [message for event in events_of(play, at) for message in self.apply(event)]
        return (*found, *self._judge.end_play())

    def __str__(self) -> str:
        """Return the position as text: what is trump, who holds how many cards, what lies on the table."""
        state = self.state
        trump, out = state["trump"], state["out"]
        roles = {state["attacker"]: "attacks", state["defender"]: "defends"}
        lines = [f"{state['phase']}; trump {trump or 'unknown'}, talon {state['talon']}, beaten {state['heap']}"]
        for seat, held in state["hands"].items():
            known = " ".join(state["known"].get(seat, ()))
            role = "out" if seat in out else roles.get(seat, "waits")
            lines.append(f"{seat} {role}, {held} cards{': ' * bool(known)}{known}")
        table = " ".join(card if over is None else f"{card}/{over}" for card, over in state["table"])
        return "\n".join((*lines, f"table: {table or '-'}"))

    def finish(self) -> tuple[Message, ...]:
        """Return what was still undecided: no more events come."""
        return (*self._judge.end_play(), *self._judge.finish())

    @property
    def state(self) -> Facts:
        """Return the position that a spectator could know (docs/record.md, *The state*)."""
        return self._judge.state.as_json()

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """Return the rulings that hold, oldest first, without those that were withdrawn."""
        return tuple(message.what for message in self._judge.holding if isinstance(message.what, Ruling))

    @property
    def announcements(self) -> tuple[Announcement, ...]:
        """Return the announcements that hold, oldest first."""
        return tuple(message.what for message in self._judge.holding if isinstance(message.what, Announcement))

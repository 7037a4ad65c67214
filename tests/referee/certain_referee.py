"""
Referee certain events one by one, without line numbers, for records in memory.

>>> from referee.record import Header, event_from_json
>>> referee = Referee(Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B"}))
>>> referee.apply(event_from_json({"at": 1.5, "event": "dealt", "turnup": "9h"})).announcements[0].as_json()
{'announce': 'talon', 'count': 24}
>>> referee.state.as_json()["phase"]
'lead'
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from referee.events import TableEvent
from referee.game import GameState
from referee.header import Header
from referee.match_judge import MatchJudge
from referee.rulings import Announcement, Message, Ruling, Step


class Referee:
    """Judge one match with a person as its source, whatever its header names. ``opening``: the result of the header."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self._judge = MatchJudge(replace(header, witness="person"))
        self._line = 1
        self.opening = _step_of(self._judge.opening)

    @property
    def state(self) -> GameState:
        """Return the current position."""
        return self._judge.state

    @property
    def holds_back_ruling(self) -> bool:
        """Check whether a ruling is held back because further cards of the same play may still make it legal."""
        return self._judge.holds_back_ruling

    @property
    def readings(self) -> int:
        """Return the number of hypotheses; 1: nothing is uncertain."""
        return self._judge.readings

    def end_play(self) -> Step:
        """End the last play: return the ruling that was held back."""
        return _step_of(self._judge.end_play())

    def apply(self, event: TableEvent) -> Step:
        """Judge one event. A ruling held back from the event before comes first, unless this card makes it void."""
        self._line += 1
        return _step_of(self._judge.apply(self._line, event))


def _step_of(messages: Iterable[Message]) -> Step:
    found = [message.what for message in messages]
    rulings = tuple(result for result in found if isinstance(result, Ruling))
    return Step(rulings, tuple(result for result in found if isinstance(result, Announcement)))

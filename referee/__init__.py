"""
A referee for Durak: the header and the events of a match go in, rulings, announcements and the position come out.

>>> from referee import Match
>>> match = Match({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["Anna", "Boris"], "dealer": "Boris", "start": {
...     "trump": "h", "turnup": "9h", "talon": 24, "hands": {"Anna": 6, "Boris": 6}, "attacker": "Anna"}})
>>> [message.what.as_json() for message in match.apply({"at": 1, "event": "placed", "card": "7s", "by": "Anna"})]
[{'ruling': 'legal', 'play': 'lead', 'cards': ['7s'], 'by': 'Anna'}]
>>> wrong, = match.apply({"at": 3, "event": "placed", "card": "8d", "by": "Boris", "on": "7s"})
>>> str(wrong.what.verdict), str(wrong.what.fault), wrong.line
('illegal', 'does-not-beat', 3)
>>> match.state["table"], match.state["open"][0]["cards"]
([['7s', None]], ['8d'])
>>> corrected = {"at": 4, "event": "corrected", "by": "Anna", "line": 3}
>>> beat = {"event": "placed", "card": "8s", "by": "Boris", "on": "7s"}
>>> [message.as_json().get("withdrawn") for message in match.apply({**corrected, "to": beat})]
[None, 'does-not-beat']
>>> _ = match.apply({"at": 5, "event": "pressed", "button": "done"})
>>> match.apply({"at": 6, "event": "swept", "to": "heap"})[-1].what.as_json()
{'announce': 'draw', 'due': [['Anna', 1], ['Boris', 1]], 'talon': 24}
>>> match.state["phase"], match.state["heap"], [ruling.play for ruling in match.rulings]
('draw', 2, ['lead', 'beat'])
"""

from referee.effects import apply
from referee.effects.announce import announcements
from referee.legal import legal_plays
from referee.match import Match
from referee.rules import fault_of

__all__ = ["Match", "announcements", "apply", "fault_of", "legal_plays"]

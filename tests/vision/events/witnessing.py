"""What the tests of the witness share: events, hands, and referees that accuse as they are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from referee.cards import Card
from referee.events import Blocked, Drawn, Placed, Swept, TableEvent
from referee.foresight import Foresight
from referee.record import Header, event_from_json
from referee.referee import Referee
from vision.events.witness import Witness
from vision.observation import HandVisit, TalonCall

START = {"trump": "h", "turnup": "Kh", "talon": 8, "hands": {"A": 6, "B": 6}, "attacker": "A"}

THREE = {"trump": "h", "turnup": "Kh", "talon": 8, "hands": {"A": 6, "B": 6, "C": 6}, "attacker": "A"}

THREE_AT_A_TABLE = {
    "kozyr": 1,
    "rules": "podkidnoy-36",
    "seats": ["A", "B", "C"],
    "dealer": "C",
    "start": {**START, "hands": {"A": 6, "B": 6, "C": 6}, "talon": 0, "turnup": None},
}


def placed(card: str, at: float = 1.0, confidence: float | None = None, on: str | None = None) -> Placed:
    """A card laid by A."""
    return Placed(
        at=at, card=Card.parse(card), by="A", confidence=confidence, on=None if on is None else Card.parse(on)
    )


def same(event: TableEvent) -> TableEvent:
    """Still as it was."""
    return event


class Forewarned:
    """Stands for the referee: accuses whoever lays one of these cards."""

    def __init__(self, *cards: str, **said: object) -> None:
        self.cards, self.said = {Card.parse(card) for card in cards}, said

    def __call__(self, events: tuple[TableEvent, ...]) -> Foresight:
        blocked = any(isinstance(event, Blocked) for event in events)
        met = any(isinstance(event, Placed) and event.card in self.cards for event in events)
        return Foresight(accuses=met and not blocked, **self.said)  # type: ignore[arg-type]


class Takers:
    """Stands for the referee: accuses whoever takes cards, and of cards those named."""

    def __init__(self, *cards: str) -> None:
        self.cards = {Card.parse(card) for card in cards}

    def __call__(self, events: tuple[TableEvent, ...]) -> Foresight:
        blind = False
        for event in events:
            blind = blind or isinstance(event, Blocked)
            takes = isinstance(event, Swept) and event.to != "heap"
            if not blind and (takes or (isinstance(event, Placed) and event.card in self.cards)):
                return Foresight(accuses=True)
        return Foresight()


def heard(witness: Witness, event: TableEvent) -> list[type[TableEvent]]:
    """What is told of an event in the end."""
    told = witness.hear([event], same, (), event.at, 5) or witness.hear([], same, (), event.at + 1, 9)
    return [type(each) for each in told]


def accusing(*accused: TableEvent):
    """Stands for the referee: accuses of these events, however surely told, unless word of doubt stands before them."""

    def foresee(events: tuple[TableEvent, ...]) -> Foresight:
        hedged = met = False
        for event in events:
            met |= any(replace(event, confidence=other.confidence) == other for other in accused) and not hedged
            hedged = isinstance(event, Blocked) or (hedged and not isinstance(event, Swept))
        return Foresight(accuses=met)

    return foresee


def bout_of_two(referee: Referee) -> None:
    """A and B have laid one card each, A owes himself two after a throw-in that was beaten as well."""
    for line in (
        {"at": 1, "event": "placed", "card": "8s", "by": "A"},
        {"at": 2, "event": "placed", "card": "9s", "by": "B", "on": "8s"},
        {"at": 3, "event": "placed", "card": "9c", "by": "A"},
        {"at": 4, "event": "placed", "card": "Jc", "by": "B", "on": "9c"},
        {"at": 5, "event": "swept", "to": "heap"},
        {"at": 6, "event": "drawn", "by": "A", "count": 1},
    ):
        referee.feed(event_from_json(line))


def drawing(seat: str, at: float) -> HandVisit:
    """A hand that was at the talon."""
    return HandVisit(3, seat, 0.95, at - 0.5, at + 0.3, seat, talon_calls=(TalonCall(at, 20.0),))


def at_talon(carried: float | None) -> tuple[HandVisit, ...]:
    """A's hand was at the talon and came away at 5 s."""
    return (HandVisit(1, "A", 1.0, 4.0, 5.2, talon_calls=(TalonCall(5.0, 20.0, carried),)),)


def no_draw_is_due(events: tuple[TableEvent, ...]) -> Foresight:
    """Stands for a referee in whose game nobody has to draw."""
    drawn = [k for k, event in enumerate(events) if isinstance(event, Drawn)]
    return Foresight(accuses=any(not any(isinstance(event, Blocked) for event in events[:k]) for k in drawn))


def witnessed(*events: Placed, other_place: Callable[[Placed], Placed | None]) -> list[TableEvent]:
    """What is told of cards laid one after the other, where some may lie elsewhere as well."""
    referee = Referee(Header.parse(THREE_AT_A_TABLE))
    witness = Witness(referee.foresee)
    told: list[TableEvent] = []
    for event in events:
        quick = witness.hear([event], same, (), event.at + 0.2, 5, other_place=other_place)
        for heard in quick or witness.hear([], same, (), event.at + 2, 9, other_place=other_place):
            referee.feed(heard)
            told.append(heard)
    return told

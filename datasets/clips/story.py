"""The story of a clip: a position and the steps played from it, without movements."""

from __future__ import annotations

from dataclasses import dataclass

from referee.cards import Card, Suit
from referee.events import HEAP


@dataclass(frozen=True, slots=True)
class StoryStart:
    """
    Where all cards are when a bout begins.

    ``hands``: one tuple per seat, in the order of ``seats``. ``talon``: top card first, the turn-up last. ``bout``: 1
    is the first of the deal.
    """

    seats: tuple[str, ...]
    hands: tuple[tuple[Card, ...], ...]
    talon: tuple[Card, ...]
    heap: tuple[Card, ...]
    trump: Suit
    attacker: str
    bout: int = 1
    beaten_off: int = 0

    def hand(self, seat: str) -> tuple[Card, ...]:
        """Return the cards of one seat."""
        return self.hands[self.seats.index(seat)]

    @property
    def living(self) -> tuple[str, ...]:
        """Return the seats that hold cards, clockwise from the first seat."""
        return tuple(seat for seat in self.seats if self.hand(seat))

    def after(self, seat: str) -> str:
        """Return the next living seat clockwise after ``seat``."""
        count = len(self.seats)
        at = self.seats.index(seat)
        ring = (self.seats[(at + step) % count] for step in range(1, count + 1))
        return next(other for other in ring if self.hand(other))


@dataclass(frozen=True, slots=True)
class LayStep:
    """
    ``seat`` lays ``card`` across ``on``, or beside the others.

    ``fault``: the id of a fault made on purpose. ``also``: further cards of the same play, each across a card or
    beside.
    """

    seat: str
    card: Card
    on: Card | None = None
    fault: str | None = None
    also: tuple[tuple[Card, Card | None], ...] = ()

    @property
    def cards(self) -> tuple[tuple[Card, Card | None], ...]:
        """Return all cards with what they lie across."""
        return ((self.card, self.on), *self.also)


@dataclass(frozen=True, slots=True)
class LiftStep:
    """``seat`` takes one card of the bout back; ``to_heap``: puts it on the heap, from where it had come."""

    seat: str
    card: Card
    to_heap: bool = False


@dataclass(frozen=True, slots=True)
class SweepStep:
    """
    The bout is cleared: to the heap, or into the hand of seat ``to``.

    ``by``: whose arm does it; None: whoever sits nearest. ``left``: cards left lying.
    """

    to: str
    by: str | None = None
    left: tuple[Card, ...] = ()
    fault: str | None = None

    @property
    def is_take(self) -> bool:
        """Do the cards go into a hand?"""
        return self.to != HEAP


@dataclass(frozen=True, slots=True)
class DrawStep:
    """
    ``seat`` draws the top card of the talon; ``seen``: the last card drawn is the turn-up, which lay face up.

    ``more``: the cards below, drawn together with it.
    """

    seat: str
    card: Card
    seen: bool = False
    more: tuple[Card, ...] = ()
    fault: str | None = None

    @property
    def cards(self) -> tuple[Card, ...]:
        """Return all cards, the top one first."""
        return (self.card, *self.more)


@dataclass(frozen=True, slots=True)
class PutBackStep:
    """``seat`` puts cards that it should not have drawn back onto the talon. No event reports it."""

    seat: str
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class DealStep:
    """
    ``dealer`` deals the pack round: to each of ``seats`` in turn ``packet`` cards, ``hand_size`` in all.

    ``cards``: in the order of the pack, the top one first. ``talon``: what is left, the top one first. ``turnup`` is
    laid open at the end; where it belongs to the talon, the rest of that is put across it.
    """

    dealer: str
    seats: tuple[str, ...]
    cards: tuple[Card, ...]
    packet: int
    turnup: Card | None
    talon: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class SwapStep:
    """``seat`` exchanges ``card`` for the turn-up ``gets``."""

    seat: str
    card: Card
    gets: Card
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class ShowStep:
    """``seat`` shows ``card`` and keeps it."""

    seat: str
    card: Card
    fault: str | None = None


Step = LayStep | LiftStep | SweepStep | DrawStep | PutBackStep | DealStep | SwapStep | ShowStep


def events_of(step: Step, at: float) -> list[dict[str, object]]:
    """Return the lines of the record for a step (docs/record.md)."""
    line: dict[str, object]
    if isinstance(step, LayStep):
        lines: list[dict[str, object]] = []
        for card, on in step.cards:
            line = {"at": at, "event": "placed", "card": str(card), "by": step.seat}
            lines.append(line | ({"on": str(on)} if on else {}))
        if step.fault:
            lines[-1]["fault"] = step.fault
        return lines
    if isinstance(step, PutBackStep):
        return []
    if isinstance(step, DealStep):
        line = {"at": at, "event": "dealt", "turnup": str(step.turnup) if step.turnup else None}
    elif isinstance(step, LiftStep):
        line = {"at": at, "event": "lifted", "card": str(step.card), "by": step.seat}
    elif isinstance(step, SweepStep):
        line = {"at": at, "event": "swept", "to": step.to}
        if step.left:
            line["left"] = [str(card) for card in step.left]
    elif isinstance(step, DrawStep):
        line = {"at": at, "event": "drawn", "by": step.seat, "count": len(step.cards)}
        if step.seen:
            line["card"] = str(step.cards[-1])
    else:
        kind = "swapped" if isinstance(step, SwapStep) else "shown"
        line = {"at": at, "event": kind, "card": str(step.card), "by": step.seat}
    if not isinstance(step, LiftStep | DealStep) and step.fault:
        line["fault"] = step.fault
    return [line]


@dataclass(frozen=True, slots=True)
class Story:
    """
    A stretch of a deal: its opening position, the steps, and the fool (None: a draw, or not played to the end).

    ``head``: the record's first line where it isn't that of plain podkidnoy.
    """

    start: StoryStart
    steps: tuple[Step, ...]
    fool: str | None
    turnup: Card | None
    free: bool = False
    head: dict[str, object] | None = None

    def header(self, rules: str = "podkidnoy-36") -> dict[str, object]:
        """Return the record's first line; ``free``: everybody throws in at any time."""
        if self.head is not None:
            return self.head
        start = self.start
        dealer = start.seats[-1]
        return {
            "kozyr": 1,
            "rules": rules,
            "options": {"throw_order": "free"} if self.free else {},
            "seats": list(start.seats),
            "dealer": dealer,
            "start": {
                "trump": str(start.trump),
                "turnup": str(self.turnup) if self.turnup and start.talon else None,
                "talon": len(start.talon),
                "hands": {seat: len(start.hand(seat)) for seat in start.seats},
                "attacker": start.attacker,
                "heap_count": len(start.heap),
                "bout": start.bout,
                "beaten_off": start.beaten_off,
            },
        }

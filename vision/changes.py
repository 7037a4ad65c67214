"""
Two observations in, table events out: what a witness could swear to.

Theory of operation. A card that has come is ``placed``, at once. A card that has gone opens a *departure*: whether it
was lifted or the bout is being swept shows only when the hand has left, because people gather cards one by one and in
one go. A departure ends when the hand that took the cards is out of the picture (and has not come back for more):

    gone to a heap that now looks different            -> swept to the heap, ``left`` what still lies
    gone with a hand, every card laid by that seat      -> lifted, card by card (taken back)
    gone with a hand, nothing left lying, or several    -> swept to that seat
    gone with a hand, one card, others still lying      -> lifted

A hand that was at the talon and is clear of it has drawn a card, unless it was sweeping. A face that turns out to be
another is ``reread``. Nothing here invents: who laid a card is the hand that was there, and nobody where two fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from referee.cards import Card
from referee.events import HEAP, Dealt, Drawn, Lifted, Placed, Reread, Swapped, Swept, TableEvent
from referee.table import HandVisit, LyingCard, Observation, Touch


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """Times and distances by which changes are told apart."""

    near_mm: float = 115.0
    """A hand that laid a card had its tips (or the card's far edge) this near to its middle."""
    clearly_nearer_mm: float = 45.0
    """Of two hands the one nearer by this much is meant."""
    least_share: float = 0.2
    """A hand that laid or took a card hid at least this share of its place."""
    heap_wait_s: float = 0.7
    """After the hand has left, so long the heap is given to show its change."""
    regather_s: float = 1.4
    """So long a hand that took some of the cards is given to come back for the others."""
    linger_s: float = 3.0
    """A hand that stays in the picture so long after the last card went is done with them."""
    draw_wait_s: float = 0.5
    """After a hand was at the talon, so long a sweep by it is given to show."""
    last_draw_wait_s: float = 1.6
    """While only the turn-up is left, so long it is given to be seen gone."""
    sure: float = 0.97
    """Surer readings are told without alternatives."""
    flip: float = 0.9
    """A settled card is reread once another name is as sure as this."""


@dataclass(frozen=True, slots=True)
class _Told:
    card: Card
    by: str | None
    at: float


@dataclass(slots=True)
class _Departure:
    """Cards that went, and the hand that may have them."""

    began_at: float
    last_at: float
    noticed_at: float
    cards: list[tuple[int, _Told]] = field(default_factory=list)
    touched: list[Touch] = field(default_factory=list)


class Changes:
    """
    Feed it the newest observation and the hands, frame by frame; it answers with events, in order of time.

    ``bout``: cards known to lie there from the start; ``talon``: how many cards lie there with the turn-up, None if
    nobody said. ``dealt``: the deal is over; if not, a turn-up coming to lie under the talon tells it.
    """

    def __init__(
        self,
        bout: Sequence[Card] = (),
        talon: int | None = None,
        dealt: bool = True,
        settings: ChangeSettings = ChangeSettings(),
    ) -> None:
        self.settings = settings
        self._known_bout = set(bout)
        self._talon = talon
        self._dealt = dealt
        self._seen: Observation | None = None
        self._told: dict[int, _Told] = {}
        self._departure: _Departure | None = None
        self._calls: dict[tuple[int, int], float] = {}
        self._sweepers: dict[int, float] = {}
        self._pile_gone_at: float | None = None
        self._heap_began_at = -1e9
        self._last_at = 0.0

    @property
    def is_waiting(self) -> bool:
        """Is something still open that time alone will decide?"""
        return self._departure is not None

    def feed(
        self, seen: Observation, hands: tuple[HandVisit, ...], at: float, in_doubt: bool = False
    ) -> tuple[TableEvent, ...]:
        """
        Name what changed.

        ``at``: the time of the newest frame; ``seen`` may be the same observation as before. ``in_doubt``: more has
        changed than is understood yet, so what rests on nothing else having happened must wait.
        """
        events: list[TableEvent] = []
        before, self._seen = self._seen, seen
        if before is None:
            events += self._begin(seen)
        elif seen is not before:
            if before.heap is None and seen.heap is not None:
                self._heap_began_at = at
            if before.talon is not None and seen.talon is None:
                self._pile_gone_at = at
            self._note_gone(seen, at)
            arrived = [card for card in seen.bout if card.key not in self._told]
            if arrived and self._departure is not None:
                events += self._end_departure(seen, hands, at, forced=True)
            events += self._arrivals(arrived, hands)
            events += self._rereads(seen)
            events += self._turnup(before, seen, hands, at)
        events += self._end_departure(seen, hands, at, forced=False)
        events += self._draws(seen, hands, at, in_doubt)
        return self._in_order(events)

    def finish(self, hands: tuple[HandVisit, ...], at: float) -> tuple[TableEvent, ...]:
        """No more frames will come: tell what is still open, as it looks now."""
        if self._seen is None:
            return ()
        events = self._end_departure(self._seen, hands, at, forced=True)
        events += self._draws(self._seen, hands, at + self.settings.last_draw_wait_s, False)
        return self._in_order(events)

    def _in_order(self, events: list[TableEvent]) -> tuple[TableEvent, ...]:
        """Time never runs backwards: an event understood late bears at least the time of the one before."""
        told = []
        for event in events:
            at = max(round(event.at, 2), self._last_at)
            self._last_at = at
            told.append(replace(event, at=at))
        return tuple(told)

    def _begin(self, seen: Observation) -> list[TableEvent]:
        """What lies there at the start is known, but for cards of the bout that nobody spoke of."""
        events: list[TableEvent] = []
        if not self._dealt and seen.turnup is not None:
            self._dealt = True
            events.append(Dealt(at=seen.at, turnup=seen.turnup.card))
        for card in seen.bout:
            if card.card in self._known_bout:
                self._told[card.key] = _Told(card.card, None, seen.at)
        return events + self._arrivals([card for card in seen.bout if card.key not in self._told], ())

    def _arrivals(self, arrived: list[LyingCard], hands: tuple[HandVisit, ...]) -> list[TableEvent]:
        """Cards that have come to lie, the lower before the upper."""
        events: list[TableEvent] = []
        plays: dict[int, float] = {}
        for card in arrived:
            visit = self._who(card, arrived, hands)
            by = None if visit is None else visit.seat
            at = card.clear_at
            if visit is not None:
                # What one visit of a hand laid down is one play: one time, that of its last card.
                at = plays.setdefault(
                    visit.number, max(c.clear_at for c in arrived if self._who(c, arrived, hands) == visit)
                )
            on = self._told.get(card.on) if card.on is not None else None
            self._told[card.key] = _Told(card.card, by, at)
            events.append(
                Placed(
                    at=at,
                    card=card.card,
                    by=by,
                    on=None if on is None else on.card,
                    confidence=round(card.confidence, 3),
                    alternatives=card.alternatives if card.confidence < self.settings.sure else (),
                )
            )
        return sorted(events, key=lambda event: event.at)

    def _who(self, card: LyingCard, arrived: list[LyingCard], hands: tuple[HandVisit, ...]) -> HandVisit | None:
        """The visit that brought a card; None where nobody was seen or two fit."""
        fitting = self._fitting(card.touched)
        visits = {visit.number: visit for visit in hands}
        fitting = [touch for touch in fitting if touch.visit in visits]
        if not fitting:
            return None
        if len(fitting) == 1 or fitting[1].tip_mm - fitting[0].tip_mm > self.settings.clearly_nearer_mm:
            return visits[fitting[0].visit]
        candidates = sorted((visits[touch.visit] for touch in fitting), key=lambda visit: visit.came_at)
        if len({visit.seat for visit in candidates}) == 1:
            return candidates[-1]
        # Two hands, two cards one on the other: the first hand laid the lower one.
        if len(candidates) == 2:
            if any(other.on == card.key for other in arrived):
                return candidates[0]
            if any(other.key == card.on for other in arrived):
                return candidates[1]
        return None

    def _fitting(self, touched: Sequence[Touch]) -> list[Touch]:
        """Touches that may have laid or taken a card, the nearest finger tips first."""
        near = [t for t in touched if t.share >= self.settings.least_share and t.tip_mm <= self.settings.near_mm]
        return sorted(near, key=lambda touch: touch.tip_mm)

    def _rereads(self, seen: Observation) -> list[TableEvent]:
        events: list[TableEvent] = []
        for card in seen.bout:
            told = self._told.get(card.key)
            if told is not None and told.card != card.card and card.confidence >= self.settings.flip:
                events.append(Reread(at=seen.at, was=told.card, card=card.card, confidence=round(card.confidence, 3)))
                self._told[card.key] = replace(told, card=card.card)
        return events

    def _turnup(
        self, before: Observation, seen: Observation, hands: tuple[HandVisit, ...], at: float
    ) -> list[TableEvent]:
        """The turn-up was exchanged, drawn as the last card, or has come to lie (the deal is over)."""
        old, new = before.turnup, seen.turnup
        if old is None:
            if new is not None and not self._dealt:
                self._dealt = True
                return [Dealt(at=seen.at, turnup=new.card)]
            return []
        if new is not None:
            if new.card == old.card or new.confidence < self.settings.flip:
                return []
            if new.key == old.key:
                return []  # the same card, read better now
            visit = self._taker(new.touched, hands)
            self._spend_calls(visit, at)
            return [Swapped(at=new.clear_at, card=new.card, by=None if visit is None else visit.seat)]
        gone = next((g for g in seen.gone if g.key == old.key), None)
        visit = None if gone is None else self._taker(gone.touched, hands)
        count = 1
        if before.talon is not None and self._talon is not None:
            # Talon and turn-up went together: all that was left was drawn at once.
            count = max(1, self._talon)
        self._spend_calls(visit, at)
        self._talon = 0
        return [
            Drawn(
                at=seen.at if gone is None else gone.at,
                by=None if visit is None else visit.seat,
                count=count,
                card=old.card,
            )
        ]

    def _spend_calls(self, visit: HandVisit | None, at: float) -> None:
        """What a hand did at the talon is told; its being there is no draw beside that."""
        if visit is not None:
            for k in range(len(visit.talon_calls)):
                self._calls[(visit.number, k)] = at

    def _taker(self, touched: Sequence[Touch], hands: tuple[HandVisit, ...]) -> HandVisit | None:
        visits = {visit.number: visit for visit in hands}
        fitting = [touch for touch in self._fitting(touched) if touch.visit in visits]
        if not fitting:
            return None
        seats = {visits[touch.visit].seat for touch in fitting}
        clear = len(fitting) == 1 or fitting[1].tip_mm - fitting[0].tip_mm > self.settings.clearly_nearer_mm
        return visits[fitting[0].visit] if clear or len(seats) == 1 else None

    def _note_gone(self, seen: Observation, at: float) -> None:
        for gone in seen.gone:
            told = self._told.pop(gone.key, None)
            if told is None:
                continue
            if self._departure is None:
                self._departure = _Departure(gone.at, gone.at, at)
            self._departure.cards.append((gone.key, told))
            self._departure.touched += list(gone.touched)
            self._departure.began_at = min(self._departure.began_at, gone.at)
            self._departure.last_at = max(self._departure.last_at, gone.at)
            self._departure.noticed_at = at

    def _end_departure(
        self, seen: Observation, hands: tuple[HandVisit, ...], at: float, forced: bool
    ) -> list[TableEvent]:
        """Say where the cards went, as soon as that shows."""
        departure, s = self._departure, self.settings
        if departure is None:
            return []
        visit = self._sweeper(departure, hands)
        left = tuple(self._told[card.key].card for card in seen.bout if card.key in self._told)
        to_heap = self._went_to_heap(departure, seen, visit)
        if not forced and not to_heap:
            still_in = visit is not None and visit.left_at is None
            since = (
                departure.noticed_at
                if visit is None or visit.left_at is None
                else max(visit.left_at, departure.noticed_at - s.heap_wait_s / 2)
            )
            wait = s.linger_s if still_in else s.regather_s if left else s.heap_wait_s
            back_again = (
                left
                and visit is not None
                and any(
                    other.left_at is None and other.seat == visit.seat and other.number != visit.number
                    for other in hands
                )
            )
            if at - since < wait or (back_again and at - departure.noticed_at < 2 * s.linger_s):
                return []
        if (
            not forced
            and to_heap
            and left
            and visit is not None
            and visit.left_at is None
            and at - departure.noticed_at < s.linger_s
        ):
            return []  # still gathering
        self._departure = None
        if visit is not None:
            self._sweepers[visit.number] = departure.last_at
        return self._name_departure(departure, visit, left, to_heap)

    def _name_departure(
        self, departure: _Departure, visit: HandVisit | None, left: tuple[Card, ...], to_heap: bool
    ) -> list[TableEvent]:
        cards = [told for _, told in departure.cards]
        at = departure.last_at
        if to_heap:
            return [Swept(at=at, to=HEAP, left=left)]
        seat = None if visit is None else visit.seat
        taken_back = seat is not None and all(told.by == seat for told in cards)
        likely = seat or (None if visit is None else visit.likely)
        if taken_back or (len(cards) == 1 and left) or likely is None:
            return [Lifted(at=at, card=told.card, by=seat) for told in cards]
        share = visit.share if visit is not None and seat is None else None
        return [Swept(at=at, to=likely, left=left, confidence=share)]

    def _went_to_heap(self, departure: _Departure, seen: Observation, visit: HandVisit | None) -> bool:
        """Has the heap come to be or changed since the cards began to leave?"""
        if seen.heap is None or seen.heap.changed_at is None or seen.heap.changed_at < departure.began_at - 0.5:
            return False
        # A heap that lay there before changes only by a hand that was at it.
        return visit is None or self._heap_began_at >= departure.began_at - 0.5 or visit.heap_at is not None

    def _sweeper(self, departure: _Departure, hands: tuple[HandVisit, ...]) -> HandVisit | None:
        """The hand that took the cards: nearest to most of them."""
        visits = {visit.number: visit for visit in hands}
        votes: dict[int, float] = {}
        for touch in departure.touched:
            if touch.visit in visits and touch.share >= self.settings.least_share:
                votes[touch.visit] = votes.get(touch.visit, 0.0) + 1 / (30 + touch.tip_mm)
        return visits[max(votes, key=lambda number: votes[number])] if votes else None

    def _draws(self, seen: Observation, hands: tuple[HandVisit, ...], at: float, in_doubt: bool) -> list[TableEvent]:
        """Hands that were at the talon and came away: each has a card."""
        s = self.settings
        events: list[TableEvent] = []
        for visit in hands:
            for k, call in enumerate(visit.talon_calls):
                if (visit.number, k) in self._calls:
                    continue
                bare = seen.talon is None and (self._pile_gone_at is None or call.at > self._pile_gone_at)
                only_turnup = bare and seen.turnup is not None
                wait = s.last_draw_wait_s if only_turnup or in_doubt else s.draw_wait_s
                if at - call.at < wait or self._departure is not None:
                    continue
                self._calls[(visit.number, k)] = at
                swept_at = self._sweepers.get(visit.number)
                if bare:
                    continue  # the turn-up still lies there: nothing was drawn; or it was told with the turn-up
                if swept_at is not None and call.at < swept_at + 1.0:
                    continue
                if self._talon is not None:
                    self._talon -= 1
                events.append(Drawn(at=call.at, by=visit.seat, count=1, confidence=None if visit.seat else visit.share))
        return sorted(events, key=lambda event: event.at)

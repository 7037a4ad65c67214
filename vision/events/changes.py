"""
Two observations in, table events out: what a witness could swear to.

Theory of operation. A card that has come is ``placed``, at once. What has gone is a departure (``departures``): lifted
or swept, told when the hand that took it has left.

A hand that was at the talon and is clear of it has drawn a card, unless it was sweeping. A face that turns out to be
another is ``reread``. Nothing here invents: who laid a card is the hand that was there, and nobody where two fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from referee.cards import Card
from referee.events import Dealt, Drawn, Placed, Reread, Swapped, TableEvent, Unread
from vision.events.departures import Departures, DepartureSettings, ToldCard
from vision.initial_state import InitialState
from vision.observation import Gone, HandVisit, LyingCard, Observation, Pose, Touch


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """Times and distances by which changes are told apart."""

    near_mm: float = 115.0
    """A hand that laid a card had its tips (or the card's far edge) this near to its middle."""
    clearly_nearer_mm: float = 45.0
    """Of two hands the one nearer by this much is meant."""
    least_share: float = 0.2
    """A hand that laid or took a card hid at least this share of its place."""
    hardly: float = 0.25
    """A card that shares less than this with the one it lies across may have been meant to lie beside it."""
    put_back: float = -0.25
    """A hand that came away from the talon with so much less of a card's back than before (in cards) put one there."""
    draw_wait_s: float = 0.12
    """After a hand was at the talon with nothing in the bout to sweep, so long it is given to come back."""
    sweep_wait_s: float = 0.7
    """With cards in the bout, so long a sweep by that hand is given to show after it has left."""
    doubt_wait_s: float = 0.35
    """With nothing in the bout and the talon in view, so long a draw waits for what is not understood yet."""
    last_draw_wait_s: float = 1.6
    """While only the turn-up is left, or something is not understood yet, so long it is given to be seen gone."""
    sure: float = 0.97
    """Surer readings are told without alternatives."""
    flip: float = 0.9
    """A settled card is reread once another name is as sure as this."""
    exchange: float = 0.6
    """So surely must the new turn-up be read where the old one was seen in a hand."""
    deal_s: float = 5.0
    """So long after a card has come to lie where nothing was dealt yet, a talon is given to be put on it."""
    exchange_s: float = 4.0
    """No longer than this a card that may be exchanged for the turn-up waits for its hand to leave."""
    read_at_last: float = 0.7
    """A card told as unread is named when it is as sure as this."""
    departures: DepartureSettings = field(default_factory=DepartureSettings)


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
        self._told: dict[int, ToldCard] = {}
        self._lay_on: dict[int, int | None] = {}
        self._lay_at: dict[int, Pose] = {}
        self._departures = Departures(settings.departures)
        self._calls: dict[tuple[int, int], float] = {}
        self._pile_gone_at: float | None = None
        self._draw_asks_at: float | None = None
        self._last_at = 0.0
        self._turnup_known: LyingCard | None = None
        self._exchanged: Card | None = None
        self._was_pulled = False
        self._unread: dict[int, LyingCard] = {}
        self._unread_told: set[int] = set()
        self._put_down: tuple[Card, ...] = ()
        self._is_drawing = False

    @property
    def is_waiting(self) -> bool:
        """Is something still open that time alone will decide?"""
        return self._departures.is_open

    @property
    def waits(self) -> tuple[str, ...]:
        """What has been seen and can't be told yet, in words."""
        waits = [f"{card} may have been put down to be exchanged for the turn-up" for card in self._put_down]
        waits += ["cards have left: where they went shows when the hand has gone"] if self._departures.is_open else []
        waits += ["a hand was at the talon: whether it drew is open"] if self._is_drawing else []
        return tuple(waits)

    @property
    def asks_at(self) -> float | None:
        """A look younger than this would settle what is open; None: nothing that a look could settle."""
        asked = [at for at in (self._departures.asks_at, self._draw_asks_at) if at is not None]
        return max(asked, default=None)

    @property
    def has_strangers(self) -> bool:
        """Does a card lie in the bout that nobody was seen to bring?"""
        told = [] if self._seen is None else [self._told.get(card.key) for card in self._seen.bout]
        return any(card is not None and card.by is None for card in told)

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
            if before.talon is not None and seen.talon is None:
                self._pile_gone_at = at
            self._departures.note(self._gone(seen), seen, hands)
            self._lay_on.update({card.key: card.on for card in seen.bout})
            self._lay_at.update({card.key: card.pose for card in seen.bout})
            self._recognize(seen)
            arrived = [card for card in seen.bout if card.key not in self._told and self._is_worth_telling(card)]
            put_down = [card for card in arrived if self._may_be_exchanged(card, hands, at)]
            self._put_down = tuple(card.card for card in put_down)
            arrived = [card for card in arrived if card not in put_down]
            if not self._dealt:
                # It may be the turn-up, on which the talon is put only now.
                arrived = [card for card in arrived if seen.at - card.clear_at >= self.settings.deal_s]
            if arrived:
                events += self._departures.name(seen, self._left(seen), hands, at, forced=True)
            events += self._arrivals(arrived, hands)
            events += self._rereads(seen)
            self._was_pulled |= seen.turnup_pulled
            events += self._turnup(before, seen, hands, at)
        events += self._departures.name(seen, self._left(seen), hands, at, forced=False, in_doubt=in_doubt)
        self._draw_asks_at = None
        events += self._draws(seen, hands, at, in_doubt)
        if events:
            events = [*self._unread_cards(hands), *events]
        self._note_unread(seen)
        events += self._unread_cards(hands, outside_pack=True)
        return self._in_order(events)

    @property
    def is_dealt(self) -> bool:
        """Is the deal over?"""
        return self._dealt

    def still_true(self, event: TableEvent) -> TableEvent | None:
        """
        An event as it would be told by the newest observation, None if it has turned out not to have been.

        A card that was placed is told as it is read now and as it lies now, its name stays; whoever has the turn-up in
        hand drew nothing.
        """
        if isinstance(event, Drawn) and event.card is None and self._seen is not None and self._seen.turnup_pulled:
            if self._talon is not None:
                self._talon += event.count
            return None
        return self._read_now(event) if isinstance(event, Placed) else event

    def other_place(self, event: Placed) -> Placed | None:
        """
        The same where it may lie as well: on the open card that it grazes, or beside the one it hardly lies across.

        None where its place is plain.
        """
        for key, told in self._told.items():
            card = None if self._seen is None or told.card != event.card else self._seen.lying(key)
            if card is None:
                continue
            below = self._told.get(card.grazes) if card.grazes is not None else None
            if event.on is None and below is not None:
                return replace(event, on=below.card)
            if event.on is not None and card.on is not None and card.overlap < self.settings.hardly:
                return replace(event, on=None)
        return None

    def _read_now(self, event: Placed) -> Placed:
        for key, told in self._told.items():
            card = None if self._seen is None or told.card != event.card else self._seen.lying(key)
            if card is not None and card.card == event.card:
                others = card.alternatives if card.confidence < self.settings.sure else ()
                below = self._told.get(card.on) if card.on is not None else None
                on = event.on if below is None else below.card
                return replace(event, on=on, confidence=round(card.confidence, 3), alternatives=others)
        return event

    def _is_worth_telling(self, card: LyingCard) -> bool:
        """A card told as unread, or brought by no hand, has a name only once it is read well: a guess says less."""
        is_guess = card.key in self._unread_told or not self._fitting(card.touched)
        return not is_guess or card.confidence >= self.settings.read_at_last

    def _may_be_exchanged(self, card: LyingCard, hands: tuple[HandVisit, ...], at: float) -> bool:
        """Is a turn-up, the one of now or before, or a trump below it put down for a moment by a hand still at it?"""
        known = self._turnup_known
        is_below = known is not None and card.card.suit == known.card.suit and card.card.height <= known.card.height
        if not is_below and card.card != self._exchanged:
            return False
        there = {visit.number for visit in hands if visit.left_at is None}
        is_held = any(touch.visit in there for touch in self._fitting(card.touched))
        return is_held and at - card.clear_at < self.settings.exchange_s

    def _note_unread(self, seen: Observation) -> None:
        """
        Cards that lie there without a name: told once something else happens, if they have none by then. One that is
        none of the pack will have none: it is told at once.
        """
        if not self._departures.is_open:
            self._unread = {card.key: card for card in seen.unread if card.key not in self._unread_told}
        for key in [key for key in self._unread if key in self._told]:
            del self._unread[key]

    def _unread_cards(self, hands: tuple[HandVisit, ...], outside_pack: bool = False) -> list[TableEvent]:
        """Tell those noted; with ``outside_pack`` no others than those that are none of the pack."""
        events: list[TableEvent] = []
        noted, self._unread = self._unread, {}
        for key, card in noted.items():
            if outside_pack and not card.outside_pack:
                self._unread[key] = card
                continue
            visit = self._who(card, [card], hands)
            if key in self._told or not self._fitting(card.touched):
                continue  # no hand was there: nothing was laid
            self._unread_told.add(key)
            on = self._told.get(card.on) if card.on is not None else None
            events.append(
                Unread(
                    at=card.clear_at,
                    by=None if visit is None else visit.seat,
                    on=None if on is None else on.card,
                    confidence=round(card.confidence, 3),
                )
            )
        return events

    def finish(self, hands: tuple[HandVisit, ...], at: float) -> tuple[TableEvent, ...]:
        """No more frames will come: tell what is still open, as it looks now."""
        if self._seen is None:
            return ()
        events = self._departures.name(self._seen, self._left(self._seen), hands, at, forced=True)
        events += self._draws(self._seen, hands, at + self.settings.last_draw_wait_s, False)
        return self._in_order(events)

    def known(self, start: InitialState) -> InitialState:
        """What was known of the game at ``start``, and what has become of it since."""
        turnup = start.turnup if self._turnup_known is None else self._turnup_known.card
        told = tuple(dict.fromkeys(told.card for told in self._told.values()))
        return replace(
            start,
            turnup=None if self._talon == 0 else turnup,
            talon=self._talon,
            bout=start.bout if self._seen is None else told,
            dealt=self._dealt,
        )

    def told_until(self, at: float) -> None:
        """Something else was told at that time: what comes now is not told as earlier."""
        self._last_at = max(self._last_at, at)

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
        self._turnup_known = seen.turnup
        if not self._dealt and seen.turnup is not None:
            self._dealt = True
            events.append(Dealt(at=seen.at, turnup=seen.turnup.card))
        self._recognize(seen)
        new = [card for card in seen.bout if card.key not in self._told and self._is_worth_telling(card)]
        return events + self._arrivals(new, ())

    def _recognize(self, seen: Observation) -> None:
        """Cards that are known to lie there from before, made out now, are no news."""
        for card in seen.bout:
            if card.key not in self._told and card.card in self._known_bout:
                self._told[card.key] = ToldCard(card.card, None, seen.at)
                self._known_bout.discard(card.card)

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
            self._told[card.key] = ToldCard(card.card, by, at)
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
        candidates = sorted((visits[touch.visit] for touch in fitting), key=lambda visit: visit.came_at)
        if len(candidates) == 2 and candidates[0].seat != candidates[1].seat:
            # Two hands, two cards one on the other: the first hand laid the lower one, however near the second came.
            if any(other.on == card.key for other in arrived):
                return candidates[0]
            if any(other.key == card.on for other in arrived):
                return candidates[1]
        if len(fitting) == 1 or fitting[1].tip_mm - fitting[0].tip_mm > self.settings.clearly_nearer_mm:
            return visits[fitting[0].visit]
        return candidates[-1] if len({visit.seat for visit in candidates}) == 1 else None

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
        old, new, known = before.turnup, seen.turnup, self._turnup_known
        if new is not None and known is None:
            self._turnup_known = new
            if self._dealt:
                return []
            self._dealt = True
            return [Dealt(at=seen.at, turnup=new.card)]
        if new is not None and known is not None:
            enough = self.settings.exchange if self._was_pulled else self.settings.flip
            if new.key != known.key and new.confidence < enough:
                return []
            self._turnup_known, self._was_pulled = new, seen.turnup_pulled
            if new.key == known.key or new.card == known.card:
                return []  # the same card, though it may be read better now
            self._exchanged = known.card
            visit = self._taker(new.touched, hands)
            self._spend_calls(visit, at)
            # A turn-up that was read badly may have been this card all along.
            sure = min(known.confidence, new.confidence)
            return [
                Swapped(
                    at=new.clear_at,
                    card=new.card,
                    by=None if visit is None else visit.seat,
                    confidence=None if sure >= self.settings.flip else round(sure, 3),
                )
            ]
        gone = None if old is None else next((g for g in seen.gone if g.key == old.key), None)
        if old is None or gone is None:
            return []  # exchanged, it may be, for one that has no name yet
        if seen.talon is not None and any(card.card == old.card for card in seen.bout):
            return []  # it lies beside the talon: an exchange is under way; with the talon gone it was drawn and played
        visit = self._taker(gone.touched, hands)
        count = 1
        if before.talon is not None and self._talon == 2:
            # The last two went together. More at once is likelier to mean that draws were missed: not guessed at.
            count = 2
        self._spend_calls(visit, at)
        self._talon, self._turnup_known = 0, None
        return [
            Drawn(
                at=gone.at,
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

    def _gone(self, seen: Observation) -> list[tuple[Gone, ToldCard]]:
        """Cards of the bout that have left, as they were told."""
        leaving = [(gone, self._told.pop(gone.key, None)) for gone in seen.gone]
        where = [(self._lay_on.pop(gone.key, None), self._lay_at.pop(gone.key, None)) for gone, _ in leaving]
        return [
            (gone, replace(told, key=gone.key, on=on, pose=pose))
            for (gone, told), (on, pose) in zip(leaving, where, strict=True)
            if told is not None
        ]

    def _left(self, seen: Observation) -> tuple[Card, ...]:
        return tuple(self._told[card.key].card for card in seen.bout if card.key in self._told)

    def _is_known_bare(self, at: float) -> bool:
        """Does nothing but (perhaps) the turn-up lie at the talon's place? A pile not made out may lie there."""
        if self._pile_gone_at is not None:
            return at > self._pile_gone_at
        return self._talon is None or self._talon <= 1

    def _draws(self, seen: Observation, hands: tuple[HandVisit, ...], at: float, in_doubt: bool) -> list[TableEvent]:
        """Hands that were at the talon and came away: each has a card."""
        events: list[TableEvent] = []
        self._is_drawing = False
        for visit in hands:
            for k, call in enumerate(visit.talon_calls):
                if (visit.number, k) in self._calls:
                    continue
                bare = seen.talon is None and self._is_known_bare(call.at)
                if self._departures.is_open or self._must_wait(visit, call.at, seen, bare, at, in_doubt):
                    self._is_drawing = True
                    continue
                self._calls[(visit.number, k)] = at
                swept_at = self._departures.sweepers.get(visit.number)
                if call.carried is not None and call.carried <= self.settings.put_back:
                    continue
                if visit.seat is None and visit.likely is None:
                    continue  # what never met the picture's edge is no arm
                if bare:
                    continue  # the turn-up still lies there: nothing was drawn; or it was told with the turn-up
                if not self._dealt or seen.turnup_pulled or (swept_at is not None and call.at < swept_at + 1.0):
                    continue  # the cards were dealt, the turn-up taken, or a bout swept past the talon
                if self._talon is not None:
                    self._talon -= 1
                events.append(Drawn(at=call.at, by=visit.seat, count=1, confidence=None if visit.seat else visit.share))
        return sorted(events, key=lambda event: event.at)

    def _must_wait(
        self, visit: HandVisit, called_at: float, seen: Observation, bare: bool, at: float, in_doubt: bool
    ) -> bool:
        """Can it not be told yet whether the hand that was at the talon drew a card?"""
        s = self.settings
        age = at - called_at
        if bare and seen.turnup is not None:
            self._draw_asks_at = called_at
            return (in_doubt or seen.at <= called_at) and age < s.last_draw_wait_s
        if in_doubt and age < (s.doubt_wait_s if not seen.bout and seen.talon is not None else s.last_draw_wait_s):
            return True
        if not seen.bout:
            return age < s.draw_wait_s
        # It may be sweeping: that shows once it has left.
        if visit.left_at is None:
            return age < s.last_draw_wait_s
        self._draw_asks_at = visit.left_at
        return seen.at <= visit.left_at and at - visit.left_at < s.sweep_wait_s

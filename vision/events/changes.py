"""
Compare each observation with the one before, and return evidence: what has changed, and what it may have been instead.

The steps in their order:

    step        what it names                                            evidence comes
    departures  cards that have gone: lifted or swept                    when the hand that took them has left
    arrivals    cards that have come, or turned out to be others         at once
    turnup      dealt, exchanged, drawn as the last card                 at once
    draws       hands that were at the talon and are clear of it         once it is known that they did nothing else

A card that has come decides what has gone before it: departures are named first then, without waiting. Time never runs
backwards: an event understood late bears at least the time of the event before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from referee.cards import Card
from referee.events import Drawn, Swapped
from vision.events.arrivals import Arrivals
from vision.events.departures import Departures, DepartureSettings
from vision.events.evidence import Evidence
from vision.events.reported_bout import ReportedBout
from vision.events.talon_events import LAST_WAIT_S, DrawContext, Draws, Turnup, TurnupChange
from vision.observation import HandVisit, InitialState, LyingCard, Observation


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """The settings of all steps."""

    departures: DepartureSettings = field(default_factory=DepartureSettings)

    def without_game(self) -> ChangeSettings:
        """Return the settings where cards are only handled."""
        return replace(self, departures=self.departures.without_game())


class Changes:
    """
    Takes the newest observation and the hands, frame by frame, and returns evidence in order of time.

    ``bout``: cards known to lie there from the start. ``talon``: how many cards lie there with the turn-up, None if not
    known. ``dealt``: the deal is over; if not, a turn-up under the talon ends it. ``strangers_wait_until``: if none of
    the cards at the first observation is known, they are reported no sooner (seconds).
    """

    def __init__(
        self,
        bout: Sequence[Card] = (),
        talon: int | None = None,
        dealt: bool = True,
        settings: ChangeSettings = ChangeSettings(),
        strangers_wait_until: float = 0.0,
    ) -> None:
        s = settings
        self._strangers: frozenset[int] = frozenset()
        self._strangers_wait_until = strangers_wait_until
        self._bout = ReportedBout(bout)
        self._turnup = Turnup(dealt)
        self._arrivals = Arrivals(self._bout, self._turnup.may_be_exchanged)
        self._draws = Draws(talon)
        self._departures = Departures(s.departures)
        self._seen: Observation | None = None
        self._last_at = 0.0
        self._put_down: tuple[LyingCard, ...] = ()

    @property
    def asks_at(self) -> float | None:
        """Return the time (seconds) after which an inference would decide what is open; None: none would."""
        asked = [at for at in (self._departures.asks_at, self._draws.asks_at) if at is not None]
        return max(asked, default=None)

    @property
    def waits(self) -> tuple[str, ...]:
        """Return in words what has been noticed and can't be reported yet."""
        waits = [f"{card.card} may have been put down to be exchanged for the turn-up" for card in self._put_down]
        waits += ["cards have left: where they went shows when the hand has gone"] if self._departures.is_open else []
        waits += ["a hand was at the talon: whether it drew is open"] if self._draws.is_waiting else []
        return tuple(waits)

    @property
    def has_strangers(self) -> bool:
        """Check whether a card lies in the bout that nobody was seen to bring."""
        return self._seen is not None and self._bout.has_strangers(self._seen)

    @property
    def is_dealt(self) -> bool:
        """Check whether the deal is over."""
        return self._turnup.is_dealt

    def update(
        self, seen: Observation, hands: tuple[HandVisit, ...], at: float, in_doubt: bool = False
    ) -> tuple[Evidence, ...]:
        """
        Return evidence of what has changed.

        ``at``: time of the newest frame, in seconds; ``seen`` may be the same observation as before. ``in_doubt``: more
        has changed than is understood yet, so evidence that assumes nothing else happened must wait.
        """
        events: list[Evidence] = []
        before, self._seen = self._seen, seen
        if before is None:
            events += self._begin(seen)
        elif seen is not before:
            events += self._compare(before, seen, hands, at)
        events += self._departures.name(seen, self._bout.left(seen), hands, at, forced=False, in_doubt=in_doubt)
        events += self._draws.update(seen, hands, at, self._draw_context(in_doubt))
        if events:
            events = [*self._arrivals.unread(hands), *events]
        self._arrivals.record_unread(seen, nothing_open=not self._departures.is_open)
        return self._in_order(events)

    def finish(self, hands: tuple[HandVisit, ...], at: float) -> tuple[Evidence, ...]:
        """Return all open evidence as it looks now: no further frame comes."""
        if self._seen is None:
            return ()
        events = self._departures.name(self._seen, self._bout.left(self._seen), hands, at, forced=True)
        context = self._draw_context(in_doubt=False)
        events += self._draws.update(self._seen, hands, at + LAST_WAIT_S, context)
        events += self._arrivals.placed(self._put_down, hands)
        return self._in_order(events)

    def seen_now(self, evidence: Evidence) -> Evidence | None:
        """
        Return evidence as the newest observation shows it, None if it has turned out to be nothing.

        A placed card is taken as it is read and lies now; whoever has the turn-up in hand drew nothing.
        """
        seen, event = self._seen, evidence.event
        if isinstance(event, Drawn) and event.card is None and seen is not None and seen.turnup_pulled:
            self._draws.put_back(event.count)
            return None
        return evidence if seen is None else self._arrivals.seen_now(evidence, seen)

    def known(self, start: InitialState) -> InitialState:
        """Return what is known of the game by now, after ``start``."""
        turnup = self._turnup.card or start.turnup
        return replace(
            start,
            turnup=None if self._draws.talon == 0 else turnup,
            talon=self._draws.talon,
            bout=start.bout if self._seen is None else self._bout.cards(),
            dealt=self.is_dealt,
        )

    def advance_time(self, at: float) -> None:
        """Report nothing as earlier than ``at`` (seconds) from here on."""
        self._last_at = max(self._last_at, at)

    def _begin(self, seen: Observation) -> list[Evidence]:
        """Return evidence of cards at the start that were not announced."""
        dealt = self._turnup.begin(seen)
        self._bout.recognize(seen)
        new = self._arrivals.new(seen)
        if seen.at < self._strangers_wait_until and len(new) == len(seen.bout) and seen.turnup is None:
            self._strangers = frozenset(card.key for card in seen.bout)
            new = []
        placed = self._arrivals.placed(new, ())
        return [*([] if dealt is None else [dealt.evidence]), *placed]

    def _compare(
        self, before: Observation, seen: Observation, hands: tuple[HandVisit, ...], at: float
    ) -> list[Evidence]:
        """Return the evidence that two different observations give at once."""
        events: list[Evidence] = []
        self._draws.record(before, seen, at)
        self._departures.record(self._bout.take_gone(seen), seen, hands)
        self._bout.record(seen)
        waits = self._strangers if at < self._strangers_wait_until else frozenset()
        # A card that the newest inference missed may have gone again with the hand that brought it there.
        new = [card for card in self._arrivals.new(seen) if card.key not in waits | seen.missed]
        new = [card for card in new if not self._departures.is_under_way(card, hands, at)]
        new = [card for card in new if not self._is_back(card, hands) and not self._bout.move(card, seen)]
        self._put_down = tuple(card for card in new if self._turnup.may_be_exchanging(card, hands, at))
        arrived = [card for card in new if card not in self._put_down and not self._turnup.may_become_it(card, seen)]
        if arrived:
            events += self._departures.name(seen, self._bout.left(seen), hands, at, forced=True)
        events += self._arrivals.placed(arrived, hands)
        events += self._arrivals.reread(seen)
        change = self._turnup.update(before, seen, hands, self._draws.talon)
        if change is None:
            return events
        self._take_in(change)
        if isinstance(change.event, Swapped):
            # Who lays the old turn-up has it from the exchange, however late that was noticed.
            first = min((each.event.at for each in events), default=change.event.at)
            return [change.evidence.timed(min(first, change.event.at)), *events]
        return [*events, change.evidence]

    def _is_back(self, card: LyingCard, hands: tuple[HandVisit, ...]) -> bool:
        """Check whether the card was only pushed about; then nothing is reported."""
        below = self._bout.get(card.on)
        reported = self._departures.take_back(card, None if below is None else below.card, hands)
        if reported is None:
            return False
        self._bout.report(card.key, replace(reported, key=card.key, on=card.on, pose=card.pose))
        return True

    def _take_in(self, change: TurnupChange) -> None:
        """Take in a change of the turn-up: what its hand did at the talon, and whether that has run out."""
        self._draws.spend(change.visit)
        if isinstance(change.event, Drawn):
            self._draws.talon = 0

    def _draw_context(self, in_doubt: bool) -> DrawContext:
        leaving, swept_at = self._departures.is_open, self._departures.sweepers
        return DrawContext(self.is_dealt, leaving, in_doubt, swept_at)

    def _in_order(self, events: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """Return the evidence with times that never run backwards."""
        reported = []
        for each in events:
            self._last_at = max(round(each.event.at, 2), self._last_at)
            reported.append(each.timed(self._last_at))
        return tuple(reported)

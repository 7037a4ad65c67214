"""
Compare each observation with the one before, and return evidence of what people did, and what it may have been instead.

The steps in their order:

    step        what it names                                            evidence comes
    departures  cards that have gone: lifted or swept                    when the hand that took them has left
    arrivals    cards that have come, or turned out to be others         at once
    turn-up     dealt, exchanged, drawn as the last card                 at once
    draws       hands that were at the talon and are clear of it         once it is known that they did nothing else

A card that has come decides what has gone before it: departures are named first then, without waiting. Time never runs
backwards: an event understood late bears at least the time of the event before it.

A card is reported at once if its name is certain enough, and as *unread* if it has no name by the time that something
else happens. A card that turns out to be another is *reread*.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from referee.cards import Card
from referee.events import Drawn, Placed, Reread, Swapped, Unread
from vision.actions.action_model import ActionModel
from vision.actions.attribution import Attribution, attributed
from vision.actions.departures import Departures
from vision.actions.evidence import OTHER_NAME_SURE, Alternative, Evidence, Keys, ReportedCard
from vision.actions.talon_events import LAST_WAIT_S, TalonEvents
from vision.motion.hand_pass import HandPass
from vision.table.observation import InitialState, LyingCard, Observation

# When a name is certain, and when cards belong together. Shares are probabilities, 0 to 1. Chosen by hand, 2026-11.
ARRIVAL_PLAIN = 0.97
"""A card read with this is reported at once and without alternatives."""
ARRIVAL_GUESS = 0.7
"""A card reported as unread, or brought by no hand, is named with this probability."""
HARDLY_ACROSS = 0.25
"""A card that shares less of its area with the one it lies across may have been meant to lie beside it."""
ARRIVAL_STABLE_S = 0.5
"""Seconds after it came to rest for which a card whose place is uncertain waits for a further inference."""
NAME_S = 0.85
"""
Seconds after it came to rest for which a card whose name is uncertain, or which is blurred, waits for a further
inference: a webcam that hunts for its focus takes as long.
"""
ONE_PLAY_S = 1.0
"""Seconds within which two cards that one hand lays beside each other, without leaving, are one play."""


class Actions:
    """
    Takes the newest observation and the hands, frame by frame, and returns evidence in order of time.

    ``start``: what is known of the game. ``strangers_wait_until``: if none of the cards at the first observation is
    known, they are reported no sooner (seconds).
    """

    def __init__(
        self, start: InitialState, model: ActionModel | None = None, strangers_wait_until: float = 0.0
    ) -> None:
        self._start, self._model = start, model or ActionModel()
        self._reported: dict[int, ReportedCard] = {}
        self._known_at_start = set(start.bout)
        self._talon = TalonEvents(start.talon, start.dealt, self._model)
        self._departures = Departures(self._model, start.has_game)
        self._seen: Observation | None = None
        self._strangers: frozenset[int] = frozenset()
        self._strangers_wait_until = strangers_wait_until
        self._unread: dict[int, LyingCard] = {}
        self._unread_reported: set[int] = set()
        self._put_down: tuple[LyingCard, ...] = ()
        self._pushed: set[int] = set()
        self._last_at = 0.0

    @property
    def asks_at(self) -> float | None:
        """Return the time (seconds) after which an inference would decide what is open; None: none would."""
        asked = [at for at in (self._departures.asks_at, self._talon.asks_at) if at is not None]
        return max(asked, default=None)

    @property
    def waits(self) -> tuple[str, ...]:
        """Return in words what has been noticed and can't be reported yet."""
        waits = [f"{card.card} may have been put down to be exchanged for the turn-up" for card in self._put_down]
        waits += ["cards have left: where they went shows when the hand has gone"] if self._departures.is_open else []
        waits += ["a hand was at the talon: whether it drew is open"] if self._talon.is_waiting else []
        return tuple(waits)

    @property
    def is_dealt(self) -> bool:
        """Check whether the deal is over."""
        return self._talon.is_dealt

    @property
    def known_state(self) -> InitialState:
        """Return what is known of the game by now."""
        talon, turnup = self._talon, self._start.turnup if self._talon.turnup is None else self._talon.turnup.card
        return replace(
            self._start,
            turnup=None if talon.cards == 0 else turnup,
            talon=talon.cards,
            bout=self._start.bout
            if self._seen is None
            else tuple(dict.fromkeys(reported.card for reported in self._reported.values())),
            dealt=talon.is_dealt,
        )

    def advance_time(self, at: float) -> None:
        """Report nothing as earlier than ``at`` (seconds) from here on."""
        self._last_at = max(self._last_at, at)

    def update(
        self, seen: Observation, hands: tuple[HandPass, ...], at: float, in_doubt: bool = False
    ) -> tuple[Evidence, ...]:
        """
        Return evidence of what has changed.

        ``at``: time of the newest frame, in seconds; ``seen`` may be the same observation as before. ``in_doubt``: more
        has changed than is understood yet, so evidence that assumes nothing else happened must wait.
        """
        found: list[Evidence] = []
        before, self._seen = self._seen, seen
        if before is None:
            found += self._begin(seen)
        elif seen is not before:
            found += self._compare(before, seen, hands, at)
        if self._departures.is_open:
            self._take_back_moved(seen, hands, at)
        found += self._departures.name(seen, self._left(seen), hands, at, forced=False, in_doubt=in_doubt)
        found += self._draws(seen, hands, at, in_doubt)
        if found:
            found = [*self._unread_cards(hands), *found]
        # Until all that has gone is reported, an unread card may be one that was knocked.
        if not self._departures.is_open:
            self._unread = {card.key: card for card in seen.unread if card.key not in self._unread_reported}
        return self._in_order(found)

    def finish(self, hands: tuple[HandPass, ...], at: float) -> tuple[Evidence, ...]:
        """Return all open evidence as it looks now: no further frame comes."""
        if self._seen is None:
            return ()
        found = self._departures.name(self._seen, self._left(self._seen), hands, at, forced=True)
        found += self._draws(self._seen, hands, at + LAST_WAIT_S, in_doubt=False)
        found += self._placed(self._put_down, hands)
        return self._in_order(found)

    def seen_now(self, evidence: Evidence) -> Evidence | None:
        """
        Return evidence as the newest observation shows it, None if it has turned out to be nothing.

        A placed card is taken as it is read and lies now; whoever has the turn-up in hand drew nothing.
        """
        seen, event = self._seen, evidence.event
        if isinstance(event, Drawn) and event.card is None and seen is not None and seen.turnup_in_hand:
            self._talon.put_back(event.count)
            return None
        card = None if seen is None or evidence.key is None else seen.lying(evidence.key)
        if card is None or not isinstance(event, Placed):
            return evidence
        reported = self._reported.get(card.key)
        if reported is not None:
            is_doubtful = card.confidence < ARRIVAL_PLAIN
            self._reported[card.key] = replace(reported, card=card.card, is_doubtful=is_doubtful)
        seats = tuple(doubt for doubt in evidence.doubts if doubt.cue.startswith("seat"))
        now = self._placed_evidence(card, event.at, Attribution(seat=event.by, doubts=seats))
        until = (now.stable_at, evidence.stable_at)
        return replace(now, stable_at=None if until[0] is None or until[1] is None else max(until[0], until[1]))

    def _draws(self, seen: Observation, hands: Sequence[HandPass], at: float, in_doubt: bool) -> list[Evidence]:
        leaving = self._departures
        return self._talon.drawn(seen, hands, at, leaving.is_open, leaving.sweepers, in_doubt)

    def _begin(self, seen: Observation) -> list[Evidence]:
        """Return evidence of cards at the start that were not announced."""
        dealt = self._talon.begin(seen)
        self._follow(seen)
        new = self._new(seen)
        if seen.at < self._strangers_wait_until and len(new) == len(seen.bout) and seen.turnup is None:
            self._strangers = frozenset(card.key for card in seen.bout)
            new = []
        return [*([] if dealt is None else [dealt]), *self._placed(new, ())]

    def _compare(
        self, before: Observation, seen: Observation, hands: tuple[HandPass, ...], at: float
    ) -> list[Evidence]:
        """Return the evidence that two different observations give at once."""
        found: list[Evidence] = []
        gone = [(gone, self._reported.pop(gone.key)) for gone in seen.gone if gone.key in self._reported]
        self._departures.record(gone, seen, hands)
        self._follow(seen)
        waits = self._strangers if at < self._strangers_wait_until else frozenset()
        new = [
            card
            for card in self._new(seen)
            # A card that the newest inference missed may have gone again with the hand that brought it there.
            if card.key not in waits | seen.missed
            and not self._was_pushed(card, hands, at)
            and not self._departures.is_under_way(card, hands, at)
            and not self._is_back(card, hands)
            and not self._was_moved(card, seen)
        ]
        self._put_down = tuple(card for card in new if self._talon.may_be_exchanging(card, hands, at))
        arrived = [c for c in new if c not in self._put_down and not self._talon.may_become_turnup(c, seen)]
        if arrived:
            found += self._departures.name(seen, self._left(seen), hands, at, forced=True)
        found += self._placed(arrived, hands)
        found += self._reread(seen)
        change = self._talon.compare(before, seen, hands, at)
        if change is not None and isinstance(change.event, Swapped):
            # Who lays the old turn-up has it from the exchange, however late that was noticed.
            first = min((evidence.event.at for evidence in found), default=change.event.at)
            return [change.timed(min(first, change.event.at)), *found]
        return found if change is None else [*found, change]

    def _follow(self, seen: Observation) -> None:
        """Note where reported cards lie, and take those known from the start as reported once they are found."""
        for card in seen.bout:
            if card.key in self._reported:
                reported = replace(self._reported[card.key], pose=card.pose)
                self._reported[card.key] = replace(reported, on=self._across(card, reported.visit))
            elif card.card in self._known_at_start:
                self._reported[card.key] = ReportedCard(card.card, None, seen.at, card.key, card.on, card.pose)
                self._known_at_start.discard(card.card)

    def _left(self, seen: Observation) -> tuple[Card, ...]:
        """Return the cards that still lie there, as they were reported."""
        return tuple(self._reported[card.key].card for card in seen.bout if card.key in self._reported)

    def _was_pushed(self, card: LyingCard, hands: Sequence[HandPass], at: float) -> bool:
        """Check whether the card was pushed over to a seat with the bout; it lies there until it is taken up."""
        if self._departures.was_pushed(card, hands, at):
            self._pushed.add(card.key)
        return card.key in self._pushed

    def _was_moved(self, card: LyingCard, seen: Observation) -> bool:
        """
        Check whether a reported card lies elsewhere now, under another track, and note it.

        It was moved if it has the same name and the newest inference misses it where it lay. A pack has no equal cards.
        """
        for key, reported in self._reported.items():
            if reported.card == card.card and key in seen.missed:
                del self._reported[key]
                self._reported[card.key] = replace(reported, key=card.key, on=card.on, pose=card.pose)
                return True
        return False

    def _new(self, seen: Observation) -> list[LyingCard]:
        """
        Return the cards of the bout that are certain enough and have not been reported. A card reported as unread, or
        brought by no hand, needs a better reading.
        """
        return [
            card
            for card in seen.bout
            if card.key not in self._reported
            and (
                card.confidence >= ARRIVAL_GUESS or (card.key not in self._unread_reported and self._was_touched(card))
            )
        ]

    def _was_touched(self, card: LyingCard) -> bool:
        """Check whether a hand was near enough to have laid the card."""
        least, nearest = self._model.least_hidden, self._model.nearest_mm
        return any(touch.share >= least and touch.tip_mm <= nearest for touch in card.touched)

    def _take_back_moved(self, seen: Observation, hands: tuple[HandPass, ...], at: float) -> None:
        """Take cards as not gone that were found elsewhere while a hand moved them, and lie there without it now."""
        if self._departures.are_takers_gone(hands):
            for card in self._new(seen):
                if card.key not in seen.missed and not self._was_pushed(card, hands, at):
                    self._is_back(card, hands)

    def _is_back(self, card: LyingCard, hands: tuple[HandPass, ...]) -> bool:
        """Check whether the card was only pushed about; then nothing is reported."""
        below = self._reported.get(-1 if card.on is None else card.on)
        reported = self._departures.take_back(card, None if below is None else below.card, hands)
        if reported is None:
            return False
        self._reported[card.key] = replace(reported, key=card.key, on=card.on, pose=card.pose)
        return True

    def _placed(self, arrived: Sequence[LyingCard], hands: Sequence[HandPass]) -> list[Evidence]:
        """Return evidence of new cards, lower before upper; they count as reported now."""
        found: list[Evidence] = []
        laid_by = {card.key: self._who_laid(card, arrived, hands) for card in arrived}
        for card in arrived:
            who, at = laid_by[card.key], card.clear_at
            if who.visit is not None:
                # Cards that one hand track laid beside each other are one play, at the time of its last card, or, if
                # the others were reported already, at theirs.
                newest = next(reversed(self._reported.values()), None)
                at = max(card.clear_at for card in arrived if laid_by[card.key].visit is who.visit)
                if newest is not None and (newest.visit, newest.on, card.on) == (who.visit.number, None, None):
                    at = newest.at if card.clear_at - newest.at <= ONE_PLAY_S else at
            visit = None if who.visit is None else who.visit.number
            is_doubtful = card.confidence < ARRIVAL_PLAIN
            on = self._across(card, visit)
            beside = card.on if on is None and card.on in self._reported else None
            self._reported[card.key] = ReportedCard(
                card.card, who.seat, at, card.key, on, card.pose, visit, is_doubtful, beside
            )
            found.append(self._placed_evidence(card, at, who))
        return sorted(found, key=lambda line: line.event.at)

    def _across(self, card: LyingCard, visit: int | None) -> int | None:
        """
        Return the key of the card that a card of the bout was laid across by the hand ``visit``; None if beside all.

        In a game nobody answers his own attack: where one hand laid both, they are two attacks. A card that lies on
        both of these was laid across the nearer one.
        """
        below = self._reported.get(-1 if card.on is None else card.on)
        if below is None:
            return card.on
        if self._start.has_game and visit is not None and visit == below.visit:
            return None
        pair = [below, *self._companions(below)]
        taken = {other.on for key, other in self._reported.items() if key != card.key}
        free = [other for other in pair if other.key not in taken] or pair
        placed = [other for other in free if other.pose is not None]
        if len(pair) == 1 or not placed:
            return card.on
        return min(placed, key=lambda other: card.pose.distance_mm(other.pose) if other.pose else 0.0).key

    def _companions(self, reported: ReportedCard) -> list[ReportedCard]:
        """Return the attacks that the hand which laid a card laid partly on it or under it."""
        return [
            other
            for other in self._reported.values()
            if other is not reported and (other.beside == reported.key or reported.beside == other.key)
        ]

    def _who_laid(self, card: LyingCard, arrived: Sequence[LyingCard], hands: Sequence[HandPass]) -> Attribution:
        """Return whose hand laid a card. ``arrived``: all cards that have come with it."""
        touching = {touch.visit for touch in card.touched}
        there = sorted((hand for hand in hands if hand.number in touching), key=lambda hand: hand.came_at)
        in_favour: dict[int, float] = {}
        if any(other.on == card.key for other in arrived) and there:
            in_favour[there[0].number] = self._model.in_order
        elif any(other.key == card.on for other in arrived) and there:
            in_favour[there[-1].number] = self._model.in_order
        return attributed(card.touched, hands, self._model, in_favour)

    def _placed_evidence(self, card: LyingCard, at: float, who: Attribution) -> Evidence:
        """Return evidence of a card laid by ``who``, as it is read and lies now."""
        model, own = self._model, self._reported.get(card.key)
        on = self._across(card, None if own is None else own.visit)
        below = self._reported.get(-1 if on is None else on)
        together = self._reported.get(-1 if on is not None or card.on is None else card.on)
        grazed = self._reported.get(-1 if card.partly_overlaps is None else card.partly_overlaps)
        place: tuple[Alternative, ...] = ()
        is_hardly = below is not None and card.overlap < HARDLY_ACROSS
        if below is not None:
            odds = model.beside_not_hardly_across if is_hardly else model.beside_not_across
            instead: dict[str, tuple[Keys, float]] = {"beside": ({"on": None}, odds)}
            for other in self._companions(below)[:1]:
                instead["the other"] = {"on": str(other.card)}, model.across_the_other
            place = (Alternative(f"place: {'hardly ' * is_hardly}across", instead),)
        elif together is not None:
            across = ({"on": str(together.card)}, model.across_in_one_grip)
            place = (Alternative("place: across another of one grip", {"across": across}),)
        elif grazed is not None:
            across = ({"on": str(grazed.card)}, model.across_not_grazing)
            place = (Alternative("place: beside, but grazing", {"across": across}),)
        if not self._was_touched(card):
            laid = Alternative("laid: by no hand", {"nothing": (None, model.no_hand)})
        elif self._talon.may_be_exchanged(card):
            laid = Alternative("laid: what may be exchanged", {"nothing": (None, model.may_be_exchanged)})
        else:
            laid = Alternative("laid: a hand was there", {"nothing": (None, model.hand_was_there)})
        # Two cards of one grip may be laid on each other first, and then spread.
        lower = below or together
        is_one_grip = lower is not None and own is not None and own.visit is not None and own.visit == lower.visit
        is_read = card.confidence >= ARRIVAL_PLAIN and not card.is_blurred
        stable_at = card.clear_at + (ARRIVAL_STABLE_S if is_read and not is_one_grip else NAME_S)
        is_plain = is_read and (not place or (below is not None and not is_hardly)) and not is_one_grip
        return Evidence(
            Placed(
                at=at,
                card=card.card,
                by=who.seat,
                on=None if below is None else below.card,
                confidence=round(card.confidence, 3),
                alternatives=() if card.confidence >= ARRIVAL_PLAIN else card.alternatives,
            ),
            (*who.doubts, *place, laid),
            None if is_plain else stable_at,
            card.key,
        )

    def _reread(self, seen: Observation) -> list[Evidence]:
        """Return evidence of reported cards with another name, and once of uncertain ones that have become certain."""
        found: list[Evidence] = []
        for card in seen.bout:
            reported = self._reported.get(card.key)
            if reported is None:
                continue
            is_other = reported.card != card.card and card.confidence >= OTHER_NAME_SURE
            is_firm = reported.card == card.card and reported.is_doubtful and card.confidence >= ARRIVAL_PLAIN
            if is_other or is_firm:
                event = Reread(at=seen.at, was=reported.card, card=card.card, confidence=round(card.confidence, 3))
                found.append(Evidence(event, key=card.key))
                self._reported[card.key] = replace(reported, card=card.card, is_doubtful=False)
        return found

    def _unread_cards(self, hands: Sequence[HandPass]) -> list[Evidence]:
        """Return evidence of the cards that have no name by now, because something else has happened."""
        found: list[Evidence] = []
        noted, self._unread = self._unread, {}
        for key, card in noted.items():
            if key in self._reported or not self._was_touched(card):
                continue  # no hand was there: nothing was laid
            self._unread_reported.add(key)
            on, who = self._reported.get(-1 if card.on is None else card.on), self._who_laid(card, [card], hands)
            event = Unread(at=card.clear_at, by=who.seat, on=None if on is None else on.card)
            laid = Alternative("laid: a card that can't be read", {"nothing": (None, self._model.unreadable)})
            found.append(Evidence(event, (*who.doubts, laid)))
        return found

    def _in_order(self, found: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """Return the evidence with times that never run backwards."""
        reported = []
        for evidence in found:
            self._last_at = max(round(evidence.event.at, 2), self._last_at)
            reported.append(evidence.timed(self._last_at))
        return tuple(reported)

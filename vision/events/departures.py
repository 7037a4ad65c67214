"""
Cards that have gone from the bout: lifted or swept, and where to.

This shows only when the hand has left, because people gather cards one by one and in one go. The cards that one hand
track took are a *batch*; batches that went the same way are one sweep. A batch went to the discard pile if that
appeared or changed while the hand had been there. Plain backs look alike: a bout in which every attack was beaten also
went there if the hand went there with its last card. Otherwise it went with the hand:

    the hand was then at another seat's edge         -> swept to that seat (pushed across to who takes)
    every card of it laid by that same seat          -> lifted, card by card (taken back)
    one card, others still lying                     -> lifted
    nothing left lying, or several cards             -> swept to that seat
    no hand seen                                     -> lifted, by nobody known

An inference after the hand has left that leaves nothing unexplained decides at once; without one, time decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from referee.cards import Card
from referee.events import HEAP, Lifted, Swept
from vision.events.evidence import NEVER, Doubt, Evidence, Keys, detour_mm, fitting_touches, last_near
from vision.events.reported_bout import ReportedCard
from vision.observation import Gone, HandVisit, LyingCard, Observation, Pose, ReachedSeat, Touch

# Times in seconds, shares from 0 to 1. Chosen by hand, 2026-11, where no other source is given.
LEAST_SHARE = 0.2
"""A hand that took a card hid at least this share of its place."""
NEARNESS_MM = 30.0
"""Each card votes for each hand with one over its distance and this: of several hands the nearest to most took them."""
GATHERED, GATHERED_MM = 2, 115.0
"""A hand that has taken so many cards at once gathers the bout: it also took those to whose middle its tips came this
near, whoever hid them after it."""
ASIDE_MM, FAR_ASIDE_MM = 90.0, 110.0
"""A hand that went so far aside with a bout that was beaten, or was not, has put it down. On 32 development clips hands
that took a bout home went at most 74 mm aside (one pushed it), to a pile out of the way at least 96."""
ASIDE_S = 0.3
"""Its way begins so long before its last card was gone: before that it gathered."""
REGATHERED_MM = 50.0
"""A hand whose tips come back so near to the middle of what it gathered takes it only then: cards are pushed together
in strokes."""
HEAP_BEFORE_S = 0.5
"""The discard pile's change and the bared place may be noticed in either order, this far apart."""
TWICE = 2
"""The wait is so many times as long if the same seat's hand is in again, or for the rest of a bout under way."""
OWN_AT_ONCE = 2
"""As many own cards as two hands take up; chosen by hand."""
FETCHED_MM = 70.0
"""A hand at another seat's edge this near to where a card lay was there to fetch it: four fifths of a card's length."""
CARDS_LEFT = "swept: cards are left"
"""The cue of a sweep that leaves cards lying."""


# How long to wait before a departure is named. Times in seconds. Chosen by hand, 2026-11.
HEAP_WAIT_S = 0.7
"""How long after the hand has left the discard pile may show its change."""
REGATHER_S = 1.4
"""How long a hand that took some of the cards may take to come back for the others."""
LINGER_S = 3.0
"""A hand that stays in the picture so long after the last card went is done with them."""
DEPARTURE_CARRIED_S = 0.2
"""A hand at the discard pile so long after it took the last card of a beaten bout has put the bout there."""
PUSHED_S = 1.5
"""A hand that was at another seat's edge at most so long before it was last over the cards' place pushed them."""


@dataclass(frozen=True, slots=True)
class DepartureSettings:
    """How long to wait before a departure is named. Times in seconds. Chosen by hand, 2026-11."""

    own_at_once: int | None = None
    """Where no game is played, more own cards at once are swept rather than lifted. None: never."""
    lone_is_lifted: bool = False
    """Is the last card on the table lifted rather than swept? It is where no game is played, and nobody takes."""

    def without_game(self) -> DepartureSettings:
        """Return the settings where cards are only handled."""
        return replace(self, own_at_once=OWN_AT_ONCE, lone_is_lifted=True)


@dataclass(slots=True)
class _Batch:
    """The cards that one hand track took. Times in seconds."""

    visit: int | None
    began_at: float
    last_at: float
    noticed_at: float
    cards: list[ReportedCard] = field(default_factory=list)
    heap_cue: str | None = None

    @property
    def to_heap(self) -> bool:
        """Check whether they went to the discard pile. ``heap_cue`` is the evidence for it."""
        return self.heap_cue is not None


class Departures:
    """Collects the cards that go, and returns evidence once it is known where they went."""

    def __init__(self, settings: DepartureSettings = DepartureSettings()) -> None:
        self.settings = settings
        self._batches: list[_Batch] = []
        self._heap_began_at: float | None = None
        self._had_heap = False
        self._seen_at = (NEVER, NEVER)
        self.asks_at: float | None = None
        """An inference after this time (seconds) would decide what is open; None: none would."""
        self.sweepers: dict[int, float] = {}
        """Hand track -> when it took its last card, for all departures that have been reported."""

    @property
    def is_open(self) -> bool:
        """Check whether a card has gone that is not reported yet."""
        return bool(self._batches)

    def record(
        self, gone: Sequence[tuple[Gone, ReportedCard]], seen: Observation, hands: tuple[HandVisit, ...]
    ) -> None:
        """Take in the cards that have gone with an observation, and its discard pile."""
        self._seen_at = (self._seen_at[1], seen.at)
        if gone:
            touched = [touch for leaving, _ in gone for touch in leaving.touched]
            visit = self._taker(touched, hands)
            visit = self._sweeper(touched, visit, hands) or visit
            first, last = min(leaving.at for leaving, _ in gone), max(leaving.at for leaving, _ in gone)
            if not self._batches or self._batches[-1].visit != visit:
                self._batches.append(_Batch(visit, first, last, seen.at))
            batch = self._batches[-1]
            batch.began_at, batch.last_at = min(batch.began_at, first), max(batch.last_at, last)
            batch.noticed_at = seen.at
            batch.cards += [reported for _, reported in gone]
        if seen.heap is not None and not self._had_heap:
            self._heap_began_at = seen.at
        self._had_heap = seen.heap is not None

    def is_under_way(self, card: LyingCard, hands: tuple[HandVisit, ...], at: float) -> bool:
        """
        Check whether a card that seems to have come belongs to a bout that is being gathered.

        A bout is pushed together in strokes, and taken when the hands are gone with it: one of its cards that is found
        elsewhere meanwhile was moved, not laid.
        """
        if not self._batches or at - self._batches[-1].noticed_at >= LINGER_S:
            return False
        here = {hand.number for hand in hands if hand.left_at is None}
        takers = {batch.visit for batch in self._batches}
        for batch in self._batches if here else ():
            for k, reported in enumerate(batch.cards):
                if reported.card == card.card and not self._is_brought_back(card, batch, hands):
                    batch.cards[k] = replace(reported, pose=card.pose)
                    batch.last_at = max(batch.last_at, at)
                    return True
        return any(touch.visit in takers & here for touch in card.touched)

    def take_back(self, card: LyingCard, under: Card | None, hands: tuple[HandVisit, ...]) -> ReportedCard | None:
        """
        Return a card that had gone and lies there again as before, as it was reported; None if it is not so.

        As before: beside the others, or across the same card (``under``).
        """
        gone = {reported.key: reported for batch in self._batches for reported in batch.cards}
        for batch in self._batches:
            for reported in batch.cards if not self._is_brought_back(card, batch, hands) else ():
                lay_on = gone.get(reported.on) if reported.on is not None else None
                if reported.card == card.card and (reported.on is None or lay_on is None or lay_on.card == under):
                    batch.cards.remove(reported)
                    self._batches = [each for each in self._batches if each.cards]
                    return reported
        return None

    def _is_brought_back(self, card: LyingCard, batch: _Batch, hands: tuple[HandVisit, ...]) -> bool:
        """
        Check whether the hand that took a batch had left with it, and another has brought a card of it.

        An observation between the two shows that the batch was away; a card that was missed for a moment was not.
        """
        taker = next((hand for hand in hands if hand.number == batch.visit), None)
        if taker is None or taker.left_at is None or self._seen_at[0] <= taker.left_at:
            return False
        fitting = {touch.visit for touch in fitting_touches(card.touched)}
        return any(hand.number in fitting and hand.came_at > taker.left_at for hand in hands)

    def name(
        self,
        seen: Observation,
        left: tuple[Card, ...],
        hands: tuple[HandVisit, ...],
        at: float,
        forced: bool,
        in_doubt: bool = False,
    ) -> list[Evidence]:
        """
        Return the evidence, once it shows where the cards went.

        ``left``: cards that still lie there. ``forced``: don't wait. ``in_doubt``: some change is not understood.
        """
        self.asks_at = None
        if not self._batches:
            return []
        visits = {visit.number: visit for visit in hands}
        last = self._batches[-1]
        visit = visits.get(last.visit) if last.visit is not None else None
        if last.heap_cue is None and self._is_at_heap(last, seen, visit):
            last.heap_cue = "heap: it changed"
        if last.heap_cue is None and self._is_carried_there(last, seen, visit, left):
            last.heap_cue = "heap: the hand went there"
        if not forced and self._must_wait(visit, left, hands, seen, at, in_doubt):
            return []
        if not left and not last.to_heap:
            self._put_aside(last, visit)
        batches, self._batches = self._batches, []
        for batch in batches:
            if batch.visit is not None:
                self.sweepers[batch.visit] = batch.last_at
        batches = _one_go(batches, visits, bool(left))
        groups = _grouped(batches, visits)
        found: list[Evidence] = []
        for k, group in enumerate(groups):
            later = tuple(reported.card for other in groups[k + 1 :] for reported in other.cards)
            taker = visits.get(group.visit) if group.visit is not None else None
            remaining = tuple(dict.fromkeys(later + left))  # a record names no card twice, though two may be read alike
            found += _evidence_of(group, taker, remaining, self.settings)
        return found

    def _must_wait(
        self,
        visit: HandVisit | None,
        left: tuple[Card, ...],
        hands: tuple[HandVisit, ...],
        seen: Observation,
        at: float,
        in_doubt: bool,
    ) -> bool:
        """Check whether the newest batch, taken by ``visit``, may still grow."""
        last = self._batches[-1]
        if last.to_heap and not left:
            return False
        if visit is not None and visit.left_at is None:
            return at - last.noticed_at < LINGER_S
        takers = {batch.visit for batch in self._batches}
        if any(hand.number in takers and hand.left_at is None for hand in hands):
            return at - last.noticed_at < LINGER_S
        since = last.noticed_at if visit is None or visit.left_at is None else max(visit.left_at, last.began_at)
        if visit is not None:
            self.asks_at = since
        understood = visit is not None and seen.at > since and not in_doubt
        if not left:
            return not understood and at - since < HEAP_WAIT_S
        if visit is not None:
            again = any(h.left_at is None and h.seat == visit.seat and h.number != visit.number for h in hands)
            if again and at - last.noticed_at < TWICE * LINGER_S:
                return True
        if understood and not last.to_heap and _is_taken_back(last, visit):
            return False
        return at - since < REGATHER_S

    def _is_at_heap(self, batch: _Batch, seen: Observation, visit: HandVisit | None) -> bool:
        """Check whether the discard pile has appeared or changed since these cards began to leave."""
        since = batch.began_at - HEAP_BEFORE_S
        if seen.heap is None or seen.heap.changed_at is None or seen.heap.changed_at < since:
            return False
        # A heap that lay there before changes only by a hand that was at it.
        began_at = max((at for at in (self._heap_began_at, seen.heap.began_at) if at is not None), default=None)
        began = began_at is not None and began_at >= since
        if visit is None or began:
            return True
        # What was not beaten goes there seldom: a hand that only passed over the heap on its way has put nothing down.
        after = since if _is_beaten(self._batches) else batch.last_at + DEPARTURE_CARRIED_S
        return visit.heap_at is not None and visit.heap_at >= after

    def _is_carried_there(
        self, batch: _Batch, seen: Observation, visit: HandVisit | None, left: tuple[Card, ...]
    ) -> bool:
        """
        Check whether the hand was at the discard pile after it took the last card of a beaten bout: plain backs look
        alike.
        """
        if seen.heap is None or visit is None or visit.heap_at is None or (left and visit.left_at is None):
            return False
        return visit.heap_at > batch.last_at + DEPARTURE_CARRIED_S and _is_beaten(self._batches)

    def _put_aside(self, batch: _Batch, visit: HandVisit | None) -> None:
        """Note whether the hand put the cards down off its way home, and at nobody's edge: the pile may be unseen."""
        if visit is None or _pushed_to(batch, visit, PUSHED_S) is not None or _is_taken_back(batch, visit):
            return
        is_beaten = _is_beaten(self._batches)
        cards = [reported.pose for reported in batch.cards if reported.pose is not None]
        aside_mm = detour_mm(visit, max(batch.last_at - ASIDE_S, last_near(visit, cards, REGATHERED_MM)), cards)
        if aside_mm >= (ASIDE_MM if is_beaten else FAR_ASIDE_MM):
            batch.heap_cue = "heap: put aside, beaten" if is_beaten else "heap: put aside, unbeaten"

    def _sweeper(self, touched: Sequence[Touch], taker: int | None, hands: tuple[HandVisit, ...]) -> int | None:
        """
        Return the hand that was gathering the bout, if it was at these cards too before another hid them.

        The other seems to have taken them, but a bout goes in one go.
        """
        visits = {visit.number: visit for visit in hands}
        last = self._batches[-1] if self._batches else None
        if last is None or last.visit not in visits or taker not in visits or len(last.cards) < GATHERED:
            return None
        before, other = visits[last.visit], visits[taker]
        was_there = any(
            touch.visit == before.number and touch.share >= LEAST_SHARE and touch.tip_mm <= GATHERED_MM
            for touch in touched
        )
        met = other.number != before.number and (before.left_at is None or other.came_at <= before.left_at)
        return before.number if was_there and met and not _is_taken_back(last, before) else None

    def _taker(self, touched: Sequence[Touch], hands: tuple[HandVisit, ...]) -> int | None:
        """Return the hand that took the cards: the nearest to most of them."""
        known = {visit.number for visit in hands}
        votes: dict[int, float] = {}
        for touch in touched:
            if touch.visit in known and touch.share >= LEAST_SHARE:
                votes[touch.visit] = votes.get(touch.visit, 0.0) + 1 / (NEARNESS_MM + touch.tip_mm)
        return max(votes, key=lambda number: votes[number]) if votes else None


def _is_beaten(batches: Sequence[_Batch]) -> bool:
    """Check whether every attack among the cards that have gone was beaten."""
    gone = [card for batch in batches for card in batch.cards]
    covered = {card.on for card in gone if card.on is not None}
    return bool(covered) and all(card.key in covered for card in gone if card.on is None)


def _one_go(batches: list[_Batch], visits: dict[int, HandVisit], left: bool) -> list[_Batch]:
    """
    Merge the batches of one gathering: of hands that were there together, or one right after the other, where three
    cards went or nothing is left.

    It belongs to who took most. Cards are pushed together from both sides, and a card without a hand went with one that
    was missed; but who takes back his own cards does so alone.
    """
    goes: list[list[_Batch]] = []
    for batch in batches:
        if goes and _meet(goes[-1][-1], batch, visits):
            goes[-1].append(batch)
        else:
            goes.append([batch])
    return [batch for go in goes for batch in _gathering(go, visits, left)]


def _meet(batch: _Batch, following: _Batch, visits: dict[int, HandVisit]) -> bool:
    """Check whether one batch went right after the other, by hands that were there together."""
    one, other = (None if each.visit is None else visits.get(each.visit) for each in (batch, following))
    together = one is None or other is None or other.came_at <= (one.left_at or batch.last_at)
    return together and following.began_at - batch.last_at < REGATHER_S


def _gathering(go: list[_Batch], visits: dict[int, HandVisit], left: bool) -> list[_Batch]:
    """Return the batches of one go, merged if they were one gathering."""
    if len(go) == 1 or (left and sum(len(batch.cards) for batch in go) <= GATHERED):
        return go
    counts: dict[str, int] = {}
    for batch in go:
        seat = None if batch.visit not in visits else _seat(visits[batch.visit])
        if seat is not None:
            counts[seat] = counts.get(seat, 0) + len(batch.cards)
    if not counts:
        return go
    most = max(reversed(counts), key=lambda seat: counts[seat])
    of_most = [k for k, each in enumerate(go) if each.visit in visits and _seat(visits[each.visit]) == most]
    own: list[_Batch] = []
    theirs: list[_Batch] = []
    for k, batch in enumerate(go):
        # In the midst of another's gathering nobody takes back his own.
        is_own = not of_most[0] < k < of_most[-1] and _is_taken_back(batch, visits.get(batch.visit or 0))
        is_others = k not in of_most and is_own
        (own if is_others or (batch.to_heap and not go[-1].to_heap) else theirs).append(batch)
    if not theirs:
        return go
    one = theirs[-1]
    one.cards = [reported for batch in theirs for reported in batch.cards]
    one.began_at, one.last_at = min(each.began_at for each in theirs), max(each.last_at for each in theirs)
    one.visit = go[of_most[-1]].visit
    return [*own, one]


def _grouped(batches: list[_Batch], visits: dict[int, HandVisit]) -> list[_Batch]:
    """Merge consecutive batches that went the same way."""

    def seat_of(batch: _Batch) -> str | None:
        visit = visits.get(batch.visit) if batch.visit is not None else None
        if visit is None:
            return None
        pushed_to = _pushed_to(batch, visit, PUSHED_S)
        return pushed_to.seat if pushed_to is not None else visit.likely or visit.seat

    def way(batch: _Batch) -> tuple[bool, str | None]:
        return batch.to_heap, None if batch.to_heap else seat_of(batch)

    groups: list[_Batch] = []
    for batch, following in reversed(list(pairwise(batches))):
        # Who gathers card by card takes none of them home on the way to the heap.
        is_one_go = following.to_heap and following.began_at - batch.last_at < REGATHER_S
        is_own = batch.visit is not None and _is_taken_back(batch, visits.get(batch.visit))
        if is_one_go and not is_own and seat_of(batch) in (None, seat_of(following)):
            batch.heap_cue = following.heap_cue
    for batch, following in pairwise(batches):
        # Nor does he take the rest home when the first of them have gone to the heap: a bout goes one way.
        is_rest = batch.to_heap and following.began_at - batch.last_at < TWICE * REGATHER_S
        is_own = following.visit is not None and _is_taken_back(following, visits.get(following.visit))
        if is_rest and not is_own and seat_of(batch) in (None, seat_of(following)):
            following.heap_cue = batch.heap_cue
    for batch in batches:
        if groups and way(groups[-1]) == way(batch):
            groups[-1].cards += batch.cards
            groups[-1].last_at = max(groups[-1].last_at, batch.last_at)
        else:
            groups.append(batch)
    return groups


def _evidence_of(
    batch: _Batch, visit: HandVisit | None, left: tuple[Card, ...], settings: DepartureSettings
) -> list[Evidence]:
    """Return the evidence of one group of batches: sweep or lifts, and what it may have been instead."""
    at = batch.last_at
    seat = None if visit is None else visit.seat or visit.likely
    one_of_several = len(batch.cards) == 1 and (bool(left) or settings.lone_is_lifted)
    is_gathered = settings.own_at_once is not None and len(batch.cards) > settings.own_at_once
    if batch.heap_cue is not None and not one_of_several:
        home = () if seat is None else (Doubt(batch.heap_cue, {"home": {"to": seat}}),)
        return [Evidence(Swept(at=at, to=HEAP, left=left), (*home, *_not_yet(left)))]
    pushed_to = _pushed_to(batch, visit, PUSHED_S)
    if pushed_to is not None and not one_of_several and visit is not None:
        # Who lays cards, reaches across and takes them back looks the same.
        cue = "pushed: own cards" if _is_taken_back(batch, visit) else "pushed: another's cards"
        instead: dict[str, Keys] = {"heap": {"to": HEAP}}
        if seat is not None:
            instead["home"] = {"to": seat}
        pushed = Swept(at=min(at, pushed_to.at), to=pushed_to.seat, left=left)
        return [Evidence(pushed, (Doubt(cue, instead), *_not_yet(left)))]
    if (_is_taken_back(batch, visit) and not is_gathered) or one_of_several or seat is None:
        return [_lifted(reported, seat, at, batch, visit, one_of_several) for reported in batch.cards]
    assert visit is not None
    was_there = visit.heap_at is not None and visit.heap_at >= batch.began_at - HEAP_BEFORE_S
    cue = "home: past the heap" if was_there else "home: beaten" if _is_beaten([batch]) else "home: unbeaten"
    doubts = [Doubt(cue, {"heap": {"to": HEAP}})]
    # What was pushed together lies there, under the hand or unread, until it is taken.
    lay = [reported.pose for reported in batch.cards if reported.pose is not None]
    at = max(at, last_near(visit, lay, REGATHERED_MM))
    if visit.seat is None:
        others = {reported.by for reported in batch.cards if reported.by not in (None, seat)}
        doubts += [Doubt("home: between two seats", {"another seat": {"to": other}}) for other in sorted(others)[:1]]
    return [Evidence(Swept(at=at, to=seat, left=left), (*doubts, *_not_yet(left)))]


def _not_yet(left: tuple[Card, ...]) -> tuple[Doubt, ...]:
    """Return the doubt that the bout is still being gathered, where cards are left."""
    return (Doubt(CARDS_LEFT, {"not yet": None}),) if left else ()


def _lifted(
    reported: ReportedCard, seat: str | None, at: float, batch: _Batch, visit: HandVisit | None, one_of_several: bool
) -> Evidence:
    """Return the evidence of one card that was taken up."""
    if _is_taken_back(batch, visit):
        cue = "lifted: own"
    elif seat is None:
        cue = "lifted: nobody was seen"
    else:
        cue = "lifted: one of several" if one_of_several else "lifted: all"
    return Evidence(Lifted(at=at, card=reported.card, by=seat), (Doubt(cue, {"nothing": None}),))


def _pushed_to(batch: _Batch, visit: HandVisit | None, pushed_s: float) -> ReachedSeat | None:
    """Return the seat to which the hand has pushed the cards, None if it was at no other's edge."""
    reached = None if visit is None else visit.reached
    if visit is None or reached is None or reached.at < batch.last_at - pushed_s:
        return None
    # Who fetches a card that lay there brings it away from there.
    there = min(visit.trail, key=lambda tip: abs(tip[0] - reached.at), default=None)
    lay = [reported.pose for reported in batch.cards if reported.pose is not None]
    is_fetched = there is not None and any(pose.distance_mm(Pose(*there[1:])) <= FETCHED_MM for pose in lay)
    return None if is_fetched else reached


def _seat(visit: HandVisit) -> str | None:
    """Return the seat of a hand, as far as it is known."""
    return visit.seat or visit.likely


def _is_taken_back(batch: _Batch, visit: HandVisit | None) -> bool:
    """Check whether the hand has taken only cards that its own seat had laid."""
    return visit is not None and visit.seat is not None and all(reported.by == visit.seat for reported in batch.cards)

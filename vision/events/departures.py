"""
Cards that have gone from the bout: lifted, or swept, and where to?

That shows only when the hand has left, because people gather cards one by one and in one go. What one visit of a hand
took is a *batch*; batches that went the same way are one sweep. A batch went to the heap if the heap came to be, or to
look different, while the hand that took it had been there (plain backs look alike: a bout in which every attack was
beaten went there if the hand went there with its last card); else it went with the hand:

    the hand was then at another seat's edge         -> swept to that seat (pushed across to who takes)
    every card of it laid by that same seat          -> lifted, card by card (taken back)
    one card, others still lying                     -> lifted
    nothing left lying, or several cards             -> swept to that seat
    no hand seen                                     -> lifted, by nobody known

A look taken after the hand has left, with nothing on it unexplained, settles the matter at once; without one it is
settled by waiting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from referee.cards import Card
from referee.events import HEAP, Lifted, Swept
from vision.events.evidence import Doubt, Evidence, Keys
from vision.events.hand_path import detour_mm, last_near
from vision.events.told_bout import ToldCard
from vision.observation import Gone, HandVisit, LyingCard, Observation, Pose, Touch


@dataclass(frozen=True, slots=True)
class DepartureSettings:
    """
    How long to wait before a departure is named, and when it went to the heap. Times in seconds, shares from 0 to 1.

    Set by hand, 2026-11, where no other source is named.
    """

    least_share: float = 0.2
    """A hand that took a card hid at least this share of its place. Higher: more cards of nobody; lower: of who
    passed."""
    nearness_mm: float = 30.0
    """Of several hands the one nearest to most cards took them: each card votes with one over its distance and this.
    Higher: the hand that was at more cards; lower: the one that came nearest to any."""
    gathered: int = 2
    """A hand that has taken so many cards at once is gathering the bout: it took also those ..."""
    gathered_mm: float = 115.0
    """... to whose middle its tips came this near, whoever hid them after it. Higher: it takes what another lifts;
    lower: one sweep is two."""
    heap_wait_s: float = 0.7
    """After the hand has left, so long the heap is given to show its change. Longer: sweeps are told later; shorter: a
    bout on the heap was taken home."""
    regather_s: float = 1.4
    """So long a hand that took some of the cards is given to come back for the others. Longer: lifts are told later;
    shorter: one sweep is many lifts."""
    linger_s: float = 3.0
    """A hand that stays in the picture so long after the last card went is done with them. Longer: sweeps by resting
    hands are told later; shorter: before it is known where they went."""
    carried_s: float = 0.2
    """A hand that is at the heap so long after it took the last card of a beaten bout has put it there. Longer: quick
    sweeps went home; shorter: a bout gathered beside the heap is on it."""
    pushed_s: float = 1.5
    """A hand was at another seat's edge so long before it was last over the cards' place, on its way back: it had
    pushed them there. Longer: greetings push cards; shorter: slow pushes are takes."""
    aside_mm: float = 90.0
    """A hand that went so far aside with what it took, if that was beaten, has put it down: on 32 development clips
    hands that took a bout home went at most 74 mm aside (one pushed it), to a heap out of the way at least 96 ..."""
    far_aside_mm: float = 110.0
    """... and so far, if it was not beaten. Higher, either: heaps that are not made out are missed; lower: takes in a
    curve are sweeps."""
    aside_s: float = 0.3
    """It went its way from so long before its last card was seen gone: before that it gathered. Longer: gathering
    counts; shorter: its beginning is lost."""
    regathered_mm: float = 50.0
    """A hand whose tips come back so near to the middle of what it gathered takes it only then: cards are pushed
    together in strokes. Higher: a heap near the bout is missed; lower: a stroke is a way aside."""
    own_at_once: int | None = None
    """Of his own cards somebody takes back no more than so many at once, where there is no game; more are swept. None:
    as many as he likes. Higher: gatherings by who laid all are lifts; lower: who takes up two sweeps them."""
    lone_is_lifted: bool = False
    """Is the last card on the table lifted rather than swept? So it is where there is no game, and nobody takes."""
    heap_before_s: float = 0.5
    """The heap's change and the bared place may be noticed in either order, this far apart. Longer: an older change
    counts; shorter: the bout went home."""

    def without_game(self) -> DepartureSettings:
        """The same where cards are only handled."""
        return replace(self, own_at_once=OWN_AT_ONCE, lone_is_lifted=True)


OWN_AT_ONCE = 2
"""As many as two hands take up. Set by hand, 2026-11."""


@dataclass(slots=True)
class _Batch:
    """What one visit of a hand took."""

    visit: int | None
    began_at: float
    last_at: float
    noticed_at: float
    cards: list[ToldCard] = field(default_factory=list)
    heap_cue: str | None = None

    @property
    def to_heap(self) -> bool:
        """Did they go to the heap, as far as it shows? ``heap_cue`` says by what."""
        return self.heap_cue is not None


TWICE = 2
"""So many times as long is waited where the same seat's hand is in again, or for the rest of a bout on its way."""


FETCHED_MM = 70.0
"""A hand at another seat's edge, this near to where one of the cards lay, was there to fetch it: four fifths of a
card's length. More: cards pushed across a small table are taken home; less: a card fetched from the edge is pushed
there. Set by hand, 2026-11."""


CARDS_LEFT = "swept: cards are left"
"""The cue of a sweep that leaves cards lying."""


class Departures:
    """Note what goes; ask each frame whether it can be named."""

    def __init__(self, settings: DepartureSettings = DepartureSettings()) -> None:
        self.settings = settings
        self._batches: list[_Batch] = []
        self._heap_began_at: float | None = None
        self._had_heap = False
        self.asks_at: float | None = None
        """A look younger than this would settle what is open."""
        self.sweepers: dict[int, float] = {}
        """Visit -> when it took its last card, for all that have been named."""

    @property
    def is_open(self) -> bool:
        """Has something gone that is not named yet?"""
        return bool(self._batches)

    def note(self, gone: Sequence[tuple[Gone, ToldCard]], seen: Observation, hands: tuple[HandVisit, ...]) -> None:
        """Take in an observation: what has gone with it, and what has become of the heap."""
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
            batch.cards += [told for _, told in gone]
        if seen.heap is not None and not self._had_heap:
            self._heap_began_at = seen.at
        self._had_heap = seen.heap is not None

    def is_under_way(self, card: LyingCard, hands: tuple[HandVisit, ...], at: float) -> bool:
        """
        Is what seems to have come a card of the bout that is being gathered? A bout is pushed together in strokes, and
        taken when the hands are gone with it: one of its cards that is seen elsewhere meanwhile is moved, not laid.
        """
        if not self._batches or at - self._batches[-1].noticed_at >= self.settings.linger_s:
            return False
        here = {hand.number for hand in hands if hand.left_at is None}
        takers = {batch.visit for batch in self._batches}
        for batch in self._batches if here else ():
            for k, told in enumerate(batch.cards):
                if told.card == card.card:
                    batch.cards[k] = replace(told, pose=card.pose)
                    batch.last_at = max(batch.last_at, at)
                    return True
        return any(touch.visit in takers & here for touch in card.touched)

    def take_back(self, card: LyingCard, under: Card | None) -> ToldCard | None:
        """
        A card of the bout that had gone lies there again, as it lay: beside the others, or across the same card
        (``under``). It is as it was told; None if it is not so.
        """
        gone = {told.key: told for batch in self._batches for told in batch.cards}
        for batch in self._batches:
            for told in batch.cards:
                lay_on = gone.get(told.on) if told.on is not None else None
                if told.card == card.card and (told.on is None or lay_on is None or lay_on.card == under):
                    batch.cards.remove(told)
                    self._batches = [each for each in self._batches if each.cards]
                    return told
        return None

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
        The events, once it shows where the cards went.

        ``left``: what still lies there. ``forced``: wait no more. ``in_doubt``: not all that changed is understood.
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
        if not forced and self._must_wait(last, visit, left, hands, seen, at, in_doubt):
            return []
        if not left and not last.to_heap:
            self._put_aside(last, visit)
        batches, self._batches = self._batches, []
        for batch in batches:
            if batch.visit is not None:
                self.sweepers[batch.visit] = batch.last_at
        batches = _one_go(batches, visits, bool(left), self.settings)
        groups = _grouped(batches, visits, self.settings)
        found: list[Evidence] = []
        for k, group in enumerate(groups):
            later = tuple(told.card for other in groups[k + 1 :] for told in other.cards)
            taker = visits.get(group.visit) if group.visit is not None else None
            found += _named(group, taker, later + left, self.settings)
        return found

    def _must_wait(
        self,
        last: _Batch,
        visit: HandVisit | None,
        left: tuple[Card, ...],
        hands: tuple[HandVisit, ...],
        seen: Observation,
        at: float,
        in_doubt: bool,
    ) -> bool:
        s = self.settings
        if last.to_heap and not left:
            return False
        if visit is not None and visit.left_at is None:
            return at - last.noticed_at < s.linger_s
        takers = {batch.visit for batch in self._batches}
        if any(hand.number in takers and hand.left_at is None for hand in hands):
            return at - last.noticed_at < s.linger_s
        since = last.noticed_at if visit is None or visit.left_at is None else max(visit.left_at, last.began_at)
        if visit is not None:
            self.asks_at = since
        understood = visit is not None and seen.at > since and not in_doubt
        if not left:
            return not understood and at - since < s.heap_wait_s
        if visit is not None:
            again = any(h.left_at is None and h.seat == visit.seat and h.number != visit.number for h in hands)
            if again and at - last.noticed_at < TWICE * s.linger_s:
                return True
        if understood and not last.to_heap and _is_taken_back(last, visit):
            return False
        return at - since < s.regather_s

    def _is_at_heap(self, batch: _Batch, seen: Observation, visit: HandVisit | None) -> bool:
        """Has the heap come to be or changed since these cards began to leave?"""
        since = batch.began_at - self.settings.heap_before_s
        if seen.heap is None or seen.heap.changed_at is None or seen.heap.changed_at < since:
            return False
        # A heap that lay there before changes only by a hand that was at it.
        began_at = max((at for at in (self._heap_began_at, seen.heap.began_at) if at is not None), default=None)
        began = began_at is not None and began_at >= since
        if visit is None or began:
            return True
        # What was not beaten goes there seldom: a hand that only passed over the heap on its way has put nothing down.
        after = since if _is_beaten(self._batches) else batch.last_at + self.settings.carried_s
        return visit.heap_at is not None and visit.heap_at >= after

    def _is_carried_there(
        self, batch: _Batch, seen: Observation, visit: HandVisit | None, left: tuple[Card, ...]
    ) -> bool:
        """Was the hand at the heap after it had taken the last of what was beaten? Heaps of plain backs look alike."""
        if seen.heap is None or visit is None or visit.heap_at is None or (left and visit.left_at is None):
            return False
        return visit.heap_at > batch.last_at + self.settings.carried_s and _is_beaten(self._batches)

    def _put_aside(self, batch: _Batch, visit: HandVisit | None) -> None:
        """Did the hand put the cards down away from its way home, and at nobody's edge? The heap may be unseen."""
        s = self.settings
        if visit is None or _pushed_to(batch, visit, s.pushed_s) is not None or _is_taken_back(batch, visit):
            return
        is_beaten = _is_beaten(self._batches)
        cards = [told.pose for told in batch.cards if told.pose is not None]
        aside_mm = detour_mm(visit, max(batch.last_at - s.aside_s, last_near(visit, cards, s.regathered_mm)), cards)
        if aside_mm >= (s.aside_mm if is_beaten else s.far_aside_mm):
            batch.heap_cue = "heap: put aside, beaten" if is_beaten else "heap: put aside, unbeaten"

    def _sweeper(self, touched: Sequence[Touch], taker: int | None, hands: tuple[HandVisit, ...]) -> int | None:
        """
        The hand that was gathering the bout, if it was at these cards too, before another hid them that seems to have
        taken them: a bout goes in one go.
        """
        s, visits = self.settings, {visit.number: visit for visit in hands}
        last = self._batches[-1] if self._batches else None
        if last is None or last.visit not in visits or taker not in visits or len(last.cards) < s.gathered:
            return None
        before, other = visits[last.visit], visits[taker]
        was_there = any(
            touch.visit == before.number and touch.share >= s.least_share and touch.tip_mm <= s.gathered_mm
            for touch in touched
        )
        met = other.number != before.number and (before.left_at is None or other.came_at <= before.left_at)
        return before.number if was_there and met and not _is_taken_back(last, before) else None

    def _taker(self, touched: Sequence[Touch], hands: tuple[HandVisit, ...]) -> int | None:
        """The hand that took the cards: nearest to most of them."""
        known = {visit.number for visit in hands}
        votes: dict[int, float] = {}
        for touch in touched:
            if touch.visit in known and touch.share >= self.settings.least_share:
                votes[touch.visit] = votes.get(touch.visit, 0.0) + 1 / (self.settings.nearness_mm + touch.tip_mm)
        return max(votes, key=lambda number: votes[number]) if votes else None


def _is_beaten(batches: Sequence[_Batch]) -> bool:
    """Did a card lie on every attack among what has gone?"""
    gone = [card for batch in batches for card in batch.cards]
    covered = {card.on for card in gone if card.on is not None}
    return bool(covered) and all(card.key in covered for card in gone if card.on is None)


def _one_go(
    batches: list[_Batch], visits: dict[int, HandVisit], left: bool, settings: DepartureSettings
) -> list[_Batch]:
    """
    The batches, those of one gathering made one: what hands took that were there together, or one right after the
    other, where three cards went or nothing is left. It is theirs who took most. Cards are pushed together from both
    sides, and a card goes with no hand but by one that was overlooked; but who takes back his own does so by himself.
    """
    goes: list[list[_Batch]] = []
    for batch in batches:
        if goes and _meet(goes[-1][-1], batch, visits, settings):
            goes[-1].append(batch)
        else:
            goes.append([batch])
    return [batch for go in goes for batch in _gathering(go, visits, left, settings)]


def _meet(batch: _Batch, following: _Batch, visits: dict[int, HandVisit], settings: DepartureSettings) -> bool:
    """Did one batch go right after the other, by hands that were there together as far as is known?"""
    one, other = (None if each.visit is None else visits.get(each.visit) for each in (batch, following))
    together = one is None or other is None or other.came_at <= (one.left_at or batch.last_at)
    return together and following.began_at - batch.last_at < settings.regather_s


def _gathering(go: list[_Batch], visits: dict[int, HandVisit], left: bool, settings: DepartureSettings) -> list[_Batch]:
    """What went in one go, as one batch where it was a gathering."""
    if len(go) == 1 or (left and sum(len(batch.cards) for batch in go) <= settings.gathered):
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
    one.cards = [told for batch in theirs for told in batch.cards]
    one.began_at, one.last_at = min(each.began_at for each in theirs), max(each.last_at for each in theirs)
    one.visit = go[of_most[-1]].visit
    return [*own, one]


def _grouped(batches: list[_Batch], visits: dict[int, HandVisit], settings: DepartureSettings) -> list[_Batch]:
    """Batches that went the same way, one after the other, made one."""

    def seat_of(batch: _Batch) -> str | None:
        visit = visits.get(batch.visit) if batch.visit is not None else None
        return None if visit is None else _pushed_to(batch, visit, settings.pushed_s) or visit.likely or visit.seat

    def way(batch: _Batch) -> tuple[bool, str | None]:
        return batch.to_heap, None if batch.to_heap else seat_of(batch)

    groups: list[_Batch] = []
    for batch, following in reversed(list(pairwise(batches))):
        # Who gathers card by card takes none of them home on the way to the heap.
        is_one_go = following.to_heap and following.began_at - batch.last_at < settings.regather_s
        is_own = batch.visit is not None and _is_taken_back(batch, visits.get(batch.visit))
        if is_one_go and not is_own and seat_of(batch) in (None, seat_of(following)):
            batch.heap_cue = following.heap_cue
    for batch, following in pairwise(batches):
        # Nor does he take the rest home when the first of them have gone to the heap: a bout goes one way.
        is_rest = batch.to_heap and following.began_at - batch.last_at < TWICE * settings.regather_s
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


def _named(
    batch: _Batch, visit: HandVisit | None, left: tuple[Card, ...], settings: DepartureSettings
) -> list[Evidence]:
    """What one group of batches was, and what it may have been instead."""
    at = batch.last_at
    seat = None if visit is None else visit.seat or visit.likely
    one_of_several = len(batch.cards) == 1 and (bool(left) or settings.lone_is_lifted)
    is_gathered = settings.own_at_once is not None and len(batch.cards) > settings.own_at_once
    if batch.heap_cue is not None and not one_of_several:
        home = () if seat is None else (Doubt(batch.heap_cue, {"home": {"to": seat}}),)
        return [Evidence(Swept(at=at, to=HEAP, left=left), (*home, *_not_yet(left)))]
    pushed_to = _pushed_to(batch, visit, settings.pushed_s)
    if pushed_to is not None and not one_of_several and visit is not None:
        # Who lays cards, reaches across and takes them back looks the same.
        cue = "pushed: own cards" if _is_taken_back(batch, visit) else "pushed: another's cards"
        instead: dict[str, Keys] = {"heap": {"to": HEAP}}
        if seat is not None:
            instead["home"] = {"to": seat}
        pushed = Swept(at=min(at, visit.reached_at), to=pushed_to, left=left)
        return [Evidence(pushed, (Doubt(cue, instead), *_not_yet(left)))]
    if (_is_taken_back(batch, visit) and not is_gathered) or one_of_several or seat is None:
        return [_lifted(told, seat, at, batch, visit, one_of_several) for told in batch.cards]
    assert visit is not None
    was_there = visit.heap_at is not None and visit.heap_at >= batch.began_at - settings.heap_before_s
    cue = "home: past the heap" if was_there else "home: beaten" if _is_beaten([batch]) else "home: unbeaten"
    doubts = [Doubt(cue, {"heap": {"to": HEAP}})]
    # What was pushed together lies there, under the hand or unread, until it is taken.
    lay = [told.pose for told in batch.cards if told.pose is not None]
    at = max(at, last_near(visit, lay, settings.regathered_mm))
    if visit.seat is None:
        others = {told.by for told in batch.cards if told.by not in (None, seat)}
        doubts += [Doubt("home: between two seats", {"another seat": {"to": other}}) for other in sorted(others)[:1]]
    return [Evidence(Swept(at=at, to=seat, left=left), (*doubts, *_not_yet(left)))]


def _not_yet(left: tuple[Card, ...]) -> tuple[Doubt, ...]:
    """Where cards are left the bout may still be being gathered: what goes next is the sweep of all."""
    return (Doubt(CARDS_LEFT, {"not yet": None}),) if left else ()


def _lifted(
    told: ToldCard, seat: str | None, at: float, batch: _Batch, visit: HandVisit | None, one_of_several: bool
) -> Evidence:
    """One card that was taken up."""
    if _is_taken_back(batch, visit):
        cue = "lifted: own"
    elif seat is None:
        cue = "lifted: nobody was seen"
    else:
        cue = "lifted: one of several" if one_of_several else "lifted: all"
    return Evidence(Lifted(at=at, card=told.card, by=seat), (Doubt(cue, {"nothing": None}),))


def _pushed_to(batch: _Batch, visit: HandVisit | None, pushed_s: float) -> str | None:
    """The seat to which the hand has pushed the cards, None if it was at no other's edge."""
    if visit is None or visit.reached is None or visit.reached_at < batch.last_at - pushed_s:
        return None
    # Who fetches a card that lay there brings it away from there.
    there = min(visit.trail, key=lambda tip: abs(tip[0] - visit.reached_at), default=None)
    lay = [told.pose for told in batch.cards if told.pose is not None]
    is_fetched = there is not None and any(pose.distance_mm(Pose(*there[1:])) <= FETCHED_MM for pose in lay)
    return None if is_fetched else visit.reached


def _seat(visit: HandVisit) -> str | None:
    """Whose hand it was, as far as that can be told."""
    return visit.seat or visit.likely


def _is_taken_back(batch: _Batch, visit: HandVisit | None) -> bool:
    """Has the hand taken nothing but what its own seat had laid?"""
    return visit is not None and visit.seat is not None and all(told.by == visit.seat for told in batch.cards)

"""
Cards that have gone from the bout: lifted or swept, and where to.

This shows only when the hand has left, because people gather cards one by one and in one go. The cards that one hand
track took in a row are a *stroke*; strokes of one gathering are one sweep. Where the cards of a stroke went is decided
by log-odds against the way home, and its alternatives are reported with them:

    to                         what speaks for it
    discard pile               it has changed or begun; the hand was there with a beaten bout, or went far aside
    another seat               the hand was at that seat's edge with the cards (pushed across to who takes)
    lifted, card by card       each was laid by the seat that took it; one card while others lie; no hand was seen

An inference after the hand has left that leaves nothing unexplained decides at once; without one, time decides.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import exp

from referee.cards import Card
from referee.events import HEAP, Lifted, Swept
from vision.actions.action_model import ActionModel
from vision.actions.attribution import NEVER, attributed, detour_mm, last_near, seat_of
from vision.actions.evidence import Alternative, Evidence, Keys, ReportedCard
from vision.geometry.pose import Pose
from vision.motion.hand_pass import HandPass, Touch
from vision.table.observation import Gone, LyingCard, Observation

Hands = Mapping[int | None, HandPass]

CARDS_LEFT = "swept: cards are left"
"""The cue of a sweep that leaves cards lying."""


@dataclass(slots=True)
class Stroke:
    """
    The cards that one hand track took. Times in seconds. ``touched``: by the key of a card, the hands over its place
    when it went. ``to_heap``: cue and log-odds of the discard pile.
    """

    model: ActionModel
    visit: int | None
    began_at: float
    last_at: float
    noticed_at: float
    cards: list[ReportedCard] = field(default_factory=list)
    touched: dict[int, tuple[Touch, ...]] = field(default_factory=dict)
    to_heap: tuple[str, float] | None = None

    @property
    def places(self) -> list[Pose]:
        """Return where its cards lay."""
        return [reported.pose for reported in self.cards if reported.pose is not None]

    def is_own(self, hands: Hands) -> bool:
        """Check whether the hand has taken only cards that its own seat had laid."""
        visit = hands.get(self.visit)
        return visit is not None and visit.seat is not None and all(card.by == visit.seat for card in self.cards)

    def pushed_to(self, hands: Hands) -> tuple[str, float] | None:
        """Return the seat to which the hand has pushed the cards, and when; None if it was at no other's edge."""
        visit = hands.get(self.visit)
        if visit is None or visit.reached is None or visit.reached.at < self.last_at - self.model.regather_s:
            return None
        # Who fetches a card that lay there brings it away from there.
        at = visit.reached.at
        there = min(visit.trail, key=lambda tip: abs(tip[0] - at), default=None)
        is_fetched = there is not None and any(
            p.distance_mm(Pose(*there[1:])) <= self.model.there_mm for p in self.places
        )
        return None if is_fetched else (visit.reached.seat, at)

    def way(self, hands: Hands) -> str | None:
        """Return where its cards went: to the discard pile or a seat, None if not known."""
        pushed = self.pushed_to(hands)
        return HEAP if self.to_heap else pushed[0] if pushed is not None else seat_of(hands.get(self.visit))


class Departures:
    """
    Collects the cards that go, and returns evidence once it is known where they went.

    ``has_game``: without one cards are only handled, and nobody takes the last one.
    """

    def __init__(self, model: ActionModel, has_game: bool = True) -> None:
        self._model, self._has_game = model, has_game
        self._strokes: list[Stroke] = []
        self._pushed: list[Stroke] = []
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
        return bool(self._strokes)

    def are_takers_gone(self, hands: Sequence[HandPass]) -> bool:
        """Check whether each hand that took a card which is not reported yet has left the picture."""
        takers = {stroke.visit for stroke in self._strokes}
        return not any(hand.number in takers and hand.left_at is None for hand in hands)

    def record(self, gone: Sequence[tuple[Gone, ReportedCard]], seen: Observation, hands: Sequence[HandPass]) -> None:
        """Take in the cards that have gone with an observation, and its discard pile."""
        self._seen_at = (self._seen_at[1], seen.at)
        if gone:
            visit = self._taker([leaving.touched for leaving, _ in gone], _by_number(hands))
            times = [leaving.at for leaving, _ in gone]
            if not self._strokes or self._strokes[-1].visit != visit:
                self._strokes.append(Stroke(self._model, visit, min(times), max(times), seen.at))
            last = self._strokes[-1]
            last.began_at, last.last_at = min(last.began_at, *times), max(last.last_at, *times)
            last.noticed_at = seen.at
            last.cards += [reported for _, reported in gone]
            last.touched |= {leaving.key: leaving.touched for leaving, _ in gone}
        if seen.heap is not None and not self._had_heap:
            self._heap_began_at = seen.at
        self._had_heap = seen.heap is not None

    def is_under_way(self, card: LyingCard, hands: Sequence[HandPass], at: float) -> bool:
        """
        Check whether a card that seems to have come belongs to a bout that is being gathered.

        A bout is pushed together in strokes, and taken when the hands are gone with it: one of its cards that is found
        elsewhere meanwhile was moved, not laid.
        """
        if not self._strokes or at - self._strokes[-1].noticed_at >= 2 * self._model.regather_s:
            return False
        here = {hand.number for hand in hands if hand.left_at is None}
        for stroke in self._strokes if here else ():
            for k, reported in enumerate(stroke.cards):
                if reported.card == card.card and not self._is_brought_back(card, stroke, hands):
                    stroke.cards[k] = replace(reported, pose=card.pose)
                    stroke.last_at = max(stroke.last_at, at)
                    return True
        return any(touch.visit in here & {stroke.visit for stroke in self._strokes} for touch in card.touched)

    def was_pushed(self, card: LyingCard, hands: Sequence[HandPass], at: float) -> bool:
        """
        Check whether a card that seems to have come was pushed over to a seat with a bout, and waits to be taken up.

        The hand that gathered the bout was at that seat's edge with it, and over the place where the card lies now.
        """
        self._pushed = [stroke for stroke in self._pushed if at - stroke.noticed_at < 2 * self._model.regather_s]
        return any(
            reported.card == card.card
            for stroke in (*self._strokes, *self._pushed)
            if stroke.pushed_to(_by_number(hands)) is not None and any(t.visit == stroke.visit for t in card.touched)
            for reported in stroke.cards
            if not self._is_brought_back(card, stroke, hands)
        )

    def take_back(self, card: LyingCard, under: Card | None, hands: Sequence[HandPass]) -> ReportedCard | None:
        """
        Return a card that had gone and lies there again as before, as it was reported; None if it is not so.

        As before: beside the others, or across the same card (``under``).
        """
        gone = {reported.key: reported for stroke in self._strokes for reported in stroke.cards}
        for stroke in self._strokes:
            for reported in stroke.cards if not self._is_brought_back(card, stroke, hands) else ():
                lay_on = gone.get(reported.on) if reported.on is not None else None
                if reported.card == card.card and (reported.on is None or lay_on is None or lay_on.card == under):
                    stroke.cards.remove(reported)
                    self._strokes = [stroke for stroke in self._strokes if stroke.cards]
                    return reported
        return None

    def _is_brought_back(self, card: LyingCard, stroke: Stroke, hands: Sequence[HandPass]) -> bool:
        """
        Check whether the hand that took a stroke had left with it, and another has brought a card of it.

        An observation between the two shows that the stroke was away; a card that was missed for a moment was not.
        """
        taker = _by_number(hands).get(stroke.visit)
        if taker is None or taker.left_at is None or self._seen_at[0] <= taker.left_at:
            return False
        least, nearest = self._model.least_hidden, self._model.nearest_mm
        there = {touch.visit for touch in card.touched if touch.share >= least and touch.tip_mm <= nearest}
        return any(hand.number in there and hand.came_at > taker.left_at for hand in hands)

    def name(
        self,
        seen: Observation,
        left: tuple[Card, ...],
        hands: Sequence[HandPass],
        at: float,
        forced: bool,
        in_doubt: bool = False,
    ) -> list[Evidence]:
        """
        Return the evidence, once it shows where the cards went.

        ``left``: cards that still lie there. ``forced``: don't wait. ``in_doubt``: some change is not understood.
        """
        self.asks_at = None
        if not self._strokes:
            return []
        visits, last = _by_number(hands), self._strokes[-1]
        if last.to_heap is None:
            last.to_heap = self._at_heap(last, seen, visits, bool(left))
        if not forced and self._must_wait(visits, left, seen, at, in_doubt):
            return []
        if not left and last.to_heap is None:
            last.to_heap = self._put_aside(last, visits)
        strokes, self._strokes = self._strokes, []
        self._pushed += strokes
        self.sweepers.update({stroke.visit: stroke.last_at for stroke in strokes if stroke.visit is not None})
        strokes = self._joined(strokes, visits, bool(left))
        found: list[Evidence] = []
        for k, stroke in enumerate(strokes):
            later = tuple(reported.card for other in strokes[k + 1 :] for reported in other.cards)
            # A record names no card twice, though two may be read alike.
            found += self._evidence_of(stroke, visits, tuple(dict.fromkeys(later + left)))
        return found

    def _must_wait(self, hands: Hands, left: tuple[Card, ...], seen: Observation, at: float, in_doubt: bool) -> bool:
        """Check whether the newest stroke may still grow, or it may still show where it went."""
        last, taken_by = self._strokes[-1], {stroke.visit for stroke in self._strokes}
        regather_s = self._model.regather_s
        if last.to_heap is not None and not left:
            return False
        if any(hand.number in taken_by and hand.left_at is None for hand in hands.values()):
            return at - last.noticed_at < 2 * regather_s
        taker, since = hands.get(last.visit), last.noticed_at
        if taker is not None and taker.left_at is not None:
            since = self.asks_at = max(taker.left_at, last.began_at)
        is_understood = taker is not None and seen.at >= since and not in_doubt
        if not left:
            return not is_understood and at - since < regather_s / 2
        is_back = taker is not None and any(h.left_at is None and h.seat == taker.seat for h in hands.values())
        if is_back and at - last.noticed_at < 4 * regather_s:
            return True
        # Who takes several of his cards, one after the other, may be gathering the bout.
        is_lifted = is_understood and last.to_heap is None and last.is_own(hands) and len(self._strokes) == 1
        return not is_lifted and at - since < regather_s

    def _at_heap(self, stroke: Stroke, seen: Observation, hands: Hands, is_any_left: bool) -> tuple[str, float] | None:
        """
        Return what speaks for the discard pile: it has changed or appeared since these cards began to leave, or the
        hand was there after it took the last card of a beaten bout (plain backs look alike).
        """
        if seen.heap is None:
            return None
        # What its owner took back before is no part of the bout any more.
        bout = [one for one in self._strokes if one is stroke or not one.is_own(hands)]
        visit = hands.get(stroke.visit)
        is_beaten, since = _is_beaten(bout), stroke.began_at - self._model.heap_before_s
        reached_at = NEVER if visit is None or visit.heap_at is None else visit.heap_at
        if seen.heap.changed_at is not None and seen.heap.changed_at >= since:
            # A pile that lay there before changes only by a hand that was at it. What was not beaten goes there
            # seldom: a hand that only passed over the pile on its way has put nothing down.
            began_at = max((at for at in (self._heap_began_at, seen.heap.began_at) if at is not None), default=NEVER)
            after = since if is_beaten else stroke.last_at + self._model.carried_s
            if visit is None or began_at >= since or (is_beaten and reached_at >= after):
                return "heap: it changed", self._model.heap_changed
            if reached_at >= after and visit.left_at is not None:
                # The way home may lead over the pile, whose cards the arm shifts.
                has_grown = seen.heap.grown_at is not None and seen.heap.grown_at >= after
                is_sure = has_grown or self._went_aside(stroke, visit, is_beaten=False)
                odds = 0.0 if is_sure else self._model.heap_unbeaten
                return "heap: it changed, unbeaten", self._model.heap_changed + odds
        is_there = reached_at > stroke.last_at + self._model.carried_s and visit is not None
        if is_there and is_beaten and not (is_any_left and visit is not None and visit.left_at is None):
            return "heap: the hand went there", self._model.heap_reached
        return None

    def _put_aside(self, stroke: Stroke, hands: Hands) -> tuple[str, float] | None:
        """Return that the hand put the cards down off its way home, and at nobody's edge: the pile may be unseen."""
        visit = hands.get(stroke.visit)
        if visit is None or stroke.pushed_to(hands) is not None or stroke.is_own(hands):
            return None
        kind = 0 if _is_beaten(self._strokes) else 1
        if not self._went_aside(stroke, visit, is_beaten=kind == 0):
            return None
        return f"heap: put aside, {('beaten', 'unbeaten')[kind]}", self._model.put_aside[kind]

    def _went_aside(self, stroke: Stroke, visit: HandPass, *, is_beaten: bool) -> bool:
        """Check whether a hand went far off its way home with the cards of a stroke."""
        since = max(stroke.last_at - self._model.carried_s, last_near(visit, stroke.places, self._model.there_mm))
        return detour_mm(visit, since, stroke.places) >= self._model.aside_mm[0 if is_beaten else 1]

    def _taker(self, touched: Sequence[Sequence[Touch]], hands: Hands) -> int | None:
        """
        Return the hand that took the cards: the likeliest of most of them, or the one that was gathering the bout, if
        it was at these cards too before the other hid them; a bout goes in one go.

        ``touched``: of each card, the hands over its place.
        """
        near = [touch for touches in touched for touch in touches if touch.visit in hands]
        near = [touch for touch in near if touch.share >= self._model.least_hidden]
        votes: dict[int, float] = defaultdict(float)
        for touch in near:
            votes[touch.visit] += exp(-touch.tip_mm / self._model.nearer_mm)
        if not votes:
            return None
        taker, last = max(votes, key=lambda number: votes[number]), self._strokes[-1] if self._strokes else None
        before = None if last is None else hands.get(last.visit)
        if last is None or before is None or len(last.cards) < self._model.gathered or last.is_own(hands):
            return taker
        met = before.left_at is None or hands[taker].came_at <= before.left_at
        was_there = any(touch.visit == before.number and touch.tip_mm <= self._model.nearest_mm for touch in near)
        return before.number if met and was_there else taker

    def _evidence_of(self, stroke: Stroke, hands: Hands, left: tuple[Card, ...]) -> list[Evidence]:
        """Return the evidence of one stroke: sweep or lifts, and what it may have been instead."""
        model, visit = self._model, hands.get(stroke.visit)
        seat, pushed = seat_of(visit), stroke.pushed_to(hands)
        is_one = len(stroke.cards) == 1 and (bool(left) or not self._has_game)
        is_own = stroke.is_own(hands)
        not_yet = (Alternative(CARDS_LEFT, {"not yet": (None, model.not_yet)}),) if left else ()
        if stroke.to_heap is not None and not is_one:
            cue, odds = stroke.to_heap
            if seat is not None and odds < 0:
                doubt = Alternative(cue, {"heap": ({"to": HEAP}, odds)})
                return [Evidence(Swept(at=stroke.last_at, to=seat, left=left), (doubt, *not_yet))]
            home = () if seat is None else (Alternative(cue, {"home": ({"to": seat}, -odds)}),)
            return [Evidence(Swept(at=stroke.last_at, to=HEAP, left=left), (*home, *not_yet))]
        if pushed is not None and not is_one:
            # Who lays cards, reaches across and takes them back looks the same.
            instead: dict[str, tuple[Keys, float]] = {"heap": ({"to": HEAP}, model.pushed)}
            if seat is not None:
                instead["home"] = {"to": seat}, model.pushed
            doubt = Alternative("pushed: own cards" if is_own else "pushed: another's cards", instead)
            return [Evidence(Swept(at=min(stroke.last_at, pushed[1]), to=pushed[0], left=left), (doubt, *not_yet))]
        is_taken_back = is_own and (self._has_game or len(stroke.cards) <= model.gathered)
        if is_taken_back or is_one or visit is None or seat is None:
            who = "nobody was seen" if seat is None else "one of several" if is_one else "all"
            doubt = Alternative(
                f"lifted: {'own' if is_own else who}", {"nothing": (None, model.not_lifted[not is_own])}
            )
            return [
                Evidence(
                    Lifted(at=stroke.last_at, card=card.card, by=seat),
                    (doubt, *self._other_taker(stroke.touched.get(card.key, ()), hands, seat)),
                )
                for card in stroke.cards
            ]
        cue, odds = (
            ("home: beaten", model.heap_beaten) if _is_beaten([stroke]) else ("home: unbeaten", model.heap_unbeaten)
        )
        if visit.heap_at is not None and visit.heap_at >= stroke.began_at - self._model.heap_before_s:
            cue, odds = "home: past the heap", odds + model.past_heap
        doubts = [Alternative(cue, {"heap": ({"to": HEAP}, odds)})]
        others = sorted({card.by for card in stroke.cards if card.by is not None and card.by != seat})
        if visit.seat is None and others:
            doubts.append(
                Alternative("home: between two seats", {"another seat": ({"to": others[0]}, model.between_two_seats)})
            )
        # What was pushed together lies there, under the hand or unread, until it is taken.
        at = max(stroke.last_at, last_near(visit, stroke.places, self._model.there_mm))
        return [Evidence(Swept(at=at, to=seat, left=left), (*doubts, *not_yet))]

    def _other_taker(self, touched: Sequence[Touch], hands: Hands, seat: str | None) -> tuple[Alternative, ...]:
        """Return that another seat's hand may have lifted a card that ``seat`` seems to have lifted."""
        who = attributed(touched, tuple(hands.values()), self._model)
        if seat is None or who.seat is None:
            return ()
        if who.seat == seat:
            return who.doubts
        # The hand that gathers took it, though another was nearer.
        return (
            Alternative("seat: another hand was nearer", {"another seat": ({"by": who.seat}, -self._model.in_order)}),
        )

    def _joined(self, strokes: list[Stroke], hands: Hands, is_any_left: bool) -> list[Stroke]:
        """
        Join the strokes of one gathering: of hands that were there together, or one right after the other, where three
        cards went or nothing is left; and those that went the same way.

        Cards are pushed together from both sides, a card without a hand went with one that was missed, and a bout goes
        one way; but who takes back his own cards does so alone.
        """
        goes: list[list[Stroke]] = []
        for stroke in strokes:
            before = goes[-1][-1] if goes else None
            if before is not None and stroke.began_at - before.last_at < self._model.regather_s:
                one, other = hands.get(before.visit), hands.get(stroke.visit)
                if one is None or other is None or other.came_at <= (one.left_at or before.last_at):
                    goes[-1].append(stroke)
                    continue
            goes.append([stroke])
        strokes = [stroke for go in goes for stroke in self._gathering(go, hands, is_any_left)]
        # Who gathers card by card takes none of them home on the way to the pile, nor the rest when the first have gone
        # there.
        pairs = list(pairwise(strokes))
        for earlier, later in reversed(pairs):
            self._follow(earlier, later, self._model.regather_s, hands, is_first=True)
        for earlier, later in pairs:
            self._follow(earlier, later, 2 * self._model.regather_s, hands, is_first=False)
        joined: list[Stroke] = []
        for stroke in strokes:
            if joined and joined[-1].way(hands) == stroke.way(hands):
                joined[-1].cards += stroke.cards
                joined[-1].touched |= stroke.touched
                joined[-1].last_at = max(joined[-1].last_at, stroke.last_at)
            else:
                joined.append(stroke)
        return joined

    def _follow(self, earlier: Stroke, later: Stroke, within_s: float, hands: Hands, *, is_first: bool) -> None:
        """Let a stroke go to the discard pile where the next one, or the one before it, of the same seat went."""
        follower, guide = (earlier, later) if is_first else (later, earlier)
        if guide.to_heap is None or follower.is_own(hands) or later.began_at - earlier.last_at >= within_s:
            return
        seats = [seat_of(hands.get(touch.visit)) for touch in (earlier, later)]
        if seats[0] in (None, seats[1]):
            follower.to_heap = guide.to_heap

    def _gathering(self, go: list[Stroke], hands: Hands, is_any_left: bool) -> list[Stroke]:
        """Return the strokes of one go, those of one gathering joined: it belongs to who took most."""
        counts: Counter[str] = Counter()
        for stroke in go:
            seat = seat_of(hands.get(stroke.visit))
            if seat is not None:
                counts[seat] += len(stroke.cards)
        if (
            len(go) == 1
            or not counts
            or (is_any_left and sum(len(stroke.cards) for stroke in go) <= self._model.gathered)
        ):
            return go
        most = max(reversed(counts), key=lambda seat: counts[seat])
        of_most = [k for k, stroke in enumerate(go) if seat_of(hands.get(stroke.visit)) == most]
        own: list[Stroke] = []
        theirs: list[Stroke] = []
        for k, stroke in enumerate(go):
            # Between two strokes of the seat that gathers the bout, no other player takes back a card.
            is_others_own = k not in of_most and not of_most[0] < k < of_most[-1] and stroke.is_own(hands)
            is_heaps = stroke.to_heap is not None and go[-1].to_heap is None
            (own if is_others_own or is_heaps else theirs).append(stroke)
        if not theirs:
            return go
        one = theirs[-1]
        one.cards = [reported for stroke in theirs for reported in stroke.cards]
        one.touched = {key: touched for stroke in theirs for key, touched in stroke.touched.items()}
        one.began_at, one.last_at = min(other.began_at for other in theirs), max(other.last_at for other in theirs)
        one.visit = go[of_most[-1]].visit
        return [*own, one]


def _by_number(hands: Sequence[HandPass]) -> dict[int | None, HandPass]:
    return {visit.number: visit for visit in hands}


def _is_beaten(strokes: Sequence[Stroke]) -> bool:
    """Check whether every attack among the cards that have gone was beaten."""
    gone = [card for stroke in strokes for card in stroke.cards]
    covered = {card.on for card in gone if card.on is not None}
    return bool(covered) and all(card.key in covered for card in gone if card.on is None)

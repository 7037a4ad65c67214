"""
Which cards lie on the table, and on what: from what the card filter believes to an ``Observation``.

A card lies there once at least two inferences have found it at rest and no hand is over it. Zones follow from what lies
there: the talon is the face-down pile with a face-up card under it, the discard pile any other face-down pile, the bout
all other face-up cards (:mod:`vision.table.piles`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vision.detection.z_order import LIES_ACROSS
from vision.geometry.pose import Pose
from vision.geometry.quads import overlap
from vision.layout import TableLayout
from vision.motion.hand_tracking import HandTracker
from vision.table.card_filter import CardFilter
from vision.table.card_states import next_state
from vision.table.observation import Gone, LyingCard, Observation, Pile
from vision.table.track import STILL_INFERENCES, CardState, FrameFacts, Track

# Shares are from 0 to 1, of an area or of all probability. Chosen by hand, 2026-11.
PARTLY_OVERLAPS = 0.02
"""A card that shares less with another lies beside it; what is less is an edge found a little off."""
ACROSS_COVERED = 0.4
"""Least overlap with a card that is covered already, for a card that is meant for it."""
COVERED_LOSES = 0.5
"""Share that is taken from the overlap with a covered card: the open card is meant."""
MOVED_MM = 25.0
"""A card pushed farther may lie on another card now."""
ON_UNREAD = 0.65
"""A card that lies across an unread one, to which it may be an answer, is named with no more, so that it accuses
nobody."""
ON_PILE = 0.35
"""A face that shares more with talon or turn-up is no card of the bout: nobody plays there."""
PLAIN_ON_HEAP = 0.85
"""Nor is one on a discard pile, unless a single reading gives it this probability."""
HANDLED, HANDLED_S = 0.3, 0.3
"""
Share of a card that had slid in over which a hand shows that it is real, and seconds after which it must be found.
"""
IN_VIEW = 0.5
"""A card with less in view is hidden, and taken to lie as before."""
A_MOMENT_S = 1e-6
"""Times are kept as float32 in places: a smaller difference, in seconds, does not count."""
LOWER_WAIT_S = 0.7
"""Seconds for which a card waits for the name of the one that it lies on."""


@dataclass(frozen=True, slots=True, eq=False)
class LyingCards:
    """
    The table after an inference.

    ``has_begun``: what lay there at the start is known. ``shows_held``: the segmentation's word counts that a hand
    holds a card (:mod:`vision.table.held_cards`).
    """

    cards: CardFilter
    facts: FrameFacts
    hands: HandTracker
    layout: TableLayout
    has_begun: bool
    shows_held: bool

    def observe(self, gone: Sequence[Track]) -> Observation:
        """Decide which cards lie there, and return the table as it lies. ``gone``: tracks that have ended."""
        cards, piles, at = self.cards, self.cards.piles, self.facts.at
        at_rest = [
            track
            for track in cards.tracks
            if min(track.inferences, track.still) >= STILL_INFERENCES
            and (track.is_confirmed or not self.has_begun)
            and not track.is_nothing
        ]
        held = []
        for track in at_rest:
            was_held = track.state is CardState.HELD
            if track.is_back and self.hands.holding.holds(track.corners_px, held=was_held):
                cards.sights[track.key] = replace(cards.sights[track.key], is_held=True)
                held.append(track)
            if track in held or was_held:
                track.state = next_state(track, cards.sights[track.key], cards.model)
        piles.remove([track.key for track in held])
        at_rest = [track for track in at_rest if track not in held]
        marks = self.layout.zones.talon, self.layout.zones.heap
        talon_px, heap_px = (None if mark is None else self.layout.zone_card_px(mark) for mark in marks)
        piles.set_marks(talon_px, heap_px)
        replaced = piles.update(at_rest, cards.tracks, {track.key for track in gone}, at, self.has_begun)
        departed = []
        for track in gone:
            if track.lying is not None:
                clear_at = self.hands.clear_at(track.corners_px, at)
                touched = self.hands.touches(track.corners_px, track.seen_at, at, self.layout)
                departed.append(Gone(track.key, clear_at if clear_at > track.seen_at else at, touched))
        if replaced is not None:
            cards.tracks.remove(replaced)
            at_rest = [track for track in at_rest if track is not replaced]
        # Nobody plays outside the bout's zone.
        in_bout = [t for t in at_rest if t.is_back or t.key == piles.turnup_key or self.layout.is_in_bout(t.corners_px)]
        in_bout.sort(key=cards.tracks.index)

        hidden = {track.key for track in cards.tracks if cards.sights[track.key].visible < IN_VIEW}
        for track in cards.tracks:
            if track in at_rest and track not in in_bout:
                track.lying = None
        is_waiting = False
        for track in in_bout:
            if not track.is_back and (track.lying is not None or not self._is_at_pile(track)):
                is_waiting |= self._lay(track, is_hidden=track.key in hidden)
        unread = []
        for track in in_bout:
            is_new = track.is_unread and track.lying is None and track.key != piles.turnup_key
            if is_new and not (self._is_shown_held(track) or track.key in hidden or self._is_at_pile(track)):
                on, lap = self._across(track)
                clear_at = self.hands.clear_at(track.corners_px, at)
                touched = self.hands.touches(track.corners_px, track.empty_at, track.first_at, self.layout)
                pose = self.layout.pose(track.corners_px)
                unread.append(LyingCard(track.key, *track.reading(), pose, on, round(lap, 3), clear_at, touched))
        lying = {track.key: track.lying for track in cards.tracks if track.lying is not None}
        turnup = None if piles.turnup_key is None else lying.pop(piles.turnup_key, None)
        heap = None
        for discard_pile in piles.discard_piles[:1]:
            x_mm, y_mm = self.layout.mm(discard_pile.outline_px).mean(axis=0)
            noted = discard_pile.changed_at, discard_pile.came_at, discard_pile.grown_at
            times = [None if when < 0 else when for when in noted]
            heap = Pile(Pose(round(float(x_mm), 1), round(float(y_mm), 1)), *times)
        return Observation(
            at=at,
            bout=tuple(lying.values()),
            turnup=turnup,
            talon=None if piles.talon_px is None else Pile(self.layout.pose(piles.talon_px)),
            heap=heap,
            gone=tuple(departed),
            hidden=frozenset(track.key for track in cards.tracks if track.lying is not None and track.key in hidden),
            unread=tuple(unread),
            turnup_in_hand=any(
                track.key == piles.turnup_key and (track.is_drawn or piles.is_pulled) for track in cards.tracks
            ),
            missed=frozenset(track.key for track in cards.tracks if track.misses and track.lying is not None),
            is_waiting=is_waiting,
        )

    def _lay(self, track: Track, *, is_hidden: bool) -> bool:
        """
        Take a card at rest as lying there, or update one that does already.

        Return whether it waits for the name of the card under it.
        """
        old, hands, piles, at = track.lying, self.hands, self.cards.piles, self.facts.at
        is_turnup = track.key == piles.turnup_key
        announced = piles.turnup_name if is_turnup else None
        card, share, others = track.reading() if announced is None else (announced, 1.0, ())
        if announced is None and any(
            other.is_unread and overlap(track.corners_px, other.corners_px) >= LIES_ACROSS
            for other in self._below(track)
        ):
            share = min(share, ON_UNREAD)
        if old is not None:
            clear_at, touched = old.clear_at, old.touched
        else:
            if announced is None and (not track.has_name or (not is_turnup and self._may_be_held(track, is_hidden))):
                return False
            if announced is None and self._waits_for_lower(track):
                return True
            besides = [other.corners_px for other in self.cards.tracks if other is not track and not other.is_nothing]
            lain_since = hands.lain_since(track.corners_px, track.empty_at, track.first_at, besides)
            until = track.first_at if lain_since is None else lain_since
            touched = hands.touches(track.corners_px, track.empty_at, until, self.layout)
            if not touched:  # by the hand that still was over it when it was first found
                lain_since = None
                touched = hands.touches(track.corners_px, track.empty_at, track.first_at, self.layout)
            if not touched and announced is None and self._is_graphics(track):
                return False
            clear_at = hands.clear_at(track.corners_px, at if lain_since is None else lain_since)
            if track.free_at is not None and self._is_dealt_on(track):
                clear_at = min(clear_at, track.free_at)
        if not touched and announced is None:
            share = min(share, track.single_reading)
        pose = self.layout.pose(track.corners_px)
        if (
            old is None
            or old.pose.distance_mm(pose) > MOVED_MM
            or any(lower.key == old.on and lower.laid_at > track.laid_at for lower in self.cards.tracks)
        ):
            on, lap = self._across(track)
        else:  # nothing was pulled out from under it
            on, lap = old.on, old.overlap
        partly_overlaps = self._partly_overlapped(track) if on is None else None
        track.lying = LyingCard(
            track.key,
            card,
            share,
            others,
            pose,
            on,
            round(lap, 3),
            clear_at,
            touched,
            partly_overlaps,
            track.is_blurred,
        )
        return False

    def _below(self, track: Track) -> Sequence[Track]:
        """Return the tracks that are older, so that they lie below where they overlap."""
        return self.cards.tracks[: self.cards.tracks.index(track)]

    def _may_be_held(self, track: Track, is_hidden: bool) -> bool:
        """
        Check whether a hand holds a card that was never found free of arms.

        A hand that holds still is no arm for motion detection; the segmentation shows it.
        """
        if self._is_shown_held(track):
            return True
        if not is_hidden or track.open_inferences > 0 or not self.hands.busy:
            return False
        if track.free_at is not None and self._is_dealt_on(track):
            return False
        return self.hands.clear_at(track.corners_px, self.facts.at) >= self.facts.at - A_MOMENT_S

    def _is_dealt_on(self, track: Track) -> bool:
        """Check whether a card lies on it that came later, as when cards are dealt one onto the other."""
        later = self.cards.tracks[self.cards.tracks.index(track) + 1 :]
        return any(
            t.is_confirmed and t.first_at > track.first_at and overlap(t.corners_px, track.corners_px) >= LIES_ACROSS
            for t in later
        )

    def _is_shown_held(self, track: Track) -> bool:
        """Check whether the segmentation showed much of a card in a hand in each inference that found it."""
        return self.shows_held and track.least_arm is not None and track.least_arm > self.cards.model.held_share

    def _is_at_pile(self, track: Track) -> bool:
        """Check whether a face lies on a pile, so that it is no card of the bout."""
        piles = self.cards.piles
        zone = piles.zone(track.key)
        turnup = next((t for t in self.cards.tracks if t.key == piles.turnup_key), None)
        # Where the turn-up itself is no longer found, a face in its place may have been exchanged for it.
        if zone == "turnup" or (turnup is not None and turnup.seen_at < track.seen_at):
            return False
        if zone != "bout":
            return True
        is_poor = track.single_reading < PLAIN_ON_HEAP
        if is_poor and piles.covers(track.corners_px, track.first_at, ON_PILE):
            return True
        if not (is_poor or piles.has_turnup):
            return False  # where no game is played, whatever lies face up was laid
        bared_px = piles.bared_px if turnup is not None else None
        places = (piles.talon_place_px, piles.turnup_px, bared_px)
        return any(overlap(track.corners_px, place) > ON_PILE for place in places if place is not None)

    def _is_graphics(self, track: Track) -> bool:
        """
        Check whether a card slid in without a hand, as graphics of a film do, and no hand has been over it since.
        """
        if not self.hands.slid_in(track.corners_px, track.empty_at):
            return False
        over = self.hands.touches(track.corners_px, track.first_at, self.facts.at, self.layout, seen=True)
        return not any(hand.share >= HANDLED and track.seen_at >= hand.last_at + HANDLED_S for hand in over)

    def _waits_for_lower(self, track: Track) -> bool:
        """
        Check whether it lies across a card that came with it and has no name yet: reported alone it would be an attack.
        """
        return self.facts.at - track.first_at < LOWER_WAIT_S and any(
            not other.is_back
            and other.lying is None
            and other.key != self.cards.piles.turnup_key
            and other.seen_at >= track.seen_at
            and overlap(track.corners_px, other.corners_px) >= LIES_ACROSS
            for other in self._below(track)
        )

    def _across(self, track: Track) -> tuple[int | None, float]:
        """Return the key of the card that this one lies across, and the share of it that overlaps."""
        covered = self._covered(track.key)
        own = self.layout.whole_px(track.corners_px)
        best: tuple[float, LyingCard, float] | None = None
        for other in self._below(track):
            if other.lying is None or other.key == self.cards.piles.turnup_key:
                continue
            lap = overlap(own, self.layout.whole_px(other.corners_px))
            least = ACROSS_COVERED if other.key in covered else LIES_ACROSS
            score = lap - (COVERED_LOSES if other.key in covered else 0.0)
            if lap >= least and (best is None or score > best[0]):
                best = (score, other.lying, lap)
        if best is None:
            return None, 0.0
        # A card across an answer is meant for the card that was answered: nobody plays on an answer.
        _, lower, lap = best
        lies_on = any(other.lying is not None and other.key == lower.on for other in self.cards.tracks)
        return (lower.on if lies_on else lower.key), lap

    def _partly_overlapped(self, track: Track) -> int | None:
        """Return the key of the open card that shares most with one that lies across none; None if none shares much."""
        covered = self._covered(track.key)
        own = self.layout.whole_px(track.corners_px)
        laps = {
            other.key: overlap(own, self.layout.whole_px(other.corners_px))
            for other in self.cards.tracks
            if other is not track and other.lying is not None and other.lying.on is None
            if other.key not in covered and other.key != self.cards.piles.turnup_key
        }
        nearest = max(laps, key=lambda key: laps[key], default=None)
        return nearest if nearest is not None and laps[nearest] >= PARTLY_OVERLAPS else None

    def _covered(self, key: int) -> set[int | None]:
        """Return the keys of cards on which a card other than ``key`` lies."""
        return {track.lying.on for track in self.cards.tracks if track.lying is not None and track.key != key}

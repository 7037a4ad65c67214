"""
Which cards lie on the table, and on what: from tracks to an ``Observation``.

A card lies there once at least two inferences have found it at rest and no hand is over it. Zones follow from what lies
there: the talon is the face-down pile with a face-up card under it, the discard pile any other face-down pile, the bout
all other face-up cards (:mod:`vision.tracking.piles`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from referee.cards import Card
from vision.detection.z_order import LIES_ACROSS
from vision.geometry.quads import overlap
from vision.geometry.table_layout import TableLayout
from vision.motion.hand_tracking import HandTracker
from vision.observation import Gone, LyingCard, Observation, Pile, Pose
from vision.tracking.missed_detections import CardsInView
from vision.tracking.piles import Piles
from vision.tracking.track import PATIENCE, STILL_INFERENCES, Track

logger = logging.getLogger(__name__)

Reading = tuple[Card, float, tuple[tuple[Card, float], ...]]
"""A card, its probability, and the alternatives with theirs."""

# Shares are from 0 to 1, of an area or of all probability. Chosen by hand, 2026-11.
GRAZES = 0.02
"""A card that shares less with another lies beside it; what is less is an edge found a little off."""
ACROSS_COVERED = 0.4
"""Least overlap with a card that is covered already, for a card that is meant for it."""
COVERED_LOSES = 0.5
"""By so much the overlap with a covered card counts for less: the open card is meant."""
MOVED_MM = 25.0
"""A card pushed farther may lie on another card now."""
GUESS_READ, GUESS_COUNT, GUESS_CONFIDENCE = 0.25, 8, 0.5
"""A card has a name with this probability if it was found so often, and by the finder with this confidence."""
CROWD, CROWDED, CROWDED_SHARE = 2, 0.3, 0.65
"""If ``CROWD`` unconfirmed tracks share ``CROWDED`` with a card (of the smaller), something is outlined wrongly: the
card's name is reported with ``CROWDED_SHARE`` at most, so that it accuses nobody."""
ON_PILE = 0.35
"""A face that shares more with talon or turn-up is no card of the bout: nobody plays there."""
PLAIN_ON_HEAP = 0.85
"""Nor is one on a discard pile, unless a single reading gives it this probability."""
HELD = 0.2
"""
Share of a card, 0..1: if the segmentation shows more of it as an arm in each inference that finds it, a hand holds it.
In a real film of a riffle seen edge-on the packets' faces have 0.43 to 0.94; a card that was laid has next to nothing
once the hand has gone.
"""
HANDLED, HANDLED_S = 0.3, 0.3
"""A hand over this share of a card that had slid in shows that it is real, if it is found so many seconds later."""
A_MOMENT_S = 1e-6
"""Times are kept as float32 in places: a smaller difference, in seconds, does not count."""


# When a card counts as lying on the table. Shares are from 0 to 1. Chosen by hand, 2026-11.
ONE_MORE_INFERENCE = 0.8
"""A card read with less is inferred again before it is reported, ``PATIENCE`` times at most."""
LOWER_WAIT_S = 0.7
"""Seconds for which a card waits for the name of the one that it lies on."""
TABLE_STATE_NAMED = 0.5
"""A card read with less has no name: something lies there, but it may be no card."""
EARLIER_S = 0.25
"""A card known to have lain there by so many seconds earlier than another lies under it, whatever the edges say."""
IN_VIEW = 0.5
"""A card with less in view is hidden, and taken to lie as before."""


@dataclass(frozen=True, slots=True, eq=False)
class TrackedTable:
    """
    The tracks after an inference, and what else decides what lies there.

    ``view``: the tracks, oldest first, and the frame. ``gone``: tracks that have ended. ``has_begun``: what lay there
    at the start is known.
    """

    view: CardsInView
    gone: tuple[Track, ...]
    hands: HandTracker
    layout: TableLayout
    has_begun: bool

    @property
    def at(self) -> float:
        """Time of the inference, in seconds."""
        return self.view.facts.at

    @property
    def tracks(self) -> Sequence[Track]:
        """Return the tracks, oldest first."""
        return self.view.tracks

    def below(self, track: Track) -> Sequence[Track]:
        """Return the tracks that are older, so that they lie below where they overlap."""
        return self.tracks[: self.tracks.index(track)]

    def lain_since(self, track: Track) -> float | None:
        """Return since when a card that was found has lain there (seconds); None if not known."""
        others = [other.corners_px for other in self.tracks if other is not track and not other.is_nothing]
        return self.hands.lain_since(track.corners_px, track.empty_at, track.first_at, others)


class TableStateTracker:
    """Keeps the cards that lie on the table from inference to inference. ``piles``: read only."""

    def __init__(self, piles: Piles) -> None:
        self.piles = piles
        self._lying: dict[int, LyingCard] = {}
        self._found: dict[str, bool] = {}
        self._waiting: set[int] = set()

    @property
    def turnup(self) -> LyingCard | None:
        """Return the turn-up, if it lies there."""
        key = self.piles.turnup_key
        return None if key is None else self._lying.get(key)

    def on(self, key: int) -> int | None:
        """Return the key of the card that a card lies across."""
        lying = self._lying.get(key)
        return None if lying is None else lying.on

    def at_rest(self, tracks: Sequence[Track], has_begun: bool) -> list[Track]:
        """Return the tracks that lie there: found often enough at one place, and no "none"."""
        return [
            track
            for track in tracks
            if min(track.inferences, track.still) >= STILL_INFERENCES
            and (track.confirmed or not has_begun)
            and not track.is_nothing
        ]

    def order_by_time(self, table: TrackedTable) -> tuple[tuple[int, int], ...]:
        """
        Return pairs of keys (lower, upper) of overlapping new cards whose order is wrong.

        Of two cards found in one inference the one that lay there earlier lies below.
        """
        new = [
            track
            for track in self.at_rest(table.tracks, table.has_begun)
            if not track.is_back and track.key not in self._lying and self._is_in_bout(track, table.layout)
        ]
        pairs = []
        for lower, upper in combinations(sorted(new, key=table.tracks.index), 2):
            is_met = overlap(lower.corners_px, upper.corners_px) >= LIES_ACROSS
            if not is_met or lower.first_at != upper.first_at:
                continue
            times = [table.lain_since(track) for track in (lower, upper)]
            if times[0] is not None and times[1] is not None and times[1] + EARLIER_S <= times[0]:
                pairs.append((upper.key, lower.key))
        return tuple(pairs)

    def leave(self, table: TrackedTable, replaced: Track | None) -> tuple[Gone, ...]:
        """Take away the cards whose tracks have ended, and return those that lay there."""
        departed = tuple(self._depart(track, table) for track in table.gone if track.key in self._lying)
        if replaced is not None:
            self._lying.pop(replaced.key, None)
        return departed

    def observe(self, table: TrackedTable, departed: tuple[Gone, ...]) -> Observation:
        """Return the table as it lies after an inference. ``departed``: cards that have left since the last one."""
        self._waiting = set()
        at_rest = self.at_rest(table.tracks, table.has_begun)
        hidden = {track.key for track in table.tracks if table.view.share(track) < IN_VIEW}
        in_bout = [track for track in at_rest if track.is_back or self._is_in_bout(track, table.layout)]
        for track in at_rest:
            if track not in in_bout:
                self._lying.pop(track.key, None)
        for track in in_bout:
            if not track.is_back and (track.key in self._lying or not self._is_at_pile(track, table)):
                self._lay(track, table, is_hidden=track.key in hidden)
        unread = tuple(
            self._unread_card(track, table)
            for track in in_bout
            if track.key not in hidden and self._is_unread(track, table)
        )
        piles, layout = self.piles, table.layout
        heaps, order = piles.heaps.outlines_px, [track.key for track in table.tracks]
        lies_there = {"talon": piles.talon_px is not None, "turn-up": self.turnup is not None, "heap": bool(heaps)}
        for name, is_found in lies_there.items():
            if is_found != self._found.get(name, False):
                logger.info("the %s is %s at %.2f s", name, "found" if is_found else "no longer found", table.at)
            self._found[name] = is_found
        bout = [key for key in self._lying if key != piles.turnup_key and key in order]
        heap = None
        if heaps:
            x_mm, y_mm = layout.mm(heaps[0]).mean(axis=0)
            place = Pose(round(float(x_mm), 1), round(float(y_mm), 1))
            heap = Pile(place, piles.heaps.changed_at, piles.heaps.began_at)
        return Observation(
            at=table.at,
            bout=tuple(self._lying[key] for key in sorted(bout, key=order.index)),
            turnup=self.turnup,
            talon=None if piles.talon_px is None else Pile(layout.pose(piles.talon_px)),
            heap=heap,
            gone=departed,
            hidden=frozenset(hidden & set(self._lying)),
            unread=unread,
            turnup_pulled=any(track.key == piles.turnup_key and track.pulled for track in table.tracks),
            missed=frozenset(track.key for track in table.tracks if track.missed and track.key in self._lying),
        )

    def is_unsure(self, track: Track) -> bool:
        """
        Check whether a further inference is needed before the card is reported; never for cards classified as "none".
        """
        is_poor = track.inferences < PATIENCE and track.reading()[1] < ONE_MORE_INFERENCE
        return not (track.is_back or track.is_nothing) and (is_poor or track.key in self._waiting)

    def _is_in_bout(self, track: Track, layout: TableLayout) -> bool:
        """Check whether a face lies within the bout's zone, or is the turn-up. Nobody plays elsewhere."""
        return track.key == self.piles.turnup_key or layout.is_in_bout(track.corners_px)

    def _lay(self, track: Track, table: TrackedTable, *, is_hidden: bool) -> None:
        """Add a card at rest, or update one that lies there already."""
        card, share, others = track.reading()
        announced = self.piles.turnup_name if track.key == self.piles.turnup_key else None
        if announced is not None:
            card, share, others = announced, 1.0, ()
        elif self._is_crowded(track, table.tracks) or self._lies_on_nameless(track, table):
            share = min(share, CROWDED_SHARE)
        reading = (card, share, others)
        if track.key in self._lying:
            self._lying[track.key] = self._updated(self._lying[track.key], track, reading, announced is not None, table)
            return
        if announced is None and not self._has_name(track, share):
            return
        if track.key != self.piles.turnup_key and self._may_be_held(track, table, is_hidden):
            return
        if announced is None and self._waits_for_lower(track, table):
            self._waiting.add(track.key)
            return
        new = self._new_card(track, reading, announced is not None, table)
        if new is not None:
            self._lying[track.key] = new

    def _updated(
        self, old: LyingCard, track: Track, reading: Reading, is_announced: bool, table: TrackedTable
    ) -> LyingCard:
        """Return a card that lies there already as it is now."""
        card, share, others = reading
        if not old.touched and not is_announced:
            share = min(share, track.single_reading)
        pose = table.layout.pose(track.corners_px)
        on, lap = old.on, old.overlap
        was_pulled_out = any(each.key == on and each.laid_at > track.laid_at for each in table.tracks)
        if old.pose.distance_mm(pose) > MOVED_MM or was_pulled_out:
            on, lap = self._across(track, table)
        grazes = self._grazed(track, table) if on is None else None
        named = replace(old, card=card, confidence=share, alternatives=others)
        return replace(named, pose=pose, on=on, overlap=lap, grazes=grazes, is_blurred=track.is_blurred)

    def _new_card(self, track: Track, reading: Reading, is_announced: bool, table: TrackedTable) -> LyingCard | None:
        """Return a card that has come to lie there; None if it slid in without a hand, as graphics of a film do."""
        card, share, others = reading
        hands, layout = table.hands, table.layout
        lay_by = table.lain_since(track)
        touched = () if lay_by is None else hands.touches(track.corners_px, track.empty_at, lay_by, layout)
        if not touched:  # by the hand that still was over it when it was first found
            lay_by = None
            touched = hands.touches(track.corners_px, track.empty_at, track.first_at, layout)
        if not touched and not is_announced:
            if hands.slid_in(track.corners_px, track.empty_at) and not self._is_handled(track, table):
                return None
            share = min(share, track.single_reading)
        on, lap = self._across(track, table)
        clear_at = hands.clear_at(track.corners_px, table.at if lay_by is None else lay_by)
        grazes = self._grazed(track, table) if on is None else None
        pose = layout.pose(track.corners_px)
        return LyingCard(
            track.key, card, share, others, pose, on, round(lap, 3), clear_at, touched, grazes, track.is_blurred
        )

    def _may_be_held(self, track: Track, table: TrackedTable, is_hidden: bool) -> bool:
        """
        Check whether a hand holds a card that was never found free of arms.

        A hand that holds still is no arm for motion detection; the segmentation shows it.
        """
        if track.least_arm is not None and track.least_arm > HELD:
            return True
        if not is_hidden or track.open_inferences > 0 or not table.hands.busy:
            return False
        return table.hands.clear_at(track.corners_px, table.at) >= table.at - A_MOMENT_S

    def _is_unread(self, track: Track, table: TrackedTable) -> bool:
        """Check whether a card lies there that has no name after ``PATIENCE`` inferences."""
        is_known = track.is_back or track.key in self._lying or track.key == self.piles.turnup_key
        if is_known or track.inferences < PATIENCE or (track.least_arm is not None and track.least_arm > HELD):
            return False
        return not self._has_name(track, track.reading()[1]) and not self._is_at_pile(track, table)

    def _unread_card(self, track: Track, table: TrackedTable) -> LyingCard:
        on, lap = self._across(track, table)
        clear_at = table.hands.clear_at(track.corners_px, table.at)
        touched = table.hands.touches(track.corners_px, track.empty_at, track.first_at, table.layout)
        pose = table.layout.pose(track.corners_px)
        return LyingCard(track.key, *track.reading(), pose, on, round(lap, 3), clear_at, touched)

    def _is_at_pile(self, track: Track, table: TrackedTable) -> bool:
        """Check whether a face lies on a pile, so that it is no card of the bout."""
        zone, turnup_key = self.piles.zone(track.key), self.piles.turnup_key
        turnup = next((t for t in table.tracks if t.key == turnup_key), None)
        # Where the turn-up itself is no longer found, a face in its place may have been exchanged for it.
        if zone == "turnup" or (turnup is not None and turnup.seen_at < track.seen_at):
            return False
        if zone != "bout":
            return True
        is_poor = track.single_reading < PLAIN_ON_HEAP
        if is_poor and self.piles.heaps.covers(track.corners_px, track.first_at, ON_PILE):
            return True
        if not (is_poor or self.piles.has_turnup):
            return False  # where no game is played, whatever lies face up was laid
        bared_px = self.piles.bared_px if turnup is not None else None
        places = (self.piles.talon_place_px, self.piles.turnup_px, bared_px)
        return any(overlap(track.corners_px, place) > ON_PILE for place in places if place is not None)

    def _has_name(self, track: Track, share: float) -> bool:
        is_guess = track.inferences >= GUESS_COUNT and track.confidence >= GUESS_CONFIDENCE
        return share >= TABLE_STATE_NAMED or (share >= GUESS_READ and is_guess)

    def _is_handled(self, track: Track, table: TrackedTable) -> bool:
        """
        Check whether a hand was over the card since it came, and it still lies there: then it is no graphics of a film.
        """
        over = table.hands.touches(track.corners_px, track.first_at, table.at, table.layout, seen=True)
        return any(each.share >= HANDLED and track.seen_at >= each.last_at + HANDLED_S for each in over)

    def _depart(self, track: Track, table: TrackedTable) -> Gone:
        del self._lying[track.key]
        clear_at = table.hands.clear_at(track.corners_px, table.at)
        touched = table.hands.touches(track.corners_px, track.seen_at, table.at, table.layout)
        return Gone(track.key, clear_at if clear_at > track.seen_at else table.at, touched)

    def _waits_for_lower(self, track: Track, table: TrackedTable) -> bool:
        """
        Check whether it lies across a card that came with it and has no name yet: reported alone it would be an attack.
        """
        if table.at - track.first_at >= LOWER_WAIT_S:
            return False
        return any(
            not other.is_back
            and other.key not in self._lying
            and other.key != self.piles.turnup_key
            and other.seen_at >= track.seen_at
            and overlap(track.corners_px, other.corners_px) >= LIES_ACROSS
            for other in table.below(track)
        )

    def _is_crowded(self, track: Track, tracks: Sequence[Track]) -> bool:
        """Do several tracks without a card lie where this one does?"""
        others = [t for t in tracks if t is not track and t.key not in self._lying and not t.is_nothing]
        return sum(overlap(track.corners_px, t.corners_px) >= CROWDED for t in others) >= CROWD

    def _lies_on_nameless(self, track: Track, table: TrackedTable) -> bool:
        """Check whether it lies across an unread card, to which it may be an answer."""
        return any(
            other.confirmed
            and not other.is_back
            and not other.is_nothing
            and other.inferences >= PATIENCE
            and not self._has_name(other, other.reading()[1])
            and overlap(track.corners_px, other.corners_px) >= LIES_ACROSS
            for other in table.below(track)
        )

    def _across(self, track: Track, table: TrackedTable) -> tuple[int | None, float]:
        """Return the key of the card that this one lies across, and the share of it that overlaps."""
        covered = self._covered(track.key)
        own = table.layout.whole_px(track.corners_px)
        best: tuple[float, int, float] | None = None
        for other in table.below(track):
            if other.key not in self._lying or other.key == self.piles.turnup_key:
                continue
            lap = overlap(own, table.layout.whole_px(other.corners_px))
            least = ACROSS_COVERED if other.key in covered else LIES_ACROSS
            score = lap - (COVERED_LOSES if other.key in covered else 0.0)
            if lap >= least and (best is None or score > best[0]):
                best = (score, other.key, lap)
        if best is None:
            return None, 0.0
        # A card across an answer is meant for the card that was answered: nobody plays on an answer.
        key, under = best[1], self._lying[best[1]].on
        return (under if under in self._lying else key), best[2]

    def _grazed(self, track: Track, table: TrackedTable) -> int | None:
        """Return the key of the open card that shares most with one that lies across none; None if none shares much."""
        covered = self._covered(track.key)
        own = table.layout.whole_px(track.corners_px)
        laps = {
            other.key: overlap(own, table.layout.whole_px(other.corners_px))
            for other in table.tracks
            if other is not track and other.key in self._lying and other.key not in covered
            if other.key != self.piles.turnup_key and self._lying[other.key].on is None
        }
        nearest = max(laps, key=lambda key: laps[key], default=None)
        return nearest if nearest is not None and laps[nearest] >= GRAZES else None

    def _covered(self, key: int) -> set[int | None]:
        """Return the keys of cards on which a card other than ``key`` lies."""
        return {card.on for card in self._lying.values() if card.key != key}

"""
The piles: which tracks are talon, turn-up and discard pile.

The talon is the face-down pile with a face-up card under it. Every other group of backs may be the discard pile
(:mod:`vision.tracking.heaps`); a printed paper may look like a back, but nobody sweeps a bout onto it. Where a person
has marked the place of a pile, the cards there are that pile, and no others are.

The talon is in one of three states:

    talon   what comes                                                        next state
    UNSEEN  a back over the turn-up; at its mark; before the deal any back    LYING
    LYING   its last back goes, and there was a turn-up                       GONE: the next draw takes the turn-up
    LYING   its last back goes, and there never was a turn-up                 UNSEEN: the pack was taken up to be dealt
    LYING   a person marks another place for it, or this one as discard pile  UNSEEN; it is a discard pile
    GONE    a person marks its place                                          UNSEEN
    GONE    a back at its mark, over its turn-up                              LYING: it had not gone

and so is the turn-up:

    turn-up  what comes                                                         next state
    SOUGHT   a face under the talon, or one that reads as announced             LYING
    LYING    another face in its place                                          LYING: exchanged
    LYING    its track ends                                                     TAKEN
    LYING    a person marks another place for the talon                         TAKEN
    TAKEN    a face under the talon, while that has not gone                    LYING

A talon that had run out before the first frame is GONE from the start, and every pile is a discard pile.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np
import numpy.typing as npt

from referee.cards import Card
from vision.detection.detections import FACES
from vision.geometry.quads import Array, gap, iou, overlap, size, warp
from vision.motion.arm_regions import Flags
from vision.tracking.heaps import MARK_REACH, Heaps
from vision.tracking.track import UNDER_TALON, Track

# Distances in card diagonals, shares from 0 to 1; chosen by hand, 2026-11.
TALON_REACH = 0.75
"""A back this near to the talon's old place is the talon."""
SAME_SPOT = 0.6
"""A card that shares so much of the union with the turn-up's place has taken its place."""
BARED = 0.3
"""A card that shares so much with the places of talon and turn-up is the turn-up, bared by the talon."""
MARK_MOVED = 0.25
"""A mark of a person this far from the old one is another place."""
TURNUP_READ = 0.3
"""A face where the talon is marked is the turn-up if it reads as that card with this probability."""
HALF_HIDDEN = 0.5
"""At first, a lone face read with less is the announced turn-up under a talon that is not found yet."""


class TalonState(Enum):
    """Whether the talon lies there."""

    UNSEEN = "it may lie there, and is not found"
    LYING = "it lies there"
    GONE = "it has run out"


class TurnupState(Enum):
    """Whether the turn-up lies there."""

    SOUGHT = "it was never found"
    LYING = "it lies there"
    TAKEN = "it was found, and lies there no more"


class Piles:
    """
    Which tracks are talon, turn-up and discard pile, kept from inference to inference.

    ``turnup``: the announced turn-up. ``has_talon``: False if the talon had run out before the first frame. ``bout``:
    cards that lay there already. ``has_turnup``: False where no game is played.
    """

    def __init__(
        self,
        turnup: Card | None,
        has_talon: bool = True,
        bout: tuple[Card, ...] = (),
        has_turnup: bool = True,
    ) -> None:
        self.has_turnup = has_turnup
        self.heaps = Heaps()
        self.talon = TalonState.UNSEEN if has_talon else TalonState.GONE
        self.turnup = TurnupState.SOUGHT
        self.turnup_name = turnup
        """The announced turn-up, None if none was, or it has been exchanged."""
        self.turnup_key: int | None = None
        """Key of the turn-up's track, None if it has none."""
        self.talon_px: Array | None = None
        """The talon's uppermost back (4, 2), None if none is found."""
        self.turnup_px: Array | None = None
        """The turn-up's corners (4, 2), None once it is gone."""
        self.bared_px: Array | None = None
        """Corners (4, 2) where the talon lay on the turn-up, once it is gone."""
        self._expected, self._bout = turnup, bout
        self._talon_keys: set[int] = set()

    @property
    def sought(self) -> Card | None:
        """Return the announced turn-up, until it is found."""
        is_sought = self.turnup is TurnupState.SOUGHT and self.talon is not TalonState.GONE
        return self._expected if is_sought else None

    @property
    def _mark_px(self) -> Array | None:
        """Return a card's corners (4, 2) where a person has marked the talon, None without a mark."""
        return self.heaps.talon_mark_px

    @property
    def talon_place_px(self) -> Array | None:
        """Return where hands go to draw: at the talon, or else at the turn-up, or else at the talon's mark."""
        marked = None if self.talon is TalonState.GONE else self._mark_px
        return next((place for place in (self.talon_px, self.turnup_px, marked) if place is not None), None)

    def zone(self, key: int) -> str:
        """Return the zone of a track: ``talon``, ``turnup``, ``heap`` or ``bout``."""
        if key == self.turnup_key:
            return "turnup"
        if key in self._talon_keys:
            return "talon"
        return "heap" if key in self.heaps else "bout"

    def set_marks(self, talon_px: Array | None, heap_px: Array | None) -> None:
        """
        Set the places that a person has marked: the corners (4, 2) of a card there, None where nothing is marked.

        Setting the same place again changes nothing.
        """
        if talon_px is not None and self._is_moved(talon_px, self._mark_px):
            self.heaps.talon_mark_px, self.bared_px = talon_px, None
            self.talon = TalonState.UNSEEN if self.talon is TalonState.GONE else self.talon
            if self.talon_px is not None and not self._is_at_mark(self.talon_px):
                self._drop_talon()
            if self.turnup_px is not None and not self._is_at_mark(self.turnup_px):
                self._take_turnup()
        if heap_px is not None and self._is_moved(heap_px, self.heaps.mark_px):
            self.heaps.set_mark(heap_px)
            if self.talon_px is not None and self._mark_px is None and self.heaps.is_at_mark(self.talon_px):
                self._drop_talon()
        if talon_px is None:
            self.heaps.talon_mark_px = None
        if heap_px is None:
            self.heaps.mark_px = None

    def follow(self, move: npt.NDArray[np.float64]) -> None:
        """Move all places with the camera. ``move``: (3, 3), from pixels before to pixels now."""
        self.talon_px, self.turnup_px, self.bared_px = (
            None if place is None else warp(move, place) for place in (self.talon_px, self.turnup_px, self.bared_px)
        )
        self.heaps.follow(move)

    def add_change(self, changed: Flags, scale: float, at: float) -> None:
        """Note where the picture changed."""
        self.heaps.add_change(changed, scale, at)

    def update(
        self,
        at_rest: Sequence[Track],
        tracks: Sequence[Track],
        gone: set[int],
        marks_px: tuple[Array | None, Array | None],
        at: float,
        begun: bool,
    ) -> Track | None:
        """
        Take in the tracks after an inference, and return the turn-up that was exchanged, None if none was.

        ``at_rest``: tracks of cards that lie there. ``gone``: keys of ended tracks. ``marks_px``: corners (4, 2) at the
        marks of talon and discard pile. ``at``: seconds. ``begun``: what lay there at the start is known.
        """
        replaced = self.exchanged(at_rest, tracks)
        self.set_marks(*marks_px)
        self.place([track for track in at_rest if track is not replaced], gone, at, begun)
        return replaced

    def place(self, at_rest: Sequence[Track], gone: set[int], at: float, begun: bool) -> None:
        """Take in the cards at rest. ``begun``: what lay there at the start is known."""
        backs = [t for t in at_rest if t.is_back]
        faces = [t for t in at_rest if not t.is_back]
        self._talon_keys -= gone
        self.heaps.forget(gone, at)
        if self.turnup_key in gone:
            # The next card there is read: it is not the announced one.
            self._take_turnup()
            self.turnup_name = None
        if self.turnup_key is None and self.talon is not TalonState.GONE:
            may_be = [b for b in backs if self._mark_px is None or self._is_at_mark(b.corners_px)]
            self.turnup_key = self._found_turnup(faces, may_be, begun) if self.has_turnup else None
            self._find_talon(faces, may_be)
        for back in backs:
            if back.key in self._talon_keys:
                continue
            if self._is_talon(back, faces, begun):
                self._talon_keys.add(back.key)
                self.heaps.remove((back.key,))
            else:
                self.heaps.add(back.key, back.corners_px, at if begun else None)
        talon = [t for t in at_rest if t.key in self._talon_keys]
        if talon:
            self.talon, self.talon_px = TalonState.LYING, talon[-1].corners_px
        elif self.talon_px is not None and not self._talon_keys:
            # A pile that goes before a turn-up was ever seen was the pack, taken up to be dealt.
            was_talon = self._expected is not None or self.turnup_px is not None
            self.talon = TalonState.GONE if was_talon else TalonState.UNSEEN
            self.bared_px, self.talon_px = self.talon_px if was_talon else None, None
        turnup = next((t for t in at_rest if t.key == self.turnup_key), None)
        if turnup is not None:
            self.turnup, self.turnup_px = TurnupState.LYING, turnup.corners_px

    def exchanged(self, at_rest: Sequence[Track], tracks: Sequence[Track]) -> Track | None:
        """
        Return the track of a turn-up that was exchanged, None if none was; the new card takes its place.

        It was exchanged if another face lies at its place and it is not found any more: nobody covers a turn-up.
        """
        old = next((t for t in tracks if t.key == self.turnup_key), None)
        if old is None:
            return None
        for new in at_rest:
            elsewhere = new.key == old.key or new.is_back or old.seen_at >= new.first_at
            if not elsewhere and self._is_there(new, old, [t for t in tracks if t.key in self._talon_keys]):
                self.turnup_key, self.turnup_name = new.key, None
                return old
        return None

    def _take_turnup(self) -> None:
        """Drop the turn-up: it was taken, or is another card."""
        self.turnup = TurnupState.SOUGHT if self.turnup is TurnupState.SOUGHT else TurnupState.TAKEN
        self.turnup_key, self.turnup_px = None, None

    def _drop_talon(self) -> None:
        """Make the talon a discard pile."""
        assert self.talon_px is not None
        self.heaps.add_all(self._talon_keys, self.talon_px)
        self.talon, self._talon_keys, self.talon_px = TalonState.UNSEEN, set(), None

    def _is_there(self, new: Track, old: Track, talon: Sequence[Track]) -> bool:
        """Check whether a card lies at the turn-up's place, or where the talon lay on it."""
        if iou(new.corners_px, old.corners_px) >= SAME_SPOT:
            return True
        if self.talon_px is None and self._likeness(new) >= TURNUP_READ:
            # Bared by a talon that was never found.
            return overlap(new.corners_px, old.corners_px) >= BARED
        # A half covered turn-up may have been outlined badly: bared, it fits the talon's place better.
        gone = all(track.seen_at < new.first_at for track in talon)
        place = (self.bared_px if self.talon_px is None else self.talon_px) if gone else None
        shared = [overlap(new.corners_px, each) for each in (place, old.corners_px) if each is not None]
        return place is not None and min(shared) >= BARED

    def _found_turnup(self, faces: Sequence[Track], backs: Sequence[Track], begun: bool) -> int | None:
        """Return the key of the face that is the turn-up, None if none is."""
        # Of faces under a back the one that reads most as the turn-up; at first nothing else can lie there.
        for face in sorted(faces, key=lambda face: -self._likeness(face)):
            reads_so = self._expected is not None and face.reading()[0] == self._expected
            under = any(overlap(face.corners_px, b.corners_px) >= UNDER_TALON for b in backs)
            # Where neither turn-up nor talon is known, the first pile put on a face is the talon: cards were dealt.
            is_first = self._expected is None and self.talon_px is None
            may_be = not begun or reads_so or is_first or self.talon_px is not None
            # The talon on it may have been outlined with it.
            if (reads_so and not begun) or (under and may_be):
                return face.key
        if self._mark_px is not None:
            there = [face for face in faces if self._is_at_mark(face.corners_px)]
            likely = [face for face in there if self._likeness(face) >= TURNUP_READ]
            return max(likely, key=self._likeness).key if likely else None
        if self._expected is None or begun:
            return None
        # A half hidden face under a talon that is not found, if it is the only one.
        others = [face for face in faces if face.reading()[0] not in self._bout]
        return others[0].key if len(others) == 1 and others[0].single_reading < HALF_HIDDEN else None

    def _find_talon(self, faces: Sequence[Track], backs: Sequence[Track]) -> None:
        """Move the talon to the pile over the turn-up: after a deal it is another one."""
        turnup = next((face for face in faces if face.key == self.turnup_key), None)
        if turnup is None:
            return
        over = [b for b in backs if overlap(b.corners_px, turnup.corners_px) >= UNDER_TALON]
        if over and not any(back.key in self._talon_keys for back in over):
            self._talon_keys = {back.key for back in over}
            self.talon, self.talon_px = TalonState.LYING, over[-1].corners_px

    def _likeness(self, face: Track) -> float:
        """Return the probability that a face is the announced turn-up, by its name alone."""
        return 0.0 if self._expected is None else float(face.shares[FACES.index(self._expected)])

    def _is_talon(self, back: Track, faces: Sequence[Track], begun: bool) -> bool:
        is_gone = self.talon is TalonState.GONE
        if self._mark_px is not None:
            # A talon found again at its mark had not gone, as long as its turn-up lies there.
            return self._is_at_mark(back.corners_px) and (not is_gone or self.turnup_key is not None)
        if is_gone or self.heaps.is_at_mark(back.corners_px):
            return False
        if self.talon_px is not None:
            return gap(back.corners_px, self.talon_px) < TALON_REACH * size(self.talon_px)
        turnup = next((t for t in faces if t.key == self.turnup_key), None)
        if turnup is not None:
            return overlap(back.corners_px, turnup.corners_px) >= UNDER_TALON
        return not begun and self._expected is None

    def _is_moved(self, place: Array, before: Array | None) -> bool:
        return before is None or gap(place, before) > MARK_MOVED * size(place)

    def _is_at_mark(self, quad: Array) -> bool:
        """Check whether a card lies at the talon's mark, and no farther from it than from the discard pile's mark."""
        marked, other = self._mark_px, self.heaps.mark_px
        if marked is None or gap(quad, marked) > MARK_REACH * size(quad):
            return False
        return other is None or gap(quad, marked) <= gap(quad, other)

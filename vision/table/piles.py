"""
Which cards are talon, turn-up and discard pile ("heap" in records): a state of the card filter.

The talon is the face-down pile with a face-up card under it. Every other group of backs that lie near each other may be
the discard pile; it is the group that last changed, or, before any did, the largest. A printed paper may look like a
back, but nobody sweeps a bout onto it. Where a person has marked the place of a pile, the cards there are that pile,
and no others are.

The talon begins as a back over the turn-up; before the deal any back is it. It has gone with its last back, if there
was a turn-up; without one it was the pack, taken up to be dealt. From then on every pile is a discard pile, and the
next draw takes the turn-up, until a person marks the talon's place or, at the mark, a back is found over its turn-up.

The turn-up is a face under the talon, or one that reads as announced. Another face in its place has been exchanged for
it. It is taken once its card has gone, or where a person marks another place for the talon.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from referee.cards import Card
from vision.detection.detections import FACES
from vision.geometry.quads import Array, fill, gap, iou, overlap, size, warp
from vision.motion.arm_regions import Flags
from vision.table.observation import InitialState
from vision.table.track import SAME_PLACE, UNDER_TALON, Track

logger = logging.getLogger(__name__)

# Distances in card diagonals, shares from 0 to 1; chosen by hand, 2026-11.
TALON_REACH = 0.75
"""A back this near to the talon's old place is the talon."""
GATHER = 0.9
"""Backs this near to each other are one pile; a pile this near to a person's mark is meant."""
SAME_SPOT = 0.6
"""Intersection over union with the turn-up's place from which a card has taken its place."""
BARED = 0.3
"""
Share of overlap with the places of talon and turn-up from which a card is the turn-up, bared by the talon; and
probability of the turn-up's name from which a face there, or where the talon is marked, is the turn-up.
"""
HALF_HIDDEN = 0.5
"""At first, a lone face read with less is the announced turn-up under a talon that is not found yet."""
LASTING_S = 2.0
"""Seconds after which a discard pile still lies there when it is not found: it is never taken up."""
NEVER_SEEN = -1.0
"""Stands for the time (seconds) of what lay there from the start, or never changed."""


@dataclass(frozen=True, slots=True)
class PileSettings:
    """
    When a discard pile has changed, by the share of its place that has, and a turn-up been exchanged. Chosen by hand,
    2026-11.
    """

    change: float = 0.02
    """Least share for a change: a card's edge shifted by a millimetre or two."""
    growth: float = 0.25
    """Least share for a card that came; an arm that passes over the pile shifts less."""
    rim_px: int = 2
    """Pixels of the reduced picture round a pile that belong to its place."""
    bare_part: float = 0.9
    """
    Share of overlap with the turn-up's place from which a card has taken its place: of a half covered card sometimes
    only the bare part is outlined, which is less than ``SAME_SPOT`` of it.
    """


@dataclass(slots=True, eq=False)
class DiscardPile:
    """
    A group of backs outside the talon: ``backs``, by the keys of their tracks, or the place ``px`` where they lay.

    Times in seconds. ``grown_at``: when so much of it last changed that a card came. ``is_marked``: a person has marked
    the discard pile here, whether or not backs are found.
    ``was_put_down``: no back has been outlined there, a hand put cards down (:mod:`vision.table.put_down`).
    """

    px: Array
    came_at: float = NEVER_SEEN
    changed_at: float = NEVER_SEEN
    grown_at: float = NEVER_SEEN
    is_marked: bool = False
    was_put_down: bool = False
    backs: dict[int, Array] = field(default_factory=dict)

    @property
    def outline_px(self) -> Array:
        """Return the outline, (n, 2) px."""
        points = np.concatenate([*self.backs.values()] or [self.px]).astype(np.float32)
        return np.asarray(cv2.convexHull(points)[:, 0], np.float32)

    def is_near(self, quad: Array) -> bool:
        """Check whether a back belongs to this group."""
        return any(gap(quad, other) < GATHER * size(quad) for other in self.backs.values() or [self.px])


class Piles:
    """Which tracks are talon, turn-up and discard pile, kept from inference to inference. ``start``: of the game."""

    def __init__(self, start: InitialState, settings: PileSettings = PileSettings()) -> None:
        self._settings = settings
        self.has_gone = not start.has_talon
        """Has the talon run out?"""
        self.turnup_name = start.turnup
        """The announced turn-up, None if none was, or it has been exchanged."""
        self.turnup_key: int | None = None
        """Key of the turn-up's track, None if it has none."""
        self.talon_px: Array | None = None
        """The talon's uppermost back (4, 2), None if none is found."""
        self.turnup_px: Array | None = None
        """The turn-up's corners (4, 2), None once it is gone."""
        self.bared_px: Array | None = None
        """Corners (4, 2) where the talon lay on the turn-up, once it is gone."""
        self.heaps: list[DiscardPile] = []
        self.has_turnup = start.has_game
        self.is_pulled = False
        """Has the turn-up been pulled out from under the talon, and does no other card lie in its place yet?"""
        self._start, self._was_found = start, False
        self._talon_keys: set[int] = set()
        self._found: set[str] = set()
        self._marks_px: tuple[Array | None, Array | None] = (None, None)

    @property
    def expected_turnup(self) -> Card | None:
        """Return the announced turn-up, until it is found."""
        return None if self._was_found or self.has_gone else self._start.turnup

    @property
    def talon_place_px(self) -> Array | None:
        """Return where hands go to draw: at the talon, or else at the turn-up, or else at the talon's mark."""
        marked = None if self.has_gone else self._marks_px[0]
        return next((place for place in (self.talon_px, self.turnup_px, marked) if place is not None), None)

    @property
    def discard_piles(self) -> list[DiscardPile]:
        """Return all groups that may be the discard pile, the likeliest first; only one where it is marked."""
        marked = [heap for heap in self.heaps if heap.is_marked]
        return marked or sorted(self.heaps, key=lambda heap: (-heap.changed_at, -len(heap.backs)))

    def zone(self, key: int) -> str:
        """Return the zone of a track: ``talon``, ``turnup``, ``heap`` or ``bout``."""
        if key == self.turnup_key:
            return "turnup"
        if key in self._talon_keys:
            return "talon"
        return "heap" if any(key in heap.backs for heap in self.heaps) else "bout"

    def set_marks(self, talon_px: Array | None, heap_px: Array | None) -> None:
        """
        Set the places that a person has marked: the corners (4, 2) of a card there, None where nothing is marked.

        Setting the same place again changes nothing.
        """
        moved = [
            now is not None and (was is None or gap(now, was) > SAME_PLACE * size(now))
            for now, was in zip((talon_px, heap_px), self._marks_px, strict=True)
        ]
        self._marks_px = talon_px, heap_px
        if moved[1] or heap_px is None:
            self.heaps = [heap for heap in self.heaps if heap.backs or not heap.is_marked]
            for heap in self.heaps:
                heap.is_marked = False
        if moved[1] and heap_px is not None:
            marked = DiscardPile(heap_px, is_marked=True)
            for heap in self.heaps:
                there = {key: quad for key, quad in heap.backs.items() if self._is_at_heap_mark(quad)}
                if there:
                    marked.came_at = min(heap.came_at, marked.came_at) if marked.backs else heap.came_at
                    marked.changed_at = max(heap.changed_at, marked.changed_at)
                    marked.grown_at = max(heap.grown_at, marked.grown_at)
                    marked.backs |= there
            self.remove(marked.backs)
            self.heaps.append(marked)
        if moved[0]:
            self.bared_px, self.has_gone = None, False
            if self.turnup_px is not None and not self._is_at_talon_mark(self.turnup_px):
                self.turnup_key = self.turnup_px = None
        if any(moved) and self.talon_px is not None and not self._may_be_talon(self.talon_px):
            for key in self._talon_keys:
                self._add_back(key, self.talon_px, NEVER_SEEN)
            self._talon_keys, self.talon_px = set(), None

    def follow(self, move: npt.NDArray[np.float64]) -> None:
        """Move all places with the camera. ``move``: (3, 3), from pixels before to pixels now."""
        self.talon_px, self.turnup_px, self.bared_px, *marks = (
            None if place is None else warp(move, place)
            for place in (self.talon_px, self.turnup_px, self.bared_px, *self._marks_px)
        )
        self._marks_px = marks[0], marks[1]
        for heap in self.heaps:
            heap.px = warp(move, heap.px)
            heap.backs = {key: warp(move, quad) for key, quad in heap.backs.items()}

    def add_change(self, changed: Flags, scale: float, at: float) -> None:
        """Note where the picture changed: a pile looks different after a card has come to it."""
        settings = self._settings
        rim = np.ones((2 * settings.rim_px + 1, 2 * settings.rim_px + 1), np.uint8)
        for heap in self.heaps:
            outline = fill((changed.shape[0], changed.shape[1]), heap.outline_px, 1 / scale)
            place = cv2.dilate(outline, rim) > 0
            share = float(changed[place].mean()) if place.any() else 0.0
            heap.changed_at = at if share >= settings.change else heap.changed_at
            heap.grown_at = at if share >= settings.growth else heap.grown_at

    def update(
        self, at_rest: Sequence[Track], tracks: Sequence[Track], gone: set[int], at: float, begun: bool
    ) -> Track | None:
        """
        Take in the tracks after an inference, and return the turn-up that was exchanged, None if none was.

        ``at_rest``: tracks of cards that lie there. ``gone``: keys of ended tracks. ``at``: seconds. ``begun``: what
        lay there at the start is known.
        """
        replaced = self._exchanged(at_rest, tracks)
        backs = [t for t in at_rest if t.is_back]
        faces = [t for t in at_rest if not t.is_back and t is not replaced]
        self._talon_keys -= gone
        self._forget(gone, at)
        if self.turnup_key in gone:
            # The next card there is read: it is not the announced one.
            self.turnup_key = self.turnup_px = self.turnup_name = None
        if self.turnup_key is None and not self.has_gone and self._start.has_game:
            self._find_turnup(faces, [b for b in backs if self._may_be_talon(b.corners_px)], begun)
        for back in backs:
            if back.key in self._talon_keys:
                continue
            if self._is_talon(back, faces, begun):
                self._talon_keys.add(back.key)
                self.remove((back.key,))
                self.has_gone = False
            else:
                self._add_back(back.key, back.corners_px, at if begun else NEVER_SEEN)
        talon = [t for t in at_rest if t.key in self._talon_keys]
        if talon:
            self.talon_px = talon[-1].corners_px
        elif self.talon_px is not None and not self._talon_keys:
            self.has_gone = self._start.turnup is not None or self.turnup_px is not None
            self.bared_px, self.talon_px = self.talon_px if self.has_gone else None, None
        turnup = next((t for t in faces if t.key == self.turnup_key), None)
        if turnup is not None:
            # Pulled out from under a talon that stays, it lies beside until another card takes its place there.
            self.is_pulled = (
                bool(talon)
                and self.turnup_px is not None
                and overlap(turnup.corners_px, self.turnup_px) < BARED
                and overlap(turnup.corners_px, talon[-1].corners_px) < UNDER_TALON
            )
            self._was_found = True
            self.turnup_px = self.turnup_px if self.is_pulled else turnup.corners_px
        places = {"talon": self.talon_px, "turn-up": self.turnup_px, "heap": self.discard_piles or None}
        found = {name for name, place in places.items() if place is not None}
        for name in sorted(found ^ self._found):
            logger.info("the %s is %s at %.2f s", name, "found" if name in found else "no longer found", at)
        self._found = found
        return replaced

    def add_put_down(self, quad: Array, at: float) -> None:
        """Take a place (4, 2) where a hand put cards down as discard pile, or as a change of one. ``at``: seconds."""
        if self.talon_place_px is not None and gap(quad, self.talon_place_px) < GATHER * size(self.talon_place_px):
            return
        near = [heap for heap in self.heaps if heap.is_near(quad)]
        for heap in near:
            heap.changed_at = heap.grown_at = at
        if not near and self._marks_px[1] is None:
            self.heaps.append(DiscardPile(quad, at, at, at, was_put_down=True))

    def forget_put_down(self, shows_cards: Callable[[Array], bool]) -> None:
        """Forget places where cards were put down that show none any more."""
        self.heaps = [heap for heap in self.heaps if heap.backs or not heap.was_put_down or shows_cards(heap.px)]

    def remove(self, keys: Iterable[int]) -> None:
        """Remove backs from the discard piles: they belong to another pile, or to a hand."""
        for key in keys:
            for heap in [other for other in self.heaps if key in other.backs]:
                heap.px = heap.backs.pop(key)
                if not heap.backs and not heap.is_marked:
                    self.heaps.remove(heap)

    def covers(self, quad: Array, since: float, share: float) -> bool:
        """Check whether a card found at ``since`` (seconds) overlaps by ``share`` with a pile that lay there before."""
        return any(
            heap.came_at < since and overlap(quad, back) > share
            for heap in self.heaps
            for back in (heap.backs.values() or ([] if heap.is_marked else [heap.px]))
        )

    def _forget(self, gone: set[int], at: float) -> None:
        """Remove backs whose tracks have ended; of the last pile that had lain for long the place is kept."""
        for heap in list(self.heaps):
            ended = [key for key in heap.backs if key in gone]
            for key in ended:
                heap.px = heap.backs.pop(key)
            if not ended or heap.backs or heap.is_marked:
                continue
            if at - heap.came_at >= LASTING_S:
                self.heaps = [other for other in self.heaps if other.backs or other.is_marked or other is heap]
            else:
                self.heaps.remove(heap)

    def _add_back(self, key: int, quad: Array, came_at: float) -> None:
        """Add a back to the pile that it lies near, or begin one; piles that it joins are one."""
        own = next((heap for heap in self.heaps if key in heap.backs), None)
        if own is not None:
            own.backs[key] = quad
            return
        is_marked = self._is_at_heap_mark(quad)
        near = [heap for heap in self.heaps if (is_marked if heap.is_marked else not is_marked and heap.is_near(quad))]
        if not near:
            near = [DiscardPile(quad, came_at)]
        joined, *others = near
        joined.changed_at = max([came_at, *(heap.changed_at for heap in near)])
        joined.grown_at = max([came_at, *(heap.grown_at for heap in near)])
        if joined.is_marked and not joined.backs:
            joined.came_at = came_at
        for heap in others:
            joined.came_at = min(joined.came_at, heap.came_at)
            joined.backs |= heap.backs
        joined.backs[key] = quad
        self.heaps = [*(heap for heap in self.heaps if all(heap is not other for other in near)), joined]

    def _exchanged(self, at_rest: Sequence[Track], tracks: Sequence[Track]) -> Track | None:
        """
        Return the track of a turn-up that was exchanged, None if none was; the new card takes its place.

        It was exchanged if another face lies at its place and it is not found any more: nobody covers a turn-up.
        """
        old = next((t for t in tracks if t.key == self.turnup_key), None)
        if old is None:
            return None
        for new in at_rest:
            is_new = new.key != old.key and not new.is_back and (old.seen_at < new.first_at or self.is_pulled)
            if is_new and self._is_at_turnup(new, old, [t for t in tracks if t.key in self._talon_keys]):
                self.turnup_key, self.turnup_name, self.is_pulled = new.key, None, False
                return old
        return None

    def _is_at_turnup(self, new: Track, old: Track, talon: Sequence[Track]) -> bool:
        """Check whether a card lies at the turn-up's place, or where the talon lay on it."""
        lay_px = old.corners_px if self.turnup_px is None else self.turnup_px
        if iou(new.corners_px, lay_px) >= SAME_SPOT or overlap(new.corners_px, lay_px) >= self._settings.bare_part:
            return True
        if self.talon_px is None and self._likeness(new) >= BARED:
            # Bared by a talon that was never found.
            return overlap(new.corners_px, lay_px) >= BARED
        # A half covered turn-up may have been outlined badly: bared, it fits the talon's place better.
        gone = all(track.seen_at < new.first_at for track in talon)
        place = (self.bared_px if self.talon_px is None else self.talon_px) if gone else None
        return place is not None and all(overlap(new.corners_px, quad) >= BARED for quad in (place, lay_px))

    def _find_turnup(self, faces: Sequence[Track], backs: Sequence[Track], begun: bool) -> None:
        """Find the face that is the turn-up, and the talon over it: after a deal it is another pile."""
        turnup = self._found_turnup(faces, backs, begun)
        if turnup is None:
            return
        self.turnup_key = turnup.key
        over = [b for b in backs if overlap(b.corners_px, turnup.corners_px) >= UNDER_TALON]
        if over and not any(back.key in self._talon_keys for back in over):
            self._talon_keys = {back.key for back in over}
            self.remove(self._talon_keys)
            self.talon_px = over[-1].corners_px

    def _found_turnup(self, faces: Sequence[Track], backs: Sequence[Track], begun: bool) -> Track | None:
        """Return the face that is the turn-up, None if none is."""
        # Of faces under a back the one that reads most as the turn-up; at first nothing else can lie there.
        announced = self._start.turnup
        for face in sorted(faces, key=lambda face: -self._likeness(face)):
            reads_so = announced is not None and face.reading()[0] == announced
            under = any(overlap(face.corners_px, b.corners_px) >= UNDER_TALON for b in backs)
            # Where neither turn-up nor talon is known, the first pile put on a face is the talon: cards were dealt.
            may_be = not begun or reads_so or announced is None or self.talon_px is not None
            # The talon on it may have been outlined with it.
            if (reads_so and not begun) or (under and may_be):
                return face
        if self._marks_px[0] is not None:
            there = [face for face in faces if self._is_at_talon_mark(face.corners_px)]
            likely = [face for face in there if self._likeness(face) >= BARED]
            return max(likely, key=self._likeness) if likely else None
        if announced is None or begun:
            return None
        # A half hidden face under a talon that is not found, if it is the only one.
        others = [face for face in faces if face.reading()[0] not in self._start.bout]
        return others[0] if len(others) == 1 and others[0].single_reading < HALF_HIDDEN else None

    def _likeness(self, face: Track) -> float:
        """Return the probability that a face is the announced turn-up, by its name alone."""
        return 0.0 if self._start.turnup is None else float(face.shares[FACES.index(self._start.turnup)])

    def _is_talon(self, back: Track, faces: Sequence[Track], begun: bool) -> bool:
        if not self._may_be_talon(back.corners_px):
            return False
        if self._marks_px[0] is not None:
            # A talon found again at its mark had not gone, as long as its turn-up lies there.
            return not self.has_gone or self.turnup_key is not None
        if self.has_gone:
            return False
        if self.talon_px is not None:
            return gap(back.corners_px, self.talon_px) < TALON_REACH * size(self.talon_px)
        turnup = next((t for t in faces if t.key == self.turnup_key), None)
        if turnup is not None:
            return overlap(back.corners_px, turnup.corners_px) >= UNDER_TALON
        return not begun and self._start.turnup is None

    def _may_be_talon(self, quad: Array) -> bool:
        """Check whether a back lies where the talon is marked, if it is, and not where the discard pile is marked."""
        return not self._is_at_heap_mark(quad) if self._marks_px[0] is None else self._is_at_talon_mark(quad)

    def _is_at_talon_mark(self, quad: Array) -> bool:
        """Check whether a card lies at the talon's mark, and no farther from it than from the discard pile's mark."""
        marked, other = self._marks_px
        if marked is None or gap(quad, marked) > GATHER * size(quad):
            return False
        return other is None or gap(quad, marked) <= gap(quad, other)

    def _is_at_heap_mark(self, quad: Array) -> bool:
        """Check whether a card lies at the discard pile's mark, and nearer to it than to the talon's mark."""
        other, marked = self._marks_px
        if marked is None or gap(quad, marked) > GATHER * size(quad):
            return False
        return other is None or gap(quad, marked) < gap(quad, other)

"""
The piles: talon, turn-up and heap, told from which backs and faces lie where.

The talon is the face-down pile with a face-up card under it. Every other group of backs may be the heap; which one it
is shows when a hand brings cards there: the group that last changed, or, before any did, the largest. (A printed paper
may look like the back of a card, but nobody sweeps a bout onto it.)

Where people have said where talon or heap lies, that is so: what lies there is that pile, and nothing else is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from referee.cards import Card
from vision.detection.detections import FACES
from vision.geometry.quads import Array, fill, gap, iou, overlap, size, warp
from vision.motion.background_subtraction import Flags
from vision.tracking.track import Track
from vision.tracking.track_settings import UNDER_TALON


@dataclass(frozen=True, slots=True)
class PileSettings:
    """
    Limits by which piles are known again. Nearness is in card diagonals, shares are from 0 to 1.

    Set by hand, 2026-11.
    """

    reach: float = 0.75
    """A back this near to the talon's old place is the talon. Higher: a heap beside it is; lower: a talon pushed aside
    is a heap."""
    gather: float = 0.9
    """Backs this near to each other are one heap. Higher: talon-side papers join it; lower: a loose heap is several."""
    under_talon: float = UNDER_TALON
    """A face-up card shares so much with the talon that lies across it."""
    same_spot: float = 0.6
    """A card that shares so much (of both together) with where the turn-up lay has taken its place. Higher: exchanges
    are missed; lower: a card laid beside it is the turn-up."""
    bared: float = 0.3
    """A card that shares so much with the talon's place, and with where the turn-up was seen, is the turn-up bared.
    Higher: a bared turn-up is a card laid; lower: a card laid there is the turn-up."""
    change: float = 0.02
    """So much of a pile's place must change for it to look different: a card's edge shifted by a millimetre or two.
    Higher: cards put on it leave no trace; lower: noise puts cards on it."""
    rim_px: int = 2
    """So many pixels of the reduced picture round a pile belong to its place."""
    lasting_s: float = 2.0
    """A heap that has lain so long (seconds) is there still when it is no longer made out: it is never taken up.
    Longer: heaps vanish; shorter: what only passed for a back stays."""
    stray: float = 0.9
    """A back this near to a card of the bout lies among its cards. Higher: a heap near the bout does; lower: a card
    that is not made out accuses."""
    said_reach: float = 1.0
    """A pile this near to where somebody said that it lies is that one: fingers are thick. Higher: the other pile may
    be; lower: what people said is not found."""
    said_anew: float = 0.25
    """Said this far from where it was said before, it is another place. Higher: small corrections do nothing; lower:
    the same place said twice forgets the pile."""
    said_turnup: float = 0.3
    """A face where the talon is said to lie is the turn-up if it reads as that one so surely. Higher: a poorly read one
    isn't; lower: any card is."""
    half_hidden: float = 0.5
    """At first a face that is read less surely than this, and lies there alone, is the turn-up that is said to. Higher:
    a first attack is; lower: one under a talon that isn't made out is not known."""


LOST = -1
"""Stands for the back of a heap that is no longer made out."""


class Piles:
    """
    Which tracks are talon, turn-up, heap; kept from look to look.

    ``turnup``: the card said to lie there at first. ``has_talon``: may there be a talon? Where it had run out before
    the first frame every pile is a heap. ``bout``: cards that lay there already.
    """

    def __init__(
        self,
        turnup: Card | None,
        settings: PileSettings = PileSettings(),
        has_talon: bool = True,
        bout: tuple[Card, ...] = (),
    ) -> None:
        self.settings = settings
        self._expected = turnup
        self._bout = bout
        self.turnup_name = turnup
        """What the turn-up is said to be, None where nobody said or it has been exchanged."""
        self.turnup_key: int | None = None
        self.talon_keys: set[int] = set()
        self.talon_px: Array | None = None
        self.turnup_px: Array | None = None
        """Where the turn-up lies, None once it is gone."""
        self.bared_px: Array | None = None
        """Where the talon lay on the turn-up, once it is gone."""
        self._talon_gone = not has_talon
        self._made_out = False
        self._backs: dict[int, Array] = {}
        self._changed_at: dict[int, float] = {}
        self._came_at: dict[int, float] = {}
        self._said_talon: Array | None = None
        self._said_heap: Array | None = None
        self._said_heap_changed_at = -1.0

    def say(self, talon_px: Array | None, heap_px: Array | None) -> None:
        """
        Somebody says where talon and heap lie: the corners of a card there, None where they are to be found.

        May be said again with every look; only another place changes anything.
        """
        if self._is_anew(talon_px, self._said_talon):
            self._said_talon, self._talon_gone, self.bared_px = talon_px, False, None
            if self.talon_px is not None and not self._is_said_talon(self.talon_px):
                self._drop_talon()
            if self.turnup_px is not None and not self._is_said_talon(self.turnup_px):
                self.turnup_key, self.turnup_px = None, None
        if self._is_anew(heap_px, self._said_heap):
            self._said_heap, self._said_heap_changed_at = heap_px, -1.0
            if self.talon_px is not None and self._said_talon is None and self._is_said_heap(self.talon_px):
                self._drop_talon()
        if talon_px is None or heap_px is None:
            self._said_talon = None if talon_px is None else self._said_talon
            self._said_heap = None if heap_px is None else self._said_heap

    def follow(self, move: npt.NDArray[np.float64]) -> None:
        """The camera was moved: ``move`` (3, 3) leads from pixels before to pixels now."""
        self.talon_px, self.turnup_px, self.bared_px, self._said_talon, self._said_heap = (
            None if place is None else warp(move, place)
            for place in (self.talon_px, self.turnup_px, self.bared_px, self._said_talon, self._said_heap)
        )
        self._backs = {key: warp(move, quad) for key, quad in self._backs.items()}

    def zone(self, key: int) -> str:
        """Where a track lies: ``talon``, ``turnup``, ``heap`` or ``bout``."""
        if key == self.turnup_key:
            return "turnup"
        if key in self.talon_keys:
            return "talon"
        return "heap" if key in self._backs else "bout"

    @property
    def sought(self) -> Card | None:
        """The turn-up that is said to lie there and was never made out."""
        return None if self._made_out or self._talon_gone else self._expected

    @property
    def talon_place_px(self) -> Array | None:
        """
        Where hands go to draw: the talon, or the turn-up once (or as long as) only that is seen, or where it is said to
        lie.
        """
        said = None if self._talon_gone else self._said_talon
        return next((place for place in (self.talon_px, self.turnup_px, said) if place is not None), None)

    @property
    def heaps_px(self) -> tuple[Array, ...]:
        """Outlines of all groups of backs that may be the heap, the likeliest first; one where it was said."""
        if self._said_heap is not None:
            keys = self._heap_keys()
            return (self._outline(keys) if keys else self._said_heap,)
        groups = sorted(self._groups(), key=lambda keys: (self._changed(keys), len(keys)), reverse=True)
        return tuple(self._outline(keys) for keys in groups)

    @property
    def heap_changed_at(self) -> float | None:
        """When the likeliest heap was last seen to change, None if never."""
        groups = self._groups() if self._said_heap is None else [self._heap_keys()]
        at = max((self._changed(keys) for keys in groups), default=-1.0)
        at = at if self._said_heap is None else max(at, self._said_heap_changed_at)
        return at if at >= 0 else None

    @property
    def heap_began_at(self) -> float | None:
        """When the likeliest heap came to lie there, None if it did from the start."""
        came = [self._came_at.get(key, -1.0) for key in self._heap_keys()]
        return min(came) if came and min(came) >= 0 else None

    def has_stray(self, bout_px: Sequence[Array], since: float) -> bool:
        """
        Has a back come to lie among the cards of a bout after ``since``, when the bout had begun? Nobody lays backs
        there: it is a card that is not made out.
        """
        return any(
            self._came_at.get(key, -1.0) > since
            and any(gap(quad, card) < self.settings.stray * size(card) for card in bout_px)
            for key, quad in self._backs.items()
        )

    def is_on_heap(self, quad: Array, since: float, share: float) -> bool:
        """Does what was found there at ``since`` share so much with a back of a heap that lay there before?"""
        return any(
            self._came_at.get(key, -1.0) < since and overlap(quad, back) > share for key, back in self._backs.items()
        )

    def stir(self, changed: Flags, scale: float, at: float) -> None:
        """Note where the picture changed: a heap looks different after a card has come to it."""
        for keys in self._groups():
            if self._looks_changed(self._outline(keys), changed, scale):
                self._changed_at.update(dict.fromkeys(keys, at))
        if self._said_heap is not None and self._looks_changed(self._said_heap, changed, scale):
            self._said_heap_changed_at = at

    def _looks_changed(self, outline: Array, changed: Flags, scale: float) -> bool:
        heap = fill((changed.shape[0], changed.shape[1]), outline, 1 / scale)
        rim = np.ones((2 * self.settings.rim_px + 1, 2 * self.settings.rim_px + 1), np.uint8)
        place = cv2.dilate(heap, rim) > 0
        return bool(place.any()) and float(changed[place].mean()) >= self.settings.change

    def place(self, settled: list[Track], gone: set[int], at: float, begun: bool) -> None:
        """Take in what has settled. ``begun``: what lay there at the start has been told."""
        backs = [t for t in settled if t.is_back]
        faces = [t for t in settled if not t.is_back]
        self.talon_keys -= gone
        self._forget(gone, at)
        if self.turnup_key in gone:
            # What comes to lie there next is read, not taken for the one that was.
            self.turnup_key, self.turnup_px, self.turnup_name = None, None, None
        if self.turnup_key is None and not self._talon_gone:
            may_be = [b for b in backs if self._said_talon is None or self._is_said_talon(b.corners_px)]
            self._find_turnup(faces, may_be, begun)
            self._find_talon(faces, may_be)
        for back in backs:
            if back.key in self.talon_keys:
                continue
            if self._is_talon(back, faces, begun):
                self.talon_keys.add(back.key)
                self._backs.pop(back.key, None)
                continue
            if back.key not in self._backs and begun:
                self._changed_at[back.key] = self._came_at[back.key] = at
            self._backs[back.key] = back.corners_px
            if LOST in self._backs and self._together(back.corners_px, self._backs[LOST]):
                self._find_again(back.key)
        talon = [t for t in settled if t.key in self.talon_keys]
        if talon:
            self.talon_px = talon[-1].corners_px
        elif self.talon_px is not None and not self.talon_keys:
            # A pile that goes before a turn-up was ever seen was the pack, taken up to be dealt.
            was_talon = self._expected is not None or self.turnup_px is not None
            self.bared_px, self.talon_px, self._talon_gone = self.talon_px if was_talon else None, None, was_talon
        turnup = next((t for t in settled if t.key == self.turnup_key), None)
        if turnup is not None:
            self.turnup_px, self._made_out = turnup.corners_px, True

    def exchanged(self, settled: list[Track], tracks: list[Track]) -> Track | None:
        """
        The track of the turn-up that was exchanged, if one was; the new one takes its place here.

        Another face where it lay, and it no longer seen: nobody covers a turn-up.
        """
        old = next((t for t in tracks if t.key == self.turnup_key), None)
        if old is None:
            return None
        for new in settled:
            elsewhere = new.key == old.key or new.is_back or old.seen_at >= new.first_at
            if not elsewhere and self._is_there(new, old, [t for t in tracks if t.key in self.talon_keys]):
                self.turnup_key, self.turnup_name = new.key, None
                return old
        return None

    def _is_there(self, new: Track, old: Track, talon: list[Track]) -> bool:
        """Does a card lie where the turn-up lay, or where the talon lay on it?"""
        if iou(new.corners_px, old.corners_px) >= self.settings.same_spot:
            return True
        if self.talon_px is None and self._likeness(new) >= self.settings.said_turnup:
            # Bared by a talon that was never made out.
            return overlap(new.corners_px, old.corners_px) >= self.settings.bared
        # A turn-up half covered may have been found bent: bared, it fits the talon's place better than its old corners.
        gone = all(track.seen_at < new.first_at for track in talon)
        place = (self.bared_px if self.talon_px is None else self.talon_px) if gone else None
        shared = [overlap(new.corners_px, each) for each in (place, old.corners_px) if each is not None]
        return place is not None and min(shared) >= self.settings.bared

    def _find_turnup(self, faces: list[Track], backs: list[Track], begun: bool) -> None:
        # Of faces under a back the one that reads as the turn-up most of all; at first nothing else can lie there.
        for face in sorted(faces, key=lambda face: -self._likeness(face)):
            is_it = not begun or face.reading()[0] == self._expected
            under = any(overlap(face.corners_px, b.corners_px) >= self.settings.under_talon for b in backs)
            # The talon on it may have been taken for a part of it.
            said = not begun and self._expected is not None and face.reading()[0] == self._expected
            # Where neither turn-up nor talon is known, the first pile put on a face is the talon: cards were dealt.
            is_first = self._expected is None and self.talon_px is None
            if said or (under and (is_it or is_first or self.talon_px is not None)):
                self.turnup_key = face.key
                return
        if self._said_talon is not None:
            there = [face for face in faces if self._is_said_talon(face.corners_px)]
            likely = [face for face in there if self._likeness(face) >= self.settings.said_turnup]
            self.turnup_key = max(likely, key=self._likeness).key if likely else None
            return
        if not backs and self._expected is not None and not begun:
            # The turn-up as the last card of the talon.
            self.turnup_key = next((f.key for f in faces if f.reading()[0] == self._expected), None)
            self.turnup_key = self._left_over(faces) if self.turnup_key is None else self.turnup_key

    def _left_over(self, faces: list[Track]) -> int | None:
        """Where the talon isn't made out: a face that is half hidden, if nothing else can lie there yet."""
        faces = [face for face in faces if face.reading()[0] not in self._bout]
        is_it = len(faces) == 1 and faces[0].one_look < self.settings.half_hidden
        return faces[0].key if is_it else None

    def _find_talon(self, faces: list[Track], backs: list[Track]) -> None:
        """What was thought to be the talon is none if a turn-up comes to lie under another pile: cards were dealt."""
        turnup = next((face for face in faces if face.key == self.turnup_key), None)
        if turnup is None:
            return
        over = [b for b in backs if overlap(b.corners_px, turnup.corners_px) >= self.settings.under_talon]
        if over and not any(back.key in self.talon_keys for back in over):
            self.talon_keys = {back.key for back in over}
            self.talon_px = over[-1].corners_px

    def _likeness(self, face: Track) -> float:
        """How likely a face is the turn-up by its name alone."""
        return 0.0 if self._expected is None else float(face.shares[FACES.index(self._expected)])

    def _is_talon(self, back: Track, faces: list[Track], begun: bool) -> bool:
        if self._said_talon is not None:
            # Made out again where it is said to lie, it had not gone, as long as its turn-up lies there.
            is_it = self._is_said_talon(back.corners_px) and (not self._talon_gone or self.turnup_key is not None)
            self._talon_gone &= not is_it
            return is_it
        if self._talon_gone or (self._said_heap is not None and self._is_said_heap(back.corners_px)):
            return False
        if self.talon_px is not None:
            return gap(back.corners_px, self.talon_px) < self.settings.reach * size(self.talon_px)
        turnup = next((t for t in faces if t.key == self.turnup_key), None)
        if turnup is not None:
            return overlap(back.corners_px, turnup.corners_px) >= self.settings.under_talon
        return not begun and self._expected is None

    def _forget(self, gone: set[int], at: float) -> None:
        """Backs that are no longer found; what is left of a heap that has lain long is its place."""
        for key in gone & set(self._backs):
            quad, came_at = self._backs.pop(key), self._came_at.pop(key, None)
            changed_at = self._changed_at.pop(key, None)
            is_last = not any(self._together(quad, other) for other in self._backs.values())
            if is_last and (came_at is None or at - came_at >= self.settings.lasting_s):
                self._backs[LOST] = quad
                for times, when in ((self._came_at, came_at), (self._changed_at, changed_at)):
                    times.pop(LOST, None)
                    if when is not None:
                        times[LOST] = when

    def _find_again(self, key: int) -> None:
        """A back where a heap lay is that heap: as old as it was."""
        del self._backs[LOST]
        self._changed_at.pop(LOST, None)
        came_at = self._came_at.pop(LOST, None)
        if came_at is None:
            self._came_at.pop(key, None)
        else:
            self._came_at[key] = came_at

    def _drop_talon(self) -> None:
        """What was taken for the talon is another pile."""
        assert self.talon_px is not None
        self._backs.update(dict.fromkeys(self.talon_keys, self.talon_px))
        self.talon_keys, self.talon_px = set(), None

    def _is_anew(self, place: Array | None, before: Array | None) -> bool:
        return place is not None and (before is None or gap(place, before) > self.settings.said_anew * size(place))

    def _is_said_talon(self, quad: Array) -> bool:
        said, other = self._said_talon, self._said_heap
        if said is None or gap(quad, said) > self.settings.said_reach * size(quad):
            return False
        return other is None or gap(quad, said) <= gap(quad, other)

    def _is_said_heap(self, quad: Array) -> bool:
        said, other = self._said_heap, self._said_talon
        if said is None or gap(quad, said) > self.settings.said_reach * size(quad):
            return False
        return other is None or gap(quad, said) < gap(quad, other)

    def _heap_keys(self) -> list[int]:
        """The backs of the likeliest heap: the one that was said, or that last changed, or the largest."""
        if self._said_heap is not None:
            return [key for keys in self._groups() for key in keys if self._is_said_heap(self._backs[key])]
        return max(self._groups(), key=lambda keys: (self._changed(keys), len(keys)), default=[])

    def _groups(self) -> list[list[int]]:
        """Backs lying together."""
        groups: list[list[int]] = []
        for key, quad in self._backs.items():
            near = [group for group in groups if any(self._together(quad, self._backs[other]) for other in group)]
            groups = [group for group in groups if group not in near]
            groups.append([key, *(other for group in near for other in group)])
        return groups

    def _together(self, one: Array, other: Array) -> bool:
        return gap(one, other) < self.settings.gather * size(one)

    def _changed(self, keys: list[int]) -> float:
        return max((self._changed_at.get(key, -1.0) for key in keys), default=-1.0)

    def _outline(self, keys: list[int]) -> Array:
        hull = cv2.convexHull(np.concatenate([self._backs[key] for key in keys]).astype(np.float32))
        return np.asarray(hull[:, 0], np.float32)

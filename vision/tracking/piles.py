"""
The piles: talon, turn-up and heap, told from which backs and faces lie where.

The talon is the face-down pile with a face-up card under it. Every other group of backs may be the heap
(:mod:`vision.tracking.heaps`). (A printed paper may look like the back of a card, but nobody sweeps a bout onto it.)
Where people have said where talon or heap lies, that is so: what lies there is that pile, and nothing else is.

Theory of operation. Each look hands over what has settled and what has gone. The talon is in one of three states:

    talon   what comes                                                        next state
    UNSEEN  a back over the turn-up; where it is said; before the deal any    LYING
    LYING   its last back goes, and there was a turn-up                       GONE: who draws now takes the turn-up
    LYING   its last back goes, and there never was a turn-up                 UNSEEN: the pack was taken up to be dealt
    LYING   somebody says that it lies elsewhere, or that this is the heap    UNSEEN, and what lay there is a heap
    GONE    somebody says where it lies                                       UNSEEN
    GONE    a back where it is said to lie, over its turn-up                  LYING: it had not gone

and so is the turn-up:

    turn-up  what comes                                                         next state
    SOUGHT   a face under the talon, or that reads as the one that is said to   LYING
    LYING    another face in its place                                          LYING: exchanged
    LYING    its track ends                                                     TAKEN
    LYING    somebody says that the talon lies elsewhere                        TAKEN
    TAKEN    a face under the talon, while that has not gone                    LYING

Where the talon had run out before the first frame it is GONE from the start, and every pile is a heap.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np
import numpy.typing as npt

from referee.cards import Card
from vision.detection.detections import FACES
from vision.geometry.quads import Array, gap, iou, overlap, size, warp
from vision.motion.patches import Flags
from vision.tracking.heaps import Heaps
from vision.tracking.pile_settings import PileSettings
from vision.tracking.track import Track


class TalonState(Enum):
    """Where the talon stands."""

    UNSEEN = "it may lie there, and is not made out"
    LYING = "it lies there"
    GONE = "it has run out"


class TurnupState(Enum):
    """Where the turn-up stands."""

    SOUGHT = "it was never made out"
    LYING = "it lies there"
    TAKEN = "it was made out, and is there no more"


class Piles:
    """
    Which tracks are talon, turn-up, heap; kept from look to look.

    ``turnup``: the card said to lie there at first. ``has_talon``: may there be a talon? Where it had run out before
    the first frame every pile is a heap. ``bout``: cards that lay there already. ``has_turnup``: may a card be the
    turn-up? Not where no game is played.
    """

    def __init__(
        self,
        turnup: Card | None,
        settings: PileSettings | None = None,
        has_talon: bool = True,
        bout: tuple[Card, ...] = (),
        has_turnup: bool = True,
    ) -> None:
        self.settings = settings or PileSettings()
        self.has_turnup = has_turnup
        self.heaps = Heaps(self.settings)
        self.talon = TalonState.UNSEEN if has_talon else TalonState.GONE
        self.turnup = TurnupState.SOUGHT
        self.turnup_name = turnup
        """What the turn-up is said to be, None where nobody said or it has been exchanged."""
        self.turnup_key: int | None = None
        """The turn-up's track, None where none is."""
        self.talon_px: Array | None = None
        """The talon's uppermost back (4, 2), None where none is made out."""
        self.turnup_px: Array | None = None
        """Where the turn-up lies, None once it is gone."""
        self.bared_px: Array | None = None
        """Where the talon lay on the turn-up, once it is gone."""
        self._expected, self._bout = turnup, bout
        self._talon_keys: set[int] = set()
        self._said_px: Array | None = None

    @property
    def sought(self) -> Card | None:
        """The turn-up that is said to lie there and was never made out."""
        is_sought = self.turnup is TurnupState.SOUGHT and self.talon is not TalonState.GONE
        return self._expected if is_sought else None

    @property
    def talon_place_px(self) -> Array | None:
        """
        Where hands go to draw: the talon, or the turn-up once (or as long as) only that is seen, or where it is said to
        lie.
        """
        said = None if self.talon is TalonState.GONE else self._said_px
        return next((place for place in (self.talon_px, self.turnup_px, said) if place is not None), None)

    def zone(self, key: int) -> str:
        """Where a track lies: ``talon``, ``turnup``, ``heap`` or ``bout``."""
        if key == self.turnup_key:
            return "turnup"
        if key in self._talon_keys:
            return "talon"
        return "heap" if key in self.heaps else "bout"

    def say(self, talon_px: Array | None, heap_px: Array | None) -> None:
        """
        Somebody says where talon and heap lie: the corners of a card there, None where they are to be found.

        May be said again with every look; only another place changes anything.
        """
        if talon_px is not None and self._is_anew(talon_px, self._said_px):
            self._say_talon(talon_px)
        if heap_px is not None and self._is_anew(heap_px, self.heaps.said_px):
            self.heaps.say(heap_px)
            if self.talon_px is not None and self._said_px is None and self.heaps.is_said(self.talon_px):
                self._drop_talon()
        self._said_px = None if talon_px is None else self._said_px
        self.heaps.said_talon_px = self._said_px
        if heap_px is None:
            self.heaps.unsay()

    def follow(self, move: npt.NDArray[np.float64]) -> None:
        """The camera was moved: ``move`` (3, 3) leads from pixels before to pixels now."""
        self.talon_px, self.turnup_px, self.bared_px, self._said_px = (
            None if place is None else warp(move, place)
            for place in (self.talon_px, self.turnup_px, self.bared_px, self._said_px)
        )
        self.heaps.follow(move)

    def stir(self, changed: Flags, scale: float, at: float) -> None:
        """Note where the picture changed."""
        self.heaps.stir(changed, scale, at)

    def place(self, settled: Sequence[Track], gone: set[int], at: float, begun: bool) -> None:
        """Take in what has settled. ``begun``: what lay there at the start has been told."""
        backs = [t for t in settled if t.is_back]
        faces = [t for t in settled if not t.is_back]
        self._talon_keys -= gone
        self.heaps.forget(gone, at)
        if self.turnup_key in gone:
            # What comes to lie there next is read, not taken for the one that was.
            self._take_turnup()
            self.turnup_name = None
        if self.turnup_key is None and self.talon is not TalonState.GONE:
            may_be = [b for b in backs if self._said_px is None or self._is_said(b.corners_px)]
            self.turnup_key = self._found_turnup(faces, may_be, begun) if self.has_turnup else None
            self._find_talon(faces, may_be)
        for back in backs:
            if back.key in self._talon_keys:
                continue
            if self._is_talon(back, faces, begun):
                self._talon_keys.add(back.key)
                self.heaps.remove(back.key)
            else:
                self.heaps.add(back.key, back.corners_px, at if begun else None)
        self._settle_talon([t for t in settled if t.key in self._talon_keys])
        turnup = next((t for t in settled if t.key == self.turnup_key), None)
        if turnup is not None:
            self.turnup, self.turnup_px = TurnupState.LYING, turnup.corners_px

    def exchanged(self, settled: Sequence[Track], tracks: Sequence[Track]) -> Track | None:
        """
        The track of the turn-up that was exchanged, if one was; the new one takes its place here.

        Another face where it lay, and it no longer seen: nobody covers a turn-up.
        """
        old = next((t for t in tracks if t.key == self.turnup_key), None)
        if old is None:
            return None
        for new in settled:
            elsewhere = new.key == old.key or new.is_back or old.seen_at >= new.first_at
            if not elsewhere and self._is_there(new, old, [t for t in tracks if t.key in self._talon_keys]):
                self.turnup_key, self.turnup_name = new.key, None
                return old
        return None

    def _say_talon(self, place_px: Array) -> None:
        """Somebody says that the talon lies there, and nowhere else."""
        self._said_px = self.heaps.said_talon_px = place_px
        self.bared_px = None
        self.talon = TalonState.UNSEEN if self.talon is TalonState.GONE else self.talon
        if self.talon_px is not None and not self._is_said(self.talon_px):
            self._drop_talon()
        if self.turnup_px is not None and not self._is_said(self.turnup_px):
            self._take_turnup()

    def _settle_talon(self, talon: Sequence[Track]) -> None:
        """The talon lies where its uppermost back does; once it has none, it has gone."""
        if talon:
            self.talon, self.talon_px = TalonState.LYING, talon[-1].corners_px
        elif self.talon_px is not None and not self._talon_keys:
            # A pile that goes before a turn-up was ever seen was the pack, taken up to be dealt.
            was_talon = self._expected is not None or self.turnup_px is not None
            self.talon = TalonState.GONE if was_talon else TalonState.UNSEEN
            self.bared_px, self.talon_px = self.talon_px if was_talon else None, None

    def _take_turnup(self) -> None:
        """What was the turn-up is it no more."""
        self.turnup = TurnupState.SOUGHT if self.turnup is TurnupState.SOUGHT else TurnupState.TAKEN
        self.turnup_key, self.turnup_px = None, None

    def _drop_talon(self) -> None:
        """What was taken for the talon is another pile."""
        assert self.talon_px is not None
        self.heaps.add_all(self._talon_keys, self.talon_px)
        self.talon, self._talon_keys, self.talon_px = TalonState.UNSEEN, set(), None

    def _is_there(self, new: Track, old: Track, talon: Sequence[Track]) -> bool:
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

    def _found_turnup(self, faces: Sequence[Track], backs: Sequence[Track], begun: bool) -> int | None:
        """The key of the face that is the turn-up, None if none is."""
        # Of faces under a back the one that reads as the turn-up most of all; at first nothing else can lie there.
        for face in sorted(faces, key=lambda face: -self._likeness(face)):
            reads_so = self._expected is not None and face.reading()[0] == self._expected
            under = any(overlap(face.corners_px, b.corners_px) >= self.settings.under_talon for b in backs)
            # Where neither turn-up nor talon is known, the first pile put on a face is the talon: cards were dealt.
            is_first = self._expected is None and self.talon_px is None
            may_be = not begun or reads_so or is_first or self.talon_px is not None
            # The talon on it may have been taken for a part of it.
            if (reads_so and not begun) or (under and may_be):
                return face.key
        if self._said_px is not None:
            there = [face for face in faces if self._is_said(face.corners_px)]
            likely = [face for face in there if self._likeness(face) >= self.settings.said_turnup]
            return max(likely, key=self._likeness).key if likely else None
        if not backs and self._expected is not None and not begun:
            # The turn-up as the last card of the talon.
            read_so = next((face.key for face in faces if face.reading()[0] == self._expected), None)
            return self._left_over(faces) if read_so is None else read_so
        return None

    def _left_over(self, faces: Sequence[Track]) -> int | None:
        """Where the talon isn't made out: a face that is half hidden, if nothing else can lie there yet."""
        faces = [face for face in faces if face.reading()[0] not in self._bout]
        is_it = len(faces) == 1 and faces[0].one_look < self.settings.half_hidden
        return faces[0].key if is_it else None

    def _find_talon(self, faces: Sequence[Track], backs: Sequence[Track]) -> None:
        """What was thought to be the talon is none if a turn-up comes to lie under another pile: cards were dealt."""
        turnup = next((face for face in faces if face.key == self.turnup_key), None)
        if turnup is None:
            return
        over = [b for b in backs if overlap(b.corners_px, turnup.corners_px) >= self.settings.under_talon]
        if over and not any(back.key in self._talon_keys for back in over):
            self._talon_keys = {back.key for back in over}
            self.talon, self.talon_px = TalonState.LYING, over[-1].corners_px

    def _likeness(self, face: Track) -> float:
        """How likely a face is the turn-up by its name alone."""
        return 0.0 if self._expected is None else float(face.shares[FACES.index(self._expected)])

    def _is_talon(self, back: Track, faces: Sequence[Track], begun: bool) -> bool:
        is_gone = self.talon is TalonState.GONE
        if self._said_px is not None:
            # Made out again where it is said to lie, it had not gone, as long as its turn-up lies there.
            return self._is_said(back.corners_px) and (not is_gone or self.turnup_key is not None)
        if is_gone or self.heaps.is_said(back.corners_px):
            return False
        if self.talon_px is not None:
            return gap(back.corners_px, self.talon_px) < self.settings.reach * size(self.talon_px)
        turnup = next((t for t in faces if t.key == self.turnup_key), None)
        if turnup is not None:
            return overlap(back.corners_px, turnup.corners_px) >= self.settings.under_talon
        return not begun and self._expected is None

    def _is_anew(self, place: Array, before: Array | None) -> bool:
        return before is None or gap(place, before) > self.settings.said_anew * size(place)

    def _is_said(self, quad: Array) -> bool:
        """Does a card lie where the talon is said to lie, and no farther from it than from where the heap is?"""
        said, other = self._said_px, self.heaps.said_px
        if said is None or gap(quad, said) > self.settings.said_reach * size(quad):
            return False
        return other is None or gap(quad, said) <= gap(quad, other)

"""
When something has really happened: still, hands gone from there, and seen at least twice the same way. Then: what lies
where.

Tracks come and go with every look; an ``Observation`` holds only what has settled. Zones are found from what lies
there: the talon is the face-down pile with a face-up card under it, the heap any other face-down pile, the bout all
face-up cards.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from referee.cards import Card
from referee.table import Gone, LyingCard, Observation, Pile, Pose
from vision.geometry import Array, centre, fill, iou, overlap, size
from vision.hands import Hands
from vision.layout import TableLayout
from vision.motion import Flags
from vision.tracking import Track, Tracker


@dataclass(frozen=True, slots=True)
class SettleSettings:
    """When a card counts as lying there, and on what."""

    looks: int = 2
    """Looks that must agree: one may be a blurred frame."""
    sure: float = 0.93
    """A card read less surely than this is looked at again before it is told."""
    patience: int = 5
    """Looks after which a doubtful card is told all the same, with its alternatives."""
    across: float = 0.12
    """A card shares so much of its area with the one it lies across; neighbours that touch share less."""
    across_covered: float = 0.4
    """On a card that is covered already it must lie more squarely to be meant for that one."""
    pile_reach: float = 0.75
    """A back this near (in card diagonals) to a pile's old place is that pile."""
    under_talon: float = 0.1
    """A face-up card shares so much with the talon that lies across it."""
    same_spot: float = 0.6
    """A card that shares so much (of both together) with where the turn-up lay has taken its place."""
    pile_change: float = 0.02
    """So much of a pile's place must change for it to look different: a card's edge shifted by a millimetre or two."""


class Settler:
    """Keeps what has settled from look to look."""

    def __init__(self, turnup: Card | None, settings: SettleSettings = SettleSettings()) -> None:
        self.settings = settings
        self._expected_turnup = turnup
        self._lying: dict[int, LyingCard] = {}
        self._turnup_key: int | None = None
        self._turnup_px: Array | None = None
        self._talon_keys: set[int] = set()
        self._talon_px: Array | None = None
        self._talon_gone = False
        self._heap_keys: set[int] = set()
        self._heap_px: Array | None = None
        self._heap_changed_at: float | None = None
        self._begun = False

    @property
    def piles_px(self) -> tuple[Array | None, Array | None]:
        """Outlines of talon (with the turn-up, once it lies alone) and heap."""
        return (self._talon_px if self._talon_px is not None else self._turnup_px), self._heap_px

    def zone(self, key: int) -> str:
        """Where a track lies: ``talon``, ``turnup``, ``heap`` or ``bout``."""
        if key == self._turnup_key:
            return "turnup"
        if key in self._talon_keys:
            return "talon"
        return "heap" if key in self._heap_keys else "bout"

    def on(self, key: int) -> int | None:
        """The card that a settled card lies across."""
        lying = self._lying.get(key)
        return None if lying is None else lying.on

    def stir(self, changed: Flags, scale: float, at: float) -> None:
        """Note where the picture changed: the heap looks different after a card has come to it."""
        if self._heap_px is None:
            return
        heap = fill((changed.shape[0], changed.shape[1]), self._heap_px, 1 / scale)
        place = cv2.dilate(heap, np.ones((5, 5), np.uint8)) > 0
        if place.any() and float(changed[place].mean()) >= self.settings.pile_change:
            self._heap_changed_at = at

    def observe(
        self,
        tracker: Tracker,
        gone: tuple[Track, ...],
        hands: Hands,
        layout: TableLayout,
        arms: Flags,
        scale: float,
        at: float,
        begun: bool,
    ) -> Observation:
        """The table as it stands after a look. ``begun``: what lay there at the start has been told."""
        self._begun = begun
        s = self.settings
        settled = [t for t in tracker.tracks if t.looks >= s.looks and t.still >= s.looks and not t.is_nothing]
        hidden = {t.key for t in tracker.tracks if tracker.visible_share(t, arms, scale) < 0.5}
        departed = tuple(self._leave(t, hands, layout, at) for t in gone if t.key in self._lying)
        self._exchange_turnup(settled, tracker)
        self._place_piles(settled, {t.key for t in gone}, at)
        for track in settled:
            if track.is_back or track.key in self._heap_keys or track.key in self._talon_keys:
                continue
            self._lay(track, tracker, hands, layout, at, track.key in hidden)
        turnup = self._lying.get(self._turnup_key) if self._turnup_key is not None else None
        order = [t.key for t in tracker.tracks]
        bout = tuple(
            self._lying[key] for key in sorted(self._lying, key=order.index) if key != self._turnup_key and key in order
        )
        return Observation(
            at,
            bout,
            turnup,
            None if self._talon_px is None else Pile(layout.pose(self._talon_px)),
            None if self._heap_px is None else Pile(_middle(self._heap_px, layout), self._heap_changed_at),
            departed,
            frozenset(hidden & set(self._lying)),
        )

    def is_unsure(self, track: Track) -> bool:
        """Should the card be looked at again before it is told?"""
        return not track.is_back and track.looks < self.settings.patience and track.reading()[1] < self.settings.sure

    def _lay(
        self, track: Track, tracker: Tracker, hands: Hands, layout: TableLayout, at: float, is_hidden: bool
    ) -> None:
        """Take up a card that has settled, or what is new about one that lies already."""
        card, share, others = track.reading()
        old = self._lying.get(track.key)
        pose = layout.pose(track.corners_px)
        if old is not None:
            moved = old.pose.distance_mm(pose) > 25
            on, lap = self._across(track, tracker) if moved else (old.on, old.overlap)
            self._lying[track.key] = LyingCard(old.key, card, share, others, pose, on, lap, old.clear_at, old.touched)
            return
        if self.is_unsure(track):
            return
        if track.key != self._turnup_key and is_hidden and hands.busy and self._under_arm(track, hands, at):
            return
        on, lap = self._across(track, tracker)
        self._lying[track.key] = LyingCard(
            track.key,
            card,
            share,
            others,
            pose,
            on,
            round(lap, 3),
            hands.clear_at(track.corners_px, at),
            hands.touches(track.corners_px, track.empty_at, track.first_at, layout),
        )

    def _under_arm(self, track: Track, hands: Hands, at: float) -> bool:
        """Is a hand over the card at this very moment?"""
        return hands.clear_at(track.corners_px, at) >= at - 1e-6

    def _leave(self, track: Track, hands: Hands, layout: TableLayout, at: float) -> Gone:
        del self._lying[track.key]
        if track.key == self._turnup_key:
            self._turnup_key, self._turnup_px = None, None
        clear = hands.clear_at(track.corners_px, at)
        since = track.seen_at
        return Gone(track.key, clear if clear > since else at, hands.touches(track.corners_px, since, at, layout))

    def _across(self, track: Track, tracker: Tracker) -> tuple[int | None, float]:
        """The card that this one lies across, and the share of it that overlaps."""
        below = tracker.tracks[: tracker.tracks.index(track)]
        covered = {card.on for card in self._lying.values() if card.key != track.key}
        best: tuple[float, int] | None = None
        for other in below:
            if other.key not in self._lying or other.key == self._turnup_key:
                continue
            lap = overlap(track.corners_px, other.corners_px)
            least = self.settings.across_covered if other.key in covered else self.settings.across
            # An open card is meant rather than a covered one that is touched as well.
            score = lap - (0.5 if other.key in covered else 0.0)
            if lap >= least and (best is None or score > best[0]):
                best = (score, other.key)
        if best is None:
            return None, 0.0
        other = next(t for t in below if t.key == best[1])
        return best[1], overlap(track.corners_px, other.corners_px)

    def _exchange_turnup(self, settled: list[Track], tracker: Tracker) -> None:
        """Another face where the turn-up lay, and the turn-up no longer seen: it was exchanged, not covered."""
        old = next((t for t in tracker.tracks if t.key == self._turnup_key), None)
        if old is None:
            return
        for new in settled:
            if new.key != old.key and not new.is_back and old.seen_at < new.first_at:
                if iou(new.corners_px, old.corners_px) < self.settings.same_spot:
                    continue
                tracker.drop(old)
                if old in settled:
                    settled.remove(old)
                self._lying.pop(old.key, None)
                self._turnup_key = new.key
                return

    def _place_piles(self, settled: list[Track], gone: set[int], at: float) -> None:
        """Tell talon, turn-up and heap from what lies where."""
        backs = [t for t in settled if t.is_back]
        faces = [t for t in settled if not t.is_back]
        self._talon_keys -= gone
        self._heap_keys -= gone
        if self._turnup_key is None and not self._talon_gone:
            self._find_turnup(faces, backs)
        for back in backs:
            if back.key in self._talon_keys or back.key in self._heap_keys:
                continue
            if self._is_talon(back, faces):
                self._talon_keys.add(back.key)
            else:
                self._heap_keys.add(back.key)
                if self._begun:
                    self._heap_changed_at = at
        talon = [t for t in settled if t.key in self._talon_keys]
        if talon:
            self._talon_px = talon[-1].corners_px
        elif self._talon_px is not None and not self._talon_keys:
            self._talon_px, self._talon_gone = None, True
        turnup = next((t for t in settled if t.key == self._turnup_key), None)
        if turnup is not None:
            self._turnup_px = turnup.corners_px
        heap = [t for t in settled if t.key in self._heap_keys]
        if heap:
            hull = cv2.convexHull(np.concatenate([t.corners_px for t in heap]).astype(np.float32))
            self._heap_px = np.asarray(hull[:, 0], np.float32)
        elif not self._heap_keys:
            self._heap_px = None

    def _find_turnup(self, faces: list[Track], backs: list[Track]) -> None:
        for face in faces:
            if face.key in self._lying and self._expected_turnup is not None and self._begun:
                continue
            if any(overlap(face.corners_px, back.corners_px) >= self.settings.under_talon for back in backs) and (
                self._expected_turnup is None
                or face.reading()[0] == self._expected_turnup
                or self._talon_px is not None
            ):
                self._turnup_key = face.key
                return
        if not backs and self._expected_turnup is not None and not self._begun:
            # The turn-up as the last card of the talon.
            self._turnup_key = next((f.key for f in faces if f.reading()[0] == self._expected_turnup), None)

    def _is_talon(self, back: Track, faces: list[Track]) -> bool:
        if self._talon_gone:
            return False
        if self._talon_px is not None:
            gap = float(np.linalg.norm(centre(back.corners_px) - centre(self._talon_px)))
            return gap < self.settings.pile_reach * size(self._talon_px)
        turnup = next((t for t in faces if t.key == self._turnup_key), None)
        if turnup is not None:
            return overlap(back.corners_px, turnup.corners_px) >= self.settings.under_talon
        return not self._begun and self._expected_turnup is None


def _middle(outline_px: Array, layout: TableLayout) -> Pose:
    middle = layout.mm(outline_px).mean(axis=0)
    return Pose(round(float(middle[0]), 1), round(float(middle[1]), 1))

"""
Which detections begin a track.

A new card needs a change of the picture at its place that nothing else explains. Two kinds of cards are excepted:

* a *held card* was read beyond doubt while fingers were on it. It may have been held still, so that it is not reported;
  but if it lies there, with the same name, once the fingers have gone, it has lain there since;
* an *unnoticed card* came without a change that motion detection reported: the light jumped, or the whole picture was
  an arm. If it lies still for a second and is read beyond doubt in several inferences, it is a card.

A new card lies on those that were found before it, unless the finder missed it until one of them came over it: then
what shows of it changed before that card came, and the edges show that card above.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from vision.detection.detections import BACK_INDEX, FACE_COUNT, Detections
from vision.detection.z_order import lies_on_top
from vision.geometry.quads import Array, Mask, gap, overlap, size
from vision.motion.arm_regions import Flags
from vision.motion.change_history import UnexplainedChange
from vision.motion.motion_report import NEVER
from vision.tracking.matching import is_echo
from vision.tracking.missed_detections import CardsInView
from vision.tracking.track import (
    AT_REST,
    CLEAR_CONFIDENCE,
    CLEAR_READ,
    FRESH_SHARE,
    LIES_ON,
    SAME_PLACE,
    UNMISTAKABLE,
    FrameFacts,
    NamePrior,
    Track,
    TrackSettings,
)

# Shares of a card's area, 0 to 1; chosen by hand, as are the other values.
OWN_SHARE = 0.15
"""Least share of its place that a new card has to itself, beside other new ones."""
PALE_SHARE = 0.04
"""Share of its place that must have changed if it is read beyond doubt: on a cloth of its colour only print changes."""
REPLACED_CONFIDENCE, REPLACED_READ = 0.65, 0.8
"""Confidence and probability of the name that suffice where another card lay that is not found any more."""

UNNOTICED_S, UNNOTICED_COUNT = 1.0, 3
"""Seconds for which, and inferences in which, an unnoticed card must be found before it counts."""
UNNOTICED_GAP_S = 2.0
"""Longest time between two of them, in seconds."""
HELD_AT_REST = 0.04
"""Most movement, in card diagonals, of a held card until the fingers have gone."""
HELD_GAP_S = 8.0
"""Seconds for which a held card is remembered."""


@dataclass(frozen=True, slots=True, eq=False)
class InferenceTimes:
    """
    Times in seconds: of this inference, of the one before, and of the last one that updated the tracks.
    """

    at: float
    last_at: float
    updated_at: float


@dataclass(frozen=True, slots=True, eq=False)
class Inference:
    """What one inference has found. ``picture``: full-size, grey. ``sharpness``: of each detection."""

    found: Detections
    facts: FrameFacts
    picture: Mask
    times: InferenceTimes
    sharpness: list[float]
    usable: list[int]


@dataclass(slots=True)
class Candidate:
    """A face read beyond doubt ``count`` times at one place, that no track stands for. Times in seconds."""

    corners_px: Array
    name: int
    empty_at: float
    first_at: float
    seen_at: float
    count: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class NewCard:
    """A new track. ``detection``: index of its detection. ``covers``: tracks of the cards that came over it."""

    track: Track
    detection: int
    covers: Sequence[Track]


class HeldCards:
    """Faces read beyond doubt while fingers are on them."""

    def __init__(self) -> None:
        self._held: list[Candidate] = []

    def add(self, found: Detections, unused: Collection[int], times: InferenceTimes) -> None:
        """Take in an inference. ``unused``: indices of detections that are not used, as those under arms."""
        self._held = [held for held in self._held if times.at - held.seen_at <= HELD_GAP_S]
        for k in unused:
            name = int(found.best[k])
            is_clear = found.confidence[k] >= CLEAR_CONFIDENCE and found.probabilities[k].max() >= CLEAR_READ
            if name >= FACE_COUNT or not is_clear:
                continue
            held = self.at_place(found.corners_px[k], name)
            if held is None:
                self._held.append(Candidate(found.corners_px[k], name, times.last_at, times.at, times.at))
            else:
                held.seen_at, held.count = times.at, held.count + 1

    def at_place(self, corners_px: Array, name: int) -> Candidate | None:
        """Return the held card with this name (index into ``CLASS_NAMES``) at a place (4, 2) px, None if none is."""
        near = HELD_AT_REST * size(corners_px)
        return next(
            (held for held in self._held if held.name == name and gap(held.corners_px, corners_px) < near), None
        )

    def remove(self, held: Candidate) -> None:
        """Forget a card that has a track now."""
        self._held = [other for other in self._held if other is not held]


class UnnoticedCards:
    """Faces read beyond doubt where no change was reported."""

    def __init__(self) -> None:
        self._candidates: list[Candidate] = []

    def empty_at(self, found: Detections, k: int, tracks: Sequence[Track], times: InferenceTimes) -> float | None:
        """
        Return when the place of detection ``k`` was last empty, in seconds; None until it has been found for long.

        Also None for what is no face, or has the name of a track.
        """
        corners_px, name, at = found.corners_px[k], int(found.best[k]), times.at
        if name >= FACE_COUNT or any(track.best == name for track in tracks):
            return None
        self._candidates = [each for each in self._candidates if at - each.seen_at <= UNNOTICED_GAP_S]
        near = AT_REST * size(corners_px)
        for each in self._candidates:
            if each.name == name and gap(each.corners_px, corners_px) < near:
                each.seen_at, each.count = at, each.count + 1
                has_lain = each.count >= UNNOTICED_COUNT and at - each.first_at >= UNNOTICED_S
                return each.empty_at if has_lain else None
        self._candidates.append(Candidate(corners_px, name, times.last_at, at, at))
        return None

    def is_open(self, at: float) -> bool:
        """Check whether one was found at the time ``at`` that has not been found for long."""
        return any(each.seen_at == at and at - each.first_at < UNNOTICED_S for each in self._candidates)


class NewCards:
    """Makes tracks of new cards. ``change``: what of the picture no card accounts for."""

    def __init__(self, settings: TrackSettings, prior: NamePrior, change: UnexplainedChange) -> None:
        self._settings, self._prior, self._change = settings, prior, change
        self.held, self.unnoticed = HeldCards(), UnnoticedCards()
        self._count = 0

    def new_track(self, corners_px: Array, first_at: float, empty_at: float, laid_at: float) -> Track:
        """Return a track with a new key, without any reading."""
        self._count += 1
        track = Track(self._count, corners_px.astype(np.float32), first_at, empty_at, laid_at=laid_at)
        track.prior, track.evidence = self._prior, self._prior.log_likelihoods.copy()
        return track

    def begin(self, inference: Inference, fresh: Sequence[int], sought: set[int], view: CardsInView) -> list[NewCard]:
        """
        Return the new cards.

        ``fresh``: detections that continue no track. ``sought``: those of a turn-up that may be found without a change.
        """
        found, times = inference.found, inference.times
        begun: list[NewCard] = []
        claimed, known = np.zeros_like(view.facts.arms), view.found_again()
        score = found.confidence * found.probabilities.max(axis=1)
        score += found.probabilities[:, BACK_INDEX] >= UNMISTAKABLE
        for k in sorted(fresh, key=lambda k: -float(score[k])):
            place = view.facts.place(found.corners_px[k])
            surest = float(found.probabilities[k].max())
            is_clear = self.is_clear(found.corners_px[k], float(found.confidence[k]), surest, times.at, view.tracks)
            held = self.held.at_place(found.corners_px[k], int(found.best[k]))
            is_explained = k in sought or self.is_explained(place, view.facts, claimed, known, is_clear)
            is_explained = is_explained or (held is not None and is_clear)
            unnoticed_since = None
            if not is_explained and is_clear:
                unnoticed_since = self.unnoticed.empty_at(found, k, view.tracks, times)
            if not is_explained and unnoticed_since is None:
                continue
            if view.is_hidden_by(place) or is_echo(found, k, view.tracks, times.at):
                continue
            claimed |= place
            covers = self._covers(found.corners_px[k], place, view, inference.picture)
            before = [track for track in view.tracks if track not in covers]
            empty_at = self._empty_at(found.corners_px[k], place, unnoticed_since, before, times)
            laid_at = min([times.at, *(cover.laid_at for cover in covers)])
            track = self.new_track(found.corners_px[k], times.at, empty_at, laid_at)
            track.is_sought = k in sought
            track.confirmed = unnoticed_since is not None or (held is not None and is_clear)
            if held is not None:
                track.inferences = track.still = held.count
                track.empty_at = min(track.empty_at, held.empty_at)
                self.held.remove(held)
            begun.append(NewCard(track, k, covers))
        return begun

    def _covers(self, quad: Array, place: Flags, view: CardsInView, grey: Mask) -> list[Track]:
        """Return the tracks of the cards that came over a new card (4, 2) before the finder noticed it."""

        def came_later(other: Track) -> bool:
            own = place & ~view.facts.place(other.corners_px)
            changed_at = self._change.unchanged_at(own, NEVER)
            return NEVER < changed_at <= other.empty_at and lies_on_top(other.corners_px, quad, grey)

        met = [t for t in view.tracks if not t.is_back and overlap(quad, t.corners_px) >= LIES_ON]
        return [track for track in met if not track.is_nothing and came_later(track)]

    def is_explained(self, place: Flags, facts: FrameFacts, claimed: Flags, known: Flags, is_clear: bool) -> bool:
        """
        Check whether enough of a new card's place has changed.

        ``claimed``: places of better detections. ``known``: those of known cards that may lie over it. ``is_clear``: it
        is read beyond doubt, so that less must have changed.
        """
        if not self._change.is_known:
            return True
        own = self._change.own(place, facts.arms, claimed, known)
        if own.sum() < OWN_SHARE * place.sum():
            return False
        return self._change.share(own) >= (PALE_SHARE if is_clear else FRESH_SHARE)

    def is_clear(self, quad: Array, confidence: float, surest: float, at: float, tracks: Sequence[Track]) -> bool:
        """
        Check whether a card is found and read beyond doubt.

        Where another card lay that is not found at the time ``at``, a clear reading of another name is enough.
        """
        near = size(quad) * SAME_PLACE / 2
        is_replaced = any(
            not t.is_back and t.confirmed and t.seen_at < at and gap(t.corners_px, quad) < near for t in tracks
        )
        if is_replaced:
            return confidence >= REPLACED_CONFIDENCE and surest >= REPLACED_READ
        return confidence >= CLEAR_CONFIDENCE and surest >= CLEAR_READ

    def _empty_at(
        self, quad: Array, place: Flags, unnoticed_since: float | None, tracks: Sequence[Track], times: InferenceTimes
    ) -> float:
        """Return when a place was last empty, in seconds."""
        if unnoticed_since is None:
            empty_at = min(times.last_at, self._change.unchanged_at(place, times.updated_at))
        else:
            empty_at = unnoticed_since
        # A card that was found before this one was not under it then.
        return max([empty_at, *(t.first_at for t in tracks if overlap(quad, t.corners_px) >= LIES_ON)])

"""
Tracks: which card is which, inference after inference.

Each detection is matched with a track, by place and name together, or begins a new one. A track sums the readings of
its name as log-probabilities, weighted by how much they say that is new (:mod:`vision.tracking.track`). It ends
only when inferences at its place no longer find the card *and* the picture has changed there: a detector that misses a
card does not make it vanish. A card under another card or a hand is taken to lie on.

Tracks are changed here alone. Other stages read them, and pass ``PileHints`` for the next inference.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence

import cv2
import numpy as np
import numpy.typing as npt

from referee.cards import Card
from vision.detection.detections import CLASS_NAMES, FACE_COUNT, NOTHING_INDEX, Detections
from vision.detection.z_order import Grey, bottom_first
from vision.geometry.quads import Array, Mask, align, centre, fill, gap, is_part_of, size, warp
from vision.motion.arm_regions import Flags
from vision.motion.change_history import Times, UnexplainedChange
from vision.motion.motion_report import NEVER
from vision.tracking.matching import (
    TrackState,
    assign,
    has_successor,
    is_pulled,
    match_score,
    sought_pair,
    successor_of,
    usable_detections,
)
from vision.tracking.missed_detections import CardsInView, TrackedCard
from vision.tracking.new_cards import Inference, InferenceTimes, NewCards
from vision.tracking.track import (
    ARM_COVER,
    BLURRED,
    CERTAIN_NAME,
    FRESH_SHARE,
    FULL_VIEW,
    INFERENCES_TO_GO,
    MOST_WEIGHT,
    OUTSIDE_PACK_PRIOR,
    READABLE,
    SAME_PLACE,
    STILL_INFERENCES,
    STIRRED_SHARE,
    TRACK_LEAST_CONFIDENCE,
    UNMISTAKABLE,
    UNVISITED_S,
    VISIBLE_SHARE,
    FrameFacts,
    NamePrior,
    PileHints,
    Track,
    TrackSettings,
    TrackUpdate,
    sharpness,
)

logger = logging.getLogger(__name__)

# Shares are from 0 to 1, distances in card diagonals; chosen by hand where no other source is given.
STEADY = 0.1
"""A card whose corners are off by less is at rest."""
CORNER_RATE = 0.4
"""Share by which the corners of a card at rest follow the detection."""
NAME_FLOOR = 0.0005
"""
No reading makes a name less probable than this. Of 1,128 readings of 61 open cards with 0.95 or more none was wrong
(eight development clips, 2026-11-24); this leaves 0.03 for all other names together.
"""
STRIP_SHARE, STRIP_SLOPE, LEAST_WEIGHT = 0.1, 0.4, 0.7
"""
A reading of a card of which ``STRIP_SHARE`` is in view counts ``LEAST_WEIGHT``, with ``STRIP_SLOPE`` more in view all.
Of 53 clear readings of cards of invented decks with a tenth to a half in view 45 were right (2026-11-24).
"""
PART_INSIDE, PART_SHRUNK = 0.93, 0.96
"""An outline within a card's to this share, and smaller than that share, is what shows of the card."""
OPEN_SHARE = 0.02
"""Arms over no more of a card's place leave it open."""
CHANGED_SHARE = 0.2
"""So much of a card's visible place must have changed before it can be gone."""
UNEXPLAINED_SHARE = 0.35
"""A change of this share of a card beside cards is more than a shadow, or a card pushed aside."""
INFERENCES_AFTER_PULL = 6
"""Inferences that must miss a turn-up seen in a hand before its track ends: another will soon lie in its place."""
INFERENCES_TO_KNOW = 4
"""A card found fewer times is looked for where it is not found, though nothing has touched it."""
VISITED_S = 1.0
"""Seconds after a hand for which a clear reading of another name is another card, before a change is reported."""
SPILL_PX = 2
"""Pixels of the reduced picture by which a change spills over the rim of what changed."""
LID_RIM_PX = 3
"""Pixels of the reduced picture by which changes of a card spill over one under it."""
_SPILL = np.ones((2 * SPILL_PX + 1, 2 * SPILL_PX + 1), np.uint8)
_LID_RIM = np.ones((2 * LID_RIM_PX + 1, 2 * LID_RIM_PX + 1), np.uint8)


class Tracker:
    """The cards on the table, oldest first: of two that overlap the later one lies on top."""

    def __init__(self, settings: TrackSettings | None = None, pack_size: int | None = None) -> None:
        self.settings = settings or TrackSettings()
        self.tracks: list[Track] = []
        self.unexplained_change = UnexplainedChange()
        prior = NamePrior.of(pack_size, OUTSIDE_PACK_PRIOR)
        self._new_cards = NewCards(self.settings, prior, self.unexplained_change)
        self._updated_at = NEVER
        self._piles = PileHints()
        self._visited_at: npt.NDArray[np.float64] | None = None

    def apply_hints(self, piles: PileHints) -> None:
        """Take over what the piles mean for the tracks."""
        self._piles = piles
        if piles.replaced is not None:
            logger.debug("track %d is dropped", piles.replaced)
            self.tracks = [track for track in self.tracks if track.key != piles.replaced]
        for lower_key, upper_key in piles.lower_first:
            lower = next(track for track in self.tracks if track.key == lower_key)
            self.tracks.remove(lower)
            upper = next(k for k, track in enumerate(self.tracks) if track.key == upper_key)
            self.tracks.insert(upper, lower)

    def add_change(self, changed: Flags, scale: float, explain: bool = True, calm_at: Times | None = None) -> None:
        """
        Note where the picture changed, (rows, columns) of the reduced picture.

        ``explain``: a card may have come there. Where nothing changed no card can be new, whatever a detector says.
        ``calm_at``: when each spot was last at rest and free of hands, before it changed.
        """
        self.unexplained_change.add(changed, self._updated_at if calm_at is None else calm_at, explain)
        for track in self.tracks:
            place = fill((changed.shape[0], changed.shape[1]), track.corners_px, 1 / scale) > 0
            if not place.any() or float(changed[place].mean()) < STIRRED_SHARE:
                continue
            track.stirred = changed & place if track.stirred is None else track.stirred | (changed & place)

    def add_visits(self, places: Flags, at: float) -> None:
        """Note where hands may be at the time ``at`` (seconds), on the reduced picture."""
        if self._visited_at is None or self._visited_at.shape != places.shape:
            self._visited_at = np.full(places.shape, NEVER)
        self._visited_at[places] = at

    def follow_camera(self, move: npt.NDArray[np.float64]) -> None:
        """Move all tracks with the camera. ``move``: (3, 3), from pixels before to pixels now."""
        for track in self.tracks:
            track.corners_px, track.stirred = warp(move, track.corners_px), None

    def accept_all(self) -> None:
        """Take what lies there now as known: from here on a new card needs a change."""
        self.unexplained_change.clear()
        for track in self.tracks:
            track.confirmed = True

    def apply_label(self, was: Card, card: Card) -> None:
        """Name the tracks that are read as ``was``: no reading overrides a person's label."""
        for track in self.tracks:
            if not track.is_back and not track.is_nothing and track.reading()[0] == was:
                track.known_as = card
                track.apply_label()

    def update(self, found: Detections, facts: FrameFacts, grey: Grey, last_at: float) -> TrackUpdate:
        """
        Take in the detections of an inference.

        ``grey``: returns the full-size picture, (rows, columns) uint8. ``last_at``: time of the inference before, in
        seconds.
        """
        self._mark_pulled(found)
        picture = grey()
        sharp = [sharpness(picture, quad) for quad in found.corners_px]
        usable = usable_detections(found, facts, self.tracks)
        times = InferenceTimes(facts.at, last_at, self._updated_at)
        inference = Inference(found, facts, picture, times, sharp, usable)
        self._begin_successors(inference)
        matched = self._match(inference)
        is_blurred = self._is_blurred([(track, sharp[k]) for track, k in matched])
        for track, k in matched:
            self._add_detection(track, k, inference, is_blurred)
        self.tracks.sort(key=lambda track: track.laid_at)  # a card laid again elsewhere lies on top there
        used = {k for _, k in matched}
        lost = [track for track in self.tracks if all(track is not each for each, _ in matched)]
        begun = self._begin_new([k for k in usable if k not in used], inference, is_blurred)
        self._new_cards.held.add(found, set(range(len(found))) - set(usable), times)
        gone = self._end_missing(lost, found, [k for k in range(len(found)) if k not in used], facts)
        if self.unexplained_change.is_known:
            self._confirm(facts)
        self._updated_at = facts.at
        return TrackUpdate(begun, tuple(gone), self._is_doubtful(lost, gone, found, facts))

    def has_unexplained(self, beside: Collection[int], piles: Sequence[Array], facts: FrameFacts) -> bool:
        """
        Check for a change of a good part of a card, beside the tracks with the keys ``beside``, that no card explains.

        Changes at ``piles`` don't count: those slip at every touch.
        """
        cards = [track.corners_px for track in self.tracks if track.key in beside]
        return self.unexplained_change.has_patch(cards, piles, facts.arms, facts.scale, UNEXPLAINED_SHARE)

    def lying(self, facts: FrameFacts) -> tuple[TrackedCard, ...]:
        """Return the cards known to lie there, lower ones first; open are those that should be found now."""
        cards, view = [], CardsInView(self.tracks, facts)
        for track in self.tracks:
            whole, shown = view.of(track)
            in_view = bool(shown.any()) and shown.sum() >= VISIBLE_SHARE * whole
            touched = track.stirred is not None and in_view and float(track.stirred[shown].mean()) >= STIRRED_SHARE
            is_open = in_view and (touched or track.inferences < INFERENCES_TO_KNOW) and not track.pulled
            cards.append(TrackedCard(track.corners_px, None if track.is_nameless else track.best, is_open, touched))
        return tuple(cards)

    def visible_share(self, track: Track, facts: FrameFacts) -> float:
        """Return the share of a card, 0..1, that neither arms nor later cards hide."""
        return CardsInView(self.tracks, facts).share(track)

    def _mark_pulled(self, found: Detections) -> None:
        """Note that the turn-up is in a hand, if it is read there."""
        turnup = next((track for track in self.tracks if track.key == self._piles.turnup_key), None)
        if turnup is not None and self._piles.turnup is not None:
            turnup.pulled |= is_pulled(turnup, self._piles.turnup, self.tracks, found)

    def _begin_successors(self, inference: Inference) -> None:
        """Begin a track for the card in the place of a turn-up in a hand: another card, until it reads the same."""
        for old in [track for track in self.tracks if track.pulled]:
            quad = successor_of(old, self.tracks, inference.found, inference.usable)
            if quad is not None:
                new = self._new_cards.new_track(quad, inference.facts.at, old.seen_at, old.laid_at)
                new.confirmed = True
                self.tracks.insert(self.tracks.index(old) + 1, new)

    def _match(self, inference: Inference) -> list[tuple[Track, int]]:
        """Pair tracks with detections, the best score first."""
        found, facts = inference.found, inference.facts
        view = CardsInView(self.tracks, facts)
        covered = {track.key for track in self.tracks if view.is_covered(track)}
        hidden = {track.key for track in self.tracks if view.is_under_arm(track)}
        since = facts.at - VISITED_S
        visited = {t.key for t in self.tracks if self._was_visited(facts.filled(t.corners_px), max(t.seen_at, since))}
        scores: dict[tuple[int, int], float] = {}
        for k in inference.usable:
            quad, names = found.corners_px[k], found.probabilities[k]
            is_new_place = self._has_changed(quad, facts)
            is_readable = float(names.max()) >= READABLE
            for track in self.tracks:
                if not is_readable and track.stirred is not None and self._was_clear(track, view):
                    continue
                # A covered card that comes to light reads as itself; anything else lies on it.
                if track.pulled or (track.key in covered and int(names.argmax()) != track.best):
                    continue
                is_sharp = inference.sharpness[k] >= BLURRED * track.sharpest
                other_read = CERTAIN_NAME if is_sharp else UNMISTAKABLE
                state = TrackState(
                    is_new_place and track.key not in self._piles.keys,
                    track.key in hidden,
                    other_read if track.key in visited else None,
                )
                score = match_score(track, quad, names, state)
                if score is not None:
                    scores[track.key, k] = score
        by_key = {track.key: track for track in self.tracks}
        return [(by_key[key], k) for key, k in assign(scores)]

    def _was_clear(self, track: Track, view: CardsInView) -> bool:
        """Check whether the card lay open and was read clearly: then an unreadable detection there is not that card."""
        return track.weight >= 1 and track.shares.max() >= UNMISTAKABLE and view.share(track) > FULL_VIEW

    def _has_changed(self, quad: Array, facts: FrameFacts) -> bool:
        """Check whether enough of a place has changed for a card to have come there."""
        place = facts.place(quad) & ~facts.arms
        return self.unexplained_change.share(place) >= FRESH_SHARE

    def _is_blurred(self, matched: Sequence[tuple[Track, float]]) -> bool:
        """Check whether most cards, each given with its sharpness, are blurred compared with earlier inferences."""
        known = [sharp / track.sharpest for track, sharp in matched if track.sharpest and track.inferences > 1]
        return bool(known) and float(np.median(known)) < BLURRED

    def _add_detection(self, track: Track, k: int, inference: Inference, is_blurred: bool) -> None:
        """Update a track with its detection: place, name, counts."""
        found, facts, was, is_new = inference.found, inference.facts, track.best, track.seen_at == 0.0
        quad = align(found.corners_px[k], track.corners_px)
        is_resting = track.still >= STILL_INFERENCES and not is_new
        if is_resting and is_part_of(quad, track.corners_px, PART_INSIDE, PART_SHRUNK):
            quad = track.corners_px  # what shows of it lies where it lay
        is_steady = float(np.abs(quad - track.corners_px).max()) < STEADY * size(track.corners_px)
        weight = self._weight(track, k, quad, inference, is_steady=is_steady, is_blurred=is_blurred)
        names = np.maximum(found.probabilities[k].astype(np.float64), NAME_FLOOR)
        track.add_reading(names, weight, MOST_WEIGHT)
        if float(np.linalg.norm(centre(quad) - centre(track.corners_px))) > SAME_PLACE * size(quad):
            track.laid_at = facts.at
        track.corners_px = track.corners_px * (1 - CORNER_RATE) + quad * CORNER_RATE if is_steady else quad
        track.still = track.still + 1 if is_steady else 1
        track.inferences += 1
        place = facts.place(quad)
        track.open_inferences += bool(place.any()) and float(facts.arms[place].mean()) <= OPEN_SHARE
        track.missed, track.stirred, track.seen_at = 0, None, facts.at
        track.confidence = float(found.confidence[k])
        now = track.best
        track.surest = max(float(found.probabilities[k, now]), track.surest if now == was else 0.0)
        if is_new:
            logger.debug("track %d begins at %.2f s as %s", track.key, facts.at, CLASS_NAMES[now])
        elif now != was:
            logger.debug("track %d is %s at %.2f s, not %s", track.key, CLASS_NAMES[now], facts.at, CLASS_NAMES[was])

    def _weight(
        self, track: Track, k: int, quad: Array, inference: Inference, *, is_steady: bool, is_blurred: bool
    ) -> float:
        """Return the weight of a reading: by novelty, sharpness, and how much of the card is in view."""
        weight = track.seen.novelty(inference.picture, quad, self.settings.alike, has_moved=not is_steady)
        weight = track.weigh_by_sharpness(inference.sharpness[k], weight, is_blurred=is_blurred)
        in_view = self.visible_share(track, inference.facts)
        return weight * float(np.clip((in_view - STRIP_SHARE) / STRIP_SLOPE, LEAST_WEIGHT, 1.0))

    def _begin_new(self, fresh: list[int], inference: Inference, is_blurred: bool) -> tuple[Track, ...]:
        """Begin tracks for new cards, lower cards first."""
        sought = sought_pair(inference.found, self._piles.sought)
        view = CardsInView(self.tracks, inference.facts)
        begun = self._new_cards.begin(inference, fresh, sought, view)
        order = bottom_first([new.track.corners_px for new in begun], lambda: inference.picture)
        for new in [begun[k] for k in order]:
            places = [self.tracks.index(cover) for cover in new.covers]
            self.tracks.insert(min(places, default=len(self.tracks)), new.track)
        for new in begun:
            self._add_detection(new.track, new.detection, inference, is_blurred)
        return tuple(begun[k].track for k in order)

    def _end_missing(
        self, lost: list[Track], found: Detections, unmatched: list[int], facts: FrameFacts
    ) -> list[Track]:
        """
        Count misses of the tracks that were not found, and end those that are gone.

        ``unmatched``: indices of detections that continue no track. A card of another name that is found where one lay
        lies on it, though a hand may still be there, so that it has no track yet. A card that shows between the fingers
        of a resting hand is not missed.
        """
        in_view = CardsInView(self.tracks, facts)
        laid = [k for k in unmatched if self._is_card(found, k)]
        gone: list[Track] = []
        missed: list[Track] = []
        for track in reversed(lost):  # of a heap the uppermost first: a card under another goes with it or after it
            if track.pulled and has_successor(track, self.tracks):
                continue  # not gone, but exchanged
            place = facts.filled(track.corners_px)
            lids = self._cards_over(track, lost, missed, facts)
            for k in laid:
                if int(found.probabilities[k].argmax()) != track.best:
                    cv2.fillConvexPoly(lids, np.round(found.corners_px[k] / facts.scale).astype(np.int32), 255)
            # Changes spill over the rim of what changed: beside a card just laid they say nothing.
            view = (place > 0) & ~facts.arms & (cv2.dilate(lids, _LID_RIM) == 0)
            if place.any() and (in_view.is_under_arm(track) or view.sum() / (place > 0).sum() < VISIBLE_SHARE):
                track.missed = 0
                continue
            if not self._may_be_missing(track, place, view, facts):
                continue
            missed.append(track)
            track.missed += 1
            track.gone_at = facts.at if track.missed == 1 else track.gone_at
            is_missed = track.missed >= (INFERENCES_AFTER_PULL if track.pulled else INFERENCES_TO_GO)
            if is_missed and (not track.confirmed or self._may_have_gone(track, place, facts)):
                gone.append(track)
        self.tracks = [track for track in self.tracks if all(track is not each for each in gone)]
        for track in reversed(gone):
            self.unexplained_change.account(facts.filled(track.corners_px), SPILL_PX)
            logger.debug("track %d is gone at %.2f s", track.key, facts.at)
        return gone[::-1]

    def _cards_over(self, track: Track, lost: list[Track], missed: list[Track], facts: FrameFacts) -> Mask:
        """Return where cards lie over a track, 255 in the reduced picture: found ones, and named ones not missed."""
        lids = np.zeros(facts.shape, np.uint8)
        for later in self.tracks[self.tracks.index(track) + 1 :]:
            is_found = all(later is not each for each in lost)
            is_named = later.confirmed and not later.is_nothing and not later.is_nameless
            if is_found or (is_named and all(later is not each for each in missed)):
                cv2.fillConvexPoly(lids, np.round(later.corners_px / facts.scale).astype(np.int32), 255)
        return lids

    def _may_be_missing(self, track: Track, place: Mask, view: Flags, facts: FrameFacts) -> bool:
        """Check whether the place of a track that was not found was touched, or the track is new and under no arm."""
        if not place.any():
            return True
        if track.stirred is not None and float(track.stirred[view].mean()) >= CHANGED_SHARE:
            return True
        is_new = track.inferences < STILL_INFERENCES
        return is_new and float(facts.arms[place > 0].mean()) <= ARM_COVER

    def _may_have_gone(self, track: Track, place: Mask, facts: FrameFacts) -> bool:
        """Check whether a hand was there since the card was last found, or it has been missed for long."""
        is_long = track.gone_at is not None and facts.at - track.gone_at >= UNVISITED_S
        return is_long or self._visited_at is None or self._was_visited(place, track.seen_at)

    def _was_visited(self, place: Mask, since: float) -> bool:
        """Check whether a hand was there after a moment (seconds)."""
        visited = self._visited_at
        return visited is not None and bool((visited[cv2.dilate(place, _LID_RIM) > 0] > since).any())

    def _is_card(self, found: Detections, k: int) -> bool:
        """Check whether a detection is read surely enough to lie on another card."""
        return (
            bool(found.confidence[k] >= TRACK_LEAST_CONFIDENCE)
            and float(found.probabilities[k, :NOTHING_INDEX].max()) >= CERTAIN_NAME
        )

    def _confirm(self, facts: FrameFacts) -> None:
        """Confirm tracks that account for the change at their place, and drop those in full view that do not."""
        known = CardsInView(self.tracks, facts).found_again()
        # Backs first: a strip is left of a turn-up under the talon, nothing of the talon. Unreadable cards last: of a
        # card outlined twice the readable outline counts.
        order = sorted(self.tracks, key=lambda t: (not t.is_back, t.shares.max() < READABLE, -t.confidence))
        for track in [each for each in order if each.still >= STILL_INFERENCES]:
            if track.confirmed:
                if track.seen_at == facts.at:  # it may have been pushed to where it lies
                    self.unexplained_change.account(facts.filled(track.corners_px))
                continue
            place = facts.filled(track.corners_px)
            quad, new = track.corners_px, self._new_cards
            is_clear = new.is_clear(quad, track.confidence, track.surest, track.seen_at, self.tracks)
            nothing = np.zeros_like(facts.arms)
            if track.is_sought or new.is_explained(place > 0, facts, nothing, known, is_clear):
                track.confirmed = True
                self.unexplained_change.account(place, SPILL_PX)
                # A card partly under this one, as a turn-up under the talon, accounts for the rest of itself.
                known = known | (cv2.dilate(place, _SPILL) > 0)
            elif self.visible_share(track, facts) > FULL_VIEW:
                logger.debug("track %d is dropped", track.key)
                self.tracks = [other for other in self.tracks if other is not track]

    def _is_doubtful(self, lost: list[Track], gone: list[Track], found: Detections, facts: FrameFacts) -> bool:
        """Check whether a further inference is needed."""
        still = STILL_INFERENCES
        return (
            any(
                t.missed > 0 or t.pulled or (t.still < still and self.visible_share(t, facts) > VISIBLE_SHARE)
                for t in self.tracks
            )
            or any(self._is_contradicted(track, found, facts) for track in lost if track not in gone)
            or self._new_cards.unnoticed.is_open(facts.at)
        )

    def _is_contradicted(self, track: Track, found: Detections, facts: FrameFacts) -> bool:
        """Check whether another face is read clearly where this card should lie open, though that had no effect yet."""
        if track.is_back or track.is_nothing or track not in self.tracks:
            return False
        if CardsInView(self.tracks, facts).is_covered(track):
            return False
        near = size(track.corners_px) * SAME_PLACE / 2
        return any(
            names[:FACE_COUNT].max() >= UNMISTAKABLE
            and int(names.argmax()) != track.best
            and gap(quad, track.corners_px) < near
            for quad, names in zip(found.corners_px, found.probabilities, strict=True)
        )

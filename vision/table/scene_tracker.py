"""
From detections to an ``Observation``: correct the detections, add missed ones, follow the cards, find what lies where.

The steps of an inference, each with its input and output:

    detect      picture -> detections
    sift        detections -> those used, with missed ones added; None while the table is not re-identified
    follow      detections -> ``TrackUpdate``                                   (:mod:`vision.table.card_filter`)
    observe     tracks -> piles -> ``Observation``                              (:mod:`vision.table.lying_cards`)

Before the table has been observed once, everything on it is new.
"""

from __future__ import annotations

import logging

import cv2
import numpy as np

from referee.cards import Card
from vision.capture.sources import Image
from vision.detection.card_detector import ArmDetector, CardDetector, PlaceDetector
from vision.detection.detections import NOTHING_INDEX, Detections
from vision.detection.segmentation import ARM, CARD
from vision.geometry.amodal_completion import beyond_the_edge, is_cut
from vision.geometry.quads import CARD_HEIGHT_MM, Array, Mask, fill, gap, size, warp
from vision.layout import MEASURED_WELL, TableLayout, Zones
from vision.motion.arm_regions import Flags
from vision.motion.cards_in_arm_regions import CardRead
from vision.motion.change_history import Times
from vision.motion.hand_tracking import HandTracker
from vision.motion.motion_report import MotionReport
from vision.table.camera_motion import CameraRecovery, CameraState
from vision.table.card_filter import CardFilter
from vision.table.cards_in_view import CardsInView
from vision.table.filter_model import FilterSettings
from vision.table.held_cards import HeldCards
from vision.table.lying_cards import LyingCards
from vision.table.matching import OPEN_FACE, with_whole_readings, without_backs_on_faces
from vision.table.observation import InitialState, Observation
from vision.table.put_down import PutDownPlaces
from vision.table.targeted_reads import accepted_cards, changed_places, known_places
from vision.table.track import (
    AT_REST,
    CERTAIN_NAME,
    STILL_INFERENCES,
    TRACK_LEAST_CONFIDENCE,
    VISIBLE_SHARE,
    FrameFacts,
    TrackUpdate,
)

logger = logging.getLogger(__name__)

FREE_READ, ARM_ON_CARD = 0.5, 0.05
"""A detection read with ``FREE_READ`` is a card if the segmentation finds no more arm on it. Chosen by hand."""
JITTER_PX = 2.0
"""
Distance in full-size pixels from where it was at which a card at rest may be found: in a film 480 px wide the outline
of a card that the edge cuts varied by 1.6, more than ``AT_REST`` allows.
"""
CARDS_MEASURED = 24
"""Resting places of cards after which the table's plane is known well enough. Chosen by hand."""


class SceneTracker:
    """Follows the cards of one table. ``layout``: as guessed at first. ``start``: what is known of the game."""

    def __init__(
        self, detector: CardDetector, layout: TableLayout, start: InitialState, settings: FilterSettings
    ) -> None:
        self.layout = layout
        self.tracker = CardFilter(settings, start)
        self.observation: Observation | None = None
        """The table as it last was at rest; None until it has been observed whole."""
        self.moved_at: float | None = None
        """When the camera was last moved, in seconds; None if never."""
        self._detector = detector
        self._camera = CameraRecovery()
        self._held = HeldCards(settings)
        self._put_down = PutDownPlaces()
        self._calm_at: Times = np.zeros((0, 0), np.float32)
        self._measured: dict[int, Array] = {}
        self._read_before: list[Array] = []

    @property
    def is_lost(self) -> bool:
        """Check whether the table is not re-identified."""
        return self._camera.state is CameraState.LOST

    def reidentified(self) -> None:
        """Go on where the table was left: the picture shows it again."""
        self._camera.reidentified()

    def arrange(self, zones: Zones) -> None:
        """Set the places that people have marked."""
        self.layout = self.layout.with_zones(zones)

    def name(self, was: Card, card: Card) -> None:
        """Apply the label of a person: what is read as ``was`` is ``card``."""
        self.tracker.apply_label(was, card)

    def add_motion(self, motion: MotionReport) -> None:
        """Note what changed in a frame."""
        if motion.state.relearned and motion.changed.all() and self.observation is not None:
            self._camera.disturbed()
        if self._calm_at.shape != motion.changed.shape:
            self._calm_at = np.zeros(motion.changed.shape, np.float32)
        # When each spot was last at rest and free of arms, in seconds.
        self._calm_at[~(motion.changed | motion.restless | (motion.arm_labels > 0))] = motion.at
        is_anywhere = motion.state.relearned or motion.state.blind
        self.tracker.add_visits(motion.hidden | is_anywhere, motion.at)
        if motion.changed.any():
            explain = not motion.state.relearned or self.observation is None
            self.tracker.add_change(motion.changed, motion.scale, explain, self._calm_at)
            self.tracker.piles.add_change(motion.changed, motion.scale, motion.at)

    def detect(self, image_bgr: Image) -> Detections:
        """Return the detections, cards that the picture's edge cuts named by their whole outline."""
        found = self._detector.detect(image_bgr)
        whole = {k: quad for k, px in enumerate(found.corners_px) if (quad := self._whole(px)) is not None}
        if not whole or not isinstance(self._detector, PlaceDetector):
            return found
        _, named = self._detector.detect_at(image_bgr, np.stack(list(whole.values())), [() for _ in whole])
        return with_whole_readings(found, dict(zip(whole, named, strict=True)))

    def labels_on(self, image_bgr: Image) -> Mask | None:
        """Return the segmentation of a picture, (rows, columns) of ``OTHER``, ``CARD``, ``ARM``; None without one."""
        return self._detector.label(image_bgr) if isinstance(self._detector, ArmDetector) else None

    def cards_read(self, detected: Detections, labels: Mask | None) -> list[CardRead]:
        """
        Return the detections that are certainly cards, and no arms: clearly read, or less clearly without an arm.

        ``labels``: the segmentation (``labels_on``) of the picture.
        """
        names = detected.probabilities[:, :NOTHING_INDEX]
        surest = names.max(axis=1, initial=0.0)
        is_card = surest >= CERTAIN_NAME
        if labels is not None and not is_card.all():
            for k in np.flatnonzero(~is_card & (surest >= FREE_READ)):
                place = self._on_map(labels, detected.corners_px[k])
                is_card[k] = place.any() and float((labels[place] == ARM).mean()) <= ARM_ON_CARD
        found = np.flatnonzero(is_card & (detected.confidence >= TRACK_LEAST_CONFIDENCE))
        before, self._read_before = self._read_before, [detected.corners_px[k] for k in found]
        return [
            CardRead(quad, any(gap(quad, lay) < max(AT_REST * size(quad), JITTER_PX) for lay in before))
            for quad in self._read_before
        ]

    def sift(self, detected: Detections, image_bgr: Image, facts: FrameFacts, is_dealt: bool) -> Detections | None:
        """
        Return the detections that are used, with missed ones added; None while the table is not re-identified.

        ``is_dealt``: the deal is over. Before that backs may lie on faces.
        """
        if self.observation is None:
            return detected
        view = CardsInView(self.tracker.tracks, facts)
        known = [t for t in view.tracks if t.is_confirmed and not t.is_nothing and view.share(t) >= VISIBLE_SHARE]
        move = self._camera.judge([(track.corners_px, track.best) for track in known], detected)
        if move is not None:  # everything known moves with the camera, so that in millimetres nothing moves
            self.moved_at = facts.at
            logger.info("the camera was moved at %.2f s, and followed", facts.at)
            self.tracker.follow_camera(move)
            self._measured = {key: warp(move, quad) for key, quad in self._measured.items()}
            self.layout = self.layout.followed(move)
        if self._camera.state is not CameraState.STEADY:
            return None
        found, piles = detected, self.tracker.piles
        if is_dealt:
            backs = [heap.outline_px for heap in piles.discard_piles]
            backs += [] if piles.talon_place_px is None else [piles.talon_place_px]
            backs += [t.corners_px for t in self.tracker.tracks if piles.zone(t.key) != "bout"]
            bout = [t for t in self.tracker.tracks if t.is_confirmed and not t.is_back and piles.zone(t.key) == "bout"]
            faces = [track.corners_px for track in bout if track.shares.max() >= OPEN_FACE]
            found = without_backs_on_faces(found, faces, backs, piles.expected_turnup)
        return self._with_missed_detections(found, image_bgr, facts)

    def follow(
        self, found: Detections, image_bgr: Image, facts: FrameFacts, last_at: float, labels: Mask | None
    ) -> TrackUpdate:
        """
        Update the tracks.

        ``last_at``: time of the inference before, in seconds. ``labels``: the segmentation (``labels_on``), None if it
        has not run on this picture.
        """
        grey = np.asarray(cv2.cvtColor(np.asarray(image_bgr), cv2.COLOR_BGR2GRAY), np.uint8)
        places = [self._on_map(labels, quad) for quad in found.corners_px] if labels is not None else []
        update = self.tracker.update(found, facts, grey, last_at, self._held.hands_on(labels, places))
        seen = [track for track in self.tracker.tracks if track.seen_at == facts.at]
        held_share = self.tracker.model.held_share
        touched = [track for track in seen if track.least_arm is None or track.least_arm > held_share]
        if touched and labels is None:
            labels = self.labels_on(image_bgr)
        if labels is None:
            return update
        shares = self._held.arm_shares(labels, [(t.key, self._on_map(labels, t.corners_px)) for t in seen])
        for track in touched:
            arm = shares.get(track.key)
            if arm is not None:
                track.least_arm = arm if track.least_arm is None else min(track.least_arm, arm)
        return update

    def observe(
        self, update: TrackUpdate, image_bgr: Image, facts: FrameFacts, hands: HandTracker, labels: Mask | None
    ) -> Observation:
        """
        Return the table as it lies now: piles first, then the bout.

        ``labels``: the segmentation (``labels_on``), None if it has not run on this picture.
        """
        self._measure(facts.at)
        self._find_put_down(image_bgr, facts, hands, labels)
        has_begun = self.observation is not None
        lying = LyingCards(self.tracker, facts, hands, self.layout, has_begun, self._held.is_reliable)
        seen = lying.observe(update.gone)
        self._put_down.add_taken(seen.gone, update.gone)
        piles = self.tracker.piles
        # A talon that is not found lies within a card's length of what shows of the turn-up.
        off_mm = CARD_HEIGHT_MM if piles.talon_px is None and not piles.has_gone else 0.0
        heaps = tuple(heap.outline_px for heap in piles.discard_piles)
        self.layout = self.layout.with_piles(piles.talon_place_px, heaps, off_mm)
        return seen

    def _find_put_down(self, image_bgr: Image, facts: FrameFacts, hands: HandTracker, labels: Mask | None) -> None:
        """Take what a hand put down aside as discard pile, and forget such places that show no cards any more."""
        piles, changes = self.tracker.piles, self.tracker.unexplained_change
        if self._put_down.is_expected(facts.at) and labels is None:
            labels = self.labels_on(image_bgr)
        if labels is None:
            return

        def shows_cards(quad: Array) -> bool:
            place = self._on_map(labels, quad)
            is_hidden = bool(facts.arms[facts.place(quad)].any())
            return is_hidden or float((labels[place] == CARD).mean()) >= self._put_down.settings.still_shows_cards

        piles.forget_put_down(shows_cards)
        lying = [track.corners_px for track in self.tracker.tracks if track.is_confirmed and not track.is_back]
        for quad in self._put_down.found(changes.left(facts.arms), labels, lying, facts, hands, self.layout):
            piles.add_put_down(quad, facts.at)
            changes.account(facts.filled(quad))
            logger.info("cards were put down aside at %.2f s", facts.at)

    def is_doubtful(self, update: TrackUpdate, seen: Observation) -> bool:
        """Check whether a further inference is needed, by what this one has left. ``seen``: what it has observed."""
        return (
            update.doubtful or seen.is_waiting or any(track.is_unsure for track in self.tracker.tracks if track.still)
        )

    def is_in_view(self, key: int, facts: FrameFacts) -> bool:
        """Check whether enough of a card shows in a frame for an inference to find it."""
        track = next((track for track in self.tracker.tracks if track.key == key), None)
        return track is not None and self.tracker.visible_share(track, facts) >= VISIBLE_SHARE

    def accept(self, seen: Observation) -> None:
        """Take the table as observed; what lies there at the first observation is no event."""
        if self.observation is None:
            self.tracker.accept_all()
        self.observation = seen

    def _on_map(self, labels: Mask, quad_px: Array) -> Flags:
        """Return which pixels of a segmentation a card (4, 2) covers."""
        rows, columns = labels.shape
        scale = np.array([self.layout.picture[0] / columns, self.layout.picture[1] / rows])
        return fill((rows, columns), np.asarray(quad_px / scale, np.float32), 1.0) > 0

    def _whole(self, quad_px: Array) -> Array | None:
        """Return the whole outline of a card that the picture's edge cuts, None if it cuts none or is not known."""
        if not self.layout.cards_measured:
            return None
        return beyond_the_edge(quad_px, self.layout.to_mm, self.layout.picture)

    def _with_missed_detections(self, found: Detections, image_bgr: Image, facts: FrameFacts) -> Detections:
        """Return the detections, and the cards at places where one must lie."""
        if not isinstance(self._detector, PlaceDetector):
            return found
        tracks, scale = self.tracker.tracks, facts.scale
        changed = self.tracker.unexplained_change.left(facts.arms)
        places = known_places(CardsInView(tracks, facts), found)
        places += changed_places(changed, tracks, found, self.layout, scale)
        if not places:
            return found
        whole = [None if place.track is None else self._whole(place.corners_px) for place in places]
        corners = np.stack([p.corners_px if quad is None else quad for p, quad in zip(places, whole, strict=True)])
        better, named = self._detector.detect_at(image_bgr, corners, [place.occluders_px for place in places])
        return found.beside(accepted_cards(places, better, named, found, tracks))

    def _measure(self, at: float) -> None:
        """Fit the table's plane to the cards found so far, each resting place counting once."""
        if len(self._measured) >= CARDS_MEASURED:
            return
        still = STILL_INFERENCES
        fresh = [t for t in self.tracker.tracks if t.still >= still and t.key not in self._measured]
        if fresh:
            self._measured.update({t.key: t.corners_px.copy() for t in fresh})
            before = self.layout.cards_measured
            quads = list(self._measured.values())
            uncut = [quad for quad in quads if not is_cut(quad, self.layout.picture)]
            self.layout = self.layout.measured(np.stack(uncut or quads))
            if before < MEASURED_WELL <= self.layout.cards_measured:
                logger.info("the table's plane is known at %.2f s, from %d cards", at, len(self._measured))

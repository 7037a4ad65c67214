"""
One look at the table, from a picture to an ``Observation``: what the detector finds is sifted, completed by what must
lie there all the same, followed from look to look, and settled.

Before the table has been seen once everything on it is new, and taken as it is found.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from referee.cards import Card
from vision.capture.sources import Image
from vision.detection.card_detector import ArmDetector, CardDetector, PlaceDetector
from vision.detection.detections import NOTHING_INDEX, Detections
from vision.detection.segmentation import ARM
from vision.geometry.cut_outlines import beyond_the_edge, is_cut
from vision.geometry.plane_homography import Matrix
from vision.geometry.quads import Array, Mask, fill, gap, size, warp
from vision.geometry.table_layout import MEASURED_WELL, TableLayout
from vision.geometry.zones import Zones
from vision.initial_state import InitialState
from vision.motion.background_subtraction import MotionReport
from vision.motion.cards_under_arms import CardRead
from vision.motion.hand_tracking import HandTracker
from vision.motion.unexplained_change import RestTimes
from vision.observation import Observation
from vision.tracking.camera_motion import CameraMotionSettings, CameraRecovery, CameraState
from vision.tracking.cut_cards import read_whole
from vision.tracking.false_detections import FalseDetectionSettings, without_false_detections
from vision.tracking.frame_facts import FrameFacts
from vision.tracking.missed_detections import MissedDetectionSettings, accepted_cards, changed_places, known_places
from vision.tracking.table_state import LookOutcome, TableStateSettings, TableStateTracker
from vision.tracking.track import Track, TrackChange
from vision.tracking.track_settings import TrackSettings
from vision.tracking.tracker import Tracker

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SceneTrackerSettings:
    """The settings of the steps of a look."""

    tracks: TrackSettings = field(default_factory=TrackSettings)
    state: TableStateSettings = field(default_factory=TableStateSettings)
    missed: MissedDetectionSettings = field(default_factory=MissedDetectionSettings)
    false: FalseDetectionSettings = field(default_factory=FalseDetectionSettings)
    camera: CameraMotionSettings = field(default_factory=CameraMotionSettings)
    measure_cards: int = 24
    """Resting places of cards after which the table's plane is known well enough. More: steadier, fitted later. Fewer:
    fitted sooner, and tilted by their errors. Set by hand, 2026-11."""


class SceneTracker:
    """
    Tell it every gate report; let it find, follow and settle where a look is due.

    ``layout``: the table as it is guessed at first. ``start``: what is known of the game.
    """

    def __init__(
        self, detector: CardDetector, layout: TableLayout, start: InitialState, settings: SceneTrackerSettings
    ) -> None:
        self.settings = settings
        self.layout = layout
        self.tracker = Tracker(settings.tracks, start.pack)
        self.state = TableStateTracker(start.turnup, settings.state, start.has_talon, start.bout, start.has_game)
        self.observation: Observation | None = None
        """The table as it last stood at rest; None until it has been seen whole."""
        self.moved_at: float | None = None
        """When the camera was last moved, in seconds; None if never."""
        self._detector = detector
        self._camera = CameraRecovery(settings.camera)
        self._rest_times = RestTimes()
        self._measured: dict[int, Array] = {}
        self._read_before: list[Array] = []

    @property
    def is_lost(self) -> bool:
        """Is the table not known again?"""
        return self._camera.state is CameraState.LOST

    def known_again(self) -> None:
        """The picture shows the table again as it lay there."""
        self._camera.known_again()

    def arrange(self, zones: Zones) -> None:
        """Somebody says where things are."""
        self.layout = self.layout.with_zones(zones)

    def name(self, was: Card, card: Card) -> None:
        """People say that what is read as ``was`` is ``card``."""
        self.tracker.name(was, card)

    def add_motion(self, report: MotionReport) -> None:
        """A frame has been judged by the gate: remember what changed."""
        if report.relearned and report.changed.all() and self.observation is not None:
            self._camera.disturbed()
        self._rest_times.feed(report)
        is_anywhere = report.relearned or report.blind
        self.tracker.note_visits(report.hidden | is_anywhere, report.at)
        if report.changed.any():
            explain = not report.relearned or self.observation is None
            self.tracker.stir(report.changed, report.scale, explain, self._rest_times.calm_at)
            self.state.piles.stir(report.changed, report.scale, report.at)

    def detect(self, image_bgr: Image) -> Detections:
        """
        What the detector finds. A card that the picture's edge cuts is read as the whole card that it is, where that
        says more than the part of it that was found.
        """
        found = self._detector.detect(image_bgr)
        whole = {k: quad for k, px in enumerate(found.corners_px) if (quad := self._whole(px)) is not None}
        if not whole or not isinstance(self._detector, PlaceDetector):
            return found
        _, named = self._detector.detect_at(image_bgr, np.stack(list(whole.values())), [() for _ in whole])
        return read_whole(found, dict(zip(whole, named, strict=True)))

    def _whole(self, quad_px: Array) -> Array | None:
        """The whole outline of a card that the picture's edge cuts, None where it doesn't or that can't be told."""
        if not self.layout.cards_measured:
            return None
        return beyond_the_edge(quad_px, self.layout.to_mm, self.layout.picture)

    def labels_on(self, image_bgr: Image) -> Mask | None:
        """What a picture by itself shows, (rows, columns) of ``OTHER``, ``CARD`` and ``ARM``; None: nobody can tell."""
        return self._detector.label(image_bgr) if isinstance(self._detector, ArmDetector) else None

    def cards_read(self, detected: Detections, labels: Mask | None, picture: tuple[int, int]) -> list[CardRead]:
        """
        The cards of what was found that are there beyond doubt: read surely, or less surely where no
        arm is seen.

        ``labels``: what the picture, of the width and height ``picture``, shows by itself (``labels_on``).
        """
        s = self.settings.tracks
        names = detected.probabilities[:, :NOTHING_INDEX]
        surest = names.max(axis=1, initial=0.0)
        is_card = surest >= s.settles
        if labels is not None and not is_card.all():
            scale = picture[0] / labels.shape[1], picture[1] / labels.shape[0]
            for k in np.flatnonzero(~is_card & (surest >= s.settles_free)):
                place = fill((labels.shape[0], labels.shape[1]), detected.corners_px[k] / np.array(scale), 1.0) > 0
                is_card[k] = place.any() and float((labels[place] == ARM).mean()) <= s.arm_on_card
        found = np.flatnonzero(is_card & (detected.confidence >= s.least_confidence))
        before, self._read_before = self._read_before, [detected.corners_px[k] for k in found]
        return [
            CardRead(quad, any(gap(quad, lay) < s.at_rest * size(quad) for lay in before)) for quad in self._read_before
        ]

    def sift(self, detected: Detections, image_bgr: Image, facts: FrameFacts, is_dealt: bool) -> Detections | None:
        """
        What of all that the detector found is used, with what lies where it was asked, None where the table is not
        known again yet.

        ``is_dealt``: is the deal over? Before that backs come to lie on faces.
        """
        if self.observation is None:
            return detected
        move = self._camera.judge(self._known(facts), detected)
        if move is not None:
            self._follow(move, facts.at)
        if self._camera.state is not CameraState.STEADY:
            return None
        found = self._without_false_detections(detected) if is_dealt else detected
        return self._completed(found, image_bgr, facts)

    def follow(self, found: Detections, image_bgr: Image, facts: FrameFacts, last_look_at: float) -> TrackChange:
        """Know the cards again in what was found."""

        def grey() -> Mask:
            return np.asarray(cv2.cvtColor(np.asarray(image_bgr), cv2.COLOR_BGR2GRAY), np.uint8)

        return self.tracker.update(found, facts, grey, last_look_at)

    def settle(self, change: TrackChange, facts: FrameFacts, hands: HandTracker) -> Observation:
        """The table as it stands now."""
        self._measure(facts.at)
        outcome = LookOutcome(facts, self.tracker, change.gone, hands, self.layout)
        seen = self.state.observe(outcome, has_begun=self.observation is not None)
        piles = self.state.piles
        self.layout = self.layout.with_piles(piles.talon_place_px, piles.heaps.outlines_px)
        return seen

    def is_doubtful(self, change: TrackChange) -> bool:
        """Should the table be looked at again, by what a look has left?"""
        return change.doubtful or any(self.state.is_unsure(track) for track in self.tracker.tracks if track.still)

    def accept(self, seen: Observation) -> None:
        """This is how the table stands; what lies there from the start is no news."""
        if self.observation is None:
            self.tracker.accept_all()
        self.observation = seen

    def has_unexplained(self, facts: FrameFacts) -> bool:
        """Has the picture changed next to the bout by a good part of a card that no card accounts for?"""
        assert self.observation is not None
        piles = [pile for pile in (self.layout.talon_px, *self.layout.heaps_px) if pile is not None]
        return self.tracker.has_unexplained({card.key for card in self.observation.bout}, piles, facts)

    def has_stray(self) -> bool:
        """Does what passes for a back lie among the cards of the bout?"""
        assert self.observation is not None
        since = min((card.clear_at for card in self.observation.bout), default=None)
        quads = {track.key: track.corners_px for track in self.tracker.tracks}
        cards = [quads[card.key] for card in self.observation.bout if card.key in quads]
        return since is not None and self.state.piles.heaps.has_stray(cards, since)

    def turnup_track(self) -> Track | None:
        """The turn-up, if it is followed."""
        return next((t for t in self.tracker.tracks if t.key == self.state.piles.turnup_key), None)

    def _completed(self, found: Detections, image_bgr: Image, facts: FrameFacts) -> Detections:
        """What was found, and what lies where the detector was asked."""
        if not isinstance(self._detector, PlaceDetector):
            return found
        s = self.settings.missed
        lying = self.tracker.lying(facts)
        sought = known_places(lying, found, s)
        sought += changed_places(
            self.tracker.unexplained_change.left(facts.arms), lying, found, self.layout, facts.scale, s
        )
        if not sought:
            return found
        whole = [self._whole(place.corners_px) if place.change is None else None for place in sought]
        corners = np.stack([p.corners_px if quad is None else quad for p, quad in zip(sought, whole, strict=True)])
        better, named = self._detector.detect_at(image_bgr, corners, [place.lids_px for place in sought])
        return found.beside(accepted_cards(sought, better, named, found, lying, s))

    def _known(self, facts: FrameFacts) -> Sequence[tuple[Array, int]]:
        """The cards that should be in view, (corners (4, 2), index into ``CLASS_NAMES``)."""
        return [
            (track.corners_px, int(np.argmax(track.evidence)))
            for track in self.tracker.tracks
            if track.confirmed
            and not track.is_nothing
            and self.tracker.visible_share(track, facts) >= self.settings.tracks.visible_share
        ]

    def _follow(self, move: Matrix, at: float) -> None:
        """The camera was moved: everything known lies elsewhere in the picture, and where it lay on the table."""
        self.moved_at = at
        logger.info("the camera was moved at %.2f s, and followed", at)
        self.tracker.follow(move)
        self.state.piles.follow(move)
        self._measured = {key: warp(move, quad) for key, quad in self._measured.items()}
        self.layout = self.layout.followed(move)

    def _without_false_detections(self, found: Detections) -> Detections:
        """What was found, but for claims that are no cards of their own."""
        s, piles = self.settings.false, self.state.piles
        faces, backs = [], []
        for track in self.tracker.tracks:
            in_bout = piles.zone(track.key) == "bout"
            if not in_bout:
                backs.append(track.corners_px)
            elif not track.is_back and track.confirmed and float(track.shares.max()) >= s.open_face:
                faces.append(track.corners_px)
        backs += [pile for pile in (piles.talon_place_px, *piles.heaps.outlines_px) if pile is not None]
        return without_false_detections(found, faces, backs, s, piles.sought)

    def _measure(self, at: float) -> None:
        """Fit the table's plane to the cards seen so far, each new resting place counting once."""
        if len(self._measured) >= self.settings.measure_cards:
            return
        fresh = [
            t
            for t in self.tracker.tracks
            if t.still >= self.settings.tracks.still_looks and t.key not in self._measured
        ]
        if fresh:
            self._measured.update({t.key: t.corners_px.copy() for t in fresh})
            before = self.layout.cards_measured
            quads = list(self._measured.values())
            uncut = [quad for quad in quads if not is_cut(quad, self.layout.picture)]
            self.layout = self.layout.measured(np.stack(uncut or quads))
            if before < MEASURED_WELL <= self.layout.cards_measured:
                logger.info("the table's plane is known at %.2f s, from %d cards", at, len(self._measured))

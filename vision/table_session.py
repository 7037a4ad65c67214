"""
Everything that belongs to one table, and the stages that a frame of it passes.

    frame -> motion -> hands -> inference due? -> detections -> tracks -> observation -> evidence -> events

Motion detection sees every frame (some 6 ms). Inference, which takes some 100 ms, runs only when something has changed
and come to rest, and a few times more while a reading is uncertain (:mod:`vision.inference_schedule`). Earlier
stages need two things of later ones in the next frame: whether the deal is over, and when an inference would decide
something.

Setting a table aside is keeping its ``TableSession``: another table gets a new one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from referee.events import Blocked, TableEvent
from vision.actions.action_model import ActionModel
from vision.actions.actions import Actions
from vision.actions.evidence import Confirmation, Evidence
from vision.actions.missed_event_signs import MissedEventSigns
from vision.capture.sources import Frame
from vision.detection.card_detector import CardDetector
from vision.detection.detections import Detections
from vision.detection.segmentation import ARM, CARD
from vision.geometry.quads import Mask
from vision.inference_schedule import InferenceReason, InferenceSchedule
from vision.layout import TableLayout, Zones
from vision.motion.background_subtraction import MotionDetector
from vision.motion.cards_in_arm_regions import CardsAmongArms
from vision.motion.hand_pass import HandPass
from vision.motion.hand_tracking import HandTracker
from vision.motion.motion_report import MotionReport, MotionSettings
from vision.table.filter_model import FilterSettings
from vision.table.observation import InitialState
from vision.table.scene_tracker import SceneTracker
from vision.table.track import FrameFacts, TrackUpdate
from vision.view.observer import EvidenceRecord, InferenceRecord, Note, PipelineObserver, TracksRecord
from vision.view.pipeline_view import PipelineView, SeenCard, seen_cards, seen_hands


@dataclass(slots=True)
class StageTime:
    """Calls of a stage, and the milliseconds they took together."""

    calls: int = 0
    total_ms: float = 0.0

    @property
    def mean_ms(self) -> float:
        """Return the milliseconds a call."""
        return self.total_ms / self.calls if self.calls else 0.0


class StageTimes:
    """Times named stages by a ``clock`` in seconds; without one it only counts their calls."""

    def __init__(self, names: Iterable[str], clock: Callable[[], float] | None) -> None:
        self.by_name = {name: StageTime() for name in names}
        self._clock = clock

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """
        Add the time of the ``with`` block to a stage.

        >>> times = StageTimes(["motion"], iter([1.0, 1.5]).__next__)
        >>> with times.measure("motion"):
        ...     pass
        >>> times.by_name["motion"]
        StageTime(calls=1, total_ms=500.0)
        """
        stage, began = self.by_name[name], None if self._clock is None else self._clock()
        yield
        stage.calls += 1
        if self._clock is not None and began is not None:
            stage.total_ms += (self._clock() - began) * 1e3


# Reasons of `blocked` events: the table was lost, the camera does not rest, something hides the table.
CAMERA_MOVED = "the camera was moved, and the cards are not known again"
CAMERA_MOVES = "the camera moves"
HIDDEN = "something hides the table"
# Notes for the observer:
SIZE_CHANGED = "the picture has another size now: what was open is reported as it looks"
FILM_ENDED = "no more pictures come: what was open is reported as it looks now"
BEFORE_ANY_FRAME = (1280, 720)  # width and height in pixels
# The settings of all stages. Times in seconds, chosen by hand, 2026-11.
BLOCKED_S = 3.0
"""Seconds after which a hidden table is reported as blocked; a sleeve before the lens is not."""
INSERT_S = 8.0
"""How long a lost table is kept: films show other pictures in between and come back. Cards of the table shown
meanwhile that no hand was seen to lay are not reported within this time."""
READ_WHILE_MOVING_S = 1.0
"""While the camera moves, cards are read this often, for display only."""


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """The settings of all stages. Times in seconds, chosen by hand, 2026-11."""

    motion: MotionSettings = field(default_factory=MotionSettings)
    filter: FilterSettings = field(default_factory=FilterSettings)
    actions: ActionModel = field(default_factory=ActionModel)


@dataclass(frozen=True, slots=True)
class PipelineServices:
    """
    What the caller lends to a pipeline.

    ``clock``: in seconds, to time the stages; without one they are not timed. ``motion_detector``: makes the motion
    detection, another one for replaying a clip. ``observer``: is shown every inference and what was concluded from it.
    """

    clock: Callable[[], float] | None = None
    motion_detector: Callable[[MotionSettings], MotionDetector] = MotionDetector
    observer: PipelineObserver | None = None


logger = logging.getLogger(__name__)

NOT_UNDERSTOOD = "not understood"
"""Label of a note that an event may have been missed."""
NO_UPDATE = TrackUpdate((), (), True)
"""What an inference that can't be used does to the tracks: it leaves a doubt."""


@dataclass(frozen=True, slots=True)
class PipelineParts:
    """What all tables of a pipeline share. ``seats``: clockwise as the camera sees them, from the bottom edge on."""

    detector: CardDetector
    seats: tuple[str, ...]
    settings: PipelineSettings
    services: PipelineServices
    times: StageTimes


class TableSession:
    """
    One table, from the first frame that shows it.

    ``picture``: width and height in pixels. ``start``: what is known of the game. ``zones``: places that people have
    marked. ``unexpected_wait_until``: cards that lie there at the first inference and are not in ``start`` are reported
    no sooner (seconds).
    """

    def __init__(
        self,
        parts: PipelineParts,
        picture: tuple[int, int],
        start: InitialState,
        zones: Zones,
        unexpected_wait_until: float = 0.0,
    ) -> None:
        s = parts.settings
        self._parts, self.start = parts, start
        self.motion_detector = parts.services.motion_detector(s.motion)
        self.motion: MotionReport | None = None
        self._hands = HandTracker()
        self.schedule = InferenceSchedule()
        self._among_arms = CardsAmongArms()
        self.scene = SceneTracker(parts.detector, TableLayout.guessed(picture, parts.seats, zones), start, s.filter)
        self._actions = Actions(start, s.actions, unexpected_wait_until)
        self._confirmation, self._signs = Confirmation(), MissedEventSigns()
        self._is_dealt = self._actions.is_dealt
        self._wanted_after: float | None = None  # an inference after this time (seconds) would show where cards went
        self._steady: Frame | None = None

    @property
    def hands(self) -> tuple[HandPass, ...]:
        """Return the hand tracks of the last seconds."""
        return self._hands.visits(self.scene.layout)

    @property
    def picture(self) -> tuple[int, int]:
        """Return width and height of the picture in pixels."""
        width, height = self.scene.layout.picture
        return width, height

    @property
    def known_state(self) -> InitialState:
        """Return what is known of the game by now: where another session of it begins."""
        return self._actions.known_state

    def detect_motion(self, frame: Frame) -> MotionReport:
        """Run motion detection on a frame."""
        with self._parts.times.measure("motion"):
            self.motion = self.motion_detector.feed(frame.image_bgr, frame.at)
        return self.motion

    def restart_motion_detection(self) -> None:
        """Learn the background again, as after the camera has moved."""
        self.motion_detector = self._parts.services.motion_detector(self._parts.settings.motion)

    def observe(self, frame: Frame, motion: MotionReport) -> None:
        """Follow the hands, and run inference if it is due."""
        facts = FrameFacts.of(motion)
        self._steady = None
        self._follow_hands(frame, motion)
        self.scene.add_motion(motion)
        self.schedule.add_motion(motion)
        card_shows = self._card_shows(frame, motion)
        # An inference says more of evidence only while the card that it is about shows.
        waits = any(
            evidence.key is None or self.scene.is_in_view(evidence.key, facts)
            for evidence in self._confirmation.waiting
        )
        reason = self.schedule.next_reason(motion, facts.arms, waits, self._wanted_after, card_shows)
        if reason is not None:
            self._infer(frame, motion, facts, reason)

    def report(self, motion: MotionReport) -> tuple[TableEvent, ...]:
        """Return the events that are certain with this frame; none before the table has been observed whole."""
        seen = self.scene.observation
        if seen is None:
            return ()
        facts = FrameFacts.of(motion)
        is_open = self.schedule.is_open(motion, facts.arms)
        with self._parts.times.measure("events"):
            evidence = self._actions.update(seen, self.hands, facts.at, is_open)
            confirmed = self._confirmation.confirm(evidence, self._actions.seen_now, facts.at)
            signs = self._signs.at(seen, facts.at, self._parts.settings.actions) if confirmed else {}
            events = self._as_events(confirmed, max(signs.values(), default=None))
            self._signs.add_hands(self.hands, events, facts.at)
            self._show_evidence(evidence, confirmed, events, facts.at, tuple(signs))
        self._is_dealt, self._wanted_after = self._actions.is_dealt, self._actions.asks_at
        return events

    def finish(self, at: float, why: str) -> tuple[TableEvent, ...]:
        """Return all open events as they look now. ``why``: a note for the observer."""
        evidence = self._actions.finish(self.hands, at)
        confirmed = self._confirmation.flush(evidence)
        events = self._as_events(confirmed)
        self._show_evidence(evidence, confirmed, events, at, [why])
        return events

    def give_up(self, at: float, why: str) -> tuple[TableEvent, ...]:
        """Return that the table was lost, and after it the evidence that still waited to be confirmed."""
        waited = self._confirmation.flush(())
        first = min((evidence.event.at for evidence in waited), default=at)
        events = (*self.blocked(first, why), *self._as_events(waited))
        self._show_evidence((), waited, events, at, [why])
        self._is_dealt, self._wanted_after = self._actions.is_dealt, self._actions.asks_at
        return events

    def blocked(self, at: float, why: str) -> tuple[TableEvent, ...]:
        """Return the event that the table can't be followed. ``at``: seconds."""
        logger.info("the table can't be followed at %.2f s: %s", at, why)
        self._actions.advance_time(round(at, 2))
        return (Blocked(at=round(at, 2), reason=why),)

    def detect(self, frame: Frame) -> Detections:
        """Run the networks on a frame."""
        with self._parts.times.measure("inference"):
            return self.scene.detect(frame.image_bgr)

    def take_back(self, frame: Frame) -> bool:
        """Go on with a table that was lost, if the frame shows it again."""
        if not self.motion_detector.comes_back(frame.image_bgr, frame.at):
            return False
        self.scene.reidentified()
        self._actions.advance_time(round(frame.at, 2))
        return True

    def view(
        self, number: int, at: float, read_while_moving: tuple[SeenCard, ...] | None, blocked_by: str | None
    ) -> PipelineView:
        """
        Return frame ``number``, of the time ``at``, for display.

        ``read_while_moving``: cards read while the camera moves, None while it rests. ``blocked_by``: why the table
        can't be followed, None while it can.
        """
        scene, motion = self.scene, self.motion
        view = PipelineView(
            number,
            at,
            seen_cards(scene.tracker) if read_while_moving is None else read_while_moving,
            () if motion is None else seen_hands(motion, scene.layout),
            scene.layout,
            motion is not None and motion.state.blind,
            scene.moved_at,
            read_while_moving is not None,
            blocked_by,
        )
        return view if motion is None or motion.camera is None else view.moved(motion.camera)

    def _steadied(self, frame: Frame, motion: MotionReport) -> Frame:
        """Return the frame as a camera at rest would have taken it, moved once and only if its pixels are needed."""
        if self._steady is None:
            self._steady = replace(frame, image_bgr=motion.steadied(frame.image_bgr))
        return self._steady

    def _follow_hands(self, frame: Frame, motion: MotionReport) -> None:
        with self._parts.times.measure("hands"):
            self._hands.update(motion, self.scene.layout)
        if self._hands.wants_to_see:
            labels = self.scene.labels_on(self._steadied(frame, motion).image_bgr)
            if labels is not None:
                self._hands.show(labels == CARD)
        if self._hands.left_now:
            self.schedule.request()

    def _card_shows(self, frame: Frame, motion: MotionReport) -> bool:
        """Check whether the segmentation shows a card at rest within an arm region, or one that a hand has let go."""
        held = self.motion_detector.held
        last_at = self.schedule.last_at
        if not motion.arms or not self._among_arms.is_due(motion, last_at, bool(held)):
            return False
        with self._parts.times.measure("hands"):
            labels = self.scene.labels_on(self._steadied(frame, motion).image_bgr)
        if labels is None:
            return False
        shows = self._among_arms.shows(labels == CARD, motion.arm_labels, frame.at)
        arms = labels == ARM
        return shows or self._among_arms.is_let_go(arms, held) or self._among_arms.is_bare(arms, motion, last_at)

    def _infer(self, frame: Frame, motion: MotionReport, facts: FrameFacts, reason: InferenceReason) -> None:
        """Run inference on a frame: detections, tracks, and the table as it lies now."""
        scene, schedule, times = self.scene, self.schedule, self._parts.times
        frame = self._steadied(frame, motion)
        detected = self.detect(frame)
        motion, facts, labels = self._correct_motion(frame, motion, facts, detected)
        changed = schedule.changed
        with times.measure("tracking"):
            found = scene.sift(detected, frame.image_bgr, facts, self._is_dealt)
        update, seen, is_doubtful = NO_UPDATE, None, True
        if found is None:  # the camera was moved, and the table is not re-identified yet
            schedule.finish_unused(frame.at)
        else:
            update = self._track(frame, facts, found, labels)
            seen = scene.observe(update, frame.image_bgr, facts, self._hands, labels)
            card_settles = self.motion_detector.wants_to_know
            is_doubtful = scene.is_doubtful(update, seen) or card_settles
            schedule.finish(frame.at, facts.arms, is_doubtful, card_settles)
        number, outcome = (
            times.by_name["inference"].calls,
            "not known again" if found is None else f"{len(found)} cards",
        )
        logger.debug("inference %d at %.2f s, because %s: %s", number, frame.at, reason.value, outcome)
        if self._parts.services.observer is not None:
            self._parts.services.observer.on_inference(
                InferenceRecord(
                    number=number,
                    frame=frame,
                    reason=reason,
                    report=motion,
                    changed=changed,
                    detected=detected,
                    used=found,
                    tracked=TracksRecord(
                        tuple(scene.tracker.tracks),
                        seen_cards(scene.tracker),
                        frozenset(track.key for track in update.begun),
                        update.gone,
                    ),
                    layout=scene.layout,
                    hands=self.hands,
                    observation=seen,
                )
            )
        # The first observation must be whole: what lies there at the start is no event.
        if seen is not None and (scene.observation is not None or not is_doubtful or schedule.has_given_up):
            scene.accept(seen)

    def _correct_motion(
        self, frame: Frame, motion: MotionReport, facts: FrameFacts, detected: Detections
    ) -> tuple[MotionReport, FrameFacts, Mask | None]:
        """Reclassify arm regions as cards where the detector read cards; return the segmentation too, if it ran."""
        is_asked = facts.arms.any() or self.scene.observation is None
        labels = self.scene.labels_on(frame.image_bgr) if is_asked else None
        arms = None if labels is None else labels == ARM
        if arms is not None:
            self._hands.holding.update(arms, motion)
        cards = self.scene.cards_read(detected, labels)
        corrected = self.motion_detector.reclassify_cards(cards, arms, self._hands.holding.beside(self.scene.layout))
        if motion.asks:
            self.schedule.finish_still_arm(was_card=corrected is not None)
        if corrected is None:
            return motion, facts, labels
        self._hands.uncover((motion.arm_labels > 0) & (corrected.arm_labels == 0), corrected)
        self.motion = corrected
        self.scene.add_motion(corrected)
        self.schedule.add_motion(corrected)
        return corrected, FrameFacts.of(corrected), labels

    def _track(self, frame: Frame, facts: FrameFacts, found: Detections, labels: Mask | None) -> TrackUpdate:
        """Update the tracks, and the signs of missed events."""
        scene, last_at = self.scene, max(self.schedule.last_at, 0.0)
        with self._parts.times.measure("tracking"):
            update = scene.follow(found, frame.image_bgr, facts, last_at, labels)
        talon_px = scene.tracker.piles.talon_place_px
        in_bout = found.only([scene.layout.is_in_bout(quad) for quad in found.corners_px])
        self._signs.add_inference(in_bout, scene.tracker.tracks, () if talon_px is None else (talon_px,), frame.at)
        return update

    def _as_events(self, confirmed: Sequence[Evidence], missed: float | None = None) -> tuple[TableEvent, ...]:
        """Return the events of a record. ``missed``: probability that an event was missed before the first of them."""
        events = [evidence.as_event(None if k else missed) for k, evidence in enumerate(confirmed)]
        for event in events:
            logger.info("reported: %s", event)
        return tuple(events)

    def _show_evidence(
        self,
        noticed: Sequence[Evidence],
        confirmed: Sequence[Evidence],
        reported: Sequence[TableEvent],
        at: float,
        signs: Sequence[str],
    ) -> None:
        """Show the observer what was concluded at a frame."""
        waits, waiting, observer = self._actions.waits, self._confirmation.waiting, self._parts.services.observer
        if observer is not None and (noticed or reported or waits or waiting):
            notes = (*(Note("waits", wait) for wait in waits), *(Note(NOT_UNDERSTOOD, sign) for sign in signs))
            observer.on_evidence(
                EvidenceRecord(at, tuple(noticed), waiting, tuple(confirmed), tuple(reported), self.hands, notes)
            )

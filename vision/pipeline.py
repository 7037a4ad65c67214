"""
The steps in a row: feed it frames, take events.

    frame -> gate -> hands -> is a look due? -> find, follow, settle -> observation -> evidence -> events

Every frame passes the gate (a millisecond or two). A look, which is dear, is taken only when something has changed and
come to rest where no hand is over it; then a second one to confirm, a few more while a reading is in doubt or a change
is unexplained, and none at all while the table lies still (:mod:`vision.look_schedule`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee.cards import Card
from referee.events import Blocked, TableEvent
from vision.capture.sources import Frame
from vision.detection.card_detector import CardDetector
from vision.detection.detections import Detections
from vision.detection.segmentation import ARM, CARD
from vision.events.changes import Changes
from vision.events.evidence import Evidence
from vision.events.glimpses import Glimpses
from vision.events.hollow_visits import HollowVisits
from vision.events.likelihoods import Likelihoods
from vision.events.settling import Settling
from vision.events.untold import Untold
from vision.geometry.table_layout import TableLayout
from vision.geometry.zones import NOTHING_SAID, Zones
from vision.initial_state import InitialState
from vision.look_schedule import LookReason, LookSchedule
from vision.motion.background_subtraction import Gate, GateReport
from vision.motion.cards_among_arms import CardsAmongArms
from vision.motion.gate_settings import GateSettings
from vision.motion.hand_tracking import HandTracker
from vision.observation import HandVisit, Observation
from vision.pipeline_settings import PipelineSettings
from vision.stage_times import StageTime, StageTimes
from vision.tracking.look_mask import LookMask
from vision.tracking.scene_tracker import SceneTracker
from vision.tracking.track import TrackChange
from vision.view.observer import Judged, Look, Note, PipelineObserver
from vision.view.pipeline_view import PipelineView, SeenCard, glimpsed_cards, seen_cards, seen_hands

logger = logging.getLogger(__name__)

CAMERA_MOVED = "the camera was moved, and the cards are not known again"
"""Reason of the ``blocked`` event of a table that was lost."""
CAMERA_MOVES = "the camera moves"
"""Reason of the ``blocked`` event of a camera that does not rest, as one held in a hand."""
NOT_UNDERSTOOD = "not understood"
"""Label of a note that something may have gone unseen."""
HIDDEN = "something hides the table"
"""Reason of the ``blocked`` event of a table that has not been seen for ``blocked_s``."""


class Pipeline:
    """
    Frames in, events out.

    ``detector`` looks at pictures. ``seats``: clockwise as seen by the camera, the first at the bottom edge. ``clock``:
    lent by the caller to time the stages; without one nothing is timed. ``gate`` makes the gate: another for playing a
    clip again. ``zones``: what people have said of where things are. ``observer``: told of every look and of what was
    made of it. ``likelihoods``: how often things are as they look.
    """

    def __init__(
        self,
        detector: CardDetector,
        seats: tuple[str, ...],
        start: InitialState | None = None,
        settings: PipelineSettings | None = None,
        clock: Callable[[], float] | None = None,
        gate: Callable[[GateSettings], Gate] = Gate,
        zones: Zones = NOTHING_SAID,
        observer: PipelineObserver | None = None,
        likelihoods: Likelihoods | None = None,
    ) -> None:
        self._detector, self._seats = detector, seats
        self._make_gate, self._observer = gate, observer
        self._likelihoods = likelihoods or Likelihoods.shipped()
        self._start = start or InitialState()
        self.settings = settings or PipelineSettings()
        self._stages = StageTimes(("gate", "hands", "look", "track", "tell"), clock)
        self._blocked_by: str | None = None
        self._number = 0
        self._at = 0.0
        self._size: tuple[int, int] | None = None
        self._report: GateReport | None
        self._blind_since: float | None
        self._sways, self._glimpsed_at = False, 0.0
        self._glimpsed: tuple[SeenCard, ...] = ()
        self._aside: _SetAside | None = None
        self._begin(BEFORE_ANY_FRAME, zones)

    @property
    def observation(self) -> Observation | None:
        """The table as it last stood at rest; None until it has been seen."""
        return self._scene.observation

    @property
    def hands(self) -> tuple[HandVisit, ...]:
        """The hands of the last seconds."""
        return self._hands.visits(self._scene.layout)

    @property
    def timings(self) -> dict[str, StageTime]:
        """How long each stage took so far."""
        return self._stages.by_name

    @property
    def looks(self) -> int:
        """How often the dear look was taken."""
        return self.timings["look"].calls

    @property
    def zones(self) -> Zones:
        """What people have said of where things are."""
        return self._scene.layout.zones

    def arrange(self, zones: Zones) -> None:
        """Somebody says where things are; it counts from the next frame on."""
        self._schedule.look_again()  # what is thought of the table may change though nothing on it does
        self._scene.arrange(zones)

    def name(self, was: Card, card: Card) -> None:
        """People say that what is read as ``was`` is ``card``; no look says otherwise as long as it lies there."""
        self._schedule.look_again()
        self._scene.name(was, card)

    def feed(self, frame: Frame) -> tuple[TableEvent, ...]:
        """Take one frame; the events that became certain with it."""
        self._number, self._at = frame.number, frame.at
        size = (frame.image_bgr.shape[1], frame.image_bgr.shape[0])
        told = self._begin_with(size, frame.cut) if frame.cut or size != self._size else ()
        return (*told, *self._judge(frame))

    def _begin_with(self, size: tuple[int, int], cut: bool) -> tuple[TableEvent, ...]:
        """A picture of another size comes, or of another table (``cut``): what was open of the same table is told."""
        told: tuple[TableEvent, ...] = ()
        self._aside = None
        if not cut and self.observation is not None:
            told = self._tell_rest("the picture has another size now: what was open is told as it looks")
            self._start = self._changes.known(self._start)
        self._size = size
        self._begin(size, self.zones)
        return told

    def _judge(self, frame: Frame) -> tuple[TableEvent, ...]:
        """A frame of the table as it was known before."""
        if frame.lost is not None:
            return self._block(frame.at, frame.lost)
        self._come_back(frame)
        report = self._stages.timed("gate", lambda: self._gate.feed(frame.image_bgr, frame.at))
        self._report = report
        if report.sways:
            return self._sway(frame)
        if self._sways:
            self._rested()
            report = self._report = self._gate.feed(frame.image_bgr, frame.at)
        if report.blind:
            self._blind_since = frame.at if self._blind_since is None else self._blind_since
            is_long = frame.at - self._blind_since >= self.settings.blocked_s
            return self._block(frame.at, HIDDEN) if is_long else ()
        self._blind_since, self._blocked_by = None, None
        look = LookMask.of(report)
        self._watch(frame, report, look)
        seen = self.observation
        if seen is None:
            return ()
        if self._scene.is_lost:
            return self._begin_again()
        is_open = self._schedule.is_open(report, look.arms)
        return self._stages.timed("tell", lambda: self._tell(seen, look, is_open))

    def _sway(self, frame: Frame) -> tuple[TableEvent, ...]:
        """The camera moves: what lies there is read now and then, and nothing is refereed."""
        if not self._sways or frame.at - self._glimpsed_at >= self.settings.glimpse_s:
            self._glimpsed_at = frame.at
            detected = self._stages.timed("look", lambda: self._scene.detect(frame.image_bgr))
            self._glimpsed = glimpsed_cards(detected)
        self._sways = True
        return self._block(frame.at, CAMERA_MOVES)

    def _rested(self) -> None:
        """The camera rests again: the gate begins anew, and the table is known again by its cards or lost."""
        self._sways, self._blocked_by, self._glimpsed = False, None, ()
        logger.info("the camera rests again at %.2f s", self._at)
        self._gate = self._make_gate(self.settings.gate)

    def finish(self) -> tuple[TableEvent, ...]:
        """The frames have ended: the events still open."""
        return self._tell_rest("no more pictures come: what was open is told as it looks now")

    def _tell_rest(self, why: str) -> tuple[TableEvent, ...]:
        """The events still open, as they look now. ``why``: in words, for the observer."""
        noticed = self._changes.finish(self.hands, self._at)
        settled = self._settling.finish(noticed)
        told = self._as_told(settled, ())
        self._show_judged(noticed, settled, told, self._at, [why])
        return told

    @property
    def view(self) -> PipelineView:
        """What is seen now."""
        scene, report = self._scene, self._report
        return PipelineView(
            self._number,
            self._at,
            self._glimpsed if self._sways else seen_cards(scene.tracker, scene.state),
            () if report is None else seen_hands(report, scene.layout),
            scene.layout,
            report is not None and report.blind,
            scene.moved_at,
            self._sways,
            self._blocked_by,
        )

    def _begin(self, size: tuple[int, int], zones: Zones, strangers_wait_until: float = 0.0) -> None:
        """
        Forget where things lie: before the first frame, after a cut, when the picture's size changes, when the table
        is not known again. ``strangers_wait_until``: cards that lie there and are not known are told no sooner, in
        seconds.
        """
        s, start = self.settings, self._start
        self._gate = self._make_gate(s.gate)
        self._hands = HandTracker(s.hands)
        self._schedule = LookSchedule(s.looks)
        self._among_arms = CardsAmongArms(s.among_arms)
        self._scene = SceneTracker(self._detector, TableLayout.guessed(size, self._seats, zones), start, s.scene)
        changes = s.changes if start.has_game else s.changes.without_game()
        self._changes = Changes(start.bout, start.talon, start.dealt, changes, strangers_wait_until)
        self._settling = Settling()
        self._hollow_visits = HollowVisits(s.hollow_visits)
        self._untold = Untold(s.untold)
        self._glimpses = Glimpses(s.glimpses)
        self._report = None
        self._blind_since = None

    def _begin_again(self) -> tuple[TableEvent, ...]:
        """
        The table is not known again: look at it as if for the first time, with what is known of the game.

        What waited to be looked at again is told with that word before it.
        """
        waited = self._settling.finish(())
        first = min((each.event.at for each in waited), default=self._at)
        told = (*self._blocked(first, CAMERA_MOVED), *self._as_told(waited, ()))
        self._show_judged((), waited, told, self._at, [CAMERA_MOVED])
        if self._aside is None:
            self._aside = _SetAside(
                self._at, self._start, self._gate, self._hands, self._schedule, self._scene, self._changes
            )
        self._start = self._changes.known(self._start)
        self._begin(self._size or BEFORE_ANY_FRAME, self.zones, self._aside.at + self.settings.insert_s)
        return told

    def _come_back(self, frame: Frame) -> None:
        """Is the table seen again that was lost? Then a film has shown something else, and it goes on where it was."""
        aside = self._aside
        if aside is None:
            return
        if frame.at - aside.at > self.settings.insert_s:
            self._aside = None
        elif aside.gate.comes_back(frame.image_bgr, frame.at):
            logger.info("the table that was lost at %.2f s is seen again at %.2f s", aside.at, frame.at)
            self._start, self._gate, self._hands = aside.start, aside.gate, aside.hands
            self._schedule, self._scene, self._changes = aside.schedule, aside.scene, aside.changes
            self._settling, self._aside = Settling(), None
            self._scene.known_again()
            self._changes.told_until(round(frame.at, 2))

    def _watch(self, frame: Frame, report: GateReport, look: LookMask) -> None:
        """Follow the hands, and look at the table if a look is due."""
        scene, schedule = self._scene, self._schedule
        self._stages.timed("hands", lambda: self._hands.feed(report, scene.layout))
        if self._hands.wants_to_see:
            labels = scene.labels_on(frame.image_bgr)
            if labels is not None:
                self._hands.show(labels == CARD)
        if self._hands.left_now:
            schedule.look_again()
        scene.note(report)
        schedule.note(report)
        shows = self._card_shows(frame, report)
        reason = schedule.next_look(report, look.arms, self._settling.wants_look, self._changes.asks_at, shows)
        if reason is not None:
            self._look(frame, report, look, reason)

    def _card_shows(self, frame: Frame, report: GateReport) -> bool:
        """Does a card show still among what passes for an arm, or has a hand let one go?"""
        scene, held = self._scene, self._gate.held
        if not report.arms or not self._among_arms.is_due(frame.at, self._schedule.last_look_at, bool(held)):
            return False
        labels = self._stages.timed("hands", lambda: scene.labels_on(frame.image_bgr))
        if labels is None:
            return False
        shows = self._among_arms.shows(labels == CARD, report.arm_labels, frame.at)
        return shows or self._among_arms.is_let_go(labels == ARM, held)

    def _look(self, frame: Frame, report: GateReport, look: LookMask, reason: LookReason) -> None:
        """Find, follow and settle: what stands on the table now."""
        scene, schedule, is_dealt = self._scene, self._schedule, self._changes.is_dealt
        detected = self._stages.timed("look", lambda: scene.detect(frame.image_bgr))
        report, look = self._uncovered(frame, report, look, detected)
        changed = schedule.changed
        found = self._stages.timed("track", lambda: scene.sift(detected, frame.image_bgr, look, is_dealt))
        change, seen, is_doubtful = NO_CHANGE, None, True
        if found is None:  # the camera is being moved, or was moved to where nothing is known again
            schedule.looked_in_vain(frame.at)
        else:
            change = self._follow(frame, look, found)
            seen = scene.settle(change, look, self._hands)
            is_doubtful = scene.is_doubtful(change) or self._gate.wants_to_know
            schedule.looked(frame.at, look.arms, is_doubtful)
        outcome = "not known again" if found is None else f"{len(found)} cards"
        logger.debug("look %d at %.2f s, because %s: %s", self.looks, frame.at, reason.value, outcome)
        if self._observer is not None:
            self._observer.looked(
                Look(
                    number=self.looks,
                    frame=frame,
                    reason=reason,
                    report=report,
                    changed=changed,
                    detected=detected,
                    used=found,
                    tracks=tuple(scene.tracker.tracks),
                    cards=seen_cards(scene.tracker, scene.state),
                    begun=frozenset(track.key for track in change.begun),
                    gone=change.gone,
                    layout=scene.layout,
                    hands=self.hands,
                    observation=seen,
                )
            )
        # The first observation must be whole: what lies there at the start is no event.
        if seen is not None and (self.observation is not None or not is_doubtful or schedule.has_given_up):
            scene.accept(seen)

    def _uncovered(
        self, frame: Frame, report: GateReport, look: LookMask, detected: Detections
    ) -> tuple[GateReport, LookMask]:
        """What passed for an arm and turns out to be a card is none."""
        labels = self._scene.labels_on(frame.image_bgr) if look.arms.any() else None
        size = (frame.image_bgr.shape[1], frame.image_bgr.shape[0])
        cards = self._scene.cards_read(detected, labels, size)
        settled = self._gate.settle(cards, None if labels is None else labels == ARM)
        if report.asks:
            self._schedule.asked(was_card=settled is not None)
        if settled is None:
            return report, look
        place = (report.arm_labels > 0) & (settled.arm_labels == 0)
        self._hands.uncover(place, settled)
        self._report = settled
        self._scene.note(settled)
        self._schedule.note(settled)
        return settled, LookMask.of(settled)

    def _follow(self, frame: Frame, look: LookMask, found: Detections) -> TrackChange:
        """Know the cards again, and note the faces that come to nothing."""
        scene, last_look_at = self._scene, max(self._schedule.last_look_at, 0.0)
        change = self._stages.timed("track", lambda: scene.follow(found, frame.image_bgr, look, last_look_at))
        talon_px = scene.state.piles.talon_place_px
        played = found.only([scene.layout.is_in_bout(quad) for quad in found.corners_px])
        self._untold.note(played, scene.tracker.tracks, () if talon_px is None else (talon_px,), frame.at)
        self._glimpses.note(scene.tracker.tracks, frame.at)
        return change

    def _tell(self, seen: Observation, look: LookMask, is_open: bool) -> tuple[TableEvent, ...]:
        """The events that may be told. ``is_open``: more has changed than is understood yet."""
        hands, changes, at = self.hands, self._changes, look.at
        noticed = changes.feed(seen, hands, at, is_open)
        settled = self._settling.take(noticed, changes.seen_now, at)
        signs = self._signs(seen, look) if settled else []
        told = self._as_told(settled, signs)
        self._hollow_visits.note(hands, told, at)
        self._show_judged(noticed, settled, told, at, signs)
        return told

    def _as_told(self, settled: Sequence[Evidence], signs: Sequence[str]) -> tuple[TableEvent, ...]:
        """The events of a record; ``signs``: that something went unseen before them."""
        told = [each.told(self._likelihoods, () if k else signs) for k, each in enumerate(settled)]
        for event in told:
            logger.info("told: %s", event)
        return tuple(told)

    def _signs(self, seen: Observation, look: LookMask) -> list[str]:
        """What speaks for something having gone unseen, in words: the cues of the likelihoods."""
        names = [card.card for card in (*seen.bout, seen.turnup) if card is not None]
        signs = (
            ("a card lies there that nobody can read", bool(seen.unread)),
            # It was misread, or moved unseen.
            ("one card seems to lie in two places", len(set(names)) < len(names)),
            ("a card lies there that nobody was seen to bring", self._changes.has_strangers),
            ("a face is in plain view of which nothing was told", self._untold.lately(look.at)),
            ("a card across another was glimpsed once", self._glimpses.lately(look.at)),
            ("what passes for a back lies among the cards of the bout", self._scene.has_stray()),
            ("the picture has changed where no card accounts for it", self._scene.has_unexplained(look)),
            ("hands came and went and nothing was told of them", self._hollow_visits.are_many),
        )
        return [what for what, is_so in signs if is_so]

    def _show_judged(
        self,
        noticed: tuple[Evidence, ...],
        settled: tuple[Evidence, ...],
        told: tuple[TableEvent, ...],
        at: float,
        signs: Sequence[str],
    ) -> None:
        """Tell the observer what was made of what had changed."""
        waits, waiting = self._changes.waits, self._settling.waiting
        if self._observer is not None and (noticed or told or waits or waiting):
            notes = (*(Note("waits", wait) for wait in waits), *(Note(NOT_UNDERSTOOD, sign) for sign in signs))
            self._observer.judged(Judged(at, noticed, waiting, settled, told, self.hands, notes))

    def _block(self, at: float, reason: str) -> tuple[TableEvent, ...]:
        """The table can't be seen: told once."""
        if self._blocked_by is not None:
            return ()
        self._blocked_by = reason
        return self._blocked(at, reason)

    def _blocked(self, at: float, reason: str) -> tuple[TableEvent, ...]:
        logger.info("the table can't be refereed at %.2f s: %s", at, reason)
        self._changes.told_until(round(at, 2))
        return (Blocked(at=round(at, 2), reason=reason),)


@dataclass(frozen=True, slots=True)
class _SetAside:
    """A table that was lost at the time ``at`` (seconds), and all that was known of it."""

    at: float
    start: InitialState
    gate: Gate
    hands: HandTracker
    schedule: LookSchedule
    scene: SceneTracker
    changes: Changes


NO_CHANGE = TrackChange((), (), True)
"""What a look of which nothing can be used does to the tracks: it leaves a doubt."""
BEFORE_ANY_FRAME = (1280, 720)
"""Width and height in pixels that the picture is taken to have until one comes."""

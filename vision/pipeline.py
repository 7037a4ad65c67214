"""
The steps in a row: feed it frames, take events.

Every frame passes the gate (a millisecond or two). A look, which is dear, is taken only when something has changed and
come to rest where no hand is over it; then a second one to confirm, a few more while a reading is in doubt or a change
is unexplained, and none at all while the table lies still.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from referee.events import Blocked, TableEvent
from referee.foresight import Foresee
from vision.capture.sources import Frame
from vision.detection.card_detector import CardDetector, PlaceDetector
from vision.detection.detections import Detections
from vision.events.caution import WitnessSettings
from vision.events.changes import Changes, ChangeSettings
from vision.events.glimpses import Glimpses, GlimpseSettings
from vision.events.thought import Note
from vision.events.untold import Untold, UntoldSettings
from vision.events.witness import Witness
from vision.geometry.quads import Array, Mask, warp
from vision.geometry.table_layout import MEASURED_WELL, TableLayout
from vision.geometry.zones import NOTHING_SAID, Zones
from vision.initial_state import InitialState
from vision.motion.background_subtraction import Flags, Gate, GateReport, GateSettings
from vision.motion.hand_tracking import HandTracker, HandTrackerSettings
from vision.observation import HandVisit, Observation
from vision.observer import Judged, Look, LookReason, PipelineObserver
from vision.tracking.camera_motion import CameraMotionSettings, realigned
from vision.tracking.false_detections import FalseDetectionSettings, without_phantoms
from vision.tracking.missed_detections import MissedDetectionSettings, accepted_cards, changed_places, known_places
from vision.tracking.table_state import TableStateSettings, TableStateTracker
from vision.tracking.track import TrackSettings
from vision.tracking.tracker import TrackChange, Tracker
from vision.view.scene import PipelineView, seen_cards, seen_hands

logger = logging.getLogger(__name__)

T = TypeVar("T")

CAMERA_MOVED = "the camera was moved, and the cards are not known again"
"""Reason of the ``blocked`` event of a table that was lost."""


@dataclass(frozen=True, slots=True)
class LookSettings:
    """When to look."""

    gap_s: float = 0.1
    """Between two looks at least so long: three frames at 25 or 30 a second, so that they are not one blur seen
    twice."""
    patience_s: float = 0.12
    """So long a change waits for others still under way, to be looked at together with them."""
    asked_s: float = 0.12
    """So long after a hand has left, a look is taken if one would settle where cards went: all is still by then."""
    least_px: int = 10
    """Fewer changed pixels of the reduced picture are no reason to look: a card has a hundred at least."""
    idle_s: float = 1.5
    """
    So long after the last look, or after a hand has left, the table is looked at once more, for what two quick looks
    missed and the gate did not notice; twice as long while an arm lies in the picture.
    """
    doubt_looks: int = 6
    """At most so many looks in a row for one doubt."""
    doubt_gap_s: float = 0.3
    """Looks for a doubt that has outlived three quick ones come this far apart."""
    blocked_s: float = 3.0
    """A table not seen for so long is reported."""
    realign_looks: int = 3
    """After the picture has changed all over, so many looks are taken to know the table again."""
    measure_cards: int = 24
    """Cards after which the table's plane is known well enough."""


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """The settings of all stages."""

    gate: GateSettings = field(default_factory=GateSettings)
    hands: HandTrackerSettings = field(default_factory=HandTrackerSettings)
    tracks: TrackSettings = field(default_factory=TrackSettings)
    settle: TableStateSettings = field(default_factory=TableStateSettings)
    changes: ChangeSettings = field(default_factory=ChangeSettings)
    looks: LookSettings = field(default_factory=LookSettings)
    overlooked: MissedDetectionSettings = field(default_factory=MissedDetectionSettings)
    realign: CameraMotionSettings = field(default_factory=CameraMotionSettings)
    phantoms: FalseDetectionSettings = field(default_factory=FalseDetectionSettings)
    untold: UntoldSettings = field(default_factory=UntoldSettings)
    glimpses: GlimpseSettings = field(default_factory=GlimpseSettings)
    witness: WitnessSettings = field(default_factory=WitnessSettings)


@dataclass(slots=True)
class StageTime:
    """How long a stage took so far."""

    calls: int = 0
    total_ms: float = 0.0

    @property
    def mean_ms(self) -> float:
        """Milliseconds a call."""
        return self.total_ms / self.calls if self.calls else 0.0


class Pipeline:
    """
    Frames in, events out.

    ``detector`` looks at pictures. ``seats``: clockwise as seen by the camera, the first at the bottom edge. ``clock``:
    lent by the caller to time the stages; without one nothing is timed. ``gate`` makes the gate: another for playing a
    clip again. ``foresee``: asks the referee what events would bring, so that nobody is accused at first sight;
    without it events are told as they come. ``zones``: what people have said of where things are. ``observer``: told of
    every look and of what was made of it.
    """

    def __init__(
        self,
        detector: CardDetector,
        seats: tuple[str, ...],
        start: InitialState | None = None,
        settings: PipelineSettings | None = None,
        clock: Callable[[], float] | None = None,
        gate: Callable[[GateSettings], Gate] = Gate,
        foresee: Foresee | None = None,
        zones: Zones = NOTHING_SAID,
        observer: PipelineObserver | None = None,
    ) -> None:
        self._detector, self._seats, self._zones = detector, seats, zones
        self._make_gate, self._foresee, self._observer = gate, foresee, observer
        self._start = start or InitialState()
        self.settings = settings or PipelineSettings()
        self._clock = clock
        self.timings: dict[str, StageTime] = {name: StageTime() for name in ("gate", "hands", "look", "track", "tell")}
        self._blocked_told = False
        self._number = 0
        self._at = 0.0
        self._layout: TableLayout | None = None
        self._report: GateReport | None = None
        self._blind_since: float | None = None
        self._gate: Gate
        self._hands: HandTracker
        self._changes: Changes
        self._seen: Observation | None = None
        self._is_lost = False
        self._doubt = 0
        self._fresh(None)

    @property
    def observation(self) -> Observation | None:
        """The table as it last stood at rest; None until it has been seen."""
        return self._seen

    @property
    def hands(self) -> tuple[HandVisit, ...]:
        """The hands of the last seconds."""
        return () if self._layout is None else self._hands.visits(self._layout)

    @property
    def looks(self) -> int:
        """How often the dear look was taken."""
        return self.timings["look"].calls

    @property
    def zones(self) -> Zones:
        """What people have said of where things are."""
        return self._zones

    def arrange(self, zones: Zones) -> None:
        """Somebody says where things are; it counts from the next frame on."""
        self._zones = zones
        self._idle_looked = False  # what is thought of the table may change though nothing on it does
        if self._layout is not None:
            self._layout = self._layout.with_zones(zones)

    def feed(self, frame: Frame) -> tuple[TableEvent, ...]:
        """Take one frame; the events that became certain with it."""
        self._number, self._at = frame.number, frame.at
        size = (frame.image_bgr.shape[1], frame.image_bgr.shape[0])
        if frame.cut or (self._layout is not None and self._layout.picture != size):
            if not frame.cut and self._seen is not None:
                self._start = self._changes.known(self._start)
            self._fresh(size)
        if self._layout is None:
            self._layout = TableLayout.guessed(size, self._seats, self._zones)
        if frame.lost is not None:
            return self._block(frame.at, frame.lost)
        report = self._timed("gate", lambda: self._gate.feed(frame.image_bgr, frame.at))
        self._report = report
        if report.blind:
            self._blind_since = frame.at if self._blind_since is None else self._blind_since
            if frame.at - self._blind_since >= self.settings.looks.blocked_s:
                return self._block(frame.at, "something hides the table")
            return ()
        self._blind_since, self._blocked_told = None, False
        if report.relearned and report.changed.all() and self._seen is not None:
            self._realigning = self.settings.looks.realign_looks
        layout = self._layout
        self._timed("hands", lambda: self._hands.feed(report, layout))
        if self._hands.left_now:
            self._idle_looked = False
        self._note(report)
        reason = self._reason_to_look(report)
        if reason is not None:
            self._look(frame, report, reason)
        if self._seen is None:
            return ()
        if self._is_lost:
            # What was held back to be looked at again is told with that word before it: nobody is accused.
            held = self._witness.finish(())
            self._show_judged((), frame.at, [CAMERA_MOVED])
            told = (*self._blocked(min((event.at for event in held), default=frame.at), CAMERA_MOVED), *held)
            self._start = self._changes.known(self._start)
            self._fresh((frame.image_bgr.shape[1], frame.image_bgr.shape[0]))
            return told
        seen = self._seen
        looks = self.settings.looks
        # What changed under an arm at rest can't be looked at, nor can it be waited for.
        due_px = 0 if self._due is None else int((self._due & ~_grown(report)).sum())
        doubt = 0 < self._doubt <= looks.doubt_looks or due_px >= looks.least_px or bool(report.restless.any())
        return self._timed("tell", lambda: self._tell(seen, frame.at, doubt))

    def finish(self) -> tuple[TableEvent, ...]:
        """The frames have ended: the events still open."""
        events = self._changes.finish(self.hands, self._at)
        told = self._witness.finish(events)
        self._show_judged(events, self._at, ["no more pictures come: what was open is told as it looks now"])
        return told

    @property
    def view(self) -> PipelineView:
        """What is seen now."""
        layout = self._layout or TableLayout.guessed((1280, 720), self._seats, self._zones)
        return PipelineView(
            self._number,
            self._at,
            seen_cards(self._tracker, self._settler),
            () if self._report is None else seen_hands(self._report, layout),
            layout,
            self._report is not None and self._report.blind,
            self._moved_at,
        )

    def _fresh(self, size: tuple[int, int] | None) -> None:
        """
        Forget where things lie: before the first frame, after a cut, when the picture's size changes, when the table
        is not known again.
        """
        s = self.settings
        self._gate = self._make_gate(s.gate)
        self._hands = HandTracker(s.hands)
        self._tracker = Tracker(s.tracks, self._start.pack)
        self._settler = TableStateTracker(self._start.turnup, s.settle, self._start.has_talon, self._start.bout)
        self._changes = Changes(self._start.bout, self._start.talon, self._start.dealt, s.changes)
        self._witness = Witness(self._foresee, s.witness)
        self._untold = Untold(s.untold)
        self._glimpses = Glimpses(s.glimpses)
        self._layout = None if size is None else TableLayout.guessed(size, self._seats, self._zones)
        self._seen = None
        self._is_lost = False
        self._report = None
        self._due: Flags | None = None
        self._due_since: float | None = None
        self._calm_at = np.zeros((0, 0), np.float32)
        self._measured: dict[int, Array] = {}
        self._last_look_at = -1e9
        self._doubt = 0
        self._idle_looked = False
        self._blind_since = None
        self._moved_at: float | None = None
        self._realigning = 0

    def _tell(self, seen: Observation, at: float, doubt: bool) -> tuple[TableEvent, ...]:
        hands = self.hands
        events = self._changes.feed(seen, hands, at, doubt)
        clouds = self._clouds(seen, at, bool(events) or self._witness.wants_look)
        changes, talon_px = self._changes, self._settler.piles.talon_place_px
        turnup_at = next((t.seen_at for t in self._tracker.tracks if t.key == self._settler.piles.turnup_key), math.inf)
        told = self._witness.hear(
            events,
            changes.still_true,
            hands,
            at,
            self.looks,
            bool(clouds),
            changes.other_place,
            talon_px is not None,
            turnup_at,
        )
        self._show_judged(events, at, clouds)
        return told

    def _clouds(self, seen: Observation, at: float, is_asked: bool) -> list[str]:
        """What on the table is not understood, in words; what is dear to find out only where somebody asks."""
        names = [card.card for card in (*seen.bout, seen.turnup) if card is not None]
        clouds = [
            ("a card lies there that nobody can read", bool(seen.unread)),
            # It was misread, or moved unseen.
            ("one card seems to lie in two places", len(set(names)) < len(names)),
            ("a card lies there that nobody was seen to bring", self._changes.has_strangers),
            ("a face is in plain view of which nothing was told", self._untold.lately(at)),
            ("a card across another was glimpsed once", self._glimpses.lately(at)),
        ]
        if is_asked:
            assert self._report is not None
            assert self._layout is not None
            piles = [pile for pile in (self._layout.talon_px, *self._layout.heaps_px) if pile is not None]
            beside, report = {card.key for card in seen.bout}, self._report
            left = self._tracker.unexplained(beside, piles, _grown(report), report.scale)
            clouds.append(("what passes for a back lies among the cards of the bout", self._has_stray(seen)))
            clouds.append(("the picture has changed where no card accounts for it", left))
        return [what for what, is_so in clouds if is_so]

    def _show_judged(self, noticed: tuple[TableEvent, ...], at: float, clouds: list[str]) -> None:
        """Tell the observer what was made of what had changed."""
        if self._observer is None:
            return
        waits = self._changes.waits
        if noticed or waits or self._witness.thought is not None:
            notes = (*(Note("waits", wait) for wait in waits), *(Note("not understood", cloud) for cloud in clouds))
            self._observer.judged(Judged(at, noticed, self._witness.thought, self.hands, notes))

    def _has_stray(self, seen: Observation) -> bool:
        """Does what passes for a back lie among the cards of the bout?"""
        since = min((card.clear_at for card in seen.bout), default=None)
        quads = {track.key: track.corners_px for track in self._tracker.tracks}
        cards = [quads[card.key] for card in seen.bout if card.key in quads]
        return since is not None and self._settler.piles.has_stray(cards, since)

    def _block(self, at: float, reason: str) -> tuple[TableEvent, ...]:
        if self._blocked_told:
            return ()
        self._blocked_told = True
        return self._blocked(at, reason)

    def _blocked(self, at: float, reason: str) -> tuple[TableEvent, ...]:
        logger.info("the table can't be refereed at %.2f s: %s", at, reason)
        self._changes.told_until(round(at, 2))
        return (Blocked(at=round(at, 2), reason=reason),)

    def _note(self, report: GateReport) -> None:
        """Remember what changed since the last look."""
        if self._due is None or self._due.shape != report.changed.shape:
            self._due = np.zeros(report.changed.shape, bool)
            self._calm_at = np.zeros(report.changed.shape, np.float32)
        self._calm_at[~(report.changed | report.restless | (report.arm_labels > 0))] = report.at
        if report.changed.any():
            self._due |= report.changed
            explain = not report.relearned or self._seen is None
            self._tracker.stir(report.changed, report.scale, explain, self._calm_at)
            self._settler.piles.stir(report.changed, report.scale, report.at)
            self._doubt = 0
            self._idle_looked = False

    def _reason_to_look(self, report: GateReport) -> LookReason | None:
        """Why a look is due now; None where none is."""
        s = self.settings.looks
        since = report.at - self._last_look_at
        if since < s.gap_s:
            return None
        assert self._due is not None
        if int((self._due & ~_grown(report)).sum()) >= s.least_px:
            self._due_since = report.at if self._due_since is None else self._due_since
            is_due = not report.restless.any() or report.at - self._due_since >= s.patience_s
            return LookReason.CHANGED if is_due else None
        if self._witness.wants_look:
            return LookReason.HELD_BACK
        if 0 < self._doubt <= s.doubt_looks:
            is_due = since >= (s.gap_s if self._doubt <= 3 else s.doubt_gap_s)
            return LookReason.IN_DOUBT if is_due else None
        asked_at = self._changes.asks_at
        if asked_at is not None and asked_at > self._last_look_at and report.at - asked_at >= s.asked_s:
            is_due = not report.restless.any() or report.at - asked_at >= s.asked_s + s.patience_s
            return LookReason.HAND_LEFT if is_due else None
        if not self._idle_looked and since >= s.idle_s * (1 if not report.arms else 2) and not report.restless.any():
            self._idle_looked = True
            return LookReason.IDLE
        return None

    def _look(self, frame: Frame, report: GateReport, reason: LookReason) -> None:
        assert self._layout is not None
        assert self._due is not None
        arms, changed = _grown(report), self._due
        detected, found = self._timed("look", lambda: self._find(frame, report.scale, arms))
        if found is None:  # the camera is being moved, or was moved to where nothing is known again
            self._last_look_at, self._due_since, self._doubt = frame.at, None, 1
            logger.debug("look %d at %.2f s, because %s: not known again", self.looks, frame.at, reason.value)
            self._show_look(frame, reason, changed, detected, None, TrackChange((), (), True), None)
            return
        known = found
        logger.debug("look %d at %.2f s, because %s: %d cards", self.looks, frame.at, reason.value, len(found))

        def grey() -> Mask:
            return np.asarray(cv2.cvtColor(np.asarray(frame.image_bgr), cv2.COLOR_BGR2GRAY), np.uint8)

        change = self._timed(
            "track",
            lambda: self._tracker.update(known, grey, arms, report.scale, frame.at, max(self._last_look_at, 0.0)),
        )
        talon_px = self._settler.piles.talon_place_px
        played = found.only([self._layout.is_in_bout(quad) for quad in found.corners_px])
        self._untold.note(played, self._tracker.tracks, () if talon_px is None else (talon_px,), frame.at)
        self._glimpses.note(self._tracker.tracks, frame.at)
        self._last_look_at, self._due_since = frame.at, None
        self._due = self._due & arms
        self._measure()
        first = self._seen is None
        seen = self._settler.observe(
            self._tracker, change.gone, self._hands, self._layout, arms, report.scale, frame.at, not first
        )
        unsure = any(self._settler.is_unsure(track) for track in self._tracker.tracks if track.still)
        in_doubt = change.doubtful or unsure
        self._doubt = self._doubt + 1 if in_doubt else 0
        piles = self._settler.piles
        self._layout = self._layout.with_piles(piles.talon_place_px, piles.heaps_px)
        self._show_look(frame, reason, changed, detected, found, change, seen)
        if first and in_doubt and self._doubt < self.settings.looks.doubt_looks:
            return  # the first observation must be whole: what lies there at the start is no event
        if first:
            self._tracker.accept_all()
        self._seen = seen

    def _show_look(
        self,
        frame: Frame,
        reason: LookReason,
        changed: Flags,
        detected: Detections,
        used: Detections | None,
        change: TrackChange,
        seen: Observation | None,
    ) -> None:
        """Tell the observer what all stages made of a look."""
        if self._observer is None:
            return
        assert self._report is not None
        assert self._layout is not None
        look = Look(
            number=self.looks,
            frame=frame,
            reason=reason,
            report=self._report,
            changed=changed,
            detected=detected,
            used=used,
            tracks=tuple(self._tracker.tracks),
            cards=seen_cards(self._tracker, self._settler),
            begun=frozenset(track.key for track in change.begun),
            gone=change.gone,
            layout=self._layout,
            hands=self.hands,
            observation=seen,
        )
        self._observer.looked(look)

    def _find(self, frame: Frame, scale: float, arms: Flags) -> tuple[Detections, Detections | None]:
        """
        What the detector finds; and what of it is used, with what lies where it was asked, None where the table is not
        known.
        """
        assert self._layout is not None
        detected = self._detector.detect(frame.image_bgr)
        # Before the table has been seen once everything on it is new.
        if self._seen is None:
            return detected, detected
        if not self._is_known_again(detected, arms, scale, frame.at):
            return detected, None
        found = self._without_phantoms(detected)
        if not isinstance(self._detector, PlaceDetector):
            return detected, found
        s = self.settings.overlooked
        lying = self._tracker.lying(arms, scale)
        sought = known_places(lying, found, s)
        sought += changed_places(self._tracker.fresh.left(arms), lying, found, self._layout, scale, s)
        if not sought:
            return detected, found
        corners = np.stack([place.corners_px for place in sought])
        better, named = self._detector.detect_at(frame.image_bgr, corners, [place.lids_px for place in sought])
        return detected, found.beside(accepted_cards(sought, better, named, found, s))

    def _is_known_again(self, found: Detections, arms: Flags, scale: float, at: float) -> bool:
        """Do the known cards lie as they lay? If elsewhere together, it was the camera that moved."""
        known = [
            (track.corners_px, int(np.argmax(track.evidence)))
            for track in self._tracker.tracks
            if track.confirmed
            and not track.is_nothing
            and self._tracker.visible_share(track, arms, scale) >= self.settings.tracks.visible_share
        ]
        moved = realigned(known, found, self._realigning > 0, self.settings.realign)
        if moved.move is not None:
            self._follow(moved.move, at)
        if not self._realigning or not moved.is_lost:
            self._realigning = 0
            return True
        self._realigning -= 1
        self._is_lost = not self._realigning
        return False

    def _follow(self, move: npt.NDArray[np.float64], at: float) -> None:
        """The camera was moved: everything known lies elsewhere in the picture, and where it lay on the table."""
        assert self._layout is not None
        self._moved_at = at
        logger.info("the camera was moved at %.2f s, and followed", at)
        self._tracker.follow(move)
        self._settler.piles.follow(move)
        self._measured = {key: warp(move, quad) for key, quad in self._measured.items()}
        self._layout = self._layout.followed(move)
        self._zones = self._layout.zones

    def _without_phantoms(self, found: Detections) -> Detections:
        """What was found, but for claims that are no cards of their own; before the deal backs come to lie on faces."""
        if not self._changes.is_dealt:
            return found
        s, piles = self.settings.phantoms, self._settler.piles
        faces, backs = [], []
        for track in self._tracker.tracks:
            in_bout = piles.zone(track.key) == "bout"
            if not in_bout:
                backs.append(track.corners_px)
            elif not track.is_back and track.confirmed and float(track.shares.max()) >= s.sure:
                faces.append(track.corners_px)
        backs += [pile for pile in (piles.talon_place_px, *piles.heaps_px) if pile is not None]
        return without_phantoms(found, faces, backs, s, piles.sought)

    def _measure(self) -> None:
        """Fit the table's plane to the cards seen so far, each new resting place counting once."""
        assert self._layout is not None
        if len(self._measured) >= self.settings.looks.measure_cards:
            return
        fresh = [t for t in self._tracker.tracks if t.still >= 2 and t.key not in self._measured]
        if fresh:
            self._measured.update({t.key: t.corners_px.copy() for t in fresh})
            before = self._layout.cards_measured
            self._layout = self._layout.measured(np.stack(list(self._measured.values())))
            if before < MEASURED_WELL <= self._layout.cards_measured:
                logger.info("the table's plane is known at %.2f s, from %d cards", self._at, len(self._measured))

    def _timed(self, stage: str, work: Callable[[], T]) -> T:
        if self._clock is None:
            self.timings[stage].calls += 1
            return work()
        began = self._clock()
        result = work()
        self.timings[stage].calls += 1
        self.timings[stage].total_ms += (self._clock() - began) * 1e3
        return result


def _grown(report: GateReport) -> Flags:
    """What arms hide, with a rim for shadows and blur."""
    mask = (report.arm_labels > 0).astype(np.uint8)
    return np.asarray(cv2.dilate(mask, np.ones((5, 5), np.uint8)) > 0)

"""
The vision pipeline: frames in, events out.

It decides frame by frame whether the table can be followed, and which table it is; the stages that a frame passes are
those of :mod:`vision.table_session`. Its state is one of five:

    state                  what the frame shows                    next state    reported
    any                    nothing: the source has no picture      HIDDEN        blocked, at once
    any                    nothing: dark, flat, or covered         HIDDEN        blocked, after ``blocked_s``
    any                    edges that move everywhere              MOVING        blocked, at once
    HIDDEN, MOVING         the table                               OBSERVING     events; RECOVERING while a lost table
                                                                                 is kept
    OBSERVING, RECOVERING  cards, and none of those known by now   LOST          blocked, and a new table is begun
    LOST, RECOVERING       the lost table again                    OBSERVING     events, where it was left
    LOST, RECOVERING       still another table                     RECOVERING    events of that table
    RECOVERING             another table, after ``insert_s``       OBSERVING     the lost table is dropped

A cut, or a picture of another size, begins a new table in any state.
"""

from __future__ import annotations

import logging
from enum import Enum

from referee.cards import Card
from referee.events import TableEvent
from vision import table_session
from vision.capture.sources import Frame
from vision.detection.card_detector import CardDetector
from vision.layout import UNMARKED, Zones
from vision.table.observation import InitialState, Observation
from vision.table_session import PipelineParts, PipelineServices, PipelineSettings, StageTime, StageTimes, TableSession
from vision.view.pipeline_view import PipelineView, SeenCard, read_cards

logger = logging.getLogger(__name__)


class PipelineState(Enum):
    """Whether the table can be followed."""

    OBSERVING = "the table is followed"
    HIDDEN = "the picture shows no table"
    MOVING = "the camera moves; cards are read for display only"
    LOST = "the table was not re-identified with the last frame"
    RECOVERING = "another table is followed, and the lost one is kept in case it comes back"


class Pipeline:
    """
    Turns the frames of one camera into events. ``detector``: finds and reads cards. ``seats``: clockwise as the camera
    sees them, the first at the bottom edge. ``start``: what is known of the game. ``zones``: marked by people.
    """

    def __init__(
        self,
        detector: CardDetector,
        seats: tuple[str, ...],
        start: InitialState | None = None,
        settings: PipelineSettings | None = None,
        zones: Zones = UNMARKED,
        services: PipelineServices | None = None,
    ) -> None:
        self.settings, services = settings or PipelineSettings(), services or PipelineServices()
        times = StageTimes(("motion", "hands", "inference", "tracking", "events"), services.clock)
        self._parts = PipelineParts(detector, seats, self.settings, services, times)
        self.state = PipelineState.OBSERVING
        self._hidden_since: float | None = None
        self._blocked_by: str | None = None
        self._number, self._at = 0, 0.0
        self._picture: tuple[int, int] | None = None
        self._read_while_moving: tuple[float, tuple[SeenCard, ...]] | None = None
        self._lost: tuple[float, TableSession] | None = None
        self._table = TableSession(self._parts, table_session.BEFORE_ANY_FRAME, start or InitialState(), zones)

    @property
    def detector(self) -> CardDetector:
        """Return what finds and reads the cards."""
        return self._parts.detector

    @property
    def observation(self) -> Observation | None:
        """Return the table as it last was at rest; None until it has been observed."""
        return self._table.scene.observation

    @property
    def timings(self) -> dict[str, StageTime]:
        """Return calls and milliseconds of each stage."""
        return self._parts.times.by_name

    @property
    def zones(self) -> Zones:
        """Return the places that people have marked."""
        return self._table.scene.layout.zones

    def arrange(self, zones: Zones) -> None:
        """Set the places that people have marked; they count from the next frame on."""
        self._table.schedule.request()
        self._table.scene.arrange(zones)

    def name(self, was: Card, card: Card) -> None:
        """Name the card that is read as ``was``: no inference overrides it as long as the card lies there."""
        self._table.schedule.request()
        self._table.scene.name(was, card)

    def feed(self, frame: Frame) -> tuple[TableEvent, ...]:
        """Process one frame, and return the events that became certain with it."""
        self._number, self._at = frame.number, frame.at
        picture = (frame.image_bgr.shape[1], frame.image_bgr.shape[0])
        events = self._change_picture(picture, frame.cut) if frame.cut or picture != self._picture else ()
        return (*events, *self._process(frame))

    def finish(self) -> tuple[TableEvent, ...]:
        """Return the events still open: no further frame comes."""
        return self._table.finish(self._at, table_session.FILM_ENDED)

    @property
    def view(self) -> PipelineView:
        """Return the newest frame for display: cards, hands, zones."""
        read_while_moving = None if self._read_while_moving is None else self._read_while_moving[1]
        return self._table.view(self._number, self._at, read_while_moving, self._blocked_by)

    def _process(self, frame: Frame) -> tuple[TableEvent, ...]:
        """Find out what the frame shows, and process it accordingly."""
        if frame.lost is not None:
            self._stop_moving()
            self.state = PipelineState.HIDDEN
            return self._block(frame.lost)
        self._recover(frame)
        motion = self._table.detect_motion(frame)
        if motion.state.sways:
            return self._follow_moving_camera(frame)
        if self._stop_moving():
            motion = self._table.detect_motion(frame)  # by a new background
        if motion.state.blind:
            self.state = PipelineState.HIDDEN
            self._hidden_since = frame.at if self._hidden_since is None else self._hidden_since
            return self._block(table_session.HIDDEN) if frame.at - self._hidden_since >= table_session.BLOCKED_S else ()
        self._hidden_since, self._blocked_by = None, None
        self.state = PipelineState.OBSERVING if self._lost is None else PipelineState.RECOVERING
        self._table.observe(frame, motion)
        if self._table.scene.is_lost and self._table.scene.observation is not None:
            return self._lose_table()
        return self._table.report(motion)

    def _change_picture(self, picture: tuple[int, int], cut: bool) -> tuple[TableEvent, ...]:
        """Begin a new table; open events of the same table, in a picture of another size, are reported first."""
        is_same_table = not cut and self.observation is not None
        if is_same_table and self._picture is not None:
            logger.warning(
                "the picture is %dx%d from %.2f s on, not %dx%d: the game goes on", *picture, self._at, *self._picture
            )
        events = self._table.finish(self._at, table_session.SIZE_CHANGED) if is_same_table else ()
        start = self._table.known_state if is_same_table else self._table.start
        self._picture, self._lost, self._hidden_since = picture, None, None
        self._table = TableSession(self._parts, picture, start, self.zones)
        return events

    def _follow_moving_camera(self, frame: Frame) -> tuple[TableEvent, ...]:
        """Read cards for display now and then; no event is reported."""
        if (
            self._read_while_moving is None
            or frame.at - self._read_while_moving[0] >= table_session.READ_WHILE_MOVING_S
        ):
            self._read_while_moving = (frame.at, read_cards(self._table.detect(frame)))
        self.state = PipelineState.MOVING
        return self._block(table_session.CAMERA_MOVES)

    def _stop_moving(self) -> bool:
        """Leave MOVING: the background is learned again, and the cards show whether it is the same table."""
        if self.state is not PipelineState.MOVING:
            return False
        self.state, self._blocked_by, self._read_while_moving = PipelineState.OBSERVING, None, None
        logger.info("the camera is at rest again at %.2f s", self._at)
        self._table.restart_motion_detection()
        return True

    def _lose_table(self) -> tuple[TableEvent, ...]:
        """Keep the table that is not re-identified, and begin another with what is known of the game."""
        events = self._table.give_up(self._at, table_session.CAMERA_MOVED)
        self._lost = self._lost or (self._at, self._table)
        wait_until = self._lost[0] + table_session.INSERT_S
        self._table = TableSession(self._parts, self._table.picture, self._table.known_state, self.zones, wait_until)
        self.state = PipelineState.LOST
        return events

    def _recover(self, frame: Frame) -> None:
        """Go on with the lost table if the frame shows it again, or drop it after ``insert_s``."""
        if self._lost is None:
            return
        lost_at, table = self._lost
        if frame.at - lost_at > table_session.INSERT_S:
            self._lost = None
        elif table.take_back(frame):
            logger.info("the table that was lost at %.2f s is seen again at %.2f s", lost_at, frame.at)
            self._table, self._lost = table, None

    def _block(self, why: str) -> tuple[TableEvent, ...]:
        """Report, once, that the table can't be followed."""
        is_known, self._blocked_by = self._blocked_by is not None, self._blocked_by or why
        return () if is_known else self._table.blocked(self._at, why)

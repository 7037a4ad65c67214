"""
Motion detection: what moves, what has changed, and where arms are, from a reduced picture.

A background picture of the table at rest is kept. Pixels that differ from it are *foreign*:

* a foreign region joined to the picture's edge is an **arm** (with its hand and what it carries);
* a large foreign region that moves without touching the edge is an arm too: its sleeve has the colour of the table;
* any other foreign region is **residue**: a card just laid, or the table bared by a card taken away. After ``STILL_S``
  without moving it becomes part of the background, and is reported once as ``changed``; after ``PART_S`` so does each
  part of it that lies still while another flickers;
* a region at the edge at rest is either an arm or a *ghost* (an arm that was part of the background has left). It is a
  ghost if its outline is in the background rather than in the picture.

A region whose outline stays is at rest, however its pixels flicker under a lamp.

A difference of pictures can't tell an arm from a card that the picture's edge cuts. So inference is asked for
(``asks``) on an arm region at rest, and ``reclassify_cards`` takes the cards that it read: these, and cards beside an
arm that have been at rest for ``sure_s``, are table.

A camera that sways is followed (:mod:`vision.motion.camera_following`): the reduced picture is moved to where the
background was learned, and all masks are of that picture. Once it stands still elsewhere, the background moves there.

Light that changes everywhere is taken out (:mod:`vision.motion.background`). If much is foreign all over the picture,
the camera may have been bumped or the cloth pulled: the background is laid over the picture, turned and shifted a
little. If most of the picture is foreign all the same, the background is learned again as soon as nothing moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.sources import Image
from vision.geometry.quads import Mask, Matrix
from vision.motion.arm_regions import (
    Flags,
    PictureEdge,
    PixelPoint,
    is_ghost,
    is_spread,
    numbered_regions,
    share_of,
    still_parts,
)
from vision.motion.background import Background, CameraSway, most_of, sampled
from vision.motion.camera_following import CameraFollower
from vision.motion.cards_in_arm_regions import (
    PART_PX,
    QUIET_PERCENTILE,
    RESTING,
    ArmLabels,
    CardRead,
    CardSpots,
    StillArms,
    held_and_free,
    shifted_cards,
    table_among,
)
from vision.motion.motion_report import (
    GHOST_S,
    LONG_SIDE_PX,
    MOTION_REST_S,
    MOVING_LEVELS,
    PART_S,
    RELIGHT_S,
    REST_S,
    STILL_S,
    MotionReport,
    MotionSettings,
    PictureState,
    reduced,
)

# Shares are from 0 to 1, levels of 0..255, pixels those of the reduced picture. Chosen by hand, 2026-11.
MOVING_SHARE = 0.02
"""Share that must move of a picture that is nearly all foreign, for it to move."""
FLICKER_S = 2.0
"""Seconds of unrest after which a region flickers; nothing waits for it."""
SPECK_PX = 6
"""Smaller regions are noise and block coding."""
ARM_SHARE = 0.0025
"""Smaller regions at the edge are no arm: a thumb of 12 x 12 px."""
FLOATING_SHARE, FLOATING_MOVING = 0.006, 0.08
"""A region that touches no edge is an arm if it is larger, and more of it moves; a sliding card is smaller."""
RELIGHT_SHARE = 0.55
"""If more is foreign, the light or the camera has changed."""
TABLE_SHARE, AT_REST_SHARE = 0.4, 0.8
"""
Share of the picture's parts that a region must touch, and share of it that must be at rest, for it to be the table.
"""
MOVED_BACK_CONTRAST = 0.2
"""
Share of the contrast between neighbouring pixels by which a picture that was moved back may differ by interpolation
alone. On the edges of a card at rest before a camera that sways, 16 % of the pixels would move otherwise, and 0 % do.
"""
DARK_LEVELS, FLAT_LEVELS = 6.0, 3.0
"""A picture with a lower mean, or a lower standard deviation, shows nothing: a cap on the lens, a hand before it."""

_SMALL = np.ones((3, 3), np.uint8)


@dataclass(slots=True, eq=False)
class _Regions:
    """
    The foreign regions of a frame. ``numbered``: (rows, columns), number of each. ``arms``: numbers of arms and their
    contacts. ``is_table_moved``: a region was the table, pulled or bumped.
    """

    numbered: npt.NDArray[np.int32]
    changed: Flags
    restless: Flags
    arms: list[tuple[int, list[PixelPoint]]] = field(default_factory=list)
    is_table_moved: bool = False


class StillTimes:
    """
    Since when each spot, (rows, columns), has been at rest, in seconds.

    ``quiet_since``: since when it has not moved; ``still_for``: for how long, None with the first frame.
    """

    def __init__(self) -> None:
        self.quiet_since = np.zeros((0, 0), np.float32)
        self.still_for: npt.NDArray[np.float32] | None = None
        self._restless_since = np.zeros((0, 0), np.float32)

    def begin(self, shape: tuple[int, ...], at: float) -> None:
        """Begin with everything at rest since now."""
        self.quiet_since, self.still_for = np.full(shape, at, np.float32), None
        self._restless_since = np.full(shape, np.inf, np.float32)

    def update(self, moved: Flags, at: float) -> npt.NDArray[np.float32]:
        """Take in what moved in a frame, with a rim; return ``still_for``."""
        self.quiet_since[cv2.dilate(moved.astype(np.uint8), _SMALL) > 0] = at
        self.still_for = at - self.quiet_since
        return self.still_for

    def without_flicker(self, restless: Flags, at: float) -> Flags:
        """Return restless regions without those that have flickered for long."""
        since = self._restless_since
        if not restless.any():
            since.fill(np.inf)
            return restless
        since[~restless] = np.inf
        since[restless] = np.minimum(since[restless], at)
        return restless & (at - since < FLICKER_S)


class MotionDetector:
    """Keeps the background. Takes every frame, in order of time, all of one size."""

    def __init__(self, settings: MotionSettings | None = None) -> None:
        self.settings = settings or MotionSettings()
        self._background = Background()
        self._arms = ArmLabels()
        self._still_arms = StillArms(self.settings)
        self._times = StillTimes()
        self._previous: Image | None = None
        self._newest: MotionReport | None = None
        self._strange_since: float | None = None
        self._edge = PictureEdge()
        self._sway = CameraSway()
        self._follower = CameraFollower()
        self._camera: Matrix | None = None
        self._held: list[CardSpots] = []
        self.wants_to_know = False
        """Did the last inference read a card among arms, in no hand, that may be at rest with the next one?"""

    def feed(self, image_bgr: Image, at: float) -> MotionReport:
        """Run motion detection on a frame of the time ``at`` (seconds)."""
        scale = max(image_bgr.shape[0], image_bgr.shape[1]) / LONG_SIDE_PX
        small = self.reduce(image_bgr, at)
        self._still_arms.parts = []
        if self._previous is None or self._previous.shape != small.shape:
            self._newest = self._begin(small, at, scale)
        else:
            self._newest = self._judge(small, at, scale)
        if self._sway.moves:
            self._newest = replace(self._newest, state=replace(self._newest.state, sways=True))
        if self._camera is not None:
            full = np.diag([scale, scale, 1.0])
            self._newest = replace(
                self._newest, camera=full @ np.vstack([self._camera, (0, 0, 1)]) @ np.linalg.inv(full)
            )
        return self._newest

    @property
    def held(self) -> list[Flags]:
        """
        Return the places of the cards that the last inference read in hands, each (rows, columns) of the reduced
        picture.
        """
        return [card.spots for card in self._held]

    def reduce(self, image_bgr: Image, at: float) -> Image:
        """Return the reduced picture of a frame."""
        return reduced(image_bgr, LONG_SIDE_PX)

    def comes_back(self, image_bgr: Image, at: float) -> bool:
        """
        Check whether a frame shows the table as it was before the background was learned again, and take that back.

        Arms and a card or two may differ.
        """
        small = self.reduce(image_bgr, at)
        if not self._background.was(small):
            return False
        self._begin(small, at, 1.0)
        self._background.take_back()
        return True

    def reclassify_cards(
        self, cards: Sequence[CardRead], arms_seen: Flags | None = None, held_at: Flags | None = None
    ) -> MotionReport | None:
        """
        Reclassify arm regions as table where inference on the newest frame has read ``cards``.

        Returns the corrected report of that frame, None if nothing changes. ``arms_seen``: (rows, columns) of any size,
        pixels that the segmentation labels as arm; None without one. ``held_at``: (rows, columns), where cards held in
        the picture may be; None if none are.
        """
        report = self._newest
        if report is None or report.state.blind or self._times.still_for is None:
            return None
        quiet_s = report.at - self._times.quiet_since  # a hand keeps its outline too; what it holds is never quiet
        self._still_arms.record_inference(self._times.still_for)
        places = [CardSpots.of(card, report.arm_labels, report.scale) for card in cards]
        self._held, lying = held_and_free(places, arms_seen, report.arm_labels, self._held)
        times_s = (self.settings.ask_s, self.settings.sure_s)
        unsure = (report.arm_labels > 0) | report.restless
        table = table_among(lying, self._still_arms.parts, self._arms.resting, unsure, quiet_s, times_s)
        if arms_seen is not None and held_at is not None:
            table |= shifted_cards(self._still_arms.parts, arms_seen, held_at)
        left = [card for card in lying if unsure[card.spots].any() and not table[card.spots].any()]
        self.wants_to_know = arms_seen is not None and any(not card.is_at_rest for card in left)
        return self._with_table(report, table) if table.any() else None

    def _with_table(self, report: MotionReport, table: Flags) -> MotionReport:
        """
        Return the newest report with ``table`` as changed table instead of arm.

        A card that was read among arms came, though the camera was bumped in the same frame: what the bump changed was
        reported with it.
        """
        assert report.picture is not None
        labels, changed = report.arm_labels.copy(), report.changed.copy()
        if report.state.relearned:
            changed[:] = False
        restless = report.restless & ~table
        labels[table] = 0
        for arm in report.arms:
            own = labels == arm.label
            if own.sum() <= ARM_SHARE * own.size and (report.arm_labels == arm.label)[table].any():
                labels[own] = 0
                table = table | own
        self._background.absorb(report.picture, table, changed)
        self._arms.resting[table] = False
        arms = tuple(arm for arm in report.arms if (labels == arm.label).any())
        self._arms.correct(labels, arms, report.scale)
        state = replace(report.state, relearned=False)
        self._newest = replace(
            report, arms=arms, arm_labels=labels, changed=changed, restless=restless, asks=False, state=state
        )
        return self._newest

    def _begin(self, small: Image, at: float, scale: float) -> MotionReport:
        shape = small.shape[:2]
        self._previous = small
        self._background.begin(small)
        self._follower.restart()
        self._arms.begin(shape)
        self._still_arms.begin(shape)
        self._times.begin(shape, at)
        nothing = np.zeros(shape, bool)
        changed = np.ones(shape, bool)
        state = PictureState(relearned=True, blind=self._is_blank(small))
        return MotionReport(
            at, scale, (), self._arms.labels, changed, nothing, True, state, small, still_since=self._times.quiet_since
        )

    def _is_blank(self, small: Image) -> bool:
        mean, spread = cv2.meanStdDev(sampled(small).reshape(-1))
        return float(mean[0, 0]) < DARK_LEVELS or float(spread[0, 0]) < FLAT_LEVELS

    def _judge(self, small: Image, at: float, scale: float) -> MotionReport:
        """Compare a frame with the background."""
        assert self._previous is not None
        table = self._background
        small = table.without_bands(small)
        table.follow_light(small)
        self._camera = self._follower.follow(small, table, self._arms.is_arm, at)
        is_moved = self._follower.stands_still(at)
        if self._camera is not None and is_moved:
            table.move(self._camera)
            self._follower.rest()
            self._camera = None
        if self._camera is not None:
            size, flags = (small.shape[1], small.shape[0]), cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            moved_back = cv2.warpAffine(small, self._camera, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
            small = np.asarray(moved_back, np.uint8)
        difference = most_of(cv2.absdiff(small, self._previous))
        if self._camera is not None:
            contrast = most_of(cv2.morphologyEx(small, cv2.MORPH_GRADIENT, _SMALL))
            difference = np.asarray(cv2.addWeighted(difference, 1, contrast, -MOVED_BACK_CONTRAST, 0), np.uint8)
        moved = difference > MOVING_LEVELS
        self._sway.feed(small, moved, at)
        self._previous = small
        background, foreign = table.foreign(small)
        bumped = table.is_bumped(small, foreign, moved, self._arms.is_arm, at)
        if bumped:
            self._follower.restart()
            background, foreign = table.foreign(small)
        self._edge.update(background)
        moved &= foreign > 0
        still_for = self._times.update(moved, at)
        blank = self._is_blank(small)
        if share_of(foreign) > RELIGHT_SHARE or blank:
            return self._bewildered(small, at, scale, share_of(moved) > MOVING_SHARE, blank)
        self._strange_since = None
        regions = self._classify(small, background, foreign, moved, at)
        arms = self._arms.name(regions.numbered, regions.arms, scale, at)
        labels = self._arms.labels
        table.learn(small, (foreign == 0) & (labels == 0))
        return MotionReport(
            at,
            scale,
            arms,
            labels,
            regions.changed,
            self._times.without_flicker(regions.restless, at),
            moving=bool(moved.any()),
            state=PictureState(relearned=is_moved or bumped or regions.is_table_moved),
            picture=small,
            asks=self._still_arms.asks(still_for),
            still_since=self._times.quiet_since,
        )

    def _classify(self, small: Image, background: Image, foreign: Mask, moved: Flags, at: float) -> _Regions:
        """Find out for each foreign region whether it is arm, ghost, changed table or restless residue."""
        quiet_s = self._times.still_for
        assert quiet_s is not None
        numbered, sizes = numbered_regions(foreign)
        regions = _Regions(numbered, np.zeros(foreign.shape, bool), np.zeros(foreign.shape, bool))
        for k, size in enumerate(sizes[1:], start=1):
            if size < SPECK_PX:
                continue
            where = regions.numbered == k
            contacts = self._edge.contacts(where) if size > ARM_SHARE * foreign.size else []
            if contacts:
                quiet_s[where] = np.maximum(quiet_s[where], self._arms.outlines.kept_for(where, at))
            quiet = float(np.percentile(quiet_s[where], QUIET_PERCENTILE))
            # The table itself may be different all over, and at rest.
            is_at_rest = float((quiet_s[where] >= MOTION_REST_S).mean()) > AT_REST_SHARE
            if contacts and is_at_rest and is_spread(where, TABLE_SHARE):
                still = where & (quiet_s >= MOTION_REST_S)
                self._background.absorb(small, still, regions.changed)
                self._arms.resting[still] = False
                regions.is_table_moved = True
            elif contacts:
                ghost = quiet >= GHOST_S and is_ghost(small, background, where)
                if ghost or quiet >= REST_S:
                    self._background.absorb(small, where, regions.changed)
                    # A resting arm hides what lies under it; a ghost uncovers it again.
                    self._arms.resting[where] = not ghost
                else:
                    regions.arms.append((k, contacts))
                    self._still_arms.add(where, quiet, quiet_s)
            elif quiet >= STILL_S:
                self._background.absorb(small, where, regions.changed)
                self._arms.resting[where] = False
            elif size > FLOATING_SHARE * foreign.size and float(moved[where].mean()) > FLOATING_MOVING:
                regions.arms.append((k, []))
                self._still_arms.add(where, quiet, quiet_s)
            else:
                regions.restless |= where
                for part in still_parts(where, quiet_s, PART_S, PART_PX):  # at rest, it is a part of the table
                    self._background.absorb(small, part, regions.changed)
                    self._arms.resting[part] = False
                    regions.restless &= ~part
        return regions

    def _bewildered(self, small: Image, at: float, scale: float, moving: bool, blank: bool) -> MotionReport:
        """
        Return the report of a frame in which nearly everything is foreign.

        The background is learnt again once nothing moves.
        """
        if self._strange_since is None or moving:
            self._strange_since = at
        if not blank and at - self._strange_since >= RELIGHT_S:
            self._strange_since = None
            self._background.set_aside()
            return self._begin(small, at, scale)
        shape = small.shape[:2]
        nothing = np.zeros(shape, bool)
        labels = np.full(shape, RESTING, np.uint8)
        return MotionReport(at, scale, (), labels, nothing, ~nothing, moving, PictureState(blind=True), small)

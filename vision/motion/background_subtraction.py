"""
Motion detection: what moves, what has changed, and where arms are, from a reduced picture in 1 to 2 ms.

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
(``asks``) on an arm region at rest, and ``settle`` takes the cards that it read: these, and cards beside an arm that
have been at rest for ``sure_s``, are table.

Light that changes everywhere is taken out (:mod:`vision.motion.lighting`). If much is foreign all over the picture, the
camera may have been bumped or the cloth pulled: the background is laid over the picture, turned and shifted a little.
If most of the picture is foreign all the same, the background is learned again as soon as nothing moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.sources import Image
from vision.geometry.quads import Mask
from vision.motion.arm_regions import (
    ArmContacts,
    ArmOutlines,
    Flags,
    PictureEdge,
    PixelPoint,
    is_ghost,
    nearest_edge,
    spread,
    still_parts,
    tip_of,
)
from vision.motion.camera_sway import CameraSway
from vision.motion.cards_in_arm_regions import (
    QUIET_PERCENTILE,
    CardRead,
    CardSpots,
    held_and_free,
    table_among,
)
from vision.motion.lighting import LampBands, follow_light
from vision.motion.motion_report import NEVER, Arm, MotionReport, PictureState, reduced
from vision.motion.motion_settings import (
    FOREIGN_LEVELS,
    GHOST_S,
    MOTION_SETTLE_S,
    MOVING_LEVELS,
    PALE_LEVELS,
    PART_S,
    RELIGHT_S,
    REST_S,
    STILL_S,
    WIDTH_PX,
    MotionSettings,
)

# Shares are from 0 to 1, levels of 0..255, pixels those of the reduced picture. Chosen by hand, 2026-11.
PALE_FROM = 140.0
"""A cloth is pale if the median of its darkest colour is this bright."""
MOVING_SHARE = 0.02
"""A picture that is nearly all foreign moves if so much of it does."""
PART_PX = 40
"""Least size of a part that is judged by itself: a third of a small card."""
FLICKER_S = 2.0
"""A region restless for so many seconds flickers; nothing waits for it."""
SPECK_PX = 6
"""Smaller regions are noise and block coding."""
ARM_SHARE = 0.0025
"""Smaller regions at the edge are no arm: a thumb of 12 x 12 px."""
FLOATING_SHARE, FLOATING_MOVING = 0.006, 0.08
"""A region that touches no edge is an arm if it is larger, and more of it moves; a sliding card is smaller."""
RELIGHT_SHARE = 0.55
"""If more is foreign, the light or the camera has changed."""
KNOWN_SHARE = 0.2
"""If less is foreign, a picture shows the table that was remembered."""
SPREAD_SHARE = 0.15
"""If something foreign touches so many of the picture's parts, the camera may have been bumped."""
BUMP_MOVING = 0.3
"""A bump is searched for if no more of what is foreign moves: the camera is at rest again."""
BUMP_EVERY_S = 0.3
"""Seconds between two searches, which take 7 ms."""
BUMP_GAIN = 0.5
"""A bump must leave at most this share of what was foreign."""
BUMP_PX = 20.0
"""A bump moves the picture's corners by at most this."""
TABLE_SHARE, SETTLED_SHARE = 0.4, 0.8
"""A region in so many of the picture's parts is the table if so much of it is at rest."""
LEARNING_RATE = 0.03
"""Share by which the background follows each frame where nothing differs."""
DARK_LEVELS, FLAT_LEVELS = 6.0, 3.0
"""A picture with a lower mean, or a lower standard deviation, shows nothing: a cap on the lens, a hand before it."""
LEVEL_STEP_PX = 4
"""One pixel in so many, across and down, is sampled for brightness."""
ECC_STEPS, ECC_PRECISION, ECC_BLUR_PX = 40, 1e-4, 5
"""Most steps, least gain and blur of the search for a bump (``findTransformECC``)."""
ASKED, ASKED_TWICE = 1, 2
"""How often inference ran on a spot of an arm region: since it came to rest, and since it surely is at rest."""
RESTING = 255
"""Label of what an arm at rest, or an object at the edge, hides."""

_SMALL = np.ones((3, 3), np.uint8)
_LARGE = np.ones((5, 5), np.uint8)


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


class MotionDetector:
    """Keeps the background. Takes every frame, in order of time, all of one size."""

    def __init__(self, settings: MotionSettings | None = None) -> None:
        self.settings = settings = settings or MotionSettings()
        self._background: npt.NDArray[np.float32] | None = None
        self._before: npt.NDArray[np.float32] | None = None
        self._previous: Image | None = None
        self._quiet_since: npt.NDArray[np.float32] | None = None
        self._resting: Flags | None = None
        self._labels: Mask | None = None
        self._contacts = ArmContacts()
        self._strange_since: float | None = None
        self._bump_tried_at = NEVER
        self._calm: tuple[npt.NDArray[np.float32], Flags] | None = None
        self._levels = FOREIGN_LEVELS
        self._still: list[Flags] = []
        self._asked: Mask | None = None
        self._restless_since: npt.NDArray[np.float32] | None = None
        self._outlines = ArmOutlines()
        self._edge = PictureEdge()
        self._still_for: npt.NDArray[np.float32] | None = None
        self._newest: MotionReport | None = None
        self._sway = CameraSway()
        self._bands = LampBands()
        self._held: list[CardSpots] = []
        self.wants_to_know = False
        """Did the last inference read a card among arms, in no hand, that may be at rest with the next one?"""

    @property
    def background(self) -> Image | None:
        """Return the reduced picture of the table without arms; None before the first frame."""
        return None if self._background is None else np.clip(self._background, 0, 255).astype(np.uint8)

    def feed(self, image_bgr: Image, at: float) -> MotionReport:
        """Run motion detection on a frame of the time ``at`` (seconds)."""
        scale = image_bgr.shape[1] / WIDTH_PX
        small = self.reduce(image_bgr, at)
        self._still = []
        if self._background is None or self._previous is None or self._previous.shape != small.shape:
            self._newest = self._begin(small, at, scale)
        else:
            self._newest = self._judge(small, at, scale)
        if self._sway.moves:
            self._newest = replace(self._newest, state=replace(self._newest.state, sways=True))
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
        return reduced(image_bgr, WIDTH_PX)

    def comes_back(self, image_bgr: Image, at: float) -> bool:
        """
        Check whether a frame shows the table as it was before the background was learned again, and take that back.

        Arms and a card or two may differ.
        """
        now, before = self._background, self._before
        if now is None or before is None:
            return False
        small = self.reduce(image_bgr, at)
        self._background = before
        if small.shape == before.shape and float(self._foreign(small)[1].mean()) <= KNOWN_SHARE:
            self._begin(small, at, 1.0)
            self._background, self._before = before, None
            return True
        self._background = now
        return False

    def reclassify_cards(self, cards: Sequence[CardRead], arms_seen: Flags | None = None) -> MotionReport | None:
        """
        Reclassify arm regions as table where inference on the newest frame has read ``cards``.

        Returns the corrected report of that frame, None if nothing changes. ``arms_seen``: (rows, columns) of any size,
        pixels that the segmentation labels as arm; None without one.
        """
        report = self._newest
        if report is None or report.state.blind or self._quiet_since is None or self._still_for is None:
            return None
        assert self._asked is not None
        assert self._resting is not None
        quiet_s = report.at - self._quiet_since  # a hand keeps its outline too; what it holds is never quiet
        for part in self._still:
            self._asked[part] = np.where(self._still_for[part] >= self.settings.sure_s, ASKED_TWICE, ASKED)
        places = [CardSpots.of(card, report.arm_labels, report.scale) for card in cards]
        self._held, lying = held_and_free(places, arms_seen, report.arm_labels, self._held)
        times_s = (self.settings.ask_s, self.settings.sure_s)
        table = table_among(lying, self._still, self._resting, report.arm_labels, quiet_s, times_s)
        among_arms = [
            each for each in lying if (report.arm_labels[each.spots] > 0).any() and not table[each.spots].any()
        ]
        self.wants_to_know = arms_seen is not None and any(not each.is_at_rest for each in among_arms)
        return self._with_table(report, table) if table.any() else None

    def _with_table(self, report: MotionReport, table: Flags) -> MotionReport:
        """Return the newest report with ``table`` as changed table instead of arm."""
        assert report.picture is not None
        assert self._resting is not None
        labels, changed = report.arm_labels.copy(), report.changed.copy()
        labels[table] = 0
        for arm in report.arms:
            own = labels == arm.label
            if own.sum() <= ARM_SHARE * own.size and (report.arm_labels == arm.label)[table].any():
                labels[own] = 0
                table = table | own
        self._absorb(report.picture, table, changed)
        self._resting[table] = False
        self._labels = labels
        arms = tuple(arm for arm in report.arms if (labels == arm.label).any())
        self._contacts.remember(_ends_of(arms, report.scale), labels)
        self._newest = replace(report, arms=arms, arm_labels=labels, changed=changed, asks=False)
        return self._newest

    def _begin(self, small: Image, at: float, scale: float) -> MotionReport:
        shape = small.shape[:2]
        self._background, self._previous = small.astype(np.float32), small
        is_pale = float(np.median(_sampled(small).reshape(-1, 3), axis=0).min()) >= PALE_FROM
        self._levels = PALE_LEVELS if is_pale else FOREIGN_LEVELS
        self._quiet_since = np.full(shape, at, np.float32)
        self._resting = np.zeros(shape, bool)
        self._labels = np.zeros(shape, np.uint8)
        self._asked = np.zeros(shape, np.uint8)
        self._restless_since = np.full(shape, np.inf, np.float32)
        self._outlines, self._still_for = ArmOutlines(), None
        nothing = np.zeros(shape, bool)
        changed = np.ones(shape, bool)
        state = PictureState(relearned=True, blind=self._is_blank(small))
        return MotionReport(
            at, scale, (), self._labels, changed, nothing, True, state, small, still_since=self._quiet_since
        )

    def _is_blank(self, small: Image) -> bool:
        sample = _sampled(small)
        return float(sample.mean()) < DARK_LEVELS or float(sample.std()) < FLAT_LEVELS

    def _judge(self, small: Image, at: float, scale: float) -> MotionReport:
        """Compare a frame with the background."""
        assert self._background is not None
        assert self._previous is not None
        assert self._quiet_since is not None
        small = self._bands.without(small, self._background)
        moved = _most(cv2.absdiff(small, self._previous)) > MOVING_LEVELS
        self._sway.feed(small, moved, at)
        self._previous = small
        follow_light(self._background, small)
        background, foreign = self._foreign(small)
        bumped = self._is_bumped(small, foreign, moved, at)
        if bumped:
            background, foreign = self._foreign(small)
        self._edge.update(background)
        moved &= foreign > 0
        self._quiet_since[cv2.dilate(moved.astype(np.uint8), _SMALL) > 0] = at
        self._still_for = at - self._quiet_since
        blank = self._is_blank(small)
        if float(foreign.mean()) > RELIGHT_SHARE or blank:
            return self._bewildered(small, at, scale, bool(moved.mean() > MOVING_SHARE), blank)
        self._strange_since = None
        regions = self._classify(small, background, foreign, moved, at)
        labels, arms = self._name_arms(regions.numbered, regions.arms, scale)
        assert self._resting is not None
        labels[self._resting & (labels == 0)] = RESTING
        self._labels = labels
        self._outlines.add(labels > 0, at)
        calm = (foreign == 0) & (labels == 0)
        cv2.accumulateWeighted(small, self._background, LEARNING_RATE, calm.astype(np.uint8))
        return MotionReport(
            at,
            scale,
            arms,
            labels,
            regions.changed,
            self._without_flicker(regions.restless, at),
            moving=bool(moved.any()),
            state=PictureState(relearned=bumped or regions.is_table_moved),
            picture=small,
            asks=self._asks(self._still_for),
            still_since=self._quiet_since,
        )

    def _is_bumped(self, small: Image, foreign: Mask, moved: Flags, at: float) -> bool:
        """Search for a bump if much is foreign all over the picture; remember the background while little is."""
        assert self._background is not None
        if spread(foreign) < SPREAD_SHARE:
            self._calm = (self._background.copy(), self._arms())
            return False
        is_at_rest = float(moved.mean()) < BUMP_MOVING * float(foreign.mean())
        if at - self._bump_tried_at < BUMP_EVERY_S or not is_at_rest:
            return False
        self._bump_tried_at = at
        return self._follow_bump(small, foreign, moved)

    def _classify(self, small: Image, background: Image, foreign: Mask, moved: Flags, at: float) -> _Regions:
        """Find out for each foreign region whether it is arm, ghost, changed table or restless residue."""
        _s, quiet_s = self.settings, self._still_for
        assert quiet_s is not None
        assert self._resting is not None
        count, numbered, stats, _ = cv2.connectedComponentsWithStats(foreign, connectivity=8)
        regions = _Regions(np.asarray(numbered, np.int32), np.zeros(foreign.shape, bool), np.zeros(foreign.shape, bool))
        for k in range(1, count):
            size = int(stats[k, cv2.CC_STAT_AREA])
            if size < SPECK_PX:
                continue
            where = regions.numbered == k
            contacts = self._edge.contacts(where) if size > ARM_SHARE * foreign.size else []
            if contacts:
                quiet_s[where] = np.maximum(quiet_s[where], self._outlines.kept_for(where, at))
            quiet = float(np.percentile(quiet_s[where], QUIET_PERCENTILE))
            if contacts and self._is_table(where, quiet_s):
                still = where & (quiet_s >= MOTION_SETTLE_S)
                self._absorb(small, still, regions.changed)
                self._resting[still] = False
                regions.is_table_moved = True
            elif contacts:
                ghost = quiet >= GHOST_S and is_ghost(small, background, where)
                if ghost or quiet >= REST_S:
                    self._absorb(small, where, regions.changed)
                    # A resting arm hides what lies under it; a ghost uncovers it again.
                    self._resting[where] = not ghost
                else:
                    regions.arms.append((k, contacts))
                    self._still += self._still_of(where, quiet, quiet_s)
            elif quiet >= STILL_S:
                self._absorb(small, where, regions.changed)
                self._resting[where] = False
            elif size > FLOATING_SHARE * foreign.size and float(moved[where].mean()) > FLOATING_MOVING:
                regions.arms.append((k, []))
                self._still += self._still_of(where, quiet, quiet_s)
            else:
                self._absorb_parts(small, where, quiet_s, regions)
        return regions

    def _absorb_parts(self, small: Image, where: Flags, quiet_s: npt.NDArray[np.float32], regions: _Regions) -> None:
        """Make the parts at rest of a restless region part of the table."""
        assert self._resting is not None
        regions.restless |= where
        for part in still_parts(where, quiet_s, PART_S, PART_PX):
            self._absorb(small, part, regions.changed)
            self._resting[part] = False
            regions.restless &= ~part

    def _still_of(self, where: Flags, quiet: float, quiet_s: npt.NDArray[np.float32]) -> list[Flags]:
        """Return the parts of an arm region at rest: all of it, or parts that have been for longer."""
        s = self.settings
        return [where] if quiet >= s.ask_s else still_parts(where, quiet_s, s.sure_s, PART_PX)

    def _asks(self, quiet_s: npt.NDArray[np.float32]) -> bool:
        """Check whether a part of an arm region is at rest and no inference ran since, or since it surely is."""
        assert self._asked is not None
        s, asked = self.settings, self._asked
        asked[quiet_s < s.ask_s] = 0
        for part in self._still:
            due = np.where(quiet_s[part] >= s.sure_s, ASKED_TWICE, ASKED) > asked[part]
            if int(due.sum()) >= PART_PX:
                return True
        return False

    def _without_flicker(self, restless: Flags, at: float) -> Flags:
        """Return restless regions without those that have flickered for long."""
        assert self._restless_since is not None
        since = self._restless_since
        since[~restless] = np.inf
        since[restless] = np.minimum(since[restless], at)
        return restless & (at - since < FLICKER_S)

    def _foreign(self, small: Image) -> tuple[Image, Mask]:
        """Return the background as a picture, and (rows, columns) 1 where the frame differs from it."""
        assert self._background is not None
        background = np.asarray(cv2.convertScaleAbs(self._background), np.uint8)
        difference = _most(cv2.absdiff(small, background))
        foreign = (difference > self._levels).astype(np.uint8)
        foreign = np.asarray(cv2.morphologyEx(foreign, cv2.MORPH_OPEN, _SMALL), np.uint8)
        return background, np.asarray(cv2.morphologyEx(foreign, cv2.MORPH_CLOSE, _LARGE), np.uint8)

    def _follow_bump(self, small: Image, foreign: Mask, moved: Flags) -> bool:
        """Move the background as the camera was bumped, if that explains what is foreign."""
        assert self._background is not None
        now = self._background
        # Regions at rest since then may have been learned where they are now; arms say nothing of the table.
        kept, arms = (now, self._arms()) if self._calm is None else self._calm
        seen, known = (cv2.cvtColor(np.asarray(each, np.uint8), cv2.COLOR_BGR2GRAY) for each in (small, kept))
        reach = np.ones((2 * round(BUMP_PX / 2) + 1,) * 2, np.uint8)
        table = cv2.dilate(arms.astype(np.uint8), reach) == 0
        if not table.any():
            return False
        trusted = (table & (cv2.dilate(moved.astype(np.uint8), _LARGE) == 0)).astype(np.uint8)
        enough = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, ECC_STEPS, ECC_PRECISION)
        still = np.eye(2, 3, dtype=np.float32)
        try:
            _, turn = cv2.findTransformECC(seen, known, still, cv2.MOTION_AFFINE, enough, trusted, ECC_BLUR_PX)
        except cv2.error:  # it found no way to lay one over the other
            return False
        height, width = seen.shape
        corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]], np.float32)
        if float(np.linalg.norm(corners @ turn.T - corners[:, :2], axis=1).max()) > BUMP_PX:
            return False
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        self._background = np.asarray(
            cv2.warpAffine(kept, turn, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32
        )
        if float(self._foreign(small)[1][table].mean()) <= BUMP_GAIN * float(foreign[table].mean()):
            return True
        self._background = now
        return False

    def _arms(self) -> Flags:
        """Return where arms were in the frame before."""
        assert self._labels is not None
        return np.asarray(self._labels > 0)

    def _is_table(self, where: Flags, quiet_s: npt.NDArray[np.float32]) -> bool:
        """Check whether a region at the edge is the table itself, different all over and at rest."""
        is_settled = float((quiet_s[where] >= MOTION_SETTLE_S).mean()) > SETTLED_SHARE
        return is_settled and spread(where) >= TABLE_SHARE

    def _absorb(self, small: Image, where: Flags, changed: Flags) -> None:
        """Make a region part of the background, and mark it as changed."""
        assert self._background is not None
        grown = cv2.dilate(where.astype(np.uint8), _SMALL) > 0
        self._background[grown] = small[grown]
        changed |= grown

    def _bewildered(self, small: Image, at: float, scale: float, moving: bool, blank: bool) -> MotionReport:
        """
        Return the report of a frame in which nearly everything is foreign.

        The background is learnt again once nothing moves.
        """
        if self._strange_since is None or moving:
            self._strange_since = at
        if not blank and at - self._strange_since >= RELIGHT_S:
            self._strange_since, self._before = None, None if self._calm is None else self._calm[0]
            return self._begin(small, at, scale)
        shape = small.shape[:2]
        nothing = np.zeros(shape, bool)
        labels = np.full(shape, RESTING, np.uint8)
        return MotionReport(at, scale, (), labels, nothing, ~nothing, moving, PictureState(blind=True), small)

    def _name_arms(
        self, patches: npt.NDArray[np.int32], found: list[tuple[int, list[PixelPoint]]], scale: float
    ) -> tuple[Mask, tuple[Arm, ...]]:
        """Label arms. A region with several contacts is several arms that touch, split as they were before."""
        labels = np.zeros(patches.shape, np.uint8)
        arms: list[Arm] = []
        for patch, touching in found:
            where, contacts = patches == patch, self._contacts.entries(touching)
            parts = self._contacts.split(where, contacts)
            meetings: list[PixelPoint | None] = [*contacts] or [None]
            for part, contact in zip(parts, meetings, strict=True):
                if not part.any() or len(arms) >= RESTING - 1:
                    continue
                label = len(arms) + 1
                labels[part] = label
                tip = tip_of(part, contact if contact is not None else nearest_edge(part))
                full = None if contact is None else (contact[0] * scale, contact[1] * scale)
                arms.append(Arm(label, full, (tip[0] * scale, tip[1] * scale), float(part.mean())))
        self._contacts.remember(_ends_of(arms, scale), labels)
        return labels, tuple(arms)


def _ends_of(arms: Sequence[Arm], scale: float) -> dict[int, tuple[PixelPoint, PixelPoint]]:
    """Return contact and tip of each arm, in pixels of the reduced picture."""
    return {
        arm.label: ((arm.contact[0] / scale, arm.contact[1] / scale), (arm.tip[0] / scale, arm.tip[1] / scale))
        for arm in arms
        if arm.contact is not None
    }


def _sampled(small: Image) -> Image:
    """Return a sample of the pixels."""
    return small[::LEVEL_STEP_PX, ::LEVEL_STEP_PX]


def _most(difference: np.ndarray) -> Mask:
    """Return the largest of the three colour differences of each pixel."""
    blue, green, red = cv2.split(difference)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)

"""
The gate: what moves, and what reaches in from the edge, told from a reduced picture in a millisecond or two.

Theory of operation. A background picture of the table at rest is kept. Whatever differs from it is *foreign*:

* foreign and joined to the picture's edge: an **arm** (with its hand and what it carries);
* foreign, large and moving without touching the edge: an arm too (its sleeve has the colour of the table);
* any other foreign patch is **residue**: a card just laid, or the table bared by a card taken away. Once it has lain
  still for ``still_s`` it becomes part of the background, and is reported as ``changed``, once; so does, after
  ``part_s``, each part of it that lies still while another flickers;
* a patch at the edge that lies quite still is either an arm at rest or a *ghost* (an arm that was part of the
  background has left). Its outline decides: drawn in the picture, or drawn in the background.

A patch whose outline stays lies still, however its pixels flicker under a lamp.

What an arm is no difference of pictures can know: a card that the picture's edge cuts looks like one. So what is taken
for an arm and lies still is *asked about* (``asks``): a look is taken, and where it reads cards the gate is told
(``settle``). What cards make up is table; so is a card beside an arm that has lain still for ``sure_s``.

Light that changes everywhere is taken out by a gain for each colour (:mod:`vision.motion.light_change`). If much is
foreign all over the picture, the camera may have been bumped or the cloth pulled: the background is laid over the
picture anew, turned and shifted by a little. If most of the picture is foreign all the same, the background is learned
anew as soon as it is still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.sources import Image
from vision.geometry.quads import Mask
from vision.motion.arm_contacts import ArmContacts
from vision.motion.camera_sway import CameraSway
from vision.motion.cards_under_arms import CardRead, CardSpots, held_and_free, table_among
from vision.motion.lamp_bands import LampBands
from vision.motion.light_change import follow_light
from vision.motion.motion_settings import MotionSettings
from vision.motion.outlines import Outlines
from vision.motion.patches import Flags, PixelPoint, is_ghost, nearest_edge, still_parts, tip_of
from vision.motion.picture_edge import PictureEdge

NEVER = -1e9
"""A time in seconds that is long before any other."""


@dataclass(frozen=True, slots=True)
class Arm:
    """
    One arm in the picture.

    ``label``: its value in ``MotionReport.arm_labels``. ``contact``: where it meets the edge, full-size pixels; None if
    it floats. ``tip``: the part farthest in. ``share``: of the picture's area.
    """

    label: int
    contact: PixelPoint | None
    tip: PixelPoint
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class MotionReport:
    """
    What one frame shows.

    Masks are (rows, columns) of the reduced picture; multiply places by ``scale`` for full-size pixels.
    ``arm_labels``: 0 where no arm is. ``changed``: became part of the table with this frame. ``restless``: residue not
    still yet. ``moving``: anything moves. ``relearned``: the light or the camera changed, all was learned anew.
    ``blind``: the picture shows nothing (dark, flat, or nearly all foreign). ``picture``: the reduced picture itself.
    ``asks``: part of what passes for an arm lies still, and no look has been taken at it since it does.
    ``sways``: the camera itself moves, and has for a while.
    ``still_since``: (rows, columns) in seconds, since when each spot has not moved; None where nothing is known.
    """

    at: float
    scale: float
    arms: tuple[Arm, ...]
    arm_labels: Mask
    changed: Flags
    restless: Flags
    moving: bool
    relearned: bool
    blind: bool
    picture: Image | None = None
    asks: bool = False
    sways: bool = False
    still_since: npt.NDArray[np.float32] | None = None

    @property
    def hidden(self) -> Flags:
        """What arms hide, with a rim for shadows and blur."""
        mask = (self.arm_labels > 0).astype(np.uint8)
        return np.asarray(cv2.dilate(mask, _LARGE) > 0)


class MotionDetector:
    """Feed it every frame, in order of time; it remembers the background. Frames of one size only: make a new one
    else."""

    def __init__(self, settings: MotionSettings | None = None) -> None:
        self.settings = settings = settings or MotionSettings()
        self._background: npt.NDArray[np.float32] | None = None
        self._before: npt.NDArray[np.float32] | None = None
        self._previous: Image | None = None
        self._quiet_since: npt.NDArray[np.float32] | None = None
        self._resting: Flags | None = None
        self._labels: Mask | None = None
        self._contacts = ArmContacts(settings)
        self._strange_since: float | None = None
        self._bump_tried_at = NEVER
        self._calm: tuple[npt.NDArray[np.float32], Flags] | None = None
        self._levels = settings.foreign_levels
        self._still: list[Flags] = []
        self._asked: Mask | None = None
        self._restless_since: npt.NDArray[np.float32] | None = None
        self._outlines = Outlines(settings)
        self._edge = PictureEdge(settings)
        self._still_for: npt.NDArray[np.float32] | None = None
        self._newest: MotionReport | None = None
        self._sway = CameraSway(settings.sway)
        self._bands = LampBands(settings.light)
        self._held: list[CardSpots] = []
        self.wants_to_know = False
        """Did the last look read a card among arms, in no hand, of which another will tell whether it rests?"""

    @property
    def background(self) -> Image | None:
        """The table as it is thought to be without arms, reduced; None before the first frame."""
        return None if self._background is None else np.clip(self._background, 0, 255).astype(np.uint8)

    def feed(self, image_bgr: Image, at: float) -> MotionReport:
        """Judge one frame of the time ``at`` (seconds)."""
        scale = image_bgr.shape[1] / self.settings.width_px
        small = self.reduce(image_bgr, at)
        self._still = []
        if self._background is None or self._previous is None or self._previous.shape != small.shape:
            self._newest = self._begin(small, at, scale)
        else:
            self._newest = self._judge(small, at, scale)
        if self._sway.moves:
            self._newest = replace(self._newest, sways=True)
        return self._newest

    @property
    def held(self) -> list[Flags]:
        """Where the cards lie that the last look read in hands, each (rows, columns) of the reduced picture."""
        return [card.spots for card in self._held]

    def reduce(self, image_bgr: Image, at: float) -> Image:
        """The reduced picture of a frame."""
        return reduced(image_bgr, self.settings.width_px)

    def comes_back(self, image_bgr: Image, at: float) -> bool:
        """
        Does a frame show the table as it was before all was learned anew, but for arms and a card or two? Then that is
        the background again.
        """
        now, before = self._background, self._before
        if now is None or before is None:
            return False
        small = self.reduce(image_bgr, at)
        self._background = before
        if small.shape == before.shape and float(self._foreign(small)[1].mean()) <= self.settings.known_share:
            self._begin(small, at, 1.0)
            self._background, self._before = before, None
            return True
        self._background = now
        return False

    def settle(self, cards: Sequence[CardRead], arms_seen: Flags | None = None) -> MotionReport | None:
        """
        A look at the newest frame has read ``cards``: where they make up what passes for an arm it is none. The report
        of that frame put right, None if nothing changes.

        ``arms_seen``, (rows, columns) of any size: where that frame by itself shows arms, None: nobody knows. A card on
        which fingers lie is in a hand, however still; one that none is near lies there once it is at rest, whatever
        flickers on it.
        """
        report = self._newest
        if report is None or report.blind or self._quiet_since is None or self._still_for is None:
            return None
        assert self._asked is not None
        assert self._resting is not None
        quiet_s = report.at - self._quiet_since  # a hand keeps its outline too; what it holds is never quiet
        for part in self._still:
            self._asked[part] = np.where(self._still_for[part] >= self.settings.sure_s, ASKED_TWICE, ASKED)
        places = [CardSpots.of(card, report.arm_labels, report.scale) for card in cards]
        self._held, lying = held_and_free(places, arms_seen, report.arm_labels, self._held, self.settings)
        table = table_among(lying, self._still, self._resting, report.arm_labels, quiet_s, self.settings)
        among_arms = [
            each for each in lying if (report.arm_labels[each.spots] > 0).any() and not table[each.spots].any()
        ]
        self.wants_to_know = arms_seen is not None and any(not each.is_at_rest for each in among_arms)
        return self._settled(report, table) if table.any() else None

    def _settled(self, report: MotionReport, table: Flags) -> MotionReport:
        """The newest report, where ``table`` is no arm but has changed."""
        assert report.picture is not None
        assert self._resting is not None
        labels, changed = report.arm_labels.copy(), report.changed.copy()
        labels[table] = 0
        for arm in report.arms:
            own = labels == arm.label
            if own.sum() <= self.settings.arm_share * own.size and (report.arm_labels == arm.label)[table].any():
                labels[own] = 0
                table = table | own
        self._absorb(report.picture, table, changed)
        self._resting[table] = False
        self._labels = labels
        arms = tuple(arm for arm in report.arms if (labels == arm.label).any())
        self._contacts.note(_ends_of(arms, report.scale), labels)
        self._newest = replace(report, arms=arms, arm_labels=labels, changed=changed, asks=False)
        return self._newest

    def _begin(self, small: Image, at: float, scale: float) -> MotionReport:
        shape = small.shape[:2]
        self._background, self._previous = small.astype(np.float32), small
        is_pale = float(np.median(_sampled(small).reshape(-1, 3), axis=0).min()) >= self.settings.pale_from
        self._levels = self.settings.pale_levels if is_pale else self.settings.foreign_levels
        self._quiet_since = np.full(shape, at, np.float32)
        self._resting = np.zeros(shape, bool)
        self._labels = np.zeros(shape, np.uint8)
        self._asked = np.zeros(shape, np.uint8)
        self._restless_since = np.full(shape, np.inf, np.float32)
        self._outlines, self._still_for = Outlines(self.settings), None
        nothing = np.zeros(shape, bool)
        changed = np.ones(shape, bool)
        blank = self._is_blank(small)
        return MotionReport(
            at, scale, (), self._labels, changed, nothing, True, True, blank, small, still_since=self._quiet_since
        )

    def _is_blank(self, small: Image) -> bool:
        sample = _sampled(small)
        return float(sample.mean()) < self.settings.dark_levels or float(sample.std()) < self.settings.flat_levels

    def _judge(self, small: Image, at: float, scale: float) -> MotionReport:
        assert self._background is not None
        assert self._previous is not None
        assert self._quiet_since is not None
        assert self._resting is not None
        s = self.settings
        small = self._bands.without(small, self._background)
        moved = _most(cv2.absdiff(small, self._previous)) > s.moving_levels
        self._sway.feed(small, moved, at)
        self._previous = small
        follow_light(self._background, small, self.settings.light)
        background, foreign = self._foreign(small)
        bumped = False
        if _spread(foreign) < s.spread_share:
            self._calm = (self._background.copy(), self._arms())
        elif at - self._bump_tried_at >= s.bump_every_s and float(moved.mean()) < s.bump_moving * float(foreign.mean()):
            self._bump_tried_at = at
            bumped = self._follow_bump(small, foreign, moved)
            if bumped:
                background, foreign = self._foreign(small)
        self._edge.feed(background)
        moved &= foreign > 0
        shaken = cv2.dilate(moved.astype(np.uint8), _SMALL) > 0
        self._quiet_since[shaken] = at
        self._still_for = quiet_s = at - self._quiet_since
        blank = self._is_blank(small)
        if float(foreign.mean()) > s.relight_share or blank:
            return self._bewildered(small, at, scale, bool(moved.mean() > s.moving_share), blank)
        self._strange_since = None
        count, numbered, stats, _ = cv2.connectedComponentsWithStats(foreign, connectivity=8)
        patches = np.asarray(numbered, np.int32)
        total = foreign.size
        changed = np.zeros(foreign.shape, bool)
        restless = np.zeros(foreign.shape, bool)
        arm_patches: list[tuple[int, list[PixelPoint]]] = []
        for k in range(1, count):
            size = int(stats[k, cv2.CC_STAT_AREA])
            if size < s.speck_px:
                continue
            where = patches == k
            contacts = self._edge.contacts(where) if size > s.arm_share * total else []
            if contacts:
                quiet_s[where] = np.maximum(quiet_s[where], self._outlines.kept_for(where, at))
            quiet = float(np.percentile(quiet_s[where], s.quiet_percentile))
            if contacts:
                if self._is_table(where, quiet_s):
                    still = where & (quiet_s >= s.settle_s)
                    self._absorb(small, still, changed)
                    self._resting[still] = False
                    bumped = True
                    continue
                ghost = quiet >= s.ghost_s and is_ghost(small, background, where, s)
                if ghost or quiet >= s.rest_s:
                    self._absorb(small, where, changed)
                    # A resting arm hides what lies under it; a ghost uncovers it again.
                    self._resting[where] = not ghost
                else:
                    arm_patches.append((k, contacts))
                    self._still += self._still_of(where, quiet, quiet_s)
            elif quiet >= s.still_s:
                self._absorb(small, where, changed)
                self._resting[where] = False
            elif size > s.floating_share * total and float(moved[where].mean()) > s.floating_moving:
                arm_patches.append((k, []))
                self._still += self._still_of(where, quiet, quiet_s)
            else:
                restless |= where
                for part in still_parts(where, quiet_s, s.part_s, s.part_px):
                    self._absorb(small, part, changed)
                    self._resting[part] = False
                    restless &= ~part
        labels, arms = self._name_arms(patches, arm_patches, scale)
        labels[self._resting & (labels == 0)] = RESTING
        self._labels = labels
        self._outlines.note(labels > 0, at)
        calm = (foreign == 0) & (labels == 0)
        cv2.accumulateWeighted(small, self._background, s.learning_rate, calm.astype(np.uint8))
        return MotionReport(
            at, scale, arms, labels, changed, self._without_flicker(restless, at), bool(moved.any()), bumped, False,
            small, self._asks(quiet_s), still_since=self._quiet_since,
        )  # fmt: skip

    def _still_of(self, where: Flags, quiet: float, quiet_s: npt.NDArray[np.float32]) -> list[Flags]:
        """What of an arm lies still: all of it, or parts that have for longer, whatever moves beside them."""
        s = self.settings
        return [where] if quiet >= s.ask_s else still_parts(where, quiet_s, s.sure_s, s.part_px)

    def _asks(self, quiet_s: npt.NDArray[np.float32]) -> bool:
        """Does a part of an arm lie still at which no look was taken since it does, or none since it surely does?"""
        assert self._asked is not None
        s, asked = self.settings, self._asked
        asked[quiet_s < s.ask_s] = 0
        for part in self._still:
            due = np.where(quiet_s[part] >= s.sure_s, ASKED_TWICE, ASKED) > asked[part]
            if int(due.sum()) >= s.part_px:
                return True
        return False

    def _without_flicker(self, restless: Flags, at: float) -> Flags:
        """What is restless, but for what has been so for so long that it will not come to rest."""
        assert self._restless_since is not None
        since = self._restless_since
        since[~restless] = np.inf
        since[restless] = np.minimum(since[restless], at)
        return restless & (at - since < self.settings.flicker_s)

    def _foreign(self, small: Image) -> tuple[Image, Mask]:
        """The background as a picture, and (rows, columns) 1 where the frame differs from it."""
        assert self._background is not None
        background = np.asarray(cv2.convertScaleAbs(self._background), np.uint8)
        difference = _most(cv2.absdiff(small, background))
        foreign = (difference > self._levels).astype(np.uint8)
        foreign = np.asarray(cv2.morphologyEx(foreign, cv2.MORPH_OPEN, _SMALL), np.uint8)
        return background, np.asarray(cv2.morphologyEx(foreign, cv2.MORPH_CLOSE, _LARGE), np.uint8)

    def _follow_bump(self, small: Image, foreign: Mask, moved: Flags) -> bool:
        """Lay the background over the frame as the camera sees the table now, if that explains what is foreign."""
        assert self._background is not None
        s = self.settings
        now = self._background
        # What lay still since may have been learned where it lies now; arms say nothing of the table.
        kept, arms = (now, self._arms()) if self._calm is None else self._calm
        seen, known = (cv2.cvtColor(np.asarray(each, np.uint8), cv2.COLOR_BGR2GRAY) for each in (small, kept))
        reach = np.ones((2 * round(s.bump_px / 2) + 1,) * 2, np.uint8)
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
        if float(np.linalg.norm(corners @ turn.T - corners[:, :2], axis=1).max()) > s.bump_px:
            return False
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        self._background = np.asarray(
            cv2.warpAffine(kept, turn, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32
        )
        if float(self._foreign(small)[1][table].mean()) <= s.bump_gain * float(foreign[table].mean()):
            return True
        self._background = now
        return False

    def _arms(self) -> Flags:
        """Where arms were in the frame before."""
        assert self._labels is not None
        return np.asarray(self._labels > 0)

    def _is_table(self, where: Flags, quiet_s: npt.NDArray[np.float32]) -> bool:
        """Is a patch at the edge not an arm but the table itself, looking different all over and lying still?"""
        s = self.settings
        is_settled = float((quiet_s[where] >= s.settle_s).mean()) > s.settled_share
        return is_settled and _spread(where) >= s.table_share

    def _absorb(self, small: Image, where: Flags, changed: Flags) -> None:
        assert self._background is not None
        grown = cv2.dilate(where.astype(np.uint8), _SMALL) > 0
        self._background[grown] = small[grown]
        changed |= grown

    def _bewildered(self, small: Image, at: float, scale: float, moving: bool, blank: bool) -> MotionReport:
        """Nearly everything is foreign: wait for stillness, then learn the table anew."""
        if self._strange_since is None or moving:
            self._strange_since = at
        if not blank and at - self._strange_since >= self.settings.relight_s:
            self._strange_since, self._before = None, None if self._calm is None else self._calm[0]
            return self._begin(small, at, scale)
        shape = small.shape[:2]
        nothing = np.zeros(shape, bool)
        labels = np.full(shape, RESTING, np.uint8)
        return MotionReport(at, scale, (), labels, nothing, ~nothing, moving, False, True, small)

    def _name_arms(
        self, patches: npt.NDArray[np.int32], found: list[tuple[int, list[PixelPoint]]], scale: float
    ) -> tuple[Mask, tuple[Arm, ...]]:
        """Label arms; one patch with several contacts is several arms that touch each other, split as they lay
        before."""
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
        self._contacts.note(_ends_of(arms, scale), labels)
        return labels, tuple(arms)


def _ends_of(arms: Sequence[Arm], scale: float) -> dict[int, tuple[PixelPoint, PixelPoint]]:
    """Where each of the arms meets the edge of the reduced picture, and its tip."""
    return {
        arm.label: ((arm.contact[0] / scale, arm.contact[1] / scale), (arm.tip[0] / scale, arm.tip[1] / scale))
        for arm in arms
        if arm.contact is not None
    }


PARTS = (12, 8)
"""The picture in so many parts, across and down, for telling how far something foreign is spread."""
PART_TOUCHED = 1 / 12
"""Share of a part that must be foreign for it to be touched."""
LEVEL_STEP_PX = 4
"""One pixel in so many, across and down, tells how bright and how flat a picture is."""
ECC_STEPS, ECC_PRECISION, ECC_BLUR_PX = 40, 1e-4, 5
"""The search for a bump (``findTransformECC``) ends after so many steps, or with a gain below this; the pictures are
blurred by this first."""
ASKED, ASKED_TWICE = 1, 2
"""How often a still spot of an arm was looked at: since it came to rest, and since it surely is at rest."""
RESTING = 255
"""Label of what an arm at rest (or an object at the edge) hides."""

_SMALL = np.ones((3, 3), np.uint8)
_LARGE = np.ones((5, 5), np.uint8)


def reduced(image_bgr: Image, width_px: int) -> Image:
    """A picture made ``width_px`` wide. Halving step by step is three times as quick as one averaging resize."""
    small = image_bgr
    while small.shape[1] >= 2 * width_px and small.shape[0] >= 2:
        small = np.asarray(
            cv2.resize(small, (small.shape[1] // 2, small.shape[0] // 2), interpolation=cv2.INTER_AREA), np.uint8
        )
    height = max(1, round(image_bgr.shape[0] * width_px / image_bgr.shape[1]))
    if small.shape[:2] == (height, width_px):
        return small
    return np.asarray(cv2.resize(small, (width_px, height), interpolation=cv2.INTER_AREA), np.uint8)


def _spread(foreign: Mask | Flags) -> float:
    """Share of the picture's parts that something foreign touches."""
    parts = cv2.resize(foreign.astype(np.float32), PARTS, interpolation=cv2.INTER_AREA)
    return float((parts > PART_TOUCHED).mean())


def _sampled(small: Image) -> Image:
    """A few pixels for all."""
    return small[::LEVEL_STEP_PX, ::LEVEL_STEP_PX]


def _most(difference: np.ndarray) -> Mask:
    """The largest of the three colour differences, per pixel."""
    blue, green, red = cv2.split(difference)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)

"""
Hands over time: which visit an arm belongs to, whose it is, what it was over, and when it was at the talon.

The gate finds arms frame by frame; here they become *visits*, from coming into the picture until leaving it. Each visit
keeps when it was last over every spot of the reduced picture, so that a card's place can be asked who was there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Array, Mask, centre, fill
from vision.geometry.table_layout import TableLayout
from vision.motion.back_colour import BackColours
from vision.motion.background_subtraction import NEVER, Arm, MotionReport
from vision.motion.change_onset import ChangeOnsets
from vision.motion.patches import Flags, PixelPoint
from vision.observation import HandVisit, Pose, TalonCall, Touch


@dataclass(frozen=True, slots=True)
class HandTrackerSettings:
    """
    Limits for telling visits and what they were about. Shares are from 0 to 1, times in seconds.

    Set by hand, 2026-11.
    """

    leave_s: float = 0.11
    """An arm not seen for so long has left; shorter gaps are one or two lost frames. Longer: all that waits for hands
    to leave is told later; shorter: one visit becomes two."""
    sure_seat: float = 0.75
    """A seat is named from this share on: below, two seats are about equally likely. Higher: more plays of nobody;
    lower: more of the wrong seat."""
    jump_share: float = 0.2
    """An arm's contact moves less than this share of the picture's width from frame to frame. Higher: two arms become
    one visit; lower: a quick arm becomes two."""
    back_frames: int = 3
    """An arm that floats is compared with the tips of so many frames back. More: steadier; fewer: a lost frame ends the
    visit."""
    talon_cover: float = 0.06
    """A hand that hides this share of the talon is at it. Higher: draws with two fingers are lost; lower: shadows
    draw."""
    talon_reach_mm: float = 75.0
    """A hand is for the talon if its tips end within this of the talon's middle: a card's length and some fingers.
    Higher: hands passing over it draw; lower: draws from its far end are lost."""
    carried_s: float = 0.5
    """So long before and after it was at the talon a hand is looked at for what it carries. Longer: a card that is
    laid down meanwhile counts; shorter: a card that shows late doesn't."""
    parting_s: float = 0.15
    """So long the hand that laid a card may still pass over its rim once it is seen. Longer: the next hand may have
    laid it; shorter: nobody has."""
    touch_slack_s: float = 0.1
    """Finger tips from so long before a span of time count with it. Longer: hands that had gone; shorter: a hand of
    which only the arm was seen in it is not there."""
    clear_percentile: float = 98.0
    """An arm was last over a place when so many per cent of its spots were clear: a few may flicker. Higher: told
    later; lower: an arm over a corner doesn't count."""
    heap_cover: float = 0.15
    """A hand that hides this share of the heap is at it. Higher: cards thrown on it went elsewhere; lower: hands that
    pass over it put something there."""
    edge_share: float = 0.1
    """Finger tips this near (in heights of the picture) to its edge are with whoever sits there. Higher: hands in the
    middle of a small table have pushed cards across; lower: cards pushed half-way stay with who pushed them."""
    shoulder_share: float = 0.3
    """An arm is thought to come from this far (in widths of the picture) beyond the edge. Higher: its direction alone
    tells the seat; lower: where it meets the edge does."""
    least_arm: float = 0.06
    """An arm shorter than this (in widths of the picture) has no direction. Higher: fewer arms have one; lower: noise
    turns short ones."""
    own_share: float = 0.3
    """A visit that was nowhere but where a card turned out to lie, but for less than this share of the card's place,
    was the card. Higher: hands that only just reached in are forgotten; lower: a card's shadow is a hand."""
    came_in: float = 1.4
    """A card cut by the edge that took so many times as much of the picture when it lay as when it was first seen has
    come in over the edge: a hand laid it, though little of it was seen. Higher: such cards are nobody's; lower: a card
    that lay there and looks different is laid."""
    uncovers_s: float = 0.5
    """... but for one that another hand was over so long before: that one laid it, and bares it as it goes. Longer: of
    two cards laid quickly at one place of the edge the second is nobody's; shorter: a hand that goes slowly is two."""
    beyond_share: float = 0.2
    """Of what comes in over the edge so much is no card, or it is no hand: cards that slide in by themselves are drawn
    over the film. Higher: a hand behind its cards is none; lower: a shadow's rim is a hand."""
    grown: float = 1.3
    """It is looked at whenever it takes so many times as much of the picture as when it was looked at last. Higher:
    graphics are hands as long as they are half in; lower: dearer."""
    went_back: float = 0.5
    """What is joined to the edge last is no more than this share of the most that was: a hand goes back. Higher:
    graphics are hands; lower: a hand that is gone in a moment is none."""
    slid_share: float = 0.3
    """A card of whose place so much was covered by no hand as it came has slid in. Higher: graphics are cards; lower: a
    card beside graphics is drawn."""
    remember_s: float = 12.0
    """Visits are kept so long after they ended, for cards that are understood late. Longer: dearer; shorter: such cards
    are nobody's."""


@dataclass(slots=True)
class _Visit:
    number: int
    came_at: float
    last_over: npt.NDArray[np.float32]
    mask: Mask
    contact: PixelPoint
    seen_at: float
    left_at: float | None = None
    weights: dict[str, float] = field(default_factory=dict)
    tips: list[tuple[float, float, float]] = field(default_factory=list)
    heap_at: float | None = None
    calls: list[TalonCall] = field(default_factory=list)
    call_began: list[float] = field(default_factory=list)
    like_back: list[tuple[float, float]] = field(default_factory=list)
    at_talon_since: float | None = None
    off_talon_at: float = 0.0
    reached: str | None = None
    reached_at: float = 0.0
    shown_px: int = 0
    is_hand: bool = True
    has_contact: bool = False
    is_at_edge: bool = False
    edge_px: int = 0
    most_edge_px: int = 0
    first_px: int = 0
    ended: tuple[TableLayout, HandVisit] | None = None

    def note_edge(self, arm: Arm, mask: Mask) -> None:
        """Remember how much of what has come in is joined to the edge."""
        self.is_at_edge = arm.contact is not None
        if self.is_at_edge:
            self.edge_px = int(np.count_nonzero(mask))
            self.first_px = self.first_px or self.edge_px
            self.most_edge_px = max(self.most_edge_px, self.edge_px)

    def has_come_in(self, grown: float) -> bool:
        """Was it first seen at the edge, small, and grew as it came: ``grown`` times, of settings?"""
        return 0 < self.first_px * grown <= self.most_edge_px

    def is_drawn(self, went_back: float) -> bool:
        """
        Nothing but cards has come in, and came clear of the edge whole: graphics. A hand that lays a card close to the
        edge shows little of itself, but it goes back where it came from: ``went_back``, of settings.
        """
        return not self.is_hand and not self.is_at_edge and self.edge_px > went_back * self.most_edge_px


class HandTracker:
    """Feed it every gate report; ask it for visits and touches."""

    def __init__(self, settings: HandTrackerSettings = HandTrackerSettings()) -> None:
        self.settings = settings
        self._visits: list[_Visit] = []
        self._count = 0
        self._any_over: npt.NDArray[np.float32] | None = None
        self._slid_over: npt.NDArray[np.float32] | None = None
        self._scale = 1.0
        self._back = BackColours()
        self._onsets = ChangeOnsets()
        self.left_now = False
        """Has a hand left with this frame?"""

    @property
    def busy(self) -> bool:
        """Is a hand in the picture?"""
        return any(visit.left_at is None for visit in self._visits)

    def feed(self, report: MotionReport, layout: TableLayout) -> None:
        """Follow the arms of one frame."""
        shape = report.arm_labels.shape
        self._scale = report.scale
        if self._any_over is None or self._any_over.shape != shape:
            self._any_over = np.full(shape, NEVER, np.float32)
            self._slid_over = np.full(shape, NEVER, np.float32)
            self._visits.clear()
        self._any_over[report.arm_labels > 0] = report.at
        for visit in self._visits:
            self._note_slid(visit)
        self._onsets.feed(report)
        for visit in self._visits:
            visit.mask[:] = 0
        if layout.talon_px is not None:
            self._back.learn(report, layout.talon_px)
        for arm in sorted(report.arms, key=lambda arm: arm.contact is None):
            self._join(arm, report, layout)
        self.left_now = False
        for visit in self._visits:
            if visit.left_at is None:
                self._watch_piles(visit, report, layout)
                self._watch_edges(visit, report, layout)
            if visit.left_at is None and report.at - visit.seen_at > self.settings.leave_s and not report.blind:
                visit.left_at, self.left_now = visit.seen_at, True
        self._visits = [
            v for v in self._visits if v.left_at is None or report.at - v.left_at < self.settings.remember_s
        ]

    @property
    def wants_to_see(self) -> bool:
        """Is it open of something that came in over the edge whether it is a hand?"""
        return any(self._is_open(visit) for visit in self._visits)

    def _is_open(self, visit: _Visit) -> bool:
        least = max(self.settings.grown * visit.shown_px, 1.0)
        return visit.has_contact and visit.left_at is None and int(np.count_nonzero(visit.mask)) >= least

    def show(self, cards: Flags) -> None:
        """
        Where the newest frame by itself shows cards, (rows, columns) of any size: what has come in and is nothing but
        cards is no hand.
        """
        for visit in (each for each in self._visits if self._is_open(each)):
            shape = visit.mask.shape
            seen = cv2.resize(cards.astype(np.uint8), shape[::-1], interpolation=cv2.INTER_NEAREST)
            beyond = (visit.mask > 0) & (cv2.dilate(seen, _CARD_RIM) == 0)
            visit.shown_px = int(np.count_nonzero(visit.mask))
            visit.is_hand = float(beyond.sum()) >= self.settings.beyond_share * visit.shown_px

    def slid_in(self, quad_px: Array, since: float) -> bool:
        """Did what came to a place since a moment come in over the edge by itself, without a hand?"""
        if self._slid_over is None:
            return False
        over = self._slid_over[fill(self._slid_over.shape, quad_px, 1 / self._scale) > 0]
        return len(over) > 0 and float((over >= since - A_MOMENT_S).mean()) >= self.settings.slid_share

    def uncover(self, place: Flags, report: MotionReport) -> None:
        """
        What passed for an arm at ``place``, (rows, columns), was none: a card lies there, and has since it came to
        rest. Visits that were nothing else never were; those of which nothing else is left ended when it was.
        """
        if self._any_over is None or report.still_since is None:
            return
        rest_at = report.still_since[place]
        self._any_over[place] = np.minimum(self._any_over[place], rest_at)
        beyond = cv2.dilate(place.astype(np.uint8), np.ones((5, 5), np.uint8)) == 0
        kept = []
        for visit in self._visits:
            self._note_slid(visit)
            own = (visit.last_over > NEVER / 2) & beyond
            is_open = visit.left_at is None and bool(visit.mask[place].any())
            if is_open and own.sum() < self.settings.own_share * place.sum():
                if not visit.has_come_in(self.settings.came_in) or self._was_over(place, visit):
                    continue
                own = visit.last_over > NEVER / 2
            visit.last_over[place] = np.minimum(visit.last_over[place], rest_at)
            if is_open and not visit.mask[beyond].any():
                visit.left_at, self.left_now = float(visit.last_over[own].max()), True
                visit.tips = [tip for tip in visit.tips if tip[0] <= visit.left_at] or visit.tips[:1]
            visit.mask[place] = 0
            kept.append(visit)
        self._visits = kept

    def _was_over(self, place: Flags, visit: _Visit) -> bool:
        """Was another hand there just before a visit came? Then what seems to have come was uncovered by it."""
        since = visit.came_at - self.settings.uncovers_s
        return any(bool((each.last_over[place] >= since).any()) for each in self._visits if each is not visit)

    def _note_slid(self, visit: _Visit) -> None:
        """Remember where what turns out to be no hand has been."""
        if visit.is_drawn(self.settings.went_back):
            assert self._slid_over is not None
            np.maximum(self._slid_over, visit.last_over, out=self._slid_over)

    def visits(self, layout: TableLayout) -> tuple[HandVisit, ...]:
        """All visits still remembered, in the order they came."""
        told = []
        for visit in self._visits:
            if visit.ended is None or visit.ended[0] is not layout:
                visit.ended = (layout, self._told(visit, layout))
            told.append(visit.ended[1])
            if visit.left_at is None:
                visit.ended = None  # it goes on
        return tuple(told)

    def touches(
        self, quad_px: Array, since: float, until: float, layout: TableLayout, *, seen: bool = False
    ) -> tuple[Touch, ...]:
        """The hands that were over a place in a span of time. ``seen``: only those that a look has seen to be hands."""
        if self._any_over is None:
            return ()
        place = fill(self._any_over.shape, quad_px, 1 / self._scale) > 0
        pixels = max(1, int(place.sum()))
        middle = centre(layout.mm(quad_px))
        found = []
        for visit in self._visits:
            if visit.is_drawn(self.settings.went_back) or (seen and not (visit.shown_px and visit.is_hand)):
                continue
            over = visit.last_over[place]
            within = (over >= since) & (over <= until)
            tips = [(x, y) for at, x, y in visit.tips if since - self.settings.touch_slack_s <= at <= until]
            if within.any() and tips:
                near = float(np.linalg.norm(layout.mm(tips) - middle, axis=1).min())
                found.append(
                    Touch(
                        visit.number, round(float(within.sum()) / pixels, 3), round(near, 1), float(over[within].max())
                    )
                )
        return tuple(found)

    def lain_since(self, quad_px: Array, after: float, until: float, others_px: Sequence[Array]) -> float | None:
        """
        When a card that was found at ``until``, and not at ``after``, is known to have lain there; None if unknown.

        A hand that came later did not lay it, however long it hid it.
        """
        since = self._onsets.since(quad_px, after, others_px)
        return None if since is None else min(since + self.settings.parting_s, until)

    def clear_at(self, quad_px: Array, until: float) -> float:
        """When an arm was last over a place, at ``until`` the latest; ``until`` itself if none ever was."""
        if self._any_over is None:
            return until
        over = self._any_over[fill(self._any_over.shape, quad_px, 1 / self._scale) > 0]
        over = over[(over > NEVER / 2) & (over <= until)]
        return float(np.percentile(over, self.settings.clear_percentile)) if len(over) else until

    def _join(self, arm: Arm, report: MotionReport, layout: TableLayout) -> None:
        mask = (report.arm_labels == arm.label).astype(np.uint8)
        visit = self._visit_of(arm, mask, report)
        if visit is None:
            self._count += 1
            visit = _Visit(
                self._count,
                report.at,
                np.full(mask.shape, NEVER, np.float32),
                np.zeros(mask.shape, np.uint8),
                arm.contact or arm.tip,
                report.at,
                has_contact=arm.contact is not None,
            )
            self._visits.append(visit)
        visit.seen_at = report.at
        visit.note_edge(arm, mask)
        visit.mask |= mask
        visit.last_over[mask > 0] = report.at
        like_back = self._back.like_it(report, mask)
        if like_back is not None:
            visit.like_back.append((report.at, like_back))
        if arm.contact is not None:
            visit.contact = arm.contact
            for seat, share in layout.seat_shares(_shoulder(arm, layout.picture[0], self.settings)).items():
                visit.weights[seat] = visit.weights.get(seat, 0.0) + share * arm.share
        if not visit.tips or visit.tips[-1][0] < report.at:
            visit.tips.append((report.at, *arm.tip))
        elif _far(arm.tip, visit.contact) > _far((visit.tips[-1][1], visit.tips[-1][2]), visit.contact):
            visit.tips[-1] = (report.at, *arm.tip)

    def _visit_of(self, arm: Arm, mask: Mask, report: MotionReport) -> _Visit | None:
        width = mask.shape[1] * report.scale
        best: tuple[float, float, _Visit] | None = None
        for visit in self._visits:
            if visit.left_at is not None:
                continue
            if arm.contact is not None:
                if visit.mask.any():  # already an arm of this frame: a second contact is a second arm
                    continue
                gap = _far(arm.contact, visit.contact)
            else:
                gap = min(
                    (_far(arm.tip, (x, y)) for at, x, y in visit.tips[-self.settings.back_frames :]), default=width
                )
            if gap >= self.settings.jump_share * width:
                continue
            # An arm that breaks in two for a frame and is whole again is the one that it was, not the new piece.
            apart = -float((visit.last_over[mask > 0] >= visit.seen_at).sum())
            if best is None or (apart, gap) < best[:2]:
                best = (apart, gap, visit)
        return None if best is None else best[2]

    def _watch_piles(self, visit: _Visit, report: MotionReport, layout: TableLayout) -> None:
        shape = visit.mask.shape
        for outline in layout.heaps_px:
            heap = fill(shape, outline, 1 / report.scale) > 0
            if heap.any() and float((visit.mask[heap] > 0).mean()) > self.settings.heap_cover:
                visit.heap_at = report.at
        if layout.talon_px is None:
            return
        talon = fill(shape, layout.talon_px, 1 / report.scale) > 0
        near = cv2.dilate(visit.mask, np.ones((3, 3), np.uint8))
        at_it = bool(talon.any()) and float((near[talon] > 0).mean()) > self.settings.talon_cover
        if at_it:
            if visit.at_talon_since is None:
                visit.at_talon_since = report.at
            visit.off_talon_at = report.at
        elif visit.at_talon_since is not None:
            self._end_call(visit, layout)

    def _watch_edges(self, visit: _Visit, report: MotionReport, layout: TableLayout) -> None:
        """Cards are pushed across the table to who takes them: has the hand come to another seat?"""
        if not visit.tips or visit.tips[-1][0] < report.at or not visit.weights:
            return
        _, x, y = visit.tips[-1]
        width, height = layout.picture
        if min(x, y, width - x, height - y) > self.settings.edge_share * height:
            return
        shares = layout.seat_shares((x, y))
        there, own = (
            max(shares, key=lambda seat: shares[seat]),
            max(visit.weights, key=lambda seat: visit.weights[seat]),
        )
        if there != own and shares[there] >= self.settings.sure_seat:
            visit.reached, visit.reached_at = there, report.at

    def _end_call(self, visit: _Visit, layout: TableLayout) -> None:
        """The hand is clear of the talon: was it there for a card, or only passing over it?"""
        since, until = visit.at_talon_since, visit.off_talon_at
        visit.at_talon_since = None
        assert since is not None
        assert layout.talon_px is not None
        tips = [(x, y) for at, x, y in visit.tips if since <= at <= until]
        if not tips:
            return
        deepest = max(tips, key=lambda tip: _far(tip, visit.contact))
        gap = float(np.linalg.norm(layout.mm(deepest) - centre(layout.mm(layout.talon_px))))
        if gap <= self.settings.talon_reach_mm:
            visit.calls.append(TalonCall(until, round(gap, 1)))
            visit.call_began.append(since)

    def _with_carried(self, visit: _Visit) -> tuple[TalonCall, ...]:
        """The calls, with what the hand carried away as far as it was seen by now."""
        wait = self.settings.carried_s
        told = []
        for call, since in zip(visit.calls, visit.call_began, strict=True):
            before = [share for at, share in visit.like_back if since - wait <= at < since]
            after = [share for at, share in visit.like_back if call.at < at <= call.at + wait]
            more = round(max(after) - max(before), 2) if before and after else None
            told.append(replace(call, carried=more))
        return tuple(told)

    def _told(self, visit: _Visit, layout: TableLayout) -> HandVisit:
        total = sum(visit.weights.values())
        seat, share = None, 0.0
        if total > 0:
            seat, weight = max(visit.weights.items(), key=lambda item: item[1])
            share = weight / total
        where = layout.mm([visit.contact, *((x, y) for _, x, y in visit.tips)]).round(1).tolist()
        (home_x, home_y), (x_mm, y_mm) = where[0], where[-1] if visit.tips else (0.0, 0.0)
        return HandVisit(
            visit.number,
            seat if share >= self.settings.sure_seat else None,
            round(share, 3),
            visit.came_at,
            visit.left_at,
            seat,
            Pose(x_mm, y_mm),
            visit.heap_at,
            self._with_carried(visit),
            visit.reached,
            visit.reached_at,
            tuple((at, x, y) for (at, _, _), (x, y) in zip(visit.tips, where[1:], strict=True)),
            Pose(home_x, home_y),
        )


def _far(one: PixelPoint, other: PixelPoint) -> float:
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


def _shoulder(arm: Arm, width: int, settings: HandTrackerSettings) -> PixelPoint:
    """Where the arm comes from, beyond the edge: the line from its tip through its contact, carried on."""
    assert arm.contact is not None
    x, y = arm.contact[0] - arm.tip[0], arm.contact[1] - arm.tip[1]
    length = float(np.hypot(x, y))
    if length < settings.least_arm * width:
        return arm.contact
    on = settings.shoulder_share * width / length
    return arm.contact[0] + x * on, arm.contact[1] + y * on


A_MOMENT_S = 1e-3
"""Times are kept as float32 here: what differs by less than this, in seconds, is the same. Higher: what came before
counts; lower: what came with a look doesn't."""
CARD_RIM_PX = 3
"""So far round what shows cards a hand isn't looked for: shadows and blur. More: fingers round a card are none; fewer:
shadows are hands. Set by hand, 2026-11."""
_CARD_RIM = np.ones((2 * CARD_RIM_PX + 1, 2 * CARD_RIM_PX + 1), np.uint8)

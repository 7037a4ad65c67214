"""
Decide when to run inference: motion detection sees every frame, but the networks are too slow for that.

The reasons are tried in this order. The first that applies decides; where it says "not yet", no later one is tried.

    reason      applies while                                     inference runs
    CHANGED     enough of the picture outside arms has changed    once nothing moves, or after ``PATIENCE_S``
    HELD_BACK   an event waits for a second inference             ``HELD_BACK_GAP_S`` after the last inference
    CARD_SHOWS  a card shows at rest within an arm region         at once
    STILL_ARM   an arm region is at rest and may be a card        ``DOUBT_GAP_S`` after the last inference; the gap
                                                                  doubles each time it was none, up to a second
    IN_DOUBT    the last inference was inconclusive, at most      at once; from the fourth in a row on, every
                ``DOUBTFUL_INFERENCES`` in a row                  ``DOUBT_GAP_S`` unless a card still settles
    HAND_LEFT   an inference after some moment would show         ``PATIENCE_S`` after it, once nothing moves, or
                where cards went                                  ``PATIENCE_S`` later
    IDLE        no inference ran for ``IDLE_S`` since the         once nothing moves; then not again before something
                table changed or a hand left                      changes or a hand leaves

Two inferences are at least ``INFERENCE_GAP_S`` apart, whatever the reason. Over a longer time they are limited to
``INFERENCES_PER_S`` beyond a first burst, so that a film in which something always moves costs no more than its length.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from vision.motion.arm_regions import Flags
from vision.motion.motion_report import NEVER, MotionReport


class InferenceReason(Enum):
    """Why inference ran. The value completes a sentence that begins with "because"."""

    CHANGED = "the picture has changed and come to rest"
    HELD_BACK = "something noticed is checked once more before it is reported"
    CARD_SHOWS = "a card shows at rest within an arm region"
    STILL_ARM = "an arm region is at rest, and may be a card"
    IN_DOUBT = "the inference before left something uncertain"
    HAND_LEFT = "a hand has left, and it is open where cards went"
    IDLE = "no inference ran for a while"


# Times in seconds. Chosen by hand on development clips, 2026-11.
INFERENCE_GAP_S = 0.082
"""Shortest time between two inferences: three frames at 25 or 30 a second, so that no blur is read twice."""
BURST = 20.0
"""
Inferences that may follow each other as closely as ``INFERENCE_GAP_S`` allows. The shipped recording needs
at most 8 within a second and 14 within five.
"""
INFERENCES_PER_S = 4.0
"""
Rate at which further inferences are allowed, each of which takes 0.2 to 0.3 seconds on two cores. What changes
meanwhile is read by the next one. At 2 a second the clip ``pd-2`` of ``photographed_development.toml``, which needs
2.2 in the mean, loses one of its 12 events.
"""
RESERVED = 1.0
"""Inferences kept for a card that was read once and settles: a second one right after the first shows it at rest, and
half a second later the next hand may be over it."""
LEAST_CHANGED_PX = 10
"""Fewer changed pixels of the reduced picture are ignored; a card covers at least a hundred."""
PATIENCE_S = 0.12
"""How long a change waits for other changes under way, to be read together with them, and an inference that shows where
cards went for everything to be at rest after the hand has left."""
HELD_BACK_GAP_S = 0.16
"""Gap between inferences while an event waits for one: closer pictures would be too alike to say more."""
DOUBTFUL_INFERENCES, QUICK_INFERENCES, DOUBT_GAP_S = 6, 3, 0.3
"""
Most inferences in a row for one uncertainty, number of first ones that follow at once, and seconds for which the later
ones wait, as those on an arm region at rest do.
"""
MOST_STILL_ARM_GAP_S = 1.0
"""Longest gap between inferences on an arm region at rest."""
RENEWED_S = 0.5
"""A change allows a new series of inferences in doubt, at most one series per this time."""
IDLE_S, ARM_PATIENCE = 1.5, 2
"""
Seconds after the last inference, or after a hand left, until one runs for what motion detection missed; and their
factor while an arm is in the picture, which may leave.
"""


class InferenceSchedule:
    """Decides frame by frame whether to run inference."""

    def __init__(self) -> None:
        self.last_at = NEVER
        """Time of the last inference, in seconds."""
        self.changed: Flags = np.zeros((0, 0), bool)
        """(rows, columns) of the reduced picture: what has changed since the last inference that showed it."""
        self._waits_since: float | None = None
        self._doubtful, self._card_settles = 0, False
        self._has_new_change, self._renewed_at = False, NEVER
        self._may_idle = True
        self._still_arm_gap_s = DOUBT_GAP_S
        self._allowed, self._allowed_at = BURST, 0.0

    @property
    def is_patient(self) -> bool:
        """Check whether the last inference was inconclusive and further ones are left."""
        return 0 < self._doubtful <= DOUBTFUL_INFERENCES

    @property
    def has_given_up(self) -> bool:
        """Check whether all inferences about an uncertain place were inconclusive."""
        return self._doubtful >= DOUBTFUL_INFERENCES and not self._has_new_change

    def add_motion(self, motion: MotionReport) -> None:
        """Add the changes of one frame."""
        if self.changed.shape != motion.changed.shape:
            self.changed = np.zeros(motion.changed.shape, bool)
        if not motion.arms:
            self._still_arm_gap_s = DOUBT_GAP_S
        if motion.changed.any():
            self.changed |= motion.changed
            self._has_new_change = self._may_idle = True

    def request(self) -> None:
        """Ask for an idle inference: a hand has left, or a person has moved a zone or named a card."""
        self._may_idle = True

    def next_reason(
        self, motion: MotionReport, arms: Flags, event_waits: bool, wanted_after: float | None, card_shows: bool = False
    ) -> InferenceReason | None:
        """
        Return why inference should run on the newest frame, None if it should not.

        ``arms``: (rows, columns), what arms hide. ``event_waits``: an event waits for another inference.
        ``wanted_after``: an inference after this time (seconds) would show where cards went, None if none would.
        ``card_shows``: a card shows at rest within an arm region.
        """
        at, since = motion.at, motion.at - self.last_at
        is_still = not motion.restless.any()
        is_quick = self._doubtful <= QUICK_INFERENCES or self._card_settles
        if since < INFERENCE_GAP_S or self._allowance(at) < (1 if self._card_settles else 1 + RESERVED):
            return None
        if self._is_changed(arms):
            # A doubt that a quick inference would resolve doesn't wait.
            self._waits_since = at if self._waits_since is None else self._waits_since
            if is_still or at - self._waits_since >= PATIENCE_S:
                return InferenceReason.CHANGED
            is_urgent = 0 < self._doubtful < QUICK_INFERENCES or (self._card_settles and self.is_patient)
            return InferenceReason.IN_DOUBT if is_urgent else None
        if event_waits:
            return InferenceReason.HELD_BACK if since >= HELD_BACK_GAP_S else None
        if card_shows:
            return InferenceReason.CARD_SHOWS
        if motion.asks and since >= self._still_arm_gap_s:
            return InferenceReason.STILL_ARM
        if self.is_patient:
            return InferenceReason.IN_DOUBT if is_quick or since >= DOUBT_GAP_S else None
        if wanted_after is not None and wanted_after > self.last_at and at - wanted_after >= PATIENCE_S:
            is_due = is_still or at - wanted_after >= 2 * PATIENCE_S
            return InferenceReason.HAND_LEFT if is_due else None
        if self._may_idle and since >= IDLE_S * (ARM_PATIENCE if motion.arms else 1) and is_still:
            self._may_idle = False
            return InferenceReason.IDLE
        return None

    def finish_still_arm(self, was_card: bool) -> None:
        """Set the next gap after an inference on an arm region at rest. ``was_card``: part of it was a card."""
        longer = min(2 * self._still_arm_gap_s, MOST_STILL_ARM_GAP_S)
        self._still_arm_gap_s = DOUBT_GAP_S if was_card else longer

    def finish(self, at: float, arms: Flags, is_doubtful: bool, card_settles: bool = False) -> None:
        """
        Take in an inference: the changes are read, except those that ``arms`` hide.

        ``card_settles``: a card that no hand holds any more was read, and was not at rest yet.
        """
        self.changed = self.changed & arms  # a new array: an observer may keep the old one
        self._count(at)
        if self._has_new_change and at - self._renewed_at >= RENEWED_S:
            self._doubtful, self._renewed_at, self._has_new_change = 0, at, False
        self._doubtful = self._doubtful + 1 if is_doubtful else 0
        self._card_settles = card_settles

    def finish_unused(self, at: float) -> None:
        """Take in an inference whose result could not be used: the changes remain to be read."""
        self._count(at)
        self._doubtful = 1

    def is_open(self, motion: MotionReport, arms: Flags) -> bool:
        """
        Check whether a further inference will explain more than is understood now.

        Changes under an arm at rest can't be read, so nothing waits for them.
        """
        return self.is_patient or self._is_changed(arms) or bool(motion.restless.any())

    def _count(self, at: float) -> None:
        self._allowed, self._allowed_at = self._allowance(at) - 1, at
        self.last_at, self._waits_since = at, None

    def _allowance(self, at: float) -> float:
        """Return the number of inferences that may run now; an inference outside the schedule can make it negative."""
        return min(BURST, self._allowed + INFERENCES_PER_S * (at - self._allowed_at))

    def _is_changed(self, arms: Flags) -> bool:
        """Check whether enough of the reduced picture has changed outside arms."""
        if self.changed.shape != arms.shape:
            return False
        return int(np.count_nonzero(self.changed & ~arms)) >= LEAST_CHANGED_PX

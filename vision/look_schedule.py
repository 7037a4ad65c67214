"""
When to look: the gate sees every frame, but a look at the cards is dear.

Theory of operation. The table is looked at when there is a reason to. The reasons are tried in this order, and the
first that holds decides; where it says "not yet", no later one is tried:

    reason     holds while                                       the look is taken
    CHANGED    enough of the picture outside arms has changed    once all is still, or after ``patience_s``
    HELD_BACK  an event waits for the table to be seen again     ``held_back_gap_s`` after the last look
    CARD_SHOWS a card shows still in what passes for an arm      at once
    STILL_ARM  what passes for an arm lies still: is it a card?   ``ask_gap_s`` after the last look, twice as long each
                                                                 time it was none, ``most_gap_s`` at most
    IN_DOUBT   the last look left a doubt, ``doubt_looks`` in    at once; from the fourth on every ``doubt_gap_s``
               a row at most
    HAND_LEFT  a look younger than some moment would settle      ``asked_s`` after it, once all is still, or
               where cards went                                  ``patience_s`` later
    IDLE       nobody has looked for ``idle_s`` since the        once all is still; then not again before
               table changed or a hand left                      something changes or a hand leaves

Two looks are at least ``gap_s`` apart, whatever the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from vision.motion.background_subtraction import NEVER, GateReport
from vision.motion.patches import Flags


class LookReason(Enum):
    """Why a look was due; the value ends a sentence that begins with "because"."""

    CHANGED = "the picture has changed and come to rest"
    HELD_BACK = "something noticed is looked at once more before it is told"
    CARD_SHOWS = "a card shows still among what passes for an arm"
    STILL_ARM = "what passes for an arm lies still, and may be a card"
    IN_DOUBT = "the look before left something in doubt"
    HAND_LEFT = "a hand has left, and it is open where cards went"
    IDLE = "nothing was looked at for a while"


@dataclass(frozen=True, slots=True)
class LookSettings:
    """When to look. Times in seconds. Set by hand, 2026-11."""

    gap_s: float = 0.082
    """Between two looks at least so long: three frames at 25 or 30 a second, one at 12, so that they are not one blur
    seen twice. Longer: all is told later; shorter: dearer, and one blur confirms itself."""
    patience_s: float = 0.12
    """So long a change waits for others still under way, to be looked at together with them. Longer: told later;
    shorter: dearer."""
    asked_s: float = 0.12
    """So long after a hand has left, a look is taken if one would settle where cards went: all is still by then.
    Longer: told later; shorter: a look at what still moves."""
    least_px: int = 10
    """Fewer changed pixels of the reduced picture are no reason to look: a card has a hundred at least. More: a card
    that another bares is seen late; fewer: dearer."""
    idle_s: float = 1.5
    """
    So long after the last look, or after a hand has left, the table is looked at once more, for what two quick looks
    missed and the gate did not notice; ``arm_patience`` times as long while an arm lies in the picture. Longer: what
    was missed is told later; shorter: dearer.
    """
    held_back_gap_s: float = 0.16
    """An event that waits to be seen again is looked at this far apart. Longer: told later; shorter: dearer, and the
    looks say nothing new."""
    ask_gap_s: float = 0.3
    """So long after the last look one may be taken at an arm that lies still. Longer: cards at the picture's edge are
    told later; shorter: dearer while hands rest."""
    most_gap_s: float = 1.0
    """The gap doubles each time such a look found nothing, up to this. Longer: a card at the edge waits so long where
    hands rest and twitch; shorter: dearer."""
    arm_patience: int = 2
    """
    While an arm lies in the picture, an idle look waits so many times as long: the arm may leave. Higher: what
    happens beside a resting arm is told later; lower: looks are spent on arms.
    """
    doubt_looks: int = 6
    """At most so many looks in a row for one doubt. More: dearer; fewer: doubts are told that a look would settle."""
    quick_looks: int = 3
    """So many of them follow each other as quickly as looks may. More: dearer, and one passing blur takes them all;
    fewer: a doubt that one look would settle waits."""
    renewed_s: float = 0.5
    """So long after a change has renewed a doubt's looks the next change does. Longer: what comes soon after something
    else gets fewer looks; shorter: all are taken while something flickers."""
    doubt_gap_s: float = 0.3
    """The others come this far apart. Longer: told later; shorter: all are taken while a hand passes."""


class LookSchedule:
    """Tell it what every frame changed and what every look left open; ask it whether to look."""

    def __init__(self, settings: LookSettings = LookSettings()) -> None:
        self.settings = settings
        self.last_look_at = NEVER
        """When the last look was taken, in seconds."""
        self._changed: Flags | None = None
        self._waits_since: float | None = None
        self._doubtful_looks = 0
        self._is_new, self._renewed_at = False, NEVER
        self._may_idle = True
        self._ask_gap_s = settings.ask_gap_s

    @property
    def changed(self) -> Flags:
        """(rows, columns) of the reduced picture: what has changed since it was last looked at."""
        assert self._changed is not None
        return self._changed

    @property
    def is_patient(self) -> bool:
        """Is the doubt that the last look left worth another look?"""
        return 0 < self._doubtful_looks <= self.settings.doubt_looks

    @property
    def has_given_up(self) -> bool:
        """Has a doubt outlived all the looks that it is worth?"""
        return self._doubtful_looks >= self.settings.doubt_looks and not self._is_new

    def note(self, report: GateReport) -> None:
        """A frame has been judged by the gate."""
        if self._changed is None or self._changed.shape != report.changed.shape:
            self._changed = np.zeros(report.changed.shape, bool)
        if not report.arms:
            self._ask_gap_s = self.settings.ask_gap_s
        if report.changed.any():
            self._changed |= report.changed
            self._is_new = True  # a doubt stays, and is worth as many looks again
            self._may_idle = True

    def look_again(self) -> None:
        """Once all is still a look is due, though nothing may have changed: a hand has left, or zones were said."""
        self._may_idle = True

    def next_look(
        self, report: GateReport, arms: Flags, is_held_back: bool, asked_at: float | None, card_shows: bool = False
    ) -> LookReason | None:
        """
        Why to look at the newest frame, None: not now.

        ``arms``: what arms hide of it. ``is_held_back``: does an event wait for a look? ``asked_at``: a look younger
        than this moment (seconds) would settle something, None: nothing. ``card_shows``: does a card show
        still among what passes for an arm?
        """
        s = self.settings
        since = report.at - self.last_look_at
        is_still = not report.restless.any()
        if since < s.gap_s:
            return None
        if self._changed_px(arms) >= s.least_px:
            self._waits_since = report.at if self._waits_since is None else self._waits_since
            if is_still or report.at - self._waits_since >= s.patience_s:
                return LookReason.CHANGED
            # What a quick look would settle doesn't wait for what moves elsewhere.
            return LookReason.IN_DOUBT if 0 < self._doubtful_looks < s.quick_looks else None
        if is_held_back:
            return LookReason.HELD_BACK if since >= s.held_back_gap_s else None
        if card_shows:
            return LookReason.CARD_SHOWS
        if report.asks and since >= self._ask_gap_s:
            return LookReason.STILL_ARM
        if self.is_patient:
            gap_s = s.gap_s if self._doubtful_looks <= s.quick_looks else s.doubt_gap_s
            return LookReason.IN_DOUBT if since >= gap_s else None
        if asked_at is not None and asked_at > self.last_look_at and report.at - asked_at >= s.asked_s:
            return LookReason.HAND_LEFT if is_still or report.at - asked_at >= s.asked_s + s.patience_s else None
        if self._may_idle and since >= s.idle_s * (s.arm_patience if report.arms else 1) and is_still:
            self._may_idle = False
            return LookReason.IDLE
        return None

    def asked(self, was_card: bool) -> None:
        """A look was taken at what passes for an arm and lies still. ``was_card``: some of it was a card."""
        s = self.settings
        self._ask_gap_s = s.ask_gap_s if was_card else min(2 * self._ask_gap_s, s.most_gap_s)

    def looked(self, at: float, arms: Flags, is_doubtful: bool) -> None:
        """A look was taken: what changed is seen, but for what ``arms`` hid. ``is_doubtful``: it left a doubt."""
        assert self._changed is not None
        self._changed = self._changed & arms  # what was shown to an observer stays as it was
        self.last_look_at, self._waits_since = at, None
        if self._is_new and at - self._renewed_at >= self.settings.renewed_s:
            self._doubtful_looks, self._renewed_at, self._is_new = 0, at, False
        self._doubtful_looks = self._doubtful_looks + 1 if is_doubtful else 0

    def looked_in_vain(self, at: float) -> None:
        """A look was taken of which nothing could be used: what has changed is still to be seen."""
        self.last_look_at, self._waits_since, self._doubtful_looks = at, None, 1

    def is_open(self, report: GateReport, arms: Flags) -> bool:
        """
        Has more changed than was understood by now, and will a look tell?

        What changed under an arm at rest can't be looked at, nor can it be waited for.
        """
        return self.is_patient or self._changed_px(arms) >= self.settings.least_px or bool(report.restless.any())

    def _changed_px(self, arms: Flags) -> int:
        """Reduced pixels outside arms that have changed since they were last looked at."""
        return 0 if self._changed is None else int((self._changed & ~arms).sum())

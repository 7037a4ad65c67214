"""
Where a card shows in what passes for an arm, and shows still: there a look is worth its time.

A difference of pictures takes for one arm whatever differs and is joined: a hand, the card that it lays, a card that
the picture's edge cuts and that flickers. What each pixel shows by itself (:mod:`vision.detection.segmentation`) tells
them apart: a patch of card that stays as it is has been laid, or is held still; one that has grown has been let go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Mask
from vision.motion.patches import Flags

NEVER = -1e9


@dataclass(frozen=True, slots=True)
class CardsAmongArmsSettings:
    """When such a patch is worth a look. Times in seconds, shares from 0 to 1. Set by hand, 2026-11."""

    every_s: float = 0.3
    """So often is asked what the pixels show, 5 ms each time, while an arm is there and nobody looks. Longer: cards
    that a hand has let go are told later; shorter: dearer."""
    held_every_s: float = 0.08
    """The same while a hand is on a card that a look has read. Longer: cards that the next hand covers are missed;
    shorter: dearer."""
    bare: float = 0.03
    """Where the pixels show arms on no more than this of such a card the hand has let it go. Higher: a finger's tip is
    still there; lower: a shadow at its rim holds it."""
    least_share: float = 0.003
    """A patch takes so much of the picture: a third of a card 40 px long in 480. Higher: small cards wait for the hand
    to leave; lower: finger nails are looked at."""
    still: float = 0.75
    """It is the same patch if so much of both together is shared. Higher: a card under fingers that twitch is never
    still; lower: a card that is carried slowly is looked at."""
    looks: int = 1
    """So many looks are taken at a patch that stays as it is. More: dearer beside resting hands; fewer: none."""


class CardsAmongArms:
    """Ask it now and then what the pixels show; it says where a look is due."""

    def __init__(self, settings: CardsAmongArmsSettings = CardsAmongArmsSettings()) -> None:
        self.settings = settings
        self._asked_at = NEVER
        self._before: Flags | None = None
        self._looks: npt.NDArray[np.uint8] | None = None

    def is_due(self, at: float, last_look_at: float, has_held: bool) -> bool:
        """
        Should what the pixels show be asked for at the time ``at``? ``last_look_at``: a look tells as much.
        ``has_held``: did it read a card in a hand?
        """
        s = self.settings
        return min(at - self._asked_at, at - last_look_at) >= (s.held_every_s if has_held else s.every_s)

    def is_let_go(self, arms: Flags, held: Sequence[Flags]) -> bool:
        """
        Has a hand let one of the cards go that the last look read in hands? ``arms``: where pixels show arms, (rows,
        columns) of any size; ``held``: the cards' places, of one size.
        """
        return any(
            float(cv2.resize(arms.astype(np.uint8), spots.shape[::-1])[spots].mean()) <= self.settings.bare
            for spots in held
        )

    def shows(self, cards: Flags, arm_labels: Mask, at: float) -> bool:
        """
        Does a card show still in what passes for an arm, at which not enough looks were taken?

        ``cards``: where pixels show cards, (rows, columns) of any size. ``arm_labels``: of the gate, above 0 where it
        takes the picture for an arm; a known card that nothing touches is no part of that.
        """
        s, self._asked_at = self.settings, at
        shape = cards.shape
        arms = cv2.resize(arm_labels, shape[::-1], interpolation=cv2.INTER_NEAREST) > 0
        here = cards & arms
        before, self._before = self._before, here
        if self._looks is None or before is None or self._looks.shape != shape or before.shape != shape:
            self._looks = np.zeros(shape, np.uint8)
            return False
        self._looks[cv2.dilate(here.astype(np.uint8), _RIM) == 0] = 0
        count, numbered, stats, _ = cv2.connectedComponentsWithStats(here.astype(np.uint8), connectivity=8)
        is_due = False
        for k in range(1, count):
            if stats[k, cv2.CC_STAT_AREA] < s.least_share * here.size:
                continue
            patch = numbered == k
            around = cv2.dilate(patch.astype(np.uint8), _RIM) > 0
            if _shared(patch, before & around) < s.still:
                continue
            looked = (self._looks >= 1) & around
            looks = int(self._looks[looked].max()) if _shared(patch, looked) >= s.still else 0
            if looks < s.looks:
                self._looks[around] = 0
                self._looks[patch] = looks + 1
                is_due = True
        return is_due


def _shared(one: Flags, other: Flags) -> float:
    """Intersection over union."""
    together = int((one | other).sum())
    return float((one & other).sum()) / together if together else 0.0


_RIM = np.ones((9, 9), np.uint8)

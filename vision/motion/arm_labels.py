"""Which spots of the reduced picture are arms, which of them are at rest, and where inference has run on those."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Mask
from vision.motion.arm_regions import ArmContacts, ArmOutlines, Flags, PixelPoint, nearest_edge, still_parts, tip_of
from vision.motion.motion_report import Arm, MotionSettings

ASKED, ASKED_TWICE = 1, 2
"""How often inference ran on a spot of an arm region: since it came to rest, and since it surely is at rest."""
RESTING = 255
"""Label of what an arm at rest, or an object at the edge, hides."""
PART_PX = 40
"""Least size of a part that is judged by itself: a third of a small card."""


class ArmLabels:
    """``labels``: (rows, columns), the newest arms by number; ``resting``: what hides the table and is at rest."""

    def __init__(self) -> None:
        self.labels: Mask = np.zeros((0, 0), np.uint8)
        self.resting: Flags = np.zeros((0, 0), bool)
        self._contacts = ArmContacts()
        self._outlines = ArmOutlines()

    def begin(self, shape: tuple[int, ...]) -> None:
        """Begin without arms."""
        self.labels, self.resting, self._outlines = np.zeros(shape, np.uint8), np.zeros(shape, bool), ArmOutlines()

    @property
    def is_arm(self) -> Flags:
        """Return where arms were in the newest frame."""
        return np.asarray(self.labels > 0)

    def outline_kept_for(self, where: Flags, at: float) -> npt.NDArray[np.float64]:
        """Return for how many seconds the outline of a region has stayed."""
        return self._outlines.kept_for(where, at)

    def name(
        self, patches: npt.NDArray[np.int32], found: list[tuple[int, list[PixelPoint]]], scale: float, at: float
    ) -> tuple[Arm, ...]:
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
        labels[self.resting & (labels == 0)] = RESTING
        self.labels = labels
        self._outlines.add(labels > 0, at)
        return tuple(arms)

    def correct(self, labels: Mask, arms: Sequence[Arm], scale: float) -> None:
        """Set the labels of the newest frame, after regions were reclassified."""
        self.labels = labels
        self._contacts.remember(_ends_of(arms, scale), labels)


class StillArms:
    """The parts of arm regions that are at rest, and how often inference ran on each spot of them."""

    def __init__(self, settings: MotionSettings) -> None:
        self.settings = settings
        self.parts: list[Flags] = []
        self._asked: Mask = np.zeros((0, 0), np.uint8)

    def begin(self, shape: tuple[int, ...]) -> None:
        """Begin without any."""
        self.parts, self._asked = [], np.zeros(shape, np.uint8)

    def add(self, where: Flags, quiet: float, quiet_s: npt.NDArray[np.float32]) -> None:
        """Add the parts of an arm region at rest: all of it, or parts that have been for longer."""
        s = self.settings
        self.parts += [where] if quiet >= s.ask_s else still_parts(where, quiet_s, s.sure_s, PART_PX)

    def record_inference(self, quiet_s: npt.NDArray[np.float32]) -> None:
        """Note that inference has run on the newest frame."""
        for part in self.parts:
            self._asked[part] = np.where(quiet_s[part] >= self.settings.sure_s, ASKED_TWICE, ASKED)

    def asks(self, quiet_s: npt.NDArray[np.float32]) -> bool:
        """Check whether a part of an arm region is at rest and no inference ran since, or since it surely is."""
        s, asked = self.settings, self._asked
        asked[quiet_s < s.ask_s] = 0
        for part in self.parts:
            due = np.where(quiet_s[part] >= s.sure_s, ASKED_TWICE, ASKED) > asked[part]
            if int(due.sum()) >= PART_PX:
                return True
        return False


def _ends_of(arms: Sequence[Arm], scale: float) -> dict[int, tuple[PixelPoint, PixelPoint]]:
    """Return contact and tip of each arm, in pixels of the reduced picture."""
    return {
        arm.label: ((arm.contact[0] / scale, arm.contact[1] / scale), (arm.tip[0] / scale, arm.tip[1] / scale))
        for arm in arms
        if arm.contact is not None
    }

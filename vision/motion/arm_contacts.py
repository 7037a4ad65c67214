"""
Where arms come in over the picture's edge, from frame to frame: which arm each part of a patch belongs to.

An arm reaches in from where it came. Where it touches the edge anew, at its far end, it has only reached across: that
is no second arm. Two arms that touch each other are one patch, split as they lay before.
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from vision.geometry.quads import Mask
from vision.motion.motion_settings import MotionSettings
from vision.motion.patches import Flags, PixelPoint


class ArmContacts:
    """Of the frame before. All points are of the reduced picture."""

    def __init__(self, settings: MotionSettings) -> None:
        self._settings = settings
        self._known: dict[int, PixelPoint] = {}
        self._tips: dict[int, PixelPoint] = {}
        self._labels: Mask | None = None

    def note(self, arms: Mapping[int, tuple[PixelPoint, PixelPoint]], labels: Mask) -> None:
        """These are the arms of a frame: contact and tip of each label, and where each arm is."""
        self._known = {label: contact for label, (contact, _) in arms.items()}
        self._tips = {label: tip for label, (_, tip) in arms.items()}
        self._labels = labels

    def entries(self, contacts: list[PixelPoint]) -> list[PixelPoint]:
        """
        Those of a patch's contacts where an arm has come in: not those that an arm, known by another of them, has
        reached from within.
        """
        before = [self._before(contact) for contact in contacts]
        here = {label for label in before if label is not None}
        return [
            contact
            for contact, label in zip(contacts, before, strict=True)
            if label is not None or not any(self._reaches(each, contact) for each in here)
        ]

    def split(self, where: Flags, contacts: list[PixelPoint]) -> list[Flags]:
        """Each pixel goes with the arm that was nearest to it a frame ago, or else with the nearest contact."""
        if len(contacts) < 2:
            return [where]
        rows, columns = np.nonzero(where)
        distances = []
        for contact in contacts:
            label = self._before(contact)
            if label is not None:
                distances.append(self._far(label)[rows, columns])
            else:
                distances.append(np.hypot(columns - contact[0], rows - contact[1]).astype(np.float32))
        nearest = np.argmin(np.stack(distances), axis=0)
        parts = []
        for k in range(len(contacts)):
            part = np.zeros(where.shape, bool)
            part[rows[nearest == k], columns[nearest == k]] = True
            parts.append(part)
        return parts

    def _before(self, contact: PixelPoint) -> int | None:
        """The arm that came in there a frame ago."""
        if self._labels is None:
            return None
        most = self._settings.same_contact * self._labels.shape[1]
        gaps = {
            label: abs(old[0] - contact[0]) + abs(old[1] - contact[1])
            for label, old in self._known.items()
            if (self._labels == label).any()
        }
        nearest = min(gaps, key=lambda label: gaps[label], default=None)
        return nearest if nearest is not None and gaps[nearest] < most else None

    def _reaches(self, label: int, contact: PixelPoint) -> bool:
        """Were the arm's finger tips so near to the contact a frame ago?"""
        x, y = self._tips[label]
        return float(np.hypot(x - contact[0], y - contact[1])) < self._settings.reaches_px

    def _far(self, label: int) -> np.ndarray:
        """How far each spot was from an arm, a frame ago."""
        assert self._labels is not None
        return np.asarray(cv2.distanceTransform((self._labels != label).astype(np.uint8), cv2.DIST_L2, 3))

"""Label each pixel of a clip's frame as card, arm, or something else, by how it was drawn."""

from __future__ import annotations

import cv2
import numpy as np

from datasets.clips.ground_truth import Moment
from datasets.clips.painter import Painter
from datasets.clips.projection import card_px

OTHER, CARD, ARM = 0, 1, 2
HALF = 127
"""Opacity out of 255 above which a pixel shows what was laid over it."""


def label_map(painter: Painter, moment: Moment) -> np.ndarray:
    """
    Return (h, w) uint8 of ``OTHER``, ``CARD`` and ``ARM`` for the picture that ``painter.paint`` has just made of
    ``moment``.

    Motion blur is left out: what moves is labelled where it is in the middle of the shutter's time.
    """
    labels = np.zeros((painter.size[1], painter.size[0]), np.uint8)
    for item in moment.lying:
        _fill(labels, card_px(painter.camera_now, item.pose))
    for thing in moment.things:
        _lay(labels, painter.thing_patch(thing), OTHER)
    for arm, cards in painter.groups(moment):
        for item in cards:
            _fill(labels, card_px(painter.camera_now, item.pose))
        if arm is not None:
            _lay(labels, painter.arm_patch(arm), ARM)
    for head, middle in moment.heads:
        drawn = painter.head_patch(head.hair, head.radius, middle)
        _lay(labels, drawn, OTHER)
    return labels


def _fill(labels: np.ndarray, quad: np.ndarray) -> None:
    cv2.fillConvexPoly(labels, np.round(quad * 16).astype(np.int32), CARD, cv2.LINE_8, 4)


def _lay(labels: np.ndarray, drawn: tuple[tuple[int, int, int, int], np.ndarray] | None, label: int) -> None:
    if drawn is None:
        return
    (left, top, right, bottom), patch = drawn
    labels[top:bottom, left:right][patch[..., 3] > HALF] = label

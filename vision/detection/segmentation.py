"""
Segment a reduced picture into arms, cards and other pixels, from one frame alone.

Motion detection models the background and cannot tell what an arm is; this network recognises arms and cards and has no
state. Three milliseconds a frame on one core.
"""

from __future__ import annotations

from typing import Protocol

import cv2
import numpy as np

from vision.capture.sources import Image
from vision.detection.networks import as_batch
from vision.geometry.quads import Mask

LABELS = ("other", "card", "arm")
OTHER, CARD, ARM = range(len(LABELS))
SEEN_PX = (256, 144)
"""Width and height in pixels to which a frame is resized, whatever its shape; the weights are trained on this."""
MAP_PX = (SEEN_PX[0] // 2, SEEN_PX[1] // 2)
"""Width and height of the label map."""


class PixelNetwork(Protocol):
    """A network ready to run: (1, 3, h, w) float32 RGB 0..1 in, (1, labels, h / 2, w / 2) scores out."""

    def run(self, batch: np.ndarray) -> np.ndarray:
        """Run the network on one batch."""
        ...


class Segmenter:
    """Labels the pixels of frames, each by itself."""

    def __init__(self, network: PixelNetwork) -> None:
        self._network = network

    def __call__(self, frame_bgr: Image) -> Mask:
        """
        Return the label map of a frame (h, w, 3) uint8 of any size: (72, 128) uint8 of ``OTHER``, ``CARD`` and ``ARM``.
        """
        scores: Mask = self.scores(frame_bgr).argmax(axis=0).astype(np.uint8)
        return scores

    def scores(self, frame_bgr: Image) -> np.ndarray:
        """Return the label scores, (labels, 72, 128) float32: only their differences are meaningful."""
        small = cv2.resize(frame_bgr, SEEN_PX, interpolation=cv2.INTER_AREA)
        answer: np.ndarray = self._network.run(as_batch(small[None]))[0]
        return answer

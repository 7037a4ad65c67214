"""
How sharp a card looks, compared with itself at another time.

A webcam hunts for its focus after a hand has been in the picture, and its compression draws what has just moved in
coarse blocks: for up to a second a card looks blurred, and small ones are read as their look-alikes.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.geometry.quads import Array, Mask


def sharpness(grey: Mask, quad_px: Array) -> float:
    """
    Energy of the gradients in the box round a card (4, 2), per variance: blur lowers it, light and contrast don't.

    ``grey``: (rows, columns) uint8. 0 where nothing of the card is in the picture, or nothing on it differs.

    >>> card = np.array([[8, 8], [40, 8], [40, 40], [8, 40]], np.float32)
    >>> print_ = np.zeros((48, 48), np.uint8)
    >>> print_[20:28, 20:28] = 200
    >>> bool(sharpness(print_, card) > 1.5 * sharpness(cv2.GaussianBlur(print_, (0, 0), 2), card))
    True
    """
    rows, columns = grey.shape
    left, top = np.floor(quad_px.min(axis=0)).astype(int)
    right, bottom = np.ceil(quad_px.max(axis=0)).astype(int)
    part = grey[max(top, 0) : min(bottom, rows), max(left, 0) : min(right, columns)]
    if min(part.shape) < LEAST_PX:
        return 0.0
    across, down = cv2.Sobel(part, cv2.CV_32F, 1, 0), cv2.Sobel(part, cv2.CV_32F, 0, 1)
    variance = float(part.var())
    return 0.0 if variance < 1.0 else float((across**2 + down**2).mean()) / variance


LEAST_PX = 5
"""A box with a side of fewer pixels has no sharpness."""

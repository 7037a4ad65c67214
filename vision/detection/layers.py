"""Of cards first seen together: which lies on top of which."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from vision.detection.z_order import upper_of
from vision.geometry.quads import Array, Mask, area, intersection_area

Grey = Callable[[], Mask]
"""Gives the full-size picture in grey, made only when somebody asks."""

MEETING = 0.04
"""Cards that share less of the smaller one only touch."""


def bottom_first(quads: Sequence[Array], grey: Grey) -> list[int]:
    """The places of the quads (4, 2) in such an order that whichever lies on top of another comes after it."""
    ordered: list[int] = []
    picture: Mask | None = None
    for number, quad in enumerate(quads):
        place = len(ordered)
        for k, other in enumerate(ordered):
            if not _meet(quads[other], quad):
                continue
            picture = grey() if picture is None else picture
            if lies_on_top(quads[other], quad, picture):
                place = k
                break
        ordered.insert(place, number)
    return ordered


def lies_on_top(one: Array, other: Array, grey: Mask) -> bool:
    """Does ``one`` lie on ``other``, judged by whose outline is drawn where they overlap?"""
    return _meet(one, other) and upper_of(grey.astype(np.float32), one, other) > 0.5


def _meet(one: Array, other: Array) -> bool:
    return intersection_area(one, other) >= MEETING * min(area(one), area(other))

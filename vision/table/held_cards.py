"""
Which cards the segmentation shows in a hand, and how far its word goes in this picture.

A hand that holds still is no arm for motion detection, so that the faces of two packets in it pass for laid cards; the
segmentation shows that they are in a hand. But on some tables it takes a card itself for an arm: a warm lamp colours
the paper like skin. A hand shows beside the card that it holds, so an arm that the segmentation shows within cards
alone is no hand. Each card of which it shows such an arm counts as a mistake of the segmentation, each that it shows
free as right. It shows a card in a hand that holds one; how often it shows one that lies free decides what that says.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vision.detection.segmentation import ARM
from vision.geometry.quads import Mask
from vision.motion.arm_regions import Flags
from vision.motion.cards_in_arm_regions import hands_among
from vision.table.filter_model import FilterSettings


class HeldCards:
    """The word of the segmentation on the cards of one table."""

    def __init__(self, model: FilterSettings) -> None:
        self._model = model
        self._free: set[int] = set()
        self._wrong: set[int] = set()

    @property
    def is_reliable(self) -> bool:
        """Check whether an arm on a card says that a hand holds it: laid cards are seldom shown so in this picture."""
        model = self._model
        wrong = (model.arm_on_free + len(self._wrong)) / (model.arms_judged + len(self._free | self._wrong))
        return wrong * model.laid_to_held < 1.0

    def hands_on(self, labels: Mask | None, places: Sequence[Flags]) -> npt.NDArray[np.float64] | None:
        """
        Return the share of each detection that a hand covers, (n,) 0..1; None without a segmentation.

        ``labels``: as for ``arm_shares``. ``places``: the pixels of each detection; one outside the picture is free.
        """
        if labels is None:
            return None
        hands = hands_among((labels == ARM).astype(np.uint8), places)
        return np.array([float(hands[place].mean()) if place.any() else 0.0 for place in places])

    def arm_shares(self, labels: Mask, places: Sequence[tuple[int, Flags]]) -> dict[int, float]:
        """
        Return the share of each card that an arm of a hand covers, 0..1, by its key; none outside the picture.

        ``labels``: (rows, columns) of ``OTHER``, ``CARD`` and ``ARM``. ``places``: key and pixels of every card that
        this picture shows.
        """
        arms = labels == ARM
        hands = hands_among(arms.astype(np.uint8), [place for _, place in places])
        shares = {}
        for key, place in places:
            if not place.any():
                continue
            shares[key] = float(hands[place].mean())
            if float(arms[place].mean()) <= self._model.held_share:
                self._free.add(key)
            elif shares[key] <= self._model.held_share:
                self._wrong.add(key)
        return shares

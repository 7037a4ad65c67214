"""
Find where a hand put down the cards that it had taken, though no card is outlined there: an untidy discard pile.

The finder outlines single cards; of a pile whose cards lie at many angles it often finds none. But the table has
changed there and is at rest, the segmentation shows cards, and the hand that took the bout was there after it had taken
the last card.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.segmentation import CARD
from vision.geometry.quads import CARD_HEIGHT_MM, CARD_WIDTH_MM, Array, Mask, gap, size
from vision.layout import TableLayout
from vision.motion.arm_regions import Flags
from vision.motion.hand_tracking import HandTracker
from vision.table.observation import Gone
from vision.table.track import FrameFacts, Track


@dataclass(frozen=True, slots=True)
class PutDownSettings:
    """Numbers of this search, chosen by hand, 2026-11."""

    remembered_s: float = 4.0
    """Seconds after its last card within which a hand puts down what it took."""
    least_cards: float = 0.3
    """Least area of the change, in cards: a pile to which two cards come changes less than they measure."""
    most_cards: float = 4.0
    """Most area of the change, in cards."""
    shows_cards: float = 0.6
    """Least share of the change in which the segmentation shows cards."""
    still_shows_cards: float = 0.3
    """Least share of a known place in which the segmentation still shows cards."""
    away: float = 0.9
    """Least distance, in card diagonals, from where the hand took cards and from the cards of the bout: cards that are
    pushed together are not put down yet."""
    least_taken: int = 2
    """Cards that a hand has taken before it may put them on the discard pile: no single card was beaten."""
    touched: float = 0.3
    """Least share of the place that the hand was over."""


class PutDownPlaces:
    """Remembers which hand took cards, and finds where it put them down."""

    def __init__(self, settings: PutDownSettings = PutDownSettings()) -> None:
        self.settings = settings
        self._taken: dict[int, tuple[float, list[Array]]] = {}

    def add_taken(self, gone: Iterable[Gone], places_px: Sequence[Track]) -> None:
        """Note the hands over the cards that have gone. ``places_px``: the tracks that have ended, where they lay."""
        corners = {track.key: track.corners_px for track in places_px}
        for card in gone:
            for touch in card.touched:
                at, quads = self._taken.get(touch.visit, (card.at, []))
                self._taken[touch.visit] = max(at, card.at), [*quads, corners[card.key]]

    def is_expected(self, at: float) -> bool:
        """Check whether a hand took cards a moment ago."""
        self._taken = {
            hand: taken for hand, taken in self._taken.items() if at - taken[0] <= self.settings.remembered_s
        }
        return bool(self._taken)

    def found(
        self,
        changed: Flags,
        labels: Mask,
        lying_px: Sequence[Array],
        facts: FrameFacts,
        hands: HandTracker,
        layout: TableLayout,
    ) -> list[Array]:
        """
        Return the places, each (4, 2) px, where cards were put down.

        ``changed``: (rows, columns) of the reduced picture, changes that no card accounts for. ``labels``: the
        segmentation, (rows, columns) of any size. ``lying_px``: the cards that lie there, each (4, 2).
        """
        model = self.settings
        at_rest = (changed & ~facts.arms & ~facts.restless).astype(np.uint8)
        count, numbered = cv2.connectedComponents(at_rest, connectivity=8)
        shows_cards = cv2.resize(labels, changed.shape[::-1], interpolation=cv2.INTER_NEAREST) == CARD
        places = []
        for number in range(1, count):
            patch = numbered == number
            if float(shows_cards[patch].mean()) < model.shows_cards:
                continue
            rows, columns = np.nonzero(patch)
            outline_px = (np.stack([columns, rows], axis=1).astype(np.float32) + 0.5) * facts.scale
            quad = np.asarray(cv2.boxPoints(cv2.minAreaRect(outline_px)), np.float32)
            box_px = abs(float(cv2.contourArea(quad)))
            filled = float(patch.sum()) * facts.scale**2 / max(box_px, 1.0)
            cards = filled * abs(float(cv2.contourArea(layout.mm(quad)))) / (CARD_WIDTH_MM * CARD_HEIGHT_MM)
            if model.least_cards <= cards <= model.most_cards and self._is_aside(quad, lying_px, facts, hands, layout):
                places.append(quad)
        return places

    def _is_aside(
        self, quad: Array, lying_px: Sequence[Array], facts: FrameFacts, hands: HandTracker, layout: TableLayout
    ) -> bool:
        """Check whether a hand that took cards was at a place away from them, and from the cards that lie there."""
        model = self.settings
        for hand, (taken_at, taken_px) in self._taken.items():
            near = any(gap(quad, other) < model.away * size(other) for other in (*lying_px, *taken_px))
            if len(taken_px) < model.least_taken or near:
                continue
            touched = hands.touches(quad, taken_at, facts.at, layout)
            if any(touch.visit == hand and touch.share >= model.touched for touch in touched):
                return True
        return False

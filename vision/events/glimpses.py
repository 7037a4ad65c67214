"""
Cards that were glimpsed: a face across another card, found by one look and by none after, as hands came over it.

What is swept away at once after it was laid is never seen twice, and is not told. But whoever takes the bout then may
rightly do so: a glimpse is no play, and yet a sign that one went unseen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vision.detection.z_order import LIES_ACROSS
from vision.geometry.quads import overlap
from vision.tracking.track import Track


@dataclass(frozen=True, slots=True)
class GlimpseSettings:
    """
    What counts as a glimpse, and how long it matters. Shares are 0 to 1, times seconds. Set by hand, 2026-11, where no
    other source is named.
    """

    found: float = 0.6
    """As surely it must be found ..."""
    read: float = 0.8
    """... and read as some face. Higher, either: covered cards are no glimpse; lower: sleeves and patterns are."""
    across: float = LIES_ACROSS
    """It shares so much of its area with a card that is known, by default what counts as lying across it. Higher: hasty
    beats are no glimpse; lower: neighbours are."""
    alone_s: float = 0.3
    """A card not seen again for so long was glimpsed; until then the next look is only due. Longer: the sign comes
    late; shorter: every new card is one."""
    lasting_s: float = 6.0
    """So long after it was seen the bout may still suffer from it. Longer: what has nothing to do with it is doubted;
    shorter: a slow taker is not covered by it."""


class Glimpses:
    """Feed it the tracks after every look; ask whether a card was glimpsed lately that was never told."""

    def __init__(self, settings: GlimpseSettings) -> None:
        self.settings = settings
        self._once: dict[int, float] = {}

    def note(self, tracks: Sequence[Track], at: float) -> None:
        """``tracks``: the cards that are known, this look taken in."""
        for track in tracks:
            if track.looks > 1:
                self._once.pop(track.key, None)
            elif track.seen_at == at and self._is_laid_across(track, tracks):
                self._once[track.key] = at
        self._once = {key: seen for key, seen in self._once.items() if at - seen <= self.settings.lasting_s}

    def lately(self, at: float) -> bool:
        """Was there one, not long before ``at``?"""
        return any(self.settings.alone_s <= at - seen <= self.settings.lasting_s for seen in self._once.values())

    def _is_laid_across(self, track: Track, tracks: Sequence[Track]) -> bool:
        s = self.settings
        if track.is_back or track.is_nothing or track.confidence < s.found or track.one_look < s.read:
            return False
        return any(
            other is not track
            and other.looks > 1
            and not other.is_back
            and overlap(track.corners_px, other.corners_px) >= s.across
            for other in tracks
        )

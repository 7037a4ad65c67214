"""
The settings of tracking (:mod:`vision.tracking.tracker`), and the thresholds that several of its steps share.

Shares are from 0 to 1, of an area or of all probability; distances are in card diagonals. All values were chosen by
hand on development clips, 2026-11, where no other source is given.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.detection.z_order import LIES_ACROSS

UNDER_TALON = 0.1
"""Least share of the turn-up's area that lies under the talon."""
NO_CARD = 0.5
"""A detection that is "none" with a higher probability is no card."""
AT_REST = 0.02
"""Two inferences that find a card within this distance show it at rest."""
VISIBLE_SHARE = 0.25
"""If less of a card is in view, not finding it says nothing."""
FULL_VIEW = 0.6
"""If more of a card is in view, it lies open: another reading there, or a change never explained, is no such card."""
STIRRED_SHARE = 0.05
"""A card whose place changed by less was not touched: a shadow's rim or a neighbour's edge."""
UNMISTAKABLE = 0.9
"""Probability from which a name counts as read clearly: a card read so can't become unreadable by being touched."""
READABLE = 0.42
"""A detection read with less probability, on a card found again with more, is a second detection of that card."""
NAMELESS = 0.25
"""A card none of whose names is more probable has no name."""
CLEAR_CONFIDENCE, CLEAR_READ = 0.75, 0.95
"""Confidence of the finder and probability of the name from which a card is found beyond doubt."""
BLURRED = 0.8
"""A card is blurred if it is less sharp than this share of its sharpest inference."""
LIES_ON = LIES_ACROSS
"""Least overlap with a card that a new card lies on."""


# Thresholds of matching, and of how much a track is trusted.
TRACK_LEAST_CONFIDENCE = 0.35
"""Weaker detections begin no track."""
TRACK_SETTLES = 0.7
"""A detection read with this probability is a card and no arm."""
ARM_COVER = 0.08
"""A detection of which arms hide more is in a hand, or can't be read now."""
SAME_PLACE = 0.3
"""Centres this close may be the same card, at rest or knocked."""
MOST_WEIGHT = 4.0
"""Older readings fade beyond this sum of weights, so that a wrong name can still be corrected."""
TRACK_STRANGER = 0.03
"""Prior of a card from outside the pack, relative to one of it."""
FRESH_SHARE = 0.35
"""Share of a new card's place that must have changed."""
LOOKS_TO_GO = 2
"""Inferences in a row that must miss a card before its track ends."""
UNVISITED_S = 1.5
"""A card where no hand was seen since ends only after so many seconds: a camera may hunt for its focus."""
STILL_LOOKS = 2
"""Inferences in a row that must find a card at one place before it is at rest."""


@dataclass(frozen=True, slots=True)
class TrackSettings:
    """Thresholds of matching, and of how much a track is trusted."""

    alike: float = 0.17
    """
    Distance of two crops (``name_evidence``) at which the errors of their readings agree to exp(-1). On 11,383 pairs of
    inferences at 61 cards of eight development clips the errors agreed by 0.93 on average up to a distance of 0.11, by
    0.70 from there to 0.15, by 0.26 up to 0.31, beyond not at all (2026-11-24).
    """

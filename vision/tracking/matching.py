"""How well a detection continues a track: by name and by place together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Array, centre, size
from vision.tracking.track import Track
from vision.tracking.track_settings import TrackSettings


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """
    How a detection's score as the continuation of a track is made up: in log-probability of one name, less what its
    distance in card diagonals costs. Set by hand, 2026-11.
    """

    least_agreement: float = 1e-4
    """Names agree by no less than this, so that one wrong look can't forbid a match. Higher: names hardly speak against
    a match; lower: one wrong look forbids it."""
    untouched_floor: float = -2.0
    """Of a card that nobody touched disagreement costs no more than this. Lower: a misread look begins a new track.
    Higher: a card that is exchanged unseen keeps its name."""
    distance: float = 10.0
    """Cost of one diagonal, squared, near its old place. Higher: a knocked card is another; lower: neighbours swap."""
    elsewhere: float = 1.5
    """Cost of being at quite another place. Higher: cards pushed far are new; lower: new cards are old ones."""
    elsewhere_distance: float = 0.3
    """What each diagonal costs there ..."""
    elsewhere_farthest: float = 3.0
    """... up to so many. Higher, either: pushed cards are new ones; lower: a card laid far away is one that was
    pushed."""
    no_match: float = -5.0
    """Scores up to this are no match: names agree by less than 1 %. Lower: cards keep tracks that aren't theirs;
    higher: misread cards begin new ones."""


MATCHING = MatchSettings()
"""The costs of all trackers."""


def match_score(
    track: Track,
    quad: Array,
    names: npt.NDArray[np.float32],
    may_be_elsewhere: bool,
    settings: TrackSettings,
    is_hidden: bool = False,
    other_read: float | None = None,
) -> float | None:
    """
    How well a detection at ``quad`` (4, 2) with these probabilities of ``names`` (54,) continues a track, None: not.

    ``may_be_elsewhere``: may the card be known again at another place than its own? ``is_hidden``: an arm lies over
    its own, so that nobody knows whether it still lies there. ``other_read``: a hand was there since it was seen last:
    then, of a card that was read surely, what reads as another as surely as this is another.
    """
    score = _score(track, quad, names, may_be_elsewhere, settings, is_hidden, other_read)
    return None if score is None or score <= MATCHING.no_match else score


def is_nameless(track: Track, settings: TrackSettings) -> bool:
    """Has nobody been able to read the card?"""
    return float(track.shares.max()) < settings.nameless


def _score(
    track: Track,
    quad: Array,
    names: npt.NDArray[np.float32],
    may_be_elsewhere: bool,
    settings: TrackSettings,
    is_hidden: bool,
    other_read: float | None,
) -> float | None:
    m = MATCHING
    agreement = float(np.log(max(float(track.shares @ names), m.least_agreement)))
    gap = float(np.linalg.norm(centre(quad) - centre(track.corners_px))) / max(size(track.corners_px), 1.0)
    is_untouched = track.stirred is None
    if other_read is not None and int(names.argmax()) != int(np.argmax(track.evidence)):
        is_untouched &= names.max() < other_read or track.shares.max() < settings.unmistakable
    if gap < settings.unmoved and is_untouched:
        # Nothing moved here since: it is the same card whatever the classifier says now.
        return max(agreement, m.untouched_floor) - m.distance * gap**2
    if gap < settings.same_place:
        # Of what nobody could read, or read as no card, a card read well a little further on is not known to be that.
        is_unread = track.is_nothing or is_nameless(track, settings)
        is_other = is_unread and track.looks > 1 and names.max() >= settings.unmistakable
        return None if is_other else agreement - m.distance * gap**2
    # Elsewhere only a face can be known again, and only if its old place was disturbed, or is being by an arm over it.
    if track.is_back or not may_be_elsewhere or (is_untouched and not is_hidden):
        return None
    if names[int(np.argmax(track.evidence))] < (settings.unmistakable if is_untouched else settings.elsewhere_share):
        return None
    return agreement - m.elsewhere - min(gap, m.elsewhere_farthest) * m.elsewhere_distance

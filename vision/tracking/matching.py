"""
Which detections are used, and which of them continue a track.

A detection continues a track by name and place together: the score is the log-probability that both have one name,
less a cost of the distance. A card that nobody touched keeps its track whatever it reads as now; one found at another
place is re-identified only if its old place was disturbed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from referee.cards import Card
from vision.detection.detections import BACK_INDEX, FACE_COUNT, FACES, NOTHING_INDEX, Detections
from vision.geometry.quads import Array, centre, gap, iou, overlap, size
from vision.tracking.track import (
    ARM_COVER,
    AT_REST,
    NO_CARD,
    READABLE,
    SAME_PLACE,
    TRACK_LEAST_CONFIDENCE,
    UNDER_TALON,
    UNMISTAKABLE,
    FrameFacts,
    Track,
)

Names = npt.NDArray[np.float32]

# Costs in nats, chosen by hand; distances in card diagonals.
LEAST_AGREEMENT = 1e-4
"""Names agree by at least this probability, so that one wrong reading can't forbid a match."""
UNTOUCHED_FLOOR = -2.0
"""Lowest score of disagreeing names of a card that nobody touched."""
DISTANCE_COST = 10.0
"""Cost of one diagonal, squared, near the old place."""
ELSEWHERE_COST, ELSEWHERE_DISTANCE_COST, ELSEWHERE_FARTHEST = 1.5, 0.3, 3.0
"""Cost of being at quite another place, and of each diagonal there, up to so many."""
NO_MATCH = -5.0
"""Scores up to this are no match: names that agree by less than 1 %."""
UNMOVED = 0.12
"""A card found this close to where it lay untouched is the same, whatever it reads as now."""
ELSEWHERE_SHARE = 0.5
"""Least probability of its name with which a card is re-identified at quite another place."""

WEAKEST_CONFIDENCE = 0.2
"""Weaker detections are never used; between this and ``least_confidence`` they only continue a track of their name."""
DUPLICATE_IOU, DUPLICATE_NAMES = 0.7, 0.3
"""Two detections are one card if they share more of their union, and have one name with more probability."""
PULLED_SHARE = 0.9
"""A turn-up read elsewhere with this probability, and not at its place, is in a hand."""


@dataclass(frozen=True, slots=True)
class TrackState:
    """
    What is known of a track's place in this inference.

    ``may_move``: it may be re-identified elsewhere. ``is_hidden``: an arm lies over it, so that nobody knows whether it
    still lies there. ``other_read``: a hand was there since it was last found; a detection that reads as another card
    with this probability is another card. None: no hand was there.
    """

    may_move: bool
    is_hidden: bool = False
    other_read: float | None = None


def match_score(track: Track, quad: Array, names: Names, state: TrackState) -> float | None:
    """
    Return how well a detection continues a track, None if it does not.

    ``quad``: (4, 2) px. ``names``: (54,) probabilities.
    """
    score = _score(track, quad, names, state)
    return None if score is None or score <= NO_MATCH else score


def _score(track: Track, quad: Array, names: Names, state: TrackState) -> float | None:
    agreement = float(np.log(max(float(track.shares @ names), LEAST_AGREEMENT)))
    distance = float(np.linalg.norm(centre(quad) - centre(track.corners_px))) / max(size(track.corners_px), 1.0)
    is_untouched = track.stirred is None
    if state.other_read is not None and int(names.argmax()) != track.best:
        is_untouched &= names.max() < state.other_read or track.shares.max() < UNMISTAKABLE
    if distance < UNMOVED and is_untouched:
        return max(agreement, UNTOUCHED_FLOOR) - DISTANCE_COST * distance**2
    if distance < SAME_PLACE:
        # A clearly read card is not assumed to be a neighbour that could not be read or was classified as no card.
        is_unread = track.is_nothing or track.is_nameless
        is_other = is_unread and track.inferences > 1 and names.max() >= UNMISTAKABLE
        return None if is_other else agreement - DISTANCE_COST * distance**2
    # Elsewhere only a face can be re-identified, and only if its old place was disturbed or an arm is over it.
    if track.is_back or not state.may_move or (is_untouched and not state.is_hidden):
        return None
    if names[track.best] < (UNMISTAKABLE if is_untouched else ELSEWHERE_SHARE):
        return None
    return agreement - ELSEWHERE_COST - min(distance, ELSEWHERE_FARTHEST) * ELSEWHERE_DISTANCE_COST


def assign(scores: Mapping[tuple[int, int], float]) -> list[tuple[int, int]]:
    """
    Pair tracks with detections, the best score first, each used once.

    ``scores``: (key of a track, index of a detection) -> score; earlier entries win ties.

    >>> assign({(1, 0): -0.1, (1, 1): -0.5, (2, 0): -0.2, (2, 1): -3.0})
    [(1, 0), (2, 1)]
    """
    pairs: list[tuple[int, int]] = []
    for key, k in sorted(scores, key=lambda pair: -scores[pair]):
        if all(key != one and k != other for one, other in pairs):
            pairs.append((key, k))
    return pairs


def usable_detections(found: Detections, facts: FrameFacts, tracks: Sequence[Track]) -> list[int]:
    """
    Return the indices of the detections that are used, the surest first.

    These are cards, under no arm, not duplicates of a better detection, and found with ``least_confidence``, or else at
    the place of a track of their name.
    """
    kept: list[int] = []
    for k in np.argsort(-found.confidence):
        quad, names, confidence = found.corners_px[k], found.probabilities[k], float(found.confidence[k])
        if names[NOTHING_INDEX] > NO_CARD:
            continue
        if confidence < TRACK_LEAST_CONFIDENCE and not _continues(quad, names, confidence, tracks, SAME_PLACE):
            continue
        place = facts.place(quad)
        if not place.any():
            continue
        is_under_arm = float(facts.arms[place].mean()) > ARM_COVER
        if is_under_arm and not _continues(quad, names, confidence, tracks, AT_REST):
            continue
        if not any(is_duplicate(quad, names, found.corners_px[j], found.probabilities[j]) for j in kept):
            kept.append(int(k))
    return kept


def _continues(quad: Array, names: Names, confidence: float, tracks: Sequence[Track], near: float) -> bool:
    """Check for a track with the same, clearly read name within ``near`` card diagonals."""
    return (
        confidence >= WEAKEST_CONFIDENCE
        and float(names[:NOTHING_INDEX].max()) >= UNMISTAKABLE
        and any(
            track.best == int(names.argmax()) and gap(quad, track.corners_px) < near * size(track.corners_px)
            for track in tracks
        )
    )


def is_duplicate(quad: Array, names: Names, better: Array, better_names: Names) -> bool:
    """Check whether a detection outlines a better one again."""
    return iou(quad, better) > DUPLICATE_IOU and float(names @ better_names) > DUPLICATE_NAMES


ECHO_OVERLAP = 0.5
"""Least overlap of a poorly read detection with the card of which it is a second detection."""


def is_echo(found: Detections, k: int, tracks: Sequence[Track], at: float) -> bool:
    """Check whether detection ``k`` is a second, poor detection of a track found in this inference (at ``at``)."""
    if float(found.probabilities[k].max()) >= READABLE:
        return False
    return any(
        track.confirmed
        and track.seen_at == at
        and track.confidence > found.confidence[k]
        and overlap(track.corners_px, found.corners_px[k]) > ECHO_OVERLAP
        for track in tracks
    )


def is_pulled(turnup: Track, name: Card, tracks: Sequence[Track], found: Detections) -> bool:
    """Check whether the turn-up is in a hand: read at a place where no track lies, and not at its own place."""
    shares, middles = found.probabilities[:, FACES.index(name)], found.corners_px.mean(axis=1)
    long = max(size(turnup.corners_px), 1.0)
    from_place = np.linalg.norm(middles - centre(turnup.corners_px), axis=1) / long
    if (shares[from_place < SAME_PLACE] >= ELSEWHERE_SHARE).any():
        return False
    others = np.array([centre(track.corners_px) for track in tracks])
    return any(
        float(np.linalg.norm(others - middles[k], axis=1).min()) / long >= SAME_PLACE
        for k in np.flatnonzero(shares >= PULLED_SHARE)
    )


def has_successor(pulled: Track, tracks: Sequence[Track]) -> bool:
    """Check whether another card was found in the place of a turn-up after that was last found."""
    near = size(pulled.corners_px) * SAME_PLACE
    return any(t.first_at > pulled.seen_at and gap(t.corners_px, pulled.corners_px) < near for t in tracks)


def successor_of(pulled: Track, tracks: Sequence[Track], found: Detections, usable: Sequence[int]) -> Array | None:
    """Return the new face, (4, 2) px, among the usable ones where a turn-up lay that is in a hand; None if none is."""
    if has_successor(pulled, tracks):
        return None
    near = size(pulled.corners_px) * SAME_PLACE
    faces = [k for k in usable if int(found.probabilities[k].argmax()) < FACE_COUNT]
    there = [found.corners_px[k] for k in faces if gap(found.corners_px[k], pulled.corners_px) < near]
    return min(there, key=lambda quad: gap(quad, pulled.corners_px)).astype(np.float32) if there else None


def sought_pair(found: Detections, sought: Card | None) -> set[int]:
    """Return the indices of the turn-up that was announced and not found until now, and of the talon on it."""
    if sought is None:
        return set()
    shares = found.probabilities
    faces = np.flatnonzero(shares[:, FACES.index(sought)] >= UNMISTAKABLE)
    backs = np.flatnonzero(shares[:, BACK_INDEX] >= UNMISTAKABLE)
    pairs = [
        {int(face), int(back)}
        for face in faces
        for back in backs
        if overlap(found.corners_px[face], found.corners_px[back]) >= UNDER_TALON
    ]
    return set().union(*pairs)

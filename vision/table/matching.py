"""
Which detections are used. Before that, they are corrected:

* A back on an open face is dropped: no back comes to lie on a face of the bout. Such a "back" is a face that the
  classifier doesn't know, or one outlined badly.
* A card that the picture's edge cuts is named by its whole outline. Of its part in the picture the classifier gets a
  stretched crop, in which a ten reads as a nine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from referee.cards import Card
from vision.detection.detections import BACK_INDEX, FACE_COUNT, FACES, NOTHING_INDEX, Detections
from vision.detection.z_order import hidden_share
from vision.geometry.quads import Array, centre, gap, iou, overlap, size
from vision.table.sightings import Sighting
from vision.table.track import (
    ARM_COVER,
    AT_REST,
    NO_CARD,
    SAME_PLACE,
    TRACK_LEAST_CONFIDENCE,
    UNDER_TALON,
    UNMISTAKABLE,
    FrameFacts,
    Track,
)

# Shares from 0 to 1, of an area or of all probability. Chosen by hand, 2026-11.
OPEN_FACE = 0.9
"""Probability of the name from which a face lies open."""
BACK_ON_FACE = 0.3
"""A back with more of its area on open faces is no back."""
BACK_MADE_OF_FACES = 0.75
"""A back with more of its area on open faces is a part of them rather than an unread face."""
ANY_FACE = 0.1
"""A back that is no back is an unread face if all faces together have this probability."""
AT_PILE = 0.05
"""A detection that shares more with a pile may be a back of it."""
SAME_LIES_THERE = 0.1
"""A detection that overlaps more with a cut card may be what the card's whole outline shows."""


def without_backs_on_faces(
    found: Detections, faces: Sequence[Array], piles: Sequence[Array], turnup: Card | None = None
) -> Detections:
    """
    Return the detections without backs on faces of the bout; an unread face taken for a back is kept as such.

    ``faces``: (4, 2) px, open cards of the bout. ``piles``: outlines of talon, turn-up and discard pile. ``turnup``:
    the announced one that was not found yet; the talon lies on it.
    """
    surest = found.probabilities[:, :FACE_COUNT].max(axis=1, initial=0.0)
    is_open = surest >= OPEN_FACE
    if turnup is not None:
        is_open &= found.best != FACES.index(turnup)
    open_px = [*found.corners_px[is_open], *faces]
    probabilities, is_kept = found.probabilities.copy(), np.ones(len(found), bool)
    for k in np.flatnonzero(found.best == BACK_INDEX):
        quad, names = found.corners_px[k], probabilities[k]
        on_faces = hidden_share(quad, open_px)
        if on_faces < BACK_ON_FACE or any(overlap(quad, pile) > AT_PILE for pile in piles):
            continue
        names[BACK_INDEX] = 0.0
        is_face = float(names[:FACE_COUNT].sum()) >= ANY_FACE and names[NOTHING_INDEX] <= NO_CARD
        is_kept[k] = is_face and on_faces < BACK_MADE_OF_FACES
        names /= max(float(names.sum()), 1e-6)
    return Detections(found.corners_px[is_kept], found.confidence[is_kept], probabilities[is_kept])


def with_whole_readings(found: Detections, whole: Mapping[int, np.ndarray]) -> Detections:
    """
    Return the detections, those in ``whole`` with the reading of the whole outline if that is the surer face.

    ``whole``: index of a detection -> (54,) probabilities. Of two cards that overlap the lower one's outline shows the
    upper one's print: a face that is read as surely where the other lies is the other's.
    """
    probabilities = found.probabilities.copy()
    surest = found.probabilities[:, :FACE_COUNT].max(axis=1, initial=0.0)
    for k, names in whole.items():
        name = int(names[:FACE_COUNT].argmax())
        if names[name] < surest[k]:
            continue
        beside = [
            max(float(other_names[name]), float(whole[other][name]) if other in whole else 0.0)
            for other, other_names in enumerate(found.probabilities)
            if other != k and overlap(found.corners_px[other], found.corners_px[k]) > SAME_LIES_THERE
        ]
        if max(beside, default=0.0) < names[name]:
            probabilities[k] = names
    return Detections(found.corners_px, found.confidence, probabilities)


Names = npt.NDArray[np.float32]

# Shares from 0 to 1; chosen by hand, 2026-11.
ELSEWHERE_SHARE = 0.5
"""Least probability of its name with which a card is re-identified at quite another place."""
WEAKEST_CONFIDENCE = 0.2
"""Weaker detections are never used; between this and ``least_confidence`` they only continue a track of their name."""
DUPLICATE_IOU, DUPLICATE_NAMES = 0.7, 0.3
"""Two detections are one card if they share more of their union, and have one name with more probability."""
IN_HAND_SHARE = 0.9
"""A turn-up read elsewhere with this probability, and not at its place, is in a hand."""


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


def usable_detections(
    found: Detections, sights: Sequence[Sighting], facts: FrameFacts, tracks: Sequence[Track]
) -> list[int]:
    """
    Return the indices of the detections that are used, the surest first. ``sights``: the sighting of each.

    These are cards, under no arm, not duplicates of a better detection, and found with ``TRACK_LEAST_CONFIDENCE``, by
    themselves or with those before them, or else at the place of a track of their name.
    """
    kept: list[int] = []
    for k in np.argsort(-found.confidence):
        quad, names, confidence = found.corners_px[k], found.probabilities[k], float(found.confidence[k])
        if names[NOTHING_INDEX] > NO_CARD:
            continue
        is_faint = sights[k].confidence < TRACK_LEAST_CONFIDENCE
        if is_faint and not _continues(quad, names, confidence, tracks, SAME_PLACE):
            continue
        place = facts.place(quad)
        if not place.any():
            continue
        is_under_arm = float(facts.arms[place].mean()) > ARM_COVER
        if is_under_arm and not _continues(quad, names, confidence, tracks, AT_REST):
            continue
        if not any(
            iou(quad, found.corners_px[j]) > DUPLICATE_IOU and float(names @ found.probabilities[j]) > DUPLICATE_NAMES
            for j in kept
        ):
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


def is_seen_in_hand(turnup: Track, name: Card, tracks: Sequence[Track], found: Detections) -> bool:
    """Check whether the turn-up is in a hand: read at a place where no track lies, and not at its own place."""
    shares, middles = found.probabilities[:, FACES.index(name)], found.corners_px.mean(axis=1)
    long = max(size(turnup.corners_px), 1.0)
    from_place = np.linalg.norm(middles - centre(turnup.corners_px), axis=1) / long
    if (shares[from_place < SAME_PLACE] >= ELSEWHERE_SHARE).any():
        return False
    others = np.array([centre(track.corners_px) for track in tracks])
    return any(
        float(np.linalg.norm(others - middles[k], axis=1).min()) / long >= SAME_PLACE
        for k in np.flatnonzero(shares >= IN_HAND_SHARE)
    )


def has_successor(seen_in_hand: Track, tracks: Sequence[Track]) -> bool:
    """Check whether another card was found in the place of a turn-up after that was last found."""
    near = size(seen_in_hand.corners_px) * SAME_PLACE
    return any(t.first_at > seen_in_hand.seen_at and gap(t.corners_px, seen_in_hand.corners_px) < near for t in tracks)


def successor_of(
    seen_in_hand: Track, tracks: Sequence[Track], found: Detections, usable: Sequence[int]
) -> Array | None:
    """Return the new face, (4, 2) px, among the usable ones where a turn-up lay that is in a hand; None if none is."""
    if has_successor(seen_in_hand, tracks):
        return None
    near = size(seen_in_hand.corners_px) * SAME_PLACE
    faces = [k for k in usable if int(found.probabilities[k].argmax()) < FACE_COUNT]
    there = [found.corners_px[k] for k in faces if gap(found.corners_px[k], seen_in_hand.corners_px) < near]
    return min(there, key=lambda quad: gap(quad, seen_in_hand.corners_px)).astype(np.float32) if there else None


def expected_pair(found: Detections, expected_turnup: Card | None) -> set[int]:
    """Return the indices of the turn-up that was announced and not found until now, and of the talon on it."""
    if expected_turnup is None:
        return set()
    shares = found.probabilities
    faces = np.flatnonzero(shares[:, FACES.index(expected_turnup)] >= UNMISTAKABLE)
    backs = np.flatnonzero(shares[:, BACK_INDEX] >= UNMISTAKABLE)
    pairs = [
        {int(face), int(back)}
        for face in faces
        for back in backs
        if overlap(found.corners_px[face], found.corners_px[back]) >= UNDER_TALON
    ]
    return set().union(*pairs)

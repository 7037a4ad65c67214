"""A turn-up that somebody has pulled from under the talon: seen in a hand, and what lies in its place then."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from referee.cards import Card
from vision.detection.detections import BACK_INDEX, FACE_COUNT, FACES, Detections
from vision.geometry.quads import Array, centre, gap, overlap, size
from vision.tracking.track import Track
from vision.tracking.track_settings import TrackSettings


def is_pulled(turnup: Track, name: Card, tracks: Sequence[Track], found: Detections, settings: TrackSettings) -> bool:
    """
    Is the turn-up read elsewhere, where none of ``tracks`` lies, and not at its place? Where it lay there may lie
    another when a card is found there again.
    """
    shares, middles = found.probabilities[:, FACES.index(name)], found.corners_px.mean(axis=1)
    long = max(size(turnup.corners_px), 1.0)
    from_place = np.linalg.norm(middles - centre(turnup.corners_px), axis=1) / long
    if (shares[from_place < settings.same_place] >= settings.elsewhere_share).any():
        return False  # it lies where it lay
    others = np.array([centre(track.corners_px) for track in tracks])
    return any(
        float(np.linalg.norm(others - middles[k], axis=1).min()) / long >= settings.same_place
        for k in np.flatnonzero(shares >= settings.pulled_share)
    )


def has_successor(pulled: Track, tracks: Sequence[Track], settings: TrackSettings) -> bool:
    """Has another card been found where this one was, after it was seen there last?"""
    near = size(pulled.corners_px) * settings.same_place
    return any(t.first_at > pulled.seen_at and gap(t.corners_px, pulled.corners_px) < near for t in tracks)


def successor_of(
    pulled: Track, tracks: Sequence[Track], found: Detections, usable: Sequence[int], settings: TrackSettings
) -> Array | None:
    """The face found (of the ``usable``) where a turn-up lay that is in a hand, (4, 2) px; None: none that is new."""
    if has_successor(pulled, tracks, settings):
        return None
    near = size(pulled.corners_px) * settings.same_place
    faces = [k for k in usable if int(found.probabilities[k].argmax()) < FACE_COUNT]
    there = [found.corners_px[k] for k in faces if gap(found.corners_px[k], pulled.corners_px) < near]
    return min(there, key=lambda quad: gap(quad, pulled.corners_px)).astype(np.float32) if there else None


def sought_pair(found: Detections, sought: Card | None, settings: TrackSettings) -> set[int]:
    """Of a look: the turn-up that was ``sought``, said to lie here and not made out until now, and the talon on it."""
    if sought is None:
        return set()
    shares = found.probabilities
    faces = np.flatnonzero(shares[:, FACES.index(sought)] >= settings.unmistakable)
    backs = np.flatnonzero(shares[:, BACK_INDEX] >= settings.unmistakable)
    pairs = [
        {int(face), int(back)}
        for face in faces
        for back in backs
        if overlap(found.corners_px[face], found.corners_px[back]) >= settings.under_talon
    ]
    return set().union(*pairs)

"""Detections and inferences for tests of the tracker: a table of 640 x 360 px, one card by default."""

from __future__ import annotations

import numpy as np

from vision.detection.detections import CLASS_NAMES, Detections
from vision.table.card_filter import CardFilter
from vision.table.observation import InitialState
from vision.table.track import FrameFacts

SHAPE = (90, 160)


GREY = np.zeros((360, 640), np.uint8)


CARD = np.array([[100, 100], [140, 100], [140, 156], [100, 156]], np.float32)


NO_ARMS = np.zeros(SHAPE, bool)


ALL = np.ones(SHAPE, bool)


def seen(*cards: tuple[np.ndarray, dict[str, float]]) -> Detections:
    """Return detections from corners and a few names with their shares; the rest is spread evenly."""
    rows = []
    for _, names in cards:
        row = np.full(len(CLASS_NAMES), (1 - sum(names.values())) / len(CLASS_NAMES), np.float32)
        for name, share in names.items():
            row[CLASS_NAMES.index(name)] += share
        rows.append(row)
    if not cards:
        return Detections.none()
    return Detections(
        np.array([quad for quad, _ in cards], np.float32),
        np.full(len(cards), 0.9, np.float32),
        np.array(rows, np.float32),
    )


def noise(at: float) -> np.ndarray:
    """Return a picture of noise that differs at every time."""
    return np.random.default_rng(round(at * 1000)).integers(0, 255, GREY.shape, np.uint8)


def track_inference(
    tracker: CardFilter,
    detections: Detections,
    at: float,
    arms: np.ndarray = NO_ARMS,
    picture: np.ndarray = GREY,
) -> list[str]:
    """Feed one inference to the tracker and return the tracks."""
    tracker.update(detections, FrameFacts(at, arms, 4.0, np.zeros_like(arms)), picture, at - 0.1)
    return [str(track.reading()[0]) for track in tracker.tracks]


def begun(*cards: tuple[np.ndarray, dict[str, float]], pack_size: int | None = None) -> CardFilter:
    """Return a tracker with confirmed tracks of these cards, after two inferences."""
    tracker = CardFilter(start=InitialState(pack=pack_size))
    tracker.add_change(ALL, 4.0)
    track_inference(tracker, seen(*cards), 0.0)
    track_inference(tracker, seen(*cards), 0.2)
    tracker.accept_all()
    return tracker

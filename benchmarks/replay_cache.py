"""
Replay a clip without running its networks: their results for each frame are cached on disk.

Tracking and events can then be developed at many times the clip's own speed. Motion detection runs on every frame, on
cached reduced pictures (JPEG, quality 95, so figures for reports are measured without the cache). Results are keyed by
the clip's bytes and the weights' checksums, so no stale result is used. Whole pictures are decoded only when needed.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from features.enrolment.deck_file import EnrolledDeck
from features.enrolment.known_deck import KnownDeckClassifier
from vision.capture.sources import open_source
from vision.detection.card_detector import (
    ArmDetector,
    CardDetector,
    NetworkCardDetector,
    PlaceDetector,
    load_card_detector,
)
from vision.detection.detections import Detections
from vision.detection.networks import find_manifest
from vision.motion.background_subtraction import MotionDetector
from vision.motion.motion_report import LONG_SIDE_PX, MotionSettings, reduced

JPEG_QUALITY = 95
"""JPEG quality of cached pictures for the order of cards; the networks always get the clip's own pixels."""


class LazyPicture:
    """A picture that is decoded when its pixels are needed. ``shape``: (rows, columns, 3)."""

    def __init__(self, reel: Reel, number: int, shape: tuple[int, ...]) -> None:
        self._reel, self._number, self.shape = reel, number, shape

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._reel.stored_picture(self._number)


@dataclass(frozen=True)
class ReelFrame:
    """A stand-in for ``vision.capture.sources.Frame``."""

    image_bgr: LazyPicture
    number: int
    at: float
    cut: bool = False
    lost: str | None = None


class Reel:
    """One clip and its cached results in a folder."""

    def __init__(self, clip: Path, folder: Path) -> None:
        self.clip = clip
        self._home = folder / f"{clip.stem}-{_digest(clip.read_bytes())}"
        self._home.mkdir(parents=True, exist_ok=True)
        self._reader: Iterator[Any] | None = None
        self._reached = -1
        self._newest: np.ndarray | None = None
        film = self._home / f"reduced-to-{LONG_SIDE_PX}.pickle"
        if not film.is_file():
            film.write_bytes(pickle.dumps(list(self._reduced())))
        self._stored = pickle.loads(film.read_bytes())

    @property
    def frames(self) -> Iterator[ReelFrame]:
        """Return all frames, with pictures that are not decoded yet."""
        for number, at, shape, _ in self._stored:
            yield ReelFrame(LazyPicture(self, number, shape), number, at)

    def gate(self, settings: MotionSettings) -> MotionDetector:
        """Return motion detection that uses the cached reduced pictures."""
        return _ReducedMotionDetector(settings, {at: jpeg for _, at, _, jpeg in self._stored})

    def picture(self, number: int) -> np.ndarray:
        """Return a frame's original pixels."""
        if self._newest is not None and number == self._reached:
            return self._newest
        if self._reader is None or number < self._reached:
            self._reader = iter(open_source(str(self.clip)))
        for frame in self._reader:
            self._reached, self._newest = frame.number, frame.image_bgr
            if frame.number == number:
                return frame.image_bgr
        raise ValueError(f"expected a frame of {self.clip.name}, got number {number}")

    def stored_picture(self, number: int) -> np.ndarray:
        """Return a frame's approximate pixels: cached, or decoded and cached now."""
        file = self._home / f"{number:06d}.jpg"
        if not file.is_file():
            cv2.imwrite(str(file), self.picture(number), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        picture = cv2.imread(str(file))
        assert picture is not None
        return picture

    def detect(self, number: int, detector: CardDetector, key: str, near: int = 0) -> Detections:
        """
        Return the networks' cached result for a frame or one at most ``near`` frames away, or run them (``key``:
        which).
        """
        folder = self._home / f"looks-{key}"
        folder.mkdir(exist_ok=True)
        for other in sorted(range(number - near, number + near + 1), key=lambda k: abs(k - number)):
            file = folder / f"{other:06d}.npz"
            if file.is_file():
                break
        else:
            file = folder / f"{number:06d}.npz"
        if file.is_file():
            with np.load(file) as stored:
                return Detections(stored["corners"], stored["confidence"], stored["probabilities"])
        found = detector.detect(self.picture(number))
        partial = file.with_suffix(".part")
        with partial.open("wb") as out:
            np.savez(out, corners=found.corners_px, confidence=found.confidence, probabilities=found.probabilities)
        partial.replace(file)
        return found

    def detect_at(
        self,
        number: int,
        detector: PlaceDetector,
        key: str,
        corners_px: np.ndarray,
        occluders_px: Sequence[Sequence[np.ndarray]],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the cached result for these places of a frame, or run the networks."""
        folder = self._home / f"places-{key}"
        folder.mkdir(exist_ok=True)
        occluders = b"|".join(
            np.asarray(occluder, np.float32).tobytes() for some in occluders_px for occluder in (*some, np.zeros(1))
        )
        asked = _digest(np.asarray(corners_px, np.float32).tobytes() + occluders)
        file = folder / f"{number:06d}-{asked}.npz"
        if file.is_file():
            with np.load(file) as stored:
                return stored["corners"], stored["probabilities"]
        corners, probabilities = detector.detect_at(self.picture(number), corners_px, occluders_px)
        partial = file.with_suffix(".part")
        with partial.open("wb") as out:
            np.savez(out, corners=corners, probabilities=probabilities)
        partial.replace(file)
        return corners, probabilities

    def label(self, number: int, detector: ArmDetector, key: str) -> np.ndarray | None:
        """Return the cached map of arms of a frame, or run the segmentation; None if there is no such network."""
        folder = self._home / f"arms-{key}"
        folder.mkdir(exist_ok=True)
        file = folder / f"{number:06d}.npz"
        if file.is_file():
            with np.load(file) as stored:
                return stored["labels"] if len(stored["labels"]) else None
        labels = detector.label(self.picture(number))
        partial = file.with_suffix(".part")
        with partial.open("wb") as out:
            np.savez_compressed(out, labels=np.zeros(0) if labels is None else labels)
        partial.replace(file)
        return labels

    def _reduced(self) -> Iterator[tuple[int, float, tuple[int, ...], np.ndarray]]:
        """Return each frame's number, time and shape, and the reduced picture as JPEG."""
        with open_source(str(self.clip)) as source:
            for frame in source:
                small = reduced(frame.image_bgr, LONG_SIDE_PX)
                _, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
                yield frame.number, frame.at, frame.image_bgr.shape, jpeg


def knowing(detector: NetworkCardDetector, deck: EnrolledDeck | None) -> NetworkCardDetector:
    """Return the detector with a learned deck."""
    if deck is not None:
        detector.classifier = KnownDeckClassifier(detector.classifier, deck)
    return detector


class ReplayedDetector:
    """
    A detector that returns cached results and runs the networks, loaded when first needed, for the others.

    ``near``: also accept the result of a frame this many frames away, for quick trials. ``deck``: a learned deck.
    """

    def __init__(
        self, reel: Reel, weights: Path | None = None, near: int = 0, deck: EnrolledDeck | None = None
    ) -> None:
        self._reel, self._weights, self._near, self._deck = reel, weights, near, deck
        known = b"" if deck is None else b"".join(str(v.card).encode() + v.crop.tobytes() for v in deck.views)
        self._key = _digest((weights or find_manifest()).read_bytes() + known)
        self._detector: NetworkCardDetector | None = None
        self.number = 0

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Return the detections of frame ``number``."""
        return self._reel.detect(self.number, _Later(self), self._key, self._near)

    def detect_at(
        self, image_bgr: np.ndarray, corners_px: np.ndarray, occluders_px: Sequence[Sequence[np.ndarray]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the classification of places of frame ``number``."""
        return self._reel.detect_at(self.number, _Later(self), self._key, corners_px, occluders_px)

    def label(self, image_bgr: np.ndarray) -> np.ndarray | None:
        """Return the cached map of arms of frame ``number``."""
        return self._reel.label(self.number, _Later(self), self._key)

    @property
    def networks(self) -> NetworkCardDetector:
        """Return the networks."""
        if self._detector is None:
            self._detector = knowing(load_card_detector(self._weights), self._deck)
        return self._detector


class _Later:
    """The networks, loaded at the first use."""

    def __init__(self, owner: ReplayedDetector) -> None:
        self._owner = owner

    def detect(self, image_bgr: np.ndarray) -> Detections:
        return self._owner.networks.detect(image_bgr)

    def detect_at(
        self, image_bgr: np.ndarray, corners_px: np.ndarray, occluders_px: Sequence[Sequence[np.ndarray]]
    ) -> tuple[np.ndarray, np.ndarray]:
        return self._owner.networks.detect_at(image_bgr, corners_px, occluders_px)

    def label(self, image_bgr: np.ndarray) -> np.ndarray | None:
        return self._owner.networks.label(image_bgr)


class _ReducedMotionDetector(MotionDetector):
    """Motion detection on the cached reduced pictures instead of the frames."""

    def __init__(self, settings: MotionSettings, stored: dict[float, np.ndarray]) -> None:
        super().__init__(settings)
        self._stored = stored

    def reduce(self, image_bgr: np.ndarray, at: float) -> np.ndarray:
        """Return the cached picture of that time."""
        return np.asarray(cv2.imdecode(self._stored[at], cv2.IMREAD_COLOR), np.uint8)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]

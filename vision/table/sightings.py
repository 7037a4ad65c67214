"""
What inferences in a row read at one place, added up, whether or not it is a card that lies there.

A detection by itself is often weak: the finder is half sure, two names are likely, an arm region is over it. The next
inferences show the same place again. A *sighting* is the chain of detections at one place that may be one card: their
names and their confidence are added up, so that nothing depends on one of them being above a threshold. Where the
newest of them together are more likely another card than the one before, a new sighting begins with them: of two cards
laid one on the other the second reads like the first while a hand is over it.

A sighting begins a card only by the rules of :mod:`vision.table.card_filter`. It matters where these could not use its
detections: a card that a hand was laying, or one on which the next card came before the hand had gone.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from vision.detection.detections import CLASS_NAMES, FACE_COUNT, Detections
from vision.geometry.quads import Array, Mask, gap, size, warp
from vision.table.filter_model import FilterSettings
from vision.table.track import CLEAR_CONFIDENCE, CLEAR_READ, STILL_INFERENCES, UNMISTAKABLE, SeenCrops


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """
    One detection of a sighting.

    ``at``, ``last_at``: seconds, of its inference and of the one before. ``log_names``: (54,) log-probabilities of the
    names, weighted by how much of the reading is new. ``confidence``: of the finder, weighted likewise. ``is_free``: no
    hand is on it.
    """

    at: float
    last_at: float
    log_names: npt.NDArray[np.float64]
    confidence: float
    is_free: bool


@dataclass(slots=True, eq=False)
class Sighting:
    """
    One chain of detections.

    ``corners_px``: (4, 2), the newest. ``empty_at``: last known not to lie there, in seconds. ``readings``: the newest
    ones. ``confidence``: probability that the finder's claims together are right. ``count``: detections.
    ``in_no_hand``: those in a row that showed no hand on it; ``free_at``: when there were ``STILL_INFERENCES`` for the
    first time, in seconds. ``was_clear_under_arm``: it was read beyond doubt while an arm region was over it.
    ``is_card``: a card of the table was found there.
    """

    corners_px: Array
    empty_at: float
    readings: list[Reading] = field(default_factory=list)
    evidence: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(CLASS_NAMES)))
    confidence: float = 0.0
    count: int = 0
    in_no_hand: int = 0
    free_at: float | None = None
    was_clear_under_arm: bool = False
    is_card: bool = False
    crops: SeenCrops = field(default_factory=SeenCrops)

    @property
    def seen_at(self) -> float:
        """Return when it was last found, in seconds."""
        return self.readings[-1].at

    @property
    def names(self) -> npt.NDArray[np.float64]:
        """Return the probability of each name, (54,)."""
        return _probabilities(self.evidence)

    @property
    def best(self) -> int:
        """Return the index into ``CLASS_NAMES`` of the most probable name."""
        return int(np.argmax(self.evidence))

    @property
    def is_clear(self) -> bool:
        """Check whether it is a face that was found and read beyond doubt."""
        is_read = self.best < FACE_COUNT and float(self.names.max()) >= CLEAR_READ
        return is_read and self.confidence >= CLEAR_CONFIDENCE

    @property
    def is_let_go(self) -> bool:
        """Check whether it is a card at rest that no hand held any more, though an arm region may be over it."""
        return self.is_clear and self.free_at is not None

    def add(self, reading: Reading) -> None:
        """Add a reading."""
        self.readings.append(reading)
        self._count(reading)

    def split(self, model: FilterSettings) -> Sighting | None:
        """Return a sighting of the newest readings, without which this one stays, if together they are another card."""
        del self.readings[: -model.readings_split]
        newer, older = np.zeros(len(CLASS_NAMES)), self.evidence
        for k in range(len(self.readings) - 1, 0, -1):
            newer, older = newer + self.readings[k].log_names, older - self.readings[k].log_names
            if is_another(_probabilities(older), _probabilities(newer), model.same_card):
                other = Sighting(self.corners_px, self.readings[k].last_at, crops=self.crops)
                for reading in self.readings[k:]:
                    other.add(reading)
                del self.readings[k:]
                self.evidence, self.count = older, self.count - other.count
                self.crops = SeenCrops()
                if self.free_at is not None and self.free_at > self.seen_at:
                    self.free_at = None
                return other
        return None

    def _count(self, reading: Reading) -> None:
        self.evidence = self.evidence + reading.log_names
        self.evidence -= self.evidence.max()
        self.count += 1
        self.in_no_hand = self.in_no_hand + 1 if reading.is_free else 0
        if self.in_no_hand == STILL_INFERENCES and self.free_at is None:
            self.free_at = reading.at
        self.confidence = 1 - (1 - self.confidence) * (1 - reading.confidence)


class Sightings:
    """All sightings of one table."""

    def __init__(self, model: FilterSettings) -> None:
        self._model = model
        self._known: list[Sighting] = []

    def add(
        self,
        found: Detections,
        known: Container[int],
        grey: Mask,
        at: float,
        last_at: float,
        hands: npt.NDArray[np.float64] | None,
    ) -> list[Sighting]:
        """
        Return the sighting of each detection of an inference.

        ``known``: names of the cards on the table, indices into ``CLASS_NAMES``: a second weak outline of one of them
        is found again and again, so that its confidence is not added up.

        ``grey``: the full-size picture, (rows, columns) uint8. ``at``, ``last_at``: seconds, of this inference and the
        one before. ``hands``: (n,) share of each detection, 0..1, that a hand covers; None where the segmentation did
        not run, because no arm is in the picture.
        """
        longest_s, at_rest = self._model.sighting
        self._known = [sighting for sighting in self._known if at - sighting.seen_at <= longest_s]
        free = list(self._known)
        sights: dict[int, Sighting] = {}
        for k in (int(each) for each in np.argsort(-found.confidence)):
            quad = found.corners_px[k]
            near = [s for s in free if gap(s.corners_px, quad) < at_rest * size(quad)]
            if near:
                sighting = max(near, key=lambda s: float(s.names @ found.probabilities[k]))
                free.remove(sighting)
            else:
                sighting = Sighting(quad, last_at)
                self._known.append(sighting)
            is_free = hands is None or float(hands[k]) <= self._model.hand_on_free
            weight = sighting.crops.novelty(grey, quad, self._model.alike, has_moved=False)
            if sighting.readings and sighting.best != int(found.best[k]):
                weight = 1.0  # a repeated picture repeats its name
            names = np.maximum(found.probabilities[k].astype(np.float64), self._model.reading_floor)
            is_read = float(found.probabilities[k, :FACE_COUNT].max()) >= UNMISTAKABLE
            own = float(found.confidence[k])
            sighting.add(Reading(at, last_at, weight * np.log(names), weight * own if is_read else 0.0, is_free))
            other = sighting.split(self._model)
            if other is not None:
                self._known.append(other)
                sighting = other
            sighting.corners_px = quad
            adds_up = int(found.best[k]) not in known and int(found.best[k]) == sighting.best
            sighting.confidence = max(sighting.confidence, own) if adds_up else own
            sights[k] = sighting
        return [sights[k] for k in range(len(found))]

    def let_go_before(self, at: float) -> list[Sighting]:
        """Return the sightings of cards that a hand had let go and that an inference at ``at`` (s) has not found."""
        return [s for s in self._known if s.is_let_go and not s.is_card and s.seen_at < at]

    def follow(self, move: npt.NDArray[np.float64]) -> None:
        """Move all places with the camera. ``move``: (3, 3), from pixels before to pixels now."""
        for sighting in self._known:
            sighting.corners_px = warp(move, sighting.corners_px)

    def end(self, sighting: Sighting) -> None:
        """Forget a sighting: a card was begun for it."""
        self._known = [other for other in self._known if other is not sighting]


def is_another(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64], least: float) -> bool:
    """
    Check whether two readings of one place, (54,) probabilities each, are rather of two cards than of one.

    ``least``: odds, same card to another one whose name is any face, from which they are of one.

    >>> ace, mostly_ace, unread = np.full((3, 54), 0.01 / 53)
    >>> ace[0], mostly_ace[0], mostly_ace[1], unread[:] = 0.99, 0.1, 0.85, 1 / 54
    >>> [is_another(ace, other, 1 / 3) for other in (mostly_ace, unread, np.roll(ace, 1))]
    [False, False, True]
    """
    return float(one @ other) * FACE_COUNT < least


def _probabilities(evidence: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the probability of each name, (54,), from summed log-probabilities."""
    raised = np.exp(evidence - evidence.max())
    return np.asarray(raised / raised.sum())

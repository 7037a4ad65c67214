"""One look at a picture: the finder and the reader together. This is what the rest of vision asks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from vision.beneath import (
    BeneathSettings,
    believed_beneath,
    lids_of,
    lids_over,
    order_by_reading,
    surer,
    with_beneath,
)
from vision.claims import ClaimSettings, choose
from vision.crosswise import CrosswiseSettings, believed, candidates, places, without_back
from vision.detections import FACE_COUNT, Detections
from vision.detector import CardFinder, FinderSettings, Found, strike_doubles
from vision.reader import CardReader, ReaderSettings
from vision.refiner import CornerRefiner
from vision.stacking import Stacking
from vision.weights import WeightsError, find_manifest, open_network, read_manifest


class Sight(Protocol):
    """Anything that can look at a picture and say which cards lie where."""

    def look(self, image_bgr: np.ndarray) -> Detections:
        """Cards on a (h, w, 3) uint8 picture."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Studied:
    """What is seen on a picture that stands alone, and who lies on whom among it."""

    seen: Detections
    order: Stacking


@runtime_checkable
class StillSight(Protocol):
    """A sight that can take its time over one picture."""

    def study(self, image_bgr: np.ndarray) -> Studied:
        """Cards on a (h, w, 3) uint8 picture, those under others too."""
        ...


class NetworkSight:
    """Finds, puts the corners right, reads; each step on as much of the picture's resolution as it needs."""

    def __init__(self, finder: CardFinder, refiner: CornerRefiner, reader: CardReader) -> None:
        self.finder = finder
        self.refiner = refiner
        self.reader = reader
        self.claims = ClaimSettings()
        self.beneath = BeneathSettings()
        self.crosswise = CrosswiseSettings()
        self.took_ms: dict[str, float] = {"detect": 0.0, "refine": 0.0, "read": 0.0}
        """Milliseconds of the last look, by stage; for benchmarks."""

    def look(self, image_bgr: np.ndarray) -> Detections:
        """Cards on a (h, w, 3) uint8 picture; what the reader calls no card is left out."""
        return self._look(image_bgr, self.finder.settings.confidence)[0]

    def _look(self, image_bgr: np.ndarray, least: float) -> tuple[Detections, Found]:
        """What is seen, and all that the finder claimed from ``least`` on."""
        began = time.perf_counter()
        claims = self.finder.find(image_bgr, least)
        found = claims.above(self.finder.settings.confidence)
        claimed = time.perf_counter()
        corners = self.refiner.refine(image_bgr, found.corners_px)
        # Two claims of one card often lie together once they are put right.
        kept = strike_doubles(corners, found.confidence, self.claims.same)
        corners, confidence = corners[kept], found.confidence[kept]
        refined = time.perf_counter()
        probabilities = self.reader.read(image_bgr, corners)
        kept = choose(corners, confidence, probabilities, self.claims)
        corners, confidence, probabilities = corners[kept], confidence[kept], probabilities[kept]
        corners, confidence, probabilities = self._with_turnup(image_bgr, corners, confidence, probabilities)
        self.took_ms = {
            "detect": (claimed - began) * 1e3,
            "refine": (refined - claimed) * 1e3,
            "read": (time.perf_counter() - refined) * 1e3,
        }
        return Detections(corners, confidence, probabilities), claims

    def study(self, image_bgr: np.ndarray) -> Studied:
        """
        As ``look``, with more care: covered cards are read without what covers them.

        In motion a card was seen before another came to lie on it; a picture that stands alone has no before.
        """
        seen, claims = self._look(image_bgr, self.beneath.claim)
        corners, confidence, probabilities = seen.corners_px, seen.confidence, seen.probabilities.copy()

        def read(cards: np.ndarray, lids: Sequence[list[np.ndarray]]) -> np.ndarray:
            return self.reader.read(image_bgr, cards, lids)

        order = order_by_reading(corners, probabilities, read, self.beneath)
        covered = np.flatnonzero(order.covered > 0)
        if len(covered):
            lids = lids_of(order, corners)
            for index, painted in zip(covered, read(corners[covered], [lids[i] for i in covered]), strict=True):
                probabilities[index] = surer(probabilities[index], painted)
        over = [lids_over(claim, corners, self.beneath) for claim in claims.corners_px]
        doubtful = [i for i, above in enumerate(over) if above]
        if not doubtful:
            return Studied(Detections(corners, confidence, probabilities), order)
        refined = self.refiner.refine(image_bgr, claims.corners_px[doubtful])
        over = [lids_over(claim, corners, self.beneath) for claim in refined]
        painted = read(refined, [[corners[i] for i in above] for above in over])
        painted[[not above for above in over]] = 0
        names = set(probabilities.argmax(axis=1).tolist())
        added = believed_beneath(refined, painted, names, self.beneath)
        corners = np.concatenate([corners, refined[added]])
        detections = Detections(
            corners,
            np.concatenate([confidence, claims.confidence[doubtful][added]]),
            np.concatenate([probabilities, painted[added]]),
        )
        return Studied(detections, with_beneath(order, corners, [over[i] for i in added]))

    def _with_turnup(
        self, image_bgr: np.ndarray, corners: np.ndarray, confidence: np.ndarray, probabilities: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The cards found, and those lying crosswise under a back that the finder passed over."""
        settings = self.crosswise
        sought = places(corners[candidates(corners, probabilities, settings)], settings)
        if not len(sought):
            return corners, confidence, probabilities
        refined = self.refiner.refine(image_bgr, sought)
        named = self.reader.read(image_bgr, refined)
        # A card there that nobody can read is no reason not to look at it as a turn-up.
        faces = corners[probabilities[:, :FACE_COUNT].max(axis=1, initial=0.0) > settings.face_share]
        kept = believed(sought, refined, named, faces, settings)
        return (
            np.concatenate([corners, refined[kept]]),
            np.concatenate([confidence, np.full(len(kept), settings.confidence, np.float32)]),
            np.concatenate([probabilities, without_back(named[kept])]),
        )


def load_sight(weights: Path | None = None) -> NetworkSight:
    """
    The networks that travel with the program, or others.

    ``weights``: a manifest (.toml), or a finder's .onnx or .pt file, in which case the refiner and the reader lie
    beside it as ``refiner`` and ``reader`` with the same ending. ``WeightsError`` where they are missing or damaged.
    """
    if weights is None or weights.suffix == ".toml":
        manifest = read_manifest(weights or find_manifest())
        files = [manifest.file(section) for section in (manifest.detector, manifest.refiner, manifest.reader)]
    else:
        files = [weights, *(weights.with_name(name + weights.suffix) for name in ("refiner", "reader"))]
        if not weights.is_file():
            raise WeightsError(f"expected weights at {weights}, found none; check the path given with --weights")
        manifest = read_manifest(find_manifest())
        for file in files[1:]:
            if not file.is_file():
                raise WeightsError(
                    f"expected the {file.stem}'s weights beside {weights.name} as {file.name}, found none"
                )
    settings = FinderSettings(
        input_px=int(manifest.detector.get("input_px", FinderSettings().input_px)),
        confidence=float(manifest.detector.get("confidence", FinderSettings().confidence)),
    )
    temperature = float(manifest.reader.get("temperature", 1.0))
    return NetworkSight(
        CardFinder(open_network(files[0]), settings),
        CornerRefiner(open_network(files[1])),
        CardReader(open_network(files[2]), ReaderSettings(temperature=temperature)),
    )

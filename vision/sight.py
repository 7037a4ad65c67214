"""One look at a picture: the finder and the reader together. This is what the rest of vision asks."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Protocol

import numpy as np

from vision.detections import NOTHING_INDEX, Detections
from vision.detector import CardFinder, FinderSettings
from vision.reader import CardReader, ReaderSettings
from vision.weights import WeightsError, find_manifest, open_network, read_manifest


class Sight(Protocol):
    """Anything that can look at a picture and say which cards lie where."""

    def look(self, image_bgr: np.ndarray) -> Detections:
        """Cards on a (h, w, 3) uint8 picture."""
        ...


class NetworkSight:
    """Finds with one network, reads with another; both at the picture's full resolution where it matters."""

    def __init__(self, finder: CardFinder, reader: CardReader) -> None:
        self.finder = finder
        self.reader = reader
        self.took_ms: dict[str, float] = {"detect": 0.0, "read": 0.0}
        """Milliseconds of the last look, by stage; for benchmarks."""

    def look(self, image_bgr: np.ndarray) -> Detections:
        """Cards on a (h, w, 3) uint8 picture; what the reader calls no card is left out."""
        began = time.perf_counter()
        found = self.finder.find(image_bgr)
        between = time.perf_counter()
        probabilities = self.reader.read(image_bgr, found.corners_px)
        self.took_ms = {"detect": (between - began) * 1e3, "read": (time.perf_counter() - between) * 1e3}
        cards = probabilities[:, NOTHING_INDEX] < 0.5
        return Detections(found.corners_px[cards], found.confidence[cards], probabilities[cards])


def load_sight(weights: Path | None = None) -> NetworkSight:
    """
    The networks that travel with the program, or others.

    ``weights``: a manifest (.toml), or a finder's .onnx or .pt file, in which case the reader lies beside it as
    ``reader`` with the same ending. ``WeightsError`` where they are missing or damaged.
    """
    if weights is None or weights.suffix == ".toml":
        manifest = read_manifest(weights or find_manifest())
        finder_file, reader_file = manifest.file(manifest.detector), manifest.file(manifest.reader)
    else:
        finder_file, reader_file = weights, weights.with_name("reader" + weights.suffix)
        if not weights.is_file():
            raise WeightsError(f"expected weights at {weights}, found none; check the path given with --weights")
        manifest = read_manifest(find_manifest())
        if not reader_file.is_file():
            raise WeightsError(f"expected the reader's weights beside {weights.name} as {reader_file.name}, found none")
    settings = FinderSettings(
        input_px=int(manifest.detector.get("input_px", FinderSettings().input_px)),
        confidence=float(manifest.detector.get("confidence", FinderSettings().confidence)),
    )
    temperature = float(manifest.reader.get("temperature", 1.0))
    return NetworkSight(
        CardFinder(open_network(finder_file), settings),
        CardReader(open_network(reader_file), ReaderSettings(temperature=temperature)),
    )

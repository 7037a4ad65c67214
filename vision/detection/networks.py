"""Locate and check the trained weights by their manifest, and run the networks behind one small interface."""

from __future__ import annotations

import hashlib
import logging
import os
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from vision.detection.detections import CLASS_NAMES

logger = logging.getLogger(__name__)

PACKAGED = Path(__file__).parent.parent / "learnt"
CHECKOUT = Path(__file__).parent.parent.parent / "models"
NETWORKS = ("finder", "corner_refiner", "classifier", "overlap_network")
"""The networks by the names of their sections, in the order in which they are loaded."""
SEGMENTER = "segmenter"
"""
Manifest section of the network that separates arms from cards (``vision.detection.segmentation``); weights may lack it.
"""
SECOND_CLASSIFIER = "second_classifier"
"""Manifest section of the network that classifies unsure cards again (``CardClassifier``); weights may lack it."""
OPTIONAL = (SEGMENTER, SECOND_CLASSIFIER)
MANIFEST = "manifest.toml"
FEATURES = "features"
"""Name of a network's optional second output: the input of its last layer, (n, d) float32."""


class WeightsError(Exception):
    """Weights that cannot be used; the text says what was expected, what came and what to do."""


class Network(Protocol):
    """A network ready to run: a float32 batch (n, 3, h, w), RGB 0..1, in; its first output as an array out."""

    def run(self, batch: np.ndarray) -> np.ndarray:
        """Run the network on one batch."""
        ...


@runtime_checkable
class FeatureNetwork(Protocol):
    """A network that may also return its features."""

    @property
    def has_features(self) -> bool:
        """Check whether this network returns features; older exports do not."""
        ...

    @property
    def checksum(self) -> str:
        """Return the SHA-256 of its file: features of different weights are not comparable."""
        ...

    def run_with_features(self, batch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Run the network on one batch; return the first output and ``FEATURES``."""
        ...


@dataclass(frozen=True, slots=True)
class Manifest:
    """
    The sections of a manifest. ``folder`` holds the files; each network is a section. ``segmenter``,
    ``second_classifier``: ``None`` in weights without them.
    """

    folder: Path
    finder: dict[str, Any]
    corner_refiner: dict[str, Any]
    classifier: dict[str, Any]
    overlap_network: dict[str, Any]
    segmenter: dict[str, Any] | None = None
    second_classifier: dict[str, Any] | None = None

    @property
    def networks(self) -> tuple[dict[str, Any], ...]:
        """Return the sections in the order in which they are loaded: ``NETWORKS``."""
        return tuple(getattr(self, name) for name in NETWORKS)

    def file(self, section: dict[str, Any]) -> Path:
        """
        Return the path of a section's file after checking its checksum; raise ``WeightsError`` if it is missing or
        differs.
        """
        path = self.folder / str(section["file"])
        if not path.is_file():
            raise WeightsError(f"expected the weights {path.name} in {path.parent}, found none; reinstall kozyr")
        came = hashlib.sha256(path.read_bytes()).hexdigest()
        if came != section["sha256"]:
            raise WeightsError(
                f"expected {path.name} with checksum {str(section['sha256'])[:12]}, got {came[:12]}: the file is "
                "damaged or of another version; reinstall kozyr, or name other weights with --weights"
            )
        return path


def find_manifest() -> Path:
    """Return the manifest shipped with the program: inside the installed package, or beside it in a checkout."""
    for folder in (PACKAGED, CHECKOUT):
        if (folder / MANIFEST).is_file():
            return folder / MANIFEST
    raise WeightsError(f"expected {MANIFEST} beside the program, found none; reinstall kozyr")


def read_manifest(path: Path) -> Manifest:
    """Read and check a manifest; ``WeightsError`` says in one sentence what is wrong with it."""
    try:
        content = tomllib.loads(path.read_text("utf-8"))
        sections = {name: content[name] for name in NETWORKS}
        sections |= {name: content[name] for name in OPTIONAL if name in content}
        for section in sections.values():
            for key in ("file", "sha256"):
                section[key]
    except FileNotFoundError:
        raise WeightsError(f"expected weights at {path}, found none; check the path given with --weights") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise WeightsError(f"expected a manifest with sections {', '.join(NETWORKS)} in {path}, got: {error}") from None
    if tuple(sections["classifier"].get("classes", ())) != CLASS_NAMES:
        raise WeightsError(
            f"expected a classifier of {len(CLASS_NAMES)} classes in {path}, got another list of classes"
        )
    return Manifest(path.parent, **sections)


def as_batch(pictures_bgr: np.ndarray) -> np.ndarray:
    """Convert (n, h, w, 3) uint8 BGR pictures to (n, 3, h, w) float32 RGB 0..1, the input of all networks here."""
    n, height, width, _ = pictures_bgr.shape
    batch = np.empty((n, 3, height, width), np.float32)
    for channel in range(3):
        np.multiply(pictures_bgr[..., 2 - channel], np.float32(1 / 255), out=batch[:, channel])
    return batch


class Cost:
    """What the networks spent: runs and input pixels of each, which compare on any machine."""

    def __init__(self) -> None:
        self._runs: defaultdict[str, int] = defaultdict(int)
        self._pixels: defaultdict[str, int] = defaultdict(int)

    def add(self, network: str, batch: np.ndarray) -> None:
        """Add one run on a batch (n, 3, h, w)."""
        pictures, _, height, width = batch.shape
        self._runs[network] += 1
        self._pixels[network] += pictures * height * width

    def as_json(self) -> dict[str, list[float]]:
        """Return ``[runs, megapixels]`` by the name of each network that ran."""
        return {name: [runs, round(self._pixels[name] / 1e6, 3)] for name, runs in sorted(self._runs.items())}


_COST: ContextVar[Cost | None] = ContextVar("cost", default=None)


@contextmanager
def counted_cost() -> Iterator[Cost]:
    """Count what the networks spend in this thread until the context ends."""
    cost = Cost()
    token = _COST.set(cost)
    try:
        yield cost
    finally:
        _COST.reset(token)


class OnnxNetwork:
    """Runs an ONNX file with onnxruntime on the processor."""

    def __init__(self, path: Path, threads: int | None = None) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or min(4, os.cpu_count() or 1)
        options.inter_op_num_threads = 1
        # Spinning idle threads would take the cores from the camera and the page.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # Both keep the memory of the largest batch of each network for ever, and save no time that can be measured.
        options.enable_cpu_mem_arena = options.enable_mem_pattern = False
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime raises many kinds, none of them public
            raise WeightsError(f"expected an ONNX network in {path}, got: {str(error).splitlines()[0]}") from None
        self._path = path
        self._input = self._session.get_inputs()[0].name
        self._outputs = [output.name for output in self._session.get_outputs()]

    def run(self, batch: np.ndarray) -> np.ndarray:
        """Run the network on one batch."""
        self._count(batch)
        output: np.ndarray = self._session.run(self._outputs[:1], {self._input: batch})[0]
        return output

    @property
    def has_features(self) -> bool:
        """Check whether it was exported with its features."""
        return FEATURES in self._outputs

    @property
    def checksum(self) -> str:
        """Return the SHA-256 of the file."""
        return hashlib.sha256(self._path.read_bytes()).hexdigest()

    def run_with_features(self, batch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Run the network on one batch; return the first output and ``FEATURES``."""
        self._count(batch)
        answer, features = self._session.run([self._outputs[0], FEATURES], {self._input: batch})
        return answer, features

    def _count(self, batch: np.ndarray) -> None:
        cost = _COST.get()
        if cost is not None:
            cost.add(self._path.stem, batch)


class UltralyticsNetwork:
    """Runs a ``.pt`` file with Ultralytics, where the extra ``train`` is installed; the answers are the same."""

    def __init__(self, path: Path) -> None:
        try:
            import torch
            import ultralytics  # noqa: F401  (the saved networks are made of its modules)
        except ImportError:
            raise WeightsError(
                f"expected Ultralytics to run {path.name}, found none; install it with pip install 'kozyr[train]', "
                "or use the .onnx weights"
            ) from None
        self._torch = torch
        try:
            saved = torch.load(path, map_location="cpu", weights_only=False)
            self._net = (saved.get("ema") or saved["model"]).float().eval()
        except Exception as error:
            raise WeightsError(
                f"expected an Ultralytics network in {path}, got: {str(error).splitlines()[0]}"
            ) from None

    def run(self, batch: np.ndarray) -> np.ndarray:
        """Run the network on one batch."""
        with self._torch.inference_mode():
            output = self._net(self._torch.from_numpy(batch))
        first: np.ndarray = (output[0] if isinstance(output, list | tuple) else output).numpy()
        return first


KINDS: dict[str, Callable[[Path], Network]] = {".onnx": OnnxNetwork, ".pt": UltralyticsNetwork}
"""Network class for each file ending."""


def open_network(path: Path) -> Network:
    """Open the network in a file, by its ending ``.onnx`` or ``.pt``; a file opened before is not loaded again."""
    if not path.is_file():
        raise WeightsError(f"expected weights at {path}, found none; check the path given with --weights")
    if path.suffix not in KINDS:
        raise WeightsError(f"expected weights that end in .onnx or .pt, got {path.name}")
    facts, began = path.stat(), time.perf_counter()
    network = _loaded(path, facts.st_mtime_ns, facts.st_size)
    logger.info("network %s ready after %.0f ms", path.name, (time.perf_counter() - began) * 1e3)
    return network


@lru_cache(maxsize=2 * len(NETWORKS))
def _loaded(path: Path, _changed_ns: int, _size: int) -> Network:
    """Load the network of a file, cached by path, time and size. Networks have no state, so they can be shared."""
    return KINDS[path.suffix](path)

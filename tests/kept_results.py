"""
Results that tests keep on disk, in the cache folder of pytest: what the networks answer, and reviews of films.

A network's result is kept under the checksum of its weights, its input and the version of onnxruntime, so it is the
network's own: other weights or other pictures run it. The runtime knows nothing of this.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from tests.source_tree import ROOT, python_files, text_of
from vision.detection import networks
from vision.detection.networks import OnnxNetwork

RUNTIME = f"onnxruntime {version('onnxruntime')}"
DAYS = 14
"""A result that no test asked for in so many days is deleted. Chosen by hand."""


class KeptNetwork(OnnxNetwork):
    """A network whose results are kept in ``folder``, in a file for each input."""

    folder = Path()

    def __init__(self, path: Path, threads: int | None = None) -> None:
        super().__init__(path, threads)
        self._key = f"{self.checksum} {RUNTIME}"

    def run(self, batch: np.ndarray) -> np.ndarray:
        """Return the kept result of this batch, or run the network."""
        return self._kept(batch, "first", lambda: (super(KeptNetwork, self).run(batch),))[0]

    def run_with_features(self, batch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the kept result and features of this batch, or run the network."""
        result, features = self._kept(batch, "both", lambda: super(KeptNetwork, self).run_with_features(batch))
        return result, features

    def _kept(self, batch: np.ndarray, outputs: str, run: Callable[[], tuple[np.ndarray, ...]]) -> list[np.ndarray]:
        name = hashlib.sha256(f"{self._key} {outputs} {batch.shape} {batch.dtype}".encode())
        name.update(np.ascontiguousarray(batch))
        file = self.folder / f"{name.hexdigest()}.npz"
        if file.is_file():
            self._count(batch)
            os.utime(file)
            with np.load(file) as kept:
                return [kept[each] for each in kept.files]
        results = run()
        partial = file.with_suffix(f".{os.getpid()}.part")
        with partial.open("wb") as out:
            np.savez(out, *results)
        partial.replace(file)
        return list(results)


def keep_network_results(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Keep the results of all networks that this process opens from now on; delete those that nobody asks for."""
    oldest = time.time() - DAYS * 86400
    for file in folder.glob("*.npz"):
        with suppress(FileNotFoundError):  # another worker deleted it
            if file.stat().st_mtime < oldest:
                file.unlink()
    patch.setattr(KeptNetwork, "folder", folder)
    patch.setitem(networks.KINDS, ".onnx", KeptNetwork)


def checksum_of_runtime(*films: Path) -> str:
    """Return a checksum of all that decides how a film is read: the runtime's code, the weights, and these films."""
    libraries = ("numpy", "opencv-python-headless", "onnxruntime", "pillow", "av", "lap", "msgspec")
    checksum = hashlib.sha256(f"{[(name, version(name)) for name in libraries]}".encode())
    for file in python_files("vision", "referee", "webapp", "features"):
        checksum.update(f"{file.relative_to(ROOT)}\n{text_of(file)}".encode())
    for film in (networks.find_manifest(), *films):
        checksum.update(film.read_bytes())
    return checksum.hexdigest()

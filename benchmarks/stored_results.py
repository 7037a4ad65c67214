"""
Run kozyr with the networks' results stored on disk, so that films are read again quickly after a change of tracking.

    python -m benchmarks.stored_results FOLDER review FILM --json ...      (a command of kozyr and its arguments)
    make guard STORED=FOLDER                                                (the guard, with stored results)

A result is stored under the SHA-256 of the network's file, its input and the version of onnxruntime, so it is the
network's own: a change of what the networks are shown, or of their weights, runs them. What a run spent (``cost``)
counts stored results too. Figures of speed are measured without this.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import numpy as np

from vision.detection import networks
from vision.detection.networks import OnnxNetwork

DAYS = 14
"""Days after which a stored result that nothing asked for is deleted. Chosen by hand."""


class StoredNetwork(OnnxNetwork):
    """A network whose results are stored in ``folder``, in a file for each input."""

    folder = Path()

    def __init__(self, path: Path, threads: int | None = None) -> None:
        super().__init__(path, threads)
        self._key = f"{self.checksum} onnxruntime {version('onnxruntime')}"

    def run(self, batch: np.ndarray) -> np.ndarray:
        """Return the stored result of this batch, or run the network."""
        return self._stored(batch, "first")[0]

    def run_with_features(self, batch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the stored result and features of this batch, or run the network."""
        result, features = self._stored(batch, "features")
        return result, features

    def _stored(self, batch: np.ndarray, outputs: str) -> list[np.ndarray]:
        shown = hashlib.sha256(f"{self._key} {outputs} {batch.shape} {batch.dtype}".encode())
        shown.update(batch.tobytes())
        file = self.folder / f"{shown.hexdigest()}.npz"
        if file.is_file():
            self._count(batch)
            os.utime(file)
            with np.load(file) as stored:
                return [stored[name] for name in stored.files]
        results = list(super().run_with_features(batch)) if outputs == "features" else [super().run(batch)]
        partial = file.with_suffix(f".{os.getpid()}.part")
        with partial.open("wb") as out:
            np.savez(out, *results)
        partial.replace(file)
        return results


def store_results(folder: Path) -> None:
    """Store the results of all networks that this process opens from now on; delete those that nothing asked for."""
    folder.mkdir(parents=True, exist_ok=True)
    oldest = time.time() - DAYS * 86400
    for file in folder.glob("*.npz"):
        with suppress(FileNotFoundError):  # another process deleted it
            if file.stat().st_mtime < oldest:
                file.unlink()
    StoredNetwork.folder = folder
    networks.KINDS[".onnx"] = StoredNetwork


def main() -> int:
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    from webapp.commands.cli import main as run_kozyr

    store_results(Path(sys.argv[1]))
    return run_kozyr(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())

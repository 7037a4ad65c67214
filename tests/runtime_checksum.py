"""What decides how a film is read, as a checksum under which tests store its review in the cache folder of pytest."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path

from tests.source_tree import ROOT, python_files, text_of
from vision.detection import networks


def checksum_of_runtime(*films: Path) -> str:
    """Return a checksum of all that decides how a film is read: the runtime's code, the weights, and these films."""
    libraries = ("numpy", "opencv-python-headless", "onnxruntime", "pillow", "av", "lap", "msgspec")
    checksum = hashlib.sha256(f"{[(name, version(name)) for name in libraries]}".encode())
    for file in python_files("vision", "referee", "webapp", "features"):
        checksum.update(f"{file.relative_to(ROOT)}\n{text_of(file)}".encode())
    for film in (networks.find_manifest(), *films):
        checksum.update(film.read_bytes())
    return checksum.hexdigest()

"""Write a measurement as a JSON file: what was measured, on what, counts, date, weights, machine."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vision.detection.networks import NETWORKS, find_manifest, read_manifest


def checksums(weights: Path | None = None) -> dict[str, str]:
    """
    Return the SHA-256 of each network's file.

    ``weights``: None for the shipped ones; another manifest (.toml); or a finder's file with the others beside it.
    Raises ``WeightsError`` for a manifest that cannot be read.
    """
    if weights is None or weights.suffix == ".toml":
        manifest = read_manifest(weights or find_manifest())
        return {name: str(section["sha256"]) for name, section in zip(NETWORKS, manifest.networks, strict=True)}
    files = [weights, *(weights.with_name(name + weights.suffix) for name in NETWORKS[1:])]
    return {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in zip(NETWORKS, files, strict=True)}


def write_result(
    path: Path, measured: str, on: Any, counts: Mapping[str, Any], weights: Mapping[str, str] | None = None
) -> None:
    """
    Write one measurement to ``path``; create its folder if needed.

    ``measured``: the command's module. ``on``: names of clips or sets. ``counts``: the figures. ``weights``: network ->
    SHA-256, None if no network was used.
    """
    result = {
        "measured": measured,
        "on": on,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "weights": None if weights is None else dict(weights),
        "machine": {"cores": os.cpu_count(), "architecture": platform.machine(), "python": platform.python_version()},
        "counts": dict(counts),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", "utf-8")

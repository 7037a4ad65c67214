"""A measurement as a JSON file: what was measured, on what, the counts, when, with which weights, on what machine."""

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
    SHA-256 of each network's file.

    ``weights``: None for those that ship; another manifest (.toml); or a finder's file, beside which the others lie.
    Raises ``WeightsError`` for a manifest that can't be read.
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
    Write one measurement to ``path``; its folder is made where there is none.

    ``measured``: the command's module. ``on``: names of clips or sets. ``counts``: what came out. ``weights``: network
    -> SHA-256, None where no network took part.
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

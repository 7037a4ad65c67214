"""
Compiles the words of every language, and puts into the wheel the weights (the manifest and whatever files it names, as
``vision/learnt/``) and the rules.
"""

from __future__ import annotations

import runpy
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACE = "vision/learnt"
"""
Where ``vision.detection.networks`` looks first. A checkout (and an editable install) uses ``models/`` as it stands.
"""


RULES = "webapp/text/rules.md"
"""Where ``webapp.text.rule_paragraphs`` looks first."""


class WeightsHook(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling for each wheel."""

    PLUGIN_NAME = "weights"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files to add; a file that the manifest promises and that is not there stops the build."""
        _compile_catalogues(Path(self.root))
        if version == "editable":
            return
        models = Path(self.root) / "models"
        manifest = tomllib.loads((models / "manifest.toml").read_text(encoding="utf-8"))
        names = [
            "manifest.toml",
            *(part["file"] for part in manifest.values() if isinstance(part, dict) and "file" in part),
        ]
        for name in names:
            if not (models / name).is_file():
                raise FileNotFoundError(f"expected the weights models/{name} that the manifest names, found none")
            build_data["force_include"][str(models / name)] = f"{PLACE}/{name}"
        build_data["force_include"][str(Path(self.root) / "docs" / "rules.md")] = RULES


def _compile_catalogues(root: Path) -> None:
    """Run ``scripts/compile_catalogues.py``: a build has no packages of the checkout on its path."""
    runpy.run_path(str(root / "scripts" / "compile_catalogues.py"), run_name="__main__")

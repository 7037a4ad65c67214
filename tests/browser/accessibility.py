"""Check a page with axe-core."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import axe_playwright_python
from playwright.sync_api import Page

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def faults_of(page: Page) -> list[str]:
    """Return what axe-core finds on a page by all its rules, in its dark and its light colours."""
    page.evaluate(AXE)
    violations = []
    themes: tuple[Literal["dark", "light"], ...] = ("dark", "light")
    for theme in themes:
        page.emulate_media(color_scheme=theme)  # the page of codes has no script that could ask what was chosen
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        found: dict[str, Any] = page.evaluate("axe.run(document)")
        violations += [
            f"{theme} {violation['id']}: {node['target']}"
            for violation in found["violations"]
            for node in violation["nodes"]
        ]
    return violations

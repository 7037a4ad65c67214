"""axe-core finds nothing on any state of any page, dark or light; `make nightly` looks at all of them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from scripts.page_scenes import SCENES, served
from tests.browser.accessibility import faults_of
from tests.browser.conftest import PATIENCE_MS, SIZES
from tests.sample_size import is_nightly

OF_ONE_THEME = ("overlay", "camera")
"""Pages that are dark on every device."""
OFTEN = (
    *("table-menu", "table-impossible", "sheet-card", "evenings", "player", "hall", "missing", "trust", "devices"),
    *("review-share", "review-figures", "review-analysis", "again", "puzzles"),
)
"""States that other tests of accessibility do not look at."""


@pytest.mark.ordinary(3)
@pytest.mark.parametrize("state", [name for name in SCENES if is_nightly() or name in OFTEN])
def test_state_of_a_page_has_no_finding(browser: Browser, state: str) -> None:
    with served(SCENES[state]) as address:
        width, height = SIZES["tablet"]
        context = browser.new_context(viewport={"width": width, "height": height}, locale="en", reduced_motion="reduce")
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(address)
        page.wait_for_timeout(300)
        SCENES[state].act(page)
        found = [fault for fault in faults_of(page) if not (state in OF_ONE_THEME and fault.startswith("light"))]
        context.close()
    assert found == []

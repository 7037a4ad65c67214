"""Every text on every page comes from the catalogues: nothing reads as English on a page in another script."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser

from scripts.page_scenes import LONG, SCENES, THREE, served
from tests.browser.conftest import PATIENCE_MS, SIZES
from tests.sample_size import is_nightly
from webapp.web.tls_certificate import AUTHORITY_NAME

OFTEN = (
    "table-lost",
    "table-stopped",
    "table-warning",
    "setup-camera-gone",
    "setup-deck-unsaved",
    "setup-deck-refused",
)
"""States in which the program reports something in English besides; `make nightly` looks at all of them."""
TEXTS = """() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const others = "script, style, textarea, pre, code, [lang=en]";
  const isForOthers = (each) => each.closest(others) || !each.checkVisibility();
  while (texts.nextNode()) if (!isForOthers(texts.currentNode.parentElement)) found.push(texts.currentNode.data);
  for (const name of ["title", "aria-label", "alt", "placeholder"])
    for (const each of document.querySelectorAll(`[${name}]`))
      if (!isForOthers(each)) found.push(each.getAttribute(name));
  return found;
}"""
ENGLISH = re.compile(r"[A-Za-z]{2,}[,;:]? [a-z]{2,}")
"""Two words in Latin letters, the second in lower case."""
NAMES = re.compile("|".join(map(re.escape, (*LONG, *THREE, AUTHORITY_NAME))))


@pytest.mark.ordinary(4)
@pytest.mark.parametrize("language", ["ru", "he"])
@pytest.mark.parametrize("state", [name for name in SCENES if is_nightly() or name in OFTEN])
def test_no_text_of_a_page_is_left_in_english(browser: Browser, state: str, language: str) -> None:
    with served(SCENES[state]) as address:
        width, height = SIZES["tablet"]
        context = browser.new_context(viewport={"width": width, "height": height}, locale=language)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(address)
        page.wait_for_timeout(300)
        SCENES[state].act(page)
        page.wait_for_timeout(300)
        texts = page.evaluate(TEXTS)
        context.close()
    assert len(texts) > 3
    assert [text for text in texts if ENGLISH.search(NAMES.sub("", text))] == []

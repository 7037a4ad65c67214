"""
Tap every control of a page twice and find the way back, so that no state of a page is a dead end.

A dialog or a menu that opens has to close by Escape, and a dialog by a button of its own too. Each control of a dialog
is tapped as well; only what deletes a match for good is left alone. A page that a tap leads to has to lead back to the
table.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from playwright.sync_api import Error, Locator, Page

from tests.browser.conftest import SIZES

TAPPABLE = "main :is(a[href], button, summary), header :is(a[href], button, summary), body > .put-right button"
IN_DIALOG = "a[href], button:not(:disabled):not(.danger), summary, input"
MODAL = "dialog:modal"
CLOSED_BY_ESCAPE = {"dialog": MODAL, "menu": "details[name='menu'][open]"}
ESCAPES = 20
SHORT_MS = 3000
"""Milliseconds. A tap must be possible at once, as for a person."""
LEAVES = """a => a.hasAttribute("download") || a.target === "_blank" || a.getAttribute("href")?.startsWith("/api/")
  || !a.href.startsWith(location.origin)"""
NAMES = """(controls, all) => controls.map((each) => {
  const alike = each.closest(".faces, .calls")?.querySelectorAll("button") ?? [each];
  if (!each.checkVisibility() || !(all || each === alike[0] || each === alike[alike.length - 1])) return "";
  const step = each.closest("dialog").querySelector("h2")?.textContent ?? "";
  const section = each.closest("section")?.querySelector("h3")?.textContent ?? "";
  return [step, section, each.getAttribute("aria-label") || each.textContent || each.className].join(" / ");
})"""
"""Names of a dialog's controls, empty for hidden ones; of many alike (cards, plays) two, or ``all``, have one."""


@dataclass
class Crawl:
    """
    What a crawl over one page has tapped, and what it found: sentences, none where all is well.

    ``is_whole``: tap each of many controls alike in a dialog, and those of the next steps of it. ``inside``: the
    controls of dialogs that were tapped.
    """

    page: Page
    address: str
    is_whole: bool = False
    taps: int = 0
    faults: list[str] = field(default_factory=list)
    inside: set[str] = field(default_factory=set)

    def everywhere(self, sizes: tuple[str, ...] = tuple(SIZES)) -> Crawl:
        """Tap everything at each size."""
        for size in sizes:
            width, height = SIZES[size]
            self.page.set_viewport_size({"width": width, "height": height})
            self.inside.clear()
            self._open()
            place = 0
            while place < self.page.locator(TAPPABLE).count():
                self._twice(self.page.locator(TAPPABLE).nth(place), size)
                place += 1
        return self

    def _open(self) -> None:
        self.page.goto(self.address)
        self.page.wait_for_selector("body[data-ready], body:not(:has(main.review[data-match]))")
        self.page.wait_for_timeout(80)

    def _twice(self, what: Locator, size: str) -> None:
        if not what.is_visible() or what.is_disabled() or self._leads_away(what):
            return
        label = (what.get_attribute("aria-label") or what.inner_text()).strip()[:30]
        for _ in range(2):
            if not self._tap(what):
                break
            self.taps += 1
            if self._is_elsewhere():
                self._come_back(f"{size}: {label}")
                return
            if self.page.url.partition("#")[2] != self.address.partition("#")[2]:  # a step of the same page
                self._open()
                return
            if self.page.locator(MODAL).count():
                self._all_of_dialog(what, f"{size}: {label}")
                self._close_all(f"{size}: {label}")
        self._close_all(f"{size}: {label}")

    def _all_of_dialog(self, opener: Locator, label: str, way: tuple[str, ...] = ()) -> None:
        """Tap each control, twice, of the dialog that shows after the opener and the controls of ``way`` are tapped."""
        for name in self._names():
            if name in self.inside:
                continue
            self.inside.add(name)
            for _ in range(2):
                if name not in self._names():
                    self._walk(opener, way)
                if name not in self._names():
                    break  # the tap before has changed what there is to tap
                self._tap_in_dialog(name)
                if self._is_elsewhere():
                    self._come_back(f"{label}: {name}")
            if self.is_whole and set(self._names()) - self.inside:
                self._all_of_dialog(opener, label, (*way, name))

    def _walk(self, opener: Locator, way: tuple[str, ...]) -> None:
        """Open the dialog as at first, on the page as it is or on the page opened again."""
        for prepare in (lambda: self._close_all("on the way"), self._open):
            prepare()
            if self._tap(opener):
                self.page.wait_for_timeout(100)
            if self.page.locator(MODAL).count():
                break
        for name in way:
            self._tap_in_dialog(name)

    def _controls(self) -> tuple[Locator, list[str]]:
        controls = self.page.locator(MODAL).last.locator(IN_DIALOG)
        names: list[str] = controls.evaluate_all(NAMES, self.is_whole) if self.page.locator(MODAL).count() else []
        return controls, names

    def _names(self) -> list[str]:
        return [name for name in self._controls()[1] if name]

    def _tap_in_dialog(self, name: str) -> None:
        controls, names = self._controls()
        if name in names and self._tap(controls.nth(names.index(name))):
            self.taps += 1
            self.page.wait_for_timeout(60)

    def _is_elsewhere(self) -> bool:
        return self._place_of(self.page.url) != self._place_of(self.address)

    @staticmethod
    def _place_of(address: str) -> str:
        return address.partition("#")[0].partition("?")[0]

    def _leads_away(self, what: Locator) -> bool:
        return what.evaluate("a => a.tagName") == "A" and bool(what.evaluate(LEAVES))

    def _tap(self, what: Locator) -> bool:
        """Tap as people do; False where something lies above it, as a dialog that the first tap opened."""
        try:
            what.click(timeout=SHORT_MS)
        except Error:
            return False
        self.page.wait_for_timeout(30)
        return True

    def _close_all(self, label: str) -> None:
        dialogs = self.page.locator("dialog[open]")  # asked once: the answer to a tap may close one at any time
        if dialogs.filter(has_not=self.page.get_by_role("button")).count():
            self.faults.append(f"{label}: a dialog without a button")
        for _ in range(ESCAPES):  # a dialog that waits for the server opens late on a busy machine
            self.page.keyboard.press("Escape")
            stays = [name for name, what in CLOSED_BY_ESCAPE.items() if self.page.locator(what).count()]
            if not stays:
                return
            self.page.wait_for_timeout(100)
        self.faults += [f"{label}: a {name} stays" for name in stays]

    def _come_back(self, label: str) -> None:
        home = self.page.locator("header a[href='/']:visible, a[href='/']:visible")
        try:  # a page that a tap opened may still be loading
            home.first.wait_for(timeout=SHORT_MS)
        except Error:
            self.faults.append(f"{label}: {self.page.url} does not lead back to the table")
        self._open()

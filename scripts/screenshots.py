"""
Take pictures of every state of every page in every language and size, to be checked by a person.

    python -m scripts.screenshots DIR [--only NAME ...] [--languages en,ru] [--sizes tablet,phone] [--theme light]

Writes ``DIR/STATE/SIZE-LANGUAGE.png``, and prints the faults that are found automatically: errors in the browser's
console, pages wider than the screen, text that is cut off, text that runs into other text. Status 1 if
there is any.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, sync_playwright

from scripts.find_chromium import NONE_FOUND, find_chromium
from scripts.page_scenes import SCENES, served
from webapp.text.catalogue import LANGUAGES

SIZES = {
    "desk": (1440, 900),
    "tablet": (1024, 768),
    "upright": (768, 1024),
    "phone": (390, 844),
    "lying": (844, 390),
    "television": (1920, 1080),
}
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic", "--no-first-run")
STABLE_MS = 350
PATIENCE_MS = 120_000
"""Limit of a page's loading time on a busy machine."""
FAULTS = (Path(__file__).parent / "page_faults.js").read_text(encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Take the pictures; return 1 if there is a fault."""
    parser = argparse.ArgumentParser(description="Pictures of every state of every page.", allow_abbrev=False)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--only", nargs="+", default=list(SCENES), choices=list(SCENES), metavar="NAME")
    parser.add_argument("--languages", default=",".join(LANGUAGES), metavar="A,B")
    parser.add_argument("--sizes", default=",".join(SIZES), metavar="A,B")
    parser.add_argument("--theme", choices=("dark", "light"), default="dark")
    asked = parser.parse_args(arguments)
    place = find_chromium()
    if place is None:
        print(NONE_FOUND, file=sys.stderr)
        return 1
    faults = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, args=FLAGS)
        for name in asked.only:
            with served(SCENES[name]) as address:
                for size in asked.sizes.split(","):
                    for language in asked.languages.split(","):
                        reported = take(browser, name, address, size, language, asked.theme, asked.folder)
                        faults += len(reported)
                        for fault in reported:
                            print(f"{name} {size} {language}: {fault}")
        browser.close()
    print(f"{faults} faults", file=sys.stderr)
    return 1 if faults else 0


def take(browser: Browser, name: str, address: str, size: str, language: str, theme: str, folder: Path) -> list[str]:
    """Take one picture; return the faults of the page."""
    width, height = SIZES[size]
    scheme: Literal["light", "dark"] = "light" if theme == "light" else "dark"
    context = browser.new_context(
        viewport={"width": width, "height": height}, locale=language, color_scheme=scheme, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    faults: list[str] = []
    if not SCENES[name].refused:
        page.on(
            "console", lambda message: faults.append(f"console: {message.text}") if message.type == "error" else None
        )
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    page.goto(address)
    page.wait_for_timeout(STABLE_MS)
    SCENES[name].act(page)
    page.wait_for_timeout(STABLE_MS)
    faults += page.evaluate(FAULTS)
    picture = folder / name / f"{size}-{language}.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=picture, full_page=page.locator("dialog[open]").count() == 0)
    context.close()
    return faults


if __name__ == "__main__":
    sys.exit(main())

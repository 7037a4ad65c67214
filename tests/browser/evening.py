"""
A family's evening, from the first code to the second game: the program as it is started, the shipped recording as its
camera, and a browser's taps. Two devices look on: a referee's tablet, and a viewer's phone in another language.

    python -m tests.browser.evening [--languages ru,fr,es,he,en]

`make test` plays the first half minute alone (`test_evening.py`), to which the fault belongs and not the result.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from scripts.find_chromium import find_chromium
from tests.browser.conftest import FLAGS, PATIENCE_MS, watched_page
from tests.patience import PATIENCE_S, wait_until
from webapp.shipped_recording import DEMO_RECORD
from webapp.text.catalogue import LANGUAGES, messages, page_words

GAME_LASTS_MS = 600_000
"""The recording lasts 94 seconds; a loaded machine falls behind it."""
SIZES = {"en": "tablet", "ru": "upright", "fr": "lying", "es": "television", "he": "phone"}


@contextmanager
def program(folder: Path, film: Path | None) -> Iterator[dict[str, str]]:
    """
    Run ``kozyr`` alone, or watching a film; every device is asked for a code. Yield ``url``, ``token`` and ``pin``.
    """
    codes = folder / "codes.json"
    call = [sys.executable, "-m", "webapp.commands.cli", *(("watch", str(film)) if film else ())]
    call += ["--no-browser", "--host", "127.0.0.1", "--port", "0", "--pair", "always", "--pairing", str(codes)]
    with (folder / "output.txt").open("w") as output:
        running = subprocess.Popen(
            call, env={**os.environ, "KOZYR_HOME": str(folder / "home")}, stdout=output, stderr=output, text=True
        )
        try:
            wait_until(lambda: codes.exists() or running.poll() is not None)
            assert running.poll() is None, (folder / "output.txt").read_text()
            yield json.loads(codes.read_text())
        finally:
            running.terminate()
            running.wait(PATIENCE_S)


def join(page: Page, codes: dict[str, str], words: Mapping[str, str], *, referees: bool) -> None:
    """Let a device join: by the QR code, or by the PIN, which lets it watch."""
    page.goto(f"{root(codes)}pair" + (f"?token={codes['token']}" if referees else ""))
    if not referees:
        page.get_by_label(words["pair_pin"]).fill(codes["pin"])
    page.get_by_role("button", name=words["pair_referee" if referees else "pair_watch"]).click()


def root(codes: dict[str, str]) -> str:
    """Return the address of the table."""
    return codes["url"].partition("pair")[0]


def set_up(page: Page, words: Mapping[str, str], strict: str) -> None:
    """Choose the recording, by taps alone, every step looked at; ``strict``: the table's manners are asked about."""
    expect(page).to_have_url(re.compile("/setup"))
    page.get_by_role("button", name=words["source_demo"]).click()
    for step in ("players", "rules", "deck", "start", "finish"):
        page.get_by_role("button", name=words["setup_next"], exact=True).click()
        expect(page).to_have_url(re.compile(f"#{step}$"))
        expect(page.locator("#step h1")).to_be_visible()
        if step == "players":
            expect(page.locator(".chip")).to_have_count(3)
        if step == "rules":
            page.get_by_role("button", name=words["all_options"]).click()
            page.locator("select", has=page.locator("option", has_text=strict)).select_option(label=strict)
    page.get_by_role("button", name=words["setup_begin"], exact=True).last.click()
    expect(page).to_have_url(re.compile(r"//[^/]*/$"))


def set_up_at_once(page: Page) -> None:
    """Set the game up by one request, for a film that is no recording of ours by its name."""
    header = json.loads(DEMO_RECORD.read_text("utf-8").splitlines()[0])
    chosen = {key: header[key] for key in ("seats", "rules", "dealer", "start")}
    ask = "body => fetch('/api/setup', {method: 'POST', body: JSON.stringify(body)}).then(answer => answer.status)"
    expect(page).to_have_url(re.compile("/setup"))
    assert page.evaluate(ask, {**chosen, "options": {"etiquette": "strict"}, "begin": True}) == 200
    page.goto(page.url.partition("setup")[0])


def play(tablet: Page, phone: Page, words: Mapping[str, str], other: Mapping[str, str], *, to_the_end: bool) -> None:
    """Play a correction and its undo, a question, a fault, the result, and the recording once more."""
    expect(tablet.locator(".bout .card").first).to_be_visible(timeout=GAME_LASTS_MS)
    tablet.locator(".bout .card").first.click()
    tablet.get_by_role("dialog").get_by_role("button", name="Vera", exact=True).click()
    tablet.locator(".put-right").get_by_role("button", name=words["sheet_undo"]).click()
    expect(tablet.locator(".put-right").get_by_role("button")).to_have_count(0)
    for page in (tablet, phone):
        expect(page.locator("#question")).to_be_visible(timeout=GAME_LASTS_MS)
    tablet.locator("#question").get_by_role("button", name=words["was_agreed"], exact=True).click()
    for page in (tablet, phone):
        expect(page.locator("#question")).to_be_hidden()
    for page, texts in ((tablet, words), (phone, other)):
        # The large words may be those of the next play by now.
        mark = page.locator('#timeline .mark[data-kind="fault"]').first
        expect(mark).to_have_attribute("title", re.compile(f"^{texts['illegal']}: "), timeout=GAME_LASTS_MS)
    if to_the_end:
        expect(tablet.locator(".ending")).to_contain_text("Vera", timeout=GAME_LASTS_MS)
        expect(phone.locator(".ending")).to_contain_text("Vera")
    tablet.get_by_role("button", name=words["watch_again"]).click(timeout=GAME_LASTS_MS)
    for page in (tablet, phone):
        expect(page.locator(".ending")).to_be_hidden()
        expect(page.get_by_role("button", name=words["watch_again"])).to_be_hidden()


def evening(browser: Browser, language: str, other: str, folder: Path, film: Path | None = None) -> list[str]:
    """
    Run the whole evening, or the beginning with a ``film``; return what went wrong in the browsers (nothing,
    hopefully).
    """
    troubles: list[str] = []
    words, others = page_words(language), page_words(other)
    with program(folder, film) as codes:
        tablet = watched_page(browser, root(codes), troubles, SIZES[language], language)
        phone = watched_page(browser, root(codes), troubles, "phone", other)
        join(tablet, codes, words, referees=True)
        join(phone, codes, others, referees=False)
        if film is None:
            set_up(tablet, words, messages(language)["option.etiquette.strict"])
        else:
            set_up_at_once(tablet)
        play(tablet, phone, words, others, to_the_end=film is None)
        found = list(troubles)
        tablet.context.close()
        phone.context.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="A family's evening in each language.")
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        for place, language in enumerate(asked := parser.parse_args().languages.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                began = time.monotonic()
                found = evening(browser, language, LANGUAGES[(place + 1) % len(LANGUAGES)], Path(folder))
            print(f"{language}: {time.monotonic() - began:.0f} s, {found or 'nothing went wrong'}")
            if found:
                return 1
        print(f"{len(asked)} evenings")
    return 0


if __name__ == "__main__":
    sys.exit(main())

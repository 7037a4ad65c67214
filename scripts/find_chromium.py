"""
Finds a Chromium for the tests of the pages; ``python scripts/find_chromium.py --install`` gets one where there is none.

Debian's (or any other on the path) comes first, then the one that Playwright keeps. Installing takes Debian's with
``apt-get`` where that may be done, else Playwright's own. Prints where it is; status 1 and a sentence where there is
none.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
NONE_FOUND = "expected a Chromium for the pages' tests, found none; run: python scripts/find_chromium.py --install"


def find_chromium() -> Path | None:
    """Where a Chromium is; None where there is none."""
    for name in NAMES:
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    return own if own.is_file() else None


def install_chromium() -> None:
    """Try to get one: by ``apt-get`` as root, else as Playwright does."""
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for call in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
            subprocess.run(["apt-get", "-qq", *call], env=quiet, check=False, stdout=sys.stderr)
        if find_chromium() is not None:
            return
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False, stdout=sys.stderr)


def main() -> int:
    """Print where it is; the exit status."""
    parser = argparse.ArgumentParser(description="Finds a Chromium for the tests of the pages.")
    parser.add_argument("--install", action="store_true", help="get one where there is none")
    wanted = parser.parse_args()
    found = find_chromium()
    if found is None and wanted.install:
        install_chromium()
        found = find_chromium()
    if found is None:
        print(NONE_FOUND, file=sys.stderr)
        return 1
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())

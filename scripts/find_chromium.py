"""
Find a Chromium for the tests of the pages; ``python scripts/find_chromium.py --install`` installs the headless shell.

``chromium-headless-shell`` is preferred: it draws no browser window, so that a new page takes it a third of the
processor time. Any other Chromium on the path follows, then the one that Playwright keeps. ``--install`` calls
``apt-get`` as root where it exists, and Playwright's own installer where that leaves none. Prints the path; exits with
status 1 and a sentence where there is none.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

QUICK = "chromium-headless-shell"
NAMES = (QUICK, "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
NONE_FOUND = "expected a Chromium for the pages' tests, found none; run: python scripts/find_chromium.py --install"


def find_chromium() -> Path | None:
    """Return the path of a Chromium; None where there is none."""
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
    """Install the headless shell with ``apt-get`` as root; where no Chromium is found then, install Playwright's."""
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for call in (["update"], ["install", "--yes", "--no-install-recommends", QUICK]):
            subprocess.run(["apt-get", "-qq", *call], env=quiet, check=False, stdout=sys.stderr)
    if find_chromium() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False, stdout=sys.stderr)


def main() -> int:
    """Print the path; return the exit status."""
    parser = argparse.ArgumentParser(description="Find a Chromium for the tests of the pages.")
    parser.add_argument("--install", action="store_true", help="install the headless shell where it is missing")
    wanted = parser.parse_args()
    found = find_chromium()
    if wanted.install and shutil.which(QUICK) is None:
        install_chromium()
        found = find_chromium()
    if found is None:
        print(NONE_FOUND, file=sys.stderr)
        return 1
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())

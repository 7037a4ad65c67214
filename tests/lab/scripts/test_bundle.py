"""The files beside the bundled program by which a desktop opens it: one to open, an icon, an entry of the menu."""

from __future__ import annotations

import os
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from scripts.bundle import add_launchers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="desktops of Linux")


@pytest.fixture(params=["kozyr", "with a space & more"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a bundle whose program says how it was called."""
    made = tmp_path / request.param
    made.mkdir()
    (made / "kozyr").write_text('#!/bin/sh\necho started "$@"\n', encoding="utf-8")
    (made / "kozyr").chmod(0o755)
    add_launchers(made)
    return made


def entry_of(path: Path) -> dict[str, str]:
    """Return the keys of a desktop entry."""
    parser = ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[method-assign, assignment]
    parser.read(path, encoding="utf-8")
    return dict(parser["Desktop Entry"])


def opened(folder: Path, home: Path) -> str:
    """Open the folder's desktop entry as a desktop does, with %k replaced by its place; return what was printed."""
    command = entry_of(folder / "kozyr.desktop")["Exec"]
    shell, flag, rest = command.split(" ", 2)
    script = rest[1 : rest.rindex("'")]
    called = [shell, flag, script, "sh", str(folder / "kozyr.desktop")]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    return subprocess.run(called, env=environment, capture_output=True, text=True, check=True).stdout


def test_one_file_starts_the_program_and_puts_it_into_the_menu(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert opened(folder, home) == "started\n"
    entry = entry_of(home / ".local" / "share" / "applications" / "kozyr.desktop")
    assert (entry["Exec"], entry["Icon"]) == (f'"{folder}/kozyr"', f"{folder}/kozyr.png")
    assert Path(entry["Icon"]).read_bytes().startswith(b"\x89PNG")


def test_folder_that_was_moved_is_found_again_by_the_menu(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    opened(folder, home)
    moved = folder.rename(tmp_path / "elsewhere")
    opened(moved, home)
    (entry,) = (home / ".local" / "share" / "applications").iterdir()
    assert entry_of(entry)["Exec"] == f'"{moved}/kozyr"'

"""
Build one folder that runs on a machine without Python: ``python scripts/bundle.py`` makes ``dist/kozyr``.

PyInstaller collects the program as it is installed in an environment, which is made in ``build/bundle`` unless
``--python`` names one. It builds for the system that it runs on, and for no other.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
PYINSTALLER = "pyinstaller>=6.10,<7"
HOW_TO_START = """\
kozyr referees Durak played with real cards under a camera.

Open the file "kozyr" in this folder (on Windows "kozyr.exe", on a Linux desktop "kozyr.desktop"). A window with text
opens, and the page on which a game is set up opens in your browser. Closing the window with text ends the program.

On Linux kozyr then stands in the menu, with its icon. The entry follows when it is opened from another place;
to take it away, delete kozyr.desktop in the folder .local/share/applications of your home.
"""
ICON = ROOT / "webapp" / "web" / "static" / "icon-512.png"
DESKTOP_ENTRY = """\
[Desktop Entry]
Type=Application
Name=kozyr
Comment=Referee for Durak played with real cards
Exec=sh -c 'exec sh "$(dirname "$1")/start.sh"' sh %k
Terminal=true
Categories=Game;CardGame;
"""
START = """\
#!/bin/sh
# Starts kozyr, and puts it into this user's menu, with its icon, under the place where this folder lies now.
here=$(dirname "$(readlink -f "$0")")
menu=${XDG_DATA_HOME:-$HOME/.local/share}/applications
mkdir -p "$menu" && cat >"$menu/kozyr.desktop" <<END
[Desktop Entry]
Type=Application
Name=kozyr
Comment=Referee for Durak played with real cards
Exec="$here/kozyr"
Icon=$here/kozyr.png
Path=$here
Terminal=true
Categories=Game;CardGame;
END
exec "$here/kozyr" "$@"
"""


def main() -> int:
    """Build the folder; print where it lies and how large it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", type=Path, help="an environment's Python in which kozyr is installed")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the folder `kozyr`")
    asked = parser.parse_args()
    python = asked.python.absolute() if asked.python else environment()
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PYINSTALLER)
    run(
        *(python, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"),
        *("--workpath", BUILD / "pyinstaller", "--distpath", asked.out.resolve(), ROOT / "scripts" / "kozyr.spec"),
    )
    made = asked.out / "kozyr"
    if sys.platform == "linux":
        strip(made)
        add_launchers(made)
    (made / "READ ME.txt").write_text(HOW_TO_START, encoding="utf-8")
    print(f"{made}: {size_mb(made)} MB")
    return 0


def add_launchers(folder: Path) -> None:
    """Add the icon, the file that a desktop opens, and the start that puts the program into the menu."""
    shutil.copyfile(ICON, folder / "kozyr.png")
    for name, text in (("kozyr.desktop", DESKTOP_ENTRY), ("start.sh", START)):
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)


def environment() -> Path:
    """Make an environment with this checkout installed; return its Python."""
    folder = BUILD / "bundle"
    venv.create(folder, with_pip=True, clear=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", ROOT)
    return python


def run(*command: str | Path) -> None:
    """Run a command outside of the checkout, whose packages Python would take for the installed ones."""
    BUILD.mkdir(exist_ok=True)
    subprocess.run([str(part) for part in command], check=True, cwd=BUILD)


def strip(folder: Path) -> None:
    """
    Remove symbols that only a debugger reads from all libraries, a tenth of the folder.

    ``strip`` damages some libraries whose headers were moved when their wheel was made; the loader refuses those, and
    they stay as they were.
    """
    if shutil.which("strip") is None or shutil.which("ldd") is None:
        return
    for library in folder.rglob("*.so*"):
        if library.is_symlink():
            continue
        stripped = library.with_name(f"{library.name}.stripped")
        done = subprocess.run(["strip", "--strip-unneeded", "-o", stripped, library], check=False, capture_output=True)
        if done.returncode == 0 and subprocess.run(["ldd", stripped], check=False, capture_output=True).returncode == 0:
            shutil.copymode(library, stripped)
            stripped.replace(library)
        else:
            stripped.unlink(missing_ok=True)


def size_mb(folder: Path) -> int:
    """Return the size of all files in MB of 2^20 bytes."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir()) >> 20


if __name__ == "__main__":
    sys.exit(main())

"""
Try the folder that ``scripts/bundle.py`` made in an empty root: no Python, no shell, only the C library and zlib.

``python -m scripts.try_bundle dist/kozyr`` fails unless the folder is small enough, needs no other library of the
system, opens set-up in a browser, serves its page and plays the recording to the fool. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.bundle import size_mb

MOST_MB = 400
C_LIBRARY = frozenset({"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1"})
ZLIB = "libz.so.1"
"""PyInstaller's start needs it before it knows the folder's own libraries."""
MATCH = Path(__file__).parent.parent / "tests" / "matches" / "durek-two.jsonl"
PATIENCE_S = 120.0


def main() -> int:
    """Try the folder; return 0 if it does all that."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--no-demo", action="store_true", help="do not play the recording")
    asked = parser.parse_args()
    size = size_mb(asked.folder)
    print(f"{asked.folder}: {size} MB")
    assert size < MOST_MB, f"expected less than {MOST_MB} MB"
    libraries = system_libraries(asked.folder)
    assert libraries.keys() <= C_LIBRARY | {ZLIB}, sorted(libraries)
    with empty_root(asked.folder, libraries) as root:
        try_setup(root)
        try_workers(root)
        if not asked.no_demo:
            try_demo(root)
    return 0


def system_libraries(folder: Path) -> dict[str, Path]:
    """Return the libraries that the folder's programs take from the system: name -> file."""
    found: dict[str, Path] = {}
    inside = folder.resolve() / "_internal"
    for path in [folder / "kozyr", *folder.rglob("*.so*")]:
        # The program's own start knows nothing of the folder's libraries yet.
        places = {} if path.name == "kozyr" else {"LD_LIBRARY_PATH": str(inside)}
        done = subprocess.run(["ldd", path], env=places, capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines():
            name, arrow, place = line.strip().partition(" => ")
            assert place != "not found", f"{path}: needs {name}"
            if arrow and not place.startswith(str(inside)):
                found[name] = Path(place.split()[0])
    return found


@contextmanager
def empty_root(folder: Path, libraries: dict[str, Path]) -> Iterator[Path]:
    """Make a root folder that holds the program and the system's libraries, nothing else."""
    with tempfile.TemporaryDirectory(dir=folder.resolve().parent) as made:
        root = Path(made)
        for name in ("tmp", "home", "proc", "dev"):
            (root / name).mkdir()
        shutil.copytree(folder, root / "kozyr", symlinks=True, copy_function=os.link)
        loader = Path("/lib64/ld-linux-x86-64.so.2") if Path("/lib64").exists() else Path("/lib/ld-linux-aarch64.so.1")
        for place in (loader, *libraries.values()):
            (root / place.relative_to("/").parent).mkdir(parents=True, exist_ok=True)
            shutil.copy(place.resolve(), root / place.relative_to("/"))
        shutil.copy(shutil.which("echo") or "/bin/echo", root)  # stands in for a browser
        shutil.copy(MATCH, root / "tmp")
        yield root


def inside(root: Path, *arguments: str) -> list[str]:
    """Return the command that runs the program with these arguments in the empty root."""
    chroot = shutil.which("chroot") or "/usr/sbin/chroot"
    unshare = ["unshare", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={root}/proc"]
    with_devices = 'mount --rbind /dev "$1/dev" && shift && exec "$@"'
    return [*unshare, "sh", "-c", with_devices, "sh", str(root), chroot, str(root), "/kozyr/kozyr", *arguments]


def try_setup(root: Path) -> None:
    """Start the program as a double click does: it has to open a browser, and the page there has to answer."""
    # The empty root holds no browser: `echo` stands in for one.
    environment = {"HOME": "/home", "DISPLAY": ":0", "BROWSER": "/echo %s", "PATH": os.environ["PATH"]}
    command = inside(root, "--port", "0")
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            address = program.stdout.readline().strip()
            with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
                page = answer.read().decode()
            assert answer.status == 200, answer.status
            assert "setup" in page, page
            print(f"the browser opens {address}, where {answer.url} answers with {len(page)} characters")
        finally:
            program.kill()


def try_workers(root: Path) -> None:
    """Analyse a match in two processes that the program starts beside itself."""
    command = inside(root, "analyse", f"/tmp/{MATCH.name}", "--playouts", "2", "--workers", "2", "--json")
    done = subprocess.run(
        command, env={"HOME": "/home", "PATH": os.environ["PATH"]}, stdout=subprocess.PIPE, text=True, check=True
    )
    print(f"two workers rated a match: {len(done.stdout.splitlines())} lines")


def try_demo(root: Path) -> None:
    """Play the recording; its last line has to name the fool."""
    command = inside(root, "demo", "--exit", "--no-browser", "--json", "--port", "0")
    done = subprocess.run(
        command, env={"HOME": "/home", "PATH": os.environ["PATH"]}, stdout=subprocess.PIPE, text=True, check=True
    )
    last = json.loads(done.stdout.splitlines()[-1])
    assert last["summary"]["result"]["kind"] == "fool", last
    print(f"the demo played to the fool: {last['summary']['result']}")


if __name__ == "__main__":
    sys.exit(main())

"""Start the program of the bundle, which has no Python of its own to start it with."""

from __future__ import annotations

import os
import sys
import webbrowser
from multiprocessing import freeze_support

LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Where programs look for libraries: PyInstaller's start points them into this folder, for its own processes."""

open_here = webbrowser.open


def open_with_system_libraries(url: str, new: int = 0, autoraise: bool = True) -> bool:
    """Open a page in a browser, which has to load its own libraries, not those of this folder."""
    ours = {name: os.environ.pop(name) for name in LIBRARIES if name in os.environ}
    os.environ.update({name: os.environ[f"{name}_ORIG"] for name in LIBRARIES if f"{name}_ORIG" in os.environ})
    try:
        return open_here(url, new, autoraise)
    finally:
        os.environ.update(ours)


def main() -> int:
    """Run `kozyr`; where a double click began it, keep the window open until an error has been read."""
    from vision.capture.decoder_process import OPTION
    from vision.capture.decoder_server import serve

    if sys.argv[1:] == [OPTION]:  # a process that the program started for pictures
        serve()
        return 0
    from webapp.commands.cli import main as run
    from webapp.commands.interruption import STOPPED

    webbrowser.open = open_with_system_libraries
    status = run()
    if status not in (0, STOPPED) and len(sys.argv) == 1 and sys.stdin is not None and sys.stdin.isatty():
        input("Press Enter to close this window. ")
    return status


if __name__ == "__main__":
    freeze_support()  # a process that the program started for work beside it
    sys.exit(main())

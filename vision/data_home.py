"""Where the program keeps what is the user's own: decks, matches."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

HOME_VARIABLE = "KOZYR_HOME"


def data_home() -> Path:
    """
    Return the data folder: $KOZYR_HOME, else ``kozyr`` in the user's data folder. It need not exist yet.

    The data folder is $XDG_DATA_HOME or ~/.local/share; %LOCALAPPDATA% on Windows; ~/Library/Application Support on a
    Mac.
    """
    folder = os.environ.get(HOME_VARIABLE)
    return Path(folder).expanduser() if folder else platformdirs.user_data_path("kozyr", appauthor=False)

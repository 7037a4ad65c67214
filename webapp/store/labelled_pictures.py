"""
Keep pictures of cards that people corrected, labelled with the right name.

Nothing is kept unless the owner of this machine turns it on, and nothing is sent. There is a folder for each card and a
file for each picture, named after match, line and the card that was read. Whoever trains the networks may be given the
folder; deleting it deletes them.
"""

from __future__ import annotations

import json
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from vision.data_home import data_home
from webapp.errors import OutputLostError
from webapp.private_file import write_whole

FOLDER = "labelled"
"""In the program's data folder."""
WISH = "wish.json"


@dataclass(frozen=True, slots=True)
class LabelledPictures:
    """Labelled pictures in a folder, which need not exist yet."""

    folder: Path = field(default_factory=lambda: data_home() / FOLDER)

    @property
    def are_stored(self) -> bool:
        try:
            return bool(json.loads((self.folder / WISH).read_text(encoding="utf-8")) == {"keep": True})
        except (OSError, ValueError, RecursionError):
            return False

    @property
    def count(self) -> int:
        return sum(1 for _ in self.folder.glob("*/*.jpg"))

    def wish(self, keep: bool) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.folder / WISH, json.dumps({"keep": keep}).encode())
        except OSError as error:
            raise OutputLostError(
                f"The operating system refused: {self.folder}: {error.strerror}; set KOZYR_HOME to another folder"
            ) from None

    def add(self, match: str, line: int, card: str, was: str, jpeg: bytes) -> Path | None:
        """
        Keep the picture of a card that was read as ``was`` and corrected to ``card``, if keeping is on.

        The newest word counts: the same line under another card goes. A disk that takes none is no trouble of a game.
        """
        if not self.are_stored or not all(re.fullmatch(r"[A-Za-z0-9-]{1,40}", part) for part in (match, card, was)):
            return None
        path = self.folder / card / f"{match}-{line}-read-{was}.jpg"
        with suppress(OSError):
            for other in self.folder.glob(f"*/{match}-{line}-read-*.jpg"):
                other.unlink(missing_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(jpeg)
            return path
        return None

    def delete(self) -> None:
        try:
            for place in self.folder.glob("*/"):
                shutil.rmtree(place)
        except FileNotFoundError:
            return
        except OSError as error:
            raise OutputLostError(
                f"The operating system refused: {self.folder}: {error.strerror}; delete the pictures by hand"
            ) from None

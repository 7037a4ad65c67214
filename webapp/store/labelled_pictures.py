"""
Cards that people put right, as labelled pictures: what the camera saw, and which card it was.

Nothing is kept unless the owner of this machine says so. They never leave it by themselves: a folder a card, a file a
picture, whose name says of which match and line it is and as what it was read. Whoever trains the eye may be given the
folder; deleting it deletes them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from webapp.errors import OutputLostError

FOLDER = "labelled"
"""In the program's data folder."""
WISH = "wish.json"


@dataclass(frozen=True, slots=True)
class LabelledPictures:
    """The pictures in a folder, which need not exist yet."""

    folder: Path

    @property
    def are_kept(self) -> bool:
        """Has the owner said that they shall be kept? Not where nobody said anything."""
        try:
            return bool(json.loads((self.folder / WISH).read_text(encoding="utf-8")) == {"keep": True})
        except (OSError, ValueError, RecursionError):
            return False

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(1 for _ in self.folder.glob("*/*.jpg"))

    def wish(self, keep: bool) -> None:
        """Keep them from now on, or no longer; what is there stays."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            partial = self.folder / f"{WISH}.{os.getpid()}.part"
            partial.write_text(json.dumps({"keep": keep}), encoding="utf-8")
            partial.replace(self.folder / WISH)
        except OSError as error:
            raise OutputLostError(
                f"{self.folder}: expected a folder for pictures, got {error.strerror!r}; set KOZYR_HOME to another"
            ) from None

    def add(self, match: str, line: int, card: str, was: str, jpeg: bytes) -> Path | None:
        """
        Keep how a card looked that people say is ``card`` and that was read as ``was``, if they shall be kept.

        The newest word counts: the same line under another card goes. A disk that takes none is no trouble of a game.
        """
        if not self.are_kept or not all(re.fullmatch(r"[A-Za-z0-9-]{1,40}", each) for each in (match, card, was)):
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
        """Delete all of them; the wish stays."""
        try:
            for place in self.folder.glob("*/"):
                shutil.rmtree(place)
        except FileNotFoundError:
            return
        except OSError as error:
            raise OutputLostError(
                f"{self.folder}: expected to delete the pictures, got {error.strerror!r}; delete them by hand"
            ) from None

"""
Keep pictures of cards that people corrected, labelled with the right name.

Nothing is kept unless the owner of this machine turns it on, and nothing is sent. There is a folder for each card and a
file for each picture, named after match, line, the card that was read, and the deck of the game where players had shown
it. Whoever trains the networks may be given the folder; deleting it deletes them.
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
NAME = re.compile(
    r"(?P<match>[A-Za-z0-9-]{1,40})-(?P<line>[0-9]{1,9})-read-(?P<was>[A-Za-z0-9]{2,4})"
    r"(?:-deck-(?P<deck>[\w -]{1,60}))?"
)
"""The name of a picture's file, without its ending."""


@dataclass(frozen=True, slots=True)
class CorrectedPicture:
    """One picture: the card that people say it is, what was read, of which line, and the deck if it was shown."""

    path: Path
    card: str
    was: str
    match: str
    line: int
    deck: str | None


@dataclass(frozen=True, slots=True)
class LabelledPictures:
    """
    Labelled pictures in a folder, which need not exist yet.

    ``most``: pictures kept at once, some 10 kB each; the oldest go first. ``largest_bytes``: of one picture; a larger
    one is not kept, nor read. Both set by hand, 2026-11.
    """

    folder: Path = field(default_factory=lambda: data_home() / FOLDER)
    most: int = 1000
    largest_bytes: int = 100_000

    @property
    def are_stored(self) -> bool:
        try:
            return bool(json.loads((self.folder / WISH).read_text(encoding="utf-8")) == {"keep": True})
        except (OSError, ValueError, RecursionError):
            return False

    @property
    def count(self) -> int:
        return sum(1 for _ in self.folder.glob("*/*.jpg"))

    @property
    def all(self) -> tuple[CorrectedPicture, ...]:
        """Return the pictures, the oldest match first; files with other names, or too large, are left out."""
        found = []
        for path in self.folder.glob("*/*.jpg"):
            named = NAME.fullmatch(path.stem)
            with suppress(OSError):
                if named is not None and path.stat().st_size <= self.largest_bytes:
                    was, match, line, deck = named["was"], named["match"], int(named["line"]), named["deck"]
                    found.append(CorrectedPicture(path, path.parent.name, was, match, line, deck))
        return tuple(sorted(found, key=lambda picture: (picture.match, picture.line)))

    def wish(self, keep: bool) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.folder / WISH, json.dumps({"keep": keep}).encode())
        except OSError as error:
            raise OutputLostError(
                f"The operating system refused: {self.folder}: {error.strerror}; set KOZYR_HOME to another folder"
            ) from None

    def add(self, match: str, line: int, card: str, was: str, jpeg: bytes, deck: str | None = None) -> Path | None:
        """
        Keep the picture of a card that was read as ``was`` and corrected to ``card``, if keeping is on.

        ``deck``: the name of the deck that was played with, if its players had shown it. The newest word counts: the
        same line under another card goes. A disk that takes none is no trouble of a game.
        """
        name = f"{match}-{line}-read-{was}" + (f"-deck-{deck}" if deck else "")
        is_fine = NAME.fullmatch(name) and re.fullmatch(r"[A-Za-z0-9]{2,4}", card) and len(jpeg) <= self.largest_bytes
        if not self.are_stored or not is_fine:
            return None
        path = self.folder / card / f"{name}.jpg"
        with suppress(OSError):
            for other in self.folder.glob(f"*/{match}-{line}-read-*.jpg"):
                other.unlink(missing_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(jpeg)
            self._drop_oldest()
            return path
        return None

    def _drop_oldest(self) -> None:
        """Delete the oldest pictures where there are more than ``most``."""
        if self.count > self.most:
            there = sorted(self.folder.glob("*/*.jpg"), key=lambda path: path.stat().st_mtime)
            for path in there[: -self.most]:
                path.unlink(missing_ok=True)

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

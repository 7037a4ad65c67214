"""Keep the results of games in a file, one a line, so that an interrupted command can be resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Generic, TypeVar

Result = TypeVar("Result")


class StoredGames(Generic[Result]):
    """
    Results by the name of the game, read from and added to a file; in memory alone where ``path`` is None.

    A result is what JSON reads back as it was.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._found: dict[str, Result] = {}
        if path is not None and path.exists():
            for line in path.read_text("utf-8").splitlines():
                self._found.update(json.loads(line))

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def __getitem__(self, name: str) -> Result:
        return self._found[name]

    def add(self, name: str, result: Result) -> None:
        """Add the result of a game."""
        self._found[name] = result
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({name: result}) + "\n")

"""What a page asks for and may take minutes: each a job in a process of its own, which opens the store itself."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from webapp.commands.keeping import open_matches
from webapp.commands.rejudge import Rejudging, rejudged
from webapp.live.background_jobs import BackgroundJob, BackgroundJobs, Progress


class BesideTheGame:
    """
    Jobs over one store. ``store``: its URL as the command line has it, ``films``: the folder, None where it is the
    usual one; ``weights`` and ``deck`` of the eye.
    """

    def __init__(self, store: str | None, films: Path | None, weights: Path | None, deck: str | None) -> None:
        self.jobs = BackgroundJobs()
        self._store, self._films, self._weights, self._deck = store, films, weights, deck

    def rejudge(self, match: str, asked: Mapping[str, Any], language: str) -> BackgroundJob:
        """Judge a kept match again: ``from`` its ``film`` or ``record``, by other ``rules`` and ``options``."""
        wanted = Rejudging(
            match,
            asked["from"] == "film",
            asked["rules"],
            tuple(asked["options"].items()),
            self._weights,
            self._deck,
            language,
        )
        return self.jobs.submit("rejudge", match, rejudge_kept, self._store, self._films, wanted)


def rejudge_kept(progress: Progress, store: str | None, films: Path | None, asked: Rejudging) -> dict[str, Any]:
    """``webapp.commands.rejudge.rejudged`` in a process of its own."""
    with ExitStack() as parts:
        return rejudged(open_matches(parts, store, films), asked, progress)

"""What a page asks for and may take minutes: each a job in a process of its own, which opens the store itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from vision.capture.sources import VIDEO_SUFFIXES, SourceError
from webapp.commands.keeping import open_matches
from webapp.commands.match_header import Wishes
from webapp.commands.rejudge import Rejudging, rejudged
from webapp.commands.store_options import LONGEST_TABLE
from webapp.errors import KozyrError, UnusableInputError
from webapp.live.background_jobs import BackgroundJob, BackgroundJobs, Report
from webapp.live.replay import Replays
from webapp.store.incoming_films import FOLDER as INCOMING
from webapp.store.incoming_films import IncomingFilms
from webapp.store.matches import Matches


class BesideTheGame:
    """
    Jobs over one store. ``matches``: None where nothing is kept; ``store``: its URL as the command line has it,
    ``films``: the folder, None where it is the usual one; ``weights`` and ``deck`` of the eye.
    """

    def __init__(
        self,
        matches: Matches | None,
        store: str | None,
        films: Path | None,
        weights: Path | None = None,
        deck: str | None = None,
    ) -> None:
        self.jobs = BackgroundJobs()
        self._matches = matches
        self._store, self._films, self._weights, self._deck = store, films, weights, deck
        kept = None if matches is None else matches.films
        self.incoming = None if kept is None else IncomingFilms(kept.folder / INCOMING)

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

    def prepare(self, match: str) -> None:
        """A match is over: have its page ready before somebody opens it."""
        self.jobs.submit("replay", match, prepare_replay, self._store, self._films, match)

    def film_suffix(self, name: str) -> str:
        """The ending of a film's name; ``UnusableInputError`` where it is no film by its name."""
        return film_suffix(name)

    def referee_film(self, film: Path, name: str, asked: Mapping[str, Any]) -> BackgroundJob:
        """Referee a film by ``seats``, ``rules`` and ``options`` and keep it; the film is deleted in the end."""
        wishes = Wishes(asked["rules"], tuple(asked["options"].items()), tuple(asked["seats"]))
        arguments = (self._store, self._films, self._weights, self._deck, film, table_of_film(name), wishes)
        return self.jobs.submit("film", name, referee_film, *arguments, after=lambda job: self._clear_up(film, job))

    def _clear_up(self, film: Path, job: BackgroundJob) -> None:
        """What was uploaded is not needed any more; half a match is of no use where its film can be dropped anew."""
        with suppress(OSError):
            film.unlink(missing_ok=True)
        if job.state != "done" and job.result is not None and self._matches is not None:
            with suppress(KozyrError):
                self._matches.delete(job.result["match"])


def table_of_film(name: str) -> str:
    """
    What the table of a film is called: as its file, without what can't be printed.

    >>> table_of_film("Küche, 2. Abend.mp4"), table_of_film("\\x00.mp4")
    ('Küche, 2. Abend', 'film')
    """
    plain = "".join(each for each in Path(name).stem if each.isprintable()).strip()
    return plain[:LONGEST_TABLE].strip() or "film"


def film_suffix(name: str) -> str:
    """
    The ending by which a film is known.

    >>> film_suffix("Evening.MP4")
    '.mp4'
    >>> film_suffix("notes.txt")
    Traceback (most recent call last):
        ...
    webapp.errors.UnusableInputError: expected a film such as game.mp4, got 'notes.txt'; choose a video
    """
    suffix = Path(name).suffix.lower()
    if suffix not in VIDEO_SUFFIXES or not re.fullmatch(r"\.[a-z0-9]{1,8}", suffix):
        raise UnusableInputError(f"expected a film such as game.mp4, got {name!r:.80}; choose a video")
    return suffix


def rejudge_kept(report: Report, store: str | None, films: Path | None, asked: Rejudging) -> dict[str, Any]:
    """``webapp.commands.rejudge.rejudged`` in a process of its own."""
    with ExitStack() as parts:
        return rejudged(open_matches(parts, store, films), asked, report)


def prepare_replay(report: Report, store: str | None, films: Path | None, match: str) -> None:
    """``webapp.live.replay.Replays.prepare`` in a process of its own."""
    with ExitStack() as parts:
        Replays(open_matches(parts, store, films)).prepare(match)


def referee_film(
    report: Report,
    store: str | None,
    films: Path | None,
    weights: Path | None,
    deck: str | None,
    film: Path,
    table: str,
    wishes: Wishes,
) -> dict[str, Any]:
    """A film refereed as ``kozyr review --keep`` does it; the ID of its match, and what could be refereed of it."""
    from webapp.commands.parser import parsed
    from webapp.commands.review import ReviewListener, review_clip

    found: dict[str, Any] = {}

    class ToReport(ReviewListener):
        def kept_as(self, match: str) -> None:
            found["match"] = match
            report.found(found)

        def reached(self, share: float) -> None:
            report(share)

    arguments = parsed(["review", str(film), "--keep", "--table", table])
    arguments.store, arguments.films, arguments.weights, arguments.deck = store, films, weights, deck
    last: dict[str, Any] = {}
    try:
        review_clip(arguments, wishes, str(film), last.update, ToReport())
    except SourceError as error:  # its own name says more than where it waited
        raise UnusableInputError(str(error).replace(str(film), table)) from None
    film.unlink(missing_ok=True)
    return {**found, "refereed": last["summary"].get("refereed")}

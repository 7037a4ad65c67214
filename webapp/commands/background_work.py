"""Run work of minutes that a page requests: each a job in its own process, which opens the store itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from referee.errors import RefereeError
from referee.record import Header
from vision.capture.decoder_process import DecoderLimits, DecoderProcess, FilmStart
from vision.capture.picture_decoding import PictureError
from vision.capture.sources import USUAL_FPS, Image, Source, SourceError
from vision.detection.mirroring import SAMPLES, is_mirrored
from webapp.commands.match_header import HeaderOptions
from webapp.commands.options import ReviewOptions
from webapp.commands.review import review_clip
from webapp.errors import KozyrError, StoppedError, StoreError, TooLongError, UnusableInputError
from webapp.features import features
from webapp.live.background_jobs import BackgroundJob, BackgroundJobs, JobTools, Report
from webapp.live.match_files import open_matches, table_of
from webapp.live.match_options import LONGEST_TABLE, DetectorOptions, KeepingOptions
from webapp.live.position_proposal import SeenTable, read_table
from webapp.live.timed_process import LONGEST_JUDGING_S
from webapp.live.vision_opening import detector_for
from webapp.match.log import MatchUpdate
from webapp.match.stored_matches import JUDGED_SHARE, Correction, StoredMatches
from webapp.output import as_line
from webapp.store.films import INCOMING_FOLDER, IncomingFilms
from webapp.store.matches import Matches

REPLAY = "replay"
"""The kind of the job that makes what pages show of a stored match."""
CORRECTION = "correction"
"""The kind of the job that corrects a long match."""
MOST_PREPARED = 4
"""Matches that are judged or wait for it at once, so that who opens all of them does not close that to others."""
FILM_LIMITS = DecoderLimits()
"""Of the process that decodes the beginning of a film that was handed in; of memory also for the job that referees it,
which takes 2.8 GB for 7680 x 4320 px and 16 pictures that others refer to."""
APART_S = 1.0
"""Seconds between the two pictures of a film that show how its game begins."""
HEADER_SUFFIX = ".header"
"""Of the file beside an uploaded film that holds the game's header."""


class DecodedFilm(Source):
    """Pictures of a film that another process has decoded, as a source."""

    def __init__(self, start: FilmStart) -> None:
        height, width = start.first.shape[:2]
        super().__init__("the film", USUAL_FPS, (width, height), False, None)
        self._start = start

    def samples(self, count: int) -> Iterator[Image]:
        return iter(self._start.samples[:count])


class BackgroundWork:
    """
    Jobs over one store. ``matches``: None if nothing is kept; ``store``: its URL from the command line, ``films``: the
    folder, None for the default one; ``detector``: the networks that read films; ``film_limits``: of the processes
    that decode a film that was handed in.
    """

    def __init__(
        self,
        matches: Matches | None,
        store: str | None,
        films: Path | None,
        detector: DetectorOptions = DetectorOptions(),
        film_limits: DecoderLimits = FILM_LIMITS,
    ) -> None:
        self._film_limits = film_limits
        self.jobs = BackgroundJobs()
        self._preparing = Lock()
        self._matches = matches
        self._store, self._films, self._detector = store, films, detector
        match_films = None if matches is None else matches.films
        self.incoming = None if match_films is None else IncomingFilms(match_films.folder / INCOMING_FOLDER)

    def start(self, kind: str, match: str, request: object = None) -> BackgroundJob:
        """Start a job of a feature on a stored match, with what its route was asked for."""
        return self.jobs.submit(kind, match, of_feature, self._store, self._films, self._detector, kind, match, request)

    def prepare(self, match: str) -> BackgroundJob | None:
        """
        Make what pages show of a match that has ended, before its page is opened or while that waits; once, however
        many ask. None if ``MOST_PREPARED`` others are being made or wait.
        """
        with self._preparing:
            begun = [job for job in self.jobs.all if job.kind == REPLAY and not job.is_over]
            known = next((job for job in begun if job.about == match), None)
            if known is not None or len(begun) >= MOST_PREPARED:
                return known
            return self.jobs.submit(
                REPLAY, match, prepare_replay, self._store, self._films, match, limit_s=LONGEST_JUDGING_S
            )

    def correct(self, match: str, correction: Correction) -> MatchUpdate:
        """
        Correct a long match by a job that goes before all that wait; with the result and the errors of
        ``StoredMatches.correct``, and ``TooLongError`` after ``LONGEST_JUDGING_S``.
        """
        job = self.jobs.submit(
            *(CORRECTION, match, correct_match, self._store, self._films, match, correction),
            limit_s=LONGEST_JUDGING_S,
            is_next=True,
            is_private=True,
        )
        job = self.jobs.wait(job.job)
        if job.state == "stopped":
            raise StoppedError("expected a correction, it was stopped before it was made; correct the line again")
        if job.is_late:
            raise TooLongError(LONGEST_JUDGING_S)
        if job.trouble is not None:
            raise StoreError(job.trouble)
        done: MatchUpdate | KozyrError | RefereeError = job.result
        if isinstance(done, MatchUpdate):
            return done
        raise done

    def beginning_of(self, film: Path, pack: int) -> SeenTable:
        """
        Return what two of a film's first pictures, a second apart, show of a game that is under way. They are decoded
        in a process of their own: who handed the film in may be anybody.
        """
        try:
            with closing(DecoderProcess(self._film_limits)) as decoder:
                start = decoder.film_start(film, APART_S, SAMPLES)
        except PictureError as error:
            raise UnusableInputError(str(error).replace(str(film), "the film")) from None
        detector = detector_for(self._detector, pack)
        source = DecodedFilm(start)
        source.is_mirrored = is_mirrored(source, detector)
        images = (source.turned_back(image) for image in (start.first, start.later))
        tables = (read_table(image, detector.detect(image)) for image in images)
        return next(tables).confirmed(next(tables))

    def referee_film(self, film: Path, name: str, header: Header) -> BackgroundJob:
        start = film.with_suffix(HEADER_SUFFIX)
        start.write_text(as_line(header.as_json()), "utf-8")
        options = ReviewOptions(
            str(film),
            HeaderOptions(start=start),
            detector=self._detector,
            keeping=KeepingOptions(keep=True, store=self._store, films=self._films, table=table_of_film(name)),
        )
        return self.jobs.submit(
            *("film", name, referee_film, options),
            after=lambda job: self._clear_up(film, job),
            memory_bytes=self._film_limits.memory_bytes,
        )

    def _clear_up(self, film: Path, job: BackgroundJob) -> None:
        with suppress(OSError):
            film.unlink(missing_ok=True)
            film.with_suffix(HEADER_SUFFIX).unlink(missing_ok=True)
        if job.state != "done" and job.result is not None and self._matches is not None:
            with suppress(KozyrError):
                self._matches.delete(job.result["match"])


def table_of_film(name: str) -> str:
    """
    Return the name of a film's table: that of its file, without characters that can't be printed.

    >>> table_of_film("Küche, 2. Abend.mp4"), table_of_film("\\x00.mp4")
    ('Küche, 2. Abend', 'film')
    """
    plain = "".join(letter for letter in Path(name).stem if letter.isprintable()).strip()
    return plain[:LONGEST_TABLE].strip() or "film"


def of_feature(
    report: Report,
    store: str | None,
    films: Path | None,
    detector: DetectorOptions,
    kind: str,
    match: str,
    request: object,
) -> object:
    work = next(job.work for feature in features() for job in feature.jobs if job.name == kind)
    with ExitStack() as parts:
        return work.load()(JobTools(report, open_matches(parts, store, films), detector), match, request)


def prepare_replay(report: Report, store: str | None, films: Path | None, match: str) -> None:
    stored_matches(store, films).prepare(match, report)


def correct_match(
    report: Report, store: str | None, films: Path | None, match: str, correction: Correction
) -> MatchUpdate | KozyrError | RefereeError:
    """Correct a match, and make what its pages show of it now; an error of ours is returned."""
    matches = stored_matches(store, films)
    try:
        with matches.held(match, lambda share: report(JUDGED_SHARE * share)):
            done = matches.correct(match, correction)
    except (KozyrError, RefereeError) as error:
        return error
    with suppress(KozyrError):  # its pages have it made
        matches.prepare(match)
    return done


@lru_cache(maxsize=1)
def stored_matches(store: str | None, films: Path | None) -> StoredMatches:
    """Open the store for as long as this process lives; the match that was judged last stays in its memory."""
    return StoredMatches(open_matches(ExitStack(), store, films))


def referee_film(report: Report, options: ReviewOptions) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def stored_as(match: str) -> None:
        found["match"] = match
        report.found(found)

    film, last = Path(options.clip), dict[str, Any]()
    try:
        review_clip(options, last.update, stored_as, report)
    except SourceError as error:  # the table's name says more than the name of the uploaded file
        raise UnusableInputError(str(error).replace(options.clip, table_of(options.keeping))) from None
    film.unlink(missing_ok=True)
    return {**found, "refereed": last["summary"].get("refereed")}

"""
`kozyr analyse RECORD|NOTATION|MATCH`: rate each decision of a match: its cost for the player and the best one.

Ratings are stored as they come, by record, playouts and seed, so that a command that was stopped continues where it
stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from features.analysis.decision_case import DecisionCase
from features.analysis.options import AnalyseOptions
from features.analysis.rating import summary_of
from features.analysis.stored_analyses import PLAYOUTS, StoredRatings, cases_of_match, rated
from features.batch.cluster import client_of
from features.notation.notated_game import record_lines
from features.notation.parser import read_games
from referee.errors import RefereeError
from referee.events import TableEvent
from referee.record import Header, read_record
from webapp.errors import KozyrError, UnusableInputError, one_line
from webapp.live.match_files import open_matches
from webapp.match.stored_matches import this_referee
from webapp.output import as_line, note, say_json, say_text
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import why_sentence
from webapp.text_input import read_text_file

PROGRESS_EVERY_S = 5.0


AnalysedMatch = tuple[Header, list[DecisionCase]]
"""One match of a record: its header and the decisions in it."""


def run(asked: AnalyseOptions) -> int:
    """Print a line per decision, then a line per player, for every match of the record; return the exit status."""
    asked = replace(asked, playouts=asked.playouts or PLAYOUTS)
    lines, name = lines_of(asked)
    try:
        matches = list(matches_of(lines, name, asked.seed))
    except RefereeError as error:
        raise UnusableInputError(one_line(error)) from None
    asked_for = "\n".join((*lines, str(asked.playouts), str(asked.seed), this_referee()))
    stored = StoredRatings(sha256(asked_for.encode("utf-8", errors="surrogateescape")).hexdigest()[:32])
    for decided, (header, _) in zip(_rated_matches(matches, asked, stored), matches, strict=True):
        for line in [*decided, *summary_of(decided, header.seats)]:
            say_json(line) if asked.as_json else say_text(in_words(line, asked.language))
    return 0


def lines_of(asked: AnalyseOptions) -> tuple[list[str], str]:
    """Return the record's lines, from a file of either kind or from the store, and a name for it."""
    path = Path(asked.source)
    if path.is_file():
        content = read_text_file(path)
        if path.suffix.lower() == ".durak":
            games = read_games(content.decode("utf-8", errors="replace"), asked.source)
            return [*record_lines(games)], asked.source
        return content.decode("utf-8", errors="surrogateescape").splitlines(), asked.source
    if path.suffix.lower() in (".jsonl", ".durak"):
        raise UnusableInputError(f"expected a record or a game in notation, got no file {asked.source}; check the path")
    with ExitStack() as parts:
        matches = open_matches(parts, asked.store)
        about, _ = matches.about(asked.source)
        if not about["ended"]:
            raise UnusableInputError(
                f"expected a match that has ended, got {asked.source}, which goes on; analyse it when it is over"
            )
        return [as_line(line) for line in matches.record(asked.source)], f"match {asked.source}"


def matches_of(lines: Sequence[str], name: str, seed: int) -> Iterator[AnalysedMatch]:
    """Return each match of a record with its decisions."""
    header: Header | None = None
    first, events = 1, list[tuple[int, TableEvent]]()
    for number, entry in read_record(lines, name):
        if isinstance(entry, Header):
            if header is not None:
                yield header, cases_of_match(header, events, first, seed)
            header, first, events = entry, number, []
        else:
            events.append((number, entry))
    assert header is not None, "a record has a header"
    yield header, cases_of_match(header, events, first, seed)


def _rated_matches(
    matches: Sequence[AnalysedMatch], asked: AnalyseOptions, stored: StoredRatings
) -> Iterator[list[Mapping[str, Any]]]:
    """Return the lines of each match in their order."""
    counted = [(case, place) for place, case in enumerate(case for _, cases in matches for case in cases)]
    left = [(case, place) for case, place in counted if place not in stored.lines]
    progress = Progress(len(left))
    first = 0
    ending = iter(_as_they_come(left, asked))
    for _, cases in matches:
        places = range(first, first + len(cases))
        while any(place not in stored.lines for place in places):
            place, line = next(ending)
            try:
                stored.keep(place, line)
            except OSError as error:  # only the continuation after a stop is lost
                note(
                    f"The operating system refused: the ratings are not stored ({error.strerror}); the analysis goes on"
                )
            progress.more()
        yield [stored.lines[place] for place in places]
        first += len(cases)


def _line_of(case: DecisionCase, playouts: int | None, seed: int) -> dict[str, Any]:
    return rated(case, playouts or PLAYOUTS, seed).as_json()


def _as_they_come(
    left: Sequence[tuple[DecisionCase, int]], asked: AnalyseOptions
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the lines of these decisions with their positions: rated here, on several processors, or on a cluster."""
    if asked.dask is not None:
        with ExitStack() as parts:
            submit = client_of(parts, asked.dask).submit
            jobs = [(place, submit(_line_of, case, asked.playouts, asked.seed, pure=False)) for case, place in left]
            for place, job in jobs:
                try:
                    yield place, job.result()
                except Exception as error:  # any failure of a worker
                    raise KozyrError(
                        f"Internal error: a worker could not rate decision {place}: {one_line(error)}; please report it"
                    ) from None
    elif asked.workers == 1 or len(left) < 2:
        for case, place in left:
            yield place, _line_of(case, asked.playouts, asked.seed)
    else:
        with ProcessPoolExecutor(asked.workers, mp_context=get_context("spawn")) as pool:
            jobs = [(place, pool.submit(_line_of, case, asked.playouts, asked.seed)) for case, place in left]
            for place, job in jobs:
                yield place, job.result()


class Progress:
    def __init__(self, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._count, self._clock = count, clock
        self._done, self._began = 0, clock()
        self._printed_s = self._began

    def more(self) -> None:
        self._done += 1
        now = self._clock()
        if now - self._printed_s < PROGRESS_EVERY_S and self._done < self._count:
            return
        self._printed_s = now
        left_s = (now - self._began) / self._done * (self._count - self._done)
        note(f"{self._done} of {self._count} decisions, {left_s:.0f} s left")


def in_words(line: Mapping[str, Any], language: str = LANGUAGES[0]) -> str:
    """
    Format an analysis line for people.

    >>> in_words({"seat": "B", "decisions": 21, "mean_loss": 0.03, "worst": [17, 40]})
    'B: 21 decisions, 3.0 % lost a decision; worst on lines 17, 40'
    """
    if "seat" in line:
        worst = f"; worst on lines {', '.join(map(str, line['worst']))}" if line["worst"] else ""
        return f"{line['seat']}: {line['decisions']} decisions, {100 * line['mean_loss']:.1f} % lost a decision{worst}"
    text = f"{line['line']:4}  {line['by']}: {line['played']}, fool with {100 * line['chance']:.0f} %"
    if line["loss"] >= 0.005:
        text += f"; best {line['best']} with {100 * line['best_chance']:.0f} %"
    return f"{text}. {why_sentence(line['why'], language)}" if "why" in line else text

"""`kozyr matches rejudge`: a kept match judged again, and what came out differently, ruling by ruling."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from referee.record import Header
from vision.capture.film_file import Film
from vision.capture.film_source import FilmSource
from vision.geometry.zones import NOTHING_SAID
from webapp.commands.match_header import Wishes, header_for
from webapp.commands.match_parts import players, spoken
from webapp.errors import UnusableInputError
from webapp.live.comparison import called, compared, standing_rulings
from webapp.live.rejudging import WithStatements, judged_from_record, read_kept, statements
from webapp.live.review_loop import review
from webapp.output import note, say_json, say_text
from webapp.store.matches import Matches

Line = Mapping[str, Any]
Progress = Callable[[float], None]
NEXT_FRAME_S = 1.0
"""A call is of what the film shows where a frame is as near as this. Longer compares calls over a gap in the film that
nothing could find again; shorter leaves out those of a slow film. Set by hand, 2026-11."""


@dataclass(frozen=True, slots=True)
class Rejudging:
    """
    What is asked: ``from_film`` as today's eye sees it, else the record; other ``rules`` and ``options``; by which
    ``weights`` and ``deck``; in which ``language`` it is said.
    """

    match: str
    from_film: bool = False
    rules: str | None = None
    options: tuple[tuple[str, Any], ...] = ()
    weights: Path | None = None
    deck: str | None = None
    language: str = "en"


def rejudged(matches: Matches, asked: Rejudging, progress: Progress = lambda share: None) -> dict[str, Any]:
    """
    What came out: ``changes`` (``was``, ``now``, ``change`` for each ruling), and a ``summary``.

    ``unfilmed`` of the summary counts rulings of what the film does not show, which are not compared.

    ``UnusableInputError`` where match or film is not there, ``RefereeError`` where it can't be judged so.
    """
    shown = matches.show(asked.match)
    header, events = read_kept(matches.record(asked.match), f"match {asked.match}")
    wishes = Wishes(rules=asked.rules, options=asked.options)
    now_header = header if wishes == Wishes() else _changed(header, wishes, asked.match)
    was = _in_language(standing_rulings(shown), judged_from_record(header, events, asked.language))
    unfilmed = 0
    if asked.from_film:
        film = _film_of(matches, asked.match)
        lines = list(_by_film(film, asked, now_header, statements(header, events), progress))
        filmed = [each for each in was if is_filmed(film, each.get("at") or 0.0)]
        unfilmed, was = len(was) - len(filmed), filmed
    else:
        lines = list(judged_from_record(now_header, events, asked.language))
    progress(1.0)
    changes = compared(was, standing_rulings(lines), by_line=not asked.from_film)
    about, _ = matches.about(asked.match)
    counts = Counter(change.kind for change in changes)
    summary = {
        "match": asked.match,
        "from": "film" if asked.from_film else "record",
        "rules": now_header.rules,
        **{kind: counts[kind] for kind in ("same", "gone", "new", "changed")},
        "unfilmed": unfilmed,
        "result": {"was": about["result"], "now": lines[-1]["summary"]["result"]},
    }
    return {"changes": [change.as_json() for change in changes], "summary": summary}


def _changed(header: Header, wishes: Wishes, match: str) -> Header:
    """The header as it is asked for; who told the record stays."""
    values = dict(header.as_json())
    if wishes.rules is not None:
        values.pop("options", None)
    made = header_for(wishes, (f"match {match}", values))
    return Header.parse({**made.as_json(), "witness": header.witness})


def _film_of(matches: Matches, match: str) -> Film:
    film = None if matches.films is None else matches.films.film(match)
    if film is None:
        raise UnusableInputError(f"expected a film of match {match}, found none (any more); judge it from its record")
    return film


def is_filmed(film: Film, at_s: float) -> bool:
    """Does the film show a second of the match? It may have begun late, been turned off for a while, or been cut."""
    return bool(np.abs(film.frames_s - at_s).min(initial=np.inf) <= NEXT_FRAME_S)


def _by_film(film: Film, asked: Rejudging, header: Header, said: Sequence[Any], progress: Progress) -> Iterator[Line]:
    parts = argparse.Namespace(weights=asked.weights, deck=asked.deck, language=asked.language)
    with FilmSource(film, f"the film of match {asked.match}") as source:
        eye, match = players(source, header, None, parts, NOTHING_SAID)
        count = max(1, source.frame_count or 1)

        def counted() -> Iterator[Any]:
            for frame in source:
                progress(frame.number / count)
                yield frame

        yield from review(counted(), WithStatements(eye, said), match, time.monotonic, frame_s=1 / source.fps)
        for sentence in source.notes:
            note(sentence)


def _in_language(was: Sequence[Line], lines: Iterator[Line]) -> list[Line]:
    """What was said then in the words of a language, where the referee still says it."""
    words = {(line["line"], *called(line)): line["text"] for line in standing_rulings(list(lines))}
    return [{**each, "text": words.get((each["line"], *called(each)), each["text"])} for each in was]


def tell_rejudged(matches: Matches, arguments: argparse.Namespace) -> None:
    """Say what came out differently; with ``--json`` every ruling."""
    asked = Rejudging(
        arguments.match,
        arguments.from_film,
        arguments.rules,
        tuple(arguments.options),
        arguments.weights,
        arguments.deck,
        arguments.language,
    )
    told = Tenths()
    found = rejudged(matches, asked, told if asked.from_film else lambda share: None)
    summary = found["summary"]
    if arguments.json:
        for change in found["changes"]:
            say_json(change)
        say_json({"summary": summary})
        return
    for change in found["changes"]:
        if change["change"] != "same":
            for sentence in in_words(change):
                say_text(sentence)
    counts = ", ".join(f"{summary[kind]} {kind}" for kind in ("same", "changed", "gone", "new"))
    rest = f"; {summary['unfilmed']} calls are of what no film shows" if summary["unfilmed"] else ""
    say_text(f"{asked.match}, judged from its {summary['from']} by {summary['rules']}: {counts}{rest}")


class Tenths:
    """Says on standard error how far it is, at every tenth."""

    def __init__(self) -> None:
        self._told = 0

    def __call__(self, share: float) -> None:
        """So much of 1 is done."""
        if int(share * 10) > self._told:
            self._told = int(share * 10)
            note(f"{10 * self._told} %")


def in_words(change: Mapping[str, Any]) -> Iterator[str]:
    """
    A change for people: what was said with ``-``, what is said now with ``+``.

    >>> ruling = {"line": 4, "at": 12.0, "ruling": "illegal", "text": "No king lies on the table."}
    >>> list(in_words({"change": "gone", "was": ruling, "now": None}))
    ['- 0:12  ! No king lies on the table.']
    """
    for sign, ruling in (("-", change["was"]), ("+", change["now"])):
        if ruling is not None:
            yield f"{sign}{spoken(ruling)}"

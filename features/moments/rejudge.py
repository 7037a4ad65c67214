"""`kozyr matches rejudge`: judge a stored match again, and compare its rulings one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np

from features.moments.comparison import compared
from features.moments.options import RejudgedMatchOptions, RejudgeOptions
from referee.record import Header
from vision.capture.film_file import Film, FilmSource
from webapp.commands.line_printer import readable
from webapp.commands.match_header import HeaderOptions, header_for
from webapp.errors import UnusableInputError
from webapp.live.background_jobs import JobTools
from webapp.live.match_files import open_matches
from webapp.live.match_options import MatchOptions
from webapp.live.review_loop import review
from webapp.live.session import MatchSession
from webapp.match.log import MatchLog, judged
from webapp.match.stored_matches import compared_content, rulings_then, statements
from webapp.output import note, say_json, say_text
from webapp.store.matches import Matches

Line = Mapping[str, Any]
Progress = Callable[[float], None]
NEXT_FRAME_S = 1.0
"""A call is of what the film shows where a frame is as near as this. Longer compares calls over a gap in the film that
nothing could find again; shorter leaves out those of a slow film. Set by hand, 2026-11."""


def run(options: RejudgedMatchOptions) -> int:
    with ExitStack() as parts:
        matches = open_matches(parts, options.stored.store, options.stored.films)
        print_rejudged(matches, options.asked, as_json=options.stored.as_json)
    return 0


def rejudge_stored(tools: JobTools, match: str, request: RejudgeOptions) -> dict[str, Any]:
    """Judge a match again as a page asks for it (``RejudgeOptions``, without match and networks), in the background."""
    return rejudged(tools.matches, replace(request, match=match, detector=tools.detector), tools.report)


def rejudged(matches: Matches, asked: RejudgeOptions, progress: Progress = lambda share: None) -> dict[str, Any]:
    """
    Judge a stored match again; return its ``changes`` (``was``, ``now``, ``change`` for each ruling) and a ``summary``.

    ``unfilmed`` of the summary counts rulings of what the film does not show, which are not compared.

    ``UnusableInputError`` where match or film is not there, ``RefereeError`` where it can't be judged so.
    """
    shown = matches.show(asked.match)
    record, name = matches.record(asked.match), f"match {asked.match}"
    header = Header.parse(record[0])
    options = HeaderOptions(rules=asked.rules, options=asked.options)
    now_header = header if options == HeaderOptions() else _changed(header, options, asked.match)
    was, now, unfilmed = rulings_then(shown), judged(record, has_ended=True, name=name), 0
    texts = {(ruling["line"], *compared_content(ruling)): ruling["text"] for ruling in now.view.ruled(asked.language)}
    was = [{**ruling, "text": texts.get((ruling["line"], *compared_content(ruling)), ruling["text"])} for ruling in was]
    if asked.from_film:
        film = None if matches.films is None else matches.films.film(asked.match)
        if film is None:
            raise UnusableInputError(
                f"expected a film of match {asked.match}, found none (any more); judge it from its record"
            )
        now = _by_film(film, asked, now_header, statements(now), progress)
        # The film may begin late, have a gap, or end early.
        shown_s = np.append(film.frames_s, -np.inf)
        filmed = [ruling for ruling in was if np.abs(shown_s - (ruling.get("at") or 0.0)).min() <= NEXT_FRAME_S]
        unfilmed, was = len(was) - len(filmed), filmed
    elif now_header != header:
        now = judged(record, has_ended=True, match=MatchLog(now_header), name=name)
    progress(1.0)
    changes = compared(was, now.view.ruled(asked.language), by_line=not asked.from_film)
    about, _ = matches.about(asked.match)
    counts = Counter(change["change"] for change in changes)
    summary = {
        "match": asked.match,
        "from": "film" if asked.from_film else "record",
        "rules": now_header.rules,
        **{kind: counts[kind] for kind in ("same", "gone", "new", "changed")},
        "unfilmed": unfilmed,
        "result": {"was": about["result"], "now": now.result},
    }
    return {"changes": changes, "summary": summary}


def _changed(header: Header, options: HeaderOptions, match: str) -> Header:
    """Return the header with these options; the source of the record stays the same."""
    values = dict(header.as_json())
    if options.rules is not None:
        values.pop("options", None)
    made = header_for(options, (f"match {match}", values))
    return Header.parse({**made.as_json(), "witness": header.witness})


def _by_film(film: Film, asked: RejudgeOptions, header: Header, pressed: Sequence[Any], progress: Progress) -> MatchLog:
    name = f"the film of match {asked.match}"
    options = MatchOptions(name, header, asked.language, asked.detector, is_replay=True)
    with FilmSource(film, name) as source, MatchSession.open(options, source=source, statements=pressed) as session:
        count = max(1, source.frame_count or 1)
        for _ in review(session, source, lambda: 0.0, notice=lambda frame: progress(frame.number / count)):
            pass
        for sentence in source.notes:
            note(sentence)
        assert isinstance(session.match, MatchLog), "a film is no row of single pictures"
        return session.match


def print_rejudged(matches: Matches, asked: RejudgeOptions, *, as_json: bool) -> None:
    found = rejudged(matches, asked, Tenths() if asked.from_film else lambda share: None)
    summary = found["summary"]
    if as_json:
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
    def __init__(self) -> None:
        self._printed = 0

    def __call__(self, share: float) -> None:
        if int(share * 10) > self._printed:
            self._printed = int(share * 10)
            note(f"{10 * self._printed} %")


def in_words(change: Mapping[str, Any]) -> Iterator[str]:
    """
    Yield a change as lines for people: the ruling before with ``-``, the ruling now with ``+``.

    >>> ruling = {"line": 4, "at": 12.0, "ruling": "illegal", "text": "No king lies on the table."}
    >>> list(in_words({"change": "gone", "was": ruling, "now": None}))
    ['- 0:12  ! No king lies on the table.']
    """
    for sign, ruling in (("-", change["was"]), ("+", change["now"])):
        if ruling is not None:
            yield f"{sign}{readable(ruling)}"

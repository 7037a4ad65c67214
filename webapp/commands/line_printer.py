"""Print the lines of a match, and notes about its record, film and store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from referee.events import HEAP
from vision.capture.sources import Source
from webapp.errors import OutputLostError
from webapp.live.board import TableWarning
from webapp.live.film_recorder import FilmRecorder
from webapp.output import note, say_json, say_text
from webapp.text.catalogue import LANGUAGES, page_words
from webapp.text.present import clock


class WarningNotes:
    """Prints each warning once on standard error, and when record or store work again."""

    def __init__(self) -> None:
        self.printed: frozenset[str] = frozenset()

    def print(self, warnings: tuple[TableWarning, ...]) -> None:
        for warning in warnings:
            if warning.about not in self.printed:
                note(warning.text)
        now = frozenset(warning.about for warning in warnings)
        for about in sorted({"record", "store"} & (self.printed - now)):
            note(f"the {about} goes on; nothing of it is lost")
        self.printed = now


def close_film(film: FilmRecorder, *, is_warned: bool) -> None:
    film.close()
    if film.trouble is not None and not is_warned:
        note(film.trouble)
    lacks, frames = film.recorded.dropped, film.recorded.dropped + film.recorded.written
    if lacks:
        note(f"the film lacks {lacks} of {frames} frames: this machine is too slow for all")


class LinePrinter:
    """
    Prints lines on standard output: as JSON, else the sentences for people, without notes, in ``language``.

    The line of a sweep comes before the rulings that it settles, on plays before it; its sentence is printed after
    them.
    """

    def __init__(self, as_json: bool, language: str = LANGUAGES[0]) -> None:
        self._as_json, self._words = as_json, page_words(language)
        self._sweep: Mapping[str, Any] | None = None

    def __call__(self, line: Mapping[str, Any]) -> None:
        if self._as_json:
            say_json(line)
            return
        if self._sweep is not None:
            swept_at, at = self._sweep.get("at"), line.get("at")
            if swept_at is None or at is None or at >= swept_at:
                self._say_sweep()
        if "text" in line and (line.get("ruling") != "unclear" or "question" in line):
            say_text(readable(line))
        elif line.get("event") == "swept":
            self._sweep = line
        elif "summary" in line:
            say_text(figures(line["summary"]))

    def all(self, lines: tuple[Mapping[str, Any], ...]) -> None:
        for line in lines:
            self(line)
        self._say_sweep()

    def _say_sweep(self) -> None:
        if (line := self._sweep) is not None:
            self._sweep = None
            goes = "swept_heap" if line["to"] == HEAP else "swept_seat"
            say_text(readable(line, self._words[goes].format(who=line["to"])))


class LivePrinter(LinePrinter):
    """
    Prints the lines of a game that people play. Where standard output can't be written, the printer notes that once
    and prints nothing more; the game goes on. ``is_lost``: has that happened?
    """

    def __init__(self, as_json: bool, language: str = LANGUAGES[0]) -> None:
        super().__init__(as_json, language)
        self.is_lost = False

    def __call__(self, line: Mapping[str, Any]) -> None:
        self._trying(super().__call__, line)

    def all(self, lines: tuple[Mapping[str, Any], ...]) -> None:
        self._trying(super().all, lines)

    def _trying(self, printed: Callable[[Any], None], what: Any) -> None:
        try:
            if not self.is_lost:
                printed(what)
        except OutputLostError:
            self.is_lost = True
            note("no more lines fit on standard output; the game goes on, the page and the kept match lack nothing")


def readable(line: Mapping[str, Any], text: str | None = None) -> str:
    """
    Return a line for people: its own text or ``text``, with the time and the mark of a ruling.

    >>> readable({"line": 4, "at": 75.25, "ruling": "illegal", "text": "No king lies on the table."})
    ' 1:15  ! No king lies on the table.'
    """
    at_s = line.get("at")
    at = f"{'' if at_s is None else clock(at_s):>5}"
    mark = {"illegal": "!", "impossible": "?", "unclear": "?"}.get(line.get("ruling", ""), " ")
    return f"{at}  {mark} {line['text'] if text is None else text}"


def figures(summary: Mapping[str, Any]) -> str:
    """
    Return the summary as a line for people.

    >>> figures({"frames": 50, "seconds_of_clip": 2.0, "seconds_taken": 1.0, "rulings": {"legal": 3, "illegal": 0}})
    '50 frames, 2.0 s of play in 1.0 s; plays: 3 legal, 0 illegal'
    >>> figures({"frames": 50, "seconds_of_clip": 2.0, "seconds_taken": 1.0, "rulings": {"legal": 3, "unclear": 2}})
    '50 frames, 2.0 s of play in 1.0 s; plays: 3 legal; 2 uncertain, asked about where an answer matters'
    """
    rulings = dict(summary["rulings"])
    uncertain = rulings.pop("unclear", 0)
    plays = ", ".join(f"{count} {kind}" for kind, count in rulings.items() if count or kind in ("legal", "illegal"))
    more = f"; {uncertain} uncertain, asked about where an answer matters" if uncertain else ""
    return (
        f"{summary['frames']} frames, {summary['seconds_of_clip']:.1f} s of play in {summary['seconds_taken']:.1f} s; "
        f"plays: {plays}{more}"
    )


def print_notes(source: Source) -> int:
    for sentence in source.notes:
        note(sentence)
    return 1 if source.notes else 0

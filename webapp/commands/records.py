"""
``kozyr referee RECORD`` and ``kozyr rules [NAME]``: the referee without a camera.

The referee's errors become one sentence on standard error: ``FILE:LINE: expected ..., got ...``. A record is judged
line by line as it comes, so a pipe may feed it live.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, BinaryIO, TextIO

from referee.errors import RecordError, RefereeError, RulebookError
from referee.events import TableEvent, is_same_play
from referee.game import GameState
from referee.match_judge import MatchJudge
from referee.record import Header, read_record
from referee.rulebook import OPTIONS, PRESETS, rulebook
from referee.rulings import Ruling
from referee.said import Said, in_order
from webapp.errors import UnusableInputError, WrongCallError
from webapp.text.present import LANGUAGES, explain, say

Parsers = Any
"""What ``ArgumentParser.add_subparsers`` gives back; its class is private to argparse."""


def add_referee_parser(subparsers: Parsers) -> argparse.ArgumentParser:
    """The command line of ``kozyr referee``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("referee", help="judge a match record")
    parser.add_argument("record", metavar="RECORD", help="a record (JSONL); - is standard input")
    parser.add_argument("--states", action="store_true", help="the position after each event as well")
    parser.add_argument("--rules", metavar="NAME", help="judge by this rule set instead of the record's")
    _add_common_options(parser)
    return parser


def add_rules_parser(subparsers: Parsers) -> argparse.ArgumentParser:
    """The command line of ``kozyr rules``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("rules", help="rule sets, their options and values")
    parser.add_argument("name", metavar="NAME", nargs="?", help="one rule set only")
    _add_common_options(parser)
    return parser


def _add_common_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0], help="language of the sentences")
    parser.add_argument(
        "--set",
        dest="options",
        action="append",
        default=[],
        metavar="OPTION=VALUE",
        help="one option of the rule set; may be repeated",
    )


def run_referee(arguments: argparse.Namespace) -> int:
    """Judge the record; the exit status. What can't be used ends it, with the rulings up to there."""
    asked = _Asked.of(arguments)
    name = arguments.record
    writer = _Writer(sys.stdout, arguments.json, arguments.states, asked.language)
    with _opened(name) as lines:
        try:
            judge_record(lines, name, writer, asked)
        except RecordError as error:
            sys.stdout.flush()
            sys.stderr.write(f"{error}\n")
            return 1
    return 0


def judge_record(lines: Iterable[bytes | str], name: str, writer: _Writer, asked: _Asked) -> None:
    """
    Judge every match of a stream.

    :class:`RecordError` at the first line that can't be used; what was still undecided is said before.
    """
    judge: MatchJudge | None = None
    line = 0
    try:
        for line, event, following in _with_next(read_record(lines, name)):
            if isinstance(event, Header):
                if judge is not None:
                    writer.said(judge.finish())
                judge = MatchJudge(asked.header(event), line)
                writer.said(judge.opening)
                continue
            assert judge is not None
            writer.times[line] = event.at
            said = judge.feed(line, event)
            if judge.is_withholding and not is_same_play(event, following()):
                said = in_order((*said, *judge.settle()))
            writer.said(said)
            writer.state(line, judge.state)
    except RefereeError as error:
        text = str(error)
        raise RecordError(text if text.startswith(f"{name}:") else f"{name}:{line}: {text}") from None
    finally:
        if judge is not None:
            writer.said(judge.finish())


def _with_next(entries: Iterator[tuple[int, Header | TableEvent]]) -> Iterator[tuple[int, Any, Any]]:
    """Each entry with a way to look at the one after it. Only who looks waits for it: a live pipe may be slow."""
    waiting: list[tuple[int, Header | TableEvent]] = []
    failed: list[RecordError] = []

    def peek() -> Header | TableEvent | None:
        if not waiting and not failed:
            try:
                waiting.extend(entry for entry in [next(entries, None)] if entry is not None)
            except RecordError as error:
                failed.append(error)
        return waiting[0][1] if waiting else None

    while True:
        if failed:
            raise failed[0]
        entry = waiting.pop() if waiting else next(entries, None)
        if entry is None:
            return
        yield entry[0], entry[1], peek


class _Asked:
    """What the command line asks beyond the record: other rules, other options, a language."""

    def __init__(self, rules: str | None, options: Mapping[str, Any], language: str) -> None:
        self.rules, self.options, self.language = rules, options, language

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> _Asked:
        """Read and check; an unknown rule set or option here is a wrong call."""
        options = dict(_option(each) for each in getattr(arguments, "options", ()))
        asked = cls(getattr(arguments, "rules", None), options, getattr(arguments, "language", LANGUAGES[0]))
        try:
            if asked.rules is not None:
                rulebook(asked.rules, options)
            for name, value in options.items():
                if name not in OPTIONS or not OPTIONS[name].allows(value):
                    rulebook("podkidnoy-36", {name: value})
        except RulebookError as error:
            raise WrongCallError(str(error)) from None
        return asked

    def header(self, header: Header) -> Header:
        """The record's header, with what the command line changes."""
        if self.rules is not None:
            header = replace(header, rules=self.rules, options={})
        return replace(header, options={**header.options, **self.options}) if self.options else header


def _option(given: str | tuple[str, Any]) -> tuple[str, Any]:
    """``OPTION=VALUE``, or the pair it has been read as already; the value is JSON where it is JSON, else a word."""
    if isinstance(given, tuple):
        return given
    name, equals, value = given.partition("=")
    if not name or not equals or not value:
        raise WrongCallError(f"expected OPTION=VALUE such as transfer=true, got {given!r}")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


class _Writer:
    """Writes rulings, announcements and states, as JSON or as readable lines. ``times``: of the record's lines."""

    def __init__(self, out: TextIO, as_json: bool, states: bool, language: str) -> None:
        self.out, self.as_json, self.states, self.language = out, as_json, states, language
        self.times: dict[int, float] = {}

    def said(self, said: Iterable[Said]) -> None:
        """One line for each ruling, announcement and withdrawal."""
        for each in said:
            data = each.as_json()
            line = data["line"]
            text, at = say(each.what, self.language), self.times.get(line)
            if self.as_json:
                when = {} if at is None else {"at": at}
                self._line({"line": line, **when, **data, "text": text})
            else:
                clock = "" if at is None else f"{at:8.1f} s  "
                mark = f"[{each.what.verdict}] " if isinstance(each.what, Ruling) else ""
                of = "" if each.anew is None else f"(of line {each.line}) "
                self.out.write(f"{line:5}  {clock}{mark}{of}{text}\n")
        self.out.flush()

    def state(self, line: int, state: GameState) -> None:
        """The position after an event line."""
        if not self.states:
            return
        position = state.as_json()
        if self.as_json:
            self._line({"line": line, "state": position})
        else:
            self.out.write(f"{line:5}  {json.dumps(position, ensure_ascii=False)}\n")
        self.out.flush()

    def _line(self, data: Mapping[str, Any]) -> None:
        self.out.write(json.dumps(data, ensure_ascii=True) + "\n")


def _opened(name: str) -> Any:
    """The record's lines as bytes, from a file or standard input."""
    if name == "-":
        source: BinaryIO | TextIO = getattr(sys.stdin, "buffer", sys.stdin)
        return nullcontext(source)
    try:
        return open(name, "rb")
    except OSError as error:
        raise UnusableInputError(
            f"expected a record that can be read, got {name}: {error.strerror}; check the path"
        ) from None


def run_rules(arguments: argparse.Namespace) -> int:
    """List the rule sets and options, or one rule set; the exit status."""
    asked = _Asked.of(arguments)
    out = sys.stdout
    if arguments.name is None:
        for name in PRESETS:
            _write_preset(name, {}, arguments.json, out)
        for option in OPTIONS.values():
            if arguments.json:
                data = {
                    "option": option.name,
                    "values": list(option.values),
                    "default": option.default,
                    "any_count": option.counts,
                    "meaning": option.meaning,
                }
                out.write(json.dumps(data) + "\n")
            else:
                out.write(f"{option.name}: {option.expected}; {option.meaning}\n")
        return 0
    try:
        rules = rulebook(arguments.name, asked.options)
        rules.players()
    except RulebookError as error:
        raise WrongCallError(str(error)) from None
    if arguments.json:
        _write_preset(arguments.name, asked.options, True, out, say_all=asked.language)
    else:
        _write_preset(arguments.name, asked.options, False, out)
        for sentence in explain(rules, asked.language):
            out.write(f"  {sentence}\n")
    return 0


def _write_preset(
    name: str, options: Mapping[str, Any], as_json: bool, out: TextIO, say_all: str | None = None
) -> None:
    preset, rules = PRESETS[name], rulebook(name, options)
    if not as_json:
        fits = rules.players()
        players = f"{fits[0]}" if len(fits) == 1 else f"{fits[0]}-{fits[-1]}"
        out.write(f"{name} ({players} players)\n")
        return
    data: dict[str, Any] = {
        "rules": name,
        "players": list(rules.players()),
        "differs": {**preset.differs, **options},
        "options": rules.as_json(),
    }
    if say_all is not None:
        data["text"] = explain(rules, say_all)
    out.write(json.dumps(data) + "\n")

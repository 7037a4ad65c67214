"""
Run `kozyr referee RECORD`: judge a record without a camera.

The referee's errors become one sentence on standard error: ``FILE:LINE: expected ..., got ...``. A record is judged
line by line as it comes, so a pipe may feed it live.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from typing import Any, TextIO

from referee.errors import RecordError, RefereeError
from referee.events import TableEvent, is_same_play
from referee.game import GameState
from referee.match_judge import MatchJudge
from referee.record import Header, read_record
from referee.rulings import Message, in_order
from webapp.commands.options import RefereeOptions, RuleOptions
from webapp.errors import UnusableInputError
from webapp.match.view import Call
from webapp.text_input import limited_lines


def run(options: RefereeOptions) -> int:
    asked = options.rules
    asked.check()
    name = options.record
    writer = RulingWriter(sys.stdout, asked.as_json, options.with_states, asked.language)
    try:
        opened: Any = nullcontext(getattr(sys.stdin, "buffer", sys.stdin)) if name == "-" else open(name, "rb")  # noqa: SIM115
    except OSError as error:
        raise UnusableInputError(
            f"expected a record that can be read, got {name}: {error.strerror}; check the path"
        ) from None
    with opened as file:
        try:
            judge_record(limited_lines(file, name), name, writer, asked)
        except RecordError as error:
            sys.stdout.flush()
            sys.stderr.write(f"{error}\n")
            return 1
    return 0


def judge_record(lines: Iterable[bytes | str], name: str, writer: RulingWriter, asked: RuleOptions) -> None:
    """
    Judge every match of a stream.

    :class:`RecordError` at the first line that can't be used; what was still undecided is printed before.
    """
    judge: MatchJudge | None = None
    line = 0
    try:
        for line, event, following in _with_next(read_record(lines, name)):
            if isinstance(event, Header):
                if judge is not None:
                    writer.write(judge.finish())
                judge = MatchJudge(asked.header(event), line)
                writer.write(judge.opening)
                continue
            assert judge is not None
            writer.times[line] = event.at
            messages = judge.apply(line, event)
            if judge.holds_back_ruling and not is_same_play(event, following()):
                messages = in_order((*messages, *judge.end_play()))
            writer.write(messages)
            writer.state(line, judge.state)
    except RefereeError as error:
        text = str(error)
        raise RecordError(text if text.startswith(f"{name}:") else f"{name}:{line}: {text}") from None
    finally:
        if judge is not None:
            writer.write(judge.finish())


def _with_next(entries: Iterator[tuple[int, Header | TableEvent]]) -> Iterator[tuple[int, Any, Any]]:
    """Yield each entry with a function that returns the next one. Only a call waits for it: a live pipe may be slow."""
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


class RulingWriter:
    """Writes rulings, announcements and states as JSON or as readable lines."""

    def __init__(self, out: TextIO, as_json: bool, states: bool, language: str) -> None:
        self.out, self.as_json, self.states, self.language = out, as_json, states, language
        self.times: dict[int, float] = {}

    def write(self, messages: Iterable[Message]) -> None:
        for message in messages:
            said = Call.of(message, self.times).as_line(self.language, self.times)
            if self.as_json:
                self._line(said)
            else:
                clock = f"{said['at']:8.1f} s  " if "at" in said else ""
                mark = f"[{said['ruling']}] " if "ruling" in said else ""
                of = "" if message.revised_by is None else f"(of line {message.line}) "
                self.out.write(f"{said['line']:5}  {clock}{mark}{of}{said['text']}\n")
        self.out.flush()

    def state(self, line: int, state: GameState) -> None:
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

"""
Judge a kept match again from its record, and find the presses to keep when its film is read again.

From the record every line stays as it is, with the corrections of people. From the film the pipeline reports all events
again; of the record only what people pressed is kept, at its times. With its analysis a record holds the
judgement of each play and, where it lost something, the best decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from referee.events import Pressed, TableEvent, is_same_play
from referee.match_judge import MatchJudge
from referee.messages import Message, in_order
from referee.record import Header, event_to_json, read_record
from webapp.live.live_match import summary_of
from webapp.output import as_line
from webapp.text.present import say


def read_kept(record: Sequence[Mapping[str, Any]], name: str) -> tuple[Header, tuple[TableEvent, ...]]:
    """Return header and events of a kept record; ``RecordError`` where it can't be used."""
    (_, header), *rest = read_record(map(as_line, record), name)
    assert isinstance(header, Header)
    return header, tuple(event for _, event in rest if not isinstance(event, Header))


def judged_from_record(header: Header, events: Sequence[TableEvent], language: str) -> Iterator[Mapping[str, Any]]:
    """
    Yield the lines of ``kozyr review`` for a record under this header, its summary last.

    ``RefereeError`` where the record can't be judged so, as with a pack that lacks its cards.
    """
    judge = MatchJudge(header)
    times: dict[int, float] = {}

    def lines_of(messages: Iterable[Message]) -> Iterator[Mapping[str, Any]]:
        for each in messages:
            data = each.as_json()
            at = {"at": times[data["line"]]} if data["line"] in times else {}
            yield {"line": data.pop("line"), **at, **data, "text": say(each.what, language)}

    yield header.as_json()
    yield from lines_of(judge.opening)
    for line, (event, following) in enumerate(zip_longest(events, events[1:]), start=2):
        times[line] = event.at
        messages = judge.apply(line, event)
        if judge.is_withholding and (following is None or not is_same_play(event, following)):
            messages = in_order((*messages, *judge.end_play()))
        yield event_to_json(event)
        yield from lines_of(messages)
    yield from lines_of(judge.finish())
    yield summary_of(judge.standing, judge.state.as_json()["result"], frames=0, seconds_of_clip=0.0, seconds_taken=0.0)


def statements(header: Header, events: Sequence[TableEvent]) -> tuple[Pressed, ...]:
    """Return people's presses, without those they withdrew and those that only corrected the record."""
    judge = MatchJudge(header)
    for line, event in enumerate(events, start=2):
        judge.apply(line, event)
    return tuple(
        each.event for each in judge.lines if isinstance(each.event, Pressed) and each.event.button not in ABOUT_RECORD
    )


ABOUT_RECORD = frozenset({"undo", "assign", "dismiss"})
"""Buttons that name lines or events of the old record; the pipeline's new record has other lines."""


MUCH = 0.1
"""A loss from which on a play is marked ``?``; as far ahead of the next best, it is marked ``!``. Chosen by hand."""
VERY_MUCH = 0.25
"""A loss from which on a play is marked ``??``. Chosen by hand."""


def judgement(decision: Mapping[str, Any]) -> str | None:
    """
    Return the sign of a decision as the analysis rated it; None where it deserves none.

    >>> judgement({"loss": 0.31}), judgement({"loss": 0.12}), judgement({"loss": 0, "ahead": 0.2})
    ('??', '?', '!')
    """
    if decision["loss"] >= VERY_MUCH:
        return "??"
    if decision["loss"] >= MUCH:
        return "?"
    return "!" if (decision.get("ahead") or 0) >= MUCH else None


def judged(record: Iterable[Mapping[str, Any]], decisions: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """
    Yield a record's lines, those that hold a decision with ``judgement``, ``best`` and ``best_line``. Of several
    decisions on one line, such as passes at a sweep, the one that cost most counts.
    """
    worst: dict[int, Mapping[str, Any]] = {}
    for each in decisions:
        known = worst.get(each["line"])
        if known is None or each["loss"] > known["loss"]:
            worst[each["line"]] = each
    for number, line in enumerate(record, start=1):
        sign = judgement(worst[number]) if number in worst else None
        if sign is None:
            yield dict(line)
        else:
            kept = () if sign == "!" else ("best", "best_line")
            yield {**line, "judgement": sign, **{key: worst[number][key] for key in kept if key in worst[number]}}

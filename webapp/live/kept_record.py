"""
Judge a kept match again from its record, and find the presses to keep when its film is read again.

From the record every line stays as it is, with the corrections of people. From the film the pipeline reports all events
again; of the record only what people pressed is kept, at its times. With its analysis a record holds the
judgement of each play and, where it lost something, the best decision.

The rulings that a match got are compared with those it gets now: each is the same, gone, new or changed. If both come
from one record, rulings are matched by line. If the vision pipeline has reread the film, line numbers differ, and a
ruling is matched by its play: the same cards at about the same time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from referee.events import HEAP, Corrected, Pressed, Swept, TableEvent
from referee.record import Header, event_from_json, event_to_json, read_record
from webapp.match.kept import ACCUSING
from webapp.match.log import MatchLog
from webapp.output import as_line
from webapp.store.evenings import MatchFacts
from webapp.store.matches import event_times

Line = Mapping[str, Any]


def read_kept(record: Sequence[Mapping[str, Any]], name: str) -> tuple[Header, tuple[TableEvent, ...]]:
    (_, header), *rest = read_record(map(as_line, record), name)
    assert isinstance(header, Header)
    return header, tuple(event for _, event in rest if not isinstance(event, Header))


def judged_again(header: Header, events: Sequence[TableEvent], language: str = "en") -> MatchLog:
    """Judge a record under this header; ``RefereeError`` if that is not possible, as with a pack that lacks cards."""
    match = MatchLog(header, language=language)
    match.read([header.as_json(), *map(event_to_json, events)], has_ended=True)
    return match


def statements(match: MatchLog) -> tuple[Pressed, ...]:
    """Return people's presses, without those they withdrew and those that only corrected the record."""
    return tuple(each for each in match.events if isinstance(each, Pressed) and each.button not in ABOUT_RECORD)


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


NEAR_S = 5.0
"""Seconds at most between two reports of one play. Longer mixes up a card that is laid again; shorter takes a play that
was reported late for two. Set by hand, 2026-11: a late play is reported within its bout."""
CALLED = ("ruling", "fault", "play", "cards", "by")
"""Keys by which two rulings are compared; probabilities and wording may differ."""


def called(ruling: Line) -> tuple[Any, ...]:
    """
    Return the content of a ruling that is compared.

    >>> called({"line": 4, "ruling": "legal", "play": "lead", "cards": ["7s"], "by": "A", "text": "..."})
    ('legal', None, 'lead', ('7s',), 'A')
    """
    values = (ruling.get(key) for key in CALLED)
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)


def rulings_then(lines: Sequence[Line]) -> list[Line]:
    """
    Return the rulings that the referee of that time gave and did not withdraw, from the lines that were kept: as
    ``View.ruled`` returns those of today's referee.
    """
    held: list[Line] = []
    times = event_times(lines)
    for line in lines:
        if "withdrawn" in line:
            gone = (line["of"], line["withdrawn"])
            held = [each for each in held if (each["line"], each.get("fault", "legal")) != gone]
        elif "ruling" in line:
            about = line.get("of", line["line"])
            if "of" in line:
                held = [each for each in held if each["line"] != about or each["said"] == line["line"]]
            if not any(each["line"] == about and called(each) == called(line) for each in held):
                held.append({**line, "line": about, "at": times.get(about), "said": line["line"]})
    plain = ({key: value for key, value in each.items() if key not in ("said", "of")} for each in held)
    return sorted(plain, key=lambda each: (_at_s(each), each["line"]))


def facts_then(lines: Sequence[Line]) -> MatchFacts:
    """
    Return the facts of a match from the lines that were kept, without judging it: takes as corrected, and the faults
    that the referee of that time called. ``RefereeError`` if a line can't be read.
    """
    record = [line for line in lines if "kozyr" in line or "event" in line]
    held = dict[int, TableEvent | None]()  # None: an event that makes no difference to the facts
    for number, line in enumerate(record[1:], start=2):
        event = event_from_json(line) if line.get("event") in ("swept", "corrected", "pressed") else None
        if isinstance(event, Pressed) and event.button == "undo":
            held.pop(event.of or max(held, default=0), None)
        else:
            held[number] = event
    events = dict[int, TableEvent | None]()
    for number, event in held.items():
        if not isinstance(event, Corrected):
            events[number] = event
        elif event.line is not None:
            events[event.line] = event.to
        else:
            events[number] = event.insert
    takes = Counter(event.to for event in events.values() if isinstance(event, Swept) and event.to != HEAP)
    faults: dict[str, Counter[str]] = {}
    for ruling in rulings_then(lines):
        if ruling["ruling"] in ACCUSING and ruling.get("by"):
            faults.setdefault(ruling["by"], Counter())[ruling["fault"]] += 1
    return MatchFacts(takes, faults)


def compared(was: Sequence[Line], now: Sequence[Line], *, by_line: bool) -> list[dict[str, Any]]:
    """
    Pair each ruling with its counterpart, in order of time: ``change`` (``same``, ``gone``, ``new`` or ``changed``),
    ``at`` (seconds), ``was`` and ``now``. ``by_line``: both are about the same record.
    """

    def is_one_play(one: Line, other: Line) -> bool:
        return bool(one["line"] == other["line"]) if by_line else _apart(one, other) <= NEAR_S

    def change(one: Line | None, other: Line | None) -> dict[str, Any]:
        kind = "same" if one and other and called(one) == called(other) else "changed"
        kind = "new" if one is None else "gone" if other is None else kind
        return {"change": kind, "at": _at_s(one or other or {}), "was": one, "now": other}

    fits: list[Callable[[Line, Line], bool]] = [lambda one, other: called(one) == called(other)]
    if by_line:
        fits.append(lambda one, other: True)
    else:
        fits.append(lambda one, other: one.get("cards") == other.get("cards"))
        # One seat made the same kind of play: the card was read as another.
        fits.append(lambda one, other: all(one.get(key) == other.get(key) for key in ("play", "by")))
    left, found = list(now), dict[int, Line]()
    for fit in fits:
        for place, ruling in enumerate(was):
            if place in found:
                continue
            candidates = [each for each in left if is_one_play(ruling, each) and fit(ruling, each)]
            if candidates:
                found[place] = min(candidates, key=lambda each: _apart(ruling, each))
                left = [each for each in left if each is not found[place]]
    changes = [change(ruling, found.get(place)) for place, ruling in enumerate(was)]
    return sorted((*changes, *(change(None, each) for each in left)), key=lambda each: float(each["at"]))


def _apart(one: Line, other: Line) -> float:
    return abs(_at_s(one) - _at_s(other))


def _at_s(ruling: Line) -> float:
    return float(ruling.get("at") or 0.0)

"""
Make records with one false event, and the correction of it.

    python -m tests.referee.falsified --games 5000 --seed 1
    python -m tests.referee.falsified --games 5000 --seed 1 --witness camera

After the correction the match must equal that of the true record; after its undo it must equal that of the falsified
record. The games are those of ``tests.referee.nightly``. A
camera's are their first lines (at most ``CAMERA_LINES``), played without mistakes: what holds after the correction must
also equal what a person's record of the same game gives. A difference is printed with the number of its game, and the
status is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from referee.cards import pack
from referee.events import Corrected, Placed, TableEvent, Tick, is_same_play
from referee.match_judge import MatchJudge
from referee.record import Header, event_from_json, event_to_json
from referee.rulebook import rulebook
from tests.referee.nightly import session_of

Line = Mapping[str, Any]


class Falsified(NamedTuple):
    """A ``record`` with one false event, its ``correction`` (without ``at``), its ``kind`` and ``what`` it is."""

    kind: str
    what: str
    record: tuple[Line, ...]
    correction: Line


def falsified(record: tuple[Line, ...], rng: random.Random) -> Falsified | None:
    """Return the record (header first) with one random event falsified; None where this draw is not possible."""
    places = standing(record)
    return rng.choice(LIES)(record, rng.choice(places), rng) if places else None


def standing(record: tuple[Line, ...]) -> list[int]:
    """Return the places of events that are not undone later, nor followed by an undo."""
    stack: list[int] = []
    for place, line in enumerate(record[1:], start=1):
        if line.get("button") == "undo":
            while stack and record[stack.pop()]["event"] in ("tick", "blocked"):
                pass
        else:
            stack.append(place)
    return [place for place in stack if place + 1 >= len(record) or record[place + 1].get("button") != "undo"]


def _with(record: tuple[Line, ...], place: int, what: str, **keys: Any) -> Falsified:
    true = record[place]
    lie = {**true, **keys}
    to = {key: value for key, value in true.items() if key != "at"}
    return Falsified(
        what,
        f"{what} of line {place + 1}: {lie}",
        (*record[:place], lie, *record[place + 1 :]),
        {"line": place + 1, "to": to},
    )


def _another_card(record: tuple[Line, ...], place: int, rng: random.Random) -> Falsified | None:
    """Record another name of a laid card, by which it goes until it is swept away."""
    true = record[place]
    if true["event"] != "placed":
        return None
    swept = next((k for k in range(place, len(record)) if record[k]["event"] == "swept"), len(record) - 1)
    named = {value for line in record[place : swept + 1] for value in _names_in(line)}
    names = sorted(set(map(str, pack(_pack(record)))) - named)
    pressed = any(line["event"] == "pressed" and "card" in line for line in record[place : swept + 1])
    again = any(line.get("card") == true["card"] for line in record[place + 1 : swept + 1] if line["event"] == "placed")
    if not names or pressed or again:
        return None
    found = _with(record, place, "card", card=rng.choice(names))
    lie = found.record[place]["card"]
    after = (_renamed(line, true["card"], lie) for line in record[place + 1 : swept + 1])
    return found._replace(record=(*found.record[: place + 1], *after, *record[swept + 1 :]))


def _names_in(line: Line) -> list[str]:
    return [name for name in (line.get("card"), line.get("on"), line.get("was"), *line.get("left", ())) if name]


def _renamed(line: Line, was: str, name: str) -> Line:
    swapped = {key: name for key in ("card", "on") if line.get(key) == was and line["event"] in ("placed", "lifted")}
    left = {"left": [name if card == was else card for card in line["left"]]} if "left" in line else {}
    return {**line, **swapped, **left}


def _another_seat(record: tuple[Line, ...], place: int, rng: random.Random) -> Falsified | None:
    true = record[place]
    if true["event"] not in ("placed", "drawn", "swapped") or true.get("by") is None:
        return None
    return _with(record, place, "seat", by=rng.choice([seat for seat in record[0]["seats"] if seat != true["by"]]))


def _another_count(record: tuple[Line, ...], place: int, rng: random.Random) -> Falsified | None:
    true = record[place]
    if true["event"] != "drawn":
        return None
    return _with(record, place, "count", count=rng.choice([c for c in (1, 2, 3, 4) if c != true.get("count", 1)]))


def _elsewhere(record: tuple[Line, ...], place: int, rng: random.Random) -> Falsified | None:
    true = record[place]
    if true["event"] != "swept":
        return None
    return _with(
        record, place, "place", to=rng.choice([to for to in ("heap", *record[0]["seats"]) if to != true["to"]])
    )


def _missed(record: tuple[Line, ...], place: int, rng: random.Random) -> Falsified | None:
    true = record[place]
    if place - 1 not in (0, *standing(record)):
        return None  # what came before it was undone, so that it has no place
    record_without = (*record[:place], *record[place + 1 :])
    return Falsified("missed", f"line {place + 1} missed: {true}", record_without, {"after": place, "insert": true})


def _phantom(record: tuple[Line, ...], place: int, rng: random.Random) -> Falsified | None:
    cards = sorted(map(str, pack(_pack(record))))
    lie = {
        "at": record[place]["at"],
        "event": "placed",
        "card": rng.choice(cards),
        "by": rng.choice(record[0]["seats"]),
    }
    following = record[place + 1] if place + 1 < len(record) else None
    if any(
        line is not None and (line["at"], line.get("by")) == (lie["at"], lie["by"])
        for line in (record[place], following)
    ):
        return None  # it would be one play with that
    return Falsified(
        "nothing",
        f"nothing after line {place + 1} reported as {lie}",
        (*record[: place + 1], lie, *record[place + 1 :]),
        {"line": place + 2, "to": None},
    )


def _another_table(record: tuple[Line, ...], place: int, rng: random.Random) -> Falsified | None:
    """Record another count of the newest draw; let a person state the hands and the talon as they are."""
    place = len(record) - 1
    true = record[place]
    if true["event"] != "drawn" or record[0].get("witness") != "camera":
        return None
    state = fed(record).state
    lie = {**true, "count": true.get("count", 1) + 1}
    hands = dict(state.ledger.hands)
    return Falsified(
        "table",
        f"line {place + 1} recorded as {lie}",
        (*record[:place], lie),
        {"table": {"hands": hands, "talon": state.ledger.talon, "heap_count": state.ledger.heap_count}},
    )


Lie = Callable[[tuple[Line, ...], int, random.Random], Falsified | None]
LIES: tuple[Lie, ...] = (_another_card, _another_seat, _another_count, _elsewhere, _missed, _phantom, _another_table)


def _pack(record: tuple[Line, ...]) -> int:
    header = record[0]
    return rulebook(header["rules"], header.get("options")).pack


def fed(record: tuple[Line, ...]) -> MatchJudge:
    """Return a judge that has judged this record, a camera's to its end: a stated line is ruled on at once."""
    judge = MatchJudge(Header.parse(record[0]))
    events: list[TableEvent] = []
    for line in record[1:]:
        events.append(event_from_json(line, events[-1].at if events else None))
    for number, (event, following) in enumerate(zip_longest(events, events[1:]), start=2):
        judge.apply(number, event)
        if judge.holds_back_ruling and not is_same_play(event, following):
            judge.end_play()
    if judge.header.witness == "camera":
        judge.finish()
    return judge


def stands(judge: MatchJudge) -> tuple[Any, list[Any]]:
    """
    Return the position, and the rulings and announcements that hold, whatever line they are on.

    An announcement of a camera's match may come twice, since a line that people vouch for is believed sooner.
    """
    messages = [str(message.what.as_json()) for message in judge.holding]
    return judge.state.as_json(), sorted(set(messages) if judge.header.witness == "camera" else messages)


def as_person_would_write(true: tuple[Line, ...]) -> tuple[Any, list[Any]]:
    """Return the position and the accusations of the true record, recorded by a person."""
    return _accusations(stands(fed(({**true[0], "witness": "person"}, *true[1:]))))


def _accusations(standing: tuple[Any, list[Any]]) -> tuple[Any, list[Any]]:
    """Return the position, the accusations and the result; cards of one play are ruled on together or one by one."""
    marks = ("'illegal'", "'impossible'", "'announce': 'result'")
    return standing[0], [message for message in standing[1] if any(mark in message for mark in marks)]


def difference(true: tuple[Line, ...], lie: Falsified) -> str | None:
    """Return the difference after the correction or after its undo; None if there is none."""
    judge, last = fed(lie.record), len(lie.record)
    before, at = stands(judge), lie.record[-1]["at"]
    judge.apply(
        last + 1, event_from_json({"event": "corrected", "at": at, "by": true[0]["seats"][0], **lie.correction})
    )
    truth = fed(true)
    wanted, got = stands(truth), stands(judge)
    if lie.kind != "table" and (found := _other_lines(truth, judge)):
        return f"{lie.what}; corrected, but the lines differ: {found}"
    if lie.kind == "card" and (found := _log_of(judge)) != [lie.record[lie.correction["line"] - 1]["card"]]:
        return f"{lie.what}; corrected, but the log of corrections has {found}"
    if lie.kind == "table":
        wanted, got = (
            (wanted[0], []),
            (got[0], []),
        )  # what was ruled on the draw stays: the table is stated as it is now
    if got != wanted:
        return f"{lie.what}; corrected, expected {_short(wanted, got)}"
    if lie.kind != "table" and true[0].get("witness") == "camera" and _accusations(got) != as_person_would_write(true):
        return f"{lie.what}; as a person would write it, expected {_short(as_person_would_write(true), got)}"
    judge.apply(last + 2, event_from_json({"event": "pressed", "at": at, "button": "undo"}))
    again = stands(judge)
    return None if again == before else f"{lie.what}; undone, expected {_short(before, again)}"


def _other_lines(truth: MatchJudge, judge: MatchJudge) -> list[Any]:
    """Return the lines whose state after the correction differs from the true record; every list is made of them."""
    wanted, got = (
        [event_to_json(line.event) for line in believed.lines if not isinstance(line.event, Tick | Corrected)]
        for believed in (truth, judge)
    )
    return [pair for pair in zip_longest(wanted, got) if pair[0] != pair[1]]


def _log_of(judge: MatchJudge) -> list[str]:
    """Return the cards that were laid, by their names before they were corrected."""
    laid = [(correction.was, correction.now) for correction in judge.corrections]
    return [str(was.card) for was, now in laid if isinstance(was, Placed) and isinstance(now, Placed)]


def _short(wanted: tuple[Any, list[Any]], got: tuple[Any, list[Any]]) -> str:
    state = {key: (value, got[0][key]) for key, value in wanted[0].items() if got[0][key] != value}
    missing, extra = (sorted(set(one[1]) - set(other[1])) for one, other in ((wanted, got), (got, wanted)))
    return f"state {state}, lacking {missing}, too many {extra}"


TRIES = 40
"""Number of attempts to falsify a game: many kinds of false events fit only some events."""


CAMERA_LINES = 60
"""Most lines of a camera's game: each costs some 10 milliseconds, and is judged five times."""


def difference_in_game(game: int, seed: int, tally: Counter[str], witness: str = "person") -> str | None:
    """Play a game, record it with a false event, correct that; return what is wrong afterwards."""
    is_by_camera = witness == "camera"
    session = session_of(game - 2 if is_by_camera and game % 3 == 2 else game, seed)
    session.play()
    header, *events = session.record
    rng = random.Random(f"{seed}/{game}")
    kept = _whole_plays(events, rng.randint(10, CAMERA_LINES)) if is_by_camera else events
    record = ({**header, "witness": witness}, *kept)
    lie = next(
        (candidate for candidate in (falsified(record, rng) for _ in range(TRIES)) if candidate is not None), None
    )
    if lie is None:
        return None
    tally[f"{witness}: {lie.kind}"] += 1
    return difference(record, lie)


def _whole_plays(events: Sequence[Line], lines: int) -> Sequence[Line]:
    """Return the first lines, and those after them that belong to the last play: half an opening is no opening."""
    while lines < len(events) and is_same_play(*map(event_from_json, events[lines - 1 : lines + 1])):
        lines += 1
    return events[:lines]


def main() -> int:
    """Run the command; return 1 if a difference was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=5_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--witness", choices=("person", "camera"), default="person")
    args = parser.parse_args()
    tally: Counter[str] = Counter()
    differences = 0
    for game in range(args.first, args.first + args.games):
        found = difference_in_game(game, args.seed, tally, args.witness)
        if found is not None:
            differences += 1
            print(f"game {game} of seed {args.seed}: {found}", flush=True)
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(tally.items()))
    print(f"{tally.total()} games with one event corrected ({kinds}); {differences} differences")
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main())

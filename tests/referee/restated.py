"""
Correct lines of a camera's record to any other event, true or not, and check that the referee obeys.

    python -m tests.referee.restated [RECORD]
    python -m tests.referee.restated --games 5000 --seed 1

Without ``--games`` every card of the record (by default of the shipped recording) that beat another is corrected to a
card that does not beat it and is seen nowhere else: at once, four lines later, and after the game. Counted is how often
the line is then ``illegal`` with the fault ``does-not-beat``. With ``--games`` any laid card of a random game is
corrected to any other card or seat, or to nothing, at once or later: the ruling of that line must be the one that a
record by a person gets up to that line. In both cases the referee must ask nothing about the line, the record with the
correction must be judged the same from its text, and undoing the correction must restore every ruling. A difference is
printed, and the status is 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from referee.cards import Card, Suit, pack
from referee.events import is_same_play
from referee.match_judge import MatchJudge
from referee.record import Header, event_from_json
from referee.rulebook import rulebook
from referee.rulings import Ruling
from tests.referee.nightly import session_of

RECORDING = Path(__file__).parents[2] / "webapp" / "recordings" / "demo.jsonl"

CAMERA_LINES = 60
"""Most lines of a game: each costs some 10 milliseconds, and is judged several times."""

Line = Mapping[str, Any]


class Restated(NamedTuple):
    """A record up to some line, and a person's correction of one of its lines (``to``: None: nothing happened)."""

    record: tuple[Line, ...]
    line: int
    to: Line | None

    def __str__(self) -> str:
        return f"line {self.line} of {len(self.record)}: {self.record[self.line - 1]} corrected to {self.to}"

    @property
    def correction(self) -> Line:
        """Return the correction as a line of the record."""
        by, at = self.record[0]["seats"][0], self.record[-1]["at"]
        return {"event": "corrected", "line": self.line, "to": self.to, "at": at, "by": by}

    @property
    def as_stated(self) -> tuple[Line, ...]:
        """Return the record up to the line and the rest of its play, as a person states it."""
        header, *before = self.record[: self.line - 1]
        at = self.record[self.line - 1]["at"]
        stated = {"at": at, "event": "tick"} if self.to is None else {"at": at, **self.to}
        return ({**header, "witness": "person"}, *before, stated, *self.rest_of_play)

    @property
    def rest_of_play(self) -> tuple[Line, ...]:
        """Return the lines after it that belong to the same play as stated."""
        if self.to is None:
            return ()
        stated = event_from_json({"at": self.record[self.line - 1]["at"], **self.to})
        after = self.record[self.line :]
        return tuple(takewhile(lambda line: is_same_play(stated, event_from_json(line)), after))


def judged(record: Sequence[Line]) -> MatchJudge:
    """Return a judge that has judged this record, which may go on."""
    judge = MatchJudge(Header.parse(record[0]))
    events = [event_from_json(line) for line in record[1:]]
    for number, (event, following) in enumerate(zip_longest(events, events[1:]), start=2):
        judge.apply(number, event)
        if judge.holds_back_ruling and not is_same_play(event, following):
            judge.end_play()
    return judge


def rulings_of(judge: MatchJudge, lines: range) -> list[tuple[Any, ...]]:
    """Return the rulings that hold on these lines: verdict, fault, play, cards and seat."""
    held = [message.what for message in judge.holding if message.line in lines]
    return sorted(
        (str(message.verdict), str(message.fault), message.play, tuple(map(str, message.cards)), str(message.by))
        for message in held
        if isinstance(message, Ruling)
    )


def holds(judge: MatchJudge) -> tuple[Any, ...]:
    """Return the position, and the rulings and announcements that hold."""
    messages = [(message.line, str(message.what.as_json())) for message in judge.holding]
    return judge.state.as_json(), sorted(set(messages))


def disobeys(restated: Restated, expected: list[tuple[Any, ...]] | None = None) -> str | None:
    """
    Return what is wrong after the correction or its undo; None if nothing is.

    ``expected``: the rulings of its play; by default those of the same play in a record by a person.
    """
    judge = judged(restated.record)
    play = range(restated.line, restated.line + len(restated.rest_of_play) + 1)
    before, number = holds(judge), len(restated.record) + 1
    judge.apply(number, event_from_json(restated.correction))
    if expected is None:
        expected = rulings_of(judged(restated.as_stated), play)
    got = rulings_of(judge, play)
    if got != expected:
        return f"{restated}: expected {expected}, got {got}"
    standing = [message.what for message in judge.holding if message.line in play]
    if any(isinstance(content, Ruling) and content.question and not content.asks_leave for content in standing):
        return f"{restated}: a question about the line itself"
    if holds(judged((*restated.record, restated.correction))) != holds(judge):
        return f"{restated}: judged again from its text, other rulings hold"
    undo = {"event": "pressed", "button": "undo", "at": restated.record[-1]["at"]}
    judge.apply(number + 1, event_from_json(undo))
    return None if holds(judge) == before else f"{restated}: undone, other rulings hold than before"


def beats_that_do_not_beat(record: Sequence[Line]) -> Iterator[tuple[Restated, list[tuple[Any, ...]]]]:
    """Yield the corrections of the first kind, each with the rulings expected on its line."""
    names = ("card", "on", "turnup", "was")
    dealt = [line["turnup"] for line in record if line.get("event") == "dealt"]
    turnup = record[0].get("start", {}).get("turnup") or dealt[0]
    seen = {line[name] for line in record[1:] for name in names if line.get(name)} | {turnup}
    rules = rulebook(record[0]["rules"], record[0].get("options"))
    unseen = [card for card in pack(rules.pack) if str(card) not in seen]
    for place, line in enumerate(record):
        if line.get("event") != "placed" or not line.get("on"):
            continue
        on = Card.parse(line["on"])
        for card in [card for card in unseen if not card.beats(on, Suit(turnup[1]))][:2]:
            to = {"event": "placed", "card": str(card), "by": line["by"], "on": str(on)}
            for upto in (place + 1, min(place + 5, len(record)), len(record)):
                called = ("illegal", "does-not-beat", "beat", (str(card),), line["by"])
                yield Restated(tuple(record[:upto]), place + 1, to), [called]


def any_correction(record: tuple[Line, ...], rng: random.Random) -> Restated | None:
    """Return the record, up to a random line, with a correction of a random laid card; None if there is none."""
    laid = [place for place, line in enumerate(record) if line.get("event") == "placed" and line.get("by")]
    if not laid:
        return None
    place = rng.choice(laid)
    upto = place + 1 if rng.random() < 0.5 else rng.randint(place + 1, len(record))
    line = record[place]
    plain = {key: line[key] for key in ("event", "card", "by", "on") if key in line}
    cards = map(str, pack(rulebook(record[0]["rules"], record[0].get("options")).pack))
    to = rng.choice(
        [
            {**plain, "card": rng.choice([card for card in cards if card != line["card"]])},
            {**plain, "by": rng.choice([seat for seat in record[0]["seats"] if seat != line["by"]])},
            None,
        ]
    )
    return Restated(record[:upto], place + 1, to)


def disobeyed_in_game(game: int, seed: int, tally: Counter[str]) -> str | None:
    """Play a random game, correct a line of it, return what is wrong afterwards."""
    session = session_of(game - 2 if game % 3 == 2 else game, seed)
    session.play()
    header, *events = session.record
    rng = random.Random(f"{seed}/{game}")
    record = ({**header, "witness": "camera"}, *events[: rng.randint(10, CAMERA_LINES)])
    restated = any_correction(record, rng)
    if restated is None:
        return None
    kind = "nothing" if restated.to is None else "card or seat"
    tally[f"{kind}, {'at once' if restated.line == len(restated.record) else 'later'}"] += 1
    return disobeys(restated)


def main() -> int:
    """Run the command; return 1 if a correction is not obeyed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", nargs="?", type=Path, default=RECORDING)
    parser.add_argument("--games", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    found: list[str | None] = []
    if args.games:
        tally: Counter[str] = Counter()
        for game in range(args.first, args.first + args.games):
            found.append(disobeyed_in_game(game, args.seed, tally))
            if found[-1] is not None:
                print(f"game {game} of seed {args.seed}: {found[-1]}", flush=True)
        print(", ".join(f"{kind} {count}" for kind, count in sorted(tally.items())))
    else:
        lines = tuple(json.loads(line) for line in args.record.read_text("utf-8").splitlines())
        record = ({**lines[0], "witness": "camera"}, *lines[1:])
        for restated, called in beats_that_do_not_beat(record):
            found.append(disobeys(restated, called))
            if found[-1] is not None:
                print(found[-1], flush=True)
    wrong = sum(difference is not None for difference in found)
    print(f"{len(found) - wrong} of {len(found)} corrections obeyed")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

"""
Make records of games without faults in which nobody could read one card, or two of one bout, and count accusations.

    python -m tests.referee.unread --games 200 --seed 1
    python -m tests.referee.unread --games 50 --seed 1 --witness camera --rules perevodnoy

The games are random ones of the independent engine, by turns of each rule set and of options drawn at random. Of each,
``--records`` cards are left unread, of every kind of play alike (lead, throw-in, beat, transfer, given card), once with
the seat that laid it and once without. Each accusation is printed with the number of its game, and the status is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from referee.belief.interpretation import accuses
from referee.rulings import Message, Ruling
from tests.referee.falsified import fed
from tests.referee.house import HOUSES, random_house
from tests.referee.random_play import RandomSession

Line = Mapping[str, Any]

TABLES = [(rules, players) for rules, (_, numbers) in HOUSES.items() for players in numbers]

AFTER = 15
"""Lines kept after the sweep of the bout: the draws, the next lead and its answers."""

TWO = 0.3
"""Share of records in which two cards of the bout are unread."""


class UnreadCards(NamedTuple):
    """A record with unread cards: the kinds of play that they were, and the record, header first."""

    kinds: str
    record: tuple[Line, ...]


def session_of(game: int, seed: int, rules: str | None = None) -> RandomSession:
    """Play the game of this number: even ones by one rule set, or all in turn; odd ones by options drawn at random."""
    rng = random.Random(f"{seed}/{game}/unread")
    tables = [table for table in TABLES if rules in (None, table[0])]
    preset, players = tables[game // (1 if rules else 2) % len(tables)]
    if game % 2 and rules is None:
        players = rng.randint(2, 6)
        session = RandomSession("podkidnoy-36", players, rng.randrange(1 << 30), random_house(rng, players))
    else:
        session = RandomSession(preset, players, rng.randrange(1 << 30))
    session.play()
    return session


def with_unread_cards(record: Sequence[Line], count: int, rng: random.Random) -> Iterator[UnreadCards]:
    """Yield the record to some lines after a bout with a random card unread, ``count`` times with and without seat."""
    plays = {
        message.line - 1: message.what.play
        for message in fed(tuple(record)).holding
        if isinstance(message.what, Ruling)
    }
    by_kind: defaultdict[str, list[int]] = defaultdict(list)
    for place, line in enumerate(record):
        if line.get("event") == "placed" and _bout_of(record, place) is not None:
            by_kind[plays.get(place, "lead")].append(place)
    for _ in range(count if by_kind else 0):
        first = rng.choice(by_kind[rng.choice(sorted(by_kind))])
        bout = _bout_of(record, first)
        assert bout is not None
        others = [place for place in bout if place != first and any(place in places for places in by_kind.values())]
        places = {first, rng.choice(others)} if others and rng.random() < TWO else {first}
        kinds = "+".join(plays.get(place, "lead") for place in sorted(places))
        for is_seat_known in (True, False):
            record_now = _unread(record, places, bout.stop - 1, is_seat_known=is_seat_known)
            yield UnreadCards(kinds + ("" if is_seat_known else ", seat unknown"), record_now)


def _bout_of(record: Sequence[Line], place: int) -> range | None:
    """Return the places of the bout to its sweep; None where the card cannot go unread by itself."""
    start = next((at + 1 for at in range(place, 0, -1) if record[at]["event"] == "swept"), 1)
    end = next((at for at in range(place, len(record)) if record[at]["event"] == "swept"), len(record) - 1)
    at_once = [line for line in (record[place - 1], *record[place + 1 : place + 2]) if "at" in line]
    if any(line["at"] == record[place]["at"] for line in at_once):
        return None
    bout = range(start, end + 1)
    if any(record[at]["event"] in ("lifted", "shown") or "left" in record[at] for at in bout):
        return None
    return bout


def _unread(record: Sequence[Line], places: set[int], end: int, *, is_seat_known: bool) -> tuple[Line, ...]:
    """Return the record with these cards unread; nobody can name the card under another one that was not read."""
    unread = {record[place]["card"] for place in places}
    lines = []
    last = min(end + AFTER, len(record))
    while last < len(record) and record[last]["at"] == record[last - 1]["at"]:
        last += 1  # a play of several cards is not cut in two
    for place, line in enumerate(record[:last]):
        if place in places:
            line = {**line, "card": "back", "by": line["by"] if is_seat_known else None}
        if min(places) <= place <= end and line.get("on") in unread:
            line = {key: value for key, value in line.items() if key != "on"}
        lines.append(line)
    return tuple(lines)


def accusations(record: Sequence[Line]) -> Iterator[Message]:
    """Yield the accusations that hold at the end of the record."""
    for message in fed(tuple(record)).holding:
        if isinstance(message.what, Ruling) and accuses(message.what):
            yield message


def main() -> int:
    """Run the command; return 1 if somebody was accused."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--records", type=int, default=3, help="cards left unread in each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rules", choices=sorted(HOUSES), help="one rule set")
    parser.add_argument("--witness", choices=("person", "camera"), default="person")
    args = parser.parse_args()
    records, accused = Counter[str](), Counter[str]()
    for game in range(args.first, args.first + args.games):
        session = session_of(game, args.seed, args.rules)
        rng = random.Random(f"{args.seed}/{game}")
        header = {**session.record[0], "witness": args.witness}
        for number, (kinds, record) in enumerate(with_unread_cards((header, *session.record[1:]), args.records, rng)):
            found = list(accusations(record))
            records[kinds] += 1
            accused[kinds] += bool(found)
            if found:
                called = ", ".join(str(message.what.as_json()) for message in found)
                print(f"game {game}, record {number} ({header['rules']}, {kinds}): {called}", flush=True)
    for kinds, count in records.most_common():
        print(f"  {accused[kinds]:4} of {count:4} {kinds}")
    print(f"{sum(accused.values())} of {sum(records.values())} records accuse somebody")
    return int(bool(sum(accused.values())))


if __name__ == "__main__":
    sys.exit(main())

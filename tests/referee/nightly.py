"""
Judge thousands of random games of the independent engine.

    python -m tests.referee.nightly --games 10000 --seed 1

Half of the games are played by the named rule sets, half by options drawn at random; every third has mistakes in it.
The same seed plays the same games. A difference is printed with the number of its game, and the status is 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from referee.rulebook import FaultId
from tests.referee.house import HOUSES, VALUES, random_house
from tests.referee.mistakes import CarelessSession
from tests.referee.random_play import RandomSession

TABLES = [(preset, players) for preset, (_, numbers) in HOUSES.items() for players in numbers]


@dataclass(slots=True)
class Tally:
    """Counts of the games played so far."""

    games: int = 0
    deals: int = 0
    bouts: int = 0
    events: int = 0
    results: Counter[str] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    mistakes: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def add(self, session: RandomSession) -> None:
        """Count a session."""
        self.games += 1
        self.deals += session.deals
        self.bouts += session.bouts
        self.events += session.events
        ended = session.deal.result if session.deal is not None else None
        self.results[ended[0] if ended is not None else "broken off"] += 1
        self.values.update(f"{option}={session.house[option]}" for option in VALUES if option in session.house)
        if isinstance(session, CarelessSession):
            self.mistakes.update(session.made)

    def line(self) -> str:
        """Return the figures in one line."""
        results = ", ".join(f"{count} {kind}" for kind, count in self.results.most_common())
        return (
            f"{self.games} games, {self.deals} deals, {self.bouts} bouts, {self.events} events, "
            f"{sum(self.mistakes.values())} mistakes called; {results}; {len(self.differences)} differences"
        )


def session_of(game: int, seed: int) -> RandomSession:
    """Return the session of this number and seed: its table, its house and whether mistakes are made."""
    rng = random.Random(f"{seed}/{game}")
    kind = CarelessSession if game % 3 == 2 else RandomSession
    if game % 2:
        players = rng.randint(2, 6)
        return kind("podkidnoy-36", players, rng.randrange(1 << 30), random_house(rng, players))
    preset, players = TABLES[game // 2 % len(TABLES)]
    return kind(preset, players, rng.randrange(1 << 30))


def play(games: range, seed: int, tally: Tally, records: IO[str] | None = None) -> None:
    """Play these games; a difference is kept, with the number of its game. Their records are written to ``records``."""
    for game in games:
        session = session_of(game, seed)
        try:
            session.play(1 + game % 4 // 3)
        except Exception as difference:
            tally.differences.append(f"game {game} of seed {seed}: {type(difference).__name__}: {difference}")
        tally.add(session)
        if records is not None:
            records.writelines(json.dumps(line) + "\n" for line in session.record)


def main() -> int:
    """Run the command; return 1 if a difference was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=500, help="games between two lines of progress")
    parser.add_argument("--records", type=Path, help="a file for the records of all these games, one after the other")
    args = parser.parse_args()
    kept = None if args.records is None else args.records.open("w", encoding="utf-8")
    tally, began, shown = Tally(), time.monotonic(), 0
    last = args.first + args.games
    for start in range(args.first, last, args.every):
        play(range(start, min(last, start + args.every)), args.seed, tally, kept)
        for difference in tally.differences[shown:]:
            print(difference, flush=True)
        shown = len(tally.differences)
        print(f"{time.monotonic() - began:6.0f} s  {tally.line()}", flush=True)
    if kept is not None:
        kept.close()
    print("mistakes called, by fault:")
    for fault, count in sorted(tally.mistakes.items(), key=lambda pair: -pair[1]):
        print(f"  {count:7} {fault}")
    print(f"faults never called: {', '.join(sorted({str(f) for f in FaultId} - set(tally.mistakes))) or 'none'}")
    missing = [f"{o}={v}" for o, values in VALUES.items() for v in values if not tally.values[f"{o}={v}"]]
    print(f"option values never played: {', '.join(missing) or 'none'}")
    print(tally.line())
    return int(bool(tally.differences))


if __name__ == "__main__":
    sys.exit(main())

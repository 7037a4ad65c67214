"""
Rate every decision of random records of each rule set and check the lines: no crash, alternatives legal, chances right.

``python -m benchmarks.analysis.check_records [--records 100] [--playouts 20] [--rules NAME ...]``
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator

from features.analysis.decision_case import DecisionCase
from features.analysis.position import PASS, WAIT, legal, openings
from features.analysis.rating import Rating
from features.analysis.stored_analyses import cases_of_match, rated
from referee.events import TableEvent
from referee.record import Header, event_from_json
from referee.rulebook import PRESETS
from tests.referee.random_play import RandomSession


def cases_of_random_match(name: str, players: int, seed: int) -> list[DecisionCase]:
    """Return the decisions of one match of random legal play."""
    session = RandomSession(name, players, seed=seed)
    session.play(1)
    events: list[tuple[int, TableEvent]] = [
        (line, event_from_json(data)) for line, data in enumerate(session.record[1:], start=2)
    ]
    return cases_of_match(Header.parse(session.record[0]), events, 1, seed)


def faults_of(case: DecisionCase, rating: Rating) -> Iterator[str]:
    """Yield a message for each error in the rating of a decision."""
    position = case.truth
    found = legal(position, case.seat) if position.attack_count else openings(position)
    if not set(case.options) <= {*found, (PASS, 0, 0), (WAIT, 0, 0), case.decision}:
        yield f"line {case.line}: an alternative that is not legal"
    values = [rating.loss, rating.chance, rating.best_chance, *rating.chances.values()]
    if not all(0 <= value <= 1 for value in values):
        yield f"line {case.line}: a chance outside 0 to 1"
    is_of_one_fool = position.house.rules.result == "last_with_cards_loses" and position.house.sides[0] == 1
    if is_of_one_fool and sum(rating.chances.values()) > 1.002:
        yield f"line {case.line}: chances add up to more than 1"


def main() -> None:
    """Print a row for each rule set; the exit status is 1 if there is an error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100)
    parser.add_argument("--playouts", type=int, default=20)
    parser.add_argument("--rules", nargs="*", default=list(PRESETS))
    asked = parser.parse_args()
    wrong = 0
    print("| rule set | records | decisions | faults |")
    print("|---|---|---|---|")
    for name in asked.rules:
        counts, rng = PRESETS[name].players, random.Random(name)
        decisions, faults = 0, list[str]()
        for seed in range(asked.records):
            for case in cases_of_random_match(name, rng.choice(counts), seed):
                decisions += 1
                faults += faults_of(case, rated(case, asked.playouts, seed))
        print(f"| {name} | {asked.records} | {decisions} | {len(faults)} {'; '.join(faults[:3])} |", flush=True)
        wrong += len(faults)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()

"""
Run rule cases: feed each record to the referee and compare its results with the expected ones.

A case is one YAML document: ``id``, ``preset``, ``record`` (header first) and ``expect``, a list of

    {"line": 5, "fault": "does-not-beat"}   a ruling with this fault (``or``: others as right, ``ruling``: its grade,
                                            ``asks``: what its question asks, null: it is a note)
    {"line": 5, "fault": null}              no fault
    {"line": 5, "state": {...}}             the position after that line, as far as given
    {"line": 5, "silent": true}             no ruling at all
    {"line": 5, "announce": {...}}          an announcement caused by that line (a ``lead``: by that line at the latest)

A line that is not named with a fault must bring none, and every legal play of cards brings a ruling ``legal``. Cards
that one seat lays at the same ``at`` are one play: its ruling may stand on any of its lines.

    python tests/referee/scenarios.py FILE...     runs the cases of these files and prints what differs
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from referee.record import Header, event_from_json
from tests.referee.certain_referee import Referee


@cache
def load(path: Path) -> list[dict[str, Any]]:
    """Load the cases of a file, once for all tests of a process; callers must not change them."""
    text = path.read_text(encoding="utf-8")
    return [case for case in yaml.load_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) if case]


def play(record: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """Return line number -> rulings, announcements and state that the line brought."""
    referee = Referee(Header.parse(record[0]))
    brought = {1: _json(referee.opening, referee)}
    at: float | None = None
    for line, data in enumerate(record[1:], start=2):
        event = event_from_json(data, at)
        step = referee.apply(event)
        following = record[line] if line < len(record) else None
        if referee.holds_back_ruling and not _same_play(data, following):
            step = referee.end_play()
        at = event.at
        brought[line] = _json(step, referee)
        # The state must be writable at any time.
        json.dumps(brought[line])
    return brought


def _json(step: Any, referee: Referee) -> dict[str, Any]:
    return {
        "rulings": [ruling.as_json() for ruling in step.rulings],
        "announcements": [announcement.as_json() for announcement in step.announcements],
        "state": referee.state.as_json(),
    }


def _same_play(one: dict[str, Any], other: dict[str, Any] | None) -> bool:
    keys = ("event", "at", "by")
    return other is not None and one["event"] == "placed" and all(one.get(key) == other.get(key) for key in keys)


def differences_of(case: dict[str, Any]) -> list[str]:
    """Return the differences from the expectation; empty if there are none."""
    record = case["record"]
    brought = play(record)
    found: list[str] = []
    lines_of = {line: _play_lines(record, line) for line in brought}
    excused: set[int] = set()
    for expected in case["expect"]:
        line = expected["line"]
        if "fault" in expected and expected["fault"] is not None:
            excused.update(lines_of[line])
            found += _check_fault(expected, [r for number in lines_of[line] for r in brought[number]["rulings"]])
        if "silent" in expected:
            excused.add(line)
            found += (
                [f"line {line}: expected no word, got {brought[line]['rulings']}"] if brought[line]["rulings"] else []
            )
        if "state" in expected:
            found += _check_state(line, expected["state"], brought[line]["state"])
        if "announce" in expected:
            found += _check_announcement(line, expected["announce"], brought)
    for line, got in brought.items():
        if line in excused:
            continue
        faults = [ruling["fault"] for ruling in got["rulings"] if "fault" in ruling]
        if faults:
            found.append(f"line {line}: expected no fault, got {faults}")
        legal = any(r["ruling"] == "legal" for number in lines_of[line] for r in brought[number]["rulings"])
        if line > 1 and record[line - 1]["event"] == "placed" and not legal:
            found.append(f"line {line}: expected a ruling legal, got {got['rulings']}")
    return found


def _play_lines(record: list[dict[str, Any]], line: int) -> list[int]:
    lines = [line]
    if line == 1:
        return lines
    while lines[0] > 2 and _same_play(record[lines[0] - 2], record[lines[0] - 1]):
        lines.insert(0, lines[0] - 1)
    while lines[-1] < len(record) and _same_play(record[lines[-1] - 1], record[lines[-1]]):
        lines.append(lines[-1] + 1)
    return lines


def _check_fault(expected: dict[str, Any], rulings: list[dict[str, Any]]) -> list[str]:
    wanted = {expected["fault"], *expected.get("or", ())}
    named = [ruling for ruling in rulings if ruling.get("fault") in wanted]
    if not named:
        return [f"line {expected['line']}: expected {sorted(wanted)}, got {rulings}"]
    grade = expected.get("ruling")
    if grade and not any(ruling["ruling"] == grade for ruling in named):
        return [f"line {expected['line']}: expected {grade}, got {named}"]
    asked = [ruling.get("question", {}).get("ask") for ruling in named]
    if "asks" in expected and expected["asks"] not in asked:
        return [f"line {expected['line']}: expected it to ask {expected['asks']}, got {named}"]
    return []


def _check_state(line: int, expected: dict[str, Any], state: dict[str, Any]) -> list[str]:
    found = []
    for key, want in expected.items():
        if key == "known":
            fine = all(set(cards) <= set(state["known"].get(seat, ())) for seat, cards in want.items())
        elif key == "known_to_none":
            fine = not set(want) & {card for cards in state["known"].values() for card in cards}
        elif key == "hands":
            fine = all(state["hands"][seat] == count for seat, count in want.items())
        elif key in ("table", "out", "entitled", "ranks"):
            fine = sorted(map(str, want)) == sorted(map(str, state[key]))
        else:
            fine = state[key] == want
        if not fine:
            got = state["known"] if key == "known_to_none" else state[key]
            found.append(f"line {line}: expected {key} {want}, got {got}")
    return found


def _check_announcement(line: int, want: dict[str, Any], brought: dict[int, dict[str, Any]]) -> list[str]:
    lines = range(1, line + 1) if want["announce"] == "lead" else (line,)
    announced = [announcement for number in lines for announcement in brought[number]["announcements"]]
    for announcement in announced:
        if all(key in announcement and announcement[key] == value for key, value in want.items()):
            return []
    return [f"line {line}: expected {want}, got {announced}"]


def main(paths: list[str]) -> int:
    """Run the cases of these files; the exit status is 1 where one differs."""
    failed = total = 0
    for path in paths:
        for case in load(Path(path)):
            total += 1
            differences = differences_of(case)
            failed += bool(differences)
            for difference in differences:
                print(f"{case['preset']} {case['id']}: {difference}")  # noqa: T201 - a script's output
    print(f"{total - failed} of {total} cases pass")  # noqa: T201 - a script's output
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

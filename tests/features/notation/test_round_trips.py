"""Round trips between record and notation keep events and rulings."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from features.notation.notated_game import NotatedGame, games_of_record, record_lines
from features.notation.parser import parse_notation, read_games
from features.notation.writer import write_games
from referee.record import read_record
from tests.referee.match_files import MATCHES, rulings_of
from tests.referee.nightly import session_of
from tests.referee.record_lines import cards, events, extras
from tests.referee.scenarios import load, play
from tests.sample_size import sample_size

ROOT = Path(__file__).parents[3]
RECORDS = [*MATCHES, ROOT / "webapp" / "recordings" / "demo.jsonl"]
CASES = [case for path in sorted((ROOT / "tests" / "cases").glob("*.yaml")) for case in load(path)]

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
NOTES = ("comment", "fault", "question", "note", "tags", "Start", "%")
notes = st.dictionaries(
    st.sampled_from(NOTES) | st.text(max_size=5).map(lambda text: f"{text} x"), anything | st.text(), max_size=3
)
odd_names = st.sampled_from(
    ["take", "Ad", "A", "h", "Анна", "Mary Ann", "[x]", '"q"', "a:b", "?", "7s", "heap ", "10h", "#1", "é", "e\u0301"]
)
names = st.lists(
    (st.text(min_size=1, max_size=8).filter(str.isprintable) | odd_names).filter(lambda name: name != "heap"),
    min_size=3,
    max_size=6,
    unique=True,
)
tags = st.dictionaries(st.from_regex(r"[A-Z][a-zA-Z0-9]{0,5}", fullmatch=True), st.text(), max_size=3)
starts = st.fixed_dictionaries(
    {"talon": st.integers(0, 40), "trump": st.sampled_from("shdc")},
    optional={
        "attacker": st.just("A"),
        "defender": st.just("B"),
        "known": st.dictionaries(st.sampled_from("ABC"), st.lists(cards, unique=True, max_size=3)),
        "picked": st.dictionaries(st.sampled_from("ABC"), st.lists(cards, unique=True, max_size=3)),
        "heap": st.lists(cards, unique=True, max_size=3),
        "heap_count": st.integers(0, 40),
        "out": st.lists(st.sampled_from("ABC"), unique=True),
        "bout": st.integers(1, 30),
        "beaten_off": st.integers(0, 30),
        "hand": st.integers(1, 9),
        "fool": st.sampled_from("ABC") | st.lists(st.sampled_from("ABC"), unique=True),
        "winner": st.sampled_from("ABC"),
        "guess": anything,
    },
)


def there_and_back(lines: list[str]) -> NotatedGame:
    """Convert a record to notation and back, check equality, and return the game."""
    games = games_of_record(lines, "m.jsonl")
    text = write_games(games)
    assert read_games(text, "m.durak") == games
    assert write_games(read_games(text)) == text
    assert games_of_record(list(record_lines(games))) == games
    assert parse_notation(text) == [(game.header, game.events) for game in games]
    return games[0]


@pytest.mark.parametrize("path", RECORDS, ids=[path.stem for path in RECORDS])
def test_match_keeps_its_events_and_rulings(path: Path, tmp_path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    game = there_and_back(lines)
    assert [game.header, *game.events] == [entry for _, entry in read_record(lines)]
    back = tmp_path / "back.jsonl"
    back.write_text("".join(f"{line}\n" for line in record_lines(read_games(write_games([game])))), encoding="utf-8")
    assert rulings_of(back) == rulings_of(path)


@pytest.mark.ordinary(140)
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case_keeps_its_rulings_and_positions(case: dict[str, Any]) -> None:
    game = there_and_back([json.dumps(data) for data in case["record"]])
    assert play([dict(game.header_line), *map(dict, game.event_lines)]) == play(case["record"])


@pytest.mark.ordinary(6)
@pytest.mark.parametrize("number", range(24))
def test_random_games_round_trip(number: int) -> None:
    session = session_of(number, 23)
    session.play(1)
    there_and_back([json.dumps(data) for data in session.record])


def named(data: Any, seats: dict[str, str]) -> Any:
    """Return the data with other names of seats."""
    if isinstance(data, dict):
        return {
            seats.get(key, key): named(value, seats) if key not in ("card", "highest", "on", "note") else value
            for key, value in data.items()
        }
    if isinstance(data, list):
        return [named(item, seats) for item in data]
    return seats.get(data, data) if isinstance(data, str) else data


@settings(max_examples=sample_size(40, nightly=300))
@given(st.lists(st.tuples(events, extras, notes), max_size=8), names, notes, tags, starts | st.none(), st.text())
def test_random_events_with_notes_and_names_round_trip(
    noted_events: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]],
    seats: list[str],
    more: dict[str, Any],
    info: dict[str, str],
    start: dict[str, Any] | None,
    rules: str,
) -> None:
    others = dict(zip("ABC", seats, strict=False))
    header = {"tags": info, **more, "kozyr": 1, "rules": rules, "seats": seats, "dealer": seats[-1]}
    header |= {"options": {"attack_limit": 5, "throw_order": "handoff", rules: "5"}, "witness": "camera"}
    if start is not None:
        header["start"] = named(start, others) | {"hands": dict.fromkeys(seats, 6)}
    lines = [header]
    for event, extra, note in sorted(noted_events, key=lambda noted: noted[1]["at"]):
        lines.append(note | named(event, others) | named(extra, others))
    game = there_and_back([json.dumps(line) for line in lines])
    assert set(game.header_line) >= set(more)
    for line, (_, _, note) in zip(
        game.event_lines, sorted(noted_events, key=lambda noted: noted[1]["at"]), strict=True
    ):
        assert set(line) >= set(note)


def test_several_games_and_empty_lines() -> None:
    header = '{"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B"}'
    lines = [header, "", header, '{"event": "tick"}', header, '{"event": "tick"}', '{"event": "tick"}']
    there_and_back(lines)
    assert [len(game.events) for game in games_of_record(lines)] == [0, 1, 2]
    assert len(list(record_lines(games_of_record(lines)))) == len(lines) - 1


def test_redundant_and_missing_keys_of_a_record_give_the_same_game() -> None:
    header = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B"}
    start = {"talon": 24, "hands": {"A": 6, "B": 6}}
    short = [header | {"start": start}, {"at": 1, "event": "placed", "card": "7s"}, {"event": "drawn", "by": "A"}]
    long = [
        header
        | {"options": {}, "tone": "call", "witness": "person", "start": start | {"hand": 1, "out": [], "bout": None}},
        {
            "at": 1.0,
            "event": "placed",
            "card": "7s",
            "by": None,
            "on": None,
            "alternatives": [],
            "confidence": None,
            "otherwise": "",
        },
        {"at": 1.0, "event": "drawn", "by": "A", "count": 1, "card": None},
    ]
    assert there_and_back([json.dumps(line) for line in short]) == there_and_back([json.dumps(line) for line in long])


def test_numbers_outside_json_are_refused() -> None:
    header = '{"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B"}'
    for number in ("NaN", "-Infinity", "1e999"):
        with pytest.raises(ValueError, match=r"^m.jsonl:2: expected finite numbers, got "):
            games_of_record([header, f'{{"event": "tick", "x": {number}}}'], "m.jsonl")


@pytest.mark.parametrize("seed", range(20))
def test_readable_texts_have_a_canonical_form(seed: int) -> None:
    """Vary spaces, line ends, comments and numbers at random."""
    rng = random.Random(seed)
    lines = MATCHES[seed % len(MATCHES)].read_text(encoding="utf-8").splitlines()[:60]
    words = write_games(games_of_record(lines)).replace(" & ", " &\n").split(" ")
    untidy = ["\n", "  ", "\t", " {so  it\nwas}\n", " ; yes } no\n", "\r\n"]
    loose = "".join(word + rng.choice(untidy if word.endswith("pass") else [" ", "\n", "  "]) for word in words)
    text = write_games(read_games(loose))
    assert write_games(read_games(text)) == text

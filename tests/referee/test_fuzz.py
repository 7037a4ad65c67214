"""
Fuzzing of records: random bytes, random JSON, and real games truncated, altered and reordered.

``kozyr referee`` prints rulings and announcements for any input; unusable input ends with one sentence that names file
and line, and without a traceback.
"""

from __future__ import annotations

import io
import json
import random
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.errors import RecordError
from tests.referee.house import HOUSES, random_house
from tests.referee.match_files import MATCHES
from tests.referee.mistakes import CarelessSession
from tests.referee.record_lines import HEADER, START, cards, events, extras, seats
from tests.sample_size import sample_size
from webapp.commands.options import RuleOptions
from webapp.commands.referee import RulingWriter, judge_record
from webapp.text.catalogue import LANGUAGES

LINES = [path.read_text(encoding="utf-8").splitlines() for path in MATCHES]

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(10**30, 10**32)
    | st.floats()
    | st.text(max_size=6)
    | cards
    | seats
    | st.sampled_from(["heap", "podkidnoy-36", "perevodnoy", "take", "\ud800", "\n"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5) | cards | seats, inner, max_size=4),
    max_leaves=8,
)
KEYS = sorted(
    {*HEADER, *START, "options", "start", "tone", "witness", "defender", "known", "picked", "heap", "heap_count", "out"}
)
KEYS += [
    "bout",
    "beaten_off",
    "teams",
    "hand",
    "fool",
    "winner",
    "event",
    "at",
    "card",
    "by",
    "on",
    "to",
    "left",
    "count",
]
KEYS += ["button", "for", "highest", "what", "was", "reason", "confidence", "alternatives", "otherwise"]


def judged(lines: list[bytes | str]) -> list[dict[str, Any]]:
    """Referee a record and return the printed lines; an error must be one sentence with its place."""
    printed = []
    for as_json, language in ((False, LANGUAGES[-1]), (True, LANGUAGES[0])):
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        complaint = error_of(lines, RulingWriter(out, as_json=as_json, states=True, language=language))
        assert complaint is None or re.fullmatch(r"m\.jsonl:\d+: expected .{1,400}, got .{1,400}", complaint)
        out.flush()
        printed = out.buffer.getvalue().decode("utf-8").splitlines()  # type: ignore[attr-defined]
    return [json.loads(line) for line in printed]


def error_of(lines: list[bytes | str], writer: RulingWriter) -> str | None:
    """Return the sentence with which the record ends, if it can't be used to its end."""
    try:
        judge_record(lines, "m.jsonl", writer, RuleOptions(language=writer.language))
    except RecordError as error:
        return str(error)
    return None


@given(st.lists(st.binary(max_size=40), max_size=5))
@example([b"\xef\xbb\xbf{}"])
@example([b'{"kozyr": 1, "seats": [' + b"9" * 5000 + b"]}"])
@example([b"[" * 50_000])
def test_random_bytes(lines: list[bytes]) -> None:
    judged(list(lines))


@given(st.lists(st.binary(max_size=60), min_size=1, max_size=4), st.integers(0, 20), st.randoms(use_true_random=False))
def test_random_bytes_within_a_record(noise: list[bytes], place: int, rng: random.Random) -> None:
    lines: list[bytes | str] = [line.encode() for line in LINES[rng.randrange(len(LINES))][:25]]
    lines[place + 1 : place + 1] = noise
    assert judged(lines) is not None


@settings(max_examples=sample_size(75, nightly=300))
@given(st.lists(anything, max_size=6))
def test_random_json(values: list[Any]) -> None:
    judged([json.dumps(value) for value in values])
    judged([json.dumps(HEADER), *(json.dumps(value) for value in values)])


@settings(max_examples=sample_size(100, nightly=400))
@given(st.dictionaries(st.sampled_from(KEYS), anything, max_size=4), st.booleans())
def test_headers_with_anything_in_them(change: dict[str, Any], in_start: bool) -> None:
    header = HEADER | {"start": START | change} if in_start else HEADER | {"start": START} | change
    judged([json.dumps(header), '{"event": "placed", "card": "7s", "by": "A"}', '{"event": "swept", "to": "B"}'])


@settings(max_examples=sample_size(60, nightly=300))
@given(st.lists(st.tuples(events, extras, st.dictionaries(st.sampled_from(KEYS), anything, max_size=2)), max_size=8))
def test_events_with_anything_in_them(happenings: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]) -> None:
    lines = [json.dumps(HEADER | {"start": START})]
    lines += [json.dumps(event | change) for event, _, change in happenings]
    judged(list(lines))


@settings(max_examples=sample_size(15, nightly=60))
@given(st.sampled_from(range(len(LINES))), st.integers(0, 1 << 30), st.integers(1, 60))
def test_events_of_real_games_in_any_order(match: int, seed: int, length: int) -> None:
    rng = random.Random(seed)
    header, *rest = LINES[match]
    others = LINES[rng.randrange(len(LINES))][1:]
    drawn = rng.sample(rest, min(length, len(rest))) + rng.sample(others, min(length // 3, len(others)))
    rng.shuffle(drawn)
    lines = [header]
    for text in drawn:
        data = json.loads(text)
        del data["at"]
        lines.append(json.dumps(data))
    for line in judged(list(lines)):
        assert {"line", "ruling", "announce", "state"} & set(line)


@pytest.mark.thorough
@settings(max_examples=sample_size(8, nightly=25))
@given(st.integers(0, 1 << 30), st.integers(2, 6), st.booleans())
def test_careless_games_with_events_lost_doubled_and_slipped_in(seed: int, players: int, preset: bool) -> None:
    rng = random.Random(seed)
    house = None if preset else random_house(rng, players)
    names = [name for name, (_, numbers) in HOUSES.items() if players in numbers]
    session = CarelessSession(rng.choice(names) if preset else "podkidnoy-36", players, seed, house)
    session.play(1)
    lines = [json.dumps(session.record[0])]
    near: list[str] = []
    for data in session.record[1:120]:
        near = [*near[-8:], *(data[key] for key in ("card", "on") if data.get(key))]
        chance = rng.random()
        if chance < 0.04:
            continue
        if chance < 0.06:
            lines.append(json.dumps(data))
        if chance > 0.9 and near:
            lines.append(json.dumps(slipped_in(rng, session.seats, near) | {"at": data["at"]}))
        if chance > 0.97 and data["event"] == "placed":
            data = {**data, "confidence": rng.random(), "alternatives": [[rng.choice(near), rng.random() / 2]]}
            data.pop("by", None)
        lines.append(json.dumps(data))
    assert len(judged(list(lines))) > 1


def slipped_in(rng: random.Random, names: list[str], near: list[str]) -> dict[str, Any]:
    """Return an event about the cards at hand that did not happen so."""
    by = rng.choice(names)
    card, other = rng.choice(near), rng.choice(near)
    return rng.choice(
        (
            {"event": "placed", "card": card, "by": by},
            {"event": "placed", "card": card, "by": by, "on": other},
            {"event": "blocked", "reason": "unread", "on": other},
            {"event": "blocked", "reason": "unread", "by": by},
            {"event": "lifted", "card": card, "by": by},
            {"event": "swept", "to": rng.choice(("heap", by))},
            {"event": "swept", "to": by, "left": [card]},
            {"event": "drawn", "by": by, "count": rng.randint(1, 3)},
            {"event": "swapped", "card": card, "by": by},
            {"event": "shown", "card": card, "by": by},
            {"event": "reread", "was": card, "card": other},
            {"event": "blocked", "reason": "an arm"},
            {"event": "pressed", "button": "assign", "card": card, "to": by},
            {"event": "pressed", "button": rng.choice(("forgive", "undo", "take", "done", "wait", "pass")), "by": by},
        )
    )

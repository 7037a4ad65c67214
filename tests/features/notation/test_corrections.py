"""Notation of corrections: marks of plays, and nested events."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from features.notation.grammar import SourceText, branches, parse
from features.notation.parser import PlayReader
from features.notation.writer import play_text
from tests.referee.record_lines import cards, events, extras
from tests.sample_size import sample_size
from webapp.errors import NotationError

TAGS = "[Rules x] [Seats A B C] [Dealer A]\n"


def read(play: str, **marked: int) -> dict[str, Any]:
    """Return the keys of the event of one play."""
    source = SourceText(TAGS + play, "g.durak")
    item = branches(branches(parse(source.text, "g.durak"))[0])[-1]
    reader = PlayReader(source)
    reader.marked.update(marked)
    if item.data != "turn":
        act, *marks = branches(item)
        return reader.read(act, marks)
    act, *marks = branches(branches(item)[0])
    return reader.read(act, marks, next(item.scan_values(lambda token: token.type == "SEAT")))


def written(event: dict[str, Any]) -> str:
    """Return the play of an event."""
    return play_text({"event": "corrected", **event}, "").of_seat


@pytest.mark.parametrize(
    ("play", "event"),
    [
        ("A: correct #7 nothing", {"by": "A", "line": 7, "to": None}),
        (
            "A: correct #7 (B: 7s/9s@12.9)",
            {"by": "A", "line": 7, "to": {"event": "placed", "card": "9s", "on": "7s", "by": "B", "at": 12.9}},
        ),
        (
            "?: correct #7 (>B (left 7s)@3~0.5)",
            {"line": 7, "to": {"event": "swept", "to": "B", "left": ["7s"], "at": 3.0, "confidence": 0.5}},
        ),
        (
            "A: insert #4 (?: +2@14)",
            {"by": "A", "after": 4, "insert": {"event": "drawn", "count": 2, "at": 14.0}},
        ),
        (
            "A: table ([Hands A 5 B 4] [Talon 3] [Turnup none] [Attacker A] [Defender B] [HeapCount 4])",
            {
                "by": "A",
                "table": {
                    "hands": {"A": 5, "B": 4},
                    "talon": 3,
                    "turnup": None,
                    "attacker": "A",
                    "defender": "B",
                    "heap_count": 4,
                },
            },
        ),
    ],
)
def test_each_form_of_a_correction_round_trips(play: str, event: dict[str, Any]) -> None:
    assert read(play) == {"event": "corrected", **event}
    assert written(event) == play


def test_mark_refers_to_the_line_of_its_play() -> None:
    assert read("A: correct #oops nothing", oops=12)["line"] == 12
    assert read("A: correct #3 nothing", **{"3": 12})["line"] == 12


@pytest.mark.parametrize("inner", ["(B: 7s {why})", "(B: 7s #4)"])
def test_inner_event_with_mark_or_comment_is_refused(inner: str) -> None:
    with pytest.raises(NotationError, match=r"^g.durak:2:24: expected \) or ~, got "):
        read(f"A: correct #7   {inner}")


odd = st.none() | st.integers(-1, 10**10) | st.booleans() | cards | st.lists(cards, max_size=2) | st.just({})
whole_events = st.tuples(events, extras).map(lambda parts: parts[0] | parts[1])
tables = st.dictionaries(
    st.sampled_from(["hands", "talon", "turnup", "attacker", "defender", "heap_count", "known", "when"]),
    odd | st.dictionaries(st.sampled_from("ABC"), odd, max_size=3),
)


@settings(max_examples=sample_size(40, nightly=300))
@given(
    st.one_of(
        st.fixed_dictionaries({"line": odd, "to": whole_events | odd | st.fixed_dictionaries({"event": odd})}),
        st.fixed_dictionaries({"after": st.integers(1, 99), "insert": whole_events | odd}),
        st.fixed_dictionaries({"table": tables | odd}),
        st.dictionaries(st.sampled_from(["line", "to", "after", "insert", "table"]), odd),
    )
)
def test_random_corrections_round_trip(event: dict[str, Any]) -> None:
    assert read(written(event)) == {"event": "corrected", **event}

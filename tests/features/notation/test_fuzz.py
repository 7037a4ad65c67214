"""Fuzzing of the notation: random texts give a game or one error with its place."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from features.notation.parser import read_games
from features.notation.writer import write_games
from tests.features.notation.examples import EXAMPLES
from tests.sample_size import sample_size
from webapp.errors import NotationError

PIECES = [
    *("[", "]", "(", ")", "{", "}", '"', ";", "\n", " ", "&", "#7", "@", "~", "|", "%", "=", "!", "?", "??", ":", "/"),
    *(
        "7s",
        "10h",
        "Anna:",
        "?:",
        "+",
        "-",
        "+2",
        ">",
        ">heap",
        "take",
        "claim",
        "none",
        "high K",
        "1.",
        "-0",
        "9" * 400,
    ),
    *("[Rules", "[Seats A B]", "[%Start x 1]", "%x={", "|{", "correct #2 (", "table (", "event tick", "\ud800", "\x00"),
    *("[Hands", "\\", "\\u", "\u2028", "nothing", "@1e999", "@-1", "~2", "e\u0301", "\ufeff", "left"),
]
edits = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 6), st.sampled_from(PIECES) | st.text(max_size=3)), max_size=5
)


def read_or_refused(text: str) -> None:
    """Assert that the text gives an error with line and column, or a canonical form that prints to itself."""
    games, slip = (), ""
    try:
        games = read_games(text, "g.durak")
    except NotationError as error:
        slip = str(error)
    if slip:
        located = re.fullmatch(r"g\.durak:(\d+):(\d+): expected .{1,300}, got .{1,600}", slip)
        assert located is not None, slip
        assert 1 <= int(located[1]) <= text.count("\n") + 1
        return
    written = write_games(games)
    assert read_games(written) == games
    assert write_games(read_games(written)) == written
    written.encode("utf-8")


@settings(max_examples=sample_size(100, nightly=400))
@given(st.sampled_from(EXAMPLES), edits)
def test_random_edits(text: str, changes: list[tuple[float, int, str]]) -> None:
    for place, gone, piece in changes:
        at = int(place * len(text))
        text = text[:at] + piece + text[at + gone :]
    read_or_refused(text)


@settings(max_examples=sample_size(100, nightly=400))
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.booleans())
@example(['"'], True)
def test_pieces_in_any_order(pieces: list[str], apart: bool) -> None:
    for begin in ("", "[Rules x] [Seats A B] [Dealer A] ", "[Rules x] [Seats A B] [Dealer A] A: 7s "):
        read_or_refused(begin + (" " if apart else "").join(pieces))


@settings(max_examples=sample_size(100, nightly=400))
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    read_or_refused(text)
    read_or_refused("[Rules x] [Seats A B] [Dealer A] A: 7s %x=" + text)

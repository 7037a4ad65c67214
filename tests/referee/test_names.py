"""Length and display of names."""

from __future__ import annotations

import pytest

from referee.header import LONGEST_NAME, MOST_CODE_POINTS, can_be_shown, characters, is_too_long

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("", 0),
        ("Анна-Мария", 10),
        ("אליהו", 5),
        ("❤\ufe0f", 1),
        ("👩\u200d👩\u200d👧\u200d👦", 1),
        ("🇺🇦🇫🇷🇮🇱", 3),
        (ENGLAND, 1),
        ("👍🏽👍", 2),
        ("\u0301a", 2),
        ("می\u200cخواهم", 7),
    ],
)
def test_length_is_the_number_of_visible_characters(name: str, count: int) -> None:
    assert characters(name) == count


@pytest.mark.parametrize(
    ("name", "is_shown"),
    [("Vera", True), (ENGLAND, True), ("a\nb", False), ("a\u202eb", False), ("a\u200d", False), ("", True)],
)
def test_single_line_names_can_be_shown(name: str, is_shown: bool) -> None:
    assert can_be_shown(name) is is_shown


def test_name_with_many_combining_marks_is_refused() -> None:
    assert not is_too_long("👩🏽\u200d👩🏽\u200d👧🏽\u200d👦🏽" * LONGEST_NAME)
    assert is_too_long("B" * (LONGEST_NAME + 1))
    assert is_too_long("a" + "\u0301" * MOST_CODE_POINTS)

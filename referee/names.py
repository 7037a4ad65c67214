"""Check names of players, counted in visible characters: an emoji of several code points is one."""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 32
"""Visible characters of a seat's name: the most that the pages have room for."""
MOST_CODE_POINTS = 384
"""Code points of a name: 12 a character, as the longest emoji have. Limits the marks on one letter."""

_JOINER, _NON_JOINER = "\u200d", "\u200c"
_MARKS = frozenset({"Mn", "Me", "Mc"})


def characters(name: str) -> int:
    """
    Count the characters of a name as people do (the grapheme clusters of Unicode, Annex 29, without Hangul's parts).

    >>> [characters(name) for name in ("Anna", "Zoë", "e\u0301", "👩\u200d👩\u200d👧", "🇺🇦🇫🇷", "👍🏽")]
    [4, 3, 1, 1, 2, 1]
    """
    count, last, flags = 0, "", 0
    for each in name:
        flags = flags + 1 if _is_flag_letter(each) else 0
        is_joined = _extends(each) or last == _JOINER or (flags > 0 and flags % 2 == 0)
        count += not (is_joined and last)
        last = each
    return count


def can_be_shown(name: str) -> bool:
    """
    Check whether a name fits on one line: printable, with joiners only between other characters.

    >>> [can_be_shown(name) for name in ("Anna", "👩\u200d🚀", "bell\u0007", "\u200d")]
    [True, True, False, False]
    """
    if name[:1] in (_JOINER, _NON_JOINER) or name[-1:] in (_JOINER, _NON_JOINER):
        return False
    return all(each.isprintable() or each in (_JOINER, _NON_JOINER) or _is_tag(each) for each in name)


def is_too_long(name: str) -> bool:
    """Check whether a name is longer than pages can show."""
    return characters(name) > LONGEST_NAME or len(name) > MOST_CODE_POINTS


def _extends(each: str) -> bool:
    """Check whether it belongs to the character before it: a mark, a joiner, a skin tone or a flag's tag."""
    is_skin_tone = "\U0001f3fb" <= each <= "\U0001f3ff"
    return unicodedata.category(each) in _MARKS or each in (_JOINER, _NON_JOINER) or is_skin_tone or _is_tag(each)


def _is_tag(each: str) -> bool:
    return "\U000e0020" <= each <= "\U000e007f"


def _is_flag_letter(each: str) -> bool:
    return "\U0001f1e6" <= each <= "\U0001f1ff"

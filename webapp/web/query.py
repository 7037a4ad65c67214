"""Numbers in addresses, read only as far as anything here counts."""

from __future__ import annotations

import math

LARGEST = 2**31 - 1
"""Frames, lines and bytes of a piece stay below it, and every store can compare with it."""


def whole(text: str) -> int:
    """
    Read a whole number, for ``request.args.get(..., type=whole)``: ``ValueError`` makes that the default.

    >>> whole("12"), whole("-1")
    (12, -1)
    >>> whole("9223372036854775808")
    Traceback (most recent call last):
        ...
    ValueError: expected a number up to 2147483647
    """
    number = int(text) if len(text) <= 20 else LARGEST + 1
    if abs(number) > LARGEST:
        raise ValueError(f"expected a number up to {LARGEST}")
    return number


def seconds(text: str) -> float:
    """
    Read a time in seconds; ``ValueError`` for what is none.

    >>> seconds("1.5")
    1.5
    >>> seconds("nan")
    Traceback (most recent call last):
        ...
    ValueError: expected seconds
    """
    value = float(text)
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise ValueError("expected seconds")
    return value

"""Parse numbers in addresses, within the ranges that occur here."""

from __future__ import annotations

import math

LARGEST = 2**31 - 1
"""Frames, lines and bytes of a piece stay below it, and every store can compare with it."""


LATEST_MS = 1e14
"""Wall clock in milliseconds since 1970 that is still accepted: the year 5138."""


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
    Read a time in seconds; ``ValueError`` for anything else.

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


def wall_clock_ms(text: str) -> float:
    """
    Read a moment in milliseconds since 1970; ``ValueError`` for anything else.

    >>> wall_clock_ms("1764093600000.5")
    1764093600000.5
    >>> wall_clock_ms("1e300")
    Traceback (most recent call last):
        ...
    ValueError: expected milliseconds since 1970
    """
    value = float(text)
    if not 0 <= value <= LATEST_MS:
        raise ValueError("expected milliseconds since 1970")
    return value

"""
Parse JSON from others within limits.

A few kilobytes of zip or of brackets may stand for gigabytes of objects: Python makes some 240 bytes of each ``{}`` and
56 of each ``[``. So length, depth and the number of values are checked on the bytes, before anything is parsed.
"""

from __future__ import annotations

import json
import re
from typing import Any

MOST_BYTES = 8 << 20
"""Bytes of a record, or of its rulings: an evening of ten hours has 3 MB."""
MOST_DEPTH = 32
"""Brackets within brackets; a record line has seven at most."""
MOST_VALUES = 500_000
"""Values in one text: commas, colons and opening brackets. An evening of ten hours has 200,000."""
MOST_LINES = 100_000
"""Lines of a record: an evening of ten hours has 20,000."""

_STRINGS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)


def parse_limited(text: bytes) -> Any:
    """
    Parse one JSON text; ``ValueError`` where it is none or exceeds a limit.

    >>> parse_limited(b'{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> parse_limited(b"[" * 100)
    Traceback (most recent call last):
        ...
    ValueError: expected at most 32 brackets within brackets, got more
    """
    check_size(text)
    return json.loads(text)


def parse_lines_limited(text: bytes) -> tuple[Any, ...]:
    """Parse a JSON text a line; ``ValueError`` where one is none or all together exceed a limit."""
    check_size(text)
    if text.count(b"\n") > MOST_LINES:
        raise ValueError(f"expected at most {MOST_LINES} lines, got more")
    return tuple(json.loads(line) for line in text.splitlines())


def check_size(text: bytes) -> None:
    """Raise ``ValueError`` where a text would make more objects than a record needs."""
    if len(text) > MOST_BYTES:
        raise ValueError(f"expected at most {MOST_BYTES} bytes, got {len(text)}")
    bare = _STRINGS.sub(b"", text)
    if sum(bare.count(mark) for mark in (b",", b":", b"[", b"{")) > MOST_VALUES:
        raise ValueError(f"expected at most {MOST_VALUES} values, got more")
    _check_depth(bare)


def check_depth(text: bytes) -> None:
    """Raise ``ValueError`` where brackets lie deeper within brackets than in any record."""
    if text.count(b"[") + text.count(b"{") > MOST_DEPTH:
        _check_depth(_STRINGS.sub(b"", text))


def _check_depth(bare: bytes) -> None:
    depth = 0
    for bracket in re.findall(rb"[\[\]{}]", bare):
        depth += 1 if bracket in b"[{" else -1
        if depth > MOST_DEPTH:
            raise ValueError(f"expected at most {MOST_DEPTH} brackets within brackets, got more")

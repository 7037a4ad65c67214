"""
Values of a store that cannot be read, each by itself.

A disk that fails or a foreign program changes single values. Raising while a result is fetched would hide all its other
rows, so a value that can't be read becomes ``UNREADABLE``, and whoever needs it checks the row.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from math import isfinite
from typing import Any, Final, NoReturn

from webapp.json_limits import check_depth


class Unreadable:
    """The type of ``UNREADABLE``: no type that a column has, so that checks of types find it."""


UNREADABLE: Final = Unreadable()
"""What stands for a value that is damaged."""
YEARS = range(1900, 9000)
"""Years of a time that can be moved to any zone and added to."""


def read_text(raw: bytes) -> str | Unreadable:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return UNREADABLE


def read_json(text: Any) -> Any:
    """
    Parse a JSON value; ``UNREADABLE`` where it is none, too deep, or holds a number that is none.

    >>> read_json('{"at": 1.5}'), read_json("[" * 5000) is UNREADABLE, read_json("NaN") is UNREADABLE
    ({'at': 1.5}, True, True)
    """
    if not isinstance(text, str | bytes):  # PostgreSQL's driver passes bytes
        return UNREADABLE
    try:
        check_depth(text.encode() if isinstance(text, str) else text)
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except ValueError:
        return UNREADABLE


def read_time(value: datetime) -> datetime | Unreadable:
    """Return a time of the database, which may lack its zone, in UTC."""
    if value.year not in YEARS:
        return UNREADABLE
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"expected a number, got {text}")


def _finite(text: str) -> float:
    value = float(text)
    return value if isfinite(value) else _refuse(text)

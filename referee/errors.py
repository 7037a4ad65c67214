"""
Errors of the referee and its input. A player's mistake is never an exception: it is a ruling.

    RefereeError            everything below
    ├── RulebookError       house rules that contradict each other (also a ValueError)
    ├── RecordError         a record, or one event of it, that can't be used (also a ValueError)
    └── InvariantError      the referee's own ledger doesn't add up: a bug of ours, with the state in the message
"""

from __future__ import annotations


class RefereeError(Exception):
    """Any error the referee raises."""


class RulebookError(RefereeError, ValueError):
    """
    An unknown rule set or option, a value it can't have, or options that contradict each other.

    ``conflict``: the option that contradicts others, ``seats`` where these rules don't admit that number of players,
    else empty.
    """

    def __init__(self, message: str, conflict: str = "") -> None:
        super().__init__(message)
        self.conflict = conflict


class RecordError(RefereeError, ValueError):
    """A record that can't be used; the text reads ``FILE:LINE: expected ..., got ...`` where the line is known."""


class InvariantError(RefereeError):
    """The referee's own ledger doesn't add up. Keep the record: replaying it shows the bug again."""

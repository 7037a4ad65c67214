"""Parse arguments of the command line; an error is a sentence that says what was expected."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import TypeVar

from referee.cards import Card

MOST_WORKERS = 1024
"""Largest number of workers: more than the cores of any machine that reviews clips."""

LONGEST_TABLE = 60
"""Most characters of a table's name."""

T = TypeVar("T")


def checked(read: Callable[[str], T]) -> Callable[[str], T]:
    """Wrap a parser as an argparse type whose error sentence reaches the user."""

    def convert(text: str) -> T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return convert


def port_number(text: str) -> int:
    """
    Parse a port from 0 (any free one) to 65535.

    >>> port_number("8036")
    8036
    >>> port_number("80360")
    Traceback (most recent call last):
        ...
    ValueError: expected a port from 0 to 65535, got '80360'
    """
    if not (text.isascii() and text.isdigit() and int(text) < 65536):
        raise ValueError(f"expected a port from 0 to 65535, got {text!r}")
    return int(text)


def pack_size(text: str) -> int:
    """
    Parse the size of a pack.

    >>> pack_size("40")
    Traceback (most recent call last):
        ...
    ValueError: expected a pack of 24, 36 or 52 cards, got '40'
    """
    if text not in ("24", "36", "52"):
        raise ValueError(f"expected a pack of 24, 36 or 52 cards, got {text!r}")
    return int(text)


def clip_time(text: str) -> float:
    """
    Parse a time of a clip in seconds, or in minutes and seconds.

    >>> clip_time("75.5"), clip_time("1:15.5")
    (75.5, 75.5)
    >>> clip_time("soon")
    Traceback (most recent call last):
        ...
    ValueError: expected seconds such as 75.5, or 1:15.5, got 'soon'
    """
    match = re.fullmatch(r"(?:(\d{1,4}):)?(\d{1,6}(?:\.\d+)?)", text, re.ASCII)
    if match is None:
        raise ValueError(f"expected seconds such as 75.5, or 1:15.5, got {text!r}")
    return 60.0 * int(match[1] or 0) + float(match[2])


def deck_renaming(text: str) -> tuple[Card, Card]:
    """
    Parse the two names of ``--rename WAS=IS``.

    >>> [str(card) for card in deck_renaming("Jh=Kh")]
    ['Jh', 'Kh']
    >>> deck_renaming("Jh")
    Traceback (most recent call last):
        ...
    ValueError: expected WAS=IS such as Jh=Kh, got 'Jh'
    """
    was, equals, now = text.partition("=")
    if not equals:
        raise ValueError(f"expected WAS=IS such as Jh=Kh, got {text!r}")
    return Card.parse(was.strip()), Card.parse(now.strip())


def table_name(text: str) -> str:
    """
    Parse the name of a table.

    >>> table_name(" Küche 2 ")
    'Küche 2'
    >>> table_name("")
    Traceback (most recent call last):
        ...
    ValueError: expected a name of 1 to 60 characters that can be printed on one line, got ''
    """
    name = text.strip()
    if not (name and name.isprintable() and len(name) <= LONGEST_TABLE):
        raise ValueError(
            f"expected a name of 1 to {LONGEST_TABLE} characters that can be printed on one line, got {text!r:.80}"
        )
    return name


def worker_count(text: str) -> int:
    """
    Parse the number of clips that are reviewed in parallel.

    >>> worker_count("2")
    2
    >>> worker_count("0")
    Traceback (most recent call last):
        ...
    ValueError: expected a number of workers from 1 to 1024, got '0'
    """
    if not text.isdigit() or not 1 <= int(text) <= MOST_WORKERS:
        raise ValueError(f"expected a number of workers from 1 to {MOST_WORKERS}, got {text!r:.40}")
    return int(text)

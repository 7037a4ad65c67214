"""The command line of `kozyr analyse`."""

from __future__ import annotations

import argparse

from webapp.commands.argument_types import checked, worker_count

MOST_PLAYOUTS = 10_000_000


def playout_count(text: str) -> int:
    """
    Parse the number of games that are played out for a decision.

    >>> playout_count("4000")
    4000
    >>> playout_count("0")
    Traceback (most recent call last):
        ...
    ValueError: expected a number of playouts from 1 to 10000000, got '0'
    """
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_PLAYOUTS):
        raise ValueError(f"expected a number of playouts from 1 to {MOST_PLAYOUTS}, got {text!r:.40}")
    return int(text)


def seed_number(text: str) -> int:
    """
    Parse the seed of the random numbers.

    >>> seed_number("7")
    7
    >>> seed_number("x")
    Traceback (most recent call last):
        ...
    ValueError: expected a whole number as seed, got 'x'
    """
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"expected a whole number as seed, got {text!r:.40}") from None


def add_analyse_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `kozyr analyse`: which record, and how many playouts."""
    command.add_argument("source", metavar="RECORD|MATCH", help="a record, a game in notation, or a kept match's ID")
    command.add_argument(
        "--playouts", type=checked(playout_count), metavar="N", help="games played out for each decision (1000)"
    )
    command.add_argument(
        "--seed", type=checked(seed_number), default=0, metavar="S", help="the same seed gives the same lines"
    )
    command.add_argument(
        "--workers", type=checked(worker_count), default=1, metavar="N", help="so many decisions side by side"
    )
    command.add_argument("--dask", metavar="ADDRESS", help="on the workers of this Dask scheduler")
    command.add_argument("--json", action="store_true", help="one JSON object per line on standard output")

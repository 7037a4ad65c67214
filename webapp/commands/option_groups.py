"""
Groups of command-line options that several commands share, the types of their arguments, and frozen options of them.

Each command's module has ``call(arguments)``, which makes its options and runs it; nothing behind that gets an
``argparse.Namespace``.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from referee.cards import Card
from referee.header import TONES
from vision.enrolment.deck_file import deck_name
from webapp.commands.match_header import HeaderOptions, option, seat_names
from webapp.commands.options import ServingOptions, TableOptions
from webapp.live.match_options import DetectorOptions, FileOptions, KeepingOptions
from webapp.live.notification import SECRET_VARIABLE, checked_address
from webapp.text.catalogue import LANGUAGES
from webapp.web.port import PORT

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


THIS_MACHINE, EVERYWHERE = "127.0.0.1", "0.0.0.0"
Parsers = Any
"""What ``ArgumentParser.add_subparsers`` returns; its class is private to argparse."""


def add_set_option(command: argparse.ArgumentParser) -> None:
    """Add ``--set OPTION=VALUE``: other options of the rule set."""
    command.add_argument(
        "--set",
        dest="options",
        action="append",
        default=[],
        type=checked(option),
        metavar="OPTION=VALUE",
        help="one option of the rule set; may be repeated",
    )


def add_match_options(command: argparse.ArgumentParser) -> None:
    """Add the options of a match: rules, seats, start, pack, networks, deck."""
    command.add_argument("--rules", metavar="NAME", help="rule set; 'kozyr rules' lists them")
    add_set_option(command)
    command.add_argument(
        "--seats", type=checked(seat_names), default=(), metavar="A,B,C", help="clockwise, the first at the bottom edge"
    )
    command.add_argument("--start", type=Path, metavar="HEADER.json", help="begin from this position")
    command.add_argument("--pack", type=checked(pack_size), metavar="24|36|52", help="cards in play")
    add_weights_option(command)
    add_deck_option(command)
    add_language_option(command)
    command.add_argument("--json", action="store_true", help="one JSON object per line on standard output")
    add_verbosity_option(command)


def add_weights_option(command: argparse.ArgumentParser) -> None:
    """Add ``--weights``."""
    command.add_argument("--weights", type=Path, metavar="FILE", help="other weights than the ones shipped")


def add_deck_option(command: argparse.ArgumentParser) -> None:
    """Add ``--deck``."""
    command.add_argument(
        "--deck", type=checked(deck_name), metavar="NAME", help="your own deck, shown before with 'kozyr enrol NAME'"
    )


def add_language_option(command: argparse.ArgumentParser) -> None:
    """Add ``--language``."""
    command.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0], help="language of the sentences")


def add_verbosity_option(command: argparse.ArgumentParser) -> None:
    """Add ``-v``."""
    command.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=0,
        help="say on standard error what happens inside; -vv: every inference and every tracked card as well",
    )


def add_page_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the commands that serve a table's page."""
    command.add_argument("--exit", action="store_true", help="end when the source ends")
    command.add_argument(
        "--tone",
        choices=TONES,
        help="call faults at once (the usual), only hint with a sound, or stay silent until somebody challenges",
    )
    add_serving_options(command, PORT)
    command.add_argument("--record", type=Path, metavar="FILE", help="write the record (JSONL) there as well")
    command.add_argument(
        "--zones", type=Path, metavar="FILE", help="keep where seats, talon and heap were dragged to, for the next game"
    )


def add_serving_options(command: argparse.ArgumentParser, port: int) -> None:
    """Add where and how the page is served, and who may open it."""
    command.add_argument("--no-browser", action="store_true", help="do not open the page")
    command.add_argument(
        "--host",
        help=f"address to serve the page at (default: {THIS_MACHINE}; 'kozyr', 'demo', 'watch phone': {EVERYWHERE})",
    )
    command.add_argument(
        "--pair",
        choices=("always", "never"),
        help="ask for a code on this machine too, or ask nobody (default: ask everybody but this machine)",
    )
    command.add_argument(
        "--pairing", type=Path, metavar="FILE", help="write address, token and PIN there as JSON, readable by you alone"
    )
    command.add_argument(
        "--tls",
        action="store_true",
        help="serve the page over https with a certificate of its own, so that tablets keep their screen on and may "
        "add the page to the home screen",
    )
    command.add_argument("--port", type=checked(port_number), help=f"port to serve the page at (default: {port})")


def add_store_option(command: argparse.ArgumentParser) -> None:
    """Add ``--store``."""
    command.add_argument(
        "--store",
        metavar="URL",
        help="where matches are kept: sqlite:///FILE or postgresql://HOST/NAME (default: $KOZYR_STORE, else a file in "
        "$KOZYR_HOME)",
    )


def add_films_option(command: argparse.ArgumentParser, **default: Any) -> None:
    """Add ``--films``."""
    command.add_argument(
        "--films",
        type=Path,
        metavar="DIR",
        help="where films of matches are kept (default: beside the store; thrown away after 30 days or beyond 20 GB)",
        **default,
    )


def add_keeping_options(command: argparse.ArgumentParser, *, usual: bool) -> None:
    """Add whether, where and under which table's name a match is kept; ``usual``: it is kept unless forbidden."""
    if usual:
        command.add_argument("--no-keep", dest="keep", action="store_false", help="do not keep the match")
        command.add_argument(
            "--notify",
            type=checked(checked_address),
            metavar="URL",
            help=f"POST every line to this address as JSON, signed with ${SECRET_VARIABLE} where it is set",
        )
    else:
        command.add_argument("--keep", action="store_true", help="keep the match in the store")
    add_store_option(command)
    add_films_option(command)
    command.add_argument("--no-film", dest="film", action="store_false", help="do not film the match that is kept")
    command.add_argument(
        "--table",
        type=checked(table_name),
        metavar="NAME",
        help="the table's name (default: the name of this machine)",
    )


def add_resume_option(command: argparse.ArgumentParser) -> None:
    """Add ``--resume``; an empty ID is the newest match of the table that has not ended."""
    command.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="ID",
        help="go on with this kept match (default: the newest of this table that has not ended)",
    )


def add_sentence_options(command: argparse.ArgumentParser) -> None:
    """Add ``--json``, ``--language`` and ``--set`` for the commands without a camera."""
    command.add_argument("--json", action="store_true", help="one JSON object per line")
    add_language_option(command)
    add_set_option(command)


def header_options(arguments: argparse.Namespace) -> HeaderOptions:
    """Return the options about the match's header."""
    return HeaderOptions(
        rules=arguments.rules,
        options=tuple(arguments.options),
        seats=arguments.seats,
        start=arguments.start,
        pack=arguments.pack,
        tone=arguments.tone,
    )


def detector_options(arguments: argparse.Namespace) -> DetectorOptions:
    """Return which networks and which deck."""
    return DetectorOptions(arguments.weights, arguments.deck)


def keeping_options(arguments: argparse.Namespace, *, must_keep: bool) -> KeepingOptions:
    """Return whether and where the match is kept."""
    return KeepingOptions(
        arguments.keep,
        must_keep,
        arguments.store,
        arguments.films,
        arguments.film,
        arguments.table,
        arguments.resume,
    )


def serving_options(arguments: argparse.Namespace, usual_host: str = THIS_MACHINE) -> ServingOptions:
    """Return where the page is served; ``usual_host``: the address without ``--host``."""
    return ServingOptions(
        usual_host if arguments.host is None else arguments.host,
        arguments.port,
        arguments.tls,
        arguments.pair,
        arguments.pairing,
        opens_browser=not arguments.no_browser,
    )


def table_options(
    arguments: argparse.Namespace, *, must_keep: bool, is_paced: bool = True, usual_host: str = THIS_MACHINE
) -> TableOptions:
    """Return the options of a table with its page."""
    return TableOptions(
        serving_options(arguments, usual_host),
        detector_options(arguments),
        keeping_options(arguments, must_keep=must_keep),
        FileOptions(arguments.start, arguments.record, arguments.zones),
        arguments.language,
        as_json=arguments.json,
        exits=arguments.exit,
        is_paced=is_paced,
        notify=arguments.notify,
    )

"""What the command line says about the store of kept matches: options, and the shape of ``kozyr matches``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from webapp.commands.match_header import option
from webapp.live.notification import SECRET_VARIABLE, checked_address
from webapp.text.catalogue import LANGUAGES

Parsers = Any
"""What ``ArgumentParser.add_subparsers`` gives back; its class is private to argparse."""
LONGEST_TABLE = 60


def table_name(text: str) -> str:
    """
    What a table may be called.

    >>> table_name(" Küche 2 ")
    'Küche 2'
    >>> table_name("")
    Traceback (most recent call last):
        ...
    argparse.ArgumentTypeError: expected a name of 1 to 60 characters that can be printed on one line, got ''
    """
    name = text.strip()
    if not (name and name.isprintable() and len(name) <= LONGEST_TABLE):
        raise argparse.ArgumentTypeError(
            f"expected a name of 1 to {LONGEST_TABLE} characters that can be printed on one line, got {text!r:.80}"
        )
    return name


def read_option(text: str) -> tuple[str, Any]:
    """``OPTION=VALUE``, as argparse wants it."""
    try:
        return option(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_store_option(command: argparse.ArgumentParser) -> None:
    """Which store."""
    command.add_argument(
        "--store",
        metavar="URL",
        help="where matches are kept: sqlite:///FILE or postgresql://HOST/NAME (default: $KOZYR_STORE, else a file in "
        "$KOZYR_HOME)",
    )


def add_films_option(command: argparse.ArgumentParser, **default: Any) -> None:
    """Where the films of kept matches lie."""
    command.add_argument(
        "--films",
        type=Path,
        metavar="DIR",
        help="where films of matches are kept (default: beside the store; thrown away after 30 days or beyond 20 GB)",
        **default,
    )


def add_keeping_options(command: argparse.ArgumentParser, *, usual: bool) -> None:
    """Whether, where and under which table's name a match is kept; ``usual``: without being asked for."""
    if usual:
        command.add_argument("--no-keep", dest="keep", action="store_false", help="do not keep the match")
        command.add_argument(
            "--notify",
            type=notified_address,
            metavar="URL",
            help=f"POST every line to this address as JSON, signed with ${SECRET_VARIABLE} where it is set",
        )
    else:
        command.add_argument("--keep", action="store_true", help="keep the match in the store")
    add_store_option(command)
    add_films_option(command)
    command.add_argument("--no-film", dest="film", action="store_false", help="do not film the match that is kept")
    command.add_argument(
        "--table", type=table_name, metavar="NAME", help="the table's name (default: the name of this machine)"
    )


def notified_address(text: str) -> str:
    """Return the address of ``--notify``; an argument error where it is none."""
    try:
        return checked_address(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_resume_option(command: argparse.ArgumentParser) -> None:
    """Going on with a kept match; an empty ID is the newest of the table that has not ended."""
    command.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="ID",
        help="go on with this kept match (default: the newest of this table that has not ended)",
    )


def add_matches_parser(subparsers: Parsers) -> argparse.ArgumentParser:
    """The command line of ``kozyr matches``."""
    what = "List, show, judge again, export and delete kept matches; say how often everybody was the fool."
    top: argparse.ArgumentParser = subparsers.add_parser("matches", help=what, description=what, allow_abbrev=False)
    top.set_defaults(action="list")
    _add_common_options(top)
    actions = top.add_subparsers(metavar="ACTION", dest="action")

    def action(name: str, help_: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = actions.add_parser(name, help=help_, description=help_, allow_abbrev=False)
        made.add_argument("match", metavar="ID", help="the match, as 'kozyr matches' lists it")
        return made

    show = action("show", "Header, events and what was said to them, in order.")
    export = action(
        "export", "Write the record, the game in notation, the film and what they were made with into a zip file."
    )
    export.add_argument("file", type=Path, metavar="FILE.zip", help="a new file")
    delete = action("delete", "Forget a match for good.")
    delete.add_argument("--yes", action="store_true", help="yes, for good")
    rejudge = action("rejudge", "Judge a match again, and say ruling by ruling what comes out differently.")
    rejudge.add_argument("--from-film", action="store_true", help="look at its film with today's eye (default: record)")
    rejudge.add_argument("--rules", metavar="NAME", help="by this rule set")
    rejudge.add_argument(
        "--set",
        dest="options",
        action="append",
        default=[],
        type=read_option,
        metavar="OPTION=VALUE",
        help="by another option; may be repeated",
    )
    moment = action("moment", "Pack a moment for others: the record, ten seconds of film, its cards, what was said.")
    moment.add_argument("line", type=int, metavar="LINE", help="the line of the record that it is about")
    moment.add_argument("file", type=Path, metavar="FILE.zip", help="a new file")
    moment.add_argument("--no-film", dest="film", action="store_false", help="without pictures: the record alone")
    again = "Judge a moment that was sent: what was said then, and what is said today of its record and of its film."
    replay = actions.add_parser("replay-moment", help=again, description=again, allow_abbrev=False)
    replay.add_argument("file", type=Path, metavar="FILE.zip", help="as 'kozyr matches moment' packed it")
    for made in (rejudge, replay):
        made.add_argument("--weights", type=Path, metavar="FILE", help="other weights than the ones shipped")
        made.add_argument("--deck", metavar="NAME", help="your own deck, shown before with 'kozyr enrol NAME'")
        made.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0], help="language of the sentences")
    box = "Keep cards that people put right as labelled pictures for training, on this machine (off unless you say so)."
    pictures = actions.add_parser("labelled", help=box, description=box, allow_abbrev=False)
    wish = pictures.add_mutually_exclusive_group()
    wish.add_argument("--on", dest="wish", action="store_const", const="on", help="keep them from now on")
    wish.add_argument("--off", dest="wish", action="store_const", const="off", help="keep none from now on")
    wish.add_argument("--delete", dest="wish", action="store_const", const="delete", help="delete all that were kept")
    told = "Evenings and scores: who played, who was the fool how often, teams and streaks."
    scores = actions.add_parser("scores", help=told, description=told, allow_abbrev=False)
    scores.add_argument("--csv", action="store_true", help="a row for each player of each evening, for spreadsheets")
    for made in (show, export, delete, rejudge, moment, replay, pictures, scores):
        _add_common_options(made, default=argparse.SUPPRESS)
    return top


def _add_common_options(parser: argparse.ArgumentParser, **default: Any) -> None:
    # Said before the action or after it, it is the same; SUPPRESS keeps what was said before.
    parser.add_argument("--json", action="store_true", help="one JSON object per line", **default)
    parser.add_argument("--store", metavar="URL", help="another store than the usual one", **default)
    add_films_option(parser, **default)

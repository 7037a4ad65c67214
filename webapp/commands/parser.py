"""The command line of `kozyr`: its commands and their options."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Sequence
from difflib import get_close_matches
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from vision.enrolment.deck_file import card_list, deck_name
from webapp.commands.option_groups import (
    Parsers,
    add_films_option,
    add_keeping_options,
    add_language_option,
    add_match_options,
    add_page_options,
    add_resume_option,
    add_sentence_options,
    add_serving_options,
    add_set_option,
    add_store_option,
    add_verbosity_option,
    add_weights_option,
    checked,
    clip_time,
    deck_renaming,
    pack_size,
    worker_count,
)
from webapp.errors import WrongCallError
from webapp.web.port import HALL_PORT

ARGPARSE_SAYS = (
    (r"^argument (.+?): invalid choice: (.+) \(choose from (.+)\)$", r"expected \1 to be one of \3, got \2"),
    (r"^the following arguments are required: (.+)$", r"expected \1, got nothing"),
    (r"^argument (.+?): (expected .+)$", r"\1: \2"),
)
"""Patterns of argparse's messages, and the same in the form of ours: what was expected, what came."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises ``WrongCallError`` with one sentence."""

    def error(self, message: str) -> NoReturn:
        wrong = re.search(r"invalid choice: '(.+?)' \(choose from (.+)\)$", message)
        meant = get_close_matches(wrong[1], re.findall(r"[\w-]+", wrong[2]), 1) if wrong else []
        for pattern, sentence in ARGPARSE_SAYS:
            message = re.sub(pattern, sentence, message)
        raise WrongCallError(message + self.hint(meant))

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; suggest an option of the command where one is spelled wrongly."""
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            options = self.options_of(getattr(parsed, "command", None), getattr(parsed, "action", None))
            meant = get_close_matches(unknown[0].partition("=")[0], options, 1) if unknown[0].startswith("-") else []
            message = f"expected options that this command has, got {' '.join(unknown)}"
            raise WrongCallError(message + self.hint(meant))
        return parsed

    def hint(self, meant: Sequence[str]) -> str:
        """Return the end of an error message: the word that was meant, else where help is."""
        return f"; did you mean {meant[0]}?" if meant else f"; '{self.prog} --help' shows how it is called"

    def options_of(self, *path: str | None) -> list[str]:
        """Return the options of a command, ``path``: its name and its action's; None: this parser's own."""
        chosen: argparse.ArgumentParser = self
        for name in path:
            below = [each for each in chosen._actions if isinstance(each, argparse._SubParsersAction)]
            chosen = below[0].choices[name] if below and name in below[0].choices else chosen
        return list(chosen._option_string_actions)


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def parser() -> Parser:
    """Return the parser of the whole command line."""
    top = Parser(
        prog="kozyr",
        usage="kozyr [COMMAND] [OPTIONS]",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"kozyr {version('kozyr')}")
    top.set_defaults(verbose=0, tone=None, resume=None)  # for the commands without these options
    commands = top.add_subparsers(
        prog="kozyr", dest="command", metavar="COMMAND", required=True, help=argparse.SUPPRESS
    )

    _add_live_commands(commands)
    _add_clip_commands(commands)
    _add_enrol_command(commands)
    _add_record_commands(commands)
    _add_upkeep_commands(commands)
    top.description = _overview(commands)
    return top


FOR_PLAYERS = ("demo", "watch", "rules", "matches", "analyse", "enrol", "doctor")
"""Commands that the first help screen shows first, in this order; all others are for programs."""


def _overview(commands: Commands) -> str:
    """Return the first help screen: what the program is, and its commands."""
    others = tuple(name for name in commands.choices if name not in FOR_PLAYERS)
    parts = ["Referees Durak played with real cards under a camera."]
    for title, names in (("for players:", ("", *FOR_PLAYERS)), ("for programs:", others)):
        parts += ["", title]
        for name in names:
            what = commands.choices[name].description if name else "Open the page on which a game is set up."
            lines = textwrap.wrap(str(what), 62)
            parts += [f"  {f'kozyr {name}' if k == 0 else '':15} {text}" for k, text in enumerate(lines)]
    return "\n".join(
        (
            *parts,
            "",
            "'kozyr COMMAND --help' shows the options of a command; those of the page",
            "(--host ADDRESS, --tls, ...) go with 'kozyr' alone, too.",
        )
    )


def _command(commands: Commands, name: str, what: str) -> Parser:
    made = commands.add_parser(name, help=what, description=what, allow_abbrev=False)
    made.set_defaults(module=name)
    return made


def _add_live_commands(commands: Commands) -> None:
    """Add the commands that referee a table while it is played."""
    demo = _command(commands, "demo", "Play the recording that ships with the program, with the dashboard.")
    add_match_options(demo)
    add_page_options(demo)
    add_keeping_options(demo, usual=True)

    watch = _command(commands, "watch", "Referee a table live, with the dashboard.")
    watch.add_argument(
        "source",
        metavar="SOURCE",
        help="camera number, device, stream URL, video, folder of pictures; 'phone' waits for a phone to be the camera",
    )
    add_match_options(watch)
    add_page_options(watch)
    add_keeping_options(watch, usual=True)
    add_resume_option(watch)


def _add_clip_commands(commands: Commands) -> None:
    """Add the commands that read pictures and recorded games."""
    read = _command(commands, "read", "Say what lies on still pictures.")
    read.add_argument("pictures", metavar="PICTURE", nargs="+", help="a picture (JPEG, PNG, ...)")
    add_match_options(read)

    review = _command(commands, "review", "Referee a recorded game as fast as the machine allows.")
    review.add_argument(
        "clip",
        metavar="CLIP",
        nargs="+",
        help="a video, a folder of videos, a folder of pictures, or the ID of a kept match; any number",
    )
    review.add_argument(
        "--out", type=Path, metavar="DIR", help="write each clip's lines into DIR/NAME.jsonl; what is there is skipped"
    )
    review.add_argument(
        "--workers", type=checked(worker_count), default=1, metavar="N", help="with --out: so many clips side by side"
    )
    review.add_argument("--dask", metavar="ADDRESS", help="with --out: on the workers of this Dask scheduler")
    add_match_options(review)
    review.add_argument(
        "--from",
        dest="begin_s",
        type=checked(clip_time),
        default=0.0,
        metavar="S",
        help="begin at that second of the clip, with the game as --start says",
    )
    review.add_argument(
        "--whole-picture", action="store_true", help="do not cut off bars and panels beside the film's picture"
    )
    review.add_argument("--record", type=Path, metavar="FILE", help="write the record (JSONL) there as well")
    review.add_argument("--zones", type=Path, metavar="FILE", help="where things lie, as kept by watch --zones")
    add_keeping_options(review, usual=False)

    trace = _command(commands, "trace", "Show what every stage saw and thought of a moment of a recorded game.")
    trace.add_argument("clip", metavar="CLIP", help="a video")
    trace.add_argument(
        "--from", dest="begin_s", type=checked(clip_time), required=True, metavar="S", help="first second to show"
    )
    trace.add_argument(
        "--to", dest="end_s", type=checked(clip_time), required=True, metavar="S", help="last second to show"
    )
    trace.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for index.html and trace.jsonl")
    add_match_options(trace)
    trace.add_argument("--zones", type=Path, metavar="FILE", help="where things lie, as kept by watch --zones")


def _add_enrol_command(commands: Commands) -> None:
    """Add the command that learns a deck."""
    enrol = _command(commands, "enrol", "Learn the look of your own deck from its cards shown once.")
    enrol.add_argument("name", type=checked(deck_name), metavar="NAME", help="a name, or a file ending in .deck")
    enrol.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        help="camera number, device, stream URL, video, picture, folder of pictures",
    )
    enrol.add_argument("--pack", type=checked(pack_size), metavar="24|36|52", help="cards in the deck (default: 36)")
    enrol.add_argument(
        "--order",
        type=checked(card_list),
        default=(),
        metavar="CARDS",
        help="the order in which they are shown or lie in rows: '6s-As,6h-Ah,6d-Ad,6c-Ac'",
    )
    enrol.add_argument("--more", action="store_true", help="keep what was learnt of this deck and add to it")
    enrol.add_argument(
        "--rename",
        action="append",
        default=[],
        type=checked(deck_renaming),
        metavar="WAS=IS",
        help="put a name right (or, with both alike, confirm it); may be repeated",
    )
    add_weights_option(enrol)
    enrol.add_argument("--json", action="store_true", help="one JSON object on standard output")
    add_verbosity_option(enrol)


def _add_record_commands(commands: Commands) -> None:
    """Add the commands that work on records and kept matches."""
    referee = _command(commands, "referee", "Judge a match record.")
    referee.add_argument("record", metavar="RECORD", help="a record (JSONL); - is standard input")
    referee.add_argument("--states", action="store_true", help="the position after each event as well")
    referee.add_argument("--rules", metavar="NAME", help="judge by this rule set instead of the record's")
    add_sentence_options(referee)

    rules = _command(commands, "rules", "Explain rule sets and house rules.")
    rules.add_argument("name", metavar="NAME", nargs="?", help="one rule set only")
    add_sentence_options(rules)

    add_matches_parser(commands)

    analyse = _command(
        commands, "analyse", "Rate the plays of a match that is over: what each cost, and what was best."
    )
    add_analyse_options(analyse)
    add_language_option(analyse)
    add_store_option(analyse)
    add_verbosity_option(analyse)

    convert = _command(commands, "convert", "Turn a record (.jsonl) into the notation (.durak), or back.")
    convert.add_argument("input", metavar="INPUT", help="a record or a game in notation; - is standard input")
    convert.add_argument("output", metavar="OUTPUT", help="the file to write; - is standard output")
    convert.add_argument("--to", choices=("record", "notation"), help="what to write, where no file ending tells")
    convert.add_argument("--force", action="store_true", help="overwrite OUTPUT if it is there")


def _add_upkeep_commands(commands: Commands) -> None:
    """Add the commands for the hall and for checking the machine."""
    hall = _command(commands, "hall", "Serve one page over all tables that share a store.")
    add_store_option(hall)
    add_films_option(hall)
    add_serving_options(hall, HALL_PORT)
    add_verbosity_option(hall)

    doctor = _command(commands, "doctor", "Say what this machine has, what is missing, and how to mend it.")
    doctor.add_argument("--weights", type=Path, metavar="FILE", help="look at other weights than the ones shipped")
    doctor.add_argument("--json", action="store_true", help="one JSON object per line")
    add_verbosity_option(doctor)


def setup_parser() -> Parser:
    """Return the parser of `kozyr` alone: everything about the game is chosen on the page."""
    alone = Parser(prog="kozyr", description="Open the page on which a game is set up.", allow_abbrev=False)
    add_weights_option(alone)
    add_language_option(alone)
    alone.add_argument("--json", action="store_true", help="one JSON object per line on standard output")
    add_verbosity_option(alone)
    add_page_options(alone)
    add_keeping_options(alone, usual=True)
    alone.set_defaults(module="setup", resume=None, start=None, deck=None)
    return alone


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a call of a command, or of `kozyr` alone with options of its page."""
    is_alone = not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help", "--version"))
    called: argparse.Namespace = (setup_parser() if is_alone else parser()).parse_args(arguments)
    return called


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


def add_matches_parser(subparsers: Parsers) -> argparse.ArgumentParser:
    """Add the parser of ``kozyr matches`` and return it."""
    what = "List, show, judge again, export and delete kept matches; say how often everybody was the fool."
    top: argparse.ArgumentParser = subparsers.add_parser("matches", help=what, description=what, allow_abbrev=False)
    top.set_defaults(action="list", module="matches")
    _add_common_options(top)
    actions = top.add_subparsers(metavar="ACTION", dest="action")

    def action(name: str, help_: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = actions.add_parser(name, help=help_, description=help_, allow_abbrev=False)
        return made

    def about_match(name: str, help_: str) -> argparse.ArgumentParser:
        made = action(name, help_)
        made.add_argument("match", metavar="ID", help="the match, as 'kozyr matches' lists it")
        return made

    show = about_match("show", "Header, events, rulings and announcements, in order.")
    export = about_match(
        "export", "Write the record, the game in notation, the film and what they were made with into a zip file."
    )
    export.add_argument("file", type=Path, metavar="FILE.zip", help="a new file")
    delete = about_match("delete", "Forget a match for good.")
    delete.add_argument("--yes", action="store_true", help="yes, for good")
    rejudge = about_match("rejudge", "Judge a match again, and say ruling by ruling what comes out differently.")
    rejudge.add_argument("--from-film", action="store_true", help="read its film with today's networks, not its record")
    rejudge.add_argument("--rules", metavar="NAME", help="by this rule set")
    add_set_option(rejudge)
    moment = about_match("moment", "Pack a moment for others: the record, ten seconds of film, its cards, its calls.")
    moment.add_argument("line", type=int, metavar="LINE", help="the line of the record that it is about")
    moment.add_argument("file", type=Path, metavar="FILE.zip", help="a new file")
    moment.add_argument("--no-film", dest="film", action="store_false", help="without pictures: the record alone")
    replay = action(
        "replay-moment", "Judge a moment that was sent: its calls then, and those of its record and its film today."
    )
    replay.add_argument("file", type=Path, metavar="FILE.zip", help="as 'kozyr matches moment' packed it")
    for made in (rejudge, replay):
        add_weights_option(made)
        made.add_argument("--deck", metavar="NAME", help="your own deck, shown before with 'kozyr enrol NAME'")
        add_language_option(made)
    rejudge.set_defaults(module="rejudge")
    for made in (moment, replay):
        made.set_defaults(module="moments")
    pictures = action(
        "labelled",
        "Keep cards that people put right as labelled pictures for training, on this machine (off unless you say so).",
    )
    wish = pictures.add_mutually_exclusive_group()
    wish.add_argument("--on", dest="wish", action="store_const", const="on", help="keep them from now on")
    wish.add_argument("--off", dest="wish", action="store_const", const="off", help="keep none from now on")
    wish.add_argument("--delete", dest="wish", action="store_const", const="delete", help="delete all that were kept")
    scores = action("scores", "Evenings and scores: who played, who was the fool how often, teams and streaks.")
    scores.add_argument("--csv", action="store_true", help="a row for each player of each evening, for spreadsheets")
    for made in (show, export, delete, rejudge, moment, replay, pictures, scores):
        _add_common_options(made, default=argparse.SUPPRESS)
    return top


def _add_common_options(parser: argparse.ArgumentParser, **default: Any) -> None:
    # The same before the action or after it; SUPPRESS keeps a value given before.
    parser.add_argument("--json", action="store_true", help="one JSON object per line", **default)
    parser.add_argument("--store", metavar="URL", help="another store than the usual one", **default)
    add_films_option(parser, **default)

"""The command line of `kozyr`: its commands and their options, each with what runs it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

from referee.header import TONES
from webapp.commands.argument_types import (
    checked,
    clip_time,
    deck_called,
    deck_renaming,
    pack_size,
    port_number,
    told_order,
    worker_count,
)
from webapp.commands.match_header import Wishes, option, seat_names
from webapp.commands.pairing_options import add_pairing_options
from webapp.commands.referee import add_referee_parser, run_referee
from webapp.commands.rules import add_rules_parser, run_rules
from webapp.commands.store_options import (
    add_films_option,
    add_keeping_options,
    add_matches_parser,
    add_resume_option,
    add_store_option,
)
from webapp.errors import WrongCallError
from webapp.text.catalogue import LANGUAGES
from webapp.web.port import HALL_PORT, PORT

THIS_MACHINE, EVERYWHERE = "127.0.0.1", "0.0.0.0"
ARGPARSE_SAYS = (
    (r"^argument (.+?): invalid choice: (.+) \(choose from (.+)\)$", r"expected \1 to be one of \3, got \2"),
    (r"^the following arguments are required: (.+)$", r"expected \1, got nothing"),
    (r"^unrecognized arguments: (.+)$", r"expected options that this command has, got \1"),
    (r"^argument (.+?): (expected .+)$", r"\1: \2"),
)
"""How argparse puts it, and how we do: what was expected, what came."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong with a call in one line."""

    def error(self, message: str) -> NoReturn:
        for pattern, sentence in ARGPARSE_SAYS:
            message = re.sub(pattern, sentence, message)
        raise WrongCallError(f"{message}; '{self.prog} --help' shows how it is called")


def parser() -> Parser:
    """The whole command line."""
    top = Parser(
        prog="kozyr",
        description="Referees Durak played with real cards. Without a command it opens the page on which a game is "
        "set up; 'kozyr --host ADDRESS' and the other options of the page go with that too.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"kozyr {version('kozyr')}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, what: str) -> Parser:
        return commands.add_parser(name, help=what, description=what, allow_abbrev=False)

    demo = command("demo", "Play the recording that ships with the program, with the dashboard.")
    _match_options(demo)
    _page_options(demo)
    add_keeping_options(demo, usual=True)
    demo.set_defaults(run=_demo)

    watch = command("watch", "Referee a table live, with the dashboard.")
    watch.add_argument(
        "source",
        metavar="SOURCE",
        help="camera number, device, stream URL, video, folder of pictures; 'phone' waits for a phone to be the camera",
    )
    _match_options(watch)
    _page_options(watch)
    watch.set_defaults(host=None)  # a phone comes from elsewhere, everybody else has to be let in by --host
    add_keeping_options(watch, usual=True)
    add_resume_option(watch)
    watch.set_defaults(run=_watch)

    read = command("read", "Say what lies on still pictures.")
    read.add_argument("pictures", metavar="PICTURE", nargs="+", help="a picture (JPEG, PNG, ...)")
    _match_options(read)
    read.set_defaults(run=_read)

    review = command("review", "Referee a recorded game as fast as the machine allows.")
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
    _match_options(review)
    review.add_argument(
        "--from",
        dest="begin_s",
        type=checked(clip_time),
        default=0.0,
        metavar="S",
        help="begin at that second of the clip, with the game as --start says",
    )
    review.add_argument("--record", type=Path, metavar="FILE", help="write the record (JSONL) there as well")
    review.add_argument("--zones", type=Path, metavar="FILE", help="where things lie, as kept by watch --zones")
    add_keeping_options(review, usual=False)
    review.set_defaults(run=_review)

    trace = command("trace", "Show what every stage saw and thought of a moment of a recorded game.")
    trace.add_argument("clip", metavar="CLIP", help="a video")
    trace.add_argument(
        "--from", dest="begin_s", type=checked(clip_time), required=True, metavar="S", help="first second to show"
    )
    trace.add_argument(
        "--to", dest="end_s", type=checked(clip_time), required=True, metavar="S", help="last second to show"
    )
    trace.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for index.html and trace.jsonl")
    _match_options(trace)
    trace.add_argument("--zones", type=Path, metavar="FILE", help="where things lie, as kept by watch --zones")
    trace.set_defaults(run=_trace)

    enrol = command("enrol", "Learn the look of your own deck from its cards shown once.")
    enrol.add_argument("name", type=checked(deck_called), metavar="NAME", help="a name, or a file ending in .deck")
    enrol.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        help="camera number, device, stream URL, video, picture, folder of pictures",
    )
    enrol.add_argument("--pack", type=checked(pack_size), metavar="24|36|52", help="cards in the deck (default: 36)")
    enrol.add_argument(
        "--order",
        type=checked(told_order),
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
    enrol.add_argument("--weights", type=Path, metavar="FILE", help="other weights than the ones shipped")
    enrol.add_argument("--json", action="store_true", help="one JSON object on standard output")
    _verbosity_option(enrol)
    enrol.set_defaults(run=_enrol)

    add_referee_parser(commands).set_defaults(run=run_referee)
    add_rules_parser(commands).set_defaults(run=run_rules)
    add_matches_parser(commands).set_defaults(run=_matches)

    convert = command("convert", "Turn a record (.jsonl) into the notation (.durak), or back.")
    convert.add_argument("input", metavar="INPUT", help="a record or a game in notation; - is standard input")
    convert.add_argument("output", metavar="OUTPUT", help="the file to write; - is standard output")
    convert.add_argument("--to", choices=("record", "notation"), help="what to write, where no file ending tells")
    convert.add_argument("--force", action="store_true", help="overwrite OUTPUT if it is there")
    convert.set_defaults(run=_convert)

    hall = command("hall", "Serve one page over all tables that share a store.")
    add_store_option(hall)
    add_films_option(hall)
    _serving_options(hall, HALL_PORT)
    _verbosity_option(hall)
    hall.set_defaults(run=_hall)

    doctor = command("doctor", "Say what this machine has, what is missing, and how to mend it.")
    doctor.add_argument("--weights", type=Path, metavar="FILE", help="look at other weights than the ones shipped")
    doctor.add_argument("--json", action="store_true", help="one JSON object per line")
    _verbosity_option(doctor)
    doctor.set_defaults(run=_doctor)
    return top


def setup_parser() -> Parser:
    """The command line of `kozyr` alone: everything about the game is chosen on the page."""
    alone = Parser(prog="kozyr", description="Open the page on which a game is set up.", allow_abbrev=False)
    alone.add_argument("--weights", type=Path, metavar="FILE", help="other weights than the ones shipped")
    _language_option(alone)
    alone.add_argument("--json", action="store_true", help="one JSON object per line on standard output")
    _verbosity_option(alone)
    _page_options(alone)
    add_keeping_options(alone, usual=True)
    # Who sets a game up by tapping does so on a tablet: it is let in by a code, as everybody from elsewhere.
    alone.set_defaults(run=_setup, host=EVERYWHERE, resume=None, start=None, deck=None)
    return alone


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """What was called: a command, or `kozyr` alone with options of its page."""
    is_alone = not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help", "--version"))
    return (setup_parser() if is_alone else parser()).parse_args(arguments)


def _match_options(command: Parser) -> None:
    command.add_argument("--rules", metavar="NAME", help="rule set; 'kozyr rules' lists them")
    command.add_argument(
        "--set",
        dest="options",
        action="append",
        default=[],
        type=checked(option),
        metavar="OPTION=VALUE",
        help="one option of the rule set; may be repeated",
    )
    command.add_argument(
        "--seats", type=checked(seat_names), default=(), metavar="A,B,C", help="clockwise, the first at the bottom edge"
    )
    command.add_argument("--start", type=Path, metavar="HEADER.json", help="begin from this position")
    command.add_argument("--pack", type=checked(pack_size), metavar="24|36|52", help="cards in play")
    command.add_argument("--weights", type=Path, metavar="FILE", help="other weights than the ones shipped")
    command.add_argument(
        "--deck", type=checked(deck_called), metavar="NAME", help="your own deck, shown before with 'kozyr enrol NAME'"
    )
    _language_option(command)
    command.add_argument("--json", action="store_true", help="one JSON object per line on standard output")
    _verbosity_option(command)


def _language_option(command: Parser) -> None:
    command.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0], help="language of the sentences")


def _verbosity_option(command: Parser) -> None:
    command.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=0,
        help="say on standard error what happens inside; -vv: every look and every card followed as well",
    )


def _page_options(command: Parser) -> None:
    command.add_argument("--exit", action="store_true", help="end when the source ends")
    command.add_argument(
        "--tone",
        choices=TONES,
        help="call faults at once (the usual), only hint with a sound, or stay silent until somebody challenges",
    )
    _serving_options(command, PORT)
    command.add_argument("--record", type=Path, metavar="FILE", help="write the record (JSONL) there as well")
    command.add_argument(
        "--zones", type=Path, metavar="FILE", help="keep where seats, talon and heap were dragged to, for the next game"
    )


def _serving_options(command: Parser, port: int) -> None:
    command.add_argument("--no-browser", action="store_true", help="do not open the page")
    command.add_argument(
        "--host",
        default=THIS_MACHINE,
        help=f"address to serve the page at (default: {THIS_MACHINE}; for 'kozyr' and 'watch phone' {EVERYWHERE})",
    )
    add_pairing_options(command)
    command.add_argument(
        "--tls",
        action="store_true",
        help="serve the page over https with a certificate of its own, so that tablets keep their screen on and may "
        "add the page to the home screen",
    )
    command.add_argument("--port", type=checked(port_number), help=f"port to serve the page at (default: {port})")


def wishes(arguments: argparse.Namespace) -> Wishes:
    """The options about the match."""
    return Wishes(
        rules=arguments.rules,
        options=tuple(arguments.options),
        seats=arguments.seats,
        start=arguments.start,
        pack=arguments.pack,
        tone=getattr(arguments, "tone", None),
    )


# Each command imports what it needs when it runs: `kozyr rules` needs no camera, and starts in a tenth of the time.


def _setup(arguments: argparse.Namespace) -> int:
    from webapp.commands.watch import run_setup

    return run_setup(arguments)


def _demo(arguments: argparse.Namespace) -> int:
    from webapp.commands.demo import run_demo

    return run_demo(arguments, wishes(arguments))


def _watch(arguments: argparse.Namespace) -> int:
    from webapp.commands.watch import run_watch

    if arguments.host is None:
        arguments.host = EVERYWHERE if arguments.source == "phone" else THIS_MACHINE
    return run_watch(arguments, wishes(arguments))


def _review(arguments: argparse.Namespace) -> int:
    from webapp.commands.review import run_review

    return run_review(arguments, wishes(arguments))


def _trace(arguments: argparse.Namespace) -> int:
    from webapp.commands.trace import run_trace

    return run_trace(arguments, wishes(arguments))


def _read(arguments: argparse.Namespace) -> int:
    from webapp.commands.read import run_read

    return run_read(arguments, wishes(arguments))


def _enrol(arguments: argparse.Namespace) -> int:
    from webapp.commands.enrol import run_enrol

    return run_enrol(arguments)


def _convert(arguments: argparse.Namespace) -> int:
    from webapp.commands.convert import run_convert

    return run_convert(arguments)


def _matches(arguments: argparse.Namespace) -> int:
    from webapp.commands.matches import run_matches

    return run_matches(arguments)


def _hall(arguments: argparse.Namespace) -> int:
    from webapp.commands.hall import run_hall

    return run_hall(arguments)


def _doctor(arguments: argparse.Namespace) -> int:
    from webapp.commands.doctor import run_doctor

    return run_doctor(arguments)

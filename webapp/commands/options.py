"""
The command line of `kozyr`: its commands, and their options as frozen values.

An option is declared once, as a field of a dataclass with its flag, its default and its help
(``webapp.live.match_options.flag``): ``add_options`` makes the arguments of a parser from the fields, ``read_options``
makes the value from what was parsed. A field that is itself such a dataclass stands for all of its fields. Nothing
behind ``webapp.commands.cli`` and a command's ``call`` gets an ``argparse.Namespace``.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, TypeVar, get_type_hints

from msgspec.structs import replace

from referee.errors import RulebookError
from referee.header import TONES
from referee.record import Header
from referee.rulebook import OPTIONS, rulebook
from webapp.commands.match_header import HeaderOptions
from webapp.errors import WrongCallError
from webapp.features import NO_CHANGES, Changes, Command, features, flags_of_features
from webapp.live.match_options import (
    OF_FEATURES,
    DetectorOptions,
    FileOptions,
    KeepingOptions,
    MatchOptions,
    checked,
    flag,
)
from webapp.loadable import Loadable
from webapp.text.catalogue import LANGUAGES
from webapp.web.port import PORT

MOST_WORKERS = 1024
"""Largest number of workers: more than the cores of any machine that reviews clips."""
THIS_MACHINE, EVERYWHERE = "127.0.0.1", "0.0.0.0"
T = TypeVar("T")


# --- from fields to arguments and back ---


@cache
def types_of(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


def add_options(command: argparse.ArgumentParser, kind: type, changes: Changes = NO_CHANGES) -> None:
    """
    Add an argument for each field of a dataclass that has flags, in order. What is not given is parsed as None: the
    field knows its default. The arguments that features add to these options stand at the field for their values.
    """
    for field in fields(kind):
        if is_dataclass(types_of(kind)[field.name]):
            add_options(command, types_of(kind)[field.name], changes)
            continue
        named = flags_of_features(kind) if OF_FEATURES in field.metadata else {field.name: field.metadata}
        for name, metadata in named.items():
            if "flags" in metadata and changes.get(name, {}) is not None:
                how: dict[str, Any] = {**metadata, **(changes.get(name) or {})}
                flags = how.pop("flags")
                if flags:
                    command.add_argument(*flags, dest=name, **how)
                else:  # the name of a positional argument is that of its field
                    command.add_argument(name, **how)


def read_options(kind: type[T], arguments: argparse.Namespace, **more: Any) -> T:
    """Make a dataclass from what was parsed, and from ``more``; what was not given has its default."""
    values = dict(more)
    for field in fields(kind):  # type: ignore[arg-type]
        hint = types_of(kind)[field.name]  # type: ignore[arg-type]
        if field.name in more:
            continue
        if OF_FEATURES in field.metadata:
            given = {name: getattr(arguments, name, None) for name in flags_of_features(kind)}
            values[field.name] = {name: value for name, value in given.items() if value is not None}
        elif is_dataclass(hint):
            values[field.name] = read_options(hint, arguments)  # type: ignore[arg-type]
        elif getattr(arguments, field.name, None) is not None:
            value = getattr(arguments, field.name)
            values[field.name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)


def table_options(
    arguments: argparse.Namespace, *, must_keep: bool, is_paced: bool = True, usual_host: str = THIS_MACHINE
) -> TableOptions:
    """Return the options of a table with its page; ``usual_host``: where it is served without ``--host``."""
    options = read_options(TableOptions, arguments, is_paced=is_paced)
    return dataclasses.replace(
        options,
        keeping=dataclasses.replace(options.keeping, must_keep=must_keep),
        serving=dataclasses.replace(options.serving, host=arguments.host or usual_host),
    )


# --- options of several commands ---


def same(kind: type, name: str, **changes: Any) -> Any:
    found = next(field for field in fields(kind) if field.name == name)
    return flag(default=found.default, **{**found.metadata, **changes})


def language() -> Any:
    return flag("--language", default=LANGUAGES[0], choices=LANGUAGES, help="language of the sentences")


def as_json(text: str = "one JSON object per line on standard output") -> Any:
    return flag("--json", default=False, action="store_true", help=text)


def verbose() -> Any:
    return flag(
        *("-v", "--verbose"),
        default=0,
        action="count",
        help="say on standard error what happens inside; -vv: every inference and every tracked card as well",
    )


def whole(what: str, least: int, most: int) -> Callable[[str], int]:
    """
    Return the parser of a whole number; ``what``: what the error message asks for.

    >>> whole("a port from 0 to 65535", 0, 65535)("8036")
    8036
    >>> whole("a number of workers from 1 to 1024", 1, 1024)("0")
    Traceback (most recent call last):
        ...
    argparse.ArgumentTypeError: expected a number of workers from 1 to 1024, got '0'
    """

    def parsed(text: str) -> int:
        is_number = text.isascii() and text.removeprefix("-").isdigit() and len(text) < 100
        if not (is_number and least <= int(text) <= most):  # Python itself refuses numbers of thousands of digits
            raise ValueError(f"expected {what}, got {text!r:.40}")
        return int(text)

    return checked(parsed)


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


# --- the options of each command ---


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """A rule set, options of it, and the language of the sentences; None and empty: as the record has it."""

    rules: str | None = flag("--rules", metavar="NAME", help="judge by this rule set instead of the record's")
    as_json: bool = as_json("one JSON object per line")
    language: str = language()
    options: tuple[tuple[str, Any], ...] = same(HeaderOptions, "options")

    def check(self) -> None:
        try:
            if self.rules is not None:
                rulebook(self.rules, dict(self.options))
            for name, value in self.options:
                if name not in OPTIONS or not OPTIONS[name].allows(value):
                    rulebook("podkidnoy-36", {name: value})
        except RulebookError as error:
            raise WrongCallError(str(error)) from None

    def header(self, header: Header) -> Header:
        if self.rules is not None:
            header = replace(header, rules=self.rules, options={})
        return replace(header, options={**header.options, **dict(self.options)}) if self.options else header


@dataclass(frozen=True, slots=True)
class ServingOptions:
    """
    Where the page is served and who may open it.

    ``port``: None for the usual one. ``pair``: who is asked for a code, ``always`` everybody, ``never`` nobody, None
    everybody but this machine. ``pairing``: the file for address, token and PIN.
    """

    opens_browser: bool = flag("--no-browser", default=True, action="store_false", help="do not open the page")
    host: str = flag(
        "--host",
        default=THIS_MACHINE,
        metavar="HOST",
        help=f"address to serve the page at (default: {THIS_MACHINE}; 'kozyr', 'demo', 'watch phone': {EVERYWHERE})",
    )
    pair: str | None = flag(
        "--pair",
        choices=("always", "never"),
        help="ask for a code on this machine too, or ask nobody (default: ask everybody but this machine)",
    )
    pairing: Path | None = flag(
        "--pairing", type=Path, metavar="FILE", help="write address, token and PIN there as JSON, readable by you alone"
    )
    tls: bool = flag(
        "--tls",
        default=False,
        action="store_true",
        help="serve the page over https with a certificate of its own, so that tablets keep their screen on and may "
        "add the page to the home screen",
    )
    port: int | None = flag(
        "--port",
        type=whole("a port from 0 to 65535", 0, 65535),
        metavar="PORT",
        help=f"port to serve the page at (default: {PORT})",
    )


@dataclass(frozen=True, slots=True)
class TableOptions:
    """
    A table with its page, on which one game after another is refereed.

    ``exits``: end when the source ends. ``is_paced``: play a video at its own speed, else as fast as possible.
    """

    detector: DetectorOptions = DetectorOptions()
    language: str = language()
    as_json: bool = as_json()
    verbose: int = verbose()
    exits: bool = flag("--exit", default=False, action="store_true", help="end when the source ends")
    tone: str | None = flag(
        "--tone",
        choices=TONES,
        help="call faults at once (the usual), only hint with a sound, or stay silent until somebody challenges",
    )
    serving: ServingOptions = ServingOptions()
    files: FileOptions = FileOptions()
    keeping: KeepingOptions = KeepingOptions()
    is_paced: bool = True


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """
    One recorded game, or one stored match by its ID. ``begin_s``: the second of the clip to begin at. ``cuts_bars``:
    are bars and panels beside the film's picture cut off?
    """

    clip: str = ""
    header: HeaderOptions = HeaderOptions()
    detector: DetectorOptions = DetectorOptions()
    language: str = language()
    as_json: bool = as_json()
    verbose: int = verbose()
    begin_s: float = flag(
        "--from",
        default=0.0,
        type=checked(clip_time),
        metavar="S",
        help="begin at that second of the clip, with the game as --start says",
    )
    cuts_bars: bool = flag(
        "--whole-picture",
        default=True,
        action="store_false",
        help="do not cut off bars and panels beside the film's picture",
    )
    files: FileOptions = FileOptions()
    keeping: KeepingOptions = KeepingOptions()

    def match(self, header: Header) -> MatchOptions:
        return MatchOptions(self.clip, header, self.language, self.detector, self.keeping, self.files, is_replay=True)


@dataclass(frozen=True, slots=True)
class ReviewsOptions:
    """Recorded games, each reviewed by ``each`` and printed."""

    clips: tuple[str, ...] = flag(
        metavar="CLIP",
        nargs="+",
        help="a video, a folder of videos, a folder of pictures, or the ID of a kept match; any number",
    )
    each: ReviewOptions = ReviewOptions()


@dataclass(frozen=True, slots=True)
class RefereeOptions:
    """A record to judge. ``with_states``: print the position after each event as well."""

    record: str = flag(metavar="RECORD", help="a record (JSONL); - is standard input")
    with_states: bool = flag(
        "--states", default=False, action="store_true", help="the position after each event as well"
    )
    rules: RuleOptions = RuleOptions()


@dataclass(frozen=True, slots=True)
class DoctorOptions:
    weights: Path | None = same(DetectorOptions, "weights", help="look at other weights than the ones shipped")
    as_json: bool = as_json("one JSON object per line")
    verbose: int = verbose()


@dataclass(frozen=True, slots=True)
class MatchesOptions:
    as_json: bool = as_json("one JSON object per line")
    store: str | None = same(KeepingOptions, "store", help="another store than the usual one")
    films: Path | None = same(KeepingOptions, "films")


# --- the parser ---

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
            chosen: argparse.ArgumentParser = self
            for name in (getattr(parsed, "command", None), getattr(parsed, "action", None)):
                below = [action for action in chosen._actions if isinstance(action, argparse._SubParsersAction)]
                chosen = below[0].choices[name] if below and name in below[0].choices else chosen
            options = list(chosen._option_string_actions)
            meant = get_close_matches(unknown[0].partition("=")[0], options, 1) if unknown[0].startswith("-") else []
            message = f"expected options that this command has, got {' '.join(unknown)}"
            raise WrongCallError(message + self.hint(meant))
        return parsed

    def hint(self, meant: Sequence[str]) -> str:
        """Return the end of an error message: the word that was meant, else where help is."""
        return f"; did you mean {meant[0]}?" if meant else f"; '{self.prog} --help' shows how it is called"


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


STORED_IF_ASKED: Changes = {
    "zones": {"help": "where things lie, as kept by watch --zones"},
    "keep": {"flags": ("--keep",), "action": "store_true", "help": "keep the match in the store"},
    "notify": None,
    "resume": None,
}
RULES_BY_NAME: Changes = {"rules": {"flags": (), "nargs": "?", "help": "one rule set only"}}
COMMANDS = (
    Command(
        "demo",
        "Play the recording that ships with the program, with the dashboard.",
        (HeaderOptions, TableOptions),
        Loadable("webapp.commands.demo:call"),
        {"resume": None},
        is_for_players=True,
    ),
    Command(
        "watch",
        "Referee a table live, with the dashboard.",
        (HeaderOptions, TableOptions),
        Loadable("webapp.commands.watch:call"),
        is_for_players=True,
    ),
    Command(
        "review",
        "Referee a recorded game as fast as the machine allows.",
        (ReviewsOptions,),
        Loadable("webapp.commands.review:run"),
        STORED_IF_ASKED,
    ),
    Command("referee", "Judge a match record.", (RefereeOptions,), Loadable("webapp.commands.referee:run")),
    Command(
        "rules",
        "Explain rule sets and house rules.",
        (RuleOptions,),
        Loadable("webapp.commands.rules:run"),
        RULES_BY_NAME,
        is_for_players=True,
    ),
    Command(
        "matches",
        "List, show, judge again, export and delete kept matches; say how often everybody was the fool.",
        (),
        Loadable("webapp.commands.matches:call"),
        is_for_players=True,
    ),
    Command(
        "doctor",
        "Say what this machine has, what is missing, and how to mend it.",
        (DoctorOptions,),
        Loadable("webapp.commands.doctor:run"),
        is_for_players=True,
    ),
)
"""The commands of the core; those of features stand between them (``commands_offered``)."""


@cache
def commands_offered() -> tuple[Command, ...]:
    """Return the commands of the core and of the features in the order of the list of commands."""
    added = [command for feature in features() for command in feature.commands]
    replaced = {command.name: command for command in added}
    listed: list[Command] = []
    for command in COMMANDS:
        listed += [replaced.get(command.name, command), *(action for action in added if action.after == command.name)]
    return tuple(listed)


def commands_for_players() -> tuple[str, ...]:
    """Return the commands that the first help screen shows first: those of features before the last of the core."""
    *first, last = (command.name for command in COMMANDS if command.is_for_players)
    added = (command.name for feature in features() for command in feature.commands if command.is_for_players)
    return (*first, *added, last)


def parser() -> Parser:
    top = Parser(
        prog="kozyr",
        usage="kozyr [COMMAND] [OPTIONS]",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"kozyr {version('kozyr')}")
    top.set_defaults(verbose=0)  # for the commands without it
    commands: Commands = top.add_subparsers(
        prog="kozyr", dest="command", metavar="COMMAND", required=True, help=argparse.SUPPRESS
    )
    for command in commands_offered():
        made = commands.add_parser(command.name, help=command.summary, description=command.summary, allow_abbrev=False)
        made.set_defaults(run=command.run, kind=command.options[0] if len(command.options) == 1 else None)
        if command.name == "watch":
            made.add_argument("source", metavar="SOURCE", help=WATCHED)
        for kind in command.options:
            add_options(made, kind, command.changes)
        if command.name == "matches":
            _add_actions(made)
    top.description = _overview(commands)
    return top


WATCHED = "camera number, device, stream URL, video, folder of pictures; 'phone' waits for a phone to be the camera"


def _overview(commands: Commands) -> str:
    for_players = commands_for_players()
    others = tuple(name for name in commands.choices if name not in for_players)
    parts = ["Referees Durak played with real cards under a camera."]
    for title, names in (("for players:", ("", *for_players)), ("for programs:", others)):
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


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a call of a command, or of `kozyr` alone with options of its page."""
    is_alone = not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help", "--version"))
    made = Parser(prog="kozyr", description="Open the page on which a game is set up.", allow_abbrev=False)
    add_options(made, TableOptions, {"deck": None, "resume": None})
    made.set_defaults(run=Loadable("webapp.commands.setup:call"), kind=None)
    namespace: argparse.Namespace = (made if is_alone else parser()).parse_args(arguments)
    return namespace


OF_ALL_ACTIONS = tuple(field.name for field in fields(MatchesOptions))


def _add_actions(top: Parser) -> None:
    """Add the actions of ``kozyr matches``; the store may be named before the action or after it."""
    top.set_defaults(action="list")
    add_options(top, MatchesOptions)
    actions: Commands = top.add_subparsers(metavar="ACTION", dest="action")

    def action(name: str, help_: str, *, of_match: bool = True) -> Parser:
        made = actions.add_parser(name, help=help_, description=help_, allow_abbrev=False)
        if of_match:
            made.add_argument("match", metavar="ID", help="the match, as 'kozyr matches' lists it")
        return made

    def actions_after(name: str) -> None:
        for offered in (action for feature in features() for action in feature.actions if action.after == name):
            made = action(offered.name, offered.summary, of_match=offered.of_match)
            made.set_defaults(run=offered.run, kind=offered.options)
            add_options(made, offered.options, {**dict.fromkeys(OF_ALL_ACTIONS), **offered.changes})

    action("show", "Header, events, rulings and announcements, in order.")
    actions_after("show")
    delete = action("delete", "Forget a match for good.")
    delete.add_argument("--yes", action="store_true", help="yes, for good")
    actions_after("delete")
    pictures = action(
        "labelled",
        "Keep cards that people put right as labelled pictures for training, on this machine (off unless you say so).",
        of_match=False,
    )
    wish = pictures.add_mutually_exclusive_group()
    wish.add_argument("--on", dest="wish", action="store_const", const="on", help="keep them from now on")
    wish.add_argument("--off", dest="wish", action="store_const", const="off", help="keep none from now on")
    wish.add_argument("--delete", dest="wish", action="store_const", const="delete", help="delete all that were kept")
    scores = action(
        "scores", "Evenings and scores: who played, who was the fool how often, teams and streaks.", of_match=False
    )
    scores.add_argument("--csv", action="store_true", help="a row for each player of each evening, for spreadsheets")
    for made in actions.choices.values():  # SUPPRESS keeps what was named before the action
        add_options(made, MatchesOptions, {name: {"default": argparse.SUPPRESS} for name in OF_ALL_ACTIONS})

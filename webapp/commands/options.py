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

from features.enrolment.deck_file import card_list, deck_name
from referee.cards import Card
from referee.errors import RulebookError
from referee.header import TONES
from referee.record import Header
from referee.rulebook import OPTIONS, rulebook
from webapp.commands.match_header import HeaderOptions
from webapp.errors import WrongCallError
from webapp.live.match_options import DetectorOptions, FileOptions, KeepingOptions, MatchOptions, checked, flag
from webapp.text.catalogue import LANGUAGES
from webapp.web.port import HALL_PORT, PORT

MOST_WORKERS = 1024
"""Largest number of workers: more than the cores of any machine that reviews clips."""
MOST_PLAYOUTS = 10_000_000
SEED_DIGITS = 18
THIS_MACHINE, EVERYWHERE = "127.0.0.1", "0.0.0.0"
Flags = Mapping[str, Mapping[str, Any] | None]
"""By field what its argument has otherwise in one command; None: the command does not offer it."""
T = TypeVar("T")


# --- from fields to arguments and back ---


@cache
def types_of(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


def add_options(command: argparse.ArgumentParser, kind: type, changes: Flags | None = None) -> None:
    """
    Add an argument for each field of a dataclass that has flags, in order. What is not given is parsed as None: the
    field knows its default.
    """
    changed = changes or {}
    for each in fields(kind):
        if is_dataclass(types_of(kind)[each.name]):
            add_options(command, types_of(kind)[each.name], changed)
        elif "flags" in each.metadata and changed.get(each.name, {}) is not None:
            how = {**each.metadata, **(changed.get(each.name) or {})}
            flags = how.pop("flags")
            if not flags:  # the name of a positional argument is that of its field
                command.add_argument(each.name, **how)
                continue
            command.add_argument(*flags, dest=each.name, **how)


def read_options(kind: type[T], called: argparse.Namespace, **more: Any) -> T:
    """Make a dataclass from what was parsed, and from ``more``; what was not given has its default."""
    values = dict(more)
    for each in fields(kind):  # type: ignore[arg-type]
        hint = types_of(kind)[each.name]  # type: ignore[arg-type]
        if each.name in more:
            continue
        if is_dataclass(hint):
            values[each.name] = read_options(hint, called)  # type: ignore[arg-type]
        elif getattr(called, each.name, None) is not None:
            value = getattr(called, each.name)
            values[each.name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)


def table_options(
    called: argparse.Namespace, *, must_keep: bool, is_paced: bool = True, usual_host: str = THIS_MACHINE
) -> TableOptions:
    """Return the options of a table with its page; ``usual_host``: where it is served without ``--host``."""
    options = read_options(TableOptions, called, is_paced=is_paced)
    return dataclasses.replace(
        options,
        keeping=dataclasses.replace(options.keeping, must_keep=must_keep),
        serving=dataclasses.replace(options.serving, host=called.host or usual_host),
    )


# --- options of several commands ---


def same(kind: type, name: str, **changes: Any) -> Any:
    each = next(each for each in fields(kind) if each.name == name)
    return flag(default=each.default, **{**each.metadata, **changes})


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
class HallOptions:
    store: str | None = same(KeepingOptions, "store")
    films: Path | None = same(KeepingOptions, "films")
    serving: ServingOptions = ServingOptions()
    verbose: int = verbose()


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """
    One recorded game, or one kept match by its ID. ``begin_s``: the second of the clip to begin at. ``cuts_bars``: are
    bars and panels beside the film's picture cut off?
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
    """
    Several recorded games, each reviewed by ``each``. ``out``: the folder of results, None to print them.
    ``workers``: processes side by side, ``dask``: the address of a scheduler; both only with ``out``.
    """

    clips: tuple[str, ...] = flag(
        metavar="CLIP",
        nargs="+",
        help="a video, a folder of videos, a folder of pictures, or the ID of a kept match; any number",
    )
    out: Path | None = flag(
        "--out", type=Path, metavar="DIR", help="write each clip's lines into DIR/NAME.jsonl; what is there is skipped"
    )
    workers: int = flag(
        "--workers",
        default=1,
        type=whole(f"a number of workers from 1 to {MOST_WORKERS}", 1, MOST_WORKERS),
        metavar="N",
        help="with --out: so many clips side by side",
    )
    dask: str | None = flag("--dask", metavar="ADDRESS", help="with --out: on the workers of this Dask scheduler")
    each: ReviewOptions = ReviewOptions()


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """A moment of a recorded game, between two of its seconds, shown in the folder ``out``."""

    clip: str = flag(metavar="CLIP", help="a video")
    since_s: float = flag("--from", type=checked(clip_time), required=True, metavar="S", help="first second to show")
    until_s: float = flag("--to", type=checked(clip_time), required=True, metavar="S", help="last second to show")
    out: Path = flag("--out", type=Path, required=True, metavar="DIR", help="folder for index.html and trace.jsonl")
    review: ReviewOptions = ReviewOptions()


@dataclass(frozen=True, slots=True)
class ReadOptions:
    pictures: tuple[str, ...] = flag(metavar="PICTURE", nargs="+", help="a picture (JPEG, PNG, ...)")
    header: HeaderOptions = HeaderOptions()
    detector: DetectorOptions = DetectorOptions()
    language: str = language()
    as_json: bool = as_json()
    verbose: int = verbose()


@dataclass(frozen=True, slots=True)
class EnrolOptions:
    """
    A deck to learn. ``source``: what shows the cards, None to rename cards only. ``order``: the order in which they are
    shown. ``adds``: keep what was learnt of this deck before. ``renamings``: (name so far, true name).
    """

    name: str = flag(type=checked(deck_name), metavar="NAME", help="a name, or a file ending in .deck")
    source: str | None = flag(
        metavar="SOURCE", nargs="?", help="camera number, device, stream URL, video, picture, folder of pictures"
    )
    pack: int | None = same(HeaderOptions, "pack", help="cards in the deck (default: 36)")
    order: tuple[Card, ...] = flag(
        "--order",
        default=(),
        type=checked(card_list),
        metavar="CARDS",
        help="the order in which they are shown or lie in rows: '6s-As,6h-Ah,6d-Ad,6c-Ac'",
    )
    adds: bool = flag(
        "--more", default=False, action="store_true", help="keep what was learnt of this deck and add to it"
    )
    renamings: tuple[tuple[Card, Card], ...] = flag(
        "--rename",
        default=(),
        action="append",
        type=checked(deck_renaming),
        metavar="WAS=IS",
        help="put a name right (or, with both alike, confirm it); may be repeated",
    )
    weights: Path | None = same(DetectorOptions, "weights")
    as_json: bool = as_json("one JSON object on standard output")
    verbose: int = verbose()


@dataclass(frozen=True, slots=True)
class AnalyseOptions:
    """
    A record, a game in notation or a kept match to analyse.

    ``playouts``: for each decision, None for the usual number. ``workers``: decisions that are rated side by side.
    """

    source: str = flag(metavar="RECORD|MATCH", help="a record, a game in notation, or a kept match's ID")
    playouts: int | None = flag(
        "--playouts",
        type=whole(f"a number of playouts from 1 to {MOST_PLAYOUTS}", 1, MOST_PLAYOUTS),
        metavar="N",
        help="games played out for each decision (1000)",
    )
    seed: int = flag(
        "--seed",
        default=0,
        type=whole(f"a whole number of at most {SEED_DIGITS} digits as seed", 1 - 10**SEED_DIGITS, 10**SEED_DIGITS - 1),
        metavar="S",
        help="the same seed gives the same lines",
    )
    workers: int = flag(
        "--workers",
        default=1,
        type=whole(f"a number of workers from 1 to {MOST_WORKERS}", 1, MOST_WORKERS),
        metavar="N",
        help="so many decisions side by side",
    )
    dask: str | None = flag("--dask", metavar="ADDRESS", help="on the workers of this Dask scheduler")
    as_json: bool = as_json()
    language: str = language()
    store: str | None = same(KeepingOptions, "store")
    verbose: int = verbose()


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """A record or a notation to convert. ``to``: the format to write where no file ending shows it."""

    source: str = flag(metavar="INPUT", help="a record or a game in notation; - is standard input")
    target: str = flag(metavar="OUTPUT", help="the file to write; - is standard output")
    to: str | None = flag("--to", choices=("record", "notation"), help="what to write, where no file ending tells")
    overwrites: bool = flag("--force", default=False, action="store_true", help="overwrite OUTPUT if it is there")


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


@dataclass(frozen=True, slots=True)
class RejudgeOptions:
    """
    A kept match that is judged again, by its film or its record. ``rules``: None for those of the match. ``language``:
    of the sentences.
    """

    match: str = ""
    from_film: bool = flag(
        "--from-film", default=False, action="store_true", help="read its film with today's networks, not its record"
    )
    rules: str | None = same(HeaderOptions, "rules", help="by this rule set")
    options: tuple[tuple[str, Any], ...] = same(HeaderOptions, "options")
    detector: DetectorOptions = DetectorOptions()
    language: str = language()


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
                below = [each for each in chosen._actions if isinstance(each, argparse._SubParsersAction)]
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


KEPT_IF_ASKED: Flags = {
    "zones": {"help": "where things lie, as kept by watch --zones"},
    "keep": {"flags": ("--keep",), "action": "store_true", "help": "keep the match in the store"},
    "notify": None,
    "resume": None,
}
FROM_A_CLIP: Flags = {
    **KEPT_IF_ASKED,
    **dict.fromkeys(("begin_s", "cuts_bars", "record", "keep", "store", "films", "film", "table")),
}
RULES_BY_NAME: Flags = {"rules": {"flags": (), "nargs": "?", "help": "one rule set only"}}
OF_A_HALL: Flags = {"port": {"help": f"port to serve the page at (default: {HALL_PORT})"}}
COMMANDS: tuple[tuple[str, str, tuple[type, ...], Flags], ...] = (
    (
        "demo",
        "Play the recording that ships with the program, with the dashboard.",
        (HeaderOptions, TableOptions),
        {"resume": None},
    ),
    ("watch", "Referee a table live, with the dashboard.", (HeaderOptions, TableOptions), {}),
    ("read", "Say what lies on still pictures.", (ReadOptions,), {}),
    ("review", "Referee a recorded game as fast as the machine allows.", (ReviewsOptions,), KEPT_IF_ASKED),
    ("trace", "Show what every stage saw and thought of a moment of a recorded game.", (TraceOptions,), FROM_A_CLIP),
    ("enrol", "Learn the look of your own deck from its cards shown once.", (EnrolOptions,), {}),
    ("referee", "Judge a match record.", (RefereeOptions,), {}),
    ("rules", "Explain rule sets and house rules.", (RuleOptions,), RULES_BY_NAME),
    (
        "matches",
        "List, show, judge again, export and delete kept matches; say how often everybody was the fool.",
        (),
        {},
    ),
    ("analyse", "Rate the plays of a match that is over: what each cost, and what was best.", (AnalyseOptions,), {}),
    ("convert", "Turn a record (.jsonl) into the notation (.durak), or back.", (ConvertOptions,), {}),
    ("hall", "Serve one page over all tables that share a store.", (HallOptions,), OF_A_HALL),
    ("doctor", "Say what this machine has, what is missing, and how to mend it.", (DoctorOptions,), {}),
)
"""Each command with what it does, the types of its options, and what it has otherwise than they say."""

MODULES = {
    "analyse": "features.analysis.command",
    "convert": "features.notation.command",
    "enrol": "features.enrolment.command",
    "hall": "features.hall.command",
    "read": "features.stills.command",
    "trace": "features.trace.command",
}
"""Modules of commands that do not stand in ``webapp.commands``."""


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
    for name, what, kinds, changes in COMMANDS:
        made = commands.add_parser(name, help=what, description=what, allow_abbrev=False)
        module = MODULES.get(name, f"webapp.commands.{name}")
        made.set_defaults(module=module, kind=kinds[0] if len(kinds) == 1 else None)
        if name == "watch":
            made.add_argument("source", metavar="SOURCE", help=WATCHED)
        for kind in kinds:
            add_options(made, kind, changes)
        if name == "matches":
            _add_actions(made)
    top.description = _overview(commands)
    return top


WATCHED = "camera number, device, stream URL, video, folder of pictures; 'phone' waits for a phone to be the camera"
FOR_PLAYERS = ("demo", "watch", "rules", "matches", "analyse", "enrol", "doctor")
"""Commands that the first help screen shows first, in this order; all others are for programs."""


def _overview(commands: Commands) -> str:
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


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a call of a command, or of `kozyr` alone with options of its page."""
    is_alone = not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help", "--version"))
    made = Parser(prog="kozyr", description="Open the page on which a game is set up.", allow_abbrev=False)
    add_options(made, TableOptions, {"deck": None, "resume": None})
    made.set_defaults(module="webapp.commands.setup", kind=None)
    called: argparse.Namespace = (made if is_alone else parser()).parse_args(arguments)
    return called


def _add_actions(top: Parser) -> None:
    """Add the actions of ``kozyr matches``; the store may be named before the action or after it."""
    top.set_defaults(action="list")
    add_options(top, MatchesOptions)
    actions: Commands = top.add_subparsers(metavar="ACTION", dest="action")

    def action(name: str, help_: str, *, of_match: bool = True, **defaults: Any) -> Parser:
        made = actions.add_parser(name, help=help_, description=help_, allow_abbrev=False)
        made.set_defaults(**defaults)
        if of_match:
            made.add_argument("match", metavar="ID", help="the match, as 'kozyr matches' lists it")
        return made

    action("show", "Header, events, rulings and announcements, in order.")
    export = action(
        "export", "Write the record, the game in notation, the film and what they were made with into a zip file."
    )
    export.add_argument("file", type=Path, metavar="FILE.zip", help="a new file")
    delete = action("delete", "Forget a match for good.")
    delete.add_argument("--yes", action="store_true", help="yes, for good")
    rejudge = action(
        "rejudge",
        "Judge a match again, and say ruling by ruling what comes out differently.",
        module="features.moments.rejudge",
    )
    add_options(rejudge, RejudgeOptions)
    moment = action(
        "moment",
        "Pack a moment for others: the record, ten seconds of film, its cards, its calls.",
        module="features.moments.command",
    )
    moment.add_argument("line", type=int, metavar="LINE", help="the line of the record that it is about")
    moment.add_argument("file", type=Path, metavar="FILE.zip", help="a new file")
    moment.add_argument("--no-film", dest="film", action="store_false", help="without pictures: the record alone")
    replay = action(
        "replay-moment",
        "Judge a moment that was sent: its calls then, and those of its record and its film today.",
        of_match=False,
        module="features.moments.command",
    )
    replay.add_argument("file", type=Path, metavar="FILE.zip", help="as 'kozyr matches moment' packed it")
    add_options(replay, RejudgeOptions, dict.fromkeys(("from_film", "rules", "options")))
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
        add_options(
            made, MatchesOptions, {key: {"default": argparse.SUPPRESS} for key in ("as_json", "store", "films")}
        )

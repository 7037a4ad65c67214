"""
Make the header of a match, who sits where and by which rules, from the command line's options.

Also the set-up of the recording that ships with the program, whose game begins in mid-deal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.header import LONGEST_NAME, is_too_long
from referee.match_judge import MatchJudge
from referee.record import Header
from webapp.errors import UnusableInputError, WrongCallError, one_line
from webapp.live.game_setup import GameSetup
from webapp.live.match_options import checked, flag
from webapp.shipped_recording import DEMO_CLIP, DEMO_RECORD
from webapp.text.catalogue import LANGUAGES
from webapp.text_input import read_text_file

RULES = "podkidnoy-36"
SEATS = ("A", "B")


def option(text: str) -> tuple[str, Any]:
    """
    Parse ``OPTION=VALUE``; the value is read as JSON where it is JSON, else as a word.

    >>> option("transfer=true"), option("attack_limit=5"), option("throw_order=free")
    (('transfer', True), ('attack_limit', 5), ('throw_order', 'free'))
    >>> option("transfer")
    Traceback (most recent call last):
        ...
    ValueError: expected OPTION=VALUE such as transfer=true, got 'transfer'
    """
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise ValueError(f"expected OPTION=VALUE such as transfer=true, got {text!r}")
    try:
        return name.strip(), json.loads(value)
    except (ValueError, RecursionError):
        return name.strip(), value.strip()


def seat_names(text: str) -> tuple[str, ...]:
    """
    Parse ``A,B,C``: the seats clockwise as seen by the camera, the first at the bottom edge.

    >>> seat_names("Anna, Boris")
    ('Anna', 'Boris')
    >>> seat_names("A,,B")
    Traceback (most recent call last):
        ...
    ValueError: expected two to six different names such as A,B,C, got 'A,,B'
    >>> seat_names("Anna, " + "B" * 33)
    Traceback (most recent call last):
        ...
    ValueError: expected names of at most 32 characters, got 'BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB'
    """
    names = tuple(name.strip() for name in text.split(","))
    if not 2 <= len(names) <= 6 or len(set(names)) != len(names) or not all(names):
        raise ValueError(f"expected two to six different names such as A,B,C, got {text!r:.80}")
    too_long = next(filter(is_too_long, names), None)
    if too_long is not None:
        raise ValueError(f"expected names of at most {LONGEST_NAME} characters, got {too_long!r:.80}")
    return names


def pack_size(text: str) -> int:
    """
    Parse the size of a pack.

    >>> pack_size("40")
    Traceback (most recent call last):
        ...
    ValueError: expected a pack of 24, 32, 36 or 52 cards, got '40'
    """
    if text not in ("24", "36", "52"):
        raise ValueError(f"expected a pack of 24, 32, 36 or 52 cards, got {text!r}")
    return int(text)


@dataclass(frozen=True, slots=True)
class HeaderOptions:
    """The options about a match's header; None or empty: not given."""

    rules: str | None = flag("--rules", metavar="NAME", help="rule set; 'kozyr rules' lists them")
    options: tuple[tuple[str, Any], ...] = flag(
        "--set",
        default=(),
        action="append",
        type=checked(option),
        metavar="OPTION=VALUE",
        help="one option of the rule set; may be repeated",
    )
    seats: tuple[str, ...] = flag(
        "--seats", default=(), type=checked(seat_names), metavar="A,B,C", help="clockwise, the first at the bottom edge"
    )
    start: Path | None = flag("--start", type=Path, metavar="HEADER.json", help="begin from this position")
    pack: int | None = flag("--pack", type=checked(pack_size), metavar="24|32|36|52", help="cards in play")


def header_for(
    options: HeaderOptions, start: tuple[str, Mapping[str, Any]] | None = None, tone: str | None = None
) -> Header:
    """
    Return the header of the match to come.

    ``--start`` (or ``start``: where it came from, and the values) gives it whole; the other options override what they
    name. A start that cannot be used is ``UnusableInputError``, options that cannot be meant so are ``WrongCallError``.
    """
    if options.start is not None:
        start = (str(options.start), read_header(options.start))
    if start is None:
        values: dict[str, Any] = {"kozyr": 1, "rules": RULES, "seats": list(SEATS), "dealer": SEATS[-1]}
    else:
        place, given = start
        values = dict(given)
        try:
            header = camera_header(values)
        except ValueError as error:
            raise UnusableInputError(
                f"{place}:1: {one_line(error)}; mend the first line or leave --start away"
            ) from None
        if tone is None and options == HeaderOptions(start=options.start):
            return header
    if options.rules is not None:
        values["rules"] = options.rules
    if options.seats:
        values["seats"] = list(options.seats)
        if values.get("dealer") not in options.seats:
            values["dealer"] = options.seats[-1]  # the first seat is left of the dealer
    if tone is not None:
        values["tone"] = tone
    changed = dict(options.options) | ({} if options.pack is None else {"pack": options.pack})
    if changed:
        values["options"] = {**values.get("options", {}), **changed}
    try:
        return camera_header(values)
    except ValueError as error:
        raise WrongCallError(f"{one_line(error)}; 'kozyr rules' lists the rule sets and their options") from None


def camera_header(values: Mapping[str, Any]) -> Header:
    """
    Return a header for a match that the camera records, whatever the source of the record that it comes from.

    ``ValueError`` says what is wrong with it.
    """
    header = Header.parse({**values, "witness": "camera"})
    MatchJudge(header)  # the rules, the number of seats and the start's counts are checked where a match opens
    return header


def read_header(path: Path) -> Mapping[str, Any]:
    """
    Read the first line of a record, or a file holding only the header, as JSON; else raise ``UnusableInputError``.
    """
    try:
        text = read_text_file(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnusableInputError(f"{path}: expected text (UTF-8), got something else; name a record's file") from None
    except OSError as error:
        raise UnusableInputError(f"The operating system refused: {path}: {error.strerror}; name another file") from None
    values: object = None
    for piece in (text.lstrip().partition("\n")[0], text):  # one line of a record, or a header spread over many lines
        try:
            values = json.loads(piece)
        except (ValueError, RecursionError):
            continue
        break
    if not isinstance(values, dict):
        raise UnusableInputError(
            f'{path}:1: expected a record\'s header such as {{"kozyr": 1, "rules": ...}}, got {text.strip()[:40]!r}; '
            "name another file"
        )
    return values


def check_is_there() -> None:
    if not (DEMO_CLIP.is_file() and DEMO_RECORD.is_file()):
        raise UnusableInputError(f"expected the recording {DEMO_CLIP}, found none; reinstall kozyr")


def shipped_setup(language: str = LANGUAGES[0]) -> GameSetup:
    check_is_there()
    header = Header.parse(read_header(DEMO_RECORD))
    return GameSetup.of(header, source=str(DEMO_CLIP), language=language)

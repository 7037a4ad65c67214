"""What `kozyr referee` and `kozyr rules` take alike: other options of the rule set, a language, JSON."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from referee.errors import RulebookError
from referee.record import Header
from referee.rulebook import OPTIONS, rulebook
from webapp.commands.match_header import option
from webapp.errors import WrongCallError
from webapp.text.catalogue import LANGUAGES

Parsers = Any
"""What ``ArgumentParser.add_subparsers`` gives back; its class is private to argparse."""


def add_common_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0], help="language of the sentences")
    parser.add_argument(
        "--set",
        dest="options",
        action="append",
        default=[],
        metavar="OPTION=VALUE",
        help="one option of the rule set; may be repeated",
    )


class RuleWishes:
    """What the command line asks beyond the record: other rules, other options, a language."""

    def __init__(self, rules: str | None, options: Mapping[str, Any], language: str) -> None:
        self.rules, self.options, self.language = rules, options, language

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> RuleWishes:
        """Read and check; an unknown rule set or option here is a wrong call."""
        options = dict(_given(each) for each in getattr(arguments, "options", ()))
        asked = cls(getattr(arguments, "rules", None), options, getattr(arguments, "language", LANGUAGES[0]))
        try:
            if asked.rules is not None:
                rulebook(asked.rules, options)
            for name, value in options.items():
                if name not in OPTIONS or not OPTIONS[name].allows(value):
                    rulebook("podkidnoy-36", {name: value})
        except RulebookError as error:
            raise WrongCallError(str(error)) from None
        return asked

    def header(self, header: Header) -> Header:
        """The record's header, with what the command line changes."""
        if self.rules is not None:
            header = replace(header, rules=self.rules, options={})
        return replace(header, options={**header.options, **self.options}) if self.options else header


def _given(said: str | tuple[str, Any]) -> tuple[str, Any]:
    """``OPTION=VALUE``, or the pair it has been read as already."""
    if isinstance(said, tuple):
        return said
    try:
        return option(said)
    except ValueError as error:
        raise WrongCallError(str(error)) from None

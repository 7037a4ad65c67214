"""`kozyr rules [NAME]`: the rule sets, their options and values."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from referee.errors import RulebookError
from referee.rulebook import FREE, OPTIONS, PRESETS, rulebook
from webapp.commands.rule_options import Parsers, RuleWishes, add_common_options
from webapp.errors import WrongCallError
from webapp.text.present import explain


def add_rules_parser(subparsers: Parsers) -> argparse.ArgumentParser:
    """The command line of ``kozyr rules``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("rules", help="rule sets, their options and values")
    parser.add_argument("name", metavar="NAME", nargs="?", help="one rule set only")
    add_common_options(parser)
    return parser


def run_rules(arguments: argparse.Namespace) -> int:
    """List the rule sets and options, or one rule set; the exit status."""
    asked = RuleWishes.of(arguments)
    out = sys.stdout
    if arguments.name is None:
        for name in (*PRESETS, FREE):
            _write_preset(name, {}, arguments.json, out)
        for option in OPTIONS.values():
            if arguments.json:
                data = {
                    "option": option.name,
                    "values": list(option.values),
                    "default": option.default,
                    "any_count": option.counts,
                    "meaning": option.meaning,
                }
                out.write(json.dumps(data) + "\n")
            else:
                out.write(f"{option.name}: {option.expected}; {option.meaning}\n")
        return 0
    try:
        rules = rulebook(arguments.name, asked.options)
        rules.players()
    except RulebookError as error:
        raise WrongCallError(str(error)) from None
    if arguments.json:
        _write_preset(arguments.name, asked.options, True, out, say_all=asked.language)
    else:
        _write_preset(arguments.name, asked.options, False, out)
        for sentence in explain(rules, asked.language):
            out.write(f"  {sentence}\n")
    return 0


def _write_preset(
    name: str, options: Mapping[str, Any], as_json: bool, out: TextIO, say_all: str | None = None
) -> None:
    rules = rulebook(name, options)
    differs = {"pack": rules.pack} if name == FREE else PRESETS[name].differs
    if not as_json:
        fits = rules.players()
        players = f"{fits[0]}" if len(fits) == 1 else f"{fits[0]}-{fits[-1]}"
        out.write(f"{name} ({players} players)\n")
        return
    data: dict[str, Any] = {
        "rules": name,
        "players": list(rules.players()),
        "differs": {**differs, **options},
        "options": rules.as_json(),
    }
    if say_all is not None:
        data["text"] = explain(rules, say_all)
    out.write(json.dumps(data) + "\n")

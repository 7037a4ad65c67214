"""`kozyr rules [NAME]`: the rule sets, their options and values."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from referee.errors import RulebookError
from referee.rulebook import FREE, OPTIONS, PRESETS, rulebook
from webapp.commands.options import RuleOptions
from webapp.errors import WrongCallError
from webapp.text.catalogue import page_words
from webapp.text.present import explain


def run(asked: RuleOptions) -> int:
    asked.check()
    out = sys.stdout
    if asked.rules is None:
        for name in (*PRESETS, FREE):
            _write_preset(name, {}, asked.as_json, out, asked.language)
        if not asked.as_json:
            out.write("\n'kozyr rules NAME' explains one. Options of all, for --set OPTION=VALUE:\n\n")
        for option in OPTIONS.values():
            if asked.as_json:
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
        rules = rulebook(asked.rules, dict(asked.options))
        rules.players()
    except RulebookError as error:
        raise WrongCallError(str(error)) from None
    if asked.as_json:
        _write_preset(asked.rules, dict(asked.options), True, out, asked.language, is_explained=True)
    else:
        _write_preset(asked.rules, dict(asked.options), False, out, asked.language)
        for sentence in explain(rules, asked.language):
            out.write(f"  {sentence}\n")
    return 0


def _write_preset(
    name: str, options: Mapping[str, Any], as_json: bool, out: TextIO, language: str, *, is_explained: bool = False
) -> None:
    rules = rulebook(name, options)
    differs = {"pack": rules.pack} if name == FREE else PRESETS[name].differs
    known_as = page_words(language)[f"rules_{name.replace('-', '_')}"]
    if not as_json:
        fits = rules.players()
        players = f"{fits[0]}" if len(fits) == 1 else f"{fits[0]}-{fits[-1]}"
        out.write(f"{name:21} {players:>3} players  {known_as}\n")
        return
    data: dict[str, Any] = {
        "rules": name,
        "name": known_as,
        "players": list(rules.players()),
        "differs": {**differs, **options},
        "options": rules.as_json(),
    }
    if is_explained:
        data["text"] = explain(rules, language)
    out.write(json.dumps(data) + "\n")

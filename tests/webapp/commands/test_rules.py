"""`kozyr rules`: rule sets and options, as JSON lines and as text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webapp.commands.options import RuleOptions
from webapp.commands.rules import run
from webapp.errors import WrongCallError


def lines_of(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_rules_lists_presets_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(RuleOptions(as_json=True)) == 0
    lines = lines_of(capsys)
    presets = {line["rules"]: line for line in lines if "rules" in line}
    assert presets["podkidnoy-24"]["differs"] == {"pack": 24}
    assert presets["podkidnoy-24"]["players"] == [2]
    assert presets["hebrew"]["name"] == "Israeli Durak"
    options = {line["option"]: line for line in lines if "option" in line}
    assert options["attack_limit"]["values"] == [6, None]
    assert options["attack_limit"]["any_count"] is True
    assert options["transfer"]["default"] is False
    assert set(presets["spanish"]["options"]) == set(options)


def test_rules_are_printed_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(RuleOptions()) == 0
    out = capsys.readouterr().out
    assert "podkidnoy-24            2 players  Podkidnoy with 24 cards\n" in out
    assert "podkidnoy-32          2-5 players  Podkidnoy with 32 cards\n" in out
    assert "transfer: one of false, true; may the attack be passed on" in out


def test_one_rule_set_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(RuleOptions("perevodnoy", as_json=True, options=(("attack_limit", 5),))) == 0
    (line,) = lines_of(capsys)
    assert line["differs"] == {"transfer": True, "attack_limit": 5}
    assert "At most 5 attack cards in a bout." in line["text"]
    assert run(RuleOptions("perevodnoy")) == 0
    assert "  The attack may be passed on with a card of the same rank.\n" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["nosuch", ""])
def test_unknown_rule_set_is_a_usage_error(name: str) -> None:
    with pytest.raises(WrongCallError, match="expected a rule set such as"):
        run(RuleOptions(name, as_json=True))


def test_options_that_contradict_the_rule_set_are_refused() -> None:
    with pytest.raises(WrongCallError, match="transfer is played alone"):
        run(RuleOptions("perevodnoy", as_json=True, options=(("teams", "2x2"),)))

"""`kozyr referee`: printed lines, one sentence for an unusable record, exit statuses."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.errors import InvariantError
from webapp.commands import cli
from webapp.commands.options import RefereeOptions, RuleOptions
from webapp.commands.referee import run
from webapp.errors import UnusableInputError

HEADER: dict[str, Any] = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B"}
START = {"trump": "h", "turnup": "9h", "talon": 24, "hands": {"A": 6, "B": 6}, "attacker": "A"}
PLACED: dict[str, Any] = {"at": 1.5, "event": "placed", "card": "7s", "by": "A"}

Written = Callable[..., RefereeOptions]


@pytest.fixture
def call(tmp_path: Path) -> Written:
    """Return a function that writes a record and returns the options to referee it."""

    def write(
        *lines: Any, json_: bool = True, states: bool = False, rules: RuleOptions = RuleOptions()
    ) -> RefereeOptions:
        path = tmp_path / "m.jsonl"
        path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
        return RefereeOptions(str(path), states, replace(rules, as_json=json_))

    return write


def lines_of(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_rulings_and_announcements_have_line_time_and_text(call: Written, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(call(HEADER | {"start": START}, PLACED)) == 0
    assert lines_of(capsys) == [
        {"line": 1, "announce": "turn", "attacker": "A", "defender": "B", "text": "A attacks, B defends."},
        {"line": 2, "at": 1.5, "ruling": "legal", "play": "lead", "cards": ["7s"], "by": "A", "text": "A leads 7♠."},
    ]


def test_states_follow_every_event_and_nothing_else(call: Written, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(call(HEADER | {"start": START}, PLACED, {"event": "tick"}, states=True)) == 0
    states = [line for line in lines_of(capsys) if "state" in line]
    assert [line["line"] for line in states] == [2, 3]
    assert states[0]["state"] == states[1]["state"]


def test_several_matches_in_one_stream_are_refereed(call: Written, capsys: pytest.CaptureFixture[str]) -> None:
    header = HEADER | {"start": START}
    assert run(call(header, PLACED, header, PLACED)) == 0
    assert [line["line"] for line in lines_of(capsys)] == [1, 2, 3, 4]


def test_rulings_before_an_unusable_line_are_printed(call: Written, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = call(HEADER | {"start": START}, PLACED, "nonsense", PLACED)
    assert run(arguments) == 1
    out, error = capsys.readouterr()
    assert [json.loads(line)["line"] for line in out.splitlines()] == [1, 2]
    assert error == f"{arguments.record}:3: expected one JSON object on the line, got expecting value\n"


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"rules": "nosuch"}, ":1: expected a rule set"),
        ({"options": {"pack": 1}}, ":1: expected option pack"),
        ({"start": START | {"heap_count": 3}}, ":1: expected "),
    ],
)
def test_unusable_rules_in_a_record_are_refused(
    call: Written, capsys: pytest.CaptureFixture[str], header: dict[str, Any], reason: str
) -> None:
    arguments = call(HEADER | header, PLACED)
    assert run(arguments) == 1
    assert f"{arguments.record}{reason}" in capsys.readouterr().err


def test_record_is_read_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = json.dumps(HEADER) + "\n" + json.dumps({"event": "dealt", "turnup": "9h"}) + "\n\xff"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode("latin-1")), encoding="utf-8"))
    assert run(RefereeOptions("-", rules=RuleOptions(as_json=True))) == 1
    out, error = capsys.readouterr()
    assert json.loads(out)["announce"] == "talon"
    assert error.startswith("-:3: expected text in UTF-8")


def test_missing_file_is_refused() -> None:
    with pytest.raises(UnusableInputError, match="expected a record that can be read, got nowhere"):
        run(RefereeOptions("nowhere", rules=RuleOptions(as_json=True)))


def test_lines_without_json_are_readable(call: Written, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = PLACED | {"card": "8s", "by": "B"}
    arguments = call(HEADER | {"start": START}, wrong, json_=False, states=True, rules=RuleOptions(language="ru"))
    assert run(arguments) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "    1  Ходит A, отбивается B."
    assert out[1] == "    2       1.5 s  [illegal] B: не ваш ход. Ходит A."
    assert json.loads(out[2].split(maxsplit=1)[1])["phase"] == "attack"


def test_rules_option_overrides_the_record(call: Written, capsys: pytest.CaptureFixture[str]) -> None:
    header = HEADER | {"start": START, "options": {"attack_limit": 1}}
    pair = [PLACED, PLACED | {"card": "7d"}]
    assert run(call(header, *pair)) == 0
    assert lines_of(capsys)[-1]["fault"] == "limit-exceeded"
    assert run(call(header, *pair, rules=RuleOptions("podkidnoy-36"))) == 0
    assert "fault" not in lines_of(capsys)[-1]
    assert run(call(header, *pair, rules=RuleOptions(options=(("attack_limit", 2),)))) == 0
    assert "fault" not in lines_of(capsys)[-1]
    assert run(call(header, *pair, rules=RuleOptions(options=(("opening", "single"), ("attack_limit", 3))))) == 0
    assert lines_of(capsys)[-1]["fault"] == "opening-shape"


@pytest.mark.parametrize(
    "wrong",
    [("--rules", "nosuch"), ("--set", "nosuch=1"), ("--set", "pack=40"), ("--set", "pack"), ("--set", "opening=[[[")],
)
def test_usage_error(call: Written, wrong: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["referee", call(HEADER).record, *wrong]) == 2
    assert "expected " in capsys.readouterr().err


def test_play_of_several_cards_is_ruled_on_its_last_line(call: Written, capsys: pytest.CaptureFixture[str]) -> None:
    start = {"trump": "c", "talon": 40, "hands": {"A": 5, "B": 5}, "heap_count": 2, "attacker": "A"}
    header = HEADER | {"rules": "durek-platkowy", "start": start}
    pair = [PLACED, PLACED | {"card": "9d"}]
    assert run(call(header, *pair, PLACED | {"card": "7d"})) == 0
    assert [(line["line"], line.get("fault")) for line in lines_of(capsys)[1:]] == [(2, None), (4, None)]
    assert run(call(header, *pair, PLACED | {"card": "8d", "by": "B"})) == 0
    assert [(line["line"], line.get("fault")) for line in lines_of(capsys)[1:]][1] == (3, "opening-shape")
    assert run(call(header, *pair)) == 0
    assert lines_of(capsys)[-1]["fault"] == "opening-shape"
    assert run(call(header, *pair, "nonsense")) == 1
    assert lines_of(capsys)[-1]["fault"] == "opening-shape"


def test_internal_error_has_the_line_of_the_record(
    call: Written, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(state: object) -> None:
        raise InvariantError("Internal error: 37 cards in all instead of 36")

    monkeypatch.setattr("referee.effects.check_books", broken)
    assert run(call(HEADER | {"start": START}, PLACED)) == 1
    written = capsys.readouterr()
    assert written.err.endswith("m.jsonl:2: Internal error: 37 cards in all instead of 36\n")
    assert '"announce": "turn"' in written.out

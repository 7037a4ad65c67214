"""Conversion of command line options to the header of a match."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from webapp.commands.match_header import HeaderOptions, header_for
from webapp.errors import UnusableInputError, WrongCallError


def test_default_header_is_podkidnoy_for_two() -> None:
    header = header_for(HeaderOptions())
    assert (header.rules, header.seats, header.dealer, header.start) == ("podkidnoy-36", ("A", "B"), "B", None)


def test_last_seat_deals_by_default() -> None:
    header = header_for(HeaderOptions(seats=("Anna", "Boris", "Cyril")))
    assert (header.seats, header.dealer) == (("Anna", "Boris", "Cyril"), "Cyril")


def test_options_and_pack_override_the_rule_set() -> None:
    header = header_for(HeaderOptions(options=(("attack_limit", 5),), pack=52, seats=("A", "B", "C", "D", "E")))
    assert dict(header.options) == {"attack_limit": 5, "pack": 52}


def test_start_file_gives_the_whole_header(tmp_path: Path, table: Any) -> None:
    path = tmp_path / "header.json"
    path.write_text(json.dumps(table.header, indent=2))
    header = header_for(HeaderOptions(start=path))
    assert header.start is not None
    assert header.start.talon == 18


def test_first_line_of_a_record_is_a_start(tmp_path: Path, table: Any) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text(json.dumps(table.header) + '\n{"at": 1, "event": "tick"}\n')
    assert header_for(HeaderOptions(start=path)).seats == ("A", "B", "C")


def test_options_override_a_start_file(tmp_path: Path, table: Any) -> None:
    path = tmp_path / "header.json"
    path.write_text(json.dumps(table.header))
    header = header_for(HeaderOptions(start=path, options=(("attack_limit", None),)))
    assert dict(header.options) == {"attack_limit": None}
    assert header.start is not None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (HeaderOptions(rules="poker"), "poker"),
        (HeaderOptions(options=(("colour", "blue"),)), "colour"),
        (HeaderOptions(options=(("attack_limit", "many"),)), "attack_limit"),
        (HeaderOptions(options=(("pack", 30),)), "pack"),
        (HeaderOptions(rules="french-3"), "3"),
        (HeaderOptions(seats=("A", "B", "C", "D", "E", "F"), pack=24), "24"),
        (HeaderOptions(seats=("A", "heap")), "heap"),
        (HeaderOptions(seats=("A", "B" * 33)), "at most 32 characters"),
    ],
)
def test_invalid_options_are_a_usage_error(given: HeaderOptions, message: str) -> None:
    with pytest.raises(WrongCallError) as caught:
        header_for(given)
    assert message in str(caught.value)
    assert "expected" in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nonsense",
        b"[1, 2]",
        b"{}",
        b'{"kozyr": 2}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"kozyr": 1, "rules": "poker"}',
    ],
)
def test_error_of_an_invalid_start_has_its_place(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "header.json"
    path.write_bytes(content)
    with pytest.raises(UnusableInputError) as caught:
        header_for(HeaderOptions(start=path))
    assert str(caught.value).startswith(str(path))
    assert "expected" in str(caught.value)


def test_start_with_an_unknown_rule_set_is_an_input_error(tmp_path: Path, table: Any) -> None:
    path = tmp_path / "header.json"
    path.write_text(json.dumps({**table.header, "rules": "poker"}))
    with pytest.raises(UnusableInputError, match="poker"):
        header_for(HeaderOptions(start=path))


def test_missing_start_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UnusableInputError, match=r"The operating system refused: .*: No such file or directory"):
        header_for(HeaderOptions(start=tmp_path / "none.json"))

"""Pairing at the command line: printed codes, and the file for programs."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from webapp.commands.options import ServingOptions
from webapp.commands.pairing import announce_pairing, pairing_for
from webapp.errors import UnusableInputError
from webapp.web.pairing import Ask

HERE, ELSEWHERE = "http://127.0.0.1:8036/", ("http://192.168.1.5:8036/",)


def options(pair: str | None = None, file: Path | None = None) -> ServingOptions:
    return ServingOptions(pair=pair, pairing=file, port=0)


def test_addresses_and_codes_for_other_devices_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    pairing = pairing_for(options())
    announce_pairing(options(), pairing, HERE, ELSEWHERE)
    output = capsys.readouterr()
    assert output.out == ""
    assert f"http://192.168.1.5:8036/pair?token={pairing.codes.token}" in output.err
    assert f"PIN {pairing.codes.pin}" in output.err
    assert "█" in output.err


def test_no_codes_are_printed_for_this_machine_alone(capsys: pytest.CaptureFixture[str]) -> None:
    announce_pairing(options(), pairing_for(options()), HERE, ())
    assert capsys.readouterr().err == ""


def test_disabled_pairing_prints_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    pairing = pairing_for(options("never"))
    assert pairing.ask is Ask.NEVER
    announce_pairing(options("never"), pairing, HERE, ELSEWHERE)
    assert "whoever reaches this address can watch the table, press" in capsys.readouterr().err


def test_pairing_file_is_private_and_updated_with_the_codes(tmp_path: Path) -> None:
    place = tmp_path / "pairing.json"
    place.write_text("old", encoding="utf-8")
    place.chmod(0o644)
    pairing = pairing_for(options())
    announce_pairing(options(file=place), pairing, HERE, ELSEWHERE)
    first = json.loads(place.read_text(encoding="utf-8"))
    assert first == {"url": ELSEWHERE[0], "token": pairing.codes.token, "pin": pairing.codes.pin}
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    pairing.renew()
    assert json.loads(place.read_text(encoding="utf-8"))["pin"] == pairing.codes.pin != first["pin"]


def test_unwritable_pairing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnusableInputError, match="name another file with --pairing"):
        announce_pairing(options(file=tmp_path / "no" / "file"), pairing_for(options()), HERE, ())

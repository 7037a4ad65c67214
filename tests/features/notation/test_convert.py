"""``kozyr convert``: both directions by file ending or on standard streams, no overwriting, one sentence an error."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from webapp.commands import cli

ROOT = Path(__file__).parents[3]
RECORD = ROOT / "webapp" / "recordings" / "demo.jsonl"
NOTATION = '[Rules "podkidnoy-36"]\n[Seats A B]\n[Dealer B]\n\ndealt 9h\n1. A: 7s\n'

CommandResult = tuple[int, str, str]


@pytest.fixture
def convert(capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., CommandResult]:
    """Return a function that calls the command in this process: status, standard output, standard error."""

    def call(*arguments: object) -> CommandResult:
        status = cli.main(["convert", *map(str, arguments)])
        output = capsysbinary.readouterr()
        return status, output.out.decode(), output.err.decode()

    return call


def test_round_trip_by_file_ending(convert: Callable[..., CommandResult], tmp_path: Path) -> None:
    game, back, again = tmp_path / "game.durak", tmp_path / "back.jsonl", tmp_path / "again.durak"
    assert convert(RECORD, game) == (0, "", "")
    assert convert(game, back) == (0, "", "")
    assert convert(back, again) == (0, "", "")
    assert again.read_bytes() == game.read_bytes()
    assert "Anya: 8s@2.4  Boris: 8s/Ts@4.2  >heap@6.4" in game.read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.durak", "back.jsonl", "game.durak"]


def test_standard_streams(convert: Callable[..., CommandResult], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NOTATION.encode())))
    status, out, err = convert("-", "-", "--to", "record")
    assert (status, err) == (0, "")
    assert out.splitlines()[2] == '{"at": 0.2, "event": "placed", "card": "7s", "by": "A"}'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(out.encode())))
    assert convert("-", "-", "--to", "notation") == (0, NOTATION, "")


def test_text_is_converted_to_canonical_form(convert: Callable[..., CommandResult], tmp_path: Path) -> None:
    game = tmp_path / "game.durak"
    game.write_bytes(b"\xef\xbb\xbf" + NOTATION.replace("\n", "\r\n\r\n").encode())
    assert convert(game, "-", "--to", "notation") == (0, NOTATION, "")


def test_names_in_any_script_are_converted(convert: Callable[..., CommandResult], tmp_path: Path) -> None:
    record, game = tmp_path / "a.jsonl", tmp_path / "a.durak"
    record.write_text(
        '{"kozyr": 1, "rules": "podkidnoy-36", "seats": ["Аня", "[B] \\"Bo\\""], "dealer": "Аня"}\n'
        '{"at": 0.1, "event": "tick", "note": "\\ud800"}\n'
    )
    assert convert(record, game)[0] == 0
    assert '[Seats Аня "[B] \\"Bo\\""]' in game.read_text(encoding="utf-8")
    assert convert(game, record, "--force")[0] == 0
    assert convert(record, "-")[1] == game.read_text(encoding="utf-8")


def test_existing_file_is_not_overwritten(convert: Callable[..., CommandResult], tmp_path: Path) -> None:
    game = tmp_path / "game.durak"
    game.write_text("mine", encoding="utf-8")
    status, _, err = convert(RECORD, game)
    assert (status, err.count("\n"), game.read_text(encoding="utf-8")) == (1, 1, "mine")
    assert "--force" in err
    assert convert(RECORD, game, "--force")[0] == 0
    assert convert(RECORD, game) == (0, "", "")
    assert game.read_text(encoding="utf-8").startswith("[Rules")


def test_device_is_written_to_and_not_replaced(convert: Callable[..., CommandResult]) -> None:
    assert convert(RECORD, "/dev/null", "--to", "notation")[0] == 1
    assert convert(RECORD, "/dev/null", "--to", "notation", "--force") == (0, "", "")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("a.jsonl", "b.txt"), 2, "expected an OUTPUT ending in .jsonl or .durak, got b.txt"),
        (("-", "-"), 2, "say --to record or --to notation"),
        (("a.jsonl", "b.durak", "--to", "record"), 2, "expected --to notation with b.durak"),
        (("missing.jsonl", "-"), 1, "missing.jsonl: No such file or directory"),
        (("bad\0.jsonl", "-"), 1, "expected a record or a game in notation that can be read"),
        ((".", "-", "--to", "record"), 1, "Is a directory"),
        ((RECORD, "/missing/x.durak"), 1, "The operating system refused:"),
        (("slip.durak", "out.jsonl"), 1, "slip.durak:6:7: expected a play (7s, 7s/9s, +2, take, ...), got '7x'"),
        (("latin.durak", "out.jsonl"), 1, "latin.durak:6:8: expected text in UTF-8, got byte 0xe9"),
        (("slip.jsonl", "out.durak"), 1, "slip.jsonl:1: expected"),
    ],
)
def test_error_is_one_sentence(
    convert: Callable[..., CommandResult],
    arguments: tuple[object, ...],
    status: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slip.durak").write_text(NOTATION.replace("7s", "7x"), encoding="utf-8")
    (tmp_path / "latin.durak").write_bytes(NOTATION.replace("A: 7s", "A: {\xe9}").encode("latin-1"))
    (tmp_path / "slip.jsonl").write_text("{}\n", encoding="utf-8")
    came, out, err = convert(*arguments)
    assert (came, out, err.count("\n")) == (status, "", 1), err
    assert message in err
    assert not list(tmp_path.glob("out.*"))


@pytest.mark.parametrize("command", [("convert", "/dev/zero", "-", "--to", "record"), ("referee", "/dev/zero")])
def test_endless_input_is_refused(command: tuple[str, ...], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert cli.main([*command]) == 1
    assert b"/dev/zero: expected " in capsysbinary.readouterr().err

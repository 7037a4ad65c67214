"""``kozyr convert``: both ways, by file ending or on standard streams; nothing overwritten; one sentence a slip."""

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

Said = tuple[int, str, str]


@pytest.fixture
def convert(capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Said]:
    """Call the command in this process: status, standard output, standard error."""

    def call(*arguments: object) -> Said:
        status = cli.main(["convert", *map(str, arguments)])
        said = capsysbinary.readouterr()
        return status, said.out.decode(), said.err.decode()

    return call


def test_there_and_back_by_file_ending(convert: Callable[..., Said], tmp_path: Path) -> None:
    game, back, again = tmp_path / "game.durak", tmp_path / "back.jsonl", tmp_path / "again.durak"
    assert convert(RECORD, game) == (0, "", "")
    assert convert(game, back) == (0, "", "")
    assert convert(back, again) == (0, "", "")
    assert again.read_bytes() == game.read_bytes()
    assert "Anya: 8s@2.4  Boris: 8s/Ts@4.2  >heap@6.4" in game.read_text(encoding="utf-8")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["again.durak", "back.jsonl", "game.durak"]


def test_standard_streams(convert: Callable[..., Said], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NOTATION.encode())))
    status, out, err = convert("-", "-", "--to", "record")
    assert (status, err) == (0, "")
    assert out.splitlines()[2] == '{"at": 0.2, "event": "placed", "card": "7s", "by": "A"}'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(out.encode())))
    assert convert("-", "-", "--to", "notation") == (0, NOTATION, "")


def test_the_canonical_form_of_a_text(convert: Callable[..., Said], tmp_path: Path) -> None:
    game = tmp_path / "game.durak"
    game.write_bytes(b"\xef\xbb\xbf" + NOTATION.replace("\n", "\r\n\r\n").encode())
    assert convert(game, "-", "--to", "notation") == (0, NOTATION, "")


def test_names_of_any_letters(convert: Callable[..., Said], tmp_path: Path) -> None:
    record, game = tmp_path / "a.jsonl", tmp_path / "a.durak"
    record.write_text(
        '{"kozyr": 1, "rules": "podkidnoy-36", "seats": ["Аня", "[B] \\"Bo\\""], "dealer": "Аня"}\n'
        '{"at": 0.1, "event": "tick", "note": "\\ud800"}\n'
    )
    assert convert(record, game)[0] == 0
    assert '[Seats Аня "[B] \\"Bo\\""]' in game.read_text(encoding="utf-8")
    assert convert(game, record, "--force")[0] == 0
    assert convert(record, "-")[1] == game.read_text(encoding="utf-8")


def test_a_file_that_is_there_stays(convert: Callable[..., Said], tmp_path: Path) -> None:
    game = tmp_path / "game.durak"
    game.write_text("mine", encoding="utf-8")
    status, _, err = convert(RECORD, game)
    assert (status, err.count("\n"), game.read_text(encoding="utf-8")) == (1, 1, "mine")
    assert "--force" in err
    assert convert(RECORD, game, "--force")[0] == 0
    assert convert(RECORD, game) == (0, "", "")
    assert game.read_text(encoding="utf-8").startswith("[Rules")


def test_a_device_is_written_to_and_not_replaced(convert: Callable[..., Said]) -> None:
    assert convert(RECORD, "/dev/null", "--to", "notation")[0] == 1
    assert convert(RECORD, "/dev/null", "--to", "notation", "--force") == (0, "", "")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("a.jsonl", "b.txt"), 2, "expected an OUTPUT ending in .jsonl or .durak, got b.txt"),
        (("-", "-"), 2, "say --to record or --to notation"),
        (("a.jsonl", "b.durak", "--to", "record"), 2, "expected --to notation with b.durak"),
        (("missing.jsonl", "-"), 1, "missing.jsonl: No such file or directory"),
        (("bad\0.jsonl", "-"), 1, "expected a record or a game in notation that can be read"),
        ((".", "-", "--to", "record"), 1, "Is a directory"),
        ((RECORD, "/missing/x.durak"), 1, "expected a place where the game can be written"),
        (("slip.durak", "out.jsonl"), 1, "slip.durak:6:7: expected a play (7s, 7s/9s, +2, take, ...), got '7x'"),
        (("latin.durak", "out.jsonl"), 1, "latin.durak:6:8: expected text in UTF-8, got byte 0xe9"),
        (("slip.jsonl", "out.durak"), 1, "slip.jsonl:1: expected"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    convert: Callable[..., Said],
    arguments: tuple[object, ...],
    status: int,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slip.durak").write_text(NOTATION.replace("7s", "7x"), encoding="utf-8")
    (tmp_path / "latin.durak").write_bytes(NOTATION.replace("A: 7s", "A: {\xe9}").encode("latin-1"))
    (tmp_path / "slip.jsonl").write_text("{}\n", encoding="utf-8")
    came, out, err = convert(*arguments)
    assert (came, out, err.count("\n")) == (status, "", 1), err
    assert told in err
    assert not list(tmp_path.glob("out.*"))

"""
Bad input for every command: one sentence on standard error, the right status, never a traceback.

Errors with pictures, videos, records, weights, rule sets, ports and cameras are tested here together, each through the
command line.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from webapp.commands import cli

CommandResult = tuple[int, str, str]


@pytest.fixture
def kozyr(capsys: pytest.CaptureFixture[str]) -> Callable[..., CommandResult]:
    """Return a function that calls the command in this process: status, standard output, standard error."""

    def call(*arguments: object) -> CommandResult:
        status = cli.main([str(argument) for argument in arguments])
        output = capsys.readouterr()
        return status, output.out, output.err

    return call


def assert_one_error(result: CommandResult, *, status: int = 1, names: object = "") -> None:
    """Assert that the error is one line that names the thing and says what was expected, or what the system refused."""
    came, out, err = result
    assert came == status, err
    assert "expected" in err or "The operating system refused: " in err
    assert str(names) in err
    assert "Traceback" not in err
    assert err.count("\n") == 1, err
    assert "Traceback" not in out


def broken_files(folder: Path) -> dict[str, Path]:
    """Create files whose content does not match their name."""
    contents = {
        "empty.mp4": b"",
        "text.mp4": b"this is no video\n" * 50,
        "cut.mp4": b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + b"\x00" * 200,
        "noise.avi": bytes(range(256)) * 40,
    }
    files = {name: folder / name for name in contents}
    for name, content in contents.items():
        files[name].write_bytes(content)
    return files


@pytest.mark.parametrize("name", ["empty.mp4", "text.mp4", "cut.mp4", "noise.avi"])
@pytest.mark.parametrize("command", ["review", "watch"])
def test_unplayable_video_is_refused(
    kozyr: Callable[..., CommandResult], tmp_path: Path, command: str, name: str
) -> None:
    path = broken_files(tmp_path)[name]
    more = ("--exit", "--no-browser", "--port", "0") if command == "watch" else ()
    assert_one_error(kozyr(command, path, *more), names=path)


@pytest.mark.parametrize("command", ["review", "watch"])
def test_missing_source_is_refused(kozyr: Callable[..., CommandResult], tmp_path: Path, command: str) -> None:
    more = ("--exit", "--no-browser", "--port", "0") if command == "watch" else ()
    assert_one_error(kozyr(command, tmp_path / "none.mp4", *more), names="none.mp4")


def test_folder_without_pictures_is_refused(kozyr: Callable[..., CommandResult], tmp_path: Path) -> None:
    assert_one_error(kozyr("review", tmp_path), names=tmp_path)


def test_missing_camera_is_refused(kozyr: Callable[..., CommandResult]) -> None:
    assert_one_error(kozyr("watch", "97", "--exit", "--no-browser", "--port", "0"), names="97")


def test_occupied_port_is_refused(kozyr: Callable[..., CommandResult]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        output = kozyr("demo", "--exit", "--no-browser", "--port", port)
    assert_one_error(output, names=port)
    assert "--port" in output[2]


@pytest.mark.parametrize("command", ["demo", "review", "read", "watch"])
def test_missing_weights_are_refused(kozyr: Callable[..., CommandResult], tmp_path: Path, command: str) -> None:
    picture = tmp_path / "table.png"
    write_picture(picture)
    thing = {"demo": (), "review": (tmp_path,), "read": (picture,), "watch": (tmp_path,)}[command]
    more = ("--exit", "--no-browser", "--port", "0") if command in ("demo", "watch") else ()
    assert_one_error(kozyr(command, *thing, *more, "--weights", tmp_path / "none.onnx"), names="none.onnx")


@pytest.mark.parametrize("content", [b"", b"not a network", b"\x08\x07" * 500])
def test_invalid_weights_are_refused(kozyr: Callable[..., CommandResult], tmp_path: Path, content: bytes) -> None:
    write_picture(tmp_path / "table.png")
    for name in ("finder.onnx", "corner_refiner.onnx", "classifier.onnx", "overlap_network.onnx"):
        (tmp_path / name).write_bytes(content)
    assert_one_error(kozyr("read", tmp_path / "table.png", "--weights", tmp_path / "finder.onnx"))


def write_picture(path: Path) -> None:
    """Write a small grey table."""
    import cv2

    assert cv2.imwrite(str(path), np.full((90, 160, 3), 80, np.uint8))


WORDS = ("the", "attack", "10", "K", "Q", "J", "A", "7", "trump", "six", "hearts", "table", "of")


def page_of_print() -> np.ndarray:
    """Return a sheet of paper with lines of words, ranks and numbers among them; (600, 440, 3)."""
    import cv2

    sheet = np.full((600, 440, 3), 244, np.uint8)
    words = np.random.default_rng(3).choice(
        ["the", "attack", "10", "K", "Q", "J", "A", "7", "trump", "six", "hearts", "table", "of"], 160
    )
    for place, word in enumerate(words):
        at = (30 + place % 5 * 78, 40 + place // 5 * 17)
        cv2.putText(sheet, word, at, cv2.FONT_HERSHEY_COMPLEX, 0.42, (25, 25, 25), 1, cv2.LINE_AA)
    return sheet


def test_pictures_without_cards_and_invalid_pictures(kozyr: Callable[..., CommandResult], tmp_path: Path) -> None:
    import cv2

    table = np.clip(np.random.default_rng(1).normal((60, 110, 60), 6, (720, 1280, 3)), 0, 255).astype(np.uint8)
    seen = {
        "dark.png": np.zeros((720, 1280, 3), np.uint8),
        "white.png": np.full((720, 1280, 3), 255, np.uint8),
        "table.jpg": table,
        "small.jpg": cv2.resize(table, (320, 180)),
        "large.jpg": cv2.resize(table, (3264, 2448)),
        "print.png": page_of_print(),
    }
    for name, image in seen.items():
        assert cv2.imwrite(str(tmp_path / name), image)
    bad = {
        "empty.jpg": b"",
        "letter.jpg": b"Dear Anna, the seven of spades was yours.\n" * 9,
        "cut.jpg": (tmp_path / "table.jpg").read_bytes()[:9000],
        "photo.heic": b"\x00\x00\x00\x24ftypheic\x00\x00\x00\x00mif1heic" + b"\x00" * 99,
    }
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder.png").mkdir()
    names = [*seen, *bad, "folder.png", "none.png"]
    status, out, err = kozyr("read", *(tmp_path / name for name in names), "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert status == 1
    assert [Path(line["picture"]).name for line in lines] == names
    for line in lines[: len(seen)]:
        assert [card for card in line["cards"] if card["card"] != "back"] == [], line
    assert [set(line) for line in lines[len(seen) :]] == [{"picture", "error"}] * (len(names) - len(seen))
    assert [f"kozyr: {line['error']}" for line in lines[len(seen) :]] == err.splitlines()


@pytest.mark.parametrize("command", ["demo", "watch", "review", "read"])
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--rules", "poker"),
        ("--set", "colour=blue"),
        ("--set", "attack_limit=lots"),
        ("--pack", "40"),
        ("--seats", "A,A"),
    ],
)
def test_invalid_option_values_are_refused(
    kozyr: Callable[..., CommandResult], command: str, option: str, value: str
) -> None:
    thing = () if command == "demo" else ("table.png",)
    assert_one_error(kozyr(command, *thing, option, value), status=2, names=value.partition("=")[0])


@pytest.mark.parametrize("content", ["", "nonsense", "[]", '{"kozyr": 9}', '{"kozyr": 1, "rules": "poker"}'])
def test_invalid_start_is_refused(kozyr: Callable[..., CommandResult], tmp_path: Path, content: str) -> None:
    path = tmp_path / "header.json"
    path.write_text(content)
    assert_one_error(kozyr("review", "game.mp4", "--start", path), names=path)


def test_record_that_would_overwrite_the_input_is_refused(kozyr: Callable[..., CommandResult], tmp_path: Path) -> None:
    clip = tmp_path / "table.png"
    write_picture(clip)
    before = clip.read_bytes()
    assert_one_error(kozyr("review", clip, "--record", clip), status=2, names=clip)
    assert clip.read_bytes() == before


def test_unwritable_record_is_refused(kozyr: Callable[..., CommandResult], tmp_path: Path) -> None:
    write_picture(tmp_path / "table.png")
    assert_one_error(
        kozyr("review", tmp_path / "table.png", "--record", tmp_path / "no" / "game.jsonl"), names="game.jsonl"
    )


HEADER = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B"}


@pytest.mark.parametrize(
    ("lines", "at"),
    [
        ([], 1),
        (["nonsense"], 1),
        ([{**HEADER, "rules": "poker"}], 1),
        ([{**HEADER, "options": {"colour": "blue"}}], 1),
        ([HEADER, {"at": 1, "event": "smashed"}], 2),
        ([HEADER, {"at": 1, "event": "placed", "card": "10h"}], 2),
        ([HEADER, {"at": 2, "event": "tick"}, {"at": 1, "event": "tick"}], 3),
        ([HEADER, {"at": 1, "event": "placed", "card": "9h", "by": "Z"}], 2),
    ],
)
def test_error_of_an_invalid_record_names_file_and_line(
    kozyr: Callable[..., CommandResult], tmp_path: Path, lines: list[object], at: int
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    assert_one_error(kozyr("referee", path, "--json"), names=f"{path}:{at}: expected")


def test_missing_record_is_refused(kozyr: Callable[..., CommandResult], tmp_path: Path) -> None:
    assert_one_error(kozyr("referee", tmp_path / "none.jsonl"), names="none.jsonl")


def test_record_that_is_not_utf8_is_refused(kozyr: Callable[..., CommandResult], tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(b"\xff\xfe\x00\x01")
    assert_one_error(kozyr("referee", path, "--json"), names=path)


def test_unknown_rule_set_is_refused(kozyr: Callable[..., CommandResult]) -> None:
    assert_one_error(kozyr("rules", "poker"), status=2, names="poker")

"""`kozyr watch`, `matches`, `export`, `delete` and `scores`: storing and managing matches."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import cv2
import numpy as np
import pytest

from features.notation.parser import parse_notation
from referee.record import event_to_json, read_record
from tests.webapp.conftest import HEADER
from webapp.commands import cli
from webapp.live import vision_opening
from webapp.store.database import Database
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.versions import versions

CommandResult = tuple[int, list[Any], str]
LED = {"at": 1.5, "event": "placed", "card": "7s", "by": "A"}
LEGAL = {"line": 2, "at": 1.5, "ruling": "legal", "play": "lead", "cards": ["7s"], "by": "A", "text": "A leads 7♠."}
BEATEN = {"at": 2.5, "event": "placed", "card": "Ts", "by": "B", "on": "7s"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use a data folder without matches."""
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def kozyr(capsys: pytest.CaptureFixture[str]) -> Callable[..., CommandResult]:
    """Return a function that calls the command: status, lines of standard output as JSON, standard error."""

    def call(*arguments: object) -> CommandResult:
        capsys.readouterr()
        status = cli.main([str(argument) for argument in arguments])
        output = capsys.readouterr()
        return status, [json.loads(line) for line in output.out.splitlines()], output.err

    return call


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """Write a clip of an empty table, 1 s long, with a header beside it."""
    writer = cv2.VideoWriter(str(tmp_path / "table.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 20, (320, 180))
    for number in range(20):
        writer.write(np.full((180, 320, 3), 90 + number % 2, np.uint8))
    writer.release()
    (tmp_path / "start.json").write_text(json.dumps(HEADER))
    return tmp_path / "table.avi"


@pytest.fixture
def watch(kozyr: Callable[..., CommandResult], clip: Path) -> Callable[..., CommandResult]:
    """Return a function that runs `kozyr watch` on the clip."""
    return lambda *more: kozyr("watch", clip, "--exit", "--no-browser", "--port", 0, "--json", *more)


@pytest.fixture
def interrupted() -> str:
    """Store a match of table *kitchen* that was interrupted after two cards; return its ID."""
    database = Database.open()
    writing = Writing.begin("kitchen", datetime(2026, 11, 23, 19, 30, tzinfo=UTC), versions())
    Matches(database).append(writing, [RecordEntry(1, HEADER), RecordEntry(2, LED, (LEGAL,)), RecordEntry(3, BEATEN)])
    database.close()
    return writing.match


def test_watched_match_is_stored_and_shown_as_printed(
    kozyr: Callable[..., CommandResult], watch: Callable[..., CommandResult], clip: Path
) -> None:
    status, printed, noted = watch("--start", clip.parent / "start.json", "--table", " Küche 2 ")
    _, (listed,), _ = kozyr("matches", "--json")
    assert status == 0
    assert f"kept as match {listed['match']}" in noted
    assert (listed["table"], listed["seats"], listed["events"], listed["ended"]) == (
        "Küche 2",
        ["A", "B", "C"],
        0,
        True,
    )
    for order in (("show", listed["match"], "--json"), ("--json", "show", listed["match"])):
        assert kozyr("matches", *order)[1] == [line for line in printed if "summary" not in line]


def test_review_is_stored_only_with_keep(kozyr: Callable[..., CommandResult], clip: Path) -> None:
    kozyr("review", clip, "--json")
    assert kozyr("matches", "--json") == (0, [], "")
    _, printed, _ = kozyr("review", clip, "--json", "--keep", "--seats", "Аня,Б/о\\рис")
    (listed,) = kozyr("matches", "--json")[1]
    assert (listed["seats"], listed["ended"]) == (["Аня", "Б/о\\рис"], True)
    assert kozyr("matches", "show", listed["match"], "--json")[1] == printed[:-1]


def test_match_is_not_stored_without_keeping(
    kozyr: Callable[..., CommandResult], watch: Callable[..., CommandResult], home: Path
) -> None:
    assert watch("--no-keep", "--seats", "A,B")[0] == 0
    assert not home.exists()
    assert kozyr("matches", "--json")[1] == []


def test_match_is_resumed_where_it_stopped(
    kozyr: Callable[..., CommandResult],
    watch: Callable[..., CommandResult],
    interrupted: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[Any] = []
    made = vision_opening.InitialState.resumed
    monkeypatch.setattr(vision_opening.InitialState, "resumed", lambda *state: begun.append(made(*state)) or begun[-1])
    record = tmp_path / "game.jsonl"
    status, printed, noted = watch("--resume", "--table", "kitchen", "--record", record)
    assert status == 0
    assert f"going on with match {interrupted}" in noted
    away = {"at": 2.5, "event": "blocked", "reason": "the program was away for a while"}
    assert [line for line in printed if "event" in line] == [away]
    assert [str(card) for card in begun[0].bout] == ["7s", "Ts"]
    assert (begun[0].talon, str(begun[0].turnup), begun[0].dealt) == (18, "9h", True)
    shown = [line for line in kozyr("matches", "show", interrupted, "--json")[1] if "kozyr" in line or "event" in line]
    assert shown == [HEADER, LED, BEATEN, away]
    assert list(read_record(record.read_text("utf-8").splitlines())) == list(read_record(map(json.dumps, shown)))


def test_named_match_is_resumed(watch: Callable[..., CommandResult], interrupted: str) -> None:
    assert watch("--resume", "--table", "kitchen")[0] == 0  # which ends it
    assert "has not ended, found none" in watch("--resume", "--table", "kitchen")[2]
    assert watch("--resume", interrupted)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (("--resume", "--table", "hall"), 1, "expected a match of table 'hall' that has not ended, found none"),
        (("--resume", "2026-none"), 1, "expected the ID of a kept match, got '2026-none'"),
        (("--resume", "--seats", "A,B"), 2, "a match goes on as it began"),
        (("--resume", "--no-keep"), 2, "a match goes on as it began"),
        (("--table", "a\nb"), 2, "expected a name of 1 to 60 characters"),
        (("--seats", "A,B", "--store", "kozyr.db"), 2, "expected a store such as sqlite:///kozyr.db"),
        (("--seats", "A,B", "--store", "sqlite:////none/none.db"), 1, "(--no-keep plays without keeping the match)"),
    ],
)
def test_contradictory_options_are_usage_errors(
    watch: Callable[..., CommandResult], arguments: tuple[str, ...], status: int, sentence: str
) -> None:
    came, printed, noted = watch(*arguments)
    assert (came, printed) == (status, [])
    assert sentence in noted
    assert noted.count("\n") == 1


def test_demo_runs_without_a_writable_store(
    kozyr: Callable[..., CommandResult], home: Path, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from webapp.commands import demo

    home.write_text("a file where a folder should be")
    monkeypatch.setattr(demo, "DEMO_CLIP", clip)
    status, printed, noted = kozyr("demo", "--exit", "--no-browser", "--port", 0, "--json")
    assert status == 0
    assert "summary" in printed[-1]
    assert "this match is not kept" in noted
    assert kozyr("demo", "--exit", "--no-browser", "--port", 0, "--store", f"sqlite:///{home}/x.db")[0] == 1


def test_match_is_exported_to_a_new_file(kozyr: Callable[..., CommandResult], interrupted: str, tmp_path: Path) -> None:
    path = tmp_path / "match.zip"
    assert kozyr("matches", "export", interrupted, path)[0] == 0
    with ZipFile(path) as packed:
        assert sorted(packed.namelist()) == ["game.durak", "record.jsonl", "versions.json"]
        record = packed.read("record.jsonl").decode()
        about = json.loads(packed.read("versions.json"))
        [(_, events)] = parse_notation(packed.read("game.durak").decode())
    assert [json.loads(line) for line in record.splitlines()] == [HEADER, LED, BEATEN]
    assert [event_to_json(event) for event in events] == [LED, BEATEN]
    assert about["match"] == interrupted
    assert {"kozyr", "python", "sqlalchemy"} <= set(about["versions"])


def test_export_does_not_overwrite_a_file(
    kozyr: Callable[..., CommandResult], interrupted: str, tmp_path: Path
) -> None:
    path = tmp_path / "match.zip"
    path.write_text("mine")
    status, _, noted = kozyr("matches", "export", interrupted, path)
    assert (status, path.read_text()) == (1, "mine")
    assert "expected the name of a new file" in noted
    assert "The operating system refused" in kozyr("matches", "export", interrupted, tmp_path / "none" / "x.zip")[2]


def test_full_disk_leaves_no_partial_file(
    kozyr: Callable[..., CommandResult], interrupted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ZipFile, "writestr", full)
    status, _, noted = kozyr("matches", "export", interrupted, tmp_path / "match.zip")
    assert status == 1
    assert "No space left on device" in noted
    assert not (tmp_path / "match.zip").exists()


def test_deletion_requires_confirmation(kozyr: Callable[..., CommandResult], interrupted: str) -> None:
    status, _, noted = kozyr("matches", "delete", interrupted)
    assert status == 2
    assert "expected --yes" in noted
    assert len(kozyr("matches", "--json")[1]) == 1
    assert kozyr("matches", "delete", interrupted, "--yes")[0] == 0
    assert kozyr("matches", "--json")[1] == []
    assert kozyr("matches", "delete", interrupted, "--yes")[0] == 1


def test_readable_list_has_one_line_a_match(
    kozyr: Callable[..., CommandResult], interrupted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert cli.main(["matches"]) == 0
    assert capsys.readouterr().out == f"{interrupted}  kitchen  podkidnoy-36  A, B, C  2 events, 0:02  not ended\n"
    assert cli.main(["matches", "show", interrupted]) == 0
    assert capsys.readouterr().out == " 0:01    A leads 7♠.\n"


LAST_CARDS = {"trump": "h", "turnup": None, "talon": 0, "hands": {"A": 1, "B": 2}, "attacker": "A"}


def finished(table: str = "kitchen", hour: int = 19) -> None:
    """Store a match in which B was the fool."""
    database = Database.open()
    writing = Writing.begin(table, datetime(2026, 11, 23, hour, 30, tzinfo=UTC), versions())
    fool = {"line": 2, "announce": "result", "kind": "fool", "seats": ["B"], "text": "B is the fool."}
    Matches(database).append(writing, [RecordEntry(1, HEADER), RecordEntry(2, LED, (fool,))])
    database.close()


def test_scores_are_printed_as_json_csv_and_text(
    kozyr: Callable[..., CommandResult], capsys: pytest.CaptureFixture[str]
) -> None:
    finished()
    finished(hour=20)
    status, lines, _ = kozyr("matches", "scores", "--json")
    assert (status, list(lines[-1])) == (0, ["all"])
    assert [(player["name"], player["games"], player["lost"]) for player in lines[0]["players"]] == [
        ("A", 2, 0),
        ("B", 2, 2),
        ("C", 2, 0),
    ]
    assert cli.main(["matches", "scores", "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[2].endswith(",B,2,2,0")
    assert cli.main(["matches", "scores"]) == 0
    assert "  B: lost 2 of 2, longest run without losing: 0" in capsys.readouterr().out
    assert kozyr("matches", "scores", "--csv", "--json")[0] == 2


def test_empty_list_of_matches_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path))
    for more, is_reported in (([], True), (["--json"], False)):
        assert cli.main(["matches", *more]) == 0
        output = capsys.readouterr()
        assert (output.out, "no match is kept in" in output.err) == ("", is_reported)

"""`kozyr analyse`: lines for decisions and players, caching, resuming, and errors."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from features.analysis.command import Progress, in_words
from features.analysis.reasons import REASONS
from tests.features.analysis.endings import RECORD
from webapp.commands.cli import main
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import why_sentence


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))
    path = tmp_path / "game.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in RECORD))
    return path


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_one_line_for_each_decision_and_player(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", str(record), "--json", "--playouts", "20"]) == 0
    *decided, first, second = lines(capsys)
    assert [(decision["line"], decision["by"], decision["played"]) for decision in decided] == [
        (2, "A", "6s"),
        (3, "B", "7s over 6s"),
        (4, "A", "pass"),
        (5, "B", "7c"),
        (6, "A", "take"),
    ]
    for decision in decided:
        assert set(decision) >= {"loss", "chance", "best", "best_chance", "exact", "playouts"}
        assert decision["exact"]
        assert decision["loss"] == decision["chance"] - decision["best_chance"]
    assert (first["seat"], first["decisions"]) == ("A", 3)
    assert set(second) == {"seat", "decisions", "mean_loss", "worst"}


def test_repeated_call_gives_cached_lines(
    record: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["analyse", str(record), "--json", "--playouts", "20"])
    first = lines(capsys)

    def never(*_: object) -> None:
        raise AssertionError("rated twice")

    monkeypatch.setattr("features.analysis.command.rated", never)
    main(["analyse", str(record), "--json", "--playouts", "20"])
    assert lines(capsys) == first


def test_interrupted_analysis_is_resumed(record: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["analyse", str(record), "--json", "--playouts", "20"])
    whole = lines(capsys)
    (stored,) = (tmp_path / "home" / "analysed").iterdir()
    written = stored.read_text().splitlines()
    stored.write_text("\n".join(written[:2]) + '\n[2, {"broken')
    main(["analyse", str(record), "--json", "--playouts", "20"])
    assert lines(capsys) == whole


def test_game_in_notation_is_analysed(record: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["analyse", str(record), "--json", "--playouts", "20"])
    whole = lines(capsys)
    notation = tmp_path / "game.durak"
    assert main(["convert", str(record), str(notation)]) == 0
    main(["analyse", str(notation), "--json", "--playouts", "20"])
    assert lines(capsys) == whole


def test_analysis_without_json_is_readable_text(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["analyse", str(record), "--playouts", "20"])
    assert "B: 7c, fool with" in capsys.readouterr().out
    rated = {"line": 3, "by": "B", "played": "7c", "chance": 0.5, "loss": 0.25, "best": "take", "best_chance": 0.25}
    assert in_words(rated) == "   3  B: 7c, fool with 50 %; best take with 25 %"


@pytest.mark.parametrize(
    ("call", "status", "sentence"),
    [
        (["missing.jsonl"], 1, "got no file missing.jsonl"),
        (["no-such-match"], 1, "no-such-match"),
        (["--playouts", "0", "x"], 2, "number of playouts from 1"),
        (["--seed", "x", "x"], 2, "expected a whole number of at most 18 digits as seed, got 'x'"),
        (["--seed", "9" * 5000, "x"], 2, "expected a whole number of at most 18 digits as seed, got '9999"),
    ],
)
def test_unusable_input_is_refused(
    call: list[str],
    status: int,
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path))
    assert main(["analyse", *call, "--json"]) == status
    output = capsys.readouterr()
    assert sentence in output.err
    assert output.out == ""


def test_two_processes_give_the_same_lines(
    record: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    call = ["analyse", str(record), "--json", "--playouts", "20"]
    assert main(call) == 0
    alone = lines(capsys)
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "another home"))  # where no rating is stored
    assert main([*call, "--workers", "2"]) == 0
    assert lines(capsys) == alone


def test_missing_library_of_clusters_is_named_with_the_option_that_needs_it(
    record: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["analyse", str(record), "--dask", "tcp://127.0.0.1:1", "--json"]) == 2
    error = capsys.readouterr().err
    assert "expected dask.distributed for --dask" in error
    assert "--workers" not in error, "the decisions are rated on several processors without it"


def test_error_has_the_line_of_a_broken_record(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record.write_text(record.read_text() + "nonsense\n")
    assert main(["analyse", str(record), "--json"]) == 1
    assert f"{record}:7: expected" in capsys.readouterr().err


def test_progress_estimates_the_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    now = iter((0.0, 1.0, 8.0, 9.0, 10.0))
    progress = Progress(4, clock=lambda: next(now))
    for _ in range(4):
        progress.more()
    output = capsys.readouterr().err
    assert "2 of 4 decisions, 8 s left" in output
    assert "4 of 4 decisions, 0 s left" in output


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_has_a_sentence_with_its_cards(language: str) -> None:
    names = ("card", "over", "lower", "given", "left", "taken", "kept", "cards")
    facts = {name: f"{rank}s" for name, rank in zip(names, "6789TJQK", strict=True)}
    sentences = {why_sentence({"id": reason, "who": "Anna", **facts}, language) for reason in REASONS}
    assert len(sentences) == len(REASONS)
    assert all("♠" in sentence for sentence in sentences)


def test_readable_line_ends_with_the_reason() -> None:
    line = {"line": 3, "by": "B", "played": "pass", "loss": 0.2, "chance": 0.5, "best": "8c", "best_chance": 0.3}
    assert in_words({**line, "why": {"id": "could_add", "card": "8c"}}, "fr").endswith(". On pouvait ajouter le 8♣.")

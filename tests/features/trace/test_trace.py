"""`kozyr trace`: the page and the data are written; invalid input gives one sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from features.trace import command as trace
from webapp.commands import cli
from webapp.shipped_recording import DEMO_CLIP, DEMO_RECORD

CALL = ["trace", str(DEMO_CLIP), "--start", str(DEMO_RECORD)]


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """Trace the recording's first lead; return the folder and its data."""
    folder = tmp_path_factory.mktemp("trace") / "lead"
    assert cli.main([*CALL, "--from", "2", "--to", "3", "--out", str(folder)]) == 0
    lines = (folder / "trace.jsonl").read_text(encoding="utf-8").splitlines()
    return folder, [json.loads(line) for line in lines]


def test_data_has_the_requested_kinds_within_the_time_span(traced: tuple[Path, list[dict[str, Any]]]) -> None:
    _, (about, *entries) = traced
    assert (about["kind"], about["clip"], about["from"], about["to"]) == ("trace", "demo.mp4", 2.0, 3.0)
    assert about["header"]["seats"] == ["Anya", "Boris", "Vera"]
    assert {entry["kind"] for entry in entries} == {"look", "judged", "line", "state"}
    assert all(2.0 <= entry["when"] <= 3.0 for entry in entries if entry["kind"] != "line")
    assert all(2.0 <= entry["line"]["at"] <= 3.0 for entry in entries if entry["kind"] == "line")
    assert [entry["when"] for entry in entries] == sorted(entry["when"] for entry in entries)


def test_each_inference_has_a_picture_and_card_names(traced: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, entries = traced
    inferences = [entry for entry in entries if entry["kind"] == "look"]
    assert sorted(inference["picture"] for inference in inferences) == [
        f"looks/{path.name}" for path in sorted(folder.glob("looks/*"))
    ]
    picture = cv2.imread(str(folder / inferences[-1]["picture"]))
    assert picture is not None
    assert picture.shape == (720, 1280, 3)
    assert "8s" in [card["names"][0][0] for card in inferences[-1]["cards"]]


def test_reported_events_come_before_their_record_and_ruling(traced: tuple[Path, list[dict[str, Any]]]) -> None:
    _, entries = traced
    noticed, *_ = [entry for entry in entries if entry["kind"] == "judged"]
    assert [event["card"] for event in noticed["noticed"]] == ["8s"]
    tables = [entry["table"] for entry in entries if entry["kind"] == "look"]
    assert [hand["seat"] for hand in next(table["bout"] for table in tables if table["bout"])[0]["hands"]] == ["Anya"]
    reporting, record, ruling, *_ = [
        entry for entry in entries if entry["kind"] == "line" or (entry["kind"] == "judged" and entry["told"])
    ]
    assert record["line"] == reporting["told"][0]
    assert record["line"]["card"] == "8s"
    assert ruling["line"]["ruling"] == "legal"


def test_reported_events_have_the_weight_of_each_alternative(traced: tuple[Path, list[dict[str, Any]]]) -> None:
    _, entries = traced
    reporting = next(entry for entry in entries if entry["kind"] == "judged" and entry["told"])
    shares = [share for doubt in reporting["settled"][0]["doubts"] for share in doubt["shares"].values()]
    assert shares
    assert shares == [share for _, share in reporting["told"][0]["otherwise"]]


def test_page_holds_the_data_and_loads_nothing_from_other_hosts(
    traced: tuple[Path, list[dict[str, Any]]],
) -> None:
    folder, (about, *entries) = traced
    page = (folder / "index.html").read_text(encoding="utf-8")
    (data,) = re.findall(r"const log = (.*);$", page, flags=re.M)
    assert json.loads(data) == [about, *entries]
    assert not re.findall(r"(?:https?:)?//[a-z]|<link|<script src|@import|url\(", page)


@pytest.mark.thorough
def test_earlier_trace_is_overwritten(
    traced: tuple[Path, list[dict[str, Any]]], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = traced
    again = folder.parent / "again"
    (again / "looks").mkdir(parents=True)
    (again / "looks" / "99999.jpg").write_bytes(b"of an earlier trace")
    (again / "trace.jsonl").write_text("{}\n")
    assert cli.main([*CALL, "--from", "0", "--to", "0.2", "--out", str(again), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary == {
        "page": str(again / "index.html"),
        "from": 0.0,
        "to": 0.2,
        "looks": summary["looks"],
        "events": 0,
    }
    assert len(list(again.glob("looks/*.jpg"))) == summary["looks"] >= 1


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (("5", "3"), "expected --from before --to, got 5 and 3"),
        (("5", "5"), "expected --from before --to"),
        (("0", "300"), "expected a span of 164 s at most, 2000 inferences, got 300 s"),
        (("90", "120"), "expected --to within"),
        (("-1", "3"), "expected"),
        (("now", "3"), "expected seconds such as 75.5, or 1:15.5, got 'now'"),
    ],
)
def test_invalid_times_are_refused_with_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], times: tuple[str, str], message: str
) -> None:
    assert cli.main([*CALL, "--from", times[0], "--to", times[1], "--out", str(tmp_path / "out")]) == 2
    assert_one_sentence(capsys.readouterr().err, message)
    assert not (tmp_path / "out").exists()


def test_unwritable_folder_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert cli.main([*CALL, "--from", "0", "--to", "1", "--out", str(tmp_path / "file" / "out")]) == 1
    assert_one_sentence(capsys.readouterr().err, "The operating system refused:")


def test_folder_with_other_files_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "index.html").write_text("somebody's page")
    assert cli.main([*CALL, "--from", "0", "--to", "1", "--out", str(tmp_path)]) == 1
    assert_one_sentence(capsys.readouterr().err, "expected an empty folder or an earlier trace")
    assert (tmp_path / "index.html").read_text() == "somebody's page"


def test_single_pictures_are_refused_with_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.full((90, 160, 3), 80, np.uint8))
    call = ["trace", str(tmp_path / "a.png"), "--from", "0", "--to", "1", "--out", str(tmp_path / "out")]
    assert cli.main(call) == 2
    assert_one_sentence(capsys.readouterr().err, "pictures that stand alone; use 'kozyr read'")


def test_live_source_is_refused_with_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from vision.capture.sources import Source

    monkeypatch.setattr(trace, "open_source", lambda spec: Source(spec, 25.0, (160, 90), True, None))
    assert cli.main(["trace", "0", "--from", "0", "--to", "1", "--out", str(tmp_path / "out")]) == 2
    assert_one_sentence(capsys.readouterr().err, "expected a recorded clip, got 0, which is live")


def assert_one_sentence(text: str, message: str) -> None:
    """Assert that the text is one line with these words."""
    assert text.count("\n") == 1, text
    assert message in text

"""Nothing that was filmed or written before is lost, however often a file is begun again."""

from __future__ import annotations

from pathlib import Path

import pytest

from vision.capture.output_file import keep_earlier
from vision.capture.video_writer import FilmError, FilmWriter
from webapp.live.match_files import RecordFile


def test_every_earlier_file_is_kept_under_a_number_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    for text in ("monday", "tuesday", "wednesday"):
        path.write_text(text)
        keep_earlier(path)
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {
        "game.jsonl.1": "monday",
        "game.jsonl.2": "tuesday",
        "game.jsonl.3": "wednesday",
    }


def test_a_number_that_leads_nowhere_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("monday")
    (tmp_path / "game.jsonl.1").symlink_to(tmp_path / "a disk that is not plugged in")
    assert keep_earlier(path) == tmp_path / "game.jsonl.2"


def test_where_nothing_lies_nothing_is_kept(tmp_path: Path) -> None:
    assert keep_earlier(tmp_path / "game.jsonl") is None
    (tmp_path / "game.jsonl").touch()
    assert keep_earlier(tmp_path / "game.jsonl") is None


def test_three_starts_over_one_record_leave_three_records(tmp_path: Path) -> None:
    for start in range(3):
        with RecordFile(tmp_path / "game.jsonl") as record:
            record.write({"start": start})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.jsonl", "game.jsonl.1", "game.jsonl.2"]


def test_no_film_is_written_over_another(tmp_path: Path) -> None:
    place = tmp_path / "game.mp4"
    FilmWriter(place, (160, 90), 10).close()
    before = place.read_bytes()
    with pytest.raises(FilmError, match="name another folder with --films"):
        FilmWriter(place, (160, 90), 10)
    assert place.read_bytes() == before

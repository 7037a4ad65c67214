"""Earlier records and films are kept when a file of the same name is written again."""

from __future__ import annotations

from pathlib import Path

import pytest

from vision.capture.video_writer import FilmError, FilmWriter, keep_earlier
from webapp.live.match_files import RecordFile


def test_earlier_files_are_kept_under_numbers(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    for text in ("monday", "tuesday", "wednesday"):
        path.write_text(text)
        keep_earlier(path)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "game.jsonl.1": "monday",
        "game.jsonl.2": "tuesday",
        "game.jsonl.3": "wednesday",
    }


def test_number_of_a_broken_link_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("monday")
    (tmp_path / "game.jsonl.1").symlink_to(tmp_path / "a disk that is not plugged in")
    assert keep_earlier(path) == tmp_path / "game.jsonl.2"


def test_missing_or_empty_file_is_not_kept(tmp_path: Path) -> None:
    assert keep_earlier(tmp_path / "game.jsonl") is None
    (tmp_path / "game.jsonl").touch()
    assert keep_earlier(tmp_path / "game.jsonl") is None


def test_each_start_keeps_the_earlier_record(tmp_path: Path) -> None:
    for start in range(3):
        with RecordFile(tmp_path / "game.jsonl") as record:
            record.write({"start": start})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.jsonl", "game.jsonl.1", "game.jsonl.2"]


def test_existing_film_is_not_overwritten(tmp_path: Path) -> None:
    place = tmp_path / "game.mp4"
    FilmWriter(place, (160, 90), 10).close()
    before = place.read_bytes()
    with pytest.raises(FilmError, match="name another folder with --films"):
        FilmWriter(place, (160, 90), 10)
    assert place.read_bytes() == before

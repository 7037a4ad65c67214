"""Films of `kozyr watch`: stored with the match, deleted with it, and their failure does not end the game."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import cv2
import numpy as np
import pytest

from vision.capture.sources import open_source
from vision.capture.video_writer import FilmEncoder, OutputFile
from vision.data_home import HOME_VARIABLE, data_home
from webapp.commands import cli
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.matches import Matches

FRAMES = 30


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an empty store."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """Write a clip of an empty table, 1.5 s long."""
    path = tmp_path / "table.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20, (320, 180))
    for number in range(FRAMES):
        writer.write(np.full((180, 320, 3), 90 + number % 2, np.uint8))
    writer.release()
    return path


def watch(clip: Path, *more: str | Path) -> int:
    return cli.main(["watch", str(clip), "--seats", "A,B", "--exit", "--no-browser", "--port", "0", *map(str, more)])


def stored() -> Mapping[str, Any]:
    """Return the only stored match."""
    database = Database.open()
    try:
        (match,) = Matches(database, Films(data_home() / "films")).list()
    finally:
        database.close()
    return match


def film_of(match: str, folder: Path | None = None) -> Path:
    return (folder or data_home() / "films") / f"{match}.mp4"


def test_film_is_stored_beside_the_database(clip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert watch(clip) == 0
    match = stored()
    assert match["film"] is True
    with open_source(str(film_of(match["match"]))) as source:
        assert source.size == (320, 180)
        frames = list(source)
    assert [frame.at for frame in frames] == pytest.approx([number / 20 for number in range(FRAMES)], abs=0.002)
    assert min(frame.image_bgr.max() for frame in frames) > 60, "a film that somebody names is kept whole"
    output = capsys.readouterr().err
    assert "the table is filmed (--no-film, or a tap on the page, ends that); films are kept in" in output
    assert "deleted after 30 days" in output


def test_films_are_stored_in_the_named_folder(clip: Path, tmp_path: Path) -> None:
    assert watch(clip, "--films", tmp_path / "elsewhere") == 0
    assert film_of(stored()["match"], tmp_path / "elsewhere").is_file()


@pytest.mark.parametrize("no", ["--no-film", "--no-keep"])
def test_no_film_is_written_without_filming(clip: Path, no: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert watch(clip, no) == 0
    assert not (data_home() / "films").exists()
    assert "filmed" not in capsys.readouterr().err


def test_film_without_its_record_can_be_reviewed(clip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert watch(clip) == 0
    film = film_of(stored()["match"])
    capsys.readouterr()
    assert cli.main(["review", str(film), "--seats", "A,B", "--json"]) in (0, 1)
    assert '"summary"' in capsys.readouterr().out


def test_film_is_exported_and_deleted_with_its_match(clip: Path, tmp_path: Path) -> None:
    assert watch(clip) == 0
    match = stored()["match"]
    assert cli.main(["matches", "export", match, str(tmp_path / "m.zip")]) == 0
    with ZipFile(tmp_path / "m.zip") as packed:
        assert set(packed.namelist()) == {"record.jsonl", "game.durak", "versions.json", "film.mp4"}
        packed.extract("film.mp4", tmp_path)
    with open_source(str(tmp_path / "film.mp4")) as source:
        assert len(list(source)) == FRAMES
    assert cli.main(["matches", "delete", match, "--yes"]) == 0
    assert not film_of(match).exists()


def test_match_without_its_film_is_replayed_from_its_record(clip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert watch(clip) == 0
    match = stored()["match"]
    film_of(match).unlink()
    assert stored()["film"] is False
    capsys.readouterr()
    assert cli.main(["matches", "show", match, "--json"]) == 0
    assert '"kozyr": 1' in capsys.readouterr().out


def test_unwritable_film_folder_does_not_end_the_game(
    clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder")
    assert watch(clip, "--films", tmp_path / "file" / "films") == 0
    output = capsys.readouterr()
    assert f"{FRAMES} frames" in output.out, "the game was refereed to its end"
    assert output.err.count("The operating system refused:") == 1


def test_full_disk_ends_only_the_film(
    clip: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    encode = FilmEncoder.encode

    def until_full(self: FilmEncoder, *frame: Any) -> None:
        if self.written == 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        encode(self, *frame)

    monkeypatch.setattr(FilmEncoder, "encode", until_full)
    assert watch(clip) == 0
    output = capsys.readouterr()
    assert output.err.count("mp4: No space left on device") == 1
    assert f"{FRAMES} frames" in output.out, "the game was refereed to its end"


def test_missing_seat_names_are_requested(clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "game.jsonl"
    call = ["watch", str(clip), "--exit", "--no-browser", "--port", "0", "--record", str(record)]
    assert cli.main(call) == 2
    output = capsys.readouterr()
    assert f"name them: kozyr watch {clip} --seats Anna,Boris" in output.err
    assert output.err.count("\n") == 1
    assert not record.exists()


def test_temporarily_full_disk_loses_no_line(
    clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write, tries = OutputFile.write, iter(range(1000))

    def full_at_first(self: OutputFile, data: bytes) -> int:
        if next(tries) < 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(self, data)

    monkeypatch.setattr(OutputFile, "write", full_at_first)
    record = tmp_path / "game.jsonl"
    assert watch(clip, "--record", record) == 0
    assert record.read_text("utf-8").startswith('{"kozyr": 1')


def test_full_disk_ends_only_the_record(
    clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: OutputFile, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(OutputFile, "write", full)
    assert watch(clip, "--record", tmp_path / "game.jsonl") == 1
    output = capsys.readouterr()
    assert "expected room for the record, got none" in output.err
    assert f"{FRAMES} frames" in output.out, "the game was refereed to its end"

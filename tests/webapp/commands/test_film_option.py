"""`--film` through the front door: it is there, never over what is being read, and its end is no end of the game."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.capture.output_file import OutputFile
from vision.capture.sources import open_source
from vision.capture.video_writer import FilmWriter
from webapp.commands import cli

FRAMES = 30


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """A bare table for a second and a half."""
    path = tmp_path / "table.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20, (320, 180))
    for number in range(FRAMES):
        writer.write(np.full((180, 320, 3), 90 + number % 2, np.uint8))
    writer.release()
    return path


def watch(clip: Path, *more: str | Path) -> int:
    return cli.main(["watch", str(clip), "--seats", "A,B", "--exit", "--no-browser", "--port", "0", *map(str, more)])


def test_what_the_camera_saw_can_be_seen_again(clip: Path, tmp_path: Path) -> None:
    film, record = tmp_path / "game.mp4", tmp_path / "game.jsonl"
    assert watch(clip, "--film", film, "--record", record) == 0
    with open_source(str(film)) as source:
        assert source.size == (320, 180)
        times = [frame.at for frame in source]
    assert len(times) > FRAMES // 2, "a busy machine leaves some out"
    assert times[-1] <= (FRAMES - 1) / 20 + 0.001
    assert record.read_text("utf-8").startswith('{"kozyr": 1')


def test_who_plays_is_asked_for_and_not_made_up(clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "game.jsonl"
    call = ["watch", str(clip), "--exit", "--no-browser", "--port", "0", "--record", str(record)]
    assert cli.main(call) == 2
    said = capsys.readouterr()
    assert f"say them so: kozyr watch {clip} --seats Anna,Boris" in said.err
    assert said.err.count("\n") == 1
    assert not record.exists()


@pytest.mark.parametrize("over", ["the clip", "the record"])
def test_a_film_is_never_written_over_what_is_used(
    clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], over: str
) -> None:
    before = clip.read_bytes()
    record = tmp_path / "game.jsonl"
    assert watch(clip, "--record", record, "--film", clip if over == "the clip" else record) == 2
    assert "expected --film to name another file" in capsys.readouterr().err
    assert clip.read_bytes() == before


def test_a_full_disk_ends_the_film_and_not_the_game(
    clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    encode = FilmWriter._encode

    def until_full(self: FilmWriter, image_bgr: np.ndarray, at: float) -> None:
        if self.written == 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        encode(self, image_bgr, at)

    monkeypatch.setattr(FilmWriter, "_encode", until_full)
    assert watch(clip, "--film", tmp_path / "game.mp4") == 1
    said = capsys.readouterr()
    assert said.err.count("expected room for the film") == 1
    assert f"{FRAMES} frames" in said.out, "the game was refereed to its end"


def test_a_disk_that_is_full_for_a_while_costs_the_record_nothing(
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


def test_a_disk_that_stays_full_ends_the_record_and_not_the_game(
    clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: OutputFile, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(OutputFile, "write", full)
    assert watch(clip, "--record", tmp_path / "game.jsonl") == 1
    said = capsys.readouterr()
    assert "expected room for the record, got none" in said.err
    assert f"{FRAMES} frames" in said.out, "the game was refereed to its end"


def test_without_the_library_it_says_how_to_get_it(
    clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    assert watch(clip, "--film", tmp_path / "game.mp4") == 1
    assert "kozyr[film]" in capsys.readouterr().err

"""Film files: reading while they are written, joining parts, and byte ranges that match the whole file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vision.capture.film_file import Film, FilmFile
from vision.capture.sources import open_source
from vision.capture.video_writer import FilmError, FilmSettings, FilmWriter

ROOMY = FilmSettings(queue=1000)


def written(path: Path, began_s: float, count: int, size: tuple[int, int] = (160, 90)) -> Path:
    """Write a film of ten frames a second, each a little brighter than the one before."""
    with FilmWriter(path, size, began_s, ROOMY) as film:
        for number in range(count):
            film.add(np.full((size[1], size[0], 3), 40 + 2 * number, np.uint8), began_s + number / 10)
    return path


def played(film: Film, path: Path) -> list[tuple[float, int]]:
    """Play the film's bytes and return time and brightness of each frame."""
    path.write_bytes(b"".join(film.read(0, film.size)))
    with open_source(str(path)) as source:
        return [(round(frame.at, 2), round(float(frame.image_bgr.mean()))) for frame in source]


def test_film_has_the_time_of_each_frame(tmp_path: Path) -> None:
    film = Film([FilmFile(written(tmp_path / "a.mp4", 3.0, 35))])
    assert film.frames_s == pytest.approx(3.0 + np.arange(35) / 10)
    assert film.picture_size == (160, 90)
    assert film.fragments == 4


def test_served_bytes_play_like_the_film(tmp_path: Path) -> None:
    film = Film([FilmFile(written(tmp_path / "a.mp4", 3.0, 35))])
    seen = played(film, tmp_path / "served.mp4")
    assert [at for at, _ in seen] == pytest.approx([number / 10 for number in range(35)], abs=0.011)
    assert [bright for _, bright in seen] == pytest.approx([40 + 2 * number for number in range(35)], abs=4)


def test_parts_are_joined_on_one_time_axis(tmp_path: Path) -> None:
    files = [FilmFile(written(tmp_path / "a.mp4", 0.0, 20)), FilmFile(written(tmp_path / "b.mp4", 7.5, 20))]
    film = Film(files)
    assert film.frames_s == pytest.approx([*np.arange(20) / 10, *(7.5 + np.arange(20) / 10)])
    seen = played(film, tmp_path / "served.mp4")
    assert [at for at, _ in seen] == pytest.approx(list(film.frames_s), abs=0.011)


def test_part_with_another_picture_size_is_left_out(tmp_path: Path) -> None:
    other = FilmFile(written(tmp_path / "b.mp4", 7.5, 20, (320, 180)))
    assert len(Film([FilmFile(written(tmp_path / "a.mp4", 0.0, 20)), other]).frames_s) == 20


def test_growing_film_is_read_up_to_its_last_complete_fragment(tmp_path: Path) -> None:
    whole = written(tmp_path / "a.mp4", 0.0, 50).read_bytes()
    path = tmp_path / "growing.mp4"
    path.write_bytes(whole[: len(whole) // 2])
    file = FilmFile(path)
    early = Film([file])
    assert 0 < early.fragments < 5
    bytes_then = b"".join(early.read(0, early.size))
    path.write_bytes(whole)
    file.refresh()
    assert Film([file]).fragments == 5
    again = Film([file], early.fragments)
    assert b"".join(again.read(0, again.size)) == bytes_then


def test_byte_ranges_match_the_whole_file(tmp_path: Path) -> None:
    files = [FilmFile(written(tmp_path / "a.mp4", 0.0, 20)), FilmFile(written(tmp_path / "b.mp4", 7.5, 20))]
    film = Film(files)
    whole = b"".join(film.read(0, film.size))
    assert len(whole) == film.size
    chance = np.random.default_rng(3)
    for _ in range(200):
        begin, end = sorted(chance.integers(0, film.size + 1, 2).tolist())
        assert b"".join(film.read(begin, end)) == whole[begin:end]


@pytest.mark.parametrize("content", [b"", b"no film at all, but long enough to look at", bytes(100)])
def test_file_that_is_no_film_is_refused_with_one_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.mp4").write_bytes(content)
    with pytest.raises(FilmError, match="expected the film of a match"):
        FilmFile(tmp_path / "a.mp4")


def test_truncated_film_keeps_its_complete_fragments(tmp_path: Path) -> None:
    whole = written(tmp_path / "a.mp4", 0.0, 30).read_bytes()
    began = len(FilmFile(tmp_path / "a.mp4").head)
    for end in range(began, len(whole), 97):
        (tmp_path / "cut.mp4").write_bytes(whole[:end])
        film = Film([FilmFile(tmp_path / "cut.mp4")])
        assert film.fragments <= 3
        assert len(film.frames_s) in (0, 10, 20, 30)

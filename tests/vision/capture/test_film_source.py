"""A kept film as source: frames have the match's times, and areas outside the outline are filled."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vision.capture.film_file import Film, FilmFile, FilmSource, OutlineFilling, shown_part
from vision.capture.video_writer import FilmSettings, FilmWriter

GREY = 90


def filmed(folder: Path, outlines: list[np.ndarray | None], began_s: float = 100.0) -> Film:
    """Write a film of a grey table, ten frames a second, each frame masked by its outline."""
    path = folder / "film.mp4"
    with FilmWriter(path, (320, 180), began_s, FilmSettings(quality=12)) as film:
        for number, outline in enumerate(outlines):
            film.add(np.full((180, 320, 3), GREY, np.uint8), began_s + number / 10, outline, wait=True)
    return Film([FilmFile(path)])


def square(left: int, top: int, right: int, bottom: int) -> np.ndarray:
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.int32)


def test_frames_have_the_times_of_the_match(tmp_path: Path) -> None:
    film = filmed(tmp_path, [None] * 30)
    with FilmSource(film, "the film", 100.95, 102.05) as source:
        times = [round(frame.at, 3) for frame in source]
        assert times == [round(101.0 + number / 10, 3) for number in range(11)]
        assert (round(source.fps, 6), source.size, source.live, source.frame_count) == (10.0, (320, 180), False, 11)


def test_area_outside_the_outline_is_filled_from_later_frames(tmp_path: Path) -> None:
    small, large = square(100, 60, 200, 120), square(40, 20, 280, 160)
    nothing = np.zeros((0, 2), np.int32)
    film = filmed(tmp_path, [nothing] * 5 + [small] * 10 + [large] * 25)
    for frame in FilmSource(film, "the film"):
        assert abs(int(frame.image_bgr[90, 60].mean()) - GREY) <= 3, frame.number  # outside the small outline
        assert frame.image_bgr[5, 5].max() <= 20  # never shown


def test_mirrored_film_is_turned_back_and_samples_are_as_they_are(tmp_path: Path) -> None:
    film = filmed(tmp_path, [square(0, 0, 160, 180)] * 10)
    with FilmSource(film, "the film", filling=OutlineFilling(samples=0)) as source:
        assert [sample[90, 40].mean() > sample[90, 280].mean() for sample in source.samples(3)] == [True] * 3
        source.is_mirrored = True
        assert all(frame.image_bgr[90, 280].mean() > frame.image_bgr[90, 40].mean() for frame in source)


def test_frame_without_an_outline_is_shown_whole(tmp_path: Path) -> None:
    assert shown_part(np.full((180, 320, 3), GREY, np.uint8)) is None
    shown = shown_part(np.zeros((180, 320, 3), np.uint8))
    assert shown is not None
    assert not shown.any()


def test_damaged_fragment_is_left_out_with_a_note(tmp_path: Path) -> None:
    film = filmed(tmp_path, [None] * 30)
    data = bytearray((tmp_path / "film.mp4").read_bytes())
    second = FilmFile(tmp_path / "film.mp4").fragments[1]
    data[second.start + 8 : second.start + second.size] = bytes(second.size - 8)
    (tmp_path / "film.mp4").write_bytes(data)
    with FilmSource(film, "the film") as source:
        assert len(list(source)) == 20
        assert [note.partition(" got ")[2] for note in source.notes] == ["one that can't be decoded; it is left out"]

"""The film of a match: plays, keeps its times, outlives a full disk and a pulled plug."""

from __future__ import annotations

import errno
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.little_room import little_room, needs_limits
from vision.capture.sources import Frame, open_source
from vision.capture.video_writer import FilmError, FilmSettings, FilmWriter, filmed

ROOMY = FilmSettings(queue=1000)


def picture(number: int, size: tuple[int, int] = (160, 90)) -> np.ndarray:
    """A grey table with a bright stripe that walks."""
    image = np.full((size[1], size[0], 3), 70, np.uint8)
    image[:, number * 3 % size[0] : number * 3 % size[0] + 12] = 230
    return image


def frames_in(path: Path) -> list[Frame]:
    with open_source(str(path)) as source:
        return list(source)


def until(holds: Any) -> None:
    """Wait until it is so."""
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_film_holds_every_frame_at_its_own_time(tmp_path: Path) -> None:
    times = [0.0, 0.04, 0.08, 0.2, 0.24, 0.9, 0.94]  # a camera that stutters
    with FilmWriter(tmp_path / "a.mp4", (160, 90), 25, ROOMY) as film:
        for number, at in enumerate(times):
            film.add(picture(number), at)
    assert (film.written, film.dropped, film.trouble) == (7, 0, None)
    seen = frames_in(tmp_path / "a.mp4")
    assert [frame.at for frame in seen] == pytest.approx(times, abs=0.002)
    for number, frame in enumerate(seen):
        assert np.abs(frame.image_bgr.astype(int) - picture(number)).mean() < 12


def test_what_was_written_plays_although_nobody_finished_the_film(tmp_path: Path) -> None:
    film = FilmWriter(tmp_path / "a.mp4", (160, 90), 10, ROOMY)
    for number in range(60):
        film.add(picture(number), number / 10)
    until(lambda: film.written == 60)
    (tmp_path / "left.mp4").write_bytes((tmp_path / "a.mp4").read_bytes())  # as a power cut leaves it
    film.close()
    assert len(frames_in(tmp_path / "left.mp4")) >= 60 - 2 * 10
    assert len(frames_in(tmp_path / "a.mp4")) == 60


def test_a_camera_that_comes_back_with_another_picture_size_fits_into_the_film(tmp_path: Path) -> None:
    with FilmWriter(tmp_path / "a.mp4", (161, 91), 10, ROOMY) as film:
        film.add(picture(0, (161, 91)), 0.0)
        film.add(picture(1, (320, 180)), 0.1)
        film.add(picture(2, (161, 91)), 0.05)  # a clock that stumbles
    seen = frames_in(tmp_path / "a.mp4")
    assert [frame.image_bgr.shape for frame in seen] == [(90, 160, 3)] * 3
    assert [frame.at for frame in seen] == sorted(frame.at for frame in seen)


def test_a_slow_machine_leaves_frames_out_and_counts_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encode = FilmWriter._encode

    def slowly(self: FilmWriter, image_bgr: np.ndarray, at: float) -> None:
        time.sleep(0.05)
        encode(self, image_bgr, at)

    monkeypatch.setattr(FilmWriter, "_encode", slowly)
    began = time.monotonic()
    film = FilmWriter(tmp_path / "a.mp4", (160, 90), 25, FilmSettings(queue=2))
    for number in range(50):
        film.add(picture(number), number / 25)
    assert time.monotonic() - began < 2.0, "adding waits for nobody"
    film.close()
    assert film.dropped > 40
    assert film.written + film.dropped == 50
    assert len(frames_in(tmp_path / "a.mp4")) == film.written


def test_a_full_disk_ends_the_film_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encode = FilmWriter._encode

    def until_full(self: FilmWriter, image_bgr: np.ndarray, at: float) -> None:
        if self.written == 30:
            raise OSError(errno.ENOSPC, "No space left on device")
        encode(self, image_bgr, at)

    monkeypatch.setattr(FilmWriter, "_encode", until_full)
    film = FilmWriter(tmp_path / "a.mp4", (160, 90), 10, ROOMY)
    source = [Frame(picture(number), number, number / 10) for number in range(60)]
    assert list(filmed(source, film)) == source
    film.close()
    assert film.trouble == (
        f"{tmp_path / 'a.mp4'}: expected room for the film, got 'No space left on device'; the first 20 frames are "
        "kept; make room or name another file with --film"
    )
    assert len(frames_in(tmp_path / "a.mp4")) == 20


@needs_limits
@pytest.mark.parametrize("room", [250_000, 600_000, 777_777])
def test_as_many_frames_are_kept_as_it_says(tmp_path: Path, room: int) -> None:
    snow = np.random.default_rng(7)
    film = FilmWriter(tmp_path / "a.mp4", (160, 90), 10, ROOMY)
    with little_room(room):
        for number in range(120):
            film.add(snow.integers(0, 256, (90, 160, 3), np.uint8), number / 10)
        film.close()
    assert 0 < film.kept < film.written
    assert f"the first {film.kept} frames are kept" in str(film.trouble)
    assert len(frames_in(tmp_path / "a.mp4")) == film.kept


def test_frames_of_a_lost_camera_are_no_part_of_the_film(tmp_path: Path) -> None:
    frames = [Frame(picture(0), 0, 0.0), Frame(picture(0), 1, 0.1, lost="unplugged"), Frame(picture(2), 2, 0.2)]
    with FilmWriter(tmp_path / "a.mp4", (160, 90), 10, ROOMY) as film:
        assert [frame.number for frame in filmed(frames, film)] == [0, 1, 2]
    assert film.written == 2


def test_an_older_film_is_kept_beside_the_new_one(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"the match of yesterday")
    FilmWriter(tmp_path / "a.mp4", (160, 90), 10).close()
    assert (tmp_path / "a.mp4.1").read_bytes() == b"the match of yesterday"


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FilmError, match=r"expected a place where the film can be written, got .*; name another"):
        FilmWriter(tmp_path / "no" / "a.mp4", (160, 90), 10)


def test_without_the_library_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(FilmError, match=r"pip install 'kozyr\[film\]'"):
        FilmWriter(tmp_path / "a.mp4", (160, 90), 10)

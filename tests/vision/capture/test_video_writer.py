"""Film of a match: frame times, a full disk, a power cut, other picture sizes."""

from __future__ import annotations

import errno
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.little_room import little_room, needs_limits
from tests.patience import PATIENCE_S, wait_until
from vision.capture.sources import Frame, open_source
from vision.capture.video_writer import FilmEncoder, FilmError, FilmSettings, FilmWriter

ROOMY = FilmSettings(queue=1000, most_bits=300.0)


def picture(number: int, size: tuple[int, int] = (160, 90)) -> np.ndarray:
    """Return a grey table with a bright stripe that moves."""
    image = np.full((size[1], size[0], 3), 70, np.uint8)
    image[:, number * 3 % size[0] : number * 3 % size[0] + 12] = 230
    return image


def frames_in(path: Path) -> list[Frame]:
    with open_source(str(path)) as source:
        return list(source)


def test_film_keeps_each_frame_with_its_time(tmp_path: Path) -> None:
    times = [0.0, 0.04, 0.08, 0.2, 0.24, 0.9, 0.94]  # a camera that stutters
    with FilmWriter(tmp_path / "a.mp4", (160, 90), 0.0, ROOMY) as film:
        for number, at in enumerate(times):
            film.add(picture(number), at)
    assert (film.written, film.dropped, film.trouble) == (7, 0, None)
    seen = frames_in(tmp_path / "a.mp4")
    assert [frame.at for frame in seen] == pytest.approx(times, abs=0.002)
    for number, frame in enumerate(seen):
        assert np.abs(frame.image_bgr.astype(int) - picture(number)).mean() < 12


def test_unfinished_film_can_be_played(tmp_path: Path) -> None:
    film = FilmWriter(tmp_path / "a.mp4", (160, 90), 0.0, ROOMY)
    for number in range(60):
        film.add(picture(number), number / 10)
    wait_until(lambda: film.written == 60)
    (tmp_path / "left.mp4").write_bytes((tmp_path / "a.mp4").read_bytes())  # as a power cut leaves it
    film.close()
    assert len(frames_in(tmp_path / "left.mp4")) >= 60 - 2 * 10
    assert len(frames_in(tmp_path / "a.mp4")) == 60


def test_pictures_of_another_size_are_scaled_to_the_film(tmp_path: Path) -> None:
    with FilmWriter(tmp_path / "a.mp4", (161, 91), 0.0, ROOMY) as film:
        film.add(picture(0, (161, 91)), 0.0)
        film.add(picture(1, (320, 180)), 0.1)
        film.add(picture(2, (161, 91)), 0.05)  # a clock that stumbles
    seen = frames_in(tmp_path / "a.mp4")
    assert [frame.image_bgr.shape for frame in seen] == [(90, 160, 3)] * 3
    assert [frame.at for frame in seen] == sorted(frame.at for frame in seen)


def test_frames_dropped_by_a_slow_encoder_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encode = FilmEncoder.encode

    added = threading.Event()

    def slowly(self: FilmEncoder, *frame: Any) -> None:
        assert added.wait(PATIENCE_S)  # adding waits for nobody
        encode(self, *frame)

    monkeypatch.setattr(FilmEncoder, "encode", slowly)
    film = FilmWriter(tmp_path / "a.mp4", (160, 90), 0.0, FilmSettings(queue=2))
    for number in range(50):
        film.add(picture(number), number / 25)
    added.set()
    film.close()
    assert film.dropped > 40
    assert film.written + film.dropped == 50
    assert len(frames_in(tmp_path / "a.mp4")) == film.written


def test_full_disk_ends_the_film_with_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encode = FilmEncoder.encode

    def until_full(self: FilmEncoder, *frame: Any) -> None:
        if self.written == 30:
            raise OSError(errno.ENOSPC, "No space left on device")
        encode(self, *frame)

    monkeypatch.setattr(FilmEncoder, "encode", until_full)
    film = FilmWriter(tmp_path / "a.mp4", (160, 90), 0.0, ROOMY)
    for number in range(60):
        film.add(picture(number), number / 10)
    film.close()
    assert film.trouble == (
        f"The operating system refused: {tmp_path / 'a.mp4'}: No space left on device; its first 20 frames "
        "are kept; make room and turn the film on again"
    )
    assert len(frames_in(tmp_path / "a.mp4")) == 20


@needs_limits
@pytest.mark.parametrize("room", [250_000, 600_000, 777_777])
def test_message_of_a_full_disk_counts_the_kept_frames(tmp_path: Path, room: int) -> None:
    snow = np.random.default_rng(7)
    film = FilmWriter(tmp_path / "a.mp4", (160, 90), 0.0, ROOMY)
    with little_room(room):
        for number in range(120):
            film.add(snow.integers(0, 256, (90, 160, 3), np.uint8), number / 10)
        film.close()
    assert 0 < film.kept < film.written
    assert f"its first {film.kept} frames are kept" in str(film.trouble)
    assert len(frames_in(tmp_path / "a.mp4")) == film.kept


def test_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"the match of yesterday")
    with pytest.raises(FilmError, match="File exists"):
        FilmWriter(tmp_path / "a.mp4", (160, 90), 0.0)
    assert (tmp_path / "a.mp4").read_bytes() == b"the match of yesterday"


def test_area_outside_the_outline_is_written_black(tmp_path: Path) -> None:
    left_half = np.array([[0, 0], [79, 0], [79, 89], [0, 89]], np.int32)
    with FilmWriter(tmp_path / "a.mp4", (160, 90), 0.0, ROOMY) as film:
        film.add(np.full((90, 160, 3), 200, np.uint8), 0.0, left_half)
        film.add(np.full((90, 160, 3), 200, np.uint8), 0.1, np.zeros((0, 2), np.int32))
        film.add(np.full((90, 160, 3), 200, np.uint8), 0.2)
    half, black, whole = (frame.image_bgr for frame in frames_in(tmp_path / "a.mp4"))
    assert half[:, :72].min() > 180
    assert half[:, 88:].max() < 12
    assert black.max() < 12
    assert whole.min() > 180


def test_frame_at_returns_the_frame_before_a_time(tmp_path: Path) -> None:
    with FilmWriter(tmp_path / "a.mp4", (160, 90), 5.0, ROOMY) as film:
        for number in range(5):
            film.add(picture(number), 5.0 + number / 10)
        assert [film.frame_at(at) for at in (4.9, 5.0, 5.25, 9.0)] == [None, (0, 5.0), (2, 5.2), (4, 5.4)]


def test_waiting_add_drops_no_frame(tmp_path: Path) -> None:
    with FilmWriter(tmp_path / "a.mp4", (160, 90), 0.0, FilmSettings(queue=1)) as film:
        for number in range(30):
            film.add(picture(number), number / 25, wait=True)
    assert (film.written, film.dropped) == (30, 0)


def test_unwritable_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FilmError, match=r"The operating system refused: .*; name another"):
        FilmWriter(tmp_path / "no" / "a.mp4", (160, 90), 0.0)


def test_outline_is_scaled_with_the_picture_size(tmp_path: Path) -> None:
    left_half = np.array([[0, 0], [79, 0], [79, 89], [0, 89]], np.int32)
    with FilmWriter(tmp_path / "a.mp4", (160, 90), 0.0, ROOMY) as film:
        for number, size in enumerate(((160, 90), (320, 180), (120, 90), (160, 90))):
            film.add(np.full((size[1], size[0], 3), 200, np.uint8), number / 10, left_half)
    assert (film.written, film.trouble) == (4, None)
    _, large, narrow, again = (frame.image_bgr for frame in frames_in(tmp_path / "a.mp4"))
    assert large[10:30, 10:30].min() > 180  # the outline is in the pixels of the picture that it came with
    assert narrow[:, :16].max() < 12, "a picture of other proportions has bars"
    assert narrow[:, 24:80].min() > 180
    assert again[:, :72].min() > 180


def test_encoder_failure_ends_the_film_without_blocking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encode = FilmEncoder.encode

    def until_broken(self: FilmEncoder, *frame: Any) -> None:
        if self.written == 30:
            raise TypeError("a picture without a shape")
        encode(self, *frame)

    monkeypatch.setattr(FilmEncoder, "encode", until_broken)
    film = FilmWriter(tmp_path / "a.mp4", (160, 90), 0.0, FilmSettings(queue=1, most_bits=300.0))
    for number in range(60):
        film.add(picture(number), number / 10, wait=True)
    film.close()
    assert film.trouble == (
        f"Internal error: {tmp_path / 'a.mp4'}: a frame could not be encoded: a picture without a shape; its first 20 "
        "frames are kept; turn the film on again, and please report it"
    )
    assert len(frames_in(tmp_path / "a.mp4")) == 20

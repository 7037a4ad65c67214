"""Bars that show the enlarged and blurred film are cropped; smooth floors beside a table stay."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.capture.letterbox import film_between_bars
from vision.capture.sources import open_source
from vision.capture.video_writer import FilmSettings, FilmWriter

Pictures = list[np.ndarray]
SIZE, FRAME = (160, 90), (160, 284)
BAR = (FRAME[1] - SIZE[1]) // 2


def film(count: int = 6) -> Pictures:
    """Return pictures of a table with a grain, a few things on it, and one that moves."""
    chance = np.random.default_rng(5)
    table = cv2.resize(chance.uniform(70, 150, (9, 16, 3)).astype(np.float32), SIZE, interpolation=cv2.INTER_CUBIC)
    table += chance.normal(0, 6, table.shape)
    for x in range(10, 150, 30):
        cv2.rectangle(table, (x, 30), (x + 16, 55), (240, 240, 240), -1)
    frames = []
    for k in range(count):
        frame = table.copy()
        cv2.circle(frame, (20 + 20 * k, 70), 12, (30, 60, 200), -1)
        frames.append(np.clip(frame, 0, 255).astype(np.uint8))
    return frames


def between_bars(picture: np.ndarray, light: float) -> np.ndarray:
    """Return the picture in a frame of another shape, filled as editing programs do."""
    wide, tall = FRAME
    large = cv2.resize(picture, (round(picture.shape[1] * tall / picture.shape[0]), tall))
    left = (large.shape[1] - wide) // 2
    frame = (cv2.GaussianBlur(large[:, left : left + wide], (0, 0), 9) * light).astype(np.uint8)
    frame[BAR : BAR + SIZE[1]] = picture
    return frame


@pytest.mark.parametrize("light", [0.6, 1.0], ids=["darkened", "as light"])
@pytest.mark.parametrize("beside", [False, True], ids=["above and below", "beside"])
def test_blurred_bars_are_cropped(light: float, beside: bool) -> None:
    frames = [between_bars(picture, light) for picture in film()]
    frames = [np.swapaxes(frame, 0, 1) for frame in frames] if beside else frames
    rows, columns = film_between_bars(frames[0], frames[1:])
    kept, whole = (columns, rows) if beside else (rows, columns)
    assert whole == slice(0, FRAME[0])
    assert BAR <= kept.start <= BAR + 4
    assert BAR + SIZE[1] - 4 <= kept.stop <= BAR + SIZE[1]


def test_film_without_bars_is_not_cropped() -> None:
    frames = film()
    assert film_between_bars(frames[0], frames[1:]) == (slice(0, SIZE[1]), slice(0, SIZE[0]))


def test_smooth_floor_on_one_side_is_not_cropped() -> None:
    frames = [between_bars(picture, 0.6)[BAR:] for picture in film()]
    assert film_between_bars(frames[0], frames[1:]) == (slice(0, FRAME[1] - BAR), slice(0, FRAME[0]))


def test_smooth_floor_on_both_sides_is_not_cropped_if_something_moves_on_it() -> None:
    frames = [between_bars(picture, 0.6) for picture in film()]
    chance = np.random.default_rng(1)
    frames[4][10:60, 30:120] = chance.integers(0, 255, (50, 90, 3))
    assert film_between_bars(frames[0], frames[1:]) == (slice(0, FRAME[1]), slice(0, FRAME[0]))


def test_film_file_is_played_without_blurred_bars(tmp_path: Path) -> None:
    large = [cv2.resize(between_bars(picture, 0.8), None, fx=2, fy=2) for picture in film(12)]
    with FilmWriter(tmp_path / "a.mp4", (2 * FRAME[0], 2 * FRAME[1]), 0.0, FilmSettings()) as kept:
        for number, frame in enumerate(large):
            kept.add(frame, number / 5, wait=True)
    shown = open_source(str(tmp_path / "a.mp4"))
    assert shown.size[0] == 2 * FRAME[0]
    assert 2 * SIZE[1] - 12 <= shown.size[1] <= 2 * SIZE[1]
    shown.close()

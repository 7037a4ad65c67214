"""Drawn panels beside a film are cropped; floors, tables and films without a seam are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.capture.film_reader import pictures_across
from vision.capture.letterbox import film_beside_panels
from vision.capture.sources import open_source

Pictures = list[np.ndarray]
HEIGHT, WIDTH, SEAM = 96, 160, 112


def film(count: int = 9, light: float = 0.0, noise: float = 2.0, panel_noise: float = 0.0) -> Pictures:
    """Return pictures of a trembling table, lighter by ``light`` levels each, with a drawn panel right of ``SEAM``."""
    chance = np.random.default_rng(3)
    panel = np.full((HEIGHT, WIDTH - SEAM, 3), (200.0, 120.0, 20.0))
    panel[20:50, 10:30] = 250
    frames = []
    for k in range(count):
        frame = np.full((HEIGHT, WIDTH, 3), (60.0, 110.0, 50.0)) + k * light
        frame += chance.normal(0, noise, frame.shape)
        frame[:, SEAM:] = panel + chance.normal(0, 1.0, panel.shape) * panel_noise
        frames.append(np.clip(frame, 0, 255).astype(np.uint8))
    return frames


def inner(frames: Pictures) -> tuple[slice, slice]:
    return film_beside_panels(frames[0], frames[1:])


@pytest.mark.parametrize("turned", [False, True], ids=["beside", "below"])
@pytest.mark.parametrize("mirrored", [False, True], ids=["behind", "before"])
@pytest.mark.parametrize("light", [0.0, 6.0], ids=["still light", "light that drifts"])
def test_unchanging_panel_is_cropped(turned: bool, mirrored: bool, light: float) -> None:
    frames = film(light=light)
    frames = [frame[:, ::-1] for frame in frames] if mirrored else frames
    frames = [np.swapaxes(frame, 0, 1) for frame in frames] if turned else frames
    rows, columns = inner(frames)
    kept, whole = (rows, columns) if turned else (columns, rows)
    assert whole == slice(0, HEIGHT)
    start, stop = (WIDTH - kept.stop, WIDTH - kept.start) if mirrored else (kept.start, kept.stop)
    assert start == 0
    assert SEAM - 4 <= stop <= SEAM - 2


def with_a_hand(frames: Pictures) -> Pictures:
    """Return the pictures with something that passes over the panel in one of them."""
    frames[5] = frames[5].copy()
    frames[5][30:60, SEAM:] = (90, 120, 200)
    return frames


@pytest.mark.parametrize(
    "frames",
    [
        pytest.param(with_a_hand(film()), id="a still floor that a hand passes over"),
        pytest.param(film(panel_noise=2.0), id="a floor that trembles as the table does"),
        pytest.param(film(noise=0.2), id="a table as still as the floor"),
        pytest.param(film()[:1], id="one picture alone"),
    ],
)
def test_camera_picture_is_not_cropped(frames: Pictures) -> None:
    assert inner(frames) == (slice(0, HEIGHT), slice(0, WIDTH))


def test_film_without_a_seam_is_not_searched() -> None:
    def never() -> Iterator[np.ndarray]:
        raise AssertionError("no picture is needed to know that there is no seam")
        yield

    plain = film()[0][:, :SEAM]
    assert film_beside_panels(plain, never()) == (slice(0, HEIGHT), slice(0, SEAM))


def test_film_is_played_without_its_panel(tmp_path: Path) -> None:
    path = tmp_path / "titled.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (WIDTH, HEIGHT))
    for frame in film(30, light=2.0):
        writer.write(frame)
    writer.release()
    assert len(list(pictures_across(path, 8))) == 8
    with open_source(str(path)) as source:
        assert source.size[1] == HEIGHT
        assert SEAM - 12 <= source.size[0] <= SEAM
        assert {frame.image_bgr.shape[1::-1] for frame in source} == {source.size}

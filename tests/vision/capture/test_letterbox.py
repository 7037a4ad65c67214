"""Bars around a film are cropped; uniform tables keep their edges."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.capture.letterbox import picture_in
from vision.capture.sources import SourceSettings, open_source


def table(size: tuple[int, int] = (160, 90), noise: float = 4.0) -> np.ndarray:
    """Return a wooden table with a camera's noise and a lamp to one side; (rows, columns, 3)."""
    width, height = size
    light = np.linspace(0.7, 1.1, width)[None, :, None] * np.linspace(1.0, 0.8, height)[:, None, None]
    grain = np.random.default_rng(5).normal(0, noise, (height, width, 3))
    return np.clip(np.array((60, 90, 130)) * light + grain, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("level", [0, 16, 48, 255])
@pytest.mark.parametrize(("rows", "columns"), [(20, 0), (0, 30), (12, 16)])
def test_bars_are_cropped(level: int, rows: int, columns: int) -> None:
    framed = cv2.copyMakeBorder(table(), rows, rows, columns, columns, cv2.BORDER_CONSTANT, value=(level,) * 3)
    across, down = picture_in(np.asarray(framed, np.uint8))
    seam = 2
    assert across == (slice(rows + seam, rows + 90 - seam) if rows else slice(0, 90))
    assert down == (slice(columns + seam, columns + 160 - seam) if columns else slice(0, 160))


@pytest.mark.parametrize("end", ["first", "last"])
def test_bar_with_a_printed_date_is_cropped(end: str) -> None:
    framed = np.asarray(cv2.copyMakeBorder(table((320, 180)), 20, 20, 0, 0, cv2.BORDER_CONSTANT), np.uint8)
    cv2.putText(framed, "2026-11-23 19:14", (8, 14 if end == "first" else 214), cv2.FONT_HERSHEY_PLAIN, 0.9, (240,) * 3)
    assert picture_in(framed) == (slice(22, 198), slice(0, 320))


@pytest.mark.parametrize(
    "image",
    [
        pytest.param(table(), id="a table"),
        pytest.param(np.zeros((90, 160, 3), np.uint8), id="darkness"),
        pytest.param(np.clip(table() // 20, 0, 255).astype(np.uint8), id="a table in near darkness"),
        pytest.param(
            np.asarray(cv2.copyMakeBorder(table(), 30, 0, 0, 0, cv2.BORDER_CONSTANT, value=(0, 0, 0)), np.uint8),
            id="a bar at one end only: a wall",
        ),
        pytest.param(
            np.asarray(cv2.copyMakeBorder(table(), 30, 8, 0, 0, cv2.BORDER_CONSTANT, value=(0, 0, 0)), np.uint8),
            id="two that are not alike: a wall and a shadow",
        ),
        pytest.param(
            np.vstack([np.full((20, 160, 3), 20, np.uint8), table(), np.full((20, 160, 3), 60, np.uint8)]),
            id="two of different colours",
        ),
    ],
)
def test_picture_without_bars_is_not_cropped(image: np.ndarray) -> None:
    assert picture_in(image) == (slice(0, image.shape[0]), slice(0, image.shape[1]))


def test_film_with_bars_is_played_without_them(tmp_path: Path) -> None:
    path = tmp_path / "framed.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (160, 128))
    for _ in range(5):
        writer.write(cv2.copyMakeBorder(table((160, 96)), 16, 16, 0, 0, cv2.BORDER_CONSTANT, value=(30, 30, 30)))
    writer.release()
    with open_source(str(path)) as source:
        assert source.size[0] == 160
        assert 92 <= source.size[1] <= 96
        assert {frame.image_bgr.shape[1::-1] for frame in source} == {source.size}
    with open_source(str(path), SourceSettings(cuts_bars=False)) as source:  # kozyr review --whole-picture
        assert source.size == (160, 128)
        assert {frame.image_bgr.shape[1::-1] for frame in source} == {source.size}

"""A family's evening in two languages: the program itself, its recording as the camera, two devices (`evening.py`)."""

from __future__ import annotations

from pathlib import Path

import cv2
import pytest
from playwright.sync_api import Browser

from tests.browser.evening import evening
from vision.capture.video_writer import FilmSettings, FilmWriter
from webapp.shipped_recording import DEMO_CLIP

SECONDS = 24
"""To the fault and two seconds beyond."""


@pytest.fixture(scope="module")
def beginning(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The beginning of the shipped recording, each second frame of it."""
    place = tmp_path_factory.mktemp("film") / "beginning.mp4"
    film = cv2.VideoCapture(str(DEMO_CLIP))
    fps = film.get(cv2.CAP_PROP_FPS)
    size = (int(film.get(cv2.CAP_PROP_FRAME_WIDTH)), int(film.get(cv2.CAP_PROP_FRAME_HEIGHT)))
    with FilmWriter(place, size, 0.0, FilmSettings()) as stored:
        for number in range(int(SECONDS * fps)):
            picture = film.read()[1]
            if number % 2 == 0:
                stored.add(picture, number / fps, wait=True)
    film.release()
    return place


@pytest.mark.thorough
def test_two_devices_join_and_see_a_game_with_all_that_happens_in_one(
    browser: Browser, tmp_path: Path, beginning: Path
) -> None:
    assert evening(browser, "ru", "he", tmp_path, beginning) == []
